"""Says that a kernel is being compiled, where it really is: which, why, and how long that takes."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from slantwood import messages

_said: set[str] = set()
_BAR = 30


def warn_once(message: str) -> None:
    """Say once per process that something is not as it should be."""
    _say_once(message, logging.WARNING)


def _say_once(message: str, level: int) -> None:
    if message not in _said:
        _said.add(message)
        messages.say(message, level)


@contextmanager
def compiling(name: str, seconds: int, reason: str) -> Iterator[None]:
    """Say that a kernel is compiled within the block; on a terminal, show how far that is."""
    _say_once(f"compiling kernels where they are first used, once on this machine: {reason}", logging.INFO)
    messages.say(f"compiling {name}, about {seconds} s")
    if not (messages.is_shown() and messages.on_terminal()):
        yield
        return
    done = threading.Event()
    bar = threading.Thread(target=_draw, args=(seconds, done), daemon=True)
    bar.start()
    try:
        yield
    finally:
        done.set()
        bar.join()


def _draw(seconds: int, done: threading.Event) -> None:
    started = time.monotonic()
    while not done.wait(0.2):
        elapsed = time.monotonic() - started
        full = min(_BAR, int(_BAR * elapsed / seconds))
        messages.write(f"\r[{'#' * full}{' ' * (_BAR - full)}] {elapsed:.0f} s")
    messages.write(f"\r{' ' * (_BAR + 12)}\r")
