"""Builds the shared library of kernels: what has changed since the last time is compiled, and all is linked.

    python -m slantwood.machine_code.build

does so for this machine, into the package's own folder: in a folder of sources, after kernels have been
changed. The object code of each entry point is kept in `build/machine_code` there, under a hash of the
files that it depends on. Wheels are made by `hatch_build.py`, which calls this with another folder and
target. Building needs the extra `slantwood[build]`: Numba to translate, and ziglang, a linker for every
system that is installed like any package.
"""

from __future__ import annotations

import argparse
import ast
import functools
import importlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from unittest.mock import patch

from slantwood.atomic import write_atomically
from slantwood.machine_code import library
from slantwood.machine_code.kernel import Kernel
from slantwood.machine_code.library import PACKAGE, SHIPPED, digest, symbol
from slantwood.machine_code.targets import TARGETS, Target, host
from slantwood.messages import say

_HERE = Path(__file__).parent
# On these all machine code depends, beside the files of its kernels.
_TRANSLATION = [
    _HERE / name
    for name in (
        "backend.py",
        "frontend.py",
        "kernel.py",
        "lowering.py",
        "primitives.py",
        "targets.py",
        "words.py",
    )
]
_LIBRARY_SOURCE = _HERE / "library.c"


def entry_points(path: Path = _HERE / "entry_points.txt") -> list[str]:
    """Return the kernels that Python calls, with the forms of their arguments; the slowest come first."""
    return path.read_text(encoding="utf-8").split()


def kernel_of(entry: str) -> tuple[Kernel, str]:
    """Return the kernel of an entry point, and the form of its arguments."""
    full_name, _, form = entry.partition("(")
    module, _, name = full_name.rpartition(".")
    kernel = getattr(importlib.import_module(module), name)
    for class_module in _modules_of_classes(form):
        importlib.import_module(class_module)
    return getattr(kernel, "entry_point", kernel), form.removesuffix(")")


def _modules_of_classes(form: str) -> list[str]:
    return re.findall(r"(slantwood[\w.]*):", form)


def sources(entry: str) -> set[Path]:
    """Return the files on which an entry point depends: those of its kernel and of all that this imports."""
    full_name, _, form = entry.partition("(")
    waiting = [full_name.rpartition(".")[0], *_modules_of_classes(form)]
    found: set[Path] = set()
    while waiting:
        path = _file_of(waiting.pop())
        if path is not None and path not in found and path.parent != _HERE:
            found.add(path)
            waiting.extend(_imported(path))
    return found.union(_TRANSLATION)


def _file_of(module: str) -> Path | None:
    inside = module.replace(".", "/")
    # Kernels of tests lie in the current folder.
    files = (
        root / f"{inside}{end}" for root in (PACKAGE.parent, Path.cwd()) for end in (".py", "/__init__.py")
    )
    return next((file for file in files if file.exists()), None)


@functools.cache
def _imported(path: Path) -> list[str]:
    """Return the names in a file that may be modules of ours."""
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{each.name}" for each in node.names)]
        elif isinstance(node, ast.Import):
            names += [each.name for each in node.names]
    return [name for name in names if name.startswith("slantwood.")]


@functools.cache
def _digest_of(path: Path) -> str:
    return digest(path.read_bytes())


@functools.cache
def _translator() -> list[str]:
    return [f"{name} {version(name)}" for name in ("numba", "llvmlite")] + [
        f"python {sys.version_info.major}.{sys.version_info.minor}"
    ]


def _key(entry: str, target: Target, level: int) -> str:
    """Return a hash of everything on which the object code of an entry point depends."""
    depends_on = [entry, target.triple, target.processor(level), _translator()]
    return digest(json.dumps([*depends_on, *sorted(map(_digest_of, sources(entry)))]).encode())


class Objects:
    """The folder that keeps object code: a file for each entry point and level, and its key and result."""

    def __init__(self, folder: Path, target: Target) -> None:
        self._folder, self._target = folder / target.triple, target

    def path(self, entry: str, level: int) -> Path:
        """Return the file of object code."""
        return self._folder / f"{symbol(entry, level)}.o"

    def result(self, entry: str) -> str | None:
        """Return the form of a result, or None unless the object code is there for all levels."""
        results: list[str] = []
        for level in self._target.levels:
            try:
                kept = json.loads(self.path(entry, level).with_suffix(".json").read_bytes())
                if kept["key"] == _key(entry, self._target, level) and self.path(entry, level).exists():
                    results.append(kept["result"])
            except (OSError, ValueError, LookupError, TypeError):
                pass
        return results[0] if len(results) == len(self._target.levels) else None

    def compile(self, entry: str) -> float:
        """Compile an entry point for all levels; return how many seconds that took."""
        from slantwood.machine_code.backend import object_code
        from slantwood.machine_code.frontend import translate
        from slantwood.machine_code.words import parse

        started = time.perf_counter()
        kernel, form = kernel_of(entry)
        module, run, result = translate(kernel, parse(f"({form})").parts or ())
        for level in self._target.levels:
            path, code = (
                self.path(entry, level),
                object_code(module, run, symbol(entry, level), self._target, level),
            )
            kept = json.dumps({"key": _key(entry, self._target, level), "result": str(result)}).encode()
            _write(path, code)
            _write(path.with_suffix(".json"), kept)
        return time.perf_counter() - started


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, lambda file: file.write(content))


