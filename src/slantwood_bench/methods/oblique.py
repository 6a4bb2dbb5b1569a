"""Methods of slantwood itself: a split learner in a forest or in a single tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, ClassVar

import scipy.sparse as sp

import slantwood
from slantwood.task_names import HIERARCHICAL, LABEL_TASKS, NUMBER_TASKS
from slantwood_bench.methods.base import ENSEMBLE, TREE, Method

if TYPE_CHECKING:
    from slantwood_bench.problems import Problem


# For 50 trees of others, the default of 500 rounds; early stopping leaves fewer.
_ROUNDS = 10


class Slantwood(Method):
    """A forest, or a tree, of one split learner.

    Attributes
    ----------
    learner : str
        Name of the class of the split learner; "" where it is left to the preset.
    published : bool
        Whether its parameters are those of its publication, or its defaults.
    parameters : mapping
        Parameters of the estimator that are not left at their defaults.
    knows_hierarchies : bool
        Whether it is told the hierarchy of labels, or sees the labels only.
    boosted : bool
        Whether trees are boosted, at the most ten rounds for each tree that others have.
    """

    reads_tables = True
    takes_missing = True
    learner: ClassVar[str]
    published: ClassVar[bool] = False
    parameters: ClassVar[Mapping[str, Any]] = {}
    knows_hierarchies: ClassVar[bool] = True
    boosted: ClassVar[bool] = False

    def fit(self, rows: Problem) -> None:
        """Grow the trees."""
        names: set[str] = set()
        given: dict[str, Any] = {"random_state": self.seed, **self.parameters}
        if self.learner:
            learner = getattr(slantwood, self.learner)
            split = learner.published() if self.published else learner()
            names = {field.name for field in fields(split)}
            own = {name: value for name, value in self.changes.items() if name in names}
            given["split"] = replace(split, **own)
        if self.group == ENSEMBLE:
            size = self.n_trees * (_ROUNDS if self.boosted else 1)
            given |= {"n_estimators": size, "n_jobs": self.threads}
        if rows.task == HIERARCHICAL and self.knows_hierarchies:
            given["hierarchy"] = rows.hierarchy
        if rows.task not in LABEL_TASKS:
            given.pop("normalize_labels", None)
        given |= {name: value for name, value in self.changes.items() if name not in names}
        kind = "Boosting" if self.boosted else "Tree" if self.group == TREE else "Forest"
        self.model = estimator(rows.task, kind)(**given).fit(rows.X, rows.y)
        self._task, self._sparse_labels = rows.task, sp.issparse(rows.y)

    def predict(self, X: Any) -> Any:
        """Return classes, numbers, or probabilities of labels, sparse where labels were."""
        if self._task in LABEL_TASKS:
            return self.model.predict_proba(X, sparse=self._sparse_labels)
        return self.model.predict(X)

    def nodes(self) -> int:
        """Return the number of nodes of all trees, leaves included."""
        return int(self.model.trees_.node_offsets[-1])

    @classmethod
    def version(cls) -> str:
        """Version of this package, which may be imported without being installed."""
        return slantwood.__version__


def estimator(task: str, kind: str = "Forest") -> Any:
    """Return slantwood's class of a kind, "Forest", "Tree" or "Boosting", for a task."""
    return getattr(slantwood, f"Oblique{kind}{'Regressor' if task in NUMBER_TASKS else 'Classifier'}")
