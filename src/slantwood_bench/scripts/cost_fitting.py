"""Coefficients of the cost model from measurements, and how far predictions are from those held out.

All errors are relative: what is fitted is the logarithm of predicted over measured, with coefficients that
are positive. A small pull towards a common value keeps those in place that few measurements tell.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import least_squares

from slantwood.planning.coefficients import Coefficients
from slantwood.planning.memory import fit_bytes, memory_parts, model_bytes
from slantwood.planning.seconds import (
    choosing_seconds,
    predict_seconds,
    setup_seconds,
    tree_seconds,
    tree_seconds_of,
)
from slantwood.planning.shapes import group_of
from slantwood.planning.sizes import feature_bytes, target_bytes
from slantwood.planning.work import (
    Shape,
    balanced_depth,
    prediction_work,
    setup_work,
    tree_work,
    used_features,
)
from slantwood.planning.workload import Workload
from slantwood.task_names import CLASS_TASKS
from slantwood_bench.scripts.cost_measuring import MOST_PREDICTED, Measured
from slantwood_bench.scripts.cost_points import Point

_PULL = 0.05  # of each parameter towards its common value, in units of a log error
_LARGE = 4e6
_SIZES = ("rows", "features", "targets")


class Pair(NamedTuple):
    """A point and what was measured there."""

    point: Point
    measured: Measured

    @property
    def workload(self) -> Workload:
        """The workload of which costs are predicted."""
        point, found = self.point, self.measured
        return Workload(
            point.rows,
            point.features,
            point.targets,
            task=point.task,
            nonzeros_per_row=found.nonzeros_per_row,
            labels_per_row=found.labels_per_row if point.task == "multi-label" else 5.0,
            n_trees=found.n_trees,
            split=point.split,
            min_samples_split=point.min_samples_split,
            leaves=point.leaves,
        )

    @property
    def leaf_rows(self) -> float:
        """Distinct rows of a leaf, as measured."""
        return self.workload.growth().tree_rows / self.measured.leaves

    @property
    def shape(self) -> Shape:
        """How trees grew, as measured."""
        leaf = self.leaf_rows
        return Shape(leaf, max(self.measured.depth / balanced_depth(self.workload, leaf), 1.0))


def fitted(pairs: Sequence[Pair], measured: dict[str, str]) -> Coefficients:
    """Fit all coefficients.

    Parameters
    ----------
    pairs : sequence of Pair
        Measurements to fit on; held-out ones must not be among them.
    measured : dict of str to str
        When and where.

    Returns
    -------
    Coefficients
        The numbers, without errors of held-out measurements.
    """
    plain = [each for each in pairs if not each.point.pilot]
    groups: dict[str, list[Pair]] = {}
    for each in plain:
        groups.setdefault(group_of(each.workload), []).append(each)
    splits = {each.point.split for each in plain}
    tree: dict[str, dict[str, float]] = {}
    task: dict[str, dict[str, float]] = {}
    for split in sorted(splits):
        own = [each for each in plain if each.point.split == split]
        of_tree, task[split] = _fit_tree(own)
        tree |= of_tree
    numbers = Coefficients(
        measured=measured,
        largest=largest_sizes(plain),
        checked={},
        errors={},
        plans={},
        tree=tree,
        task=task,
        leaf={name: _fit_leaf(group) for name, group in groups.items()},
        stretch={name: _fit_stretch(group) for name, group in groups.items()},
        weights={name: _fit_weights(group) for name, group in groups.items()},
        setup=_fit_sum([(setup_work(each.workload), each.measured.setup_seconds) for each in plain]),
        pilot=dict.fromkeys(splits, 1.0),
        memory={},
        predict={},
    )
    memory = [
        (
            memory_parts(each.workload, 1, numbers),
            feature_bytes(each.workload) + each.measured.peak_bytes,
        )
        for each in plain
        if is_large(each)
    ]
    predicting = [
        (
            prediction_work(
                each.workload,
                each.shape,
                _weights_of(each),
                each.measured.n_trees * each.measured.model_bytes,
                _n_predicted(each),
            ),
            each.measured.predict_seconds,
        )
        for each in plain
    ]
    numbers = replace(numbers, memory=_fit_sum(memory), predict=_fit_sum(predicting))
    return replace(numbers, pilot={split: _fit_pilot(pairs, split, numbers) for split in splits})


def is_large(pair: Pair) -> bool:
    """Return whether rows are so many that their memory is more than what a process has to spare anyway.

    Parameters
    ----------
    pair : Pair
        A point.

    Returns
    -------
    bool
        Whether its memory is looked at.
    """
    return feature_bytes(pair.workload) + target_bytes(pair.workload) >= _LARGE


def largest_sizes(pairs: Sequence[Pair]) -> dict[str, dict[str, float]]:
    """Return the largest numbers of rows, features and targets.

    Parameters
    ----------
    pairs : sequence of Pair
        Measurements.

    Returns
    -------
    dict of str to dict
        Sizes by split learner and form of X.
    """
    found: dict[str, dict[str, float]] = {}
    for each in pairs:
        own = found.setdefault(group_of(each.workload), dict.fromkeys(_SIZES, 0.0))
        for name in _SIZES:
            own[name] = max(own[name], float(getattr(each.point, name)))
    return found


def _weights_of(pair: Pair) -> float:
    return max(pair.measured.split_weights / max(pair.measured.leaves - 1.0, 1.0), 1.0)


def _solved(errors: Callable[[np.ndarray], np.ndarray], start: np.ndarray) -> np.ndarray:
    # Robust against single measurements that something else on the machine disturbed.
    return np.asarray(least_squares(errors, start, loss="soft_l1", f_scale=0.3, max_nfev=4000).x)


def _typical(found: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return factors of each of which alone would make up what was measured."""
    there = counts > 0
    return np.array(
        [np.median(found[own] / counts[own, k]) if own.any() else 1e-9 for k, own in enumerate(there.T)]
    )


