"""Claims about the way from a table of numbers and categories to the matrix that trees read."""

import datetime
import json
import subprocess
import sys
import tracemalloc
from dataclasses import asdict
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from slantwood.features.encoding import Encoding
from slantwood.features.frames import is_frame
from tests.sampling import examples

pytestmark = pytest.mark.plain_python


# A table is a dict of lists; its columns named n... hold numbers, those named t... hold texts.

NUMBERS = st.one_of(
    st.none(), st.integers(-(2**40), 2**40), st.floats(-(2.0**100), 2.0**100, width=32), st.just(0.0)
)
TEXTS = st.one_of(st.none(), st.sampled_from(["red", "green", "blue", "", "é", "1", "nan"]))
MANY_TEXTS = st.one_of(st.none(), st.integers(0, 40).map(str))


@st.composite
def tables(draw, min_rows=1, columns=None):
    n = draw(st.integers(min_rows, 12))
    kinds = columns or draw(st.lists(st.sampled_from("ntm"), min_size=1, max_size=4))
    cells = {"n": NUMBERS, "t": TEXTS, "m": MANY_TEXTS}
    names = [f"{'n' if kind == 'n' else 't'}{j}{kind}" for j, kind in enumerate(kinds)]
    lists = [draw(st.lists(cells[kind], min_size=n, max_size=n)) for kind in kinds]
    return dict(zip(names, lists, strict=True))


@st.composite
def training_and_new_tables(draw):
    kinds = draw(st.lists(st.sampled_from("ntm"), min_size=1, max_size=4))
    return draw(tables(columns=kinds)), draw(tables(columns=kinds))


def texts_of(table):
    return [j for j, name in enumerate(table) if name[0] == "t"]


def is_text(name):
    return name[0] == "t"


def as_floats(cells):
    return [None if cell is None else float(cell) for cell in cells]


def pandas_frame(table, text_type, number_type="float64"):
    return pd.DataFrame(
        {
            name: pd.Series(cells, dtype=text_type if is_text(name) else number_type)
            for name, cells in table.items()
        }
    )


def polars_frame(table, text_type):
    return pl.DataFrame(
        {
            name: pl.Series(cells, dtype=text_type(cells))
            if is_text(name)
            else pl.Series(as_floats(cells), dtype=pl.Float64)
            for name, cells in table.items()
        }
    )


def arrow_table(table, text_type):
    return pa.table(
        {
            name: pa.array(cells, pa.string()).cast(text_type)
            if is_text(name)
            else pa.array(as_floats(cells), pa.float64())
            for name, cells in table.items()
        }
    )


CONTAINERS = {
    "pandas str": lambda table: pandas_frame(table, "str"),
    "pandas string": lambda table: pandas_frame(table, "string"),
    "pandas object": lambda table: pandas_frame(table, object),
    "pandas category": lambda table: pandas_frame(table, "category"),
    "pandas nullable numbers": lambda table: pandas_frame(table, "string", "Float64"),
    "pandas arrow": lambda table: pandas_frame(table, pd.ArrowDtype(pa.string())),
    "all objects": lambda table: pd.DataFrame(table, dtype=object),
    "polars string": lambda table: polars_frame(table, lambda cells: pl.String),
    "polars categorical": lambda table: polars_frame(table, lambda cells: pl.Categorical),
    "polars enum": lambda table: polars_frame(
        table, lambda cells: pl.Enum(sorted({"unseen", *filter(lambda cell: cell is not None, cells)})[::-1])
    ),
    "arrow string": lambda table: arrow_table(table, pa.string()),
    "arrow large string": lambda table: arrow_table(table, pa.large_string()),
    "arrow dictionary": lambda table: arrow_table(table, pa.dictionary(pa.int8(), pa.string())),
    "arrow in chunks": lambda table: pa.concat_tables(
        [arrow_table(table, pa.dictionary(pa.int32(), pa.string())).slice(k, 1) for k in range(n_rows(table))]
    ),
    "array of objects": lambda table: np.array(list(table.values()), dtype=object).T,
}
EVERY_CONTAINER = pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS.keys())
QUICKLY = examples(10)


def n_rows(table):
    return len(next(iter(table.values())))


def learn(X, table, missing_indicators=False):
    listed = texts_of(table) if isinstance(X, np.ndarray) else "from_dtype"
    return Encoding.learn(X, listed, missing_indicators)


def numbers_of(matrix):
    assert matrix.dtype == np.float32
    if not sp.issparse(matrix):
        assert matrix.flags.c_contiguous
        return matrix
    assert matrix.format == "csr"
    assert matrix.has_canonical_format
    assert np.all(matrix.data != 0)
    return matrix.toarray()


def slow_twin(training, new, missing_indicators):
    """Encode `new` cell by cell."""
    seen = {name: {cell for cell in cells if cell is not None} for name, cells in training.items()}
    nominal = [name for name in training if is_text(name) and seen[name]]
    order = [name for name in training if name not in nominal] + nominal
    matrix = []
    for row in range(n_rows(new)):
        encoded = []
        for name in order:
            cell = new[name][row]
            if name not in nominal:
                is_number = cell is not None and not isinstance(cell, str)
                encoded.append(np.float32(cell) if is_number else np.nan)
                continue
            categories = sorted(seen[name])
            counts = [training[name].count(category) for category in categories]
            usual = categories[counts.index(max(counts))] if 2 * max(counts) >= sum(counts) else None
            marked = [category for category in categories if category != usual]
            for category in marked:
                if cell in categories:
                    encoded.append(float(cell == category))
                else:
                    share = training[name].count(category) / sum(counts)
                    encoded.append(np.nan if share >= 1 / 16 else 0.0)
        for name, cells in training.items():
            if missing_indicators and None in cells:
                is_blank = is_text(name) and not seen[name]
                encoded.append(float(new[name][row] is None or is_blank))
        matrix.append(encoded)
    return np.array(matrix, dtype=np.float32)


