"""One job: what its row says is what doing the same by hand gives."""

import json
import pickle
import sys

import numpy as np
import pytest
from sklearn.metrics import f1_score

import slantwood
from slantwood import AxisParallelSplit, ObliqueForestClassifier
from slantwood_bench.execute import metadata, prepare, run
from slantwood_bench.folds import fold_of_rows
from slantwood_bench.jobs import Job, key_of
from slantwood_bench.measures import MEASURES
from slantwood_bench.methods import method_class
from slantwood_bench.problems import load_problem
from slantwood_bench.worker import Folders, Worker

# What every row of results has.
FIELDS = {
    *("experiment", "task", "dataset", "mark", "remark", "method", "fold", "n_folds", "n_trees", "seed"),
    *("threads", "changes", "status", "error", "measure", "quality", "learn_seconds", "predict_seconds"),
    *("peak_megabytes", "nodes", "bytes", "n_rows", "n_features", "n_targets", "seconds", "started", "host"),
    "versions",
}
# Those that the process around the job knows.
FROM_OUTSIDE = {"status", "error", "seconds", "started", "host"}


@pytest.fixture
def done(data, tmp_path):
    """Do a job here; return its row, and what it was prepared with."""

    def do(job):
        prepared = prepare(job, data, tmp_path)
        return run(job, prepared), prepared

    return do


def _job(dataset, method="bag-pct", **others):
    return Job("comparison", method, dataset, **{"fold": 1, "n_folds": 3, "n_trees": 3, **others})


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "dataset", ["triazines", "slump", "banknote", "balance", "flags", "enron", "tmc2007-500"]
)
def test_a_row_says_all_that_is_known_of_the_job(done, dataset):
    job = _job(dataset)
    row, prepared = done(job)
    problem = prepared.problem
    assert row.keys() >= FIELDS - FROM_OUTSIDE
    assert not FROM_OUTSIDE & row.keys()
    assert key_of(row) == job.key
    assert key_of(json.loads(json.dumps(row))) == job.key
    assert (row["task"], row["measure"]) == (problem.task, MEASURES[problem.task])
    assert (row["mark"], row["remark"]) == (problem.mark, problem.remark)
    assert (row["n_rows"], row["n_features"]) == problem.X.shape
    assert row["n_targets"] == problem.n_targets
    assert row["learn_seconds"] > 0
    assert row["predict_seconds"] > 0
    assert row["peak_megabytes"] > 10
    assert row["quality"] <= 1
    assert row["versions"]["slantwood"] == slantwood.__version__
    assert row["versions"]["numpy"] == np.__version__


def test_versions_name_the_package_of_the_method(data, tmp_path):
    job = _job("banknote", "scikit-rf")
    assert "scikit-learn" in metadata(job, prepare(job, data, tmp_path))["versions"]
    assert method_class("lightgbm").package == "lightgbm"
    if version := method_class("lightgbm").version():
        job = _job("banknote", "lightgbm")
        assert metadata(job, prepare(job, data, tmp_path))["versions"]["lightgbm"] == version


def test_facts_are_part_of_the_row(done):
    job = _job("banknote")
    row, prepared = done(job)
    assert metadata(job, prepared).items() <= row.items()
    assert "quality" not in metadata(job, prepared)


def test_quality_is_that_of_the_same_forest_made_by_hand(done, data, tmp_path):
    row, _ = done(_job("banknote", seed=7))
    problem = load_problem("banknote", data)
    test = fold_of_rows(problem, 3, tmp_path) == 1
    forest = ObliqueForestClassifier(
        n_estimators=3,
        split=AxisParallelSplit(),
        bootstrap=True,
        max_features=None,
        min_samples_split=2,
        normalize_rows=False,
        random_state=7,
        n_jobs=1,
    ).fit(problem.X[~test], problem.y[~test])
    assert row["quality"] == f1_score(problem.y[test], forest.predict(problem.X[test]))
    leaves = forest.apply(problem.X[~test])
    # Training rows reach every leaf, and a node has two below it or none.
    assert row["nodes"] == sum(2 * len(set(column)) - 1 for column in leaves.T)
    assert row["bytes"] == len(pickle.dumps(forest, protocol=5))


