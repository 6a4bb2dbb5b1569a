"""One small adapter for each library that is compared, all with the same three methods.

A library is imported when its adapter fits, so that an absent or broken one concerns nobody else. Each keeps
its own defaults, except for the number of trees, the number of threads, a seed, and what its adapter says.
Whatever a library needs done to the data first (dense labels, one model for each target) is part of its fit.
"""

import importlib.metadata
import importlib.util
import tempfile
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from benchmarks.datasets import TASKS

Predictor = Callable[[Any], np.ndarray]


def _dense(matrix: Any) -> np.ndarray:
    return matrix.toarray() if sparse.issparse(matrix) else matrix


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
        """Return what `benchmarks.problems.quality` takes: scores of labels, classes, or numbers."""
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


class _ScikitLearnForest(Peer):
    """Forests with scikit-learn's interface: `classes` and `numbers` name the two estimators.

    All look at sqrt(d) features for each split; for regression this is not their default, but faster.
    """

    package = "sklearn"
    distribution = "scikit-learn"
    module: ClassVar[str] = "sklearn.ensemble"
    classes: ClassVar[str]
    numbers: ClassVar[str]

    def fit(self, X: Any, y: Any, n_trees: int, n_jobs: int) -> None:
        """Fit the forest on dense targets."""
        name = self.numbers if self.task in ("str", "mtr") else self.classes
        make = getattr(importlib.import_module(self.module), name)
        self.model = make(n_estimators=n_trees, max_features="sqrt", n_jobs=n_jobs, random_state=0)
        self.model.fit(X, _dense(y))

    def scores(self, X: Any) -> np.ndarray:
        """Return probabilities of labels, or predictions."""
        if self.task != "mlc":
            return self.model.predict(X)
        # A label with one value in training has one column, of ones, for that value.
        pairs = zip(self.model.predict_proba(X), self.model.classes_, strict=True)
        return np.column_stack([probability @ np.asarray(classes, float) for probability, classes in pairs])


class RandomForest(_ScikitLearnForest):
    """The forest that everyone has, and the unit of the tables."""

    classes, numbers = "RandomForestClassifier", "RandomForestRegressor"


class ExtraTrees(_ScikitLearnForest):
    """Random thresholds instead of best ones."""

    classes, numbers = "ExtraTreesClassifier", "ExtraTreesRegressor"


class Treeple(_ScikitLearnForest):
    """Oblique forest of sparse random combinations; dense input only."""

    package = distribution = "treeple"
    module = "treeple.ensemble"
    classes, numbers = "ObliqueRandomForestClassifier", "ObliqueRandomForestRegressor"

    def fit(self, X: Any, y: Any, n_trees: int, n_jobs: int) -> None:
        """Fit the forest on dense input and targets."""
        super().fit(_dense(X), y, n_trees, n_jobs)

    def scores(self, X: Any) -> np.ndarray:
        """Return probabilities of labels, or predictions."""
        return super().scores(_dense(X))


class _ModelForEachColumn(Peer):
    """Libraries that predict one label or number at a time."""

    most_columns = 20

    def fit(self, X: Any, y: Any, n_trees: int, n_jobs: int) -> None:
        """Fit a model for each column of the targets."""
        y = _dense(y)
        columns = [y] if y.ndim == 1 else list(y.T)
        self.one_column = y.ndim == 1
        self.predictors = [self._fit_column(X, column, n_trees, n_jobs) for column in columns]

    def scores(self, X: Any) -> np.ndarray:
        """Return probabilities of labels, or predictions, side by side."""
        predictions = [predict(X) for predict in self.predictors]
        return predictions[0] if self.one_column else np.column_stack(predictions)

    def _fit_column(self, X: Any, y: np.ndarray, n_trees: int, n_jobs: int) -> Predictor:
        raise NotImplementedError


class LightGBM(_ModelForEachColumn):
    """Gradient boosting: as many rounds as others have trees, each with a tree for each class."""

    package = "lightgbm"

    def _fit_column(self, X: Any, y: np.ndarray, n_trees: int, n_jobs: int) -> Predictor:
        from lightgbm import LGBMClassifier, LGBMRegressor

        make = LGBMClassifier if self.task in ("bin", "mcc") else LGBMRegressor
        # The regressor with this objective predicts probabilities, and takes labels that nobody has.
        objective = {"objective": "binary"} if self.task == "mlc" else {}
        model = make(n_estimators=n_trees, n_jobs=n_jobs, random_state=0, verbose=-1, **objective)
        model.fit(_as_matrix(X), y)
        return lambda X: model.predict(_as_matrix(X))


def _as_matrix(X: Any) -> Any:
    return sparse.csr_matrix(X) if sparse.issparse(X) else X


class YDF(_ModelForEachColumn):
    """Random forest whose trees are averaged and not also scored out of bag, as with the others."""

    package = "ydf"
    split_axis: ClassVar[str] = "AXIS_ALIGNED"

    def _fit_column(self, X: Any, y: np.ndarray, n_trees: int, n_jobs: int) -> Predictor:
        import ydf

        numbers = self.task in ("str", "mtr")
        classes, codes = (np.empty(0), y) if numbers else np.unique(y, return_inverse=True)
        if len(classes) == 1:
            return lambda X: np.full(X.shape[0], classes[0])
        learner = ydf.RandomForestLearner(
            label="y",
            task=ydf.Task.REGRESSION if numbers else ydf.Task.CLASSIFICATION,
            num_trees=n_trees,
            num_threads=n_jobs,
            split_axis=self.split_axis,
            winner_take_all=False,
            compute_oob_performances=False,
        )
        model = learner.train({"x": _dense(X), "y": codes}, verbose=0)
        if numbers or self.task == "mlc":
            return lambda X: model.predict({"x": _dense(X)})
        in_order = classes[np.array([int(code) for code in model.label_classes()])]
        return lambda X: in_order[_most_likely(model.predict({"x": _dense(X)}))]


def _most_likely(probabilities: np.ndarray) -> np.ndarray:
    # With two classes there is only the probability of the second.
    return (probabilities > 0.5).astype(int) if probabilities.ndim == 1 else probabilities.argmax(axis=1)


class YDFOblique(YDF):
    """The same with sparse oblique splits."""

    split_axis = "SPARSE_OBLIQUE"


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
        self.model.fit(_as_matrix(X), sparse.csr_matrix(y, dtype=np.float32))

    def scores(self, X: Any) -> sparse.csr_array:
        """Return the probabilities of the best labels."""
        ranked = self.model.predict_proba(_as_matrix(X), top_k=min(self.best, self.n_labels))
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
