"""Trees that a cluster of Ray grows: the same forest, rows that are sent once, and nothing left behind."""

import os
import signal
import sys
import time
import warnings
from contextlib import closing

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_classification, make_multilabel_classification
from sklearn.model_selection import cross_val_predict

from slantwood import ObliqueForestClassifier
from slantwood.callbacks import Callback
from slantwood.workers.backends import has_workers
from slantwood.workers.shared import Shared

N_TREES = 24

# Ray's import and pool warn of things of their own, on some versions of Python.
pytestmark = [pytest.mark.thorough, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def ray():
    """Start a cluster of two processors on this machine; return the package."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ray = pytest.importorskip("ray", reason="ray is not installed (extra `ray`)")
        from ray.util.joblib import register_ray

        register_ray()
        # Processes of workers know the paths of this one only by the environment.
        paths = os.pathsep.join(filter(None, sys.path))
        ray.init(
            "local",
            num_cpus=2,
            include_dashboard=False,
            log_to_driver=False,
            runtime_env={"env_vars": {"PYTHONPATH": paths}},
        )
        yield ray
        ray.shutdown()


@pytest.fixture
def n_sent(monkeypatch):
    """Count how often rows are made ready to be sent."""
    sent = []
    monkeypatch.setattr(Shared, "__getstate__", lambda self: sent.append(1) or dict(vars(self)))
    return lambda: len(sent)


def problems():
    X_labels, Y = make_multilabel_classification(200, 30, n_classes=8, random_state=0)
    return {
        "classes": make_classification(300, 20, random_state=0),
        "sparse labels": (sp.csr_array(X_labels), sp.csr_array(Y)),
    }


def fitted(problem, *callbacks):
    forest = ObliqueForestClassifier(N_TREES, min_samples_split=5, random_state=0)
    return forest.set_callbacks(*callbacks).fit(*problems()[problem])


def assert_same_trees(one, other):
    parts = zip(
        (*one.trees_[:-1], *one.trees_.leaves), (*other.trees_[:-1], *other.trees_.leaves), strict=True
    )
    assert all(np.array_equal(a, b) for a, b in parts)


def worker_pids(ray):
    """Return the ids of the processes that do tasks, two at a time."""

    def pid(_):
        time.sleep(0.5)
        return os.getpid()

    task = ray.remote(pid)
    return set(ray.get([task.remote(i) for i in range(4)]))


def all_idle(ray):
    """Wait until no task is at work; return whether that came to be."""
    for _ in range(300):
        if ray.available_resources().get("CPU") == 2:
            return True
        time.sleep(0.1)
    return False


class After(Callback):
    """Do something once so many trees are there, and stop if it says so."""

    def __init__(self, n_trees, act):
        self.n_trees, self.act = n_trees, act

    def on_fit_task_end(self, estimator, context):
        return context.task_name == "tree" and context.task_id + 1 == self.n_trees and self.act()


@pytest.mark.parametrize("problem", ["classes", "sparse labels"])
@pytest.mark.parametrize("n_jobs", [None, 1, -1])
def test_a_cluster_grows_the_forest_that_threads_grow(ray, problem, n_jobs):
    with joblib.parallel_config("ray", n_jobs=n_jobs):
        assert has_workers()
        on_cluster = fitted(problem)
    threads = fitted(problem)
    assert_same_trees(on_cluster, threads)
    np.testing.assert_array_equal(on_cluster.feature_importances_, threads.feature_importances_)


def test_rows_are_sent_once_whatever_the_number_of_trees(ray, n_sent):
    with joblib.parallel_config("ray"):
        fitted("classes")
    assert n_sent() == 1


def test_trees_are_grown_in_other_processes_which_read_the_rows_where_they_lie(ray):
    from slantwood.workers.backends import done_by_workers as original
    from slantwood.workers.ray_tasks import done_by_ray

    def seen(shared, number):
        shared.value.plant(number)
        values = shared.value.X.values
        return os.getpid(), values.flags.owndata, values.flags.writeable

    plans = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "slantwood.ensemble.growing.done_by_workers",
            lambda work, plan, *others: plans.append(plan) or original(work, plan, *others),
        )
        with joblib.parallel_config("ray"):
            fitted("classes")
    found = list(done_by_ray(seen, Shared(plans[-1]), range(8), None))
    assert os.getpid() not in {pid for pid, _, _ in found}
    # Views of the memory that all processes of a machine share, which nobody may write to.
    assert {(owned, writeable) for _, owned, writeable in found} == {(False, False)}


@pytest.mark.skipif(sys.platform != "linux", reason="signals of Linux")
def test_a_worker_that_is_killed_costs_no_tree(ray):
    victims = worker_pids(ray)

    def kill_all():
        for victim in victims:
            os.kill(victim, signal.SIGKILL)

    with joblib.parallel_config("ray"):
        forest = fitted("classes", After(N_TREES // 4, kill_all))
    assert_same_trees(forest, fitted("classes"))
    assert not victims & worker_pids(ray)


def test_a_callback_ends_the_fit_and_leaves_no_task_behind(ray):
    with joblib.parallel_config("ray"):
        forest = fitted("classes", After(3, lambda: True))
    assert len(forest) == 3
    assert_same_trees(forest, fitted("classes", After(3, lambda: True)))
    assert all_idle(ray)


def test_after_an_early_end_no_more_tasks_are_begun(ray, tmp_path):
    from slantwood.workers.ray_tasks import _AHEAD, _EARLY, done_by_ray

    def work(folder, number):
        (folder / str(number)).touch()
        return number

    with closing(done_by_ray(work, tmp_path, range(1000), None)) as results:
        assert [next(results), next(results)] == [0, 1]
    assert all_idle(ray)
    assert 2 <= len(list(tmp_path.iterdir())) <= 2 + 2 * _AHEAD * _EARLY


def test_results_come_in_their_order_and_a_slow_one_holds_up_no_other(ray, tmp_path):
    from slantwood.workers.ray_tasks import done_by_ray

    def work(folder, number):
        # The first waits for the last.
        while number == 0 and not (folder / "19").exists():
            time.sleep(0.05)
        (folder / str(number)).touch()
        return number

    assert list(done_by_ray(work, tmp_path, range(20), None)) == list(range(20))


def test_an_error_in_a_task_is_raised_here(ray):
    from slantwood.workers.ray_tasks import done_by_ray

    def work(shared, number):
        raise ValueError(f"no {shared} for tree {number}")

    with pytest.raises(ValueError, match="no rows for tree 0"):
        list(done_by_ray(work, "rows", range(4), 2))
    assert all_idle(ray)


def test_within_a_task_of_ray_the_process_grows_its_trees_itself(ray, n_sent):
    X, y = problems()["classes"]
    forest = ObliqueForestClassifier(5, min_samples_split=5, random_state=0)
    with joblib.parallel_config("ray", n_jobs=2):
        on_cluster = cross_val_predict(forest, X, y, cv=2)
    assert n_sent() == 0
    np.testing.assert_array_equal(on_cluster, cross_val_predict(forest, X, y, cv=2))
