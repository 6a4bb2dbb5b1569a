"""Gradient boosting by LightGBM, tuned as in the paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import scipy.sparse as sp

from slantwood.task_names import CLASS_TASKS, LABEL_TASKS, NUMBER_TASKS
from slantwood_bench.methods.base import Method
from slantwood_bench.methods.one_per_target import Constant, OnePerTarget, learn_each
from slantwood_bench.methods.tuning import Setting, best_setting, grid

if TYPE_CHECKING:
    from slantwood_bench.problems import Problem

_CHOICES = {"num_leaves": (20, 50, 100), "min_child_samples": (1, 10, 100, 1000)}


class LightGBM(Method):
    """As many rounds as others have trees, each with a tree for each class where there are more than two.

    The number of leaves and the least number of rows of a leaf are those that predict 20 % of the rows best;
    the paper's "samples to perform a split" are LightGBM's rows of a leaf. Of several numbers there is a
    model for each, with the same setting. Histograms are always made column by column, where LightGBM by
    itself would time both ways and so not always learn the same.

    Attributes
    ----------
    tuned : bool
        Whether all this is so; otherwise LightGBM's defaults are left alone, and labels have a model each.
    """

    tasks = (*NUMBER_TASKS, *CLASS_TASKS)
    package = "lightgbm"
    takes_missing = True
    most_labels = 20
    tuned: ClassVar[bool] = True

    def fit(self, rows: Problem) -> None:
        """Choose a setting, where it is tuned, and boost with it on all rows."""
        rows = rows._replace(X=as_matrix(rows.X))
        self.setting = self.changes
        if self.tuned:
            settings = distinct_settings(grid(_CHOICES, self.changes), rows.X.shape[0])
            self.setting = best_setting(rows, settings, self._learn, self.seed)
        self.model = self._learn(rows, self.setting)

    def predict(self, X: Any) -> Any:
        """Return classes, numbers, or probabilities of labels."""
        return self.model.predict(as_matrix(X))

    def nodes(self) -> int:
        """Return the number of nodes of all trees, leaves included."""
        boosters = [model.booster_ for model in self.model.models if not isinstance(model, Constant)]
        trees = [tree for booster in boosters for tree in booster.dump_model()["tree_info"]]
        return sum(2 * tree["num_leaves"] - 1 for tree in trees)

    def _learn(self, rows: Problem, setting: Setting) -> OnePerTarget:
        given: Setting = {"n_estimators": self.n_trees, "n_jobs": self.threads, "random_state": self.seed}
        if self.tuned:
            given |= {"deterministic": True, "force_col_wise": True}
        if rows.task in LABEL_TASKS:
            # The estimator of numbers with this objective predicts probabilities.
            given |= {"objective": "binary"}
        make = estimator(rows.task)
        return learn_each(rows.y, lambda column: make(**given | setting, verbose=-1).fit(rows.X, column))


def estimator(task: str) -> Any:
    """Return LightGBM's class for classes, or for numbers."""
    import lightgbm

    return lightgbm.LGBMClassifier if task in CLASS_TASKS else lightgbm.LGBMRegressor


def as_matrix(X: Any) -> Any:
    """Return sparse X as a matrix of SciPy's older kind, the only one that some libraries take."""
    return sp.csr_matrix(X) if sp.issparse(X) else X


def distinct_settings(settings: list[Setting], n_rows: int) -> list[Setting]:
    """Leave out settings under which no tree could split, and those that can only grow the trees of another.

    With at least m rows in each leaf, n rows make n // m leaves at most. Where m is given and too large, so
    that nothing would be left, it stays.

    Examples
    --------
    >>> small = {"num_leaves": 20, "min_child_samples": 10}
    >>> large = {"num_leaves": 50, "min_child_samples": 10}
    >>> stump = {"num_leaves": 20, "min_child_samples": 100}
    >>> distinct_settings([small, large, stump], 120) == [small]
    True
    """
    distinct: dict[tuple[int, int], Setting] = {}
    for setting in settings:
        most_leaves = n_rows // setting["min_child_samples"]
        if most_leaves >= 2:
            key = min(setting["num_leaves"], most_leaves), setting["min_child_samples"]
            distinct.setdefault(key, setting)
    return list(distinct.values()) or settings[:1]
