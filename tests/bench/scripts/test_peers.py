import numpy as np
import pytest
import scipy.sparse as sp

from slantwood_bench.scripts.datasets import TASKS
from slantwood_bench.scripts.peers import PEERS

OTHERS = ("random-forest", "extra-trees", "lightgbm", "ydf", "ydf-oblique")


def _targets(task, X):
    match task:
        case "bin" | "mcc":
            return np.where(X[:, 0] > X[:, 1], "yes", "no")
        case "mlc":
            return (X[:, :3] > 0.3).astype(np.int8)
        case _:
            return X[:, 0].astype(float) if task == "str" else X[:, :3].astype(float)


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_scores_have_the_shape_of_targets_and_follow_them(name, task, form):
    if PEERS[name].refusal(task, 3):
        pytest.skip(PEERS[name].refusal(task, 3))
    X = np.random.default_rng(0).random((80, 6), dtype=np.float32)
    y = _targets(task, X)
    peer = PEERS[name](task)
    peer.fit(form(X), y, n_trees=10, n_jobs=1)
    scores = peer.scores(form(X))
    assert scores.shape == y.shape
    if task in ("bin", "mcc"):
        assert (scores == y).mean() > 0.8
    else:
        assert np.corrcoef(np.ravel(scores), np.ravel(y))[0, 1] > 0.8


def test_both_forests_of_scikit_learn_look_at_few_features_for_numbers_too():
    X = np.random.default_rng(0).random((30, 6))
    for name in ("random-forest", "extra-trees"):
        peer = PEERS[name]("str")
        peer.fit(X, X[:, 0], n_trees=2, n_jobs=1)
        assert peer.model.model.max_features == "sqrt"


@pytest.mark.parametrize("name", ["lightgbm", "ydf", "ydf-oblique"])
def test_many_labels_are_refused_where_each_needs_a_model(name, monkeypatch):
    monkeypatch.setattr(PEERS[name], "version", lambda: "1")
    assert PEERS[name].refusal("mlc", 21) == "left out: a model for each of 21 labels"
    assert PEERS[name].refusal("mlc", 20) == PEERS[name].refusal("mtr", 21) == ""
