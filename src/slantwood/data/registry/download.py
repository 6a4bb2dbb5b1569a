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
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from slantwood.hints import shortened, shown

Progress = Callable[[int, int | None], None]
"""Called with the bytes of a file received so far, and the bytes in all, or None where unknown."""

_BLOCK = 1 << 18
_TEMPORARY = (408, 425, 429, 500, 502, 503, 504)
_LONGEST_WAIT = 30.0
_CHECKSUM = re.compile("sha256:[0-9a-f]{64}|md5:[0-9a-f]{32}", re.IGNORECASE)
# Far more than descriptions of data sets have.
_LONGEST_DOCUMENT = 1 << 26


class FetchError(OSError):
    """A file could not be fetched; the message says which one, and why."""


class _Retryable(Exception):
    """A failure that may pass; `wait` are the seconds that the server asks for."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


def download(
    url: str,
    path: Path,
    *,
    checksum: str = "",
    progress: Progress | None = None,
    timeout: float = 30.0,
    attempts: int = 5,
    pause: float = 1.0,
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

    Raises
    ------
    FetchError
        If the host cannot be reached, refuses, breaks off each time, or the checksum is wrong.
    ValueError
        If the checksum is of another kind.
    """
    check_checksum_kind(checksum)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = _Part(path, url)
    _retry(lambda: _resume(url, part, progress, timeout), url, attempts, pause)
    if not has_checksum(part.path, checksum):
        part.remove()
        raise FetchError(
            f"{url} is not the file that was expected: its checksum is not {checksum}; it was removed"
        )
    os.replace(part.path, path)
    part.remove()


def get_json(url: str, *, timeout: float = 30.0, attempts: int = 5, pause: float = 1.0) -> Any:
    """Fetch a JSON document; raise FetchError as `download` does."""

    def fetch() -> bytes:
        with _open(url, {}, timeout) as response:
            text = _read_block(response, _LONGEST_DOCUMENT + 1)
            if len(text) > _LONGEST_DOCUMENT:
                raise FetchError(f"{url} sends more than {_LONGEST_DOCUMENT:,} bytes of JSON")
            if response.length:
                raise _Retryable(f"the connection ended {response.length} bytes too early")
            return text

    text = _retry(fetch, url, attempts, pause)
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


class _Part:
    """A file on its way: the bytes so far, and the mark by which its server tells versions apart."""

    def __init__(self, path: Path, url: str) -> None:
        self.path = path.with_name(f"{path.name}.part")
        self._mark = path.with_name(f"{path.name}.part.json")
        self._url = url

    def so_far(self) -> tuple[int, str]:
        """Return the number of bytes that can be kept, and the mark of their version."""
        try:
            url, version = json.loads(self._mark.read_text(encoding="utf-8"))
            size = self.path.stat().st_size
        except (OSError, ValueError, TypeError, RecursionError):
            # Anything may lie there; what is no mark of ours is as good as none.
            return 0, ""
        return (size, version) if url == self._url and _can_be_sent(version) else (0, "")

    def begin(self, version: str) -> None:
        """Forget what there is, for a file of this version."""
        self.path.write_bytes(b"")
        self._mark.write_text(json.dumps([self._url, version]), encoding="utf-8")

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)
        self._mark.unlink(missing_ok=True)


def _retry(action: Callable[[], Any], url: str, attempts: int, pause: float) -> Any:
    for attempt in range(attempts):
        try:
            return action()
        except _Retryable as error:
            reason = error
        if attempt + 1 < attempts:
            wait = pause * 2**attempt if reason.wait is None else reason.wait
            time.sleep(min(wait, _LONGEST_WAIT))
    raise FetchError(f"{url} failed {attempts} times; the last error was: {reason}") from reason


def _resume(url: str, part: _Part, progress: Progress | None, timeout: float) -> None:
    done, version = part.so_far()
    headers = {"Range": f"bytes={done}-", "If-Range": version} if done else {}
    try:
        response = _open(url, headers, timeout)
    except urllib.error.HTTPError as error:
        # Nothing follows these bytes: they are the whole file, or of another one.
        if _content_range(error.headers, r"bytes \*/([0-9]{1,18})$") == done > 0:
            return
        part.remove()
        raise _Retryable("what was left of an earlier attempt does not fit", wait=0.0) from error
    with response:
        if response.status == http.client.PARTIAL_CONTENT:
            if _content_range(response.headers, "bytes ([0-9]{1,18})-") != done:
                part.remove()
                raise _Retryable("the server went on at another place", wait=0.0)
        else:
            done = 0
            part.begin(_version(response.headers))
        length = response.headers.get("Content-Length")
        total = done + int(length) if length and re.fullmatch("[0-9]{1,18}", length) else None
        with open(part.path, "ab") as file:
            while block := _read_block(response, _BLOCK):
                file.write(block)
                done += len(block)
                if progress is not None:
                    progress(done, total)
    if total is not None and done < total:
        raise _Retryable(f"the connection ended after {done} of {total} bytes")


class SafeRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no way that leads from a connection that nobody can change to one that anybody can."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        """Return the request that follows a redirect."""
        if req.full_url.startswith("https://") and not newurl.startswith("https://"):
            raise FetchError(f"{req.full_url} redirects to {newurl}, which is not secure; expected https://")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _open(url: str, headers: dict[str, str], timeout: float) -> Any:
    """Open an address; HTTPError comes out for a range that cannot be had only."""
    if not url.startswith(("http://", "https://")):
        raise FetchError(f"{url} is not an address that can be fetched; expected http:// or https://")
    from slantwood import __version__

    about = {"User-Agent": f"slantwood/{__version__} (data sets)", "Accept-Encoding": "identity"}
    request = urllib.request.Request(url, headers={**about, **headers})
    try:
        return urllib.request.build_opener(SafeRedirects).open(request, timeout=timeout)
    except FetchError:
        raise
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE and "Range" in headers:
            raise
        if error.code in _TEMPORARY:
            seconds = error.headers.get("Retry-After") or ""
            wait = float(seconds) if seconds.isdecimal() else None
            raise _Retryable(f"{error.code} {error.reason}", wait) from error
        raise FetchError(f"{url} responds {error.code} {error.reason}") from error
    except urllib.error.URLError as error:
        raise FetchError(f"{url} cannot be reached ({error.reason})") from error
    except (http.client.HTTPException, OSError) as error:
        raise _Retryable(str(error) or type(error).__name__) from error


def _read_block(response: Any, size: int) -> bytes:
    try:
        return response.read(size)
    except (http.client.HTTPException, OSError) as error:
        raise _Retryable(str(error) or type(error).__name__) from error


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
