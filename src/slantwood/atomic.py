"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import IO

__all__ = ["atomic_write"]

# Of a file's name, in the name that it has while it is written: with all of it that may be too long.
_MOST_LETTERS = 40
_TO_A_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


@contextmanager
def atomic_write(path: str | PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file for writing that takes its name when all is written.

    Whatever goes wrong before, an interruption included, an earlier file of this name stays as it was and
    nothing new lies beside it. What is no file, as a pipe or /dev/null, is written to as it is.
    """
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        with open(path, "wb") as file:
            yield file
        return
    # Through a link to the file that it points to, which keeps the link.
    path = Path(os.path.realpath(path))
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "it is a folder; expected the name of a file", str(path))
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "the folder does not exist; create it", str(path.parent))
    beside, handle = _new_beside(path)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


def _new_beside(path: Path) -> tuple[Path, int]:
    """Make a new file with the rights of the one that it is to replace, or the usual ones."""
    beside = path.with_name(f".{path.name[:_MOST_LETTERS]}.{secrets.token_hex(8)}.part")
    if not path.exists():
        return beside, os.open(beside, _TO_A_NEW_FILE, 0o666)
    rights = path.stat().st_mode & 0o777
    # Never more than these, and then all of them, of which the user's mask may have taken some.
    handle = os.open(beside, _TO_A_NEW_FILE, rights | 0o200)
    os.chmod(beside, rights)
    return beside, handle
