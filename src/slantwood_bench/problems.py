"""Data sets as methods learn from them, and how one is cut into training and test rows.

Every method gets the same rows. Those that read tables get them as `slantwood.data.load` gives them; others
get numbers, with 0/1 columns for nominal inputs, and, where they take none that are missing, the means of the
training rows in their place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from slantwood import Encoding, Hierarchy
from slantwood.data import Listing, dataset, datasets, load
from slantwood.task_names import CLASS_TASKS, LABEL_TASKS, TASKS
from slantwood_bench.methods.base import Method, dense

BENCHMARK, PARAMETER_STUDY = "benchmark", "parameter study"

# As `slantwood.data.load` decides it: under this share of non-zeros a matrix is held as CSR.
_SPARSE_BELOW = 0.1


class Problem(NamedTuple):
    """Rows of a data set whose targets are all known.

    Attributes
    ----------
    task : str
        One of the six of `slantwood.task_names`.
    X : ndarray, csr_array or data frame of shape (n, d)
        Inputs as `slantwood.data.load` gives them, or float32 numbers only.
    y : ndarray or csr_array
        Classes as whole numbers or numbers of shape (n,), numbers of shape (n, t), or labels of shape (n, t)
        as 0 and 1, CSR where under a tenth is 1. With a hierarchy, labels are complete: those above a label
        are there too.
    hierarchy : Hierarchy or None
        The hierarchy of the labels.
    name : str
        The name of the data set.
    mark, remark : str
        In a word or two why results are not on the set of the paper, and what a reader must know of it.
    """

    task: str
    X: Any
    y: Any
    hierarchy: Hierarchy | None = None
    name: str = ""
    mark: str = ""
    remark: str = ""

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.X.shape[0]

    @property
    def n_targets(self) -> int:
        """Number of labels, numbers or classes."""
        if self.task in CLASS_TASKS:
            return len(np.unique(self.y))
        return 1 if self.y.ndim == 1 else self.y.shape[1]

    def rows(self, chosen: Any) -> Problem:
        """Return the problem with some of its rows, by mask, number or slice."""
        return self._replace(X=rows_of(self.X, chosen), y=self.y[chosen])


def load_problem(name: str, folder: str | PathLike[str] | None = None, part: str | None = None) -> Problem:
    """Read a data set without the rows of which a target is missing, for not every method could use them.

    Parameters
    ----------
    name : str
        Its name in the registry.
    folder : str or path, optional
        Where to look first; nothing is fetched.
    part : str, optional
        "train", "valid" or "test" of a set that comes in parts; otherwise all of it.
    """
    data = load(name, folder=folder, part=part, download=False)
    found = next(each for each in datasets(folder) if each.name == dataset(name).name)
    assert data.task is not None
    assert found.copy is not None
    notes: Any = {"name": found.name, "mark": found.copy.mark, "remark": found.remark}
    if data.task in LABEL_TASKS:
        return Problem(data.task, data.X, _compact(data.y), data.hierarchy, **notes)
    known = _known(data.y)
    y = data.y[known]
    if data.task in CLASS_TASKS:
        # Classes as numbers in the order of their names: every library takes these.
        y = np.unique(y.astype(str) if y.dtype == object else y, return_inverse=True)[1]
    return Problem(data.task, rows_of(data.X, np.flatnonzero(known)), y, **notes)


def load_parts(name: str, folder: str | PathLike[str] | None = None) -> tuple[Problem, Problem]:
    """Read the training and the test rows of a set that comes in parts; rows for validation train."""
    whole, test = load_problem(name, folder), load_problem(name, folder, "test")
    # Test rows are those of the last file.
    return whole.rows(slice(whole.n_rows - test.n_rows)), test


def cut(problem: Problem, train: np.ndarray, test: np.ndarray, method: type[Method]) -> tuple[Problem, Any]:
    """Return the rows to learn from and the inputs to predict, in the form that a method takes."""
    rows, X_test = problem.rows(train), rows_of(problem.X, test)
    if method.reads_tables:
        return rows, X_test
    encoding, X = Encoding.learn(rows.X)
    X = _compact(X)
    X_test = _stored_like(X, encoding.encode(X_test))
    if not method.takes_missing:
        means = _column_means(X)
        X, X_test = _filled(X, means), _filled(X_test, means)
    return rows._replace(X=X), X_test


def in_numbers(problem: Problem) -> Problem:
    """Return a problem with numbers only: 0/1 columns of nominal inputs, and means of all rows for NaN."""
    X = _compact(Encoding.learn(problem.X)[1])
    return problem._replace(X=_filled(X, _column_means(X)))


@dataclass(frozen=True)
class PaperSet:
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


def paper_sets(folder: str | PathLike[str] | None, role: str, task: str | None = None) -> Sequence[PaperSet]:
    """List the paper's sets with this role, "benchmark" or "parameter study", by task."""
    listed = {each.name: each for each in datasets(folder)}
    wanted = [each for each in listed.values() if each.dataset.role == role and task in (None, each.task)]
    return [
        PaperSet(each, next((one for one in _candidates(each, listed) if one.paths), None))
        for each in sorted(wanted, key=lambda each: TASKS.index(each.task))
    ]


def _candidates(wanted: Listing, listed: dict[str, Listing]) -> list[Listing]:
    return [wanted, *(listed[name] for name in wanted.dataset.stand_ins)]


def rows_of(table: Any, chosen: Any) -> Any:
    """Return some rows of a frame or matrix, by mask, number or slice."""
    return table.iloc[chosen] if hasattr(table, "iloc") else table[chosen]


def _compact(matrix: Any) -> Any:
    """Hold a matrix as CSR where few of its cells are not zero, else as an array."""
    n_cells = matrix.shape[0] * matrix.shape[1]
    if sp.issparse(matrix):
        return matrix if matrix.nnz < _SPARSE_BELOW * n_cells else matrix.toarray()
    return sp.csr_array(matrix) if np.count_nonzero(matrix) < _SPARSE_BELOW * n_cells else matrix


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
