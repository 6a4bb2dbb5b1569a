"""One model per target, for libraries that predict one label or number at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed

from slantwood_bench.methods.base import dense


class Constant(NamedTuple):
    """What is learned from a target that is the same in all rows."""

    value: Any

    def predict(self, X: Any) -> np.ndarray:
        """Return the value for each row."""
        return np.full(X.shape[0], self.value)


class OnePerTarget(NamedTuple):
    """Models with a `predict` each.

    Attributes
    ----------
    models : list
        One for each column of the targets.
    side_by_side : bool
        Whether the targets were a matrix; otherwise there is one model, and it predicts a vector.
    """

    models: list[Any]
    side_by_side: bool

    def predict(self, X: Any) -> np.ndarray:
        """Return predictions in the shape of the targets."""
        predictions = [model.predict(X) for model in self.models]
        return np.column_stack(predictions) if self.side_by_side else predictions[0]


def learn_each(y: Any, learn: Callable[[np.ndarray], Any], threads: int = 1) -> OnePerTarget:
    """Learn a model for each column of y, which is made dense.

    Parameters
    ----------
    y : ndarray or csr_array of shape (n,) or (n, t)
        Targets.
    learn : callable
        Takes a column in which values differ, and returns a model. It is called in threads.
    threads : int
        How many columns are learned at a time.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.array([[1, 0], [1, 1]])
    >>> learn_each(y, lambda column: Constant(column.mean())).predict(np.zeros((3, 5)))
    array([[1. , 0.5],
           [1. , 0.5],
           [1. , 0.5]])
    """
    y = dense(y)
    columns = [y] if y.ndim == 1 else list(y.T)
    work = (delayed(_model_of)(column, learn) for column in columns)
    return OnePerTarget(list(Parallel(n_jobs=threads, prefer="threads")(work)), y.ndim == 2)


def _model_of(column: np.ndarray, learn: Callable[[np.ndarray], Any]) -> Any:
    return Constant(column[0]) if (column == column[0]).all() else learn(column)
