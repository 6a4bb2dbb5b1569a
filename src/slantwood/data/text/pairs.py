"""Rows of labels and of pairs ``index:value``, as svmlight and the extreme-classification texts have them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from slantwood.data.text.numbers import fits, number_texts, parse_number
from slantwood.data.text.scanning import GrowingArray, as_array, malformed, scanning
from slantwood.hints import shown

_MAX_LEFTOVERS = 4096
_ROWS_AT_A_TIME = 1024
# Of indices and labels that are checked together, so that checks take little memory.
_VALUES_AT_A_TIME = 1 << 18
_MOST_COUNTED = 1 << 20
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
    progress[state.LINE] = line
    progress[state.LARGEST], progress[state.SMALLEST] = -1, state.LARGEST_INDEX
    for each in (label_indptr, indptr):
        each.reserve(1)
        each.buffer[0] = 0
    for block in blocks:
        n_labels, n, n_pairs = progress[[state.LABELS, state.ROW, state.PAIRS]].tolist()
        limit.check(8 * n_labels + 16 * n + 8 * n_pairs, "what it holds")
        # A label takes two letters at least and a pair three, the mark after it included.
        labels.reserve(n_labels + len(block) // 2)
        for each in (label_indptr, indptr):
            each.reserve(n + block.count(b"\n") + 1)
        for each in (indices, data):
            each.reserve(n_pairs + len(block) // 3)
        progress[state.POSITION] = 0
        why = state.FULL
        while why == state.FULL:
            arrays = [each.buffer for each in (labels, label_indptr, indices, data, indptr)]
            why = scan_pairs(as_array(block), has_comments, n_rows, progress, *arrays, leftovers)
            n_left = progress[state.LEFTOVERS]
            _parse_leftovers(path, block, leftovers[:n_left], (labels.buffer, data.buffer))
            if why == state.FULL and n_left == 0:  # one row has more than fit
                leftovers = np.empty((2 * len(leftovers), 5), np.int64)
            progress[state.LEFTOVERS] = 0
        if why != state.DONE:
            word = _word_at(block, int(progress[state.POSITION]))
            raise malformed(path, int(progress[state.LINE]), f"has {word}; {_EXPECTED[why]}")
    n_labels, n, n_pairs = progress[[state.LABELS, state.ROW, state.PAIRS]].tolist()
    return Pairs(
        labels.trim(n_labels),
        label_indptr.trim(n + 1),
        indices.trim(n_pairs),
        data.trim(n_pairs),
        indptr.trim(n + 1),
        int(progress[state.SMALLEST]),
        int(progress[state.LARGEST]),
    )


def feature_matrix(pairs: Pairs, n_features: int, first: int = 0) -> Any:
    """Return the pairs as a matrix with the columns from `first`, dense where a tenth of it is non-zero."""
    np.subtract(pairs.indices, np.int32(first), out=pairs.indices)
    X = sp.csr_array((pairs.data, pairs.indices, _narrow(pairs.indptr)), shape=(pairs.n_rows, n_features))
    X.sort_indices()
    if np.count_nonzero(X.data) >= SPARSE_BELOW * pairs.n_rows * n_features:
        return X.toarray()
    X.eliminate_zeros()
    return X


def indicator_matrix(indices: np.ndarray, indptr: np.ndarray, n_labels: int) -> Any:
    """Return the labels of rows as 0 and 1, dense where a tenth or more of it is 1."""
    n_rows = len(indptr) - 1
    Y = sp.csr_array((np.ones(len(indices), np.int8), indices, _narrow(indptr)), shape=(n_rows, n_labels))
    Y.sort_indices()
    return Y.toarray() if Y.nnz >= SPARSE_BELOW * n_rows * n_labels else Y


def _narrow(indptr: np.ndarray) -> np.ndarray:
    """Return where rows begin in 32 bits if these suffice: with 64, SciPy would make indices as wide."""
    return indptr.astype(np.int32) if indptr[-1] <= np.iinfo(np.int32).max else indptr


def numbered(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the different labels, whole numbers from 0, in order, and the place of each label among them."""
    end = int(labels.max(initial=-1.0)) + 1
    if end > _MOST_COUNTED + 8 * len(labels):  # a count for each number would take more than sorting
        values, places = np.unique(labels, return_inverse=True)
        return values, places.astype(np.int32)
    is_there = np.zeros(end, np.bool_)
    places = np.empty(len(labels), np.int32)
    parts = [slice(k, k + _VALUES_AT_A_TIME) for k in range(0, len(labels), _VALUES_AT_A_TIME)]
    for part in parts:
        is_there[labels[part].astype(np.int64)] = True
    place = np.cumsum(is_there, dtype=np.int32) - np.int32(1)
    for part in parts:
        places[part] = place[labels[part].astype(np.int64)]
    return np.flatnonzero(is_there), places


