"""Growing the trees of a forest: which columns score splits, by which rules, and on how many threads."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from typing import NamedTuple

import numpy as np

from slantwood.ensemble.assembling import OnTree, Outline, assembled, with_dense_rows
from slantwood.ensemble.column_spread import column_spread
from slantwood.ensemble.forest import FittedForest
from slantwood.ensemble.settings import (
    Settings,
    count_draws,
    count_features,
    count_rows,
    resolve_settings,
)
from slantwood.ensemble.spec import ForestSpec
from slantwood.ensemble.training_data import TrainingData
from slantwood.features.matrix import (
    column_means,
    normalized_rows,
    scaled_columns,
    to_array,
    training_matrix,
    varying_columns,
)
from slantwood.growth.grow import Limits
from slantwood.growth.plan import GrowthPlan
from slantwood.growth.pruning import PruningPath
from slantwood.growth.significance import critical_values
from slantwood.kernels.matrix import Matrix
from slantwood.targets.clustering import clustering_columns, sketch, sketch_width
from slantwood.targets.equal_say import equal_say
from slantwood.task_names import NUMBER_TASKS
from slantwood.threads import StopFlag, run_in_threads
from slantwood.workers.backends import done_by_workers, has_workers


def grow_forest(
    data: TrainingData,
    spec: ForestSpec,
    earlier: FittedForest | None = None,
    on_tree: OnTree | None = None,
) -> FittedForest:
    """Grow trees on rows whose labels and settings are all decided.

    Parameters
    ----------
    data : TrainingData
        The rows. Where the targets score splits, rows without any label have no part.
    spec : ForestSpec
        What is asked for.
    earlier : FittedForest, optional
        A forest to which trees are added, up to `spec.n_trees`.
    on_tree : callable, optional
        Hears of each tree.

    Returns
    -------
    FittedForest
        The earlier trees and the new ones.
    """
    plan, outline = planned(data, spec)
    stop = StopFlag()
    left = range(0 if earlier is None else earlier.trees.n_trees, spec.n_trees)
    on_workers = has_workers() and not (spec.is_inner or spec.single_tree)
    grow = partial(plan.plant, stop_flag=stop.array)
    planted = (
        done_by_workers(GrowthPlan.plant, plan, left, spec.n_jobs)
        if on_workers
        else run_in_threads(grow, left, spec.n_jobs, stop)
    )
    return assembled(outline, planted, earlier, on_tree)


def grow_pruning_path(data: TrainingData, spec: ForestSpec) -> PruningPath:
    """Grow the first tree of a forest; return the path on which it would be pruned to its root.

    Parameters
    ----------
    data : TrainingData
        The rows.
    spec : ForestSpec
        What is asked for; `ccp_alpha` does not matter.

    Returns
    -------
    PruningPath
        The path.
    """
    plan = planned(data, spec).plan
    stop = StopFlag()
    with closing(run_in_threads(partial(plan.pruning_path, stop_flag=stop.array), [0], 1, stop)) as paths:
        return next(iter(paths))


class Planned(NamedTuple):
    """All that is the same for the trees of a forest."""

    plan: GrowthPlan  # the rows, and how trees are grown on them
    outline: Outline  # what the forest is beside its trees


def planned(data: TrainingData, spec: ForestSpec) -> Planned:
    """Settle everything that is the same for all trees.

    Parameters
    ----------
    data : TrainingData
        The rows, whose labels are all decided.
    spec : ForestSpec
        What is asked for.

    Returns
    -------
    Planned
        The plan by which trees grow, and what the forest is beside them.
    """
    if data.clustering.is_targets:
        data = data.without_unlabeled()
    counting, width, settings = _settled(data, spec)
    Y = training_matrix(data.Y)
    scoring = _scoring_columns(data, Y, spec, settings, counting, width)
    plan = _plan(data, Y, spec, settings, scoring)
    outline = Outline(
        settings=settings,
        encoding=data.encoding,
        targets=data.targets,
        n_columns=data.X.shape[1],
        unlabeled_weight=float(spec.unlabeled_weight or 0.0),
        seed=spec.seed,
        tuned=spec.tuned,
        has_missing_targets=plan.Y.has_missing,
        column_spread=None
        if spec.is_inner
        else column_spread(data.X, normalize_rows=settings.normalize_rows),
    )
    return Planned(plan, outline)


def planned_settings(data: TrainingData, spec: ForestSpec) -> Settings:
    """Return the settings with which trees would be grown.

    Parameters
    ----------
    data : TrainingData
        The rows.
    spec : ForestSpec
        What is asked for.

    Returns
    -------
    Settings
        The settings.
    """
    return _settled(data.without_unlabeled() if data.clustering.is_targets else data, spec).settings


class _Settled(NamedTuple):
    counting: np.ndarray  # mask of the targets that have a say in splits
    sketch_width: int | None
    settings: Settings


def _settled(data: TrainingData, spec: ForestSpec) -> _Settled:
    # Targets that are constant, or of weight 0, have no say in splits: they are only predicted.
    counting = varying_columns(data.Y)
    if len(spec.target_weights):
        counting &= spec.target_weights > 0
    n_targets = int(counting.sum())
    width = sketch_width(data.clustering, data.X.shape[1], n_targets)
    return _Settled(counting, width, resolve_settings(data, spec, n_targets, sketched=width is not None))


def _scoring_columns(
    data: TrainingData,
    Y: Matrix,
    spec: ForestSpec,
    settings: Settings,
    counting: np.ndarray,
    width: int | None,
) -> tuple[Matrix, np.ndarray]:
    """Return the columns that score splits, the targets or what stands for them, and their weights."""
    weights, columns = spec.target_weights, data.Y
    if len(data.targets.block_sizes):
        # Beside features all columns are brought to variance 1, and a sketch leaves theirs as they are.
        power = 1.0 if "features" in data.clustering.groups else settings.split.scaling.targets
        power = power if width is None else 0.0
        say = equal_say(data.Y, data.targets.block_sizes, data.row_weights, power)
        columns = scaled_columns(data.Y, say.factors)
        weights = say.weights * weights if len(weights) else say.weights
        Y = training_matrix(columns)
    if 0 < counting.sum() < len(counting):
        Y = training_matrix(columns[:, counting])
        weights = weights[counting] if len(weights) else weights
    if settings.normalize_labels and not len(data.targets.block_sizes):
        Y = normalized_rows(Y)
    if data.clustering.is_targets and width is None:
        return Y, weights
    columns, weights = clustering_columns(data.clustering, data.X, to_array(Y), weights, data.row_weights)
    if width is not None:
        columns, weights = sketch(columns, weights, width, spec.seed), np.empty(0)
    return training_matrix(columns), weights


def _plan(
    data: TrainingData, Y: Matrix, spec: ForestSpec, settings: Settings, scoring: tuple[Matrix, np.ndarray]
) -> GrowthPlan:
    X = training_matrix(data.X)
    has_slopes = settings.leaves == "linear"
    Y = with_dense_rows(Y) if has_slopes else Y
    Z, attribute_weights = scoring
    split = settings.split
    is_plain = settings.feature_sampling == "all"
    fewest = 1 if is_plain else split.fewest_features
    max_features = count_features(settings.max_features, data.X.shape[1], fewest)
    # A function of the number of features, such as "sqrt", is a number of features to combine. In sparse
    # data a row has few of those drawn, so it is taken by the row; a number or a share is taken as given.
    by_row = split.oblique and isinstance(settings.max_features, str) and not is_plain
    # Numbers have units of their own; classes and labels are indicators, and their variances of one kind.
    units_differ = data.targets.task in NUMBER_TASKS or not data.clustering.is_targets
    return GrowthPlan(
        X=normalized_rows(X) if settings.normalize_rows else X,
        Y=Y,
        overall=_overall_means(Y, data.row_weights) if Y.has_missing else np.empty(0, np.float32),
        Z=Z,
        attribute_weights=attribute_weights.astype(np.float32),
        row_weights=data.row_weights,
        split=split,
        importance_power=float(units_differ),
        limits=Limits(
            max_depth=np.iinfo(np.int32).max if settings.max_depth is None else settings.max_depth,
            min_samples_split=count_rows(settings.min_samples_split, data.row_weights, fewest=2),
            min_samples_leaf=count_rows(settings.min_samples_leaf, data.row_weights),
            min_weight_fraction_leaf=float(settings.min_weight_fraction_leaf),
            max_leaf_nodes=settings.max_leaf_nodes or 0,
            min_impurity_decrease=float(settings.min_impurity_decrease),
            critical_f=critical_values(settings.ftest),
            max_features=max_features,
            features_per_row=max_features if by_row else 0,
            min_support=split.min_support,
            is_plain=is_plain,
            by_impurity=settings.acceptance == "impurity",
            min_part=float(split.min_part),
            shuffle_above=split.rows_in_order,
        ),
        target_weights=_cost_weights(data, spec),
        ccp_alpha=float(settings.ccp_alpha),
        bootstrap=bool(settings.bootstrap),
        n_draws=count_draws(settings.max_samples, data.X.shape[0]),
        seed=spec.seed,
        has_slopes=has_slopes,
    )


def _cost_weights(data: TrainingData, spec: ForestSpec) -> np.ndarray:
    """Weights of the columns of Y in the cost of a tree; one column for two classes stands for two."""
    weights, stand_for_two = spec.target_weights.astype(np.float64), data.targets.stand_for_two
    if not stand_for_two.any():
        return weights
    return np.where(stand_for_two, 2.0, 1.0) * (weights if len(weights) else 1.0)


def _overall_means(Y: Matrix, row_weights: np.ndarray) -> np.ndarray:
    return np.nan_to_num(column_means(to_array(Y), row_weights)).astype(np.float32)
