"""Write files whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
from collections.abc import Callable
from functools import partial
from os import PathLike
from pathlib import Path
from typing import IO, Any

try:
    import fcntl
except ImportError:  # Windows, which neither removes nor renames files that are open
    fcntl = None  # type: ignore[assignment]

__all__ = ["write_atomically"]

# How much of a file's name is in that of its temporary file: with all of it that may be too long.
_MOST_LETTERS = 40


def write_atomically(path: str | PathLike[str], write: Callable[[IO[bytes]], Any]) -> None:
    """Call `write` with a temporary file, which takes the name `path` when everything is written.

    Whatever goes wrong before, Ctrl-C included, an earlier file of this name stays as it was and nothing new
    remains. This is a function and not a context manager because an interrupt between two instructions of
    ``__enter__`` or ``__exit__`` would leave the temporary file behind. Pipes and devices (/dev/null) are
    written to directly.
    """
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        with open(path, "wb") as file:
            write(file)
        return
    # A link is kept; the file that it points to is replaced.
    path = Path(os.path.realpath(path))
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "it is a folder; expected the name of a file", str(path))
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "the folder does not exist; create it", str(path.parent))
    _remove_stale_parts(path)
    rights = path.stat().st_mode & 0o777 if path.exists() else None
    while not _replaced(path, rights, write):
        pass


def _replaced(path: Path, rights: int | None, write: Callable[[IO[bytes]], Any]) -> bool:
    """Write and rename a temporary file; False if another process removed it before it was locked."""
    part = path.with_name(f"{_prefix(path)}{secrets.token_hex(8)}.part")
    # `open` calls a C function: no descriptor is a number in Python, which an interrupt would leave open.
    # Until `chmod` the file has no more rights than it may have.
    opener = partial(os.open, mode=0o666 if rights is None else rights | 0o200)
    try:
        with open(part, "xb", opener=opener) as file:
            if fcntl is not None:
                with contextlib.suppress(OSError):  # a file system without locks
                    fcntl.flock(file, fcntl.LOCK_EX)
                if os.fstat(file.fileno()).st_nlink == 0:
                    return False
            if rights is not None:
                os.chmod(part, rights)
            write(file)
            file.flush()
            os.fsync(file.fileno())
            if fcntl is not None:
                os.replace(part, path)  # while it is locked, so that nobody removes it as stale
        if fcntl is None:
            os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return True


def _prefix(path: Path) -> str:
    return f".{path.name[:_MOST_LETTERS]}."


def _remove_stale_parts(path: Path) -> None:
    """Remove the temporary files of processes that were killed: those that nobody holds locked."""
    pattern = re.compile(re.escape(_prefix(path)) + r"[0-9a-f]{16}\.part")
    with os.scandir(path.parent) as entries:
        parts = [each.path for each in entries if pattern.fullmatch(each.name)]
    for part in parts:
        with contextlib.suppress(OSError):  # locked, open (Windows), of another user, or gone
            if fcntl is None:
                os.unlink(part)
                continue
            with open(part, "rb", opener=_open_regular) as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(part)


def _open_regular(path: str, flags: int) -> int:
    """Open a file but no link, and without waiting for a pipe."""
    if not stat.S_ISREG(os.lstat(path).st_mode):
        raise OSError(errno.EINVAL, "not a regular file", path)
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
