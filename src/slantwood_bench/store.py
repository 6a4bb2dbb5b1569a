"""Results on disk, one line of JSON per job, safe against crashes and interrupts."""

from __future__ import annotations

import contextlib
import json
import math
import os
import socket
import warnings
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from slantwood_bench.files import write_whole
from slantwood_bench.jobs import key_of

_APPENDING = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
_MAX_LENGTH = 60


class Store:
    """Rows of results in a file.

    Anyone may read at any time. Whoever appends does so inside of a `with` block, which keeps other writers
    away and first sets aside what a power cut has left of a line.

    Parameters
    ----------
    path : path
        The file, usually `results.jsonl`; it is made when the first row comes. Beside it there is
        `<name>.lock` as long as someone writes, and `<name>.torn` with broken lines, if there ever were any.

    Examples
    --------
    >>> import tempfile
    >>> from slantwood_bench.jobs import Job
    >>> job = Job("comparison", "bag-gradient", "emotions")
    >>> with tempfile.TemporaryDirectory() as folder, Store(folder + "/results.jsonl") as store:
    ...     store.append({**vars(job), "status": "ok", "quality": 0.8})
    ...     print(job.key in store.done(), [row["quality"] for row in store.rows()])
    True [0.8]
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)
        self._lock = _Lock(self.path.with_name(self.path.name + ".lock"))
        self._depth = 0

    def __enter__(self) -> Store:
        if self._depth == 0:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._lock.acquire()
            try:
                self._repair()
            except BaseException:
                self._lock.release()
                raise
        self._depth += 1
        return self

    def __exit__(self, *error: object) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._lock.release()

    def append(self, row: Mapping[str, Any]) -> None:
        """Add a row; when this returns, it is on the disk.

        Numbers that JSON does not know, as NaN, become null.
        """
        if self._depth == 0:
            raise RuntimeError(f"{self.path} is not open for writing; append inside of `with store:`")
        key_of(row)
        line = json.dumps(_finite(row), allow_nan=False).encode() + b"\n"
        file = os.open(self.path, _APPENDING, 0o666)
        try:
            size = os.fstat(file).st_size
            try:
                written = os.write(file, line)
                if written < len(line):
                    raise OSError(
                        f"{self.path}: only {written} of {len(line)} bytes were written; is the disk full?"
                    )
                os.fsync(file)
            except BaseException:
                # Nothing may be left that the next row would be glued to. A whole row stays: others may have
                # read it by now, as when Ctrl-C comes before it is on the disk.
                if os.fstat(file).st_size < size + len(line):
                    os.ftruncate(file, size)
                raise
        finally:
            os.close(file)

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows in the order of the file; of several of the same job only the last."""
        latest: dict[str, dict[str, Any]] = {}
        for line in self._lines():
            row = _row_of(line)
            if row is None:
                warnings.warn(
                    f"{self.path} has a broken line, which is left out: {_start_of(line)}", stacklevel=2
                )
                continue
            key = key_of(row)
            latest.pop(key, None)
            latest[key] = row
        return list(latest.values())

    def done(self, retry_failed: bool = False) -> set[str]:
        """Return the keys of the jobs that need not be done again.

        Parameters
        ----------
        retry_failed : bool
            Count only those that came to their end; otherwise also those that failed, died or timed out.
        """
        return {key_of(row) for row in self.rows() if not retry_failed or row.get("status") == "ok"}

    def _lines(self) -> list[bytes]:
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return []
        return [line for line in content.split(b"\n") if line]

    def _repair(self) -> None:
        """Set aside lines that are no rows, and end the last line."""
        lines = self._lines()
        broken = [line for line in lines if _row_of(line) is None]
        if broken:
            aside = self.path.with_name(self.path.name + ".torn")
            with open(aside, "ab") as file:
                file.writelines(line + b"\n" for line in broken)
            warnings.warn(
                f"{self.path} had {len(broken)} broken line{'s' * (len(broken) > 1)}, as a power cut leaves: "
                f"{', '.join(map(_start_of, broken[:3]))}. Moved to {aside.name}; such jobs are done again",
                stacklevel=3,
            )
        if broken or (lines and not self.path.read_bytes().endswith(b"\n")):
            whole = [line + b"\n" for line in lines if _row_of(line) is not None]
            write_whole(self.path, b"".join(whole))


def _row_of(line: bytes) -> dict[str, Any] | None:
    """Return the row that a line says; None if it is broken. The start of a row is never a row itself."""
    try:
        row = json.loads(line)
        key_of(row)
    except (ValueError, KeyError, TypeError):
        return None
    return row


def _start_of(line: bytes) -> str:
    text = line.decode(errors="replace")
    return repr(text if len(text) <= _MAX_LENGTH else text[:_MAX_LENGTH] + "...")


def _finite(value: Any) -> Any:
    match value:
        case float():
            return value if math.isfinite(value) else None
        case Mapping():
            return {name: _finite(each) for name, each in value.items()}
        case list() | tuple():
            return [_finite(each) for each in value]
        case _:
            return value


class _Lock:
    """A file that says which process writes; that of a process that is gone counts for nothing."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def acquire(self) -> None:
        if not self._make():
            owner = self._owner()
            if owner is None or not _has_ended(owner):
                raise self._error(owner)
            self._remove_stale(owner)
            if not self._make():
                raise self._error(self._owner())

    def release(self) -> None:
        self._path.unlink(missing_ok=True)

    def _make(self) -> bool:
        try:
            file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        except FileExistsError:
            return False
        me = os.getpid()
        with os.fdopen(file, "w", encoding="utf-8") as writer:
            json.dump({"pid": me, "host": socket.gethostname(), "started": _start_time(me)}, writer)
        return True

    def _owner(self) -> dict[str, Any] | None:
        try:
            owner = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return owner if isinstance(owner, dict) and {"pid", "host", "started"} <= owner.keys() else None

    def _remove_stale(self, owner: dict[str, Any]) -> None:
        """Remove the lock of a process that is gone, unless another has done so and made its own."""
        mine = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        with contextlib.suppress(FileNotFoundError):
            os.replace(self._path, mine)
            if json.loads(mine.read_text(encoding="utf-8") or "null") != owner:
                os.replace(mine, self._path)
                raise self._error(self._owner())
            mine.unlink()

    def _error(self, owner: dict[str, Any] | None) -> OSError:
        who = f"process {owner['pid']} on {owner['host']}" if owner else "another process"
        return BlockingIOError(
            f"{self._path} says that {who} writes these results. Wait for its end or choose another folder; "
            "if it is gone, remove the file"
        )


def _has_ended(owner: dict[str, Any]) -> bool:
    if owner["host"] != socket.gethostname():
        return False
    pid = owner["pid"]
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    # Another process may have its number by now.
    return _start_time(pid) != owner["started"]


def _start_time(pid: int) -> str | None:
    """Return when a process began, in the system's own count; None where that is not told."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return None
    # The second field is a name in brackets and may have blanks in it.
    return f"{boot} {status.rpartition(')')[2].split()[19]}"
