"""The y of rows, read as what a fitted model predicts: numbers, codes of classes, or indicators of labels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from slantwood.features.frames import column_names
from slantwood.hints import listed
from slantwood.targets.hierarchical_labels import closed_labels
from slantwood.targets.reading import as_array, as_numbers, columns_by_name, known_classes
from slantwood.task_names import CLASS_TASKS, NUMBER_TASKS

# In place of the code of a class that is not known.
NO_CLASS = -1


class LabelTruth(NamedTuple):
    """The true labels of rows."""

    indicator: Any  # array or CSR array of bool
    has_others: np.ndarray  # mask of the rows with a label that the model does not know
    missing: Any = None  # array or CSR array of bool: which labels are not known, where there are such


def truth_of(model: Any, y: Any, n_rows: int) -> Any:
    """Read y as what a model predicts.

    Parameters
    ----------
    model : estimator
        A fitted model of numbers, classes or labels.
    y : array, data frame, sparse matrix or label sets
        In a form that `fit` takes; columns of a frame that are called as in `fit` may come in any order.
    n_rows : int
        How many rows there must be.

    Returns
    -------
    array or LabelTruth
        Numbers as floats of shape (n_rows, n_targets), NaN where one is not known. Classes as positions in
        `classes_`, one past the end for a class that is not there, and `NO_CLASS` where none is known.
    """
    task = model.targets_.task
    if task in NUMBER_TASKS:
        return _numbers(model, y, n_rows)
    return _codes(model, y, n_rows) if task in CLASS_TASKS else _labels(model, y, n_rows)


def labels_of(Y: Any, has_others: np.ndarray | None = None) -> LabelTruth:
    """Return the true ones of indicators, in which NaN stands for labels that are not known."""
    others = np.zeros(Y.shape[0], np.bool_) if has_others is None else has_others
    if not sp.issparse(Y):
        nan = np.isnan(np.asarray(Y, np.float64))
        return LabelTruth(np.asarray(Y) == 1, others, nan if nan.any() else None)
    is_nan = np.isnan(np.asarray(Y.data, np.float64))
    missing = _stored(Y, is_nan) if is_nan.any() else None
    return LabelTruth(_stored(Y, Y.data == 1), others, missing)


def _stored(Y: sp.csr_array, mask: np.ndarray) -> sp.csr_array:
    """Return the mask of some of the cells that are stored."""
    found = sp.csr_array((mask, Y.indices.copy(), Y.indptr.copy()), shape=Y.shape)
    found.eliminate_zeros()
    return found


def _numbers(model: Any, y: Any, n_rows: int) -> np.ndarray:
    called, expected = column_names(y, "y"), getattr(model, "target_names_", ())
    given = as_array(y, n_rows)
    if sp.issparse(given):
        raise TypeError("y is a sparse matrix, which regressors do not take; give y.toarray()")
    numbers = as_numbers(given).astype(np.float64).reshape(n_rows, -1)
    n_targets = model.targets_.n_columns
    if numbers.shape[1] != n_targets:
        raise ValueError(
            f"y has {numbers.shape[1]} columns, and the model predicts {n_targets}; give the targets of fit"
        )
    if called is not None and expected:
        numbers = numbers[:, columns_by_name(called, expected, "target", "model")]
    return numbers


def _codes(model: Any, y: Any, n_rows: int) -> np.ndarray:
    given = as_array(y, n_rows)
    if sp.issparse(given) or given.size != n_rows:
        raise ValueError(
            f"y has shape {given.shape}, and the model predicts one class for each row; give these"
        )
    values, known = known_classes(
        given.ravel(), minus_one_is_unknown=getattr(model, "unlabeled_weight", None) is not None
    )
    position = {name: code for code, name in enumerate(model.classes_.tolist())}
    codes = np.full(n_rows, NO_CLASS)
    codes[known] = [position.get(name, len(position)) for name in values[known].tolist()]
    if (codes[known] == len(position)).all():
        raise ValueError(
            f"y has the classes {listed(np.unique(values[known]).tolist())}, and the model knows "
            f"{listed(model.classes_.tolist())}; give classes as in fit"
        )
    return codes


def _labels(model: Any, y: Any, n_rows: int) -> LabelTruth:
    targets = model.targets_
    if targets.hierarchy is not None:
        return labels_of(closed_labels(y, targets.hierarchy, n_rows))
    read = targets.read_truth(y, n_rows)
    return labels_of(read.indicator, read.has_others)
