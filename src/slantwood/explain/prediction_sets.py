"""Sets of classes or labels: how probable a member must be, told by rows that a model did not see.

Of all sets with a given coverage, those of the classes above one threshold are smallest on average (the least
ambiguous ones). In a hierarchy a parent is never less probable than a child, so that they are closed upwards.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from slantwood.estimators.dense_scores import check_dense_scores
from slantwood.explain.conformal_quantile import conformal_quantile
from slantwood.explain.fewer_trees import ByTrees, Scored, limit_for_all
from slantwood.explain.held_out import HeldOut, Said
from slantwood.explain.truth import NO_CLASS, LabelTruth
from slantwood.hints import pluralize
from slantwood.targets.label_sets import as_label_sets


@dataclass(frozen=True, eq=False, repr=False)
class PredictionSets:
    """For each row the classes or labels that it may have.

    Parameters
    ----------
    members : array or CSR array of bool of shape (n_rows, n_classes)
        Which classes or labels belong to the set of a row.
    classes : array of shape (n_classes,)
        What the columns are.
    coverage : float
        What share of the true ones the sets hold.

    Examples
    --------
    >>> import numpy as np
    >>> from slantwood.explain import PredictionSets
    >>> PredictionSets(np.array([[True, True], [False, True]]), np.array(["elm", "oak"]), 0.9)
    PredictionSets(2 rows, 1.5 of 2 classes on average, coverage=0.9)
    """

    members: Any
    classes: np.ndarray
    coverage: float

    @property
    def sizes(self) -> np.ndarray:
        """How many members each set has."""
        return np.asarray(self.members.sum(axis=1)).ravel()

    def to_lists(self) -> list[tuple[Any, ...]]:
        """Return the members of each set by name.

        Returns
        -------
        list of tuple
            Classes or labels in the order of `classes`.

        Examples
        --------
        >>> import numpy as np
        >>> from slantwood.explain import PredictionSets
        >>> sets = PredictionSets(np.array([[True, True], [False, True]]), np.array(["elm", "oak"]), 0.9)
        >>> sets.to_lists()
        [('elm', 'oak'), ('oak',)]
        """
        found = as_label_sets(self.members.astype(np.int8), self.classes.tolist())
        return [each or () for each in found]

    def __repr__(self) -> str:
        n_rows, n_classes = self.members.shape
        size = f"{self.sizes.mean():.3g} of {pluralize(n_classes, 'class', 'classes')} on average"
        return f"PredictionSets({pluralize(n_rows, 'row')}, {size}, coverage={self.coverage:g})"


class _TrueOnes(NamedTuple):
    """The true classes or labels of all rows, one after the other."""

    row: np.ndarray
    score: np.ndarray  # 1 - probability; infinity for a label that the model does not know


@dataclass(frozen=True, eq=False)
class SetRule:
    """How improbable the true classes or labels were in rows that a model did not see."""

    ones: _TrueOnes  # rows are numbered from 0
    weights: np.ndarray  # of the rows
    added: np.ndarray  # to the probability of each class or label
    share: float = 1.0  # of the trees of the model, those that spoke of a row
    n_trees: int = 1  # of the model
    halves: tuple[SetRule, ...] = ()  # by each half of the trees that spoke, where these are not all
    quarters: tuple[SetRule, ...] = ()

    @classmethod
    def learn(cls, rows: HeldOut, added: np.ndarray) -> SetRule:
        """Learn from rows; those without a class or label, which cannot be missed, have no part."""
        every = cls._of(rows, rows.said, added)
        if rows.fewer is None:
            return every
        halves, quarters = (
            tuple(cls._of(rows, part, added) for part in parts)
            for parts in (rows.fewer.halves, rows.fewer.quarters)
        )
        share, n_trees = rows.fewer.share, rows.fewer.n_trees
        return replace(every, share=share, n_trees=n_trees, halves=halves, quarters=quarters)

    @classmethod
    def _of(cls, rows: HeldOut, said: Said, added: np.ndarray) -> SetRule:
        found = _true_ones(rows.truth, said.predicted, added, rows.weights if rows.of_fit else None)
        present, row = np.unique(found.row, return_inverse=True)
        return cls(_TrueOnes(row, found.score), rows.weights[present], added)

    def members(self, predicted: Any, coverage: float, *, joint: bool = False) -> Any:
        """Return which classes or labels belong to the sets, given their probabilities."""
        limit = self._limit(coverage, joint)
        if not sp.issparse(predicted):
            return _scores(predicted, self.added) <= limit
        chosen = sp.csr_array(predicted, copy=True)
        chosen.data = _scores(chosen.data, self.added[chosen.indices]) <= limit
        chosen.eliminate_zeros()
        everywhere = np.flatnonzero(_scores(np.zeros(1), self.added) <= limit)  # also where it has none
        if not len(everywhere):
            return chosen
        check_dense_scores(predicted.shape[0], len(everywhere))
        return sp.csr_array(chosen + _columns_of_ones(predicted.shape, everywhere), dtype=np.bool_)

    def _limit(self, coverage: float, joint: bool) -> float:
        """Return the largest score that a member may have."""
        if not self.halves:
            return conformal_quantile(*self._scored(joint), coverage)
        halves, quarters = ([each._scored(joint) for each in part] for part in (self.halves, self.quarters))
        found = limit_for_all(
            ByTrees(self._scored(joint), halves, quarters, self.share, self.n_trees), coverage
        )
        # That all of few trees agree says less than that all of many do: a little doubt is always left.
        return max(found, 0.5 / self.n_trees)

    def _scored(self, joint: bool) -> Scored:
        row, score = self.ones
        if joint:  # all labels of a row are in where the least probable one is
            worst = np.full(len(self.weights), -np.inf)
            np.maximum.at(worst, row, score)
            return Scored(worst, self.weights)
        # The share of a row's labels that is missed is a mean over them: each counts a part of the row.
        part = self.weights / np.bincount(row, minlength=len(self.weights))
        return Scored(score, part[row])


def covered_share(truth: Any, members: Any, *, joint: bool = False) -> float:
    """Return the share of true classes or labels that sets hold, as a mean over rows that have any.

    With `joint`, the share of these rows whose set holds all of them.
    """
    found = _true_ones(truth, members.astype(np.float32), np.zeros(members.shape[1]))
    row = np.unique(found.row, return_inverse=True)[1]
    n_missed, n_true = np.bincount(row, found.score > 0), np.bincount(row)
    return float(np.mean(n_missed == 0 if joint else 1.0 - n_missed / n_true))


def _true_ones(truth: Any, predicted: Any, added: np.ndarray, weights: np.ndarray | None = None) -> _TrueOnes:
    """Return what the true classes or labels of rows score.

    With weights, rows are such as `added` knows: what each of them added itself is taken away.
    """
    if isinstance(truth, LabelTruth):
        row, column = truth.indicator.nonzero()
        other = np.flatnonzero(truth.has_others)
    else:
        is_known = truth < predicted.shape[1]
        row = np.flatnonzero(is_known & (truth != NO_CLASS))
        column, other = truth[row], np.flatnonzero(~is_known)
    found = np.asarray(predicted[row, column]).ravel()
    more = added[column]
    if weights is not None:
        more = more * _share_of_others(row, column, weights, len(added))
    score = np.concatenate([_scores(found, more), np.full(len(other), np.inf)])
    return _TrueOnes(np.concatenate([row, other]), score)


def _share_of_others(row: np.ndarray, column: np.ndarray, weights: np.ndarray, n_columns: int) -> np.ndarray:
    """Return how frequent a class or label is without a row that has it, relative to with it.

    A label that one row alone has is there no more without it: to that row it is as new as one to come.
    """
    own, total = weights[row], weights.sum()
    of_column = np.bincount(column, own, n_columns)[column]
    with np.errstate(invalid="ignore", divide="ignore"):
        left = (1.0 - own / of_column) * total / (total - own)
    return np.asarray(np.nan_to_num(left, posinf=0.0))


def _scores(probabilities: np.ndarray, added: np.ndarray) -> np.ndarray:
    return 1.0 - (probabilities.astype(np.float64) + added)


def _columns_of_ones(shape: tuple[int, int], columns: np.ndarray) -> sp.csr_array:
    indptr = np.arange(shape[0] + 1) * len(columns)
    ones = np.ones(indptr[-1], np.bool_)
    return sp.csr_array((ones, np.tile(columns, shape[0]), indptr), shape=shape)
