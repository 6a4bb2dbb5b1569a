"""Training rows that a model holds for alike, as evidence for what it predicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from slantwood.estimators.tree_models import check_tree_model
from slantwood.explain.proximity import proximities
from slantwood.explain.truth import NO_CLASS, LabelTruth, truth_of
from slantwood.hints import pluralize
from slantwood.task_names import CLASS_TASKS, NUMBER_TASKS, SEVERAL_TASKS
from slantwood.validation import check_integer

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Neighbours:
    """The training rows that are nearest to some rows.

    Parameters
    ----------
    rows : array of int of shape (n_rows, k)
        Positions of the training rows, the nearest first; -1 where fewer share any leaf.
    proximity : array of shape (n_rows, k)
        The share of the trees in which they share a leaf; 0 where there is none.
    y : array of object of shape (n_rows, k)
        What they are: a class, a number, or a tuple of labels (of a hierarchy the most specific ones) or of
        numbers; None where there is none or it is not known.

    Examples
    --------
    >>> import numpy as np
    >>> from slantwood.explain import Neighbours
    >>> found = Neighbours(np.array([[7, 3]]), np.array([[0.8, 0.5]]), np.array([["oak", "elm"]], object))
    >>> found
    Neighbours(1 row, 2 neighbours each)
    """

    rows: np.ndarray
    proximity: np.ndarray
    y: np.ndarray

    def to_frame(self) -> pd.DataFrame:
        """Return the neighbours as a table; needs pandas.

        Returns
        -------
        pandas.DataFrame
            A row for each neighbour, with the columns "row", "neighbour", "proximity" and "y".

        Examples
        --------
        >>> import numpy as np
        >>> from slantwood.explain import Neighbours
        >>> found = Neighbours(np.array([[7, 3]]), np.array([[0.8, 0.5]]), np.array([["oak", "elm"]], object))
        >>> found.to_frame()
           row  neighbour  proximity    y
        0    0          7        0.8  oak
        1    0          3        0.5  elm
        """
        import pandas as pd

        row, place = np.nonzero(self.rows >= 0)
        columns = {"row": row, "neighbour": self.rows[row, place], "proximity": self.proximity[row, place]}
        return pd.DataFrame(columns | {"y": self.y[row, place].tolist()})

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"Neighbours({pluralize(len(self), 'row')}, {pluralize(self.rows.shape[1], 'neighbour')} each)"


def neighbours(model: Any, X: Any, X_train: Any, y_train: Any, k: int = 5) -> Neighbours:
    """Find the training rows that are most alike some rows to a model, and what they are.

    Parameters
    ----------
    model : estimator
        A fitted tree, forest or boosted model of slantwood, of any task.
    X : array, sparse matrix or data frame of shape (n_rows, n_features)
        Rows.
    X_train : array, sparse matrix or data frame of shape (n_train, n_features)
        Rows to find neighbours among: those of `fit`, or others.
    y_train : array, sparse matrix, data frame or label sets
        Their targets, in a form that `fit` takes.
    k : int, default=5
        How many for each row.

    Returns
    -------
    Neighbours
        By `proximities`; of rows that are as near, those that come first. Where there are fewer than k rows
        in the leaves of a row, fewer.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from slantwood import ObliqueForestClassifier
    >>> from slantwood.explain import neighbours
    >>> iris = load_iris()
    >>> X, y = iris.data, iris.target_names[iris.target]
    >>> forest = ObliqueForestClassifier(n_estimators=10, random_state=0).fit(X[::2], y[::2])
    >>> neighbours(forest, X[1:2], X[::2], y[::2], k=3).y.tolist()
    [['setosa', 'setosa', 'setosa']]
    """
    check_tree_model(model)
    near = proximities(model, X, X_train, top_k=check_integer("k", k, 1))
    n_rows, n_train = near.shape
    row = np.repeat(np.arange(n_rows), np.diff(near.indptr))
    order = np.lexsort((near.indices, -near.data, row))
    place = np.arange(len(order)) - near.indptr[row]
    rows, proximity = np.full((n_rows, k), -1), np.zeros((n_rows, k))
    rows[row, place], proximity[row, place] = near.indices[order], near.data[order]
    used, position = np.unique(rows[rows >= 0], return_inverse=True)
    y = np.full((n_rows, k), None, object)
    y[rows >= 0] = _evidence(model, y_train, n_train, used)[position]
    return Neighbours(rows, proximity, y)


def _evidence(model: Any, y: Any, n_rows: int, used: np.ndarray) -> np.ndarray:
    """Return what some rows are, each as one object."""
    task, found = model.targets_.task, np.full(len(used), None, object)
    if task in SEVERAL_TASKS:
        given = np.asarray(y, object)
        if len(given) != n_rows:
            raise ValueError(f"y has {len(given)} rows, and X_train {n_rows}; give as many")
        found[:] = [tuple(row) for row in given[used].tolist()]
        return found
    truth = truth_of(model, y, n_rows)
    if isinstance(truth, LabelTruth):
        names = model.classes_.tolist()
        chosen, hierarchy = sp.csr_array(truth.indicator[used], dtype=np.int8), model.targets_.hierarchy
        if hierarchy is not None:  # the others follow from these
            chosen = sp.csr_array(hierarchy.most_specific(chosen))
            chosen.eliminate_zeros()
        parts = np.split(chosen.indices, chosen.indptr[1:-1])
        found[:] = [tuple(names[j] for j in sorted(part.tolist())) for part in parts]
    elif task in CLASS_TASKS:
        names = [*model.classes_.tolist(), None]  # None for a class that the model does not know
        found[:] = [None if code == NO_CLASS else names[code] for code in truth[used]]
    elif task in NUMBER_TASKS:
        numbers = truth[used].tolist()
        found[:] = [row[0] if len(row) == 1 else tuple(row) for row in numbers]
    return found
