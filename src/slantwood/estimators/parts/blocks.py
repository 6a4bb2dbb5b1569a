"""Rows that are read one block after the other: of arrays, which may lie on disk, and of scans of data files.

Every pass goes from the first block to the last, and gives the same blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from slantwood.data.scans.scan import Scan
from slantwood.estimators.parts.part_of_rows import PartOfRows, checked_part
from slantwood.features.rows import n_rows_of, slice_rows
from slantwood.hints import format_bytes

# Of arrays: enough to be read fast, and little beside what trees need.
_BLOCK_BYTES = 1 << 24
_LEAST_ROWS = 1000
# Of scans: a block as it is stored, as columns and as rows, and pages of the files.
READING_BYTES = 64_000_000


class Blocks(Protocol):
    """Rows in blocks."""

    @property
    def n_rows(self) -> int | None:
        """Number of all rows; None where only a pass can tell."""

    @property
    def n_files(self) -> int:
        """Number of files; each is a block, where the number of rows is not known."""

    @property
    def reading_bytes(self) -> int:
        """What reading a block takes, beside the rows that are kept of it."""

    @property
    def feature_names(self) -> Sequence[str] | None:
        """Names of the columns of X, where these are not part of X."""

    @property
    def target_names(self) -> Sequence[str] | None:
        """Names of the columns of y, where these are not part of y."""

    def __iter__(self) -> Iterator[PartOfRows]:
        """Yield the blocks, in order."""


class ArrayBlocks:
    """Blocks of arrays, CSR matrices, frames or lists; of what lies on disk only those in use are read.

    Parameters
    ----------
    X, y, weights : object
        As `fit` takes them.
    block_rows : int, optional
        Rows of a block; by default as many as take some megabytes.
    """

    n_files = 1
    reading_bytes = 0
    feature_names = None
    target_names = None

    def __init__(self, X: Any, y: Any, weights: Any = None, block_rows: int | None = None) -> None:
        for name, table in (("X", X), ("y", y)):
            if sp.issparse(table) and table.format != "csr":
                raise TypeError(
                    f"{name} is a sparse matrix in {table.format} format, of which rows cannot be read by "
                    f"themselves; with max_memory give {name} as CSR"
                )
        if y is None:
            raise ValueError("fit requires y to be passed, but the target y is None")
        self._given = (X, y, weights)
        self.n_rows = n_rows_of(X)
        for name, other in (("y", y), ("sample_weight", weights)):
            if other is not None and n_rows_of(other) != self.n_rows:
                raise ValueError(
                    f"X and {name} have inconsistent numbers of rows: X has {self.n_rows}, {name} has "
                    f"{n_rows_of(other)}"
                )
        width = X.shape[1] if len(getattr(X, "shape", ())) == 2 else 1
        cells = X.nnz / max(self.n_rows, 1) if sp.issparse(X) else width
        self._step = block_rows or max(int(_BLOCK_BYTES / (8 * cells + 8)), _LEAST_ROWS)

    def __iter__(self) -> Iterator[PartOfRows]:
        """Yield the blocks, in order; arrays are views of those given."""
        for number, start in enumerate(range(0, self.n_rows, self._step)):
            stop = min(start + self._step, self.n_rows)
            X, y, weights = (None if each is None else slice_rows(each, start, stop) for each in self._given)
            yield checked_part(X, y, weights, number)


class ScanBlocks:
    """Blocks of a scan of data files.

    Parameters
    ----------
    scan : Scan
        The files.
    weights : array, optional
        One for each row, in their order; by default those of the files.
    max_memory : int
        What fit may take: a file that is a block by itself must be far smaller.
    """

    def __init__(self, scan: Scan, weights: Any, max_memory: int) -> None:
        if not scan.target_names:
            raise ValueError(f"{scan!r} has no targets to learn; give targets to slantwood.data.scan")
        self._scan, self._weights = scan, None if weights is None else np.asarray(weights)
        # Files of text do not say how many rows they have.
        self.n_rows, self.n_files = scan.n_rows if scan.is_stored else None, len(scan.files)
        self.reading_bytes = min(READING_BYTES, max_memory // 4)
        self.feature_names, self.target_names = scan.feature_names, scan.target_names
        largest = max(scan.files, key=lambda file: file.stat().st_size)
        if not scan.is_stored and largest.stat().st_size > max_memory / 2:
            raise ValueError(
                f"{largest} has {format_bytes(largest.stat().st_size)}, and a {scan.format.name} file is "
                f"read whole, for which max_memory={format_bytes(max_memory)} is too little; divide it into "
                "several, or write it as Parquet"
            )

    def __iter__(self) -> Iterator[PartOfRows]:
        """Yield the blocks, in order."""
        start = 0
        for number, block in enumerate(self._scan):
            stop = start + n_rows_of(block.X)
            weights = block.weights if self._weights is None else self._weights[start:stop]
            yield checked_part(block.X, block.y, weights, number)
            start = stop
        if self._weights is not None and len(self._weights) != start:
            raise ValueError(
                f"sample_weight has {len(self._weights)} weights, and the files have {start} rows"
            )
