"""How well one model says what another says."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from slantwood.estimators.tree_models import check_tree_model
from slantwood.estimators.tree_view import TreeView
from slantwood.task_names import CLASS_TASKS, LABEL_TASKS, SEVERAL_TASKS

# Of very many labels, scores below this are left out as zeros.
_LEAST_SCORE = 0.01


class Fidelity(NamedTuple):
    """How near a model comes to another one on some rows.

    Parameters
    ----------
    r2 : float
        Part of the variance of the other's scores that it has: probabilities of classes and labels, or
        numbers in units of their spread. 1 where all scores are the same, 0 where it knows their means only.
    agreement : float
        How far decisions are the same: the share of rows with the same class; the mean over rows of the
        overlap of label sets, 2 |A and B| / (|A| + |B|); of several targets the mean over those with classes;
        NaN of numbers.

    Examples
    --------
    >>> from slantwood.explain import Fidelity
    >>> Fidelity(r2=0.93, agreement=0.97).r2
    0.93
    """

    r2: float
    agreement: float


def fidelity(tree: Any, model: Any, X: Any) -> Fidelity:
    """Measure how well a small model says what a larger one says.

    Parameters
    ----------
    tree : fitted model of slantwood, or one tree of it
        The small model, of the same targets.
    model : fitted model of slantwood
        The larger one.
    X : array, sparse matrix or data frame of shape (n_rows, n_features)
        Rows on which they are compared; best those that neither was fitted on.

    Returns
    -------
    Fidelity
        Of scores and of decisions.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from slantwood import ObliqueForestClassifier
    >>> from slantwood.explain import fidelity
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ObliqueForestClassifier(n_estimators=10, random_state=0).fit(X[::2], y[::2])
    >>> bool(fidelity(forest[0], forest, X[1::2]).r2 > 0.8)
    True
    """
    small = tree._alone if isinstance(tree, TreeView) else tree
    check_tree_model(small)
    check_tree_model(model)
    same = small.targets_.n_columns == model.targets_.n_columns
    if not same or small.targets_.task != model.targets_.task:
        raise ValueError(
            f"tree predicts {small.targets_.task} targets in {small.targets_.n_columns} columns and model "
            f"{model.targets_.task} ones in {model.targets_.n_columns}; compare models of the same targets"
        )
    of_both = (scores_of_encoded(each, each.encode_features(X)) for each in (small, model))
    return compared(model, *of_both)


def scores_of_encoded(model: Any, encoded: Any) -> Any:
    """Return what a model says of encoded rows: an array, or of labels with sparse leaves a CSR array."""
    sparse = model.targets_.task in LABEL_TASKS and not model.trees_.leaves.is_dense
    means = model._predictor.mean(encoded, sparse=sparse)
    if sparse:
        means.data[means.data < _LEAST_SCORE] = 0.0
        means.eliminate_zeros()
    return means


def compared(model: Any, small: Any, large: Any) -> Fidelity:
    """Compare scores, the first with the second; decisions are made as `model` makes them."""
    if sp.issparse(small) != sp.issparse(large):
        small, large = sp.csr_array(small), sp.csr_array(large)
    return Fidelity(r2_of(small, large), _agreement(model, small, large))


def r2_of(small: Any, large: Any) -> float:
    """Return the part of the variance of scores, added up over columns, that others have."""
    return 1.0 - missed(small, large) if variance_of(large) > 0 else float(missed(small, large) == 0)


def missed(small: Any, large: Any) -> float:
    """Return the mean squared distance of scores from others, in units of the variance of these."""
    squares = _squares(small - large) / large.shape[0]
    variance = variance_of(large)
    return squares / variance if variance > 0 else squares


def variance_of(scores: Any) -> float:
    """Return the variance of scores over rows, added up over columns."""
    means = np.asarray(scores.mean(axis=0), np.float64).ravel()
    if not sp.issparse(scores):  # where they are far from zero, their squares would leave nothing of it
        return _squares(scores - means) / len(scores)
    return max(_squares(scores) / scores.shape[0] - float(means @ means), 0.0)


def _squares(values: Any) -> float:
    stored = values.data if sp.issparse(values) else np.ravel(values)
    return float(np.dot(stored.astype(np.float64), stored.astype(np.float64)))


def _agreement(model: Any, small: Any, large: Any) -> float:
    targets = model.targets_
    if targets.task in LABEL_TASKS:
        limit = model.decision_threshold()
        first, second = (
            sp.csr_array(targets.decided(each, limit), dtype=np.float64) for each in (small, large)
        )
        both = np.asarray(first.multiply(second).sum(axis=1)).ravel()
        total = np.asarray(first.sum(axis=1) + second.sum(axis=1)).ravel()
        return float(np.where(total > 0, 2 * both / np.where(total > 0, total, 1.0), 1.0).mean())
    if targets.task in CLASS_TASKS:
        limit = model.decision_threshold()
        decided = (targets.decode(targets.probabilities(each), limit) for each in (small, large))
        return float(np.mean(next(decided) == next(decided)))
    if targets.task in SEVERAL_TASKS:
        shares = zip(targets.probabilities(small), targets.probabilities(large), strict=True)
        same = [
            np.mean(a.argmax(axis=1) == b.argmax(axis=1))
            for a, b in shares
            if a is not None and b is not None
        ]
        return float(np.mean(same))
    return float("nan")
