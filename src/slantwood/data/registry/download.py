"""How a file gets from an address on the web to the disk: whole, resumed after a break, and checked.

Not by pooch: it starts a broken download again from its first byte, does not wait as long as a busy server
asks, follows redirects from https to http, and needs requests.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import re
import stat
import time
import urllib.error
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from slantwood.data.registry.entries import LARGEST
from slantwood.data.registry.web import Deadline, FetchError, Origin, Retryable, open_url, read_some
from slantwood.hints import shortened, shown

Progress = Callable[[int, int | None], None]
"""Called with the bytes of a file received so far, and the bytes in all, or None where unknown."""

_BLOCK = 1 << 18
_LONGEST_WAIT = 30.0
_CHECKSUM = re.compile("sha256:[0-9a-f]{64}|md5:[0-9a-f]{32}", re.IGNORECASE)
# Far more than descriptions of data sets have.
_LONGEST_DOCUMENT = 1 << 26
_LONGEST_MARK = 1 << 16
_HOUR = 3600.0

# What lies at a name beside a file need not be ours: a link is not followed, and a pipe not waited for.
# Windows has neither flag, and no pipes in folders.
_AS_IT_IS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def download(
    url: str,
    path: Path,
    *,
    checksum: str = "",
    progress: Progress | None = None,
    timeout: float = 30.0,
    attempts: int = 5,
    pause: float = 1.0,
    max_bytes: int = LARGEST,
    max_seconds: float = _HOUR,
    named_by: str | None = None,
) -> None:
    """Fetch a file.

    It comes to ``<path>.part`` and takes its name when it is complete and its checksum is right. What an
    earlier attempt has left is continued, if the server says that the file is still the same.

    Parameters
    ----------
    url : str
        The address, http or https.
    path : Path
        Where the file goes; folders are made.
    checksum : str, default=""
        "sha256:..." or "md5:...", in hexadecimal digits; nothing is checked if empty.
    progress : callable, optional
        Called with the bytes so far and the bytes in all (None where unknown).
    timeout : float, default=30
        Seconds of silence after which a connection counts as broken.
    attempts : int, default=5
        How often a broken connection or a busy server is tried in all.
    pause : float, default=1
        Seconds before the second attempt; doubled for each further one.
    max_bytes : int, default=4 GiB
        The largest size that the file may have.
    max_seconds : float, default=3600
        How long all attempts together may take; another call continues.
    named_by : str, optional
        The address of the document that names `url`, which is trusted in its place: `url` must then be
        https, and a public host. Redirects must lead to such addresses in any case. The rule does not hold
        where the trusted address is itself http, or its host is not public.

    Raises
    ------
    FetchError
        If the host cannot be reached, refuses, breaks off each time, sends too much, or takes too long; or if
        the checksum is wrong, or the address leads where it may not.
    ValueError
        If the checksum is of another kind.
    """
    check_checksum_kind(checksum)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = _Part(path, url)
    request = _Request(url, timeout, Deadline(max_seconds), Origin(named_by or url))
    _retry(lambda: _resume(request, part, progress, max_bytes), request, attempts, pause)
    if not has_checksum(part.path, checksum):
        part.remove()
        raise FetchError(
            f"{url} is not the file that was expected: its checksum is not {checksum}; it was removed"
        )
    os.replace(part.path, path)
    part.remove()


def get_json(
    url: str,
    *,
    timeout: float = 30.0,
    attempts: int = 5,
    pause: float = 1.0,
    max_seconds: float = _HOUR,
) -> Any:
    """Fetch a JSON document; raise FetchError as `download` does."""
    request = _Request(url, timeout, Deadline(max_seconds), Origin(url))

    def fetch() -> bytes:
        with request.open({}) as response:
            text, total = bytearray(), _length(response)
            while block := read_some(response, _BLOCK):
                text += block
                if len(text) > _LONGEST_DOCUMENT:
                    raise FetchError(f"{url} sends more than {_LONGEST_DOCUMENT:,} bytes of JSON")
            if total is not None and len(text) < total:
                raise Retryable(f"the connection ended after {len(text)} of {total} bytes")
            return bytes(text)

    text = _retry(fetch, request, attempts, pause)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FetchError(f"{url} does not send JSON ({shortened(str(error))})") from error


def has_checksum(path: Path, checksum: str) -> bool:
    """Tell whether a file has a checksum "algorithm:digits"; any file has the empty one."""
    check_checksum_kind(checksum)
    if not checksum:
        return True
    algorithm, _, digits = checksum.partition(":")
    with open(path, "rb") as file:
        found = hashlib.file_digest(file, lambda: hashlib.new(algorithm, usedforsecurity=False))
    return found.hexdigest() == digits.lower()


def check_checksum_kind(checksum: str) -> None:
    """Refuse a checksum that is not "sha256:..." or "md5:...", the right number of digits, or empty."""
    if checksum and not _CHECKSUM.fullmatch(checksum):
        raise ValueError(
            f"checksum={shown(checksum)} is of an unknown kind; expected sha256: and 64 hexadecimal digits, "
            "or md5: and 32"
        )


@dataclass(frozen=True)
class _Request:
    """What all attempts to fetch one file have in common."""

    url: str
    timeout: float
    deadline: Deadline
    origin: Origin

    def open(self, headers: dict[str, str]) -> Any:
        return open_url(self.url, headers, timeout=self.timeout, deadline=self.deadline, origin=self.origin)


class _Part:
    """A file on its way: the bytes so far, and the mark by which its server tells versions apart."""

    def __init__(self, path: Path, url: str) -> None:
        self.path = path.with_name(f"{path.name}.part")
        self._mark = path.with_name(f"{path.name}.part.json")
        self._url = url

    def so_far(self) -> tuple[int, str]:
        """Return the number of bytes that can be kept, and the mark of their version."""
        try:
            with _open_regular(self._mark, os.O_RDONLY) as mark:
                url, version = json.loads(mark.read(_LONGEST_MARK))
            with _open_regular(self.path, os.O_RDONLY) as part:
                size = os.fstat(part.fileno()).st_size
        except (OSError, ValueError, TypeError, RecursionError):
            # Anything may lie there; what is no mark of ours is as good as none.
            return 0, ""
        return (size, version) if url == self._url and _can_be_sent(version) else (0, "")

    def begin(self, version: str) -> IO[bytes]:
        """Forget what there is, and open a new file of this version."""
        self.remove()
        with _open_regular(self._mark, os.O_WRONLY | os.O_CREAT | os.O_EXCL) as mark:
            mark.write(json.dumps([self._url, version]).encode())
        return _open_regular(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)

    def resume(self) -> IO[bytes]:
        """Open the file to add to it."""
        return _open_regular(self.path, os.O_WRONLY | os.O_APPEND)

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)
        self._mark.unlink(missing_ok=True)


def _open_regular(path: Path, flags: int) -> IO[bytes]:
    """Open a file that has no other name; neither follow a link nor wait for a pipe."""
    if path.is_symlink():  # where links can be followed only
        raise OSError(f"{path} is a link")
    handle = os.open(path, flags | _AS_IT_IS, 0o666)
    file = os.fdopen(handle, "rb" if flags & os.O_ACCMODE == os.O_RDONLY else "wb")
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
        file.close()
        raise OSError(f"{path} is not a file of its own")
    return file


def _retry(action: Callable[[], Any], request: _Request, attempts: int, pause: float) -> Any:
    for attempt in range(attempts):
        try:
            return action()
        except Retryable as error:
            reason = error
        if attempt + 1 < attempts:
            wait = pause * 2**attempt if reason.wait is None else reason.wait
            time.sleep(min(wait, _LONGEST_WAIT, request.deadline.left()))
    raise FetchError(f"{request.url} failed {attempts} times; the last error was: {reason}") from reason


def _resume(request: _Request, part: _Part, progress: Progress | None, max_bytes: int) -> None:
    done, version = part.so_far()
    headers = {"Range": f"bytes={done}-", "If-Range": version} if done else {}
    try:
        response = request.open(headers)
    except urllib.error.HTTPError as error:
        # Nothing follows these bytes: they are the whole file, or of another one.
        if _content_range(error.headers, r"bytes \*/([0-9]{1,18})$") == done > 0:
            return
        part.remove()
        raise Retryable("what was left of an earlier attempt does not fit", wait=0.0) from error
    with response:
        is_rest = response.status == http.client.PARTIAL_CONTENT
        if is_rest and _content_range(response.headers, "bytes ([0-9]{1,18})-") != done:
            part.remove()
            raise Retryable("the server went on at another place", wait=0.0)
        done = done if is_rest else 0
        length = _length(response)
        total = None if length is None else done + length
        with part.resume() if is_rest else part.begin(_version(response.headers)) as file:
            while max(done, total or 0) <= max_bytes and (block := read_some(response, _BLOCK)):
                file.write(block)
                done += len(block)
                if progress is not None:
                    progress(done, total)
    if max(done, total or 0) > max_bytes:
        part.remove()
        raise FetchError(f"{request.url} sends more than the {max_bytes:,} bytes that this file may have")
    if total is not None and done < total:
        raise Retryable(f"the connection ended after {done} of {total} bytes")


def _length(response: Any) -> int | None:
    length = response.headers.get("Content-Length")
    return int(length) if length and re.fullmatch("[0-9]{1,18}", length) else None


def _version(headers: Any) -> str:
    tag = headers.get("ETag") or ""
    # A weak tag may stand for files that differ in their bytes.
    version = tag if tag.startswith('"') else headers.get("Last-Modified") or ""
    return version if _can_be_sent(version) else ""


def _can_be_sent(version: Any) -> bool:
    """Tell whether a server can be asked for this version: requests are written in plain letters."""
    return isinstance(version, str) and version != "" and version.isascii() and version.isprintable()


def _content_range(headers: Any, pattern: str) -> int | None:
    match = re.match(pattern, headers.get("Content-Range") or "")
    return int(match[1]) if match else None
