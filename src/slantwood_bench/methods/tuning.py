"""Tuning as in the paper: the setting that predicts a held-out fifth of the rows best.

As in the paper, each method that has to be tuned sets aside 20 % of its training rows, learns from the others
with every setting, and learns from all rows with the best.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from slantwood.task_names import CLASS_TASKS
from slantwood_bench.measures import quality

if TYPE_CHECKING:
    from slantwood_bench.problems import Problem

_ONE_IN = 5

Setting = dict[str, Any]


def grid(choices: Mapping[str, Sequence[Any]], changes: Mapping[str, Any]) -> list[Setting]:
    """Return every combination of the choices, where what `changes` gives is no choice any more.

    Examples
    --------
    >>> grid({"C": [1, 10]}, {"tol": 0.1})
    [{'C': 1, 'tol': 0.1}, {'C': 10, 'tol': 0.1}]
    >>> grid({"C": [1, 10]}, {"C": 5})
    [{'C': 5}]
    """
    choices = {**choices, **{name: [value] for name, value in changes.items()}}
    return [dict(zip(choices, values, strict=True)) for values in product(*choices.values())]


def best_setting(
    rows: Problem, settings: Sequence[Setting], learn: Callable[[Problem, Setting], Any], seed: int
) -> Setting:
    """Return the setting whose model predicts the rows set aside best, by the measure of the task.

    Parameters
    ----------
    rows : Problem
        Problem to learn from.
    settings : sequence of dict
        At least one; of several that are as good, or from too few rows to tell, the first is taken.
    learn : callable
        Takes rows and a setting, and returns a model with a `predict`.
    seed : int
        Decides which rows are set aside.
    """
    held = set_aside(rows, seed)
    # R2 needs two rows.
    if len(settings) == 1 or len(held) < 2:
        return settings[0]
    others = np.setdiff1d(np.arange(rows.X.shape[0]), held)
    part = rows._replace(X=rows.X[others], y=rows.y[others])

    def found(setting: Setting) -> float:
        predicted = learn(part, setting).predict(rows.X[held])
        value = quality(rows.task, rows.y[held], predicted, rows.hierarchy)
        return -np.inf if np.isnan(value) else value

    return max(settings, key=found)


def set_aside(rows: Problem, seed: int) -> np.ndarray:
    """Return the numbers of a fifth of the rows, drawn at random and of each class in proportion."""
    order = np.random.default_rng(seed).permutation(rows.X.shape[0])
    if rows.task in CLASS_TASKS:
        # Every fifth of the rows in random order, but class by class.
        _, codes = np.unique(rows.y, return_inverse=True)
        order = order[np.argsort(codes[order], kind="stable")]
    # So started, it is a fifth rounded to the nearest.
    return np.sort(order[_ONE_IN // 2 :: _ONE_IN])
