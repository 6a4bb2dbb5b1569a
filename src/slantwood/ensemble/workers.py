"""Who grows the trees of a forest: threads of this process, or the workers of joblib's backend.

Threads share one copy of the rows and are the rule. Inside `joblib.parallel_config("dask")`, "loky", "ray" or
"spark" each tree is a task there instead; a worker gets the rows once, not with each tree. A tree depends on
the plan and its number only, so that the forest is the same whoever grew which tree, and in which order.
"""

from __future__ import annotations

import warnings
from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from joblib.parallel import get_active_backend

from slantwood.growth.plan import GrowthPlan, Planted


def has_workers() -> bool:
    """Whether the user asked joblib for processes or a cluster; not so within one of their tasks."""
    backend = get_active_backend(prefer="threads")[0]
    return not (backend.nesting_level or getattr(backend, "supports_sharedmem", False))


def grown_by_workers(plan: GrowthPlan, numbers: Sequence[int], n_jobs: int | None) -> Generator[Planted]:
    """Yield trees, in the order of their numbers; closed, it cancels the rest.

    Parameters
    ----------
    plan : GrowthPlan
        The rows, and how trees are grown.
    numbers : sequence of int
        Which trees.
    n_jobs : int or None
        Workers of joblib's backend, None for as many as that has by itself.

    Yields
    ------
    Planted
        A tree and all that belongs to it.
    """
    shared = SharedPlan(plan)
    backend, n_jobs_of_backend = get_active_backend(prefer="threads")
    # Two backends that give a list at the end only: their clusters are asked themselves.
    if _is_of("ray", backend):
        from slantwood.ensemble.ray_tasks import done_by_ray

        n_jobs = n_jobs_of_backend if n_jobs is None else n_jobs
        yield from done_by_ray(_grow, shared, numbers, n_jobs, backend.ray_remote_args)
        return
    if _is_of("joblibspark", backend):
        from slantwood.ensemble.spark_tasks import done_by_spark

        yield from done_by_spark(_grow, shared, numbers, n_jobs_of_backend if n_jobs is None else n_jobs)
        return
    run = Parallel(n_jobs=n_jobs, return_as="generator", batch_size=1)
    results = run(delayed(_grow)(shared, number) for number in numbers)
    try:
        # Not `yield from`, which would close the results before what follows.
        for planted in results:  # noqa: UP028
            yield planted
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that tasks are cancelled for which nobody waits
            results.close()


def _is_of(package: str, backend: object) -> bool:
    return any(each.__module__.partition(".")[0] == package for each in type(backend).__mro__)


class SharedPlan:
    """The plan as one large thing, which backends send once and not with each task.

    Dask's backend of joblib scatters arguments that say that they are large, and knows a later one for the
    same object; that of processes writes their arrays to a file that workers map into memory.
    """

    def __init__(self, plan: GrowthPlan) -> None:
        self.plan = plan

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + sum(map(_n_bytes, vars(self.plan).values()))

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Arrays may arrive in the middle of a message, at an address that compiled code does not take.
        plan = state["plan"]
        self.plan = replace(plan, **{name: _aligned(value) for name, value in vars(plan).items()})


def _n_bytes(value: Any) -> int:
    if isinstance(value, np.ndarray):
        return value.nbytes
    return sum(map(_n_bytes, value)) if isinstance(value, tuple) else 0


def _aligned(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return np.require(value, requirements=["C", "A"])
    return type(value)(*map(_aligned, value)) if isinstance(value, tuple) else value


def _grow(shared: SharedPlan, number: int) -> Planted:
    return shared.plan.plant(number)
