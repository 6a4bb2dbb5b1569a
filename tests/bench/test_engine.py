"""Many jobs: each done once, whoever does them, and after an interruption only those that are left."""

import io
import signal
import sys
from collections import Counter

import joblib
import pytest

from slantwood_bench import engine
from slantwood_bench.engine import run
from slantwood_bench.jobs import Job, key_of
from slantwood_bench.store import Store

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="children are forked on Linux only")


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "results.jsonl")


@pytest.fixture
def ran(folders):
    """Return how often each job came to its end."""

    def count():
        path = folders.folds / "ran.txt"
        return Counter(path.read_text().splitlines()) if path.exists() else Counter()

    return count


def _values(store):
    return {key_of(row): (row["status"], row["quality"], row["error"]) for row in store.rows()}


def _some_jobs(toy):
    return [
        *(toy(dataset=name, fold=fold) for fold in range(4) for name in ("one", "two")),
        *(toy(do, dataset="two") for do in ("raise", "die", "kill")),
    ]


def test_every_job_has_a_row_and_is_not_done_again(toy, toys, folders, store, ran):
    jobs = _some_jobs(toy)
    summary = run(jobs, store, folders, 1, progress=False, module=toys)
    assert (summary.ran, summary.failed, summary.skipped) == (11, 3, 0)
    assert summary.counts == {"ok": 8, "failed": 1, "died": 2}
    assert set(_values(store)) == {job.key for job in jobs}
    again = run([*jobs, toy(fold=9)], store, folders, 1, progress=False, module=toys)
    assert (again.ran, again.skipped) == (1, 11)
    assert set(ran().values()) == {1}


def test_a_job_that_is_given_twice_is_done_once(toy, toys, folders, store, ran):
    run([toy(), toy()], store, folders, 1, progress=False, module=toys)
    assert ran() == {toy().key: 1}


def test_failed_jobs_are_tried_again_on_demand(toy, toys, folders, store):
    jobs = [toy(), toy("raise"), toy("sleep", seconds=60, timeout=0.3)]
    run(jobs, store, folders, 1, progress=False, module=toys)
    summary = run(jobs, store, folders, 1, progress=False, retry_failed=True, module=toys)
    assert summary.counts == {"failed": 1, "timed out": 1}
    assert summary.skipped == 1
    assert len(store.rows()) == 3


def test_no_jobs_are_no_work(folders, store):
    summary = run([], store, folders, 1, module="no_such_module")
    assert (summary.ran, summary.failed, summary.skipped) == (0, 0, 0)


def test_the_rows_are_the_same_for_any_number_and_kind_of_workers(toy, toys, folders, tmp_path, ran):
    jobs = _some_jobs(toy)
    kinds = [("loky", 1), ("loky", 3), ("threading", 3), ("multiprocessing", 2)]
    found = []
    for kind, n_jobs in kinds:
        store = Store(tmp_path / f"{kind}-{n_jobs}.jsonl")
        with joblib.parallel_config(backend=kind):
            run(jobs, store, folders, n_jobs, progress=False, module=toys)
        found.append(_values(store))
    assert found[0].keys() == {job.key for job in jobs}
    assert all(each == found[0] for each in found)
    assert set(ran().values()) == {len(kinds)}


def test_jobs_of_a_data_set_are_done_in_a_row(toy, toys, folders, store):
    run(_some_jobs(toy), store, folders, 1, progress=False, module=toys)
    prepared = [line.split()[0] for line in (folders.folds / "prepared.txt").read_text().splitlines()]
    assert prepared == ["one", "two"]


def test_nothing_is_left_after_a_run(toy, toys, folders, store, alive, worker_pids):
    run([toy()], store, folders, 1, progress=False, module=toys)
    assert len(worker_pids(folders)[0]) == 1
    assert not alive(worker_pids(folders)[0])
    assert not engine._idle
    assert not engine._every


def test_jobs_that_cannot_start_end_the_run_and_give_back_the_lock(toy, folders, store):
    with pytest.raises(RuntimeError, match=r"did not start.*no_such_module"):
        run([toy()], store, folders, 1, progress=False, module="no_such_module")
    with store:
        assert store.rows() == []


