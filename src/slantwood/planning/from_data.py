"""A plan for rows that are there, some of them at least: sizes are counted, and a probe says the rest."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from slantwood.ensemble.spec import AUTO
from slantwood.ensemble.training_data import TrainingData
from slantwood.features.rows import n_rows_of
from slantwood.hints import listed
from slantwood.planning.plan import Plan, plan_of
from slantwood.planning.probe import probed
from slantwood.planning.ways import Machines
from slantwood.planning.workload import PLANNED_SPLITS, PLANNED_TASKS, Workload
from slantwood.split_names import name_of
from slantwood.task_names import CLASS_TASKS, LABEL_TASKS

__all__ = ["plan_from_data"]


def plan_from_data(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    rows: float | None = None,
    probe_rows: int = 20_000,
    probe_seconds: float = 2.0,
    workers: int = 1,
    threads: int = 4,
    memory: float = 16e9,
    bandwidth: float = 125e6,
    disk: float = 500e6,
) -> Plan:
    """Say what it would take to fit a forest to such rows: some trees are grown on some of them first.

    Parameters
    ----------
    estimator : ObliqueForestClassifier or ObliqueForestRegressor
        The forest to fit, with its parameters; it is not changed.
    X, y : array, sparse matrix or data frame
        All rows, or a random sample of them.
    rows : float, optional
        How many rows there will be; those of X by default.
    probe_rows : int, default=20000
        Rows for the trees that are grown first. More make a better plan.
    probe_seconds : float, default=2.0
        CPU seconds for which trees of each of two sizes, by each of up to three settings that a fit may
        choose, are grown. More make a better plan, too.
    workers, threads, memory, bandwidth, disk : optional
        The machines, as in `plan`.

    Returns
    -------
    Plan
        All ways, the recommended one first; `print(plan)` shows them.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from slantwood import ObliqueForestClassifier
    >>> from slantwood.planning import plan_from_data
    >>> X, y = load_digits(return_X_y=True)
    >>> found = plan_from_data(
    ...     ObliqueForestClassifier(), X, y, rows=1e7, workers=8, probe_rows=800, probe_seconds=0.1
    ... )
    >>> found.workload.features, found.workload.task
    (64, 'multi-class')
    """
    machines = Machines(workers, threads, memory, bandwidth, disk)
    n_rows = n_rows_of(X) if rows is None else int(rows)
    work = workload_of(estimator, X, y, n_rows)
    found = probed(estimator, X, y, probe_rows, probe_seconds, all_rows=n_rows)
    settings = found.settings
    split = name_of(settings.split)
    if split not in PLANNED_SPLITS:
        is_open = isinstance(estimator.split, str) and estimator.split == AUTO
        what = f"split='auto' chose {split!r}, which" if is_open else f"split={settings.split!r}"
        raise ValueError(f"{what} is none that plans know; give {listed(PLANNED_SPLITS)}")
    work = replace(
        work,
        split=split,
        leaves=settings.leaves,
        min_samples_split=_n_rows(settings.min_samples_split, n_rows),
        probe=found.probe,
    )
    return plan_of(work, machines)


def workload_of(estimator: Any, X: Any, y: Any, rows: int) -> Workload:
    """Count features, targets and non-zeros as an estimator encodes them.

    Parameters
    ----------
    estimator : forest
        It is not changed.
    X, y : array, sparse matrix or data frame
        Rows.
    rows : int
        How many there will be.

    Returns
    -------
    Workload
        With the default split learner.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from slantwood import ObliqueForestRegressor
    >>> from slantwood.planning.from_data import workload_of
    >>> X, y = load_diabetes(return_X_y=True)
    >>> workload_of(ObliqueForestRegressor(), X, y, 1_000_000).task
    'regression'
    """
    given = estimator.get_params(deep=False)
    if "n_estimators" not in given or "max_memory" not in given:
        raise TypeError(
            f"estimator is {type(estimator).__name__}; plans are for ObliqueForestClassifier and "
            "ObliqueForestRegressor"
        )
    data: TrainingData = clone(estimator)._read(X, y, None, None, None, None)
    n = data.X.shape[0]
    filled, filled_targets = (_n_filled(each) / n for each in (data.X, data.Y))
    task = data.targets.task
    if task not in PLANNED_TASKS:
        # Hierarchies and several targets with classes are columns of indicators, too.
        task = "multi-label" if task in LABEL_TASKS or not _are_numbers(data) else "multi-target regression"
    is_class = task in CLASS_TASKS
    return Workload(
        rows,
        data.X.shape[1],
        len(data.targets.classes) if is_class else data.Y.shape[1],  # type: ignore[attr-defined]
        task=task,
        nonzeros_per_row=max(filled, 1e-3),
        labels_per_row=max(filled_targets, 1e-3) if task == "multi-label" else Workload.labels_per_row,
        n_trees=estimator._n_trees,
        bootstrap=None if given["bootstrap"] == AUTO else given["bootstrap"],
        max_samples=given["max_samples"],
    )


def _are_numbers(data: TrainingData) -> bool:
    return not data.targets.are_indicators.all()


def _n_filled(matrix: Any) -> int:
    return int(matrix.nnz) if sp.issparse(matrix) else int(np.count_nonzero(matrix))


def _n_rows(given: int | float, rows: int) -> int:
    """Return a number of rows, which may be given as a share of them."""
    return max(int(given if isinstance(given, int) else given * rows), 2)
