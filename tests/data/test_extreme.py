"""The extreme-classification format: what is read and refused, and that what is written is read again."""

import lzma

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from slantwood.data.formats import extreme
from slantwood.data.read import read, write
from slantwood.data.read_options import ReadOptions
from slantwood.data.table import Data
from slantwood.data.text import scanning
from slantwood_bench.scripts.data import available, data_folder
from tests.sampling import examples


@pytest.fixture
def data_of(tmp_path):
    """Read a text in this format."""

    def go(text, **said):
        path = tmp_path / "rows.txt"
        path.write_bytes(text.encode())
        return extreme.read(path, ReadOptions(**said))

    return go


def dense(matrix):
    return matrix.toarray() if sp.issparse(matrix) else matrix


def slow_reader(text):
    """Read a text word by word, into dense matrices."""
    sizes, *lines = text.removesuffix("\n").split("\n")
    n, d, n_labels = map(int, sizes.split())
    X, Y = np.zeros((n, d), np.float32), np.zeros((n, n_labels), np.int8)
    for i, line in enumerate(lines):
        labels, _, pairs = line.partition(" ")
        for label in labels.split(",") if labels else []:
            Y[i, int(label)] = 1
        for pair in pairs.split():
            index, value = pair.split(":")
            X[i, int(index)] = float(value)
    return X, Y


def test_labels_and_pairs_in_any_order(data_of):
    data = data_of("4 3 5\n3,1 2:0.5 0:-1\n 1:2\n4\n\n")
    np.testing.assert_array_equal(dense(data.X), [[-1, 0, 0.5], [0, 2, 0], [0, 0, 0], [0, 0, 0]])
    np.testing.assert_array_equal(
        dense(data.y), [[0, 1, 0, 1, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0]]
    )
    assert (data.X.dtype, data.y.dtype, data.task) == (np.float32, np.int8, "multi-label")
    assert data.feature_names == ("0", "1", "2")
    assert data.target_names == ("0", "1", "2", "3", "4")


def test_few_non_zeros_are_kept_sparse(data_of):
    data = data_of("2 100 100\n1 1:1\n5,2 3:1 4:0\n")
    assert sp.issparse(data.X)
    assert sp.issparse(data.y)
    assert (data.X.nnz, data.y.nnz) == (2, 3)


def test_lines_may_end_as_on_other_machines_and_empty_ones_may_follow(data_of):
    data = data_of("1 2 2\r\n1 1:1\r\n\r\n\n")
    np.testing.assert_array_equal(dense(data.X), [[0, 1]])


def test_no_targets_on_demand(data_of):
    assert data_of("1 2 2\n1 1:1\n", targets=()).y is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"line 1: has ''; expected the numbers of rows, features and labels"),
        ("1 2\n", r"line 1: has '1 2'; expected the numbers"),
        ("1 -2 2\n", r"line 1: has '1 -2 2'; expected the numbers"),
        ("2 2 2\n0 1:1\n", r"line 1: has 2 for the number of rows, and 1 rows follow"),
        (
            f"{2**63} 2 2\n0 1:1\n",
            r"line 1: has 9223372036854775808 for the number of rows, and 1 rows follow",
        ),
        (f"{'9' * 5000} 2 2\n0 1:1\n", r"line 1: has '9{60}\.\.\.'; expected the numbers of rows"),
        ("1 2 2\n0 1:1\n1 1:1\n", r"line 1: has 1 for the number of rows, and 2 rows follow"),
        ("2 2 2\n0 1:1\n0 2:1\n", r"line 3: has the index 2; expected a whole number from 0 to 1"),
        ("2 2 2\n0 1:1\n2 1:1\n", r"line 3: has the label 2; expected a whole number from 0 to 1"),
        ("1 2 2\n-1 1:1\n", r"line 2: has the label -1; expected"),
        ("1 2 2\n0.5 1:1\n", r"line 2: has the label 0.5; expected"),
        ("1 9 2\n0 3:1 1:1 3:2\n", r"line 2: has the index 3 twice"),
        ("2 9 2\n0 3:1\n0 3:0 3:2\n", r"line 3: has the index 3 twice"),
        ("1 9 2\n1,0,1 3:1\n", r"line 2: has the label 1 twice"),
        ("1 9 2\n1 3:1 # no\n", r"line 2: has '#'; expected index:value"),
        ("1 9 2\n1 3:x\n", r"line 2: has 'x' for a value; expected a number"),
        ("1 9 2\n1 3:1e40\n", r"line 2: has '1e40' for a value; expected a finite number"),
    ],
)
def test_malformed_files_are_refused_with_the_line(data_of, text, message):
    with pytest.raises(ValueError, match=message) as caught:
        data_of(text)
    assert "rows.txt" in str(caught.value)


