"""Claims about workloads: defaults are those of the estimators, and wrong numbers are named."""

import numpy as np
import pytest

from slantwood import AxisParallelSplit, GradientSplit, ObliqueForestClassifier, ObliqueForestRegressor
from slantwood.planning import Machines, Workload
from slantwood.planning.memory import fit_bytes
from slantwood.planning.seconds import tree_seconds


@pytest.mark.parametrize(("targets", "task"), [(1, "regression"), (2, "binary"), (7, "multi-label")])
def test_the_number_of_targets_names_the_task(targets, task):
    assert Workload(100, 5, targets).task == task


@pytest.mark.parametrize("split", [GradientSplit(), AxisParallelSplit()], ids=["gradient", "axis"])
@pytest.mark.parametrize("targets", [1, 2])
def test_settings_are_those_that_an_estimator_finds(split, targets):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((120, 12)), rng.standard_normal(120)
    estimator = ObliqueForestRegressor if targets == 1 else ObliqueForestClassifier
    model = estimator(n_estimators=2, split=split, random_state=0).fit(X, y if targets == 1 else y > 0)
    name = "axis" if isinstance(split, AxisParallelSplit) else "gradient"
    growth = Workload(120, 12, targets, split=name).growth()
    assert growth.bootstrap == model.settings_.bootstrap
    assert growth.min_samples_split == model.settings_.min_samples_split
    assert growth.max_iter == getattr(model.settings_.split, "max_iter", 1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"rows": 0}, "rows=0 is too small; give 1 or more"),
        ({"n_trees": 0}, "n_trees=0 is too small"),
        ({"split": "gradent"}, "split='gradent' is none of .*gradient"),
        ({"task": "multilabel", "targets": 9}, "task='multilabel' is none of"),
        ({"task": "binary", "targets": 3}, "targets=3 of task 'binary'; give 2"),
        ({"task": "regression", "targets": 3}, "give 1, or task 'multi-target regression'"),
        ({"nonzeros_per_row": 11}, "nonzeros_per_row=11 of 10 features"),
        ({"targets": 4, "labels_per_row": 6}, "labels_per_row=6 of 4 labels"),
        ({"min_samples_split": 1}, "min_samples_split=1 is too small; give 2 or more"),
        ({"rows_per_leaf": 0.5}, "rows_per_leaf=0.5 is too small"),
        ({"max_samples": 0}, "max_samples=0 is too small; give a number or share above 0"),
    ],
)
def test_a_wrong_number_is_named_with_what_would_be_right(given, message):
    with pytest.raises(ValueError, match=message):
        Workload(**{"rows": 100, "features": 10, **given})


@pytest.mark.parametrize("max_samples", [None, 30, 0.4, 500])
def test_a_tree_sees_as_many_distinct_rows_as_are_drawn(max_samples):
    rng = np.random.default_rng(0)
    draws = {None: 200, 0.4: 80, 500: 200}.get(max_samples, max_samples)
    drawn = [len(np.unique(rng.integers(200, size=draws))) for _ in range(300)]
    told = Workload(200, 5, bootstrap=True, max_samples=max_samples).growth()
    assert told.bootstrap
    assert told.tree_rows == pytest.approx(np.mean(drawn), rel=0.02)


def test_samples_of_a_fixed_size_cost_the_same_from_any_number_of_rows():
    million, billion = (Workload(rows, 20, max_samples=10_000) for rows in (10**6, 10**9))
    assert tree_seconds(billion) == pytest.approx(tree_seconds(million), rel=0.05)
    assert fit_bytes(billion) > 100 * fit_bytes(million)  # all rows are held all the same


def test_rows_are_drawn_as_the_workload_says_and_else_by_the_rules():
    assert not Workload(200, 5, 2).growth().bootstrap
    assert Workload(200, 5, 2, bootstrap=True).growth().bootstrap
    assert Workload(200, 5, 2, max_samples=0.5).growth().bootstrap
    assert Workload(10**6, 5, 2).growth().bootstrap
    assert not Workload(10**6, 5, 2, bootstrap=False).growth().bootstrap


def test_few_labels_have_less_of_a_row_than_many():
    assert Workload(100, 10, 4).labels_per_row == 2.0


@pytest.mark.parametrize("name", ["workers", "threads", "memory", "bandwidth", "disk"])
def test_machines_that_are_not_there_are_named(name):
    with pytest.raises(ValueError, match=f"{name}=0"):
        Machines(**{name: 0})
