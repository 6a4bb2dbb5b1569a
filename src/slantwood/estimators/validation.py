"""Checks of constructor parameters and of what fit takes beside X and y: once, at the border, by name."""

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from slantwood.ensemble.settings import count_features
from slantwood.ensemble.spec import AUTO
from slantwood.ensemble.training_data import TrainingData
from slantwood.features.matrix import known_rows
from slantwood.features.sparse_input import check_sparse
from slantwood.hints import listed, shown
from slantwood.presets import PRESETS
from slantwood.targets.base import Targets
from slantwood.targets.clustering import Clustering, as_clustering
from slantwood.targets.hierarchy import Hierarchy
from slantwood.task_names import LABEL_TASKS, NUMBER_TASKS, SEVERAL_TASKS
from slantwood.validation import check_choice, check_flag, check_integer, check_memory, check_real, with_type

Check = Callable[[str, Any], Any]

# Measures by which thresholds can be tuned.
THRESHOLD_RULES = ("f1_micro", "f1_macro")

# The threshold at which the more probable of two classes is chosen.
_NEUTRAL = 0.5


def check_parameters(parameters: Mapping[str, Any]) -> None:
    """Check what can be checked of constructor parameters before there is data."""
    for name, check in _CHECKS.items():
        if name in parameters:
            check(name, parameters[name])
    max_samples = parameters.get("max_samples")
    if max_samples is not None and parameters["bootstrap"] is False:
        raise ValueError(
            f"max_samples={max_samples!r} is the size of a bootstrap sample, and bootstrap=False draws none; "
            "give bootstrap=True, or max_samples=None"
        )
    if parameters.get("multi_output") == "targets" and parameters["hierarchy"] is not None:
        raise ValueError(
            "multi_output='targets' is for columns of y with classes of their own, and hierarchy is one of "
            "labels; give multi_output='auto', or hierarchy=None"
        )


def _auto_or(check: Check) -> Check:
    return lambda name, value: (isinstance(value, str) and value == AUTO) or check(name, value)


def _none_or(check: Check) -> Check:
    return lambda name, value: value is None or check(name, value)


def _check_jobs(name: str, value: Any) -> None:
    # As joblib takes it: -2 is all cores but one, and there is always one thread.
    if check_integer(name, value, -sys.maxsize) == 0:
        raise ValueError("n_jobs=0 has no meaning; use None or 1 for one thread, -1 for all cores")


def _check_hierarchy(name: str, value: Any) -> None:
    if value is not None and not isinstance(value, Hierarchy):
        raise TypeError(
            f"{name}={value!r:.60} ({type(value).__name__}) must be None or a slantwood.Hierarchy: make one "
            "with Hierarchy.from_paths, from_edges or from_networkx"
        )


def _count_or_share(minimum: int, maximum: float = 1.0) -> Check:
    def check(name: str, value: Any) -> None:
        if isinstance(value, bool) or not isinstance(value, Real):
            either = f"a whole number of rows, at least {minimum}, or a share of them as a float"
            raise TypeError(f"{name}={with_type(value)} must be {either}")
        if isinstance(value, Integral):
            check_integer(name, value, minimum)
        else:
            check_real(name, value, 0.0, maximum, open_minimum=True)

    return check


def _check_leaf(name: str, value: Any) -> None:
    _count_or_share(1)(name, value)
    if value == 1.0 and not isinstance(value, Integral):
        raise ValueError(
            f"{name}={value!r} is the share of all rows; give 1 for one row, or a share below 1.0"
        )


_SHARE = partial(check_real, minimum=0.0, maximum=1.0)
_CHECKS: dict[str, Check] = {
    "n_estimators": partial(check_integer, minimum=1),
    "preset": partial(check_choice, choices=tuple(PRESETS)),
    "max_depth": _none_or(partial(check_integer, minimum=1)),
    "min_samples_split": _auto_or(_count_or_share(2)),
    "min_samples_leaf": _auto_or(_check_leaf),
    "min_weight_fraction_leaf": partial(check_real, minimum=0.0, maximum=0.5),
    "max_leaf_nodes": _none_or(partial(check_integer, minimum=2)),
    "min_impurity_decrease": _auto_or(_SHARE),
    "acceptance": partial(check_choice, choices=(AUTO, "direction", "impurity")),
    "feature_sampling": partial(check_choice, choices=(AUTO, "varying", "all")),
    "ftest": _none_or(partial(check_real, minimum=0.0, maximum=1.0, open_minimum=True)),
    "ccp_alpha": partial(check_real, minimum=0.0),
    "leaves": partial(check_choice, choices=("mean", "linear", AUTO)),
    "bootstrap": _auto_or(check_flag),
    "max_memory": _none_or(check_memory),
    "max_samples": _none_or(_count_or_share(1, math.inf)),
    # Whether they are too many only X tells.
    "max_features": lambda name, value: check_max_features(value, sys.maxsize),
    "normalize_rows": _auto_or(check_flag),
    "normalize_labels": _auto_or(check_flag),
    "oob_score": check_flag,
    "warm_start": check_flag,
    "verbose": partial(check_integer, minimum=0),
    "missing_indicators": _auto_or(check_flag),
    "unlabeled_weight": _none_or(_auto_or(_SHARE)),
    "n_jobs": _none_or(_check_jobs),
    "learning_rate": partial(check_real, minimum=0.0, maximum=1.0, open_minimum=True),
    "subsample": partial(check_real, minimum=0.0, maximum=1.0, open_minimum=True),
    "l2_regularization": partial(check_real, minimum=0.0),
    "early_stopping": check_flag,
    "validation_fraction": partial(check_real, minimum=0.0, maximum=0.5, open_minimum=True),
    "n_iter_no_change": partial(check_integer, minimum=1),
    "multi_output": partial(check_choice, choices=("auto", "labels", "targets")),
    "threshold": lambda name, value: not isinstance(value, str) or check_choice(name, value, THRESHOLD_RULES),
    "hierarchy": _check_hierarchy,
}