def test_the_fold_is_predicted_and_not_learned_from(done, monkeypatch):
    seen = {}
    cls = method_class("tree-pct")
    learn, say = cls.fit, cls.predict
    monkeypatch.setattr(cls, "fit", lambda self, rows: (seen.update(train=rows.X), learn(self, rows))[1])
    monkeypatch.setattr(cls, "predict", lambda self, X: (seen.update(test=X), say(self, X))[1])
    for fold in range(3):
        _, prepared = done(_job("banknote", "tree-pct", fold=fold))
        X = prepared.problem.X
        np.testing.assert_array_equal(seen["test"], X[prepared.folds == fold])
        np.testing.assert_array_equal(seen["train"], X[prepared.folds != fold])


def test_seeds_and_changes_reach_the_method(done):
    plain, _ = done(_job("triazines"))
    again, _ = done(_job("triazines"))
    assert (again["quality"], again["nodes"], again["bytes"]) == (
        plain["quality"],
        plain["nodes"],
        plain["bytes"],
    )
    other, _ = done(_job("triazines", seed=1))
    assert other["quality"] != plain["quality"]
    small, _ = done(_job("triazines", changes={"max_depth": 1}))
    assert small["nodes"] == 3 * 3
    assert small["changes"] == {"max_depth": 1}


# ---- noise


def test_importances_have_one_number_for_each_encoded_feature(done):
    row, _ = done(Job("importance", "bag-gradient", "triazines", n_folds=2, n_trees=3))
    found = row["importances"]
    # Four numbers, and a column for each of three colours.
    assert len(found["real"]) == len(found["noise"]) == 4 + 3
    assert sum(found["real"]) + sum(found["noise"]) == pytest.approx(1)
    assert row["learn_seconds"] > 0
    assert "quality" not in row
    shares = row["noise_by_ranking"]
    assert list(shares) == ["paper", "impurity", "genie3", "symbolic", "permutation"]
    assert shares["impurity"] == pytest.approx(sum(found["noise"]))
    json.dumps(row)


@pytest.mark.parametrize("method", ["bag-gradient", "bag-svm"])
def test_noise_counts_less_than_half_of_what_is_planted(done, method):
    row, _ = done(Job("importance", method, "spambase", n_folds=2, n_trees=10))
    found = row["importances"]
    # All six features are as important as the others.
    assert sum(found["noise"]) < 0.5 * sum(found["real"])
    assert max(found["noise"]) < np.median(found["real"])
    assert all(share < 0.4 for share in row["noise_by_ranking"].values())


def test_noise_works_where_inputs_are_sparse(done):
    row, prepared = done(Job("importance", "bag-gradient", "tmc2007-500", n_folds=2, n_trees=3))
    assert len(row["importances"]["noise"]) == prepared.problem.X.shape[1]


# ---- in a process of its own


@pytest.mark.skipif(sys.platform != "linux", reason="children are forked on Linux only")
def test_a_worker_adds_what_is_missing_to_a_row(data, tmp_path):
    jobs = [_job("banknote"), _job("triazines", "wodt"), Job("importance", "bag-svm", "spambase", n_trees=2)]
    with Worker() as worker:
        good, wrong, noise = (worker.result(job, Folders(data, tmp_path)) for job in jobs)
    assert good.keys() >= FIELDS
    assert (good["status"], good["error"]) == ("ok", "")
    assert wrong.keys() >= FIELDS
    assert (wrong["status"], wrong["quality"]) == ("failed", None)
    assert "WODTSplit" in wrong["error"]
    assert (wrong["task"], wrong["n_rows"]) == ("regression", 87)
    assert FIELDS | {"importances"} <= noise.keys()
    assert noise["quality"] is None
