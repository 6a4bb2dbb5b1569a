"""Claims about calls in processes of their own: results come in order, and failures say what failed."""

import os
import signal
import sys
import time

import pytest

from slantwood_bench.scripts.apart import apart


def process_of(item):
    return item, os.getpid()


def divided(item):
    return 1 / item


def killed(item):
    os.kill(os.getpid(), signal.SIGKILL)


def slept(seconds):
    time.sleep(seconds)
    return seconds


def test_each_call_has_a_process_of_its_own_and_results_come_in_order():
    found = list(apart(process_of, ["a", "b"]))
    assert [item for item, _ in found] == ["a", "b"]
    assert len({os.getpid(), *(process for _, process in found)}) == 3


def test_a_call_that_fails_says_so_with_its_item():
    with pytest.raises(RuntimeError, match=r"0 failed: (.|\n)*ZeroDivisionError"):
        list(apart(divided, [0]))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_process_that_dies_is_an_error_at_once_and_not_a_call_that_took_too_long():
    with pytest.raises(RuntimeError, match="'x' failed: its process died with exit code -9"):
        list(apart(killed, ["x"], longest=600.0))


def test_a_call_that_takes_too_long_is_given_up_and_the_next_one_made():
    assert list(apart(slept, [600.0, 600.0], longest=0.3)) == [None, None]
