"""Fetching, from a server on this computer that cuts connections, forgets ranges, and sends wrong files."""

import gzip
import hashlib
import io
import json
import os
import re
import socket
import sys
import tarfile
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.request import Request

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slantwood.data.registry import download as download_module
from slantwood.data.registry import loading, openml, unpack, web
from slantwood.data.registry.download import download, get_json
from slantwood.data.registry.entries import Copy, Dataset, File, Size, Source
from slantwood.data.registry.fetch import _name_of_archive, fetch_copy
from slantwood.data.registry.loading import load
from slantwood.data.registry.openml import fetch_openml, read_description
from slantwood.data.registry.web import FetchError, Origin, SafeRedirects

CONTENT = bytes(np.random.default_rng(0).integers(0, 256, 100_000, np.uint8))


def sha256(content):
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


class Page:
    """A file of the server, and how the server behaves about it."""

    def __init__(self, content, *, ranges=True, tag='"1"', cuts=(), failures=(), headers=()):
        self.content, self.ranges, self.tag, self.headers = content, ranges, tag, dict(headers)
        self.cuts, self.failures = list(cuts), list(failures)
        self.sent = 0  # bytes over all answers


class Server:
    def __init__(self):
        self.pages, self.requests = {}, []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                outer.requests.append((self.path, dict(self.headers)))
                outer.answer(self)

            def log_message(self, *_):
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()

    def close(self):
        self._http.shutdown()
        self._http.server_close()

    def answer(self, handler):
        page = self.pages.get(handler.path)
        if page is None:
            return handler.send_error(404)
        if page.failures:
            status, headers = page.failures.pop(0)
            return self._send(handler, status, headers, b"")
        headers, body, status = {"ETag": page.tag} if page.tag else {}, page.content, 200
        wanted = re.fullmatch(r"bytes=(\d+)-", handler.headers.get("Range", ""))
        if wanted and page.ranges and handler.headers.get("If-Range") == page.tag:
            start = int(wanted[1])
            if start >= len(page.content):
                return self._send(handler, 416, {"Content-Range": f"bytes */{len(page.content)}"}, b"")
            headers["Content-Range"] = f"bytes {start}-{len(page.content) - 1}/{len(page.content)}"
            body, status = page.content[start:], 206
        cut = page.cuts.pop(0) if page.cuts else len(body)
        page.sent += len(body[:cut])
        return self._send(handler, status, headers | page.headers, body, cut)

    def _send(self, handler, status, headers, body, cut=None):
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body[:cut])


@pytest.fixture(scope="module")
def running():
    server = Server()
    yield server
    server.close()


@pytest.fixture
def server(running):
    running.pages.clear()
    running.requests.clear()
    return running


@pytest.fixture
def path(tmp_path):
    return tmp_path / "new" / "set.arff"


@pytest.fixture
def closed_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def fetched(server, path, page, **options):
    """Serve a page and download it, without waiting between attempts."""
    server.pages["/set.arff"] = page
    download(f"{server.url}/set.arff", path, **{"pause": 0, **options})
    return path.read_bytes()


def left(path):
    return {each.name for each in path.parent.iterdir()}


# ---- one file


def test_a_file_comes_whole_with_progress_and_leaves_nothing_beside(server, path):
    told = []
    progress = lambda done, total: told.append((done, total))  # noqa: E731
    assert fetched(server, path, Page(CONTENT), checksum=sha256(CONTENT), progress=progress) == CONTENT
    assert left(path) == {"set.arff"}
    assert told[-1] == (len(CONTENT), len(CONTENT))
    assert told == sorted(told)
    [(_, headers)] = server.requests
    assert headers["User-Agent"].startswith("slantwood/")
    assert "Range" not in headers


def test_after_a_cut_connection_only_the_rest_is_sent(server, path):
    page = Page(CONTENT, cuts=[30_000, 20_000])
    assert fetched(server, path, page, checksum=sha256(CONTENT)) == CONTENT
    assert [headers.get("Range") for _, headers in server.requests] == [None, "bytes=30000-", "bytes=50000-"]
    assert page.sent == len(CONTENT)


@given(st.lists(st.integers(0, 50_000), max_size=4), st.booleans(), st.sampled_from(['"1"', 'W/"1"', ""]))
def test_wherever_connections_are_cut_the_file_is_the_same(running, tmp_path_factory, cuts, ranges, tag):
    path = tmp_path_factory.mktemp("cut") / "set.arff"
    page = Page(CONTENT, cuts=cuts, ranges=ranges, tag=tag)
    assert fetched(running, path, page) == CONTENT
    assert left(path) == {"set.arff"}
    if ranges and tag == '"1"':
        assert page.sent == len(CONTENT)


