"""Where machine code lies: with the package, and in a folder of the user's for what did not come with it.

Machine code depends on the sources of all kernels and on the platform, and of these makes its folder's name;
what lies in another folder is never looked at. A file has one line of JSON and then object code; nothing in
it is run before its digest is right, and none is read that another user could have written.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import platform
import sys
from dataclasses import dataclass
from pathlib import Path

from slantwood.atomic import write_atomically
from slantwood.user_folders import user_cache_folder

PACKAGE = Path(__file__).parent.parent
SHIPPED = PACKAGE / "_machine_code"

# What compiles, and files that hold kernels, or tuples and constants that these read.
_SOURCES = (
    *(f"machine_code/{name}.py" for name in ("backend", "frontend", "lowering", "primitives", "words")),
    *(
        f"{folder}/**/*.py"
        for folder in ("kernels", "growth", "splits", "leaves", "losses", "model", "label_trees", "data/text")
    ),
)
_FORMAT = 1


@dataclass(frozen=True)
class Record:
    """What is kept of a compiled kernel: object code, and the form of its result."""

    entry: str  # the kernel's name and the form of its arguments
    result: str
    object_code: bytes

    def to_bytes(self) -> bytes:
        """Return the content of a file."""
        header = {"format": _FORMAT, "entry": self.entry, "result": self.result, "sha256": self._digest()}
        return json.dumps(header).encode() + b"\n" + self.object_code

    def _digest(self) -> str:
        return _digest(f"{self.entry}\n{self.result}\n".encode() + self.object_code)

    @classmethod
    def from_bytes(cls, content: bytes, entry: str) -> Record:
        """Read the content of a file; ValueError where it is not what was written for this kernel."""
        header_line, _, object_code = content.partition(b"\n")
        try:
            header = json.loads(header_line)
            record = cls(entry, str(header["result"]), object_code)
            if (header["format"], header["entry"], header["sha256"]) != (_FORMAT, entry, record._digest()):
                raise ValueError("format, name or digest differ")
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise ValueError("the file is damaged, or another kernel's") from error
        return record


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def symbols(entry: str) -> tuple[str, str]:
    """Return the names of the two functions in a kernel's object code: one runs it, one frees an array."""
    name = f"slantwood_{_digest(entry.encode())[:24]}"
    return name, f"{name}_free"


def file_name(entry: str) -> str:
    """Return the name of the file for a kernel and the form of its arguments."""
    kernel = entry.partition("(")[0].removeprefix("slantwood.")
    return f"{kernel}-{_digest(entry.encode())[:16]}.bin"


@functools.cache
def tag() -> str:
    """Return a name for everything that machine code depends on, except the processor."""
    digest = hashlib.sha256(repr((_FORMAT, sys.platform, platform.machine(), checks_bounds())).encode())
    for pattern in _SOURCES:
        for path in sorted(PACKAGE.glob(pattern)):
            digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:24]


def checks_bounds() -> bool:
    """Whether Numba is asked to check every index, for debugging."""
    return os.environ.get("NUMBA_BOUNDSCHECK", "0") not in ("", "0")


def cache_folder() -> Path:
    """Return the folder for code that is compiled here: below NUMBA_CACHE_DIR, or the user's cache folder."""
    named = os.environ.get("NUMBA_CACHE_DIR")
    base = Path(named) if named else user_cache_folder() / "machine-code"
    return base / f"slantwood-{tag()}-{_compiler()}"


@functools.cache
def _compiler() -> str:
    # Code that comes with the package serves with any compiler installed; code made here is made anew by a
    # new one.
    from importlib.metadata import version

    return f"numba-{version('numba')}-{version('llvmlite')}"


def read(folder: Path, entry: str) -> Record | None:
    """Return what a folder has of a kernel, or None; ValueError where the file is damaged."""
    try:
        content = (folder / file_name(entry)).read_bytes()
    except OSError:
        return None
    return Record.from_bytes(content, entry)


def write(folder: Path, record: Record) -> None:
    """Keep a compiled kernel in a folder, which is made; OSError where that cannot be."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not is_safe(folder):
        raise PermissionError(f"{folder} can be written by others")
    write_atomically(folder / file_name(record.entry), lambda file: file.write(record.to_bytes()))


def is_safe(folder: Path) -> bool:
    """Whether nobody but its user can write into a folder, which need not exist."""
    if not hasattr(os, "getuid"):  # Windows, whose cache folder is the user's own
        return True
    try:
        status = folder.stat()
    except OSError:
        return False
    return status.st_uid == os.getuid() and not status.st_mode & 0o022
