"""Runs the jobs that have no result yet, on many processors or machines, and stores each result at once.

Jobs go through joblib, so that `joblib.parallel_config(backend="dask")` or another backend spreads them over
a cluster. Each process of joblib has a `Worker`, which does the jobs in processes of their own.
"""

from __future__ import annotations

import atexit
import functools
import os
import sys
import threading
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

import joblib

from slantwood_bench.jobs import Job
from slantwood_bench.store import Store
from slantwood_bench.worker import JOBS, Folders, Worker
from slantwood_bench.worker_messages import OK

__all__ = ["Folders", "Summary", "run"]

Row = dict[str, Any]
Show = Callable[[Row], None]

_SECONDS_BETWEEN_LINES = 30.0

# Of a backend that gives no result before it has them all: jobs for each worker at a time.
_JOBS_AT_A_TIME = 4


@dataclass(frozen=True)
class Summary:
    """What a run has done.

    Attributes
    ----------
    skipped : int
        Jobs that were done before.
    counts : mapping
        How many jobs of this run ended with which status.
    seconds : float
        How long the run took.
    """

    skipped: int
    counts: Mapping[str, int]
    seconds: float

    @property
    def ran(self) -> int:
        """Number of jobs of this run."""
        return sum(self.counts.values())

    @property
    def failed(self) -> int:
        """Number of jobs of this run that failed, died or timed out."""
        return self.ran - self.counts.get(OK, 0)


def run(
    jobs: Iterable[Job],
    store: Store,
    folders: Folders,
    n_jobs: int | None = None,
    progress: bool = True,
    retry_failed: bool = False,
    module: str = JOBS,
) -> Summary:
    """Do the jobs that have no row in the store yet, and append a row for each as soon as it is done.

    An interruption keeps all rows so far and ends the jobs that are at work; the next run does what is left.
    On a cluster, those that other machines are at may go on until their end; their rows are lost.

    Parameters
    ----------
    jobs : iterable of Job
        The jobs. Those of the same data set are done in a row, because a worker keeps the last data set in
        memory; put data sets with long jobs first, or some workers may be idle at the end.
    store : Store
        Where rows are kept.
    folders : Folders
        Where data sets and folds are, for all workers.
    n_jobs : int or None
        Number of workers as joblib counts them: -1 for one per processor, None for joblib's own default.
    progress : bool
        Show on stderr how far it is: a bar in a terminal, otherwise a line every half minute. The time left
        is the mean time of finished jobs of the same data set, or of all where there is none, for each job.
    retry_failed : bool
        Do jobs again that failed, died or timed out.
    module : str
        Name of the module that does the jobs (see `slantwood_bench.worker`).

    Returns
    -------
    Summary
        What was done.
    """
    start = time.monotonic()
    wanted = {job.key: job for job in jobs}
    counts: Counter[str] = Counter()
    with store:
        done = store.done(retry_failed)
        left = _by_dataset([job for key, job in wanted.items() if key not in done])
        forecast = _Forecast(left, store.rows(), joblib.effective_n_jobs(n_jobs))
        try:
            with (
                _shown(forecast, progress) as show,
                closing(_results(left, folders, module, n_jobs)) as rows,
            ):
                for row in rows:
                    store.append(row)
                    counts[row["status"]] += 1
                    show(row)
        finally:
            close_workers()
    return Summary(len(wanted) - len(left), dict(counts), time.monotonic() - start)


def _by_dataset(jobs: Sequence[Job]) -> list[Job]:
    """Put jobs of the same data set in a row; otherwise their order stays."""
    position = {name: i for i, name in enumerate(dict.fromkeys(job.dataset for job in jobs))}
    return sorted(jobs, key=lambda job: position[job.dataset])


def _results(jobs: Sequence[Job], folders: Folders, module: str, n_jobs: int | None) -> Generator[Row]:
    """Do all jobs; give each row when it is there."""
    if not jobs:
        return
    try:
        parallel = joblib.Parallel(
            n_jobs, batch_size=1, pre_dispatch="2*n_jobs", return_as="generator_unordered"
        )
    except ValueError:
        # Ray and multiprocessing return lists only.
        yield from _results_in_lists(jobs, folders, module, n_jobs)
        return
    rows = parallel(joblib.delayed(work)(job, folders, module, os.getpid()) for job in jobs)
    try:
        # Not `yield from`, which would end the rows without what follows.
        for row in rows:  # noqa: UP028
            yield row
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that not all were waited for, which was the wish
            rows.close()


