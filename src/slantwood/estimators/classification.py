"""What classifiers share: classes or label matrices in, probabilities and decisions out."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassifierMixin
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from slantwood.estimators import parameters as check
from slantwood.estimators.base import ObliqueEstimator
from slantwood.estimators.callbacks import with_callbacks
from slantwood.targets.classes import ClassTargets
from slantwood.targets.labels import LabelTargets


class ObliqueClassifier(ClassifierMixin, ObliqueEstimator):
    """Base of the classifiers."""

    class_weight: Any
    threshold: float

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None, clustering: Any = None) -> ObliqueClassifier:
        """Grow the trees.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_rows, n_features)
            Features.
        y : array of shape (n_rows,), or array or sparse matrix of shape (n_rows, n_labels)
            Classes of any type, or the 0/1 indicator matrix of a multi-label task.
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
        y, targets = _read_targets(y, X.shape[0])
        weights = check.check_row_weights(sample_weight, X.shape[0])
        judged_by = check.check_clustering(clustering, X.shape[0])
        check.check_real("threshold", self.threshold, 0.0, 1.0)
        if self.class_weight is not None:
            if targets.task == "multi-label":
                raise ValueError(
                    f"class_weight={self.class_weight!r} is for classes; y is a multi-label matrix, whose "
                    "labels are weighted by target_weights"
                )
            weights = weights * compute_sample_weight(self.class_weight, y)
            if not (weights > 0).any():
                raise ValueError(f"class_weight={self.class_weight!r} leaves no row with a positive weight")
        if targets.task != "multi-label":
            # Classes that only weightless rows have are not classes of the data.
            targets = ClassTargets.of(y[weights > 0]) if (weights == 0).any() else targets
            keep = np.isin(y, targets.classes)
            if not keep.all():
                X, y, weights, judged_by = X[keep], y[keep], weights[keep], judged_by.of_rows(keep)
        self._fit(X, y, weights, targets, judged_by)
        return self

    def _describe(self, targets: ClassTargets | LabelTargets) -> dict[str, Any]:
        return {"classes_": targets.classes, "n_classes_": len(targets.classes)}

    def predict(self, X: Any) -> Any:
        """Return the class of each row, or its labels as an indicator matrix (sparse where y was sparse)."""
        check_is_fitted(self)
        if self._targets.task == "multi-label":
            scores = self._sparse_leaf_means(X, None) if self._targets.is_sparse else self._leaf_means(X)
            return self._targets.decode(scores, self.threshold)
        return self._targets.decode(self.predict_proba(X))

    def predict_proba(self, X: Any, *, top_k: int | None = None, sparse: bool = False) -> Any:
        """Return the probability of each class or label.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_rows, n_features)
            Features.
        top_k : int, optional
            Keep the largest so many of each row (those above zero) and return a CSR array.
        sparse : bool, default=False
            Return a CSR array of the probabilities above zero.

        Returns
        -------
        array or CSR array of shape (n_rows, n_classes)
            Columns in the order of `classes_`. With many labels, `top_k` and `sparse` never form the
            dense matrix.
        """
        check_is_fitted(self)
        check.check_flag("sparse", sparse)
        if top_k is not None:
            check.check_integer("top_k", top_k, 1)
        many_columns = self._targets.n_columns > 1
        if many_columns and (sparse or top_k is not None):
            return self._sparse_leaf_means(X, top_k)
        scores = self._probabilities(self._leaf_means(X))
        if top_k is not None and top_k < scores.shape[1]:
            scores[np.arange(len(scores)), np.argmin(scores, axis=1)] = 0.0
        return sp.csr_array(scores) if sparse or top_k is not None else scores

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Return the logarithm of the probability of each class or label."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _probabilities(self, means: np.ndarray) -> np.ndarray:
        return means if self._targets.task == "multi-label" else self._targets.probabilities(means)

    def _keep_out_of_bag(self, means: np.ndarray, seen: np.ndarray, y: Any, weights: np.ndarray) -> None:
        self.oob_decision_function_ = self._probabilities(means)
        if self._targets.task == "multi-label":
            decided = self._targets.decode(means[seen], self.threshold)
            wrong = decided != (sp.csr_array(y)[seen] if self._targets.is_sparse else y[seen])
            hit = np.asarray(wrong.sum(axis=1)).ravel() == 0
        else:
            hit = self._targets.decode(self.oob_decision_function_[seen]) == y[seen]
        self.oob_score_ = float(np.average(hit, weights=weights[seen])) if seen.any() else float("nan")

    def __sklearn_tags__(self) -> Any:
        """Say to scikit-learn what the estimator can do."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


def _read_targets(y: Any, n_rows: int) -> tuple[Any, ClassTargets | LabelTargets]:
    if y is None:
        raise ValueError("fit requires y to be passed, but the target y is None")
    if not sp.issparse(y):
        y = np.asarray(y)
        if y.ndim == 2 and y.shape[1] == 1:
            warnings.warn(
                "A column-vector y was passed when a 1d array was expected: it is taken as one class per "
                "row; pass y.ravel() to say so yourself",
                DataConversionWarning,
                stacklevel=3,
            )
            y = y.ravel()
    if y.ndim not in (1, 2):
        raise ValueError(
            f"y has shape {y.shape}; expected (n_rows,) for classes or (n_rows, n_labels) for labels"
        )
    if y.shape[0] != n_rows:
        raise ValueError(
            f"Found input variables with inconsistent numbers of rows: X has {n_rows}, y has {y.shape[0]}"
        )
    if y.dtype.kind == "f" or (y.dtype.kind == "O" and not sp.issparse(y)):
        _check_no_missing(y.data if sp.issparse(y) else y)
    if y.ndim == 2:
        return y, LabelTargets.of(y)
    check_classification_targets(y)
    try:
        return y, ClassTargets.of(y)
    except TypeError as error:
        raise TypeError(
            f"y mixes types that cannot be ordered ({error}); use one type for all classes"
        ) from error


def _check_no_missing(values: np.ndarray) -> None:
    missing = [v for v in values.ravel() if v is None or v != v] if values.dtype.kind == "O" else ()
    infinite = values.dtype.kind == "f" and not np.isfinite(values).all()
    if len(missing) or infinite:
        raise ValueError("Input y contains NaN, None or infinity; every row must have a class or its labels")
