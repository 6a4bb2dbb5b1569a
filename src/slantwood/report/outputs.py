"""What the numbers in leaves stand for, by name: classes, labels, targets, or steps of their scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.estimators.names import output_names
from slantwood.targets.classes import ClassTargets
from slantwood.task_names import CLASS_TASKS, NUMBER_TASKS, SEVERAL_TASKS


@dataclass(frozen=True, eq=False)
class Outputs:
    """Named outputs, each constant + factor * a column of the leaves."""

    names: tuple[str, ...]
    column: np.ndarray
    factor: np.ndarray
    constant: np.ndarray
    in_order: bool  # whether they are shown as they come, and not the largest first

    def largest(self, row: Any, most: int) -> list[tuple[int, float]]:
        """Return the outputs of a leaf that are worth showing, by position, and their values.

        `row` is one row of leaves: an array, or a CSR array with one row.
        """
        if sp.issparse(row):
            if len(self.names) == row.shape[1]:  # labels, each a column: only those that are there
                positions, values = row.indices, row.data.astype(np.float64)
                order = np.argsort(-np.abs(values), kind="stable")[:most]
                return [(int(positions[k]), float(values[k])) for k in order if values[k] != 0]
            row = row.toarray()[0]
        values = self.constant + self.factor * np.asarray(row, np.float64)[self.column]
        if self.in_order:
            return [(j, float(values[j])) for j in range(min(most, len(values)))]
        order = np.argsort(-np.abs(values), kind="stable")[:most]
        return [(int(j), float(values[j])) for j in order if values[j] != 0]


def outputs_of(model: Any) -> Outputs:
    """Return the outputs of a fitted tree, forest or boosted model."""
    targets, names, additive = model.targets_, output_names(model), model.forest_.additive
    n, task = targets.n_columns, targets.task
    if task in SEVERAL_TASKS:
        return _of_several(targets, names)
    column, ones, zeros = np.arange(n), np.ones(n), np.zeros(n)
    if task in NUMBER_TASKS:
        if additive is None:
            return Outputs(names, column, ones * targets.scale, zeros + targets.mean, True)
        scale = ones if additive.loss.link == "log" else ones * targets.scale
        return Outputs(names, column, scale, zeros, True)
    if task in CLASS_TASKS and n == 1 and additive is None and len(names) == 2:
        return Outputs(names, np.zeros(2, np.intp), np.array([-1.0, 1.0]), np.array([1.0, 0.0]), False)
    return Outputs(names[-n:], column, ones, zeros, False)


def _of_several(targets: Any, names: tuple[str, ...]) -> Outputs:
    called: list[str] = []
    columns: list[int] = []
    factors: list[float] = []
    constants: list[float] = []
    start = 0
    for name, part in zip(names, targets.parts, strict=True):
        if isinstance(part, ClassTargets):
            two = part.n_columns == 1 and len(part.classes) == 2
            for k, each in enumerate(part.classes.tolist()):
                called.append(f"{name}={each}")
                columns.append(start if two else start + k)
                factors.append(-1.0 if two and k == 0 else 1.0)
                constants.append(1.0 if two and k == 0 else 0.0)
        else:
            called.append(name)
            columns.append(start)
            factors.append(float(part.scale[0]))
            constants.append(float(part.mean[0]))
        start += part.n_columns
    return Outputs(tuple(called), np.array(columns), np.array(factors), np.array(constants), True)
