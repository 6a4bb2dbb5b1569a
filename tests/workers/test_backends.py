"""Trees that processes and clusters grow: the same forest, rows that travel once, and nothing left behind."""

import os
import pickle
import signal
import sys
import time
import warnings
from dataclasses import dataclass

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_classification, make_multilabel_classification, make_regression

from slantwood import (
    LabelTreeClassifier,
    ObliqueBoostingRegressor,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
)
from slantwood.callbacks import Callback
from slantwood.features.matrix import training_matrix
from slantwood.kernels.matrix import Matrix
from slantwood.workers import shared as module_of_shared
from slantwood.workers.backends import has_workers
from slantwood.workers.shared import Shared
from tests.dask_workers import wait_for_replacement

N_TREES = 24


@pytest.fixture(scope="module")
def cluster():
    """Return a client of two workers, each a process."""
    distributed = pytest.importorskip("distributed", reason="dask and distributed are not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with (
            distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client


def problems():
    X, y = make_classification(300, 20, random_state=0)
    X_labels, Y = make_multilabel_classification(200, 30, n_classes=8, random_state=0)
    X_numbers, numbers = make_regression(200, 10, n_targets=2, random_state=0)
    X_numbers[::7, 3] = np.nan
    return {
        "classes": (ObliqueForestClassifier, X, y),
        "sparse labels": (ObliqueForestClassifier, sp.csr_array(X_labels), sp.csr_array(Y)),
        "numbers with gaps": (ObliqueForestRegressor, X_numbers, numbers),
    }


def fitted(problem, *callbacks):
    estimator, X, y = problems()[problem]
    forest = estimator(N_TREES, min_samples_split=5, random_state=0)
    return forest.set_callbacks(*callbacks).fit(X, y)


def same_trees(one, other):
    parts = zip(
        (*one.trees_[:-1], *one.trees_.leaves), (*other.trees_[:-1], *other.trees_.leaves), strict=True
    )
    return all(np.array_equal(a, b) for a, b in parts)


@pytest.mark.parametrize(
    "problem",
    [
        "numbers with gaps",
        *(pytest.param(each, marks=pytest.mark.thorough) for each in ("classes", "sparse labels")),
    ],
)
def test_a_cluster_grows_the_forest_that_threads_grow(cluster, problem):
    with joblib.parallel_config("dask"):
        assert has_workers()
        on_cluster = fitted(problem)
    assert same_trees(on_cluster, fitted(problem))
    np.testing.assert_array_equal(on_cluster.feature_importances_, fitted(problem).feature_importances_)


def test_processes_grow_the_forest_that_threads_grow():
    with joblib.parallel_config("loky", n_jobs=2):
        by_processes = fitted("classes")
    assert same_trees(by_processes, fitted("classes"))


def test_trees_are_grown_in_the_workers_and_the_rows_are_sent_once(cluster):
    cluster.run(count_arrivals)
    with joblib.parallel_config("dask"):
        fitted("classes")
    assert set(cluster.run(n_arrivals).values()) == {1}


def count_arrivals():
    """Make a worker count how often rows come to it."""
    arrived, put_right = [], module_of_shared.Shared.__setstate__
    module_of_shared.Shared.__setstate__ = lambda self, state: arrived.append(1) or put_right(self, state)
    module_of_shared.arrived = arrived


def n_arrivals():
    return len(module_of_shared.arrived)


class After(Callback):
    """Do something once so many trees are there, and stop if it says so."""

    def __init__(self, n_trees, act):
        self.n_trees, self.act = n_trees, act

    def on_fit_task_end(self, estimator, context):
        return context.task_name == "tree" and context.task_id + 1 == self.n_trees and self.act()


@pytest.mark.skipif(sys.platform != "linux", reason="signals of Linux")
def test_a_worker_that_is_killed_costs_no_tree(cluster):
    victim = next(iter(cluster.run(os.getpid).values()))
    with joblib.parallel_config("dask"):
        forest = fitted("classes", After(N_TREES // 4, lambda: os.kill(victim, signal.SIGKILL)))
    wait_for_replacement(cluster, victim)  # also for the tests that follow
    assert same_trees(forest, fitted("classes"))


def test_boosting_inside_the_backend_is_the_model_of_threads(cluster):
    _, X, y = problems()["numbers with gaps"]

    def predicted():
        return ObliqueBoostingRegressor(10, random_state=0).fit(X, y).predict(X)

    with joblib.parallel_config("dask"):
        on_cluster = predicted()
    np.testing.assert_array_equal(on_cluster, predicted())


def test_workers_train_the_classifiers_of_label_trees_that_threads_train(cluster):
    _, X, Y = problems()["sparse labels"]

    def predicted():
        # Two trees over the labels, and no forest beside them.
        model = LabelTreeClassifier(2, max_leaf_labels=3, n_children=4, n_forest_trees=0, random_state=0)
        return model.fit(X, Y).predict_proba(X)

    cluster.run(count_arrivals)
    with joblib.parallel_config("dask"):
        on_cluster = predicted()
    assert set(cluster.run(n_arrivals).values()) == {1}
    assert_same_matrix(on_cluster, predicted())


def assert_same_matrix(one, other):
    dense = [each.toarray() if sp.issparse(each) else np.asarray(each) for each in (one, other)]
    assert dense[0].max() > 0
    np.testing.assert_array_equal(*dense)


def test_a_callback_ends_the_fit_and_leaves_no_task_behind(cluster):
    with joblib.parallel_config("dask"):
        forest = fitted("classes", After(3, lambda: True))
    assert len(forest) == 3
    assert same_trees(forest, fitted("classes", After(3, lambda: True)))
    # What a worker was in the middle of ends by itself.
    end = time.monotonic() + 60
    while any(cluster.processing().values()) and time.monotonic() < end:
        time.sleep(0.1)
    assert not any(cluster.processing().values())


def test_within_a_task_and_on_threads_the_process_grows_its_trees_itself():
    assert not has_workers()
    with joblib.parallel_config("threading", n_jobs=2):
        assert not has_workers()
    with joblib.parallel_config("loky", n_jobs=2):
        assert has_workers()
        assert joblib.Parallel()(joblib.delayed(has_workers)() for _ in range(2)) == [False, False]


def test_what_arrives_off_its_alignment_is_put_right():
    X = np.arange(12, dtype=np.float32).reshape(3, 4)
    shifted = np.frombuffer(b"." + X.tobytes(), np.uint8)[1:].view(np.float32).reshape(X.shape)
    assert not shifted.flags.aligned
    plan = PlanThatTravels(Matrix(True, shifted, *training_matrix(X)[2:]), 7)
    shared = pickle.loads(
        pickle.dumps(Shared(plan), protocol=5, buffer_callback=(kept := []).append), buffers=kept
    )
    assert shared.value.X.values.flags.aligned
    assert shared.value.seed == 7
    np.testing.assert_array_equal(shared.value.X.values, X)
    assert sys.getsizeof(shared) > X.nbytes


@dataclass(frozen=True)
class PlanThatTravels:
    """The part of a plan that travels."""

    X: Matrix
    seed: int
