"""Three thousand problems of which hardly anything is known: targets nearly constant, few rows that count.

Of 2 to 400 rows all but none, one, two, three or a tenth have the same target; all but a few have weight zero
or no label; each target of several is unknown nearly everywhere. So folds, bootstrap samples and rows that
are held out often have one class, one number or no row at all. All estimators learn them: trees, forests,
boosting, label trees and the reranker of rare labels, with the settings that divide rows: early stopping,
warm start, out-of-bag scores, presets.

What a model must keep is that of `random_problems`.

    python -m tests.campaigns.nearly_constant               the full run
    python -m tests.campaigns.nearly_constant --case 123    one problem again
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from slantwood import (
    LabelTreeClassifier,
    ObliqueBoostingClassifier,
    ObliqueBoostingRegressor,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
    TailReranker,
)
from slantwood.task_names import HIERARCHICAL, MIXED, NUMBER_TASKS, SEVERAL_TASKS, TASKS
from tests.campaigns import random_problems
from tests.campaigns.child import Outcome
from tests.campaigns.harness import command
from tests.campaigns.problems import TREE_HIERARCHY, Problem, Random, sometimes

CASES = 3000

_KINDS = {
    "tree": (ObliqueTreeRegressor, ObliqueTreeClassifier),
    "forest": (ObliqueForestRegressor, ObliqueForestClassifier),
    "boosting": (ObliqueBoostingRegressor, ObliqueBoostingClassifier),
}
_LOSSES = ["absolute_error", "huber", "quantile", "poisson", "gamma", "tweedie"]
_SHARES_OF_KINDS = {"tree": 0.15, "forest": 0.3, "boosting": 0.4, "label trees": 0.1, "reranker": 0.05}


def warm_up() -> None:
    """Load what fits and predictions need."""
    ObliqueTreeRegressor().fit([[0.0], [1.0]], [0.0, 1.0])


def run_case(seed: int, number: int) -> Outcome:
    """Draw a problem, learn it, and check the model."""
    return random_problems.outcome_of(draw_problem(seed, number))


def draw_problem(seed: int, number: int) -> Problem:
    """Draw a problem."""
    rng = np.random.default_rng([seed, number, 1])
    kind = str(rng.choice(list(_SHARES_OF_KINDS), p=list(_SHARES_OF_KINDS.values())))
    task = _task(rng, kind)
    n, d = round(2 * 200 ** rng.random()), int(rng.choice([1, 2, 4, 10, 40]))
    X, kind_of_X = _features(rng, n, d)
    y = _TARGETS[task](rng, n, np.argsort(X[:, 0]))
    y, unknown = _with_unknown(rng, y, n)
    fitting: dict[str, Any] = {}
    n_weighted = n
    if rng.random() < 0.35:
        n_weighted = min(n, int(rng.integers(1, 6)))
        weights = np.zeros(n)
        weights[rng.permutation(n)[:n_weighted]] = rng.choice([1.0, 0.25, 3.0], n_weighted)
        fitting["sample_weight"] = weights
    parameters = _parameters(rng, kind, task)
    later: dict[str, Any] = {}
    if kind in ("forest", "boosting") and rng.random() < 0.2:
        parameters["warm_start"] = True
        later = {"n_estimators": parameters["n_estimators"] + 2}
    if kind == "boosting" and later and rng.random() < 0.3:
        later["early_stopping"] = False
    is_sparse = rng.random() < 0.2
    about = {
        "kind": kind,
        "task": task,
        "shape": (n, d),
        "X": f"{kind_of_X}{' sparse' * is_sparse}",
        "rows with weight": n_weighted,
        "unknown": unknown,
        **parameters,
        **{f"then {name}": value for name, value in later.items()},
    }
    return Problem(
        task,
        _estimator(kind, task, parameters),
        sp.csr_array(X) if is_sparse else X,
        y,
        fitting,
        (sp.csr_array if is_sparse else np.asarray)(X[rng.permutation(n)[: max(1, n // 2)]]),
        ", ".join(f"{name}={value}" for name, value in about.items()),
        later,
    )


def _task(rng: Random, kind: str) -> str:
    if kind in ("label trees", "reranker"):
        return "multi-label"
    tasks = TASKS if kind == "boosting" else (*TASKS, *SEVERAL_TASKS)
    return str(rng.choice(list(tasks)))


def _features(rng: Random, n: int, d: int) -> tuple[np.ndarray, str]:
    makers: dict[str, Callable[[], np.ndarray]] = {
        "normal": lambda: rng.normal(size=(n, d)),
        "counts": lambda: rng.poisson(0.3, (n, d)).astype(float),
        "two values": lambda: rng.integers(0, 2, (n, d)).astype(float),
        "one row differs": lambda: np.eye(n)[:, :1] * np.ones((1, d)),
        "constant": lambda: np.ones((n, d)),
    }
    name = str(rng.choice(list(makers), p=[0.6, 0.15, 0.1, 0.1, 0.05]))
    return makers[name](), name


# ---- targets


def _exceptions(rng: Random, n: int, order: np.ndarray) -> np.ndarray:
    """Return a mask of the few rows that are not like the others: any, the last, or those of largest x."""
    n_rows = min(n, int(rng.choice([0, 1, 1, 2, 3, n // 10])))
    chosen = (rng.permutation(n), np.arange(n)[::-1], order[::-1])[rng.integers(3)][:n_rows]
    mask = np.zeros(n, bool)
    mask[chosen] = True
    return mask


def _numbers(rng: Random, n: int, order: np.ndarray, width: int) -> np.ndarray:
    columns = []
    for _ in range(width):
        usual = rng.choice([0.0, 0.0, 1.0, -3.5, 1e6])
        others = (np.full(n, usual + 2.0), usual + np.abs(rng.normal(size=n)), np.full(n, usual * 1.5))
        columns.append(np.where(_exceptions(rng, n, order), others[rng.integers(3)], usual))
    return np.stack(columns, axis=1)


def _classes(rng: Random, n: int, order: np.ndarray, n_others: int) -> np.ndarray:
    return np.where(_exceptions(rng, n, order), rng.integers(1, n_others + 1, n), 0)


def _several_classes(rng: Random, n: int, order: np.ndarray) -> np.ndarray:
    # From 2 on: of 0 and 1 alone they would be labels.
    return np.stack([_classes(rng, n, order, k) for k in (1, 2, 3)[: rng.integers(2, 4)]], axis=1) + 2


def _labels(rng: Random, n: int, order: np.ndarray) -> Any:
    usual = rng.integers(0, 2, int(rng.choice([2, 4, 12, 50]))) * (rng.random() < 0.5)
    Y = np.stack([np.where(_exceptions(rng, n, order), 1 - each, each) for each in usual], axis=1)
    Y = Y.astype(np.int8)
    return sp.csr_array(Y) if rng.random() < 0.3 else Y


def _hierarchical(rng: Random, n: int, order: np.ndarray) -> Any:
    nodes = TREE_HIERARCHY.nodes
    usual, other = rng.integers(len(nodes), size=2)
    return [{nodes[other if is_other else usual]} for is_other in _exceptions(rng, n, order)]


def _classes_and_numbers(rng: Random, n: int, order: np.ndarray) -> pd.DataFrame:
    kinds = np.array(["elm", "fir", "oak"])[_classes(rng, n, order, 2)]
    return pd.DataFrame({"height": _numbers(rng, n, order, 1)[:, 0], "kind": kinds})


_TARGETS: dict[str, Callable[[Random, int, np.ndarray], Any]] = {
    "regression": lambda rng, n, order: _numbers(rng, n, order, 1)[:, 0],
    "multi-target regression": lambda rng, n, order: _numbers(rng, n, order, int(rng.choice([2, 3, 8]))),
    "binary": lambda rng, n, order: _classes(rng, n, order, 1),
    "multi-class": lambda rng, n, order: _classes(rng, n, order, int(rng.choice([2, 5]))),
    "multi-label": _labels,
    HIERARCHICAL: _hierarchical,
    SEVERAL_TASKS[0]: _several_classes,
    MIXED: _classes_and_numbers,
}


def _with_unknown(rng: Random, y: Any, n: int) -> tuple[Any, str]:
    """Make targets unknown in nearly all rows, or each target of several in others; mostly leave them."""
    if rng.random() < 0.7 or not isinstance(y, np.ndarray):
        return y, "none"
    shape = (n, 1) if y.ndim == 1 or rng.random() < 0.5 else y.shape
    keys = rng.random(shape)
    n_known = min(n, int(rng.integers(1, 6)))
    is_known = keys <= np.sort(keys, axis=0)[n_known - 1]
    y = y.astype(float)
    y[~np.broadcast_to(is_known if y.ndim == 2 else is_known[:, 0], y.shape)] = np.nan
    return y, f"all but {n_known} of each of {shape[1]}"


# ---- estimators


def _estimator(kind: str, task: str, parameters: dict[str, Any]) -> Any:
    if kind == "label trees":
        return LabelTreeClassifier(**parameters)
    if kind == "reranker":
        return TailReranker(LabelTreeClassifier(**parameters))
    return _KINDS[kind][task not in NUMBER_TASKS](**parameters)


def _parameters(rng: Random, kind: str, task: str) -> dict[str, Any]:
    chosen: dict[str, Any] = {"random_state": int(rng.integers(1000))}
    if kind in ("label trees", "reranker"):
        chosen["n_estimators"] = int(rng.integers(1, 3))
        sometimes(rng, chosen, 0.7, "n_forest_trees", [0, 2])
        sometimes(rng, chosen, 0.3, "max_leaf_labels", [2, 5])
        return chosen
    if task == HIERARCHICAL:
        chosen["hierarchy"] = TREE_HIERARCHY
    if task in ("binary", "multi-class"):
        sometimes(rng, chosen, 0.2, "class_weight", ["balanced"])
    sometimes(rng, chosen, 0.2, "min_samples_leaf", [2, 0.1])
    sometimes(rng, chosen, 0.2, "max_leaf_nodes", [2, 5])
    {"tree": _of_tree, "forest": _of_forest, "boosting": _of_boosting}[kind](rng, chosen, task)
    return chosen


def _of_tree(rng: Random, chosen: dict[str, Any], task: str) -> None:
    sometimes(rng, chosen, 0.3, "split", ["svm", "ridge", "axis", "gradient"])
    sometimes(rng, chosen, 0.3, "min_impurity_decrease", [0.0, 1e-9])
    sometimes(rng, chosen, 0.2, "preset", ["paper"])
    sometimes(rng, chosen, 0.2, "ccp_alpha", [0.01])
    if task in NUMBER_TASKS:
        sometimes(rng, chosen, 0.3, "leaves", ["linear", "auto"])


def _of_forest(rng: Random, chosen: dict[str, Any], task: str) -> None:
    chosen["n_estimators"] = int(rng.integers(1, 5))
    _of_tree(rng, chosen, task)
    sometimes(rng, chosen, 0.2, "preset", ["fast", "best", "paper"])
    sometimes(rng, chosen, 0.3, "bootstrap", [True])
    sometimes(rng, chosen, 0.2, "oob_score", [True])
    sometimes(rng, chosen, 0.1, "unlabeled_weight", [0.3])
    if task == "multi-label":
        sometimes(rng, chosen, 0.2, "threshold", ["f1_micro", "f1_macro"])


def _of_boosting(rng: Random, chosen: dict[str, Any], task: str) -> None:
    chosen["n_estimators"] = int(rng.integers(1, 7))
    sometimes(rng, chosen, 0.3, "early_stopping", [False])
    sometimes(rng, chosen, 0.4, "n_iter_no_change", [1, 3])
    sometimes(rng, chosen, 0.3, "split", ["axis", "gradient", "svm", ["axis", "ridge"]])
    sometimes(rng, chosen, 0.3, "subsample", [0.01, 0.3, 1.0])
    sometimes(rng, chosen, 0.2, "l2_regularization", [0.0])
    sometimes(rng, chosen, 0.2, "learning_rate", [1.0])
    sometimes(rng, chosen, 0.2, "n_jobs", [2])
    if task in NUMBER_TASKS:
        sometimes(rng, chosen, 0.4, "loss", _LOSSES)


if __name__ == "__main__":
    command("tests.campaigns.nearly_constant")
