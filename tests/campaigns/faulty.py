"""A campaign whose cases do what those of the others must not: the harness is tested with it."""

import os

from tests.campaigns.child import ACCEPTED, Outcome, refusal

CASES = 7


def warm_up() -> None:
    """Nothing is compiled."""


def run_case(seed: int, number: int) -> Outcome:
    """Crash, take all memory, hang, fail, refuse, or be fine."""
    if number == 1:
        os.abort()
    if number == 2:
        held = [bytearray(b"x") * (1 << 27) for _ in range(100)]  # 13 GB, if nobody looks
        return Outcome(ACCEPTED, str(len(held)))
    if number == 3:
        while True:
            pass
    if number == 4:
        return refusal(KeyError("x"), "a key")
    if number == 5:
        return refusal(ValueError("a.csv: no"), "a file", ("a.csv",))
    return Outcome(ACCEPTED, f"seed {seed}")