def _fit_sum(rows: Sequence[tuple[dict[str, float], float]]) -> dict[str, float]:
    """Fit positive factors of a sum to relative errors."""
    names = list(rows[0][0])
    counts = np.array([[row[name] for name in names] for row, _ in rows])
    found = np.array([max(value, 1e-12) for _, value in rows])
    start = np.log(_typical(found, counts) / len(names))

    def errors(values: np.ndarray) -> np.ndarray:
        pull = 0.3 * _PULL * (values - start)
        return np.concatenate([np.log(counts @ np.exp(values) / found), pull])

    return dict(zip(names, np.exp(_solved(errors, start)).tolist(), strict=True))


def _fit_tree(pairs: Sequence[Pair]) -> tuple[dict[str, dict[str, float]], dict[str, float]]:
    """Fit seconds per count for dense and for sparse X, and factors of tasks that both share."""
    forms = sorted({group_of(each.workload) for each in pairs})
    tasks = sorted({each.point.task for each in pairs})
    works = [tree_work(each.workload, each.shape) for each in pairs]
    names = list(works[0])
    counts = np.array([[work[name] for name in names] for work in works])
    found = np.array([each.measured.tree_seconds for each in pairs])
    form_of = np.array([forms.index(group_of(each.workload)) for each in pairs])
    task_of = np.array([tasks.index(each.point.task) for each in pairs])
    shares = [_typical(found[form_of == k], counts[form_of == k]) for k in range(len(forms))]
    start = np.concatenate([np.log(np.array(shares) / len(names)).ravel(), np.zeros(len(tasks))])
    n_factors = len(forms) * len(names)

    def errors(values: np.ndarray) -> np.ndarray:
        factors = np.exp(values[:n_factors]).reshape(len(forms), len(names))
        told = np.log((counts * factors[form_of]).sum(axis=1)) + values[n_factors:][task_of]
        pull = (values - start) * np.where(np.arange(len(values)) < n_factors, 0.3 * _PULL, 2 * _PULL)
        return np.concatenate([told - np.log(found), pull])

    values = _solved(errors, start)
    factors = np.exp(values[:n_factors]).reshape(len(forms), len(names))
    of_forms = {
        form: dict(zip(names, row.tolist(), strict=True)) for form, row in zip(forms, factors, strict=True)
    }
    factors_of_tasks = dict(zip(tasks, np.exp(values[n_factors:]).tolist(), strict=True))
    return of_forms, factors_of_tasks


def _sizes(group: Sequence[Pair]) -> np.ndarray:
    return np.log([[each.point.rows, each.point.features, each.point.targets] for each in group])


def _fit_leaf(group: Sequence[Pair]) -> dict[str, Any]:
    """Fit the share of `min_samples_split` that a leaf has, and the law of leaves that end by themselves."""
    tasks = sorted({each.point.task for each in group})
    found = np.log([each.leaf_rows for each in group])
    limit = np.array([each.workload.growth().min_samples_split for each in group], float)
    is_class = np.array([each.point.task in CLASS_TASKS for each in group], float)
    sizes = _sizes(group) * is_class[:, None]
    task_of = np.array([tasks.index(each.point.task) for each in group])
    n = len(tasks)
    start = np.concatenate([np.zeros(3), np.full(n, np.log(0.6)), np.zeros(n)])
    pulls = np.array([2.0] * 3 + [3.0] * n + [1.0] * n) * _PULL

    def errors(values: np.ndarray) -> np.ndarray:
        floor = np.exp(values[3 + n :][task_of] + sizes @ values[:3])
        told = np.log(np.maximum(np.hypot(np.exp(values[3 : 3 + n])[task_of] * limit, floor), 1.0))
        return np.concatenate([told - found, pulls * (values - start)])

    values = _solved(errors, start).tolist()
    return {
        **dict(zip(_SIZES, values, strict=False)),
        "shares": dict(zip(tasks, map(math.exp, values[3 : 3 + n]), strict=True)),
        "tasks": dict(zip(tasks, values[3 + n :], strict=True)),
    }