def check_given_weights(sample_weight: Any, n_rows: int) -> np.ndarray:
    """Return one finite, non-negative float64 weight per row, not all zero, as given."""
    if sample_weight is None:
        return np.ones(n_rows)
    given = np.full(n_rows, sample_weight) if isinstance(sample_weight, Real) else sample_weight
    weights = _real_array("sample_weight", given)
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight must be a 1D array of shape ({n_rows},), one weight for each row of X, or a "
            f"single number; got an array of shape {weights.shape}"
        )
    if not np.isfinite(weights).all():
        raise ValueError("sample_weight holds NaN or infinite values; every weight must be a finite number")
    if (weights < 0).any():
        raise ValueError(f"sample_weight holds the negative value {weights.min()}; use 0 to leave a row out")
    positive = weights[weights > 0]
    if len(positive) == 0:
        raise ValueError("sample_weight is zero for every row; at least one row must have a positive weight")
    if positive.min() < 1e-100 or positive.max() > 1e100:
        raise ValueError(
            f"sample_weight ranges from {positive.min()} to {positive.max()}; positive weights must lie "
            "between 1e-100 and 1e100, so that their squares can be added up: divide them by their mean"
        )
    return weights


def check_row_weights(sample_weight: Any, n_rows: int, mean_weight: float | None = None) -> np.ndarray:
    """Return one finite, non-negative float64 weight per row, not all zero, in units of their mean.

    The mean is that of the positive ones. Weights are then rounded to single precision, in which a common
    factor leaves no trace; where rows are a part of all, whose mean is given, they are not.

    Parameters
    ----------
    sample_weight : array of shape (n_rows,), number or None
        As `fit` takes it.
    n_rows : int
        Rows of X.
    mean_weight : float, optional
        Mean over all rows, where these are a part of them.
    """
    weights = check_given_weights(sample_weight, n_rows)
    positive = weights[weights > 0]
    unit = float(positive.mean()) if mean_weight is None else mean_weight
    if positive.min() < 1e-18 * unit:
        raise ValueError(
            f"sample_weight ranges from {positive.min()} to {positive.max()}; positive weights must be at "
            "least 1e-18 of their mean, whose square single precision holds: give 0 to leave a row out"
        )
    scaled = weights / unit
    return scaled.astype(np.float32).astype(np.float64) if mean_weight is None else scaled


def check_target_weights(target_weights: Any, targets: Targets) -> np.ndarray:
    """Return float64 weights of the target columns; empty where all count the same.

    Several targets have one weight each, which is that of all their columns.
    """
    if target_weights is None:
        return np.empty(0)
    weights = _real_array("target_weights", target_weights)
    sizes = targets.block_sizes
    expected = len(sizes) or targets.n_columns
    if weights.shape != (expected,):
        each = "of the targets (one for two classes, one per class for more, one per label, one per number)"
        raise ValueError(
            f"target_weights has shape {weights.shape}; expected ({expected},), one weight for each column "
            f"{'of y' if len(sizes) else each}"
        )
    if not np.isfinite(weights).all() or (weights < 0).any() or not (weights > 0).any():
        raise ValueError(
            "target_weights must be finite, not negative, and positive for at least one target; got "
            f"values from {weights.min()} to {weights.max()}"
        )
    return np.repeat(weights, sizes) if len(sizes) else weights


def _real_array(name: str, given: Any) -> np.ndarray:
    array = np.asarray(given)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} has dtype {array.dtype}; it must hold real numbers")
    return array.astype(np.float64)


def check_max_features(value: Any, n_features: int) -> None:
    """Check how many features splits may combine, unless that is left to the data."""
    if not (isinstance(value, str) and value == AUTO):
        count_features(value, n_features)


