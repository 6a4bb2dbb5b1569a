"""The text format of svmlight and libsvm: ``label index:value index:value # comment``, or several labels.

Indices begin at 0 where some index is 0, and otherwise at 1. Names of features and labels are their numbers
in the file. One whole number for each row is a class; where rows have several, or none, they are labels.
"""

from __future__ import annotations

from itertools import chain, islice
from pathlib import Path
from typing import IO, Any

import numpy as np
import scipy.sparse as sp

from slantwood.data.limits import Limit
from slantwood.data.names import NumberedNames
from slantwood.data.read_options import ReadOptions, reject_column_options
from slantwood.data.table import Data, numeric_inputs
from slantwood.data.tasks import infer_task
from slantwood.data.text import pairs
from slantwood.data.text.numbers import number_texts
from slantwood.data.text.scanning import malformed, whole_lines
from slantwood.hints import shown
from slantwood.task_names import LABEL_TASKS


def read(path: Path, options: ReadOptions) -> Data:
    """Read a file; it says itself what is a target. With ``targets=()`` there is no y."""
    reject_column_options(path, options)
    limit = Limit.of(path, options.max_memory)
    rows = pairs.read_pairs(path, whole_lines(path, options.max_memory), 1, limit, has_comments=True)
    if rows.n_rows == 0:
        raise malformed(path, 1, "the file has no rows; expected 'label index:value ...'")
    first = 0 if rows.smallest == 0 else 1
    end = max(rows.largest + 1, first)
    names = NumberedNames("", end - first, first)
    X = pairs.feature_matrix(rows, end - first, first)
    if options.targets is not None:
        return Data(X, None, names)
    y, target_names, task = _targets(path, rows, options)
    return Data(X, y, names, target_names, task=task)


def write(data: Data, file: IO[bytes]) -> None:
    """Write a file. It has no place for names, weights and keys.

    A zero is written where the file would not tell the number of features otherwise, or would have an empty
    line, which is no row.
    """
    X = numeric_inputs(data, "svmlight")
    heads = _heads(data)
    first = 0 if data.feature_names[:1] == ("0",) else 1
    n_rows, n_features = X.shape
    explicit: dict[int, set[int]] = {}
    if n_rows and n_features:
        explicit = {i: {0} for i, head in enumerate(heads) if not head}
        explicit[0] = {*explicit.get(0, ()), n_features - 1, *([0] if first == 0 else ())}
    pairs.write_rows(file, X, heads, first, explicit)


def _targets(path: Path, rows: pairs.Pairs, options: ReadOptions) -> tuple[Any, tuple[str, ...], str | None]:
    task = options.task
    if (np.diff(rows.label_indptr) == 1).all():
        whole = np.isfinite(rows.labels).all() and (rows.labels == np.rint(rows.labels)).all()
        y, task = infer_task([rows.labels], ["label"], task or ("classification" if whole else None))
        return y, ("label",), task
    if task == "regression":
        raise ValueError(f"{path}: task='regression', but some rows have several labels or none")

    def error(row: int, message: str) -> ValueError:
        return malformed(path, _line(path, row, options.max_memory), message)

    expected = "whole numbers from 0 where rows have several"
    pairs.refuse_wrong_numbers("label", rows.labels, rows.label_indptr, 2**53, expected, error)
    values, columns = pairs.numbered(rows.labels)
    Y = pairs.indicator_matrix(columns, rows.label_indptr, len(values))
    return Y, tuple(str(int(value)) for value in values.tolist()), "multi-label"


def _line(path: Path, row: int, max_memory: int | None) -> int:
    """Return the line of a row, by reading up to it."""
    lines = chain.from_iterable(block.splitlines() for block in whole_lines(path, max_memory))
    of_rows = (line for line, text in enumerate(lines, 1) if text.partition(b"#")[0].strip())
    return next(islice(of_rows, row, None), row + 1)


def _heads(data: Data) -> list[str]:
    if data.y is None:
        return ["0"] * data.X.shape[0]
    if data.task in LABEL_TASKS:
        return _label_heads(data)
    y = np.asarray(data.y)
    remedy = "write csv, arff or parquet"
    if y.ndim != 1:
        problem = f"svmlight holds one number or a set of labels for each row, and y has the shape {y.shape}"
        raise ValueError(f"{problem}; {remedy}")
    numbers = y.astype(np.float64) if y.dtype.kind in "biuf" else np.array(np.nan)
    if np.isnan(numbers).any():
        raise ValueError(f"svmlight holds numbers for y, none of them missing; {remedy}")
    if data.task != "regression" and (numbers != np.rint(numbers)).any():
        raise ValueError(f"svmlight holds classes that are whole numbers; {remedy}")
    return number_texts(numbers)


def _label_heads(data: Data) -> list[str]:
    counts = np.asarray(sp.csr_array(data.y).astype(bool).sum(axis=0)).ravel()
    for name, count in zip(data.target_names, counts.tolist(), strict=True):
        if count == 0:
            problem = f"no row has the label {shown(name)}, of which svmlight could not tell"
            raise ValueError(f"{problem}; write extreme, csv or npz")
    are_numbers = all(name.isdecimal() and str(int(name)) == name for name in data.target_names)
    return pairs.label_lists(data.y, data.target_names if are_numbers else range(len(counts)))
