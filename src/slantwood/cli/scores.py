"""Scores as commands need them: what is odd about them is said on stderr."""

from __future__ import annotations

from typing import Any

from slantwood.cli.console import warn
from slantwood.evaluation.scores import Scores, scored_rows
from slantwood.evaluation.scores import scores as compute_scores
from slantwood.hints import pluralize


def scores(model: Any, X: Any, y: Any, *, every: bool = False) -> Scores:
    """Predict, compare with the truth where it is known, and warn of what was left out."""
    found = compute_scores(model, X, y, every=every)
    for note in found.notes:
        warn(note)
    return found


def rows_in_words(model: Any, y: Any, n_rows: int) -> str:
    """Return how many rows there are and, where they are fewer, how many of them are compared."""
    n_scored = int(scored_rows(model, y).sum())
    rows = pluralize(n_rows, "row")
    return rows if n_scored == n_rows else f"{rows}, {n_scored:,} of them with a known target"
