"""What the trees that did not see a row say of it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

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


def out_of_bag(forest: FittedForest, data: TrainingData, spec: ForestSpec) -> OutOfBag:
    """Predict the training rows, each from the trees whose bootstrap sample it is not in."""
    labeled = known_rows(data.Y)
    if data.clustering.is_targets:
        data = data.without_unlabeled()
    weights = data.row_weights
    n_draws = count_draws(forest.settings.max_samples, len(weights))
    counts = [row_counts(spec.seed, tree, weights, n_draws) for tree in range(forest.trees.n_trees)]
    tree_mask = np.stack([each == 0 for each in counts], axis=1)
    some = tree_mask.any(axis=1)
    means = Predictor(forest, spec.n_jobs).mean(data.X, tree_mask, sparse=data.targets.is_sparse)
    return OutOfBag(means, some & labeled, int((labeled & (data.row_weights > 0) & ~some).sum()))
