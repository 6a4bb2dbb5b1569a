"""How the trees of a boosted model add up, and what their sum means."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from slantwood.losses import Loss


@dataclass(frozen=True, eq=False)
class Additive:
    """Leaves are steps of scores, which begin at a constant; a loss says what scores mean."""

    loss: Loss
    start: np.ndarray  # float64 over columns of the targets
    round_sizes: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))  # trees of each round
    # Minus the loss of rows that no tree saw, of the constant and then after each round; empty where there
    # were none.
    validation_scores: np.ndarray = field(default_factory=lambda: np.empty(0))
    # What a continued fit holds out again. Of models that were boosted side by side, each without a fold of
    # the rows: the constants of each, float64 of shape (n_models, n_columns). Of a single model, the share of
    # the rows that was held out.
    fold_starts: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))
    validation_fraction: float = 0.0

    @property
    def n_rounds(self) -> int:
        """Number of rounds."""
        return len(self.round_sizes)

    def round_of(self, tree: int) -> int:
        """Return the round in which a tree was added, counted from 0."""
        return int(np.searchsorted(np.cumsum(self.round_sizes), tree, side="right"))

    def scores(self, means: np.ndarray, n_trees: int) -> np.ndarray:
        """Return the scores of rows from the means of the leaves that they reach in so many trees."""
        return self.start + np.float64(n_trees) * means

    def predicted(self, means: np.ndarray, n_trees: int) -> np.ndarray:
        """Return the expected targets of rows, in the form of the means of leaves."""
        return self.loss.predicted(self.scores(means, n_trees)).astype(np.float32)

    def values(self, *, predict_only: bool) -> dict[str, Any]:
        """Return the fields by name; those that a continued fit needs may be left out."""
        return {**vars(self), **({"fold_starts": np.empty((0, 0))} if predict_only else {})}

    @classmethod
    def checked(cls, given: dict[str, Any], task: str, n_columns: int, n_trees: int) -> Additive:
        """Make it from fields that a file has; a ValueError says what is wrong with them."""
        made = cls(**given)
        if not isinstance(made.loss, Loss) or task not in made.loss.tasks:
            raise ValueError(f"loss={made.loss!r:.60} is not a loss for {task} targets")
        for name, numbers in (("start", made.start), ("validation_scores", made.validation_scores)):
            is_line = isinstance(numbers, np.ndarray) and numbers.dtype == np.float64 and numbers.ndim == 1
            if not is_line or not np.isfinite(numbers).all():
                raise ValueError(f"{name} must be an array of finite float64")
        if len(made.start) != n_columns:
            raise ValueError(f"start has {len(made.start)} scores for {n_columns} columns of targets")
        starts = made.fold_starts
        is_table = isinstance(starts, np.ndarray) and starts.dtype == np.float64 and starts.ndim == 2
        if not is_table or not np.isfinite(starts).all() or (len(starts) and starts.shape[1] != n_columns):
            raise ValueError(f"fold_starts must be finite float64, one for each of {n_columns} columns")
        if not isinstance(made.validation_fraction, float) or not 0.0 <= made.validation_fraction <= 0.5:
            raise ValueError(
                f"validation_fraction={made.validation_fraction!r:.60} is no share from 0 to 0.5"
            )
        sizes = made.round_sizes
        is_line = isinstance(sizes, np.ndarray) and sizes.dtype == np.int64 and sizes.ndim == 1
        # No sum of numbers from 1 to n_trees overflows before it is too large.
        if not is_line or not ((sizes >= 1) & (sizes <= n_trees)).all() or sizes.sum() != n_trees:
            raise ValueError(f"round_sizes={sizes!r:.60} are not those of {n_trees} trees")
        return made