def build(entries: Iterable[str], folder: Path, target: Target, kept: Path) -> bool:
    """Build a library in a folder, unless the one there is up to date; return whether it was built.

    `kept` is the folder for object code.
    """
    entries = list(entries)
    files = set(_TRANSLATION).union([_LIBRARY_SOURCE], *map(sources, entries))
    description: dict[str, Any] = {
        "platform": target.platform,
        "levels": list(target.levels),
        "file": target.file_name,
        "made with": _translator(),
        "sources": {
            Path(os.path.relpath(path, PACKAGE)).as_posix(): _digest_of(path) for path in sorted(files)
        },
    }
    if _is_there(folder, description, entries):
        return False
    objects = Objects(kept, target)
    missing = [entry for entry in entries if objects.result(entry) is None]
    _compile_all(missing, objects)
    description["kernels"] = {entry: objects.result(entry) for entry in sorted(entries)}
    code = _link(
        [objects.path(entry, level) for entry in sorted(entries) for level in target.levels], target, kept
    )
    description["digest"] = library.digest_of_both(description, code)
    _write(folder / target.file_name, code)
    _write(folder / library.DESCRIPTION, json.dumps(description, indent=1).encode() + b"\n")
    return True


def _is_there(folder: Path, wanted: dict[str, Any], entries: Sequence[str]) -> bool:
    try:
        found = library.read_description(folder)
    except (OSError, ValueError):
        return False
    return found["kernels"].keys() == set(entries) and found.items() >= wanted.items()


def _compile_all(entries: Sequence[str], objects: Objects) -> None:
    if not entries:
        return
    n_processes = min(os.cpu_count() or 1, len(entries))
    # New processes, not forks: a fork of a process with threads may wait for ever. Numba goes through sets of
    # strings, whose order is made the same everywhere, because the same sources must give the same bytes.
    with (
        patch.dict(os.environ, PYTHONHASHSEED="0"),
        ProcessPoolExecutor(n_processes, mp_context=get_context("spawn")) as pool,
    ):
        running = {pool.submit(objects.compile, entry): entry for entry in entries}
        for done, future in enumerate(as_completed(running), 1):
            name = running[future].partition("(")[0].removeprefix("slantwood.")
            say(f"machine code {done}/{len(entries)}: {name}, {future.result():.1f} s")


def _link(objects: Sequence[Path], target: Target, kept: Path) -> bytes:
    """Return a library of object files and of `library.c`, of which only the entry points can be called."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch, target.file_name)
        words = [sys.executable, "-m", "ziglang", "cc", "-target", target.linker, "-shared", "-s", "-O2"]
        words += ["-fvisibility=hidden", "-Wl,--build-id=none"] if "linux" in target.triple else []
        caches = {f"ZIG_{which}_CACHE_DIR": str((kept / "zig").absolute()) for which in ("GLOBAL", "LOCAL")}
        command = [*words, "-o", str(path), *map(str, objects), str(_LIBRARY_SOURCE), "-lm"]
        subprocess.run(command, check=True, env=os.environ | caches)
        return path.read_bytes()


def this_machine() -> Target:
    """Return the target of this machine, with the one level that its processor has."""
    from slantwood.machine_code.backend import host_level

    return replace(host(), levels=(host_level(),))


def main(arguments: Sequence[str] | None = None) -> None:
    """Build the library."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--target", choices=TARGETS, help="another platform, or this one at all levels of processors"
    )
    parser.add_argument(
        "--folder", type=Path, default=SHIPPED, help="where the library goes (default: the package's)"
    )
    parser.add_argument(
        "--kept", type=Path, default=Path("build/machine_code"), help="the folder for object code"
    )
    options = parser.parse_args(arguments)
    started = time.perf_counter()
    target = TARGETS[options.target] if options.target else this_machine()
    built = build(entry_points(), options.folder, target, options.kept)
    done = f"built in {time.perf_counter() - started:.1f} s" if built else "up to date"
    say(f"the kernels for {target.tag} are {done}: {options.folder / target.file_name}")


if __name__ == "__main__":
    main()
