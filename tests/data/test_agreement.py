"""ARFF files that other libraries read too: SciPy, liac-arff and scikit-multilearn find the same in them."""

import io

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.io import arff as scipy_arff

from slantwood.data import Data, read, write

# What all of them can read: no value that is empty, a question mark, or has a quote, brace or line end in it.
WORDS = st.text("abcXYZ019_.-éß%:;@ ", min_size=1, max_size=5).filter(
    lambda text: text == text.strip() and text[0] not in "%@-." and " %" not in text
)
# SciPy keeps the quotes of some names, and has ASCII values only.
BARE_WORDS = st.text("abcXYZ019_.-", min_size=1, max_size=5).filter(lambda text: text[0] not in "-.")
NUMBERS = st.floats(width=32, allow_nan=True, allow_infinity=False)


@st.composite
def tables(draw, with_nominal=True, with_gaps=True, words=WORDS):
    """Draw columns of numbers and nominal ones, and labels, all in one `Data`."""
    lowest, numbers = (-1, NUMBERS) if with_gaps else (0, NUMBERS.filter(lambda number: number == number))
    n_rows, width, n_labels = draw(st.integers(1, 5)), draw(st.integers(1, 4)), draw(st.integers(2, 4))
    names = draw(st.lists(words, min_size=width + n_labels, max_size=width + n_labels, unique_by=str.lower))
    columns = {}
    for name in names[:width]:
        if with_nominal and draw(st.booleans()):
            values = draw(st.lists(words, min_size=1, max_size=4, unique=True))
            codes = draw(st.lists(st.integers(lowest, len(values) - 1), min_size=n_rows, max_size=n_rows))
            columns[name] = pd.Categorical.from_codes(codes, categories=values)
        else:
            cells = draw(st.lists(numbers | st.just(0.0), min_size=n_rows, max_size=n_rows))
            columns[name] = np.array(cells, np.float32)
    X = pd.DataFrame(columns)
    if not with_nominal:
        X = X.to_numpy()
    cells = draw(st.lists(st.sampled_from([0, 1]), min_size=n_rows * n_labels, max_size=n_rows * n_labels))
    y = np.array(cells, np.int8).reshape(n_rows, n_labels)
    return Data(X, y, tuple(names[:width]), tuple(names[width:]), None, "multi-label")


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("agreement") / "table.arff"


def encoded(X):
    """Return inputs as numbers, nominal ones as positions among their values, NaN where they are missing."""
    if not hasattr(X, "columns"):
        return X.toarray() if sp.issparse(X) else X
    columns = [
        column.cat.codes.where(column.notna(), np.nan) if hasattr(column, "cat") else column
        for _, column in X.items()
    ]
    return np.column_stack(columns).astype(np.float32)


def of_liac(content, n_rows, sparse):
    """Return the numbers that liac-arff found, cell by cell."""
    width = len(content["attributes"])
    if not sparse:
        return np.array(content["data"], dtype=object).reshape(n_rows, width).astype(np.float64)
    matrix = np.zeros((n_rows, width))
    for row, cells in zip(matrix, content["data"], strict=True):
        for j, cell in cells.items():
            row[j] = np.nan if cell is None else cell
    return matrix


def of_scipy(rows, meta):
    """Return the numbers that SciPy found; nominal values, which it gives as texts, as their positions."""
    columns = []
    for name, kind in zip(meta.names(), meta.types(), strict=True):
        if kind == "numeric":
            columns.append(rows[name])
        else:
            code = {value.encode(): i for i, value in enumerate(meta[name][1])} | {b"?": np.nan}
            columns.append([code[value] for value in rows[name]])
    return np.column_stack(columns).astype(np.float64)


def assert_same_cells(data, matrix):
    """Compare with a matrix that has the labels at its end."""
    width = len(data.feature_names)
    np.testing.assert_array_equal(matrix[:, :width].astype(np.float32), encoded(data.X))
    y = data.y.toarray() if sp.issparse(data.y) else data.y
    np.testing.assert_array_equal(matrix[:, width:], y)


@given(tables())
def test_liac_arff_agrees_on_dense_files(liac, path, table):
    write(table, path)
    data = read(path)
    content = liac.loads(path.read_text(encoding="utf-8"), encode_nominal=True)
    assert [name for name, _ in content["attributes"]] == [*data.feature_names, *data.target_names]
    assert_same_cells(data, of_liac(content, len(table.X), sparse=False))


@given(tables(with_nominal=False))
def test_liac_arff_agrees_on_sparse_files(liac, path, table):
    write(Data(sp.csr_array(table.X), table.y, *table_names(table), None, table.task), path)
    data = read(path)
    content = liac.loads(path.read_text(encoding="utf-8"), encode_nominal=True, return_type=liac.LOD)
    assert [name for name, _ in content["attributes"]] == [*data.feature_names, *data.target_names]
    assert_same_cells(data, of_liac(content, len(table.X), sparse=True))


def table_names(table):
    return table.feature_names, table.target_names


@given(tables(words=BARE_WORDS))
def test_scipy_agrees_on_dense_files(path, table):
    write(table, path)
    data = read(path)
    rows, meta = scipy_arff.loadarff(io.StringIO(path.read_text(encoding="utf-8")))
    assert meta.names() == [*data.feature_names, *data.target_names]
    assert_same_cells(data, of_scipy(rows, meta))


# It takes missing cells for zeros.
@given(tables(with_gaps=False))
def test_scikit_multilearn_agrees_on_dense_files(load_from_arff, path, table):
    write(table, path)
    data = read(path)
    X, y, inputs, labels = load_from_arff(
        str(path), len(table.target_names), load_sparse=False, return_attribute_definitions=True
    )
    assert tuple(name for name, _ in inputs) == data.feature_names
    assert tuple(name for name, _ in labels) == data.target_names
    assert_same_cells(data, np.hstack([X.toarray(), y.toarray()]).astype(np.float64))


@given(tables(with_nominal=False, with_gaps=False))
def test_scikit_multilearn_agrees_on_sparse_files(load_from_arff, path, table):
    # It takes the size of the matrix from the largest indices that are listed.
    table.y[-1, -1] = 1
    write(Data(sp.csr_array(table.X), table.y, *table_names(table), None, table.task), path)
    data = read(path)
    X, y = load_from_arff(str(path), len(table.target_names), load_sparse=True)
    assert_same_cells(data, np.hstack([X.toarray(), y.toarray()]).astype(np.float64))


def test_other_spellings_are_read_alike(liac, path):
    text = (
        "% a comment\n@RELATION r\n\n@ATTRIBUTE a REAL\n@attribute 'b c' {x, 'y z'}\n@attribute d Integer\n"
        "@attribute e {0,1}\n@attribute f {0,1}\n@DATA\n% another\n\n1e3 ,x, -5,0,1\n?,'y z', 0 ,1,1\n"
    )
    path.write_text(text)
    data = read(path, "last:2")
    assert_same_cells(data, of_liac(liac.loads(text, encode_nominal=True), 2, sparse=False))
    # SciPy takes the quotes of such a cell for a part of the value.
    unquoted = text.replace("'y z'", "y_z")
    assert_same_cells(data, of_scipy(*scipy_arff.loadarff(io.StringIO(unquoted))))
