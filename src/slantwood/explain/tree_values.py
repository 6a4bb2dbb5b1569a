"""What single trees say of numbers: how far the trees of a forest differ about a row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

# Values of leaves that are looked up in one go.
_CELLS = 1 << 21


class Chunk(NamedTuple):
    """A few rows, and what each tree says of them."""

    rows: slice
    values: np.ndarray  # float64 of shape (n_rows, n_trees, n_columns), in units of leaves


def leaf_values(predictor: Any, X: Any, nodes: np.ndarray) -> Iterator[Chunk]:
    """Yield what the leaves that rows reach say, for a few rows at a time.

    Parameters
    ----------
    predictor : Predictor
        Has the trees.
    X : array or CSR array
        The encoded rows.
    nodes : array of int of shape (n_rows, n_trees)
        The node that each row reaches in each tree.
    """
    step = max(1, _CELLS // (nodes.shape[1] * predictor.forest.trees.leaves.n_columns))
    for start in range(0, len(nodes), step):
        rows = slice(start, start + step)
        yield Chunk(rows, predictor.tree_values(X[rows], nodes[rows]).astype(np.float64))


def variance_between(
    predictor: Any, X: Any, nodes: np.ndarray, tree_mask: np.ndarray | None = None
) -> np.ndarray:
    """Return the variance between the trees that have a say, as one expects it of many trees.

    Parameters
    ----------
    predictor : Predictor
        Has the trees.
    X : array or CSR array
        The encoded rows.
    nodes : array of int of shape (n_rows, n_trees)
        The node that each row reaches in each tree.
    tree_mask : array of bool of shape (n_rows, n_trees), optional
        Which trees have a say on which row; by default all.

    Returns
    -------
    float64 array of shape (n_rows, n_columns)
        Squared deviations from their mean, divided by one less than there are trees; NaN of a single tree.
    """
    mask = np.ones(nodes.shape, np.bool_) if tree_mask is None else tree_mask
    found = np.empty((len(nodes), predictor.forest.trees.leaves.n_columns))
    for rows, values in leaf_values(predictor, X, nodes):
        say = mask[rows, :, None]
        count = say.sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = (values * say).sum(axis=1) / count
            squares = ((values - mean[:, None]) ** 2 * say).sum(axis=1)
            found[rows] = np.where(count > 1, squares / (count - 1), np.nan)
    return found
