"""How well decided sets of labels agree with the true ones: by example, by label, and over all cells.

Everything is made of four counts: cells that are true, predicted, both, and known. A cell of which the truth
is not known counts nowhere, and a row of which nothing is known has no part in a mean over rows. Sparse input
is never made dense.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from slantwood.metrics._input import (
    MatrixLike,
    check_indicator,
    check_partial_indicator,
    check_same_shape,
    check_weights,
    hits,
    without,
)

Float64Array: TypeAlias = npt.NDArray[np.float64]


def hamming_loss(
    y_true: MatrixLike, y_pred: MatrixLike, *, sample_weight: npt.ArrayLike | None = None
) -> float:
    """Compute the share of the pairs of a row and a label that are decided wrongly.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the true labels, zeros and ones. NaN where it is not known whether
        the row has the label; such cells are left out.
    y_pred : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the predicted labels, zeros and ones.
    sample_weight : array-like of shape (n_rows,), optional
        Non-negative weights of the rows; equal weights by default.

    Returns
    -------
    float
        A value in [0, 1]; 0 is best.

    Examples
    --------
    >>> from slantwood.metrics import hamming_loss
    >>> y_true = [[1, 0, 1], [0, 1, 0], [0, 0, 0]]
    >>> y_pred = [[1, 0, 0], [0, 1, 1], [0, 0, 0]]
    >>> round(hamming_loss(y_true, y_pred), 4)
    0.2222
    """
    compared = _compare(y_true, y_pred, sample_weight)
    wrong = compared.true + compared.predicted - 2 * compared.both
    return float(compared.weights @ wrong / (compared.weights @ compared.known))


def subset_accuracy(
    y_true: MatrixLike, y_pred: MatrixLike, *, sample_weight: npt.ArrayLike | None = None
) -> float:
    """Compute the share of rows of which every known label is decided rightly.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the true labels, zeros and ones. NaN where it is not known whether
        the row has the label; such cells are left out.
    y_pred : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the predicted labels, zeros and ones.
    sample_weight : array-like of shape (n_rows,), optional
        Non-negative weights of the rows; equal weights by default.

    Returns
    -------
    float
        A value in [0, 1]; 1 is best.

    Examples
    --------
    >>> from slantwood.metrics import subset_accuracy
    >>> y_true = [[1, 0, 1], [0, 1, 0], [0, 0, 0]]
    >>> y_pred = [[1, 0, 0], [0, 1, 1], [0, 0, 0]]
    >>> round(subset_accuracy(y_true, y_pred), 4)
    0.3333
    """
    compared = _compare(y_true, y_pred, sample_weight)
    right = (compared.true == compared.both) & (compared.predicted == compared.both)
    return _mean_of_rows(compared, right.astype(np.float64))


def example_precision(
    y_true: MatrixLike, y_pred: MatrixLike, *, sample_weight: npt.ArrayLike | None = None
) -> float:
    """Compute the share of right labels among those predicted for a row; the mean over rows.

    A row without true labels and without predicted ones counts 1, as in Mulan; a row
    that has no predicted label but a true one counts 0.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the true labels, zeros and ones. NaN where it is not known whether
        the row has the label; such cells are left out.
    y_pred : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the predicted labels, zeros and ones.
    sample_weight : array-like of shape (n_rows,), optional
        Non-negative weights of the rows; equal weights by default.

    Returns
    -------
    float
        A value in [0, 1]; 1 is best.

    Examples
    --------
    >>> from slantwood.metrics import example_precision
    >>> y_true = [[1, 0, 1], [0, 1, 0], [0, 0, 0]]
    >>> y_pred = [[1, 0, 0], [0, 1, 1], [0, 0, 0]]
    >>> round(example_precision(y_true, y_pred), 4)
    0.8333
    """
    compared = _compare(y_true, y_pred, sample_weight)
    return _mean_of_rows(compared, _shares(compared, compared.both, compared.predicted, empty=1.0))


def example_recall(
    y_true: MatrixLike, y_pred: MatrixLike, *, sample_weight: npt.ArrayLike | None = None
) -> float:
    """Compute the share of the true labels of a row that are predicted; the mean over rows.

    A row without true labels and without predicted ones counts 1, as in Mulan; a row
    that has no true label but a predicted one counts 0.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the true labels, zeros and ones. NaN where it is not known whether
        the row has the label; such cells are left out.
    y_pred : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the predicted labels, zeros and ones.
    sample_weight : array-like of shape (n_rows,), optional
        Non-negative weights of the rows; equal weights by default.

    Returns
    -------
    float
        A value in [0, 1]; 1 is best.

    Examples
    --------
    >>> from slantwood.metrics import example_recall
    >>> y_true = [[1, 0, 1], [0, 1, 0], [0, 0, 0]]
    >>> y_pred = [[1, 0, 0], [0, 1, 1], [0, 0, 0]]
    >>> round(example_recall(y_true, y_pred), 4)
    0.8333
    """
    compared = _compare(y_true, y_pred, sample_weight)
    return _mean_of_rows(compared, _shares(compared, compared.both, compared.true, empty=1.0))


def example_f1(
    y_true: MatrixLike, y_pred: MatrixLike, *, sample_weight: npt.ArrayLike | None = None
) -> float:
    """Compute the harmonic mean of precision and recall of a row; the mean over rows.

    A row without true labels and without predicted ones counts 1, as in Mulan.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the true labels, zeros and ones. NaN where it is not known whether
        the row has the label; such cells are left out.
    y_pred : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the predicted labels, zeros and ones.
    sample_weight : array-like of shape (n_rows,), optional
        Non-negative weights of the rows; equal weights by default.

    Returns
    -------
    float
        A value in [0, 1]; 1 is best.

    Examples
    --------
    >>> from slantwood.metrics import example_f1
    >>> y_true = [[1, 0, 1], [0, 1, 0], [0, 0, 0]]
    >>> y_pred = [[1, 0, 0], [0, 1, 1], [0, 0, 0]]
    >>> round(example_f1(y_true, y_pred), 4)
    0.7778
    """
    compared = _compare(y_true, y_pred, sample_weight)
    return _mean_of_rows(
        compared, _shares(compared, 2 * compared.both, compared.true + compared.predicted, empty=1.0)
    )


def example_accuracy(
    y_true: MatrixLike, y_pred: MatrixLike, *, sample_weight: npt.ArrayLike | None = None
) -> float:
    """Compute the Jaccard index of the true and the predicted labels of a row; the mean over rows.

    It is what Mulan and CLUS call accuracy of label sets. A row without true labels and
    without predicted ones counts 1, as in Mulan.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the true labels, zeros and ones. NaN where it is not known whether
        the row has the label; such cells are left out.
    y_pred : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the predicted labels, zeros and ones.
    sample_weight : array-like of shape (n_rows,), optional
        Non-negative weights of the rows; equal weights by default.

    Returns
    -------
    float
        A value in [0, 1]; 1 is best.

    Examples
    --------
    >>> from slantwood.metrics import example_accuracy
    >>> y_true = [[1, 0, 1], [0, 1, 0], [0, 0, 0]]
    >>> y_pred = [[1, 0, 0], [0, 1, 1], [0, 0, 0]]
    >>> round(example_accuracy(y_true, y_pred), 4)
    0.6667
    """
    compared = _compare(y_true, y_pred, sample_weight)
    return _mean_of_rows(
        compared,
        _shares(compared, compared.both, compared.true + compared.predicted - compared.both, empty=1.0),
    )


def micro_precision(
    y_true: MatrixLike, y_pred: MatrixLike, *, sample_weight: npt.ArrayLike | None = None
) -> float:
    """Compute precision over all pairs of a row and a label together.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the true labels, zeros and ones. NaN where it is not known whether
        the row has the label; such cells are left out.
    y_pred : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the predicted labels, zeros and ones.
    sample_weight : array-like of shape (n_rows,), optional
        Non-negative weights of the rows; equal weights by default.

    Returns
    -------
    float
        A value in [0, 1]; 1 is best, 0 where it is a quotient of zeros.

    Examples
    --------
    >>> from slantwood.metrics import micro_precision
    >>> y_true = [[1, 0, 1], [0, 1, 0], [0, 0, 0]]
    >>> y_pred = [[1, 0, 0], [0, 1, 1], [0, 0, 0]]
    >>> round(micro_precision(y_true, y_pred), 4)
    0.6667
    """
    counts = counts_by_label(y_true, y_pred, sample_weight).sum()
    return _quotient(counts.both, counts.predicted)


def micro_recall(
    y_true: MatrixLike, y_pred: MatrixLike, *, sample_weight: npt.ArrayLike | None = None
) -> float:
    """Compute recall over all pairs of a row and a label together.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the true labels, zeros and ones. NaN where it is not known whether
        the row has the label; such cells are left out.
    y_pred : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the predicted labels, zeros and ones.
    sample_weight : array-like of shape (n_rows,), optional
        Non-negative weights of the rows; equal weights by default.

    Returns
    -------
    float
        A value in [0, 1]; 1 is best, 0 where it is a quotient of zeros.

    Examples
    --------
    >>> from slantwood.metrics import micro_recall
    >>> y_true = [[1, 0, 1], [0, 1, 0], [0, 0, 0]]
    >>> y_pred = [[1, 0, 0], [0, 1, 1], [0, 0, 0]]
    >>> round(micro_recall(y_true, y_pred), 4)
    0.6667
    """
    counts = counts_by_label(y_true, y_pred, sample_weight).sum()
    return _quotient(counts.both, counts.true)


def micro_f1(y_true: MatrixLike, y_pred: MatrixLike, *, sample_weight: npt.ArrayLike | None = None) -> float:
    """Compute F1 over all pairs of a row and a label together.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the true labels, zeros and ones. NaN where it is not known whether
        the row has the label; such cells are left out.
    y_pred : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the predicted labels, zeros and ones.
    sample_weight : array-like of shape (n_rows,), optional
        Non-negative weights of the rows; equal weights by default.

    Returns
    -------
    float
        A value in [0, 1]; 1 is best, 0 where it is a quotient of zeros.

    Examples
    --------
    >>> from slantwood.metrics import micro_f1
    >>> y_true = [[1, 0, 1], [0, 1, 0], [0, 0, 0]]
    >>> y_pred = [[1, 0, 0], [0, 1, 1], [0, 0, 0]]
    >>> round(micro_f1(y_true, y_pred), 4)
    0.6667
    """
    counts = counts_by_label(y_true, y_pred, sample_weight).sum()
    return _quotient(2 * counts.both, counts.true + counts.predicted)


def macro_precision(
    y_true: MatrixLike, y_pred: MatrixLike, *, absent: float = 0.0, sample_weight: npt.ArrayLike | None = None
) -> float:
    """Compute precision of each label; the mean over labels.

    A label that rows have but that is never predicted counts 0.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the true labels, zeros and ones. NaN where it is not known whether
        the row has the label; such cells are left out.
    y_pred : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the predicted labels, zeros and ones.
    absent : float, default=0.0
        Value of a label that no row has and that is never predicted: 0 as in
        scikit-learn, 1 as in Mulan, NaN to leave such labels out of the mean.
    sample_weight : array-like of shape (n_rows,), optional
        Non-negative weights of the rows; equal weights by default.

    Returns
    -------
    float
        A value in [0, 1]; 1 is best, and NaN where `absent` leaves no label.

    Examples
    --------
    >>> from slantwood.metrics import macro_precision
    >>> y_true = [[1, 0, 1], [0, 1, 0], [0, 0, 0]]
    >>> y_pred = [[1, 0, 0], [0, 1, 1], [0, 0, 0]]
    >>> round(macro_precision(y_true, y_pred), 4)
    0.6667
    """
    counts = counts_by_label(y_true, y_pred, sample_weight)
    return macro_mean(_shares(counts, counts.both, counts.predicted, empty=absent))


def macro_recall(
    y_true: MatrixLike, y_pred: MatrixLike, *, absent: float = 0.0, sample_weight: npt.ArrayLike | None = None
) -> float:
    """Compute recall of each label; the mean over labels.

    A label that is predicted but that no row has counts 0.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the true labels, zeros and ones. NaN where it is not known whether
        the row has the label; such cells are left out.
    y_pred : array-like or sparse matrix of shape (n_rows, n_labels)
        Indicator of the predicted labels, zeros and ones.
    absent : float, default=0.0
        Value of a label that no row has and that is never predicted: 0 as in
        scikit-learn, 1 as in Mulan, NaN to leave such labels out of the mean.
    sample_weight : array-like of shape (n_rows,), optional
        Non-negative weights of the rows; equal weights by default.

    Returns
    -------
    float
        A value in [0, 1]; 1 is best, and NaN where `absent` leaves no label.

    Examples
    --------
    >>> from slantwood.metrics import macro_recall
    >>> y_true = [[1, 0, 1], [0, 1, 0], [0, 0, 0]]
    >>> y_pred = [[1, 0, 0], [0, 1, 1], [0, 0, 0]]
    >>> round(macro_recall(y_true, y_pred), 4)
    0.6667
    """
    counts = counts_by_label(y_true, y_pred, sample_weight)
    return macro_mean(_shares(counts, counts.both, counts.true, empty=absent))


class Counts(NamedTuple):
    """Numbers of cells, or their weights: for each row, for each label, or for all together."""

    true: npt.NDArray[Any]
    predicted: npt.NDArray[Any]
    both: npt.NDArray[Any]

    def sum(self) -> Counts:
        """Return those of all rows or labels together."""
        return Counts(*(part.sum() for part in self))


class _Compared(NamedTuple):
    """Numbers of cells of each row, and the weights of the rows: zero where no cell is known."""

    true: npt.NDArray[Any]
    predicted: npt.NDArray[Any]
    both: npt.NDArray[Any]
    known: npt.NDArray[Any]
    weights: Float64Array


class _Cells(NamedTuple):
    """Indicators of cells, none of them unknown."""

    true: sp.csr_array
    predicted: sp.csr_array
    both: sp.csr_array
    unknown: sp.csr_array


def _read(y_true: MatrixLike, y_pred: MatrixLike) -> _Cells:
    true, unknown = check_partial_indicator(y_true)
    predicted = check_indicator(y_pred, "y_pred")
    check_same_shape(predicted.shape, true.shape, "y_pred")
    if unknown.nnz:
        predicted = without(predicted, unknown)
    return _Cells(true, predicted, hits(true, predicted), unknown)


def _compare(y_true: MatrixLike, y_pred: MatrixLike, sample_weight: npt.ArrayLike | None) -> _Compared:
    cells = _read(y_true, y_pred)
    n_rows, n_labels = cells.true.shape
    weights = check_weights(sample_weight, n_rows, "sample_weight")
    true, predicted, both, unknown = (np.diff(matrix.indptr) for matrix in cells)
    weights = np.where(unknown < n_labels, weights, 0.0)
    if not weights.any():
        raise ValueError("y_true is NaN in every row of positive weight; pass rows with known labels.")
    return _Compared(true, predicted, both, n_labels - unknown, weights)


def counts_by_label(y_true: MatrixLike, y_pred: MatrixLike, sample_weight: npt.ArrayLike | None) -> Counts:
    """Return the weight of the rows that have each label, of those predicted to, and of both."""
    cells = _read(y_true, y_pred)
    weights = check_weights(sample_weight, cells.true.shape[0], "sample_weight")
    return label_counts(cells.true, cells.predicted, cells.both, weights)


def label_counts(
    true: sp.csr_array, predicted: sp.csr_array, both: sp.csr_array, weights: Float64Array
) -> Counts:
    """Return the same of three indicators."""
    return Counts(
        *(
            np.bincount(matrix.indices, np.repeat(weights, np.diff(matrix.indptr)), matrix.shape[1])
            for matrix in (true, predicted, both)
        )
    )


def _mean_of_rows(compared: _Compared, values: Float64Array) -> float:
    return float(compared.weights @ values / compared.weights.sum())


def _shares(
    counts: Counts | _Compared, part: npt.NDArray[Any], whole: npt.NDArray[Any], empty: float
) -> Float64Array:
    """Return quotients: `empty` where nothing is true and nothing predicted, otherwise 0 for 0 / 0."""
    shares = np.where((counts.true > 0) | (counts.predicted > 0), 0.0, float(empty))
    np.divide(part, whole, out=shares, where=whole > 0)
    return shares


def _quotient(part: Any, whole: Any) -> float:
    return float(part / whole) if whole > 0 else 0.0


def label_f1(counts: Counts, absent: float) -> Float64Array:
    """Return F1 of each label."""
    return _shares(counts, 2 * counts.both, counts.true + counts.predicted, absent)


def macro_mean(values: Float64Array) -> float:
    """Return the mean over labels, without those that are NaN."""
    counted = ~np.isnan(values)
    return float(values[counted].mean()) if counted.any() else float("nan")
