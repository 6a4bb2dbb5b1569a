"""Folders of files that the workers of a cluster read: all in the form of the first."""

import numpy as np
import pandas as pd
import pytest

from slantwood.dask import DaskObliqueForestClassifier, DaskObliqueForestRegressor
from tests.dask.problems import BLOCK, frame, numbers, same_trees


@pytest.mark.parametrize("mode", ["replicate", "partition"])
def test_a_folder_of_files_is_read_by_the_workers(client, tmp_path, mode):
    problem = frame()
    table = problem.X.assign(kind=problem.y)
    for number, start in enumerate(range(0, len(table), BLOCK)):
        table.iloc[start : start + BLOCK].to_parquet(tmp_path / f"part{number}.parquet")
    (tmp_path / "notes.md").write_text("not a table")
    forest = problem.on_cluster(mode=mode).fit(tmp_path, "kind")
    assert forest.feature_names_in_.tolist() == ["tree", "height", "age"]
    assert forest.classes_.tolist() == ["rare", "usual"]
    assert forest.encoding_.categories == (("ash", "elm", "oak", "yew"),)
    assert forest.score(problem.X, problem.y) > 0.9


@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize("mode", ["replicate", "partition"])
def test_files_whose_columns_are_in_another_order_are_read_as_the_first(client, tmp_path, mode, ending):
    problem = numbers()
    table = pd.DataFrame(problem.X, columns=list("abcdefghij")).assign(u=problem.y[:, 0])
    for folder, step in (("same", 1), ("other", -1)):
        (tmp_path / folder).mkdir()
        for number, start in enumerate(range(0, len(table), BLOCK)):
            part = table.iloc[start : start + BLOCK, :: step if number else 1]
            write_table(part, tmp_path / folder / f"part{number}.{ending}")
    same, other = (problem.on_cluster(mode=mode).fit(tmp_path / each, "u") for each in ("same", "other"))
    assert other.input_names_ == tuple("abcdefghij")
    assert same_trees(same, other)


@pytest.mark.parametrize("mode", ["replicate", "partition"])
def test_targets_of_all_files_say_together_what_they_are(client, tmp_path, mode):
    # Of the first file alone, the targets are labels; of all, classes of their own.
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(240, 3)), rng.integers(0, 2, (240, 2))
    y[120:, 0] += 1
    table = pd.DataFrame(X, columns=list("abc")).assign(u=y[:, 0], v=y[:, 1])
    for number, start in enumerate(range(0, 240, 80)):
        write_table(table.iloc[start : start + 80], tmp_path / f"part{number}.parquet")
    forest = DaskObliqueForestClassifier(6, random_state=0, mode=mode).fit(tmp_path, ["u", "v"])
    assert forest.targets_.task == "multi-target classification"
    assert forest.target_names_ == ("u", "v")


def test_a_file_without_rows_is_no_matter(client, tmp_path):
    problem = frame()
    table = problem.X.assign(kind=problem.y)
    for number, rows in enumerate((table[:120], table[:0], table[120:])):
        write_table(rows, tmp_path / f"part{number}.parquet")
    forest = problem.on_cluster().fit(tmp_path, "kind")
    assert forest.score(problem.X, problem.y) > 0.9


def test_text_in_a_column_that_is_a_number_elsewhere_is_named(client, tmp_path):
    table = pd.DataFrame({"a": np.arange(40.0), "b": np.arange(40.0) % 3, "u": np.arange(40.0)})
    write_table(table, tmp_path / "part0.csv")
    write_table(table.assign(b="tall"), tmp_path / "part1.csv")
    with pytest.raises(ValueError, match=r"part1.csv: column 'b' holds text, and numbers in the first rows"):
        DaskObliqueForestRegressor(2).fit(tmp_path, "u")


def write_table(table, path):
    """Write a frame in the format that the name of the file tells."""
    if path.suffix == ".csv":
        table.to_csv(path, index=False)
    else:
        table.to_parquet(path)


def test_a_folder_without_data_is_named(client, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no file .*nowhere"):
        DaskObliqueForestClassifier().fit(tmp_path / "nowhere", "kind")
