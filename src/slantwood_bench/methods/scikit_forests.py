"""Forests of scikit-learn, and of libraries with its interface."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import scipy.sparse as sp

from slantwood.task_names import LABEL_TASKS, NUMBER_TASKS
from slantwood_bench.methods.base import Method, dense

if TYPE_CHECKING:
    from slantwood_bench.problems import Problem


class ScikitForest(Method):
    """A forest with the defaults of its library, except for `parameters`.

    Missing values are left to the trees. These take them in dense X only, so sparse X with such values is
    made dense.

    Attributes
    ----------
    module, classes, numbers : str
        Where the estimators of classes and of numbers are, and how they are called.
    parameters : mapping
        Parameters that are not left at their defaults.
    takes_sparse : bool
        Whether X may be sparse; otherwise it is made dense.
    """

    package = "sklearn"
    distribution = "scikit-learn"
    takes_missing = True
    module: ClassVar[str] = "sklearn.ensemble"
    classes: ClassVar[str]
    numbers: ClassVar[str]
    parameters: ClassVar[Mapping[str, Any]] = {}
    takes_sparse: ClassVar[bool] = True

    def fit(self, rows: Problem) -> None:
        """Fit the forest on dense targets."""
        name = self.numbers if rows.task in NUMBER_TASKS else self.classes
        given = {"n_estimators": self.n_trees, "n_jobs": self.threads, "random_state": self.seed}
        y = dense(rows.y)
        self._task, self._side_by_side = rows.task, y.ndim == 2
        make = getattr(import_module(self.module), name)
        # A single column has to come as a vector.
        y = y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y
        self.model = make(**{**given, **self.parameters, **self.changes}).fit(self.readable(rows.X), y)

    def predict(self, X: Any) -> np.ndarray:
        """Return classes, numbers, or probabilities of labels."""
        X = self.readable(X)
        if self._task in LABEL_TASKS:
            return label_probabilities(self.model, X)
        predicted = self.model.predict(X)
        return predicted.reshape(len(predicted), -1) if self._side_by_side else predicted

    def nodes(self) -> int:
        """Return the number of nodes of all trees, leaves included."""
        return sum(tree.tree_.node_count for tree in self.model.estimators_)

    def readable(self, X: Any) -> Any:
        """Return X as the library takes it."""
        if sp.issparse(X) and (not self.takes_sparse or np.isnan(X.data).any()):
            return dense(X)
        return X


def label_probabilities(model: Any, X: Any) -> np.ndarray:
    """Return the probability of each label from a classifier that gives those of 0 and 1 for each."""
    probabilities, classes = model.predict_proba(X), model.classes_
    if not isinstance(probabilities, list):
        probabilities, classes = [probabilities], [classes]
    # A label with one value in training has one column, of ones, for that value.
    pairs = zip(probabilities, classes, strict=True)
    return np.column_stack([each @ np.asarray(values, float) for each, values in pairs])
