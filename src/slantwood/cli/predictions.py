"""Predictions as rows of text: which columns there are, and how they are written.

A class is one column, `prediction`. A number is one column, called like its target, and so is the class of
each of several targets. Labels are a column of 0
and 1 each or, as a list, one column `labels`. Lists in a cell are divided by semicolons, and a label that has
one itself stands in quotes, as cells of a CSV file do; in JSON they are lists.
"""

from __future__ import annotations

import csv
import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
import typer

from slantwood.cli import models
from slantwood.cli.parquet_predictions import write_parquet
from slantwood.data.files import format_suffix, write_file
from slantwood.data.text.numbers import parse_number
from slantwood.estimators.names import output_names
from slantwood.evaluation.scores import chosen_labels
from slantwood.hints import printable_lines
from slantwood.model_data import ModelData
from slantwood.targets.numbers import RegressionTargets
from slantwood.task_names import CLASS_TASKS, HIERARCHICAL, NUMBER_TASKS, SEVERAL_TASKS

_PARQUET = (".parquet", ".pq")

# Rows that are made dense, and text, in one go.
_CHUNK = 1000


@dataclass(frozen=True)
class Predictions:
    """A heading, and rows in chunks; cells are numbers, texts, lists of texts, or None."""

    heading: list[str]
    chunks: Iterator[list[list[Any]]]


def check_request(model: Any, *, proba: bool, top_k: int | None) -> None:
    """Refuse what a model does not predict, before rows are read."""
    task = model.targets_.task
    if task in NUMBER_TASKS and (proba or top_k is not None):
        raise typer.BadParameter(
            "it is for classes and labels, and the model predicts numbers",
            param_hint="--proba" if proba else "--top-k",
        )
    if task in SEVERAL_TASKS and top_k is not None:
        raise typer.BadParameter(
            "it is for one target or labels, and the model predicts several; use --proba",
            param_hint="--top-k",
        )


def predictions(
    model: Any,
    X: Any,
    *,
    keys: np.ndarray | None = None,
    proba: bool = False,
    top_k: int | None = None,
    labels: bool | None = None,
) -> Predictions:
    """Predict, and give the rows their keys where they have any."""
    heading, cells = _predicted(model, X, proba, top_k, labels)
    n_rows = X.shape[0]
    key = np.empty((n_rows, 0), object) if keys is None else keys.reshape(n_rows, -1)
    names = ["key"] if key.shape[1] == 1 else [f"key_{j + 1}" for j in range(key.shape[1])]
    parts = (slice(start, start + _CHUNK) for start in range(0, n_rows, _CHUNK))
    chunks = (
        [[*own, *row] for own, row in zip(key[part].tolist(), cells(part), strict=True)] for part in parts
    )
    return Predictions([*names, *heading], chunks)


def predictions_of_blocks(model: Any, blocks: Iterator[ModelData], **how: Any) -> Predictions:
    """Predict blocks of rows, each when its turn comes."""
    first = next(blocks, None)
    if first is None:
        raise ValueError("there are no rows to predict; expected at least one")
    begun = predictions(model, first.X, keys=first.keys, **how)
    later = (predictions(model, block.X, keys=block.keys, **how).chunks for block in blocks)
    return Predictions(begun.heading, chain(begun.chunks, chain.from_iterable(later)))


# What the cells of some rows are.
_Cells = Callable[[slice], list[list[Any]]]


def _predicted(
    model: Any, X: Any, proba: bool, top_k: int | None, labels: bool | None
) -> tuple[list[str], _Cells]:
    task, names = model.targets_.task, output_names(model)
    if task in NUMBER_TASKS:
        return list(names), _matrix(_rounded(model.targets_, model.predict(X)))
    if task in SEVERAL_TASKS:
        return _several(model, X, proba, names)
    if top_k is not None:
        return _best(model, X, min(top_k, len(names)), names)
    if task in CLASS_TASKS:
        return _classes(model, X, proba, names)
    if proba:
        return list(names), _matrix(model.predict_proba(X, sparse=model.targets_.is_sparse))
    indicator = chosen_labels(model, X).astype(np.int8)
    are_listed = task == HIERARCHICAL or model.targets_.as_sets or models.is_label_trees(model)
    as_list = are_listed if labels is None else labels
    return (["labels"], _lists(indicator, names)) if as_list else (list(names), _matrix(indicator))


