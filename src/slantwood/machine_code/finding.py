"""Where the machine code of a kernel comes from: the package, the user's cache, or the compiler."""

from __future__ import annotations

import functools
import itertools
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from slantwood.machine_code import announce, store
from slantwood.machine_code.forking import hold_across_forks
from slantwood.machine_code.kernel import Kernel
from slantwood.machine_code.store import Record
from slantwood.machine_code.words import parse

# One kernel is looked for, and perhaps compiled, at a time.
_lock = threading.RLock()
hold_across_forks(_lock)

_FROM_PACKAGE = "slantwood."
_numbers = itertools.count()

# Where the code of each kernel that this process has used came from: "package", "cache" or "compiler".
origins: dict[str, str] = {}


def find(kernel: Kernel, form: str) -> Any:
    """Return code that runs a kernel on arguments of a form, and note it with the kernel."""
    with _lock:
        if form not in kernel.found:  # another thread may have found it meanwhile
            kernel.found[form] = _find(kernel, form)
        return kernel.found[form]


def _find(kernel: Kernel, form: str) -> Any:
    entry = f"{kernel.full_name}({form})"
    if not entry.startswith(_FROM_PACKAGE):
        # Not kept. Functions in functions may share a name, so that the code gets one of its own.
        return _compile_or_fall_back(kernel, form, f"{entry}#{next(_numbers)}")
    record = shipped_or_cached(entry)
    if record is not None:
        return _load(record)
    with _alone(store.cache_folder(), entry):
        # Another process may have compiled it meanwhile.
        record = shipped_or_cached(entry)
        if record is not None:
            return _load(record)
        origins[entry] = "compiler"
        name = kernel.full_name.removeprefix(_FROM_PACKAGE)
        reason = why_not_shipped() or "the machine code that came with the package lacks some"
        with announce.compiling(name, _usual_seconds(entry), reason):
            return _compile_or_fall_back(kernel, form, entry, _keep)


def _usual_seconds(entry: str) -> int:
    from slantwood.machine_code.building import entry_points

    return entry_points().get(entry, 1)


def shipped_or_cached(entry: str) -> Record | None:
    """Return an entry point that came with the package, or was compiled before."""
    for folder, origin in _places():
        try:
            record = store.read(folder, entry)
        except ValueError:
            announce.warn_once(f"{folder / store.file_name(entry)} is damaged; the kernel is compiled again")
            continue
        if record is not None:
            origins[entry] = origin
            return record
    return None


def _places() -> Iterator[tuple[Path, str]]:
    if why_not_shipped() is None:
        yield store.SHIPPED / store.tag(), "package"
    if store.is_safe(folder := store.cache_folder()):
        yield folder, "cache"


def _load(record: Record) -> Any:
    from slantwood.machine_code.loading import Code

    return Code(record.object_code, store.symbols(record.entry), record.result)


@functools.cache
def why_not_shipped() -> str | None:
    """Return why machine code that came with the package is not used, or None where it is."""
    if os.environ.get("SLANTWOOD_NO_MACHINE_CODE", "0") not in ("", "0"):
        return "SLANTWOOD_NO_MACHINE_CODE is set"
    if store.checks_bounds():
        return "NUMBA_BOUNDSCHECK is set"
    if not store.SHIPPED.is_dir():
        return "this installation came without machine code"
    if not (store.SHIPPED / store.tag()).is_dir():
        return "the machine code of this installation is for other sources or another platform"
    from slantwood.machine_code.backend import host_has_baseline

    return None if host_has_baseline() else "the machine code of this installation is for newer processors"


def _compile_or_fall_back(
    kernel: Kernel, form: str, entry: str, keep: Callable[[Record], None] | None = None
) -> Any:
    if (problem := _problem_with_numba()) is not None:
        from slantwood.machine_code.fallback import PlainCode

        announce.warn_once(f"kernels are compiled by Numba alone and not kept: {problem}")
        return PlainCode(kernel, parse(f"({form})").parts or ())
    record = compile_kernel(kernel, form, entry)
    if keep is not None:
        keep(record)
    return _load(record)


def _keep(record: Record) -> None:
    try:
        store.write(store.cache_folder(), record)
    except OSError as error:
        announce.warn_once(
            f"compiled kernels cannot be kept for the next process ({error}); "
            "NUMBA_CACHE_DIR can name another folder"
        )


def compile_kernel(kernel: Kernel, form: str, entry: str) -> Record:
    """Compile a kernel for arguments of a form; `entry` is what names both."""
    from slantwood.machine_code.backend import object_code
    from slantwood.machine_code.frontend import translate

    module, run, result = translate(kernel, parse(f"({form})").parts or ())
    return Record(entry, str(result), object_code(module, run, store.symbols(entry)))


@functools.cache
def _problem_with_numba() -> str | None:
    """Compile the smallest of kernels, to see whether Numba still has what the compiler rests on."""
    try:
        if _load(compile_kernel(Kernel(_next, {}), "i8", "next(i8)"))([1], (1,)) != 2:
            raise ValueError("1 + 1 is not 2")
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def _next(number: int) -> int:
    return number + 1


@contextmanager
def _alone(folder: Path, entry: str) -> Iterator[None]:
    """Wait while another process compiles the same kernel."""
    try:
        import fcntl

        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = (folder / f".{store.file_name(entry)}.lock").open("w")
    except (ImportError, OSError):  # Windows, or a folder that cannot be written: both compile
        yield
        return
    with lock:  # closing it lets the next one in
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
