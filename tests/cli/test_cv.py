"""Claims about `slantwood cv`."""

import json

import numpy as np
import pytest

import slantwood
from slantwood.cli.cv import _folds
from slantwood.data.table import Data


@pytest.fixture
def validated(run):
    def go(*words):
        return json.loads(run("cv", *words, "--trees", "3", "--folds", "3", "--json").stdout)

    return go


@pytest.mark.parametrize(
    ("table", "targets", "measure"),
    [("flowers", "kind", "accuracy"), ("tags", "last:4", "lrap"), ("waves", "u,v", "mean_r2")],
)
def test_every_task_is_validated(validated, write_csv, request, table, targets, measure):
    write_csv("a.csv", request.getfixturevalue(table))
    document = validated("a.csv", "--targets", targets)
    values = [fold[measure] for fold in document["by_fold"]]
    assert len(values) == 3
    assert document["mean"][measure] == pytest.approx(np.mean(values))
    assert document["deviation"][measure] == pytest.approx(np.std(values, ddof=1))
    assert document["mean"][measure] > 0.5


def test_boosted_trees_are_validated(validated, write_csv, flowers):
    write_csv("a.csv", flowers)
    words = ("--kind", "boosting", "--set", "early_stopping=false", "--set", "learning_rate=0.5")
    assert validated("a.csv", "--targets", "kind", *words)["mean"]["accuracy"] > 0.5


def test_the_table_has_means_and_deviations(run, write_csv, waves):
    write_csv("a.csv", waves)
    result = run("cv", "a.csv", "--targets", "u", "--drop", "v", "--trees", "3", "--folds", "2")
    heading, _, *rows = result.stdout.splitlines()
    assert heading.split() == ["measure", "mean", "deviation"]
    assert [row.split()[0] for row in rows] == ["R2", "RMSE", "MAE"]
    assert "2 folds in" in result.stderr


def test_all_measures_are_validated_if_asked_for(validated, write_csv, tags):
    write_csv("a.csv", tags)
    mean = validated("a.csv", "--targets", "last:4", "--all")["mean"]
    assert {"lrap", "ranking_loss", "example_f1"} <= set(mean)


def test_a_fold_is_what_python_would_compute(validated, write_csv, waves):
    write_csv("a.csv", waves)
    document = validated("a.csv", "--targets", "u", "--drop", "v", "--seed", "4")
    X, y = np.array([waves[name] for name in "abc"], np.float32).T, np.array(waves["u"])
    learn, test = next(_folds(Data(X, y, tuple("abc"), ("u",), task="regression"), 3, 4))
    forest = slantwood.ObliqueForestRegressor(n_estimators=3, random_state=4).fit(X[learn], y[learn])
    assert document["by_fold"][0]["r2"] == pytest.approx(forest.score(X[test], y[test]), abs=1e-9)


def test_the_same_seed_gives_the_same_numbers_and_another_gives_others(validated, write_csv, waves):
    write_csv("a.csv", waves)
    first, again, other = (
        validated("a.csv", "--targets", "u", "--seed", seed)["by_fold"] for seed in (1, 1, 2)
    )
    assert first == again != other


def test_every_class_has_its_share_in_each_fold():
    y = np.array(["rare"] * 4 + ["common"] * 36)
    data = Data(np.zeros((40, 1), np.float32), y, ("a",), ("y",), task="binary")
    tests = [test for _, test in _folds(data, 4, 0)]
    assert [(y[test] == "rare").sum() for test in tests] == [1, 1, 1, 1]
    assert sorted(np.concatenate(tests)) == list(range(40))


def test_a_class_that_a_fold_did_not_learn_is_no_error(validated, write_csv, flowers):
    flowers["kind"][0] = "yew"
    write_csv("a.csv", flowers)
    assert validated("a.csv", "--targets", "kind")["mean"]["accuracy"] < 1


def test_rows_of_frames_and_sparse_matrices_can_be_held_out(validated, folder):
    rng = np.random.default_rng(0)
    lines = [f"{i % 2} {1 + 20 * (i % 2) + rng.integers(20)}:1" for i in range(60)]
    (folder / "a.svm").write_text("\n".join(lines) + "\n")
    assert validated("a.svm")["rows"] == 60


def test_more_folds_than_rows_are_refused(fails, write_csv, waves):
    write_csv("a.csv", waves)
    words = ("a.csv", "--targets", "u")
    assert "--folds: 100 is more than the 80 rows" in fails("cv", *words, "--folds", "100", code=2)
    assert "--folds" in fails("cv", *words, "--folds", "1", code=2)
    assert "DATA" in fails("cv", code=2)


def test_a_class_that_only_one_fold_has_leaves_the_measures_that_all_folds_have(run, folder, write_csv):
    kinds = ["elm", "oak"] * 15 + ["yew"]
    write_csv("rare.csv", {"a": [str(i % 2) for i in range(31)], "kind": kinds})
    document = json.loads(run("cv", "rare.csv", "--targets", "kind", "--trees", "2", "--json").stdout)
    assert "accuracy" in document["mean"]
    assert "macro_f1" not in document["mean"]  # models of two classes have the F1 of the second
