"""Bytes that reach the workers of a cluster, counted on a real one: two processes of Dask on this machine.

The counter is that of the loopback interface where the system has one, which sees all that the processes say
to each other, and the serialised size of what each worker holds while trees grow.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, NamedTuple

import joblib

from slantwood import ObliqueForestClassifier
from slantwood.callbacks import Callback
from slantwood.planning import Workload
from slantwood.planning.sizes import sent_bytes
from slantwood_bench.scripts.cost_points import Point, problem


class Traffic(NamedTuple):
    """Bytes of one fit on two workers."""

    point: Point
    predicted: float  # to one worker
    held: float  # by a worker, serialised, on average
    loopback: float  # all that went over the loopback interface; nan where it has no counter


class _Asks(Callback):
    """Asks the workers, after the first tree, what they hold."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.held: list[int] = []

    def on_fit_task_end(self, estimator: Any, context: Any) -> bool:
        """Ask once, when each worker has grown something."""
        if context.task_name == "tree" and context.task_id == _ASKED_AT:
            self.held = list(self.client.run(_held_bytes).values())
        return False


_ASKED_AT = 3
_N_TREES = 6
_POINTS = (
    Point("gradient", "multi-label", 40_000, 60, 500, 0.0, 4.0),
    Point("gradient", "multi-label", 30_000, 20_000, 1000, 60.0, 4.0),
    Point("gradient", "binary", 60_000, 50, 2),
)


def _held_bytes(dask_worker: Any) -> int:
    from distributed import protocol

    large = 0
    for value in dask_worker.data.values():
        _, frames = protocol.serialize(value)
        large += sum(memoryview(frame).nbytes for frame in frames)
    return large


def loopback_bytes() -> float:
    """Return the bytes that the loopback interface has received; nan where the system does not say.

    Returns
    -------
    float
        Bytes since the system started.
    """
    try:
        lines = Path("/proc/net/dev").read_text().splitlines()
    except OSError:
        return float("nan")
    return next((float(line.split()[1]) for line in lines if line.strip().startswith("lo:")), float("nan"))


def measured_traffic() -> list[Traffic]:
    """Fit small forests on two workers, and count.

    Returns
    -------
    list of Traffic
        One for each fit.
    """
    import distributed

    made: Any = distributed  # whose classes have no types
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cluster = made.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0")
        with cluster, made.Client(cluster) as client:
            for point in _POINTS:
                found.append(_of_fit(point, client))
    return found


def _of_fit(point: Point, client: Any) -> Traffic:
    X, y = problem(point)
    asks = _Asks(client)
    model = ObliqueForestClassifier(_N_TREES, random_state=0, max_depth=6).set_callbacks(asks)
    with joblib.parallel_config("dask"):
        before = loopback_bytes()
        model.fit(X, y)
        sent = loopback_bytes() - before
    work = Workload(
        point.rows,
        point.features,
        point.targets,
        task=point.task,
        nonzeros_per_row=X.nnz / point.rows if point.nonzeros_per_row else None,
        labels_per_row=y.nnz / point.rows if point.task == "multi-label" else 5.0,
    )
    holders = [size for size in asks.held if size]
    return Traffic(point, sent_bytes(work), sum(holders) / max(len(holders), 1), sent)


def print_traffic() -> None:
    """Measure, and print predicted and counted bytes."""
    for found in measured_traffic():
        point = found.point
        size = f"{point.rows:,} rows, {point.features:,} features, {point.targets:,} targets"
        held, all_bytes = found.held / found.predicted, found.loopback / found.predicted
        print(
            f"{size}: predicted {found.predicted / 1e6:.1f} MB a worker; a worker held "
            f"{found.held / 1e6:.1f} MB ({held:.2f} of it); two workers, client and scheduler sent "
            f"{found.loopback / 1e6:.1f} MB ({all_bytes:.2f})"
        )


if __name__ == "__main__":
    print_traffic()
