"""The text format of the extreme-classification repository: sizes, then rows ``label,label index:value``.

The first line has the numbers of rows, features and labels. Indices and labels begin at 0, and are the names
of the features and labels here. A row without labels begins with a blank.
"""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import IO

import numpy as np

from slantwood.data.limits import Limit
from slantwood.data.names import NumberedNames
from slantwood.data.read_options import ReadOptions, reject_column_options
from slantwood.data.table import Data, numeric_inputs
from slantwood.data.text import pairs
from slantwood.data.text.compiled.state import LARGEST_INDEX
from slantwood.data.text.scanning import malformed, whole_lines
from slantwood.hints import shown
from slantwood.task_names import LABEL_TASKS

# Python reads no number of thousands of digits.
_MOST_DIGITS = 100


def read(path: Path, options: ReadOptions) -> Data:
    """Read a file; it says itself what is a target. With ``targets=()`` there is no y."""
    reject_column_options(path, options)
    if options.task == "regression":
        raise ValueError(f"{path}: task='regression', but rows have sets of labels in this format")
    limit = Limit.of(path, options.max_memory)
    blocks = whole_lines(path, options.max_memory)
    line, _, rest = next(blocks, b"").partition(b"\n")
    n_rows, n_features, n_labels = _sizes(path, line)
    text = chain([rest] if rest else [], blocks)
    rows = pairs.read_pairs(path, text, 2, limit, has_comments=False, n_rows=n_rows)
    if rows.n_rows != n_rows:
        raise malformed(path, 1, f"has {n_rows} for the number of rows, and {rows.n_rows} rows follow")

    def error(row: int, message: str) -> ValueError:
        return malformed(path, row + 2, message)

    whole = "a whole number from 0 to"
    indices, labels = (rows.indices, rows.indptr, n_features), (rows.labels, rows.label_indptr, n_labels)
    pairs.refuse_wrong_numbers("index", *indices, f"{whole} {n_features - 1}", error)
    pairs.refuse_wrong_numbers("label", *labels, f"{whole} {n_labels - 1}", error)
    X = pairs.feature_matrix(rows, n_features)
    names = NumberedNames("", n_features)
    if options.targets is not None:
        return Data(X, None, names)
    Y = pairs.indicator_matrix(rows.labels.astype(np.int32), rows.label_indptr, n_labels)
    return Data(X, Y, names, NumberedNames("", n_labels), task="multi-label")


def write(data: Data, file: IO[bytes]) -> None:
    """Write a file of labels. It has no place for names, weights and keys."""
    X = numeric_inputs(data, "extreme")
    if data.task not in LABEL_TASKS:
        raise ValueError(f"extreme holds sets of labels, and the task is {data.task}; write csv, arff or npz")
    heads = pairs.label_lists(data.y, range(data.y.shape[1]))
    file.write(f"{X.shape[0]} {X.shape[1]} {data.y.shape[1]}\n".encode())
    pairs.write_rows(file, X, heads, 0, {})


def _sizes(path: Path, line: bytes) -> tuple[int, int, int]:
    words = line.split()
    if len(words) != 3 or not all(word.isdigit() for word in words) or max(map(len, words)) > _MOST_DIGITS:
        raise malformed(path, 1, f"has {shown(line)}; expected the numbers of rows, features and labels")
    n_rows, n_features, n_labels = map(int, words)
    for what, size in (("features", n_features), ("labels", n_labels)):
        if size > LARGEST_INDEX + 1:
            expected = f"expected up to {LARGEST_INDEX + 1} of them"
            raise malformed(path, 1, f"has {size} for the number of {what}; {expected}")
    return n_rows, n_features, n_labels
