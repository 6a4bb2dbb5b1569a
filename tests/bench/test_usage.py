"""Seconds and memory of a call."""

import sys
import time

import numpy as np
import pytest

from slantwood_bench.usage import Usage, usage_of


def test_seconds_are_those_of_the_call():
    before = time.perf_counter()
    time.sleep(0.01)
    begin = time.perf_counter()
    seconds = usage_of(lambda: time.sleep(0.05)).seconds
    end = time.perf_counter()
    assert 0.05 <= seconds <= end - begin < end - before


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the peak is that of the whole process")
@pytest.mark.parametrize("megabytes", [50, 200])
def test_memory_is_what_the_call_adds_at_its_peak(megabytes):
    def call():
        np.ones(megabytes * 125_000)  # goes at once, and counts
        return 1

    usage = usage_of(call)
    assert megabytes * 0.9 < usage.grown < megabytes * 1.1 + 10
    assert usage.peak > usage.grown


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the peak is that of the whole process")
def test_an_earlier_peak_does_not_count():
    np.ones(40_000_000)
    assert usage_of(lambda: None).grown < 50


def test_errors_of_the_call_come_through():
    with pytest.raises(ZeroDivisionError):
        usage_of(lambda: 1 / 0)


def test_nothing_is_known_before_a_call():
    assert all(np.isnan(value) for value in vars(Usage()).values())