# Properties


@pytest.mark.sampled(5)
@EVERY_CONTAINER
@QUICKLY
@given(both=training_and_new_tables(), missing_indicators=st.booleans())
def test_a_table_is_encoded_as_a_slow_twin_would(container, both, missing_indicators):
    training, new = both
    encoding, matrix = learn(container(training), training, missing_indicators)
    assert_array_equal(numbers_of(matrix), slow_twin(training, training, missing_indicators))
    encoded = encoding.encode(container(new))
    assert_array_equal(numbers_of(encoded), slow_twin(training, new, missing_indicators))


@QUICKLY
@given(
    both=training_and_new_tables(),
    first=st.sampled_from(sorted(CONTAINERS)),
    second=st.sampled_from(sorted(CONTAINERS)),
)
def test_every_container_may_follow_every_other(both, first, second):
    training, new = both
    encoding, _ = learn(CONTAINERS[first](training), training)
    other, _ = learn(CONTAINERS[second](training), training)
    assert encoding == other
    assert_array_equal(numbers_of(encoding.encode(CONTAINERS[second](new))), slow_twin(training, new, False))


@QUICKLY
@given(table=tables(), data=st.data())
def test_rows_in_another_order_give_the_same_rows_in_that_order(table, data):
    order = data.draw(st.permutations(range(n_rows(table))))
    X = pandas_frame(table, "str")
    encoding, matrix = Encoding.learn(X, missing_indicators=True)
    permuted, permuted_matrix = Encoding.learn(X.iloc[order], missing_indicators=True)
    assert permuted == encoding
    assert_array_equal(numbers_of(permuted_matrix), numbers_of(matrix)[order])


@QUICKLY
@given(table=tables(), seed=st.integers(0, 2**32 - 1))
def test_importances_by_input_have_the_same_sum_and_come_from_their_own_columns(table, seed):
    encoding, matrix = Encoding.learn(polars_frame(table, lambda cells: pl.String), missing_indicators=True)
    importances = np.random.default_rng(seed).random(matrix.shape[1])
    by_input = encoding.by_input(importances)
    assert by_input.shape == (encoding.n_inputs,) == (len(table),)
    assert_allclose(by_input.sum(), importances.sum())
    for column, name in enumerate(table):
        own = [n == name or n.startswith((f"{name}=", f"{name} ")) for n in encoding.names(list(table))]
        assert_array_equal(np.flatnonzero(own), np.flatnonzero(encoding.source == column))


@QUICKLY
@given(table=tables())
def test_an_encoding_survives_json(table):
    encoding, matrix = Encoding.learn(pandas_frame(table, "str"), missing_indicators=True)
    fields = json.loads(json.dumps(asdict(encoding)))
    for nested in ("categories", "frequent"):
        fields[nested] = map(tuple, fields[nested])
    restored = Encoding(**{k: v if k == "n_inputs" else tuple(v) for k, v in fields.items()})
    assert restored == encoding
    assert_array_equal(numbers_of(restored.encode(arrow_table(table, pa.string()))), numbers_of(matrix))


ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**6), 10**6),
    st.integers(),
    st.floats(),
    st.text(max_size=3),
    st.sampled_from([pd.NA, pd.NaT, np.nan, np.float32(3), np.int8(2), np.bool_(True), np.str_("a"), b"x"]),
    st.sampled_from([Decimal("1.5"), Decimal("NaN"), Decimal("1e400"), Fraction(1, 3), 10**400, 1j, (1, 2)]),
    st.sampled_from([[1], {"a": 1}, datetime.date(2020, 1, 1), datetime.timedelta(1), np.datetime64("NaT")]),
)
DTYPES = st.sampled_from(
    [object, "float64", "Int64", "boolean", "str", "category", "datetime64[ns]", "float32", None]
)


@st.composite
def strange_frames(draw):
    n = draw(st.integers(1, 5))
    columns = {}
    for j in range(draw(st.integers(1, 3))):
        cells = draw(
            st.one_of(st.lists(ANYTHING, min_size=n, max_size=n), st.lists(NUMBERS, min_size=n, max_size=n))
        )
        try:
            columns[f"column_{j}"] = pd.Series(cells, dtype=draw(DTYPES))
        except Exception:  # pandas itself refuses most of these; its reasons are many
            columns[f"column_{j}"] = pd.Series([None, *cells], dtype=object).iloc[1:].reset_index(drop=True)
    return pd.DataFrame(columns)


@examples(40)
@given(
    frame=strange_frames(),
    listed=st.sampled_from(["from_dtype", None, ["column_0"], [0], [5], ["x"]]),
    as_array=st.booleans(),
    missing_indicators=st.booleans(),
)
def test_any_cells_give_a_matrix_or_an_error_that_names_its_cause(
    frame, listed, as_array, missing_indicators
):
    X = frame.to_numpy(dtype=object) if as_array else frame
    complaint = ""
    try:
        encoding, matrix = Encoding.learn(X, listed, missing_indicators)
        again = encoding.encode(X)
    except (TypeError, ValueError) as error:
        complaint = str(error)
    if complaint:
        assert "column" in complaint or "categorical_features" in complaint
        assert ";" in complaint, "no remedy"
        return
    assert matrix.shape == (len(frame), len(encoding.source))
    assert len(encoding.names(list(frame.columns))) == matrix.shape[1]
    assert_array_equal(numbers_of(again), numbers_of(matrix))


