"""Predictions of collections of which some parts have no rows, as conditions often leave them."""

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from slantwood.dask import DaskObliqueForestClassifier
from tests.dask.problems import blocks, classes, frame, numbers, sparse_labels

X = np.arange(240.0)[:, None] % 50


def with_an_empty_block(X):
    """Return rows as a dask array, after a block of others that all fail a condition."""
    rows = da.from_array(np.concatenate([X[:70], X]), chunks=(70, -1))
    return rows[da.from_array(np.arange(len(X) + 70) >= 70, chunks=70)]


@pytest.mark.parametrize("make", [classes, numbers])
def test_an_empty_block_is_predicted_too(client, make):
    problem = make()
    forest = problem.on_cluster().fit(problem.X, problem.y)
    local, rows = forest.to_local(), with_an_empty_block(problem.X)
    for method in ("predict", "apply"):
        np.testing.assert_array_equal(
            getattr(forest, method)(rows).compute(), getattr(local, method)(problem.X)
        )


def test_an_empty_block_has_probabilities_and_best_labels(client):
    problem = sparse_labels()
    forest = problem.on_cluster().fit(problem.X, problem.y)
    local, rows = forest.to_local(), with_an_empty_block(problem.X.toarray())
    np.testing.assert_array_equal(forest.predict_proba(rows).compute(), local.predict_proba(problem.X))
    for options in ({"top_k": 3}, {"sparse": True}):
        said = forest.predict_proba(rows, **options).compute()
        np.testing.assert_array_equal(said.toarray(), local.predict_proba(problem.X, **options).toarray())
    best, of_local = forest.predict_top_k(rows, 2), local.predict_top_k(problem.X, 2)
    np.testing.assert_array_equal(best.labels.compute(), of_local.labels)
    np.testing.assert_array_equal(best.scores.compute(), of_local.scores)


def test_label_sets_of_an_empty_block_are_an_empty_part_of_the_bag(client):
    tags = [("sea",) if i % 50 < 20 else ("sea", "sun") for i in range(240)]
    forest = DaskObliqueForestClassifier(5, random_state=0).fit(X, tags)
    assert forest.predict(with_an_empty_block(X)).compute() == forest.to_local().predict(X)


def test_each_of_several_targets_has_its_scores_of_an_empty_block(client):
    y = pd.DataFrame({"side": np.where(X[:, 0] < 20, "left", "right"), "place": X[:, 0] + 0.5})
    forest = DaskObliqueForestClassifier(5, random_state=0).fit(X, y)
    said, of_local = forest.predict_proba(with_an_empty_block(X)), forest.to_local().predict_proba(X)
    assert said[1] is of_local[1] is None
    np.testing.assert_array_equal(said[0].compute(), of_local[0])


@pytest.mark.parametrize("output", ["default", "pandas"])
def test_a_partition_that_a_condition_leaves_empty_is_predicted_too(client, output):
    problem = frame()
    forest = problem.on_cluster().fit(problem.dask_X, problem.dask_y).set_output(predict=output)
    few, rows = problem.dask_X[problem.dask_X["tree"] == "ash"], problem.X[problem.X["tree"] == "ash"]
    assert 0 in few.map_partitions(len).compute().tolist()
    for method in ("predict", "predict_proba"):
        said, of_local = getattr(forest, method)(few), getattr(forest.to_local(), method)(rows)
        if output == "pandas":
            assert isinstance(said, (dd.DataFrame, dd.Series))
            assert said.compute().equals(of_local)
        else:
            np.testing.assert_array_equal(said.compute(), of_local)


def test_frames_are_predicted_of_arrays_with_an_empty_block(client):
    problem = classes()
    forest = problem.on_cluster().fit(blocks(problem.X), blocks(problem.y)).set_output(predict="pandas")
    said = forest.predict_proba(with_an_empty_block(problem.X)).compute()
    np.testing.assert_array_equal(said, forest.to_local().predict_proba(problem.X))
