"""Whether the scores of all labels may be made as one dense array: asked before memory is taken for it."""

import os
from typing import Any

import numpy as np

from slantwood.features.lazy import refuse_lazy
from slantwood.features.rows import n_rows_of

# A dense array may always take this many bytes, and half of what the machine has.
_ALWAYS_ALLOWED = 1 << 32


def check_dense_scores(n_rows: int, n_labels: int) -> None:
    """Refuse a dense array of scores that is too large, where there is another way to have them."""
    if n_labels == 1:
        return
    n_bytes = n_rows * n_labels * np.dtype(np.float32).itemsize
    limit = most_dense_bytes()
    if n_bytes > limit:
        raise ValueError(
            f"the scores of {n_rows:,} rows for {n_labels:,} labels would take "
            f"{n_bytes / 1e9:.3g} GB as a dense array, and may take {limit / 1e9:.3g} GB: give predict_proba "
            "sparse=True or top_k, or predict fewer rows at a time"
        )


def check_dense_scores_of(X: Any, n_labels: int) -> None:
    """Refuse dense scores of rows that are too many, before any row is encoded."""
    refuse_lazy(X, "X")
    if isinstance(X, (list, tuple)) or getattr(X, "shape", None):
        check_dense_scores(n_rows_of(X), n_labels)


def most_dense_bytes() -> int:
    """Return how many bytes a dense array of scores may take: 4 GiB, or half of the machine's memory."""
    try:
        physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # not known on this system
        physical = 0
    return max(_ALWAYS_ALLOWED, physical // 2)
