"""Time and peak memory: of a call, and of a fit in a process of its own that is ended when it takes too much.

A process for each fit, because a peak of memory belongs to a process, and because a library that runs out of
memory may take its process with it.
"""

import multiprocessing
import os
import resource
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from slantwood_bench.scripts.peers import PEERS
from slantwood_bench.scripts.problems import Problem, quality
from slantwood_bench.usage import Usage, usage_of

# Importing, compiling and the tiny fits before the one that counts.
_SECONDS_TO_START = 600.0
_SECONDS_TO_END = 10.0


@dataclass(frozen=True)
class Limits:
    """What one fit may take: seconds, and gigabytes of address space."""

    seconds: float = 300.0
    gigabytes: float = 16.0


@dataclass(frozen=True)
class Outcome:
    """Usage and quality of a fit; where something is missing, `remark` says why."""

    usage: Usage = field(default_factory=Usage)
    quality: dict[str, float] = field(default_factory=dict)
    remark: str = ""


def median_seconds(call: Callable[[], Any], repeats: int) -> float:
    """Median time of a call."""
    return float(np.median([usage_of(call).seconds for _ in range(repeats)]))


def fit_apart(peer: str, problem: Problem, n_trees: int, n_jobs: int, limits: Limits) -> Outcome:
    """Fit one of the `PEERS` in a new process and judge it there.

    The time is that of the fit alone. Before it, the process has imported the library and fitted a tiny dense
    and a tiny sparse problem, so that nothing is compiled or loaded any more. A fit over a limit, or one that
    fails, is an outcome with a remark, never an exception.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    work = context.Process(target=_child, args=(theirs, peer, problem, n_trees, n_jobs, limits.gigabytes))
    usage, values, spoken = Usage(), {}, False
    # Files that an ended process leaves behind go with this folder.
    folder = tempfile.TemporaryDirectory()
    try:
        # Threads of BLAS inside threads of trees would only get in each other's way.
        with _environment(OPENBLAS_NUM_THREADS="1", TMPDIR=folder.name):
            work.start()
        theirs.close()
        _receive(ours, work, _SECONDS_TO_START, "start")
        usage = _receive(ours, work, limits.seconds, "fit")
        values = _receive(ours, work, limits.seconds, "scores")
        spoken = True
    except _NoResult as reason:
        spoken = not isinstance(reason, _TooLong)
        return Outcome(usage, values, str(reason))
    finally:
        # A process that has said its last word ends by itself, and more tidily.
        work.join(_SECONDS_TO_END if spoken else 0)
        work.kill()
        work.join()
        work.close()
        ours.close()
        folder.cleanup()
    return Outcome(usage, values)


class _NoResult(Exception):
    """Why the process has nothing to tell; may travel through a pipe."""


class _TooLong(_NoResult):
    """The process is still at work."""


@contextmanager
def _environment(**values: str) -> Iterator[None]:
    """Set variables for a process that starts inside the block."""
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _receive(connection: Any, work: Any, seconds: float, stage: str) -> Any:
    if not connection.poll(seconds):
        raise _TooLong(f"over the limit ({stage}: {seconds:g} s)")
    try:
        message = connection.recv()
    except EOFError:
        work.join()
        raise _NoResult(f"died with code {work.exitcode} ({stage}; likely memory)") from None
    if isinstance(message, _NoResult):
        raise message
    return message


def _child(connection: Any, name: str, problem: Problem, n_trees: int, n_jobs: int, gigabytes: float) -> None:
    try:
        for X, y in _tiny_problems(problem.task):
            warm = PEERS[name](problem.task)
            warm.fit(X, y, 2, n_jobs)
            warm.scores(X)
        n_bytes = int(gigabytes * 2**30)
        resource.setrlimit(resource.RLIMIT_AS, (n_bytes, n_bytes))
        connection.send("started")
        peer = PEERS[name](problem.task)
        connection.send(usage_of(lambda: peer.fit(problem.X, problem.y, n_trees, n_jobs)))
        connection.send(quality(problem, peer.scores(problem.X_test)))
    except MemoryError:
        connection.send(_NoResult(f"over the limit (memory: {gigabytes:g} GB)"))
    except Exception as error:
        first_line = f"{type(error).__name__}: {error}".splitlines()[0]
        connection.send(_NoResult(f"failed: {first_line}"))


def _tiny_problems(task: str) -> list[tuple[Any, Any]]:
    rng = np.random.default_rng(0)
    X = rng.random((60, 8), dtype=np.float32) * (rng.random((60, 8)) < 0.5)
    match task:
        case "bin" | "mcc":
            y = (X[:, 0] > X[:, 1]).astype(int)
            return [(X, y), (sparse.csr_array(X), y)]
        case "mlc":
            y = (X[:, :4] > 0.3).astype(np.int8)
            return [(X, y), (sparse.csr_array(X), sparse.csr_array(y, dtype=np.float32))]
        case _:
            y = X[:, 0] if task == "str" else X[:, :3]
            return [(X, y.astype(float)), (sparse.csr_array(X), y.astype(float))]
