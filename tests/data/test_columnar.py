"""Formats that hold arrays or columns: Parquet, Arrow and NPZ."""

import io
import random
import re
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

from slantwood import Hierarchy
from slantwood.data.read import read, write
from slantwood.data.table import Data

RNG = np.random.default_rng(0)
ARROW = ["a.parquet", "a.pq.gz", "a.arrow", "a.feather", "a.ipc.zst"]


def numbers():
    X = RNG.normal(size=(30, 4)).astype(np.float32)
    X[3, 1] = np.nan
    return Data(X, RNG.normal(size=(30, 2)), tuple("abcd"), ("t", "u"), task="multi-target regression")


def nominal():
    colours = pd.Categorical(RNG.choice(["red", "deep blue", "ü,'"], 30))
    colours = pd.Series(colours).mask(np.arange(30) == 4)
    X = pd.DataFrame({"size": RNG.normal(size=30).astype(np.float32), "colour": colours})
    return Data(X, RNG.choice(["p", "q", "r"], 30), ("size", "colour"), ("kind",), task="multi-class")


def sparse():
    X = sp.random_array((30, 200), density=0.03, format="csr", dtype=np.float32, rng=0)
    Y = (RNG.random((30, 5)) < 0.3).astype(np.int8)
    return Data(X, Y, tuple(f"w{i}" for i in range(200)), tuple("lmnop"), task="multi-label")


def plain(matrix):
    if isinstance(matrix, pd.DataFrame):
        return matrix.astype(object).where(matrix.notna(), None).to_numpy()
    return matrix.toarray() if sp.issparse(matrix) else matrix


def assert_same(found, expected):
    np.testing.assert_array_equal(plain(found.X), plain(expected.X))
    np.testing.assert_array_equal(plain(found.y), plain(expected.y))
    assert (found.feature_names, found.target_names) == (expected.feature_names, expected.target_names)
    assert (found.task, found.hierarchy) == (expected.task, expected.hierarchy)
    assert sp.issparse(found.X) == sp.issparse(expected.X)


@pytest.mark.parametrize("name", ARROW)
@pytest.mark.parametrize("make", [numbers, nominal, sparse])
def test_arrow_formats_give_back_what_was_written(tmp_path, name, make):
    data = make()
    write(data, tmp_path / name)
    found = read(tmp_path / name, targets=list(data.target_names))
    assert_same(found, data)


@pytest.mark.parametrize("name", ["a.npz", "a.npz.xz"])
@pytest.mark.parametrize("make", [numbers, sparse])
def test_npz_gives_back_what_was_written(tmp_path, name, make):
    data = replace(make(), weights=RNG.random(30), keys=np.array([f"row {i}" for i in range(30)]))
    write(data, tmp_path / name)
    found = read(tmp_path / name)
    assert_same(found, data)
    np.testing.assert_array_equal(found.weights, data.weights)
    np.testing.assert_array_equal(found.keys, data.keys)


def test_npz_keeps_a_hierarchy(tmp_path):
    hierarchy = Hierarchy.from_paths(["a", "a/b", "c"])
    Y = sp.csr_array(np.eye(3, dtype=np.int8))
    data = Data(np.eye(3, dtype=np.float32), Y, tuple("xyz"), hierarchy.nodes, hierarchy)
    data = replace(data, task="hierarchical multi-label")
    write(data, tmp_path / "a.npz")
    assert_same(read(tmp_path / "a.npz"), replace(data, y=hierarchy.closure(Y)))


def test_npz_of_others_without_names(tmp_path):
    np.savez(tmp_path / "a.npz", X=np.eye(3), y=np.array([0.5, 1.5, 2.5]))
    data = read(tmp_path / "a.npz")
    assert data.X.dtype == np.float32
    assert (data.feature_names, data.target_names) == (("x0", "x1", "x2"), ("y0",))
    assert data.task == "regression"


