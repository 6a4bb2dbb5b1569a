"""What the trees that did not see a row say of it."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.ensemble.forest import FittedForest
from slantwood.ensemble.prediction import Predictor
from slantwood.ensemble.settings import count_draws
from slantwood.ensemble.spec import ForestSpec
from slantwood.ensemble.training_data import TrainingData
from slantwood.features.matrix import known_rows
from slantwood.growth.plan import row_counts


@dataclass(frozen=True, eq=False)
class OutOfBag:
    """Means of the leaves of the trees that did not see a row."""

    means: Any  # NaN, in a CSR array nothing, where every tree saw the row
    has_mean: np.ndarray  # mask of the rows with both a mean and a label
    n_seen_by_all: int  # rows with label and weight, but no mean


def drawn(forest: FittedForest, tree: int, row_weights: np.ndarray) -> np.ndarray:
    """Return how often each row was drawn for a tree, where the forest takes bootstrap samples."""
    assert forest.seed is not None
    n_draws = count_draws(forest.settings.max_samples, len(row_weights))
    return row_counts(forest.seed, tree, row_weights, n_draws)


def out_of_bag(forest: FittedForest, data: TrainingData, spec: ForestSpec) -> OutOfBag:
    """Predict the training rows, each from the trees whose bootstrap sample it is not in."""
    labeled = known_rows(data.Y)
    if data.clustering.is_targets:
        data = data.without_unlabeled()
    unseen = [drawn(forest, tree, data.row_weights) == 0 for tree in range(forest.trees.n_trees)]
    tree_mask = np.stack(unseen, axis=1)
    some = tree_mask.any(axis=1)
    means = Predictor(forest, spec.n_jobs).mean(data.X, tree_mask, sparse=data.targets.is_sparse)
    return OutOfBag(means, some & labeled, int((labeled & (data.row_weights > 0) & ~some).sum()))


class OutOfBagSoFar:
    """The same while a forest grows: every tree is asked once, when it is new.

    Sums are added up tree by tree, as compiled code does for all trees at once, so that both agree to the
    bit: of the scores of classes many are equal, and the least error decides between them.

    Parameters
    ----------
    data : TrainingData
        The rows.
    spec : ForestSpec
        What is asked for.
    """

    def __init__(self, data: TrainingData, spec: ForestSpec) -> None:
        self._labeled = known_rows(data.Y)
        self._data = data.without_unlabeled() if data.clustering.is_targets else data
        self._spec = spec
        self._n_trees = 0
        self._n_unseen = np.zeros(len(self._labeled), np.int64)  # trees that did not see the row
        self._sums: Any = None

    def of(self, forest: FittedForest) -> OutOfBag:
        """Return what the trees say by now; the forest has all trees of earlier calls."""
        while self._n_trees < forest.trees.n_trees:
            self._add(forest, self._n_trees)
            self._n_trees += 1
        some = self._n_unseen > 0
        has_weight = self._data.row_weights > 0
        return OutOfBag(self._means(), some & self._labeled, int((self._labeled & has_weight & ~some).sum()))

    def _add(self, forest: FittedForest, tree: int) -> None:
        unseen = drawn(forest, tree, self._data.row_weights) == 0
        alone = replace(forest, trees=forest.trees._replace(roots=forest.trees.roots[tree : tree + 1]))
        leaves = Predictor(alone, self._spec.n_jobs).mean(
            self._data.X, unseen[:, None], sparse=self._data.targets.is_sparse
        )
        if not sp.issparse(leaves):
            leaves[~unseen] = 0.0
        self._sums = leaves if self._sums is None else self._sums + leaves
        self._n_unseen += unseen

    def _means(self) -> Any:
        share = np.float32(1.0) / np.maximum(self._n_unseen, 1).astype(np.float32)
        if sp.issparse(self._sums):
            means = self._sums.copy()
            means.data *= np.repeat(share, np.diff(means.indptr))
            return means
        return np.where(self._n_unseen[:, None] > 0, self._sums * share[:, None], np.float32(np.nan))