def test_what_one_call_left_the_next_one_continues(server, path):
    page = Page(CONTENT, cuts=[60_000])
    with pytest.raises(FetchError, match="ended after 60000 of 100000 bytes"):
        fetched(server, path, page, attempts=1)
    assert not path.exists()
    assert fetched(server, path, page, attempts=1) == CONTENT
    assert page.sent == len(CONTENT)


def test_a_file_that_changed_meanwhile_is_fetched_anew(server, path):
    with pytest.raises(FetchError):
        fetched(server, path, Page(CONTENT, cuts=[60_000]), attempts=1)
    assert fetched(server, path, Page(CONTENT[::-1], tag='"2"'), attempts=1) == CONTENT[::-1]


def test_what_came_from_another_address_is_not_continued(server, path):
    with pytest.raises(FetchError):
        fetched(server, path, Page(CONTENT, cuts=[60_000]), attempts=1)
    server.pages["/mirror"] = Page(CONTENT[::-1])
    download(f"{server.url}/mirror", path)
    assert path.read_bytes() == CONTENT[::-1]


def test_a_server_without_ranges_sends_all_again(server, path):
    page = Page(CONTENT, ranges=False, cuts=[60_000])
    assert fetched(server, path, page) == CONTENT
    assert page.sent == 160_000


def test_a_server_that_goes_on_elsewhere_is_asked_for_all(server, path):
    page = Page(CONTENT, cuts=[60_000], headers={"Content-Range": "bytes 7-99999/100000"})
    assert fetched(server, path, page) == CONTENT
    assert "Range" not in server.requests[-1][1]


def test_a_part_that_is_the_whole_file_already_is_taken(server, path):
    with pytest.raises(FetchError):
        fetched(server, path, Page(CONTENT, cuts=[60_000]), attempts=1)
    path.with_name("set.arff.part").write_bytes(CONTENT)
    page = Page(CONTENT)
    assert fetched(server, path, page, checksum=sha256(CONTENT)) == CONTENT
    assert page.sent == 0


def test_a_part_that_is_too_long_is_thrown_away(server, path):
    with pytest.raises(FetchError):
        fetched(server, path, Page(CONTENT, cuts=[60_000]), attempts=1)
    path.with_name("set.arff.part").write_bytes(CONTENT + b"?")
    assert fetched(server, path, Page(CONTENT)) == CONTENT


@pytest.mark.parametrize("checksum", [sha256(b"another"), f"md5:{'0' * 32}"])
def test_a_wrong_file_is_removed(server, path, checksum):
    with pytest.raises(FetchError, match=f"/set.arff is not the file that was expected.*{checksum}"):
        fetched(server, path, Page(CONTENT), checksum=checksum)
    assert left(path) == set()


def test_a_wrong_file_leaves_an_earlier_one_alone(server, path):
    path.parent.mkdir()
    path.write_bytes(b"earlier")
    with pytest.raises(FetchError):
        fetched(server, path, Page(CONTENT), checksum=sha256(b"another"))
    assert path.read_bytes() == b"earlier"


def test_a_file_that_is_not_there_is_asked_for_once(server, path):
    with pytest.raises(FetchError, match="/absent responds 404 Not Found"):
        download(f"{server.url}/absent", path)
    assert len(server.requests) == 1


def test_a_busy_server_is_asked_again_when_it_says(server, path, monkeypatch):
    waits = []
    monkeypatch.setattr(download_module.time, "sleep", waits.append)
    page = Page(
        CONTENT, failures=[(503, {}), (503, {"Retry-After": "7"}), (500, {}), (429, {"Retry-After": "999"})]
    )
    assert fetched(server, path, page, pause=0.5) == CONTENT
    assert waits == [0.5, 7, 2, 30]


def test_a_server_that_stays_busy_is_given_up(server, path):
    with pytest.raises(FetchError, match="failed 3 times; the last error was: 503"):
        fetched(server, path, Page(CONTENT, failures=[(503, {})] * 9), attempts=3)
    assert len(server.requests) == 3


def test_a_host_that_cannot_be_reached_is_named_at_once(path, closed_port):
    with pytest.raises(FetchError, match=rf"http://127.0.0.1:{closed_port}/x cannot be reached \(.+\)"):
        download(f"http://127.0.0.1:{closed_port}/x", path, pause=100)


@pytest.mark.parametrize(
    "mark",
    [
        "5",
        "null",
        '"text"',
        "[]",
        "[1, 2]",
        '["{url}", 5]',
        '["{url}", ""]',
        '["{url}", "\\u4e2d\\u6587"]',
        '["{url}", "\\"1\\"\\r\\nHost: elsewhere"]',
        '["{url}", "1", "2"]',
        '{"url": "1"}',
        "[" * 100_000,
    ],
)
def test_what_is_no_mark_of_a_part_begins_anew(server, path, mark):
    path.parent.mkdir()
    path.with_name("set.arff.part").write_bytes(b"something else")
    path.with_name("set.arff.part.json").write_text(mark.replace("{url}", f"{server.url}/set.arff"))
    assert fetched(server, path, Page(CONTENT), attempts=1) == CONTENT
    assert left(path) == {"set.arff"}
    [(_, headers)] = server.requests
    assert "Range" not in headers


