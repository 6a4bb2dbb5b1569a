"""Which choices are good: forests under other settings, over data sets, by cross-validation.

`python -m slantwood_bench.scripts.quality` compares slantwood's defaults with the published form and with
scikit-learn's random forest; `--study` compares alternatives to each default on the parameter-study sets of
the paper. Prints tables in Markdown; `docs/` holds their output.
"""

import argparse
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.metrics import f1_score
from sklearn.model_selection import KFold

from slantwood import GradientSplit, ObliqueForestClassifier, ObliqueForestRegressor
from slantwood.metrics import label_ranking_average_precision, macro_f1, mean_r2
from slantwood_bench.scripts import datasets
from slantwood_bench.scripts.report import circumstances, print_circumstances

PUBLISHED = {
    "split": GradientSplit.published(),
    "bootstrap": True,
    "max_features": None,
    "min_samples_split": 2,
    "unit_rows": False,
}
COMPARED = (
    *("breast_cancer", "spambase", "diabetes", "arrhythmia", "transfusion"),
    *("digits", "mfeat-pixel", "gesture", "wine-white", "balance-scale"),
    *("emotions", "scene", "birds", "enron-flat", "corel5k", "bibtex"),
    *("sk_diabetes", "cpu_small", "puma8NH", "triazines"),
    *("enb", "jura", "wq", "atp1d", "oes10"),
)
_BUNDLED = {
    "digits": ("mcc", load_digits),
    "breast_cancer": ("bin", load_breast_cancer),
    "sk_diabetes": ("str", load_diabetes),
}

# Alternatives to the default of each kind of task, on sets that are not used for comparisons with others.
# A `split` that is a dictionary changes single values of the automatic one.
STUDY: dict[str, tuple[Sequence[str], dict[str, dict[str, Any]]]] = {
    "classes, and few labels": (
        ("arrhythmia", "transfusion", "energy_efficiency", "gesture", "birds"),
        {
            "default": {},
            "bootstrap": {"bootstrap": True},
            "all features": {"max_features": None},
            "30 % of the features": {"max_features": 0.3},
            "informed start, 40 steps": {"split": {"start": "informed", "max_iter": 40}},
            "noise, 100 steps": {"split": {"start": "noise", "max_iter": 100}},
            "exact threshold": {"split": {"threshold": "exact"}},
            "C=1": {"split": {"C": 1.0}},
            "C=100": {"split": {"C": 100.0}},
            "no rival": {"split": {"rival": None}},
            "axis-parallel rival": {"split": {"rival": "axis"}},
            "strongest feature as rival": {"split": {"rival": "strongest"}},
            "published": PUBLISHED,
        },
    ),
    "several numbers": (
        ("andro", "atp7d", "wq"),
        {
            "default": {},
            "no rival": {"split": {"rival": None}},
            "bootstrap": {"bootstrap": True},
            "all features": {"max_features": None},
            "30 % of the features": {"max_features": 0.3},
            "informed start, 40 steps": {"split": {"start": "informed", "max_iter": 40}},
            "learned threshold": {"split": {"threshold": "learned"}},
            "C=1": {"split": {"C": 1.0}},
            "C=100": {"split": {"C": 100.0}},
            "published": PUBLISHED,
        },
    ),
    "one number": (
        # Two sets are few: single targets of the sets with several numbers beside them.
        (
            "cholesterol",
            "pol",
            *(f"{name}:{target}" for name in ("andro", "atp7d", "wq") for target in (0, 2, 4)),
        ),
        {
            "default": {},
            "no rival": {"split": {"rival": None}},
            "no rival, 30 % of the features": {"split": {"rival": None}, "max_features": 0.3},
            "bootstrap": {"bootstrap": True},
            "bootstrap, no rival": {"bootstrap": True, "split": {"rival": None}},
            "50 % of the features": {"max_features": 0.5},
            "informed start, 40 steps": {"split": {"start": "informed", "max_iter": 40}},
            "exact threshold": {"split": {"threshold": "exact"}},
            "C=1": {"split": {"C": 1.0}},
            "C=100": {"split": {"C": 100.0}},
        },
    ),
    "many labels, or mostly zeros": (
        ("delicious", "mediamill"),
        {
            "default": {},
            "bootstrap": {"bootstrap": True},
            "noise, 100 steps": {"split": {"start": "noise", "max_iter": 100, "learning_rate": 0.1}},
            "exact threshold": {"split": {"threshold": "exact"}},
            "standardised features": {"split": {"feature_power": 1.0}},
            "standardised targets": {"split": {"target_power": 1.0}},
            "rows as they are": {"unit_rows": False},
            "labels as they are": {"unit_labels": False},
            "every step all rows": {"split": {"batch_size": None}},
            "features of single rows too": {"split": {"min_support": 1}},
            "nodes of 5": {"min_samples_split": 5},
            "nodes of 20": {"min_samples_split": 20},
        },
    ),
}


