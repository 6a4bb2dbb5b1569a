"""Compiles every kernel that Python calls: while a wheel is built, or when a user asks for it.

    python -m slantwood.machine_code.building FOLDER

writes the machine code of all entry points into a folder, as wheels have it.
"""

from __future__ import annotations

import functools
import importlib
import os
import re
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

from slantwood.machine_code import store
from slantwood.machine_code.kernel import Kernel
from slantwood.messages import say

_LIST = Path(__file__).with_name("entry_points.txt")


@functools.cache
def entry_points() -> dict[str, int]:
    """Return the kernels that Python calls, with the forms of their arguments; the slowest come first.

    The numbers are the seconds that compiling each takes, about, on one core.
    """
    lines = _LIST.read_text(encoding="utf-8").splitlines()
    return {entry: int(seconds) for seconds, entry in map(str.split, lines)}


def kernel_of(entry: str) -> tuple[Kernel, str]:
    """Return the kernel of an entry point, and the form of its arguments."""
    full_name, _, form = entry.partition("(")
    module, _, name = full_name.rpartition(".")
    kernel = getattr(importlib.import_module(module), name)
    for class_module in re.findall(r"(slantwood[\w.]*):", form):
        importlib.import_module(class_module)
    return getattr(kernel, "entry_point", kernel), form.removesuffix(")")


def compile_entry(entry: str) -> tuple[store.Record, float]:
    """Compile one entry point; return it and how many seconds that took."""
    from slantwood.machine_code.finding import compile_kernel

    started = time.perf_counter()
    return compile_kernel(*kernel_of(entry), entry), time.perf_counter() - started


def compile_entries(
    entries: Iterable[str], folder: Path, said: Callable[[str], None], n_processes: int | None = None
) -> None:
    """Compile entry points, several at a time, and write them into a folder."""
    entries = list(entries)
    n_processes = min(n_processes or os.cpu_count() or 1, len(entries))
    if not entries:
        return
    # New processes, not forks: a fork of a process with threads may wait for ever.
    with ProcessPoolExecutor(n_processes, mp_context=get_context("spawn")) as pool:
        running = [pool.submit(compile_entry, entry) for entry in entries]
        for done, future in enumerate(as_completed(running), 1):
            record, seconds = future.result()
            store.write(folder, record)
            name = record.entry.partition("(")[0].removeprefix("slantwood.")
            said(f"machine code {done}/{len(entries)}: {name}, {seconds:.1f} s")


def build(folder: Path) -> None:
    """Compile all entry points for the wheel."""
    from slantwood.machine_code.backend import host_has_baseline

    if not host_has_baseline():
        raise SystemExit("slantwood: this processor cannot make the code that wheels have")
    compile_entries(entry_points(), folder / store.tag(), say)


if __name__ == "__main__":
    build(Path(sys.argv[1]))
