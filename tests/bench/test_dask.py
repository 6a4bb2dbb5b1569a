"""The engine on a cluster of Dask: the rows of a local run, whoever is interrupted or killed."""

import os
import signal
import sys
import threading
import warnings

import joblib
import pytest

from slantwood_bench.clusters import workers
from slantwood_bench.engine import Folders, run
from slantwood_bench.jobs import Job, key_of
from slantwood_bench.store import Store

pytest.importorskip("distributed", reason="dask and distributed are not installed (extra `test`)")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="children are forked on Linux only")


@pytest.fixture
def cluster(toys):
    """Return a client of three workers, each a process."""
    from distributed import Client, LocalCluster

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with (
            LocalCluster(
                n_workers=3, threads_per_worker=1, processes=True, dashboard_address=":0"
            ) as cluster,
            Client(cluster) as client,
        ):
            yield client


def test_a_worker_that_is_killed_costs_no_row(
    cluster, toy, toys, folders, tmp_path, worker_pids, alive, within
):
    jobs = [
        toy("sleep", dataset=f"set-{fold // 10}", fold=fold, seconds=0.1 + 0.01 * (fold % 7))
        for fold in range(30)
    ]
    store = Store(tmp_path / "results.jsonl")
    killed = {}
    workers_at_first = set(cluster.run(os.getpid).values())

    def kill_one():
        assert within(60, lambda: store.path.exists() and len(store.rows()) >= 5)
        lines = [line.split() for line in (folders.folds / "prepared.txt").read_text().splitlines()]
        victim = int(lines[-1][2])
        assert victim in workers_at_first
        killed["worker_pids"] = {int(worker) for _, worker, worker in lines if int(worker) == victim}
        killed["rows"] = len(store.rows())
        os.kill(victim, signal.SIGKILL)

    killer = threading.Thread(target=kill_one)
    killer.start()
    with joblib.parallel_config(backend="dask"):
        summary = run(jobs, store, folders, progress=False, module=toys)
    killer.join()
    assert killed, "no worker was killed"
    assert 5 <= killed["rows"] < 30
    assert summary.counts == {"ok": 30}
    lines = store.path.read_text().splitlines()
    assert len(lines) == 30
    assert {key_of(row): row["quality"] for row in store.rows()} == {job.key: job.fold / 10 for job in jobs}
    assert killed["worker_pids"]
    assert within(60, lambda: not alive(killed["worker_pids"]))
    workers = worker_pids(folders)[1]
    assert len(workers) > 1
    assert os.getpid() not in workers


_EXACT = ("status", "quality", "measure", "nodes", "bytes", "n_rows", "task")


@pytest.mark.thorough
def test_a_study_on_a_cluster_finds_what_a_local_one_finds(cluster, data, tmp_path):
    methods = ("bag-gradient", "tree-pct")
    jobs = [Job("comparison", name, "banknote", fold, 2, 3) for name in methods for fold in range(2)]
    found = []
    for place, address in (("local", None), ("dask", cluster.scheduler.address)):
        store = Store(tmp_path / f"{place}.jsonl")
        with workers(place, address):
            summary = run(jobs, store, Folders(data, tmp_path / "folds"), 2, progress=False)
        assert summary.counts == {"ok": 4}
        found.append({key_of(row): [row[name] for name in _EXACT] for row in store.rows()})
    assert found[0].keys() == {job.key for job in jobs}
    assert found[0] == found[1]


@pytest.mark.thorough
def test_a_forest_in_a_job_grows_on_threads_of_the_job(cluster, toy, toys, folders, tmp_path):
    store = Store(tmp_path / "results.jsonl")
    with joblib.parallel_config(backend="dask"):
        run([toy("backend")], store, folders, progress=False, module=toys)
    assert [row["grows_elsewhere"] for row in store.rows()] == [False]


_STUDY = """
    from pathlib import Path
    from slantwood_bench.clusters import workers
    from slantwood_bench.engine import Folders, run
    from slantwood_bench.jobs import Job
    from slantwood_bench.store import Store

    sleep = {{"do": "sleep", "seconds": 0.25}}
    jobs = [Job("comparison", "toy", "one", fold, changes=sleep) for fold in range(12)]
    with workers("dask", {address!r}):
        run(jobs, Store({path!r}), Folders(None, Path({folds!r})), module="toy_jobs")
"""


@pytest.mark.thorough
def test_an_interrupted_run_keeps_its_rows_and_goes_on(cluster, start_script, folders, tmp_path, within):
    store = Store(tmp_path / "results.jsonl")
    address = cluster.scheduler.address
    text = _STUDY.format(address=address, path=str(store.path), folds=str(folders.folds))
    first = start_script(text)
    assert within(60, lambda: store.path.exists() and len(store.rows()) >= 3)
    first.send_signal(signal.SIGINT)
    _, errors = first.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors
    before = {key_of(row): row["quality"] for row in store.rows()}
    assert 3 <= len(before) < 12
    assert within(60, lambda: not any(cluster.processing().values()))
    second = start_script(text)
    assert "12 of 12" not in second.communicate(timeout=60)[1]  # those that were there are not done again
    assert second.returncode == 0
    rows = store.path.read_text().splitlines()
    assert len(rows) == len(store.rows()) == 12
    assert {key_of(row): row["quality"] for row in store.rows()}.items() >= before.items()


# ---- what cannot be reached


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "no such place:8786", "cloud"])
def test_an_address_at_which_nobody_answers_is_told(monkeypatch, address):
    monkeypatch.setattr("slantwood_bench.clusters._SECONDS_TO_CONNECT", 0.5)
    with (
        pytest.raises(ConnectionError, match=f"no scheduler of Dask answered at '{address}' within 0.5 s"),
        workers("dask", address),
    ):
        pass


def test_a_scheduler_without_workers_is_told():
    from distributed import Client, LocalCluster

    with (
        warnings.catch_warnings(),
        LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as empty,
        Client(empty),
        pytest.raises(ConnectionError, match="has no worker; start some with: dask worker"),
        workers("dask", empty.scheduler_address),
    ):
        pass


def test_without_distributed_the_package_to_install_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match="pip install distributed"), workers("dask", "tcp://127.0.0.1:9"):
        pass
