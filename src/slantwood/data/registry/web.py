"""One request to the web: over https, to public hosts only, within a time.

An address of the registry is trusted. Where it leads is not: a redirect, or a document that names another
address, could send the request into the user's own network, or to a connection that anybody can change.
"""

from __future__ import annotations

import http.client
import io
import ipaddress
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from slantwood.hints import shown

# Of responses that another attempt may not get.
_TEMPORARY = (408, 425, 429, 500, 502, 503, 504)
_SCHEMES = ("https://", "http://")


class FetchError(OSError):
    """A file could not be fetched; the message says which one, and why."""


class Retryable(Exception):
    """A failure that may pass; `wait` are the seconds that the server asks for."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


class Deadline:
    """The time by which all requests for one file must have ended."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Return the seconds that are left; raise FetchError where there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise FetchError(f"it took longer than {self._seconds:g} seconds; try again")
        return left


@dataclass(frozen=True)
class Origin:
    """A trusted address, and the rules for addresses that it leads to."""

    url: str

    def check(self, url: str) -> None:
        """Refuse an address that is not https, unless the trusted one is http."""
        if not url.startswith(_SCHEMES):
            raise FetchError(f"{url} is not an address that can be fetched; expected http:// or https://")
        if self.url.startswith("https://") and not url.startswith("https://"):
            raise FetchError(f"{self.url} leads to {url}, which is not secure; expected https://")

    def addresses(self, host: str, port: int) -> list[str]:
        """Return the addresses of a host, all of them public, unless those of the trusted host are not."""
        found = _addresses(host, port)
        private = [each for each in found if not _is_public(each)]
        if private and not self._is_private:
            raise FetchError(f"{self.url} leads to {shown(host)}, whose address {private[0]} is not public")
        return found

    @cached_property
    def _is_private(self) -> bool:
        """Whether the trusted host is itself in the user's network, or reached through a tunnel there."""
        try:
            parts = urlsplit(self.url)
            return not all(map(_is_public, _addresses(parts.hostname or "", parts.port or 443)))
        except (OSError, ValueError):
            return False


def open_url(url: str, headers: dict[str, str], *, timeout: float, deadline: Deadline, origin: Origin) -> Any:
    """Send a request and return the response.

    Parameters
    ----------
    url : str
        The address.
    headers : dict
        Headers of the request.
    timeout : float
        Seconds of silence after which the connection counts as broken.
    deadline : Deadline
        The time by which the response, its body included, must have come.
    origin : Origin
        The trusted address that led to this one, or this one.

    Raises
    ------
    FetchError
        If the address may not or cannot be fetched.
    Retryable
        If another attempt may succeed.
    urllib.error.HTTPError
        If the host does not have the range of bytes that the headers ask for.
    """
    from slantwood import __version__

    origin.check(url)
    about = {"User-Agent": f"slantwood/{__version__} (data sets)", "Accept-Encoding": "identity"}
    try:
        request = urllib.request.Request(url, headers={**about, **headers})
        opener = urllib.request.build_opener(
            SafeRedirects(origin), _Http(origin, deadline), _Https(origin, deadline)
        )
        return opener.open(request, timeout=min(timeout, deadline.left()))
    except FetchError:
        raise
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE and "Range" in headers:
            raise
        if error.code in _TEMPORARY:
            seconds = error.headers.get("Retry-After") or ""
            wait = float(seconds) if seconds.isdecimal() else None
            raise Retryable(f"{error.code} {error.reason}", wait) from error
        raise FetchError(f"{url} responds {error.code} {error.reason}") from error
    except urllib.error.URLError as error:
        if isinstance(error.reason, FetchError):
            raise error.reason from error
        raise FetchError(f"{url} cannot be reached ({error.reason})") from error
    except (http.client.InvalidURL, OverflowError, ValueError) as error:
        raise FetchError(f"{url} cannot be fetched ({error})") from error
    except (http.client.HTTPException, OSError) as error:
        raise Retryable(str(error) or type(error).__name__) from error


def read_some(response: Any, size: int) -> bytes:
    """Return the next bytes of a response, at most so many; none at its end."""
    try:
        return response.read1(size)
    except FetchError:
        raise
    except (http.client.HTTPException, OSError, ValueError) as error:
        raise Retryable(str(error) or type(error).__name__) from error


class SafeRedirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects within the rules for addresses that a trusted one leads to."""

    def __init__(self, origin: Origin) -> None:
        self._origin = origin

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        """Return the request that follows a redirect."""
        if fp is not None:
            fp.close()  # its body, which may have no end, would be read
        self._origin.check(newurl)
        Origin(req.full_url).check(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


# ---- connections


def _addresses(host: str, port: int) -> list[str]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(each[4][0]) for each in found))


def _is_public(address: str) -> bool:
    ip = ipaddress.ip_address(address)
    ip = getattr(ip, "ipv4_mapped", None) or ip
    return ip.is_global and not ip.is_multicast


def _connector(
    kind: type[http.client.HTTPConnection], request: Any, origin: Origin, deadline: Deadline
) -> Callable[..., http.client.HTTPConnection]:
    """Return what makes the connection of a request, in place of a class of `http.client`."""
    goes_through_proxy = request.has_proxy() or getattr(request, "_tunnel_host", None) is not None
    if goes_through_proxy:
        parts = urlsplit(request.full_url)
        try:
            origin.addresses(parts.hostname or "", parts.port or 443)
        except FetchError:
            raise
        except OSError:
            pass  # only the proxy can resolve the name

    def connect(address: tuple[str, int], timeout: float, source: Any = None) -> socket.socket:
        if goes_through_proxy:
            return socket.create_connection(address, timeout, source)
        error: OSError | None = None
        # The addresses that were checked, not the name, which may resolve to others a moment later.
        for each in origin.addresses(*address):
            try:
                return socket.create_connection((each, address[1]), min(timeout, deadline.left()), source)
            except FetchError:
                raise
            except OSError as reason:
                error = reason
        raise error or OSError(f"{address[0]} has no address")

    def respond(sock: Any, *given: Any, **named: Any) -> http.client.HTTPResponse:
        timed: Any = _TimedSocket(sock, deadline)
        return http.client.HTTPResponse(timed, *given, **named)

    def make(host: str, **options: Any) -> http.client.HTTPConnection:
        connection: Any = kind(host, **options)
        connection._create_connection, connection.response_class = connect, respond
        made: http.client.HTTPConnection = connection
        return made

    return make


class _Http(urllib.request.HTTPHandler):
    def __init__(self, origin: Origin, deadline: Deadline) -> None:
        super().__init__()
        self._rules = origin, deadline

    def http_open(self, req: Any) -> Any:
        return self.do_open(_connector(http.client.HTTPConnection, req, *self._rules), req)


class _Https(urllib.request.HTTPSHandler):
    def __init__(self, origin: Origin, deadline: Deadline) -> None:
        super().__init__()
        self._rules = origin, deadline

    def https_open(self, req: Any) -> Any:
        return self.do_open(_connector(http.client.HTTPSConnection, req, *self._rules), req)


class _TimedSocket:
    """A socket as a response reads it: every read ends by the deadline, those of headers too."""

    def __init__(self, sock: Any, deadline: Deadline) -> None:
        self._sock, self._deadline = sock, deadline

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(_TimedReader(self._sock, self._deadline))


class _TimedReader(io.RawIOBase):
    def __init__(self, sock: Any, deadline: Deadline) -> None:
        self._sock, self._deadline = sock, deadline
        self._silence = sock.gettimeout()
        self._raw = sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._sock.settimeout(min(self._silence, self._deadline.left()))
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()
