"""A process of its own for each job: what a job takes, breaks or leaves behind ends with that process.

A new interpreter needs seconds to import libraries and to load machine code, and the same data set is read
for job after job. So there is one process, the nursery, that has all of this in memory and forks a child for
each job. The nursery is a plain program at the end of two pipes, and not one of `multiprocessing`, because
workers of Dask are daemons and may not have children of that kind.

What goes through the pipes, one line of JSON each:

    nursery: {"ready": true}                              libraries are imported, machine code is loaded
    parent:  {"job": {..}, "data": "..", "folds": ".."}
    nursery: {"began": 4711, "facts": {..}}               the data set is read, the child of this id works
    nursery: {"done": {"status": "ok", ..}, "last": false}

Where forks are not safe, the nursery does the job itself and ends with it ("last": true).
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import queue
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Never

from slantwood.study.jobs import Job

OK, FAILED, TIMED_OUT, DIED = "ok", "failed", "timed out", "died"

# The module whose `warm_up()`, `prepare(job, data, folds)` and `run(job, prepared)` do a job. It may also
# have `facts(job, prepared)`: what a row says of the data set even if the job comes to nothing.
JOBS = "slantwood.study.job"

FORKS = sys.platform == "linux"

# Neither counts against the limit of a job: which job meets it depends on the order of the jobs.
_SECONDS_TO_START = 3600.0
_SECONDS_TO_LOAD = 3600.0
_SECONDS_TO_END = 10.0

# A start that takes longer has compiled something.
_SECONDS_WITHOUT_COMPILING = 20.0

# Of what libraries print about their end.
_MOST_LINES, _MOST_LETTERS = 3, 300

# What a row has from a job that came to its end.
_NOTHING_YET: dict[str, Any] = dict.fromkeys(
    ("measure", "quality", "learn_seconds", "predict_seconds", "peak_megabytes", "nodes", "bytes")
)


@dataclass(frozen=True)
class Folders:
    """Where jobs find things.

    Attributes
    ----------
    data : Path or None
        The folder of data sets; None for the usual places.
    folds : Path
        The folder of the files of folds.
    """

    data: Path | None
    folds: Path


class Nursery:
    """Does one job at a time in a process of its own, and ends what takes too long.

    Parameters
    ----------
    module : str
        Name of the module that does the jobs.
    forks : bool
        Fork a child for each job; otherwise there is a new nursery for each.
    """

    def __init__(self, module: str = JOBS, forks: bool = FORKS) -> None:
        self._module = module
        self._forks = forks
        self._process: _Process | None = None
        self._closed = False

    def __enter__(self) -> Nursery:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the nursery, and the job that it may be at."""
        self._closed = True
        self._end()

    def result(self, job: Job, folders: Folders) -> dict[str, Any]:
        """Do a job and return its row, whatever happens to it.

        Raises
        ------
        RuntimeError
            If the nursery does not start, which is no fault of the job, or is closed.
        """
        started = datetime.now(UTC).isoformat(timespec="seconds")
        try:
            found = self._outcome(job, folders)
        except BaseException:
            self._end()
            raise
        about = {"started": started, "host": socket.gethostname()}
        # What the job itself is comes last: it is the key of the row.
        return {**_NOTHING_YET, **found, **about, **asdict(job)}

    def _outcome(self, job: Job, folders: Folders) -> dict[str, Any]:
        process, is_new = self._ready(job.threads)
        request = {
            "job": asdict(job),
            "data": folders.data and str(folders.data),
            "folds": str(folders.folds),
        }
        facts: dict[str, Any] = {}
        limit, stage = _SECONDS_TO_LOAD, "reading the data set"
        start = time.monotonic()
        try:
            process.say(request)
            message = process.hear(limit)
            if "began" in message:
                process.child, facts = message["began"], message["facts"]
                limit, stage, is_new = job.limit, "the job", True
                start = time.monotonic()
                message = process.hear(limit)
            found = message["done"]
            process.child = None
        except TimeoutError:
            found = {"status": TIMED_OUT, "error": f"{stage} took longer than the limit of {limit:g} s"}
            message = {"last": True}
        except EOFError:
            if self._closed:
                raise RuntimeError("The nursery was closed while a job was at work") from None
            if not is_new:
                # It had ended before the job came.
                self._end()
                return self._outcome(job, folders)
            found = {"status": DIED, "error": _cause_of_death(process.exit_code())}
            message = {"last": True}
        seconds = time.monotonic() - start
        if found["status"] == DIED:
            found["error"] = "; ".join(filter(None, (found["error"], process.last_words())))
        if message["last"]:
            self._end()
        return {**facts, **found, "seconds": seconds}

    def _ready(self, threads: int) -> tuple[_Process, bool]:
        """Return a nursery that waits for a job, and whether it is a new one."""
        if self._closed:
            raise RuntimeError("The nursery is closed; make a new one")
        is_new = self._process is None or self._process.threads != threads
        if is_new:
            self._end()
            self._process = _Process(self._module, threads, self._forks)
            self._process.wait_until_ready()
        assert self._process is not None
        self._process.forget_words()
        return self._process, is_new

    def _end(self) -> None:
        if self._process is not None:
            self._process.end()
            self._process = None


