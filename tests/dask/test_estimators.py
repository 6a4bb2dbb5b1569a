"""What a forest of a cluster is to its users: parameters, pickles, lazy predictions, a local model."""

import inspect
import pickle

import cloudpickle
import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

import slantwood
from slantwood import load_model
from slantwood.dask import DaskObliqueForestClassifier, DaskObliqueForestRegressor
from tests.dask.problems import blocks, classes, frame, numbers, same_trees, sparse_labels

PAIRS = [
    (DaskObliqueForestClassifier, slantwood.ObliqueForestClassifier),
    (DaskObliqueForestRegressor, slantwood.ObliqueForestRegressor),
]


@pytest.fixture(scope="module")
def fitted(client):
    """Return a forest of classes, of numbers and of sparse labels, each with its problem."""
    found = {}
    for make in (classes, numbers, sparse_labels, frame):
        problem = make()
        found[make.__name__] = problem, problem.on_cluster().fit(problem.dask_X, problem.dask_y)
    return found


@pytest.mark.parametrize(("on_cluster", "local"), PAIRS)
def test_the_constructor_is_the_local_one_and_that_of_clusters(on_cluster, local):
    ours, theirs = (inspect.signature(each).parameters for each in (on_cluster, local))
    assert set(ours) - set(theirs) <= {"client", "mode", "max_memory"}
    assert list(ours)[: len(theirs)] == list(theirs)
    for name, parameter in theirs.items():
        assert ours[name].default == parameter.default
    assert on_cluster(7, max_depth=2).get_params()["max_depth"] == 2
    with pytest.raises(TypeError, match="has no parameter 'n_trees'; here it is 'n_estimators'"):
        on_cluster(n_trees=3)
    for name in ours:
        assert f"    {name} : " in on_cluster.__doc__


def test_a_client_may_be_given_later_and_is_not_pickled(client, fitted):
    problem, forest = fitted["classes"]
    for estimator in (forest, clone(forest).set_params(client=client)):
        for kept in (pickle.loads(pickle.dumps(estimator)), cloudpickle.loads(cloudpickle.dumps(estimator))):
            assert kept.client is None
            assert kept.get_params() | {"client": None} == estimator.get_params() | {"client": None}
    again = pickle.loads(pickle.dumps(clone(forest).set_params(client=client)))
    assert same_trees(again.set_params(client=client).fit(problem.dask_X, problem.dask_y), forest)


def test_clones_have_the_same_client_so_that_searches_and_cross_validation_work(client, fitted):
    problem, forest = fitted["classes"]
    with_client = clone(forest).set_params(client=client, n_estimators=3)
    assert clone(with_client).client is client
    assert clone(with_client).get_params() == with_client.get_params()
    assert not hasattr(clone(clone(forest).set_params(client=client)), "forest_")
    local = problem.local().set_params(n_estimators=3)
    of_folds, of_local = (cross_val_score(each, problem.X, problem.y, cv=2) for each in (with_client, local))
    np.testing.assert_array_equal(of_folds, of_local)
    found = GridSearchCV(with_client, {"max_depth": [1, 4]}, cv=2).fit(problem.X, problem.y)
    assert clone(found).estimator.client is found.best_estimator_.client is client


def test_without_a_client_fit_says_what_is_missing():
    problem = classes()
    with dask.config.set(scheduler="threads"):
        from distributed import Client
        from distributed.worker import get_client  # noqa: F401

    try:
        Client.current()
    except ValueError:
        with pytest.raises(ValueError, match="client=None, and there is no current one"):
            problem.on_cluster().fit(problem.dask_X, problem.dask_y)


def test_to_local_and_files_hold_the_model_of_one_machine(fitted, tmp_path):
    problem, forest = fitted["classes"]
    local = forest.to_local()
    assert type(local) is slantwood.ObliqueForestClassifier
    forest.save(tmp_path / "forest.slant")
    for model in (local, load_model(tmp_path / "forest.slant")):
        np.testing.assert_array_equal(
            model.predict_proba(problem.X), problem.local().fit(problem.X, problem.y).predict_proba(problem.X)
        )
    assert "DaskObliqueForestClassifier" in repr(forest)


