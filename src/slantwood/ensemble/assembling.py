"""A forest put together from trees, as they come from whoever grew them: threads, processes or machines."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from slantwood.ensemble.forest import FittedForest, no_trees
from slantwood.ensemble.settings import Settings
from slantwood.features.encoding import Encoding
from slantwood.features.matrix import prediction_matrix, to_array
from slantwood.growth.plan import Planted
from slantwood.kernels.matrix import Matrix, dense_matrix
from slantwood.model.slopes import Slopes, join_slopes, no_slopes
from slantwood.model.trees import Trees, join
from slantwood.targets.base import Targets

# Called after each tree with a function that makes the forest so far; returns whether to stop.
OnTree = Callable[[Callable[[], FittedForest]], bool]


@dataclass(frozen=True, eq=False)
class Outline:
    """What a forest is beside its trees; it holds no rows, and is small to send."""

    settings: Settings
    encoding: Encoding  # of X
    targets: Targets  # encoding of y
    n_columns: int  # of the encoded X
    unlabeled_weight: float
    seed: int
    tuned: Mapping[str, Any] | None
    has_missing_targets: bool
    column_spread: np.ndarray | None  # of the encoded X over the rows

    def forest(self, trees: Trees | None = None, importance_sum: np.ndarray | None = None) -> FittedForest:
        """Return a forest of these trees, by default of none; of importances the sum over the trees."""
        return FittedForest(
            trees=no_trees(self.targets.n_columns) if trees is None else trees,
            settings=self.settings,
            encoding=self.encoding,
            targets=self.targets,
            importance_sum=np.zeros(self.n_columns) if importance_sum is None else importance_sum,
            unlabeled_weight=self.unlabeled_weight,
            seed=self.seed,
            tuned=self.tuned,
            has_tree_of_all_rows=False,
            column_spread=self.column_spread,
        )

    def consistent(self, trees: Trees) -> Trees:
        """Put leaves in line with a hierarchy: means over other rows for each label are so up to rounding."""
        hierarchy = self.targets.hierarchy
        if hierarchy is None or not self.has_missing_targets:
            return trees
        return trees._replace(leaves=prediction_matrix(hierarchy.consistent(to_array(trees.leaves))))


def assembled(
    outline: Outline,
    planted: Generator[Planted],
    earlier: FittedForest | None = None,
    on_tree: OnTree | None = None,
) -> FittedForest:
    """Make a forest of trees.

    Parameters
    ----------
    outline : Outline
        What the forest is beside its trees.
    planted : generator of Planted
        The trees, in the order of their numbers. It is closed at the end, whatever happens.
    earlier : FittedForest, optional
        A forest to which the trees are added.
    on_tree : callable, optional
        Hears of each tree; where it returns True, no others are waited for.

    Returns
    -------
    FittedForest
        The earlier trees and the new ones.
    """
    grown = [] if earlier is None else [earlier.trees]
    sloped = [] if earlier is None else [earlier.slopes]
    n_earlier = 0 if earlier is None else earlier.trees.n_trees
    importance_sum = np.zeros(outline.n_columns) if earlier is None else earlier.importance_sum.copy()
    squares = np.zeros(outline.encoding.n_inputs) if earlier is None else earlier.importance_squares
    squares = None if squares is None else squares.copy()

    def so_far() -> FittedForest:
        if any(part is not None for part in sloped):
            grown[:] = map(_with_dense_leaves, grown)
        slopes = _joined_slopes(sloped, grown)
        trees = join(grown)
        # A callback that asks after each tree joins two parts, not all of them again.
        grown[:], sloped[:] = [trees], [slopes]
        return replace(
            outline.forest(trees, importance_sum.copy()),  # which later trees do not change
            has_tree_of_all_rows=(earlier is not None and earlier.has_tree_of_all_rows)
            or (trees.n_trees > n_earlier and not outline.settings.bootstrap),
            slopes=slopes,
            importance_squares=None if squares is None else squares.copy(),
        )

    with closing(planted) as trees:
        for tree in trees:
            grown.append(outline.consistent(tree.trees))
            sloped.append(tree.slopes)
            importance_sum += tree.importance
            if squares is not None:
                squares += outline.encoding.by_input(tree.importance) ** 2
            if on_tree is not None and on_tree(so_far):
                break
    return so_far()


def with_dense_rows(matrix: Matrix) -> Matrix:
    """Return the same matrix, dense."""
    return matrix if matrix.is_dense else dense_matrix(np.ascontiguousarray(to_array(matrix).toarray()))


def _joined_slopes(parts: Sequence[Slopes | None], trees: Sequence[Trees]) -> Slopes | None:
    """Put the slopes of parts of a forest into one; None where no part may have any."""
    if all(part is None for part in parts):
        return None
    pairs = zip(parts, trees, strict=True)
    return join_slopes([no_slopes(tree) if part is None else part for part, tree in pairs], trees)


def _with_dense_leaves(trees: Trees) -> Trees:
    """Return the same trees with dense leaves, which slopes are beside."""
    return trees if trees.leaves.is_dense else trees._replace(leaves=with_dense_rows(trees.leaves))