def test_a_version_that_cannot_be_sent_back_is_not_gone_on_with(server, path):
    page = Page(CONTENT, tag='"\xe9\xa9"', cuts=[60_000])
    assert fetched(server, path, page) == CONTENT
    assert [headers.get("Range") for _, headers in server.requests] == [None, None]


@pytest.mark.parametrize(
    "checksum", ["crc32:12345678", "sha256:12", "md5", "shake_128:12", f"md5:{'g' * 32}"]
)
def test_checksums_of_unknown_kinds_are_refused_before_anything_is_fetched(server, path, checksum):
    with pytest.raises(ValueError, match=f"checksum='{checksum}' is of an unknown kind; expected sha256:"):
        fetched(server, path, Page(CONTENT), checksum=checksum)
    assert not server.requests


def test_sizes_that_no_file_has_are_not_believed(server, path):
    page = Page(CONTENT, cuts=[60_000], headers={"Content-Range": f"bytes {'9' * 5000}-/1"})
    assert fetched(server, path, page) == CONTENT


def test_documents_nested_without_end_are_no_json(server):
    server.pages["/deep"] = Page(b"[" * 200_000)
    with pytest.raises(FetchError, match="/deep does not send JSON"):
        get_json(f"{server.url}/deep")


def test_a_document_that_breaks_off_is_asked_for_again(server):
    server.pages["/cut"] = Page(b'{"a": 1}', cuts=[4])
    assert get_json(f"{server.url}/cut", pause=0) == {"a": 1}


def test_a_document_without_end_is_given_up(server, monkeypatch):
    monkeypatch.setattr(download_module, "_LONGEST_DOCUMENT", 50)
    server.pages["/long"] = Page(b" " * 51 + b"{}")
    with pytest.raises(FetchError, match="/long sends more than 50 bytes"):
        get_json(f"{server.url}/long")


@pytest.mark.parametrize("url", ["file:///etc/hosts", "ftp://host/x", "data:,x", "x"])
def test_only_the_web_is_fetched_from(path, url):
    with pytest.raises(FetchError, match="expected http:// or https://"):
        download(url, path)


@pytest.mark.parametrize(
    "url",
    [
        "http://[::1",
        "https://[::1]:x/",
        "https://127.0.0.1:99999999999999/",
        "https://127.0.0.1:-1/",
        "https:///x",
        "https://",
        f"https://{'a' * 70}.org/",
        "https://\u2603\u3002\u3002/x",
        "https://\udcff/x",
        "https://a b/",
        "https://a\x00b/",
        "https://a\r\nb/",
        "https://127.0.0.1:1/\u2603",
    ],
    ids=ascii,
)
def test_odd_addresses_are_refused_as_fetch_errors(path, url):
    with pytest.raises(FetchError):
        download(url, path, attempts=1)
    with pytest.raises(FetchError):
        get_json(url, attempts=1)


class RawServer:
    """Sends the same bytes to whoever connects, and then, if need be, more of them without end."""

    def __init__(self, content, more=b""):
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/set.arff"
        threading.Thread(target=self._serve, args=(content, more), daemon=True).start()

    def _serve(self, content, more):
        while True:
            try:
                connection, _ = self._socket.accept()
                with connection:
                    connection.recv(1 << 16)
                    connection.sendall(content)
                    while more:
                        connection.sendall(more)
            except OSError:  # the other side, or the server, has closed
                if self._socket.fileno() < 0:
                    return

    def close(self):
        self._socket.close()


@pytest.fixture
def raw_server():
    servers = []

    def serve(content, more=b""):
        servers.append(RawServer(content, more))
        return servers[-1].url

    yield serve
    for each in servers:
        each.close()


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize("size", [b"-5", b"-1", b"-ffffffff", b"x", b"", b"9" * 70_000, b"f" * 50])
def test_chunks_of_no_size_are_fetch_errors(raw_server, path, size):
    url = raw_server(CHUNKED + size + b"\r\nabcde\r\n0\r\n\r\n")
    for fetch in (lambda: download(url, path, attempts=1), lambda: get_json(url, attempts=1)):
        with pytest.raises(FetchError, match="failed 1 times"):
            fetch()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"HTTP/1.1 x\r\n\r\n",
        b"\xff\xfe\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 200,
        b"HTTP/1.1 302 Found\r\nLocation: http://[::1\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: file:///etc/hosts\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: \xff\xfe\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: /set.arff\r\n\r\n",
        b"HTTP/1.1 401 No\r\nWWW-Authenticate: x\r\n\r\n",
    ],
)
def test_odd_responses_are_fetch_errors(raw_server, path, content):
    with pytest.raises(FetchError):
        download(raw_server(content), path, attempts=1)


