"""How the columns of another file are lined up with those that a model learned from: by their names."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.cli import models
from slantwood.cli.console import warn
from slantwood.cli.model_columns import ModelColumns, are_made_up, are_numbers, missing_message, missing_names
from slantwood.cli.options import FileForm
from slantwood.cli.sources import columns, data_path, is_file, known_set
from slantwood.data.arff import clus
from slantwood.data.arff.header import read_header
from slantwood.data.arff.source import open_source
from slantwood.data.formats import format_of
from slantwood.data.names import NumberedNames, finder
from slantwood.data.read import read_with_options
from slantwood.data.table import Data, is_frame
from slantwood.hints import listed
from slantwood.task_names import CLASS_TASKS, HIERARCHICAL, NUMBER_TASKS


def inputs_for(model: Any, path: str, form: FileForm) -> tuple[Any, Data]:
    """Read the inputs of a model from a file or a known data set; return them, and all that was read."""
    data = _read(model, path, (), form)
    return _lined_up_inputs(model, data, path), data


def inputs_and_truth_for(model: Any, path: str, targets: str | None, form: FileForm) -> tuple[Any, Any, Data]:
    """Read also the targets, in the form in which the model predicts them."""
    data = _read(model, path, columns(targets, "--targets"), form)
    if data.y is None:
        raise ValueError(f"{path} has no targets to compare with; give --targets")
    X = _lined_up_inputs(model, data, path)
    return X, _lined_up_truth(model, data, path, by_position=targets is not None), data


def _read(model: Any, path: str, targets: Any, form: FileForm) -> Data:
    if not is_file(path):
        return known_set(path)
    file = data_path(path)
    names = models.input_names(model)
    task = models.task_of(model)
    codes = set() if names is None else {names[j] for j in model.encoding_.nominal}
    known = tuple(getattr(model, "target_names_", None) or ())
    if task in CLASS_TASKS and model.classes_.dtype.kind in "UO":
        codes |= set(known)
    wanted = ModelColumns(
        targets=targets,
        header=form.header,
        encoding=form.encoding,
        index_base=form.base,
        inputs=names,
        n_inputs=model.n_features_in_,
        codes=frozenset(codes),
        known_targets=known,
        keys=_keys(file, form),
        asks_file=task == HIERARCHICAL,
        may_lack_names=form.header is None and format_of(file, form.format).name in ("csv", "tsv"),
        task=_kind(task),
    )
    data = read_with_options(file, wanted, form.format)
    if data.X.shape[0] == 0:
        raise ValueError(f"{path} has no rows; expected at least one to predict")
    return data


def _keys(path: Path, form: FileForm) -> tuple[str, ...]:
    """Return the attributes of a CLUS file that name the rows, which only their type tells."""
    # What comes through a pipe can be read only once.
    if format_of(path, form.format).name != "arff" or not path.is_file():
        return ()
    with open_source(path, form.encoding) as source:
        return tuple(each.name for each in read_header(source).attributes if clus.is_key(each))


def _kind(task: str) -> str:
    return "regression" if task in NUMBER_TASKS else "classification"


# ---- inputs


def _lined_up_inputs(model: Any, data: Data, path: str) -> Any:
    X, names = data.X, models.input_names(model)
    if names is not None and names != data.feature_names:
        missing = missing_names(names, data.feature_names)
        if not missing:
            X = _chosen(X, data.feature_names, names)
        elif are_numbers(data.feature_names) and are_numbers(names):
            X = _placed(X, data.feature_names, names)
        elif not are_made_up(data.feature_names):
            raise ValueError(f"{path}: {missing_message(names, data.feature_names)}")
    if X.shape[1] != model.n_features_in_:
        raise ValueError(
            f"{path} has {X.shape[1]} columns, and the model learned from {model.n_features_in_}; expected "
            "the same columns"
        )
    return _in_form(model, X, names, path)


def _chosen(X: Any, names: Sequence[str], wanted: Sequence[str]) -> Any:
    if is_frame(X):
        return X[list(wanted)]
    if sp.issparse(X):
        return _placed(X, names, wanted)
    find = finder(names)
    return X[:, [find(name) for name in wanted]]


def _placed(X: Any, names: Sequence[str], wanted: Sequence[str]) -> Any:
    """Put numbered columns in their places: those that the file lacks are zero, unknown ones are left out."""
    find = finder(wanted)
    coo = sp.coo_array(X)
    # The columns that have values are few, however many the file has.
    present, place = np.unique(coo.coords[1], return_inverse=True)
    found = [find(names[i]) for i in present.tolist()]
    where = np.array([-1 if j is None else j for j in found], np.int64)[place]
    kept = where >= 0
    shape = (X.shape[0], len(wanted))
    placed = sp.csr_array((coo.data[kept], (coo.coords[0][kept], where[kept])), shape=shape)
    return placed if sp.issparse(X) else placed.toarray()


def _in_form(model: Any, X: Any, names: Sequence[str] | None, path: str) -> Any:
    """Give a data frame to a model that learned from one, and numbers to one that learned from these."""
    nominal = set(model.encoding_.nominal)
    if not is_frame(X):
        if nominal and names is not None:
            raise ValueError(
                f"{path} holds numbers only, and the model learned categories of {names[min(nominal)]!r}; "
                "give csv, arff or parquet"
            )
        if not hasattr(model, "feature_names_in_"):
            return X
        dense = X.toarray() if sp.issparse(X) else X
        return importlib.import_module("pandas").DataFrame(dense, columns=model.feature_names_in_)
    X = X.set_axis(list(names or X.columns), axis=1)
    numbers = {
        name: _numbers(X[name], name, path)
        for j, name in enumerate(X.columns)
        if j not in nominal and X.dtypes.iloc[j].name == "category"
    }
    X = X.assign(**numbers)
    return X if hasattr(model, "feature_names_in_") else X.to_numpy(np.float32)


def _numbers(column: Any, name: str, path: str) -> np.ndarray:
    values = column.cat.categories
    try:
        numbers = np.array([*values.astype(np.float32), np.nan], np.float32)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{path}: column {name!r} holds text, as {listed(list(values), 3)}, and the model learned "
            "numbers there"
        ) from error
    return numbers[column.cat.codes.to_numpy()]


# ---- truth


def _lined_up_truth(model: Any, data: Data, path: str, by_position: bool) -> Any:
    task = models.task_of(model)
    if task in CLASS_TASKS:
        return _classes(model, data, path)
    if task in NUMBER_TASKS:
        return _ordered_numbers(model, data, path)
    if data.y.ndim == 1:
        data = _one_label_each(data, path)
    names = models.output_names(model)
    if by_position and len(names) == len(data.target_names) and set(names) != set(data.target_names):
        return data.y
    return _ordered_labels(data, names, path)


def _one_label_each(data: Data, path: str) -> Data:
    """Read one label for each row, as svmlight files have that by chance have no more, as labels."""
    if len(data.target_names) != 1 or data.y.dtype.kind not in "iu":
        raise ValueError(f"{path} has one target, and the model predicts labels; expected a column for each")
    values, place = np.unique(data.y, return_inverse=True)
    ones = np.ones(len(place), np.int8)
    Y = sp.csr_array((ones, place, np.arange(len(place) + 1)), shape=(len(place), len(values)))
    return replace(data, y=Y, target_names=tuple(map(str, values.tolist())))


def _classes(model: Any, data: Data, path: str) -> np.ndarray:
    y = data.y
    if getattr(y, "ndim", 2) != 1:
        raise ValueError(
            f"{path} has {len(data.target_names)} targets, and the model predicts one class; expected one"
        )
    if model.classes_.dtype.kind in "UO" and y.dtype.kind in "iuf":
        return y.astype(str)
    if model.classes_.dtype.kind in "iuf" and y.dtype.kind in "UO":
        try:
            return y.astype(model.classes_.dtype)
        except ValueError as error:
            raise ValueError(
                f"{path}: target {data.target_names[0]!r} holds text, as {listed(y, 1)}, and the model "
                f"predicts the classes {listed(model.classes_)}"
            ) from error
    return y


def _ordered_numbers(model: Any, data: Data, path: str) -> np.ndarray:
    names = models.output_names(model)
    y = np.asarray(data.y).reshape(data.X.shape[0], -1)
    if y.dtype.kind not in "biuf":
        raise ValueError(f"{path} has text in its target, and the model predicts numbers; expected numbers")
    if y.shape[1] != len(names):
        raise ValueError(f"{path} has {y.shape[1]} targets, and the model predicts {len(names)}")
    if not missing_names(names, data.target_names):
        y = y[:, [data.target_names.index(name) for name in names]]
    return y[:, 0] if model.targets_.one_dimensional else y


def _ordered_labels(data: Data, names: Sequence[str], path: str) -> Any:
    if tuple(names) == data.target_names:
        return data.y
    if len(missing_names(names, data.target_names)) == len(names):
        raise ValueError(
            f"{path} has the labels {listed(data.target_names)}, and the model predicts {listed(names)}; "
            "expected the same"
        )
    if unknown := missing_names(_labels_of_rows(data), names):
        warn(f"{path} has labels that the model does not know, and they are left out: {listed(unknown)}")
    y = data.y if data.hierarchy is None else data.hierarchy.closure(data.y)
    # Files that list the labels of each row have no column for a label that no row has.
    return _placed(y, data.target_names, names)


def _labels_of_rows(data: Data) -> Sequence[str]:
    """Return the labels; of those that are only numbers, maybe millions, the ones that some row has."""
    if not isinstance(data.target_names, NumberedNames):
        return data.target_names
    return [data.target_names[j] for j in np.unique(sp.coo_array(data.y).coords[1]).tolist()]
