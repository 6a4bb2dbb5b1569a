"""Features of the noise experiment: the real ones, and as many of noise.

A column of noise is a real column with its rows in random order, each column in an order of its own: the same
values and as many zeros, and no relation to the targets or to another column.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp


def with_noise(X: Any, seed: int) -> Any:
    """Put as many columns of noise to the right of the columns of X.

    Parameters
    ----------
    X : ndarray or SciPy sparse matrix of shape (n_rows, n_features)
        Numbers; NaN stands for a missing value and moves with the others.
    seed : int
        The same seed gives the same noise, whether X is dense or sparse.

    Returns
    -------
    ndarray or csr_array of shape (n_rows, 2 * n_features)
        Dense or CSR as X is, of the same type of numbers. Memory for CSR is proportional to the non-zeros.

    Examples
    --------
    >>> import numpy as np
    >>> with_noise(np.array([[1, 0], [2, 0], [3, 4]]), seed=0).shape
    (3, 4)
    """
    if getattr(X, "ndim", None) != 2 or not (sp.issparse(X) or isinstance(X, np.ndarray)):
        raise ValueError(
            f"X is a {type(X).__name__} of shape {getattr(X, 'shape', None)}; expected a 2-D array or sparse "
            "matrix of numbers: encode data frames first"
        )
    return _sparse_with_noise(X, seed) if sp.issparse(X) else _dense_with_noise(X, seed)


def _dense_with_noise(X: np.ndarray, seed: int) -> np.ndarray:
    n_rows, n_features = X.shape
    both = np.zeros((n_rows, 2 * n_features), X.dtype)
    both[:, :n_features] = X
    counts = np.count_nonzero(X, axis=0)
    for feature, places in enumerate(_random_rows(n_rows, counts, seed)):
        column = X[:, feature]
        both[places, n_features + feature] = column[column != 0]
    return both


def _sparse_with_noise(X: Any, seed: int) -> sp.csr_array:
    real = sp.csr_array(X)
    noise = sp.csc_array(real, copy=True)
    noise.sum_duplicates()
    noise.eliminate_zeros()
    places = list(_random_rows(X.shape[0], np.diff(noise.indptr), seed))
    if places:
        noise.indices = np.concatenate(places).astype(noise.indices.dtype)
        noise.has_sorted_indices = False
    return sp.hstack([real, noise], format="csr", dtype=X.dtype)


def _random_rows(n_rows: int, counts: Iterable[int], seed: int) -> Iterator[np.ndarray]:
    """Yield for each column the new rows of its values that are not zero, which stand in order of row.

    Where the zeros go needs no draw, so that the work is that of the others.
    """
    rng = np.random.default_rng(seed)
    for count in counts:
        yield rng.choice(n_rows, count, replace=False)
