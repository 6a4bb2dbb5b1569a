"""Scores as commands need them: what is odd about them is said on stderr."""

from __future__ import annotations

from typing import Any

from slantwood.cli.console import warn
from slantwood.evaluation.scores import Scores
from slantwood.evaluation.scores import scores as compute_scores


def scores(model: Any, X: Any, y: Any, *, every: bool = False) -> Scores:
    """Predict, compare with the truth where it is known, and warn of what was left out."""
    found = compute_scores(model, X, y, every=every)
    for note in found.notes:
        warn(note)
    return found
