"""How small leaves may be, which depends on the noise of the targets.

Where noise is strong, the mean of more rows says more of the next one; where there is none, every row that is
not like the others blurs it. A pilot finds out: small forests, each grown without a part of the rows, predict
this part, as they are and with ever larger leaves.

The default stays unless the gain is clear beside its standard error, over the same rows, and the losses that
users of the task look at do not rise with it. `docs/defaults.md` has the measurements.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from slantwood.ensemble.gains import Averaging, averaged_by, likely_choices, mean_gain
from slantwood.ensemble.growing import planned_settings
from slantwood.ensemble.losses import RowLosses
from slantwood.ensemble.spec import AUTO, ForestSpec
from slantwood.ensemble.training_data import TrainingData
from slantwood.ensemble.unseen import grown_without
from slantwood.messages import say
from slantwood.task_names import CLASS_TASKS, SEVERAL_TASKS

SIZES = (2, 5, 10, 20, 40, 80, 160)

# Up to this number of rows there are more folds, which leave more rows to grow from.
_FEW_ROWS = 1000
_FOLDS_OF_FEW, _FOLDS = 10, 4
_TREES = 4  # of a fold


class _Clear(NamedTuple):
    # How many standard errors a gain must have: in squared error, and in what users of the task look at.
    squared: float
    own: float


# Probabilities may be clearly better, and the most probable class no better at all.
_CLEAR, _CLEAR_FOR_CLASSES = _Clear(1.0, 0.0), _Clear(2.0, 1.0)


def leaf_size(data: TrainingData, spec: ForestSpec, rows: np.ndarray) -> dict[str, Any]:
    """Return `min_samples_split` where it was left open and another size than the default is clearly better.

    Parameters
    ----------
    data : TrainingData
        All rows.
    spec : ForestSpec
        What is asked for.
    rows : array of int
        Rows to find out with, in random order.
    """
    if not is_open(spec):
        return {}
    found = pilot(data, spec, rows)
    size = found.clearly_best()
    if spec.verbose > 0:
        shown = ", ".join(f"{each}: {found.mean_squared(each):.4g}" for each in found.sizes)
        say(f"squared error of unseen rows by min_samples_split: {shown}; chosen: {size}")
    return found.settings(size)


def is_open(spec: ForestSpec) -> bool:
    """Return whether a pilot chooses how small leaves may be.

    The number of trees has no part in it: a forest to which trees are added is as one that has them at once.
    """
    return spec.min_samples_split == AUTO and not _is_published(spec.split)


def _is_published(split: Any) -> bool:
    """Return whether a learner has the form of its publication, of which the size of leaves is a part."""
    make = getattr(type(split), "published", None)
    return make is not None and split == make()


def pilot(data: TrainingData, spec: ForestSpec, rows: np.ndarray) -> Pilot:
    """Return a pilot with the default size of leaves and larger ones, or with the size that was given.

    Parameters
    ----------
    data : TrainingData
        All rows.
    spec : ForestSpec
        What is asked for.
    rows : array of int
        Rows to find out with, in random order.
    """
    default = planned_settings(data, replace(spec, tuned={}))
    sizes: list[Any] = [default.min_samples_split]
    if spec.min_samples_split == AUTO:
        # A node of half of the rows has one split above it: there is nothing larger to try.
        sizes += [size for size in SIZES if sizes[0] < size <= len(rows) / 2]
    return Pilot(data, replace(spec, bootstrap=default.bootstrap), rows, sizes)


def n_parts(n_rows: int) -> int:
    """Return into how many parts rows are divided, each of which some trees do not see."""
    return _FOLDS_OF_FEW if n_rows <= _FEW_ROWS else _FOLDS


class PilotSize(NamedTuple):
    """What a pilot grows."""

    n_trees: int  # of all folds
    tree_rows: float  # that each of them sees


def pilot_size(n_rows: int) -> PilotSize:
    """Return how many trees a pilot grows, and on how many rows: what it costs."""
    n_folds = n_parts(n_rows)
    return PilotSize(n_folds * _TREES, n_rows * (1 - 1 / n_folds))


class Pilot:
    """Small forests, each grown without a part of the rows, and what they say of it.

    Parameters
    ----------
    data : TrainingData
        All rows.
    spec : ForestSpec
        What is asked for.
    rows : array of int
        Rows to find out with, in random order.
    sizes : list
        Values of `min_samples_split`, the default first, which is the least.
    """

    def __init__(self, data: TrainingData, spec: ForestSpec, rows: np.ndarray, sizes: list[Any]) -> None:
        n_folds = n_parts(len(rows))
        parts = [np.sort(rows[fold::n_folds]) for fold in range(n_folds)]
        spec = replace(spec, leaves="mean")
        self.sizes = sizes
        is_class = data.targets.task in (*CLASS_TASKS, *SEVERAL_TASKS)
        self._clear = _CLEAR_FOR_CLASSES if is_class else _CLEAR
        self._losses = RowLosses(data.targets, data.Y[rows], data.row_weights[rows], spec.target_weights)
        self._rows = averaged_by(data.row_weights[np.concatenate(parts)])
        settings = {"min_samples_split": sizes[0]}
        self._parts = [
            grown_without(data, spec.for_inner_fit(_TREES, spec.seed + fold, settings), rows, part)
            for fold, part in enumerate(parts)
        ]
        self._squared = {size: self._of_rows(size, self._losses.squared) for size in sizes}
        self._own_losses: dict[Any, np.ndarray] = {}

    def mean_squared(self, size: Any) -> float:
        """Return the mean squared error of unseen rows of forests with leaves of a size."""
        return float(self._squared[size] @ self._rows.share)

    def settings(self, size: Any) -> dict[str, Any]:
        """Return what has to be set for leaves of a size."""
        return {} if size == self.sizes[0] else {"min_samples_split": size}

    def clearly_best(self, rows: Averaging | None = None) -> Any:
        """Return the size of the best leaves, the default unless another one's are clearly better.

        Parameters
        ----------
        rows : Averaging, optional
            How rows are averaged; by default as they are weighted.
        """
        default = self.sizes[0]
        gains = {
            size: self.sure_gain(size, self, default, self._clear.squared, rows) for size in self.sizes[1:]
        }
        for size in sorted(gains, key=gains.__getitem__, reverse=True):
            if gains[size] <= 0:
                break
            if self.is_no_worse(size, self, default, rows):
                return size
        return default

    def likely(self, n_rows: int) -> tuple[int, ...]:
        """Return the sizes that so many rows like these may choose: a low, a middle and a high one."""
        return likely_choices(self.clearly_best, self._rows, n_rows)

    def sure_gain(
        self, size: Any, before: Pilot, size_before: Any, clear: float, rows: Averaging | None = None
    ) -> float:
        """Return what is gained over another pilot on the same rows, less some standard errors of it."""
        gain = before._squared[size_before] - self._squared[size]
        return float(mean_gain(gain, rows or self._rows).less_errors(clear))

    def is_no_worse(self, size: Any, before: Pilot, size_before: Any, rows: Averaging | None = None) -> bool:
        """Return whether what users of the task look at is no worse either; of classes, that it is better."""
        gain = before._own(size_before) - self._own(size)
        return bool((mean_gain(gain, rows or self._rows).less_errors(self._clear.own) >= 0).all())

    def _own(self, size: Any) -> np.ndarray:
        if size not in self._own_losses:
            self._own_losses[size] = self._of_rows(size, self._losses.own)
        return self._own_losses[size]

    def _of_rows(self, size: Any, loss: Callable[[Any, Any], np.ndarray]) -> np.ndarray:
        """Return a loss of all rows, as it is of a forest of many trees."""
        return np.concatenate([part.losses(loss, size) for part in self._parts])
