"""Time and peak memory of a call."""

from __future__ import annotations

import gc
import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

_MB = 1e6
_NAN = float("nan")


@dataclass(frozen=True)
class Usage:
    """What a call took: seconds, megabytes above the level before it, and the process's peak in megabytes."""

    seconds: float = _NAN
    grown: float = _NAN
    peak: float = _NAN


def usage_of(call: Callable[[], Any]) -> Usage:
    """Run the call once; what it returns lives until the memory is read.

    >>> usage = usage_of(lambda: sum(range(1000)))
    >>> usage.seconds > 0 and usage.peak > 0
    True
    """
    gc.collect()
    forget_peak()
    before = peak_megabytes()
    start = time.perf_counter()
    result = call()
    seconds = time.perf_counter() - start
    after = peak_megabytes()
    del result
    return Usage(seconds, after - before, after)


def median_seconds(call: Callable[[], Any], repeats: int) -> float:
    """Return the median time of several calls."""
    return median(usage_of(call).seconds for _ in range(repeats))


def forget_peak() -> None:
    """Let the peak begin anew: at the present level on Linux; elsewhere the peak so far stands for it."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return


def peak_megabytes() -> float:
    """Return the largest resident memory of this process since `forget_peak`."""
    # ru_maxrss is the second choice: a process starts with the peak of the one that started it.
    try:
        found = re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text())
    except OSError:
        found = None
    return int(found[1]) * 1024 / _MB if found else _peak_by_the_system()


def _peak_by_the_system() -> float:
    try:
        import resource
    except ImportError:  # Windows has no such module
        return _NAN
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / _MB
