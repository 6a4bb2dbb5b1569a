"""A single tree that imitates a forest: grown on what the forest says in place of y."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from slantwood import splits
from slantwood.ensemble.spec import AUTO, draw_seed
from slantwood.ensemble.training_data import TrainingData
from slantwood.estimators.base import ObliqueEstimator
from slantwood.estimators.tree import ObliqueTreeClassifier, ObliqueTreeRegressor
from slantwood.estimators.validation import check_clustering
from slantwood.explain.fidelity import Fidelity, compared, scores_of_encoded
from slantwood.explain.mixed_rows import mixed_rows
from slantwood.task_names import NUMBER_TASKS
from slantwood.validation import check_integer, check_real

# What a split learner must be able to take: scores of classes and labels are numbers.
_SOFT_TARGETS = "multi-target regression"

# Of the rows, to measure fidelity on: with fewer rows than this a fifth tells nothing.
_FEWEST_ROWS = 10
_HELD_OUT = 0.2

# Which rows are tried where it is left open: mixed ones, or those of X. The latter must be better by more
# than the few rows that are kept aside tell by chance.
_CANDIDATES = (5.0, 0.0)
_CLEARLY = 0.01

# A tree of a few leaves does not become better with more rows than these.
_MOST_MIXED = 100_000


class DistilledTree(NamedTuple):
    """A tree that imitates a larger model.

    Parameters
    ----------
    tree : ObliqueTreeClassifier or ObliqueTreeRegressor
        The fitted tree: `predict` and all else work as those of any other.
    fidelity : Fidelity
        How near it comes to the larger model on rows that it was not grown on.
    mixed : float
        How many rows it was grown on, made of two rows each, as a multiple of those of X; 0 for those of X.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from slantwood import ObliqueForestClassifier
    >>> from slantwood.explain import distilled_tree
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ObliqueForestClassifier(n_estimators=10, random_state=0).fit(X, y)
    >>> distilled_tree(forest, X, max_leaf_nodes=4, random_state=0).tree.get_n_leaves()
    4
    """

    tree: Any
    fidelity: Fidelity
    mixed: float


def distilled_tree(
    model: Any,
    X: Any,
    *,
    max_leaf_nodes: int | None = 16,
    max_depth: int | None = None,
    split: Any = "auto",
    mixed: float | str = "auto",
    X_unseen: Any = None,
    random_state: Any = None,
) -> DistilledTree:
    """Grow a single tree that imitates a forest or a boosted model.

    The tree learns from what the model says of rows, probabilities or numbers, and not from their y. So it
    learns from smooth targets without noise, and from as many rows as one likes.

    Parameters
    ----------
    model : fitted forest or boosted model of slantwood
        What to imitate.
    X : array, sparse matrix or data frame of shape (n_rows, n_features)
        Rows; those of `fit` or any others, whose y nobody needs to know.
    max_leaf_nodes : int or None, default=16
        Leaves of the tree at the most.
    max_depth : int or None, default=None
        Depth of the tree at the most.
    split : str or split learner, default="auto"
        How splits are found, as of `ObliqueTreeClassifier`; "axis" for conditions of one feature. Learners
        that need classes or labels as such, "wodt" and "ndcg", cannot learn from probabilities.
    mixed : float or "auto", default="auto"
        How many rows to grow the tree on, as a multiple of those of X (and at most 100,000, or as many as X
        has): each is made of two rows of X, with most of its features from one of them. A forest may know
        the y of the rows that it was fitted on by heart; of new rows it says what it has learned. 0 takes the
        rows of X as they are. "auto" is 5, unless 0 is clearly better on rows of X that are kept aside.
    X_unseen : array, sparse matrix or data frame, optional
        Rows that the model was not fitted on, for an honest measure of fidelity. By default it is measured on
        a fifth of X that is kept aside, before the tree is grown on all rows; where these are rows that the
        model knows by heart, it is too low.
    random_state : int, RandomState or None, default=None
        Seed of the tree, of what is kept aside and of mixed rows.

    Returns
    -------
    DistilledTree
        The tree, an estimator of the same targets as the model, and its fidelity.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from slantwood import ObliqueForestRegressor
    >>> from slantwood.explain import distilled_tree
    >>> from slantwood.export import export_text
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> forest = ObliqueForestRegressor(n_estimators=20, random_state=0).fit(X[:300], y[:300])
    >>> unseen = {"X_unseen": X[300:], "random_state": 0}
    >>> found = distilled_tree(forest, X[:300], max_leaf_nodes=8, split="axis", **unseen)
    >>> bool(found.fidelity.r2 > 0.5), len(export_text(found.tree).splitlines())
    (True, 16)
    """
    if not isinstance(model, ObliqueEstimator):
        raise TypeError(f"model is a {type(model).__name__}; give a forest or boosted model of slantwood")
    encoded = model.encode_features(X)  # first, as it checks that there is a model
    if _SOFT_TARGETS not in splits.named(split).tasks:
        raise ValueError(
            f"split={split!r} learns from classes or labels, and what a model says of rows is numbers; give "
            "another one, such as 'gradient' or 'axis'"
        )
    if max_leaf_nodes is not None:
        check_integer("max_leaf_nodes", max_leaf_nodes, 2)
    if mixed != AUTO:
        check_real("mixed", mixed, 0.0)
    seed = draw_seed(check_random_state(random_state))
    rng = np.random.default_rng(seed)

    def grown(rows: Any, times: float) -> Any:
        chosen = rows
        if times > 0:
            n_mixed = min(round(times * rows.shape[0]), max(rows.shape[0], _MOST_MIXED))
            chosen = mixed_rows(rows, model.encoding_.source, max(n_mixed, 2), rng)
        tree = _like(model, {"split": split, "max_leaf_nodes": max_leaf_nodes, "max_depth": max_depth}, seed)
        return tree._fit_to(_data(model, chosen), model, rows.shape[0])

    candidates = _CANDIDATES if isinstance(mixed, str) else (float(mixed),)
    if X_unseen is not None and len(candidates) == 1:
        tree = grown(encoded, candidates[0])
        return DistilledTree(tree, _fidelity(tree, model, model.encode_features(X_unseen)), candidates[0])
    n_rows = encoded.shape[0]
    if n_rows < _FEWEST_ROWS:
        raise ValueError(
            f"X has {n_rows} rows, too few to keep some aside; give {_FEWEST_ROWS} or more, or X_unseen and "
            "a number for mixed"
        )
    order = rng.permutation(n_rows)
    n_held_out = round(_HELD_OUT * n_rows)
    held_out, kept = encoded[order[:n_held_out]], encoded[np.sort(order[n_held_out:])]
    found = [_fidelity(grown(kept, each), model, held_out) for each in candidates]
    best = int(found[-1].r2 > found[0].r2 + _CLEARLY)
    tree, told = grown(encoded, candidates[best]), found[best]
    if X_unseen is not None:
        told = _fidelity(tree, model, model.encode_features(X_unseen))
    return DistilledTree(tree, told, candidates[best])


def _fidelity(tree: Any, model: Any, encoded: Any) -> Fidelity:
    return compared(model, scores_of_encoded(tree, encoded), scores_of_encoded(model, encoded))


def _data(model: Any, encoded: Any) -> TrainingData:
    """Return rows whose targets are what a model says of them."""
    weights = np.ones(encoded.shape[0])
    scores, clustering = scores_of_encoded(model, encoded), check_clustering(None, len(weights))
    return TrainingData(None, encoded, model.encoding_, None, scores, model.targets_, weights, clustering)


def _like(model: Any, given: dict[str, Any], seed: int) -> Any:
    """Return a tree that is not fitted yet, of the same kind of targets as a model."""
    given |= {"normalize_rows": model.settings_.normalize_rows, "target_weights": model.target_weights}
    given |= {"categorical_features": model.categorical_features, "random_state": seed}
    if model.targets_.task in NUMBER_TASKS:
        return ObliqueTreeRegressor(**given)
    return ObliqueTreeClassifier(hierarchy=model.hierarchy, threshold=model.decision_threshold(), **given)
