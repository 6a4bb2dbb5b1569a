"""How the error of a model falls as its trees are added, one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.estimators.validation import check_row_weights
from slantwood.explain.models import check_model
from slantwood.explain.tree_values import leaf_values
from slantwood.explain.truth import NO_CLASS, LabelTruth, truth_of
from slantwood.task_names import CLASS_TASKS, NUMBER_TASKS

# Rows times outputs of boosted models that are held at once.
_CELLS = 1 << 21


def staged_errors(model: Any, X: Any, y: Any, *, sample_weight: Any = None) -> np.ndarray:
    """Return the error on given rows by the first tree alone, by the first two, and so on.

    Rows are sent through the trees once. More trees are of use while the error falls.

    Parameters
    ----------
    model : estimator
        A fitted tree, forest or boosted model of one kind of targets.
    X : array, sparse matrix or data frame of shape (n_rows, n_features)
        Rows that the model was not fitted on.
    y : array, data frame, sparse matrix or label sets
        Their targets; those that are not known have no part.
    sample_weight : array of shape (n_rows,), optional
        Weights of the rows.

    Returns
    -------
    float64 array of shape (n_trees,); of boosted models (n_rounds,)
        Of classes the share that is wrong; of numbers the squared error in units of their variance over
        these rows, on average over the targets (1 - R2); of labels the mean squared error of the
        probabilities (the Brier score).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from slantwood import ObliqueForestClassifier
    >>> from slantwood.explain import staged_errors
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ObliqueForestClassifier(n_estimators=10, random_state=0).fit(X[::2], y[::2])
    >>> errors = staged_errors(forest, X[1::2], y[1::2])
    >>> len(errors), bool(errors[-1] == (forest.predict(X[1::2]) != y[1::2]).mean())
    (10, True)
    """
    check_model(model, "the error as trees are added")
    encoded = model.encode_features(X)
    n_rows = encoded.shape[0]
    truth = truth_of(model, y, n_rows)
    weights = check_row_weights(sample_weight, n_rows)
    error = _Errors(model, truth, weights)
    if model.forest_.additive is None:
        nodes = model._predictor.leaves(encoded)
        counts = np.arange(1, nodes.shape[1] + 1)[:, None]
        for rows, values in leaf_values(model._predictor, encoded, nodes):
            # Leaves are added up in single precision, as `predict` does it.
            sums = values.astype(np.float32).cumsum(axis=1, dtype=np.float32)
            error.add(rows, (sums / counts.astype(np.float32)).transpose(1, 0, 2))
        return error.means()
    n_rounds = model.forest_.additive.n_rounds
    step = max(1, _CELLS // (model.targets_.n_columns * n_rounds))
    for start in range(0, n_rows, step):
        rows = slice(start, min(start + step, n_rows))
        error.add(rows, np.stack(list(model._predictor.staged(encoded[rows]))))
    return error.means()


class _Errors:
    """Adds up the errors of some rows after another, at all stages."""

    def __init__(self, model: Any, truth: Any, weights: np.ndarray) -> None:
        self._model, self._truth, self._weights = model, truth, weights
        self._sum: Any = 0.0
        targets = model.targets_
        if isinstance(truth, LabelTruth):
            self._total: Any = weights.sum() * targets.n_columns
        elif targets.task in NUMBER_TASKS:
            known = ~np.isnan(truth)
            total = weights @ known
            some = np.where(total > 0, total, 1.0)
            mean = weights @ np.nan_to_num(truth) / some
            self._total = weights @ (np.nan_to_num(truth - mean) ** 2)  # of each target
        else:
            self._total = weights[truth != NO_CLASS].sum()
        if not np.all(self._total > 0):
            raise ValueError("y is the same, or not known, in all rows; give rows that differ")

    def add(self, rows: slice, means: np.ndarray) -> None:
        """Add rows with what is said of them at each stage: means of shape (n_stages, n_rows, n_columns)."""
        n_stages, n_rows, n_columns = means.shape
        targets, weights = self._model.targets_, self._weights[rows]
        flat = means.reshape(-1, n_columns)
        if isinstance(self._truth, LabelTruth):
            part = self._truth.indicator[rows]
            truth = part.toarray() if sp.issparse(part) else part
            self._sum += ((means - truth) ** 2).sum(axis=2, dtype=np.float64) @ weights
        elif targets.task in NUMBER_TASKS:
            said = targets.decode(flat).reshape(n_stages, n_rows, -1)
            squares = np.nan_to_num((said - self._truth[rows]) ** 2)
            self._sum += np.einsum("sij,i->sj", squares, weights)
        elif targets.task in CLASS_TASKS:
            decided = targets.decode(targets.probabilities(flat), self._model.decision_threshold())
            codes = np.searchsorted(targets.classes, decided).reshape(n_stages, n_rows)
            truth = self._truth[rows]
            self._sum += (codes != truth) @ (weights * (truth != NO_CLASS))

    def means(self) -> np.ndarray:
        """Return the errors of all rows."""
        ratio = np.asarray(self._sum / self._total)
        return ratio.mean(axis=1) if ratio.ndim == 2 else ratio
