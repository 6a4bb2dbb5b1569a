"""How closely trees may follow the labels of a hierarchy: a ladder of settings.

Its levels are ordered from clean data to noisy. Which of them predicts unseen rows best is found with few
trees, one level up or down at a time. The many rare labels of a hierarchy make the difference large;
`docs/hierarchies.md` has the measurements.

Levels are compared by the squared error, not by the area under the precision-recall curve: the squared error
of few trees tells that of many, while the area of few trees favours too noisy a level.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from slantwood.ensemble.gains import Averaging, averaged_by, likely_choices, mean_gain
from slantwood.ensemble.losses import RowLosses
from slantwood.ensemble.spec import AUTO, ForestSpec
from slantwood.ensemble.training_data import TrainingData
from slantwood.ensemble.unseen import Unseen, grown_without
from slantwood.messages import say
from slantwood.splits.gradient import GradientSplit
from slantwood.splits.parameters import open_fields

# From short searches and small leaves, for clean data, to long searches under strong regularisation and
# larger leaves.
GRADIENT_LEVELS: tuple[dict[str, Any], ...] = (
    {"C": 10.0, "min_samples_split": 5, "max_iter": 10, "learning_rate": 0.05, "target_power": 1.0},
    {"C": 10.0, "min_samples_split": 10, "max_iter": 20, "target_power": 0.75},
    {"C": 1.0, "min_samples_split": 20, "max_iter": 100, "target_power": 0.75},
    {"C": 0.3, "min_samples_split": 20, "max_iter": 100, "target_power": 0.5},
    {"C": 0.1, "min_samples_split": 20, "max_iter": 100, "target_power": 0.25},
)
OTHER_LEVELS: tuple[dict[str, Any], ...] = tuple({"min_samples_split": n} for n in (5, 10, 20, 40, 80))

# Where the search begins: what fits most data.
FIRST_LEVEL = 1

# Each half of the rows is predicted by trees of the other: what blurs a comparison is chance in each row, so
# that many rows and few trees tell more than few rows and many trees.
FOLDS = 2
INNER_TREES = 6  # of a fold; each half of them is scored too

# How many standard errors a difference must have to be no chance.
_CLEAR = 2.0


def noise_level(data: TrainingData, spec: ForestSpec, rows: np.ndarray) -> dict[str, Any]:
    """Return the settings of the best level, only those that were left at "auto".

    Parameters
    ----------
    data : TrainingData
        All rows.
    spec : ForestSpec
        What is asked for.
    rows : array of int
        Rows to find out with, in random order.
    """
    return _Ladder(data, spec, rows).best() if len(_open_levels(spec)) > 1 else {}


def likely_levels(
    data: TrainingData, spec: ForestSpec, rows: np.ndarray, n_rows: int
) -> list[dict[str, Any]]:
    """Return the settings that `noise_level` may choose by so many rows like these: low, middle and high.

    Parameters
    ----------
    data : TrainingData
        All rows.
    spec : ForestSpec
        What is asked for.
    rows : array of int
        Rows to find out with, in random order.
    n_rows : int
        Rows that there will be to choose by.
    """
    return _Ladder(data, spec, rows).likely(n_rows) if len(_open_levels(spec)) > 1 else []


class _Ladder:
    """The levels that are open, and small forests of those that were looked at."""

    def __init__(self, data: TrainingData, spec: ForestSpec, rows: np.ndarray) -> None:
        self._data, self._spec, self._rows = data, spec, rows
        self._levels = _open_levels(spec)
        self._parts = [np.sort(rows[fold::FOLDS]) for fold in range(FOLDS)]
        self._averaging = averaged_by(data.row_weights[np.concatenate(self._parts)])
        given = (data.targets, data.Y[rows], data.row_weights[rows], spec.target_weights)
        self._squared = RowLosses(*given).squared
        # Of the levels that were looked at. (No `cache` of methods, which would refer to this for ever.)
        self._grown: dict[int, list[Unseen]] = {}
        self._known_losses: dict[int, np.ndarray] = {}

    def best(self) -> dict[str, Any]:
        """Return the settings of the best level."""
        return self._levels[best_level(self._losses, self._averaging, len(self._levels))]

    def likely(self, n_rows: int) -> list[dict[str, Any]]:
        """Return the settings of the levels that so many rows may choose."""
        found = likely_choices(
            lambda rows: best_level(self._losses, rows, len(self._levels)), self._averaging, n_rows
        )
        return [self._levels[level] for level in found]

    def _losses(self, level: int) -> np.ndarray:
        """Return the losses of all rows at a level."""
        if level in self._known_losses:
            return self._known_losses[level]
        finest = _finest(self._levels, level)
        if finest not in self._grown:
            self._grown[finest] = self._grow(finest)
        size = None if finest == level else self._levels[level]["min_samples_split"]
        of_rows = np.concatenate([unseen.losses(self._squared, size) for unseen in self._grown[finest]])
        if self._spec.verbose > 0:
            shown = ", ".join(f"{name}={value}" for name, value in self._levels[level].items())
            say(f"tuning: {shown}: squared error {of_rows @ self._averaging.share:.5g} on held-out rows")
        self._known_losses[level] = of_rows
        return of_rows

    def _grow(self, level: int) -> list[Unseen]:
        spec, settings = self._spec, self._levels[level]
        return [
            grown_without(
                self._data, spec.for_inner_fit(INNER_TREES, spec.seed + fold, settings), self._rows, part
            )
            for fold, part in enumerate(self._parts)
        ]


def best_level(losses: Callable[[int], np.ndarray], rows: Averaging, n_levels: int) -> int:
    """Return the level of least loss among those that are worth a look.

    Parameters
    ----------
    losses : callable
        Returns the losses of all rows at a level.
    rows : Averaging
        How rows are averaged.
    n_levels : int
        Number of levels.
    """
    first = best = min(FIRST_LEVEL, n_levels - 1)
    # Downwards first: the levels of clean data take less time, and where they are clearly better there is
    # nothing to find upwards. Each way ends where a level is clearly worse, not where it happens to be.
    for step in (-1, 1):
        level = first + step
        while 0 <= level < n_levels:
            gain = mean_gain(losses(best) - losses(level), rows)
            if gain.mean > 0:
                best = level
            elif gain.mean < -_CLEAR * gain.standard_error:
                break
            level += step
        gain = mean_gain(losses(first) - losses(best), rows)
        if gain.mean > _CLEAR * gain.standard_error:
            break
    return best


def _finest(levels: list[dict[str, Any]], level: int) -> int:
    """Return the lowest level that differs in the size of leaves only, whose trees contain this one's."""

    def others(settings: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in settings.items() if name != "min_samples_split"}

    return next(i for i, settings in enumerate(levels) if others(settings) == others(levels[level]))


def _open_levels(spec: ForestSpec) -> list[dict[str, Any]]:
    is_gradient = isinstance(spec.split, GradientSplit)
    free = open_fields(spec.split) if is_gradient else set()
    if spec.min_samples_split == AUTO:
        free |= {"min_samples_split"}
    levels = []
    for level in GRADIENT_LEVELS if is_gradient else OTHER_LEVELS:
        effective = {name: value for name, value in level.items() if name in free}
        if effective not in levels:
            levels.append(effective)
    return levels
