import gc
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from contextlib import closing

import joblib
import numpy as np
import pytest

from slantwood.threads import StopFlag, run_in_threads, thread_count

# Long enough for a test to be stuck in, where nothing wakes it.
_FOREVER = 60.0


@pytest.mark.parametrize("n_jobs", [1, 2, 5])
def test_results_come_in_the_order_of_the_items_however_long_each_takes(n_jobs):
    pauses = np.random.default_rng(n_jobs).uniform(0.0, 0.01, size=30)

    def work(item):
        time.sleep(pauses[item])
        return item

    assert list(run_in_threads(work, range(30), n_jobs)) == list(range(30))


def test_there_may_be_nothing_to_do():
    assert list(run_in_threads(str, [], 2)) == []


@pytest.mark.parametrize("n_jobs", [None, 1, 3])
def test_work_never_runs_in_the_thread_that_waits_for_it(n_jobs):
    workers = set(run_in_threads(lambda item: threading.current_thread(), range(20), n_jobs))
    assert threading.current_thread() not in workers
    assert 1 <= len(workers) <= (n_jobs or 1)


def test_work_has_the_context_of_whoever_asks_for_it():
    with np.errstate(divide="raise"):
        handling = list(run_in_threads(lambda item: np.geterr()["divide"], range(4), 2))
    if int(np.__version__.split(".")[0]) >= 2:  # before, NumPy kept it by thread
        assert handling == ["raise"] * 4


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_reaches_whoever_asks_and_no_further_item_is_begun(n_jobs):
    begun = []

    def work(item):
        begun.append(item)
        if item == 3:
            raise KeyError("three")
        return item

    stop = StopFlag()
    with pytest.raises(KeyError, match="three"):
        list(run_in_threads(work, range(1000), n_jobs, stop))
    assert stop.is_set()
    count = len(begun)
    assert count < 20
    time.sleep(0.05)
    assert len(begun) == count


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_closing_before_the_end_stops_the_threads(n_jobs):
    begun = []
    threads = threading.active_count()
    with closing(run_in_threads(begun.append, range(1000), n_jobs)) as results:
        next(results)
    assert threading.active_count() == threads
    assert len(begun) < 20


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_threads_are_only_a_few_items_ahead_of_whoever_takes_the_results(n_jobs):
    begun = []
    with closing(run_in_threads(begun.append, range(1000), n_jobs)) as results:
        next(results)
        time.sleep(0.1)
        assert len(begun) <= 2 * n_jobs + 1


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_exception_of_a_signal_handler_does_not_wait_for_the_work(n_jobs, time_limit):
    stop = StopFlag()
    released = threading.Event()

    def work(item):
        released.wait(_FOREVER)

    started = time.monotonic()
    with time_limit(0.1):
        list(run_in_threads(work, range(8), n_jobs, stop))
    assert time.monotonic() - started < 0.5 * _FOREVER
    assert stop.is_set()
    released.set()


def test_work_that_looks_at_the_flag_has_ended_when_the_exception_arrives(time_limit):
    stop = StopFlag()
    begun, ended = [], []
    both_have_begun = threading.Barrier(2, action=lambda: os.kill(os.getpid(), signal.SIGALRM))

    def work(item):
        begun.append(item)
        both_have_begun.wait(_FOREVER)
        while not stop.is_set():
            time.sleep(0.001)
        ended.append(item)

    with time_limit(_FOREVER):  # the signal comes as soon as both threads are at work
        list(run_in_threads(work, range(8), 2, stop))
    assert sorted(ended) == sorted(begun) == [0, 1]


def test_threads_that_are_left_behind_keep_no_data():
    class Data:
        def work(self, item):
            return item

    data = Data()
    kept = weakref.ref(data)
    with closing(run_in_threads(data.work, range(100), 2)) as results:
        next(results)
    del data, results
    gc.collect()
    assert kept() is None


def test_the_number_of_threads_is_that_of_joblib():
    cores = joblib.cpu_count()
    assert thread_count(None) == 1
    assert thread_count(7) == 7
    assert thread_count(-1) == cores
    assert thread_count(-cores - 5) == 1
    with joblib.parallel_config("threading", n_jobs=3):
        assert thread_count(None) == 3
        assert thread_count(2) == 2


_ALARMS = """
import random, signal, time
from slantwood.threads import run_in_threads

class TimeIsUp(Exception):
    pass

def ring(number, frame):
    raise TimeIsUp

signal.signal(signal.SIGALRM, ring)
for _ in range(3000):
    try:
        signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-5, 4e-4))
        list(run_in_threads(str, [1, 2], 2))
        while True:
            time.sleep(0.001)
    except TimeIsUp:
        continue
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no SIGALRM")
def test_an_exception_of_a_signal_handler_is_raised_whenever_it_comes():
    command = [sys.executable, "-c", _ALARMS]
    done = subprocess.run(command, capture_output=True, text=True, timeout=50, check=False)
    assert (done.returncode, done.stderr) == (0, "")
