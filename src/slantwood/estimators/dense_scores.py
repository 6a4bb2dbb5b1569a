"""Whether the scores of all labels may be made as one dense array: asked before memory is taken for it."""

import os

import numpy as np

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


def most_dense_bytes() -> int:
    """Return how many bytes a dense array of scores may take: 4 GiB, or half of the machine's memory."""
    try:
        physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # not known on this system
        physical = 0
    return max(_ALWAYS_ALLOWED, physical // 2)
