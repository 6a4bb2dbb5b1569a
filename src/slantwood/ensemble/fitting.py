"""A whole fit, from top to bottom: settings that follow the noise, rows without label, trees."""

from dataclasses import replace
from typing import NamedTuple

from slantwood.ensemble.assembling import OnTree
from slantwood.ensemble.forest import FittedForest
from slantwood.ensemble.growing import grow_forest, grow_pruning_path
from slantwood.ensemble.semi_supervised import label_unlabeled
from slantwood.ensemble.spec import ForestSpec
from slantwood.ensemble.training_data import TrainingData
from slantwood.ensemble.tuning import tuned
from slantwood.features.matrix import known_rows
from slantwood.growth.pruning import PruningPath


def fit_forest(
    data: TrainingData, spec: ForestSpec, earlier: FittedForest | None = None, on_tree: OnTree | None = None
) -> FittedForest:
    """Fit a forest, or add trees to one.

    The result depends on the arguments alone, and nothing of them is changed.

    Parameters
    ----------
    data : TrainingData
        Checked and encoded rows.
    spec : ForestSpec
        Checked parameters.
    earlier : FittedForest, optional
        A forest to which trees are added, up to `spec.n_trees`; the spec has its seed and tuned settings.
    on_tree : callable, optional
        Called after each tree with a function that makes the forest so far; returns whether to stop.

    Returns
    -------
    FittedForest
        The forest.
    """
    data, spec = prepared(data, spec)
    return grow_forest(data, spec, earlier, on_tree)


def fit_pruning_path(data: TrainingData, spec: ForestSpec) -> PruningPath:
    """Return the path on which the first tree of a forest would be pruned to its root.

    Parameters
    ----------
    data : TrainingData
        Checked and encoded rows.
    spec : ForestSpec
        Checked parameters.

    Returns
    -------
    PruningPath
        The path.
    """
    return grow_pruning_path(*prepared(data, spec))


class Prepared(NamedTuple):
    """Rows whose labels are all decided, and a spec in which nothing is left to be chosen on unseen rows."""

    data: TrainingData
    spec: ForestSpec


def prepared(data: TrainingData, spec: ForestSpec) -> Prepared:
    """Decide on settings and on labels of rows without any.

    Parameters
    ----------
    data : TrainingData
        Checked and encoded rows.
    spec : ForestSpec
        Checked parameters; one that has tuned settings keeps these.

    Returns
    -------
    Prepared
        What trees can be grown from.
    """
    if not (known_rows(data.Y) & (data.row_weights > 0)).any():
        raise ValueError("y has no label in any row of positive weight; at least one row must have one")
    if spec.tuned is None:
        spec = tuned(data, spec)
    data, unlabeled_weight = label_unlabeled(data, spec)
    return Prepared(data, replace(spec, unlabeled_weight=unlabeled_weight))
