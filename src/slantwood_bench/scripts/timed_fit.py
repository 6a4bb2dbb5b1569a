"""One fit of the speed comparison, as a worker does it (see `slantwood_bench.worker`).

The time is that of the fit alone: before it, the process has fitted a tiny dense and a tiny sparse problem of
the task, so that nothing is imported, compiled or loaded any more.
"""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from slantwood.metrics import precision_at_k
from slantwood.task_names import CLASS_TASKS, LABEL_TASKS
from slantwood_bench.jobs import Job
from slantwood_bench.measures import MEASURES, quality
from slantwood_bench.methods import method_class
from slantwood_bench.problems import Problem
from slantwood_bench.scripts.data import read_parts
from slantwood_bench.usage import usage_of

# With more labels than this only the head of a ranking matters to anyone, and P@k is what others report.
MANY_LABELS = 1000


def warm_up() -> None:
    """Nothing: every job fits tiny problems first."""


def prepare(job: Job, data: Path | None, folds: Path) -> tuple[Problem, Problem]:
    """Read the training and the test part of the data set."""
    return read_parts(job.dataset)


def run(job: Job, parts: tuple[Problem, Problem]) -> dict[str, Any]:
    """Fit, and say what it took and how good it is."""
    train, test = parts
    cls = method_class(job.method)
    for tiny in _tiny_problems(train.task):
        warm = cls(2, 0, job.threads)
        warm.fit(tiny)
        warm.predict(tiny.X)
    method = cls(job.n_trees, job.seed, job.threads)
    usage = usage_of(lambda: method.fit(train))
    return {"usage": asdict(usage), "qualities": qualities(test, method.predict(test.X))}


def qualities(test: Problem, predicted: Any) -> dict[str, float]:
    """Return the measure of the task on test rows; of many labels P@1, P@3 and P@5."""
    if test.task == "multi-label" and test.n_targets > MANY_LABELS:
        at = (1, 3, 5)
        values = precision_at_k(test.y, predicted, k=at)
        return {f"P@{k}": float(value) for k, value in zip(at, values, strict=True)}
    return {MEASURES[test.task]: quality(test.task, test.y, predicted)}


def _tiny_problems(task: str) -> list[Problem]:
    rng = np.random.default_rng(0)
    X = rng.random((60, 8), dtype=np.float32) * (rng.random((60, 8)) < 0.5)
    y: np.ndarray
    if task in LABEL_TASKS:
        y = (X[:, :4] > 0.3).astype(np.int8)
    elif task in CLASS_TASKS:
        y = (X[:, 0] > X[:, 1]).astype(int)
    else:
        y = (X[:, 0] if task == "regression" else X[:, :3]).astype(float)
    return [
        Problem(task, X, y),
        Problem(task, sparse.csr_array(X), sparse.csr_array(y) if task in LABEL_TASKS else y),
    ]
