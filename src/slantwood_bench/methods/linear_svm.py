"""Linear support vector machines, the baseline without trees, tuned as in the paper."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from slantwood.task_names import CLASS_TASKS, LABEL_TASKS
from slantwood_bench.methods.base import OTHER, Method, dense
from slantwood_bench.methods.one_per_target import OnePerTarget, learn_each
from slantwood_bench.methods.tuning import Setting, best_setting, grid

if TYPE_CHECKING:
    from slantwood_bench.problems import Problem

_CHOICES = {"C": (0.1, 1, 10, 100, 1000)}


class Hyperplane(NamedTuple):
    """A linear function."""

    weights: np.ndarray
    intercept: float

    def predict(self, X: Any) -> np.ndarray:
        """Return its value for each row."""
        return X @ self.weights + self.intercept


class Scaled(NamedTuple):
    """A model of standardised features."""

    scaler: Any
    model: OnePerTarget

    def predict(self, X: Any) -> np.ndarray:
        """Return predictions in the shape of the targets; of labels, the values of the hyperplanes."""
        return self.model.predict(self.scaler.transform(X.astype(np.float64)))


class LinearSVM(Method):
    """LinearSVC and LinearSVR of scikit-learn: one for each label, number, or class against the others.

    The paper says no more than that and the values of C, one of which is chosen for all machines as the one
    that predicts 20 % of the rows best. What follows is ours. Features are standardised, where X is sparse
    without centring, and so are numbers that are predicted. Losses are the squared ones, with which the
    optimisers end in reasonable time most often; where one does not, its last step counts, and its warning is
    silenced. A label that all training rows have, or none, scores 1 or -1 everywhere, as a machine would that
    saw only such rows.
    """

    group = OTHER
    package = "sklearn"
    distribution = "scikit-learn"

    def fit(self, rows: Problem) -> None:
        """Choose C and learn with it from all rows."""
        from sklearn.exceptions import ConvergenceWarning

        with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
            self.setting = best_setting(rows, grid(_CHOICES, self.changes), self._learn, self.seed)
            self.model = self._learn(rows, self.setting)

    def predict(self, X: Any) -> np.ndarray:
        """Return classes, numbers, or scores of labels."""
        return self.model.predict(X)

    def _learn(self, rows: Problem, setting: Setting) -> Scaled:
        from sklearn.preprocessing import StandardScaler

        scaler = StandardScaler(with_mean=not sp.issparse(rows.X))
        X = scaler.fit_transform(rows.X.astype(np.float64))
        # What scikit-learn chooses by itself, from version to version, with dual="auto".
        given = {"dual": X.shape[0] < X.shape[1], "random_state": self.seed} | setting
        # The solvers of the dual draw from random numbers that all threads share.
        threads = 1 if given["dual"] else self.threads
        if rows.task in CLASS_TASKS:
            return Scaled(scaler, learn_each(rows.y, lambda column: _machine(X, column, given)))
        if rows.task in LABEL_TASKS:
            signs = np.where(dense(rows.y) > 0, np.int8(1), np.int8(-1))
            return Scaled(scaler, learn_each(signs, lambda column: _separator(X, column, given), threads))
        return Scaled(scaler, learn_each(rows.y, lambda column: _regression(X, column, given), threads))


def _machine(X: Any, y: np.ndarray, given: Setting) -> Any:
    from sklearn.svm import LinearSVC

    return LinearSVC(**given).fit(X, y)


def _separator(X: Any, signs: np.ndarray, given: Setting) -> Hyperplane:
    machine = _machine(X, signs, given)
    return Hyperplane(machine.coef_[0], float(machine.intercept_[0]))


def _regression(X: Any, y: np.ndarray, given: Setting) -> Hyperplane:
    from sklearn.svm import LinearSVR

    centre, scale = float(y.mean()), float(y.std())
    machine = LinearSVR(loss="squared_epsilon_insensitive", **given).fit(X, (y - centre) / scale)
    return Hyperplane(scale * machine.coef_, scale * float(np.ravel(machine.intercept_)[0]) + centre)