def _results_in_lists(
    jobs: Sequence[Job], folders: Folders, module: str, n_jobs: int | None
) -> Iterator[Row]:
    with joblib.Parallel(n_jobs, batch_size=1, pre_dispatch="all") as parallel:
        size = _JOBS_AT_A_TIME * joblib.effective_n_jobs(n_jobs)
        for first in range(0, len(jobs), size):
            part = jobs[first : first + size]
            yield from parallel(joblib.delayed(work)(job, folders, module, os.getpid()) for job in part)


# Workers of this process. Most processes have one; where joblib runs threads, each has its own.
_idle: defaultdict[str, list[Worker]] = defaultdict(list)
_every: set[Worker] = set()


def work(job: Job, folders: Folders, module: str, runner: int) -> Row:
    """Do one job in a `Worker` of this process, which stays for the next job.

    A process that the process `runner` has started ends with it, however that comes to its end.
    """
    if os.getppid() == runner:
        _end_with(runner)
    try:
        worker = _idle[module].pop()
    except IndexError:
        worker = Worker(module)
        _every.add(worker)
    try:
        row = worker.result(job, folders)
    except BaseException:
        _every.discard(worker)
        worker.close()
        raise
    _idle[module].append(worker)
    return row


@functools.cache
def _end_with(parent: int) -> None:
    """Check every second whether the parent still lives: processes of joblib would wait for minutes."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        close_workers()
        os._exit(1)

    threading.Thread(target=watch, daemon=True, name="parent").start()


@atexit.register
def close_workers() -> None:
    """End all workers of this process, and the jobs that they are at."""
    _idle.clear()
    while _every:
        _every.pop().close()


class _Forecast:
    """How many jobs are done, and how long the others may take."""

    def __init__(self, jobs: Sequence[Job], earlier: Iterable[Row], n_workers: int) -> None:
        self.total = len(jobs)
        self.done = 0
        self.failed = 0
        self._n_workers = n_workers
        self._left = Counter(job.dataset for job in jobs)
        self._seconds: defaultdict[str, list[float]] = defaultdict(list)
        for row in earlier:
            if row["dataset"] in self._left:
                self._seconds[row["dataset"]].append(row.get("seconds") or 0.0)

    def add(self, row: Row) -> None:
        self.done += 1
        self.failed += row["status"] != OK
        self._left[row["dataset"]] -= 1
        self._seconds[row["dataset"]].append(row["seconds"])

    def seconds_left(self) -> float | None:
        """Seconds for what is left, if its jobs take as long as those before; None before there are any."""
        every = [each for some in self._seconds.values() for each in some]
        if not every:
            return None
        mean = {name: sum(some) / len(some) for name, some in self._seconds.items()}
        overall = sum(every) / len(every)
        work = sum(number * mean.get(name, overall) for name, number in self._left.items())
        return work / min(self._n_workers, max(self.total - self.done, 1))

    def __str__(self) -> str:
        seconds = self.seconds_left()
        left = "" if seconds is None or self.done == self.total else f", about {_in_words(seconds)} left"
        return f"{self.done} of {self.total} jobs done, {self.failed} failed{left}"


def _in_words(seconds: float) -> str:
    """Say a time in the unit that suits it."""
    minutes = round(seconds / 60)
    if seconds < 90:
        return f"{seconds:.0f} s"
    if minutes < 90:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min" if minutes < 48 * 60 else f"{minutes / 1440:.1f} days"


@contextmanager
def _shown(forecast: _Forecast, wanted: bool) -> Iterator[Show]:
    """Give a function that takes each row and shows how far it is."""
    if not wanted or not forecast.total:
        yield forecast.add
    elif sys.stderr.isatty():
        with _bar(forecast) as show:
            yield show
    else:
        yield _lines(forecast)


@contextmanager
def _bar(forecast: _Forecast) -> Iterator[Show]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), refresh_per_second=2) as bar:
        task = bar.add_task(str(forecast), total=forecast.total)

        def show(row: Row) -> None:
            forecast.add(row)
            bar.update(task, completed=forecast.done, description=str(forecast))

        yield show


def _lines(forecast: _Forecast) -> Show:
    last = time.monotonic()

    def show(row: Row) -> None:
        nonlocal last
        forecast.add(row)
        if time.monotonic() - last >= _SECONDS_BETWEEN_LINES or forecast.done == forecast.total:
            last = time.monotonic()
            print(forecast, file=sys.stderr, flush=True)

    return show
