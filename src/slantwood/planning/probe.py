"""A few trees on some of the rows: what of the cost depends on the data and the processor, in a few numbers.

How large leaves become, how far trees are out of balance and how long settings are looked for no size tells.
A probe does, and with it only the growth from its rows to all rows is left to predict. Trees on a quarter of
its rows tell the way that goes. Where settings differ by less than chance, so that a fit may choose any of
them, trees of each are timed.
"""

from __future__ import annotations

import time
from dataclasses import replace
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from slantwood.callbacks import Callback
from slantwood.ensemble.growing import planned_settings
from slantwood.ensemble.settings import Settings
from slantwood.ensemble.tuning import likely_settings
from slantwood.features.rows import n_rows_of, take_rows
from slantwood.planning.workload import Probe, distinct_rows
from slantwood.validation import check_integer, check_real

__all__ = ["Probed", "probe", "probed"]

# Rows of a fit before all others, which loads the machine code: so many that settings are chosen, too.
_WARM_UP_ROWS = 120

# The smaller probe has such a part of the rows, if these are not too few to tell anything.
_PART, _FEWEST_ROWS = 4, 200

# Of those that are timed.
_FEWEST_TREES, _MOST_TREES = 3, 500


def probe(
    estimator: Any,
    X: Any,
    y: Any,
    rows: int = 20_000,
    seconds: float = 2.0,
    random_state: int = 0,
    all_rows: int | None = None,
) -> Probe:
    """Grow a few trees on rows drawn at random, and say what they took.

    Parameters
    ----------
    estimator : forest
        A forest with the parameters that the whole fit will have; it is not changed.
    X, y : array, sparse matrix or data frame
        Rows, or some of them.
    rows : int, default=20000
        How many to draw; all where there are fewer.
    seconds : float, default=2.0
        CPU seconds for which trees of each of two sizes, by each of up to three settings that a fit may
        choose, are grown, on one thread; three trees at the least.
        A processor that others use too may be half as fast for a moment.
    random_state : int, default=0
        Seed.
    all_rows : int, optional
        Rows that the whole fit will have: more make it less open which settings it chooses. Those of X by
        default.

    Returns
    -------
    Probe
        For the parameter `probe` of `plan`.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from slantwood import ObliqueForestClassifier
    >>> from slantwood.planning import plan, probe
    >>> X, y = load_digits(return_X_y=True)
    >>> found = probe(ObliqueForestClassifier(), X, y, rows=500, seconds=0.1)
    >>> told = plan(rows=50_000, features=64, targets=10, task="multi-class", probe=found)
    >>> told.best.name
    'threads'
    """
    return probed(estimator, X, y, rows, seconds, random_state, all_rows).probe


class Probed(NamedTuple):
    """A probe, and the settings of its trees."""

    probe: Probe
    settings: Settings


