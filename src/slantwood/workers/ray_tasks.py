"""Tasks of Ray, for a fit inside `joblib.parallel_config("ray")`.

Ray's own backend of joblib is a pool of processes: it gives all results at the end, sends the rows with each
task and fails with a process that dies. Tasks of Ray do none of this, so that the backend is asked for its
settings only. The rows lie once in the object store of each machine, and workers read them there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Sequence
from typing import Any, TypeVar

Result = TypeVar("Result")

# Tasks for each processor of the cluster: one at work, and one that waits for it.
_AHEAD = 2

# For each of these, tasks that may be begun before the result that is due next is there.
_EARLY = 8


def done_by_ray(
    work: Callable[[Any, Any], Result],
    shared: object,
    items: Sequence[Any],
    n_jobs: int | None,
    remote_args: dict[str, Any] | None = None,
) -> Generator[Result]:
    """Yield `work(shared, item)` for all items, in their order; closed, it begins no more of them.

    Parameters
    ----------
    work : callable
        What a task does. It is done again, elsewhere, if its process dies.
    shared : object
        What all tasks read; it goes to the object store once.
    items : sequence
        The tasks.
    n_jobs : int or None
        Tasks at a time; None or -1 for as many as the cluster has processors, also those that join later.
    remote_args : dict, optional
        What a task needs, as `ray.remote` takes it.

    Yields
    ------
    object
        The result of the next item.
    """
    import ray

    if not ray.is_initialized():
        ray.init()  # the cluster that RAY_ADDRESS names, or one of this machine
    # Ray counts references: the rows leave the store after the last task.
    rows = ray.put(shared)
    # Ray takes functions only, no partial ones.
    task = ray.remote(**{"num_cpus": 1, **(remote_args or {})})(lambda rows, item: work(rows, item))
    left = deque(items)
    in_order: deque[Any] = deque()
    unfinished: list[Any] = []
    # Nothing is cancelled at the end: in Ray 2.60 `ray.cancel` can end the process that calls it ("Tried to
    # complete task that was not pending"). Few are at work or in line, and their results go with the last
    # reference.
    while left or in_order:
        if unfinished:
            _, unfinished = ray.wait(unfinished, num_returns=len(unfinished), timeout=0)
        most = n_jobs if n_jobs is not None and n_jobs > 0 else _AHEAD * _n_processors(ray)
        while left and len(unfinished) < most and len(in_order) < _EARLY * most:
            in_order.append(task.remote(rows, left.popleft()))
            unfinished.append(in_order[-1])
        if in_order[0] in unfinished:
            ray.wait(unfinished, num_returns=1)
        else:
            yield ray.get(in_order.popleft())


def _n_processors(ray: Any) -> int:
    return max(int(ray.cluster_resources().get("CPU", 1)), 1)
