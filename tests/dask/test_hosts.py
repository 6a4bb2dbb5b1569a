"""Forests on several hosts: network namespaces, each with an address and a cable of its own."""

import json
import os
import shutil
import subprocess
import sys
from contextlib import ExitStack

import dask.array as da
import numpy as np
import pytest
from sklearn.datasets import make_classification

from slantwood import ObliqueForestClassifier
from slantwood.dask import DaskObliqueForestClassifier
from tests.dask.problems import classes, same_trees
from tests.dask.test_fitting import After

NET, BRIDGE = "198.18.77", f"sw{os.getpid()}"  # a net for measurements, which no public host is in
SCHEDULER = f"tcp://{NET}.10:8786"

# A cable that is pulled is noticed by silence alone, by default after half a minute or more.
IMPATIENT = {
    "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "20s",
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": "15s",  # Dask refuses connections where it is below 11
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "5s",
}


def ip(*words):
    return subprocess.run(["ip", *words], check=True, capture_output=True, text=True, timeout=20).stdout


def can_make_hosts():
    if sys.platform != "linux" or os.geteuid() or shutil.which("ip") is None:
        return False
    try:
        ip("netns", "add", f"{BRIDGE}try")
        ip("netns", "del", f"{BRIDGE}try")
        ip("link", "add", f"{BRIDGE}try", "type", "bridge")
        ip("link", "del", f"{BRIDGE}try")
    except (OSError, subprocess.SubprocessError):
        return False
    return True


class Host:
    """A namespace with one cable to the bridge."""

    def __init__(self, number, stack):
        self.name, self.address = f"{BRIDGE}h{number}", f"{NET}.{10 + number}"
        ip("netns", "add", self.name)
        stack.callback(ip, "netns", "del", self.name)
        ip("link", "add", self.name, "type", "veth", "peer", "name", "eth0", "netns", self.name)
        # A namespace lives until its last process has ended; the cable is to go at once.
        stack.callback(ip, "link", "del", self.name)
        ip("link", "set", self.name, "master", BRIDGE, "up")
        ip("-n", self.name, "addr", "add", f"{self.address}/24", "dev", "eth0")
        for device in ("eth0", "lo"):
            ip("-n", self.name, "link", "set", device, "up")

    def start(self, stack, module, *words):
        command = ["ip", "netns", "exec", self.name, sys.executable, "-m", f"distributed.cli.{module}"]
        given = ["--host", self.address, "--no-dashboard", *words]
        process = subprocess.Popen(
            [*command, *given],
            env=os.environ | IMPATIENT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        stack.callback(process.wait, 20)
        stack.callback(process.kill)

    def plug(self, how):
        ip("link", "set", self.name, how)

    @property
    def received(self):
        """Bytes that have come in, by the count of the host's interface."""
        [link] = json.loads(ip("-n", self.name, "-s", "-j", "link", "show", "eth0"))
        return link["stats64"]["rx"]["bytes"]


# Code is loaded before a worker says that it is there: it would be silent for long while that is done.
WORKER = ["--no-nanny", "--nthreads", "1", "--memory-limit", "2GB", "--preload", "slantwood.dask.growing"]


@pytest.fixture
def hosts():
    """Two hosts with a worker each, and a client of theirs; the scheduler is on a third one."""
    distributed = pytest.importorskip("distributed", reason="dask and distributed are not installed")
    with ExitStack() as stack:
        ip("link", "add", BRIDGE, "type", "bridge")
        stack.callback(ip, "link", "del", BRIDGE)
        ip("addr", "add", f"{NET}.1/24", "dev", BRIDGE)
        ip("link", "set", BRIDGE, "up")
        of_scheduler, *of_workers = [Host(number, stack) for number in range(3)]
        of_scheduler.start(stack, "dask_scheduler", "--port", "8786")
        for host in of_workers:
            host.start(stack, "dask_worker", SCHEDULER, *WORKER)
        client = stack.enter_context(distributed.Client(SCHEDULER, timeout=60, set_as_default=False))
        client.wait_for_workers(2, timeout=60)
        yield of_workers, client


pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(not can_make_hosts(), reason="needs Linux, root and ip of iproute2"),
]


@pytest.mark.parametrize("shares", [False, True])
def test_hosts_grow_the_trees_of_one_machine(client, hosts, shares):
    problem = classes()
    given = problem.in_halves if shares else {}
    forest = problem.on_cluster(client=hosts[1], **given).fit(problem.dask_X, problem.dask_y)
    assert same_trees(forest, problem.on_cluster(client=client, **given).fit(problem.dask_X, problem.dask_y))
    assert shares or same_trees(forest, problem.local().fit(problem.X, problem.y))


@pytest.mark.parametrize("shares", [False, True])
def test_a_host_receives_about_one_copy_of_its_rows(hosts, shares):
    workers, client = hosts
    X, y = make_classification(20_000, 100, n_informative=10, random_state=0)
    X = X.astype(np.float32)
    rows = client.persist([da.from_array(X, chunks=(2500, 100)), da.from_array(y, chunks=2500)])
    forest = DaskObliqueForestClassifier(4, random_state=0, client=client, max_depth=4)
    forest.set_params(**{"mode": "partition", "max_memory": "20MB"} if shares else {})
    forest.fit(*rows)  # so that code is loaded
    before = [host.received for host in workers]
    forest.fit(*rows)
    came = [host.received - start for host, start in zip(workers, before, strict=True)]
    n_rows = forest.trees_.node_weight[forest.trees_.roots].max()
    assert max(came) < 1.2 * n_rows * (X[0].nbytes + 4 * 2)
    if not shares:
        local = ObliqueForestClassifier(4, random_state=0, max_depth=4).fit(X, y)
        assert same_trees(forest, local)


@pytest.mark.parametrize("shares", [False, True])
def test_a_cable_that_is_pulled_costs_no_tree(hosts, shares):
    workers, client = hosts
    problem = classes()
    given = {"n_estimators": 100} | (problem.in_halves if shares else {})
    undisturbed = problem.on_cluster(client=client).set_params(**given).fit(problem.dask_X, problem.dask_y)
    forest = problem.on_cluster(client=client).set_params(**given)
    forest.set_callbacks(After((4,), lambda: workers[1].plug("down")))
    forest.fit(problem.dask_X, problem.dask_y)
    assert same_trees(forest, undisturbed)
    assert len(client.scheduler_info(n_workers=-1)["workers"]) == 1
