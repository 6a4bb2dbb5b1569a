"""Single trees of a forest, to look at and to predict with.

A view holds no numbers of its own: it is the forest and the place of the tree. Node numbers run through all
trees of a forest, so that a tree alone is the same arrays with one root.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from slantwood.hints import pluralize
from slantwood.model.trees import Trees

__all__ = ["ClassifierTreeView", "TreeView"]


class TreeView:
    """One tree of a fitted forest: `forest[3]`.

    It takes hardly any memory, and stays as it is when the forest is fitted again.

    Parameters
    ----------
    forest : fitted forest
        The forest, which must not change any more.
    index : int
        Place of the tree, counted from 0.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from slantwood import ObliqueForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ObliqueForestClassifier(n_estimators=5, max_depth=1, random_state=0).fit(X, y)
    >>> forest[3]
    <tree 3 of ObliqueForestClassifier: 3 nodes, depth 1>
    >>> [tree.n_leaves for tree in forest]
    [2, 2, 2, 2, 2]
    """

    def __init__(self, forest: Any, index: int) -> None:
        self._forest = forest
        self.index = index

    def __repr__(self) -> str:
        nodes = pluralize(self.n_nodes, "node")
        return f"<tree {self.index} of {type(self._forest).__name__}: {nodes}, depth {self.depth}>"

    @property
    def n_nodes(self) -> int:
        """Number of nodes: splits and leaves."""
        return len(self._of_nodes("left"))

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int((self._of_nodes("left") < 0).sum())

    @property
    def depth(self) -> int:
        """Splits on the way to the deepest leaf."""
        return int(self._of_nodes("depth").max())

    def get_n_leaves(self) -> int:
        """Return the number of leaves, as scikit-learn's trees do.

        Returns
        -------
        int
            The same as `n_leaves`.

        Examples
        --------
        >>> from slantwood import ObliqueForestRegressor
        >>> forest = ObliqueForestRegressor(n_estimators=2, split="axis", bootstrap=False)
        >>> forest.fit([[0], [1], [2], [3]], [0, 0, 1, 1])[1].get_n_leaves()
        2
        """
        return self.n_leaves

    def get_depth(self) -> int:
        """Return the depth, as scikit-learn's trees do.

        Returns
        -------
        int
            The same as `depth`.

        Examples
        --------
        >>> from slantwood import ObliqueForestRegressor
        >>> forest = ObliqueForestRegressor(n_estimators=2, split="axis", bootstrap=False)
        >>> forest.fit([[0], [1], [2], [3]], [0, 0, 1, 1])[1].get_depth()
        1
        """
        return self.depth

    def predict(self, X: Any) -> Any:
        """Return what this tree alone predicts, in the form of the forest's `predict`.

        A tree of a boosted model is added to the constant at which its scores begin.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.

        Returns
        -------
        array, CSR array or list
            Classes, labels or numbers.

        Examples
        --------
        >>> from slantwood import ObliqueForestRegressor
        >>> forest = ObliqueForestRegressor(n_estimators=2, split="axis", bootstrap=False)
        >>> forest.fit([[0], [1], [2], [3]], [0, 0, 1, 1])[1].predict([[0], [3]]).tolist()
        [0.0, 1.0]
        """
        return self._alone.predict(X)

    def apply(self, X: Any) -> np.ndarray:
        """Return the number of the leaf that each row reaches, counted within the tree.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.

        Returns
        -------
        array of int of shape (n_rows,)
            Numbers of nodes.

        Examples
        --------
        >>> from slantwood import ObliqueForestRegressor
        >>> forest = ObliqueForestRegressor(n_estimators=2, split="axis", bootstrap=False)
        >>> forest.fit([[0], [1], [2], [3]], [0, 0, 1, 1])[1].apply([[0], [3]]).tolist()
        [1, 2]
        """
        return self._alone.apply(X)[:, 0]

    def export_text(self, *, max_depth: int | None = 10) -> str:
        """Return the tree as indented text, which `slantwood.export.export_text` describes.

        Parameters
        ----------
        max_depth : int or None, default=10
            Levels of splits to show; None shows all of them.

        Returns
        -------
        str
            A line for each node.

        Examples
        --------
        >>> from slantwood import ObliqueForestRegressor
        >>> forest = ObliqueForestRegressor(n_estimators=2, split="axis", bootstrap=False)
        >>> print(forest.fit([[0], [1], [2], [3]], [0, 0, 1, 1])[1].export_text())
        Tree 1 of ObliqueForestRegressor, regression
        x0 >= 1.5?  [4 rows, 100 %]
          yes: y0 = 1  [2 rows, 50 %]
          no:  y0 = 0  [2 rows, 50 %]
        """
        from slantwood.estimators.reading.text import export_text  # which takes views, too

        return export_text(self, max_depth=max_depth)

    @property
    def _trees(self) -> Trees:
        return self._forest.trees_

    def _of_nodes(self, field: str) -> np.ndarray:
        start, stop = self._trees.node_offsets[self.index :][:2]
        return getattr(self._trees, field)[start:stop]

    @property
    def _alone(self) -> Any:
        """A forest of this tree only, on the same arrays."""
        root = self._trees.roots[self.index :][:1]
        fitted = self._forest.forest_
        return self._forest._with_forest(replace(fitted, trees=fitted.trees._replace(roots=root)))


class ClassifierTreeView(TreeView):
    """One tree of a fitted forest of classifiers, which has probabilities as well.

    Parameters
    ----------
    forest : fitted forest
        The forest, which must not change any more.
    index : int
        Place of the tree, counted from 0.

    Examples
    --------
    >>> from slantwood import ObliqueForestClassifier
    >>> forest = ObliqueForestClassifier(n_estimators=2, split="axis", bootstrap=False)
    >>> forest.fit([[0], [1], [2], [3]], [0, 0, 1, 1])[-1]
    <tree 1 of ObliqueForestClassifier: 3 nodes, depth 1>
    """

    def predict_proba(self, X: Any, **options: Any) -> Any:
        """Return what this tree alone says of each class or label.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.
        **options : dict
            Those of the forest's `predict_proba`, such as `top_k` and `sparse`.

        Returns
        -------
        array or CSR array of shape (n_rows, n_classes)
            In the form of the forest's `predict_proba`, which is the mean of these; of a boosted model those
            of the constant at which scores begin and this tree.

        Examples
        --------
        >>> from slantwood import ObliqueForestClassifier
        >>> forest = ObliqueForestClassifier(n_estimators=2, split="axis", bootstrap=False)
        >>> forest.fit([[0], [1], [2], [3]], [0, 0, 1, 1])[1].predict_proba([[0], [3]]).tolist()
        [[1.0, 0.0], [0.0, 1.0]]
        """
        return self._alone.predict_proba(X, **options)