def _classes(model: Any, X: Any, proba: bool, names: Sequence[str]) -> tuple[list[str], _Cells]:
    probabilities = model.predict_proba(X)
    chosen = model.targets_.decode(probabilities, model.threshold).reshape(-1, 1).tolist()
    if not proba:
        return ["prediction"], chosen.__getitem__
    shares = probabilities.round(8).tolist()
    heading = ["prediction", *(f"P({name})" for name in names)]
    return heading, lambda part: [[*a, *b] for a, b in zip(chosen[part], shares[part], strict=True)]


def _several(model: Any, X: Any, proba: bool, names: Sequence[str]) -> tuple[list[str], _Cells]:
    """Return a column for each target and, if asked for, one for each of its classes after it."""
    heading: list[str] = []
    columns: list[list[Any]] = []
    shares: list[Any] = model.predict_proba(X) if proba else []
    predicted = model.predict(X)
    for j, (name, part) in enumerate(zip(names, model.targets_.parts, strict=True)):
        heading.append(name)
        if isinstance(part, RegressionTargets):
            columns.append(_rounded(part, predicted[:, j].astype(np.float64))[:, 0].tolist())
            continue
        columns.append(predicted[:, j].tolist())
        if proba:
            heading += [f"P({name}={each})" for each in part.classes.tolist()]
            columns += shares[j].round(8).T.tolist()
    return heading, lambda part: [list(row) for row in zip(*(each[part] for each in columns), strict=True)]


def _best(model: Any, X: Any, k: int, names: Sequence[str]) -> tuple[list[str], _Cells]:
    best = model.predict_top_k(X, k)
    called = dict(zip(model.classes_.tolist(), names, strict=True))
    heading = [text for place in range(1, k + 1) for text in (f"label_{place}", f"score_{place}")]

    def cells(part: slice) -> list[list[Any]]:
        rows = []
        for labels, scores in zip(best.labels[part].tolist(), best.scores[part], strict=True):
            pairs = zip(labels, _numbers(scores), strict=True)
            shown = [(called[label], score) if score > 0 else (None, None) for label, score in pairs]
            rows.append([cell for pair in shown for cell in pair])
        return rows

    return heading, cells


def _matrix(matrix: Any) -> _Cells:
    def cells(part: slice) -> list[list[Any]]:
        rows = matrix[part]
        return [_numbers(row) for row in (rows.toarray() if sp.issparse(rows) else rows)]

    return cells


def _lists(indicator: Any, names: Sequence[str]) -> _Cells:
    chosen = sp.csr_array(indicator)
    chosen.sort_indices()
    return lambda part: [[[names[j] for j in columns]] for columns, _ in _stored_in_rows(chosen[part])]


def _stored_in_rows(matrix: sp.csr_array) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    for first, last in pairwise(matrix.indptr):
        yield matrix.indices[first:last], matrix.data[first:last]


def _rounded(targets: RegressionTargets, predicted: np.ndarray) -> np.ndarray:
    """Round numbers to what single precision knows of them, or of their spread if counted from a mean."""
    columns = predicted.reshape(len(predicted), -1).copy()
    for j, (mean, scale) in enumerate(zip(targets.mean, targets.scale, strict=True)):
        if mean == 0:
            columns[:, j] = [float(f"{number:.9g}") for number in columns[:, j].tolist()]
        elif abs(digits := 8 - math.floor(math.log10(scale))) < 300:  # NumPy multiplies by powers of ten
            columns[:, j] = columns[:, j].round(digits)
    return targets.within_range(columns)


