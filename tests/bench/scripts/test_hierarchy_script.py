"""The comparison on label hierarchies, on made-up data: what it judges, and that it prints what it found."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import average_precision_score

from slantwood import Hierarchy
from slantwood_bench.problems import Problem
from slantwood_bench.scripts import hierarchies

ONTOLOGY = Hierarchy.from_edges([("GO0003674", "a"), ("GO0008150", "b"), ("a", "c")])


class Constant:
    """Scores that are the same in every run."""

    scores = np.array([[1.0, 0.9, 1.0, 0.2, 0.1], [1.0, 0.1, 1.0, 0.8, 0.0]], np.float32)

    def predict_proba(self, X):
        return self.scores


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4)).astype(np.float32)
    Y = sp.csr_array(ONTOLOGY.indicator([["a"] if row[0] > 0 else ["b"] for row in X]))
    problem = Problem("hierarchical multi-label", X, ONTOLOGY.closure(Y), ONTOLOGY)
    return problem, problem.rows(slice(2))


def test_roots_of_the_ontology_are_left_out_of_the_first_measure_only(data):
    area, area_in_clus, lrap = hierarchies.judged(Constant(), data[1])
    truth = data[1].y.toarray()
    kept = [ONTOLOGY.index(label) for label in ("a", "b", "c")]
    assert area == pytest.approx(
        average_precision_score(truth[:, kept].ravel(), Constant.scores[:, kept].ravel())
    )
    assert area != pytest.approx(area_in_clus)
    assert 0 < lrap <= 1


@pytest.mark.parametrize("options", [[], ["--untuned"], ["--choice"]])
def test_a_row_is_printed_for_each_set(data, options, monkeypatch, capsys):
    monkeypatch.setattr(hierarchies, "load_parts", lambda name: data)
    monkeypatch.setattr(hierarchies, "PUBLISHED", {"made": (0.5, 0.25)})
    hierarchies.main(["made", "--trees", "2", "--seeds", "1", *options])
    row = capsys.readouterr().out.splitlines()[-1].split("|")
    assert [cell.strip() for cell in row[1:3]] == ["made", "5"]
    assert 0.9 < float(row[3]) <= 1.0
    assert [cell.strip() for cell in row[5:7]] == ["0.500", "0.250"]
