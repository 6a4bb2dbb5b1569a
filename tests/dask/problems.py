"""Small problems of each kind, as local rows and as dask collections of the same rows."""

from typing import Any, NamedTuple

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.datasets import make_classification, make_multilabel_classification, make_regression

from slantwood import Hierarchy, ObliqueForestClassifier, ObliqueForestRegressor
from slantwood.dask import DaskObliqueForestClassifier, DaskObliqueForestRegressor
from slantwood.estimators.parts.agreement import agree
from slantwood.estimators.parts.glimpses import glimpse
from slantwood.estimators.parts.memory import bytes_of_a_row_in_a_worker
from slantwood.estimators.parts.part_of_rows import PartOfRows

ROWS, BLOCK = 240, 70
HIERARCHY = Hierarchy.from_paths(["a/b", "a/c", "d"])


class Problem(NamedTuple):
    X: Any
    y: Any
    dask_X: Any
    dask_y: Any
    is_number: bool = False
    parameters: dict[str, Any] = {}  # noqa: RUF012

    @property
    def in_halves(self):
        """Parameters by which each of two workers holds half of the rows."""
        seen = glimpse(PartOfRows(self.X, self.y, None), ROWS, 0, are_classes=not self.is_number)
        agreement = agree(self.local(), [seen])
        of_row = bytes_of_a_row_in_a_worker(agreement.bytes_per_row, 1, agreement.of_thread)
        return {"mode": "partition", "max_memory": int(0.7 * ROWS * of_row)}

    def on_cluster(self, **given):
        kind = DaskObliqueForestRegressor if self.is_number else DaskObliqueForestClassifier
        return kind(8, random_state=0, **self.parameters, **given)

    def local(self, **given):
        kind = ObliqueForestRegressor if self.is_number else ObliqueForestClassifier
        return kind(8, random_state=0, **self.parameters, **given)


def blocks(table):
    """Return rows as a dask array or frame; of a sparse matrix, blocks are sparse."""
    if sp.issparse(table):
        dense = da.from_array(table.toarray(), chunks=(BLOCK, -1))
        return dense.map_blocks(sp.csr_array, dtype=table.dtype, meta=sp.csr_array((0, 0), dtype=table.dtype))
    if isinstance(table, np.ndarray):
        return da.from_array(table, chunks=(BLOCK, *table.shape[1:]))
    return dd.from_pandas(table, npartitions=4, sort=False)


def classes():
    X, y = make_classification(ROWS, 12, n_informative=5, n_classes=3, random_state=0)
    order = np.argsort(y, kind="stable")  # each class lies in some blocks only
    return Problem(X[order], y[order], blocks(X[order]), blocks(y[order]))


def numbers():
    X, y = make_regression(ROWS, 10, n_targets=2, random_state=0)
    X[::7, 3] = np.nan
    return Problem(X, y, blocks(X), blocks(y), True)


def sparse_labels():
    X, Y = make_multilabel_classification(ROWS, 30, n_classes=8, random_state=0)
    X, Y = sp.csr_array(X.astype(np.float32)), sp.csr_array(Y)
    return Problem(X, Y, blocks(X), blocks(Y))


def hierarchy():
    X, y = make_classification(ROWS, 8, n_informative=5, n_classes=3, random_state=0)
    Y = HIERARCHY.closure(np.eye(4, dtype=int)[np.array([1, 2, 3])[y]])
    return Problem(X, Y, blocks(X), blocks(Y), parameters={"hierarchy": HIERARCHY})


def frame():
    rng = np.random.default_rng(0)
    tree = np.array(["ash", "elm", "oak", "yew"])[np.sort(rng.integers(0, 4, ROWS))]
    X = pd.DataFrame({"tree": tree, "height": rng.normal(size=ROWS), "age": rng.normal(size=ROWS)})
    X.loc[X.index[::5], "age"] = np.nan
    y = pd.Series(np.where((tree == "yew") | (X["height"] > 0.5), "rare", "usual"), name="kind")
    return Problem(X, y, blocks(X), blocks(y))


PROBLEMS = {make.__name__: make for make in (classes, numbers, sparse_labels, hierarchy, frame)}


def same_trees(one, other):
    """Tell whether two forests are the same to the bit."""
    arrays = zip(
        (*one.trees_[:-1], *one.trees_.leaves), (*other.trees_[:-1], *other.trees_.leaves), strict=True
    )
    return all(np.array_equal(a, b) for a, b in arrays)
