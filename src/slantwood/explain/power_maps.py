"""Maps from the probabilities of a model to such as are met: a power of each, times a factor.

Of classes the power is the same for all, q_k ~ exp(b_k) p_k^a, and q adds up to 1. Of labels, whose
probabilities do not add up, it is the odds that have a power and a factor, those of each label by itself
where it is frequent enough and else those of all labels together. Both keep what is more probable so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize
from scipy.special import expit, log_softmax, logit

# What parameters that change nothing are worth, in rows: few rows change little.
_PRIOR = 1.0

# A label has a map of its own where at least so many rows have it, and so many do not.
FEWEST_ROWS = 10.0

# The power is never below this: it would be none that keeps the order.
_LEAST_POWER = 0.05

# Newton steps over all labels at once, each at most so long.
_STEPS, _LONGEST, _SMALL = 50, 1.0, 1e-6


class Doubt(NamedTuple):
    """One more tree without splits speaks, so that nothing is impossible to it."""

    shares: np.ndarray  # of the classes or labels: what that tree says
    n_trees: float  # trees that it stands beside; infinite where a model is not the mean of trees

    @property
    def part(self) -> float:
        """What the tree counts."""
        return 1.0 / (self.n_trees + 1.0) if np.isfinite(self.n_trees) else 1e-3

    def among(self, n_trees: float) -> Doubt:
        """Return the same beside another number of trees."""
        return Doubt(self.shares, n_trees if np.isfinite(self.n_trees) else self.n_trees)


def shares_of(counts: np.ndarray, total: float, n_ways: int) -> np.ndarray:
    """Return shares of classes (of n_ways) or labels (of two: to be there or not), none of them 0 or 1."""
    return np.asarray((counts + 0.5) / (total + 0.5 * n_ways))


@dataclass(frozen=True, eq=False)
class ClassMap:
    """Makes probabilities of classes, which add up to 1, of others."""

    power: float
    offset: np.ndarray  # of each class
    doubt: Doubt  # of the model

    @property
    def parameters(self) -> np.ndarray:
        """Power and offsets."""
        return np.concatenate([[self.power], self.offset])

    def with_parameters(self, parameters: np.ndarray, doubt: Doubt) -> ClassMap:
        """Return a map of this kind with other parameters."""
        return ClassMap(max(float(parameters[0]), _LEAST_POWER), parameters[1:], doubt)

    @classmethod
    def learn(cls, predicted: np.ndarray, codes: np.ndarray, weights: np.ndarray, doubt: Doubt) -> ClassMap:
        """Choose what makes the classes of rows most likely."""
        logs = _logs(predicted, doubt)
        row = np.arange(len(codes))

        def loss(parameters: np.ndarray) -> tuple[float, np.ndarray]:
            power, offset = parameters[0], parameters[1:]
            said = log_softmax(power * logs + offset, axis=1)
            slope = np.exp(said)
            slope[row, codes] -= 1.0
            slope *= weights[:, None]
            far = np.log(power)
            value = -weights @ said[row, codes] + _PRIOR * (far**2 + offset @ offset)
            of_power = np.vdot(slope, logs) + 2.0 * _PRIOR * far / power
            return float(value), np.append(of_power, slope.sum(axis=0) + 2.0 * _PRIOR * offset)

        n_classes = predicted.shape[1]
        start = np.append(1.0, np.zeros(n_classes))
        bounds = [(_LEAST_POWER, None), *[(None, None)] * n_classes]
        found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
        return cls(float(found[0]), found[1:], doubt)

    def apply(self, predicted: np.ndarray) -> np.ndarray:
        """Return the probabilities that are met."""
        said = self.power * _logs(predicted, self.doubt) + self.offset
        return np.asarray(np.exp(log_softmax(said, axis=1)))


@dataclass(frozen=True, eq=False)
class LabelMap:
    """Makes probabilities of labels of others; those that are 0 stay 0, so that sparse ones stay sparse."""

    power: np.ndarray  # of each label
    offset: np.ndarray
    has_own: np.ndarray  # mask of the labels whose map is their own
    doubt: Doubt  # of the model

    @property
    def parameters(self) -> np.ndarray:
        """Powers and offsets."""
        return np.stack([self.power, self.offset])

    def with_parameters(self, parameters: np.ndarray, doubt: Doubt) -> LabelMap:
        """Return a map of this kind with other parameters."""
        return LabelMap(np.maximum(parameters[0], _LEAST_POWER), parameters[1], self.has_own, doubt)

    @classmethod
    def learn(cls, cells: LabelCells, doubt: Doubt) -> LabelMap:
        """Choose what makes the labels of rows most likely, given where they have a probability."""
        n_labels = len(doubt.shares)
        x = _log_odds(cells.probability, cells.column, doubt)
        shared = _fitted(x, cells, np.zeros_like(cells.column), np.array([[1.0], [0.0]]))
        own = _fitted(x, cells, cells.column, np.repeat(shared, n_labels, axis=1))
        has_own = (cells.present >= FEWEST_ROWS) & (cells.absent >= FEWEST_ROWS)
        power, offset = np.where(has_own, own, shared)
        return cls(np.maximum(power, _LEAST_POWER), offset, has_own, doubt)

    def apply(self, predicted: Any) -> Any:
        """Return the probabilities that are met, in the form of those given."""
        if sp.issparse(predicted):
            found = sp.csr_array(predicted, copy=True)
            found.data = self._met(found.data, found.indices).astype(found.dtype)
            return found
        row, column = np.nonzero(predicted)
        dense = np.zeros_like(predicted)
        dense[row, column] = self._met(predicted[row, column], column)
        return dense

    def _met(self, probability: np.ndarray, column: np.ndarray) -> np.ndarray:
        x = _log_odds(probability, column, self.doubt)
        return np.asarray(np.where(probability > 0, expit(self.power[column] * x + self.offset[column]), 0.0))


class LabelCells(NamedTuple):
    """The probabilities of labels in rows that are not 0, and what came true."""

    row: np.ndarray
    column: np.ndarray
    probability: np.ndarray
    truth: np.ndarray  # 0.0 or 1.0
    weight: np.ndarray
    present: np.ndarray  # of each label, the weight of the rows that have it
    absent: np.ndarray

    def of_rows(self, mask: np.ndarray) -> LabelCells:
        """Return the cells of some rows; how frequent labels are stays as it is."""
        chosen = mask[self.row]
        cells = {name: getattr(self, name)[chosen] for name in self._fields[:-2]}
        return self._replace(**cells)


def _logs(predicted: np.ndarray, doubt: Doubt) -> np.ndarray:
    part = doubt.part
    return np.asarray(np.log((1.0 - part) * np.clip(predicted, 0.0, 1.0) + part * doubt.shares))


def _log_odds(probability: np.ndarray, column: np.ndarray, doubt: Doubt) -> np.ndarray:
    part = doubt.part
    known = np.clip(probability.astype(np.float64), 0.0, 1.0)
    return np.asarray(logit((1.0 - part) * known + part * doubt.shares[column]))


def _fitted(x: np.ndarray, cells: LabelCells, group: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """Return power and offset of each group of cells: a logistic regression with a prior, by Newton's method.

    All groups take their steps at once. Each has two parameters, so that its equations are solved by hand.
    """
    n_groups = prior.shape[1]
    power, offset = prior.copy()

    def total(values: np.ndarray) -> np.ndarray:
        return np.bincount(group, values, n_groups)

    for _ in range(_STEPS):
        said = expit(power[group] * x + offset[group])
        error, curve = cells.weight * (said - cells.truth), cells.weight * said * (1.0 - said)
        of_power = total(error * x) + 2.0 * _PRIOR * (power - prior[0])
        of_offset = total(error) + 2.0 * _PRIOR * (offset - prior[1])
        pp = total(curve * x * x) + 2.0 * _PRIOR
        po = total(curve * x)
        oo = total(curve) + 2.0 * _PRIOR
        determinant = pp * oo - po * po
        steps = np.stack([oo * of_power - po * of_offset, pp * of_offset - po * of_power]) / determinant
        steps = np.clip(steps, -_LONGEST, _LONGEST)
        power, offset = power - steps[0], offset - steps[1]
        if np.abs(steps).max(initial=0.0) < _SMALL:
            break
    return np.stack([power, offset])
