"""One small adapter for each library that is compared, all with the same three methods.

A library is imported when its adapter fits, so that an absent or broken one concerns nobody else. Each keeps
its own defaults, except for the number of trees, the number of threads, a seed, and what its adapter says.
Whatever a library needs done to the data first (dense labels, one model for each target) is part of its fit.
"""

import importlib.metadata
import importlib.util
import tempfile
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from slantwood.data.registry.entries import FOLDERS
from slantwood_bench.methods import lightgbm, method_class
from slantwood_bench.methods.base import Method
from slantwood_bench.methods.one_per_target import learn_each
from slantwood_bench.problems import Problem as StudyProblem
from slantwood_bench.scripts.datasets import TASKS

# Libraries with a model for each label are left out where there are more labels than this.
_MOST_MODELS = 20

_STUDY_TASKS = {folder: task for task, folder in FOLDERS.items()}


class Peer:
    """Base of the adapters: a model for one of the `TASKS`."""

    package: ClassVar[str]
    distribution: ClassVar[str] = ""  # as installed; the package's name if empty
    tasks: ClassVar[tuple[str, ...]] = TASKS
    most_columns: ClassVar[float] = float("inf")

    def __init__(self, task: str) -> None:
        self.task = task

    def fit(self, X: Any, y: Any, n_trees: int, n_jobs: int) -> None:
        """Learn from the training part of a problem."""
        raise NotImplementedError

    def scores(self, X: Any) -> Any:
        """Return what `problems.quality` takes: scores of labels, classes, or numbers."""
        raise NotImplementedError

    @classmethod
    def version(cls) -> str:
        """Version of the library; empty where it is not installed."""
        if importlib.util.find_spec(cls.package) is None:
            return ""
        return importlib.metadata.version(cls.distribution or cls.package)

    @classmethod
    def refusal(cls, task: str, n_columns: int) -> str:
        """Say why the library has no part in a comparison; empty where it has."""
        if not cls.version():
            return "absent (not installed)"
        if task not in cls.tasks:
            return f"has no {task}"
        if task == "mlc" and n_columns > cls.most_columns:
            return f"left out: a model for each of {n_columns} labels"
        return ""


class Slantwood(Peer):
    """Forest with default parameters; label scores are sparse where the labels are."""

    package = "slantwood"

    def fit(self, X: Any, y: Any, n_trees: int, n_jobs: int) -> None:
        """Fit the forest."""
        from slantwood import ObliqueForestClassifier, ObliqueForestRegressor

        make = ObliqueForestRegressor if self.task in ("str", "mtr") else ObliqueForestClassifier
        self.model = make(n_estimators=n_trees, n_jobs=n_jobs, random_state=0).fit(X, y)
        self.sparse_labels = sparse.issparse(y)

    def scores(self, X: Any) -> Any:
        """Return probabilities of labels, or predictions."""
        if self.task == "mlc":
            return self.model.predict_proba(X, sparse=self.sparse_labels)
        return self.model.predict(X)

    @classmethod
    def version(cls) -> str:
        """Version of this source tree, which need not be installed."""
        from slantwood import __version__

        return __version__


class _OfTheStudy(Peer):
    """An adapter of the study; `changes` are parameters in which this benchmark differs from it."""

    method: ClassVar[type[Method]]
    changes: ClassVar[Mapping[str, Any]] = {}

    def __init_subclass__(cls) -> None:
        """Take the names of the library from the method."""
        super().__init_subclass__()
        cls.package, cls.distribution = cls.method.package, cls.method.distribution

    def fit(self, X: Any, y: Any, n_trees: int, n_jobs: int) -> None:
        """Fit the method."""
        self.model = self.method(n_trees, 0, n_jobs, self.changes)
        self.model.fit(StudyProblem(_STUDY_TASKS[self.task], X, y))

    def scores(self, X: Any) -> Any:
        """Return probabilities of labels, or predictions."""
        return self.model.predict(X)


class RandomForest(_OfTheStudy):
    """The forest that everyone has, and the unit of the tables.

    It looks at sqrt(d) features for each split; for regression this is not the default, but faster.
    """

    method = method_class("scikit-rf")


class ExtraTrees(_OfTheStudy):
    """Random thresholds instead of best ones, for as many features."""

    method = method_class("scikit-et")
    changes: ClassVar = {"max_features": "sqrt"}


class Treeple(_OfTheStudy):
    """Oblique forest of sparse random combinations; dense input only."""

    method = method_class("treeple")


class YDF(_OfTheStudy):
    """Random forest for each label or number, averaged and not also scored out of bag, as with the others."""

    method = method_class("ydf")
    most_columns = _MOST_MODELS


class YDFOblique(_OfTheStudy):
    """The same with sparse oblique splits."""

    method = method_class("ydf-oblique")
    most_columns = _MOST_MODELS


class LightGBM(Peer):
    """Gradient boosting: as many rounds as others have trees, each with a tree for each class."""

    package = "lightgbm"
    most_columns = _MOST_MODELS

    def fit(self, X: Any, y: Any, n_trees: int, n_jobs: int) -> None:
        """Fit a model for each column of the targets, with defaults and not tuned as in the study."""
        make = lightgbm.estimator(_STUDY_TASKS[self.task])
        # The estimator of numbers with this objective predicts probabilities.
        objective = {"objective": "binary"} if self.task == "mlc" else {}
        given = {"n_estimators": n_trees, "n_jobs": n_jobs, "random_state": 0, "verbose": -1} | objective
        X = lightgbm.as_matrix(X)
        self.model = learn_each(y, lambda column: make(**given).fit(X, column))

    def scores(self, X: Any) -> np.ndarray:
        """Return probabilities of labels, or predictions, side by side."""
        return self.model.predict(lightgbm.as_matrix(X))


class NapkinXC(Peer):
    """Probabilistic label tree: one whatever `n_trees` says, its default, for each is a whole classifier."""

    package = "napkinxc"
    tasks = ("mlc",)
    best = 1000  # labels that are ranked for each row; the others count as 0

    def fit(self, X: Any, y: Any, n_trees: int, n_jobs: int) -> None:
        """Fit the label tree, which is written to a folder that lives as long as the adapter."""
        from napkinxc.models import PLT

        self.folder = tempfile.TemporaryDirectory()
        self.n_labels = y.shape[1]
        self.model = PLT(self.folder.name, threads=n_jobs, seed=0)
        self.model.fit(lightgbm.as_matrix(X), sparse.csr_matrix(y, dtype=np.float32))

    def scores(self, X: Any) -> sparse.csr_array:
        """Return the probabilities of the best labels."""
        ranked = self.model.predict_proba(lightgbm.as_matrix(X), top_k=min(self.best, self.n_labels))
        labels, values = zip(*(pair for row in ranked for pair in row), strict=True)
        starts = np.concatenate([[0], np.cumsum([len(row) for row in ranked])])
        scores = sparse.csr_array((values, labels, starts), shape=(len(ranked), self.n_labels))
        scores.sort_indices()
        return scores


PEERS: dict[str, type[Peer]] = {
    "slantwood": Slantwood,
    "random-forest": RandomForest,
    "extra-trees": ExtraTrees,
    "lightgbm": LightGBM,
    "ydf": YDF,
    "ydf-oblique": YDFOblique,
    "treeple": Treeple,
    "napkinxc": NapkinXC,
}
