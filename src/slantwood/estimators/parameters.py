"""Checks of constructor parameters and of what fit takes beside X and y: once, at the border, by name."""

from __future__ import annotations

import math
from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from slantwood.estimators.training_data import TrainingData
from slantwood.features.matrix import known_rows
from slantwood.features.sparse_input import check_sparse
from slantwood.hints import listed
from slantwood.targets.clustering import Clustering
from slantwood.targets.hierarchy import Hierarchy
from slantwood.task_names import HIERARCHICAL

# The threshold at which the more probable of two classes is chosen.
_NEUTRAL = 0.5


def _shown(value: Any) -> str:
    return f"{value!r} ({type(value).__name__})"


def check_integer(name: str, value: Any, minimum: int) -> int:
    """Return a whole number that is at least `minimum`."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name}={_shown(value)} must be a whole number, at least {minimum}")
    if value < minimum:
        raise ValueError(f"{name}={value!r} must be at least {minimum}")
    return int(value)


def check_real(
    name: str, value: Any, minimum: float, maximum: float = math.inf, *, open_minimum: bool = False
) -> float:
    """Return a finite number between two bounds."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name}={_shown(value)} must be a number")
    value = float(value)
    too_small = value <= minimum if open_minimum else value < minimum
    if not math.isfinite(value) or too_small or value > maximum:
        lower = f"above {minimum}" if open_minimum else f"at least {minimum}"
        upper = "" if maximum == math.inf else f" and at most {maximum}"
        raise ValueError(f"{name}={value!r} must be a finite number {lower}{upper}")
    return value


def check_flag(name: str, value: Any) -> bool:
    """Return True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name}={_shown(value)} must be True or False")
    return bool(value)


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> str:
    """Return one of the given words."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name}={value!r} must be one of {', '.join(map(repr, choices))}")
    return value


def check_max_features(value: Any, n_features: int, fewest: int = 1) -> int:
    """Return the number of features that a split may draw, never less than the `fewest` where X has them."""
    if value is None:
        return n_features
    if isinstance(value, str):
        check_choice("max_features", value, ("sqrt", "log2"))
        count = math.sqrt(n_features) if value == "sqrt" else math.log2(max(n_features, 2))
    elif isinstance(value, Integral) and not isinstance(value, bool):
        count = check_integer("max_features", value, 1)
        if count > n_features:
            raise ValueError(
                f"max_features={value} is more than the {n_features} features of X; give at most that "
                "number, or a share of them as a float"
            )
    else:
        count = check_real("max_features", value, 0.0, 1.0, open_minimum=True) * n_features
    return min(n_features, max(math.ceil(count), fewest))


def check_row_weights(sample_weight: Any, n_rows: int) -> np.ndarray:
    """Return one finite, non-negative float64 weight per row, not all zero, of mean 1 where it is less."""
    if sample_weight is None:
        return np.ones(n_rows)
    if isinstance(sample_weight, Real):
        weights = np.full(n_rows, float(sample_weight))
    else:
        weights = np.asarray(sample_weight)
        if weights.dtype.kind not in "biuf":
            raise TypeError(f"sample_weight has dtype {weights.dtype}; it must hold real numbers")
        weights = weights.astype(np.float64)
    if weights.ndim != 1:
        raise ValueError(
            f"sample_weight must be a 1D array of shape ({n_rows},), one weight for each row of X, or a "
            f"single number; got an array of shape {weights.shape}"
        )
    if len(weights) != n_rows:
        raise ValueError(
            f"sample_weight.shape == {weights.shape}, expected {(n_rows,)}: one weight for each row of X"
        )
    if not np.isfinite(weights).all():
        raise ValueError("sample_weight holds NaN or infinite values; every weight must be a finite number")
    if (weights < 0).any():
        raise ValueError(
            f"sample_weight holds the negative value {weights.min()}; negative weights have no meaning "
            "here: use 0 to leave a row out"
        )
    if not (weights > 0).any():
        raise ValueError("sample_weight is zero for every row; at least one row must have a positive weight")
    smallest, largest = weights[weights > 0].min(), weights.max()
    if smallest < 1e-12 or largest > 1e12:
        raise ValueError(
            f"sample_weight ranges from {smallest} to {largest}; positive weights must lie between 1e-12 and "
            "1e12, which single precision can add up: divide them by their mean"
        )
    # A row of weight 2 counts as two; but weights that add up to 1, say, do not make a sample of one row.
    return weights / min(weights[weights > 0].mean(), 1.0)