def _fit_stretch(group: Sequence[Pair]) -> dict[str, Any]:
    tasks = sorted({each.point.task for each in group})
    found = np.log([each.shape.stretch for each in group])
    sizes = _sizes(group)
    task_of = np.array([tasks.index(each.point.task) for each in group])
    start = np.zeros(3 + len(tasks))
    pulls = np.array([2.0, 2.0, 2.0] + [1.0] * len(tasks)) * _PULL

    def errors(values: np.ndarray) -> np.ndarray:
        told = values[3:][task_of] + sizes @ values[:3]
        return np.concatenate([np.maximum(told, 0.0) - found, pulls * values])

    values = _solved(errors, start + 0.01).tolist()
    return {**dict(zip(_SIZES, values, strict=False)), "tasks": dict(zip(tasks, values[3:], strict=True))}


def _fit_weights(group: Sequence[Pair]) -> dict[str, Any]:
    tasks = sorted({each.point.task for each in group})
    found = np.log([_weights_of(each) for each in group])
    widths = [
        used_features(each.workload, each.workload.growth(), 2 * each.leaf_rows).width for each in group
    ]
    width = np.log(np.maximum(widths, 1.0))
    leaf = np.log([each.leaf_rows for each in group])
    task_of = np.array([tasks.index(each.point.task) for each in group])
    start = np.array([0.7, 0.0, *np.zeros(len(tasks))])

    def errors(values: np.ndarray) -> np.ndarray:
        told = values[2:][task_of] + values[0] * width + values[1] * leaf
        return np.concatenate([told - found, _PULL * (values - start)])

    of_width, of_leaf, *of_tasks = _solved(errors, start).tolist()
    return {"width": of_width, "leaf": of_leaf, "tasks": dict(zip(tasks, of_tasks, strict=True))}


def _fit_pilot(pairs: Sequence[Pair], split: str, numbers: Coefficients) -> float:
    ratios = [
        each.measured.setup_seconds / predicted_of(each, numbers).choosing_seconds
        for each in pairs
        if each.point.pilot and each.point.split == split
    ]
    return float(np.exp(np.mean(np.log(ratios)))) if ratios else 1.0


@dataclass(frozen=True)
class Predicted:
    """What the model says of a point."""

    tree_seconds: float
    tree_seconds_of_shape: float  # where leaves and depth are those of the measured trees
    choosing_seconds: float  # with what comes before trees otherwise
    memory: float
    model_bytes: float
    predict_seconds: float


def predicted_of(pair: Pair, numbers: Coefficients) -> Predicted:
    """Predict all costs of a point.

    Parameters
    ----------
    pair : Pair
        The point; of what was measured there, only how rows were drawn is looked at, and the rows of a leaf
        where they are said to be given.
    numbers : Coefficients
        Fitted numbers.

    Returns
    -------
    Predicted
        The costs.
    """
    work = pair.workload
    return Predicted(
        tree_seconds=tree_seconds(work, numbers),
        tree_seconds_of_shape=tree_seconds_of(work, pair.shape, numbers),
        choosing_seconds=choosing_seconds(work, numbers) + setup_seconds(work, numbers),
        memory=fit_bytes(work, 1, numbers) if numbers.memory else math.nan,
        model_bytes=model_bytes(work, numbers),
        predict_seconds=_predicted_seconds(pair, numbers) if numbers.predict else math.nan,
    )


def _n_predicted(pair: Pair) -> int:
    return min(pair.point.rows, MOST_PREDICTED)


def _predicted_seconds(pair: Pair, numbers: Coefficients) -> float:
    rows = _n_predicted(pair)
    return predict_seconds(pair.workload, rows, numbers) / rows / pair.measured.n_trees


def measured_of(pair: Pair) -> Predicted:
    """Return what was measured, in the form of a prediction.

    Parameters
    ----------
    pair : Pair
        The point.

    Returns
    -------
    Predicted
        The costs.
    """
    found = pair.measured
    return Predicted(
        tree_seconds=found.tree_seconds,
        tree_seconds_of_shape=found.tree_seconds,
        choosing_seconds=found.setup_seconds,
        memory=feature_bytes(pair.workload) + found.peak_bytes,
        model_bytes=found.model_bytes,
        predict_seconds=found.predict_seconds,
    )