# ---- size and time


def test_a_file_that_is_said_to_be_too_large_is_refused_before_it_comes(server, path):
    told = []
    with pytest.raises(FetchError, match=r"/set.arff sends more than the 99,999 bytes that this file may"):
        fetched(server, path, Page(CONTENT), max_bytes=99_999, progress=lambda *sizes: told.append(sizes))
    assert not told
    assert left(path) == set()
    assert fetched(server, path, Page(CONTENT), max_bytes=100_000) == CONTENT


def test_a_file_without_end_is_given_up(raw_server, path):
    for opening, more in ((b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 5000), (CHUNKED, b"5\r\nabcde\r\n" * 1000)):
        with pytest.raises(FetchError, match="sends more than the 1,000,000 bytes"):
            download(raw_server(opening, more), path, max_bytes=1_000_000)
        assert left(path) == set()


def test_what_is_resumed_counts_as_a_whole(server, path):
    page = Page(CONTENT, cuts=[60_000])
    with pytest.raises(FetchError, match="ended after"):
        fetched(server, path, page, attempts=1)
    with pytest.raises(FetchError, match="more than the 70,000 bytes"):
        fetched(server, path, page, max_bytes=70_000)
    assert left(path) == set()


def test_the_body_of_a_redirect_is_not_read(raw_server, server, path):
    server.pages["/x"] = Page(b"fine")
    url = raw_server(f"HTTP/1.1 302 Found\r\nLocation: {server.url}/x\r\n\r\n".encode(), b"x" * 5000)
    download(url, path)
    assert path.read_bytes() == b"fine"


class Clock:
    """Time that passes when it is looked at."""

    def __init__(self, step):
        self.now, self.step = 0.0, step

    def __call__(self):
        self.now += self.step
        return self.now


@pytest.mark.parametrize(
    ("opening", "more"),
    [
        (b"HTTP/1.1 200 OK\r\n\r\n", b"x"),
        (b"HTTP/1.1 200 OK\r\na:", b"x"),  # one header without end, of which each byte comes in time
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (CHUNKED, b"1\r\nx\r\n"),
    ],
    ids=["body", "header", "continue", "chunks"],
)
def test_a_response_that_never_ends_is_given_up_in_time(raw_server, path, monkeypatch, opening, more):
    monkeypatch.setattr(web.time, "monotonic", Clock(7.0))
    with pytest.raises(FetchError, match="took longer than 50 seconds; try again"):
        download(raw_server(opening, more), path, max_seconds=50)


def test_a_wait_for_a_busy_server_ends_in_time(server, path, monkeypatch):
    waits = []
    monkeypatch.setattr(download_module.time, "sleep", waits.append)
    monkeypatch.setattr(web.time, "monotonic", Clock(1.0))
    with pytest.raises(FetchError, match="took longer than 20 seconds"):
        fetched(
            server,
            path,
            Page(CONTENT, failures=[(503, {"Retry-After": "25"})] * 9),
            max_seconds=20,
            attempts=9,
        )
    assert max(waits) < 20


# ---- what lies at the names of parts


def plant_link(name, target):
    name.symlink_to(target)


def plant_broken_link(name, target):
    target.unlink()
    name.symlink_to(target)


def plant_hard_link(name, target):
    name.hardlink_to(target)


def plant_pipe(name, target):
    os.mkfifo(name)


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there, and pipes are no files")
@pytest.mark.parametrize("suffix", [".part", ".part.json"])
@pytest.mark.parametrize("plant", [plant_link, plant_broken_link, plant_hard_link, plant_pipe])
def test_what_is_planted_at_the_name_of_a_part_is_neither_followed_nor_waited_for(
    server, path, tmp_path, plant, suffix
):
    with pytest.raises(FetchError, match="ended after 60000"):
        fetched(server, path, Page(CONTENT, cuts=[60_000]), attempts=1)
    planted, target = path.with_name(f"set.arff{suffix}"), tmp_path / "mine"
    target.write_bytes(planted.read_bytes())
    kept = target.read_bytes()
    planted.unlink()
    plant(planted, target)
    assert fetched(server, path, Page(CONTENT)) == CONTENT
    assert left(path) == {"set.arff"}
    assert not path.is_symlink()
    if plant is plant_broken_link:
        assert not target.exists()
    else:
        assert target.read_bytes() == kept
    assert "Range" not in server.requests[-1][1]


# ---- where addresses may lead


def follow(trusted, old, new):
    redirects = SafeRedirects(Origin(trusted))
    return redirects.redirect_request(Request(old), None, 302, "Found", {}, new).full_url


