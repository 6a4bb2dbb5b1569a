"""What one fit takes, measured in a process of its own: CPU seconds, memory, the size of the model.

Seconds are those of the processor, of one thread, so that others at work on the machine matter little.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood import (
    AxisParallelSplit,
    GradientSplit,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    SVMSplit,
)
from slantwood.callbacks import Callback
from slantwood_bench.scripts.cost_points import Point, problem
from slantwood_bench.usage import usage_of

_LEARNERS = {"gradient": GradientSplit, "axis": AxisParallelSplit, "svm": SVMSplit}

# Trees are grown until so many seconds are over, so that short fits are measured as well as long ones.
_ENOUGH_SECONDS = 0.5
_MOST_TREES = 8
_PILOT_TREES = 20
MOST_PREDICTED = 5000


@dataclass(frozen=True)
class Measured:
    """What a fit took."""

    n_trees: int
    tree_seconds: float  # CPU, of one tree
    setup_seconds: float  # CPU before the first tree
    peak_bytes: float  # of memory above what the process had with X and y in it
    input_bytes: float  # of X and y as they were given
    model_bytes: float  # of one tree
    leaves: float  # of one tree
    depth: float  # of the leaf of a row, on average
    split_weights: float  # of one tree
    predict_seconds: float  # CPU, of one row by one tree
    nonzeros_per_row: float  # as drawn
    labels_per_row: float


class _Clock(Callback):
    """Notes the CPU time at the end of each tree; says when there are enough."""

    def __init__(self, pilot: bool) -> None:
        self.pilot = pilot
        self.begun = 0.0
        self.ends: list[float] = []

    def on_fit_task_end(self, estimator: Any, context: Any) -> bool:
        """Note the time; stop when all trees but the first took long enough."""
        if context.task_name != "tree":
            return False
        self.ends.append(time.process_time())
        return len(self.ends) > 1 and not self.pilot and self.ends[-1] - self.ends[0] > _ENOUGH_SECONDS


def forest(point: Point, n_trees: int) -> Any:
    """Return the forest that is measured, of one thread.

    Parameters
    ----------
    point : Point
        The size.
    n_trees : int
        Trees at the most.

    Returns
    -------
    estimator
        A classifier or regressor.
    """
    given: dict[str, Any] = {"split": _LEARNERS[point.split](), "n_jobs": 1, "random_state": 0}
    if point.min_samples_split is not None:
        given["min_samples_split"] = point.min_samples_split
    if "regression" in point.task:
        return ObliqueForestRegressor(n_trees, leaves=point.leaves, **given)
    return ObliqueForestClassifier(n_trees, **given)


def measure(point: Point) -> Measured:
    """Fit a forest in this process, and say what it took.

    Parameters
    ----------
    point : Point
        The size.

    Returns
    -------
    Measured
        Seconds and bytes.
    """
    X, y = problem(point)
    _load_code(point, X, y)
    clock = _Clock(point.pilot)
    model = forest(point, _PILOT_TREES if point.pilot else _MOST_TREES).set_callbacks(clock)
    if not point.pilot:
        model.set_params(min_samples_split=_leaf_size_by_rule(point, X, y))
    clock.begun = time.process_time()
    usage = usage_of(lambda: model.fit(X, y))
    n_trees = len(clock.ends)
    tree_seconds = (clock.ends[-1] - clock.ends[0]) / (n_trees - 1)
    some = X[:MOST_PREDICTED]
    predict = model.predict if point.task.endswith("regression") else model.predict_proba
    begun = time.process_time()
    predict(some)
    predicting = time.process_time() - begun
    trees = model.trees_
    return Measured(
        n_trees=n_trees,
        tree_seconds=tree_seconds,
        setup_seconds=clock.ends[0] - clock.begun - tree_seconds,
        peak_bytes=usage.grown * 1e6,
        input_bytes=float(_n_bytes(X) + _n_bytes(y)),
        model_bytes=trees.nbytes / n_trees,
        leaves=float((trees.left < 0).sum()) / n_trees,
        depth=_depth_of_rows(trees),
        split_weights=len(trees.weights) / n_trees,
        predict_seconds=predicting / some.shape[0] / n_trees,
        nonzeros_per_row=X.nnz / point.rows if sp.issparse(X) else float(point.features),
        labels_per_row=y.nnz / point.rows if sp.issparse(y) else 1.0,
    )


def _leaf_size_by_rule(point: Point, X: Any, y: Any) -> Any:
    """Return the size of leaves of a point, or what the rules have, so that no pilot is measured."""
    stump = forest(point, 1).set_params(preset="fast", max_depth=1)
    return stump.fit(X, y).settings_.min_samples_split


def _depth_of_rows(trees: Any) -> float:
    is_leaf = trees.left < 0
    weight = trees.node_weight[is_leaf]
    return float(weight @ trees.depth[is_leaf] / weight.sum())


def _load_code(point: Point, X: Any, y: Any) -> None:
    """Fit something tiny of the same kind: loading machine code is not what is measured."""
    tiny = min(point.rows, 60)
    few = forest(point, 2).set_callbacks(_Clock(pilot=True))
    few.fit(X[:tiny], y[:tiny])
    few.predict(X[:5])


def _n_bytes(matrix: Any) -> int:
    if sp.issparse(matrix):
        return int(matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes)
    return int(np.asarray(matrix).nbytes)