# Kinds of columns


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([1, 0, 3], dtype="int8"),
        pd.Series([1, 0, 3], dtype="uint64"),
        pd.Series([1, 0, 3], dtype="float16"),
        pd.Series([1, 0, 3], dtype="Int64"),
        pd.Series([1, 0, 3], dtype="Float32"),
        pd.Series([1, 0, 3], dtype="int64[pyarrow]"),
        pd.Series([1, 0, 3], dtype=object),
        pd.Series([True, 0, 3.0], dtype=object),
        pd.Series([np.int64(1), np.False_, Decimal(3)], dtype=object),
        pd.Series([1, 0, 3], dtype="Sparse[int]"),
        pd.Series(pd.array([Decimal(1), Decimal(0), Decimal(3)], dtype=pd.ArrowDtype(pa.decimal128(5, 2)))),
        pl.Series([1, 0, 3], dtype=pl.UInt8),
        pl.Series([1, 0, 3], dtype=pl.Int128),
        pl.Series([Decimal(1), Decimal(0), Decimal(3)]),
        pa.array([1, 0, 3], pa.float32()),
        pa.array([Decimal(1), Decimal(0), Decimal(3)]),
        pa.array([Decimal(1), Decimal(0), Decimal(3)], pa.decimal256(50, 2)),
    ],
    ids=lambda column: f"{type(column).__module__.split('.')[0]} {getattr(column, 'dtype', '')}",
)
def test_numbers_of_every_type_stay_numbers(column):
    kind = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
    other = column if not isinstance(column, pd.Series) else column[::-1].reset_index(drop=True)
    frame = kind[type(column).__module__.split(".")[0]]({"a": column, "b": other})
    encoding, matrix = Encoding.learn(frame)
    assert encoding.is_identity
    assert not encoding.has_nominal
    found = numbers_of(matrix)
    assert_array_equal(found[:, 0], [1, 0, 3])


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([True, None, False], dtype="boolean"),
        pd.Series([True, None, False], dtype=object),
        pd.Series([1, pd.NA, 0], dtype=object),
        pd.Series([1, pd.NaT, 0], dtype=object),
        pd.Series([1, None, 0], dtype="Int8"),
        pd.Series([1, None, 0], dtype="bool[pyarrow]"),
        pl.Series([True, None, False]),
        pl.Series([1, None, 0]),
        pl.Series([1.0, np.nan, 0]),
        pl.Series([Decimal(1), None, Decimal(0)]),
        pa.array([True, None, False]),
        pa.array([1, None, 0], pa.uint64()),
        pa.array([1.0, np.nan, 0.0]),
    ],
    ids=lambda column: f"{type(column).__module__.split('.')[0]} {getattr(column, 'dtype', '')}",
)
def test_missing_cells_of_every_kind_are_nan(column):
    kind = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
    frame = kind[type(column).__module__.split(".")[0]]({"a": column})
    encoding, matrix = Encoding.learn(frame, missing_indicators=True)
    assert_array_equal(matrix, np.float32([[1, 0], [np.nan, 1], [0, 0]]))
    assert encoding.names(["a"]).tolist() == ["a", "a is missing"]


def test_whole_numbers_beyond_the_exact_range_of_doubles_are_taken():
    frames = [pd.DataFrame({"a": [2**60 + 1, 0]}), pl.DataFrame({"a": [2**60 + 1, 0]})]
    for frame in [*frames, pa.table({"a": [2**60 + 1, 0]}), pa.table({"a": [2**60 + 1, None]})]:
        assert Encoding.learn(frame)[1][0, 0] == np.float32(2**60)


def test_columns_come_as_numbers_then_categories_then_marks_of_missing_cells():
    frame = pd.DataFrame(
        {
            "colour": ["red", "green", None, "blue"],
            "age": [1.0, 2.0, np.nan, 0.0],
            "sex": ["m", "f", "f", "m"],
            "one": ["x"] * 4,
            "size": [4, 5, 6, 7],
        }
    )
    encoding, matrix = Encoding.learn(frame, missing_indicators=True)
    assert encoding.names(list(frame)).tolist() == [
        "age",
        "size",
        "colour=blue",
        "colour=green",
        "colour=red",
        "sex=m",
        "colour is missing",
        "age is missing",
    ]
    assert encoding.source.tolist() == [1, 4, 0, 0, 0, 2, 0, 1]
    nan = np.nan
    expected = [
        [1, 4, 0, 0, 1, 1, 0, 0],
        [2, 5, 0, 1, 0, 0, 0, 0],
        [nan, 6, nan, nan, nan, 0, 1, 1],
        [0, 7, 1, 0, 0, 1, 0, 0],
    ]
    assert_array_equal(matrix, np.float32(expected))
    assert encoding.has_nominal
    assert not encoding.is_identity


def test_categories_are_those_seen_in_training_not_those_that_the_type_lists():
    listed = ["z", "a", "b", "c"]
    cells = ["c", "a", "b"]
    for frame in (
        pd.DataFrame({"x": pd.Categorical(cells, categories=listed)}),
        pl.DataFrame({"x": pl.Series(cells, dtype=pl.Enum(listed))}),
        pa.table({"x": pa.DictionaryArray.from_arrays(pa.array([3, 1, 2], pa.uint8()), listed)}),
    ):
        assert Encoding.learn(frame)[0].categories == (("a", "b", "c"),)


