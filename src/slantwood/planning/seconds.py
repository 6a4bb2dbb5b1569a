"""How many CPU seconds a forest takes: its trees, what comes before them, and predictions.

Counts of what there is to do come from `work`, by the way trees grow; the seconds of each are fitted
coefficients. `docs/planning.md` says how well they predict forests that they were not fitted on.
"""

from __future__ import annotations

from dataclasses import replace

from slantwood.ensemble.leaf_size import PilotSize, pilot_size
from slantwood.ensemble.tuning import LEAST_ROWS, MOST_ROWS
from slantwood.planning.coefficients import Coefficients, shipped
from slantwood.planning.memory import model_bytes
from slantwood.planning.shapes import group_of, tree_shape, weights_per_split
from slantwood.planning.work import Shape, prediction_work, setup_work, tree_work
from slantwood.planning.workload import Workload
from slantwood.task_names import NUMBER_TASKS

__all__ = ["choosing_seconds", "predict_seconds", "setup_seconds", "tree_seconds", "tree_seconds_of"]


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
    >>> from slantwood.planning.seconds import tree_seconds
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
    >>> from slantwood.planning.seconds import tree_seconds_of
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
    >>> from slantwood.planning.seconds import setup_seconds
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
    >>> from slantwood.planning.seconds import choosing_seconds
    >>> choosing_seconds(Workload(10_000, 50, min_samples_split=5))
    0.0
    """
    numbers = numbers or shipped()
    probe = work.probe
    if probe is not None and probe.choosing_seconds is not None:
        # Much of a pilot is done row by row: it grows with rows, and not as fast as trees do.
        looked_at = [n * rows for n, rows in (_pilot_of(work), _pilot_of(work.with_rows(probe.rows)))]
        return probe.choosing_seconds * looked_at[0] / looked_at[1]
    if work.rows < LEAST_ROWS or work.min_samples_split is not None:
        return 0.0
    return _pilot_seconds(work, numbers) * numbers.pilot[work.split]


def _pilot_seconds(work: Workload, numbers: Coefficients) -> float:
    """Return the seconds of the trees that a pilot grows."""
    pilot = _pilot_of(work)
    inner = work.part_of_rows(pilot.tree_rows)
    seconds = pilot.n_trees * tree_seconds(replace(inner, leaves="mean"), numbers)
    if work.leaves == "auto" and work.task in NUMBER_TASKS:
        # A second pilot finds out whether leaves shall have slopes.
        seconds += pilot.n_trees * tree_seconds(replace(inner, leaves="linear"), numbers)
    return seconds


def _pilot_of(work: Workload) -> PilotSize:
    return pilot_size(min(work.rows, MOST_ROWS))


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
    >>> from slantwood.planning.seconds import predict_seconds
    >>> predict_seconds(Workload(10_000, 50), 2e6) > predict_seconds(Workload(10_000, 50), 1e6)
    True
    """
    numbers = numbers or shipped()
    forest_bytes = work.n_trees * model_bytes(work, numbers)
    shape, weights = tree_shape(work, numbers), weights_per_split(work, numbers)
    counts = prediction_work(work, shape, weights, forest_bytes, rows)
    of_row = sum(numbers.predict[name] * count for name, count in counts.items())
    return rows * work.n_trees * of_row