_STUDY = """
    from pathlib import Path
    import joblib
    from slantwood_bench.engine import Folders, run
    from slantwood_bench.jobs import Job
    from slantwood_bench.store import Store

    sleep = {{"do": "sleep", "seconds": 0.25}}
    jobs = [Job("comparison", "toy", "one", fold, changes=sleep) for fold in range(12)]
    if __name__ == "__main__":
        with joblib.parallel_config(backend={backend!r}):
            run(jobs, Store({path!r}), Folders(None, Path({folds!r})), {n_jobs}, module="toy_jobs")
"""


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("backend", "n_jobs"), [("loky", 2), ("threading", 2)])
def test_an_interrupted_run_goes_on_where_it_was(
    start_script, folders, store, traced, worker_pids, alive, within, backend, n_jobs
):
    text = _STUDY.format(backend=backend, path=str(store.path), folds=str(folders.folds), n_jobs=n_jobs)
    first = start_script(text)
    assert within(60, lambda: store.path.exists() and len(store.rows()) >= 3)
    first.send_signal(signal.SIGINT)
    _, errors = first.communicate(timeout=60)
    assert first.returncode == -signal.SIGINT
    assert "KeyboardInterrupt" in errors
    before = _values(store)
    assert 3 <= len(before) < 12
    assert within(60, lambda: not alive(traced(folders).union(*worker_pids(folders))))
    second = start_script(text)
    second.communicate(timeout=60)
    assert second.returncode == 0
    lines = store.path.read_text().splitlines()
    assert len(lines) == len(store.rows()) == 12  # none twice
    assert _values(store).items() >= before.items()
    assert {row["status"] for row in store.rows()} == {"ok"}


def test_a_killed_run_leaves_no_process_and_goes_on(
    start_script, folders, store, traced, worker_pids, alive, within
):
    text = _STUDY.format(backend="loky", path=str(store.path), folds=str(folders.folds), n_jobs=2)
    first = start_script(text)
    assert within(60, lambda: store.path.exists() and len(store.rows()) >= 2)
    first.kill()
    first.wait()
    assert within(60, lambda: not alive(traced(folders).union(*worker_pids(folders))))
    n_before = len(store.rows())
    start_script(text).communicate(timeout=60)
    assert n_before < len(store.path.read_text().splitlines()) == 12


def _forecast(n_workers=1, earlier=()):
    jobs = [Job("times", "toy", name, fold) for name in "ab" for fold in range(4)]
    return jobs, engine._Forecast(jobs, earlier, n_workers)


def _done(job, seconds, status="ok"):
    return {**vars(job), "seconds": seconds, "status": status}


def test_the_time_left_is_that_of_the_same_data_set_or_else_of_all():
    jobs, forecast = _forecast()
    assert forecast.seconds_left() is None
    assert str(forecast) == "0 of 8 jobs done, 0 failed"
    forecast.add(_done(jobs[0], 10.0))
    forecast.add(_done(jobs[1], 20.0, "failed"))
    assert forecast.seconds_left() == 2 * 15 + 4 * 15
    forecast.add(_done(jobs[4], 100.0))
    assert forecast.seconds_left() == 2 * 15 + 3 * 100
    assert str(forecast) == "3 of 8 jobs done, 1 failed, about 6 min left"


def test_workers_and_earlier_rows_count_in_the_time_left():
    jobs, forecast = _forecast(2)
    forecast.add(_done(jobs[0], 10.0))
    assert forecast.seconds_left() == 7 * 10 / 2
    for job in jobs[1:]:
        forecast.add(_done(job, 10.0))
    assert forecast.seconds_left() == 0
    earlier = [_done(Job("comparison", "toy", "b"), 50.0), _done(Job("times", "toy", "elsewhere"), 1000.0)]
    _, forecast = _forecast(1, earlier)
    assert forecast.seconds_left() == 8 * 50


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.4, "0 s"), (89, "89 s"), (600, "10 min"), (7500, "2 h 5 min"), (86400 * 2.5, "2.5 days")],
)
def test_times_in_words(seconds, words):
    assert engine._in_words(seconds) == words


class _Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_is_a_bar_in_a_terminal(toy, toys, folders, store, monkeypatch):
    screen = _Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm")
    run([toy(), toy("raise")], store, folders, 1, module=toys)
    assert "2 of 2 jobs done, 1 failed" in screen.getvalue()
    assert "\x1b[" in screen.getvalue()


def test_progress_is_a_few_lines_elsewhere(toy, toys, folders, store, monkeypatch):
    file = io.StringIO()
    monkeypatch.setattr(sys, "stderr", file)
    run([toy(fold=fold) for fold in range(5)], store, folders, 1, module=toys)
    assert file.getvalue() == "5 of 5 jobs done, 0 failed\n"
    monkeypatch.setattr(engine, "_SECONDS_BETWEEN_LINES", 0.0)
    run([toy(fold=fold) for fold in range(5, 8)], store, folders, 1, module=toys)
    assert file.getvalue().count("\n") == 4
    run([toy(fold=9)], store, folders, 1, progress=False, module=toys)
    assert file.getvalue().count("\n") == 4
