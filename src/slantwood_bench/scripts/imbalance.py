"""Rare classes with and without `class_weight="balanced"`, next to scikit-learn's random forest.

`python -m slantwood_bench.scripts.imbalance [NAME ...]`. Of real sets of two classes the rarer one is thinned
out to a share of all rows, as is one class of sets that have more; some sets are as they are, and some
are generated. Every forest has the same folds and seeds, and the other defaults of its library.
"""

import argparse
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import balanced_accuracy_score, recall_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold

from slantwood import Encoding, ObliqueForestClassifier
from slantwood_bench.problems import load_problem
from slantwood_bench.scripts.report import print_environment, print_head, print_row

FOLDS = 3

# The share of the rare class where a set is thinned out, and rows of the other classes at the most.
RARE = 0.03
MOST_ROWS = 3000


class Rows(NamedTuple):
    """Features without missing values, and classes as whole numbers."""

    X: np.ndarray
    y: np.ndarray


class Scores(NamedTuple):
    """What is said of a forest; the recall is that of the rarest class."""

    recall: float
    balanced_accuracy: float
    roc_auc: float


def whole(name: str) -> Rows:
    """Read a set as numbers, with means where a value is missing."""
    problem = load_problem(name)
    X: Any = Encoding.learn(problem.X)[1]
    X = X.toarray() if sp.issparse(X) else X
    X = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    return Rows(X, np.unique(problem.y, return_inverse=True)[1])


def thinned(name: str, chosen: int | None = None) -> Rows:
    """Read a set of which one class, by default the rarest, is left in few rows, against all others."""
    X, y = whole(name)
    chosen = int(np.bincount(y).argmin()) if chosen is None else chosen
    rng = np.random.default_rng(0)
    others = rng.permutation(np.flatnonzero(y != chosen))[:MOST_ROWS]
    rare = rng.permutation(np.flatnonzero(y == chosen))[: round(RARE / (1 - RARE) * len(others))]
    rows = np.sort(np.concatenate([others, rare]))
    return Rows(X[rows], (y[rows] == chosen).astype(int))


def generated(separation: float) -> Rows:
    """Make clusters of two classes, 97 to 3, in ten features."""
    made = make_classification(
        2000, 10, n_informative=6, class_sep=separation, flip_y=0.01, weights=[1 - RARE], random_state=0
    )
    return Rows(*made)


SETS: dict[str, Callable[[], Rows]] = {
    "generated, apart": lambda: generated(1.5),
    "generated, near": lambda: generated(0.7),
    "transfusion": lambda: thinned("transfusion"),
    "gesture, class 0": lambda: thinned("gesture", 0),
    "gesture, class 2": lambda: thinned("gesture", 2),
    "banknote": lambda: thinned("banknote"),
    "spambase": lambda: thinned("spambase"),
    "musk": lambda: thinned("musk"),
    "diabetes": lambda: thinned("diabetes"),
    "balance, as it is": lambda: whole("balance"),
    "wine-white, as it is": lambda: whole("wine-white"),
}


def forests(trees: int, seed: int) -> dict[str, Any]:
    """Return what is compared, by name."""
    how: dict[str, Any] = {"n_estimators": trees, "random_state": seed, "n_jobs": 2}
    return {
        "slantwood": ObliqueForestClassifier(**how),
        "slantwood, balanced": ObliqueForestClassifier(class_weight="balanced", **how),
        "random forest": RandomForestClassifier(**how),
        "random forest, balanced": RandomForestClassifier(class_weight="balanced", **how),
        "random forest, balanced_subsample": RandomForestClassifier(class_weight="balanced_subsample", **how),
    }


def judged(y: np.ndarray, probabilities: np.ndarray, predicted: np.ndarray) -> Scores:
    """Score the predictions of test rows; the area under the curve is the mean over pairs of classes."""
    rarest = int(np.bincount(y).argmin())
    two = probabilities.shape[1] == 2
    area = roc_auc_score(y, probabilities[:, 1] if two else probabilities, multi_class="ovo")
    recall = recall_score(y, predicted, labels=[rarest], average="macro")
    return Scores(float(recall), float(balanced_accuracy_score(y, predicted)), float(area))


def compared(rows: Rows, trees: int, seeds: Sequence[int]) -> dict[str, Scores]:
    """Return the mean scores of each forest over folds and seeds."""
    found: dict[str, list[Scores]] = {}
    for seed in seeds:
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
        for train, test in folds.split(*rows):
            for name, forest in forests(trees, seed).items():
                forest.fit(rows.X[train], rows.y[train])
                fresh = rows.X[test]
                scores = judged(rows.y[test], forest.predict_proba(fresh), forest.predict(fresh))
                found.setdefault(name, []).append(scores)
    return {name: Scores(*np.mean(scores, axis=0).tolist()) for name, scores in found.items()}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(SETS), help="of " + "; ".join(SETS))
    parser.add_argument("--trees", type=int, default=50)
    parser.add_argument("--seeds", type=int, default=2)
    options = parser.parse_args(arguments)
    print_environment(trees=options.trees, folds=FOLDS, seeds=options.seeds)
    print("recall of the rarest class / balanced accuracy / area under the ROC curve\n")
    print_head(["data", "rows", "of the rarest", *forests(1, 0)])
    found: list[dict[str, Scores]] = []
    for name in options.names:
        rows = SETS[name]()
        found.append(compared(rows, options.trees, range(options.seeds)))
        print_row([name, len(rows.y), int(np.bincount(rows.y).min()), *map(shown, found[-1].values())])
    means = [np.mean([each[name] for each in found], axis=0) for name in found[0]]
    print_row(["mean", "", "", *map(shown, means)])


def shown(scores: Sequence[float]) -> str:
    """Write scores with three decimals."""
    return " / ".join(f"{score:.3f}" for score in scores)


if __name__ == "__main__":
    main()
