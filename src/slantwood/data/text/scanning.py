"""What readers of text share: whole lines, and arrays that grow with the file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from slantwood.data.files import blocks

# From this number of bytes on, memory is its own mapping, which can grow elsewhere as it is.
_MOVED_WITHOUT_COPY = 1 << 25
# What the processor has near at hand; larger blocks are slower.
BLOCK = 1 << 18
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@contextmanager
def scanning() -> Iterator[None]:
    """Run the kernels that scan text within this."""
    # Where they run as plain Python, numbers of 64 bits wrap around with a warning.
    with np.errstate(over="ignore"):
        yield


def whole_lines(path: Path, max_memory: int | None = None) -> Iterator[bytes]:
    """Yield a text in blocks that end with a line end, without the mark that some editors put in front."""
    for i, block in enumerate(blocks(path, BLOCK, max_memory)):
        text = block.removeprefix(_BYTE_ORDER_MARK) if i == 0 else block
        if text:
            yield text if text.endswith(b"\n") else text + b"\n"


def as_array(block: bytes) -> np.ndarray:
    """Show the bytes of a block to compiled code."""
    return np.frombuffer(block, np.uint8)


def malformed(path: Path, line: int, message: str) -> ValueError:
    """Make an error that names the file and the line."""
    return ValueError(f"{path}, line {line}: {message}")


class GrowingArray:
    """An array that grows along its first axis; once it is large, it is mostly not copied for that.

    Attributes
    ----------
    buffer
        The array, longer than what is needed of it. It moves when it grows: keep no views of it.
    """

    def __init__(self, dtype: Any, *width: int) -> None:
        self.buffer = np.empty((0, *width), dtype)

    def reserve(self, length: int) -> None:
        """Make the array as long, at least."""
        if length <= len(self.buffer):
            return
        if self.buffer.nbytes >= _MOVED_WITHOUT_COPY:
            self._resize(max(length, len(self.buffer) * 5 // 4))
            return
        # Memory that is never written to costs nothing, so that too much does not matter.
        longer = np.empty((max(length, 2 * len(self.buffer)), *self.buffer.shape[1:]), self.buffer.dtype)
        longer[: len(self.buffer)] = self.buffer
        self.buffer = longer

    def trim(self, length: int) -> np.ndarray:
        """Return the array at this length, giving back what is over."""
        if self.buffer.nbytes >= _MOVED_WITHOUT_COPY:
            self._resize(length)
        return self.buffer[:length]

    def _resize(self, length: int) -> None:
        self.buffer.resize((length, *self.buffer.shape[1:]), refcheck=False)
