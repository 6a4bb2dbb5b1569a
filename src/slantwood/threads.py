"""Work on threads that the main thread only waits for.

Compiled code runs here at any number of jobs, one included. Python runs signal handlers in the main thread,
at the next instruction that it interprets. If that lies inside the code with which Numba makes a Python
object of a result, an exception of the handler (KeyboardInterrupt, a time limit) is overlooked and the
process dies. A main thread that waits raises it at once, while the work may still be in the middle of a tree.
"""

from __future__ import annotations

import _thread
import atexit
import contextvars
import queue
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import numpy as np
from joblib import Parallel, cpu_count

Item = TypeVar("Item")
Result = TypeVar("Result")

# How far the threads may be ahead of whoever takes the results, in items per thread.
_AHEAD = 2

# Not every system wakes a waiting main thread for Ctrl-C: it looks up now and then.
_SECONDS_BETWEEN_LOOKS = 0.1

# After an interrupt, what is under way gets this long to end; then it is left to end by itself.
_SECONDS_TO_STOP = 0.3

# Threads that were left to end. The interpreter must not be taken down under compiled code. No weak
# references: an exception of a signal handler that comes while one of them is cleared is lost.
_left_behind: list[_Worker] = []
_SECONDS_AT_EXIT = 30.0


class _Worker:
    """A thread that the main thread may start and wait for while signal handlers raise exceptions.

    `threading.Thread` is no such one: an exception that comes just after `start` has begun a thread makes
    that thread end with a KeyError on stderr, and one between the taking of an event's lock and what follows
    leaves it locked. Hence no locks here but those inside of queues, which no Python code takes.
    """

    def __init__(self, work: Callable[[], None]) -> None:
        # The thread has the caller's context, such as NumPy's handling of floating-point errors.
        self._work, self._context = work, contextvars.copy_context()
        self._end: queue.SimpleQueue[None] = queue.SimpleQueue()
        self.is_alive = False

    def start(self) -> None:
        _thread.start_new_thread(self._run, ())

    def _run(self) -> None:
        self.is_alive = True
        try:
            self._context.run(self._work)
        finally:
            self.is_alive = False
            del self._work, self._context  # of which `_left_behind` would keep the data
            self._end.put(None)

    def join(self, seconds: float) -> None:
        with suppress(queue.Empty):
            self._end.get(timeout=seconds)


class StopFlag:
    """Asks work to end early. Compiled code reads `array[0]`, which is not 0 once it is set."""

    def __init__(self) -> None:
        self.array = np.zeros(1, np.uint8)

    def set(self) -> None:
        """Ask to stop."""
        self.array[0] = 1

    def is_set(self) -> bool:
        """Whether to stop."""
        return bool(self.array[0])


def run_in_threads(
    work: Callable[[Item], Result], items: Sequence[Item], n_jobs: int | None, stop: StopFlag | None = None
) -> Generator[Result]:
    """Yield `work(item)` for all items, in their order, computed on threads.

    Whatever ends the iteration early, an error in `work`, an exception of a signal handler or `close()`, sets
    the flag, after which no item is begun; results that are not taken are lost. Close the iterator where an
    exception may come between two results (`contextlib.closing`): it is closed at once only by itself.

    Parameters
    ----------
    work : callable
        What is done with an item; it should release the GIL.
    items : sequence
        What there is to do.
    n_jobs : int or None
        Number of threads, in joblib's sense.
    stop : StopFlag, optional
        The flag, for work that looks at it.

    Yields
    ------
    object
        The result of the next item.
    """
    stop = stop or StopFlag()
    n_threads = min(thread_count(n_jobs), len(items))
    allowance: queue.SimpleQueue[None] = queue.SimpleQueue()
    for _ in range(_AHEAD * n_threads):
        allowance.put(None)
    tasks: queue.SimpleQueue[int] = queue.SimpleQueue()
    for index in range(len(items)):
        tasks.put(index)
    results: queue.SimpleQueue[tuple[int, Any, BaseException | None]] = queue.SimpleQueue()

    def serve() -> None:
        while True:
            allowance.get()
            try:
                index = tasks.get_nowait()
            except queue.Empty:
                return
            if stop.is_set():
                return
            try:
                results.put((index, work(items[index]), None))
            except BaseException as error:
                results.put((index, None, error))

    workers = [_Worker(serve) for _ in range(n_threads)]
    try:
        for worker in workers:
            worker.start()
        early: dict[int, Any] = {}
        for index in range(len(items)):
            while index not in early:
                done, result, error = _next(results)
                if error is not None:
                    raise error
                early[done] = result
            allowance.put(None)
            yield early.pop(index)
    finally:
        stop.set()
        for _ in workers:
            allowance.put(None)
        _wait_for(workers, _SECONDS_TO_STOP)


def thread_count(n_jobs: int | None) -> int:
    """Return the number of threads for `n_jobs`: of negative numbers, all cores but some, at least one.

    None is what `joblib.parallel_config("threading", n_jobs=...)` says, 1 without it.
    """
    wanted = Parallel(n_jobs=n_jobs, require="sharedmem").n_jobs
    return max(1, wanted if wanted > 0 else cpu_count() + 1 + wanted)


def _next(results: queue.SimpleQueue[Any]) -> Any:
    while True:
        try:
            return results.get(timeout=_SECONDS_BETWEEN_LOOKS)
        except queue.Empty:
            continue


def _wait_for(workers: Sequence[_Worker], seconds: float) -> None:
    _left_behind[:] = {worker for worker in (*_left_behind, *workers) if worker.is_alive}
    end = time.monotonic() + seconds
    for worker in workers:
        if worker.is_alive:
            worker.join(max(0.0, end - time.monotonic()))


@atexit.register
def _wait_at_exit() -> None:
    _wait_for(list(_left_behind), _SECONDS_AT_EXIT)