def probed(
    estimator: Any,
    X: Any,
    y: Any,
    rows: int = 20_000,
    seconds: float = 2.0,
    random_state: int = 0,
    all_rows: int | None = None,
) -> Probed:
    """Do what `probe` does, and also return the settings of its trees.

    Parameters
    ----------
    estimator : forest
        As in `probe`, and so are all others.
    X, y : array, sparse matrix or data frame
        Rows.
    rows, seconds, random_state, all_rows
        Rows to draw, seconds for trees, seed, rows of the whole fit.

    Returns
    -------
    Probed
        The probe, and the settings.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from slantwood import ObliqueForestClassifier
    >>> from slantwood.planning.probe import probed
    >>> X, y = load_digits(return_X_y=True)
    >>> probed(ObliqueForestClassifier(), X, y, rows=300, seconds=0.1).settings.bootstrap
    False
    """
    check_integer("rows", rows, 1)
    check_real("seconds", seconds, 0.0)
    order = np.random.default_rng(random_state).permutation(n_rows_of(X))[:rows]
    model = clone(estimator).set_params(n_jobs=1, random_state=random_state, max_memory=None)
    _timed(clone(model), X, y, order[:_WARM_UP_ROWS])
    chosen = _timed(model, X, y, order)
    settings, *others = _choices(model, X, y, order, all_rows or n_rows_of(X))

    def timed(settings: Settings) -> Probe:
        settled = _with_settings(model, settings)
        large = _timed(clone(settled), X, y, order, seconds)
        smaller = None
        if len(order) // _PART >= _FEWEST_ROWS:
            smaller = _as_probe(_timed(settled, X, y, order[: len(order) // _PART], seconds))
        return _as_probe(large, smaller)

    likely = [timed(each) for each in (settings, *others)]
    # Of a single tree, nothing tells where choosing ends.
    of_tree = chosen.tree_seconds if model.trees_.n_trees > 1 else likely[0].tree_seconds
    # Whatever is chosen, choosing takes as long.
    choosing_seconds = max(chosen.first_end - of_tree, 0.0)
    first, *rest = (replace(each, choosing_seconds=choosing_seconds) for each in likely)
    return Probed(replace(first, others=tuple(rest)), settings)


def _choices(model: Any, X: Any, y: Any, rows: np.ndarray, all_rows: int) -> list[Settings]:
    """Return the settings that a fit to all rows may choose, those in the middle of all first."""
    fresh, few = clone(model), np.sort(rows)
    data = fresh._read(take_rows(X, few), take_rows(y, few), None, None, None, None)
    spec = fresh._spec(data, None)
    found = [
        # Slopes of leaves are those that were chosen.
        replace(planned_settings(data, replace(spec, tuned=each)), leaves=model.settings_.leaves)
        for each in likely_settings(data, spec, all_rows)
    ]
    if not found:
        return [model.settings_]
    low, middle, high = found
    return [middle, *(each for each in (low, high) if each != middle)]


def _with_settings(model: Any, settings: Settings) -> Any:
    """Return a forest in which nothing is open: a part of the rows would choose other settings."""
    names = model.get_params(deep=False)
    given = {name: value for name, value in settings.to_dict().items() if name in names}
    return clone(model).set_params(**given, n_estimators=_MOST_TREES)


class _Clock(Callback):
    """Notes the CPU time at the end of each tree; says when there are enough."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.ends: list[float] = []

    def on_fit_task_end(self, estimator: Any, context: Any) -> bool:
        """Note the time."""
        if context.task_name != "tree":
            return False
        self.ends.append(time.process_time())
        return len(self.ends) >= _FEWEST_TREES and self.ends[-1] - self.ends[0] > self.seconds


class _Timed(NamedTuple):
    rows: int
    first_end: float  # of the first tree, in seconds since the fit began
    tree_seconds: float
    rows_per_leaf: float
    depth: float
    tree_bytes: float


def _timed(model: Any, X: Any, y: Any, rows: np.ndarray, seconds: float = 0.0) -> _Timed:
    """Fit a forest to some rows, and end it when its trees took so many seconds."""
    rows = np.sort(rows)
    few = take_rows(X, rows), take_rows(y, rows)
    if isinstance(model.max_samples, Integral):  # there is no more to draw from than these rows
        model.set_params(max_samples=min(int(model.max_samples), len(rows)))
    clock = _Clock(seconds)
    begun = time.process_time()
    model.set_callbacks(clock).fit(*few)
    ends = clock.ends
    # All but the first, before which much else is done; of a single tree nothing can be told apart.
    tree_seconds = (ends[-1] - ends[0]) / (len(ends) - 1) if len(ends) > 1 else ends[0] - begun
    trees, settings = model.trees_, model.settings_
    is_leaf = trees.left < 0
    weight = trees.node_weight[is_leaf]
    distinct = distinct_rows(len(rows), settings.bootstrap, settings.max_samples)
    return _Timed(
        len(rows),
        ends[0] - begun,
        max(tree_seconds, 1e-6),
        max(float(distinct * len(ends) / is_leaf.sum()), 1.0),
        max(float(weight @ trees.depth[is_leaf] / weight.sum()), 1.0),
        trees.nbytes / len(ends),
    )


def _as_probe(timed: _Timed, smaller: Probe | None = None) -> Probe:
    shape = (timed.rows_per_leaf, timed.depth, timed.tree_bytes)
    return Probe(timed.rows, timed.tree_seconds, *shape, smaller=smaller)
