"""What models of several trees share: the trees one by one, and the leaves and paths of rows."""

import copy
from collections.abc import Iterator
from typing import Any, SupportsIndex, overload

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from slantwood.estimators.base import ObliqueEstimator
from slantwood.estimators.parts.on_disk import over_blocks
from slantwood.estimators.tree_view import TreeView
from slantwood.hints import pluralize


class TreeEnsemble(ObliqueEstimator):
    """Base of forests and boosted models."""

    _view: type[TreeView] = TreeView

    @property
    def estimators_(self) -> list[TreeView]:
        """The trees as light views, each with `predict`, `apply`, `n_leaves`, `depth` and `export_text`."""
        check_is_fitted(self)
        fitted = copy.copy(self)  # which a later fit does not change
        return [self._view(fitted, index) for index in range(len(self))]

    def __len__(self) -> int:
        check_is_fitted(self)
        return self.trees_.n_trees

    def __bool__(self) -> bool:
        return True  # an estimator is one also before it is fitted

    def __iter__(self) -> Iterator[TreeView]:
        return iter(self.estimators_)

    @overload
    def __getitem__(self, index: SupportsIndex) -> TreeView: ...
    @overload
    def __getitem__(self, index: slice) -> list[TreeView]: ...
    def __getitem__(self, index: SupportsIndex | slice) -> TreeView | list[TreeView]:
        trees = self.estimators_
        try:
            return trees[index]
        except IndexError as error:
            raise IndexError(f"[{index}]: the model has {pluralize(len(trees), 'tree')}") from error
        except TypeError as error:
            raise TypeError(f"[{index!r:.60}] must be the number of a tree, or a slice") from error

    def apply(self, X: Any) -> np.ndarray:
        """Return the number of the leaf that each row reaches in each tree, counted within the tree.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.

        Returns
        -------
        array of int of shape (n_rows, n_trees)
            Numbers of nodes.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from slantwood import ObliqueForestClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = ObliqueForestClassifier(n_estimators=5, random_state=0).fit(X, y)
        >>> forest.apply(X).shape
        (150, 5)
        """
        check_is_fitted(self)
        leaves = over_blocks(lambda rows: self._predictor.leaves(self.encode_features(rows)), X)
        return leaves - self.trees_.roots

    def decision_path(self, X: Any) -> tuple[sp.csr_array, np.ndarray]:
        """Return the nodes that each row passes, and where each tree's nodes begin.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.

        Returns
        -------
        paths : CSR array of shape (n_rows, n_nodes)
            Indicator of the nodes that a row passes, those of all trees side by side.
        offsets : array of int of shape (n_trees + 1,)
            The nodes of tree t are the columns from `offsets[t]` to `offsets[t + 1]`.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from slantwood import ObliqueForestClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = ObliqueForestClassifier(n_estimators=5, random_state=0).fit(X, y)
        >>> paths, offsets = forest.decision_path(X)
        >>> len(offsets), bool(paths.shape[1] == offsets[-1])
        (6, True)
        """
        check_is_fitted(self)
        paths = over_blocks(lambda rows: self._predictor.paths(self.encode_features(rows)), X)
        return paths, self.trees_.node_offsets
