"""Rows of this process that workers share: divided before they are sent."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from slantwood.dask import DaskObliqueForestClassifier
from slantwood.estimators.parts.part_of_rows import PartOfRows
from tests.dask.problems import PROBLEMS, ROWS, classes
from tests.dask.test_fitting import After


def rows_held(others, dask_worker):
    """Return how many rows a worker holds as they were given, beside those of earlier fits."""
    held = (each for key, each in dask_worker.data.items() if key not in others)
    return sum(each.n_rows for each in held if isinstance(each, PartOfRows))


@pytest.mark.parametrize("name", PROBLEMS)
def test_no_worker_holds_all_rows_of_this_process(client, name):
    problem, held = PROBLEMS[name](), {}
    others = {key for keys in client.has_what().values() for key in keys}
    forest = problem.on_cluster(**problem.in_halves)
    forest.set_callbacks(After((1,), lambda: held.update(client.run(rows_held, others))))
    forest.fit(problem.X, problem.y)
    assert sorted(held.values()) == [ROWS // 2, ROWS // 2]
    roots = forest.trees_.node_weight[forest.trees_.roots]
    assert (roots[::2] + roots[1::2] == ROWS).all()
    local = problem.local().fit(problem.X, problem.y)
    assert forest.encoding_.categories == local.encoding_.categories


@pytest.mark.parametrize("kind", ["list", "coo", "csc", "pandas", "arrow"])
def test_rows_of_this_process_are_divided_in_any_form(client, kind):
    problem = classes()
    X, y = problem.X, problem.y
    memory = 2 * problem.in_halves["max_memory"]  # sparse rows take more
    if kind == "list":
        X, y = X.tolist(), y.tolist()
    elif kind == "arrow":
        arrow = pytest.importorskip("pyarrow")
        X, y = arrow.table({f"x{i}": X[:, i] for i in range(X.shape[1])}), arrow.chunked_array([y])
    else:
        X = {"coo": sp.coo_array, "csc": sp.csc_array, "pandas": pd.DataFrame}[kind](X)
    forest = problem.on_cluster(mode="partition", max_memory=memory).fit(X, y)
    assert forest.classes_.tolist() == [0, 1, 2]
    assert forest.score(X, y) > 0.7


def test_fewer_rows_than_blocks_are_no_matter(client):
    X, y = np.arange(5.0)[:, None], np.array([0, 0, 1, 1, 1])
    forest = DaskObliqueForestClassifier(3, mode="partition", random_state=0).fit(X, y, np.ones(5))
    assert len(forest) == 3


def test_shares_that_no_tree_grows_on_are_not_read(client):
    problem, found = classes(), []
    for n_trees in (1, 2):
        forest = problem.on_cluster(**problem.in_halves).set_params(n_estimators=n_trees)
        forest.set_callbacks(After((1,), lambda: found.append(n_shares(client))))
        forest.fit(problem.dask_X, problem.dask_y)
        roots = forest.trees_.node_weight[forest.trees_.roots]
        assert (roots < 0.7 * ROWS).all()
    assert found == [1, 2]


def n_shares(client):
    """Return how many shares workers hold."""
    return len({key for held in client.has_what().values() for key in held if key.startswith("_share_plan")})
