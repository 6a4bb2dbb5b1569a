"""The svmlight format: what is read, what is refused, and that what is written is read again."""

import io
import lzma

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from slantwood.data.formats import svmlight
from slantwood.data.read import read, write
from slantwood.data.read_options import ReadOptions
from slantwood.data.table import Data
from slantwood.data.text import scanning
from slantwood_bench.scripts.data import available, data_folder
from tests.sampling import examples


@pytest.fixture
def data_of(tmp_path):
    """Read a text as svmlight."""

    def go(text, **said):
        path = tmp_path / "rows.svm"
        path.write_bytes(text.encode())
        return svmlight.read(path, ReadOptions(**said))

    return go


def dense(matrix):
    return matrix.toarray() if sp.issparse(matrix) else matrix


def test_classes_and_pairs(data_of):
    data = data_of("+1 1:0.5 3:-2e1 # a comment\n\n# only a comment\n-1 qid:7 2:1\r\n-1\n")
    np.testing.assert_array_equal(dense(data.X), [[0.5, 0, -20], [0, 1, 0], [0, 0, 0]])
    assert data.X.dtype == np.float32
    assert data.y.tolist() == [1, -1, -1]
    assert data.y.dtype == np.int64
    assert (data.task, data.feature_names, data.target_names) == ("binary", ("1", "2", "3"), ("label",))


def test_an_index_of_zero_anywhere_makes_indices_begin_there(data_of):
    data = data_of("1 2:1\n2 0:5\n")
    np.testing.assert_array_equal(dense(data.X), [[0, 0, 1], [5, 0, 0]])
    assert data.feature_names == ("0", "1", "2")


def test_whole_numbers_are_classes_and_others_are_not_unless_told(data_of):
    assert data_of("1 1:1\n2 1:1\n3 1:1\n").task == "multi-class"
    assert data_of("1 1:1\n2.5 1:1\n3 1:1\n").task == "regression"
    told = data_of("1 1:1\n2 1:1\n3 1:1\n", task="regression")
    assert (told.task, told.y.dtype) == ("regression", np.float64)


def test_rows_with_several_labels_or_none_make_label_sets(data_of):
    data = data_of("3,10 1:1\n 2:1\n2:5\n7\n10,3\n")
    assert data.task == "multi-label"
    assert data.target_names == ("3", "7", "10")
    np.testing.assert_array_equal(dense(data.y), [[1, 0, 1], [0, 0, 0], [0, 0, 0], [0, 1, 0], [1, 0, 1]])
    assert data.y.dtype == np.int8


def test_few_non_zeros_are_kept_sparse_and_many_are_not(data_of):
    assert sp.issparse(data_of("1 1:1\n2 100:1\n").X)
    assert not sp.issparse(data_of("1 1:1 2:1\n2 3:1\n").X)


def test_zeros_and_missing_values(data_of):
    data = data_of("1 1:0 50:nan\n2 2:3\n")
    assert data.X.nnz == 2
    assert np.isnan(dense(data.X)[0, 49])


