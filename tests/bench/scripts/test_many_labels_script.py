"""The script that compares label trees: what it fits, and what it prints."""

import importlib.util
import json
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_multilabel_classification

from slantwood_bench.problems import Problem
from slantwood_bench.scripts import label_tree_peers, many_labels
from slantwood_bench.scripts.data import two_thirds

X, Y = make_multilabel_classification(n_samples=150, n_features=30, n_classes=8, random_state=0)
PROBLEM = Problem("multi-label", X.astype(np.float32), Y)


@pytest.mark.parametrize("model", ["label trees", "classifiers and forest"])
def test_a_model_of_ours_has_precision_time_and_size(model):
    found = many_labels.judged(many_labels.OURS[model](1), *two_thirds(PROBLEM))
    assert 0.4 < found.precision[0] <= 1
    assert found.precision.shape == (3,)
    assert min(found.lrap, *found[2:]) > 0


@pytest.mark.parametrize("name", label_tree_peers.PEERS)
def test_peers_that_are_installed_are_judged_alike_in_a_process_of_their_own(name):
    package = label_tree_peers.PEERS[name][0]
    found = many_labels.judged_peer(name, sys.executable, *two_thirds(PROBLEM), 1)
    if importlib.util.find_spec(package.removeprefix("lib")) is None:
        assert found is None
        return
    assert 0.4 < found.precision[0] <= 1
    assert min(found.lrap, *found[2:]) > 0


def test_what_a_peer_finds_comes_back_through_files(monkeypatch, tmp_path):
    def fit(X, Y, folder, jobs):
        folder.mkdir()
        (folder / "weights").write_text("0123456789")
        return lambda X, k, widely: label_tree_peers.matrix([[(1, 0.5), (2, 0.25)][:k]] * X.shape[0], (4, 3))

    monkeypatch.setitem(label_tree_peers.PEERS, "fake", ("numpy", fit))
    for part, shape in {"train_X": (6, 2), "train_y": (6, 3), "test_X": (4, 2)}.items():
        sp.save_npz(tmp_path / f"{part}.npz", sp.csr_matrix(np.ones(shape)))
    label_tree_peers.main("fake", tmp_path, 1)
    np.testing.assert_array_equal(sp.load_npz(tmp_path / "all.npz").toarray(), [[0, 0.5, 0.25]] * 4)
    assert json.loads((tmp_path / "found.json").read_text())["n_bytes"] == 10


def test_a_python_for_a_peer_that_nobody_knows_is_refused(capsys):
    with pytest.raises(SystemExit):
        many_labels.main(["--peer-python", "Annexml=python"])
    assert "'Annexml' is none of Omikuji, Parabel" in capsys.readouterr().err


def test_rows_have_length_one_and_sorted_columns_for_those_who_ask_for_it():
    rows = label_tree_peers.unit(sp.csr_matrix(([3.0, 4.0], [2, 0], [0, 2, 2]), shape=(2, 3)))
    np.testing.assert_allclose(rows.toarray(), [[0.8, 0, 0.6], [0, 0, 0]])
    assert rows.has_sorted_indices


def test_a_line_has_the_labels_of_a_row_and_then_its_values():
    rows, labels = sp.csr_matrix([[0, 0.5], [0, 0]]), sp.csr_matrix([[1, 0, 1], [0, 0, 0]])
    assert list(label_tree_peers.lines(rows, labels)) == ["2 2 3", "0,2 1:0.5", ""]


@pytest.mark.parametrize("held_out", [(), ("--held-out",)])
def test_the_script_prints_a_row_for_each_set_and_model(monkeypatch, capsys, held_out):
    monkeypatch.setattr(many_labels, "read_parts", lambda name: two_thirds(PROBLEM))
    many_labels.main(["any", "--jobs", "1", "--models", "label trees", *held_out])
    *_, head, _, row = capsys.readouterr().out.splitlines()
    assert head.startswith("| data | model | LRAP | P@1 | P@3 | P@5 | fit, CPU s |")
    assert row.startswith("| any | label trees | 0.")
