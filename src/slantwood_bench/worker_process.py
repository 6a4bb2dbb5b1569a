"""The worker's side of the pipes: keeps libraries and data in memory, and forks a child for each job.

`slantwood_bench.worker` says why, and what goes through the pipes.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import select
import shutil
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Never

from slantwood_bench.jobs import Job
from slantwood_bench.worker_messages import DIED, FAILED, OK, as_line, exit_reason, in_one_line, kill_group


def serve(module: str, folder: str, manner: str, patience: str, *again: str) -> Never:
    """Serve jobs until the parent closes the pipe.

    A process that has compiled is larger by a gigabyte, and so would all of its children be, whose memory is
    measured. It starts afresh, to find the machine code on the disk.
    """
    commands, responses = _private_pipes()
    start = time.monotonic()
    server = _Server(module, Path(folder), manner == "forks", commands, responses)
    if manner == "forks" and not again and time.monotonic() - start > float(patience):
        os.dup2(commands.fileno(), 0)
        os.dup2(responses, 1)
        os.execv(sys.executable, [*sys.orig_argv, "again"])
    server.serve()
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


def _private_pipes() -> tuple[IO[bytes], int]:
    """Move both pipes away from where jobs read and print; what they print goes to the log."""
    commands, responses = os.fdopen(os.dup(0), "rb"), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return commands, responses


class _Server:
    def __init__(self, module: str, folder: Path, forks: bool, commands: IO[bytes], responses: int) -> None:
        self._folder = folder
        self._forks = forks
        self._commands = commands
        self._responses = responses
        with self._while_parent_lives():
            if os.environ["OPENBLAS_NUM_THREADS"] != "1":
                # BLAS starts its threads when it is loaded, and sees to them in a fork: they are no obstacle.
                importlib.import_module("scipy.linalg")
            self._jobs = importlib.import_module(module)
            self._n_threads = _count_threads()
            self._jobs.warm_up()
        self._held: tuple[Any, ...] = ()
        self._prepared: Any = None

    def serve(self) -> None:
        _flush()
        self._send({"ready": True})
        for line in self._commands:
            message = self._respond(json.loads(line))
            self._send(message)
            if message["last"]:
                return

    def _respond(self, request: dict[str, Any]) -> dict[str, Any]:
        job = Job(**request["job"])
        try:
            with self._while_parent_lives():
                self._prepare(job, request["data"], request["folds"])
                metadata = getattr(self._jobs, "metadata", _no_metadata)(job, self._prepared)
        except Exception as error:
            traceback.print_exc()
            return {"done": {"status": FAILED, "error": in_one_line(error)}, "last": False}
        # Other libraries' threads do not live on in a fork, where some would be waited for without end.
        if self._forks and _count_threads() <= self._n_threads:
            return {"done": self._run_in_child(job, metadata), "last": False}
        self._send({"began": None, "metadata": metadata})
        threading.Thread(target=self._end_with_parent, daemon=True).start()
        return {"done": json.loads(self._row(job)), "last": True}

    def _prepare(self, job: Job, data: str | None, folds: str) -> None:
        wanted = job.dataset, job.n_folds, data, folds
        if wanted != self._held:
            self._held, self._prepared = (), None  # never two data sets at the same time
            self._prepared = self._jobs.prepare(job, None if data is None else Path(data), Path(folds))
            self._held = wanted

    def _row(self, job: Job) -> bytes:
        """Do the job here; a line of JSON tells what came of it."""
        try:
            return as_line({"status": OK, "error": "", **self._jobs.run(job, self._prepared)})
        except BaseException as error:
            traceback.print_exc()
            return as_line({"status": FAILED, "error": in_one_line(error)})

    def _run_in_child(self, job: Job, metadata: dict[str, Any]) -> dict[str, Any]:
        # Pages that the collector does not touch need not be copied for the child.
        gc.collect()
        gc.freeze()
        _flush()  # or the child would print it once more
        reading, writing = os.pipe()
        worker = os.getpid()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of threads, see _respond
            child = os.fork()
        if child == 0:
            self._run_child(job, worker, writing)
        os.close(writing)
        self._n_threads = _count_threads()  # BLAS ends its threads before a fork
        with contextlib.suppress(OSError):
            os.setpgid(child, child)  # here too, because either may come first
        self._send({"began": child, "metadata": metadata})
        try:
            text = self._read_child(child, reading)
        finally:
            os.close(reading)
        kill_group(child)  # with all that it has started
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if text.endswith(b"\n"):
            return json.loads(text)
        return {"status": DIED, "error": exit_reason(code)}

    def _run_child(self, job: Job, worker: int, writing: int) -> Never:
        code = 1
        try:
            os.setpgid(0, 0)
            _die_with_parent(worker)
            os.close(self._commands.fileno())
            os.close(self._responses)
            row = memoryview(self._row(job))
            while row:
                row = row[os.write(writing, row) :]
            _flush()
            code = 0
        finally:
            os._exit(code)

    def _read_child(self, child: int, reading: int) -> bytes:
        """Return what the child says, up to the end of its line or its life."""
        text = bytearray()
        commands = self._commands.fileno()
        watched = [commands, reading]
        while not text.endswith(b"\n") and not _is_dead(child):
            # A process that the child has started may keep the pipe open: its end is not enough to wait for.
            ready = select.select(watched, [], [], 0.1)[0]
            if commands in ready:
                self._exit_at_once(child)
            if reading in ready and not _read_into(text, reading):
                watched.remove(reading)
        os.set_blocking(reading, False)
        with contextlib.suppress(BlockingIOError):
            while _read_into(text, reading):
                pass
        return bytes(text)

    def _send(self, message: dict[str, Any]) -> None:
        line = memoryview(as_line(message))
        try:
            while line:
                line = line[os.write(self._responses, line) :]
        except BrokenPipeError:
            self._exit_at_once()

    def _exit_at_once(self, child: int | None = None) -> Never:
        """End, because the parent is gone: it says nothing while it waits for a result."""
        kill_group(child)
        shutil.rmtree(self._folder, ignore_errors=True)
        os._exit(1)

    @contextmanager
    def _while_parent_lives(self) -> Iterator[None]:
        """Look every second whether the parent is still there."""
        if not self._forks:
            yield
            return

        def look(*_: Any) -> None:
            if select.select([self._commands], [], [], 0)[0]:
                self._exit_at_once()

        before = signal.signal(signal.SIGALRM, look)
        signal.setitimer(signal.ITIMER_REAL, 1, 1)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def _end_with_parent(self) -> None:
        """Wait for the end of the parent, and end with all that the job has started."""
        self._commands.read()
        shutil.rmtree(self._folder, ignore_errors=True)
        kill_group(0)
        os._exit(1)


def _no_metadata(job: Job, prepared: Any) -> dict[str, Any]:
    return {}


def _flush() -> None:
    sys.stdout.flush()
    sys.stderr.flush()


def _count_threads() -> int:
    return len(os.listdir("/proc/self/task")) if sys.platform == "linux" else threading.active_count()


def _is_dead(child: int) -> bool:
    # Its body stays: as long as it is there, its number is given to no other.
    return os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _read_into(text: bytearray, pipe: int) -> bool:
    part = os.read(pipe, 1 << 16)
    text += part
    return bool(part)


def _die_with_parent(parent: int) -> None:
    import ctypes

    call: Callable[..., int] = ctypes.CDLL(None).prctl
    call(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    if os.getppid() != parent:
        os._exit(1)
