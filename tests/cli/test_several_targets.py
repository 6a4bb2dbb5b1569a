"""Several targets with classes of their own, and a number beside them, on the command line."""

import csv
import io
import json

import numpy as np
import pytest

import slantwood
from slantwood.data import read


@pytest.fixture
def trees(flowers, write_csv):
    """Write a table with three classes, two whole numbers and a number that can be told from two columns."""
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 90)).round(3)
    columns = {"a": a, "b": b}
    columns["kind"] = np.where(a > 0.5, "elm", np.where(a > -0.5, "fir", "oak"))
    columns["side"] = np.where(b > 0, 3, 7)
    columns["height"] = (2 * a - b).round(3)
    columns["rings"] = np.digitize(b, [-0.5, 0.0, 0.5])
    columns = {name: list(map(str, column)) for name, column in columns.items()}
    columns["kind"][0] = ""
    write_csv("trees.csv", columns)
    return columns


TARGETS = ("--targets", "kind,side,height")


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_a_model_of_mixed_targets_goes_from_file_to_file(run, trees):
    said = run("train", "trees.csv", *TARGETS, "--trees", "10", "--model", "m.slant").stderr
    assert "Task: mixed targets ('kind', 'side' have classes of their own, and 'height' numbers" in said
    predicted = rows(run("predict", "m.slant", "trees.csv").stdout)
    assert list(predicted[0]) == ["kind", "side", "height"]
    right = [row["kind"] == kind for row, kind in zip(predicted, trees["kind"], strict=True)]
    assert np.mean(right) > 0.9
    assert {row["side"] for row in predicted} == {"3", "7"}
    numbers = np.array([float(row["height"]) for row in predicted])
    assert np.corrcoef(numbers, np.array(trees["height"], float))[0, 1] > 0.9


def test_probabilities_stand_after_the_class_of_each_target(run, trees):
    run("train", "trees.csv", *TARGETS, "--trees", "3", "--model", "m.slant")
    first, *_ = rows(run("predict", "m.slant", "trees.csv", "--proba").stdout)
    of_kind = ["P(kind=elm)", "P(kind=fir)", "P(kind=oak)"]
    assert list(first) == ["kind", *of_kind, "side", "P(side=3)", "P(side=7)", "height"]
    assert sum(float(first[name]) for name in of_kind) == pytest.approx(1.0)


def test_each_target_is_scored_and_their_means(run, trees):
    run("train", "trees.csv", *TARGETS, "--trees", "3", "--model", "m.slant")
    document = json.loads(run("evaluate", "m.slant", "trees.csv", "--per-target", "--json").stdout)
    each = document["per_target"]
    assert set(each) == {"kind", "side", "height"}
    assert each["kind"]["rows"] == 89  # one is not known
    assert document["mean_accuracy"] == pytest.approx(
        (each["kind"]["accuracy"] + each["side"]["accuracy"]) / 2
    )
    assert document["mean_macro_f1"] == pytest.approx(
        (each["kind"]["macro_f1"] + each["side"]["macro_f1"]) / 2
    )
    assert document["mean_r2"] == each["height"]["r2"]
    assert 0.5 < document["exact_match"] <= min(each["kind"]["accuracy"], each["side"]["accuracy"]) + 1 / 89
    table = run("evaluate", "m.slant", "trees.csv", "--per-target").stdout
    assert "mean macro F1" in table
    assert "height" in table


def test_means_are_of_measures_that_all_targets_of_a_kind_have(run, trees):
    run("train", "trees.csv", *TARGETS, "--trees", "3", "--model", "m.slant")
    document = json.loads(run("evaluate", "m.slant", "trees.csv", "--all", "--per-target", "--json").stdout)
    each = document["per_target"]
    assert "auc" in each["side"]
    assert "macro_precision" in each["kind"]
    assert not {"mean_auc", "mean_macro_precision"} & set(document)  # of two classes, of more than two
    both = (each["kind"]["balanced_accuracy"] + each["side"]["balanced_accuracy"]) / 2
    assert document["mean_balanced_accuracy"] == pytest.approx(both)
    assert document["mean_correlation"] == each["height"]["correlation"]


def test_a_target_that_a_file_does_not_know_has_no_part_in_the_means(run, trees, write_csv):
    run("train", "trees.csv", *TARGETS, "--trees", "3", "--model", "m.slant")
    write_csv("later.csv", trees | {"kind": [""] * 90})
    document = json.loads(run("evaluate", "m.slant", "later.csv", "--per-target", "--json").stdout)
    assert document["mean_accuracy"] == document["per_target"]["side"]["accuracy"]


def test_numbers_are_classes_where_that_is_said(run, trees):
    command = (
        "train",
        "trees.csv",
        "--trees",
        "2",
        "--model",
        "m.slant",
        "--force",
        "--targets",
        "kind,rings",
    )
    for option, classes in ((), None), (("--nominal", "rings"), ["0", "1", "2", "3"]):
        run(*command, *option)
        found = slantwood.load_model("m.slant").classes_[1]
        assert (found if found is None else found.tolist()) == classes
    run(*command, "--task", "classification")
    assert slantwood.load_model("m.slant").classes_[1].tolist() == [0, 1, 2, 3]
    assert "targets             2: 'kind', 'rings'" in run("inspect", "m.slant").stdout


def test_cross_validation_and_test_files_know_several_targets(run, trees):
    document = json.loads(run("cv", "trees.csv", *TARGETS, "--trees", "2", "--folds", "2", "--json").stdout)
    assert document["task"] == "mixed targets"
    assert {"mean_accuracy", "mean_macro_f1", "mean_r2"} <= set(document["mean"])


def test_the_best_classes_are_for_one_target(run, fails, trees):
    run("train", "trees.csv", *TARGETS, "--trees", "2", "--model", "m.slant")
    said = fails("predict", "m.slant", "trees.csv", "--top-k", "2", code=2)
    assert "--top-k: it is for one target or labels" in said


def test_settings_of_clus_may_name_several_nominal_targets(run, write_arff, folder):
    rng = np.random.default_rng(0)
    a = rng.normal(size=60).round(3)
    kinds = (
        np.where(a > 0, "elm", "oak").tolist(),
        np.where(a > 0.5, "x", np.where(a > -0.5, "y", "z")).tolist(),
    )
    write_arff("t.arff", {"a": a.tolist(), "kind": kinds[0], "form": kinds[1]})
    (folder / "t.s").write_text("[Data]\nFile = t.arff\n[Attributes]\nTarget = 2-3\n")
    run("train", "t.s", "--model", "m.slant")
    assert slantwood.load_model("m.slant").targets_.task == "multi-target classification"


@pytest.mark.parametrize("ending", ["csv", "tsv", "arff", "parquet"])
def test_files_of_several_targets_are_written_and_read_again(run, trees, ending):
    run("convert", "trees.csv", f"again.{ending}", *TARGETS, "--force")
    again = read(f"again.{ending}", targets=["kind", "side", "height"])
    assert again.task == "mixed targets"
    assert again.y["kind"].astype(object).tolist()[1:] == trees["kind"][1:]
    assert again.y["kind"].isna().tolist()[0]
    assert again.y["side"].astype(str).tolist() == trees["side"]
    assert again.y["height"].tolist() == [float(each) for each in trees["height"]]


@pytest.mark.parametrize("ending", ["npz", "svm"])
def test_formats_of_one_type_of_targets_say_what_holds_several(fails, trees, ending):
    assert "write csv, arff or parquet" in fails("convert", "trees.csv", f"again.{ending}", *TARGETS)
