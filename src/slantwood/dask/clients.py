"""Which cluster a fit runs on: that of the client given, of the current one, or of the task that it is in."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any


@contextmanager
def connected(client: Any) -> Generator[Any]:
    """Yield the client that is given, or the current one.

    A fit that is itself a task of a worker, as in a search on a cluster, waits for tasks that may need the
    thread it has. It gives that thread back to the worker meanwhile.

    Parameters
    ----------
    client : distributed.Client or None
        What the user gives.

    Yields
    ------
    distributed.Client
        The client.
    """
    from distributed import get_client, rejoin, secede

    if client is None:
        try:
            client = get_client()
        except ValueError as error:
            raise ValueError(
                "client=None, and there is no current one; make a distributed.Client, or give it as client"
            ) from error
    if not _holds_thread_of_worker():
        yield client
        return
    secede()
    try:
        yield client
    finally:
        rejoin()


def workers_of(client: Any) -> dict[str, dict[str, Any]]:
    """Return what the scheduler knows of each worker, by address.

    The client asks for an identity of the scheduler without workers now and then, by itself, and may return
    that one: where there are workers it is asked again.
    """
    known: dict[str, dict[str, Any]] = {}
    for _ in range(10):
        known = client.scheduler_info(n_workers=-1)["workers"]
        if known or not client.nthreads():
            break
    return known


def _holds_thread_of_worker() -> bool:
    """Tell whether this is a task in the pool of a worker, and not one that has left it already."""
    from distributed.threadpoolexecutor import thread_state as of_pool
    from distributed.utils import thread_state as of_task

    # Methods of actors have a pool of their own, in which no tree grows.
    is_task = hasattr(of_task, "key") and not getattr(of_task, "actor", False)
    return is_task and getattr(of_pool, "proceed", False)
