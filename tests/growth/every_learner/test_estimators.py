"""What must not change a model: threads, containers, a common factor of all weights, and being saved."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from slantwood import (
    Hierarchy,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
    load_model,
)
from slantwood.task_names import HIERARCHICAL, MIXED

pytestmark = pytest.mark.sampled

THIN = pytest.mark.parametrize("thin", [False, True], ids=["dense", "sparse"])
FLAT = Hierarchy.from_paths([str(label) for label in range(4)])


def problem(learner, task, clustered, thin):
    """Features, targets of this task, and parameters that an estimator needs for it."""
    X, Y = clustered(learner, 0, thin=thin)
    if task in ("binary", "multi-class"):
        which = Y @ 2 ** np.arange(Y.shape[1])
        return X, which > np.median(which) if task == "binary" else which.astype(int), {}
    if task == "multi-label":
        return X, Y.astype(int), {}
    if task == HIERARCHICAL:
        return X, Y.astype(int), {"hierarchy": FLAT}
    if task == "multi-target classification":
        return X, np.column_stack([Y[:, 0] + 1, Y[:, 1:] @ 2 ** np.arange(Y.shape[1] - 1)]).astype(int), {}
    if task == MIXED:
        words = np.array(["no", "yes"])[Y[:, 0].astype(int)]
        return X, pd.DataFrame({"word": words, "number": Y[:, 1] + 0.1 * X[:, 0]}), {}
    Y = Y + 0.1 * X[:, : Y.shape[1]]
    return X, Y[:, 0] if task == "regression" else Y, {}


def kind_of(task, classifier, regressor):
    return regressor if "regression" in task else classifier


@THIN
def test_the_number_of_threads_does_not_change_the_forest(
    clustered, assert_identical, learner_and_task, thin
):
    learner, task = learner_and_task
    X, y, needed = problem(learner, task, clustered, thin)
    kind = kind_of(task, ObliqueForestClassifier, ObliqueForestRegressor)
    one, several = (
        kind(n_estimators=6, split=learner.given, random_state=0, n_jobs=n_jobs, **needed).fit(X, y)
        for n_jobs in (1, 4)
    )
    assert len(one.trees_.left) >= 6 * 3
    assert_identical(one.trees_, several.trees_)
    assert_array_equal(one.feature_importances_, several.feature_importances_)
    assert_array_equal(one.predict(X), several.predict(X))


@THIN
@pytest.mark.parametrize("container", [sp.csr_array, sp.csc_matrix, np.asfortranarray])
def test_the_container_of_the_features_does_not_change_the_tree(
    clustered, assert_identical, learner_and_task, thin, container
):
    learner, task = learner_and_task
    X, y, needed = problem(learner, task, clustered, thin)
    kind = kind_of(task, ObliqueTreeClassifier, ObliqueTreeRegressor)
    tree = kind(split=learner.given, min_samples_split=2, random_state=0, **needed)
    one = tree.fit(X, y).trees_
    assert_identical(one, tree.fit(container(X), y).trees_)


def test_a_common_factor_of_all_weights_changes_nothing(clustered, assert_identical, learner_and_task):
    learner, task = learner_and_task
    X, y, needed = problem(learner, task, clustered, thin=False)
    kind = kind_of(task, ObliqueTreeClassifier, ObliqueTreeRegressor)
    unequal = np.random.default_rng(0).choice([0.5, 1.0, 3.0], len(X))
    for weights, others in ((None, [1e-3, 7.0]), (unequal, [1e-3 * unequal, 2.0**10 * unequal])):
        tree = kind(split=learner.given, random_state=0, **needed).fit(X, y, sample_weight=weights)
        assert tree.get_n_leaves() >= 2
        for other in others:
            scaled = kind(split=learner.given, random_state=0, **needed).fit(X, y, sample_weight=other)
            assert_identical(scaled.trees_, tree.trees_)


def test_a_model_file_gives_the_learner_and_its_trees_back(
    clustered, assert_identical, learner_and_task, tmp_path
):
    learner, task = learner_and_task
    X, y, needed = problem(learner, task, clustered, thin=False)
    kind = kind_of(task, ObliqueForestClassifier, ObliqueForestRegressor)
    forest = kind(n_estimators=2, split=learner.given, random_state=0, **needed).fit(X, y)
    forest.save(tmp_path / "forest.slant")
    loaded = load_model(tmp_path / "forest.slant")
    assert loaded.split == learner.given
    assert loaded.settings_ == forest.settings_
    assert_identical(loaded.trees_, forest.trees_)
