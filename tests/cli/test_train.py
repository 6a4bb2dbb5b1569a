"""Claims about `slantwood train`."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from numpy.testing import assert_allclose

import slantwood
from slantwood.cli import models

# Few trees on purpose: rows that all of them saw, which a warning tells of, are no concern of these claims.
pytestmark = pytest.mark.filterwarnings("ignore:oob_score=True.*no out-of-bag prediction:UserWarning")

SMALL = ("--trees", "3")
BOOSTING = ("--kind", "boosting")


def test_the_model_is_the_one_that_python_would_fit(run, write_csv, waves):
    write_csv("a.csv", waves)
    run("train", "a.csv", "--targets", "u,v", "--trees", "4", "--seed", "5", "--model", "m.slant")
    model = slantwood.load_model("m.slant")
    X = np.array([waves[name] for name in "abc"], np.float32).T
    Y = np.array([waves[name] for name in "uv"]).T
    twin = slantwood.ObliqueForestRegressor(n_estimators=4, random_state=5).fit(X, Y)
    np.testing.assert_allclose(model.predict(X), twin.predict(X), rtol=1e-12)
    assert model.input_names_ == ("a", "b", "c")
    assert model.target_names_ == ("u", "v")


@pytest.mark.parametrize(
    ("targets", "more", "said"),
    [
        ("kind", (), "multi-class (target 'kind' holds text: 3 classes 'elm', 'fir', 'oak')"),
        ("width", (), "regression (target 'width' holds numbers; --task classification if they are classes)"),
        ("rank", (), "regression (target 'rank' holds numbers; --task classification if they are classes)"),
        ("rank", ("--task", "classification"), "multi-class (as --task classification says)"),
        ("side", (), "binary (target 'side' holds 2 classes 1, 4; --task regression if they are numbers)"),
        ("side", ("--task", "regression"), "regression (as --task regression says)"),
        ("width,rank", (), "multi-target regression (2 targets hold numbers)"),
        ("one,two", (), "multi-label (2 targets hold 0 and 1 only; --task regression if these are numbers)"),
    ],
)
def test_the_task_is_recognised_and_said_aloud(run, write_csv, flowers, targets, more, said):
    flowers["rank"] = [i % 3 for i in range(90)]
    flowers["side"] = [1 + 3 * (i % 2) for i in range(90)]
    flowers["one"] = [i % 2 for i in range(90)]
    flowers["two"] = [int(i % 3 == 0) for i in range(90)]
    write_csv("a.csv", flowers)
    result = run("train", "a.csv", "--targets", targets, "--kind", "tree", "--model", "m.slant", *more)
    assert f"Task: {said}." in result.stderr.splitlines()
    assert result.stdout == ""


def test_it_says_what_was_read_and_written(run, folder, write_csv, flowers):
    flowers["noise"][:9] = [""] * 9
    write_csv("a.csv", flowers)
    said = run("train", "a.csv", "--targets", "kind", *SMALL).stderr.splitlines()
    assert said[0] == "Read a.csv: 90 rows, 4 features (1 of them nominal); 2.5 % of the values are missing."
    assert said[2].startswith("Settings: bootstrap=False, max_features=0.5, ")
    assert said[3].startswith("Split: GradientSplit(C=10.0, ")
    assert said[4].startswith("Trained 3 trees in ")
    assert said[5].startswith("Wrote a.slant (")
    assert (folder / "a.slant").exists()


def test_files_without_names_and_sparse_files_are_described_as_such(run, folder, write_csv, waves):
    write_csv("a.csv", waves, header=False)
    assert "4 features (dense)." in run("train", "a.csv", "--targets", "last:1", *SMALL).stderr
    (folder / "a.svm").write_text("".join(f"{i % 2} {1 + i % 30}:1\n" for i in range(60)))
    assert "30 features (sparse, 3.3 % non-zero)." in run("train", "a.svm", *SMALL).stderr


def test_options_reach_the_estimator(run, write_csv, waves):
    write_csv("a.csv", waves)
    words = ["--split", "svm", "--max-depth", "2", "--min-samples-split", "9", "--max-features", "0.5"]
    words += ["--min-samples-leaf", "0.05", "--max-leaf-nodes", "3", "--ftest", "0.1", "--ccp-alpha", "0.001"]
    words += [
        "--max-samples",
        "40",
        "--set",
        "min_impurity_decrease=0.1",
        "--set",
        "bootstrap=true",
        "--split-set",
        "C=0.25",
    ]
    run("train", "a.csv", "--targets", "u", *SMALL, *words, "--model", "m.slant")
    model = slantwood.load_model("m.slant")
    assert model.split == slantwood.SVMSplit(C=0.25)
    assert model.settings_.max_depth == 2
    assert model.settings_.min_samples_split == 9
    assert model.settings_.min_samples_leaf == 0.05
    assert model.settings_.max_leaf_nodes == 3
    assert model.settings_.ftest == 0.1
    assert model.settings_.ccp_alpha == 0.001
    assert model.settings_.max_samples == 40
    assert model.settings_.max_features == 0.5
    assert model.settings_.min_impurity_decrease == 0.1
    assert model.settings_.bootstrap is True


def test_a_preset_fills_in_what_is_not_said(run, write_csv, waves):
    write_csv("a.csv", waves)
    words = ("--preset", "paper", "--max-features", "0.5")
    run("train", "a.csv", "--targets", "u", *SMALL, *words, "--model", "m.slant")
    model = slantwood.load_model("m.slant")
    assert model.preset == model.settings_.preset == "paper"
    assert model.settings_.bootstrap is True
    assert model.settings_.max_features == 0.5


def test_a_single_tree_is_grown_if_asked_for(run, write_csv, waves):
    write_csv("a.csv", waves)
    said = run("train", "a.csv", "--targets", "u", "--kind", "tree", "--drop", "v").stderr
    assert "Trained 1 tree in" in said
    assert type(slantwood.load_model("a.slant")) is slantwood.ObliqueTreeRegressor


def test_trees_are_boosted_if_asked_for(run, write_csv, waves):
    write_csv("a.csv", waves)
    words = ("--set", "early_stopping=false", "--set", "learning_rate=0.2", "--max-depth", "3")
    result = run("train", "a.csv", "--targets", "u,v", *BOOSTING, "--trees", "4", *words, "--test", "a.csv")
    said = result.stderr.splitlines()
    assert any(line.startswith("Trained 8 trees, in 4 rounds, in ") for line in said)
    settings = next(line for line in said if line.startswith("Settings: "))
    assert "max_features=0.5 or 1.0" in settings
    assert "learning_rate=0.2" in settings
    assert "bootstrap" not in settings
    split = next(line for line in said if line.startswith("Split: "))
    assert [split.count(name) for name in ("GradientSplit(", "RidgeSplit(", "AxisParallelSplit(")] == [
        1,
        1,
        1,
    ]
    model = slantwood.load_model("a.slant")
    X = np.array([waves[name] for name in "abc"], np.float32).T
    Y = np.array([waves[name] for name in "uv"]).T
    how = {"early_stopping": False, "learning_rate": 0.2, "max_depth": 3, "random_state": 0}
    twin = slantwood.ObliqueBoostingRegressor(4, **how).fit(X, Y)
    np.testing.assert_allclose(model.predict(X), twin.predict(X), rtol=1e-12)


def test_the_loss_of_boosting_is_a_parameter(run, write_csv, waves):
    waves["u"] = [abs(value) for value in waves["u"]]
    write_csv("a.csv", waves)
    words = ("--trees", "3", "--set", "early_stopping=false", "--set", "loss=poisson", "--json")
    document = json.loads(run("train", "a.csv", "--targets", "u", *BOOSTING, *words).stdout)
    assert (document["trees"], document["rounds"]) == (6, 3)
    assert document["settings"]["loss"] == "poisson"
    assert document["settings"]["candidates"][0]["split"]["name"] == "GradientSplit"
    assert slantwood.load_model("a.slant").loss == "poisson"


@pytest.mark.parametrize("kind", ["forest", "boosting"])
def test_without_a_number_of_trees_there_are_as_many_as_the_estimator_has_by_default(
    run, monkeypatch, write_csv, waves, kind
):
    write_csv("a.csv", waves)
    asked = []

    def refuse(model, *_):
        asked.append(model)
        raise ValueError("only asked")

    monkeypatch.setattr(models, "fit_with_progress", refuse)
    run("train", "a.csv", "--targets", "u", "--kind", kind, code=1)
    assert asked[0].n_estimators == type(asked[0])().n_estimators


def test_columns_are_counted_from_one(run, write_csv, waves):
    write_csv("a.csv", waves)
    run("train", "a.csv", "--targets", "columns:4-5", "--drop", "columns:2", *SMALL)
    model = slantwood.load_model("a.slant")
    assert model.target_names_ == ("u", "v")
    assert model.input_names_ == ("a", "c")


def test_codes_can_be_told_from_numbers(run, write_csv, flowers):
    flowers["code"] = [i % 5 for i in range(90)]
    write_csv("a.csv", flowers)
    assert (
        "2 of them nominal" in run("train", "a.csv", "--targets", "kind", "--nominal", "code", *SMALL).stderr
    )


def test_the_result_is_one_json_object_if_asked_for(run, folder, write_csv, flowers):
    write_csv("a.csv", flowers)
    words = ("train", "a.csv", "--targets", "kind", *SMALL, "--oob", "--test", "a.csv", "--json")
    document = json.loads(run(*words).stdout)
    assert document["model"] == "a.slant"
    assert document["bytes"] == (folder / "a.slant").stat().st_size
    assert document["task"] == "multi-class"
    assert document["trees"] == 3
    assert document["settings"]["split"]["name"] == "GradientSplit"
    assert 0.5 < document["oob_score"] <= 1
    assert 0.9 < document["test"]["accuracy"] <= 1


def test_a_test_file_gives_a_table_and_oob_a_line(run, write_csv, flowers):
    write_csv("a.csv", flowers)
    result = run("train", "a.csv", "--targets", "kind", *SMALL, "--oob", "--test", "a.csv")
    assert result.stdout.splitlines()[2].split()[0] == "accuracy"
    assert "Out-of-bag score: " in result.stderr


def test_smaller_files_can_be_asked_for(run, folder, write_csv, flowers):
    write_csv("a.csv", flowers)
    sizes = []
    for words in ((), ("--float16",), ("--float16", "--predict-only")):
        run("train", "a.csv", "--targets", "kind", "--trees", "20", *words, "--model", "m.slant")
        sizes.append((folder / "m.slant").stat().st_size)
    assert sizes[0] > sizes[1] > sizes[2]


def test_onnx_is_written_beside(run, folder, write_csv, waves):
    pytest.importorskip("onnx")
    write_csv("a.csv", waves)
    assert "Wrote m.onnx (" in run("train", "a.csv", "--targets", "u", *SMALL, "--onnx", "m.onnx").stderr
    assert (folder / "m.onnx").stat().st_size > 100


def test_weights_of_rows_count(run, folder):
    rows = [f"{i % 2},{'a' if i % 2 else 'b'},{{{1 + 9 * (i % 2)}}}" for i in range(40)]
    head = ["@relation r", "@attribute x numeric", "@attribute y {a,b}", "@data"]
    (folder / "a.arff").write_text("\n".join([*head, *rows]))
    assert "; rows have weights." in run("train", "a.arff", "--targets", "y", "--kind", "tree").stderr
    trees = slantwood.load_model("a.slant").trees_
    # In units of their mean; the one split divides the classes.
    assert_allclose(trees.node_weight, [40, 40 / 11, 400 / 11], rtol=1e-6)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "DATA"),
        (("a.csv", "--targets", "columns:0"), "--targets"),
        (("a.csv", "--targets", "u", "--set", "tres=3"), "--set"),
        (("a.csv", "--targets", "u", "--set", "n_estimator=3"), "did you mean 'n_estimators'?"),
        (("a.csv", "--targets", "u", "--set", "3"), "name=value"),
        (("a.csv", "--targets", "u", "--split-set", "D=3"), "GradientSplit has no 'D'"),
        (("a.csv", "--targets", "u", "--kind", "tree", "--oob"), "--oob"),
        (
            ("a.csv", "--targets", "u", "--kind", "tree", "--trees", "9"),
            "--trees: --kind tree does not have it",
        ),
        (("a.csv", "--targets", "u", "--kind", "tree", "--jobs", "2"), "it grows one tree, on one thread"),
        (("a.csv", "--targets", "u", "--max-features", "many"), "max_features='many'"),
        (("a.csv", "--targets", "u", "--set", "min_impurity_decrease=-1"), "min_impurity_decrease=-1"),
        (("a.csv", "--targets", "u", "--split-set", "C=-1"), "C=-1"),
        (("a.csv", "--targets", "u", "--kind", "tree", "--max-samples", "9"), "--max-samples"),
        (("a.csv", "--targets", "u", *BOOSTING, "--oob"), "--oob"),
        (("a.csv", "--targets", "u", *BOOSTING, "--max-samples", "9"), "--set subsample=0.5"),
        (("a.csv", "--targets", "u", *BOOSTING, "--ftest", "0.1"), "--kind boosting does not have it"),
        (("a.csv", "--targets", "u", *BOOSTING, "--ccp-alpha", "0.1"), "--max-depth"),
        (("a.csv", "--targets", "u", *BOOSTING, "--preset", "best"), "--preset"),
        (("a.csv", "--targets", "u", *BOOSTING, "--set", "bootstrap=true"), "has no 'bootstrap'"),
        (("a.csv", "--targets", "u", "--kind", "boost"), "'boosting'"),
        (("emotions", "--targets", "u"), "--targets"),
    ],
)
def test_wrong_usage_has_exit_code_2(fails, write_csv, waves, words, said):
    write_csv("a.csv", waves)
    assert said in fails("train", *words, code=2)


@pytest.mark.parametrize("command", ["train", "cv"])
@pytest.mark.parametrize(
    "words",
    [
        ("--kind", "tree", "--trees", "9"),
        ("--kind", "tree", "--jobs", "2"),
        ("--kind", "label-trees", "--preset", "fast"),
        ("--kind", "tree", "--preset", "best"),
        ("--kind", "label-trees", "--split", "svm"),
        ("--set", "tres=3"),
        ("--set", "min_impurity_decrease=-1"),
        ("--task", "regression", "--set", "class_weight=balanced"),
        ("--split-set", "D=3"),
        ("--split-set", "C=-1"),
        ("--max-features", "many"),
        ("--max-memory", "much"),
    ],
    ids=" ".join,
)
def test_options_are_refused_before_the_data_are_read(fails, folder, command, words):
    (folder / "torn.csv").write_text("a,u\n1,2\n3\n")
    said = fails(command, "torn.csv", "--targets", "u", *words, code=2)
    assert words[-2] in said or words[-1].partition("=")[0] in said
    assert "torn.csv" not in said


def test_options_of_either_task_are_accepted_until_the_task_is_known(run, fails, write_csv, waves):
    write_csv("a.csv", waves)
    words = ("train", "a.csv", "--targets", "u", "--set", "class_weight=balanced")
    assert "'class_weight'" in fails(*words, code=2)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("gone.csv",), "there is no file 'gone.csv'"),
        (("emotion",), "did you mean 'emotions'?"),
        ((".",), "a.csv: nothing says which columns are targets"),
        (("empty",), "empty has no data file of a known format"),
        (("a.csv", "--targets", "u", "--test", "."), ". is a folder"),
        (("a.csv",), "targets"),
        (("a.csv", "--targets", "w"), "targets has 'w'"),
        (("a.csv", "--targets", "u", "--model", "gone/m.slant"), "the folder gone of m.slant does not exist"),
        (("a.csv", "--targets", "u", "--test", "gone.csv"), "there is no file 'gone.csv'"),
        (("torn.csv", "--targets", "u"), "torn.csv"),
    ],
)
def test_what_is_wrong_with_files_is_told_in_one_line(fails, folder, write_csv, waves, words, said):
    write_csv("a.csv", waves)
    (folder / "torn.csv").write_text("a,u\n1,2\n3\n")
    (folder / "empty").mkdir()
    assert said in fails("train", *words)
    assert not list(folder.glob("*.slant"))


def run_in_terminal(words, **options):
    """Run a command whose stderr is a terminal; return what it writes there."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "slantwood", *words]
    process = subprocess.Popen(command, stderr=theirs, stdout=subprocess.PIPE, **options)
    os.close(theirs)
    said = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # how Linux says that the other side is closed
            part = b""
        if not part:
            break
        said += part
    os.close(ours)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0, said
    return out.decode(), said.decode()