def test_no_targets_on_demand(data_of):
    data = data_of("1,2 1:1\n2 1:1\n", targets=())
    assert (data.y, data.task, data.target_names) == (None, None, ())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 1:1\n1 2:1 2:3\n", r"line 2: has '2:3'; expected indices that rise"),
        ("1 1:1\n\n1 3:1 2:3\n", r"line 3: has '2:3'; expected indices that rise"),
        ("1 1:1 x\n", r"line 1: has 'x'; expected index:value"),
        ("1 1:1 -2:1\n", r"line 1: has '-2:1'; expected index:value"),
        ("1 1:1 2 3:1\n", r"line 1: has '2'; expected index:value"),
        ("1 1:a\n", r"line 1: has 'a' for a value; expected a number"),
        ("1 1:\n", r"line 1: has '' for a value; expected a number"),
        ("1 1:1_0\n", r"line 1: has '1_0' for a value"),
        ("1 1:\u0661\n", "line 1: has '\u0661' for a value; expected a number"),
        ("\uff11 1:1\n", "line 1: has '\uff11' for a label; expected a number"),
        ("1 \uff11:1\n", "line 1: has '\uff11:1'; expected index:value"),
        ("1 1:inf\n", r"line 1: has 'inf' for a value; expected a finite number of single"),
        ("1 1:1e39\n", r"line 1: has '1e39' for a value; expected a finite number"),
        ("1 99999999999:1\n", r"line 1: has '99999999999:1'; expected an index up to"),
        ("a 1:1\n", r"line 1: has 'a' for a label; expected a number"),
        ("1, 1:1\n", r"line 1: has a blank; expected a label"),
        ("1,,2 1:1\n", r"line 1: has ',2'; expected a label"),
        ("1 1:1\n# x\n\n1,-2 1:1\n", r"line 4: has the label -2; expected whole numbers"),
        ("1,2 1:1\n1.5 1:1\n", r"line 2: has the label 1.5; expected whole numbers"),
        ("1 1:1\n1,1 1:1\n", r"line 2: has the label 1 twice"),
        ("1 qid:x 1:1\n", r"line 1: has 'x'; expected index:value"),
        ("", r"the file has no rows"),
        ("# nothing\n", r"the file has no rows"),
    ],
)
def test_malformed_files_are_refused_with_the_line(data_of, text, message):
    with pytest.raises(ValueError, match=message) as caught:
        data_of(text)
    assert "rows.svm" in str(caught.value)


@pytest.mark.parametrize("said", [{"targets": "label"}, {"drop": "1"}, {"nominal": ["2"]}])
def test_columns_cannot_be_chosen(data_of, said):
    with pytest.raises(ValueError, match=f"give no {next(iter(said))} with this format"):
        data_of("1 1:1\n", **said)


def test_label_sets_are_no_numbers(data_of):
    with pytest.raises(ValueError, match="task='regression'"):
        data_of("1,2 1:1\n", task="regression")


def test_a_row_with_more_odd_numbers_than_there_is_room_for(data_of):
    row = " ".join(f"{i}:1e-310" for i in range(1, 10_001))
    data = data_of(f"1 {row}\n2 1:5 20000:1\n")
    assert data.X.shape == (2, 20_000)
    assert np.count_nonzero(dense(data.X)) == 2


@examples(20)
@given(st.data())
def test_any_file_is_read_as_by_scikit_learn(tmp_path_factory, drawn):
    n, d = drawn.draw(st.integers(1, 12)), drawn.draw(st.integers(1, 30))
    seed, is_sets = drawn.draw(st.integers(0, 2**32)), drawn.draw(st.booleans())
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-9, 9, (n, d))
    X[rng.random((n, d)) > drawn.draw(st.sampled_from([0.05, 0.5]))] = 0
    X[0, d // 2] = 1.5  # of a file without pairs scikit-learn makes one column
    y = np.eye(n, 4, dtype=int) if is_sets else rng.integers(-3, 3, n)
    if is_sets:
        y[0] = 1
    text = io.BytesIO()
    is_zero_based = drawn.draw(st.booleans())
    dump_svmlight_file(X, y, text, zero_based=is_zero_based, multilabel=is_sets, comment="made by a test")
    path = tmp_path_factory.mktemp("any") / "rows.libsvm"
    path.write_bytes(text.getvalue())
    expected, labels = load_svmlight_file(str(path), dtype=np.float32, multilabel=is_sets)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scanning, "BLOCK", 64)
        data = read(path)
    np.testing.assert_array_equal(dense(data.X), expected.toarray())
    if is_sets:
        found = [tuple(float(data.target_names[j]) for j in np.flatnonzero(row)) for row in dense(data.y)]
        assert found == [tuple(sorted(each)) for each in labels]
    else:
        np.testing.assert_array_equal(data.y, labels)


