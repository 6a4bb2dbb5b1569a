"""Trees as tasks of a cluster: each grows where its rows are, and comes back in order.

A tree depends on the rows of its share and on its number only. What a worker that is gone, or stuck for want
of memory, leaves undone is given to others, and the forest is the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from time import monotonic
from typing import Any, NamedTuple

from slantwood.dask.clients import workers_of
from slantwood.dask.shares import Shares, wait_for
from slantwood.growth.plan import GrowthPlan, Planted
from slantwood.workers.shared import Shared

# Between looks at which workers are still there, while a tree is waited for.
_SECONDS_BETWEEN_LOOKS = 1.0

# A worker whose memory is full pauses: it ends its tasks and begins no other until there is room again. One
# that is idle for so long will have no room by itself.
_SECONDS_OF_PAUSE = 10.0

# Rows of this process are sent anew so many times without a tree between.
_MOST_LOSSES = 3


class _Field(NamedTuple):
    """Rows that trees grow on, and where."""

    plan: Any  # a future
    worker: str | None  # the only one that may grow trees on them; None for any


class _Task(NamedTuple):
    """A tree that is on its way."""

    number: int
    future: Any
    worker: str | None  # the only one that may grow it; None for any


class _Seen(NamedTuple):
    """Workers, as they were at a look."""

    able: set[str]  # trees may be expected of them
    stuck: set[str]  # they have been paused and idle for long


class _Watch:
    """Looks at which workers are there."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._idle_since: dict[str, float] = {}  # of workers that are paused

    def look(self) -> _Seen:
        known, now = workers_of(self._client), monotonic()
        idle = (worker for worker, info in known.items() if _is_paused_and_idle(info))
        self._idle_since = {worker: self._idle_since.get(worker, now) for worker in idle}
        stuck = {worker for worker, since in self._idle_since.items() if now - since > _SECONDS_OF_PAUSE}
        return _Seen(set(known) - stuck, stuck)


def _is_paused_and_idle(info: dict[str, Any]) -> bool:
    # A tree that is under way may be what takes the memory, and ends.
    return info["status"] == "paused" and not info["metrics"]["task_counts"].get("executing")


def grown(client: Any, shares: Shares, numbers: Sequence[int]) -> Generator[Planted]:
    """Yield trees in the order of their numbers, each from the share that its number says.

    Closed early, it cancels what nobody waits for.
    """
    left = list(numbers)
    waiting: list[_Task] = []
    fields: list[_Field] = []
    watch, losses, are_lost = _Watch(client), 0, False
    try:
        while left:
            try:
                if are_lost and shares.again is not None:
                    shares, are_lost = shares.again(), False
                if not waiting:
                    fields = _fields(client, shares)
                    waiting = [_submitted(client, fields[number % len(fields)], number) for number in left]
                    waiting.reverse()
                tree = _next(client, fields, waiting, watch, are_alike=shares.are_alike)
            except (CancelledError, OSError):
                losses += 1
                if client.status != "running" or shares.again is None or losses > _MOST_LOSSES:
                    raise
                # Rows of this process were lost with a worker, or on their way to one; they are still here.
                for future in (*(task.future for task in waiting), *shares.plans, *shares.given):
                    future.release()
                waiting, are_lost = [], True
                continue
            losses = 0
            yield tree
            waiting.pop().future.release()
            left.pop(0)
    except (Exception, CancelledError) as error:
        if client.status == "running" and not isinstance(error, CancelledError):
            raise  # an error of the work itself
        raise ConnectionError(
            f"the trees of {client} were cancelled: the connection to the scheduler was lost, or one worker "
            "after the other; fit again, with a new client where need be"
        ) from error
    finally:
        if waiting:
            with suppress(Exception):  # the cluster may be what failed
                client.cancel([task.future for task in waiting], force=True)


def _fields(client: Any, shares: Shares) -> list[_Field]:
    wait_for(client, shares.plans)
    places = client.who_has(shares.plans)
    having = [min(places.get(plan.key, ()), default=None) for plan in shares.plans]
    workers = having if shares.workers is None else shares.workers
    return [_Field(plan, worker) for plan, worker in zip(shares.plans, workers, strict=True)]


def _submitted(client: Any, field: _Field, number: int) -> _Task:
    # A tree grows where its rows are, and nowhere else: idle workers would fetch the rows of others.
    only = {} if field.worker is None else {"workers": [field.worker]}
    # Lower numbers first, since they are waited for first.
    future = client.submit(_grow, field.plan, number, pure=False, priority=-number, **only)
    return _Task(number, future, field.worker)


def _next(
    client: Any, fields: list[_Field], waiting: list[_Task], watch: _Watch, *, are_alike: bool
) -> Planted:
    """Wait for the last of these tasks; those of workers that are gone or stuck are given to others."""
    coming = _coming(client, waiting[-1])
    while True:
        with suppress(TimeoutError):
            return coming.result(timeout=_SECONDS_BETWEEN_LOOKS)
        if coming.done():
            return coming.result()  # it came just now, or what it raised was no matter of waiting
        seen = watch.look()
        lost = [
            place
            for place, task in enumerate(waiting)
            if task.worker is not None and task.worker not in seen.able and not task.future.done()
        ]
        if lost:
            client.cancel([waiting[place].future for place in lost], force=True)
        for place in lost:
            number, _, worker = waiting[place]
            others = [field for field in fields if field.worker in seen.able]
            if are_alike and worker in seen.stuck and others:
                field = others[number % len(others)]  # whose worker need not hold the rows twice
            else:
                field = _Field(fields[number % len(fields)].plan, None)
            waiting[place] = _submitted(client, field, number)
        if lost and lost[-1] == len(waiting) - 1:
            coming = _coming(client, waiting[-1])


def _coming(client: Any, task: _Task) -> Any:
    """Begin to fetch a tree; return a future of this process."""
    # Not `task.future.result(timeout=...)`: a client whose fetching is broken off at the wrong moment fetches
    # nothing any more.
    if client.status != "running":
        raise CancelledError
    fetched = client.gather(task.future, asynchronous=True)
    return asyncio.run_coroutine_threadsafe(fetched, client.loop.asyncio_loop)


def _grow(shared: Shared[GrowthPlan], number: int) -> Planted:
    return shared.value.plant(number)
