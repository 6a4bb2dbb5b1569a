"""LLVM's intermediate code to object code, by llvmlite: for a common processor, and needing little else.

Object code calls the C library's mathematics and Python's raw allocator, which every process has, and nothing
else: neither Python's objects nor Numba. So it serves any version of these.
"""

from __future__ import annotations

import functools
import platform
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir

# What the code may use of a processor. x86-64-v3 is what nearly all have since 2015.
_X86 = (
    "64bit,cmov,cx8,fxsr,mmx,sse,sse2,cx16,crc32,popcnt,sahf,sse3,sse4.1,sse4.2,ssse3,avx,"
    "avx2,bmi,bmi2,f16c,fma,lzcnt,movbe,xsave"
)
BASELINES = {
    "x86_64": ("x86-64-v3", _X86),
    "AMD64": ("x86-64-v3", _X86),
    "aarch64": ("generic", "neon"),
    "arm64": ("generic", "neon"),
}
# LLVM did not always name these, which every processor has that has the others.
_NOT_ALWAYS_NAMED = {"64bit", "crc32"}

ALLOCATE, FREE = "PyMem_RawMalloc", "PyMem_RawFree"

_byte_pointer = ir.IntType(8).as_pointer()
_word = ir.IntType(64)
# Numba's record of an array's memory: count of references, destructor and its argument, data, size,
# allocator.
_record = ir.LiteralStructType([_word, _byte_pointer, _byte_pointer, _byte_pointer, _word, _byte_pointer])
_RECORD_BYTES = 48


def host_has_baseline() -> bool:
    """Whether this processor can run code for the baseline of its kind."""
    if platform.machine() not in BASELINES:
        return False
    here = llvm.get_host_cpu_features()
    wanted = BASELINES[platform.machine()][1].split(",")
    return all(here.get(name, name in _NOT_ALWAYS_NAMED) for name in wanted)


@functools.cache
def target_machine() -> Any:
    """Return LLVM's description of the processor: the baseline where this one has it, or else this one."""
    for initialize in ("initialize_native_target", "initialize_native_asmprinter"):
        getattr(llvm, initialize)()
    if host_has_baseline():
        processor, names = BASELINES[platform.machine()]
        features = ",".join("+" + name for name in names.split(","))
    else:
        processor, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    return target.create_target_machine(
        cpu=processor,
        features=features,
        opt=3,
        reloc="static" if target.name.startswith("x86") else "default",
        codemodel="jitdefault",
        jit=True,
    )


def object_code(module: Any, run: str, names: tuple[str, str]) -> bytes:
    """Return object code of a module with two functions: that named `run`, and one that frees an array.

    They get the given names; all others are seen by nobody outside.
    """
    # Counting references keeps loops from being vectorised. Numba's own pass removes most of it; what is left
    # gets its definition only afterwards, because the pass looks for calls.
    _prune_references(module)
    module.link_in(_parsed(_memory_functions()), preserve=True)
    for each in [*module.functions, *module.global_variables]:
        if not each.is_declaration:
            each.linkage = "internal"
    for old, new in zip((run, "NRT_decref"), names, strict=True):
        function = module.get_function(old)
        function.name = new
        function.linkage = "external"
    _optimise(module)
    _refuse_symbols_of_numba(module)
    return target_machine().emit_object(module)


def _prune_references(module: Any) -> None:
    # Cheap passes, as Numba has them: they bring loops into the form that is vectorised later. More of them
    # here makes slower code.
    options = llvm.create_pipeline_tuning_options(speed_level=0)
    options.loop_vectorization = options.slp_vectorization = False
    builder = llvm.create_pass_builder(target_machine(), options)
    passes = builder.getModulePassManager()
    passes.add_loop_rotate_pass()
    passes.add_instruction_combine_pass()
    passes.add_jump_threading_pass()
    passes.add_refprune_pass()
    passes.run(module, builder)


def _optimise(module: Any) -> None:
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = True
    # It would make one slow vector of the four sums of a product over four rows.
    options.slp_vectorization = False
    builder = llvm.create_pass_builder(target_machine(), options)
    builder.getModulePassManager().run(module, builder)


def _parsed(module: ir.Module) -> Any:
    parsed = llvm.parse_assembly(str(module))
    parsed.verify()
    return parsed


def _memory_functions() -> ir.Module:
    """Return what Numba's code calls for the memory of arrays.

    An array is made, used and dropped within one call of a kernel, on one thread: its count needs no lock.
    """
    module = ir.Module("memory")
    module.triple = llvm.get_process_triple()
    module.data_layout = str(target_machine().target_data)

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
