"""Whether probabilities are met: of all that is said to be 70 % probable, 70 % should come true."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from slantwood.estimators.dense_scores import check_dense_scores
from slantwood.estimators.validation import check_given_weights
from slantwood.explain.held_out import said_of
from slantwood.explain.models import check_model
from slantwood.explain.shortcuts import PlotsCalibration
from slantwood.explain.truth import NO_CLASS, LabelTruth, truth_of
from slantwood.task_names import NUMBER_TASKS
from slantwood.validation import check_integer

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Calibration(PlotsCalibration):
    """How probabilities compare with what came true.

    Parameters
    ----------
    brier : float
        Brier score: the mean squared difference between probabilities and truths, 0 or 1.
    expected_error : float
        Expected calibration error: the mean difference between what is predicted and what is observed in a
        bin, each bin counting by its weight.
    predicted, observed, weight : array of shape (n_bins,)
        The reliability curve, over bins of equal width that hold any: the mean probability of a bin, the
        share of it that came true, and the weight of its rows.

    Examples
    --------
    >>> import numpy as np
    >>> from slantwood.explain import Calibration
    >>> Calibration(0.1, 0.02, np.array([0.3]), np.array([0.32]), np.array([50.0]))
    Calibration(brier=0.1000, expected_error=0.0200, 1 bin)
    """

    brier: float
    expected_error: float
    predicted: np.ndarray
    observed: np.ndarray
    weight: np.ndarray

    @classmethod
    def from_probabilities(
        cls, probabilities: Any, truth: Any, *, sample_weight: Any = None, n_bins: int = 10
    ) -> Calibration:
        """Compare probabilities with truths, whichever model they come from.

        Parameters
        ----------
        probabilities : array of shape (n_rows,) or (n_rows, n_outputs)
            Probabilities, such as `oob_decision_function_` has them; rows with NaN are left out.
        truth : array of the same shape
            1 where it came true, else 0.
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows.
        n_bins : int, default=10
            Number of bins, each as wide as the others.

        Returns
        -------
        Calibration
            Over all probabilities, each counting as one.

        Examples
        --------
        >>> from slantwood.explain import Calibration
        >>> found = Calibration.from_probabilities([0.2, 0.2, 0.2, 0.2, 0.2], [0, 0, 1, 0, 0])
        >>> round(found.brier, 6), round(found.expected_error, 6)
        (0.16, 0.0)
        """
        check_integer("n_bins", n_bins, 1)
        p, t = np.asarray(probabilities, np.float64), np.asarray(truth, np.float64)
        if p.shape != t.shape or p.ndim not in (1, 2):
            raise ValueError(f"probabilities have shape {p.shape} and truth {t.shape}; give one for each")
        weights = check_given_weights(sample_weight, len(p))
        known = ~np.isnan(p.reshape(len(p), -1)).any(axis=1) & (weights > 0)
        if not known.any():
            raise ValueError("probabilities are NaN in every row; give rows of which they are known")
        width = p.size // len(p)
        p, t, w = p[known].ravel(), t[known].ravel(), np.repeat(weights[known], width)
        if ((p < 0) | (p > 1)).any() or ((t != 0) & (t != 1)).any():
            raise ValueError("probabilities must lie from 0 to 1, and truth must be 0 or 1")
        bins = np.minimum((p * n_bins).astype(np.int64), n_bins - 1)
        sums = np.stack([np.bincount(bins, w * each, n_bins) for each in (np.ones_like(p), p, t)])
        weight, sum_predicted, sum_observed = sums[:, sums[0] > 0]
        predicted, observed = sum_predicted / weight, sum_observed / weight
        error = np.average(np.abs(predicted - observed), weights=weight)
        return cls(float(np.average((p - t) ** 2, weights=w)), float(error), predicted, observed, weight)

    def to_frame(self) -> pd.DataFrame:
        """Return the reliability curve as a table; needs pandas.

        Returns
        -------
        pandas.DataFrame
            A row for each bin.

        Examples
        --------
        >>> import numpy as np
        >>> from slantwood.explain import Calibration
        >>> Calibration(0.1, 0.02, np.array([0.3]), np.array([0.32]), np.array([50.0])).to_frame()
           predicted  observed  weight
        0        0.3      0.32    50.0
        """
        import pandas as pd

        return pd.DataFrame({"predicted": self.predicted, "observed": self.observed, "weight": self.weight})

    def __repr__(self) -> str:
        bins = f"{len(self.weight)} bin{'' if len(self.weight) == 1 else 's'}"
        return f"Calibration(brier={self.brier:.4f}, expected_error={self.expected_error:.4f}, {bins})"


def calibration(model: Any, X: Any, y: Any, *, sample_weight: Any = None, n_bins: int = 10) -> Calibration:
    """Tell whether the probabilities of a classifier are met by rows that it did not see.

    Parameters
    ----------
    model : estimator
        A fitted tree, forest or boosted model of classes or labels.
    X : array, sparse matrix or data frame of shape (n_rows, n_features)
        Rows that the model was not fitted on: of those that it was, it is far too sure. Out-of-bag
        probabilities go to `Calibration.from_probabilities`.
    y : array, data frame, sparse matrix or label sets
        Their classes or labels. Rows whose class is not known have no part.
    sample_weight : array of shape (n_rows,), optional
        Weights of the rows.
    n_bins : int, default=10
        Number of bins, each as wide as the others.

    Returns
    -------
    Calibration
        Of two classes, of the probability of the second; else over the probabilities of all classes or
        labels, each counting as one. (A Brier score that adds up over K classes is K times as large.)

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from slantwood import ObliqueForestClassifier
    >>> from slantwood.explain import calibration
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> forest = ObliqueForestClassifier(n_estimators=20, random_state=0).fit(X[::2], y[::2])
    >>> bool(calibration(forest, X[1::2], y[1::2]).brier < 0.05)
    True
    """
    check_model(model, "calibration")
    if model.targets_.task in NUMBER_TASKS:
        raise ValueError("the model predicts numbers, which have no probabilities; use conformal")
    said = said_of(model, model.encode_features(X)).predicted
    check_dense_scores(*said.shape)
    probabilities = np.array(said.toarray() if sp.issparse(said) else said, np.float64)
    truth = truth_of(model, y, len(probabilities))
    if isinstance(truth, LabelTruth):
        ones = truth.indicator.toarray() if sp.issparse(truth.indicator) else truth.indicator
    else:
        ones = truth[:, None] == np.arange(probabilities.shape[1])
        probabilities[truth == NO_CLASS] = np.nan
        if probabilities.shape[1] == 2:
            probabilities, ones = probabilities[:, 1:], ones[:, 1:]
    # Means of leaves in single precision may be above 1 by the last digit.
    return Calibration.from_probabilities(
        np.clip(probabilities, 0.0, 1.0), ones, sample_weight=sample_weight, n_bins=n_bins
    )
