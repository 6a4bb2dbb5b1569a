"""A few trees on some of the rows: what of the cost depends on the data and the processor, in three numbers.

How large leaves become and how far trees are out of balance no size tells. A probe does, and with it only the
growth from its rows to all rows is left to predict.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sklearn.base import clone

from slantwood.data.table import rows_of
from slantwood.planning.workload import Probe, distinct_rows
from slantwood.validation import check_integer

__all__ = ["probe"]

_TINY = 60  # rows of a fit before that, which loads the machine code


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
        How many to draw; all where there are fewer. An eighth of the rows that a tree will see, or more, is
        what was checked.
    n_trees : int, default=3
        Trees to grow, on one thread.
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
    check_integer("rows", rows, 1)
    check_integer("n_trees", n_trees, 1)
    n_rows = X.shape[0]
    chosen = np.random.default_rng(random_state).permutation(n_rows)[:rows]
    X, y = rows_of(X, np.sort(chosen)), rows_of(y, np.sort(chosen))
    model = clone(estimator).set_params(n_estimators=n_trees, n_jobs=1, random_state=random_state)
    clone(model).fit(
        rows_of(X, np.arange(min(_TINY, len(chosen)))), rows_of(y, np.arange(min(_TINY, len(chosen))))
    )
    begun = time.process_time()
    model.fit(X, y)
    seconds = time.process_time() - begun
    trees = model.trees_
    is_leaf = trees.left < 0
    weight = trees.node_weight[is_leaf]
    n_leaves = is_leaf.sum() / n_trees
    return Probe(
        rows=len(chosen),
        tree_seconds=seconds / n_trees,
        rows_per_leaf=max(float(distinct_rows(len(chosen), model.settings_.bootstrap) / n_leaves), 1.0),
        depth=max(float(weight @ trees.depth[is_leaf] / weight.sum()), 1.0),
    )