def csr(**other):
    return {"X_data": [1.0], "X_indices": [0], "X_indptr": [0, 1], "X_shape": [1, 2], **other}


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"Y": np.eye(2)}, "it has the arrays 'Y'; expected X"),
        ({"X": np.eye(3), "y": np.arange(2)}, "X has 3 rows and y has 2"),
        ({"X": np.arange(3)}, r"X has the shape \(3,\)"),
        ({"X": np.eye(2), "feature_names": np.array(["a"])}, "1 names for 2 columns"),
        ({"X": np.array([{}], dtype=object)}, "X holds pickled objects"),
        ({"X": np.array([[1e300]])}, "infinite, or too large for float32"),
        ({"X": np.eye(2), "y": [1, 2], "task": "juggling"}, "its task is 'juggling'"),
        ({"X": np.eye(2), "y": [1, 2], "task": "multi-label"}, "does not fit a multi-label task"),
        ({"X": np.eye(2), "y": ["a", "b"], "task": "regression"}, "does not fit a regression task"),
        ({"X": np.eye(2), "y": np.eye(2) * 3, "task": "multi-label"}, "labels other than 0, 1"),
        (
            {"X": np.eye(2), "y": np.eye(2), "hierarchy": Hierarchy(["a", "b", "c"]).to_json()},
            "hierarchy has 3",
        ),
        ({"X": np.eye(2), "weights": np.ones(3)}, r"weights has the shape \(3,\)"),
        (csr(X_indices=[5]), r"X \(csr\) has the index 5 of columns, and its shape allows 0 to 1"),
        ({"X": np.eye(2) * 1j}, "X has the shape .2, 2. and dtype complex128; expected a matrix of numbers"),
        (csr(X_data=[1j]), "X_data has the shape .1,. and dtype complex128; expected a row of numbers"),
        (csr(X_data=["a"]), "X_data has the shape .1,. and dtype <U1"),
        (csr(X_indices=[0.5]), "X_indices has .* expected a row of whole numbers"),
        (csr(X_indices=[-1]), "has the index -1 of columns"),
        (csr(X_shape=[1, 2, 3]), r"X_shape is \[1, 2, 3\], and X_indptr has 2 numbers"),
        (csr(X_shape=[[1, 2]]), "X_shape has the shape .1, 2."),
        (csr(X_shape=[7, 2]), r"X_shape is \[7, 2\], and X_indptr has 2 numbers; expected"),
        (csr(X_shape=["1", "2"]), "X_shape has the shape .2,. and dtype <U1"),
        ({"X_data": np.ones(1)}, "it has no array X_indices; expected one"),
        ({"X": np.eye(2), "feature_names": "ab"}, "feature_names has the shape"),
        ({"X": np.eye(2), "feature_names_numbered": ["x", "-1"]}, "expected a prefix and the first number"),
        ({"X": np.eye(2), "hierarchy": "[" * 100_000, "y": np.eye(2)}, "maximum recursion"),
    ],
)
def test_npz_that_is_wrong(tmp_path, arrays, message):
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(ValueError, match=message) as caught:
        read(tmp_path / "a.npz")
    assert "a.npz" in str(caught.value)


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow"])
def test_messages_of_arrow_quote_nothing_that_a_terminal_would_obey(tmp_path, name, monkeypatch):
    evil = "a\x1b[2J\x9b\u202e"
    table = pa.table({"y": [1.0], evil: pa.array([{evil: 1}])})
    if name.endswith("parquet"):
        pq.write_table(table, tmp_path / name)
    else:
        pa.feather.write_feather(table, tmp_path / name)

    def fails(*_, **__):
        raise pa.ArrowInvalid(f"cannot read {evil}")

    messages = []
    for _ in range(2):
        with pytest.raises(ValueError, match=r"a\\x1b\[2J\\x9b\\u202e") as caught:
            read(tmp_path / name, targets="y")
        messages.append(str(caught.value))
        monkeypatch.setattr("slantwood.data.formats.parquet.table_from", fails)
        monkeypatch.setattr("slantwood.data.formats.arrow.table_from", fails)
    assert "is of type struct<" in messages[0]
    assert "(cannot read a" in messages[1]
    assert not set("\x1b\x9b\u202e") & set("".join(messages))


