"""What rows without label add: forests of the labelled rows alone beside such that also see the others.

`python -m slantwood_bench.scripts.semi_supervised [NAME ...]`. A third of the rows tests; of the rest a tenth
or a quarter keeps its labels, drawn anew for each seed. Both forests have the same number of trees.
"""

import argparse
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from slantwood.task_names import CLASS_TASKS, LABEL_TASKS
from slantwood_bench.measures import quality
from slantwood_bench.methods.base import dense
from slantwood_bench.methods.oblique import estimator
from slantwood_bench.problems import Problem
from slantwood_bench.scripts.data import read
from slantwood_bench.scripts.report import print_environment, print_head, print_row

# Two for each kind of target: two classes, several classes, labels, numbers.
NAMES = ("spambase", "diabetes", "mfeat-pixel", "gesture", "emotions", "scene", "wq", "jura")
LABELED = (0.1, 0.25)
WEIGHTS = (0.3, "auto")


def unlabeled(y: np.ndarray, n_labeled: int) -> np.ndarray:
    """Return y with the labels of the first rows only."""
    y = y.astype(object if y.ndim == 1 and y.dtype.kind not in "f" else np.float64)
    y[n_labeled:] = None if y.dtype == object else np.nan
    return y


def judged(forest: Any, test: Problem) -> float:
    """Macro F1 of classes, be they two or more; ranking precision of labels, R2 of numbers."""
    predict = forest.predict_proba if test.task in LABEL_TASKS else forest.predict
    return quality("multi-class" if test.task in CLASS_TASKS else test.task, test.y, predict(test.X))


def compared(
    problem: Problem, share: float, seed: int, **how: Any
) -> tuple[list[tuple[float, float]], list[float]]:
    """Quality and seconds of the forest on the labelled rows alone, then of each weight; weights in use."""
    order = np.random.default_rng(seed).permutation(problem.n_rows)
    test, train = np.split(order, [problem.n_rows // 3])
    n_labeled = int(share * len(train))
    found = []
    weights = []
    for weight in (None, *WEIGHTS):
        forest = estimator(problem.task)(unlabeled_weight=weight, random_state=seed, **how)
        rows = problem.rows(train[:n_labeled] if weight is None else train)
        started = time.perf_counter()
        forest.fit(rows.X, unlabeled(rows.y, n_labeled))
        seconds = time.perf_counter() - started
        found.append((judged(forest, problem.rows(test)), seconds))
        weights.append(forest.unlabeled_weight_)
    return found, weights


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--trees", type=int, default=50)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--rows", type=int, default=6000, help="rows of a set at the most")
    options = parser.parse_args(arguments)
    print_environment(trees=options.trees, seeds=options.seeds)
    gains = [f"gain with {weight} (standard error)" for weight in WEIGHTS]
    print_head(["data", "labelled", "labelled rows alone", *gains, "seconds", "chosen"])
    for name in options.names:
        problem = read(name).rows(slice(options.rows))
        problem = problem._replace(y=dense(problem.y))
        for share in LABELED:
            runs = [
                compared(problem, share, seed, n_estimators=options.trees, n_jobs=2)
                for seed in range(options.seeds)
            ]
            found = np.array([run[0] for run in runs])  # seeds x ways x (quality, seconds)
            gain = found[:, 1:, 0] - found[:, :1, 0]
            error = gain.std(axis=0, ddof=1) / len(gain) ** 0.5
            shown = [f"{g:+.4f} ({e:.4f})" for g, e in zip(gain.mean(axis=0), error, strict=True)]
            seconds = " / ".join(f"{s:.1f}" for s in found[:, :, 1].mean(axis=0))
            chosen = ", ".join(f"{run[1][-1]:g}" for run in runs)
            print_row([name, f"{share:.0%}", f"{found[:, 0, 0].mean():.4f}", *shown, seconds, chosen])


if __name__ == "__main__":
    main()
