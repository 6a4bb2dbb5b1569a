"""Fits in each of the ways that a plan knows, and the seconds that they take once code is loaded.

Workers are processes on this machine, which hold the rows in blocks before the fit begins; rows that are read
from disk are files of Parquet.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from slantwood import ObliqueForestClassifier, ObliqueForestRegressor
from slantwood.dask import DaskObliqueForestClassifier, DaskObliqueForestRegressor
from slantwood.data import scan
from slantwood.planning.ways import MEMORY_FOR_ROWS, PROCESS_BYTES
from slantwood.task_names import NUMBER_TASKS
from slantwood_bench.problems import Problem
from slantwood_bench.scripts.cluster import cluster, held

_WARM_UP_ROWS = 200
_FILES = 8


class Resources(NamedTuple):
    """What a fit may use; the machines of a plan."""

    workers: int
    threads: int
    memory: float  # bytes of a worker


class Forest(NamedTuple):
    """A forest without its rows."""

    is_number: bool
    parameters: dict[str, Any]

    def local(self, **more: Any) -> Any:
        """Return the estimator of one machine."""
        kind = ObliqueForestRegressor if self.is_number else ObliqueForestClassifier
        return kind(**self.parameters, **more)

    def on_cluster(self, **more: Any) -> Any:
        """Return the estimator of a Dask cluster."""
        kind = DaskObliqueForestRegressor if self.is_number else DaskObliqueForestClassifier
        return kind(**self.parameters, **more)


def forest_of(problem: Problem, split: str, trees: int) -> Forest:
    """Return the default forest for a problem.

    Parameters
    ----------
    problem : Problem
        The rows.
    split : str
        Split learner.
    trees : int
        Trees.

    Returns
    -------
    Forest
        The forest.
    """
    given: dict[str, Any] = {"n_estimators": trees, "split": split, "random_state": 0}
    is_number = problem.task in NUMBER_TASKS
    return Forest(is_number, given if is_number else given | {"hierarchy": problem.hierarchy})


def seconds_by_threads(problem: Problem, forest: Forest, given: Resources) -> float:
    """Return the seconds of a fit in this process."""
    model = forest.local(n_jobs=given.threads)
    return _seconds(partial(model.fit, problem.X, problem.y))


def seconds_replicated(problem: Problem, forest: Forest, given: Resources) -> float:
    """Return the seconds of a fit on workers that hold all rows."""
    return _seconds_on_cluster(problem, forest, given, mode="replicate")


def seconds_partitioned(problem: Problem, forest: Forest, given: Resources) -> float:
    """Return the seconds of a fit on workers that hold a share of the rows each."""
    limit = int(MEMORY_FOR_ROWS * given.memory)
    return _seconds_on_cluster(problem, forest, given, mode="partition", max_memory=limit)


def seconds_out_of_core(problem: Problem, forest: Forest, given: Resources) -> float:
    """Return the seconds of a fit of rows that are read from files."""
    limit = int(given.memory - PROCESS_BYTES)
    with _files_of(problem) as rows:
        model = forest.local(n_jobs=given.threads, max_memory=limit)
        return _seconds(partial(model.fit, rows))


WAYS_TO_FIT: dict[str, Callable[[Problem, Forest, Resources], float]] = {
    "threads": seconds_by_threads,
    "replicate": seconds_replicated,
    "partition": seconds_partitioned,
    "out of core": seconds_out_of_core,
}


def _seconds(fit: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    fit()
    return time.perf_counter() - begun


def _seconds_on_cluster(problem: Problem, forest: Forest, given: Resources, **more: Any) -> float:
    with cluster(given.workers, given.threads) as client:
        few = problem.rows(np.arange(min(_WARM_UP_ROWS, problem.n_rows)))
        for part, is_warm_up in ((few, True), (problem, False)):
            X, y = (held(_dense(each), 2 * given.workers) for each in (part.X, part.y))
            model = forest.on_cluster(client=client, **({} if is_warm_up else more))
            seconds = _seconds(partial(model.fit, X, y))
    return seconds


def _dense(table: Any) -> np.ndarray:
    return np.asarray(table.toarray() if sp.issparse(table) else table)


@contextmanager
def _files_of(problem: Problem) -> Iterator[Any]:
    """Write rows of one target to Parquet files; yield a scan of them."""
    import pandas as pd

    X = _dense(problem.X)
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    frame["target"] = problem.y if problem.task in NUMBER_TASKS else np.char.add("c", problem.y.astype(str))
    with tempfile.TemporaryDirectory() as folder:
        for number, rows in enumerate(np.array_split(np.arange(len(frame)), _FILES)):
            frame.iloc[rows].to_parquet(Path(folder) / f"part-{number}.parquet", index=False)
        yield scan(folder, targets="target")
