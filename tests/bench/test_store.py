"""The file of results: rows come back as they went in, power cuts cost one row, and one process writes."""

import json
import os
import re
import socket
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slantwood_bench.jobs import Job, key_of
from slantwood_bench.store import Store


def _row(fold, status="ok", **more):
    return {**vars(Job("comparison", "toy", "one", fold)), "status": status, **more}


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "out" / "results.jsonl")


def _filled(store, n=3):
    with store:
        for fold in range(n):
            store.append(_row(fold, quality=fold / 10))
    return store


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(st.lists(st.tuples(st.integers(0, 3), _values), max_size=8))
def test_rows_come_back_and_the_last_of_a_job_counts(tmp_path_factory, given_rows):
    store = Store(tmp_path_factory.mktemp("store") / "results.jsonl")
    with store:
        for fold, value in given_rows:
            store.append(_row(fold, thing=value))
    latest = dict(given_rows)
    rows = store.rows()
    assert {row["fold"]: row["thing"] for row in rows} == latest
    assert len(rows) == len(latest)
    assert store.done() == {key_of(_row(fold)) for fold in latest}


def test_each_row_is_one_line(store):
    _filled(store)
    with store:
        store.append(_row(7, error="two\nlines\u2028and more"))
    content = store.path.read_bytes()
    assert content.count(b"\n") == 4
    assert [json.loads(line)["fold"] for line in content.splitlines()] == [0, 1, 2, 7]


def test_no_file_is_no_rows(store):
    assert store.rows() == []
    assert store.done() == set()
    assert not store.path.exists()


def test_numbers_that_json_does_not_know_become_null(store):
    with store:
        store.append(_row(0, quality=float("nan"), importances={"real": [1.0, float("inf")]}, pair=(1, 2)))
    (row,) = store.rows()
    assert (row["quality"], row["importances"], row["pair"]) == (None, {"real": [1.0, None]}, [1, 2])
    assert b"NaN" not in store.path.read_bytes()


def test_failed_jobs_are_done_unless_they_are_to_be_tried_again(store):
    statuses = ["ok", "failed", "died", "timed out"]
    with store:
        for fold, status in enumerate(statuses):
            store.append(_row(fold, status))
    assert len(store.done()) == 4
    assert store.done(retry_failed=True) == {key_of(_row(0))}
    with store:
        store.append(_row(1, "ok"))
    assert store.done(retry_failed=True) == {key_of(_row(0)), key_of(_row(1))}


def test_a_row_without_a_key_is_not_taken(store):
    with store, pytest.raises(KeyError, match="method"):
        store.append({"experiment": "comparison"})
    assert store.rows() == []


def test_who_appends_must_hold_the_lock(store):
    with pytest.raises(RuntimeError, match="with store"):
        store.append(_row(0))


def test_a_torn_line_at_any_letter_is_set_aside_and_never_glued(tmp_path):
    whole = _filled(Store(tmp_path / "whole.jsonl")).path.read_bytes()
    first_two, last = whole[: whole[:-1].rfind(b"\n") + 1], whole[whole[:-1].rfind(b"\n") + 1 :]
    for length in range(1, len(last) - 1):
        store = Store(tmp_path / f"{length}.jsonl")
        store.path.write_bytes(first_two + last[:length])
        message = re.escape(repr(last[:length].decode()[:60])[1:-1])
        with pytest.warns(UserWarning, match=message), store:
            store.append(_row(5))
        assert [row["fold"] for row in store.rows()] == [0, 1, 5]
        assert store.path.with_name(f"{length}.jsonl.torn").read_bytes() == last[:length] + b"\n"
        assert store.path.read_bytes().startswith(first_two)


def test_a_whole_row_that_lost_only_its_end_of_line_is_kept(store):
    _filled(store)
    store.path.write_bytes(store.path.read_bytes()[:-1])
    with store:
        store.append(_row(5))
    assert [row["fold"] for row in store.rows()] == [0, 1, 2, 5]
    assert not store.path.with_name("results.jsonl.torn").exists()


