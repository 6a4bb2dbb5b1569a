"""What a method of the study learns from and is judged on: a data set, and a fold of it cut in two.

Every method gets the same rows. Those that read tables get them as `slantwood.data.load` gives them; others
get numbers, with 0/1 columns for nominal inputs, and, where they take none that are missing, the means of the
training rows in their place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.data import load
from slantwood.data.registry.listing import Listing, dataset, datasets
from slantwood.data.table import compact, rows_of
from slantwood.features.encoding import Encoding
from slantwood.targets.hierarchy import Hierarchy
from slantwood.task_names import CLASS_TASKS, LABEL_TASKS, TASKS
from slantwood_bench.methods.base import Method, Rows, dense

BENCHMARK, PARAMETER_STUDY = "benchmark", "parameter study"


@dataclass(frozen=True, eq=False)
class Problem:
    """A data set whose targets are all known.

    Attributes
    ----------
    name, task : str
        Its name and task.
    X, y
        Inputs and targets as `slantwood.data.load` gives them; labels of a hierarchy are complete.
    hierarchy : Hierarchy or None
        The hierarchy of the labels.
    mark, remark : str
        In a word or two why results are not on the set of the paper, and what a reader must know of it.
    """

    name: str
    task: str
    X: Any
    y: Any
    hierarchy: Hierarchy | None = None
    mark: str = ""
    remark: str = ""

    @property
    def n_targets(self) -> int:
        """Number of labels, numbers or classes."""
        if self.task in CLASS_TASKS:
            return len(np.unique(self.y))
        return 1 if self.y.ndim == 1 else self.y.shape[1]


def load_problem(name: str, folder: str | PathLike[str] | None = None) -> Problem:
    """Read a data set without the rows of which a target is missing, for not every method could use them."""
    data = load(name, folder=folder, download=False)
    found = next(each for each in datasets(folder) if each.name == dataset(name).name)
    assert data.task is not None
    assert found.copy is not None
    notes = {"mark": found.copy.mark, "remark": found.remark}
    if data.task in LABEL_TASKS:
        labels = data.y if data.hierarchy is None else data.hierarchy.closure(data.y)
        return Problem(found.name, data.task, data.X, compact(labels), data.hierarchy, **notes)
    known = _known(data.y)
    y = data.y[known]
    if data.task in CLASS_TASKS:
        # Classes as numbers in the order of their names: every library takes these.
        y = np.unique(y.astype(str) if y.dtype == object else y, return_inverse=True)[1]
    return Problem(found.name, data.task, rows_of(data.X, np.flatnonzero(known)), y, None, **notes)


def cut(problem: Problem, train: np.ndarray, test: np.ndarray, method: type[Method]) -> tuple[Rows, Any]:
    """Return the rows to learn from and the inputs to predict, in the form that a method takes."""
    X, X_test = rows_of(problem.X, train), rows_of(problem.X, test)
    if not method.reads_tables:
        encoding, X = Encoding.learn(X)
        X = compact(X)
        X_test = _stored_like(X, encoding.encode(X_test))
        if not method.takes_missing:
            means = _column_means(X)
            X, X_test = _filled(X, means), _filled(X_test, means)
    return Rows(problem.task, X, rows_of(problem.y, train), problem.hierarchy), X_test


@dataclass(frozen=True)
class Place:
    """A data set of the paper, and what stands for it here.

    Attributes
    ----------
    wanted : Listing
        The set of the paper.
    found : Listing or None
        The set to use: the same, or one that comes near it; None where neither is there.
    """

    wanted: Listing
    found: Listing | None

    @property
    def mark(self) -> str:
        """In a word or two why results are not on the set of the paper; empty where they are."""
        return self.found.copy.mark if self.found and self.found.copy else ""


def places(folder: str | PathLike[str] | None, role: str, task: str | None = None) -> Sequence[Place]:
    """List the paper's sets with this role, "benchmark" or "parameter study", by task."""
    listed = {each.name: each for each in datasets(folder)}
    wanted = [each for each in listed.values() if each.dataset.role == role and task in (None, each.task)]
    return [
        Place(each, next((one for one in _candidates(each, listed) if one.paths), None))
        for each in sorted(wanted, key=lambda each: TASKS.index(each.task))
    ]


def _candidates(wanted: Listing, listed: dict[str, Listing]) -> list[Listing]:
    return [wanted, *(listed[name] for name in wanted.dataset.stand_ins)]


def _known(y: np.ndarray) -> np.ndarray:
    if y.dtype == object:
        return np.array([value is not None and value == value for value in y])
    cells = y.reshape(len(y), -1)
    return np.isfinite(cells).all(axis=1) if y.dtype.kind == "f" else np.ones(len(y), np.bool_)


def _stored_like(X: Any, other: Any) -> Any:
    """Hold a matrix as CSR where X is, else as an array: what learned from one may not take the other."""
    return sp.csr_array(other) if sp.issparse(X) else dense(other)


def _column_means(X: Any) -> np.ndarray:
    if not sp.issparse(X):
        gaps = np.isnan(X)
        return np.where(gaps, 0, X).sum(axis=0, dtype=np.float64) / np.maximum((~gaps).sum(axis=0), 1)
    gaps = np.isnan(X.data)
    sums = np.bincount(X.indices, np.where(gaps, 0.0, X.data), X.shape[1])
    return sums / np.maximum(X.shape[0] - np.bincount(X.indices[gaps], minlength=X.shape[1]), 1)


def _filled(X: Any, means: np.ndarray) -> Any:
    if not sp.issparse(X):
        return np.where(np.isnan(X), means.astype(X.dtype), X)
    gaps = np.isnan(X.data)
    if not gaps.any():
        return X
    filled = X.copy()
    filled.data[gaps] = means[X.indices[gaps]]
    return filled