def test_no_way_leads_from_a_safe_address_to_one_that_is_not():
    assert follow("https://a.org/x", "https://a.org/x", "https://b.org/y") == "https://b.org/y"
    assert follow("http://a.org/x", "http://a.org/x", "http://b.org/y") == "http://b.org/y"
    for unsafe in ("http://b.org/y", "ftp://b.org/y", "file:///etc/hosts"):
        for trusted, old in (("https://a.org/x",) * 2, ("http://a.org/x", "https://a.org/x")):
            with pytest.raises(FetchError, match=r"leads to .*b\.org/y, which is not secure|can be fetched"):
                follow(trusted, old, unsafe)


@pytest.mark.parametrize(
    ("address", "public"),
    [
        *(("8.8.8.8", True), ("2606:4700::1111", True), ("::ffff:8.8.8.8", True)),
        *(("127.0.0.1", False), ("127.9.9.9", False), ("0.0.0.0", False), ("::1", False), ("::", False)),
        *(("10.0.0.1", False), ("172.16.0.1", False), ("192.168.1.1", False), ("100.64.0.1", False)),
        *(("169.254.169.254", False), ("fe80::1", False), ("fe80::1%eth0", False), ("fd00::1", False)),
        *(("::ffff:127.0.0.1", False), ("::ffff:10.0.0.1", False), ("224.0.0.1", False), ("ff02::1", False)),
    ],
)
def test_addresses_of_ones_own_network_are_not_public(address, public):
    assert web._is_public(address) is public


@pytest.fixture
def hosts(monkeypatch):
    """Give names to hosts of this computer, of which 127.0.0.1 passes for a public one."""
    names = {"public.org": ["127.0.0.1"], "inside.org": ["127.0.0.2"], "both.org": ["127.0.0.1", "127.0.0.2"]}
    resolve = web._addresses
    monkeypatch.setattr(web, "_addresses", lambda host, port: names.get(host) or resolve(host, port))
    monkeypatch.setattr(web, "_is_public", lambda address: address == "127.0.0.1")
    return names


# Windows has fewer ways to write an address.
WRITTEN_OTHERWISE = [] if sys.platform == "win32" else ["127.2", "0x7f000002", "2130706434"]


@pytest.mark.parametrize("host", ["127.0.0.2", "inside.org", "both.org", *WRITTEN_OTHERWISE])
def test_a_redirect_into_ones_own_network_is_refused(server, path, hosts, host):
    port = server.url.rpartition(":")[2]
    server.pages["/x"] = Page(b"secret")
    page = Page(b"", failures=[(302, {"Location": f"http://{host}:{port}/x"})])
    with pytest.raises(FetchError, match=r"leads to '.*', whose address 127\.0\.0\.2 is not public"):
        fetched(server, path, page)
    assert [page for page, _ in server.requests] == ["/set.arff"]
    server.pages["/set.arff"] = Page(b"", failures=[(302, {"Location": f"http://public.org:{port}/x"})])
    download(f"{server.url}/set.arff", path)
    assert path.read_bytes() == b"secret"


def test_a_host_that_is_itself_in_ones_own_network_may_lead_there(server, path):
    server.pages["/x"] = Page(b"mine")
    assert fetched(server, path, Page(b"", failures=[(302, {"Location": f"{server.url}/x"})])) == b"mine"


def test_the_address_that_was_checked_is_the_one_that_is_connected_to(server, path, hosts, monkeypatch):
    """A name may resolve to a public address when it is checked, and to another one a moment later."""
    answers, resolve = [["127.0.0.1"], ["127.0.0.2"]], web._addresses
    monkeypatch.setattr(
        web,
        "_addresses",
        lambda host, port: answers.pop(0) if host == "changing.org" else resolve(host, port),
    )
    port = server.url.rpartition(":")[2]
    server.pages["/x"] = Page(b"public")
    page = Page(b"", failures=[(302, {"Location": f"http://changing.org:{port}/x"})])
    assert fetched(server, path, page) == b"public"
    assert answers == [["127.0.0.2"]]


