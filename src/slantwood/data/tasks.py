"""Which task the target columns of a file pose, and the y that estimators take for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from slantwood.data.limits import Limit
from slantwood.data.table import Categories, compact, known_values, task_of, task_of_classes
from slantwood.hints import listed, optional_import, shown
from slantwood.task_names import MIXED, SEVERAL_TASKS

# How files write that a row has a label, or has it not.
_PRESENCE = {"1": 1, "1.0": 1, "true": 1, "yes": 1, "y": 1, "t": 1}
_PRESENCE |= {"0": 0, "0.0": 0, "false": 0, "no": 0, "n": 0, "f": 0}

# Whole numbers below are held as they are in double precision.
_NOT_EXACT = 2.0**53

TargetColumn = np.ndarray | Categories


def infer_task(
    columns: Sequence[TargetColumn], names: Sequence[str], task: str | None, limit: Limit | None = None
) -> tuple[Any, str | None]:
    """Return y, and the task; refuse classes that take more memory than the file may.

    One column of text is classes, and so is one of numbers that has two values; other numbers are regression.
    Several columns of nothing but 0 and 1 (or false and true, no and yes) are labels, other numbers several
    regression targets. Where text is among several columns, each has its own classes or is a number, by the
    rule for one column; y is then a data frame. The argument `task` says otherwise: "classification" or
    "regression" for all columns.
    """
    if task not in (None, "classification", "regression"):
        raise ValueError(f"task={shown(task)} must be None, 'classification' or 'regression'")
    if not columns:
        return None, None
    if len(columns) == 1:
        return _one(columns[0], names[0], task, limit)
    labels = None if task == "regression" else label_matrix(columns)
    if labels is not None:
        return compact(labels), "multi-label"
    if task == "classification" or (task is None and any(isinstance(each, Categories) for each in columns)):
        return _several(columns, names, task)
    for column, name in zip(columns, names, strict=True):
        refuse_text(column, name)
    return np.column_stack(cast("Sequence[np.ndarray]", columns)), "multi-target regression"


def _one(column: TargetColumn, name: str, task: str | None, limit: Limit | None) -> tuple[np.ndarray, str]:
    if isinstance(column, Categories):
        if task == "regression":
            refuse_text(column, name)
        n_classes = int(np.count_nonzero(np.bincount(column.codes[column.codes >= 0])))
        return texts_of(column, name, limit), task_of(n_classes)
    if task == "regression" or (task is None and len(known_values(column)) != 2):
        return column, "regression"
    classes = whole_numbers(column, name)
    return classes, task_of_classes(classes)


def refuse_text(column: TargetColumn, name: str) -> None:
    """Refuse text among numbers to predict."""
    if isinstance(column, Categories):
        raise ValueError(
            f"task='regression', but target {shown(name)} has text such as {listed(column.values[:3])}; "
            "expected numbers"
        )


def _several(columns: Sequence[TargetColumn], names: Sequence[str], task: str | None) -> tuple[Any, str]:
    """Return a frame of classes: categories or whole numbers; and of numbers, of floating point."""
    with optional_import(f"{len(columns)} targets with classes of their own need pandas", "data"):
        import pandas
    are_numbers = [task is None and not _may_be_classes(column) for column in columns]
    cells: dict[str, Any] = {}
    for column, name, is_number in zip(columns, names, are_numbers, strict=True):
        if isinstance(column, Categories):
            cells[name] = pandas.Categorical.from_codes(column.codes, categories=list(column.values))
        elif is_number:
            cells[name] = column
        else:
            known = ~np.isnan(column)
            if (column[known] != np.rint(column[known])).any():
                raise ValueError(
                    f"task='classification', but target {shown(name)} has numbers that are not whole; leave "
                    "task out, and it is a number to predict"
                )
            classes = whole_numbers(column[known], name)
            cells[name] = classes
            if not known.all():
                values, codes = np.unique(classes, return_inverse=True)
                all_codes = np.full(len(column), -1)
                all_codes[known] = codes
                cells[name] = pandas.Categorical.from_codes(all_codes, categories=values)
    return pandas.DataFrame(cells), MIXED if any(are_numbers) else SEVERAL_TASKS[0]


def _may_be_classes(column: TargetColumn) -> bool:
    """Whether one of several columns is classes where nothing is said: text, or two whole numbers."""
    if isinstance(column, Categories):
        return True
    values = known_values(column)
    return len(values) == 2 and all(value == round(value) for value in values)


def texts_of(column: Categories, name: str, limit: Limit | None) -> np.ndarray:
    """Return the classes of a column of text, None where they are missing."""
    # NumPy's texts end before what are zero characters at their ends.
    if (column.codes < 0).any() or any(value.endswith("\0") for value in column.values):
        return np.array([*column.values, None], dtype=object)[column.codes]  # -1, missing, takes the last
    if limit is not None:
        longest = max(map(len, column.values), default=0)
        limit.check_texts(max(len(column.codes), len(column.values)), longest, f"target {shown(name)}")
    return np.array(column.values, dtype=str)[column.codes]


def whole_numbers(column: np.ndarray, name: str) -> np.ndarray:
    """Return classes that are numbers, as whole numbers where all are known and whole."""
    if (np.abs(column) >= _NOT_EXACT).any():
        raise ValueError(
            f"target {shown(name)} has classes that are numbers of more than 15 digits, of which double "
            f"precision cannot tell neighbours apart; give nominal=[{shown(name)}], which takes them as text"
        )
    whole = np.isfinite(column).all() and (column == np.rint(column)).all()
    return column.astype(np.int64) if whole else column


def label_matrix(columns: Sequence[TargetColumn]) -> np.ndarray | None:
    """Return the indicator matrix, or None where some column is something else."""
    first = columns[0].codes if isinstance(columns[0], Categories) else columns[0]
    Y = np.empty((len(first), len(columns)), np.int8)
    is_missing = np.zeros(Y.shape, np.bool_)
    for j, column in enumerate(columns):
        if isinstance(column, Categories):
            presence = [_PRESENCE.get(value.lower(), 2) for value in column.values]
            cells = np.array([*presence, 0], np.int8)[column.codes]
            missing = column.codes < 0
        else:
            missing = np.isnan(column)
            cells = np.where(missing, 0.0, column)
        if not ((cells == 0) | (cells == 1)).all():
            return None
        Y[:, j], is_missing[:, j] = cells, missing
    return np.where(is_missing, np.float32(np.nan), Y.astype(np.float32)) if is_missing.any() else Y
