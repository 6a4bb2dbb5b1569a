"""Who does the tasks of a fit: threads of this process, or the workers of joblib's backend.

Threads share one copy of the rows and are the rule. Inside `joblib.parallel_config("dask")`, "loky", "ray" or
"spark" each tree of a forest, and each group of labels of label trees, is a task there instead; a worker gets
the rows once, not with each task. A task depends on what is shared and on its item only, so that the model is
the same whoever did which task, and in which order.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Sequence
from functools import partial
from typing import Any, TypeVar

from joblib import Parallel, delayed
from joblib.parallel import get_active_backend

from slantwood.workers.shared import Shared

Value = TypeVar("Value")
Item = TypeVar("Item")
Result = TypeVar("Result")


def has_workers() -> bool:
    """Whether the user asked joblib for processes or a cluster; not so within one of their tasks."""
    backend = get_active_backend(prefer="threads")[0]
    return not (backend.nesting_level or getattr(backend, "supports_sharedmem", False))


def done_by_workers(
    work: Callable[[Value, Item], Result], value: Value, items: Sequence[Item], n_jobs: int | None
) -> Generator[Result]:
    """Yield `work(value, item)` for all items, in their order; closed, it cancels the rest.

    Parameters
    ----------
    work : callable
        What a task does; a function of a module, which workers can import.
    value : dataclass
        What all tasks read.
    items : sequence
        The tasks.
    n_jobs : int or None
        Workers of joblib's backend, None for as many as that has by itself.

    Yields
    ------
    object
        The result of the next item.
    """
    shared, task = Shared(value), partial(_done, work)
    backend, n_jobs_of_backend = get_active_backend(prefer="threads")
    # Two backends that give a list at the end only: their clusters are asked themselves.
    if _is_of("ray", backend):
        from slantwood.workers.ray_tasks import done_by_ray

        n_jobs = n_jobs_of_backend if n_jobs is None else n_jobs
        yield from done_by_ray(task, shared, items, n_jobs, backend.ray_remote_args)
        return
    if _is_of("joblibspark", backend):
        from slantwood.workers.spark_tasks import done_by_spark

        yield from done_by_spark(task, shared, items, n_jobs_of_backend if n_jobs is None else n_jobs)
        return
    run = Parallel(n_jobs=n_jobs, return_as="generator", batch_size=1)
    results = run(delayed(task)(shared, item) for item in items)
    try:
        # Not `yield from`, which would close the results before what follows.
        for result in results:  # noqa: UP028
            yield result
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that tasks are cancelled for which nobody waits
            results.close()


def _done(work: Callable[[Any, Any], Any], shared: Shared[Any], item: Any) -> Any:
    return work(shared.value, item)


def _is_of(package: str, backend: object) -> bool:
    return any(each.__module__.partition(".")[0] == package for each in type(backend).__mro__)
