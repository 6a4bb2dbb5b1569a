"""Rows as the leaves that they reach: a step of scikit-learn's pipelines."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from slantwood.estimators.tree_models import check_tree_model
from slantwood.explain.proximity import leaf_indicator
from slantwood.validation import check_flag


class LeafEmbedding(TransformerMixin, BaseEstimator):
    """Turns rows into indicators of the leaves that they reach, one in each tree.

    Products of these are proximities: ``Z @ Z.T / n_trees``. A linear model on them weighs the leaves of a
    forest anew, and a nearest-neighbour search finds rows that the forest holds for alike.

    Parameters
    ----------
    estimator : estimator
        A tree, forest or boosted model of slantwood.
    prefit : bool, default=False
        Whether the estimator is fitted already, and is used as it is; otherwise `fit` fits a clone of it.
    sparse_output : bool, default=True
        Whether to return CSR arrays. Data frames, after `set_output(transform="pandas")`, need False.

    Attributes
    ----------
    estimator_ : estimator
        The fitted model.
    n_features_in_ : int
        Number of features.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from slantwood import ObliqueForestClassifier
    >>> from slantwood.explain import LeafEmbedding
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ObliqueForestClassifier(n_estimators=10, max_depth=3, random_state=0)
    >>> pipeline = make_pipeline(LeafEmbedding(forest), LogisticRegression()).fit(X, y)
    >>> bool(pipeline.score(X, y) > 0.9)
    True
    """

    def __init__(self, estimator: Any, *, prefit: bool = False, sparse_output: bool = True) -> None:
        self.estimator = estimator
        self.prefit = prefit
        self.sparse_output = sparse_output

    def fit(self, X: Any, y: Any = None, **fit_params: Any) -> Self:
        """Fit the model, unless it is fitted already.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.
        y : array, data frame, sparse matrix or label sets
            Targets, in a form that the model takes.
        **fit_params : dict
            For the `fit` of the model, such as `sample_weight`.

        Returns
        -------
        LeafEmbedding
            Itself.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from slantwood import ObliqueForestClassifier
        >>> from slantwood.explain import LeafEmbedding
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = ObliqueForestClassifier(n_estimators=10, random_state=0).fit(X, y)
        >>> LeafEmbedding(forest, prefit=True).fit(X).transform(X).sum(axis=1).max().item()
        10.0
        """
        check_flag("sparse_output", self.sparse_output)
        if check_flag("prefit", self.prefit):
            check_tree_model(self.estimator)
            self.estimator_ = self.estimator
        else:
            self.estimator_ = clone(self.estimator).fit(X, y, **fit_params)
            check_tree_model(self.estimator_)
        self.n_features_in_ = self.estimator_.n_features_in_
        return self

    def transform(self, X: Any) -> sp.csr_array | np.ndarray:
        """Return the leaves that rows reach, as ones among the leaves of all trees.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.

        Returns
        -------
        CSR array, or array, of float32, of shape (n_rows, n_leaves)
            Columns tree by tree; or a data frame after `set_output`.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from slantwood import ObliqueForestClassifier
        >>> from slantwood.explain import LeafEmbedding
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = ObliqueForestClassifier(n_estimators=10, random_state=0)
        >>> LeafEmbedding(forest).fit(X, y).transform(X).nnz
        1500
        """
        check_is_fitted(self)
        found = leaf_indicator(self.estimator_, X)
        return found if self.sparse_output else found.toarray()

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Name the leaves by tree and node, as `apply` counts them.

        Parameters
        ----------
        input_features : object
            Ignored: leaves are not called after features.

        Returns
        -------
        array of str of shape (n_leaves,)
            Such as "tree0_node2".

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from slantwood import ObliqueTreeClassifier
        >>> from slantwood.explain import LeafEmbedding
        >>> X, y = load_iris(return_X_y=True)
        >>> embedding = LeafEmbedding(ObliqueTreeClassifier(max_depth=1, random_state=0)).fit(X, y)
        >>> embedding.get_feature_names_out().tolist()
        ['tree0_node1', 'tree0_node2']
        """
        check_is_fitted(self)
        trees = self.estimator_.trees_
        nodes = np.flatnonzero(trees.left < 0)
        tree = np.searchsorted(trees.roots, nodes, side="right") - 1
        within = nodes - trees.roots[tree]
        names = [f"tree{t}_node{n}" for t, n in zip(tree.tolist(), within.tolist(), strict=True)]
        return np.array(names, object)

    def __sklearn_is_fitted__(self) -> bool:
        """Whether there is a model."""
        return hasattr(self, "estimator_")

    def __sklearn_tags__(self) -> Any:
        """Say to scikit-learn what it takes: what the model does."""
        tags = super().__sklearn_tags__()
        of_model = get_tags(self.estimator)
        tags.input_tags = of_model.input_tags
        tags.target_tags.required = not self.prefit
        assert tags.transformer_tags is not None
        tags.transformer_tags.preserves_dtype = []  # ones are float32, whatever X is
        return tags
