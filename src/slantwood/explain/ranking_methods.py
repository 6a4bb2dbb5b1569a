"""Feature rankings of the field, by name."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from slantwood.ensemble.spec import draw_seed
from slantwood.estimators.base import ObliqueEstimator
from slantwood.estimators.names import input_names
from slantwood.explain.feature_ranking import FeatureRanking
from slantwood.explain.null_scores import null_scores
from slantwood.explain.permutation import permutation_scores
from slantwood.explain.split_scores import Scores, split_scores
from slantwood.explain.target_groups import TargetGroups, target_groups
from slantwood.explain.training_rows import training_rows
from slantwood.hints import did_you_mean
from slantwood.task_names import CLASS_TASKS
from slantwood.validation import check_integer, check_real

Method: TypeAlias = Literal["paper", "impurity", "genie3", "symbolic", "permutation"]
RANKING_METHODS: tuple[str, ...] = get_args(Method)


def feature_ranking(
    model: Any,
    X: Any,
    y: Any,
    method: Method = "paper",
    *,
    groups: Any = None,
    sample_weight: npt.ArrayLike | None = None,
    depth_weight: float = 0.5,
    null: int = 0,
    random_state: int | np.random.RandomState | None = None,
) -> FeatureRanking:
    """Score the features of a fitted tree or forest.

    Parameters
    ----------
    model : estimator
        A fitted tree or forest of slantwood, of any task; for "impurity" also a boosted model.
    X : array, sparse matrix or data frame of shape (n_rows, n_features)
        The rows that the model was fitted on, in the same order.
    y : array, sparse matrix or label sets
        Their targets.
    method : {"paper", "impurity", "genie3", "symbolic", "permutation"}, default="paper"
        What a feature's score is, on average over the trees:

        - "paper": the sum over splits of n/N |w| / |w|_1, where n of the tree's N rows are in the node and w
          is the hyperplane in standardised units (Stepišnik and Kocev);
        - "impurity": the share in the impurity that splits remove, `model.feature_importances_`;
        - "genie3": the sum over splits of n times the variance that the split removes from the targets,
          shared out by |w| / |w|_1;
        - "symbolic": the sum over splits of `depth_weight` to the power of the depth, shared out by
          |w| / |w|_1;
        - "permutation": by how much the error of a tree on rows that it did not see rises when the values of
          the feature are shuffled among them. The error is the share of wrong classes, the mean squared error
          of numbers in units of their variance, or that of the probabilities of labels; of several targets
          the mean over them.
    groups : None, "targets", "levels" or dict, default=None
        Scores to add for parts of the targets: for each target; for each level of the hierarchy; or for
        groups, by name lists of targets (names or positions). Two classes are one target.
    sample_weight : array of shape (n_rows,), optional
        The weights of the rows in `fit`, if there were any.
    depth_weight : float, default=0.5
        For "symbolic": what a split counts beside one a level above it, between 0 and 1.
    null : int, default=0
        So many models of the same parameters are fitted on shuffled targets and ranked too, which tells what
        features score by chance: `FeatureRanking.null`, `p_values` and `above_noise`. Twenty are enough for
        a level of 5 %, and each takes as long as `fit`.
    random_state : int, RandomState or None, default=None
        Seed of the shuffling, for "permutation" and of the targets for `null`.

    Returns
    -------
    FeatureRanking
        A score for each column of X, those of the values of a nominal column added up. Scores of disjoint
        groups that cover all targets add up to the overall score, except by "permutation", where a score
        is a mean over the targets of a group.

    Notes
    -----
    The rows are needed because trees keep neither the deviations of features nor the targets of a node; other
    rows than those of `fit` are refused. Boosted models have "impurity" alone, without groups and spread: a
    tree of theirs sees a sample of the rows that is not kept, and gradients in place of targets.
    "permutation" needs a forest with ``bootstrap=True``; on rows of your own,
    ``sklearn.inspection.permutation_importance(model, X, y)`` shuffles features for the model as a whole, of
    any kind. Where `normalize_rows` is in use, values are shuffled after it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from slantwood import ObliqueForestClassifier
    >>> from slantwood.explain import feature_ranking
    >>> iris = load_iris(as_frame=True)
    >>> forest = ObliqueForestClassifier(n_estimators=5, random_state=0).fit(iris.data, iris.target)
    >>> ranking = feature_ranking(forest, iris.data, iris.target, "genie3")
    >>> sorted(ranking.top(2).names)
    ['petal length (cm)', 'petal width (cm)']
    """
    _check(model, method, groups)
    check_real("depth_weight", depth_weight, 0.0, 1.0)
    n_refits = check_integer("null", null, 0)
    chosen = target_groups(model, groups)
    random = check_random_state(random_state)

    def scores_of(fitted: Any, truth: Any, which: TargetGroups, seed: int) -> Scores:
        return _scores(fitted, X, truth, sample_weight, method, which, depth_weight, seed)

    scores = scores_of(model, y, chosen, draw_seed(random))
    by_chance = None
    if n_refits:
        no_groups = target_groups(model, None)

        def rank(fitted: Any, truth: Any, seed: int) -> np.ndarray:
            return scores_of(fitted, truth, no_groups, seed).overall

        by_chance = null_scores(model, X, y, sample_weight, n_refits, draw_seed(random), rank)
    names = input_names(model) or tuple(f"x{j}" for j in range(model.n_features_in_))
    found = scores.overall, scores.spread, chosen.names, scores.by_group
    return FeatureRanking(names, *found, method, by_chance)


def _scores(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    method: str,
    groups: TargetGroups,
    depth_weight: float,
    seed: int,
) -> Scores:
    if model.forest_.additive is not None:
        importances = model.feature_importances_
        return Scores(importances, np.empty((len(importances), 0)), np.zeros(len(importances)))
    rows = training_rows(model, X, y, sample_weight)
    if method == "permutation":
        threshold = model.decision_threshold() if model.targets_.task in CLASS_TASKS else None
        return permutation_scores(rows, groups, threshold, seed, model.n_jobs)
    scores = split_scores(rows, groups, method, depth_weight, _target_weights(model))
    return _as_importances(scores, model.feature_importances_) if method == "impurity" else scores


def _check(model: Any, method: str, groups: Any) -> None:
    if not isinstance(model, ObliqueEstimator):
        raise TypeError(
            f"model is a {type(model).__name__}; give a tree or forest of slantwood (of a pipeline its last "
            "step, with the X that it was given)"
        )
    check_is_fitted(model)
    elsewhere = "sklearn.inspection.permutation_importance works on rows that you hold out"
    if method not in RANKING_METHODS:
        hint = did_you_mean(str(method), RANKING_METHODS, f"expected one of {', '.join(RANKING_METHODS)}")
        raise ValueError(f"method={method!r} is not known; {hint}")
    if model.forest_.additive is not None and (method != "impurity" or groups is not None):
        raise ValueError(
            f"model is an {type(model).__name__}, and this ranking needs the rows and targets of each node, "
            "which boosted trees do not keep; give method='impurity' and no groups, which is "
            f"model.feature_importances_. {elsewhere}"
        )
    if method != "permutation":
        return
    if model.forest_.has_tree_of_all_rows:
        raise ValueError(
            "method='permutation' needs rows that a tree did not see, and some tree was grown on all rows; "
            f"fit a forest with bootstrap=True. {elsewhere}"
        )
    if model.forest_.slopes is not None:
        raise ValueError(
            "method='permutation' compares the means of leaves, and those of this model have slopes; fit it "
            f"with leaves='mean'. {elsewhere}"
        )
    if model.unlabeled_weight_ > 0:
        raise ValueError(
            "method='permutation' needs rows that no model has seen, and a first model saw all labelled rows "
            f"to tell the others (unlabeled_weight={model.unlabeled_weight!r}). {elsewhere}"
        )


def _target_weights(model: Any) -> np.ndarray:
    """Return the weights of the columns of the encoded targets; empty where all count the same."""
    targets, given = model.targets_, model.target_weights
    if given is None:
        return np.asarray(targets.column_weights)
    sizes = targets.block_sizes  # several targets have one weight each
    return np.repeat(given, sizes) if len(sizes) else np.asarray(given)


def _as_importances(scores: Scores, importances: np.ndarray) -> Scores:
    """Return `feature_importances_`, and what belongs to it in the same unit."""
    total = scores.overall.sum()
    unit = total if total > 0 else 1.0
    return Scores(importances, scores.by_group / unit, scores.spread / unit)
