"""Fetching, from a server on this computer that cuts connections, forgets ranges, and sends wrong files."""

import gzip
import hashlib
import io
import json
import re
import socket
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
from slantwood.data.registry import loading, openml, unpack
from slantwood.data.registry.download import FetchError, SafeRedirects, download, get_json
from slantwood.data.registry.entries import Copy, Dataset, File, Size, Source
from slantwood.data.registry.fetch import _name_of_archive, fetch_copy
from slantwood.data.registry.loading import load
from slantwood.data.registry.openml import fetch_openml, read_description

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


def test_no_way_leads_from_a_safe_address_to_one_that_is_not():
    def follow(old, new):
        return SafeRedirects().redirect_request(Request(old), None, 302, "Found", {}, new)

    assert follow("https://a.org/x", "https://b.org/y").full_url == "https://b.org/y"
    assert follow("http://a.org/x", "http://b.org/y").full_url == "http://b.org/y"
    for unsafe in ("http://b.org/y", "ftp://b.org/y"):
        with pytest.raises(FetchError, match=r"redirects to .*b\.org/y, which is not secure"):
            follow("https://a.org/x", unsafe)


def test_archives_of_addresses_that_end_alike_have_names_of_their_own():
    names = [_name_of_archive(f"https://{host}/uc?export=download&id={host}") for host in "ab"]
    names.append(_name_of_archive("https://a/b.zip"))
    assert len(set(names)) == 3
    assert all(re.fullmatch(r"archive-[0-9a-f]{16}(\.zip)?", name) for name in names)