def test_a_null_among_the_values_of_an_arrow_dictionary_is_missing():
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, None], pa.uint8()), ["a", None, "b"])
    _, matrix = Encoding.learn(pa.table({"x": column}), missing_indicators=True)
    assert_array_equal(matrix, np.float32([[0, 0], [np.nan, 1], [1, 0], [np.nan, 1]]))


def test_codes_are_the_same_category_as_whole_and_as_floating_numbers():
    encoding, _ = Encoding.learn(pd.DataFrame({"code": [10, 9, 2]}), ["code"])
    assert encoding.categories == ((2, 9, 10),)
    assert encoding.names(["code"]).tolist() == ["code=2", "code=9", "code=10"]
    expected = np.float32([[0, 0, 1], [np.nan] * 3, [1, 0, 0]])
    for X in (
        pd.DataFrame({"code": [10.0, None, 2.0]}),
        pd.DataFrame({"code": pd.array([10, None, 2], dtype="Int64")}),
        pd.DataFrame({"code": pd.Categorical([10, None, 2])}),
        pd.DataFrame({"code": pd.Categorical([10.0, None, 2.0])}),
        pl.DataFrame({"code": [10, None, 2]}),
        pa.table({"code": [10, None, 2]}),
        pa.table({"code": pa.array([10, None, 2]).dictionary_encode()}),
        np.array([[10.0], [np.nan], [2.0]], np.float32),
        np.array([[10], [None], [2.0]], object),
        np.array([[Decimal(10)], [None], [np.int8(2)]], object),
    ):
        assert_array_equal(encoding.encode(X), expected)


def test_fractions_are_the_same_category_in_single_and_double_precision():
    encoding, _ = Encoding.learn(pd.DataFrame({"code": [0.1, 0.25, 7.3]}), [0])
    assert encoding.names(["code"]).tolist() == ["code=0.1", "code=0.25", "code=7.3"]
    assert_array_equal(encoding.encode(np.float32([[0.1], [0.25], [7.3]])), np.eye(3))


def test_codes_and_texts_in_one_column_are_ordered_by_type_and_text():
    X = np.array([["b"], [2], ["a"], [10], [1.5], [None]], object)
    encoding, matrix = Encoding.learn(X, [0])
    assert encoding.categories == ((1.5, 10, 2, "a", "b"),)
    assert_array_equal(matrix[:5], np.eye(5)[[4, 2, 3, 1, 0]])


def test_a_text_is_not_the_number_that_it_spells():
    encoding, _ = Encoding.learn(pd.DataFrame({"zip": ["10", "20", "30"]}))
    assert np.isnan(encoding.encode(pd.DataFrame({"zip": [10, 20, 30]}))).all()


def test_categories_that_are_neither_text_nor_number_are_known_by_their_text():
    bins = pd.cut(pd.Series([1.0, 5.0, 9.0, 5.5, 2.0, 8.0]), [0, 3, 6, 10])
    encoding, matrix = Encoding.learn(pd.DataFrame({"bin": bins}))
    assert encoding.names(["bin"]).tolist() == ["bin=(0, 3]", "bin=(3, 6]", "bin=(6, 10]"]
    assert_array_equal(matrix, np.eye(3)[[0, 1, 2, 1, 0, 2]])


def test_dates_that_are_listed_are_categories():
    days = [datetime.date(2020, 1, 1), datetime.date(2020, 1, 2), None]
    for frame in (pl.DataFrame({"day": days}), pa.table({"day": days}), pd.DataFrame({"day": days})):
        encoding, matrix = Encoding.learn(frame, ["day"])
        assert encoding.names(["day"]).tolist() == ["day=2020-01-02"]
        assert_array_equal(matrix, np.float32([[0], [1], [np.nan]]))


# Missing cells and unknown categories


@pytest.mark.parametrize("n_categories", [2, 3, 16, 17])
def test_a_cell_without_a_known_category_is_nan_in_narrow_columns_and_zero_in_wide_ones(n_categories):
    names = [f"{k:02}" for k in range(n_categories)]
    encoding, _ = Encoding.learn(pl.DataFrame({"x": names}))
    encoded = numbers_of(encoding.encode(pl.DataFrame({"x": [None, "unknown", names[-1]]})))
    is_wide = n_categories > 16
    assert_array_equal(encoded[:2], np.full((2, len(encoding.source)), 0 if is_wide else np.nan))
    assert encoded[2, -1] == 1
    assert encoded[2].sum() == 1


@pytest.mark.parametrize(
    ("cells", "names"),
    [
        (["b", "b", "a", "c"], ["x=a", "x=c"]),
        (["b", "b", "a", "c", "d"], ["x=a", "x=b", "x=c", "x=d"]),
        (["b", "b", None, None, "a", "c"], ["x=a", "x=c"]),
        (["b", "a"], ["x=b"]),
        (["b", "b", "a"], ["x=a"]),
        (["a", "a"], []),
    ],
)
def test_a_category_of_half_the_known_cells_has_no_indicator(cells, names):
    encoding, matrix = Encoding.learn(pd.DataFrame({"x": cells}))
    assert encoding.names(["x"]).tolist() == names
    for cell, row in zip(cells, numbers_of(matrix), strict=True):
        if cell is None:
            assert np.isnan(row).all()
        else:
            assert row.tolist() == [float(name == f"x={cell}") for name in names]


