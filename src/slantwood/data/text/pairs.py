"""Rows of labels and of pairs ``index:value``, as svmlight and the extreme-classification texts have them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

import numpy as np
import scipy.sparse as sp

from slantwood.data.limits import Limit
from slantwood.data.table import SPARSE_BELOW
from slantwood.data.text.compiled import state
from slantwood.data.text.compiled.pairs import scan_pairs
from slantwood.data.text.compiled.state import (
    LABELS,
    LARGEST,
    LEFTOVERS,
    LINE,
    PAIRS,
    POSITION,
    ROW,
    SMALLEST,
)
from slantwood.data.text.numbers import fits, number_texts, parse_number
from slantwood.data.text.scanning import GrowingArray, as_array, malformed, scanning
from slantwood.hints import shown

_MAX_LEFTOVERS = 4096
_ROWS_AT_A_TIME = 1024
# More than any file has, and compiled code can count so far.
_MOST_ROWS = 1 << 62

_EXPECTED = {
    state.NO_LABEL: "expected a label, or several with commas between them",
    state.NO_PAIR: "expected index:value",
    state.NOT_RISING: "expected indices that rise within a row",
    state.TOO_LARGE: f"expected an index up to {state.LARGEST_INDEX}",
}


@dataclass(frozen=True, eq=False)
class Pairs:
    """Labels and pairs of all rows; those of row i are between the i-th and the next of `..._indptr`."""

    labels: np.ndarray
    label_indptr: np.ndarray
    indices: np.ndarray
    data: np.ndarray
    indptr: np.ndarray
    smallest: int  # of the indices
    largest: int

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.indptr) - 1


@scanning()
def read_pairs(
    path: Path, blocks: Iterable[bytes], line: int, limit: Limit, *, has_comments: bool, n_rows: int = 0
) -> Pairs:
    """Read rows; those in front of `n_rows` may be empty lines, which otherwise are nothing."""
    n_rows = min(n_rows, _MOST_ROWS)
    labels, label_indptr = GrowingArray(np.float64), GrowingArray(np.int64)
    indices, data, indptr = GrowingArray(np.int32), GrowingArray(np.float32), GrowingArray(np.int64)
    leftovers = np.empty((_MAX_LEFTOVERS, 5), np.int64)
    progress = np.zeros(state.N_COUNTERS, np.int64)
    progress[LINE] = line
    progress[LARGEST], progress[SMALLEST] = -1, state.LARGEST_INDEX
    for each in (label_indptr, indptr):
        each.reserve(1)
        each.buffer[0] = 0
    for block in blocks:
        limit.check(_n_bytes(progress), "what it holds")
        # A label takes two letters at least and a pair three, the mark after it included.
        labels.reserve(int(progress[LABELS]) + len(block) // 2)
        n_lines = block.count(b"\n")
        for each in (label_indptr, indptr):
            each.reserve(int(progress[ROW]) + n_lines + 1)
        for each in (indices, data):
            each.reserve(int(progress[PAIRS]) + len(block) // 3)
        letters = as_array(block)
        progress[POSITION] = 0
        while True:
            why = scan_pairs(
                letters,
                has_comments,
                n_rows,
                progress,
                labels.buffer,
                label_indptr.buffer,
                indices.buffer,
                data.buffer,
                indptr.buffer,
                leftovers,
            )
            _parse_leftovers(path, block, leftovers[: progress[LEFTOVERS]], (labels.buffer, data.buffer))
            if why == state.FULL:
                if progress[LEFTOVERS] == 0:  # one row has more than fit
                    leftovers = np.empty((2 * len(leftovers), 5), np.int64)
                progress[LEFTOVERS] = 0
                continue
            progress[LEFTOVERS] = 0
            if why != state.DONE:
                word = _word_at(block, int(progress[POSITION]))
                raise malformed(path, int(progress[LINE]), f"has {word}; {_EXPECTED[why]}")
            break
    n = int(progress[ROW])
    return Pairs(
        labels.trim(int(progress[LABELS])),
        label_indptr.trim(n + 1),
        indices.trim(int(progress[PAIRS])),
        data.trim(int(progress[PAIRS])),
        indptr.trim(n + 1),
        int(progress[SMALLEST]),
        int(progress[LARGEST]),
    )


def _n_bytes(progress: np.ndarray) -> int:
    """Return the memory that is used so far: labels, where rows begin, and pairs."""
    return 8 * int(progress[LABELS]) + 16 * int(progress[ROW]) + 8 * int(progress[PAIRS])


def feature_matrix(pairs: Pairs, n_features: int, first: int = 0) -> Any:
    """Return the pairs as a matrix with the columns from `first`, dense where a tenth of it is non-zero."""
    indices = pairs.indices
    if first:
        indices -= np.int32(first)
    X = sp.csr_array((pairs.data, indices, pairs.indptr), shape=(pairs.n_rows, n_features))
    X.sort_indices()
    if np.count_nonzero(X.data) >= SPARSE_BELOW * pairs.n_rows * n_features:
        return X.toarray()
    X.eliminate_zeros()
    return X


def indicator_matrix(indices: np.ndarray, indptr: np.ndarray, n_labels: int) -> Any:
    """Return the labels of rows as 0 and 1, dense where a tenth or more of it is 1."""
    n_rows = len(indptr) - 1
    Y = sp.csr_array((np.ones(len(indices), np.int8), indices, indptr), shape=(n_rows, n_labels))
    Y.sort_indices()
    return Y.toarray() if Y.nnz >= SPARSE_BELOW * n_rows * n_labels else Y


def first_duplicate(indices: np.ndarray, indptr: np.ndarray) -> tuple[int, int] | None:
    """Return the first row that has an index twice, and that index."""
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    order = np.lexsort((indices, rows))
    same = (np.diff(rows[order]) == 0) & (np.diff(indices[order]) == 0)
    if not same.any():
        return None
    place = order[np.argmax(same)]
    return int(rows[place]), int(indices[place])


def write_rows(
    file: IO[bytes],
    X: Any,
    heads: Sequence[str],
    first: int,
    explicit: dict[int, list[int]] | None = None,
) -> None:
    """Write a line for each row: its head, a blank, and its non-zeros with indices from `first`.

    The columns `explicit[row]`, in order, are written for a row even where they are zero.
    """
    for start in range(0, len(heads), _ROWS_AT_A_TIME):
        part = sp.csr_array(X[start : start + _ROWS_AT_A_TIME])
        part.sum_duplicates()
        part.eliminate_zeros()
        values = number_texts(part.data.astype(np.float32))
        columns, ends = part.indices.tolist(), part.indptr.tolist()
        for i, head in enumerate(heads[start : start + _ROWS_AT_A_TIME]):
            cells = dict(zip(columns[ends[i] : ends[i + 1]], values[ends[i] : ends[i + 1]], strict=True))
            if explicit and start + i in explicit:
                cells = {j: cells.get(j, "0") for j in sorted({*cells, *explicit[start + i]})}
            pairs = " ".join(f"{j + first}:{value}" for j, value in cells.items())
            file.write(f"{head} {pairs}\n".encode())


def label_lists(Y: Any, names: Sequence[Any]) -> list[str]:
    """Return the labels of each row with commas between them."""
    Y = sp.csr_array(Y)
    if np.isnan(Y.data).any():
        raise ValueError("y has missing labels, which this format cannot hold; write csv, arff or npz")
    Y.sum_duplicates()
    Y.eliminate_zeros()
    texts = [str(names[j]) for j in Y.indices.tolist()]
    ends = Y.indptr.tolist()
    return [",".join(texts[begin:end]) for begin, end in pairwise(ends)]


def _word_at(block: bytes, position: int) -> str:
    line = block[position : block.index(b"\n", position)]
    if not line.strip():
        return "nothing more"
    return shown(line.split(maxsplit=1)[0]) if not line[:1].isspace() else "a blank"


def _parse_leftovers(path: Path, block: bytes, leftovers: np.ndarray, held: Sequence[np.ndarray]) -> None:
    """Read the numbers that compiled code has left over."""
    for which, place, begin, end, line in leftovers.tolist():
        letters = block[begin:end]
        value = parse_number(letters.decode(errors="replace"))
        name = ("label", "value")[which]
        if value is None:
            raise malformed(path, line, f"has {shown(letters)} for a {name}; expected a number")
        if not fits(value, single=which == 1):
            precision = ("double", "single")[which]
            expected = f"expected a finite number of {precision} precision"
            raise malformed(path, line, f"has {shown(letters)} for a {name}; {expected}")
        held[which][place] = value
