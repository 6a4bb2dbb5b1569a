"""Worker: runs each job in a process of its own, and kills it when it takes too long.

What a job allocates, breaks or leaves behind ends with its process. A new interpreter needs seconds to import
libraries and to load machine code, and the same data set is read for job after job. So the worker is one
process that keeps all of this in memory and forks a child for each job. It is a plain program at the end of
two pipes, and not one of `multiprocessing`, because workers of Dask are daemons and may not have children of
that kind.

What goes through the pipes, one line of JSON each:

    worker: {"ready": true}                                libraries are imported, machine code is loaded
    parent: {"job": {..}, "data": "..", "folds": ".."}
    worker: {"began": 4711, "metadata": {..}}              the data set is read, the child of this id works
    worker: {"done": {"status": "ok", ..}, "last": false}

Where forks are not safe, the worker does the job itself and ends with it ("last": true).
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import socket
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from slantwood_bench.jobs import Job
from slantwood_bench.worker_messages import (
    DIED,
    TIMED_OUT,
    as_line,
    exit_reason,
    kill_group,
    shortened,
)

# The module whose `warm_up()`, `prepare(job, data, folds)` and `run(job, prepared)` do a job. It may also
# have `metadata(job, prepared)`: what a row says of the data set even if the job comes to nothing.
JOBS = "slantwood_bench.execute"

FORKS = sys.platform == "linux"

# Neither counts against the timeout of a job: which job meets it depends on the order of the jobs.
_SECONDS_TO_START = 3600.0
_SECONDS_TO_LOAD = 3600.0
_SECONDS_TO_END = 10.0

# A start that takes longer has compiled something.
_SECONDS_WITHOUT_COMPILING = 20.0

# Of what libraries print about their end.
_MAX_LINES = 3

# What a row has from a job that came to its end.
_NO_RESULT: dict[str, Any] = dict.fromkeys(
    ("measure", "quality", "learn_seconds", "predict_seconds", "peak_megabytes", "nodes", "bytes")
)


@dataclass(frozen=True)
class Folders:
    """The folders that jobs read from.

    Attributes
    ----------
    data : Path or None
        The folder of data sets; None for the usual places.
    folds : Path
        The folder of the files of folds.
    """

    data: Path | None
    folds: Path


class Worker:
    """Runs one job at a time, each in a process of its own, and kills what takes too long.

    Parameters
    ----------
    module : str
        Name of the module that does the jobs.
    forks : bool
        Fork a child for each job; otherwise there is a new worker for each.
    """

    def __init__(self, module: str = JOBS, forks: bool = FORKS) -> None:
        self._module = module
        self._forks = forks
        self._process: _Process | None = None
        self._closed = False

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the worker, and the job that it may be at."""
        self._closed = True
        self._end()

    def result(self, job: Job, folders: Folders) -> dict[str, Any]:
        """Do a job and return its row, whatever happens to it.

        Raises
        ------
        RuntimeError
            If the worker does not start, which is no fault of the job, or is closed.
        """
        started = datetime.now(UTC).isoformat(timespec="seconds")
        try:
            found = self._outcome(job, folders)
        except BaseException:
            self._end()
            raise
        about = {"started": started, "host": socket.gethostname()}
        # What the job itself is comes last: it is the key of the row.
        return {**_NO_RESULT, **found, **about, **asdict(job)}

    def _outcome(self, job: Job, folders: Folders) -> dict[str, Any]:
        process, is_new = self._ready(job.threads)
        request = {
            "job": asdict(job),
            "data": folders.data and str(folders.data),
            "folds": str(folders.folds),
        }
        metadata: dict[str, Any] = {}
        timeout, stage = _SECONDS_TO_LOAD, "reading the data set"
        start = time.monotonic()
        try:
            process.send(request)
            message = process.receive(timeout)
            if "began" in message:
                process.child, metadata = message["began"], message["metadata"]
                timeout, stage, is_new = job.timeout, "the job", True
                start = time.monotonic()
                message = process.receive(timeout)
            found = message["done"]
            process.child = None
        except TimeoutError:
            found = {"status": TIMED_OUT, "error": f"{stage} took longer than {timeout:g} s"}
            message = {"last": True}
        except EOFError:
            if self._closed:
                raise RuntimeError("The worker was closed while a job was at work") from None
            if not is_new:
                # It had ended before the job came.
                self._end()
                return self._outcome(job, folders)
            found = {"status": DIED, "error": exit_reason(process.exit_code())}
            message = {"last": True}
        seconds = time.monotonic() - start
        if found["status"] == DIED:
            found["error"] = "; ".join(filter(None, (found["error"], process.last_output())))
        if message["last"]:
            self._end()
        return {**metadata, **found, "seconds": seconds}

    def _ready(self, threads: int) -> tuple[_Process, bool]:
        """Return a worker that waits for a job, and whether it is a new one."""
        if self._closed:
            raise RuntimeError("The worker is closed; make a new one")
        is_new = self._process is None or self._process.threads != threads
        if is_new:
            self._end()
            self._process = _Process(self._module, threads, self._forks)
            self._process.wait_until_ready()
        assert self._process is not None
        self._process.clear_log()
        return self._process, is_new

    def _end(self) -> None:
        if self._process is not None:
            self._process.end()
            self._process = None


