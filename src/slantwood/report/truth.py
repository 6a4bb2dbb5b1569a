"""The user's y in the forms that measures compare predictions with."""

from __future__ import annotations

from typing import Any

import numpy as np

from slantwood.estimators import several
from slantwood.estimators.names import output_names
from slantwood.explain.truth import LabelTruth, truth_of
from slantwood.targets.reading import as_array, known_classes
from slantwood.task_names import CLASS_TASKS, SEVERAL_TASKS


def read_truth(model: Any, y: Any, n_rows: int) -> Any:
    """Read y as what a model predicts.

    Returns
    -------
    array, CSR array or dict
        Numbers as floats of shape (n_rows, n_targets), NaN where one is not known; classes, where one is not
        known as objects with None there; labels as an indicator; several targets as a dictionary of their
        columns by name.
    """
    task = model.targets_.task
    if task in SEVERAL_TASKS:
        names = getattr(model, "target_names_", ())
        columns = several.given_truth(y, model.targets_, names, n_rows)
        values = (_with_none(column.values, column.known) for column in columns)
        return dict(zip(output_names(model), values, strict=True))
    truth = truth_of(model, y, n_rows)  # which refuses what does not fit
    if isinstance(truth, LabelTruth):
        return truth.indicator
    if task not in CLASS_TASKS:
        return truth
    unknown = getattr(model, "unlabeled_weight", None) is not None
    return _with_none(*known_classes(as_array(y, n_rows).ravel(), minus_one_is_unknown=unknown))


def _with_none(values: np.ndarray, known: np.ndarray) -> np.ndarray:
    if known.all() or values.dtype.kind == "f":
        return np.where(known, values, np.nan) if values.dtype.kind == "f" else values
    objects = values.astype(object)
    objects[~known] = None
    return objects