def test_an_address_that_a_proxy_would_connect_to_is_checked_too(server, path, hosts, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.3:1")  # never reached
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    page = Page(b"", failures=[(302, {"Location": "http://inside.org/x"})])
    with pytest.raises(FetchError, match="is not public"):
        fetched(server, path, page)


def test_an_answer_that_is_no_json_is_an_error(server):
    server.pages["/a"], server.pages["/b"] = Page(b'{"a": 1}', failures=[(502, {})]), Page(b"<html>")
    assert get_json(f"{server.url}/a", pause=0) == {"a": 1}
    with pytest.raises(FetchError, match="/b does not send JSON"):
        get_json(f"{server.url}/b")


# ---- archives


def zipped(**members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def tarred(link=None, **members):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content in members.items():
            information = tarfile.TarInfo(name)
            information.size = len(content)
            archive.addfile(information, io.BytesIO(content))
        if link:
            information = tarfile.TarInfo("link")
            information.type, information.linkname = tarfile.SYMTYPE, link
            archive.addfile(information)
    return buffer.getvalue()


@pytest.fixture
def unpacked(tmp_path):
    def unpack_bytes(content, members):
        archive = tmp_path / "archive.gz"
        archive.write_bytes(content)
        unpack.unpack(archive, members, tmp_path / "out")
        assert left(archive) == {"archive.gz", "out"}
        return (tmp_path / "out").read_bytes()

    return unpack_bytes


def test_only_the_named_member_is_unpacked(unpacked):
    members = {"../../evil": b"evil", "/etc/evil": b"evil", "good": CONTENT}
    assert unpacked(zipped(**members), ["good"]) == CONTENT
    assert unpacked(tarred(**members), ["good"]) == CONTENT
    # A name that leads out of the folder is a name, not a path.
    assert unpacked(zipped(**members), ["../../evil"]) == b"evil"


def test_archives_in_archives_and_single_files(unpacked):
    assert unpacked(tarred(inner=zipped(deep=CONTENT)), ["inner", "deep"]) == CONTENT
    assert unpacked(gzip.compress(CONTENT), []) == CONTENT


@pytest.mark.parametrize(
    ("content", "members", "message"),
    [
        (zipped(a=b"1"), ["b"], "no member 'b'"),
        (tarred(a=b"1"), ["b"], "no member 'b'"),
        (tarred(link="/etc/hosts"), ["link"], "no member 'link'"),
        (b"neither", ["a"], "expected .zip or .tar"),
        (zipped(a=CONTENT)[:-50], ["a"], "expected .zip or .tar"),
        (tarred(a=CONTENT)[:50_000], ["a"], "cannot be unpacked|cannot decompress"),
        (gzip.compress(CONTENT)[:50_000], [], "cannot decompress"),
        (zipped(a=bytes(10_000)), ["a"], "holds more than 5000 bytes"),
    ],
    # Bytes of an archive hold the time at which it was made, and names of tests must not.
    ids=["zip", "tar", "link", "neither", "part of a zip", "part of a tar", "part of a gzip", "too large"],
)
def test_bad_archives_leave_nothing(tmp_path, monkeypatch, content, members, message):
    monkeypatch.setattr(unpack, "LIMIT", 5_000 if "more than" in message else 1 << 20)
    archive = tmp_path / "archive.gz"
    archive.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        unpack.unpack(archive, members, tmp_path / "out")
    assert left(archive) == {"archive.gz"}


# ---- the files of a set


def copy_of(*files, **more):
    return Copy(files, Size(2, 1, 2), **more)


def test_parts_out_of_one_archive_need_one_download(server, tmp_path):
    parts = {"a": b"train", "b": b"test"}
    server.pages["/both.tar.gz"] = Page(tarred(**parts))
    files = [
        File(f"mlc/x/{name}.arff", name, (Source(f"{server.url}/both.tar.gz", (name,)),), sha256(content)[7:])
        for name, content in parts.items()
    ]
    fetch_copy(copy_of(*files), tmp_path)
    assert [(tmp_path / file.name).read_bytes() for file in files] == [b"train", b"test"]
    assert left(tmp_path / files[0].name) == {"a.arff", "b.arff"}
    assert len(server.requests) == 1
    fetch_copy(copy_of(*files), tmp_path)
    assert len(server.requests) == 1


def test_an_archive_with_another_file_in_it_is_removed(server, tmp_path):
    server.pages["/x.zip"] = Page(zipped(a=b"other"))
    file = File("x/a.arff", None, (Source(f"{server.url}/x.zip", ("a",)),), sha256(b"right")[7:])
    with pytest.raises(FetchError, match="is not the archive that was expected"):
        fetch_copy(copy_of(file), tmp_path)
    assert left(tmp_path / file.name) == set()


def test_mirrors_are_tried_in_turn_and_compressed_files_are_unpacked(server, tmp_path, closed_port):
    server.pages["/wrong"], server.pages["/right.gz"] = Page(b"wrong"), Page(gzip.compress(CONTENT))
    urls = [f"http://127.0.0.1:{closed_port}/x", f"{server.url}/absent", f"{server.url}/wrong"]
    sources = tuple(map(Source, urls))
    digits = sha256(CONTENT)[7:]
    with pytest.raises(FetchError, match=r"cannot be reached.*; .*404.*; .*not the file"):
        fetch_copy(copy_of(File("x/a.arff", None, sources, digits)), tmp_path)
    right = Source(f"{server.url}/right.gz")
    fetch_copy(copy_of(File("x/a.arff", None, (*sources, right), digits)), tmp_path)
    assert (tmp_path / "x/a.arff").read_bytes() == CONTENT
    assert left(tmp_path / "x/a.arff") == {"a.arff"}


# ---- OpenML

ARFF = b"""@relation x
@attribute id numeric
@attribute kind {p,q}
@attribute size numeric
@attribute extra numeric
@data
1,p,0.5,7
2,q,1.5,7
"""


@pytest.fixture
def openml_server(server, monkeypatch):
    monkeypatch.setattr(openml, "API", f"{server.url}/data")

    def serve(number=61, content=ARFF, **about):
        described = {
            "url": f"{server.url}/{number}.arff",
            "md5_checksum": hashlib.md5(content).hexdigest(),
            "default_target_attribute": "kind",
            "row_id_attribute": "id",
            **about,
        }
        server.pages[f"/data/{number}"] = Page(json.dumps({"data_set_description": described}).encode())
        server.pages[f"/{number}.arff"] = Page(content)

    return serve


def listed(*sets):
    """Write OpenML's answer to a name: numbers of sets, and of their rows."""
    found = [
        {
            "did": number,
            "quality": [{"name": "NumberOfInstances", "value": f"{rows}.0"}, {"name": "x", "value": "-"}],
        }
        for number, rows in sets
    ]
    return Page(json.dumps({"data": {"dataset": found}}).encode())


def test_openml_says_the_file_its_checksum_and_its_columns(openml_server, tmp_path):
    openml_server(ignore_attribute=["extra", "other"])
    path = tmp_path / "openml-61.arff"
    fetch_openml(61, 2, path)
    assert path.read_bytes() == ARFF
    assert read_description(path.with_name("openml-61.arff.xz")) == openml.Description(
        ("kind",), ("extra", "other", "id")
    )


def test_a_name_at_openml_stands_for_the_oldest_set_of_the_right_size(server, openml_server, tmp_path):
    server.pages["/data/list/data_name/a%20name"] = listed((9, 3), (62, 2), (61, 2))
    openml_server(61)
    fetch_openml("a name", 2, tmp_path / "x.arff")
    assert (tmp_path / "x.arff").read_bytes() == ARFF
    with pytest.raises(FetchError, match="lists no data set of 4 rows"):
        fetch_openml("a name", 4, tmp_path / "y.arff")


def test_another_file_than_openml_describes_is_refused(openml_server, tmp_path):
    openml_server(md5_checksum="0" * 32)
    with pytest.raises(FetchError, match="is not the file that was expected"):
        fetch_openml(61, 2, tmp_path / "x.arff")
    assert not (tmp_path / "x.arff").exists()


@pytest.mark.parametrize("host", ["127.0.0.2", "inside.org"])
def test_openml_cannot_send_anybody_into_their_own_network(server, openml_server, hosts, tmp_path, host):
    openml_server(url=f"http://{host}:{server.url.rpartition(':')[2]}/61.arff")
    with pytest.raises(FetchError, match=r"/data/61 leads to .* is not public"):
        fetch_openml(61, 2, tmp_path / "x.arff")
    assert [page for page, _ in server.requests] == ["/data/61"]


def test_a_document_that_came_safely_cannot_name_an_address_that_is_not(path):
    with pytest.raises(FetchError, match=r"https://a\.org/61 leads to http://b\.org/x, which is not secure"):
        download("http://b.org/x", path, named_by="https://a.org/61")


def test_a_file_of_openml_may_be_as_large_as_its_rows_and_columns_let_expect(openml_server, tmp_path):
    openml_server()
    with pytest.raises(FetchError, match="more than the 50 bytes"):
        fetch_openml(61, 2, tmp_path / "x.arff", max_bytes=50)
    small, large = (Copy((), Size(n, 10, 1)).max_bytes for n in (100, 10**9))
    assert 60e6 < small < 80e6
    assert large == 4 << 30


@pytest.mark.parametrize("answer", [b"[]", b"{}", b'{"data_set_description": {"url": "x"}}'])
def test_what_is_no_description_is_refused(server, openml_server, tmp_path, answer):
    openml_server()
    server.pages["/data/61"] = server.pages["/data/list/data_name/x"] = Page(answer)
    for of, message in ((61, "does not describe"), ("x", "does not list")):
        with pytest.raises(FetchError, match=message):
            fetch_openml(of, 2, tmp_path / "x.arff")


@pytest.mark.parametrize(
    "about", [{"url": 5}, {"url": None}, {"md5_checksum": None}, {"md5_checksum": "0" * 31}]
)
def test_descriptions_with_other_values_are_refused(openml_server, tmp_path, about):
    openml_server(**about)
    with pytest.raises(FetchError, match="does not describe a data set with url and md5_checksum"):
        fetch_openml(61, 2, tmp_path / "x.arff")
    assert list(tmp_path.iterdir()) == []


def test_a_number_of_no_size_is_not_taken_for_one(server, openml_server, tmp_path):
    found = (
        '{"data": {"dataset": [{"did": Infinity, "quality": [{"name": "NumberOfInstances", "value": 2}]}]}}'
    )
    server.pages["/data/list/data_name/x"] = Page(found.encode())
    with pytest.raises(FetchError, match="does not list"):
        fetch_openml("x", 2, tmp_path / "x.arff")


@pytest.mark.parametrize(
    "text", ["5", "[" * 100_000, '{"data_set_description": []}', '{"data_set_description": 5}', "\udcff"]
)
def test_a_description_beside_a_file_that_is_none_is_named(tmp_path, text):
    (tmp_path / "x.json").write_text(text, errors="surrogateescape")
    with pytest.raises(ValueError, match=r"x\.json is not OpenML's description of a data set"):
        read_description(tmp_path / "x.arff")


# ---- load


@pytest.fixture
def known(tmp_path, monkeypatch):
    """Make a set known to `load`, and return the folder of fetched files."""
    cache = tmp_path / "cache"
    monkeypatch.delenv("SLANTWOOD_DATA", raising=False)
    for module in ("loading", "places"):
        monkeypatch.setattr(f"slantwood.data.registry.{module}.cache_folder", lambda: cache)

    def make(*copies, task="binary", **more):
        entry = Dataset("pets", task, "extra", Size(2, 2, 2), "https://example.org/pets", copies, **more)
        monkeypatch.setattr(loading, "dataset", lambda name: entry)
        return cache

    return make


def test_load_fetches_once_into_the_cache(server, known):
    server.pages["/pets.csv"] = Page(b"size,kind\n1,cat\n2,dog\n")
    file = File(
        "bin/pets/pets.csv",
        None,
        (Source(f"{server.url}/pets.csv"),),
        sha256(server.pages["/pets.csv"].content)[7:],
    )
    cache = known(copy_of(file, reading={"targets": "kind"}))
    for _ in range(2):
        data = load("pets")
        assert (data.task, data.y.tolist(), data.X.tolist()) == ("binary", ["cat", "dog"], [[1], [2]])
    assert len(server.requests) == 1
    assert (cache / file.name).is_file()


def test_load_takes_the_roles_of_columns_from_openml(openml_server, known):
    openml_server(ignore_attribute="extra")
    cache = known(copy_of(File("bin/pets/openml-61.arff"), openml=61))
    data = load("pets")
    assert data.feature_names == ("size",)
    assert data.y.tolist() == ["p", "q"]
    # Without the description nobody knows the targets.
    (cache / "bin/pets/openml-61.json").unlink()
    with pytest.raises(FileNotFoundError):
        load("pets", download=False)


def test_load_turns_to_the_next_copy_where_the_first_cannot_be_had(openml_server, known, closed_port):
    openml_server(ignore_attribute="extra")
    absent = File("bin/pets/pets.csv", None, (Source(f"http://127.0.0.1:{closed_port}/pets.csv"),))
    known(copy_of(absent, reading={"targets": "kind"}), copy_of(File("bin/pets/openml-61.arff"), openml=61))
    assert load("pets").y.tolist() == ["p", "q"]


def test_offline_one_message_says_what_to_do(known, closed_port):
    url = f"http://127.0.0.1:{closed_port}/pets.csv"
    cache = known(copy_of(File("bin/pets/pets.csv", None, (Source(url),))), stand_ins=("beasts",))
    with pytest.raises(FileNotFoundError) as caught:
        load("pets")
    message = str(caught.value)
    for said in (
        "'pets'",
        url,
        "cannot be reached",
        "https://example.org/pets",
        "put pets.csv into",
        "beasts",
    ):
        assert said in message
    assert str(Path(cache, "bin/pets")) in message
    assert "\n" not in message


def test_offline_openml_needs_its_description_too(known, monkeypatch, closed_port):
    monkeypatch.setattr(openml, "API", f"http://127.0.0.1:{closed_port}")
    known(copy_of(File("bin/pets/openml-61.arff"), openml=61))
    with pytest.raises(FileNotFoundError, match=f"as openml-61.json, http://127.0.0.1:{closed_port}/61 into"):
        load("pets")


def test_what_may_not_or_cannot_be_fetched_is_said(server, known):
    known(copy_of(File("bin/pets/pets.csv", None, (Source(f"{server.url}/pets.csv"),))))
    with pytest.raises(FileNotFoundError, match="download=False"):
        load("pets", download=False)
    known(copy_of(File("bin/pets/pets.csv")))
    with pytest.raises(FileNotFoundError, match="no public host is known"):
        load("pets")
    assert not server.requests


def test_archives_of_addresses_that_end_alike_have_names_of_their_own():
    names = [_name_of_archive(f"https://{host}/uc?export=download&id={host}") for host in "ab"]
    names.append(_name_of_archive("https://a/b.zip"))
    assert len(set(names)) == 3
    assert all(re.fullmatch(r"archive-[0-9a-f]{16}(\.zip)?", name) for name in names)
