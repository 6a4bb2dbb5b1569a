"""How much memory a data file may take: a small one can hold far more, compressed, or claim to hold it."""

from __future__ import annotations

import os
import stat
import sys
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import Any

# Files of any size may take so much.
ALWAYS = 1 << 28
# And so many bytes for each of their own. Deflate, which .gz, .zip and .npz files have, makes no more of one.
PER_BYTE = 1000
# A line of text is held several times while it is read.
_LINES_OF = 4
_BYTES_OF_A_LETTER = 4


@dataclass(frozen=True)
class Limit:
    """The most memory that a file may take; it is asked before memory is taken."""

    path: Path
    n_bytes: int

    @classmethod
    def of(cls, path: Path, max_memory: int | None = None) -> Limit:
        """Return the limit of a file: what the user says, or what fits its size."""
        if max_memory is not None:
            return cls(path, max_memory)
        about = os.stat(path)
        if stat.S_ISREG(about.st_mode):
            return cls(path, max(ALWAYS, PER_BYTE * about.st_size))
        # What is sent through a pipe was sent by somebody; devices such as /dev/zero have no end.
        return cls(path, ALWAYS if stat.S_ISCHR(about.st_mode) else sys.maxsize)

    @property
    def line(self) -> int:
        """The most bytes that one line of text may have."""
        return max(1, self.n_bytes // _LINES_OF)

    def check(self, n_bytes: int, what: str) -> None:
        """Refuse something that would take more memory, which the message calls `what`."""
        if n_bytes > self.n_bytes:
            raise self.error(f"{what} would take {n_bytes:,} bytes")

    def check_texts(self, n_texts: int, longest: int, what: str) -> None:
        """Refuse an array of texts, in which each takes what the longest does."""
        self.check(
            _BYTES_OF_A_LETTER * n_texts * longest, f"{what}, {n_texts:,} texts of up to {longest:,} letters,"
        )

    def error(self, what: str, or_else: str = "") -> ValueError:
        """Make an error that names the file, what is too much, and the remedy."""
        return ValueError(
            f"{self.path}: {what}, and the file may take {self.n_bytes:,} bytes of memory; if you trust the "
            f"file, give slantwood.data.read a larger max_memory{or_else}"
        )


def checked_max_memory(max_memory: Any) -> int | None:
    """Return the argument of this name, which is a number of bytes or None."""
    if max_memory is None:
        return None
    if not isinstance(max_memory, Integral) or isinstance(max_memory, bool):
        raise TypeError(
            f"max_memory={max_memory!r:.60} is of type {type(max_memory).__name__}; expected a whole number "
            "of bytes such as 4 << 30, or None"
        )
    if max_memory < 1:
        raise ValueError(f"max_memory={max_memory} is not positive; expected a number of bytes, or None")
    return int(max_memory)
