"""What a forest costs: CPU seconds, bytes of memory, bytes of the model; pure functions of a workload.

Counts of what there is to do come from `work` and `sizes`, by the way trees grow; the seconds and bytes of
each are fitted coefficients. `docs/planning.md` says how well they predict forests that they were not fitted
on.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from slantwood.planning.coefficients import Coefficients, shipped
from slantwood.planning.sizes import feature_bytes, scoring_bytes, target_bytes
from slantwood.planning.work import (
    Shape,
    active_targets,
    balanced_depth,
    prediction_work,
    setup_work,
    tree_work,
    used_features,
)
from slantwood.planning.workload import Probe, Workload
from slantwood.task_names import CLASS_TASKS, NUMBER_TASKS

__all__ = [
    "choosing_seconds",
    "fit_bytes",
    "group_of",
    "memory_parts",
    "model_bytes",
    "power_law",
    "predict_seconds",
    "rows_per_leaf",
    "setup_seconds",
    "tree_seconds",
    "tree_seconds_of",
    "tree_shape",
    "weights_per_split",
]

# Of a pilot: rows at the most, trees of all its folds, the share of the rows that a tree is grown on, and the
# least number of trees for which there is one.
_PILOT_ROWS = 20_000
_PILOT_TREES, _PILOT_TREES_OF_FEW = 16, 40
_PILOT_SHARE, _PILOT_SHARE_OF_FEW = 0.75, 0.9
_FEW_ROWS, _LEAST_ROWS, _LEAST_TREES = 1000, 100, 20

# Powers of rows by which leaves, and how far trees are out of balance, may grow from a probe to all rows.
# Half of the power that a probe shows is taken: part of it is chance, and leaves do not grow for ever.
_OF_LEAVES, _OF_STRETCH, _OF_POWER = (-0.25, 1.0), (-0.1, 0.3), 0.5

_NODE_BYTES = 40  # of the arrays over nodes
_SPLIT_WEIGHT_BYTES = 12  # a float32, its column, and the mean there
_CSR_CELL, _CSR_ROW, _FLOAT32 = 8, 8, 4


def group_of(work: Workload) -> str:
    """Return the name of the coefficients of a workload: its split learner, and the form of X.

    Parameters
    ----------
    work : Workload
        The forest.

    Returns
    -------
    str
        The name.

    Examples
    --------
    >>> from slantwood.planning import Workload
    >>> from slantwood.planning.costs import group_of
    >>> group_of(Workload(1000, 50))
    'gradient dense'
    """
    return f"{work.split} {'sparse' if work.is_sparse else 'dense'}"


def power_law(law: dict[str, Any], task: str, **values: float) -> float:
    """Return exp(b_task) times powers of values.

    Parameters
    ----------
    law : dict
        "tasks", with b of each task, and exponents by the names of values.
    task : str
        The task.
    **values : float
        Positive numbers.

    Returns
    -------
    float
        The product.

    Examples
    --------
    >>> from slantwood.planning.costs import power_law
    >>> power_law({"tasks": {"binary": 0.0}, "rows": 0.5}, "binary", rows=9.0)
    3.0
    """
    exponents = {name: exponent for name, exponent in law.items() if name in values}
    return math.exp(law["tasks"].get(task, 0.0)) * math.prod(
        values[name] ** exponent for name, exponent in exponents.items()
    )


def rows_per_leaf(work: Workload, numbers: Coefficients | None = None) -> float:
    """Return how many distinct rows a leaf has on average, by the measured data or as the workload says.

    Parameters
    ----------
    work : Workload
        The forest.
    numbers : Coefficients, optional
        Fitted numbers; those of the package by default.

    Returns
    -------
    float
        Rows.

    Examples
    --------
    >>> from slantwood.planning import Workload
    >>> from slantwood.planning.costs import rows_per_leaf
    >>> rows_per_leaf(Workload(1000, 50, rows_per_leaf=7.0))
    7.0
    """
    if work.rows_per_leaf is not None:
        return work.rows_per_leaf
    if work.probe is not None and work.probe.rows_per_leaf is not None:
        told = work.probe.rows_per_leaf * _growth_since(work, lambda probe: probe.rows_per_leaf, *_OF_LEAVES)
        return min(max(told, 1.0), work.growth().tree_rows)
    numbers = numbers or shipped()
    group, growth = group_of(work), work.growth()
    law = numbers.leaf[group]
    # How pure nodes become depends on sizes where targets are classes; others end by their rows.
    sizes = _clamped(work, numbers) if work.task in CLASS_TASKS else {}
    floor = power_law(law, work.task, **sizes)
    limit = law["shares"][work.task] * growth.min_samples_split
    # Leaves end where rows are few or where nothing is left to tell, whichever is earlier.
    return min(max((limit**2 + floor**2) ** 0.5, 1.0), growth.tree_rows)


def _growth_since(
    work: Workload, of: Callable[[Probe], float | None], lowest: float, highest: float
) -> float:
    """Return how many times as large something is as in the probe: by the power of rows that it shows."""
    large = work.probe
    assert large is not None
    small = large.smaller
    was, became = (None if each is None else of(each) for each in (small, large))
    if small is None or not was or not became:
        return 1.0
    power = math.log(became / was) / math.log(large.rows / small.rows)
    return float((work.rows / large.rows) ** (_OF_POWER * min(max(power, lowest), highest)))


def _clamped(work: Workload, numbers: Coefficients) -> dict[str, float]:
    """Return sizes for power laws, which hold where they were measured; beyond, all is as it is there."""
    largest = numbers.largest[group_of(work)]
    return {name: min(float(getattr(work, name)), largest[name]) for name in ("rows", "features", "targets")}


def tree_shape(work: Workload, numbers: Coefficients | None = None) -> Shape:
    """Return how trees grow, by the measured data, and as far as the workload says.

    Parameters
    ----------
    work : Workload
        The forest.
    numbers : Coefficients, optional
        Fitted numbers; those of the package by default.

    Returns
    -------
    Shape
        Rows of a leaf, and how far trees are out of balance.

    Examples
    --------
    >>> from slantwood.planning import Workload
    >>> from slantwood.planning.costs import tree_shape
    >>> tree_shape(Workload(1000, 50)).stretch >= 1
    True
    """
    numbers = numbers or shipped()
    leaf = rows_per_leaf(work, numbers)
    if work.probe is not None and work.probe.depth is not None:
        stretch = _stretch_of(work, work.probe) or 1.0
        told = stretch * _growth_since(work, lambda probe: _stretch_of(work, probe), *_OF_STRETCH)
        return Shape(leaf, max(told, 1.0))
    law = numbers.stretch[group_of(work)]
    return Shape(leaf, max(power_law(law, work.task, **_clamped(work, numbers)), 1.0))


def _stretch_of(work: Workload, probe: Probe) -> float | None:
    if probe.depth is None or probe.rows_per_leaf is None:
        return None
    return max(probe.depth / balanced_depth(work.with_rows(probe.rows), probe.rows_per_leaf), 1.0)


def weights_per_split(work: Workload, numbers: Coefficients | None = None) -> float:
    """Return how many features a split combines on average: less than it may, since small weights vanish.

    Parameters
    ----------
    work : Workload
        The forest.
    numbers : Coefficients, optional
        Fitted numbers; those of the package by default.

    Returns
    -------
    float
        Features.

    Examples
    --------
    >>> from slantwood.planning import Workload
    >>> from slantwood.planning.costs import weights_per_split
    >>> weights_per_split(Workload(1000, 50, split="axis"))
    1.0
    """
    if work.split == "axis":
        return 1.0
    numbers = numbers or shipped()
    leaf = rows_per_leaf(work, numbers)
    # Most splits are those above leaves.
    width = used_features(work, work.growth(), 2.0 * leaf).width
    law = numbers.weights[group_of(work)]
    return min(max(power_law(law, work.task, width=max(width, 1.0), leaf=leaf), 1.0), max(width, 1.0))


def tree_seconds(work: Workload, numbers: Coefficients | None = None) -> float:
    """Return the CPU seconds of one tree.

    Parameters
    ----------
    work : Workload
        The forest.
    numbers : Coefficients, optional
        Fitted numbers; those of the package by default.

    Returns
    -------
    float
        Seconds of one thread.

    Examples
    --------
    >>> from slantwood.planning import Workload
    >>> from slantwood.planning.costs import tree_seconds
    >>> tree_seconds(Workload(20_000, 50)) > tree_seconds(Workload(10_000, 50))
    True
    """
    numbers = numbers or shipped()
    seconds = tree_seconds_of(work, tree_shape(work, numbers), numbers)
    if work.probe is None:
        return seconds
    # The model says how many times longer than the probe's these trees take.
    probed = work.with_rows(work.probe.rows)
    return seconds * work.probe.tree_seconds / tree_seconds_of(probed, tree_shape(probed, numbers), numbers)


def tree_seconds_of(work: Workload, shape: Shape, numbers: Coefficients) -> float:
    """Return the CPU seconds of one tree of a known shape.

    Parameters
    ----------
    work : Workload
        The forest.
    shape : Shape
        Leaves and balance of its trees.
    numbers : Coefficients
        Fitted numbers.

    Returns
    -------
    float
        Seconds of one thread.

    Examples
    --------
    >>> from slantwood.planning import Workload
    >>> from slantwood.planning.coefficients import shipped
    >>> from slantwood.planning.costs import tree_seconds_of
    >>> from slantwood.planning.work import Shape
    >>> tree_seconds_of(Workload(20_000, 50), Shape(5.0, 1.2), shipped()) > 0
    True
    """
    counts = tree_work(work, shape)
    factors = numbers.tree[group_of(work)]
    seconds = sum(factors[name] * count for name, count in counts.items())
    return seconds * numbers.task[work.split][work.task]


def setup_seconds(work: Workload, numbers: Coefficients | None = None) -> float:
    """Return the CPU seconds before the first tree, choosing settings aside.

    Parameters
    ----------
    work : Workload
        The forest.
    numbers : Coefficients, optional
        Fitted numbers; those of the package by default.

    Returns
    -------
    float
        Seconds.

    Examples
    --------
    >>> from slantwood.planning import Workload
    >>> from slantwood.planning.costs import setup_seconds
    >>> setup_seconds(Workload(10_000, 50)) > 0
    True
    """
    factors = (numbers or shipped()).setup
    return sum(factors[name] * count for name, count in setup_work(work).items())


def choosing_seconds(work: Workload, numbers: Coefficients | None = None) -> float:
    """Return the CPU seconds of the pilot that chooses the size of leaves, once for a forest.

    Parameters
    ----------
    work : Workload
        The forest.
    numbers : Coefficients, optional
        Fitted numbers; those of the package by default.

    Returns
    -------
    float
        Seconds; 0 where there is no pilot.

    Examples
    --------
    >>> from slantwood.planning import Workload
    >>> from slantwood.planning.costs import choosing_seconds
    >>> choosing_seconds(Workload(10_000, 50, n_trees=10))
    0.0
    """
    numbers = numbers or shipped()
    probe = work.probe
    if probe is not None and probe.choosing_seconds is not None:
        # Much of a pilot is done row by row: it grows with rows, and not as fast as trees do.
        return probe.choosing_seconds * _pilot_of(work.rows).all_rows / _pilot_of(probe.rows).all_rows
    if work.n_trees < _LEAST_TREES or work.rows < _LEAST_ROWS or work.min_samples_split is not None:
        return 0.0
    return _pilot_seconds(work, numbers) * numbers.pilot[work.split]


def _pilot_seconds(work: Workload, numbers: Coefficients) -> float:
    """Return the seconds of the trees that a pilot grows."""
    pilot = _pilot_of(work.rows)
    inner = work.with_rows(pilot.tree_rows)
    seconds = pilot.n_trees * tree_seconds(replace(inner, leaves="mean"), numbers)
    if work.leaves == "auto" and work.task in NUMBER_TASKS:
        # A second pilot finds out whether leaves shall have slopes.
        seconds += pilot.n_trees * tree_seconds(replace(inner, leaves="linear"), numbers)
    return seconds


class _Pilot(NamedTuple):
    n_trees: int  # of all folds
    tree_rows: float

    @property
    def all_rows(self) -> float:
        return self.n_trees * self.tree_rows


def _pilot_of(rows: float) -> _Pilot:
    rows = min(rows, _PILOT_ROWS)
    if rows <= _FEW_ROWS:
        return _Pilot(_PILOT_TREES_OF_FEW, rows * _PILOT_SHARE_OF_FEW)
    return _Pilot(_PILOT_TREES, rows * _PILOT_SHARE)


def model_bytes(work: Workload, numbers: Coefficients | None = None) -> float:
    """Return the bytes of one fitted tree in memory.

    Parameters
    ----------
    work : Workload
        The forest.
    numbers : Coefficients, optional
        Fitted numbers; those of the package by default.

    Returns
    -------
    float
        Bytes.

    Examples
    --------
    >>> from slantwood.planning import Workload
    >>> from slantwood.planning.costs import model_bytes
    >>> model_bytes(Workload(20_000, 50)) > model_bytes(Workload(10_000, 50))
    True
    """
    numbers = numbers or shipped()
    leaf_rows = rows_per_leaf(work, numbers)
    n_leaves = max(work.growth().tree_rows / leaf_rows, 1.0)
    if work.probe is not None and work.probe.tree_bytes is not None and work.probe.rows_per_leaf is not None:
        probed_rows = work.with_rows(work.probe.rows).growth().tree_rows
        return work.probe.tree_bytes * n_leaves / max(probed_rows / work.probe.rows_per_leaf, 1.0)
    of_splits = n_leaves * weights_per_split(work, numbers) * _SPLIT_WEIGHT_BYTES
    if work.has_sparse_targets:
        of_leaf = active_targets(work, leaf_rows) * _CSR_CELL + _CSR_ROW
    else:
        of_leaf = work.target_columns * _FLOAT32
    return n_leaves * (2 * _NODE_BYTES + of_leaf) + of_splits


def memory_parts(work: Workload, threads: int, numbers: Coefficients | None = None) -> dict[str, float]:
    """Return the bytes, and counts, that the memory of a fit is made of.

    Parameters
    ----------
    work : Workload
        The forest.
    threads : int
        Trees that grow at the same time.
    numbers : Coefficients, optional
        Fitted numbers; those of the package by default.

    Returns
    -------
    dict of str to float
        "features" and "targets" are what is held once, "blocks" and "samples" what each thread has for a
        tree.

    Examples
    --------
    >>> from slantwood.planning import Workload
    >>> from slantwood.planning.costs import memory_parts
    >>> memory_parts(Workload(1000, 50), threads=1)["features"]
    200000
    """
    growth = work.growth()
    threads = min(threads, work.n_trees)
    used = used_features(work, growth, growth.tree_rows)
    # The root's block has the features of its split and all targets side by side. Learners that look at one
    # feature after the other turn it into columns, and so does what competes with the gradient for numbers.
    by_column = work.split != "gradient" or work.task in NUMBER_TASKS
    block = used.cells * (_CSR_CELL if work.is_sparse else _FLOAT32) * (2.0 if by_column else 1.0)
    block += target_bytes(work) * growth.tree_rows / work.rows
    return {
        "once": 1.0,
        "features": feature_bytes(work),
        "targets": target_bytes(work) + scoring_bytes(work),
        "blocks": threads * block,
        "samples": threads * growth.tree_rows + work.rows,
        "model": work.n_trees * model_bytes(work, numbers),
    }


def fit_bytes(work: Workload, threads: int = 1, numbers: Coefficients | None = None) -> float:
    """Return the memory of a process that fits, X and y included, Python and its libraries not.

    Parameters
    ----------
    work : Workload
        The forest.
    threads : int, default=1
        Trees that grow at the same time.
    numbers : Coefficients, optional
        Fitted numbers; those of the package by default.

    Returns
    -------
    float
        Bytes.

    Examples
    --------
    >>> from slantwood.planning import Workload
    >>> from slantwood.planning.costs import fit_bytes
    >>> fit_bytes(Workload(10_000, 50)) > 2_000_000
    True
    """
    numbers = numbers or shipped()
    parts = memory_parts(work, threads, numbers)
    return sum(numbers.memory[name] * size for name, size in parts.items())


def predict_seconds(work: Workload, rows: float, numbers: Coefficients | None = None) -> float:
    """Return the CPU seconds in which the forest predicts rows.

    Parameters
    ----------
    work : Workload
        The forest.
    rows : float
        Rows to predict.
    numbers : Coefficients, optional
        Fitted numbers; those of the package by default.

    Returns
    -------
    float
        Seconds of one thread.

    Examples
    --------
    >>> from slantwood.planning import Workload
    >>> from slantwood.planning.costs import predict_seconds
    >>> predict_seconds(Workload(10_000, 50), 2e6) > predict_seconds(Workload(10_000, 50), 1e6)
    True
    """
    numbers = numbers or shipped()
    forest_bytes = work.n_trees * model_bytes(work, numbers)
    shape, weights = tree_shape(work, numbers), weights_per_split(work, numbers)
    counts = prediction_work(work, shape, weights, forest_bytes, rows)
    of_row = sum(numbers.predict[name] * count for name, count in counts.items())
    return rows * work.n_trees * of_row
