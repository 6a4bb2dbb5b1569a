"""Rows that lie on disk, or in large frames, predicted a block at a time: no copy of all is ever made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.features.frames import is_frame
from slantwood.features.lazy import refuse_lazy
from slantwood.features.rows import join_rows, n_rows_of, slice_rows

# Of the cells of a block, in single precision: large enough for all threads, and little beside a model.
_BLOCK_BYTES = 1 << 26


def lies_on_disk(X: Any) -> bool:
    """Tell whether an array, or what a CSR matrix stores, is mapped from a file.

    Examples
    --------
    >>> import numpy as np
    >>> lies_on_disk(np.zeros(3))
    False
    """
    array = X.data if sp.issparse(X) and X.format == "csr" else X
    while isinstance(array, np.ndarray):
        if isinstance(array, np.memmap):
            return True
        array = array.base
    return False


def blocks_of_rows(X: Any) -> Iterator[Any]:
    """Yield the rows to predict: all at once, of many on disk or in a frame a block at a time.

    Parameters
    ----------
    X : object
        Features in any form.

    Yields
    ------
    object
        Rows in the form of X.

    Examples
    --------
    >>> import numpy as np
    >>> [block.shape for block in blocks_of_rows(np.ones((3, 2)))]
    [(3, 2)]
    """
    refuse_lazy(X, "X")
    step = _rows_at_once(X, _BLOCK_BYTES)
    if step is None:
        yield X
        return
    n_rows = n_rows_of(X)
    for start in range(0, n_rows, step):
        yield slice_rows(X, start, min(start + step, n_rows))


def over_blocks(work: Callable[[Any], Any], X: Any) -> Any:
    """Return what `work` says of all rows, an array, CSR array or list; of many on disk, block by block.

    Parameters
    ----------
    work : callable
        Takes rows; returns an array, CSR array or list with a row for each.
    X : object
        Features in any form.

    Returns
    -------
    array, CSR array or list
        The results below one another.

    Examples
    --------
    >>> import numpy as np
    >>> over_blocks(lambda rows: rows.sum(axis=1), np.ones((3, 2)))
    array([2., 2., 2.])
    """
    return join_rows([work(rows) for rows in blocks_of_rows(X)])


def _rows_at_once(X: Any, block_bytes: int) -> int | None:
    """Return how many rows make a block; None where all are taken at once."""
    shape: Any = getattr(X, "shape", ())
    if len(shape) != 2 or not shape[0] or not (lies_on_disk(X) or is_frame(X)):
        return None
    row_bytes = 8 * X.nnz / shape[0] if sp.issparse(X) else 4 * shape[1]
    step = max(int(block_bytes / max(row_bytes, 1)), 1)
    return step if step < shape[0] else None