FORGED = [
    ({"indptr": [0, 2_000_000, 0, 0]}, "indptr must be 4 numbers that begin with 0 and never fall"),
    ({"indptr": np.array([0, 5, 100, 0])}, "never fall"),
    ({"indptr": [0, 3, -7, 0]}, "never fall"),
    ({"indptr": np.array([0, 2, 2, 2**32 + 3])}, "indptr ends with 4294967299"),
    ({"indptr": np.array([0, 2, 2, 2**64 - 1], np.uint64)}, "indptr ends with 18446744073709551615"),
    ({"indptr": np.zeros(0, int), "shape": [-1, 2]}, "has the shape"),
    ({"indices": np.array([0, 1, 2**32])}, "has the index 4294967296 of columns"),
    ({"indices": [0, 1]}, "there are 2 indices and 3 values"),
    ({"data": [1, 1]}, "there are 3 indices and 2 values"),
    ({"shape": np.array([3, 2**64 - 1], np.uint64)}, "has the shape"),
]


@pytest.mark.parametrize("name", ["X", "y"])
@pytest.mark.parametrize(("forged", "message"), FORGED)
def test_npz_with_a_forged_csr_array_is_refused(tmp_path, name, forged, message):
    parts = {"data": [1, 1, 1], "indices": [0, 1, 0], "indptr": [0, 2, 2, 3], "shape": [3, 2]} | forged
    arrays = {f"{name}_{part}": np.asarray(array) for part, array in parts.items()}
    np.savez(tmp_path / "a.npz", **{"X": np.eye(3)} | arrays if name == "y" else arrays)
    with pytest.raises(ValueError, match=rf"a\.npz: {name} .*{message}"):
        read(tmp_path / "a.npz")


@pytest.mark.parametrize("dtype", ["f2", ">f4", "f8", "i1"])
def test_npz_sorts_the_columns_of_rows_and_adds_up_what_stands_twice(tmp_path, dtype):
    parts = {"data": np.array([4, 1, 2], dtype), "indices": [30, 7, 7], "indptr": [0, 3], "shape": [1, 40]}
    arrays = {f"{name}_{part}": array for name in "Xy" for part, array in parts.items()}
    np.savez(tmp_path / "a.npz", **arrays, task="multi-target regression")
    data = read(tmp_path / "a.npz")
    for matrix in (data.X, data.y):
        assert (matrix.indices.tolist(), matrix.data.tolist()) == ([7, 30], [3.0, 4.0])


def test_npz_says_itself_what_is_a_target(tmp_path):
    write(numbers(), tmp_path / "a.npz")
    with pytest.raises(ValueError, match="defines its own targets"):
        read(tmp_path / "a.npz", targets="last:1")
    with pytest.raises(ValueError, match="give no targets"):
        read(tmp_path / "a.npz", targets=0)
    assert read(tmp_path / "a.npz", targets=()).y is None


def test_npz_of_others_poses_the_task_that_is_told(tmp_path):
    np.savez(tmp_path / "a.npz", X=np.eye(3), y=[[3], [4], [5]])
    assert read(tmp_path / "a.npz").task == "regression"
    told = read(tmp_path / "a.npz", task="classification")
    assert (told.task, told.y.tolist()) == ("multi-class", [3, 4, 5])
    np.savez(tmp_path / "a.npz", X=np.eye(3), y=["a", "b", "a"])
    assert read(tmp_path / "a.npz").task == "binary"


@pytest.mark.parametrize("form", [sp.csc_array, sp.coo_array, pd.DataFrame])
def test_npz_of_inputs_in_any_form(tmp_path, form):
    X = np.array([[1, 2], [0, 3]], np.float32)
    write(replace(numbers(), X=form(X), y=None, feature_names=("a", "b"), task=None), tmp_path / "a.npz")
    np.testing.assert_array_equal(read(tmp_path / "a.npz").X, X)


def test_npz_has_no_place_for_nominal_columns(tmp_path):
    with pytest.raises(ValueError, match="write csv, arff or parquet"):
        write(nominal(), tmp_path / "a.npz")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a.npz", "a.parquet", "a.arrow"])
