"""Scores of a row's labels: added up, and the largest of them stored, in time by the labels that have any."""

from typing import NamedTuple

import numpy as np

from slantwood.kernels.compiling import exact
from slantwood.kernels.scratch import grown
from slantwood.kernels.sorting import sort_rows


class StoredScores(NamedTuple):
    """Labels and scores of all rows so far, with capacity for more."""

    labels: np.ndarray  # int32
    scores: np.ndarray  # float32
    size: int


@exact
def no_scores():
    """Make the store, empty."""
    return StoredScores(np.empty(1024, np.int32), np.empty(1024, np.float32), 0)


@exact
def add_score(label, value, total, seen, labels, n_seen):
    """Add a score to that of its label, which is listed where it is new; return how many are listed."""
    if value != 0.0:
        if not seen[label]:
            seen[label] = True
            labels[n_seen] = label
            n_seen += 1
        total[label] += value
    return n_seen


@exact
def store_largest(stored, scores, labels, n, top_k, ranks, workspace):
    """Store the `top_k` largest of n scores of a row, all where it is not positive, by label."""
    if 0 < top_k < n:
        select_largest(scores, labels, n, top_k, ranks)
        n = top_k
    size = stored.size
    stored_labels, stored_scores = stored.labels, stored.scores
    if size + n > stored_labels.shape[0]:
        stored_labels = grown(stored_labels, size + n)
        stored_scores = grown(stored_scores, size + n)
    order = sort_rows(labels[:n], workspace)
    for k in range(n):
        stored_labels[size + k] = labels[order[k]]
        stored_scores[size + k] = scores[order[k]]
    return StoredScores(stored_labels, stored_scores, size + n)


@exact
def select_largest(scores, labels, n, k, ranks):
    """Move the k largest of n scores, and their labels, to the front; of equal ones that of lower rank."""
    low = 0
    high = n - 1
    while low < high:
        pivot_score = scores[(low + high) // 2]
        pivot_rank = ranks[labels[(low + high) // 2]]
        i = low
        j = high
        while i <= j:
            while scores[i] > pivot_score or (scores[i] == pivot_score and ranks[labels[i]] < pivot_rank):
                i += 1
            while scores[j] < pivot_score or (scores[j] == pivot_score and ranks[labels[j]] > pivot_rank):
                j -= 1
            if i <= j:
                scores[i], scores[j] = scores[j], scores[i]
                labels[i], labels[j] = labels[j], labels[i]
                i += 1
                j -= 1
        if k - 1 <= j:
            high = j
        elif k - 1 >= i:
            low = i
        else:
            return
