"""Small data for every row: half of the irises, and what is made of them."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from slantwood import ObliqueForestClassifier, ObliqueForestRegressor

WORDS = np.array(["setosa", "versicolor", "virginica"])


class Irises(NamedTuple):
    """Features and targets of all kinds, of the same rows."""

    X: np.ndarray
    y: np.ndarray  # classes 0, 1, 2
    words: np.ndarray  # the same by name
    labels: np.ndarray  # indicator of three labels
    sets: list[tuple[str, ...]]  # the same as sets
    number: np.ndarray
    numbers: np.ndarray  # three columns


@cache
def irises() -> Irises:
    """Return 75 irises; who changes one, changes it for all."""
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    chosen = np.random.default_rng(0).permutation(len(y))[:75]  # not sorted by class, as folds are not either
    X, y = X[chosen], y[chosen]
    labels = np.stack([y == 0, y > 0, X[:, 1] > 3], axis=1).astype(int)
    names = ("small", "large", "wide")
    sets = [tuple(name for name, has in zip(names, row, strict=True) if has) for row in labels]
    return Irises(X, y, WORDS[y], labels, sets, X[:, 3] + X[:, 0], X[:, 1:] * X[:, :1])


def frame(library: Any) -> Any:
    """Return the irises as a data frame, with a nominal column."""
    X, y = irises().X, irises().y
    columns = {name: X[:, j] for j, name in enumerate(("sepal_length", "sepal_width", "petal_length"))}
    return library.DataFrame(columns | {"colour": np.array(["blue", "violet", "purple"], object)[y]})


def forest(**parameters: Any) -> ObliqueForestClassifier:
    """Return a small forest."""
    return ObliqueForestClassifier(**{"n_estimators": 5, "random_state": 0} | parameters)


def regressor(**parameters: Any) -> ObliqueForestRegressor:
    """Return a small forest for numbers."""
    return ObliqueForestRegressor(**{"n_estimators": 5, "random_state": 0} | parameters)
