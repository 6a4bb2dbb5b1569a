"""Probabilities that are met: a model with a map of its probabilities, learned from rows that it did not see.

Maps keep the order of rows within a label, and are chosen so that what came true in these rows is as likely
as can be. `power_maps` has their form, `held_out` the ways to rows that a model did not see.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.model_selection import KFold

from slantwood.estimators.dense_scores import check_dense_scores
from slantwood.estimators.top_labels import top_only
from slantwood.explain.fewer_trees import parameters_for_all
from slantwood.explain.held_out import HeldOut, Said, held_out
from slantwood.explain.models import check_model
from slantwood.explain.power_maps import ClassMap, Doubt, LabelCells, LabelMap, shares_of
from slantwood.explain.reliability import Calibration
from slantwood.explain.truth import NO_CLASS, LabelTruth
from slantwood.task_names import CLASS_TASKS, NUMBER_TASKS
from slantwood.validation import check_flag, check_integer

# Parts of the rows, each mapped by what the others tell, for `after`.
_PARTS = 5


@dataclass(frozen=True, eq=False, repr=False)
class CalibratedModel:
    """A classifier whose probabilities are met; `calibrated` makes it.

    Parameters
    ----------
    model : estimator
        The fitted model, which stays as it is.
    probability_map : ClassMap or LabelMap
        What makes calibrated probabilities of its own.
    n_rows : int
        Rows that the map was learned from.
    before, after : Calibration
        How the probabilities of these rows, which the model did not see, compare with what came true: its
        own, and calibrated ones. The map of a row is here one that was learned from others.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from slantwood import ObliqueForestClassifier
    >>> from slantwood.explain import calibrated
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> forest = ObliqueForestClassifier(n_estimators=20, bootstrap=True, random_state=0).fit(X, y)
    >>> sure = calibrated(forest, X, y)
    >>> bool(sure.after.brier < 0.05), sure.predict(X[:2]).tolist()
    (True, [0, 0])
    """

    model: Any
    probability_map: ClassMap | LabelMap
    n_rows: int
    before: Calibration
    after: Calibration

    @property
    def classes_(self) -> np.ndarray:
        """Classes or labels, in the order of the columns of `predict_proba`."""
        return np.asarray(self.model.classes_)

    def predict_proba(self, X: Any, *, top_k: int | None = None, sparse: bool = False) -> Any:
        """Return the calibrated probability of each class or label.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.
        top_k : int, optional
            Keep the largest so many of each row (those above zero) and return a CSR array.
        sparse : bool, default=False
            Return a CSR array of the probabilities above zero; of labels, the dense one is never formed.

        Returns
        -------
        array or CSR array of shape (n_rows, n_classes)
            Columns in the order of `classes_`. Those of classes add up to 1. Of labels, what no tree mentions
            stays 0. In a hierarchy no label is more probable than its parents.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from slantwood import ObliqueForestClassifier
        >>> from slantwood.explain import calibrated
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = ObliqueForestClassifier(n_estimators=20, bootstrap=True, random_state=0).fit(X, y)
        >>> calibrated(forest, X, y).predict_proba(X[::50]).round(1).tolist()
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
        """
        check_flag("sparse", sparse)
        if top_k is not None:
            check_integer("top_k", top_k, 1)
        is_label = isinstance(self.probability_map, LabelMap)
        wants_sparse = sparse or top_k is not None
        found = self._scores(X, sparse=wants_sparse and is_label)
        if not wants_sparse:
            return self.model._as_output(found, X)
        if not sp.issparse(found):
            return sp.csr_array(found if top_k is None else top_only(found, top_k))
        return found if top_k is None else _largest(found, top_k)

    def predict(self, X: Any) -> Any:
        """Return the class of each row, or its labels.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.

        Returns
        -------
        array, CSR array or list
            The most probable class; of two the second, and labels, where the calibrated probability is above
            the `threshold` of the model. Where the model has tuned it, for its own probabilities, what the
            model predicts. In the form of the model's `predict`.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from slantwood import ObliqueForestClassifier
        >>> from slantwood.explain import calibrated
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = ObliqueForestClassifier(n_estimators=20, bootstrap=True, random_state=0).fit(X, y)
        >>> calibrated(forest, X, y).predict(X[::50]).tolist()
        [0, 1, 2]
        """
        if isinstance(self.model.threshold, str):
            return self.model.predict(X)
        targets = self.model.targets_
        scores = self._scores(X, sparse=targets.is_sparse)
        return self.model._as_output(targets.decode(scores, self.model.decision_threshold()), X)

    def _scores(self, X: Any, *, sparse: bool) -> Any:
        """Return calibrated probabilities; of labels those above zero alone, where asked for."""
        model, targets = self.model, self.model.targets_
        encoded = model.encode_features(X)
        if isinstance(self.probability_map, ClassMap):
            return self.probability_map.apply(targets.probabilities(model._predictor.mean(encoded)))
        if not sparse:
            check_dense_scores(encoded.shape[0], targets.n_columns)
        found = self.probability_map.apply(model._predictor.mean(encoded, sparse=sparse))
        return found if targets.hierarchy is None else targets.hierarchy.consistent(found)

    def __repr__(self) -> str:
        change = f"Brier score {self.before.brier:.4f} before, {self.after.brier:.4f} after"
        return f"CalibratedModel({type(self.model).__name__}, {self.n_rows} rows, {change})"


def calibrated(
    model: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    unseen: bool = False,
    cv: int | None = None,
    random_state: Any = None,
) -> CalibratedModel:
    """Learn from rows that a classifier did not see how to make its probabilities such as are met.

    Parameters
    ----------
    model : estimator
        A fitted tree, forest or boosted model of classes or labels. It is used as it is, and does not change.
    X : array, sparse matrix or data frame of shape (n_rows, n_features)
        By default the rows that the model, a forest with ``bootstrap=True``, was fitted on, in the same
        order: each is predicted by the trees that did not see it, and nothing is fitted. Rows that fewer
        than four trees did not see have no part.
    y : array, data frame, sparse matrix or label sets
        Their classes or labels. What is not known has no part.
    sample_weight : array of shape (n_rows,), optional
        Weights of the rows, in units of their mean. Out of bag those of `fit`.
    unseen : bool, default=False
        Whether the rows are such as the model was not fitted on. It can then be any model.
    cv : int, optional
        Fit so many models, each on all rows but a part, which it then predicts; X and y are those of `fit`.
        For trees, boosted models and forests without bootstrap where no rows can be spared.
    random_state : int, RandomState or None, default=None
        Which rows are in which part, for `cv`.

    Returns
    -------
    CalibratedModel
        With `predict_proba` and `predict`; `before` and `after` tell what was gained.

    Notes
    -----
    Of classes, q_k ~ exp(b_k) p_k^a: one power for all, and a factor for each class. Of labels the odds have
    a power and a factor, of each label by itself where ten rows have it and ten do not, else of all labels
    together. The maximum of the likelihood with a weak prior at a = 1, b = 0; one tree without splits speaks
    beside the others, so that none is sure. Out of bag a third of the trees speaks of a row: what halves of
    them give tells the map for all trees.

    Probabilities become those among the rows given: a `class_weight` of the model is undone, unless
    `sample_weight` has it too.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from slantwood import ObliqueForestClassifier
    >>> from slantwood.explain import calibrated
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> forest = ObliqueForestClassifier(n_estimators=20, bootstrap=True, random_state=0).fit(X, y)
    >>> calibrated(forest, X, y).predict_proba(X).shape
    (569, 2)
    """
    check_model(model, "calibration")
    if model.targets_.task in NUMBER_TASKS:
        raise ValueError("the model predicts numbers, which have no probabilities; use conformal")
    rows = held_out(model, X, y, sample_weight, unseen=unseen, cv=cv, random_state=random_state)
    lesson: _Lesson = _ClassLesson(rows) if model.targets_.task in CLASS_TASKS else _LabelLesson(model, rows)
    n_rows = int(lesson.is_known.sum())
    if not n_rows:
        raise ValueError("y is known in no row that the model did not see; give rows whose y is known")
    n_trees = np.inf if model.forest_.additive is not None else float(model.trees_.n_trees)
    before = lesson.compared(rows.said.predicted)
    after = lesson.compared(_crossed(lesson, rows, n_trees))
    return CalibratedModel(model, _learned(lesson, rows, n_trees), n_rows, before, after)


class _Lesson(ABC):
    """What came true in rows: how maps are learned from them, and compared with them."""

    is_known: np.ndarray  # mask of the rows that have a part
    shares: np.ndarray  # of classes or labels

    @abstractmethod
    def learn(self, said: Said, doubt: Doubt, mask: np.ndarray) -> Any:
        """Return the map that some rows give."""

    def applied(self, learned: Any, predicted: Any) -> Any:
        """Return calibrated probabilities of rows."""
        return learned.apply(predicted)

    @abstractmethod
    def compared(self, predicted: Any) -> Calibration:
        """Tell how probabilities compare with what came true."""


class _ClassLesson(_Lesson):
    def __init__(self, rows: HeldOut) -> None:
        self.n_classes = rows.said.predicted.shape[1]
        self.codes, self.weights = rows.truth, rows.weights
        self.is_known = (self.codes != NO_CLASS) & (self.codes < self.n_classes) & (self.weights > 0)
        weights = self.weights[self.is_known]
        counts = np.bincount(self.codes[self.is_known], weights, self.n_classes)
        self.shares = shares_of(counts, weights.sum(), self.n_classes)

    def learn(self, said: Said, doubt: Doubt, mask: np.ndarray) -> ClassMap:
        chosen = mask & self.is_known
        return ClassMap.learn(said.predicted[chosen], self.codes[chosen], self.weights[chosen], doubt)

    def compared(self, predicted: Any) -> Calibration:
        p = np.clip(predicted[self.is_known], 0.0, 1.0)
        ones = self.codes[self.is_known, None] == np.arange(self.n_classes)
        if self.n_classes == 2:
            p, ones = p[:, 1:], ones[:, 1:]
        return Calibration.from_probabilities(p, ones, sample_weight=self.weights[self.is_known])


class _LabelLesson(_Lesson):
    def __init__(self, model: Any, rows: HeldOut) -> None:
        self.truth: LabelTruth = rows.truth
        self.weights, self.hierarchy = rows.weights, model.targets_.hierarchy
        total, self.is_known = self.weights.sum(), self.weights > 0
        if self.truth.missing is not None:
            total = total - self.truth.missing.T @ self.weights
            n_missing = np.asarray(self.truth.missing.sum(axis=1)).ravel()
            self.is_known &= n_missing < self.truth.missing.shape[1]
        present = np.asarray(self.truth.indicator.T @ self.weights, np.float64)
        self.present, self.absent = present, total - present
        self.shares = shares_of(present, total, 2)

    def learn(self, said: Said, doubt: Doubt, mask: np.ndarray) -> LabelMap:
        return LabelMap.learn(self.cells(said.predicted).of_rows(mask), doubt)

    def cells(self, predicted: Any) -> LabelCells:
        row, column = predicted.nonzero()
        chosen = self.weights[row] > 0
        if self.truth.missing is not None:
            chosen &= ~_at(self.truth.missing, row, column)
        row, column = row[chosen], column[chosen]
        truth = _at(self.truth.indicator, row, column).astype(np.float64)
        p = _at(predicted, row, column).astype(np.float64)
        return LabelCells(row, column, p, truth, self.weights[row], self.present, self.absent)

    def applied(self, learned: Any, predicted: Any) -> Any:
        found = learned.apply(predicted)
        return found if self.hierarchy is None else self.hierarchy.consistent(found)

    def compared(self, predicted: Any) -> Calibration:
        cells = self.cells(predicted)
        total = float((self.present + self.absent).sum())
        missed = float(self.present.sum() - cells.weight @ cells.truth)
        p = np.concatenate([np.clip(cells.probability, 0.0, 1.0), [0.0, 0.0]])
        truth = np.concatenate([cells.truth, [1.0, 0.0]])
        # Where the probability is 0, all that came true are one cell of their weight, and all others another.
        rest = total - float(cells.weight.sum()) - missed
        weights = np.concatenate([cells.weight, [max(missed, 0.0), max(rest, 0.0)]])
        return Calibration.from_probabilities(p, truth, sample_weight=weights)


def _learned(lesson: _Lesson, rows: HeldOut, n_trees: float, mask: np.ndarray | None = None) -> Any:
    """Return the map for all trees of the model, from those that speak of the rows."""
    chosen = np.ones(len(rows.weights), np.bool_) if mask is None else mask
    doubt = Doubt(lesson.shares, n_trees)
    if rows.fewer is None:
        return lesson.learn(rows.said, doubt, chosen)
    spoke = rows.fewer.share * n_trees
    learned = lesson.learn(rows.said, doubt.among(spoke), chosen)
    halves = [lesson.learn(half, doubt.among(spoke / 2.0), chosen) for half in rows.fewer.halves]
    of_half = np.mean([half.parameters for half in halves], axis=0)
    found = parameters_for_all(learned.parameters, of_half, rows.fewer.share)
    return learned.with_parameters(found, doubt)


def _crossed(lesson: _Lesson, rows: HeldOut, n_trees: float) -> Any:
    """Return calibrated probabilities of the rows, by the trees that speak of them and by other rows."""
    n_rows = len(rows.weights)
    if n_rows < 2:
        return rows.said.predicted
    doubt = Doubt(lesson.shares, n_trees if rows.fewer is None else rows.fewer.share * n_trees)
    parts, order = [], []
    for train, test in KFold(min(_PARTS, n_rows), shuffle=True, random_state=0).split(np.arange(n_rows)):
        mask = np.zeros(n_rows, np.bool_)
        mask[train] = True
        learned = lesson.learn(rows.said, doubt, mask)
        parts.append(lesson.applied(learned, rows.said.predicted[test]))
        order.append(test)
    back = np.argsort(np.concatenate(order))
    return sp.csr_array(sp.vstack(parts))[back] if sp.issparse(parts[0]) else np.concatenate(parts)[back]


def _at(matrix: Any, row: np.ndarray, column: np.ndarray) -> np.ndarray:
    return np.asarray(matrix[row, column]).ravel()


def _largest(scores: sp.csr_array, k: int) -> sp.csr_array:
    """Keep the k largest of each row; of equal ones the first."""
    row = np.repeat(np.arange(scores.shape[0]), np.diff(scores.indptr))
    order = np.lexsort((scores.indices, -scores.data, row))
    place = np.arange(len(row)) - scores.indptr[row[order]]
    kept = np.sort(order[place < k])
    return sp.csr_array((scores.data[kept], (row[kept], scores.indices[kept])), shape=scores.shape)
