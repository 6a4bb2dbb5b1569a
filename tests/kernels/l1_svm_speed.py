"""The compiled support vector machine beside scikit-learn's LinearSVC, on the same problems.

`python -m tests.kernels.l1_svm_speed`. Both minimise the L1-regularised squared hinge loss on standardised
features; the objective is judged with a free offset, in float64. Ours stops twice: as the split learner does
by default, and at a tight tolerance, for the solution itself. scikit-learn runs with its defaults. Small
nodes are 20 rows of the same data.
"""

import argparse
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.svm import LinearSVC

from slantwood import SVMSplit
from slantwood.features.matrix import training_matrix
from slantwood.kernels.block import gather
from slantwood.kernels.compiling import exact
from slantwood.kernels.l1_svm import fit_l1_svm
from slantwood.kernels.workspace import make_workspace, measure, set_scales
from slantwood_bench.methods.base import dense
from slantwood_bench.scripts.data import read
from slantwood_bench.scripts.report import print_environment, print_head, print_row
from slantwood_bench.usage import median_seconds

NAMES = ("spambase", "diabetes", "musk", "scene", "corel5k", "delicious", "enron-flat", "bibtex")
TIGHT = {"max_iter": 1000, "tol": 1e-3}


def two_sided(name: str) -> tuple[Any, np.ndarray]:
    """Features of a data set and two sides of its rows: classes, or having the most frequent label."""
    problem = read(name)
    y = dense(problem.y)
    if y.ndim == 2:
        y = y[:, y.sum(axis=0).argmax()]
    return problem.X, np.asarray(y == np.unique(y)[-1])


def small_node(X: Any, is_right: np.ndarray) -> tuple[Any, np.ndarray]:
    """Twenty rows, of both sides."""
    rows = np.concatenate([np.flatnonzero(is_right)[:8], np.flatnonzero(~is_right)[:12]])
    return X[rows], is_right[rows]


def standardised_block(X: Any) -> Any:
    """Make the block that a root node with these rows has."""
    matrix = training_matrix(X)
    rows = np.arange(X.shape[0], dtype=np.uint32)
    workspace = make_workspace(matrix, rows, False)
    d = measure(matrix, rows, np.ones(len(rows), np.float32), 1, workspace)
    set_scales(workspace, d, 1.0, np.empty(0, np.float32))
    return gather(matrix, rows, workspace, d)


def stored_of(block: Any) -> Any:
    """Values of a block, those of a sparse one as they are stored, for scikit-learn."""
    if block.is_dense:
        return block.values.astype(np.float64)
    triple = (block.data.astype(np.float64), block.indices.astype(np.int32), block.indptr.astype(np.int32))
    return sp.csr_matrix(triple, shape=(block.n_rows, block.n_columns))


def objective(stored: Any, is_right: np.ndarray, C: float, w: np.ndarray, b: float) -> float:
    """Return the value that both minimise."""
    sides = np.where(is_right, 1.0, -1.0)
    slack = np.maximum(0.0, 1.0 - sides * (stored @ w.astype(np.float64) + b))
    return float(np.abs(w).sum() + C * (slack**2).sum())


@exact
def _solve_again(times, block, is_right, ones, C, max_iter, tol, w):
    # As the grower calls it, from compiled code.
    b = np.float32(0.0)
    for _ in range(times):
        state = np.array([88172645463325252], np.uint64)
        b = fit_l1_svm(block, is_right, ones, C, C, max_iter, tol, state, w)
    return b


def compared(X: Any, is_right: np.ndarray, C: float, repeats: int) -> list[str]:
    """Size, and for each solver the objective relative to scikit-learn's, with the time relative to its."""
    block = standardised_block(X)
    stored = stored_of(block)
    theirs = LinearSVC(penalty="l1", dual=False, C=C, intercept_scaling=100.0, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it often does not converge
        seconds = median_seconds(lambda: theirs.fit(stored, is_right), 3)
    value = objective(stored, is_right, C, theirs.coef_[0], theirs.intercept_[0])
    form = "dense" if block.is_dense else "sparse"
    row = [f"{block.n_rows} x {block.n_columns} {form}", f"{1000 * seconds:.2f} ms"]
    default = SVMSplit()
    for stop in ({"max_iter": default.max_iter, "tol": default.tol}, TIGHT):
        w = np.empty(block.n_columns, np.float32)
        ones = np.ones(block.n_rows, np.float32)

        def solve(times: int, stop: Any = stop, w: Any = w, ones: Any = ones) -> Any:
            return _solve_again(times, block, is_right, ones, C, stop["max_iter"], stop["tol"], w)

        b = float(solve(1))  # compiles
        ours = median_seconds(lambda solve=solve: solve(repeats), 3) / repeats
        reached = objective(stored, is_right, C, w, b - float(block.mean.astype(np.float64) @ w))
        row += [f"{100 * (reached / value - 1):+.2f} %", f"{1000 * ours:.3f} ms", f"{seconds / ours:.0f}"]
    return row


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--C", type=float, default=0.1)
    options = parser.parse_args(arguments)
    print_environment(C=options.C, **{f"tight_{k}": v for k, v in TIGHT.items()})
    each = ("objective", "time", "times faster")
    print_head(["data", "node", "LinearSVC", *each, *(f"tight: {what}" for what in each)])
    for name in options.names:
        X, is_right = two_sided(name)
        print_row([name, *compared(X, is_right, options.C, 1)])
        print_row([name, *compared(*small_node(X, is_right), options.C, 50)])


if __name__ == "__main__":
    main()
