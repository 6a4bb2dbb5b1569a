"""Jobs in processes of their own: results, limits, deaths, and that nothing is left behind."""

import json
import os
import signal
import socket
import sys
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

import pytest

from slantwood_bench import worker as worker_module
from slantwood_bench.jobs import Job, key_of
from slantwood_bench.worker import Folders, Worker

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="children are forked on Linux only")


@pytest.fixture
def worker(toys):
    with Worker(toys) as worker:
        yield worker


@pytest.fixture(params=[True, False], ids=["forks", "alone"])
def any_worker(request, toys):
    with Worker(toys, forks=request.param) as worker:
        yield worker


def _prepared(folders):
    return [line.split()[0] for line in (folders.folds / "prepared.txt").read_text().splitlines()]


def test_a_row_has_the_job_the_result_and_the_environment(any_worker, toy, folders):
    job = toy(fold=3)
    row = any_worker.result(job, folders)
    assert {name: row[name] for name in asdict(job)} == asdict(job)
    assert (row["status"], row["error"], row["quality"]) == ("ok", "", 0.3)
    assert (row["task"], row["n_rows"]) == ("binary", 3)
    assert row["nodes"] is None
    assert 0 < row["seconds"] < 60
    assert datetime.fromisoformat(row["started"]).utcoffset().total_seconds() == 0
    assert row["host"] == socket.gethostname()
    assert row["pid"] != os.getpid()


def test_every_job_has_a_process_of_its_own_and_the_data_set_is_read_once(worker, toy, folders):
    rows = [worker.result(toy(fold=fold), folders) for fold in range(4)]
    assert len({row["pid"] for row in rows}) == 4
    assert {row["used"] for row in rows} == {1}  # what a job does to the data set ends with it
    assert _prepared(folders) == ["one"]
    worker.result(toy(dataset="two"), folders)
    worker.result(toy(), folders)
    assert _prepared(folders) == ["one", "two", "one"]


def test_another_number_of_folds_or_folder_is_read_anew(worker, folders, tmp_path):
    other = Folders(tmp_path, folders.folds)
    for n_folds, places in ((5, folders), (10, folders), (10, other), (10, other)):
        worker.result(Job("times", "toy", "one", n_folds=n_folds), places)
    assert len(_prepared(folders)) == 3


def test_without_forks_every_job_has_a_worker_of_its_own(toys, toy, folders):
    with Worker(toys, forks=False) as worker:
        rows = [worker.result(toy(fold=fold), folders) for fold in range(2)]
    assert len({row["pid"] for row in rows}) == 2
    assert _prepared(folders) == ["one", "one"]


def test_a_data_set_whose_reader_leaves_threads_is_not_forked(worker, toy, folders):
    rows = [worker.result(toy(dataset="threads", fold=fold), folders) for fold in range(2)]
    assert [row["status"] for row in rows] == ["ok", "ok"]
    assert _prepared(folders) == ["threads", "threads"]


@pytest.mark.sampled(1)
def test_a_limit_ends_the_job_and_all_that_it_has_started(any_worker, toy, folders, traced, alive, within):
    row = any_worker.result(toy("never_end", timeout=1.0), folders)
    assert (row["status"], row["quality"]) == ("timed out", None)
    assert row["error"] == "the job took longer than 1 s"
    assert 1.0 <= row["seconds"] < 600  # as long as the job would take
    assert row["task"] == "binary"
    assert len(traced(folders)) == 3
    assert within(60, lambda: not alive(traced(folders) - {os.getpid()}))  # without forks we are its parent
    assert any_worker.result(toy(), folders)["status"] == "ok"


@pytest.mark.parametrize(
    ("do", "error"),
    [("die", "its process ended with code 3"), ("kill", "its process was killed by SIGKILL")],
)
def test_a_death_is_told_and_the_next_job_is_done(any_worker, toy, folders, do, error):
    row = any_worker.result(toy(do), folders)
    assert (row["status"], row["quality"], row["task"]) == ("died", None, "binary")
    assert row["error"].startswith(error)
    assert key_of(row) == toy(do).key
    assert any_worker.result(toy(), folders)["status"] == "ok"


