"""Which locks must not be held by another thread while a process is forked.

A child has the locks as they are at that moment, and of the threads only the one that forked: a lock that
another thread holds then is never let go, and the child waits for ever at its first compilation. Waiting for
these locks before the fork leaves them, and what they guard, in order on both sides. A fork during a first
compilation therefore takes as long as that does.
"""

from __future__ import annotations

import os
from typing import Any


def hold_across_forks(lock: Any) -> None:
    """Let every fork wait for a lock; the one that is registered last is waited for first."""
    if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
        os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)
