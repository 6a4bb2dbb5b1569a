"""Which split learner suits the data, by what small forests of each say of rows that they did not see.

All learners are heard on few rows, the best of them again on more. The gradient split stays unless another
one is clearly better, over the same rows, and no worse in what users of the task look at.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from slantwood.ensemble.defaults import MANY_TARGETS, SPARSE_FEATURES
from slantwood.ensemble.leaf_size import Pilot, pilot
from slantwood.ensemble.spec import ForestSpec
from slantwood.ensemble.training_data import TrainingData
from slantwood.features.matrix import nonzero_share
from slantwood.messages import say
from slantwood.split_names import split_class
from slantwood.splits.learner import BaseSplit

# All are heard on so many rows, and so many of them on more.
_FIRST_ROWS = 1000
_LAST_LEARNERS = 3

# How many standard errors a gain must have. Of several others, one is the better by chance sooner or later.
_CLEAR = 2.0


class _Heard(NamedTuple):
    split: BaseSplit
    pilot: Pilot
    size: Any  # of its leaves

    @property
    def loss(self) -> float:
        return self.pilot.mean_squared(self.size)


def audition(data: TrainingData, spec: ForestSpec, rows: np.ndarray) -> ForestSpec:
    """Return the same with the split learner that suits the data, and the size of its leaves.

    Parameters
    ----------
    data : TrainingData
        All rows.
    spec : ForestSpec
        What is asked for, with the learner that stays where no other is better.
    rows : array of int
        Rows to find out with, in random order.
    """
    learners = [spec.split, *_others(data)]
    heard = [_hear(data, spec, rows[:_FIRST_ROWS], split) for split in learners]
    if len(rows) > _FIRST_ROWS:
        best = sorted(heard[1:], key=lambda each: each.loss)[: _LAST_LEARNERS - 1]
        heard = [_hear(data, spec, rows, each.split) for each in (heard[0], *best)]
    first, *others = heard
    gains = [each.pilot.sure_gain(each.size, first.pilot, first.size, _CLEAR) for each in others]
    chosen = first
    for gain, each in sorted(zip(gains, others, strict=True), key=lambda pair: -pair[0]):
        if gain > 0 and each.pilot.is_no_worse(each.size, first.pilot, first.size):
            chosen = each
            break
    if spec.verbose > 0:
        shown = ", ".join(f"{each.split!r}: {each.loss:.4g}" for each in heard)
        say(f"squared error of unseen rows by split learner: {shown}; chosen: {chosen.split!r}")
    return replace(spec, split=chosen.split, tuned=chosen.pilot.settings(chosen.size))


def _others(data: TrainingData) -> list[BaseSplit]:
    """Return the learners beside the gradient split that such data may suit and that take them in time."""
    # By name: whoever asks for no audition does not wait for these to be imported.
    others: list[BaseSplit] = [split_class("svm")()]
    if data.targets.n_columns < MANY_TARGETS and nonzero_share(data.X) >= SPARSE_FEATURES:
        axis = split_class("axis")
        others += [split_class("ridge")(), axis(), axis(thresholds="random")]
    return [split for split in others if data.targets.task in split.tasks]


def _hear(data: TrainingData, spec: ForestSpec, rows: np.ndarray, split: BaseSplit) -> _Heard:
    found = pilot(data, replace(spec, split=split), rows)
    return _Heard(split, found, found.clearly_best())
