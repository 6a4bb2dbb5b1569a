"""Executes one job in this process: fit on most of a data set, predict the rest, measure both."""

from __future__ import annotations

import platform
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

import slantwood
from slantwood_bench.folds import fold_of_rows
from slantwood_bench.jobs import IMPORTANCE, Job
from slantwood_bench.measures import MEASURES, quality
from slantwood_bench.methods import method_class
from slantwood_bench.noise_experiment import noise_experiment
from slantwood_bench.problems import Problem, cut, load_problem, rows_of
from slantwood_bench.usage import usage_of


@dataclass(frozen=True, eq=False)
class Prepared:
    """A data set, and the fold of each of its rows."""

    problem: Problem
    folds: np.ndarray


def warm_up() -> None:
    """Fit once, so that no clock measures how long loading takes."""
    slantwood.ObliqueForestClassifier(n_estimators=1).fit([[0.0], [1.0]], [0, 1])


def prepare(job: Job, data: Path | None, folds: Path) -> Prepared:
    """Read what the job and others on the same data set and number of folds need."""
    problem = load_problem(job.dataset, data)
    return Prepared(problem, fold_of_rows(problem, job.n_folds, folds))


def metadata(job: Job, prepared: Prepared) -> dict[str, Any]:
    """Return what a row of results says of the job however it ends."""
    problem = prepared.problem
    return {
        **asdict(job),
        "task": problem.task,
        "mark": problem.mark,
        "remark": problem.remark,
        "n_rows": problem.X.shape[0],
        "n_features": problem.X.shape[1],
        "n_targets": problem.n_targets,
        "measure": MEASURES[problem.task],
        "versions": _versions(method_class(job.method)),
    }


def run(job: Job, prepared: Prepared) -> dict[str, Any]:
    """Do the job, and return what a row of results says of it."""
    problem = prepared.problem
    method = method_class(job.method)(job.n_trees, job.seed, job.threads, job.changes)
    if job.experiment == IMPORTANCE:
        return metadata(job, prepared) | noise_experiment(problem, method, job.seed)
    test = prepared.folds == job.fold
    rows, X_test = cut(problem, np.flatnonzero(~test), np.flatnonzero(test), type(method))
    learning = usage_of(lambda: method.fit(rows))
    predictions: list[Any] = []
    predicting = usage_of(lambda: predictions.append(method.predict(X_test)))
    y_test = rows_of(problem.y, np.flatnonzero(test))
    return metadata(job, prepared) | {
        "quality": quality(problem.task, y_test, predictions[0], problem.hierarchy),
        "learn_seconds": learning.seconds,
        "predict_seconds": predicting.seconds,
        "peak_megabytes": max(learning.peak, predicting.peak),
        "nodes": method.nodes(),
        "bytes": method.n_bytes(),
    }


def _versions(method: Any) -> dict[str, str]:
    return {
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "scipy", "scikit-learn", "joblib")},
        "slantwood": slantwood.__version__,
        (method.distribution or method.package): method.version(),
    }