def test_cut_files_are_told(tmp_path, name):
    path = tmp_path / name
    write(numbers(), path)
    whole = path.read_bytes()
    for length in range(0, len(whole) - 1, 97):
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match=re.escape(str(path))):
            read(path, targets=None if name.endswith("npz") else "last:2")


# ---- damage


def arrow_with(tmp_path, arrays, changes, names=("c", "y")):
    """Write columns to an Arrow file and change numbers of 32 bits in it, as {from: to}."""
    path = tmp_path / "a.arrow"
    batch = pa.record_batch(arrays, names=list(names))
    with pa.ipc.new_file(path, batch.schema) as writer:
        writer.write_batch(batch)
    content = path.read_bytes()
    for before, after in changes.items():
        before, after = (np.array(each, np.int32).tobytes() for each in (before, after))
        assert content.count(before) == 1
        content = content.replace(before, after)
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("before", "after"),
    [((0, 1, 3), (0, 1, 1 << 30)), ((0, 1, 3), (0, -(1 << 30), 3)), ((0, 1, 3), (0, 3, 1))],
)
def test_offsets_of_texts_that_lead_outside_are_refused(tmp_path, before, after):
    path = arrow_with(tmp_path, [pa.array(["a", "bc"]), pa.array([1.5, 2.5])], {before: after})
    with pytest.raises(ValueError, match=re.escape(str(path)) + ": it cannot be read as arrow"):
        read(path, targets="y")


@pytest.mark.parametrize("wrong", [-1, -2, 2, 1 << 30])
def test_positions_of_categories_that_do_not_exist_are_refused(tmp_path, wrong):
    codes = pa.DictionaryArray.from_arrays(pa.array([1, 0, 1, 0], pa.int32()), pa.array(["a", "b"]))
    changes = {(1, 0, 1, 0): (1, 0, wrong, 0)}
    path = arrow_with(tmp_path, [codes, pa.array([1.5, 2.5, 3.5, 4.5])], changes)
    with pytest.raises(ValueError, match=re.escape(str(path)) + ": it cannot be read as arrow"):
        read(path, targets="y")


def test_a_nan_of_any_kind_is_missing(tmp_path):
    signalling = np.array([0x7FF0000000000001, 0x3FF0000000000000], np.uint64).view(np.float64)
    pq.write_table(pa.table({"a": signalling, "y": [1.0, 2.0]}), tmp_path / "a.parquet")
    np.savez(tmp_path / "a.npz", X=signalling[:, None])
    for X in (read(tmp_path / "a.parquet", targets="y").X, read(tmp_path / "a.npz").X):
        np.testing.assert_array_equal(X, [[np.nan], [1.0]])


@pytest.fixture(scope="module")
def whole_files():
    """Small files of every kind of compression, by name."""
    table = pa.table(
        {
            "number": RNG.normal(size=24),
            "text": pa.array(["red", "blue", None, "green"] * 6),
            "kind": pa.array(["p", "q"] * 12).dictionary_encode(),
            "flag": pa.array([True, False] * 12),
            "y": RNG.normal(size=24),
        }
    )
    files = {}
    for compression in (None, "lz4", "zstd"):
        options = pa.ipc.IpcWriteOptions(compression=compression)
        for kind, new in (("file", pa.ipc.new_file), ("stream", pa.ipc.new_stream)):
            stream = io.BytesIO()
            with new(stream, table.schema, options=options) as writer:
                writer.write_table(table, max_chunksize=10)
            files[f"{kind}-{compression}.arrow"] = stream.getvalue()
    for compression in ("none", "snappy", "zstd"):
        stream = io.BytesIO()
        pq.write_table(table, stream, compression=compression, row_group_size=10)
        files[f"{compression}.parquet"] = stream.getvalue()
    S = sp.random_array((20, 50), density=0.05, format="csr", rng=0)
    dense = {"X": RNG.normal(size=(20, 4)), "y": np.arange(20) % 3, "feature_names": list("abcd")}
    sparse = {"X_data": S.data, "X_indices": S.indices, "X_indptr": S.indptr, "X_shape": S.shape}
    for kind, save in (("stored", np.savez), ("deflated", np.savez_compressed)):
        for form, arrays in (("dense", dense), ("sparse", sparse)):
            stream = io.BytesIO()
            save(stream, **arrays)
            files[f"{kind}-{form}.npz"] = stream.getvalue()
    return files


