"""Scores of labels for many rows, on threads; no array has a cell for each row and label."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.kernels.matrix import sparse_matrix
from slantwood.label_trees.beam import beam_scores
from slantwood.label_trees.model import LabelTrees
from slantwood.label_trees.rows import unit_rows
from slantwood.threads import run_in_threads

# Rows that a thread takes at a time: an interrupt waits for no more.
_ROWS_AT_ONCE = 256
# No thread is started for so few: that would take longer than to predict them.
_FEW_ROWS = 8


def label_scores(
    trees: LabelTrees,
    X: Any,
    ranks: np.ndarray,
    *,
    beam: int,
    share: float,
    others: sp.csr_array | None,
    least: float = 0.0,
    top_k: int | None,
    n_jobs: int | None,
) -> sp.csr_array:
    """Return the scores of the labels that a beam search finds.

    Parameters
    ----------
    trees : LabelTrees
        The model.
    X : array or CSR array of shape (n_rows, n_features)
        Features, none missing.
    ranks : array of int64 of shape (n_labels,)
        Of labels with equal scores, the one of lower rank goes first.
    beam : int
        Nodes of a level of each tree that are visited.
    share : float
        Part of the trees in the score.
    others : CSR array of shape (n_rows, n_labels), optional
        Float32, what else is added to the scores.
    least : float
        Scores that are no larger are left out.
    top_k : int, optional
        Keep the largest so many of each row.
    n_jobs : int, optional
        Number of threads.
    """
    rows = unit_rows(X)
    n, n_labels = X.shape[0], len(ranks)
    none = sp.csr_array((n, n_labels), dtype=np.float32)
    added = none if others is None else others
    all_added = sparse_matrix(added)
    most = -1 if top_k is None else top_k

    def chunk(start: int) -> sp.csr_array:
        stop = min(start + _ROWS_AT_ONCE, n)
        beside = all_added if stop - start == n else sparse_matrix(added[start:stop])
        indptr, indices, scores = beam_scores(
            *rows, start, stop, trees, beam, share, beside, ranks, least, most
        )
        return sp.csr_array((scores, indices, indptr), shape=(stop - start, n_labels))

    if 0 < n <= _FEW_ROWS:
        return chunk(0)
    chunks = list(run_in_threads(chunk, range(0, n, _ROWS_AT_ONCE), n_jobs))
    return sp.csr_array(sp.vstack(chunks, format="csr")) if chunks else none
