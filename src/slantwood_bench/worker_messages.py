"""Messages between a worker and its parent, and how either ends processes."""

from __future__ import annotations

import contextlib
import json
import os
import signal
from typing import Any

OK, FAILED, TIMED_OUT, DIED = "ok", "failed", "timed out", "died"

_MAX_LENGTH = 300


def kill_group(group: int | None) -> None:
    """Kill all processes of a group, where there are groups."""
    if group is not None and hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)


def exit_reason(code: int) -> str:
    """Say how a process ended that should not have: a code, or minus a signal."""
    if code >= 0:
        return f"its process ended with code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    return f"its process was killed by {name}" + (", likely for want of memory" if name == "SIGKILL" else "")


def in_one_line(error: BaseException) -> str:
    """Say an error in one line of moderate length."""
    return shortened(f"{type(error).__name__}: {error}")


def shortened(text: str) -> str:
    """Put a text in one line of moderate length."""
    text = " ".join(text.split())
    return text if len(text) <= _MAX_LENGTH else text[: _MAX_LENGTH - 3] + "..."


def as_line(message: dict[str, Any]) -> bytes:
    """Return a message as a line of JSON, in which arrays and numbers of NumPy are plain ones."""
    return json.dumps(message, default=_of_numpy).encode() + b"\n"


def _of_numpy(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} {value!r} in a row of results is nothing that JSON knows")
