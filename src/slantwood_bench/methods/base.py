"""The interface of a method: learn from rows, predict others, and report the size of the model."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import pickle
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import scipy.sparse as sp

from slantwood.task_names import TASKS

if TYPE_CHECKING:
    from slantwood_bench.problems import Problem

ENSEMBLE, TREE, OTHER = "ensemble", "tree", "other"


class Method:
    """Base of the adapters; a subclass stands for a method with one setting.

    Attributes
    ----------
    title : str
        What tables and figures call it.
    group : str
        "ensemble", "tree" or "other": which comparisons it takes part in.
    tasks, more_tasks : tuple of str
        The tasks of the study that it takes part in, and others that it can do.
    most_labels : float
        More labels would take too long, as with a model for each.
    package, distribution : str
        What has to be importable, and under which name it is installed where that differs.
    installed_by : str
        What pip installs it by: an extra of slantwood, or the package itself.
    reads_tables : bool
        Whether X may be a data frame with nominal columns; otherwise they arrive as columns of 0 and 1.
    takes_missing : bool
        Whether X may hold NaN; otherwise a cell that is missing has the mean of its column.
    """

    title: ClassVar[str]
    group: ClassVar[str] = ENSEMBLE
    tasks: ClassVar[tuple[str, ...]] = TASKS
    more_tasks: ClassVar[tuple[str, ...]] = ()
    most_labels: ClassVar[float] = float("inf")
    package: ClassVar[str] = "slantwood"
    distribution: ClassVar[str] = ""
    installed_by: ClassVar[str] = "slantwood[study]"
    reads_tables: ClassVar[bool] = False
    takes_missing: ClassVar[bool] = False

    def __init__(self, n_trees: int, seed: int, threads: int, changes: Mapping[str, Any] | None = None):
        self.n_trees = n_trees
        self.seed = seed
        self.threads = threads
        self.changes = dict(changes or {})
        self.model: Any = None

    def fit(self, rows: Problem) -> None:
        """Learn; leaves what it learned in `self.model`, which can be pickled."""
        raise NotImplementedError

    def predict(self, X: Any) -> Any:
        """Return classes or numbers of the same shape as y, or scores of all labels, dense or CSR."""
        raise NotImplementedError

    def nodes(self) -> int | None:
        """Return the number of nodes of all trees, leaves included; None where there are none."""
        return None

    def n_bytes(self) -> int:
        """Return the size of the model as pickle writes it."""
        return len(pickle.dumps(self.model, protocol=5))

    @classmethod
    def version(cls) -> str:
        """Version of the package; empty where it is not installed."""
        if importlib.util.find_spec(cls.package) is None:
            return ""
        try:
            return importlib.metadata.version(cls.distribution or cls.package)
        except importlib.metadata.PackageNotFoundError:
            return "not installed, imported"


def dense(matrix: Any) -> np.ndarray:
    """Return a matrix as an array."""
    return matrix.toarray() if sp.issparse(matrix) else matrix