def read(name: str) -> tuple[str, Any, Any]:
    """Task, features and targets of a data set; of several numbers, "name:2" has the third alone."""
    if name in _BUNDLED:
        task, reader = _BUNDLED[name]
        X, y = reader(return_X_y=True)
        return task, X.astype(np.float32), y
    name, _, target = name.partition(":")
    data = datasets.load(name)
    return ("str", data.X, data.y[:, int(target)]) if target else (data.task, data.X, data.y)


def measured(task: str, model: Any, X: Any, y: Any) -> float:
    """Quality of a fitted model on the given rows, by the measure of its task."""
    match task:
        case "mlc":
            return label_ranking_average_precision(y, model.predict_proba(X))
        case "bin":
            return float(f1_score(y, model.predict(X), pos_label=np.unique(y)[1]))
        case "mcc":
            return macro_f1(y, model.predict(X))
        case _:
            return mean_r2(y, model.predict(X))


def cross_validated(
    make: Callable[[str], Any], task: str, X: Any, y: Any, n_folds: int = 3, fold_seed: int = 1
) -> float:
    """Mean quality over the first so many of three folds of a model that `make` builds for the task."""
    results = []
    for train, test in list(KFold(3, shuffle=True, random_state=fold_seed).split(X))[:n_folds]:
        model = make(task).fit(X[train], y[train])
        results.append(measured(task, model, X[test], y[test]))
    return float(np.mean(results))


def slantwood_forest(n_trees: int, n_jobs: int, seed: int = 0, **changes: Any) -> Callable[[str], Any]:
    """Return a maker of default forests with some parameters changed."""
    split = changes.pop("split", None)
    learner = GradientSplit(**split) if isinstance(split, dict) else split or "gradient"

    def make(task: str) -> Any:
        kind = ObliqueForestRegressor if task in ("str", "mtr") else ObliqueForestClassifier
        own = {k: v for k, v in changes.items() if k != "unit_labels" or task == "mlc"}
        return kind(n_estimators=n_trees, n_jobs=n_jobs, random_state=seed, split=learner, **own)

    return make


def _scikit_forest(n_trees: int, n_jobs: int) -> Callable[[str], Any]:
    class Scores(RandomForestClassifier):
        """Multi-label scores as one array."""

        def predict_proba(self, X: Any) -> Any:
            parts = super().predict_proba(X)
            if not isinstance(parts, list):
                return parts
            absent = np.zeros(X.shape[0])
            return np.stack(
                [
                    p[:, list(c).index(1)] if 1 in c else absent
                    for p, c in zip(parts, self.classes_, strict=True)
                ],
                axis=1,
            )

        def fit(self, X: Any, y: Any) -> Any:
            return super().fit(X, y.toarray() if hasattr(y, "toarray") else y)

    def make(task: str) -> Any:
        if task in ("str", "mtr"):
            return RandomForestRegressor(n_trees, n_jobs=n_jobs, random_state=0)
        return Scores(n_trees, n_jobs=n_jobs, random_state=0)

    return make


def print_row(cells: Sequence[Any]) -> None:
    """Print a row of a Markdown table, numbers with four decimals."""
    print("| " + " | ".join(f"{c:.4f}" if isinstance(c, float) else str(c) for c in cells) + " |", flush=True)


def _compare(names: Sequence[str], n_trees: int, n_jobs: int, seeds: int) -> None:
    print_row(["data", "task", "default", "published form", "random forest"])
    print_row(["---"] * 5)
    for name in names:
        task, X, y = read(name)
        mine, published = (
            float(
                np.mean(
                    [
                        cross_validated(slantwood_forest(n_trees, n_jobs, s, **c), task, X, y)
                        for s in range(seeds)
                    ]
                )
            )
            for c in ({}, PUBLISHED)
        )
        theirs = cross_validated(_scikit_forest(n_trees, n_jobs), task, X, y)
        print_row([name, task, mine, published, theirs])


def _study(n_trees: int, n_jobs: int, seeds: int) -> None:
    for title, (names, alternatives) in STUDY.items():
        print(f"\n### {title}\n")
        data = {name: read(name) for name in names}
        print_row(["setting", *names, "mean"])
        print_row(["---"] * (len(names) + 2))
        for label, changes in alternatives.items():
            # A large set is stable enough on one fold and one seed.
            found = [
                float(
                    np.mean(
                        [
                            cross_validated(
                                slantwood_forest(n_trees, n_jobs, s, **changes),
                                *data[name],
                                n_folds=1 if data[name][1].shape[0] > 10_000 else 3,
                            )
                            for s in range(1 if data[name][1].shape[0] > 5_000 else seeds)
                        ]
                    )
                )
                for name in names
            ]
            print_row([label, *found, float(np.mean(found))])


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="data sets to compare on")
    parser.add_argument("--study", action="store_true", help="alternatives to the defaults")
    parser.add_argument("--trees", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seeds", type=int, default=3, help="runs that are averaged")
    options = parser.parse_args(arguments)
    facts = circumstances((), trees=options.trees, jobs=options.jobs, seeds=options.seeds)
    print_circumstances(facts)
    print()
    if options.study:
        _study(options.trees, options.jobs, options.seeds)
    else:
        _compare(options.names or COMPARED, options.trees, options.jobs, options.seeds)


if __name__ == "__main__":
    main()
