"""Boosted oblique trees beside the libraries that boost axis-parallel ones, and beside our own forest.

`python -m slantwood_bench.scripts.boosting regression` (or another task) fits each of them with its defaults
on the data sets of the task, by three folds and with several seeds; CatBoost has 1000 rounds, which is its
default. Numbers are judged by R2, classes by the log loss, labels by the log loss of all cells and by LRAP.
Prints a table of quality and one of CPU seconds in Markdown, the mean rank of each method, and the geometric
mean of its time in times of that of ours; `docs/boosting.md` holds the output.
"""

import argparse
import time
import warnings
from collections.abc import Callable, Sequence
from statistics import fmean, geometric_mean
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.metrics import label_ranking_average_precision_score, log_loss, r2_score

from slantwood.task_names import LABEL_TASKS, NUMBER_TASKS
from slantwood_bench.methods.oblique import estimator
from slantwood_bench.problems import Problem
from slantwood_bench.scripts.data import read, three_folds
from slantwood_bench.scripts.report import print_environment, print_head, print_row

SETS = {
    "regression": (
        *("ailerons", "cpu_small", "elevators", "house_8L", "pol", "puma8NH", "satellite_image"),
        *("cpmp-2015", "cholesterol", "triazines"),
    ),
    "multi-target regression": (
        *("andro", "atp1d", "atp7d", "edm", "enb", "jura", "oes10", "oes97", "rf1", "scm20d", "scpf", "sf1"),
        *("slump", "wq"),
    ),
    "binary": (
        *("arrhythmia", "banknote", "credit-approval", "diabetes", "musk", "spambase", "speeddating"),
        "transfusion",
    ),
    "multi-class": ("balance-scale", "energy_efficiency", "gesture", "mfeat-pixel", "wine-white"),
    "multi-label": ("emotions", "scene", "birds", "mediamill"),
}
OURS = "boosting"


def _slantwood(kind: str) -> Callable[[Problem, int, int], Any]:
    def make(rows: Problem, seed: int, n_jobs: int) -> Any:
        return estimator(rows.task, kind)(random_state=seed, n_jobs=n_jobs)

    return make


def _catboost(rows: Problem, seed: int, n_jobs: int) -> Any:
    import catboost

    given = {"verbose": 0, "random_seed": seed, "thread_count": n_jobs, "allow_writing_files": False}
    if rows.task in NUMBER_TASKS:
        several = rows.task == "multi-target regression"
        return catboost.CatBoostRegressor(loss_function="MultiRMSE" if several else "RMSE", **given)
    labels = {"loss_function": "MultiLogloss"} if rows.task in LABEL_TASKS else {}
    return catboost.CatBoostClassifier(**given | labels)


def _xgboost(rows: Problem, seed: int, n_jobs: int) -> Any:
    import xgboost

    several = rows.task in ("multi-target regression", "multi-label")
    vector = {"multi_strategy": "multi_output_tree", "tree_method": "hist"} if several else {}
    make = xgboost.XGBRegressor if rows.task in NUMBER_TASKS else xgboost.XGBClassifier
    return make(random_state=seed, n_jobs=n_jobs, **vector)


def _lightgbm(rows: Problem, seed: int, n_jobs: int) -> Any:
    import lightgbm

    make = lightgbm.LGBMRegressor if rows.task in NUMBER_TASKS else lightgbm.LGBMClassifier
    return make(random_state=seed, n_jobs=n_jobs, verbose=-1)


