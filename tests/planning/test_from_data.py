"""Claims about plans for rows that are there: sizes are counted, settings and times are those of a probe."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from slantwood import (
    Hierarchy,
    ObliqueBoostingClassifier,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    RidgeSplit,
)
from slantwood.planning import plan_from_data
from slantwood.planning.from_data import workload_of
from slantwood.planning.seconds import choosing_seconds, tree_seconds

RNG = np.random.default_rng(0)
X = RNG.standard_normal((900, 6)).astype(np.float32)


def test_features_are_counted_as_they_are_encoded():
    frame = pd.DataFrame({"height": X[:, 0], "tree": pd.Categorical(np.tile(["ash", "elm", "oak"], 300))})
    found = workload_of(ObliqueForestClassifier(), frame, X[:, 1] > 0, 10**6)
    encoded = ObliqueForestClassifier(2, random_state=0).fit(frame, X[:, 1] > 0).encode_features(frame)
    assert (found.rows, found.features, found.targets) == (10**6, encoded.shape[1], 2)
    assert found.task == "binary"


def test_non_zeros_and_labels_are_counted():
    sparse = sp.random_array((900, 400), density=0.02, rng=0, format="csr", dtype=np.float32)
    Y = sp.random_array((900, 40), density=0.1, rng=0, format="csr", dtype=np.float32)
    Y.data[:] = 1
    found = workload_of(ObliqueForestClassifier(), sparse, Y, 900)
    assert found.task == "multi-label"
    assert found.is_sparse
    assert found.nonzeros_per_row == pytest.approx(sparse.nnz / 900)
    assert found.labels_per_row == pytest.approx(Y.nnz / 900)


@pytest.mark.parametrize(
    ("make", "y", "task", "targets"),
    [
        (ObliqueForestRegressor, X[:, 0], "regression", 1),
        (ObliqueForestRegressor, X[:, :3], "multi-target regression", 3),
        (ObliqueForestClassifier, np.arange(900) % 5, "multi-class", 5),
        (
            lambda: ObliqueForestClassifier(hierarchy=Hierarchy.from_paths(["a/b", "a/c", "d"])),
            [["a/b"], ["a/c"], ["d"]] * 300,
            "multi-label",
            4,
        ),
        (
            ObliqueForestClassifier,
            pd.DataFrame({"kind": np.tile(["x", "y", "z"], 300), "is_old": np.tile(["no", "yes"], 450)}),
            "multi-label",
            4,
        ),
    ],
    ids=["number", "numbers", "classes", "hierarchy", "several classes"],
)
def test_every_task_has_a_plan(make, y, task, targets):
    found = workload_of(make(), X, y, 5000)
    assert (found.task, found.targets) == (task, targets)


@pytest.fixture(scope="module")
def found():
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + RNG.normal(0, 0.5, 900)
    return plan_from_data(
        ObliqueForestRegressor(30), X, y, rows=1e6, workers=4, probe_rows=850, probe_seconds=0.2
    )


def test_a_plan_has_the_settings_that_the_probe_chose(found):
    assert found.workload.rows == 10**6
    assert found.workload.n_trees == 30
    assert found.workload.min_samples_split >= 2
    assert found.workload.leaves == "mean"
    assert "told from trees on 850 rows" in str(found)


def test_a_probe_is_of_two_sizes_and_times_the_choice_of_settings(found):
    probe = found.workload.probe
    assert (probe.rows, probe.smaller.rows) == (850, 212)
    assert probe.choosing_seconds > 0
    same = found.workload.with_rows(850)
    assert tree_seconds(same) == pytest.approx(probe.tree_seconds)
    assert choosing_seconds(same) == pytest.approx(probe.choosing_seconds)


def test_a_plan_has_the_trees_of_its_preset_and_draws_rows_as_the_forest_does():
    y = X[:, 0] > 0
    forest = ObliqueForestClassifier(10, preset="best", bootstrap=True, max_samples=0.5)
    found = workload_of(forest, X, y, 10**6)
    assert found.n_trees == 40
    assert found.growth().tree_rows == pytest.approx(10**6 * (1 - np.exp(-0.5)))


def test_a_probe_of_fewer_rows_than_settings_are_chosen_on_says_so(found):
    assert "Settings are chosen on 20,000 rows" in str(found)
    enough = replace(found, workload=found.workload.with_rows(850))
    assert "Settings are chosen on" not in str(enough)


def test_where_no_settings_are_chosen_choosing_takes_next_to_nothing():
    y = X[:, 0] > 0
    chosen, given = (
        plan_from_data(
            ObliqueForestClassifier(50, **parameters), X, y, probe_seconds=0.2
        ).workload.probe.choosing_seconds
        for parameters in ({}, {"min_samples_split": 5})
    )
    assert given < chosen / 2


@pytest.mark.parametrize(
    ("estimator", "error", "said"),
    [
        (ObliqueBoostingClassifier(), TypeError, "estimator is ObliqueBoostingClassifier; plans are for"),
        (ObliqueForestClassifier(split=RidgeSplit()), ValueError, "split=RidgeSplit.* give 'gradient'"),
    ],
)
def test_what_plans_do_not_know_is_refused(estimator, error, said):
    with pytest.raises(error, match=said):
        plan_from_data(estimator, X, X[:, 0] > 0)
