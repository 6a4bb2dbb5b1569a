"""Says on stderr, once per process and kind of work, that kernels are being compiled, where they really are.

A later process finds the machine code on disk and says nothing.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import event

_said: set[str] = set()


class _Announcement(event.Listener):
    def __init__(self, how_long: str) -> None:
        self._message = f"slantwood: compiling its kernels, once on this machine ({how_long}) ...\n"

    def on_start(self, event: Any) -> None:
        if self._message not in _said:
            _said.add(self._message)
            sys.stderr.write(self._message)
            sys.stderr.flush()

    def on_end(self, event: Any) -> None:
        """Nothing to say: the results follow."""


@contextmanager
def announced(how_long: str = "about a minute") -> Iterator[None]:
    """Announce a compilation that happens inside the block, and how long it takes."""
    with event.install_listener("numba:compile", _Announcement(how_long)):
        yield