def _hist(rows: Problem, seed: int, n_jobs: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    numbers = rows.task in NUMBER_TASKS
    return (HistGradientBoostingRegressor if numbers else HistGradientBoostingClassifier)(random_state=seed)


METHODS: dict[str, Callable[[Problem, int, int], Any]] = {
    OURS: _slantwood("Boosting"),
    "forest": _slantwood("Forest"),
    "CatBoost": _catboost,
    "LightGBM": _lightgbm,
    "XGBoost": _xgboost,
    "HistGradientBoosting": _hist,
}

# These take one target only.
_ONE_TARGET = ("LightGBM", "HistGradientBoosting")


def methods_for(task: str) -> list[str]:
    """Return the methods that take such targets."""
    several = task in ("multi-target regression", "multi-label")
    return [name for name in METHODS if not (several and name in _ONE_TARGET)]


def judged(model: Any, test: Problem) -> tuple[float, ...]:
    """Return the quality of a model: what is higher is better, the first decides on ranks."""
    if test.task in NUMBER_TASKS:
        return (float(r2_score(test.y, model.predict(test.X))),)
    probabilities = np.asarray(model.predict_proba(test.X), np.float64)
    if test.task in LABEL_TASKS:
        truth = test.y.toarray() if hasattr(test.y, "toarray") else np.asarray(test.y)
        p = np.clip(probabilities, 1e-6, 1.0 - 1e-6)
        cells = truth * np.log(p) + (1 - truth) * np.log(1 - p)
        return float(cells.mean()), float(label_ranking_average_precision_score(truth, probabilities))
    # A class that only the test rows have counts as the least probable one.
    classes = np.union1d(test.y, model.classes_)
    all_of_them = np.full((len(probabilities), len(classes)), 1e-6)
    all_of_them[:, np.searchsorted(classes, model.classes_)] = np.clip(probabilities, 1e-6, None)
    all_of_them /= all_of_them.sum(axis=1, keepdims=True)
    return (-float(log_loss(test.y, all_of_them, labels=classes)),)


def _dense(problem: Problem) -> Problem:
    """Return the same with dense features, which all methods take, and with dense labels."""
    X = problem.X.toarray() if hasattr(problem.X, "toarray") else np.asarray(problem.X)
    y = problem.y.toarray() if hasattr(problem.y, "toarray") else np.asarray(problem.y)
    return problem._replace(X=X, y=y)


def compare(
    problem: Problem, names: Sequence[str], seeds: int, n_jobs: int
) -> dict[str, tuple[tuple[float, ...], float]]:
    """Return the mean quality and the mean CPU seconds of a fit, by method."""
    found = {}
    for name in names:
        qualities, seconds = [], []
        for seed in range(seeds):
            for train, test in three_folds(problem, seed + 1):
                begun = time.process_time()
                model = METHODS[name](train, seed, n_jobs)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # LightGBM's, about names of columns
                    model.fit(train.X, train.y)
                    seconds.append(time.process_time() - begun)
                    qualities.append(judged(model, test))
        found[name] = (tuple(map(fmean, zip(*qualities, strict=True))), fmean(seconds))
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=list(SETS))
    parser.add_argument("names", nargs="*", help="data sets; by default those of the task")
    parser.add_argument("--methods", nargs="*", help="which to compare; by default all for the task")
    parser.add_argument("--rows", type=int, default=10**9, help="rows of a set at the most, drawn at random")
    parser.add_argument("--seeds", type=int, default=2, help="runs that are averaged")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(arguments)
    names = options.methods or methods_for(options.task)
    peers = [each for each in ("catboost", "lightgbm", "xgboost") if any(each == n.lower() for n in names)]
    print_environment(peers, rows=options.rows, seeds=options.seeds, jobs=options.jobs)
    print_head(["data", "rows", *(f"{name} (s)" for name in names)])
    qualities, seconds = [], []
    for each in options.names or SETS[options.task]:
        problem = _dense(read(each))
        if problem.n_rows > options.rows:
            drawn = np.random.default_rng(0).permutation(problem.n_rows)[: options.rows]
            problem = problem.rows(np.sort(drawn))
        found = compare(problem, names, options.seeds, options.jobs)
        qualities.append([found[name][0][0] for name in names])
        seconds.append([found[name][1] for name in names])
        shown = [" / ".join(f"{q:.4f}" for q in quality) + f" ({t:.1f})" for quality, t in found.values()]
        print_row([each, problem.n_rows, *shown])
    ranks = rankdata(-np.array(qualities), axis=1).mean(axis=0)
    first = names.index(OURS) if OURS in names else 0
    ratios = [geometric_mean([row[first] / row[k] for row in seconds]) for k in range(len(names))]
    print_row(["mean", "", *(f"{q:.4f}" for q in np.mean(qualities, axis=0))])
    print_row(["mean rank", "", *(f"{rank:.2f}" for rank in ranks)])
    print_row([f"time of {names[first]} in times of its own", "", *(f"{ratio:.2f}" for ratio in ratios)])


if __name__ == "__main__":
    main()
