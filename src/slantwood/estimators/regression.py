"""What regressors share: one or several numbers per row in and out."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.validation import check_is_fitted

from slantwood.estimators import parameters as check
from slantwood.estimators.base import ObliqueEstimator
from slantwood.estimators.callbacks import with_callbacks
from slantwood.targets.numbers import NumberTargets


class ObliqueRegressor(RegressorMixin, ObliqueEstimator):
    """Base of the regressors."""

    unit_labels = False

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None, clustering: Any = None) -> ObliqueRegressor:
        """Grow the trees.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_rows, n_features)
            Features.
        y : array of shape (n_rows,) or (n_rows, n_targets)
            Numbers to predict.
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows: one of weight 2 counts as two. A mean below 1 is scaled to 1.
        clustering : {"targets", "features", "targets+features", "sketch"}, matrix or Clustering, optional
            What judges splits in place of the targets: the features, both, a random projection of the
            targets, or columns of your own with one row for each row of X. `Clustering` has the details.

        Returns
        -------
        self
        """
        X = self._read_features(X, reset=True)
        y = _read_numbers(y)
        check_consistent_length(X, y)
        weights = check.check_row_weights(sample_weight, X.shape[0])
        judged_by = check.check_clustering(clustering, X.shape[0])
        self._fit(X, y, weights, NumberTargets.of(y, weights), judged_by)
        return self

    def _describe(self, targets: NumberTargets) -> dict[str, Any]:
        return {"n_outputs_": targets.n_columns}

    def predict(self, X: Any) -> np.ndarray:
        """Return the predicted number(s) of each row, in the shape of y."""
        check_is_fitted(self)
        return self._targets.decode(self._leaf_means(X))

    def _keep_out_of_bag(self, means: np.ndarray, seen: np.ndarray, y: Any, weights: np.ndarray) -> None:
        self.oob_prediction_ = self._targets.decode(means)
        enough = seen.sum() > 1
        self.oob_score_ = (
            float(r2_score(y[seen], self.oob_prediction_[seen], sample_weight=weights[seen]))
            if enough
            else float("nan")
        )

    def __sklearn_tags__(self) -> Any:
        """Say to scikit-learn what the estimator can do."""
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


def _read_numbers(y: Any) -> np.ndarray:
    if y is None:
        raise ValueError("fit requires y to be passed, but the target y is None")
    return check_array(y, dtype=np.float64, ensure_2d=False, input_name="y")
