"""Calls in processes of their own, one after the other: what one of them takes, no other has used before."""

from __future__ import annotations

import multiprocessing
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class _Sent(NamedTuple):
    """What a process sends before it ends: a result, or what went wrong."""

    result: Any
    error: str = ""


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
        The next result; None where it took too long. A call that fails, or whose process dies, is an error
        that names the item.
    """
    # Processes are copies of one that has loaded the libraries, which takes longer than most calls.
    method = "forkserver" if sys.platform != "win32" else "spawn"
    context: Any = multiprocessing.get_context(method)
    if method == "forkserver":
        context.set_forkserver_preload([work.__module__])
    for item in items:
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=_send, args=(work, item, sender))
        process.start()
        sender.close()  # the process has the only other one, so that its death ends the wait
        try:
            sent = receiver.recv() if receiver.poll(longest) else _Sent(None)
        except EOFError:
            process.join()
            sent = _Sent(None, f"its process died with exit code {process.exitcode}")
        finally:
            process.kill()
            process.join()
            receiver.close()
        if sent.error:
            raise RuntimeError(f"{item!r} failed: {sent.error}")
        yield sent.result


def _send(work: Callable[[Any], Any], item: Any, sender: Any) -> None:
    try:
        sender.send(_Sent(work(item)))
    except Exception:
        sender.send(_Sent(None, traceback.format_exc()))
