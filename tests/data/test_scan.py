"""Claims about scans: the rows of all files, block by block, as one table of them would have them."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

from slantwood.data import Data, Scan, read, scan, write

N = 100


def frame(seed=0, n=N):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.normal(size=(n, 2)).astype(np.float32), columns=["a", "b"])
    table["tree"] = rng.choice(["elm", "oak"], n)
    table["y"] = rng.integers(0, 2, n)
    table["z"] = rng.choice([1.5, 2.5, 4.0], n)
    table["word"] = rng.choice(["no", "yes"], n)
    return table


@pytest.fixture
def folder(tmp_path):
    """Write three files of Parquet, of which one has an order of its own and one a further category."""
    tables = [frame(0), frame(1), frame(2)]
    tables[1].loc[5, "tree"] = "fir"
    tables[2] = tables[2][["b", "a", "tree", "y", "z", "word"]]
    for number, table in enumerate(tables):
        table.to_parquet(tmp_path / f"{number}.parquet", row_group_size=40, index=False)
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / "notes.md").write_text("nothing")
    return tmp_path


def rows_of(blocks):
    return np.concatenate([np.asarray(block.X[["a", "b"]]) for block in blocks])


@pytest.mark.parametrize("block_rows", [None, 1, 33])
def test_blocks_have_all_rows_in_order(folder, block_rows):
    rows = scan(folder, targets="y", drop=["z", "word"], block_rows=block_rows)
    blocks = list(rows)
    whole = pd.concat([frame(seed)[["a", "b"]] for seed in range(3)])
    np.testing.assert_array_equal(rows_of(blocks), whole.to_numpy())
    assert rows.n_rows == 3 * N
    assert max(block.X.shape[0] for block in blocks) <= (block_rows or 40)
    np.testing.assert_array_equal(rows_of(rows), rows_of(blocks))  # a second pass is as the first


def test_a_scan_says_what_it_is(folder):
    rows = scan(folder, targets="y", drop=["z", "word"])
    assert isinstance(rows, Scan)
    assert repr(rows).startswith("<Scan: 300 rows, 3 parquet files, ")
    assert (rows.feature_names, rows.target_names, rows.task) == (("a", "b", "tree"), ("y",), "binary")
    assert rows.n_bytes == sum(file.stat().st_size for file in folder.glob("*.parquet"))


def test_all_rows_can_be_read_with_the_categories_of_all_files(folder):
    data = scan(folder, targets="y", drop=["z", "word"]).read()
    assert data.X.shape == (300, 3)
    assert data.X["tree"].cat.categories.tolist() == ["elm", "oak", "fir"]


@pytest.mark.parametrize(
    ("targets", "task", "expected", "kind"),
    [
        ("y", None, "binary", "i"),
        ("y", "regression", "regression", "f"),
        ("z", None, "regression", "f"),
        ("word", None, "binary", "U"),
        (["y", "word"], None, "multi-label", "i"),
        (["y", "z"], None, "multi-target regression", "f"),
        (["z", "tree"], None, "mixed targets", None),
        (["y", "tree"], "classification", "multi-target classification", None),
    ],
)
def test_the_task_and_y_are_those_of_one_table(folder, tmp_path_factory, targets, task, expected, kind):
    unused = [name for name in ("y", "z", "word", "tree") if name not in targets]
    rows = scan(folder, targets=targets, task=task, drop=unused, block_rows=7)
    whole = tmp_path_factory.mktemp("whole") / "all.parquet"
    tables = [frame(0), frame(1), frame(2)]
    tables[1].loc[5, "tree"] = "fir"
    pd.concat(tables).to_parquet(whole, index=False)
    as_one = read(whole, targets=targets, task=task, drop=unused)
    assert rows.task == as_one.task == expected
    for block in rows:
        assert block.task == expected
        assert kind is None or block.y.dtype.kind == kind
    together = rows.read().y
    np.testing.assert_array_equal(np.asarray(together), np.asarray(as_one.y))


def test_two_of_three_classes_in_a_block_are_no_binary_task(tmp_path):
    table = pd.DataFrame({"a": np.arange(6.0), "y": [0, 1, 0, 1, 2, 2]})
    table.to_parquet(tmp_path / "x.parquet", index=False)
    assert scan(tmp_path, targets="y", task="classification", block_rows=2).task == "multi-class"
    assert scan(tmp_path, targets="y", block_rows=2).task == "regression"


def test_classes_with_missing_ones_anywhere_are_floats_everywhere(tmp_path):
    table = pd.DataFrame({"a": np.arange(4.0), "y": [0.0, 1.0, np.nan, 1.0]})
    table.to_parquet(tmp_path / "x.parquet", index=False)
    assert {block.y.dtype.kind for block in scan(tmp_path, targets="y", block_rows=2)} == {"f"}


def test_arrow_files_and_datasets_are_read_in_blocks(tmp_path):
    table = frame()[["a", "b", "y"]]
    table.to_feather(tmp_path / "x.feather")
    blocks = list(scan(tmp_path / "x.feather", targets="y", block_rows=30))
    assert [block.X.shape[0] for block in blocks] == [30, 30, 30, 10]
    assert all(isinstance(block.X, np.ndarray) for block in blocks)
    table.to_parquet(tmp_path / "x.parquet", index=False)
    dataset = pa.dataset.dataset(tmp_path / "x.parquet")
    np.testing.assert_array_equal(next(iter(scan(dataset, targets="y"))).X, table[["a", "b"]].to_numpy())


def test_nulls_are_missing(tmp_path):
    cells = pa.table({"a": pa.array([1.0, None], pa.float32()), "b": [None, 3], "y": [1.0, 2.0]})
    pq.write_table(cells, tmp_path / "x.parquet")
    np.testing.assert_array_equal(next(iter(scan(tmp_path, targets="y"))).X, [[1, np.nan], [np.nan, 3]])


def test_a_text_file_is_one_block_and_all_have_the_form_of_the_first(tmp_path):
    dense, thin = np.ones((4, 20), np.float32), np.eye(4, 20, dtype=np.float32)
    names = tuple(f"f{j}" for j in range(20))
    for number, X in enumerate((thin, dense)):
        data = Data(X, np.array([1.5, 2.5, 3.5, 4.5]), names, ("y",), task="regression")
        write(data, tmp_path / f"{number}.csv")
    blocks = list(scan(tmp_path, targets="y"))
    assert all(sp.issparse(block.X) for block in blocks)
    np.testing.assert_array_equal(blocks[1].X.toarray(), dense)
    assert scan(tmp_path, targets="y").n_rows == 8


def test_two_numbers_in_one_text_file_and_more_in_another_are_numbers(tmp_path):
    (tmp_path / "a.csv").write_text("a,y\n1,0\n2,1\n")
    (tmp_path / "b.csv").write_text("a,y\n1,0.5\n2,7\n3,8\n")
    assert scan(tmp_path, targets="y").task == "regression"
    (tmp_path / "b.csv").write_text("a,y\n1,1\n2,0\n")
    assert scan(tmp_path, targets="y").task == "binary"


def test_files_that_differ_are_named(tmp_path):
    frame()[["a", "b", "y"]].to_parquet(tmp_path / "0.parquet", index=False)
    frame()[["a", "tree", "y"]].to_parquet(tmp_path / "1.parquet", index=False)
    with pytest.raises(ValueError, match=r"1.parquet: its columns are not those of the first file .*tree"):
        list(scan(tmp_path, targets="y"))
    table = frame()[["a", "b", "y"]]
    table["b"] = "text"
    table.to_parquet(tmp_path / "1.parquet", index=False)
    with pytest.raises(ValueError, match=r"1.parquet: column 'b' holds text, and numbers .* nominal=\['b'\]"):
        list(scan(tmp_path, targets="y"))


def test_what_is_no_folder_of_data_is_refused(tmp_path):
    with pytest.raises(ValueError, match="has no data file of a known format"):
        scan(tmp_path)
    with pytest.raises(FileNotFoundError, match="there is no file"):
        scan(tmp_path / "gone.parquet")
    with pytest.raises(TypeError, match="must be a folder"):
        scan(3)
    frame().to_csv(tmp_path / "a.csv", index=False)
    frame().to_parquet(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match="several formats"):
        scan(tmp_path)
    (tmp_path / "year=2026").mkdir()
    (tmp_path / "a.csv").rename(tmp_path / "year=2026" / "a.csv")
    with pytest.raises(ValueError, match="stands for a column"):
        scan(tmp_path)


def test_files_without_any_row_are_refused_when_they_are_read(tmp_path):
    frame().iloc[:0].to_parquet(tmp_path / "a.parquet", index=False)
    with pytest.raises(ValueError, match="has no rows"):
        list(scan(tmp_path, targets="y"))


def test_files_that_are_compressed_as_a_whole_are_refused(tmp_path):
    (tmp_path / "a.parquet.gz").write_bytes(b"")
    with pytest.raises(ValueError, match="compressed as a whole"):
        list(scan(tmp_path / "a.parquet.gz", targets="y"))
