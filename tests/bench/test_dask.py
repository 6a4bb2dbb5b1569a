"""The engine on a cluster of Dask, one of whose workers is killed in the middle."""

import os
import signal
import sys
import threading
import warnings

import joblib
import pytest

from slantwood_bench.engine import run
from slantwood_bench.jobs import key_of
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
                n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None
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
    assert within(5, lambda: not alive(killed["worker_pids"]))
    workers = worker_pids(folders)[1]
    assert len(workers) > 1
    assert os.getpid() not in workers