def test_arrays_of_dask_are_predicted_lazily_block_by_block(fitted):
    problem, forest = fitted["classes"]
    local = forest.to_local()
    said = forest.predict(problem.dask_X)
    assert isinstance(said, da.Array)
    assert said.chunks[0] == problem.dask_X.chunks[0]
    np.testing.assert_array_equal(said.compute(), local.predict(problem.X))
    np.testing.assert_array_equal(
        forest.predict_proba(problem.dask_X).compute(), local.predict_proba(problem.X)
    )
    np.testing.assert_array_equal(forest.apply(problem.dask_X).compute(), local.apply(problem.X))
    np.testing.assert_array_equal(forest.predict(problem.X), local.predict(problem.X))
    best = forest.predict_top_k(problem.dask_X, 2)
    np.testing.assert_array_equal(best.labels.compute(), local.predict_top_k(problem.X, 2).labels)
    np.testing.assert_array_equal(best.scores.compute(), local.predict_top_k(problem.X, 2).scores)


def test_several_numbers_and_sparse_labels_keep_their_form(fitted):
    problem, forest = fitted["numbers"]
    np.testing.assert_array_equal(
        forest.predict(problem.dask_X).compute(), forest.to_local().predict(problem.X)
    )
    problem, forest = fitted["sparse_labels"]
    local = forest.to_local()
    for options in ({"top_k": 3}, {"sparse": True}):
        said = forest.predict_proba(problem.dask_X, **options).compute()
        assert sp.issparse(said)
        np.testing.assert_array_equal(said.toarray(), local.predict_proba(problem.X, **options).toarray())
    np.testing.assert_array_equal(
        forest.predict(problem.dask_X).compute().toarray(), local.predict(problem.X).toarray()
    )


def test_frames_of_dask_are_predicted_as_arrays_or_frames(fitted):
    problem, forest = fitted["frame"]
    np.testing.assert_array_equal(
        forest.predict(problem.dask_X).compute(), forest.to_local().predict(problem.X)
    )
    named = clone(forest)
    named.__dict__.update(vars(forest))
    named.set_output(predict="pandas")
    said = named.predict_proba(problem.dask_X)
    assert isinstance(said, dd.DataFrame)
    pd.testing.assert_frame_equal(said.compute(), named.to_local().predict_proba(problem.X))


def test_label_sets_come_as_a_bag(client):
    X = np.arange(40.0)[:, None]
    tags = [("sea",) if i < 20 else ("sea", "sun") for i in range(40)]
    forest = DaskObliqueForestClassifier(5, random_state=0).fit(X, tags)
    said = forest.predict(blocks(X))
    assert said.compute() == forest.to_local().predict(X)


def test_classes_and_numbers_are_scored_where_they_are(fitted):
    for name in ("classes", "numbers", "frame"):
        problem, forest = fitted[name]
        assert forest.score(problem.dask_X, problem.dask_y) == pytest.approx(
            forest.to_local().score(problem.X, problem.y)
        )
    problem, forest = fitted["sparse_labels"]
    with pytest.raises(TypeError, match="score of a dask collection is for classes and numbers"):
        forest.score(problem.dask_X, problem.dask_y)


def test_collections_are_never_loaded_silently(fitted):
    problem, forest = fitted["classes"]
    with pytest.raises(TypeError, match="X is a dask collection, and this takes rows of this process"):
        forest.decision_path(problem.dask_X)


def test_models_that_come_after_one_another_are_told_apart(client):
    problem = numbers()
    said = [
        problem.on_cluster().set_params(max_depth=depth).fit(problem.X, problem.y).predict(problem.dask_X)
        for depth in (1, 2, 3)
    ]
    one, two, three = (each.compute() for each in said)
    assert not np.array_equal(one, two)
    assert not np.array_equal(two, three)
