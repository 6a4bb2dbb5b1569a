"""Claims about rows in any container: some of them, and tables put below one another."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from slantwood.features.rows import join_rows, n_rows_of, slice_rows, take_rows

CELLS = np.arange(12.0).reshape(6, 2)
CONTAINERS = {
    "array": lambda cells: cells,
    "list": lambda cells: cells.tolist(),
    "CSR": sp.csr_array,
    "pandas": lambda cells: pd.DataFrame(cells, columns=["a", "b"]),
    "pandas series": lambda cells: pd.Series(cells[:, 0]),
    "polars": lambda cells: pl.DataFrame(cells, schema=["a", "b"]),
    "polars series": lambda cells: pl.Series(cells[:, 0]),
    "Arrow": lambda cells: pa.table({"a": cells[:, 0], "b": cells[:, 1]}),
    "Arrow column": lambda cells: pa.chunked_array([cells[:2, 0], cells[2:, 0]]),
    "Arrow array": lambda cells: pa.array(cells[:, 0]),
}


def first_column(table):
    """Return the first column of a table in any container."""
    if sp.issparse(table):
        return table.toarray()[:, 0].tolist()
    if isinstance(table, pa.Table):
        return table["a"].to_pylist()
    array = np.asarray(table)
    return array.tolist() if array.ndim == 1 else array[:, 0].tolist()


@pytest.mark.parametrize("container", CONTAINERS)
def test_rows_are_taken_in_the_order_that_is_given(container):
    table = CONTAINERS[container](CELLS)
    found = take_rows(table, np.array([4, 0, 4]))
    assert type(found) is type(table)
    assert first_column(found) == [8.0, 0.0, 8.0]


@pytest.mark.parametrize("container", CONTAINERS)
def test_slices_below_one_another_are_the_table(container):
    table = CONTAINERS[container](CELLS)
    parts = [slice_rows(table, start, stop) for start, stop in ((0, 1), (1, 1), (1, 4), (4, 6))]
    assert [n_rows_of(part) for part in parts] == [1, 0, 3, 2]
    joined = join_rows(parts)
    assert type(joined) is type(table)
    assert first_column(joined) == CELLS[:, 0].tolist()


def test_slices_of_arrays_are_no_copies():
    assert np.shares_memory(slice_rows(CELLS, 1, 3), CELLS)


def test_categories_that_only_some_frames_have_stay_categories():
    parts = [pd.DataFrame({"tree": pd.Categorical(cells)}) for cells in (["oak", None], ["elm"], ["oak"])]
    joined = join_rows(parts)["tree"]
    assert joined.dtype.name == "category"
    assert joined.tolist()[0::2] == ["oak", "elm"]
    assert joined.isna().tolist() == [False, True, False, False]
    assert parts[0]["tree"].cat.categories.tolist() == ["oak"]  # those of the caller stay as they were


def test_parts_of_several_kinds_are_refused():
    with pytest.raises(TypeError, match="several kinds"):
        join_rows([CELLS, CELLS.tolist()])


def test_sparse_and_dense_parts_become_sparse():
    both = join_rows([CELLS, sp.csr_array(CELLS)])
    assert sp.issparse(both)
    np.testing.assert_array_equal(both.toarray(), np.concatenate([CELLS, CELLS]))


def test_a_part_without_rows_may_be_of_another_type():
    assert join_rows([np.empty((0, 2), object), CELLS]).dtype == np.float64