class _Process:
    """A worker from the outside: sends and receives lines, and can be ended with all that it has started."""

    def __init__(self, module: str, threads: int, forks: bool) -> None:
        self.threads = threads
        self.child: int | None = None
        # Files that an ended process leaves behind go with this folder.
        self._folder = tempfile.TemporaryDirectory(prefix="slantwood-", ignore_cleanup_errors=True)
        self._log = open(Path(self._folder.name) / "log", "a+b")  # noqa: SIM115
        start = (
            "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
            "from slantwood_bench.worker_process import serve; serve(*sys.argv[2:])"
        )
        manner = "forks" if forks else "alone"
        arguments = json.dumps(sys.path), module, self._folder.name, manner, str(_SECONDS_WITHOUT_COMPILING)
        folders = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), self._folder.name)
        numbers = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), str(threads))
        self._popen = subprocess.Popen(
            [sys.executable, "-P", "-c", start, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env={**os.environ, **folders, **numbers},
            start_new_session=True,
        )
        assert self._popen.stdin is not None
        assert self._popen.stdout is not None
        self._stdin = self._popen.stdin
        self._received: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._listener = threading.Thread(
            target=_listen, args=(self._popen.stdout, self._received), daemon=True, name="worker"
        )
        self._listener.start()

    def send(self, message: dict[str, Any]) -> None:
        """Send a line; raise EOFError if nobody is there."""
        try:
            self._stdin.write(as_line(message))
            self._stdin.flush()
        except (OSError, ValueError):  # ValueError: another thread has closed it
            raise EOFError from None

    def receive(self, seconds: float) -> dict[str, Any]:
        """Return the next line; raise TimeoutError after so many seconds, EOFError if none will come."""
        try:
            line = self._received.get(timeout=min(seconds, threading.TIMEOUT_MAX))
        except queue.Empty:
            raise TimeoutError from None
        if line is None:
            self._received.put(None)
            raise EOFError
        return json.loads(line)

    def wait_until_ready(self) -> None:
        """Wait for the end of all imports; raise RuntimeError if that does not come."""
        deadline = time.monotonic() + _SECONDS_TO_START
        try:
            # Python's own start may print other lines.
            while not self._is_ready(deadline):
                pass
        except (TimeoutError, EOFError) as error:
            how = "took too long to start" if isinstance(error, TimeoutError) else "did not start"
            raise RuntimeError(
                f"The process that is to do the jobs {how}: "
                f"{self.last_output() or 'it printed nothing'}. Fix this and run again"
            ) from None

    def _is_ready(self, deadline: float) -> bool:
        try:
            return self.receive(max(deadline - time.monotonic(), 0)) == {"ready": True}
        except ValueError:
            return False

    def exit_code(self) -> int:
        """Wait for the end, which has begun, and return how it came: a code, or minus a signal."""
        try:
            return self._popen.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self._popen.kill()
            return self._popen.wait()

    def last_output(self) -> str:
        """Return the last lines that the worker or a child of it has printed."""
        self._log.seek(max(self._log.seek(0, os.SEEK_END) - 10_000, 0))
        lines = self._log.read().decode(errors="replace").splitlines()
        return " | ".join([shortened(line) for line in lines if line.strip()][-_MAX_LINES:])

    def clear_log(self) -> None:
        """Make the log empty."""
        self._log.truncate(0)

    def end(self) -> None:
        """Kill the worker and all that it has started, at once."""
        for group in (self.child, self._popen.pid):
            kill_group(group)
        self._popen.kill()
        self._popen.wait()
        with contextlib.suppress(OSError):
            self._stdin.close()
        self._listener.join(_SECONDS_TO_END)
        self._log.close()
        self._folder.cleanup()


def _listen(stream: IO[bytes], received: queue.SimpleQueue[bytes | None]) -> None:
    with stream:
        for line in stream:
            received.put(line)
    received.put(None)
