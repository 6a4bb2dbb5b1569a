"""Reading and scoring y of several targets, each with classes or numbers of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import compute_sample_weight

from slantwood.estimators.class_weights import for_classes_of
from slantwood.hints import shown
from slantwood.metrics.regression import mean_r2
from slantwood.targets.columns import GivenColumn, columns_as
from slantwood.targets.numbers import RegressionTargets
from slantwood.targets.reading import as_numbers, known_classes
from slantwood.targets.several import MultiTargets, TargetColumn
from slantwood.validation import with_type

# Returns classes, and the mask of those that are known.
ReadClasses = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


def read_targets(given: Sequence[GivenColumn], read_classes: ReadClasses) -> list[TargetColumn]:
    """Read each column as what it is; errors name it."""
    return [_read(column, read_classes) for column in given]


def _read(given: GivenColumn, read_classes: ReadClasses) -> TargetColumn:
    try:
        if given.is_number:
            numbers = as_numbers(given.values)
            return TargetColumn(numbers, ~np.isnan(numbers), True)
        return TargetColumn(*read_classes(given.values), False)
    except (TypeError, ValueError) as error:
        said = str(error).rstrip(".")
        number = (
            "" if given.is_number else ". If it is a number, give y as a data frame with a column of floats"
        )
        raise type(error)(f"target {shown(given.name)}: {said}{number}") from error


def check_class_weights(class_weight: Any, n_targets: int) -> list[Any]:
    """Return what says the class weights of each of several targets: "balanced", a dict, or None."""
    if isinstance(class_weight, str) and class_weight == "balanced":
        return [class_weight] * n_targets
    is_list = isinstance(class_weight, (list, tuple))
    if not is_list or not all(each is None or isinstance(each, (dict, str)) for each in class_weight):
        raise ValueError(
            f"class_weight={with_type(class_weight):.80} must for the {n_targets} targets of y be None, "
            "'balanced', or a list with a dict of weights, 'balanced' or None for each of them"
        )
    if len(class_weight) != n_targets:
        raise ValueError(f"class_weight has {len(class_weight)} entries, and y has {n_targets} targets")
    if wrong := [each for each in class_weight if isinstance(each, str) and each != "balanced"]:
        raise ValueError(f"class_weight has the entry {wrong[0]!r}, which is neither 'balanced' nor a dict")
    return list(class_weight)


def row_weights_by_classes(
    class_weight: Any, columns: Sequence[TargetColumn], *, may_lack_some: bool = False
) -> np.ndarray:
    """Return the product over the targets of the weights of a row's classes, as scikit-learn's forests do.

    Targets that are not known, and numbers, have no part. Rows that are added to others may lack some of the
    classes that have a weight.
    """
    weights = np.ones(len(columns[0].values))
    for each, column in zip(check_class_weights(class_weight, len(columns)), columns, strict=True):
        if each is not None and column.is_number and not isinstance(each, str):
            raise ValueError("class_weight has weights for a target of numbers; give None in its place")
        if each is not None and not column.is_number:
            classes = column.values[column.known]
            each = for_classes_of(classes, each) if may_lack_some else each
            weights[column.known] *= compute_sample_weight(each, classes)
    return weights


def check_some_known(
    given: Sequence[GivenColumn], columns: Sequence[TargetColumn], weights: np.ndarray
) -> None:
    """Refuse a target of which nothing is known in the rows that have a weight."""
    for named, column in zip(given, columns, strict=True):
        if not (column.known & (weights > 0)).any():
            raise ValueError(
                f"target {shown(named.name)} of y is not known in any row of positive weight; leave it out"
            )


# ---- scores


class Truth(NamedTuple):
    """The true values of a target, and which of them are known."""

    values: np.ndarray
    known: np.ndarray


def columns_of(y: Any, targets: MultiTargets, n_rows: int, names: Sequence[str] = ()) -> list[GivenColumn]:
    """Return the columns of y, each of the kind that its target is."""
    are_numbers = [isinstance(part, RegressionTargets) for part in targets.parts]
    return columns_as(y, are_numbers, n_rows, names)


def given_truth(y: Any, targets: MultiTargets, names: Sequence[str], n_rows: int) -> list[Truth]:
    """Read y as the targets that a model was fitted on; columns of a frame may come in any order.

    `names` are those of the targets, where the model knows any.
    """
    columns = read_targets(columns_of(y, targets, n_rows, names), _classes_or_none)
    return [Truth(column.values, column.known) for column in columns]


def _classes_or_none(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    try:
        return known_classes(values, minus_one_is_unknown=False)
    except ValueError:  # none is known
        return values, np.zeros(len(values), np.bool_)


def encoded_truth(Y: Any, targets: MultiTargets) -> list[Truth]:
    """Return what encoded targets stand for; of a target that is not known, anything."""
    dense = np.asarray(Y.toarray() if hasattr(Y, "toarray") else Y)
    known = [~np.isnan(block[:, 0]) for block in targets.blocks(dense)]
    values = targets.decoded_columns(np.nan_to_num(dense))
    return [Truth(*pair) for pair in zip(values, known, strict=True)]


def mean_score(
    targets: MultiTargets, truth: Sequence[Truth], predicted: Sequence[np.ndarray], weights: np.ndarray
) -> float:
    """Return the mean over the targets of accuracy, or of R2 for numbers; NaN where nothing is known."""
    measures = [_r2 if isinstance(part, RegressionTargets) else _accuracy for part in targets.parts]
    triples = zip(measures, truth, predicted, strict=True)
    scores = [measure(of_target, said, weights) for measure, of_target, said in triples]
    known = [score for score in scores if not np.isnan(score)]
    return float(np.mean(known)) if known else float("nan")


def _accuracy(truth: Truth, predicted: np.ndarray, weights: np.ndarray) -> float:
    rows = truth.known & (weights > 0)
    if not rows.any():
        return float("nan")
    # As objects, also classes of types that NumPy does not compare are just different.
    right = truth.values[rows].astype(object) == predicted[rows].astype(object)
    return float(np.average(right, weights=weights[rows]))


def _r2(truth: Truth, predicted: np.ndarray, weights: np.ndarray) -> float:
    rows = truth.known & (weights > 0)
    if rows.sum() < 2:
        return float("nan")
    return mean_r2(truth.values[rows], predicted[rows], weights[rows])