@pytest.mark.skipif(sys.platform == "win32", reason="terminals are others there")
def test_a_terminal_sees_a_bar_for_the_trees_and_one_for_the_folds(write_csv, waves):
    write_csv("a.csv", waves)
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "100"}
    out, said = run_in_terminal(
        ["cv", "a.csv", "--targets", "u", "--trees", "3", "--folds", "2", "--json"], env=environment
    )
    assert "trees" in said
    assert "3/3" in said
    assert "folds" in said
    assert "2/2" in said
    assert json.loads(out)["folds"] == 2


@pytest.mark.sampled(1)
@pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_leaves_the_earlier_file_and_nothing_else(run, folder, write_csv, jobs):
    rng = np.random.default_rng(0)
    write_csv("a.csv", {name: rng.normal(size=4000).round(4).tolist() for name in "abcdefgu"})
    run("train", "a.csv", "--targets", "u", "--trees", "1", "--model", "m.slant")  # compiles, if need be
    earlier = (folder / "m.slant").read_bytes()
    words = ["train", "a.csv", "--targets", "u", "--trees", "100000", "--model", "m.slant"]
    command = [sys.executable, "-m", "slantwood", *words, "--jobs", jobs]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        for line in process.stderr:
            if line.startswith("Task:"):
                break
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=60)
    finally:
        process.kill()  # whatever happens, nobody trains for hours
    assert process.returncode == 130, said
    assert out == ""
    assert "Traceback" not in said
    assert "Wrote" not in said
    assert (folder / "m.slant").read_bytes() == earlier
    assert sorted(path.name for path in folder.iterdir()) == ["a.csv", "m.slant"]


def test_compressed_files_are_read_as_they_are(run, folder, write_csv, waves):
    path = write_csv("a.csv", waves)
    with gzip.open(folder / "b.csv.gz", "wb") as file:
        file.write(path.read_bytes())
    run("train", "b.csv.gz", "--targets", "u", *SMALL)
    assert (folder / "b.slant").exists()


def test_the_out_of_bag_score_is_told_however_it_was_asked_for(run, write_csv, flowers):
    write_csv("a.csv", flowers)
    words = ["train", "a.csv", "--targets", "kind", "--trees", "5"]
    for more in (["--oob"], ["--set", "oob_score=true"]):
        assert "Out-of-bag score: " in run(*words, *more).stderr
    assert "Out-of-bag" not in run(*words).stderr
