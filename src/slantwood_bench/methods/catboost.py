"""Gradient boosting by CatBoost, which takes nominal columns as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slantwood.task_names import CLASS_TASKS, HIERARCHICAL, LABEL_TASKS, NUMBER_TASKS
from slantwood_bench.methods.base import Method
from slantwood_bench.methods.boosted_targets import targets_of
from slantwood_bench.methods.lightgbm import as_matrix
from slantwood_bench.methods.tuning import Setting

if TYPE_CHECKING:
    from slantwood_bench.problems import Problem

# Rounds for each tree that others have: for 50 trees 1000, CatBoost's default. Leaves with several values
# cost more, so that there are 200, and 100 of labels or more than ten classes, which cost the most.
_ROUNDS, _ROUNDS_OF_SEVERAL, _ROUNDS_OF_MANY = 20, 4, 2
_MANY_CLASSES = 10
# For several numbers CatBoost has no rule of its own that fits the rate to the number of rounds.
_RATE_OF_SEVERAL = 0.1
_BORDERS_OF_SEVERAL = 32


class CatBoost(Method):
    """CatBoost's defaults, with its own learning rate for the number of rounds; no rows are held out.

    Several numbers, classes and labels are learned by trees whose leaves have a value for each (MultiRMSE,
    MultiClass and MultiLogloss), numbers in units of their standard deviations, with fewer rounds (for
    50 trees of others 200, or 100 of labels or more than ten classes, where one output has 1000) and borders.
    A missing nominal cell is a category of its own.
    """

    # Not for hierarchies in the study: with 56 labels and 1,000 sparse features, a round takes seconds.
    tasks = (*NUMBER_TASKS, *CLASS_TASKS, "multi-label")
    more_tasks = (HIERARCHICAL,)
    package = "catboost"
    installed_by = "slantwood[bench]"
    reads_tables = True
    takes_missing = True

    def fit(self, rows: Problem) -> None:
        """Boost on all rows."""
        import catboost

        self._numbers, self._targets = rows.task in NUMBER_TASKS, targets_of(rows.task, rows.y)
        self._one_label = rows.task in LABEL_TASKS and self._targets.n_outputs == 1
        if not self._targets.n_outputs:
            return
        several = self._targets.n_outputs > (2 if rows.task in CLASS_TASKS else 1)
        given: Setting = {
            "iterations": self.n_trees * _rounds(rows.task, self._targets.n_outputs, several),
            "loss_function": _loss(rows.task, several),
            "random_seed": self.seed,
            "thread_count": self.threads,
            "allow_writing_files": False,
            "verbose": False,
        }
        if several:
            given |= {"border_count": _BORDERS_OF_SEVERAL}
        if several and self._numbers:
            given |= {"learning_rate": _RATE_OF_SEVERAL}
        X, y = readable(rows.X), self._targets.encode(rows.y)
        make = catboost.CatBoostRegressor if self._numbers else catboost.CatBoostClassifier
        self.model = make(**given | self.changes)
        self.model.fit(X, y if self._numbers else y.astype(np.int32), cat_features=nominal(X))

    def predict(self, X: Any) -> np.ndarray:
        """Return classes, numbers, or probabilities of labels."""
        if self.model is None:
            return self._targets.decode(np.zeros((X.shape[0], 0)))
        predict = self.model.predict if self._numbers else self.model.predict_proba
        outputs = predict(readable(X), thread_count=self.threads).reshape(X.shape[0], -1)
        # Of a single label, too, there are the probabilities of 0 and of 1.
        return self._targets.decode(outputs[:, 1:] if self._one_label else outputs)

    def nodes(self) -> int:
        """Return the number of nodes of all trees, leaves included, each with a test of its own."""
        return 0 if self.model is None else int((2 * self.model.get_tree_leaf_counts() - 1).sum())


def _rounds(task: str, n_outputs: int, several: bool) -> int:
    if not several:
        return _ROUNDS
    many = task in LABEL_TASKS or (task in CLASS_TASKS and n_outputs > _MANY_CLASSES)
    return _ROUNDS_OF_MANY if many else _ROUNDS_OF_SEVERAL


def _loss(task: str, several: bool) -> str:
    if task in NUMBER_TASKS:
        return "MultiRMSE" if several else "RMSE"
    if not several:
        return "Logloss"
    return "MultiClass" if task in CLASS_TASKS else "MultiLogloss"


def nominal(X: Any) -> list[Any]:
    """Return the names of the nominal columns of a table."""
    return [name for name in X.columns if X[name].dtype.kind not in "fiub"] if hasattr(X, "columns") else []


def readable(X: Any) -> Any:
    """Return a table with text, empty where it is missing, in nominal columns; or a matrix as it is taken."""
    if not hasattr(X, "columns"):
        return as_matrix(X)
    texts = {name: X[name].astype(object).where(X[name].notna(), "").astype(str) for name in nominal(X)}
    return X.assign(**texts)
