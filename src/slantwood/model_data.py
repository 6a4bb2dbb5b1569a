"""Data files for a fitted model: columns are matched to those that it learned from, by their names."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.data.arff import clus
from slantwood.data.arff.header import read_header
from slantwood.data.arff.source import open_source
from slantwood.data.formats import format_of
from slantwood.data.names import NumberedNames, finder
from slantwood.data.read import read_with_options
from slantwood.data.read_options import ReadOptions, Roles
from slantwood.data.scans.files import files_of
from slantwood.data.scans.scan import scan_with_options
from slantwood.data.table import Data, is_frame
from slantwood.estimators.names import input_names, output_names, target_columns
from slantwood.hints import did_you_mean, listed, pluralize, stacklevel_of_user
from slantwood.task_names import CLASS_TASKS, HIERARCHICAL, NUMBER_TASKS, SEVERAL_TASKS

__all__ = ["ModelData", "align_to_model", "read_for_model", "scan_for_model"]


@dataclass(frozen=True, eq=False)
class ModelData:
    """Rows in the form that a model takes.

    Parameters
    ----------
    X : ndarray, csr_array or pandas.DataFrame
        The inputs, with the columns that the model learned from, in its order.
    y : ndarray or csr_array, or None
        The true targets in the form in which the model predicts them; None where nobody asked for them.
    keys : ndarray or None
        Names of the rows, where the file has them.

    Examples
    --------
    >>> import numpy as np
    >>> from slantwood.model_data import ModelData
    >>> ModelData(np.eye(2), None, np.array(["Anna", "Ben"])).keys.tolist()
    ['Anna', 'Ben']
    """

    X: Any
    y: Any
    keys: np.ndarray | None


def read_for_model(
    model: Any,
    path: str | PathLike[str],
    targets: Any = (),
    *,
    format: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    index_base: int | str = "auto",
) -> ModelData:
    """Read the rows of a data file for a fitted model.

    Columns may come in any order, and the file may have others. Columns without names are taken by position.

    Parameters
    ----------
    model : fitted estimator of slantwood
        The model that is to predict these rows.
    path : str or path
        The file, in any format of `slantwood.data.read`.
    targets : columns as in `slantwood.data.read`, or None, default=()
        The columns with the true targets, by default none. None takes those that the model learned to
        predict, where it knows their names.
    format, header, encoding, index_base : optional
        As in `slantwood.data.read`.

    Returns
    -------
    ModelData
        The inputs, the true targets and the names of the rows.

    Raises
    ------
    ValueError
        If columns are missing or hold something else than what the model learned from; it names them.

    Examples
    --------
    >>> from slantwood import load_model
    >>> from slantwood.model_data import read_for_model
    >>> model = load_model("wine.slant")  # doctest: +SKIP
    >>> model.predict(read_for_model(model, "new-wines.csv").X)  # doctest: +SKIP
    """
    path = Path(path)
    kind = format_of(path, format).name
    columns = _columns_for(model, path, kind, targets, header, encoding, index_base)
    data = read_with_options(path, columns, format)
    if data.X.shape[0] == 0:
        raise ValueError(f"{path} has no rows; expected at least one to predict")
    return align_to_model(model, data, str(path), targets)


def scan_for_model(
    model: Any,
    source: Any,
    *,
    format: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    index_base: int | str = "auto",
) -> Iterator[ModelData]:
    """Read the rows of data files for a fitted model, some at a time: no more than a block is in memory.

    Parameters
    ----------
    model : fitted estimator of slantwood
        The model that is to predict these rows.
    source : str, path, several paths, or dataset of pyarrow
        As `slantwood.data.scan` takes it: a folder stands for all data files in it.
    format, header, encoding, index_base : optional
        As in `slantwood.data.read`.

    Yields
    ------
    ModelData
        The inputs of the next rows, and their names; no targets.

    Examples
    --------
    >>> from slantwood import load_model
    >>> from slantwood.model_data import scan_for_model
    >>> model = load_model("wine.slant")  # doctest: +SKIP
    >>> for block in scan_for_model(model, "folder"):  # doctest: +SKIP
    ...     print(model.predict(block.X))
    """
    files, form = files_of(source, format)
    columns = _columns_for(model, files[0], form.name, (), header, encoding, index_base)
    for block in scan_with_options(files, columns, form.name):
        if block.X.shape[0]:
            yield align_to_model(model, block, str(source))


def _columns_for(
    model: Any,
    path: Path,
    kind: str,
    targets: Any,
    header: bool | None,
    encoding: str | None,
    index_base: int | str,
) -> _ModelColumns:
    """Return what a file in a format is asked for."""
    names, task = input_names(model), model.targets_.task
    codes = set() if names is None else {names[j] for j in model.encoding_.nominal}
    known = target_columns(model)
    if task in CLASS_TASKS and model.classes_.dtype.kind in "UO":
        codes |= set(known)
    if task in SEVERAL_TASKS:
        are_text = [classes is not None and classes.dtype.kind in "UO" for classes in model.classes_]
        codes |= {name for name, is_text in zip(known, are_text, strict=False) if is_text}
    return _ModelColumns(
        targets=targets,
        header=header,
        encoding=encoding,
        index_base=index_base,
        inputs=names,
        n_inputs=model.n_features_in_,
        codes=frozenset(codes),
        known_targets=known,
        # What comes through a pipe can be read only once.
        keys=_keys(path, encoding) if kind == "arff" and path.is_file() else (),
        asks_file=task == HIERARCHICAL,
        may_lack_names=header is None and kind in ("csv", "tsv"),
        # Of several targets the model knows better than the file which are classes.
        task=None if task in SEVERAL_TASKS else "regression" if task in NUMBER_TASKS else "classification",
    )


def align_to_model(model: Any, data: Data, name: str = "data", targets: Any = ()) -> ModelData:
    """Put data that was read before in the form that a model takes.

    Parameters
    ----------
    model : fitted estimator of slantwood
        The model that is to predict these rows.
    data : Data
        What `slantwood.data.read` or `load` returns.
    name : str, default="data"
        What errors call the data.
    targets : (), None, or anything else, default=()
        Whether `y` is asked for, as in `read_for_model`. Labels of other names than the model's are taken by
        position where this is neither () nor None.

    Returns
    -------
    ModelData
        The inputs, the true targets and the names of the rows.

    Examples
    --------
    >>> from slantwood import ObliqueTreeRegressor
    >>> from slantwood.data import Data
    >>> import numpy as np
    >>> from slantwood.model_data import align_to_model
    >>> X = np.array([[0.0], [1.0]], np.float32)
    >>> model = ObliqueTreeRegressor().fit(X, [2.0, 3.0])
    >>> align_to_model(model, Data(X, None, ("width",))).X.shape
    (2, 1)
    """
    X = _align_inputs(model, data, name)
    if isinstance(targets, (tuple, list)) and not targets:
        return ModelData(X, None, data.keys)
    if data.y is None:
        raise ValueError(f"{name} has no targets to compare with; give targets (--targets)")
    return ModelData(X, _align_targets(model, data, name, by_position=targets is not None), data.keys)


def _keys(path: Path, encoding: str | None) -> tuple[str, ...]:
    """Return the attributes of a CLUS file that name the rows, which only their type tells."""
    with open_source(path, encoding) as source:
        return tuple(each.name for each in read_header(source).attributes if clus.is_key(each))


# ---- columns of the file, by their names


@dataclass(frozen=True)
class _ModelColumns(ReadOptions):
    """Asks a file for the columns that a model knows, in whatever order and whatever else the file has.

    Attributes
    ----------
    inputs
        Names of the model's inputs; None where it knows none, and columns are taken by position.
    n_inputs
        Number of the model's inputs.
    codes
        Names of those inputs and targets that are categories.
    known_targets
        Names of the model's targets, taken where the user says none.
    keys
        Columns that name the rows, which are read too.
    asks_file
        Whether a file that says itself what its targets are is believed: such labels are no columns.
    may_lack_names
        Whether the names of the file may be its first row, which was taken for names.
    """

    inputs: tuple[str, ...] | None = None
    n_inputs: int = 0
    codes: frozenset[str] = frozenset()
    known_targets: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    asks_file: bool = False
    may_lack_names: bool = False

    @property
    def takes_default_targets(self) -> bool:
        """Whether the file may say its targets: labels of a hierarchy, or where the model knows no names."""
        return self.targets is None and (self.asks_file or not self.known_targets)

    def select_roles(self, names: Sequence[str]) -> Roles:
        """Return the roles of columns with these names."""
        targets = self._targets(names)
        inputs = self._inputs(names, targets)
        called = {i: names[i] for i in (*inputs, *targets)}
        if self.inputs is not None and _missing_names(self.inputs, [names[i] for i in inputs]):
            called |= dict(zip(inputs, self.inputs, strict=True))  # taken by position
        return Roles(inputs, targets, frozenset(i for i, name in called.items() if name in self.codes))

    def _targets(self, names: Sequence[str]) -> tuple[int, ...]:
        if self.targets is not None:
            return ReadOptions(self.targets).roles(names).targets
        if not self.known_targets:
            raise ValueError("the model does not know the names of its targets; give targets (--targets)")
        places = {name: i for i, name in enumerate(names)}
        for name in self.known_targets:
            if name not in places:
                hint = _hint(name, _missing_names(names, self.inputs or ()))
                raise ValueError(
                    f"it has no column {name!r}, which the model predicts;{hint} give targets (--targets), "
                    f"the columns that hold the truth{self._names_may_be_a_row(names)}"
                )
        return tuple(sorted(places[name] for name in self.known_targets))

    def _inputs(self, names: Sequence[str], targets: Collection[int]) -> tuple[int, ...]:
        keys = [i for i, name in enumerate(names) if name in self.keys]
        taken = {*targets, *keys}
        rest = [i for i in range(len(names)) if i not in taken]
        if self.inputs is not None:
            others = [names[i] for i in rest]
            if not _missing_names(self.inputs, others):
                inputs = set(self.inputs)
                return tuple(sorted([*keys, *(i for i in rest if names[i] in inputs)]))
            if not _are_made_up(names):
                message = _missing_message(self.inputs, others)
                raise ValueError(f"{message}{self._names_may_be_a_row(names)}")
        if len(rest) != self.n_inputs:
            known = "knows no names" if self.inputs is None else "knows other names"
            raise ValueError(
                f"it has {pluralize(len(rest), 'column')}, and the model {known} and learned from "
                f"{self.n_inputs}; expected as many, in the same order"
            )
        return tuple(rest)

    def _names_may_be_a_row(self, names: Sequence[str]) -> str:
        strange = self.may_lack_names and not set(names) & {*(self.inputs or ()), *self.known_targets}
        return " (header=False or --no-header if its first line is a row, not names)" if strange else ""


def _missing_names(needed: Sequence[str], present: Sequence[str]) -> list[str]:
    """Return the names that are not there."""
    # Names that are only numbers, of which there may be millions, are found without listing them.
    there = present if isinstance(present, NumberedNames) else set(present)
    return [name for name in needed if name not in there]


def _missing_message(needed: Sequence[str], present: Sequence[str]) -> str:
    """Say which columns are missing, and what the first of them may be called."""
    missing = _missing_names(needed, present)
    more = f", nor {pluralize(len(missing) - 1, 'other')} that it needs" if len(missing) > 1 else ""
    hint = _hint(missing[0], _missing_names(present, needed)) or " expected all that it learned from"
    return f"it has no column {missing[0]!r}, which the model learned from{more};{hint}"


def _are_made_up(names: Sequence[str]) -> bool:
    """Tell whether a file without names was given these."""
    made_up = NumberedNames("x", len(names))
    given = names if isinstance(names, NumberedNames) else tuple(names)
    return given == made_up or _are_numbers(names)


def _are_numbers(names: Sequence[str]) -> bool:
    """Tell whether columns are numbered, as in the formats svmlight and extreme, which leave out zeros."""
    if isinstance(names, NumberedNames):
        return names.prefix == ""
    return all(name.isdigit() for name in names)


def _hint(name: str, present: Sequence[str]) -> str:
    return " " + did_you_mean(name, present, f"it has {listed(present)}.") if present else ""


# ---- inputs


def _align_inputs(model: Any, data: Data, path: str) -> Any:
    X, names = data.X, input_names(model)
    if names is not None and names != data.feature_names:
        missing = _missing_names(names, data.feature_names)
        if not missing:
            X = _select(X, data.feature_names, names)
        elif _are_numbers(data.feature_names) and _are_numbers(names):
            X = _place(X, data.feature_names, names)
        elif not _are_made_up(data.feature_names):
            raise ValueError(f"{path}: {_missing_message(names, data.feature_names)}")
    if X.shape[1] != model.n_features_in_:
        raise ValueError(
            f"{path} has {X.shape[1]} columns, and the model learned from {model.n_features_in_}; expected "
            "the same columns"
        )
    return _in_form(model, X, names, path)


def _select(X: Any, names: Sequence[str], needed: Sequence[str]) -> Any:
    if is_frame(X):
        return X[list(needed)]
    if sp.issparse(X):
        return _place(X, names, needed)
    find = finder(names)
    return X[:, [find(name) for name in needed]]


def _place(X: Any, names: Sequence[str], needed: Sequence[str]) -> Any:
    """Put numbered columns in their places: those that the file lacks are zero, unknown ones are left out."""
    find = finder(needed)
    coo = sp.coo_array(X)
    # The columns that have values are few, however many the file has.
    present, place = np.unique(coo.coords[1], return_inverse=True)
    found = [find(names[i]) for i in present.tolist()]
    where = np.array([-1 if j is None else j for j in found], np.int64)[place]
    kept = where >= 0
    shape = (X.shape[0], len(needed))
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
            f"{path}: column {name!r} holds text such as {listed(list(values), 3)}, and the model learned "
            "numbers there"
        ) from error
    return numbers[column.cat.codes.to_numpy()]


# ---- targets


def _align_targets(model: Any, data: Data, path: str, by_position: bool) -> Any:
    task = model.targets_.task
    if task in SEVERAL_TASKS:
        return _several(model, data, path)
    if task in CLASS_TASKS:
        return _classes(model.classes_, data.y, data.target_names, path)
    if task in NUMBER_TASKS:
        return _ordered_numbers(model, data, path)
    if data.y.ndim == 1:
        data = _one_label_each(data, path)
    names = output_names(model)
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


def _several(model: Any, data: Data, path: str) -> Any:
    """Return a frame of the targets in the model's order, each in the type that the model predicts."""
    names, y = output_names(model), data.y
    n_targets = 1 if y.ndim == 1 else y.shape[1]
    if n_targets != len(names):
        raise ValueError(f"{path} has {n_targets} targets, and the model predicts {len(names)}")
    columns = dict(zip(data.target_names, _columns_of(y), strict=True))
    if not _missing_names(names, data.target_names):
        columns = {name: columns[name] for name in names}
    truth = {}
    for name, (called, column), classes in zip(names, columns.items(), model.classes_, strict=True):
        if classes is not None:
            truth[name] = _classes(classes, column, [called], path)
        elif column.dtype.kind in "biuf":
            truth[name] = column.astype(np.float64)
        else:
            raise ValueError(f"{path}: target {called!r} holds text, and the model predicts numbers")
    return importlib.import_module("pandas").DataFrame(truth)


