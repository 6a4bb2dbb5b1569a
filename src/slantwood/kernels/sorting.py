"""Rows in the order of their float32 values, or of int32 from zero on, in time proportional to their number.

A value and its place become one unsigned number, the value in the upper half in a form that sorts like it:
non-negative floats sort like their bits, negative ones in reverse. Few rows are sorted by insertion, more of
them byte by byte (least significant first); bytes that all rows share are passed over.
"""

from typing import NamedTuple

import numpy as np

from slantwood.kernels.compiling import exact

# Up to so many rows, insertion is faster.
_FEW = 40

_32 = np.uint64(32)
_PLACE = np.uint64(0xFFFFFFFF)
_BYTE = np.uint64(0xFF)
_SIGN = np.uint32(0x80000000)
_ALL = np.uint32(0xFFFFFFFF)


class SortingWorkspace(NamedTuple):
    """Memory to sort up to so many rows, made once for many sorts."""

    order: np.ndarray  # uint32
    pairs: np.ndarray  # uint64
    spare: np.ndarray
    counts: np.ndarray  # (4, 256) int64: rows by byte


@exact
def sorting_workspace(size):
    """Make a workspace to sort up to `size` rows."""
    # Insertion needs neither the spare array nor counts; small nodes feel every array that is made.
    n_more = size if size > _FEW else 0
    pairs = np.empty(size + n_more, np.uint64)
    counts = np.empty((4 if n_more > 0 else 0, 256), np.int64)
    return SortingWorkspace(np.empty(size, np.uint32), pairs[:size], pairs[size:], counts)


@exact
def sort_rows(values, workspace):
    """Places of the values from the smallest to the largest, equal ones in their order, as a view.

    Minus zero comes before zero. There must be no NaN.
    """
    sort_within(values, workspace)
    return workspace.order[: values.shape[0]]


@exact
def sort_within(values, workspace):
    """Leave the same order in the workspace, for callers that look at very few rows at a time."""
    n = values.shape[0]
    bits = values.view(np.uint32)
    pairs = workspace.pairs
    for i in range(n):
        key = bits[i]
        key ^= _ALL if key & _SIGN else _SIGN
        pairs[i] = np.uint64(key) << _32 | np.uint64(i)
    if n <= _FEW:
        _insert(pairs[:n])
    elif _by_bytes(pairs[:n], workspace.spare[:n], workspace.counts):
        pairs = workspace.spare
    for i in range(n):
        workspace.order[i] = np.uint32(pairs[i] & _PLACE)


@exact
def _insert(pairs):
    for i in range(1, pairs.shape[0]):
        pair = pairs[i]
        k = i
        while k > 0 and pairs[k - 1] > pair:
            pairs[k] = pairs[k - 1]
            k -= 1
        pairs[k] = pair


@exact
def _by_bytes(pairs, spare, counts):
    # Returns whether the result is in the spare array.
    in_spare = False
    n = np.uint64(pairs.shape[0])
    counts[:] = 0
    for i in range(n):
        pair = pairs[i] >> _32
        counts[0, pair & _BYTE] += 1
        counts[1, pair >> np.uint64(8) & _BYTE] += 1
        counts[2, pair >> np.uint64(16) & _BYTE] += 1
        counts[3, pair >> np.uint64(24)] += 1
    for byte in range(4):
        shift = np.uint64(32 + 8 * byte)
        if counts[byte, pairs[0] >> shift & _BYTE] == pairs.shape[0]:
            continue
        start = 0
        for value in range(256):
            count = counts[byte, value]
            counts[byte, value] = start
            start += count
        places = counts[byte]
        for i in range(n):
            pair = pairs[i]
            value = pair >> shift & _BYTE
            spare[np.uint64(places[value])] = pair
            places[value] += 1
        pairs, spare = spare, pairs
        in_spare = not in_spare
    return in_spare