def check_threshold(value: Any, targets: Any) -> None:
    """Check from which score on labels are chosen: a number, one for each label, or how to tune them.

    The second of two classes is chosen like a label, by a number; of more classes the most probable one.
    """
    if isinstance(value, Real) and check_real("threshold", value, 0.0, 1.0) == _NEUTRAL:
        return
    if targets.task in SEVERAL_TASKS:
        raise ValueError(
            f"threshold={value!r:.60} has no meaning for the {len(targets.parts)} targets of y, of which "
            f"predict returns the most probable classes; leave threshold at {_NEUTRAL}, or choose by "
            "predict_proba"
        )
    if targets.task == "multi-class":
        raise ValueError(
            f"threshold={value!r} has no meaning for the {len(targets.classes)} classes of y, of which "
            f"predict returns the most probable one; leave threshold at {_NEUTRAL}, or choose by "
            "predict_proba"
        )
    if isinstance(value, Real):
        return
    if targets.task not in LABEL_TASKS:
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
        raise TypeError(f"threshold={with_type(value)} must be a number, or one for each label") from error
    if each.shape != (targets.n_columns,):
        raise ValueError(f"threshold has shape {each.shape}; expected ({targets.n_columns},), or one number")
    if not ((each >= 0.0) & (each <= 1.0)).all():
        raise ValueError(f"threshold must lie between 0 and 1; got values from {each.min()} to {each.max()}")


def check_preset(preset: str, is_single_tree: bool) -> None:
    """Check that a preset is for such an estimator."""
    if is_single_tree and not PRESETS[preset].single_trees:
        fitting = [name for name, each in PRESETS.items() if each.single_trees]
        raise ValueError(f"preset={preset!r} is for forests; for a single tree give {listed(fitting)}")


def check_split(given: Any, split: Any, data: TrainingData) -> None:
    """Check that a split learner, given in this form, is for the task and for what scores its splits."""
    task = data.targets.task
    if task not in split.tasks:
        raise ValueError(
            f"split={given!r} is for {listed(split.tasks)} targets, and y is {task}; choose another split "
            "learner, such as 'gradient', which is for all tasks"
        )
    if split.reads_labels and not data.clustering.is_default:
        raise ValueError(
            f"split={given!r} reads the labels of the rows, and clustering says that something else scores "
            "splits; give no clustering, or choose another split learner, such as 'gradient'"
        )


def check_names(name: str, given: Sequence[str], counts: tuple[int, ...]) -> tuple[str, ...]:
    """Return names of columns, of which there must be as many as one of the `counts` says."""
    if isinstance(given, str):
        raise TypeError(f"{name}={given!r:.60} must be a sequence of names, one for each column")
    names = tuple(map(str, given))
    if len(names) not in counts:
        raise ValueError(f"{name} has {len(names)} names; expected {' or '.join(map(str, counts))}")
    return names


def same_names(
    name: str, given: tuple[str, ...] | None, earlier: tuple[str, ...] | None
) -> tuple[str, ...] | None:
    """Return the names of columns, which are those that a model knows where it knows any and none are given.

    Others would mean that trees learned from columns in another order. (One column has no order.)
    """
    if not given or not earlier:
        return given or earlier
    if len(given) > 1 and given != earlier:
        raise ValueError(
            f"the columns of y are called {listed(given)}, and were {listed(earlier)} when the model was "
            f"fitted ({name}); give the same ones in the same order"
        )
    return given


def check_column_names(names: Sequence[str] | None, n_columns: int) -> tuple[str, ...] | None:
    """Return one name for each column of y, all different; None where there are none."""
    if names is None:
        return None
    checked = check_names("target_names", names, (0, n_columns))
    if len(set(checked)) < len(checked):
        twice = next(name for name in checked if checked.count(name) > 1)
        raise ValueError(f"target_names has {shown(twice)} more than once; give every column its own name")
    return checked or None


def target_name_counts(targets: Targets) -> tuple[int, ...]:
    """Return how many names y may have: classes and label sets may be what one column of a file holds."""
    n_columns = len(targets.block_sizes) or targets.n_columns
    if targets.task in SEVERAL_TASKS:
        return (0, n_columns)
    has_columns = targets.task in (*NUMBER_TASKS, "multi-label") and not targets.as_sets
    return (0, n_columns) if has_columns else (0, 1, n_columns)


def check_unlabeled(unlabeled_weight: Any, clustering: Clustering) -> None:
    """Check that rows without label can have the part that is asked for."""
    if unlabeled_weight is not None and not clustering.is_default:
        raise ValueError(
            f"unlabeled_weight={unlabeled_weight!r} is for splits that the targets score, and clustering "
            "says what scores them; give unlabeled_weight=None, or no clustering"
        )


def check_clustering(clustering: Any, n_rows: int) -> Clustering:
    """Return what scores splits; a matrix of the user's own as numbers, one row for each row of X."""
    chosen = as_clustering(clustering)
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
        raise TypeError(f"clustering must hold real numbers, not {columns.dtype} ({error})") from error
    allowed = {"accept_sparse": "csr", "ensure_all_finite": "allow-nan"}
    columns = check_array(columns, input_name="clustering", **allowed)
    if sp.issparse(columns):
        columns.sum_duplicates()  # of a copy, as `astype` makes one
    if not known_rows(columns).any():
        raise ValueError("clustering has no value that is known: all are NaN")
    return replace(chosen, attributes=columns)