class _Process:
    """A nursery from the outside: says and hears lines, and can be ended with all that it has started."""

    def __init__(self, module: str, threads: int, forks: bool) -> None:
        self.threads = threads
        self.child: int | None = None
        # Files that an ended process leaves behind go with this folder.
        self._folder = tempfile.TemporaryDirectory(prefix="slantwood-", ignore_cleanup_errors=True)
        self._log = open(Path(self._folder.name) / "log", "a+b")  # noqa: SIM115
        start = (
            "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
            "from slantwood.study.nursery import serve; serve(*sys.argv[2:])"
        )
        manner = "forks" if forks else "alone"
        arguments = json.dumps(sys.path), module, self._folder.name, manner, str(_SECONDS_WITHOUT_COMPILING)
        places = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), self._folder.name)
        numbers = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), str(threads))
        self._popen = subprocess.Popen(
            [sys.executable, "-P", "-c", start, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env={**os.environ, **places, **numbers},
            start_new_session=True,
        )
        assert self._popen.stdin is not None
        assert self._popen.stdout is not None
        self._stdin = self._popen.stdin
        self._heard: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._listener = threading.Thread(
            target=_listen, args=(self._popen.stdout, self._heard), daemon=True, name="nursery"
        )
        self._listener.start()

    def say(self, message: dict[str, Any]) -> None:
        """Send a line; raise EOFError if nobody is there."""
        try:
            self._stdin.write(_line(message))
            self._stdin.flush()
        except (OSError, ValueError):  # ValueError: another thread has closed it
            raise EOFError from None

    def hear(self, seconds: float) -> dict[str, Any]:
        """Return the next line; raise TimeoutError after so many seconds, EOFError if none will come."""
        try:
            line = self._heard.get(timeout=min(seconds, threading.TIMEOUT_MAX))
        except queue.Empty:
            raise TimeoutError from None
        if line is None:
            self._heard.put(None)
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
                f"{self.last_words() or 'it printed nothing'}. Mend this and run again"
            ) from None

    def _is_ready(self, deadline: float) -> bool:
        try:
            return self.hear(max(deadline - time.monotonic(), 0)) == {"ready": True}
        except ValueError:
            return False

    def exit_code(self) -> int:
        """Wait for the end, which has begun, and return how it came: a code, or minus a signal."""
        try:
            return self._popen.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self._popen.kill()
            return self._popen.wait()

    def last_words(self) -> str:
        """Return the last lines that the nursery or a child of it has printed."""
        self._log.seek(max(self._log.seek(0, os.SEEK_END) - 10_000, 0))
        lines = self._log.read().decode(errors="replace").splitlines()
        return " | ".join([_shortened(line) for line in lines if line.strip()][-_MOST_LINES:])

    def forget_words(self) -> None:
        """Make the log empty."""
        self._log.truncate(0)

    def end(self) -> None:
        """Kill the nursery and all that it has started, at once."""
        for group in (self.child, self._popen.pid):
            _kill_group(group)
        self._popen.kill()
        self._popen.wait()
        with contextlib.suppress(OSError):
            self._stdin.close()
        self._listener.join(_SECONDS_TO_END)
        self._log.close()
        self._folder.cleanup()


def _listen(stream: IO[bytes], heard: queue.SimpleQueue[bytes | None]) -> None:
    with stream:
        for line in stream:
            heard.put(line)
    heard.put(None)


def _kill_group(group: int | None) -> None:
    if group is not None and hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)


def _cause_of_death(code: int) -> str:
    """Say how a process ended that should not have: a code, or minus a signal."""
    if code >= 0:
        return f"its process ended with code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    return f"its process was killed by {name}" + (", likely for want of memory" if name == "SIGKILL" else "")


def _in_one_line(error: BaseException) -> str:
    return _shortened(f"{type(error).__name__}: {error}")


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _MOST_LETTERS else text[: _MOST_LETTERS - 3] + "..."


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message, default=_of_numpy).encode() + b"\n"


def _of_numpy(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} {value!r} in a row of results is nothing that JSON knows")


