"""Single oblique trees."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.estimators.base import ObliqueEstimator
from slantwood.estimators.classification import ObliqueClassifier
from slantwood.estimators.documentation import documented
from slantwood.estimators.regression import ObliqueRegressor


class _SingleTree(ObliqueEstimator):
    is_single_tree = True
    n_estimators = 1
    bootstrap = False
    oob_score = False
    n_jobs = None
    verbose = 0
    warm_start = False

    def apply(self, X: Any) -> np.ndarray:
        """Return the number of the leaf that each row reaches."""
        X = self.encode_features(X)
        return self._predictor.leaves(X)[:, 0]

    def decision_path(self, X: Any) -> sp.csr_array:
        """Return the indicator matrix of the nodes that each row passes."""
        X = self.encode_features(X)
        return self._predictor.paths(X)

    def get_depth(self) -> int:
        """Return the depth of the tree; 0 for a single leaf."""
        return int(self.trees_.depth.max())

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        return int((self.trees_.left < 0).sum())


@documented
class ObliqueTreeClassifier(_SingleTree, ObliqueClassifier):
    """An oblique predictive clustering tree for classes or label sets.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    classes_ : array
        Classes; labels of the hierarchy; or positions of the labels.
    {attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from slantwood import ObliqueTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> bool(ObliqueTreeClassifier(random_state=0).fit(X, y).score(X, y) > 0.95)
    True
    """

    def __init__(
        self,
        *,
        split: Any = "gradient",
        max_depth: int | None = None,
        min_samples_split: int | str = "auto",
        min_impurity_decrease: float | str = "auto",
        max_features: Any = "auto",
        class_weight: Any = None,
        target_weights: Any = None,
        hierarchy: Any = None,
        unit_rows: bool | str = "auto",
        unit_labels: bool | str = "auto",
        threshold: Any = 0.5,
        unlabeled_weight: float | str | None = None,
        categorical_features: Any = "from_dtype",
        missing_indicators: bool = False,
        random_state: Any = None,
    ) -> None:
        self.split = split
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_impurity_decrease = min_impurity_decrease
        self.max_features = max_features
        self.class_weight = class_weight
        self.target_weights = target_weights
        self.hierarchy = hierarchy
        self.unit_rows = unit_rows
        self.unit_labels = unit_labels
        self.threshold = threshold
        self.unlabeled_weight = unlabeled_weight
        self.categorical_features = categorical_features
        self.missing_indicators = missing_indicators
        self.random_state = random_state


@documented
class ObliqueTreeRegressor(_SingleTree, ObliqueRegressor):
    """An oblique predictive clustering tree for one or several numbers.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from slantwood import ObliqueTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> ObliqueTreeRegressor(max_depth=3, random_state=0).fit(X, y).predict(X).shape
    (442,)
    """

    def __init__(
        self,
        *,
        split: Any = "gradient",
        max_depth: int | None = None,
        min_samples_split: int | str = "auto",
        min_impurity_decrease: float | str = "auto",
        max_features: Any = "auto",
        target_weights: Any = None,
        unit_rows: bool | str = "auto",
        unlabeled_weight: float | str | None = None,
        categorical_features: Any = "from_dtype",
        missing_indicators: bool = False,
        random_state: Any = None,
    ) -> None:
        self.split = split
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_impurity_decrease = min_impurity_decrease
        self.max_features = max_features
        self.target_weights = target_weights
        self.unit_rows = unit_rows
        self.unlabeled_weight = unlabeled_weight
        self.categorical_features = categorical_features
        self.missing_indicators = missing_indicators
        self.random_state = random_state
