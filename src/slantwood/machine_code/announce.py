"""Says on stderr that a kernel is being compiled, where it really is: which, why, and how long that takes."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

_said: set[str] = set()
_BAR = 30


def say(message: str) -> None:
    """Say something on stderr, where results do not go."""
    sys.stderr.write(f"slantwood: {message}\n")
    sys.stderr.flush()


def say_once(message: str) -> None:
    """Say something once per process."""
    if message not in _said:
        _said.add(message)
        say(message)


@contextmanager
def compiling(name: str, seconds: int, reason: str) -> Iterator[None]:
    """Say that a kernel is compiled within the block; on a terminal, show how far that is."""
    say_once(f"compiling kernels where they are first used, once on this machine: {reason}")
    say(f"compiling {name}, about {seconds} s")
    if not sys.stderr.isatty():
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
        sys.stderr.write(f"\r[{'#' * full}{' ' * (_BAR - full)}] {elapsed:.0f} s")
        sys.stderr.flush()
    sys.stderr.write(f"\r{' ' * (_BAR + 12)}\r")
    sys.stderr.flush()
