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
        "memory.ll",
        "targets.py",
        "words.py",
    )
]
_LIBRARY_SOURCE = _HERE / "library.c"


def entry_points(path: Path = _HERE / "entry_points.txt") -> list[str]:
    """Return the kernels that Python calls, with the forms of their arguments; the slowest come first."""
    return path.read_text(encoding="utf-8").split()


def kernel_of(entry: str) -> tuple[Kernel, str]:
    """Return the kernel of an entry point, and the forms of its arguments; what both need is imported."""
    module, *others = _modules(entry)
    for each in others:
        importlib.import_module(each)
    name, bracket, forms = entry.removeprefix(f"{module}.").partition("[")
    kernel = getattr(importlib.import_module(module), name)
    return getattr(kernel, "entry_point", kernel), bracket + forms


def _modules(entry: str) -> list[str]:
    """Return the modules that an entry point names: its kernel's and those of named tuples."""
    return [entry.partition("[")[0].rpartition(".")[0], *re.findall(r'"([\w.]+):[A-Za-z_]', entry)]


def sources(entry: str) -> set[Path]:
    """Return the files on which an entry point depends: those of its kernel and of all that this imports."""
    waiting, found = _modules(entry), set(_TRANSLATION)
    while waiting:
        inside = waiting.pop().replace(".", "/")
        # Kernels of tests lie in the current folder.
        for path in (
            root / f"{inside}{end}"
            for root in (PACKAGE.parent, Path.cwd())
            for end in (".py", "/__init__.py")
        ):
            if path.exists() and path not in found and path.parent != _HERE:
                found.add(path)
                waiting.extend(_imported(path))
    return found


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
    return [
        *(f"{name} {version(name)}" for name in ("numba", "llvmlite")),
        f"python 3.{sys.version_info.minor}",
    ]


def _object_file(entry: str, target: Target, level: int, kept: Path) -> Path:
    """Return where object code is, or will be; the name has a hash of everything on which it depends."""
    depends_on = [entry, target.triple, target.processor, *_translator(), *map(_digest_of, sources(entry))]
    return (
        kept
        / target.triple
        / f"{symbol(entry, level)}-{digest(json.dumps(sorted(depends_on)).encode())[:16]}.o"
    )


def _compile(entry: str, target: Target, kept: Path) -> float:
    """Compile an entry point for all levels of a target; return how many seconds that took."""
    from slantwood.machine_code.backend import object_code
    from slantwood.machine_code.frontend import translate

    started = time.perf_counter()
    module, run, result = translate(*kernel_of(entry))
    for level in target.levels:
        path = _object_file(entry, target, level, kept)
        _write(path.with_suffix(".json"), json.dumps(result).encode())
        _write(path, object_code(module, run, symbol(entry, level), target, level))
    return time.perf_counter() - started


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, lambda file: file.write(content))


def build(entries: Iterable[str], folder: Path, target: Target, kept: Path) -> bool:
    """Build a library in a folder, unless the one there is up to date; return whether it was built.

    `kept` is the folder for object code.
    """
    entries = list(entries)
    files = {_LIBRARY_SOURCE}.union(*map(sources, entries))
    description: dict[str, Any] = {
        "platform": target.platform,
        "levels": list(target.levels),
        "file": target.file,
        "made with": _translator(),
        "sources": {
            Path(os.path.relpath(path, PACKAGE)).as_posix(): _digest_of(path) for path in sorted(files)
        },
    }
    if _is_there(folder, description, entries):
        return False
    files_of = {
        entry: [_object_file(entry, target, level, kept) for level in target.levels] for entry in entries
    }
    missing = [entry for entry in entries if not all(map(Path.exists, files_of[entry]))]
    _compile_all(missing, target, kept)
    description["kernels"] = {
        entry: json.loads(files_of[entry][0].with_suffix(".json").read_bytes()) for entry in sorted(entries)
    }
    code = _link([file for entry in sorted(entries) for file in files_of[entry]], target, kept)
    description["digest"] = library.digest_of_both(description, code)
    _write(folder / target.file, code)
    _write(folder / library.DESCRIPTION, json.dumps(description, indent=1).encode() + b"\n")
    return True


def _is_there(folder: Path, wanted: dict[str, Any], entries: Sequence[str]) -> bool:
    try:
        found = library.read_description(folder)
    except (OSError, ValueError):
        return False
    return found["kernels"].keys() == set(entries) and found.items() >= wanted.items()


def _compile_all(entries: Sequence[str], target: Target, kept: Path) -> None:
    n_processes = min(os.cpu_count() or 1, len(entries) or 1)
    # New processes, not forks: a fork of a process with threads may wait for ever. Numba goes through sets of
    # strings, whose order is made the same everywhere, because the same sources must give the same bytes.
    with (
        patch.dict(os.environ, PYTHONHASHSEED="0"),
        ProcessPoolExecutor(n_processes, mp_context=get_context("spawn")) as pool,
    ):
        running = {pool.submit(_compile, entry, target, kept): entry for entry in entries}
        for done, future in enumerate(as_completed(running), 1):
            name = running[future].partition("[")[0].removeprefix("slantwood.")
            say(f"machine code {done}/{len(entries)}: {name}, {future.result():.1f} s")


def _link(objects: Sequence[Path], target: Target, kept: Path) -> bytes:
    """Return a library of object files and of `library.c`, of which only the entry points can be called."""
    with tempfile.TemporaryDirectory() as scratch:
        words = [sys.executable, "-m", "ziglang", "cc", "-target", target.linker, "-shared", "-s", "-O2"]
        words += ["-fvisibility=hidden", "-Wl,--build-id=none"] if "linux" in target.triple else []
        caches = {f"ZIG_{which}_CACHE_DIR": str((kept / "zig").absolute()) for which in ("GLOBAL", "LOCAL")}
        # Without a folder: a library of macOS knows its name.
        command = [
            *words,
            "-o",
            target.file,
            *(str(path.absolute()) for path in objects),
            str(_LIBRARY_SOURCE),
        ]
        subprocess.run([*command, "-lm"], check=True, env=os.environ | caches, cwd=scratch)
        return Path(scratch, target.file).read_bytes()


def this_machine() -> Target:
    """Return the target of this machine, with the one level that its processor has."""
    from slantwood.machine_code.backend import host_level

    return host()._replace(levels=(host_level(),))


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
    say(f"the kernels for {target.tag} are {done}: {options.folder / target.file}")


if __name__ == "__main__":
    main()
