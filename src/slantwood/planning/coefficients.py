"""The fitted numbers of the cost model, and where and when they were measured."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

__all__ = ["Coefficients", "shipped"]


@dataclass(frozen=True)
class Coefficients:
    """Coefficients by the part of the model; a script of the study fits and writes them."""

    measured: dict[str, str]  # date, processor, versions
    largest: dict[str, dict[str, float]]  # by learner and form of X, the largest sizes that were fitted on
    checked: dict[str, dict[str, float]]  # and of those held out
    errors: dict[str, dict[str, float]]  # of held-out points: median, worst, share within 30 %
    plans: dict[str, dict[str, float]]  # errors of whole fits on real data, planned by a probe, by learner
    tree: dict[str, dict[str, float]]  # seconds per count of `work.tree_work`
    task: dict[str, dict[str, float]]  # factor of a tree's seconds by task
    leaf: dict[str, dict[str, Any]]  # rows of a leaf
    stretch: dict[str, dict[str, Any]]  # depth, in times of that of trees in balance
    weights: dict[str, dict[str, Any]]  # features of a split
    setup: dict[str, float]  # seconds per count of `work.setup_work`
    pilot: dict[str, float]  # seconds of a pilot, in seconds of the trees that it grows, by learner
    memory: dict[str, float]  # bytes per byte or count of `costs.memory_parts`
    predict: dict[str, float]  # seconds per count of `work.prediction_work`


@cache
def shipped() -> Coefficients:
    """Return the coefficients that come with the package.

    Returns
    -------
    Coefficients
        The numbers.

    Examples
    --------
    >>> from slantwood.planning.coefficients import shipped
    >>> "date" in shipped().measured
    True
    """
    text = files("slantwood.planning").joinpath("coefficients.json").read_text(encoding="utf-8")
    return Coefficients(**json.loads(text))
