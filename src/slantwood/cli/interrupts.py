"""Ctrl-C that is not lost: out of the import of a C extension it may come as another error, or not at all."""

import signal
from typing import Any

_received: list[int] = []


def remember() -> None:
    """From now on, keep in mind that Ctrl-C was pressed, unless it is ignored, as in the background."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)


def any_received() -> bool:
    """Return whether Ctrl-C was pressed."""
    return bool(_received)


def _interrupt(number: int, frame: Any) -> None:
    _received.append(number)
    raise KeyboardInterrupt
