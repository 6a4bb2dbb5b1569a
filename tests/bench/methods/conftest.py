"""Small problems of every task, in which what is to be learned is known."""

from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp

from slantwood import Hierarchy
from slantwood_bench.problems import Problem


class Planted(NamedTuple):
    """Rows to learn from, and others to predict."""

    rows: Problem
    X_test: Any
    y_test: Any


@pytest.fixture(scope="session")
def planted():
    """Make a problem of a task: targets follow the first of eight features, of which half the cells are 0."""

    def make(task, form=np.asarray, n_train=150, seed=0):
        rng = np.random.default_rng(seed)
        X = rng.random((n_train + 80, 8), dtype=np.float32) * (rng.random((n_train + 80, 8)) < 0.6)
        y, hierarchy = _targets(task, X)
        if task in ("multi-label", "hierarchical multi-label"):
            y = form(y)
        X = form(X)
        return Planted(Problem(task, X[:n_train], y[:n_train], hierarchy), X[n_train:], y[n_train:])

    return make


@pytest.fixture(scope="session", params=[np.asarray, sp.csr_array], ids=["dense", "sparse"])
def form(request):
    """Make an array or a sparse one of X, and of labels."""
    return request.param


def _targets(task, X):
    labels = (X[:, :4] > 0.3).astype(np.int8)
    match task:
        case "regression":
            return X[:, 0] - 2.0 * X[:, 1] + 10, None
        case "multi-target regression":
            return np.column_stack([X[:, 0], X[:, 1] - X[:, 2], 100 - X[:, 1]]).astype(float), None
        case "binary":
            return (X[:, 0] > X[:, 1]).astype(int), None
        case "multi-class":
            return X[:, :3].argmax(axis=1), None
        case "multi-label":
            return labels, None
        case _:
            hierarchy = Hierarchy.from_paths(["a/x", "a/y", "b"])
            return hierarchy.closure(
                np.column_stack([labels, np.zeros(len(X))])[:, : len(hierarchy)]
            ), hierarchy