def test_what_makes_no_sense_here_is_refused(data_of):
    with pytest.raises(ValueError, match="give no targets with this format"):
        data_of("1 2 2\n1 1:1\n", targets="last:1")
    with pytest.raises(ValueError, match="task='regression'"):
        data_of("1 2 2\n1 1:1\n", task="regression")


@st.composite
def datasets(draw):
    """Draw inputs and label sets, dense or sparse, with empty rows among them."""
    n, d, n_labels = draw(st.integers(0, 8)), draw(st.integers(1, 6)), draw(st.integers(1, 5))
    value = st.one_of(st.just(0.0), st.floats(width=32, allow_infinity=False))
    X = np.array(draw(st.lists(value, min_size=n * d, max_size=n * d)), np.float32).reshape(n, d)
    bits = draw(st.lists(st.integers(0, 1), min_size=n * n_labels, max_size=n * n_labels))
    Y = np.array(bits, np.int8).reshape(n, n_labels)
    if draw(st.booleans()):
        X, Y = sp.csr_array(X), sp.csr_array(Y)
    return Data(X, Y, tuple(map(str, range(d))), tuple(map(str, range(n_labels))), task="multi-label")


@pytest.mark.plain_python
@examples(30)
@given(data=datasets(), size=st.sampled_from([1, 32, 1 << 20]))
def test_what_is_written_is_read_again_also_by_a_slow_reader(tmp_path_factory, data, size):
    path = tmp_path_factory.mktemp("written") / "rows.xmc"
    write(data, path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scanning, "BLOCK", size)
        again = read(path)
    assert (again.feature_names, again.target_names) == (data.feature_names, data.target_names)
    assert again.task == data.task
    for X, Y in ((dense(again.X), dense(again.y)), slow_reader(path.read_text())):
        np.testing.assert_array_equal(X, dense(data.X))
        np.testing.assert_array_equal(Y, dense(data.y))


@pytest.mark.parametrize("as_matrix", [np.array, sp.csr_array])
def test_missing_labels_are_not_written_as_labels(tmp_path, as_matrix):
    data = Data(np.ones((1, 1)), as_matrix([[1, np.nan]]), ("0",), ("0", "1"), task="multi-label")
    with pytest.raises(ValueError, match="y has missing labels"):
        write(data, tmp_path / "rows.xmc")


@pytest.mark.parametrize("sizes", ["1 999999999999 2", "1 2 999999999999"])
def test_sizes_beyond_any_memory_are_refused(tmp_path, sizes):
    (tmp_path / "rows.xmc").write_text(f"{sizes}\n0 1:1\n")
    with pytest.raises(ValueError, match=r"rows\.xmc, line 1: has 999999999999 .* expected up to 2147483647"):
        read(tmp_path / "rows.xmc")


def test_only_label_sets_are_written(tmp_path):
    data = Data(np.ones((2, 1)), np.array([1, 2]), ("a",), ("y",), task="binary")
    with pytest.raises(ValueError, match="holds sets of labels, and the task is binary"):
        write(data, tmp_path / "rows.xmc")


@pytest.mark.real_data
@pytest.mark.skipif(not available(), reason="the folder of real data sets is absent")
@pytest.mark.parametrize("part", [pytest.param("train", marks=pytest.mark.thorough), "test"])
def test_eurlex_is_read_as_by_a_slow_reader(part):
    path = data_folder() / f"mlc/eurlex-eurovoc/eurlex-4k.{part}.txt.xz"
    data = read(path)
    X, Y = slow_reader(lzma.decompress(path.read_bytes()).decode())
    np.testing.assert_array_equal(data.X.toarray(), X)
    np.testing.assert_array_equal(data.y.toarray(), Y)
