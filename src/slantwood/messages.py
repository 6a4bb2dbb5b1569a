"""What is said while work goes on: to the logger "slantwood" if logging is set up, to stderr if not.

The only file, beside the command line, that writes to stderr; nothing writes to stdout. Where a message goes:

- to the logger, if a handler takes records of its level, as after `logging.basicConfig(level=logging.INFO)`;
- nowhere, if the logger itself has a higher level: `logging.getLogger("slantwood").setLevel(logging.ERROR)`;
- to stderr otherwise: `verbose=1` shows something also where a program has set up logging of warnings.
"""

from __future__ import annotations

import logging
import sys

LOGGER = logging.getLogger("slantwood")


def is_logged(level: int = logging.INFO) -> bool:
    """Whether some handler takes messages of this level."""
    return LOGGER.isEnabledFor(level) and LOGGER.hasHandlers()


def is_shown(level: int = logging.INFO) -> bool:
    """Whether messages of this level go to stderr."""
    declined = LOGGER.level != logging.NOTSET and not LOGGER.isEnabledFor(level)
    return not declined and not is_logged(level)


def say(message: str, level: int = logging.INFO) -> None:
    """Say something in a line of its own."""
    if is_logged(level):
        LOGGER.log(level, message, stacklevel=2)
    elif is_shown(level):
        write(f"slantwood: {message}\n")


def write(text: str) -> None:
    """Write to stderr at once; for what is drawn in place, which no logger can take."""
    if sys.stderr is not None:  # as in programs without a console
        sys.stderr.write(text)
        sys.stderr.flush()


def on_terminal() -> bool:
    """Whether stderr is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()
