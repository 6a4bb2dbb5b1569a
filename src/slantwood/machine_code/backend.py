"""LLVM's intermediate code to object code, by llvmlite: for a common processor, and needing little else.

Object code calls the C library's mathematics, `malloc` and `free`, and nothing else: neither Python's objects
nor Numba. So it serves any version of these.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from slantwood.machine_code.targets import Target

_MEMORY = Path(__file__).with_name("memory.ll")
# What x86-64-v3 has beside v2, in LLVM's words.
_V3 = {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"}


def host_level() -> int:
    """Return the level of x86-64 that this processor has, 0 if it is of another kind."""
    if not llvm.get_process_triple().startswith("x86_64"):
        return 0
    features = llvm.get_host_cpu_features()
    return 3 if all(features.get(name) for name in _V3) else 2


@functools.cache
def _machine(target: Target, level: int) -> Any:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    processor = f"x86-64-v{level}" if level else target.processor
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=processor, features="" if level else "+neon", opt=3, reloc="pic", codemodel="small"
    )


def object_code(translated: Any, run: str, name: str, target: Target, level: int) -> bytes:
    """Return object code of a module for a target; only its function `run`, under this name, is seen."""
    machine = _machine(target, level)
    module = translated.clone()
    module.triple, module.data_layout = target.triple, str(machine.target_data)
    _prune_references(module, machine)
    memory = llvm.parse_assembly(_MEMORY.read_text(encoding="utf-8"))
    memory.triple, memory.data_layout = module.triple, module.data_layout
    module.link_in(memory)
    function = module.get_function(run)
    # Numba numbers functions in the order in which a process compiles them; bytes must not depend on that.
    for i, each in enumerate([*module.functions, *module.global_variables]):
        if not each.is_declaration:
            each.name, each.linkage = f"part_{i}", "internal"
    function.name, function.linkage = name, "external"
    if "windows" in target.triple:
        function.storage_class = "dllexport"
    _optimise(module, machine)
    wanted = [each.name for each in module.functions if each.is_declaration]
    if refused := [each for each in wanted if each.startswith(("numba", "NRT_", "Py", "_ZN"))]:
        raise NotImplementedError(f"a kernel uses functions of Numba or Python: {', '.join(refused)}")
    return machine.emit_object(module)


def _prune_references(module: Any, machine: Any) -> None:
    # Counting references keeps loops from being vectorised. Numba's own pass removes most of it; what is left
    # gets its definition only afterwards, because the pass looks for calls. Cheap passes before it, as Numba
    # has them, bring loops into the form that is vectorised later. More of them here makes slower code.
    options = llvm.create_pipeline_tuning_options(speed_level=0)
    options.loop_vectorization = options.slp_vectorization = False
    builder = llvm.create_pass_builder(machine, options)
    passes = builder.getModulePassManager()
    passes.add_loop_rotate_pass()
    passes.add_instruction_combine_pass()
    passes.add_jump_threading_pass()
    passes.add_refprune_pass()
    passes.run(module, builder)


def _optimise(module: Any, machine: Any) -> None:
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = True
    # It would make one slow vector of the four sums of a product over four rows.
    options.slp_vectorization = False
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