def _numbers(values: np.ndarray) -> list[Any]:
    """Return Python's numbers, with no more digits than tell those of single precision apart."""
    if values.dtype != np.float32:
        return values.tolist()
    numbers: list[Any] = [0.0] * len(values)
    for place in np.flatnonzero(values).tolist():
        numbers[place] = float(str(values[place]))
    return numbers


# ---- writing


def writer_for(path: Path | None, *, safe: bool = False) -> Callable[[Predictions], int]:
    """Return what writes predictions to a file, which appears when it is whole, or to stdout as CSV.

    It returns the number of rows. With `safe` no text of a table is a formula to a spreadsheet.
    """
    if path is None:
        return partial(_to_stdout, safe=safe)
    suffix = format_suffix(path)
    if safe and suffix not in _DELIMITERS:
        raise typer.BadParameter(
            f"it is for {' and '.join(_DELIMITERS)}, and {path} is neither",
            param_hint="--safe-for-spreadsheets",
        )
    if path.suffix.lower() in _PARQUET:
        return partial(write_parquet, path)
    if suffix not in _LINES:
        raise typer.BadParameter(
            f"{path} ends in {suffix!r}; expected one of {', '.join(_LINES)}, compressed or not, or .parquet",
            param_hint="--output",
        )

    def write(result: Predictions) -> int:
        counted = _Counted(result)
        lines = (text.encode() for text in _lines(counted.result, suffix, safe))
        write_file(path, lambda file: file.writelines(lines))
        return counted.n_rows

    return write


class _Counted:
    """Counts the rows of predictions as they go by."""

    def __init__(self, result: Predictions) -> None:
        self.n_rows = 0
        self.result = Predictions(result.heading, self._chunks(result))

    def _chunks(self, result: Predictions) -> Iterator[list[list[Any]]]:
        for chunk in result.chunks:
            self.n_rows += len(chunk)
            yield chunk


def _to_stdout(result: Predictions, safe: bool) -> int:
    counted = _Counted(result)
    lines = _lines(counted.result, ".csv", safe)
    # What goes to a file or another program stays as it is; a terminal would obey it.
    sys.stdout.writelines(map(printable_lines, lines) if _is_terminal() else lines)
    sys.stdout.flush()
    return counted.n_rows


def _is_terminal() -> bool:
    return sys.stdout.isatty()


def _lines(result: Predictions, suffix: str, safe: bool) -> Iterator[str]:
    return _table(result, _DELIMITERS[suffix], safe) if suffix in _DELIMITERS else _jsonl(result)


def _table(result: Predictions, delimiter: str, safe: bool) -> Iterator[str]:
    cell_of = _no_formula if safe else _in_one_cell
    yield _delimited([map(cell_of, result.heading)], delimiter)
    for chunk in result.chunks:
        yield _delimited((map(cell_of, row) for row in chunk), delimiter)


def _jsonl(result: Predictions) -> Iterator[str]:
    for row in chain.from_iterable(result.chunks):
        yield json.dumps(dict(zip(result.heading, row, strict=True)), ensure_ascii=False) + "\n"


def _delimited(rows: Any, delimiter: str) -> str:
    lines = _Lines()
    csv.writer(lines, delimiter=delimiter, lineterminator="\r\n").writerows(rows)
    return "".join(lines)


class _Lines(list[str]):
    """Lines that end with a line feed; csv puts cells with either character of its line end in quotes."""

    def write(self, line: str) -> None:
        self.append(line.removesuffix("\r\n") + "\n")


def _in_one_cell(cell: Any) -> Any:
    return _delimited([cell], ";").rstrip("\n") if isinstance(cell, list) else cell


def _no_formula(cell: Any) -> Any:
    """Put an apostrophe before a text that spreadsheets would compute."""
    cell = _in_one_cell(cell)
    is_formula = isinstance(cell, str) and cell.startswith(_OF_FORMULAS) and parse_number(cell) is None
    return f"'{cell}" if is_formula else cell


_OF_FORMULAS = ("=", "+", "-", "@", "\t", "\r")
_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_LINES = (*_DELIMITERS, ".jsonl")
