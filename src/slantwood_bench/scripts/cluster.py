"""Forests on a cluster of this machine: bytes that travel, what a second worker saves, quality of shares.

`python -m slantwood_bench.scripts.cluster bytes` fits generated rows in both modes and prints what each
worker received, by Dask's own count, beside the bytes of its rows. `... speed` compares one worker with two,
and one thread with two. `... quality NAMES` divides data sets into 2, 4 and 8 parts, in random order and
sorted by the target, for two workers (`--workers`) with so little memory that no row is in two shares, and
prints how far the scores on unseen rows are from those of a local forest. `docs/clusters.md` has the output.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from slantwood import ObliqueForestClassifier, ObliqueForestRegressor
from slantwood.dask import DaskObliqueForestClassifier, DaskObliqueForestRegressor
from slantwood.metrics import label_ranking_average_precision
from slantwood.task_names import LABEL_TASKS, NUMBER_TASKS
from slantwood_bench.problems import Problem
from slantwood_bench.scripts.data import read_parts
from slantwood_bench.scripts.report import print_environment, print_head, print_row

_SETS = ("cpu_small", "house_8L", "mediamill")


@contextmanager
def cluster(n_workers: int, n_threads: int = 1) -> Iterator[Any]:
    """Start workers, each a process, and yield a client of them."""
    from distributed import Client, LocalCluster

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with (
            LocalCluster(
                n_workers=n_workers, threads_per_worker=n_threads, dashboard_address=":0"
            ) as started,
            Client(started) as client,
        ):
            yield client


def blocks(table: Any, n_blocks: int) -> Any:
    """Return rows as a dask array of so many blocks."""
    import dask.array as da

    return da.from_array(table, chunks=(-(-table.shape[0] // n_blocks), *table.shape[1:]))


def held(table: Any, n_blocks: int) -> Any:
    """Return the same when the workers hold the blocks."""
    from distributed import wait

    there = blocks(table, n_blocks).persist()
    wait(there)
    return there


def generated(n_rows: int, n_features: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw rows with a number that depends on ten of their features."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_features)).astype(np.float32)
    return X, np.sin(X[:, :5]).sum(axis=1) + X[:, 5:10].prod(axis=1) + rng.normal(0, 0.3, n_rows)


def received(dask_worker: Any) -> int:
    """Return the bytes that a worker received from others, by its own count."""
    return sum(each["total"] for each in dask_worker.transfer_incoming_log)


def print_bytes(n_rows: int) -> None:
    """Print what travels to each worker."""
    X, y = generated(n_rows, 100)
    of_all = X.nbytes + 4 * len(y)
    print_head(["mode", "workers", "rows, MB", "its rows, MB", "received by each, MB"])
    for n_workers in (2, 4):
        for mode in ("replicate", "partition"):
            # Just enough memory for a share of the rows.
            memory = int(6 * of_all / n_workers) if mode == "partition" else None
            with cluster(n_workers) as client:
                table, target = held(X, 2 * n_workers), held(y, 2 * n_workers)
                before = client.run(received)
                forest = DaskObliqueForestRegressor(20, random_state=0, mode=mode, max_memory=memory)
                forest.fit(table, target)
                after = client.run(received)
            share = of_all / (n_workers if mode == "partition" else 1)
            moved = ", ".join(f"{(after[each] - before[each]) / 1e6:.1f}" for each in sorted(after))
            print_row([mode, str(n_workers), f"{of_all / 1e6:.1f}", f"{share / 1e6:.1f}", moved])


def print_speed(n_rows: int) -> None:
    """Print how long one and two workers take for the same forest, and one and two threads."""
    X, y = generated(n_rows, 50)
    print_head(["on", "seconds", "R2"])

    def timed(number: int, what: str, forest: Any, table: Any, target: Any) -> float:
        clone(forest).set_params(n_estimators=2).fit(table, target)  # loads code
        started = time.perf_counter()
        forest.fit(table, target)
        seconds = time.perf_counter() - started
        print_row([f"{number} {what}", f"{seconds:.1f}", f"{forest.score(X, y):.4f}"])
        return seconds

    def by_workers(number: int) -> float:
        with cluster(number) as client:
            forest = DaskObliqueForestRegressor(100, random_state=0, client=client)
            return timed(number, "workers", forest, held(X, 4), held(y, 4))

    def by_threads(number: int) -> float:
        forest = ObliqueForestRegressor(100, random_state=0, n_jobs=number)
        return timed(number, "threads", forest, X, y)

    of_workers, of_threads = (seconds(1) / seconds(2) for seconds in (by_workers, by_threads))
    print(f"\ntwo workers: {of_workers:.2f} times as fast as one, two threads: {of_threads:.2f} times")


def score_of(model: Any, test: Problem) -> float:
    """Return R2, LRAP or accuracy on unseen rows."""
    if test.task in LABEL_TASKS:
        Y = test.y.toarray() if sp.issparse(test.y) else test.y
        return label_ranking_average_precision(Y, model.predict_proba(test.X))
    return model.score(test.X, test.y)


def sorted_by_target(problem: Problem) -> Problem:
    """Return the rows in the order of the target, or of the number of labels and the first of them."""
    y = problem.y.toarray() if sp.issparse(problem.y) else np.asarray(problem.y)
    keys = y if y.ndim == 1 else y @ np.linspace(1.0, 2.0, y.shape[1])
    return problem.rows(np.argsort(keys, kind="stable"))


def print_quality(names: Sequence[str], n_trees: int, workers: Sequence[int], n_parts: Sequence[int]) -> None:
    """Print scores of forests of shares beside those of local forests."""
    heads = [f"{n} parts, {order}" for n in n_parts for order in ("shuffled", "sorted")]
    print_head(["data", "rows", "workers", "local", *heads])
    for name in names:
        train, test = read_parts(name)
        is_number = train.task in NUMBER_TASKS
        kind = ObliqueForestRegressor if is_number else ObliqueForestClassifier
        local = score_of(kind(n_trees, random_state=0).fit(train.X, train.y), test)
        for n_workers in workers:
            with cluster(n_workers) as client:
                cells = [
                    _score_of_shares(client, ordered, test, n, n_trees, n_workers)
                    for n in n_parts
                    for ordered in (train, sorted_by_target(train))
                ]
            print_row(
                [
                    name,
                    str(train.n_rows),
                    str(n_workers),
                    f"{local:.4f}",
                    *(f"{c - local:+.4f}" for c in cells),
                ]
            )


def _score_of_shares(
    client: Any, train: Problem, test: Problem, n_parts: int, n_trees: int, n_workers: int
) -> float:
    X, y = (each.toarray() if sp.issparse(each) else np.asarray(each) for each in (train.X, train.y))
    kind = DaskObliqueForestRegressor if train.task in NUMBER_TASKS else DaskObliqueForestClassifier
    n_bytes = 4 * len(X) * (X.shape[1] + (1 if y.ndim == 1 else y.shape[1]))
    # So little memory that no row is in two shares.
    memory = int((4.25 * n_bytes + 128 * len(X)) / n_workers * 1.2)
    forest = kind(n_trees, random_state=0, mode="partition", client=client, max_memory=memory)
    forest.fit(blocks(X, n_parts), blocks(y, n_parts))
    return score_of(forest.to_local(), test)


def main() -> None:
    """Print what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=("bytes", "speed", "quality"))
    parser.add_argument("names", nargs="*", default=_SETS)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--trees", type=int, default=48)
    parser.add_argument("--workers", type=int, nargs="+", default=[2])
    parser.add_argument("--parts", type=int, nargs="+", default=[2, 4, 8])
    given = parser.parse_args()
    print_environment(dask=version("dask"))
    if given.what == "bytes":
        print_bytes(given.rows)
    elif given.what == "speed":
        print_speed(given.rows)
    else:
        print_quality(given.names, given.trees, given.workers, given.parts)


if __name__ == "__main__":
    main()