def refuse_wrong_numbers(
    name: str,
    values: np.ndarray,
    indptr: np.ndarray,
    end: int,
    expected: str,
    error: Callable[[int, str], ValueError],
) -> None:
    """Refuse indices or labels that are no whole numbers from 0 to before `end`, or twice in a row.

    `error` makes the error of a row from a message.
    """
    are_whole = values.dtype.kind in "iu"
    for start in range(0, len(values), _VALUES_AT_A_TIME):
        some = values[start : start + _VALUES_AT_A_TIME]
        is_right = (some >= 0) & (some < end)
        is_right &= are_whole or some == np.rint(some)
        if not is_right.all():
            place = start + int(np.argmin(is_right))
            row = int(np.searchsorted(indptr, place, side="right")) - 1
            raise error(row, f"has the {name} {values[place]:g}; expected {expected}")
    for first, last in _rows_together(indptr):
        own, starts = values[indptr[first] : indptr[last]], indptr[first : last + 1] - indptr[first]
        # Within rows that rise, as they mostly do, nothing is twice.
        if np.isin(np.flatnonzero(np.diff(own) <= 0) + 1, starts).all():
            continue
        rows = np.repeat(np.arange(last - first), np.diff(starts))
        order = np.lexsort((own, rows))
        same = (np.diff(rows[order]) == 0) & (np.diff(own[order]) == 0)
        if same.any():
            place = order[np.argmax(same)]
            raise error(first + int(rows[place]), f"has the {name} {own[place]:g} twice; expected it once")


def _rows_together(indptr: np.ndarray) -> Iterator[tuple[int, int]]:
    """Yield ranges of rows with so much in them as is looked at together."""
    first, n_rows = 0, len(indptr) - 1
    while first < n_rows:
        last = int(np.searchsorted(indptr, indptr[first] + _VALUES_AT_A_TIME, side="right")) - 1
        last = max(last, first + 1)
        yield first, last
        first = last


def write_rows(
    file: IO[bytes], X: Any, heads: Sequence[str], first: int, explicit: Mapping[int, Iterable[int]]
) -> None:
    """Write a line for each row: its head, a blank, and its non-zeros with indices from `first`.

    The columns `explicit[row]`, in order, are written for a row even where they are zero.
    """
    for start in range(0, len(heads), _ROWS_AT_A_TIME):
        part = sp.csr_array(X[start : start + _ROWS_AT_A_TIME])
        part.sum_duplicates()
        part.eliminate_zeros()
        pairs = list(zip(part.indices.tolist(), number_texts(part.data.astype(np.float32)), strict=True))
        for i, (begin, end) in enumerate(pairwise(part.indptr.tolist()), start):
            cells = dict(pairs[begin:end])
            if i in explicit:
                cells = {j: cells.get(j, "0") for j in sorted({*cells, *explicit[i]})}
            listed = " ".join(f"{j + first}:{value}" for j, value in cells.items())
            file.write(f"{heads[i]} {listed}\n".encode())


def label_lists(Y: Any, names: Sequence[Any]) -> list[str]:
    """Return the labels of each row with commas between them."""
    Y = sp.csr_array(Y)
    if np.isnan(Y.data).any():
        raise ValueError("y has missing labels, which this format cannot hold; write csv, arff or npz")
    Y.sum_duplicates()
    Y.eliminate_zeros()
    texts = [str(names[j]) for j in Y.indices.tolist()]
    return [",".join(texts[begin:end]) for begin, end in pairwise(Y.indptr.tolist())]


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
        name, precision = (("label", "double"), ("value", "single"))[which]
        if value is None or not fits(value, single=which == 1):
            expected = "a number" if value is None else f"a finite number of {precision} precision"
            raise malformed(path, line, f"has {shown(letters)} for a {name}; expected {expected}")
        held[which][place] = value
