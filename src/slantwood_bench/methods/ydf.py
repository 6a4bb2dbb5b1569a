"""Random forests of YDF (Yggdrasil Decision Forests), with axis-parallel and with sparse oblique splits."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from slantwood.task_names import CLASS_TASKS, NUMBER_TASKS
from slantwood_bench.methods.base import Method, dense
from slantwood_bench.methods.one_per_target import Constant, learn_each

if TYPE_CHECKING:
    from slantwood_bench.problems import Problem


class Numbers(NamedTuple):
    """A forest that predicts a number."""

    forest: Any

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the number of each row."""
        return self.forest.predict({"x": X})


class Classes(NamedTuple):
    """A forest that predicts classes, which it knows by their place among the sorted ones.

    Attributes
    ----------
    forest : ydf model
        What YDF learned.
    classes : ndarray
        The classes, sorted.
    expected : bool
        Whether the mean of classes that are numbers is wanted, weighed by their probabilities, instead of the
        most likely class: of 0 and 1 the probability of 1.
    """

    forest: Any
    classes: np.ndarray
    expected: bool

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the class of each row, or its probability of 1."""
        probabilities = self.forest.predict({"x": X})
        if probabilities.ndim == 1:
            # With two classes there is only the probability of the second.
            probabilities = np.column_stack([1 - probabilities, probabilities])
        in_order = self.classes[np.array([int(place) for place in self.forest.label_classes()])]
        return probabilities @ in_order if self.expected else in_order[probabilities.argmax(axis=1)]


class YDF(Method):
    """A forest for each label or number; trees are averaged, and not scored out of bag, as with others.

    Attributes
    ----------
    split_axis : str
        "AXIS_ALIGNED", or "SPARSE_OBLIQUE" for splits by sparse combinations of features.
    """

    # Not for labels in the study: a forest for each of hundreds would take most of its time.
    tasks = (*NUMBER_TASKS, *CLASS_TASKS)
    more_tasks = ("multi-label",)
    most_labels = 20
    package = "ydf"
    installed_by = "slantwood[bench]"
    split_axis: ClassVar[str] = "AXIS_ALIGNED"

    def fit(self, rows: Problem) -> None:
        """Grow the forests on dense input."""
        X = dense(rows.X)
        self.model = learn_each(rows.y, lambda column: self._learn(rows.task, X, column))

    def predict(self, X: Any) -> np.ndarray:
        """Return classes, numbers, or probabilities of labels."""
        return self.model.predict(dense(X))

    def nodes(self) -> int:
        """Return the number of nodes of all trees, leaves included."""
        return sum(int(forest.num_nodes()) for forest in self._forests())

    def n_bytes(self) -> int:
        """Return the size of the forests as YDF writes them."""
        return sum(len(forest.serialize()) for forest in self._forests())

    def _forests(self) -> list[Any]:
        return [model.forest for model in self.model.models if not isinstance(model, Constant)]

    def _learn(self, task: str, X: np.ndarray, y: np.ndarray) -> Numbers | Classes:
        ydf = import_module("ydf")
        given = {
            "num_trees": self.n_trees,
            "num_threads": self.threads,
            "random_seed": self.seed,
            "split_axis": self.split_axis,
            "winner_take_all": False,
            "compute_oob_performances": False,
        }
        numbers = task in NUMBER_TASKS
        kind = ydf.Task.REGRESSION if numbers else ydf.Task.CLASSIFICATION
        learner = ydf.RandomForestLearner(label="y", task=kind, **given | self.changes)
        if numbers:
            return Numbers(learner.train({"x": X, "y": y}, verbose=0))
        classes, places = np.unique(y, return_inverse=True)
        forest = learner.train({"x": X, "y": places}, verbose=0)
        return Classes(forest, classes, expected=task not in CLASS_TASKS)
