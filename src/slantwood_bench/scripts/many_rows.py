"""Boosting where rows are many: time, memory and quality beside LightGBM.

`python -m slantwood_bench.scripts.many_rows --rows 1000000 --features 100` draws rows of which a number is to
be told that depends on three directions of the features and on steps of single ones, with noise. Each method
learns it with its defaults in a process of its own. Prints CPU seconds of the fit, the peak of memory of the
process, in which X takes four bytes a cell, and R2 on new rows.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Sequence

import numpy as np
from sklearn.metrics import r2_score

from slantwood_bench.problems import Problem
from slantwood_bench.scripts.boosting import METHODS, OURS
from slantwood_bench.scripts.report import print_environment, print_head, print_row
from slantwood_bench.usage import usage_of

_N_NEW = 50_000
_NAMES = (OURS, "LightGBM")


def drawn(n_rows: int, n_features: int, seed: int) -> Problem:
    """Draw rows of the planted problem, which is the same with every seed."""
    planted = np.random.default_rng(0)
    directions = planted.standard_normal((n_features, 3), np.float32) / np.float32(np.sqrt(n_features))
    stepped = planted.permutation(n_features)[:5]
    rng = np.random.default_rng([1, seed])
    X = rng.standard_normal((n_rows, n_features), np.float32)
    along = X @ directions
    steps = (X[:, stepped] > 0.3).sum(axis=1)
    y = np.sin(2 * along[:, 0]) + along[:, 1] * along[:, 2] + 0.5 * steps + 0.5 * rng.standard_normal(n_rows)
    return Problem("regression", X, y)


def _fit(name: str, n_rows: int, n_features: int, n_jobs: int) -> dict[str, float]:
    tiny = drawn(100, 3, 0)
    METHODS[name](tiny, 0, 1).fit(tiny.X, tiny.y)  # loads what a fit needs
    train, test = drawn(n_rows, n_features, 0), drawn(_N_NEW, n_features, 1)
    model = METHODS[name](train, 0, n_jobs)
    begun = time.process_time()
    usage = usage_of(lambda: model.fit(train.X, train.y))
    cpu = time.process_time() - begun
    quality = float(r2_score(test.y, model.predict(test.X)))
    return {"cpu": cpu, "seconds": usage.seconds, "peak": usage.peak, "quality": quality}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--features", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--one", choices=_NAMES, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.one:
        print(json.dumps(_fit(options.one, options.rows, options.features, options.jobs)))
        return
    print_environment(["lightgbm"], rows=options.rows, features=options.features, jobs=options.jobs)
    print()
    print_head(["method", "CPU seconds", "seconds", "peak MB", "R2"])
    sizes = [f"--{name}={getattr(options, name)}" for name in ("rows", "features", "jobs")]
    for name in _NAMES:
        command = [sys.executable, "-m", "slantwood_bench.scripts.many_rows", "--one", name, *sizes]
        said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        found = json.loads(said.splitlines()[-1])
        rounded = [f"{found[key]:.0f}" for key in ("cpu", "seconds", "peak")]
        print_row([name, *rounded, found["quality"]])


if __name__ == "__main__":
    main()
