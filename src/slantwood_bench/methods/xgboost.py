"""Gradient boosting by XGBoost, with one tree for all targets."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from slantwood.task_names import CLASS_TASKS, HIERARCHICAL, LABEL_TASKS, NUMBER_TASKS
from slantwood_bench.methods.base import Method
from slantwood_bench.methods.boosted_targets import Classes, Columns, targets_of
from slantwood_bench.methods.lightgbm import as_matrix
from slantwood_bench.methods.tuning import Setting, best_setting

if TYPE_CHECKING:
    from slantwood_bench.problems import Problem

# Numbers of rounds that are tried, up to the largest that a fit may have.
_ROUNDS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 70, 100, 150, 200, 300, 500, 700, 1000)
# Histograms have a column for each label: with 174 of them, 256 bins take ten times as long.
_LABEL_BINS = 32


class Boosted(NamedTuple):
    """The first rounds of a booster; there is none where nothing could be learned."""

    booster: Any
    targets: Classes | Columns
    rounds: int

    def predict(self, X: Any) -> np.ndarray:
        """Return classes, numbers, or probabilities of labels."""
        if self.booster is None:
            return self.targets.decode(np.zeros((X.shape[0], 0)))
        outputs = self.booster.inplace_predict(X, iteration_range=(0, self.rounds))
        outputs = outputs.reshape(X.shape[0], -1)
        if isinstance(self.targets, Classes) and outputs.shape[1] == 1:
            # With two classes there is only the probability of the second.
            outputs = np.column_stack([1 - outputs, outputs])
        return self.targets.decode(outputs)


class XGBoost(Method):
    """XGBoost's defaults with as many rounds as predict a fifth of the rows best, as its makers advise.

    There are at most twice as many rounds as others have trees, so 100, the default, for 50 trees; with
    several targets as many as others have trees. The number is chosen by the measure of the task, and then
    all rows are learned from. Several numbers or labels are learned by trees whose leaves have a value for
    each (``multi_strategy="multi_output_tree"``), numbers in units of their standard deviations; of classes
    each round has a tree for each, the default. Cells that a sparse matrix does not store are missing to
    XGBoost, not 0. Nominal columns arrive as 0 and 1: trees with such leaves take no others yet.
    """

    # Not for hierarchies in the study: with 500 labels, a round of 2,500 rows takes seconds.
    tasks = (*NUMBER_TASKS, *CLASS_TASKS, "multi-label")
    more_tasks = (HIERARCHICAL,)
    package = "xgboost"
    installed_by = "slantwood[bench]"
    takes_missing = True

    def fit(self, rows: Problem) -> None:
        """Choose the number of rounds on rows set aside, and boost on all."""
        rows = rows._replace(X=as_matrix(rows.X))
        several = rows.task not in CLASS_TASKS and rows.y.ndim == 2
        most = self.changes.get("num_boost_round", self.n_trees * (1 if several else 2))
        longest: list[Boosted] = []

        def first_rounds(part: Problem, setting: Setting) -> Boosted:
            # Fewer rounds are the first ones of the most: one booster serves all numbers.
            if not longest:
                longest.append(self._learn(part, most))
            return longest[0]._replace(**setting)

        settings = [{"rounds": most}, *({"rounds": rounds} for rounds in _ROUNDS if rounds < most)]
        self.setting = best_setting(rows, settings, first_rounds, self.seed)
        self.model = self._learn(rows, **self.setting)

    def predict(self, X: Any) -> np.ndarray:
        """Return classes, numbers, or probabilities of labels."""
        return self.model.predict(as_matrix(X))

    def nodes(self) -> int:
        """Return the number of nodes of all trees, leaves included."""
        if self.model.booster is None:
            return 0
        # A node is a line.
        return sum(tree.count("\n") for tree in self.model.booster.get_dump())

    @classmethod
    def version(cls) -> str:
        """Version of the package, which comes under two names: with and without code for graphics cards."""
        if importlib.util.find_spec(cls.package) is None:
            return ""
        for name in ("xgboost", "xgboost-cpu"):
            try:
                return importlib.metadata.version(name)
            except importlib.metadata.PackageNotFoundError:
                continue
        return "not installed, imported"

    def _learn(self, rows: Problem, rounds: int) -> Boosted:
        import xgboost

        targets = targets_of(rows.task, rows.y)
        if not targets.n_outputs:
            return Boosted(None, targets, rounds)
        given: Setting = {"nthread": self.threads, "seed": self.seed, "verbosity": 1}
        if rows.task in NUMBER_TASKS:
            given |= {"objective": "reg:squarederror"}
        elif rows.task in CLASS_TASKS and targets.n_outputs > 2:
            given |= {"objective": "multi:softprob", "num_class": targets.n_outputs}
        else:
            given |= {"objective": "binary:logistic"}
        if rows.task not in CLASS_TASKS and targets.n_outputs > 1:
            given |= {"multi_strategy": "multi_output_tree"}
        if rows.task in LABEL_TASKS:
            given |= {"max_bin": _LABEL_BINS}
        given |= {name: value for name, value in self.changes.items() if name != "num_boost_round"}
        data = xgboost.DMatrix(rows.X, targets.encode(rows.y), nthread=self.threads)
        return Boosted(xgboost.train(given, data, rounds), targets, rounds)
