"""Rows dealt out to folds, label by label, so that every fold gets its share of every label.

Iterative stratification (Sechidis, Tsoumakas and Vlahavas 2011): the label with the fewest rows left goes
first, because it leaves the least choice. Nothing here knows what the labels mean. Everything is counted in
whole numbers, so that no fold is preferred because of a rounding error.
"""

import numpy as np

from slantwood.kernels.compiling import exact
from slantwood.kernels.random import below

# The share of a label's rows that a fold has is counted in these parts: sums over the labels of a row are
# exact then, whatever the order of the labels, and overflow with more than 2**31 labels in a row only.
_WHOLE = 1 << 32


@exact
def stratify(indptr, indices, label_indptr, label_rows, n_folds, state):
    """Return the fold of each row.

    Parameters
    ----------
    indptr, indices : int64 arrays
        The labels of each row, as in a CSR matrix without duplicates.
    label_indptr, label_rows : int64 arrays
        The rows of each label, in the order in which they are dealt out.
    n_folds : int
        Between 1 and the number of rows.
    state : uint64 array of length 1
        Random stream that decides between folds where nothing else does. A stream at zero stays there and
        draws nothing but zeros, so that the first of the folds is taken.
    """
    n_rows = indptr.shape[0] - 1
    n_labels = label_indptr.shape[0] - 1
    folds = np.full(n_rows, -1, np.int64)
    sizes = np.zeros(n_folds, np.int64)
    counts = np.zeros((n_labels, n_folds), np.int64)  # rows of a label in a fold
    candidates = np.empty(n_folds, np.int64)
    crowding = np.empty(n_folds, np.int64)

    left = np.empty(n_labels, np.int64)
    share = np.empty(n_labels, np.int64)  # of one row among the rows of a label
    heap = np.empty(n_labels, np.int64)
    place = np.empty(n_labels, np.int64)  # of a label in the heap
    for label in range(n_labels):
        left[label] = label_indptr[label + 1] - label_indptr[label]
        share[label] = _WHOLE // max(left[label], 1)
        heap[label] = label
        _rise(heap, place, left, label)

    for n_waiting in range(n_labels, 0, -1):
        rarest = _pop(heap, place, left, n_waiting)
        for p in range(label_indptr[rarest], label_indptr[rarest + 1]):
            row = label_rows[p]
            if folds[row] >= 0:
                continue
            labels = indices[indptr[row] : indptr[row + 1]]
            n_candidates = _open_folds(sizes, n_rows, candidates)
            n_candidates = _keep_least(counts[rarest], candidates, n_candidates)
            if n_candidates > 1:
                # Not in the paper, which goes on with the sizes of the folds. Ties are the rule for rare
                # labels. Settling them by the row's other labels takes a quarter to a half off the imbalance
                # where rows have many labels; where they have a few, hardly any is left beyond what whole
                # rows enforce.
                _measure_crowding(labels, share, counts, candidates, n_candidates, crowding)
                n_candidates = _keep_least(crowding, candidates, n_candidates)
            n_candidates = _keep_least(sizes, candidates, n_candidates)
            fold = candidates[below(state, n_candidates)]
            folds[row] = fold
            sizes[fold] += 1
            for label in labels:
                counts[label, fold] += 1
                left[label] -= 1
                if place[label] >= 0:
                    _rise(heap, place, left, place[label])

    for row in range(n_rows):
        if folds[row] < 0:
            n_candidates = _open_folds(sizes, n_rows, candidates)
            n_candidates = _keep_least(sizes, candidates, n_candidates)
            fold = candidates[below(state, n_candidates)]
            folds[row] = fold
            sizes[fold] += 1
    return folds


@exact
def _open_folds(sizes, n_rows, candidates):
    # Sizes end up at n/k rounded down or, for as many folds as there are rows over, rounded up. Without this
    # bound they would spread by a few percent where rows have many labels, and the mean imbalance of labels
    # would be smaller by 0.3 to 1.5 %: a low price for equal folds. Where rows have few labels both are the
    # same.
    n_folds = sizes.shape[0]
    least = n_rows // n_folds
    n_spare = n_rows - least * n_folds
    for fold in range(n_folds):
        if sizes[fold] > least:
            n_spare -= 1
    limit = least + 1 if n_spare > 0 else least
    n_candidates = 0
    for fold in range(n_folds):
        if sizes[fold] < limit:
            candidates[n_candidates] = fold
            n_candidates += 1
    return n_candidates


@exact
def _keep_least(values, candidates, n_candidates):
    n_kept = 0
    least = values[candidates[0]]
    for c in range(n_candidates):
        fold = candidates[c]
        if values[fold] < least:
            least = values[fold]
            n_kept = 0
        if values[fold] == least:
            candidates[n_kept] = fold
            n_kept += 1
    return n_kept


@exact
def _measure_crowding(labels, share, counts, candidates, n_candidates, crowding):
    # Sum over the labels of a row of the share of the label's rows that a fold has already.
    for c in range(n_candidates):
        crowding[candidates[c]] = 0
    for label in labels:
        for c in range(n_candidates):
            crowding[candidates[c]] += share[label] * counts[label, candidates[c]]


@exact
def _is_before(left, a, b):
    return left[a] < left[b] or (left[a] == left[b] and a < b)


@exact
def _rise(heap, place, left, position):
    # Counts only fall, so that a waiting label never has to sink.
    label = heap[position]
    while position > 0:
        parent = (position - 1) // 2
        if _is_before(left, heap[parent], label):
            break
        heap[position] = heap[parent]
        place[heap[position]] = position
        position = parent
    heap[position] = label
    place[label] = position


@exact
def _pop(heap, place, left, size):
    top = heap[0]
    last = heap[size - 1]
    position = 0
    child = 1
    while child < size:
        if child + 1 < size and _is_before(left, heap[child + 1], heap[child]):
            child += 1
        if not _is_before(left, heap[child], last):
            break
        heap[position] = heap[child]
        place[heap[position]] = position
        position = child
        child = 2 * position + 1
    heap[position] = last
    place[last] = position
    place[top] = -1
    return top
