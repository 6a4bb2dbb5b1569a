"""Fits that are tasks of the cluster whose workers grow their trees, as in searches on a cluster."""

from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pytest
from distributed import secede, worker_client
from sklearn.model_selection import GridSearchCV

from slantwood.dask.clients import workers_of
from tests.dask.conftest import connected
from tests.dask.problems import classes, same_trees

SECONDS = 120  # far more than any of these takes, unless it waits for itself


@pytest.fixture(scope="module")
def narrow():
    """A cluster of a single thread, which a fit that waits for its trees would hold."""
    with connected(1, set_as_default=False) as client:
        yield client


def fitted(problem, given):
    return problem.on_cluster(**given).fit(problem.X, problem.y)


def fitted_after_seceding(problem, given):
    secede()
    return fitted(problem, given)


def fitted_with_client(problem, given):
    with worker_client():
        return fitted(problem, given)


def fitted_twice(problem, given):
    fitted(problem, given)
    return fitted(problem, given)


@pytest.mark.parametrize("fit", [fitted, fitted_after_seceding, fitted_with_client, fitted_twice])
@pytest.mark.parametrize("mode", ["replicate", "partition"])
def test_a_fit_within_a_task_gives_its_thread_to_the_trees(narrow, fit, mode):
    problem = classes()
    forest = narrow.submit(fit, problem, {"mode": mode}, pure=False).result(timeout=SECONDS)
    assert same_trees(forest, fitted(problem, {"mode": mode, "client": narrow}))


def test_a_fit_that_fails_within_a_task_gives_the_thread_back(narrow):
    problem = classes()
    failing = narrow.submit(fitted, problem._replace(X=np.full((240, 2), np.inf)), {}, pure=False)
    with pytest.raises(ValueError, match="infinity"):
        failing.result(timeout=SECONDS)
    assert len(narrow.submit(fitted, problem, {}, pure=False).result(timeout=SECONDS)) == 8


def test_a_grid_search_on_a_cluster_fits_forests_of_that_cluster(narrow):
    def search():
        with narrow.as_current(), joblib.parallel_config("dask"):
            return found.fit(problem.X, problem.y)

    problem = classes()
    found = GridSearchCV(problem.on_cluster(), {"max_depth": [1, 4]}, cv=2, refit=False)
    local = GridSearchCV(problem.local(), {"max_depth": [1, 4]}, cv=2, refit=False).fit(problem.X, problem.y)
    pool = ThreadPoolExecutor(1)
    pool.submit(search).result(timeout=SECONDS)
    pool.shutdown()
    for name in ("mean_test_score", "params"):
        np.testing.assert_array_equal(found.cv_results_[name], local.cv_results_[name])


class Forgetful:
    """A client whose own look at the scheduler, which lists no workers, comes between ours and its answer."""

    def __init__(self, n_workers, answers):
        self.workers = {f"tcp://{i}": {"nthreads": 1} for i in range(n_workers)}
        self.answers = answers

    def nthreads(self):
        return {worker: info["nthreads"] for worker, info in self.workers.items()}

    def scheduler_info(self, n_workers):
        return {"workers": self.workers if self.answers.pop(0) else {}}


def test_workers_are_asked_for_again_where_the_client_returns_an_answer_without_them():
    client = Forgetful(2, [False, False, True])
    assert workers_of(client) == client.workers
    assert workers_of(Forgetful(0, [True])) == {}
