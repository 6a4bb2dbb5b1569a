"""LLVM's intermediate code to object code, by llvmlite: for a common processor, and needing little else.

Object code calls the C library's mathematics, `malloc` and `free`, and nothing else: neither Python's
objects nor Numba. So it serves any version of these.
"""

from __future__ import annotations

import functools
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir

from slantwood.machine_code.targets import Target

ALLOCATE, FREE = "malloc", "free"
# What x86-64-v3 has beside v2, in LLVM's words.
_V3 = {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"}

_byte_pointer = ir.IntType(8).as_pointer()
_word = ir.IntType(64)
# Numba's record of an array's memory: count of references, destructor and its argument, data, size,
# allocator.
_record = ir.LiteralStructType([_word, _byte_pointer, _byte_pointer, _byte_pointer, _word, _byte_pointer])
_RECORD_BYTES = 48


def host_level() -> int:
    """Return the level of x86-64 that this processor has, 0 if it is of another kind."""
    if not llvm.get_process_triple().startswith("x86_64"):
        return 0
    features = llvm.get_host_cpu_features()
    return 3 if all(features.get(name) for name in _V3) else 2


@functools.cache
def _target_machine(target: Target, level: int) -> Any:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    processor, features = target.processor(level)
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=processor, features=features, opt=3, reloc="pic", codemodel="small"
    )


def object_code(translated: Any, run: str, name: str, target: Target, level: int) -> bytes:
    """Return object code of a module for a target; only its function `run`, under this name, is seen."""
    machine = _target_machine(target, level)
    module = translated.clone()
    module.triple, module.data_layout = target.triple, str(machine.target_data)
    # Counting references keeps loops from being vectorised. Numba's own pass removes most of it; what is left
    # gets its definition only afterwards, because the pass looks for calls.
    _prune_references(module, machine)
    module.link_in(_parsed(_memory_functions(module)), preserve=True)
    function = module.get_function(run)
    # Numba numbers functions in the order in which one process has compiled them; bytes must not
    # depend on that.
    for i, each in enumerate([*module.functions, *module.global_variables]):
        if not each.is_declaration:
            each.name, each.linkage = f"part_{i}", "internal"
    function.name, function.linkage = name, "external"
    if "windows" in target.triple:
        function.storage_class = "dllexport"
    _optimise(module, machine)
    _refuse_symbols_of_numba(module)
    return machine.emit_object(module)


def _prune_references(module: Any, machine: Any) -> None:
    # Cheap passes, as Numba has them: they bring loops into the form that is vectorised later. More of them
    # here makes slower code.
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


def _parsed(module: ir.Module) -> Any:
    parsed = llvm.parse_assembly(str(module))
    parsed.verify()
    return parsed


def _memory_functions(caller: Any) -> ir.Module:
    """Return what Numba's code calls for the memory of arrays.

    An array is made, used and dropped within one call of a kernel, on one thread: its count needs no lock.
    """
    module = ir.Module("memory")
    module.triple, module.data_layout = caller.triple, caller.data_layout

    def declare(name: str, result: Any, *arguments: Any) -> Any:
        return ir.Function(module, ir.FunctionType(result, arguments), name)

    def begin(name: str, result: Any, *arguments: Any) -> Any:
        function = declare(name, result, *arguments)
        return function, ir.IRBuilder(function.append_basic_block())

    def field(builder: Any, record: Any, i: int) -> Any:
        record = builder.bitcast(record, _record.as_pointer())
        return builder.gep(record, [ir.IntType(32)(0), ir.IntType(32)(i)])

    void, number = ir.VoidType(), ir.IntType(32)
    allocate = declare(ALLOCATE, _byte_pointer, _word)
    free = declare(FREE, void, _byte_pointer)

    function, builder = begin("NRT_Allocate", _byte_pointer, _word)
    builder.ret(builder.call(allocate, function.args))
    function, builder = begin("NRT_Free", void, _byte_pointer)
    builder.call(free, function.args)
    builder.ret_void()

    for name in ("NRT_MemInfo_alloc_aligned", "NRT_MemInfo_alloc_safe_aligned"):
        function, builder = begin(name, _byte_pointer, _word, number)
        size, align = function.args[0], builder.zext(function.args[1], _word)
        record = builder.call(allocate, [builder.add(size, builder.add(align, _word(_RECORD_BYTES)))])
        with builder.if_then(builder.icmp_unsigned("==", record, _byte_pointer(None)), likely=False):
            builder.ret(_byte_pointer(None))
        after = builder.add(builder.ptrtoint(record, _word), _word(_RECORD_BYTES - 1))
        data = builder.and_(builder.add(after, align), builder.neg(align))
        builder.store(_word(1), field(builder, record, 0))
        builder.store(builder.inttoptr(data, _byte_pointer), field(builder, record, 3))
        builder.store(size, field(builder, record, 4))
        builder.ret(record)

    function, builder = begin("NRT_MemInfo_data_fast", _byte_pointer, _byte_pointer)
    builder.ret(builder.load(field(builder, function.args[0], 3)))

    function, builder = begin("NRT_incref", void, _byte_pointer)
    with builder.if_then(builder.icmp_unsigned("!=", function.args[0], _byte_pointer(None))):
        count = field(builder, function.args[0], 0)
        builder.store(builder.add(builder.load(count), _word(1)), count)
    builder.ret_void()

    function, builder = begin("NRT_decref", void, _byte_pointer)
    with builder.if_then(builder.icmp_unsigned("!=", function.args[0], _byte_pointer(None))):
        count = field(builder, function.args[0], 0)
        left = builder.sub(builder.load(count), _word(1))
        builder.store(left, count)
        with builder.if_then(builder.icmp_unsigned("==", left, _word(0)), likely=False):
            builder.call(free, [function.args[0]])
    builder.ret_void()
    return module


def _refuse_symbols_of_numba(module: Any) -> None:
    wanted = {function.name for function in module.functions if function.is_declaration}
    refused = sorted(
        n for n in wanted if n.startswith(("numba", "NRT_", "Py", "_ZN")) and n not in (ALLOCATE, FREE)
    )
    if refused:
        raise NotImplementedError(f"a kernel uses functions of Numba or Python: {', '.join(refused)}")