def test_a_cell_without_a_known_category_is_nan_for_frequent_categories_of_wide_columns_too():
    cells = ["often"] * 40 + ["less"] * 30 + [f"rare {k}" for k in range(30)]
    encoding, _ = Encoding.learn(pd.DataFrame({"x": cells}))
    encoded = numbers_of(encoding.encode(pd.DataFrame({"x": [None, "unknown"]})))
    is_nan = np.array([name in ("x=often", "x=less") for name in encoding.names(["x"])])
    assert is_nan.sum() == 2
    assert np.isnan(encoded[:, is_nan]).all()
    assert (encoded[:, ~is_nan] == 0).all()


def test_an_unknown_category_is_not_missing():
    encoding, _ = Encoding.learn(pd.DataFrame({"x": ["a", "b", None]}), missing_indicators=True)
    encoded = encoding.encode(pd.DataFrame({"x": ["c", None, "b"]}))
    assert_array_equal(encoded, np.float32([[np.nan, 0], [np.nan, 1], [1, 0]]))


def test_only_columns_with_missing_cells_in_training_are_marked():
    encoding, _ = Encoding.learn(pd.DataFrame({"a": [1.0, 2.0], "b": [np.nan, 2.0]}), missing_indicators=True)
    assert encoding.indicated == (1,)
    encoded = encoding.encode(pd.DataFrame({"a": [np.nan], "b": [3.0]}))
    assert_array_equal(encoded, np.float32([[np.nan, 3, 0]]))


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.csr_matrix, pd.DataFrame])
def test_missing_cells_are_marked_in_arrays_and_sparse_matrices_too(form):
    X = np.float32([[1, np.nan, 0], [0, 0, np.nan], [0, 5, 0]])
    encoding, matrix = Encoding.learn(form(X), missing_indicators=True)
    expected = np.float32([[1, np.nan, 0, 1, 0], [0, 0, np.nan, 0, 1], [0, 5, 0, 0, 0]])
    assert sp.issparse(matrix) == sp.issparse(form(X))
    assert_array_equal(numbers_of(matrix), expected)
    new = X[::-1, [1, 0, 2]]
    for other in (np.asarray, sp.csr_array, pd.DataFrame):
        encoded = numbers_of(encoding.encode(other(new)))
        assert_array_equal(encoded, np.hstack([new, np.isnan(new[:, 1:])]))


def test_stored_zeros_and_cells_in_two_parts_leave_no_trace_in_marked_sparse_matrices():
    data = np.float32([0, 1, 1, np.nan, np.nan])
    X = sp.csr_array((data, [2, 0, 0, 1, 1], [0, 3, 5]), shape=(2, 3))
    _, matrix = Encoding.learn(X, missing_indicators=True)
    assert_array_equal(numbers_of(matrix), np.float32([[2, 0, 0, 0], [0, np.nan, 0, 1]]))
    assert_array_equal(X.data, data)


@EVERY_CONTAINER
def test_a_column_without_any_value_in_training_is_missing_ever_after(container):
    training = {"n0": [1.0, 2.0], "t1": [None, None]}
    encoding, matrix = learn(container(training), training)
    assert encoding.blank == (1,)
    assert not encoding.has_nominal
    assert_array_equal(matrix, np.float32([[1, np.nan], [2, np.nan]]))
    encoded = encoding.encode(container({"n0": [3.0, 4.0], "t1": ["a", None]}))
    assert_array_equal(encoded, np.float32([[3, np.nan], [4, np.nan]]))


def test_columns_of_no_type_are_columns_without_a_value():
    for frame in (pl.DataFrame({"a": [None, None]}), pa.table({"a": [None, None]})):
        encoding, matrix = Encoding.learn(frame)
        assert encoding.blank == (0,)
        assert np.isnan(matrix).all()
        numbers, _ = Encoding.learn(pd.DataFrame({"a": [1, 2]}))
        assert np.isnan(numbers.encode(frame)).all()
        texts, _ = Encoding.learn(pd.DataFrame({"a": ["x", "y", "z"]}))
        assert np.isnan(texts.encode(frame)).all()


# Form


def test_numbers_that_have_their_form_already_are_not_copied():
    for X in (np.ones((3, 2), np.float32), sp.csr_array(np.eye(3, dtype=np.float32))):
        encoding, matrix = Encoding.learn(X)
        assert encoding.is_identity
        assert matrix is X
        assert encoding.encode(X) is X


def test_arrays_of_other_numbers_are_taken_too():
    X = np.arange(6).reshape(2, 3)
    for array in (X, X.astype(float), X.astype(object), np.asfortranarray(X, np.float32), X.astype(np.uint8)):
        encoding, matrix = Encoding.learn(array)
        assert encoding.is_identity
        assert_array_equal(numbers_of(matrix), X)


def test_a_frame_of_numbers_is_dense_even_if_most_are_zero():
    matrix = Encoding.learn(pd.DataFrame(np.eye(20)), missing_indicators=True)[1]
    assert isinstance(matrix, np.ndarray)
    assert_array_equal(matrix, np.eye(20))


@pytest.mark.parametrize(("n_categories", "is_sparse"), [(3, False), (5, False), (6, True), (100, True)])
def test_the_share_of_zeros_decides_the_form(n_categories, is_sparse):
    frame = pl.DataFrame({"x": [str(k % n_categories) for k in range(200)]})
    matrix = Encoding.learn(frame)[1]
    assert sp.issparse(matrix) == is_sparse
    assert numbers_of(matrix).shape == (200, n_categories)


