"""The y of estimators that learn an indicator for each label: labels of any number, or one class, per row."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.multiclass import check_classification_targets

from slantwood.estimators import validation as check
from slantwood.estimators.callbacks import USERS_LINE
from slantwood.hints import shown
from slantwood.targets.classes import ClassTargets
from slantwood.targets.label_sets import holds_label_sets
from slantwood.targets.labels import LabelTargets
from slantwood.targets.reading import as_array, as_numbers, known_classes, names_of


class LabelInput(NamedTuple):
    """What y is, and its indicator: a column for each label or class, NaN where one is not known."""

    targets: LabelTargets | ClassTargets
    indicator: sp.csr_array


def read_labels(y: Any, weights: np.ndarray, names: Sequence[str] | None = None) -> LabelInput:
    """Read label sets, an indicator matrix, or a column of classes, of rows that have weights.

    `names` are those of the columns of y, by default its own.
    """
    if holds_label_sets(y):
        targets, read = LabelTargets.of_sets(y, len(weights))
        return LabelInput(targets, sp.csr_array(targets.encode(read)))
    names = names_of(y) if names is None else names
    read = as_array(y, len(weights))
    if not sp.issparse(read) and read.ndim == 2 and read.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected: it is taken as one class per row; "
            "pass one dimension to say so yourself, or a sparse matrix for a single label",
            DataConversionWarning,
            stacklevel=USERS_LINE,
        )
        read = read.ravel()
    if read.ndim == 1:
        return _of_classes(read, weights)
    read = read if sp.issparse(read) or read.dtype.kind in "biuf" else as_numbers(read)
    targets = LabelTargets.of(read, check.check_column_names(names, read.shape[1]))
    return LabelInput(targets, sp.csr_array(targets.encode(read)))


def _of_classes(given: np.ndarray, weights: np.ndarray) -> LabelInput:
    y, known = known_classes(given, minus_one_is_unknown=False)
    try:
        check_classification_targets(y[known])
    except (TypeError, ValueError) as error:
        raise type(error)(f"y cannot be taken as classes: {error}") from error
    # Classes that only weightless rows have are not classes of the data.
    targets = ClassTargets.of(y[known & (weights > 0)])
    if len(targets.classes) < 2:
        only = ", ".join(map(shown, targets.classes.tolist())) or "none"
        raise ValueError(
            f"y has one class per row, and only the class {only}; give rows of two classes or more"
        )
    known[known] = np.isin(y[known], targets.classes)
    return LabelInput(targets, targets.indicator(y, known))
