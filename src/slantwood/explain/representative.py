"""The tree of a forest that says most nearly what the forest says."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from slantwood.estimators.tree_ensemble import TreeEnsemble
from slantwood.estimators.tree_view import TreeView
from slantwood.explain.fidelity import missed
from slantwood.task_names import LABEL_TASKS


class RepresentativeTree(NamedTuple):
    """The tree of a forest that is closest to it.

    Parameters
    ----------
    tree : TreeView
        The tree, as `forest[3]` gives it; `tree.index` is its place in the forest.
    distance : float
        Mean squared distance of what it says from what the forest says, in units of the variance of the
        latter: 0 where they say the same, 1 where it is as far off as a constant would be.
    distances : array of shape (n_trees,)
        Those of all trees.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from slantwood import ObliqueForestRegressor
    >>> from slantwood.explain import representative_tree
    >>> X, y = load_diabetes(return_X_y=True)
    >>> found = representative_tree(ObliqueForestRegressor(n_estimators=5, random_state=0).fit(X, y), X)
    >>> bool(found.distance == found.distances.min())
    True
    """

    tree: TreeView
    distance: float
    distances: np.ndarray


def representative_tree(forest: Any, X: Any) -> RepresentativeTree:
    """Find the tree of a forest that comes closest to what the whole forest says.

    Parameters
    ----------
    forest : ObliqueForestClassifier or ObliqueForestRegressor
        A fitted forest.
    X : array, sparse matrix or data frame of shape (n_rows, n_features)
        Rows on which trees are compared with the forest: those of `fit`, or better others.

    Returns
    -------
    RepresentativeTree
        The tree and its distance from the forest. `distilled_tree` makes a smaller one that imitates it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from slantwood import ObliqueForestClassifier
    >>> from slantwood.explain import representative_tree
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ObliqueForestClassifier(n_estimators=10, random_state=0).fit(X, y)
    >>> found = representative_tree(forest, X)
    >>> bool(found.distances[found.tree.index] == found.distance < 0.1)
    True
    """
    if not isinstance(forest, TreeEnsemble):
        raise TypeError(f"forest is a {type(forest).__name__}; give a fitted forest of slantwood")
    encoded = forest.encode_features(X)  # first, as it checks that there is a model
    if forest.forest_.additive is not None:
        raise ValueError(
            f"trees of a {type(forest).__name__} are steps, none of which stands for all; distilled_tree "
            "makes a single tree of it"
        )
    sparse = forest.targets_.task in LABEL_TASKS and not forest.trees_.leaves.is_dense
    predictor = forest._predictor
    nodes = predictor.leaves(encoded)
    together = predictor.mean_of(nodes, sparse=sparse)
    distances = np.array(
        [
            missed(predictor.mean_of(np.ascontiguousarray(nodes[:, [tree]]), sparse=sparse), together)
            for tree in range(nodes.shape[1])
        ]
    )
    best = int(np.argmin(distances))
    return RepresentativeTree(forest[best], float(distances[best]), distances)
