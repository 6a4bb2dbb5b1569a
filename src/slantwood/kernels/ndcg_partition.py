"""Which rows belong together by their labels: two sides, each ranking the labels as suits its rows.

The side of row i is the one whose ranking of the labels gives it the larger discounted cumulative gain
sum_l g_il / log2(1 + rank_l), where g_il is the gain of label l. In turn, the ranking of a side is that by
sum_i r_i g_il / I_i over its rows, with I_i the sum of 1 / log2(1 + k) for k up to the number of labels of
the row: no other ranking gives these rows a larger mean. Labels that none of them has come last, and all of
the same sum in the order in which the node's rows have them. Neither step lowers the mean, so that the two
come to rest (Prabhu & Varma 2014).
"""

import math
from typing import NamedTuple

import numpy as np

from slantwood.kernels.compiling import exact, indexed
from slantwood.kernels.random import below
from slantwood.kernels.scratch import scratch

# Gains are compared to 12 binary digits of the 53 that they have: dense and sparse blocks, which round
# differently, then order the labels alike.
_SPLITTER = 2.0 ** (53 - 12) + 1.0

# Sides are at rest when rows of no more than this share of the weight have changed them.
_AT_REST = 1e-3

# Two rankings are equal to a row where its gains, which are sums of discounts, differ by rounding only.
_EQUAL = 1e-12

_NO_NUMBER = -1


class LabelLists(NamedTuple):
    """Labels of each row with their gains, numbered in the order in which the rows have them."""

    indptr: np.ndarray
    labels: np.ndarray
    gains: np.ndarray
    n_labels: int


@indexed
def labels_of(Z):
    """List what stands above the lowest value of its column and is not missing.

    The gain is the height above the lowest value, as a share of the column's largest, times the square of the
    largest, which is the weight of the column; the largest weight counts as 1.
    """
    n = Z.n_rows
    lowest, height = _ranges(Z)
    tallest = 0.0
    for j in range(Z.n_columns):
        tallest = max(tallest, height[j])
    weight = scratch(Z.n_columns, np.float64)
    for j in range(Z.n_columns):
        weight[j] = _rounded((height[j] / tallest) ** 2) if height[j] > 0.0 else 0.0
    number = np.full(Z.n_columns, _NO_NUMBER, np.int64)
    is_missing = np.zeros(Z.n_columns, np.bool_)
    indptr = scratch(n + 1, np.int64)
    labels = scratch(_n_above(Z, lowest), np.int64)
    gains = scratch(labels.shape[0], np.float64)
    n_labels = 0
    count = 0
    indptr[0] = 0
    for i in range(n):
        unknown = Z.missing_indices[:0]
        if Z.missing_indices.shape[0] > 0:
            unknown = Z.missing_indices[Z.missing_indptr[i] : Z.missing_indptr[i + 1]]
        for j in unknown:
            is_missing[j] = True
        start = 0 if Z.is_dense else Z.indptr[i]
        stop = Z.n_columns if Z.is_dense else Z.indptr[i + 1]
        for k in range(start, stop):
            column = np.int64(k if Z.is_dense else Z.indices[k])
            above = np.float64(Z.values[i, column] if Z.is_dense else Z.data[k]) - lowest[column]
            if above > 0.0 and not is_missing[column]:
                if number[column] == _NO_NUMBER:
                    number[column] = n_labels
                    n_labels += 1
                labels[count] = number[column]
                gains[count] = weight[column] * (above / height[column])
                count += 1
        for j in unknown:
            is_missing[j] = False
        indptr[i + 1] = count
    return LabelLists(indptr, labels[:count], gains[:count], n_labels)


@indexed
def _ranges(Z):
    # The lowest value of each column, and how far the highest is above it. What is missing stands at the
    # mean, which is neither. Of a sparse column with zeros, the zeros are the lowest.
    lowest = np.zeros(Z.n_columns)
    highest = np.zeros(Z.n_columns)
    if Z.is_dense:
        for i in range(Z.n_rows):
            for j in range(Z.n_columns):
                lowest[j] = min(lowest[j], np.float64(Z.values[i, j]))
                highest[j] = max(highest[j], np.float64(Z.values[i, j]))
    else:
        for k in range(Z.data.shape[0]):
            j = Z.indices[k]
            lowest[j] = min(lowest[j], np.float64(Z.data[k]))
            highest[j] = max(highest[j], np.float64(Z.data[k]))
    for j in range(Z.n_columns):
        highest[j] -= lowest[j]
    return lowest, highest


