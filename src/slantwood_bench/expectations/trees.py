"""Single trees of a forest, and what is said while they grow."""

from __future__ import annotations

import contextlib
import io
import logging
from typing import Any

import numpy as np

from slantwood import ObliqueBoostingClassifier, ObliqueBoostingRegressor, ObliqueTreeClassifier
from slantwood_bench.expectations.data import forest, irises
from slantwood_bench.expectations.row import Group, NotInstalled, library

GROUP = Group("trees and progress")


def _fitted() -> Any:
    return forest().fit(irises().X, irises().y)


@GROUP.row("len(forest), forest[0], iteration")
def held() -> None:
    """Treat a forest as a sequence of trees."""
    model = _fitted()
    assert len(model) == 5 == len(list(model))
    assert (model[-1].predict(irises().X) == model[4].predict(irises().X)).all()


@GROUP.row("estimators_")
def listed() -> None:
    """Go through the trees as in scikit-learn."""
    model = _fitted()
    mean = np.mean([tree.predict_proba(irises().X) for tree in model.estimators_], axis=0)
    np.testing.assert_allclose(mean, model.predict_proba(irises().X), atol=1e-6)


@GROUP.row("a tree of a forest: n_leaves, depth, export_text")
def looked_at() -> None:
    """Look at a tree."""
    tree = _fitted()[0]
    assert tree.n_leaves > 1
    assert tree.depth >= 1
    assert "class" in tree.export_text()


@GROUP.row("get_depth and get_n_leaves of a single tree")
def single_tree() -> None:
    """Ask a tree how large it is."""
    tree: Any = ObliqueTreeClassifier(random_state=0).fit(irises().X, irises().y)
    assert tree.get_depth() >= 1
    assert tree.get_n_leaves() == (tree.trees_.left < 0).sum()


@GROUP.row("export_text")
def as_text() -> None:
    """Print a tree."""
    from slantwood.export import export_text

    assert "class" in export_text(_fitted())


@GROUP.row("repr of trees_ fits on a screen")
def short_repr() -> None:
    """Look at the arrays."""
    assert len(repr(_fitted().trees_)) < 500


@GROUP.row("progress by scikit-learn's callbacks")
def progress() -> None:
    """Hear of each tree."""
    callback = library("sklearn.callback") if _has_callbacks() else None
    if callback is None:
        raise NotInstalled("scikit-learn below 1.9 has no callbacks")
    with contextlib.redirect_stdout(io.StringIO()):
        forest().set_callbacks(callback.ProgressBar()).fit(irises().X, irises().y)


def _has_callbacks() -> bool:
    import sklearn

    return tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 9)


@GROUP.row("stopping by a callback")
def stopping() -> None:
    """Stop after two trees."""
    if not _has_callbacks():
        raise NotInstalled("scikit-learn below 1.9 has no callbacks")

    class TwoTrees:
        """Stops a fit."""

        trees = 0

        def setup(self, estimator: Any, context: Any) -> None:
            """Begin."""

        def teardown(self, estimator: Any, context: Any) -> None:
            """End."""

        def on_fit_task_begin(self, *args: Any, **kwargs: Any) -> None:
            """Hear of a task."""

        def on_fit_task_end(self, *args: Any, **kwargs: Any) -> bool:
            """Hear of a tree; say whether to stop."""
            TwoTrees.trees += 1
            return TwoTrees.trees >= 2

    model = forest(n_estimators=40).set_callbacks(TwoTrees()).fit(irises().X, irises().y)
    assert model.trees_.n_trees < 40


@GROUP.row("logger 'slantwood'")
def logged() -> None:
    """Listen to the logger."""
    messages = io.StringIO()
    handler, logger = logging.StreamHandler(messages), logging.getLogger("slantwood")
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        forest(verbose=1).fit(irises().X, irises().y)
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
    assert "tree" in messages.getvalue()


@GROUP.row("boosting: staged_predict, n_iter_, early stopping")
def boosted() -> None:
    """Boost, and look at the rounds."""
    model = ObliqueBoostingClassifier(n_estimators=10, random_state=0).fit(irises().X, irises().y)
    assert model.score(irises().X, irises().y) > 0.9
    assert len(list(model.staged_predict(irises().X))) == model.n_iter_ <= 10
    numbers = ObliqueBoostingRegressor(loss="absolute_error", n_estimators=5, random_state=0)
    assert len(numbers.fit(irises().X, irises().number).validation_scores_) == 6