def test_sparse_pandas_columns_become_csr_without_a_detour():
    rng = np.random.default_rng(0)
    X = sp.random_array((50, 2000), density=0.01, rng=rng, format="csr")
    frame = pd.DataFrame.sparse.from_spmatrix(X, columns=[f"c{j}" for j in range(2000)])
    frame["c0"] = pd.arrays.SparseArray(np.arange(50) % 7 == 0)
    frame["c1"] = pd.arrays.SparseArray([np.nan, 3] + [0] * 48, fill_value=0, kind="block")
    encoding, matrix = Encoding.learn(frame)
    assert encoding.is_identity
    assert sp.issparse(matrix)
    assert_array_equal(numbers_of(matrix), frame.to_numpy(np.float32))
    assert sp.issparse(encoding.encode(frame))
    assert_array_equal(encoding.encode(frame.to_numpy(np.float32)), numbers_of(matrix))
    assert Encoding.learn(frame, missing_indicators=True)[0].indicated == (1,)
    assert Encoding.learn(frame, ["c0"])[0].nominal == (0,)


def test_columns_that_are_sparse_around_nan_or_beside_dense_ones_are_dense():
    around_nan = pd.arrays.SparseArray([np.nan, 1.0, 0.0])
    around_zero = pd.arrays.SparseArray([0, 0, 2])
    for other in (around_nan, [1, 2, 3]):
        matrix = Encoding.learn(pd.DataFrame({"a": around_nan, "b": around_zero, "c": other}))[1]
        assert_array_equal(matrix[:, :2], np.float32([[np.nan, 0], [1, 0], [0, 2]]))


def test_wide_categories_cost_no_more_memory_than_their_non_zeros():
    n, n_numbers, n_nominal, n_categories = 4000, 100, 50, 1000
    rng = np.random.default_rng(0)
    texts = np.array([f"category {k}" for k in range(n_categories)], object)
    columns = {f"n{j}": rng.random(n) for j in range(n_numbers)}
    for j in range(n_nominal):
        columns[f"t{j}"] = pd.Categorical(texts[rng.integers(n_categories, size=n)])
    frame = pd.DataFrame(columns)
    Encoding.learn(frame.iloc[:10])
    tracemalloc.start()
    _, matrix = Encoding.learn(frame)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert matrix.shape[1] > 45_000
    assert matrix.nnz == n * 150
    # The CSR matrix itself takes 8 bytes for each non-zero.
    categories = n_nominal * n_categories * 300
    assert peak < 2.5 * n * 150 * 8 + categories


def test_the_share_of_non_zeros_counts_every_nominal_cell_once():
    frame = pd.DataFrame(
        {
            "number": [0.0, 0.0, 1.0, np.nan],
            "two": ["a", "b", None, "a"],
            "three": ["a", "b", "c", None],
        }
    )
    wide = pd.DataFrame({"wide": [str(k % 40) for k in range(99)] + [None]})
    for missing_indicators in (False, True):
        encoding, matrix = Encoding.learn(frame, missing_indicators=missing_indicators)
        assert encoding.input_nonzero_share(matrix) == (2 + 4 + 4) / 12
        assert encoding.input_nonzero_share(sp.csr_array(matrix)) == (2 + 4 + 4) / 12
        encoding, matrix = Encoding.learn(wide, missing_indicators=missing_indicators)
        assert encoding.input_nonzero_share(matrix) == 1.0


def test_the_share_of_non_zeros_of_numbers_is_their_own():
    X = np.float32([[0, 1], [0, 0]])
    for form in (np.asarray, sp.csr_array, pd.DataFrame):
        encoding, matrix = Encoding.learn(form(X))
        assert encoding.input_nonzero_share(matrix) == 0.25
    assert encoding.input_nonzero_share(X[:0]) == 0.0


@EVERY_CONTAINER
def test_the_users_table_is_left_as_it_is(container):
    table = {"n0": [1.0, None, 0.0], "t1": ["a", None, "b"]}
    X, before = container(table), container(table)
    encoding, matrix = learn(X, table, missing_indicators=True)
    matrix[:] = 7
    encoding.encode(X)[:] = 7
    if isinstance(X, (pa.Table, pl.DataFrame, pd.DataFrame)):
        assert X.equals(before)
    else:
        assert_array_equal(X, before)