# From here on: the nursery from the inside.


def serve(module: str, folder: str, manner: str, patience: str, *again: str) -> Never:
    """Be a nursery: do jobs until no more can come.

    A process that has compiled is larger by a gigabyte, and so would all of its children be, whose memory is
    measured. It starts afresh, to find the machine code on the disk.
    """
    commands, answers = _private_pipes()
    start = time.monotonic()
    server = _Server(module, Path(folder), manner == "forks", commands, answers)
    if manner == "forks" and not again and time.monotonic() - start > float(patience):
        os.dup2(commands.fileno(), 0)
        os.dup2(answers, 1)
        os.execv(sys.executable, [*sys.orig_argv, "again"])
    server.serve()
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


def _private_pipes() -> tuple[IO[bytes], int]:
    """Move both pipes away from where jobs read and print; what they print goes to the log."""
    commands, answers = os.fdopen(os.dup(0), "rb"), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return commands, answers


class _Server:
    def __init__(self, module: str, folder: Path, forks: bool, commands: IO[bytes], answers: int) -> None:
        self._folder = folder
        self._forks = forks
        self._commands = commands
        self._answers = answers
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
        self._tell({"ready": True})
        for line in self._commands:
            message = self._answer(json.loads(line))
            self._tell(message)
            if message["last"]:
                return

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        job = Job(**request["job"])
        try:
            with self._while_parent_lives():
                self._prepare(job, request["data"], request["folds"])
                facts = getattr(self._jobs, "facts", _no_facts)(job, self._prepared)
        except Exception as error:
            traceback.print_exc()
            return {"done": {"status": FAILED, "error": _in_one_line(error)}, "last": False}
        # Other libraries' threads do not live on in a fork, where some would be waited for without end.
        if self._forks and _count_threads() <= self._n_threads:
            return {"done": self._in_a_child(job, facts), "last": False}
        self._tell({"began": None, "facts": facts})
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
            return _line({"status": OK, "error": "", **self._jobs.run(job, self._prepared)})
        except BaseException as error:
            traceback.print_exc()
            return _line({"status": FAILED, "error": _in_one_line(error)})

    def _in_a_child(self, job: Job, facts: dict[str, Any]) -> dict[str, Any]:
        # Pages that the collector does not touch need not be copied for the child.
        gc.collect()
        gc.freeze()
        _flush()  # or the child would print it once more
        reading, writing = os.pipe()
        nursery = os.getpid()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of threads, see _answer
            child = os.fork()
        if child == 0:
            self._be_a_child(job, nursery, writing)
        os.close(writing)
        self._n_threads = _count_threads()  # BLAS ends its threads before a fork
        with contextlib.suppress(OSError):
            os.setpgid(child, child)  # here too, because either may come first
        self._tell({"began": child, "facts": facts})
        try:
            text = self._hear(child, reading)
        finally:
            os.close(reading)
        _kill_group(child)  # with all that it has started
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if text.endswith(b"\n"):
            return json.loads(text)
        return {"status": DIED, "error": _cause_of_death(code)}

    def _be_a_child(self, job: Job, nursery: int, writing: int) -> Never:
        code = 1
        try:
            os.setpgid(0, 0)
            _die_with_parent(nursery)
            os.close(self._commands.fileno())
            os.close(self._answers)
            row = memoryview(self._row(job))
            while row:
                row = row[os.write(writing, row) :]
            _flush()
            code = 0
        finally:
            os._exit(code)

    def _hear(self, child: int, reading: int) -> bytes:
        """Return what the child says, up to the end of its line or its life."""
        text = bytearray()
        commands = self._commands.fileno()
        watched = [commands, reading]
        while not text.endswith(b"\n") and not _is_dead(child):
            # A process that the child has started may keep the pipe open: its end is not enough to wait for.
            ready = select.select(watched, [], [], 0.1)[0]
            if commands in ready:
                self._abandon(child)
            if reading in ready and not _read_into(text, reading):
                watched.remove(reading)
        os.set_blocking(reading, False)
        with contextlib.suppress(BlockingIOError):
            while _read_into(text, reading):
                pass
        return bytes(text)

    def _tell(self, message: dict[str, Any]) -> None:
        line = memoryview(_line(message))
        try:
            while line:
                line = line[os.write(self._answers, line) :]
        except BrokenPipeError:
            self._abandon()

    def _abandon(self, child: int | None = None) -> Never:
        """End, because the parent is gone: it says nothing while it waits for a result."""
        _kill_group(child)
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
                self._abandon()

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
        _kill_group(0)
        os._exit(1)


def _no_facts(job: Job, prepared: Any) -> dict[str, Any]:
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