def mutated(content, rng):
    content = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 5])):
        place = rng.randrange(len(content))
        match rng.randrange(5):
            case 0:
                content[place] = rng.randrange(256)
            case 1:
                content[place] ^= 1 << rng.randrange(8)
            case 2:
                number = rng.choice([0, -1, 2**31 - 1, -(2**31), 1000])
                content[place : place + 4] = number.to_bytes(4, "little", signed=True)
            case 3:
                number = rng.choice([-1, 2**40, -(2**40), 2**62])
                content[place : place + 8] = number.to_bytes(8, "little", signed=True)
            case 4:
                del content[place : place + rng.choice([1, 8, 100])]
        content = content or bytearray(b"?")
    return bytes(content)


@pytest.mark.parametrize("seed", range(5))
def test_damaged_files_are_read_or_refused_by_their_name(tmp_path, whole_files, seed):
    rng = random.Random(seed)
    n_read, messages = 0, []
    for name, whole in whole_files.items():
        path = tmp_path / name
        for _ in range(12):
            path.write_bytes(mutated(whole, rng))
            try:
                read(path, targets=None if name.endswith("npz") else "y")
                n_read += 1
            except ValueError as error:
                messages.append(str(error).removeprefix(str(path)))
    assert n_read > 0
    assert len(messages) > 0
    assert all(message.startswith(":") for message in messages)


def test_whole_files_are_read(tmp_path, whole_files):
    for name, whole in whole_files.items():
        (tmp_path / name).write_bytes(whole)
        assert read(tmp_path / name, targets=None if name.endswith("npz") else "y").X.shape[0] in (20, 24)


def test_a_file_that_is_not_there_is_no_damaged_one(tmp_path):
    for name in ("a.npz", "a.parquet", "a.arrow", "a.csv", "a.svm"):
        with pytest.raises(FileNotFoundError):
            read(tmp_path / name, targets=None if name in ("a.npz", "a.svm") else "y")


def test_columns_said_in_no_known_way_are_no_damage(tmp_path):
    write(numbers(), tmp_path / "a.parquet")
    with pytest.raises(TypeError, match=r"targets=1\.5 is of type float"):
        read(tmp_path / "a.parquet", targets=1.5)


# ---- columns


def test_types_of_arrow_columns(tmp_path):
    table = pa.table(
        {
            "flag": pa.array([True, None, False]),
            "count": pa.array([1, 2, None], pa.int64()),
            "price": pa.array(["1.5", "2.5", "3.5"]).cast(pa.decimal128(5, 2)),
            "shop": pa.array(["x", "y", "x"]).dictionary_encode(),
            "code": pa.array([7, 8, 7]),
            "y": pa.array([1.0, 2.0, 4.0]),
        }
    )
    pq.write_table(table, tmp_path / "a.parquet")
    X = read(tmp_path / "a.parquet", targets="y", nominal="code").X
    np.testing.assert_array_equal(X["flag"], [1, np.nan, 0])
    np.testing.assert_array_equal(X["count"], [1, 2, np.nan])
    np.testing.assert_array_equal(X["price"], [1.5, 2.5, 3.5])
    assert X["shop"].tolist() == ["x", "y", "x"]
    assert X["code"].tolist() == ["7", "8", "7"]


def test_other_types_of_arrow_columns(tmp_path):
    pa_dictionary = pa.DictionaryArray.from_arrays(pa.array([0, 1, None]), pa.array(["x", None]))
    columns = {
        "view": pa.array(["b", None, "a"], pa.string_view()),
        "nothing": pa.nulls(3),
        "gap among categories": pa_dictionary,
        "y": pa.array([1.5, 2.5, 3.5], pa.float32()),
    }
    batch = pa.record_batch(columns)
    with pa.ipc.new_file(tmp_path / "a.arrow", batch.schema) as writer:
        writer.write_batch(batch)
    X = read(tmp_path / "a.arrow", targets="y").X
    assert X["view"].cat.categories.tolist() == ["a", "b"]
    assert X["view"].isna().tolist() == [False, True, False]
    assert X["nothing"].isna().all()
    assert X["gap among categories"].isna().tolist() == [False, True, True]


