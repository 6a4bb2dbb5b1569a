"""The process in which a campaign's cases run, one after the other, until there are no more or one kills it.

It reads numbers of cases from its input and responses each with a line of JSON. What cases print goes to the
log, where the stack stands too should one crash.
"""

import faulthandler
import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from slantwood_bench.usage import forget_peak, peak_megabytes

# What a case may come to: all is right, or the input was refused in words that help.
ACCEPTED, REFUSED = "accepted", "refused"
# Found by the campaign itself.
FOREIGN, WRONG = "foreign error", "wrong result"

_LONGEST_MESSAGE = 4000  # of an error: nobody reads more, and a value quoted in full may be the whole file


@dataclass(frozen=True)
class Outcome:
    """What came of a case, what it was, and what is to be said about it, as an error's message."""

    verdict: str
    about: str
    said: str = ""


def refusal(error: BaseException, about: str, names: tuple[str, ...] = ()) -> Outcome:
    """Judge an error: fine where it is a ValueError or TypeError whose message has one of the names in it."""
    said = f"{type(error).__name__}: {error}"
    if not isinstance(error, (ValueError, TypeError)) or not str(error).strip():
        places = traceback.extract_tb(error.__traceback__)[-1:]
        where = "".join(f" ({os.path.basename(place.filename)}:{place.lineno})" for place in places)
        return Outcome(FOREIGN, about, f"{said[:_LONGEST_MESSAGE]}{where}")
    if len(said) > _LONGEST_MESSAGE:
        return Outcome(FOREIGN, about, f"{said[:60]} ... (a message of {len(said)} characters)")
    if names and not any(name in str(error) for name in names):
        return Outcome(FOREIGN, about, f"{said} (without the name of the file)")
    return Outcome(REFUSED, about, said)


def serve(module: str, seed: int) -> None:
    """Run the cases of a campaign, whose module has `warm_up` and `run_case`."""
    responses = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    faulthandler.enable()
    campaign = import_module(module)
    campaign.warm_up()

    def tell(message: dict[str, Any]) -> None:
        responses.write(json.dumps(message) + "\n")
        responses.flush()

    tell({"ready": True})
    for line in sys.stdin:
        tell(_measured(campaign.run_case, seed, int(line)))


def _measured(run_case: Callable[[int, int], Outcome], seed: int, number: int) -> dict[str, Any]:
    forget_peak()
    level = peak_megabytes()
    start = time.process_time()
    outcome = run_case(seed, number)
    return {
        "verdict": outcome.verdict,
        "about": outcome.about,
        "said": outcome.said,
        "seconds": time.process_time() - start,
        "megabytes": peak_megabytes() - level,
    }


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
