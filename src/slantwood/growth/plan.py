"""Everything that growing trees needs to know, in one place, and one tree grown from it."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from slantwood.growth.grow import Limits, grow
from slantwood.growth.nodes import GrownTree
from slantwood.growth.pruning import PruningPath, pruned, pruning_path
from slantwood.growth.slopes import CLEAR, LEAST_ROWS, MOST_SPLITS, leaf_slopes
from slantwood.kernels.matrix import Matrix
from slantwood.leaves.mean import mean_leaves, mean_leaves_with_missing
from slantwood.model.slopes import Slopes
from slantwood.model.trees import Trees
from slantwood.splits.protocol import LearnerAddress

# The flag of growth that nobody stops.
_GO_ON = np.zeros(1, np.uint8)


class _Grown(NamedTuple):
    tree: GrownTree  # before it is pruned
    counts: np.ndarray  # int32, draws of its rows, in their order
    weights: np.ndarray  # float32, the same


class Planted(NamedTuple):
    """One tree with all that belongs to it."""

    trees: Trees
    importance: np.ndarray  # of features
    slopes: Slopes | None  # None where leaves are means


@dataclass(frozen=True)
class GrowthPlan:
    """Data and rules that all trees of an ensemble share."""

    X: Matrix
    Y: Matrix  # what leaves predict
    overall: np.ndarray  # float32, means of Y, for a target of which a tree knows nothing
    Z: Matrix  # what a split is evaluated by
    attribute_weights: np.ndarray  # float32 over columns of Z; empty where all are equal
    row_weights: np.ndarray  # float64
    split: Any
    importance_power: float  # 1 where attributes have units of their own, 0 where all are indicators
    limits: Limits
    target_weights: np.ndarray  # float64 over columns of Y in the cost of a tree; empty where all are equal
    ccp_alpha: float  # what a leaf more must save of this cost
    bootstrap: bool
    n_draws: int  # rows of a bootstrap sample
    seed: int
    has_slopes: bool = False  # whether leaves may have slopes beside their means; Y is dense then

    def counts(self, index: int) -> np.ndarray:
        """How often each row counts for a tree: its draws with replacement, or once."""
        if self.bootstrap:
            return row_counts(self.seed, index, self.row_weights, self.n_draws)
        return np.ones(len(self.row_weights), np.int32)

    def grow_tree(self, index: int, stop_flag: np.ndarray = _GO_ON) -> tuple[Trees, np.ndarray]:
        """Grow one tree; return it and its feature importances.

        Growth ends early, with a tree of no use, once another thread sets `stop_flag[0]`.
        """
        planted = self.plant(index, stop_flag)
        return planted.trees, planted.importance

    def plant(self, index: int, stop_flag: np.ndarray = _GO_ON) -> Planted:
        """Grow one tree; return it with its importances and, where leaves may have them, slopes."""
        tree, counts, weights = self._grown(index, stop_flag)
        tree = pruned(self.Y, self.target_weights, tree, weights, self.ccp_alpha)
        is_leaf = tree.left < 0
        if self.Y.has_missing:
            leaves = mean_leaves_with_missing(self.Y, tree, weights, self.overall)
        else:
            leaves = mean_leaves(self.Y, tree.rows, weights, tree.start[is_leaf], tree.stop[is_leaf])
        slopes = None
        if self.has_slopes:
            slopes = leaf_slopes(self.X, self.Y, tree, counts, weights, LEAST_ROWS, MOST_SPLITS, CLEAR)
        return Planted(as_trees(tree, leaves), tree.importance, slopes)

    def pruning_path(self, index: int, stop_flag: np.ndarray = _GO_ON) -> PruningPath:
        """Return the path on which one tree is pruned to its root."""
        tree, _, weights = self._grown(index, stop_flag)
        return pruning_path(self.Y, self.target_weights, tree, weights)

    def _grown(self, index: int, stop_flag: np.ndarray) -> _Grown:
        counts = self.counts(index)
        weights = self.row_weights * counts
        rows = np.flatnonzero(weights > 0).astype(np.uint32)
        weights = weights[rows].astype(np.float32)
        counts = counts[rows]
        tree = grow_by(
            self.split,
            self.X,
            self.Z,
            self.attribute_weights,
            rows,
            counts,
            weights,
            importance_power=self.importance_power,
            limits=self.limits,
            seed=tree_seed(self.seed, index),
            stop_flag=stop_flag,
        )
        return _Grown(tree, counts, weights)


def grow_by(
    split: Any,
    X: Matrix,
    Z: Matrix,
    attribute_weights: np.ndarray,
    rows: np.ndarray,
    counts: np.ndarray,
    weights: np.ndarray,
    *,
    importance_power: float,
    limits: Limits,
    seed: np.uint64,
    stop_flag: np.ndarray,
) -> GrownTree:
    """Grow a tree on some rows by a split learner; `growth.grow.grow` has the details."""
    if not len(rows):
        raise ValueError("a tree needs at least one row of positive weight to grow on; there is none")
    learner = LearnerAddress(split.compiled())
    try:
        return grow(
            X,
            Z,
            attribute_weights,
            rows,
            counts,
            weights,
            learner.address,
            learner.numbers,
            split.scaling,
            importance_power,
            limits,
            seed,
            stop_flag,
        )
    except MemoryError:
        raise learner.error or MemoryError("growing a tree: out of memory") from None


def as_trees(tree: GrownTree, leaves: Matrix) -> Trees:
    """Return a grown tree in the form in which it is kept, with what its leaves predict, in their order."""
    is_leaf = tree.left < 0
    leaf = np.where(is_leaf, np.cumsum(is_leaf) - 1, -1).astype(np.int32)
    return Trees(
        np.zeros(1, np.int32),
        tree.left,
        tree.right,
        leaf,
        tree.indptr,
        tree.indices,
        tree.weights,
        tree.means,
        tree.bias,
        tree.depth,
        tree.node_weight,
        leaves,
    )


def tree_seed(seed: int, index: int) -> np.uint64:
    """Return the seed of the random numbers with which a tree is grown."""
    return _stream(seed, index, 1).generate_state(1, np.uint64)[0] | np.uint64(1)


def _stream(seed: int, index: int, purpose: int) -> np.random.SeedSequence:
    # A stream of its own for each tree and purpose: which thread grows a tree changes nothing.
    return np.random.SeedSequence(seed, spawn_key=(index, purpose))


def row_counts(seed: int, index: int, row_weights: np.ndarray, n_draws: int) -> np.ndarray:
    """How often each row counts for a tree: its draws with replacement."""
    counts = bootstrap_counts(seed, index, len(row_weights), n_draws)
    # Where only rows without weight were drawn, the tree sees all.
    return counts if (counts * row_weights).any() else np.ones_like(counts)


def bootstrap_counts(seed: int, index: int, n_rows: int, n_draws: int | None = None) -> np.ndarray:
    """How often each of n rows is drawn for the tree with the given index; there are n draws unless given."""
    draws = np.random.default_rng(_stream(seed, index, 0)).integers(0, n_rows, n_draws or n_rows)
    return np.bincount(draws, minlength=n_rows).astype(np.int32)