@pytest.mark.parametrize("name", [None, "id"])
def test_the_index_of_pandas_is_no_column(tmp_path, name):
    frame = pd.DataFrame({"a": [1.0, 2.0], "y": [0.5, 1.5]}, index=pd.Index([7, 8], name=name))
    frame.to_parquet(tmp_path / "a.parquet")
    data = read(tmp_path / "a.parquet", targets="last:1")
    assert (data.feature_names, data.target_names) == (("a",), ("y",))
    assert data.y.tolist() == [0.5, 1.5]


def test_columns_that_are_not_wanted_are_not_mixed_up(tmp_path):
    table = pa.table({"a": [1, 2], "a.1": [3, 4], "b": [5, 6], "c": [7, 8]})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=1)
    with pa.ipc.new_stream(tmp_path / "a.arrow", table.schema) as writer:
        writer.write_table(table, max_chunksize=1)
    for name in ("a.parquet", "a.arrow"):
        data = read(tmp_path / name, targets="b", drop="a.1")
        assert data.X.tolist() == [[1, 7], [2, 8]]
        assert data.y.tolist() == [5, 6]
        assert read(tmp_path / name, targets=(), drop="first:4").X.shape == (2, 0)


def test_batches_with_categories_of_their_own(tmp_path):
    batches = [
        pa.record_batch({"c": pa.array(texts).dictionary_encode(), "y": [1, 2]}) for texts in ("ab", "ca")
    ]
    with pa.ipc.new_stream(tmp_path / "a.arrow", batches[0].schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    assert read(tmp_path / "a.arrow", targets="y").X["c"].tolist() == list("abca")


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pa.array([0, 1], pa.timestamp("s")), "column 'c' is of type timestamp.*leave it out with drop"),
        (pa.array([[1], [2]]), "column 'c' is of type list"),
        (pa.array([1.0, np.inf]), "column 'c' holds an infinite number.* in row 1"),
        (pa.array([1.0, 1e300]), "too large for float32"),
    ],
)
def test_arrow_columns_that_cannot_be_inputs(tmp_path, column, message):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"c": column, "d": [1, 2], "y": [1, 2]}), path)
    with pytest.raises(ValueError, match=message):
        read(path, targets="y")
    assert read(path, targets="y", drop="c").feature_names == ("d",)


def test_what_a_format_cannot_hold_is_said(tmp_path):
    data = replace(numbers(), weights=np.ones(30))
    with pytest.warns(UserWarning, match="does not hold weights: parquet cannot"):
        write(data, tmp_path / "a.parquet")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        write(data, tmp_path / "a.npz")


def test_names_of_inputs_and_targets_that_are_the_same(tmp_path):
    data = replace(numbers(), target_names=("a", "u"))
    with pytest.raises(ValueError, match="both called 'a'"):
        write(data, tmp_path / "a.parquet")
    assert list(tmp_path.iterdir()) == []


def test_feather_of_pyarrow(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2.0], "y": [0, 1]})
    pa.feather.write_feather(frame, str(tmp_path / "a.feather"))
    data = read(tmp_path / "a.feather", targets="y")
    assert data.X.tolist() == [[1.0], [2.0]]
    assert data.task == "binary"


def test_without_pyarrow_the_error_says_what_to_install(tmp_path, monkeypatch):
    def refuse(name):
        raise ImportError(name)

    (tmp_path / "a.parquet").write_bytes(io.BytesIO().getvalue())
    monkeypatch.setattr("slantwood.data.arrow_tables.importlib.import_module", refuse)
    with pytest.raises(ImportError, match=r"slantwood\[data\]"):
        read(tmp_path / "a.parquet", targets="y")
