"""Says on stderr that kernels are being compiled, where they really are, and why."""

from __future__ import annotations

import sys

_said: set[str] = set()


def say(message: str) -> None:
    """Say something on stderr, where results do not go."""
    sys.stderr.write(f"slantwood: {message}\n")
    sys.stderr.flush()


def say_once(message: str) -> None:
    """Say something once per process."""
    if message not in _said:
        _said.add(message)
        say(message)


def compiling(entry: str, reason: str | None) -> None:
    """Say that a kernel is being compiled."""
    say_once(f"compiling kernels, once on this machine, a minute at most ({reason}) ...")
    if sys.stderr.isatty():
        name = entry.partition("(")[0].rpartition(".")[2]
        say(f"compiling {name}")