def _columns_of(y: Any) -> list[np.ndarray]:
    if is_frame(y):
        return [y[name].to_numpy() for name in y.columns]
    return list((y.toarray() if sp.issparse(y) else y).T)


def _classes(classes: np.ndarray, y: Any, names: Sequence[str], path: str) -> np.ndarray:
    if getattr(y, "ndim", 2) != 1:
        raise ValueError(f"{path} has {len(names)} targets, and the model predicts one class; expected one")
    if classes.dtype.kind in "UO" and y.dtype.kind in "iuf":
        return y.astype(str)
    if classes.dtype.kind in "iuf" and y.dtype.kind in "UO":
        try:
            return y.astype(classes.dtype)
        except ValueError as error:
            raise ValueError(
                f"{path}: target {names[0]!r} holds text such as {listed(y, 1)}, and the model predicts the "
                f"classes {listed(classes.tolist())}"
            ) from error
    return y


def _ordered_numbers(model: Any, data: Data, path: str) -> np.ndarray:
    names = output_names(model)
    y = np.asarray(data.y).reshape(data.X.shape[0], -1)
    if y.dtype.kind not in "biuf":
        raise ValueError(f"{path} has text in its target, and the model predicts numbers; expected numbers")
    if y.shape[1] != len(names):
        raise ValueError(f"{path} has {y.shape[1]} targets, and the model predicts {len(names)}")
    if not _missing_names(names, data.target_names):
        y = y[:, [data.target_names.index(name) for name in names]]
    return y[:, 0] if model.targets_.one_dimensional else y


def _ordered_labels(data: Data, names: Sequence[str], path: str) -> Any:
    if tuple(names) == data.target_names:
        return data.y
    if len(_missing_names(names, data.target_names)) == len(names):
        raise ValueError(
            f"{path} has the labels {listed(data.target_names)}, and the model predicts {listed(names)}; "
            "expected the same"
        )
    if unknown := _missing_names(_labels_of_rows(data), names):
        warnings.warn(
            f"{path} has labels that the model does not know, and they are left out: {listed(unknown)}",
            stacklevel=stacklevel_of_user(),
        )
    # Files that list the labels of each row have no column for a label that no row has.
    return _place(data.y, data.target_names, names)


def _labels_of_rows(data: Data) -> Sequence[str]:
    """Return the labels; of those that are only numbers, maybe millions, the ones that some row has."""
    if not isinstance(data.target_names, NumberedNames):
        return data.target_names
    return [data.target_names[j] for j in np.unique(sp.coo_array(data.y).coords[1]).tolist()]
