"""Ensembles of oblique trees whose leaves are averaged."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.estimators.base import ObliqueEstimator
from slantwood.estimators.classification import ObliqueClassifier
from slantwood.estimators.documentation import documented
from slantwood.estimators.regression import ObliqueRegressor


class _Forest(ObliqueEstimator):
    def apply(self, X: Any) -> np.ndarray:
        """Return the number of the leaf that each row reaches in each tree, counted within the tree."""
        X = self.encode_features(X)
        return self._predictor.leaves(X) - self.trees_.roots

    def decision_path(self, X: Any) -> tuple[sp.csr_array, np.ndarray]:
        """Return the nodes that each row passes, and where each tree's nodes begin.

        The indicator matrix has the nodes of all trees side by side; those of tree t are the columns from
        `offsets[t]` to `offsets[t + 1]`.
        """
        X = self.encode_features(X)
        return self._predictor.paths(X), self.trees_.node_offsets


@documented
class ObliqueForestClassifier(_Forest, ObliqueClassifier):
    """A forest of oblique predictive clustering trees for classes or label sets.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    classes_ : array
        Classes; labels of the hierarchy; or positions of the labels.
    {attributes}
    oob_score_ : float
        What `score` returns, on out-of-bag predictions, with `oob_score=True`.
    oob_decision_function_ : array, or CSR array where y is sparse
        Out-of-bag probabilities; NaN, in a CSR array nothing, where every tree saw the row.
    thresholds_ : array of shape (n_labels,)
        Thresholds of the labels, where they are tuned.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from slantwood import ObliqueForestClassifier
    >>> X, Y = make_multilabel_classification(n_classes=4, random_state=0)
    >>> forest = ObliqueForestClassifier(n_estimators=10, random_state=0).fit(X, Y)
    >>> forest.predict_proba(X).shape
    (100, 4)
    """

    def __init__(
        self,
        *,
        n_estimators: int = 50,
        split: Any = "gradient",
        max_depth: int | None = None,
        min_samples_split: int | str = "auto",
        min_impurity_decrease: float | str = "auto",
        max_features: Any = "auto",
        bootstrap: bool | str = "auto",
        oob_score: bool = False,
        class_weight: Any = None,
        target_weights: Any = None,
        hierarchy: Any = None,
        unit_rows: bool | str = "auto",
        unit_labels: bool | str = "auto",
        threshold: Any = 0.5,
        unlabeled_weight: float | str | None = None,
        categorical_features: Any = "from_dtype",
        missing_indicators: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
    ) -> None:
        self.n_estimators = n_estimators
        self.split = split
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_impurity_decrease = min_impurity_decrease
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.class_weight = class_weight
        self.target_weights = target_weights
        self.hierarchy = hierarchy
        self.unit_rows = unit_rows
        self.unit_labels = unit_labels
        self.threshold = threshold
        self.unlabeled_weight = unlabeled_weight
        self.categorical_features = categorical_features
        self.missing_indicators = missing_indicators
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start


@documented
class ObliqueForestRegressor(_Forest, ObliqueRegressor):
    """A forest of oblique predictive clustering trees for one or several numbers.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}
    oob_score_ : float
        R2 of the out-of-bag predictions, with `oob_score=True`.
    oob_prediction_ : array
        Out-of-bag predictions; NaN where every tree saw the row.

    Examples
    --------
    >>> from sklearn.datasets import load_linnerud
    >>> from slantwood import ObliqueForestRegressor
    >>> X, Y = load_linnerud(return_X_y=True)
    >>> ObliqueForestRegressor(n_estimators=10, random_state=0).fit(X, Y).predict(X).shape
    (20, 3)
    """

    def __init__(
        self,
        *,
        n_estimators: int = 50,
        split: Any = "gradient",
        max_depth: int | None = None,
        min_samples_split: int | str = "auto",
        min_impurity_decrease: float | str = "auto",
        max_features: Any = "auto",
        bootstrap: bool | str = "auto",
        oob_score: bool = False,
        target_weights: Any = None,
        unit_rows: bool | str = "auto",
        unlabeled_weight: float | str | None = None,
        categorical_features: Any = "from_dtype",
        missing_indicators: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
    ) -> None:
        self.n_estimators = n_estimators
        self.split = split
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_impurity_decrease = min_impurity_decrease
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.target_weights = target_weights
        self.unit_rows = unit_rows
        self.unlabeled_weight = unlabeled_weight
        self.categorical_features = categorical_features
        self.missing_indicators = missing_indicators
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