def check_target_weights(target_weights: Any, n_columns: int) -> np.ndarray:
    """Return float64 weights of the target columns; empty where all count the same."""
    if target_weights is None:
        return np.empty(0)
    weights = np.asarray(target_weights)
    if weights.dtype.kind not in "biuf":
        raise TypeError(f"target_weights has dtype {weights.dtype}; it must hold real numbers")
    if weights.shape != (n_columns,):
        raise ValueError(
            f"target_weights has shape {weights.shape}; expected ({n_columns},), one weight for each column "
            "of the targets (one for two classes, one per class for more, one per label, one per number)"
        )
    if not np.isfinite(weights).all() or (weights < 0).any() or not (weights > 0).any():
        raise ValueError(
            "target_weights must be finite, not negative, and positive for at least one target; got "
            f"values from {weights.min()} to {weights.max()}"
        )
    return weights.astype(np.float64)


def check_threshold(value: Any, targets: Any) -> None:
    """Check from which score on labels are chosen: a number, one for each label, or how to tune them.

    The second of two classes is chosen like a label, by a number; of more classes the most probable one.
    """
    if isinstance(value, Real) and check_real("threshold", value, 0.0, 1.0) == _NEUTRAL:
        return
    if targets.task == "multi-class":
        raise ValueError(
            f"threshold={value!r} has no meaning for the {len(targets.classes)} classes of y, of which "
            f"predict returns the most probable one; leave threshold at {_NEUTRAL}, or choose by "
            "predict_proba"
        )
    if isinstance(value, Real):
        return
    if targets.task != "multi-label":
        raise ValueError(
            f"threshold={value!r:.60} is for labels, and y has two classes; give one number, the probability "
            "above which predict returns the second of classes_ (scikit-learn's TunedThresholdClassifierCV "
            "finds one)"
        )
    if isinstance(value, str):
        return
    try:
        each = np.asarray(value, np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"threshold={_shown(value)} must be a number, or one for each label") from error
    if each.shape != (targets.n_labels,):
        raise ValueError(
            f"threshold has shape {each.shape}; expected a number, or ({targets.n_labels},), one for each "
            "label"
        )
    if not ((each >= 0.0) & (each <= 1.0)).all():
        raise ValueError(f"threshold must lie between 0 and 1; got values from {each.min()} to {each.max()}")


def check_split(given: Any, split: Any, data: TrainingData) -> None:
    """Check that a split learner, given in this form, is for the task and for what judges its splits."""
    task = HIERARCHICAL if data.hierarchy is not None else data.targets.task
    if task not in split.tasks:
        raise ValueError(
            f"split={given!r} is for {listed(split.tasks)} targets, and y is {task}; choose another split "
            "learner, such as 'gradient', which is for all tasks"
        )
    if split.reads_labels and not data.clustering.is_default:
        raise ValueError(
            f"split={given!r} reads the labels of the rows, and clustering says that something else judges "
            "splits; give no clustering, or choose another split learner, such as 'gradient'"
        )


def check_hierarchy(hierarchy: Any) -> None:
    """Check that a hierarchy is one, or None."""
    if hierarchy is not None and not isinstance(hierarchy, Hierarchy):
        raise TypeError(
            f"hierarchy={hierarchy!r:.60} ({type(hierarchy).__name__}) must be None or a "
            "slantwood.Hierarchy: make one with Hierarchy.from_paths, from_edges or from_networkx"
        )


def check_clustering(clustering: Any, n_rows: int) -> Clustering:
    """Return what judges splits; a matrix of the user's own as numbers, one row for each row of X."""
    chosen = Clustering.named(clustering)
    if not chosen.is_matrix:
        return chosen
    columns = chosen.attributes
    check_sparse(columns, "clustering")
    if not sp.issparse(columns):
        columns = np.asarray(columns)
        columns = columns[:, None] if columns.ndim == 1 else columns
    if columns.ndim != 2 or columns.shape[0] != n_rows or columns.shape[1] == 0:
        raise ValueError(
            f"clustering has shape {columns.shape} and X has {n_rows} rows; give a name, or a matrix with "
            "one row for each row of X and at least one column"
        )
    try:
        if columns.dtype.kind == "c":
            raise TypeError("complex numbers")
        columns = columns.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"clustering must hold real numbers; it has dtype {columns.dtype} ({error})"
        ) from error
    columns = check_array(
        columns, accept_sparse="csr", ensure_all_finite="allow-nan", input_name="clustering"
    )
    if sp.issparse(columns) and not columns.has_canonical_format:
        columns = columns.copy()
        columns.sum_duplicates()
    if not known_rows(columns).any():
        raise ValueError("clustering has no value that is known: all are NaN")
    return replace(chosen, attributes=columns)
