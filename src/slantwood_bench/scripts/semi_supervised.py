"""What rows without label add: forests of the labelled rows alone beside such that also see the others.

`python -m slantwood_bench.scripts.semi_supervised [NAME ...]`. A third of the rows tests; of the rest a tenth
or a quarter keeps its labels, drawn anew for each seed. Both forests have the same number of trees.
"""

import argparse
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood import ObliqueForestClassifier, ObliqueForestRegressor
from slantwood.metrics import label_ranking_average_precision, macro_f1, mean_r2
from slantwood_bench.scripts import datasets
from slantwood_bench.scripts.quality import print_row
from slantwood_bench.scripts.report import circumstances, print_circumstances

# Two for each kind of target: two classes, several classes, labels, numbers.
NAMES = ("spambase", "diabetes", "mfeat-pixel", "gesture", "emotions", "scene", "wq", "jura")
LABELED = (0.1, 0.25)
WEIGHTS = (0.3, "auto")


def unlabeled(y: np.ndarray, n_labeled: int) -> np.ndarray:
    """Return y with the labels of the first rows only."""
    y = y.astype(object if y.ndim == 1 and y.dtype.kind not in "f" else np.float64)
    y[n_labeled:] = None if y.dtype == object else np.nan
    return y


def judged(task: str, forest: Any, X: Any, y: np.ndarray) -> float:
    """Macro F1 of classes, ranking precision of labels, R2 of numbers."""
    if task == "mlc":
        return float(label_ranking_average_precision(y, forest.predict_proba(X)))
    return float((mean_r2 if task in ("str", "mtr") else macro_f1)(y, forest.predict(X)))


def compared(task: str, X: Any, y: np.ndarray, share: float, seed: int, **how: Any) -> tuple[list, list]:
    """Quality and seconds of the forest on the labelled rows alone, then of each weight; weights in use."""
    order = np.random.default_rng(seed).permutation(X.shape[0])
    test, train = np.split(order, [X.shape[0] // 3])
    n_labeled = int(share * len(train))
    kind = ObliqueForestRegressor if task in ("str", "mtr") else ObliqueForestClassifier
    found = []
    weights = []
    for weight in (None, *WEIGHTS):
        forest = kind(unlabeled_weight=weight, random_state=seed, **how)
        rows = train[:n_labeled] if weight is None else train
        started = time.perf_counter()
        forest.fit(X[rows], unlabeled(y[rows], n_labeled))
        seconds = time.perf_counter() - started
        found.append((judged(task, forest, X[test], y[test]), seconds))
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
    print_circumstances(circumstances((), trees=options.trees, seeds=options.seeds))
    print()
    gains = [f"gain with {weight} (standard error)" for weight in WEIGHTS]
    print_row(["data", "labelled", "labelled rows alone", *gains, "seconds", "chosen"])
    print_row(["---"] * (6 + len(WEIGHTS) - 1))
    for name in options.names:
        data = datasets.load(name)
        y = data.y.toarray() if sp.issparse(data.y) else data.y
        X, y = data.X[: options.rows], y[: options.rows]
        for share in LABELED:
            runs = [
                compared(data.task, X, y, share, seed, n_estimators=options.trees, n_jobs=2)
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
