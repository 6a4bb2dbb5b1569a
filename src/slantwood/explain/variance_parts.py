"""How far what a model says of a row is spread: between its trees, and within their leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from slantwood.estimators.dense_scores import check_dense_scores
from slantwood.estimators.names import output_names
from slantwood.explain.models import check_model
from slantwood.explain.training_rows import training_rows
from slantwood.explain.tree_values import leaf_values
from slantwood.features.matrix import to_array
from slantwood.hints import pluralize
from slantwood.task_names import CLASS_TASKS, NUMBER_TASKS

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Spread:
    """The variance of a training row that is drawn from a leaf of a row, in a tree that is drawn before.

    Parameters
    ----------
    between_trees : array of shape (n_rows, n_outputs)
        The part that is there because trees differ: what more rows to learn from would lower.
    within_leaves : array of shape (n_rows, n_outputs)
        The part that is there because rows of the same leaf differ: what the features do not tell.
    names : tuple of str
        Names of the outputs: numbers, classes or labels.

    Examples
    --------
    >>> import numpy as np
    >>> from slantwood.explain import Spread
    >>> Spread(np.array([[1.0]]), np.array([[3.0]]), ("price",)).total.tolist()
    [[4.0]]
    """

    between_trees: np.ndarray
    within_leaves: np.ndarray
    names: tuple[str, ...]

    @property
    def total(self) -> np.ndarray:
        """The whole variance: the sum of the two parts."""
        return self.between_trees + self.within_leaves

    def to_frame(self) -> pd.DataFrame:
        """Return the parts as a table; needs pandas.

        Returns
        -------
        pandas.DataFrame
            A row for each row, and for each output, below its name, the columns between_trees and
            within_leaves.

        Examples
        --------
        >>> import numpy as np
        >>> from slantwood.explain import Spread
        >>> Spread(np.array([[1.0]]), np.array([[3.0]]), ("price",)).to_frame()["price"]
           between_trees  within_leaves
        0            1.0            3.0
        """
        import pandas as pd

        parts = ("between_trees", "within_leaves")
        columns = pd.MultiIndex.from_tuples([(name, part) for name in self.names for part in parts])
        values = np.stack([self.between_trees, self.within_leaves], axis=2)
        return pd.DataFrame(values.reshape(len(values), -1), columns=columns)

    def __repr__(self) -> str:
        n_rows, n_outputs = self.between_trees.shape
        return f"Spread({pluralize(n_rows, 'row')}, {pluralize(n_outputs, 'output')})"


def spread(
    model: Any, X: Any, X_train: Any = None, y_train: Any = None, *, sample_weight: Any = None
) -> Spread:
    """Split the variance of what a tree or forest says of rows into the parts of trees and of data.

    Parameters
    ----------
    model : estimator
        A fitted tree or forest. The smaller its leaves are, the less is within them: leaves of single rows
        have no spread, and trees that follow the noise differ by it.
    X : array, sparse matrix or data frame of shape (n_rows, n_features)
        Rows.
    X_train, y_train : array or data frame, optional
        Of models of numbers the rows of `fit`, in the same order: leaves keep means, and not how far their
        rows are from these. Models of classes and labels know it without.
    sample_weight : array of shape (n_train,), optional
        The weights of the training rows in `fit`, if there were any.

    Returns
    -------
    Spread
        Variances, of numbers in squared units. Of a class or label of probability p they add up to p (1 - p),
        where p is the mean over the trees, before class weights.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from slantwood import ObliqueForestClassifier
    >>> from slantwood.explain import spread
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ObliqueForestClassifier(n_estimators=10, random_state=0).fit(X, y)
    >>> p, found = forest.predict_proba(X), spread(forest, X)
    >>> bool(abs(found.total - p * (1 - p)).max() < 1e-6)
    True
    """
    check_model(model, "the spread of predictions")
    if model.forest_.additive is not None:
        raise ValueError(
            "the trees of a boosted model add up, and do not predict alone; fit a forest, or use conformal"
        )
    is_number = model.targets_.task in NUMBER_TASKS
    if is_number and (X_train is None or y_train is None):
        raise ValueError(
            "the leaves of a model of numbers keep means only: give X_train and y_train, the rows of fit"
        )
    encoded, predictor, trees = model.encode_features(X), model._predictor, model.trees_
    nodes = predictor.leaves(encoded)
    check_dense_scores(len(nodes), trees.leaves.n_columns)
    within_leaf = _within_leaves(model, X_train, y_train, sample_weight) if is_number else None
    between, within = (np.empty((len(nodes), trees.leaves.n_columns)) for _ in range(2))
    for rows, values in leaf_values(predictor, encoded, nodes):
        between[rows] = values.var(axis=1)
        in_leaf = values * (1.0 - values) if within_leaf is None else within_leaf[trees.leaf[nodes[rows]]]
        within[rows] = in_leaf.mean(axis=1)
    names = output_names(model)
    if is_number:
        unit = model.targets_.scale**2
        between, within = between * unit, within * unit
    elif model.targets_.task in CLASS_TASKS and between.shape[1] < len(names):  # p (1 - p) is that of both
        between, within = (np.repeat(part, len(names), axis=1) for part in (between, within))
    return Spread(between, within, names)


def _within_leaves(model: Any, X: Any, y: Any, sample_weight: Any) -> np.ndarray:
    """Return the variance of the training rows of each leaf about its mean, in units of leaves."""
    rows, predictor = training_rows(model, X, y, sample_weight), model._predictor
    means = to_array(model.trees_.leaves)
    means = means.toarray() if hasattr(means, "toarray") else means
    found = np.zeros(means.shape)
    for index in range(rows.n_trees):
        tree = rows.tree(index)
        leaf = tree.trees.leaf[tree.leaf_nodes]
        weight = (rows.weights * tree.counts)[:, None] * ~np.isnan(rows.Y)
        said = means[leaf] if predictor.forest.slopes is None else _said(predictor, rows, index)
        squares = weight * np.nan_to_num(rows.Y - said.astype(np.float64)) ** 2
        for target in range(means.shape[1]):
            total = np.bincount(leaf, weight[:, target], len(means))
            added = np.bincount(leaf, squares[:, target], len(means))
            found[:, target] += added / np.where(total > 0, total, 1.0)
    return found


def _said(predictor: Any, rows: Any, index: int) -> np.ndarray:
    """Return what a tree says of the training rows, of which leaves with slopes say more than one thing."""
    nodes = np.ascontiguousarray(rows.leaf_nodes[:, index : index + 1])
    return predictor.tree_values(rows.X, nodes)[:, 0]
