"""Calls in processes of their own, one after the other: what one of them takes, no other has used before."""

from __future__ import annotations

import multiprocessing
import queue
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def apart(
    work: Callable[[Item], Result], items: Sequence[Item], longest: float = 75.0
) -> Iterator[Result | None]:
    """Yield `work(item)` for all items, each from a process of its own.

    Parameters
    ----------
    work : callable
        A function of a module, which other processes can import.
    items : sequence
        What it is called with.
    longest : float, default=75
        Seconds after which a call is given up.

    Yields
    ------
    object or None
        The next result; None where it took too long.
    """
    # Processes are copies of one that has loaded the libraries, which takes longer than most calls.
    method = "forkserver" if sys.platform != "win32" else "spawn"
    context: Any = multiprocessing.get_context(method)
    if method == "forkserver":
        context.set_forkserver_preload([work.__module__])
    for item in items:
        results = context.Queue()
        process = context.Process(target=_put, args=(work, item, results))
        process.start()
        try:
            yield results.get(timeout=longest)
        except queue.Empty:
            process.kill()
            yield None
        process.join()


def _put(work: Callable[[Any], Any], item: Any, results: Any) -> None:
    results.put(work(item))
