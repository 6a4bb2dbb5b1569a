"""The same table in every format: what is written is read again, and is the same whatever the format."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from slantwood import Hierarchy, ObliqueTreeClassifier, ObliqueTreeRegressor
from slantwood.data import Data, read, write
from tests.sampling import examples

pytestmark = pytest.mark.sampled

CELLS = ("arff", "csv", "tsv", "parquet", "arrow")  # these have columns, and the user says which are targets
NUMBERS = ("npz", "svmlight", "extreme")  # these have numbers only, and say themselves what is a target
FORMATS = (*CELLS, *NUMBERS)
CLASSES, LABELS = ("binary", "multi-class"), ("multi-label", "hierarchical multi-label")
TASKS = (*CLASSES, *LABELS, "regression", "multi-target regression", None)
HIERARCHY = Hierarchy.from_paths(["a", "a/b", "a/b/c", "d"])

SINGLE = st.floats(width=32, allow_nan=True, allow_infinity=False) | st.sampled_from(
    [0.0, -0.0, 1e-45, 2**24]
)
DOUBLE = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([2.0**53, -0.0, 5e-324])
LETTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
NAMES = st.text(LETTERS, min_size=1, max_size=4) | st.integers(0, 9).map(str) | st.sampled_from(["NA", "?"])
WORDS = st.text("abé ,;'\"%{}?\\\t\n@", min_size=1, max_size=4).filter(
    lambda text: text.strip() not in ("", "?")  # which are missing cells where they are alone
)


def holds(format, data):
    """Tell whether a format can hold a table."""
    if format in CELLS:
        return data.hierarchy is None or format == "arff"
    if hasattr(data.X, "columns") or (data.y is not None and data.y.dtype.kind == "O"):
        return False
    has_gaps = data.y is not None and data.y.dtype.kind == "f" and np.isnan(spelled_out(data.y)).any()
    if format == "extreme":
        return data.task == "multi-label" and not has_gaps
    # Of label sets svmlight has only the labels that some row has, and none where each row has just one.
    return format == "npz" or (
        data.task in ("binary", "multi-class", "regression")
        and data.y.dtype.kind != "U"
        and not has_gaps
        and len(data.y) > 0
    )


@st.composite
def tables(draw, task):
    """Draw a table of any kind for a task."""
    n, width = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    y, n_targets = (
        draw(targets(task, n)),
        {None: 0, "multi-label": 3, "multi-target regression": 2}.get(task, 1),
    )
    labels = tuple(map(str, HIERARCHY.nodes))
    n_names = width + n_targets * (task != "hierarchical multi-label")
    names = draw(st.lists(NAMES, min_size=n_names, max_size=n_names, unique=True))
    columns = {}
    for name in names[:width]:
        if draw(st.integers(0, 3)) == 0:
            words = draw(st.lists(WORDS, min_size=1, max_size=n, unique=True))
            codes = [0, *draw(st.lists(st.integers(-1, len(words) - 1), min_size=n - 1, max_size=n - 1))]
            columns[name] = pd.Categorical.from_codes(codes, categories=words)
        else:
            columns[name] = np.array(draw(st.lists(SINGLE, min_size=n, max_size=n)), np.float32)
    X = pd.DataFrame(columns)
    if all(column.dtype == np.float32 for column in columns.values()):
        X = draw(st.sampled_from([np.asarray, sp.csr_array]))(X.to_numpy())
    is_hierarchical = task == "hierarchical multi-label"
    target_names = labels if is_hierarchical else tuple(names[width:])
    hierarchy = HIERARCHY if is_hierarchical else None
    return Data(X, y, tuple(names[:width]), target_names, hierarchy, task)


def targets(task, n):
    """Draw the y of a task."""
    cells = {
        "binary": st.sampled_from(["yes", "no, never"]) | st.none(),
        "multi-class": st.integers(-3, 3),
        "regression": DOUBLE,
        "multi-target regression": st.tuples(DOUBLE, DOUBLE),
        "multi-label": st.tuples(*[st.sampled_from([0, 1])] * 3),
        "hierarchical multi-label": st.sampled_from([(1, 0, 0, 0), (1, 1, 1, 0), (0, 0, 0, 1)]),
        None: st.none(),
    }[task]

    def as_y(drawn):
        if task is None:
            return None
        if task == "binary":
            return np.array(drawn, dtype=object if None in drawn else str)
        if task == "hierarchical multi-label":
            return sp.csr_array(np.array(drawn, np.int8))
        return np.array(drawn, {"multi-class": np.int64, "multi-label": np.int8}.get(task))

    drawn = st.lists(cells, min_size=n, max_size=n)
    if task == "binary":
        drawn = drawn.filter(lambda values: any(values))
    if task == "multi-target regression":
        drawn = drawn.map(lambda rows: [(2.5, rows[0][1]), *rows[1:]])  # or they may look like labels
    return drawn.map(as_y)


def read_again(data, path, **said):
    """Write a table and read it, telling what the format cannot."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        write(data, path, format=path.suffix[1:])
    format = path.suffix[1:]
    if data.task is None:
        return read(path, (), format=format)
    if format in CELLS and data.hierarchy is None:
        said["targets"] = [len(data.feature_names) + j for j in range(len(data.target_names))]
    if format != "extreme" and data.hierarchy is None:
        said["task"] = "regression" if data.task.endswith("regression") else "classification"
    return read(path, format=format, **said)


