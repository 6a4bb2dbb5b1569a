"""A job of the study: one method on one fold of one data set, with one setting."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

COMPARISON = "comparison"
TIMES = "times"
IMPORTANCE = "importance"
SENSITIVITY = "sensitivity"


@dataclass(frozen=True)
class Job:
    """A method on a fold of a data set.

    Attributes
    ----------
    experiment : str
        "comparison", "times", "importance" or "sensitivity".
    method, dataset : str
        Names in `slantwood_bench.methods.METHODS` and of the registry of data sets.
    fold, n_folds : int
        Which part of how many is predicted.
    n_trees, seed, threads : int
        Trees of an ensemble, the random state, and the threads that a fit may use.
    changes : mapping
        Parameters that differ from the method's own.
    timeout : float
        Seconds that the job may take. A row that is there counts, whatever the timeout was.
    """

    experiment: str
    method: str
    dataset: str
    fold: int = 0
    n_folds: int = 10
    n_trees: int = 50
    seed: int = 0
    threads: int = 1
    changes: Mapping[str, Any] = field(default_factory=dict, hash=False)
    timeout: float = 3600.0

    @property
    def key(self) -> str:
        """Text that tells this job from all others, and is the same for a row with its result."""
        return key_of(asdict(self))


def key_of(row: Mapping[str, Any]) -> str:
    """Return the key of the job that a row of results belongs to."""
    names = ("experiment", "method", "dataset", "fold", "n_folds", "n_trees", "seed", "threads", "changes")
    return json.dumps([row[name] for name in names], sort_keys=True)
