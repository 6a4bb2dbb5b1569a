"""A few trees on some of the rows: what of the cost depends on the data and the processor, in a few numbers.

How large leaves become, how far trees are out of balance and how long settings are looked for no size tells.
A probe does, and with it only the growth from its rows to all rows is left to predict. Trees on a quarter of
its rows tell the way that goes.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from slantwood.callbacks import Callback
from slantwood.data.table import rows_of
from slantwood.ensemble.settings import Settings
from slantwood.planning.workload import Probe, distinct_rows
from slantwood.validation import check_integer

__all__ = ["Probed", "probe", "probed"]

_TINY = 60  # rows of a fit before that, which loads the machine code

# The smaller probe has such a part of the rows, if these are not too few to tell anything.
_PART, _FEWEST_ROWS = 4, 200

# Settings that are chosen on unseen rows.
_CHOSEN = ("min_samples_split", "min_samples_leaf", "leaves", "bootstrap", "split")

# Trees are grown until they took so many seconds, and at the most so many times as many as are asked for.
_ENOUGH_SECONDS = 0.5
_MOST_TIMES = 4


def probe(
    estimator: Any, X: Any, y: Any, rows: int = 20_000, n_trees: int = 3, random_state: int = 0
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
    n_trees : int, default=3
        Trees to grow at the least, on one thread.
    random_state : int, default=0
        Seed.

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
    >>> found = probe(ObliqueForestClassifier(), X, y, rows=500)
    >>> told = plan(rows=50_000, features=64, targets=10, task="multi-class", probe=found)
    >>> told.best.name
    'threads'
    """
    return probed(estimator, X, y, rows, n_trees, random_state).probe


class Probed(NamedTuple):
    """A probe, and the settings that its fit chose."""

    probe: Probe
    settings: Settings


def probed(
    estimator: Any, X: Any, y: Any, rows: int = 20_000, n_trees: int = 3, random_state: int = 0
) -> Probed:
    """Do what `probe` does, and also return the settings of its trees.

    Parameters
    ----------
    estimator : forest
        As in `probe`, and so are all others.
    X, y : array, sparse matrix or data frame
        Rows.
    rows, n_trees, random_state : int
        Rows to draw, trees to grow, seed.

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
    >>> probed(ObliqueForestClassifier(), X, y, rows=300).settings.bootstrap
    False
    """
    check_integer("rows", rows, 1)
    check_integer("n_trees", n_trees, 2)
    order = np.random.default_rng(random_state).permutation(X.shape[0])[:rows]
    model = clone(estimator).set_params(n_jobs=1, random_state=random_state)
    few = np.sort(order[:_TINY])
    _timed(clone(model).set_params(n_estimators=2), rows_of(X, few), rows_of(y, few), 2)
    large = _timed(model, *_drawn(X, y, order), n_trees)
    smaller = None
    if len(order) // _PART >= _FEWEST_ROWS:
        # The same settings: what a small part of the rows would choose for itself is another forest.
        settings = model.settings_
        chosen = {
            "min_samples_split": settings.min_samples_split,
            "min_samples_leaf": settings.min_samples_leaf,
        }
        chosen |= {"leaves": settings.leaves} if "leaves" in model.get_params(deep=False) else {}
        same = clone(model).set_params(**chosen)
        smaller = _as_probe(_timed(same, *_drawn(X, y, order[: len(order) // _PART]), n_trees), None, None)
    return Probed(_as_probe(large, large.first_seconds, smaller), model.settings_)


def _drawn(X: Any, y: Any, rows: np.ndarray) -> tuple[Any, Any]:
    return rows_of(X, np.sort(rows)), rows_of(y, np.sort(rows))


class _Clock(Callback):
    """Notes the CPU time at the end of each tree; says when there are enough."""

    def __init__(self, n_trees: int) -> None:
        self.n_trees = n_trees
        self.ends: list[float] = []

    def on_fit_task_end(self, estimator: Any, context: Any) -> bool:
        """Note the time."""
        if context.task_name != "tree":
            return False
        self.ends.append(time.process_time())
        took = self.ends[-1] - self.ends[0]
        return len(self.ends) >= self.n_trees and (
            took > _ENOUGH_SECONDS or len(self.ends) >= _MOST_TIMES * self.n_trees
        )


class _Timed(NamedTuple):
    rows: int
    tree_seconds: float
    first_seconds: float  # before the first tree
    rows_per_leaf: float
    depth: float
    tree_bytes: float


def _timed(model: Any, X: Any, y: Any, n_trees: int) -> _Timed:
    clock = _Clock(n_trees)
    begun = time.process_time()
    model.set_callbacks(clock).fit(X, y)
    ends = clock.ends
    # All but the first, before which much else is done; of a single tree nothing can be told apart.
    tree_seconds = (ends[-1] - ends[0]) / (len(ends) - 1) if len(ends) > 1 else ends[0] - begun
    trees, n_rows = model.trees_, X.shape[0]
    is_leaf = trees.left < 0
    weight = trees.node_weight[is_leaf]
    distinct = distinct_rows(n_rows, model.settings_.bootstrap)
    return _Timed(
        n_rows,
        max(tree_seconds, 1e-6),
        max(ends[0] - begun - tree_seconds, 0.0),
        max(float(distinct * len(ends) / is_leaf.sum()), 1.0),
        max(float(weight @ trees.depth[is_leaf] / weight.sum()), 1.0),
        trees.nbytes / len(ends),
    )


def _as_probe(timed: _Timed, choosing_seconds: float | None, smaller: Probe | None) -> Probe:
    shape = (timed.rows_per_leaf, timed.depth, timed.tree_bytes)
    return Probe(timed.rows, timed.tree_seconds, *shape, choosing_seconds, smaller)