def spelled_out(matrix):
    return matrix.toarray() if sp.issparse(matrix) else matrix


def cells_of(X):
    """Return the columns as lists of numbers or texts, None where a cell is missing."""
    columns = X.items() if hasattr(X, "columns") else enumerate(spelled_out(X).T)
    return [[None if value != value else value for value in column.tolist()] for _, column in columns]


def assert_same(found, expected):
    assert found.task == expected.task or {found.task, expected.task} == set(CLASSES)
    assert cells_of(found.X) == cells_of(expected.X)
    assert found.hierarchy == expected.hierarchy
    if expected.y is None:
        assert found.y is None
    else:
        # Formats of text and categories have texts for whole numbers that are classes.
        kind = str if expected.task in CLASSES else float
        assert found.y.shape == expected.y.shape
        np.testing.assert_array_equal(spelled_out(found.y).astype(kind), spelled_out(expected.y).astype(kind))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("agree")


@pytest.mark.parametrize("task", TASKS)
@examples(10)
@given(drawn=st.data())
def test_every_format_gives_back_what_was_written(folder, task, drawn):
    data = drawn.draw(tables(task))
    for format in FORMATS:
        if holds(format, data):
            found = read_again(data, folder / f"table.{format}")
            assert_same(found, data)
            if format not in ("svmlight", "extreme"):
                assert (found.feature_names, found.target_names) == (data.feature_names, data.target_names)


@pytest.mark.parametrize("format", [*CELLS, "npz"])
@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (3, 0), (2, 5000)])
def test_odd_shapes(folder, format, shape):
    X = np.ones(shape, np.float32)
    data = Data(X, np.arange(shape[0]) + 0.5, tuple(map(str, range(shape[1]))), ("y",), None, "regression")
    found = read_again(data, folder / f"odd.{format}")
    assert found.X.shape == shape
    assert_same(found, data)
    assert found.feature_names == data.feature_names


@pytest.mark.parametrize("format", FORMATS)
def test_models_are_fitted_on_what_is_read(folder, format):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3)).astype(np.float32)
    signs = X > 0
    with_nominal = pd.DataFrame({"a": X[:, 0], "b": np.where(signs[:, 1], "up", "down"), "c": X[:, 2]})
    with_nominal["b"] = with_nominal["b"].astype("category")
    paths = np.column_stack([signs[:, 0], signs[:, 0] & signs[:, 1], signs.all(axis=1), ~signs[:, 0]])
    y_of = {
        "binary": signs[:, 0].astype(np.int64),
        "multi-class": signs.sum(axis=1),
        "multi-label": signs.astype(np.int8),
        "hierarchical multi-label": sp.csr_array(paths.astype(np.int8)),
        "regression": X.sum(axis=1).astype(np.float64),
        "multi-target regression": X[:, :2].astype(np.float64),
    }
    for task, y in y_of.items():
        n_targets = 1 if y.ndim == 1 else y.shape[1]
        hierarchy = HIERARCHY if task == "hierarchical multi-label" else None
        names = tuple(map(str, HIERARCHY.nodes)) if hierarchy else tuple("pqr"[:n_targets])
        for inputs in (X, with_nominal):
            data = Data(inputs, y, ("a", "b", "c"), names, hierarchy, task)
            if not holds(format, data):
                continue
            found = read_again(data, folder / f"fit.{format}")
            if task.endswith("regression"):
                model = ObliqueTreeRegressor(random_state=0)
            else:
                model = ObliqueTreeClassifier(random_state=0, hierarchy=found.hierarchy)
            predicted = model.fit(found.X, found.y).predict(found.X)
            assert predicted.shape == found.y.shape
            assert getattr(model, "n_features_in_", 3) == 3
