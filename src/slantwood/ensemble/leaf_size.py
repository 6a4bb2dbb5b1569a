"""How small leaves may be, which depends on the noise of the targets.

Where noise is strong, the mean of more rows says more of the next one; where there is none, every row that is
not like the others blurs it. A pilot finds out: small forests, each grown without a part of the rows, predict
this part, as they are and with ever larger leaves.

Few trees are not what many are: what single trees lose by following the noise, many win back. The loss of a
mean of T trees is a + b / T, exactly so for squared errors, so that the losses of all T and of each half of
them tell what it is for many trees.

The default stays unless the gain is clear beside its standard error, over the same rows, and the losses that
users of the task look at do not rise with it. `docs/defaults.md` has the measurements.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from slantwood.ensemble.coarser import coarser
from slantwood.ensemble.growing import grow_forest, planned_settings
from slantwood.ensemble.losses import RowLosses
from slantwood.ensemble.prediction import Predictor
from slantwood.ensemble.spec import AUTO, ForestSpec
from slantwood.ensemble.training_data import TrainingData
from slantwood.messages import say
from slantwood.task_names import CLASS_TASKS, SEVERAL_TASKS

SIZES = (2, 5, 10, 20, 40, 80, 160)

# Forests of fewer trees are not worth a pilot, whose cost does not depend on their number.
LEAST_TREES = 20

# The number of trees for which sizes are compared, whatever the forest's own: a larger forest of the same
# seed has the trees of a smaller one.
_MANY_TREES = 50

# Up to this number of rows there are more folds, which leave more rows to grow from.
_FEW_ROWS = 1000
_FOLDS_OF_FEW, _FOLDS = 10, 4
_TREES = 4  # of a fold

# How many standard errors a gain must have. Probabilities may be clearly better, and the most probable class
# no better at all.
_CLEAR = 1.0
_CLEAR_FOR_CLASSES = 2.0


class Losses(NamedTuple):
    """Losses of unseen rows by size of the leaves, as they are of a forest of many trees."""

    squared: np.ndarray  # of shape (n_sizes, n_rows)
    own: np.ndarray  # of shape (n_sizes, n_rows, n_losses)
    row_weights: np.ndarray  # of shape (n_rows,)


def leaf_size(data: TrainingData, spec: ForestSpec, rows: np.ndarray) -> dict[str, Any]:
    """Return `min_samples_split` where it was left open and another size than the default is clearly better.

    Parameters
    ----------
    data : TrainingData
        All rows.
    spec : ForestSpec
        What is asked for.
    rows : array of int
        Rows to find out with, in random order.
    """
    if spec.min_samples_split != AUTO or spec.n_trees < LEAST_TREES:
        return {}
    default = planned_settings(data, replace(spec, tuned={}))
    # Half of the rows of a fold in each of two leaves: there is nothing larger to try.
    sizes = [default.min_samples_split]
    sizes += [size for size in SIZES if default.min_samples_split < size <= len(rows) / 2]
    if len(sizes) < 2:
        return {}
    losses = unseen_losses(data, replace(spec, bootstrap=default.bootstrap), rows, sizes)
    is_class = data.targets.task in (*CLASS_TASKS, *SEVERAL_TASKS)
    size = sizes[clearly_best(losses, _CLEAR_FOR_CLASSES if is_class else _CLEAR)]
    if spec.verbose > 0:
        means = np.average(losses.squared, axis=1, weights=losses.row_weights)
        shown = ", ".join(f"{size}: {mean:.4g}" for size, mean in zip(sizes, means, strict=True))
        say(f"squared error of unseen rows by min_samples_split: {shown}; chosen: {size}")
    return {} if size == default.min_samples_split else {"min_samples_split": size}


def unseen_losses(data: TrainingData, spec: ForestSpec, rows: np.ndarray, sizes: list[Any]) -> Losses:
    """Return how wrong forests are on rows that they did not see, for each size of the leaves."""
    n_folds = _FOLDS_OF_FEW if len(rows) <= _FEW_ROWS else _FOLDS
    of_rows = RowLosses(data.targets, data.Y[rows], data.row_weights[rows], spec.target_weights)
    parts = [_losses_of_fold(data, spec, rows, fold, n_folds, sizes, of_rows) for fold in range(n_folds)]
    squared, own, weights = zip(*parts, strict=True)
    return Losses(np.concatenate(squared, axis=1), np.concatenate(own, axis=1), np.concatenate(weights))


def _losses_of_fold(
    data: TrainingData,
    spec: ForestSpec,
    rows: np.ndarray,
    fold: int,
    n_folds: int,
    sizes: list[Any],
    losses: RowLosses,
) -> Losses:
    held_out = np.sort(rows[fold::n_folds])
    row_weights = np.zeros_like(data.row_weights)
    row_weights[rows] = data.row_weights[rows]
    row_weights[held_out] = 0.0
    inner = spec.for_inner_fit(_TREES, spec.seed + fold, {"min_samples_split": sizes[0]})
    forest = grow_forest(replace(data, row_weights=row_weights), inner)
    predictor = Predictor(forest, spec.n_jobs)
    leaves = predictor.leaves(data.X[held_out])
    # As in growth, a row of weight 2 is as two, but light ones are rows too.
    n_rows = forest.trees.node_weight * max(1.0, (row_weights > 0).sum() / row_weights.sum())
    Y = data.Y[held_out]
    squared, own = [], []
    for size in sizes:
        trees, leaf_node = coarser(forest.trees, n_rows, size)
        larger = Predictor(replace(forest, trees=trees), spec.n_jobs)
        nodes = leaf_node[leaves].astype(np.int32)
        some = [np.ascontiguousarray(each) for each in (nodes, nodes[:, ::2], nodes[:, 1::2])]
        means = [larger.mean_of(each, sparse=data.targets.is_sparse) for each in some]
        squared.append(_of_many_trees(*(losses.squared(Y, each) for each in means)))
        own.append(_of_many_trees(*(losses.own(Y, each) for each in means)))
    return Losses(np.stack(squared), np.stack(own), data.row_weights[held_out])


def _of_many_trees(of_all: np.ndarray, of_half: np.ndarray, of_other_half: np.ndarray) -> np.ndarray:
    halves = (of_half + of_other_half) / 2
    return of_all + (of_all - halves) * (1.0 - _TREES / _MANY_TREES)


def clearly_best(losses: Losses, clear: float) -> int:
    """Return which size is best, the first unless another is clearly better and no worse in any other loss.

    Parameters
    ----------
    losses : Losses
        The losses of unseen rows.
    clear : float
        Standard errors of the mean gain that are taken off it.
    """
    share = losses.row_weights / losses.row_weights.sum()
    gain = losses.squared[0] - losses.squared
    mean = gain @ share
    error = np.sqrt((gain - mean[:, None]) ** 2 @ share**2)
    own = np.tensordot(losses.own[0] - losses.own, share, (1, 0))
    sure = np.where((own >= 0).all(axis=1), mean - clear * error, -np.inf)
    best = int(np.argmax(sure))
    return best if sure[best] > 0 else 0
