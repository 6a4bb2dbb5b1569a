"""The rows of an ARFF file, column by column."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from slantwood.data.arff.dense_rows import DenseRows
from slantwood.data.arff.header import Column
from slantwood.data.arff.index_base import IndexBase, OtherBase
from slantwood.data.arff.row_store import Cells, RowStore
from slantwood.data.arff.source import Source
from slantwood.data.arff.sparse_rows import SparseRows


def read_rows(
    source: Source, names: Sequence[str], columns: Sequence[Column], base: IndexBase | None = None
) -> Cells:
    """Read the rows below ``@data``; the first one tells whether all of them list pairs."""
    rows: RowStore | None = None
    all_in_pairs = False
    # Numbers too large for single precision are looked for, and named.
    with np.errstate(over="ignore"):
        for line in source:
            in_pairs = line.startswith("{")
            if rows is None:
                rows = (
                    SparseRows(source, names, columns, base or IndexBase())
                    if in_pairs
                    else DenseRows(source, names, columns)
                )
                all_in_pairs = in_pairs
            if in_pairs != all_in_pairs:
                form = "values without braces" if in_pairs else "{index value, ...}"
                raise source.error(f"expected {form}, as in the first row")
            try:
                rows.add(line)
            except ValueError as error:
                if other := rows.other_base(line):
                    raise OtherBase(other) from error
                raise
        return (rows or DenseRows(source, names, columns)).cells()