def test_arrays_need_no_library_of_data_frames():
    program = """
import sys
for name in ("narwhals", "pandas", "polars", "pyarrow"):
    sys.modules[name] = None
import numpy as np, scipy.sparse as sp
from slantwood.features.frames import is_frame
assert not is_frame(np.eye(2)) and not is_frame(sp.eye_array(2)) and not is_frame([[1]])
from slantwood.features.encoding import Encoding
encoding, matrix = Encoding.learn(np.array([[1, "a"], [None, "b"]], object), [1], True)
assert matrix.shape == (2, 3)
assert Encoding.learn(np.float32([[1, 2]]))[0].is_identity
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_frames_are_told_from_other_things():
    frame = pd.DataFrame({"a": [1]})
    for X in (frame, pl.from_pandas(frame), pl.LazyFrame({"a": [1]}), pa.table({"a": [1]})):
        assert is_frame(X)
    assert is_frame(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    for X in (
        frame["a"],
        pl.Series([1]),
        [[1]],
        {"a": [1]},
        "a",
        None,
        3,
        np.eye(2),
        sp.csr_array(np.eye(2)),
    ):
        assert not is_frame(X)


# Which columns are nominal


@pytest.mark.parametrize(
    "listed",
    [
        ["b", "d"],
        ("d", "b"),
        [1, 3],
        {1, 3},
        range(1, 4, 2),
        np.array([3, 1]),
        np.array(["b", "d"]),
        pd.Index(["b", "d"]),
        pd.Series([1, 3]),
        [False, True, False, True],
        np.array([False, True, False, True]),
    ],
    ids=repr,
)
def test_columns_are_listed_by_name_position_or_mask_beside_those_of_nominal_type(listed):
    frame = pd.DataFrame({"a": [1, 2, 3], "b": [1, 2, 3], "c": ["x", "y", "z"], "d": ["x", "y", "z"]})
    assert Encoding.learn(frame, listed)[0].nominal == (1, 2, 3)


@pytest.mark.parametrize("listed", [[], (), np.array([]), [False] * 3, "from_dtype", None])
def test_nothing_listed_means_that_types_decide(listed):
    encoding, _ = Encoding.learn(np.eye(3, dtype=np.float32), listed)
    assert encoding.is_identity
    encoding, _ = Encoding.learn(sp.csr_array(np.eye(3, dtype=np.float32)), listed)
    assert encoding.is_identity
    if listed is not None:
        frame = pd.DataFrame({"a": ["x", "y"], "b": [1, 2], "c": [1, 2]})
        assert Encoding.learn(frame, listed)[0].nominal == (0,)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, object])
def test_arrays_have_the_nominal_columns_that_are_listed(dtype):
    X = np.array([[3, 5], [1, 6], [2, 7]], dtype)
    encoding, matrix = Encoding.learn(X, [0])
    assert encoding.names(["code", "n"]).tolist() == ["n", "code=1", "code=2", "code=3"]
    assert_array_equal(matrix, np.float32([[5, 0, 0, 1], [6, 1, 0, 0], [7, 0, 1, 0]]))


# Errors

FRAME = pd.DataFrame({"age": [1.0, 2.0, 3.0], "colour": ["red", "green", "blue"]})


@pytest.mark.parametrize(
    ("listed", "error", "message"),
    [
        ("colour", ValueError, r"categorical_features='colour' must be \"from_dtype\", None, or a list"),
        (["size"], ValueError, "categorical_features holds 'size', which is no column of X.*'age', 'colour'"),
        ([2], ValueError, "categorical_features holds the position 2, but X has 2 columns; .* from 0 to 1"),
        ([-1], ValueError, "categorical_features holds the position -1"),
        ([0, 0], ValueError, "categorical_features holds 0 more than once"),
        (["age", "age"], ValueError, "categorical_features holds 'age' more than once"),
        ([True], ValueError, "categorical_features is a mask of length 1, but X has 2 columns"),
        (["age", 1], TypeError, "categorical_features=.*mixes types; give names"),
        ([True, 1], TypeError, "categorical_features=.*mixes types; give names"),
        ([1.0], TypeError, "categorical_features=.*mixes types; give names"),
        (1, TypeError, r"categorical_features=1 \(int\) must be"),
        (True, TypeError, r"categorical_features=True \(bool\) must be"),
        ({"age": 1}, TypeError, r"categorical_features=\{'age': 1\} \(dict\) must be"),
        (np.eye(2), TypeError, r"categorical_features=.*\(ndarray\) must be"),
        (np.array("age"), TypeError, r"categorical_features=.*\(ndarray\) must be"),
    ],
)
def test_a_list_that_fits_no_columns_is_explained(listed, error, message):
    with pytest.raises(error, match=f"(?s){message}"):
        Encoding.learn(FRAME, listed)


def test_names_need_a_frame():
    with pytest.raises(ValueError, match=r"categorical_features holds the name 'age', but X has no column"):
        Encoding.learn(np.eye(2), ["age"])


@pytest.mark.parametrize("listed", [[0], ["age"], [True, False], np.array([1])])
def test_sparse_matrices_have_no_nominal_columns(listed):
    with pytest.raises(TypeError, match=r"categorical_features=.* lists nominal columns, but X is a sparse"):
        Encoding.learn(sp.csr_array(np.eye(2, dtype=np.float32)), listed)


def test_text_is_an_error_where_only_numbers_are_wanted():
    message = r"column 'colour' of X holds 'red' \(str\), and categorical_features=None takes numbers only"
    with pytest.raises(TypeError, match=message):
        Encoding.learn(FRAME, None)
    with pytest.raises(TypeError, match=message):
        Encoding.learn(FRAME.astype({"colour": "category"}), None)
    with pytest.raises(TypeError, match=r"column 1 of X holds 'red' \(str\), and no column of an array is"):
        Encoding.learn(FRAME.to_numpy(object))
    with pytest.raises(TypeError, match=r"column 0 of X holds 'a' \(str\)"):
        Encoding.learn(np.array([["a", "b"]]))


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame({"when": pd.to_datetime(["2020"])}), "column 'when' of X is of type Datetime"),
        (pd.DataFrame({"when": pd.to_datetime([None])}), "column 'when' of X is of type Datetime"),
        (pd.DataFrame({"long": pd.to_timedelta([1], "s")}), "column 'long' of X is of type Duration"),
        (pd.DataFrame({"list": [[1], [2]]}), r"column 'list' of X holds \[1\] \(list\)"),
        (pd.DataFrame({"mix": [1, "a"]}), r"column 'mix' of X holds 'a' \(str\) among values of other types"),
        (pd.DataFrame({"day": [datetime.date(2020, 1, 1)]}), r"column 'day' of X holds datetime.date\(2020"),
        (pd.DataFrame({"c": [1j]}), r"column 'c' of X holds 1j \(complex\)"),
        (pd.DataFrame({"p": pd.period_range("2020", periods=1)}), r"column 'p' of X holds Period"),
        (pd.DataFrame({"b": [b"x"]}), r"column 'b' of X holds b'x' \(bytes\)"),
        (pl.DataFrame({"when": [datetime.date(2020, 1, 1)]}), "column 'when' of X is of type Date"),
        (pl.DataFrame({"time": [datetime.time(1)]}), "column 'time' of X is of type Time"),
        (pl.DataFrame({"list": [[1]]}), r"column 'list' of X holds List\(Int64\)"),
        (pl.DataFrame({"struct": [{"a": 1}]}), r"column 'struct' of X holds Struct"),
        (pl.DataFrame({"bytes": [b"x"]}), "column 'bytes' of X is of type Binary"),
        (pl.DataFrame({"o": pl.Series([object()], dtype=pl.Object)}), "column 'o' of X holds <object"),
        (pa.table({"when": [datetime.datetime(2020, 1, 1)]}), "column 'when' of X is of type Datetime"),
        (pa.table({"list": [[1]]}), r"column 'list' of X holds List\(Int64\)"),
        (pa.table({"bytes": [b"x"]}), "column 'bytes' of X is of type Binary"),
    ],
)
def test_a_column_that_is_neither_number_nor_category_is_named(frame, message):
    with pytest.raises(TypeError, match=message + ".*; turn"):
        Encoding.learn(frame)


@pytest.mark.parametrize("value", [np.inf, -np.inf, 1e39, -1e300])
def test_infinite_numbers_are_errors(value):
    cells = [0.0, value, None]
    sparse = pd.DataFrame({"big": pd.arrays.SparseArray([0.0, value], fill_value=0)})
    for X in (pd.DataFrame({"big": cells}), pl.DataFrame({"big": cells}), pa.table({"big": cells}), sparse):
        with pytest.raises(ValueError, match=r"column 'big' of X holds .*infinity"):
            Encoding.learn(X)
        encoding, _ = Encoding.learn(pd.DataFrame({"big": [1, 2]}))
        with pytest.raises(ValueError, match=r"column 'big' of X holds .*infinity"):
            encoding.encode(X)
    with pytest.raises(ValueError, match=r"column 0 of X holds .*infinity"):
        Encoding.learn(np.array([cells], object).T)
    with pytest.raises(ValueError, match=r"X holds .*infinity"):
        Encoding.learn(np.array([cells[:2]]))


def test_infinity_is_no_category():
    with pytest.raises(ValueError, match="column 'code' of X holds infinity, which is no category"):
        Encoding.learn(pd.DataFrame({"code": [1.0, np.inf]}), ["code"])


def test_two_columns_of_one_name_are_an_error():
    sparse = pd.DataFrame.sparse.from_spmatrix(sp.eye_array(2), columns=["a", "a"])
    for X in (pd.DataFrame([[1, 2]], columns=["a", "a"]), pa.table([[1], [2]], names=["a", "a"]), sparse):
        with pytest.raises(ValueError, match="X has more than one column 'a'; give every column a name"):
            Encoding.learn(X)


def test_a_lazy_frame_must_be_collected():
    with pytest.raises(TypeError, match=r"X is a lazy frame \(LazyFrame\).*X\.collect\(\)"):
        Encoding.learn(pl.LazyFrame({"a": [1]}))


@pytest.mark.parametrize("missing_indicators", [False, True])
@pytest.mark.parametrize("training", [FRAME, FRAME[["age"]], FRAME[["age"]].to_numpy(np.float32)])
def test_another_number_of_columns_is_an_error(training, missing_indicators):
    encoding, _ = Encoding.learn(training, missing_indicators=missing_indicators)
    for X in (np.ones((2, 5), np.float32), sp.csr_array((2, 5)), pd.DataFrame(np.ones((2, 5)))):
        with pytest.raises(ValueError, match=rf"X has 5 columns, and had {training.shape[1]} in training"):
            encoding.encode(X)


def test_text_where_training_had_numbers_is_an_error():
    encoding, _ = Encoding.learn(FRAME)
    X = pd.DataFrame({"age": ["old"], "colour": ["red"]})
    message = r"column {} of X held numbers in training, and now holds 'old' \(str\); give numbers"
    with pytest.raises(TypeError, match=message.format("'age'")):
        encoding.encode(X)
    with pytest.raises(TypeError, match=message.format("'age'")):
        encoding.encode(pl.from_pandas(X))
    with pytest.raises(TypeError, match=message.format(0)):
        encoding.encode(X.to_numpy(object))
    numbers, _ = Encoding.learn(np.ones((2, 2), np.float32))
    with pytest.raises(TypeError, match=message.format("'age'")):
        numbers.encode(X)


def test_a_sparse_matrix_cannot_stand_for_a_table_with_nominal_columns():
    encoding, _ = Encoding.learn(FRAME)
    with pytest.raises(TypeError, match="X is a sparse matrix, but had nominal columns in training; give a"):
        encoding.encode(sp.csr_array(np.eye(2, dtype=np.float32)))


def test_arrays_of_no_use_are_errors():
    with pytest.raises(ValueError, match=r"X must have two dimensions.*\(3,\)"):
        Encoding.learn(np.array(["a", "b", "c"], object))
    with pytest.raises(TypeError, match="X has dtype complex128; it must hold real numbers"):
        Encoding.learn(np.ones((2, 2), complex))
