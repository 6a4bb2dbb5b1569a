"""The script that compares label trees: what it fits, and what it prints."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_multilabel_classification

from slantwood_bench.problems import Problem
from slantwood_bench.scripts import many_labels
from slantwood_bench.scripts.data import two_thirds

X, Y = make_multilabel_classification(n_samples=150, n_features=30, n_classes=8, random_state=0)
PROBLEM = Problem("multi-label", X.astype(np.float32), Y)


@pytest.mark.parametrize("model", ["label trees", "classifiers and forest"])
def test_a_model_of_ours_has_precision_time_and_size(model):
    found = many_labels.judged(many_labels.OURS[model](1), *two_thirds(PROBLEM))
    assert 0.4 < found.precision[0] <= 1
    assert found.precision.shape == (3,)
    assert min(found[1:]) > 0


def test_omikuji_is_judged_alike():
    pytest.importorskip("omikuji")
    found = many_labels.judged_omikuji({}, *two_thirds(PROBLEM), 1)
    assert 0.4 < found.precision[0] <= 1
    assert min(found[1:]) > 0


def test_a_line_has_the_labels_of_a_row_and_then_its_values():
    rows, labels = sp.csr_array([[0, 0.5], [0, 0]]), sp.csr_array([[1, 0, 1], [0, 0, 0]])
    assert list(many_labels.lines(rows, labels)) == ["2 2 3", "0,2 1:0.5", ""]


@pytest.mark.parametrize("held_out", [(), ("--held-out",)])
def test_the_script_prints_a_row_for_each_set_and_model(monkeypatch, capsys, held_out):
    monkeypatch.setattr(many_labels, "read_parts", lambda name: two_thirds(PROBLEM))
    many_labels.main(["any", "--jobs", "1", "--models", "label trees", *held_out])
    *_, head, _, row = capsys.readouterr().out.splitlines()
    assert head.startswith("| data | model | P@1 | P@3 | P@5 | fit, CPU s |")
    assert row.startswith("| any | label trees | 0.")