@exact
def _n_above(Z, lowest):
    # Memory for the lists, a little too much where values are missing.
    if not Z.is_dense:
        return Z.data.shape[0]
    count = 0
    for i in range(Z.n_rows):
        for j in range(Z.n_columns):
            count += 1 if np.float64(Z.values[i, j]) > lowest[j] else 0
    return count


@exact
def _rounded(value):
    # Veltkamp's splitting: what stands below the kept digits is lost in the larger number.
    larger = value * _SPLITTER
    return larger - (larger - value)


@indexed
def ndcg_partition(lists, weights, max_iter, state, is_right):
    """Write the side of each row, from a random start; return whether both sides have rows with labels.

    A row keeps its side where both are equal to it, as they are to rows without labels.
    """
    n = weights.shape[0]
    _start(state, is_right)
    discounts = scratch(max(lists.n_labels, 1), np.float64)
    ideal = scratch(lists.n_labels + 1, np.float64)
    ideal[0] = 0.0
    for rank in range(lists.n_labels):
        discounts[rank] = 1.0 / math.log2(rank + 2.0)
        ideal[rank + 1] = ideal[rank] + discounts[rank]
    order = np.empty((2, lists.n_labels), np.int64)
    for label in range(lists.n_labels):
        order[0, label] = order[1, label] = label
    score = np.empty((2, lists.n_labels))
    advantage = scratch(lists.n_labels, np.float64)
    for _ in range(max_iter):
        _rank(lists, weights, ideal, is_right, score, order)
        advantage[:] = 0.0
        for side in range(2):
            for rank in range(lists.n_labels):
                label = order[side, rank]
                advantage[label] += discounts[rank] if side == 1 else -discounts[rank]
        total = 0.0
        moved = 0.0
        for i in range(n):
            gain = 0.0
            for k in range(lists.indptr[i], lists.indptr[i + 1]):
                gain += lists.gains[k] * advantage[lists.labels[k]]
            total += np.float64(weights[i])
            if abs(gain) > _EQUAL and is_right[i] != (gain > 0.0):
                is_right[i] = gain > 0.0
                moved += np.float64(weights[i])
        if moved <= _AT_REST * total:
            break
    some_left = False
    some_right = False
    for i in range(n):
        if lists.indptr[i + 1] > lists.indptr[i]:
            some_left = some_left or not is_right[i]
            some_right = some_right or is_right[i]
    return some_left and some_right


@exact
def _start(state, is_right):
    # A random half of the rows; of an odd number, one less is on the right.
    n = is_right.shape[0]
    wanted = n // 2
    for i in range(n):
        is_right[i] = below(state, n - i) < wanted
        wanted -= 1 if is_right[i] else 0


@indexed
def _rank(lists, weights, ideal, is_right, score, order):
    # The labels of each side from the best to the worst, with their scores.
    score[:] = 0.0
    for i in range(is_right.shape[0]):
        side = 1 if is_right[i] else 0
        start = lists.indptr[i]
        stop = lists.indptr[i + 1]
        vote = np.float64(weights[i]) / max(ideal[stop - start], 1.0)
        for k in range(start, stop):
            score[side, lists.labels[k]] += vote * lists.gains[k]
    for side in range(2):
        _sort(score[side], order[side])


@exact
def _sort(score, order):
    # Shell's sort: a few lines, and quick where the order is nearly right already, as after a round it is.
    n = order.shape[0]
    gap = 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            label = order[i]
            k = i
            while k >= gap and _is_before(score, label, order[k - gap]):
                order[k] = order[k - gap]
                k -= gap
            order[k] = label
        gap //= 3


@exact
def _is_before(score, label, other):
    return score[label] > score[other] or (score[label] == score[other] and label < other)