@st.composite
def datasets(draw):
    """Draw inputs, dense or sparse, and whole numbers, other numbers or label sets for y."""
    n, d = draw(st.integers(1, 8)), draw(st.integers(1, 5))
    value = st.one_of(st.just(0.0), st.floats(width=32, allow_infinity=False))
    X = np.array(draw(st.lists(value, min_size=n * d, max_size=n * d)), np.float32).reshape(n, d)
    first = draw(st.sampled_from([0, 1]))
    names = tuple(map(str, range(first, first + d)))
    task = draw(st.sampled_from(["multi-class", "regression", "multi-label"]))
    if task == "multi-class":
        y = np.arange(n) - 2
        task = "binary" if n <= 2 else task
    elif task == "regression":
        y = np.array(draw(st.lists(st.floats(-1e9, 1e9), min_size=n, max_size=n)))
    else:
        y = np.array(draw(st.lists(st.integers(0, 1), min_size=3 * n, max_size=3 * n)), np.int8).reshape(n, 3)
        y[0] = 1
    targets = ("2", "5", "11") if task == "multi-label" else ("label",)
    X = sp.csr_array(X) if draw(st.booleans()) else X
    return Data(
        X, sp.csr_array(y) if task == "multi-label" and draw(st.booleans()) else y, names, targets, task=task
    )


@pytest.mark.plain_python
@examples(30)
@given(data=datasets())
def test_what_is_written_is_read_again(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("written") / "rows.svmlight.xz"
    write(data, path)
    again = read(path, task="regression" if data.task == "regression" else None)
    assert (again.feature_names, again.target_names) == (data.feature_names, data.target_names)
    assert again.task == data.task
    np.testing.assert_array_equal(dense(again.X), dense(data.X))
    np.testing.assert_array_equal(dense(again.y), dense(data.y))


def test_a_frame_of_numbers_is_written(tmp_path):
    data = Data(
        pd.DataFrame({"a": [1.5, 0.0], "b": [0.0, 2.0]}), np.array([1, 2]), ("a", "b"), ("y",), task="binary"
    )
    write(data, tmp_path / "rows.svm")
    np.testing.assert_array_equal(dense(read(tmp_path / "rows.svm").X), [[1.5, 0], [0, 2]])


@pytest.mark.parametrize(
    ("X", "y", "task", "message"),
    [
        (np.ones((2, 1)), np.array(["a", "b"]), "binary", "holds numbers for y"),
        (np.ones((2, 1)), np.array([1.5, 2]), "binary", "classes that are whole numbers"),
        (np.ones((2, 1)), np.array([1.5, np.nan]), "regression", "none of them missing"),
        (np.ones((2, 1)), np.ones((2, 2)), "multi-target regression", r"y has the shape \(2, 2\)"),
        (np.ones((2, 1)), np.array([[1, 0], [1, 0]]), "multi-label", "no row has the label 'v'"),
        (np.ones((2, 1)), np.array([[1, np.nan], [1, 1]]), "multi-label", "missing labels"),
        (pd.DataFrame({"a": pd.Categorical(["u", "v"])}), np.array([1, 2]), "binary", "nominal columns"),
    ],
)
def test_what_the_format_cannot_hold_is_refused(tmp_path, X, y, task, message):
    targets = ("u", "v") if y.ndim == 2 else ("u",)
    with pytest.raises(ValueError, match=message):
        write(Data(X, y, ("a",), targets, task=task), tmp_path / "rows.svm")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.real_data
@pytest.mark.skipif(not available(), reason="the folder of real data sets is absent")
def test_a_real_file_is_read_as_by_scikit_learn():
    path = data_folder() / "mcc/gas-drift/gas_drift_PARTIAL_batches_1-6_8_9.libsvm.xz"
    data = read(path)
    with lzma.open(path) as file:
        X, y = load_svmlight_file(file, dtype=np.float32)
    assert not sp.issparse(data.X)
    np.testing.assert_array_equal(data.X, X.toarray())
    np.testing.assert_array_equal(data.y, y)
