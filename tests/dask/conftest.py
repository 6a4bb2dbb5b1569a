"""A cluster of two workers, each a process, for all tests of a session."""

import warnings
from contextlib import contextmanager

import pytest


@contextmanager
def connected(n_workers, *, set_as_default=True, **given):
    """Start a cluster of processes, of one thread each unless more is said, and yield a client of it."""
    distributed = pytest.importorskip("distributed", reason="dask and distributed are not installed")
    # A worker that is not there so long after it was lost is given up, though it may have come back between.
    patient = pytest.importorskip("dask").config.set({"distributed.deploy.lost-worker-timeout": "1 hour"})
    with warnings.catch_warnings(), patient:
        warnings.simplefilter("ignore")
        with (
            distributed.LocalCluster(
                n_workers=n_workers,
                **{"threads_per_worker": 1, "processes": True, "dashboard_address": ":0"} | given,
            ) as cluster,
            distributed.Client(cluster, set_as_default=set_as_default) as client,
        ):
            yield client


@pytest.fixture(scope="session")
def client():
    pytest.importorskip("dask.dataframe", reason="dask's data frames are not installed")
    with connected(2) as client:
        yield client


@pytest.fixture(params=[1, 4])
def other_client(request):
    """A cluster of another number of workers."""
    with connected(request.param) as client:
        yield client
