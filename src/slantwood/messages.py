"""What is said while work goes on: to the logger "slantwood" if logging is set up, to stderr if not.

The only file, beside the command line, that writes to stderr; nothing writes to stdout. Where a message goes:

- to the logger, if a handler takes records of level INFO, as after `logging.basicConfig(level=logging.INFO)`;
- nowhere, if our logger has a higher level: `logging.getLogger("slantwood").setLevel(logging.WARNING)`;
- to stderr otherwise: `verbose=1` shows something also where a program has set up logging of warnings.
"""

from __future__ import annotations

import logging
import sys

LOGGER = logging.getLogger("slantwood")


def is_logged() -> bool:
    """Whether some handler takes messages."""
    return LOGGER.isEnabledFor(logging.INFO) and LOGGER.hasHandlers()


def is_shown() -> bool:
    """Whether messages go to stderr."""
    declined = LOGGER.level != logging.NOTSET and not LOGGER.isEnabledFor(logging.INFO)
    return not declined and not is_logged()


def say(message: str) -> None:
    """Say something in a line of its own."""
    if is_logged():
        LOGGER.info(message, stacklevel=2)
    elif is_shown():
        write(f"slantwood: {message}\n")


def write(text: str) -> None:
    """Write to stderr at once; for what is drawn in place, which no logger can take."""
    if sys.stderr is not None:  # as in programs without a console
        sys.stderr.write(text)
        sys.stderr.flush()


def on_terminal() -> bool:
    """Whether stderr is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()
