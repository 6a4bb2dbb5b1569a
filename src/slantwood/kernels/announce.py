"""Says on stderr, once per process, that kernels are being compiled, where they really are.

A later process finds the machine code on disk and says nothing.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import event

_MESSAGE = "slantwood: compiling its kernels, once on this machine (about half a minute) ...\n"


class _Announcement(event.Listener):
    said = False

    def on_start(self, event: Any) -> None:
        if not _Announcement.said:
            _Announcement.said = True
            sys.stderr.write(_MESSAGE)
            sys.stderr.flush()

    def on_end(self, event: Any) -> None:
        """Nothing to say: the results follow."""


@contextmanager
def announced() -> Iterator[None]:
    """Announce a compilation that happens inside the block."""
    with event.install_listener("numba:compile", _Announcement()):
        yield
