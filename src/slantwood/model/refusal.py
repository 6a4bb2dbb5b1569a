"""When a model file is refused: the error, and how much memory a file may take when it is loaded.

A few bytes can stand for gigabytes: a number of trees, an empty list a million times, one long name among
many short ones. Every such size is turned into bytes and compared with a limit before memory is taken.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

# Beside the file itself, whatever its size. Models that were trained need less than sixteen times their file:
# splits of one feature, without what only training needs and in half precision, come closest.
_ALWAYS_ALLOWED = 1 << 29
_TIMES_THE_FILE = 16

# Of a file that cannot be mapped, and comes from a source whose end nobody knows.
_MOST_STREAMED = 1 << 30


class ModelFileError(ValueError):
    """A file is not a model file that can be used: of another kind, incomplete, damaged, or made up."""


@dataclass(frozen=True)
class MemoryLimit:
    """So many bytes may be taken for what a model file says."""

    n_bytes: int

    @classmethod
    def of(cls, max_memory: int | None, file_size: int) -> MemoryLimit:
        """Return the limit for a file: the one that the user gave, or the default for its size."""
        return cls(max(_ALWAYS_ALLOWED, _TIMES_THE_FILE * file_size) if max_memory is None else max_memory)

    @classmethod
    def of_stream(cls, max_memory: int | None) -> MemoryLimit:
        """Return the limit for what is read into memory as a whole."""
        return cls(_MOST_STREAMED if max_memory is None else max_memory)

    def check(self, n_bytes: int, what: str) -> None:
        """Refuse what would take more bytes than may be taken."""
        if n_bytes > self.n_bytes:
            raise ModelFileError(
                f"{what} would take about {n_bytes / 1e9:.3g} GB of memory, and may take "
                f"{self.n_bytes / 1e9:.3g} GB; if you trust the file, give load_model a larger max_memory"
            )


UNLIMITED = MemoryLimit(sys.maxsize)
