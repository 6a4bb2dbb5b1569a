"""The measure of each task is what scikit-learn or the paper's formula makes of it."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score, label_ranking_average_precision_score, r2_score

from slantwood import Hierarchy
from slantwood.task_names import TASKS
from slantwood_bench.measures import MEASURES, quality

SEEDS = st.integers(0, 2**32 - 1)


def test_every_task_has_a_measure():
    assert tuple(MEASURES) == TASKS
    assert [MEASURES[task] for task in TASKS] == ["R2", "R2", "F1", "macro F1", "LRAP", "weighted LRAP"]


@given(seed=SEEDS)
def test_numbers_have_the_coefficient_of_determination(seed):
    rng = np.random.default_rng(seed)
    y, predicted = rng.normal(size=(2, 20)) * 10 + 100
    assert quality("regression", y, predicted) == pytest.approx(r2_score(y, predicted))
    predicted = predicted.astype(np.float32)
    assert quality("regression", y, predicted) == pytest.approx(r2_score(y, predicted.astype(float)))


@given(seed=SEEDS)
def test_several_numbers_have_the_mean_of_theirs(seed):
    rng = np.random.default_rng(seed)
    y, predicted = rng.normal(size=(2, 20, 3)) * [1, 10, 100]
    expected = np.mean([r2_score(y[:, j], predicted[:, j]) for j in range(3)])
    assert quality("multi-target regression", y, predicted) == pytest.approx(expected)


@given(seed=SEEDS)
def test_two_classes_have_the_f1_of_the_second(seed):
    rng = np.random.default_rng(seed)
    y, predicted = rng.integers(0, 2, (2, 12))
    hits = (y & predicted).sum()
    expected = 2 * hits / (y.sum() + predicted.sum()) if hits else 0.0
    assert quality("binary", y, predicted) == pytest.approx(expected)


@pytest.mark.parametrize("value", [0, 1])
def test_a_class_that_never_comes_is_no_warning(value):
    assert quality("binary", np.zeros(4, int), np.full(4, value)) == 0.0


@given(seed=SEEDS, n_classes=st.integers(2, 6))
def test_more_classes_have_the_mean_of_their_f1(seed, n_classes):
    rng = np.random.default_rng(seed)
    y, predicted = rng.integers(0, n_classes, (2, 15))
    assert quality("multi-class", y, predicted) == pytest.approx(
        f1_score(y, predicted, average="macro", zero_division=0.0)
    )


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@given(seed=SEEDS)
def test_labels_have_the_precision_of_their_ranking(form, seed):
    rng = np.random.default_rng(seed)
    y, scores = _labels_and_scores(rng, 6)
    assert quality("multi-label", form(y), form(scores)) == pytest.approx(
        label_ranking_average_precision_score(y, scores)
    )


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@given(seed=SEEDS)
def test_labels_of_a_hierarchy_weigh_three_quarters_for_each_level(form, seed):
    rng = np.random.default_rng(seed)
    hierarchy = Hierarchy.from_paths(["a", "a/x", "a/x/u", "a/x/v", "b", "b/y"])
    y, scores = _labels_and_scores(rng, len(hierarchy))
    y = hierarchy.closure(y)
    depths = [name.count("/") for name in hierarchy.nodes]
    expected = _weighted_lrap(y, scores, [0.75**depth for depth in depths])
    assert quality("hierarchical multi-label", form(y), form(scores), hierarchy) == pytest.approx(expected)


def _labels_and_scores(rng, n_labels):
    """Make labels, in some rows none, and scores with ties and zeros."""
    y = (rng.random((8, n_labels)) < 0.4).astype(np.int8)
    y[0] = 0
    return y, rng.integers(0, 4, (8, n_labels)) / 4


def _weighted_lrap(y, scores, weights):
    """Follow the paper's formula; a row without labels, or with all of them, counts as right."""
    found = []
    for labels, own in zip(y, scores, strict=True):
        true = [j for j in range(len(own)) if labels[j]]
        if len(true) in (0, len(own)):
            found.append(1.0)
            continue
        total = 0.0
        for j in true:
            n_true_above = sum(own[k] >= own[j] for k in true)
            n_above = sum(score >= own[j] for score in own)
            total += weights[j] * n_true_above / n_above
        found.append(total / sum(weights[j] for j in true))
    return sum(found) / len(found)


@pytest.mark.parametrize("task", TASKS)
def test_what_is_all_right_has_one(task):
    hierarchy = Hierarchy.from_paths(["a", "a/x", "b"])
    rng = np.random.default_rng(0)
    y = {
        "regression": rng.normal(size=9),
        "multi-target regression": rng.normal(size=(9, 2)),
        "binary": np.arange(9) % 2,
        "multi-class": np.arange(9) % 3,
    }.get(task, np.eye(3, dtype=np.int8)[[0, 2, 2]])
    assert quality(task, y, y.astype(float) if y.ndim == 2 else y, hierarchy) == pytest.approx(1.0)