def test_the_last_words_are_those_of_the_job_that_died(worker, toy, folders):
    assert worker.result(toy("die"), folders)["error"].endswith("; the first words | the last words")
    assert "words" not in worker.result(toy("kill"), folders)["error"]


@pytest.mark.parametrize(
    ("do", "error"),
    [
        ("raise", "TypeError: a job that fails in two lines"),
        ("exit", "SystemExit: as some libraries do"),
        ("no_such_thing", "KeyError: '_no_such_thing'"),
    ],
)
def test_an_exception_is_told_in_one_line(any_worker, toy, folders, do, error):
    row = any_worker.result(toy(do), folders)
    assert (row["status"], row["error"], row["quality"]) == ("failed", error, None)
    assert any_worker.result(toy(), folders)["status"] == "ok"


def test_a_row_that_json_does_not_know_fails(worker, toy, folders):
    row = worker.result(toy("strange"), folders)
    assert row["status"] == "failed"
    assert "nothing that JSON knows" in row["error"]


def test_numbers_of_numpy_are_plain_in_the_row(worker, toy, folders):
    row = worker.result(toy("numpy"), folders)
    assert (row["quality"], row["nodes"], row["importances"]) == (0.5, 7, [0, 1, 2])
    json.dumps(row)


def test_prints_do_not_reach_the_pipe_and_nothing_can_be_read(any_worker, toy, folders):
    row = any_worker.result(toy("print"), folders)
    assert (row["status"], row["read"]) == ("ok", "")


def test_a_row_may_be_longer_than_a_pipe(worker, toy, folders):
    assert worker.result(toy("long"), folders)["importances"] == list(range(200_000))


def test_a_job_cannot_change_its_key(worker, toy, folders):
    assert key_of(worker.result(toy("change_the_key"), folders)) == toy("change_the_key").key


@pytest.mark.parametrize(("do", "status"), [("leave_a_process", "ok"), ("die_and_leave_a_process", "died")])
def test_processes_that_a_job_leaves_are_ended(worker, toy, folders, traced, alive, within, do, status):
    row = worker.result(toy(do), folders)
    assert row["status"] == status
    assert row["seconds"] < 30
    assert len(traced(folders)) == 1
    assert within(60, lambda: not alive(traced(folders)))


def test_a_job_that_closes_its_pipe_has_died(worker, toy, folders):
    assert worker.result(toy("close_everything"), folders)["status"] == "died"


def test_the_death_of_the_worker_itself_is_that_of_the_job(worker, toy, folders, traced, alive, within):
    row = worker.result(toy("kill_worker"), folders)
    assert row["status"] == "died"
    assert within(60, lambda: not alive(traced(folders)))
    assert worker.result(toy(), folders)["status"] == "ok"


def test_a_worker_that_ended_while_idle_is_replaced(worker, toy, folders, worker_pids, alive, within):
    worker.result(toy(), folders)
    (pid,) = worker_pids(folders)[0]
    os.kill(pid, signal.SIGKILL)
    assert within(60, lambda: not alive([pid]))
    assert worker.result(toy(), folders)["status"] == "ok"


def test_a_data_set_that_is_not_there_fails(any_worker, toy, folders):
    row = any_worker.result(toy(dataset="absent"), folders)
    assert row["status"] == "failed"
    assert row["error"] == "FileNotFoundError: [Errno 2] no such data set: 'absent.arff'"
    assert any_worker.result(toy(), folders)["status"] == "ok"


def test_a_data_set_that_kills_its_reader_is_a_death(any_worker, toy, folders):
    assert any_worker.result(toy(dataset="deadly"), folders)["status"] == "died"
    assert any_worker.result(toy(), folders)["status"] == "ok"


