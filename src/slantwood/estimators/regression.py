"""What regressors share: one or several numbers per row in and out."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils.validation import check_is_fitted

from slantwood.ensemble.out_of_bag import OutOfBag
from slantwood.ensemble.training_data import TrainingData
from slantwood.estimators import validation as check
from slantwood.estimators.base import ObliqueEstimator
from slantwood.estimators.callbacks import with_callbacks
from slantwood.estimators.parts.on_disk import over_blocks
from slantwood.features.frames import column_names
from slantwood.metrics.regression import common_unit
from slantwood.targets.clustering import Clustering
from slantwood.targets.numbers import RegressionTargets
from slantwood.targets.reading import as_array, as_numbers, columns_by_name


class ObliqueRegressor(RegressorMixin, ObliqueEstimator):
    """Base of the regressors."""

    normalize_labels = False

    @with_callbacks
    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: npt.ArrayLike | None = None,
        clustering: str | Clustering | npt.ArrayLike | None = None,
        feature_names: Sequence[str] | None = None,
        target_names: Sequence[str] | None = None,
    ) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features; NaN, or a null of a frame, where a value is missing. With `max_memory`, also a scan of
            data files (`slantwood.data.scan`), which has its own y.
        y : array or data frame of shape (n_rows,) or (n_rows, n_targets)
            Numbers to predict; NaN where one is not known. Names of columns become `target_names_`.
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows; only their ratios matter. Rows of weight 0 take no part.
        clustering : {"targets", "features", "targets+features", "sketch"}, matrix or Clustering, optional
            What scores splits in place of the targets: the features, both, a random projection of the
            targets, or columns of your own with one row for each row of X. `Clustering` has the details.
        feature_names, target_names : sequence of str, optional
            Names of the columns of X and y, for those who look at the model: `input_names_`, `target_names_`;
            by default the names that a frame y has.

        Returns
        -------
        self
            The fitted estimator.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from slantwood import ObliqueTreeRegressor
        >>> X, y = load_diabetes(return_X_y=True)
        >>> tree = ObliqueTreeRegressor(max_depth=3, random_state=0).fit(X, y)
        >>> tree.settings_.max_depth
        3
        """
        return self._fit(X, y, sample_weight, clustering, feature_names, target_names)

    def _encode_targets(
        self, y: Any, weights: np.ndarray, names: Sequence[str] | None
    ) -> tuple[Any, Any, Any, np.ndarray]:
        y = _read_numbers(y, len(weights))
        names = check.check_column_names(names, _columns(y).shape[1])
        targets = self._continued(RegressionTargets.of(y, weights, names))
        return y, targets, targets.encode(y), weights

    def predict(self, X: Any) -> np.ndarray:
        """Return the predicted number(s) of each row.

        They lie within the range of y over the training rows of positive weight. Leaves are held in single
        precision: predictions have seven digits, where y is far from zero beside its spread (as years are)
        seven digits of the spread.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.

        Returns
        -------
        array of shape (n_rows,) or (n_rows, n_targets)
            Predictions, in the shape of y; a series or frame after `set_output(predict="pandas")`.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from slantwood import ObliqueTreeRegressor
        >>> X, y = load_diabetes(return_X_y=True)
        >>> tree = ObliqueTreeRegressor(max_depth=3, random_state=0).fit(X, y)
        >>> tree.predict(X).shape
        (442,)
        """
        return self._as_output(self._numbers(X), X)

    def _numbers(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return over_blocks(lambda rows: self.targets_.decode(self._means(rows)), X)

    def score(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> float:
        """Return how much of the variance of y is predicted: R2, averaged over the targets.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.
        y : array or data frame of shape (n_rows,) or (n_rows, n_targets)
            True numbers; columns of a frame that are called like the targets may come in any order.
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows.

        Returns
        -------
        float
            1 where all predictions are right, 0 where they are no better than the mean of y. It does not
            depend on the unit of y, however large or small its numbers are.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from slantwood import ObliqueTreeRegressor
        >>> X, y = load_diabetes(return_X_y=True)
        >>> tree = ObliqueTreeRegressor(max_depth=3, random_state=0).fit(X, y)
        >>> bool(tree.score(X, y) > 0.4)
        True
        """
        predicted = _columns(self._numbers(X))
        called, expected = column_names(y, "y"), getattr(self, "target_names_", ())
        y = _columns(_read_numbers(y, len(predicted)))
        if y.shape != predicted.shape:
            raise ValueError(
                f"y has {y.shape[1]} columns, and {predicted.shape[1]} are predicted; give the targets of fit"
            )
        if called is not None and expected:
            y = y[:, columns_by_name(called, expected, "target", "model")]
        unit = common_unit(y, predicted)
        return float(r2_score(y / unit, predicted / unit, sample_weight=sample_weight))

    def _keep_out_of_bag(self, found: OutOfBag, data: TrainingData) -> None:
        self.oob_prediction_ = self.targets_.decode(found.means)
        scores = []
        unit = self.targets_.unit  # in which squares neither overflow nor vanish
        pairs = zip((_columns(data.y) / unit).T, (_columns(self.oob_prediction_) / unit).T, strict=True)
        for truth, predicted in pairs:
            rows = found.has_mean & ~np.isnan(truth) & (data.row_weights > 0)
            if rows.sum() > 1:
                weights = data.row_weights[rows]
                scores.append(r2_score(truth[rows], predicted[rows], sample_weight=weights))
        self.oob_score_ = float(np.mean(scores)) if scores else float("nan")

    def __sklearn_tags__(self) -> Any:
        """Say to scikit-learn what the estimator can do."""
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self._split_is_for("multi-target regression")
        tags.target_tags.single_output = self._split_is_for("regression")
        return tags


def _columns(y: np.ndarray) -> np.ndarray:
    return y.reshape(len(y), -1)


def _read_numbers(y: Any, n_rows: int) -> np.ndarray:
    y = as_array(y, n_rows)
    if sp.issparse(y):
        raise TypeError("y is a sparse matrix, which regressors do not take; give y.toarray()")
    if y.size == 0:
        raise ValueError(f"y has shape {y.shape}; give at least one target")
    return as_numbers(y)
