"""Claims about the benchmarks of splits and sketches, on data made here."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_linnerud, make_multilabel_classification

from slantwood_bench.problems import Problem
from slantwood_bench.scripts import axis_parallel, fastxml, splits
from slantwood_bench.scripts.data import two_thirds
from slantwood_bench.scripts.sketch import mixed


@pytest.mark.parametrize("split", ["gradient", "svm"])
def test_every_way_of_growing_scores_a_learnable_task_highly(split):
    X, y = load_iris(return_X_y=True)
    makers = [splits.tree(split), *(splits.forest(split, 5, 1, **how) for how in splits.FORESTS.values())]
    for make in makers:
        quality, nodes, seconds = splits.fitted_and_judged(make, Problem("multi-class", X, y))
        assert quality > 0.85
        assert nodes >= 5
        assert seconds > 0


def test_mixed_labels_keep_distances_between_rows():
    Y = (np.random.default_rng(0).random((30, 12)) < 0.2).astype(np.float32)
    Z = mixed(Y)
    assert Z.shape == Y.shape
    assert (Z[Y.any(axis=1)] != 0).all()
    np.testing.assert_allclose(Z @ Z.T, Y @ Y.T, atol=1e-5)


@pytest.mark.parametrize(
    ("task", "data"),
    [
        ("binary", load_breast_cancer(return_X_y=True)),
        ("multi-class", load_iris(return_X_y=True)),
        ("multi-label", make_multilabel_classification(random_state=0)),
        ("multi-target regression", load_linnerud(return_X_y=True)),
    ],
)
@pytest.mark.parametrize("thresholds", ["best", "random"])
def test_forests_of_both_libraries_are_told_the_same_and_answer_alike(task, data, thresholds):
    X, y = data
    ours, theirs = (
        make(task, thresholds, 30, None).fit(X, y) for make in (axis_parallel.ours, axis_parallel.theirs)
    )
    if task == "multi-label":
        assert np.corrcoef(ours.predict_proba(X).ravel(), theirs.predict_proba(X).ravel())[0, 1] > 0.95
    elif task == "multi-target regression":
        assert np.corrcoef(ours.predict(X).ravel(), theirs.predict(X).ravel())[0, 1] > 0.95
    else:
        assert (ours.predict(X) == theirs.predict(X)).mean() > 0.97


@pytest.mark.parametrize("way", fastxml.WAYS)
def test_every_way_of_ranking_labels_is_judged_in_percent(way):
    X, Y = make_multilabel_classification(n_samples=150, n_features=30, n_classes=8, random_state=0)
    train, test = two_thirds(Problem("multi-label", X.astype(np.float32), Y))
    found, seconds = fastxml.judged(fastxml.WAYS[way](5, 1), train, test)
    assert found.shape == (6,)
    assert 40 < found[0] <= 100
    assert ((found >= 0) & (found <= 100.0001)).all()
    assert seconds > 0