def test_threads_and_the_folder_for_scratch_files_come_from_the_environment(worker, toy, folders):
    first = worker.result(toy("environment"), folders)
    second = worker.result(toy("environment", threads=2), folders)
    assert (first["threads_of_blas"], second["threads_of_blas"]) == ("1", "2")
    assert not Path(first["place"]).exists()  # it went with the worker for one thread
    assert Path(second["place"]).exists()
    worker.close()
    assert not Path(second["place"]).exists()


def test_children_are_forked_with_threads_of_blas_too(worker, toy, folders):
    rows = [worker.result(toy(fold=fold, threads=2), folders) for fold in range(3)]
    assert [row["status"] for row in rows] == ["ok"] * 3
    assert _prepared(folders) == ["one"]


@pytest.mark.parametrize(("patience", "starts"), [(60.0, 1), (0.0, 2)])
def test_a_worker_that_has_compiled_starts_once_more(
    toys, toy, folders, tmp_path, monkeypatch, worker_pids, patience, starts
):
    monkeypatch.setattr(worker_module, "_SECONDS_WITHOUT_COMPILING", patience)
    with Worker(toys) as worker:
        assert [worker.result(toy(fold=fold), folders)["quality"] for fold in range(2)] == [0.0, 0.1]
    warmed = [int(pid) for pid in (tmp_path / "modules" / "warmed.txt").read_text().splitlines()]
    assert len(warmed) == starts
    assert set(warmed) == worker_pids(folders)[0]


def test_a_limit_may_be_infinite(worker, toy, folders):
    assert worker.result(toy(timeout=float("inf")), folders)["status"] == "ok"


def test_a_worker_that_cannot_start_says_why(tmp_path, monkeypatch, toy, folders):
    (tmp_path / "broken_jobs.py").write_text("raise ImportError('no such library')")
    monkeypatch.syspath_prepend(str(tmp_path))
    with (
        Worker("broken_jobs") as worker,
        pytest.raises(RuntimeError, match=r"did not start.*ImportError: no such library"),
    ):
        worker.result(toy(), folders)


def test_a_closed_worker_does_nothing(toys, toy, folders):
    worker = Worker(toys)
    worker.result(toy(), folders)
    worker.close()
    worker.close()
    with pytest.raises(RuntimeError, match="closed"):
        worker.result(toy(), folders)


_PARENT = """
    from pathlib import Path
    from slantwood_bench.jobs import Job
    from slantwood_bench.worker import Folders, Worker

    job = Job("comparison", "toy", "one", changes={{"do": "never_end"}})
    Worker("toy_jobs", forks={forks}).result(job, Folders(None, Path({folds!r})))
"""


@pytest.mark.parametrize("forks", [True, False])
def test_nothing_is_left_of_a_worker_whose_parent_was_killed(
    start_script, folders, traced, alive, within, forks
):
    parent = start_script(_PARENT.format(forks=forks, folds=str(folders.folds)))
    assert within(60, lambda: len(traced(folders)) == 3)
    ours = traced(folders) - {parent.pid}
    assert alive(ours) == ours
    parent.kill()
    assert within(60, lambda: not alive(ours))


def test_nothing_is_left_of_a_worker_whose_parent_was_killed_before_it_was_ready(
    start_script, folders, tmp_path, monkeypatch, alive, within
):
    monkeypatch.setenv("TOY_WARM_UP", "600")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    parent = start_script(_PARENT.format(forks=True, folds=str(folders.folds)))
    warmed = tmp_path / "modules" / "warmed.txt"
    assert within(60, lambda: warmed.exists() and warmed.read_text().endswith("\n"))
    pids = [int(warmed.read_text())]
    assert alive(pids)
    assert list(tmp_path.glob("slantwood-*"))
    parent.kill()
    assert within(60, lambda: not alive(pids))
    assert not list(tmp_path.glob("slantwood-*"))  # nor of its scratch files
