"""Claims about folders of data files on the command line: learned from in parts, predicted in blocks."""

import json

import numpy as np
import pandas as pd
import pytest

from slantwood import load_model
from slantwood.cli import sources


@pytest.fixture
def rows(folder):
    """Write a folder of Parquet files with two classes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 4))
    table = pd.DataFrame(X, columns=list("abcd")).assign(y=np.where(X[:, 0] + X[:, 1] > 0, "yes", "no"))
    table = table.sort_values("y")
    (folder / "rows").mkdir()
    for part in range(3):
        table.iloc[300 * part : 300 * part + 300].to_parquet(folder / "rows" / f"{part}.parquet", index=False)
    return table


@pytest.mark.usefixtures("rows")
def test_a_folder_is_learned_from_in_parts(run, folder):
    words = ("train", "rows", "--targets", "y", "--trees", "4", "--model", "m.slant", "--max-memory", "100kB")
    said = run(*words).stderr
    assert "Found rows: 900 rows, 4 features, 3 parquet files of " in said
    assert "Task: binary" in said
    model = load_model(folder / "m.slant")
    assert model.max_memory == "100kB"
    assert model.input_names_ == tuple("abcd")
    assert model.classes_.tolist() == ["no", "yes"]


@pytest.mark.usefixtures("rows")
def test_a_small_folder_is_read_as_one_table_after_saying_so(run, folder, monkeypatch, fails):
    words = ("train", "rows", "--targets", "y", "--trees", "2", "--model", "m.slant")
    said = run(*words).stderr
    assert "Reading 3 files of " in said
    assert "Read rows: 900 rows, 4 features" in said
    monkeypatch.setattr(sources, "_MOST_OF_A_FOLDER", 1000)
    assert "give --max-memory 4GB" in fails(*words)


@pytest.mark.parametrize("output", ["p.csv", "p.parquet", "p.jsonl"])
def test_a_folder_is_predicted_in_blocks(run, folder, rows, output):
    run("train", "rows", "--targets", "y", "--trees", "4", "--model", "m.slant", "--max-memory", "100kB")
    said = run("predict", "m.slant", "rows", "--output", output).stderr
    assert "Predicted 900 rows (binary)" in said
    readers = {"csv": pd.read_csv, "parquet": pd.read_parquet}
    path = folder / output
    if output.endswith("jsonl"):
        found = [json.loads(line)["prediction"] for line in path.read_text().splitlines()]
    else:
        found = readers[output[2:]](path)["prediction"].tolist()
    assert np.mean(np.array(found) == rows["y"].to_numpy()) > 0.9
    model = load_model(folder / "m.slant")
    assert found == model.predict(rows[list("abcd")].to_numpy(np.float32)).tolist()


def test_parquet_holds_lists_of_labels_and_scores(run, folder):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    table = pd.DataFrame(X, columns=list("abc")).assign(u=(X[:, 0] > 0) * 1, v=(X[:, 1] > 0) * 1)
    table.to_csv("a.csv", index=False)
    run("train", "a.csv", "--targets", "u,v", "--trees", "2", "--model", "m.slant")
    run("predict", "m.slant", "a.csv", "--labels", "--output", "l.parquet")
    labels = pd.read_parquet("l.parquet")["labels"]
    assert {name for row in labels for name in row} == {"u", "v"}
    run("predict", "m.slant", "a.csv", "--top-k", "2", "--output", "k.parquet")
    assert pd.read_parquet("k.parquet").columns.tolist() == ["label_1", "score_1", "label_2", "score_2"]


@pytest.mark.usefixtures("rows")
def test_a_large_file_is_predicted_in_blocks_too(run, monkeypatch):
    run(
        "train",
        "rows/0.parquet",
        "--targets",
        "y",
        "--trees",
        "2",
        "--model",
        "m.slant",
        "--max-memory",
        "9MB",
    )
    whole = run("predict", "m.slant", "rows/1.parquet").stdout
    monkeypatch.setattr(sources, "_LARGE_FILE", 10)
    assert run("predict", "m.slant", "rows/1.parquet").stdout == whole


@pytest.mark.usefixtures("rows")
def test_what_does_not_go_together_is_told(fails):
    train = ("train", "rows", "--targets", "y")
    assert "--kind forest has it" in fails(*train, "--kind", "boosting", "--max-memory", "1GB", code=2)
    assert "max_memory='much'" in fails(*train, "--max-memory", "much", code=2)
    assert "targets has 'w'" in fails("train", "rows", "--targets", "w", "--max-memory", "1GB")
    assert "oob_score=True" in fails(*train, "--max-memory", "100kB", "--oob")


@pytest.mark.usefixtures("rows")
def test_folds_of_a_folder_are_those_of_one_table(run):
    assert "accuracy" in run("cv", "rows", "--targets", "y", "--trees", "2", "--folds", "2").stdout