@pytest.mark.parametrize("rubbish", [b"\0\0\0\0", b"\xff\xfe", b"[1, 2]", b"3", b'{"method": "toy"}'])
def test_rubbish_between_rows_is_set_aside(store, rubbish):
    _filled(store)
    lines = store.path.read_bytes().splitlines()
    store.path.write_bytes(b"\n".join([lines[0], rubbish, *lines[1:], b""]))
    with pytest.warns(UserWarning, match="left out"):
        assert len(store.rows()) == 3
    with pytest.warns(UserWarning, match="1 broken line,"), store:
        pass
    assert len(store.rows()) == 3


def test_readers_leave_a_torn_line_alone(store):
    _filled(store)
    torn = store.path.read_bytes()[:-10]
    store.path.write_bytes(torn)
    with pytest.warns(UserWarning, match="broken line"):
        assert [row["fold"] for row in store.rows()] == [0, 1]
    assert store.path.read_bytes() == torn


def test_a_row_that_others_may_have_read_outlives_an_interrupt(store, monkeypatch):
    def interrupt(file):
        assert [row["fold"] for row in store.rows()] == [0]
        raise KeyboardInterrupt

    with store, monkeypatch.context() as patch:
        patch.setattr(os, "fsync", interrupt)
        with pytest.raises(KeyboardInterrupt):
            store.append(_row(0))
    with store:
        store.append(_row(1))
    assert [row["fold"] for row in store.rows()] == [0, 1]


def test_a_full_disk_leaves_no_part_of_a_row(store, monkeypatch):
    _filled(store)
    before = store.path.read_bytes()
    write = os.write
    with store:
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", lambda file, line: write(file, line[:20]))
            with pytest.raises(OSError, match=r"only 20 of \d+ bytes"):
                store.append(_row(3))
        assert store.path.read_bytes() == before
        store.append(_row(3))
    assert [row["fold"] for row in store.rows()] == [0, 1, 2, 3]


def test_there_is_one_writer(store):
    with store:
        other = Store(store.path)
        with pytest.raises(BlockingIOError, match=rf"process {os.getpid()} on .* remove the file"), other:
            pass
        with store:  # the same one may
            store.append(_row(0))
        store.append(_row(1))
        assert len(other.rows()) == 2
    with other:
        other.append(_row(2))
    assert not list(store.path.parent.glob("*.lock*"))


def _lock(store, **owner):
    store.path.parent.mkdir(parents=True, exist_ok=True)
    path = store.path.with_name("results.jsonl.lock")
    path.write_text(json.dumps(owner))
    return path


def _dead_process():
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def test_the_lock_of_a_dead_process_is_taken_over(store):
    lock = _lock(store, pid=_dead_process(), host=socket.gethostname(), started=None)
    with store:
        assert json.loads(lock.read_text())["pid"] == os.getpid()
    assert not lock.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells when a process began")
def test_the_lock_of_a_dead_process_whose_number_lives_on_is_taken_over(store):
    lock = _lock(store, pid=os.getpid(), host=socket.gethostname(), started="another day")
    with store:
        assert json.loads(lock.read_text())["started"] not in (None, "another day")
        store.append(_row(0))
    assert [row["fold"] for row in store.rows()] == [0]
    assert not lock.exists()


@pytest.mark.parametrize(
    "owner",
    [{"pid": 1, "host": "another host", "started": None}, {"pid": 1}, {}],
    ids=["host", "part", "empty"],
)
def test_the_lock_of_another_host_or_of_nobody_known_stays(store, owner):
    lock = _lock(store, **owner)
    with pytest.raises(BlockingIOError, match="remove the file"), store:
        pass
    assert lock.exists()


def test_a_writer_that_is_killed_leaves_whole_rows_and_a_lock_that_counts_for_nothing(
    store, start_script, within
):
    script = start_script(
        f"""
        from slantwood_bench.store import Store
        from slantwood_bench.jobs import Job

        with Store({str(store.path)!r}) as store:
            for fold in range(10**6):
                store.append({{**vars(Job("comparison", "toy", "one", fold)), "status": "ok"}})
        """
    )
    assert within(60, lambda: store.path.exists() and store.path.stat().st_size > 5000)
    script.kill()
    script.wait()
    with store:
        store.append(_row(-1))
    folds = [row["fold"] for row in store.rows()]
    assert folds == [*range(len(folds) - 1), -1]
