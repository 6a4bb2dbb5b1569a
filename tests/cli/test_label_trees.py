"""Claims about label trees on the command line: trained, inspected, asked and scored as other models."""

import json

import numpy as np
import pytest
import scipy.sparse as sp

import slantwood
from slantwood.data import Data, write
from slantwood.evaluation import scores as evaluation_scores

KIND = ("--kind", "label-trees", "--set", "n_forest_trees=2")


@pytest.fixture
def texts(folder):
    """Write texts of four of forty words, half of which are labels; return the words and the labels."""
    rng = np.random.default_rng(0)
    X = np.zeros((120, 40), np.float32)
    for row in X:
        row[rng.choice(40, 4, replace=False)] = 1
    X, Y = sp.csr_array(X), sp.csr_array((X[:, :20] > 0).astype(np.int8))
    names = tuple(map(str, range(40)))
    write(Data(X, Y, names, names[:20], task="multi-label"), folder / "texts.txt", format="extreme")
    return X, Y


FORM = ("--format", "extreme")


def test_the_model_is_the_one_that_python_would_fit(run, texts):
    said = run("train", "texts.txt", *FORM, *KIND, "--seed", "3", "--set", "C=0.5").stderr.splitlines()
    model = slantwood.load_model("texts.slant")
    twin = slantwood.LabelTreeClassifier(n_forest_trees=2, C=0.5, random_state=3).fit(*texts)
    np.testing.assert_array_equal(model.predict_proba(texts[0]), twin.predict_proba(texts[0]))
    assert model.classes_.tolist() == list(map(str, range(20)))
    assert model.input_names_ == tuple(map(str, range(40)))
    assert any(line.startswith("Settings: ") and "C=0.5" in line for line in said)
    sizes = "Trained 1 label tree with 20 classifiers, and 2 trees of a forest, in "
    assert any(line.startswith(sizes) for line in said)


def test_labels_are_divided_into_as_many_trees_as_are_said(run, texts):
    words = ("--trees", "2", "--set", "max_leaf_labels=5", "--set", "n_forest_trees=0", "--json")
    found = json.loads(run("train", "texts.txt", *FORM, *KIND[:2], *words).stdout)
    assert (found["label_trees"], found["trees"]) == (2, 0)
    assert found["depth"] > 1
    assert len(slantwood.load_model("texts.slant").label_trees_.roots) == 2


def test_inspect_shows_what_there_is(run, texts):
    run("train", "texts.txt", *FORM, *KIND)
    shown = run("inspect", "texts.slant").stdout
    for text in ("LabelTreeClassifier", "20: '0', '1'", "1, with 1 node, up to 1 deep", "2 trees"):
        assert text in shown
    assert "max_leaf_labels='auto'" in shown
    found = json.loads(run("inspect", "texts.slant", "--json").stdout)
    assert (found["classifiers"], found["features"]) == (20, 40)
    assert "x" in run("inspect", "texts.slant", "--tree", "1").stdout
    run("train", "texts.txt", *FORM, *KIND[:2], "--set", "n_forest_trees=0", "--force")
    lines = run("inspect", "texts.slant").stdout.splitlines()
    assert ["forest", "none"] in [line.split() for line in lines]
    assert "label trees only" in run("inspect", "texts.slant", "--tree", "0", code=2).stderr


def test_predictions_are_lists_of_labels_or_what_is_asked_for(run, texts):
    run("train", "texts.txt", *FORM, *KIND)
    lines = run("predict", "texts.slant", "texts.txt", *FORM).stdout.splitlines()
    model = slantwood.load_model("texts.slant")
    chosen = [";".join(map(str, row.nonzero()[0])) for row in model.predict(texts[0]).toarray()]
    assert [line.strip('"') for line in lines] == ["labels", *chosen]
    best = run("predict", "texts.slant", "texts.txt", *FORM, "--top-k", "2").stdout.splitlines()
    assert best[0] == "label_1,score_1,label_2,score_2"
    assert best[1].split(",")[::2] == model.predict_top_k(texts[0][:1], 2).labels[0].tolist()
    columns = run("predict", "texts.slant", "texts.txt", *FORM, "--columns").stdout.splitlines()
    assert columns[0] == ",".join(map(str, range(20)))


def test_evaluate_scores_by_the_measures_of_labels(run, texts, monkeypatch):
    run("train", "texts.txt", *FORM, *KIND)
    found = json.loads(run("evaluate", "texts.slant", "texts.txt", *FORM, "--json").stdout)
    assert found["precision_at_1"] > 0.8
    assert {"lrap", "micro_f1", "coverage"} <= found.keys()
    monkeypatch.setattr(evaluation_scores, "_MOST_SCORES", 100)  # as if labels were hundreds of thousands
    result = run("evaluate", "texts.slant", "texts.txt", *FORM, "--json")
    of_best = json.loads(result.stdout)
    assert "the best five of each row are ranked" in result.stderr
    assert "lrap" not in of_best
    for measure in ("precision_at_1", "precision_at_5", "micro_f1", "subset_accuracy"):
        assert of_best[measure] == pytest.approx(found[measure])
    every = json.loads(run("evaluate", "texts.slant", "texts.txt", *FORM, "--json", "--all").stdout)
    assert every["lrap"] == found["lrap"]
    assert every["ndcg_at_3"] == pytest.approx(of_best["ndcg_at_3"])


def test_folds_are_scored(run, texts):
    found = json.loads(run("cv", "texts.txt", *FORM, *KIND, "--folds", "2", "--json").stdout)
    assert found["mean"]["precision_at_1"] > 0.5


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--max-depth", "3"), "--kind forest has it"),
        (("--min-samples-split", "9"), "--set forest_min_samples_split"),
        (("--split", "svm"), "--kind forest has it"),
        (("--split-set", "C=1"), "--kind forest has it"),
        (("--oob",), "--test, or slantwood cv"),
        (("--preset", "fast"), "n_forest_trees=0"),
        (("--onnx", "m.onnx"), "cannot be written as ONNX"),
        (("--set", "n_childen=3"), "n_children"),
    ],
)
def test_what_label_trees_do_not_have_is_refused(run, folder, texts, words, says):
    assert says in " ".join(run("train", "texts.txt", *FORM, *KIND, *words, code=2).stderr.split())
    assert not (folder / "texts.slant").exists()


def test_other_tasks_are_refused(run, write_csv, waves):
    write_csv("a.csv", waves)
    said = run("train", "a.csv", "--targets", "u", *KIND, code=2).stderr
    assert "label-trees is for rows with labels, and the task is regression" in " ".join(said.split())


def test_models_of_classes_saved_in_python_are_inspected_scored_and_reported(run, folder, write_csv, flowers):
    write_csv("a.csv", flowers)
    names = [name for name in flowers if name not in ("kind", "soil")]
    X = np.array([flowers[name] for name in names], np.float32).T
    model = slantwood.LabelTreeClassifier(n_forest_trees=2, random_state=0)
    model.fit(X, flowers["kind"], feature_names=names).save("m.slant")
    words = ("evaluate", "m.slant", "a.csv", "--targets", "kind", "--json")
    assert json.loads(run(*words).stdout)["accuracy"] == model.score(X, flowers["kind"])
    assert "elm" in run("inspect", "m.slant").stdout
    run("report", "m.slant", "a.csv", "--targets", "kind")
    assert run("predict", "m.slant", "a.csv").stdout.splitlines()[1:] == model.predict(X).tolist()
    assert run("predict", "m.slant", "a.csv", "--top-k", "1").stdout.startswith("label_1,score_1\n")
