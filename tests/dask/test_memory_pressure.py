"""Workers whose memory is short: they spill to disk, pause, or are ended and started again."""

import sys
import time

import dask
import numpy as np
import pytest

from tests.dask.conftest import connected
from tests.dask.problems import classes, frame, same_trees, sparse_labels
from tests.dask.test_fitting import After

MEMORY = 1_000_000_000
PAUSES, ENDS = 0.8, 0.95


@pytest.fixture(scope="module")
def pressed():
    """A client of two workers that keep no result in memory: each is on disk, and read when it is used."""
    pytest.importorskip("dask.dataframe", reason="dask's data frames are not installed")
    settings = {"target": 1 / MEMORY, "spill": False, "pause": PAUSES, "terminate": ENDS}
    with (
        dask.config.set({f"distributed.worker.memory.{name}": value for name, value in settings.items()}),
        connected(2, set_as_default=False, memory_limit=MEMORY) as client,
    ):
        yield client


def on_disk(dask_worker):
    """Return the names of what a worker has spilled; nothing is left in memory."""
    assert not dask_worker.data.memory
    return {key.partition("-")[0] for key in dask_worker.data.disk}


@pytest.mark.parametrize("make", [sparse_labels, pytest.param(frame, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("shares", [False, True])
def test_workers_that_spill_all_they_hold_grow_the_same_trees(client, pressed, make, shares):
    problem, found = make(), []
    given = problem.in_halves if shares else {}
    forest = problem.on_cluster(client=pressed, **given)
    forest.set_callbacks(After((4,), lambda: found.extend(pressed.run(on_disk).values())))
    forest.fit(problem.dask_X, problem.dask_y)
    assert len(found) == 2
    for names in found:
        assert ("_share_plan" if shares else "_held") in names
    undisturbed = problem.on_cluster(client=client, **given).fit(problem.dask_X, problem.dask_y)
    assert same_trees(forest, undisturbed)


def ballast(share, dask_worker):
    """Fill the memory of a worker up to a share of its limit."""
    free = share * MEMORY - dask_worker.monitor.get_process_memory()
    dask_worker.ballast = np.ones(int(free), np.uint8)


def drop_ballast(dask_worker):
    dask_worker.ballast = None


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform != "linux", reason="how much memory a process has is counted otherwise")
@pytest.mark.parametrize("fullness", [(PAUSES + ENDS) / 2, ENDS + 0.05], ids=["pauses", "is ended"])
@pytest.mark.parametrize("shares", [False, True])
def test_a_worker_whose_memory_stays_full_costs_no_tree(pressed, shares, fullness):
    def fill_one():
        worker = max(pressed.scheduler_info(n_workers=-1)["workers"])
        pressed.run(ballast, fullness, workers=[worker], on_error="ignore")  # it may be ended at once
        wait_until(lambda: state_of(pressed, worker) != "running")
        filled.append((worker, len(pressed.processing().get(worker, ()))))

    problem, filled = classes(), []
    given = {"n_estimators": 400} | (problem.in_halves if shares else {})
    undisturbed = problem.on_cluster(client=pressed).set_params(**given).fit(problem.dask_X, problem.dask_y)
    forest = problem.on_cluster(client=pressed).set_params(**given).set_callbacks(After((4,), fill_one))
    forest.fit(problem.dask_X, problem.dask_y)
    assert same_trees(forest, undisturbed)
    [(worker, n_left)] = filled
    if fullness < ENDS:
        assert n_left > 0
        assert state_of(pressed, worker) == "paused"
        pressed.run(drop_ballast, workers=[worker])
        wait_until(lambda: state_of(pressed, worker) == "running")
    else:
        assert state_of(pressed, worker) is None
        pressed.wait_for_workers(2)


def state_of(client, worker):
    """Return what the scheduler says of a worker, None where it is gone."""
    return client.scheduler_info(n_workers=-1)["workers"].get(worker, {}).get("status")


def wait_until(holds):
    for _ in range(300):
        if holds():
            return
        time.sleep(0.1)
    raise AssertionError("it did not come about in 30 seconds")
