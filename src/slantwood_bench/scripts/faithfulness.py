"""Whether contributions name the features that a prediction hangs on: deletion curves beside KernelSHAP's.

`python -m slantwood_bench.scripts.faithfulness [NAMES]`. For rows that a forest did not see, features are
deleted one by one in the order in which a method says that they drove the prediction away from its base; a
deleted feature has the values of some training rows, over which predictions are averaged. The curve is what
is left of the distance from the base, over all rows, and its area the mean over the number of deleted
features: less is better, and a random order is there to compare with. KernelSHAP (shap, if it is installed)
explains the model with the same training rows as background, that is by the very deletions that are measured.

`--rules` adds other ways to share the change at a split among its features, by a slow walk down the trees: by
how far each moves the row at all, to either side, or by its signed part in the score, so that features that
push the other way get minus their part. `contributions` shares among those that push to the side to which the
row goes.

Then what contributions cost: rows per second of one core, and CPU time as a multiple of that of predicting.
The aim is at most ten times.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from importlib import import_module, util
from typing import Any, NamedTuple

import numpy as np

from slantwood import ObliqueForestClassifier, ObliqueForestRegressor
from slantwood.explain import contributions
from slantwood.task_names import NUMBER_TASKS
from slantwood_bench.problems import Problem
from slantwood_bench.scripts.data import read, two_thirds
from slantwood_bench.scripts.report import print_environment, print_head, print_row

NAMES = ("sk_diabetes", "breast_cancer", "digits")

# Times are of so many rows at least, those of the set repeated.
TIMED_ROWS = 2000


class Explained(NamedTuple):
    """What is explained, one output for each row: a number, or the probability of the predicted class."""

    values: Callable[[np.ndarray], np.ndarray]  # rows to all outputs
    outputs: np.ndarray  # of each row, the one that is explained
    base: np.ndarray  # of each row


def outputs_of(model: Any) -> Callable[[np.ndarray], np.ndarray]:
    """Return the function from rows to numbers or probabilities, two-dimensional."""
    ask = model.predict_proba if hasattr(model, "predict_proba") else model.predict
    return lambda given: np.asarray(ask(given)).reshape(len(given), -1)


def remaining(what: Explained, rows: np.ndarray, background: np.ndarray, orders: np.ndarray) -> np.ndarray:
    """Return the deletion curve: the part of the distance from the base that is left after each deletion."""
    n_rows, n_features = rows.shape
    curve = np.zeros((n_rows, n_features + 1))
    for i, order in enumerate(orders):
        # The row with 0, 1, 2, ... features deleted, once for each row of the background.
        rank = np.empty(n_features, np.intp)
        rank[order] = np.arange(n_features)
        is_deleted = rank < np.arange(n_features + 1)[:, None]
        mixed = np.where(is_deleted[:, None], background, rows[i])
        said = what.values(mixed.reshape(-1, n_features))[:, what.outputs[i]]
        curve[i] = said.reshape(n_features + 1, -1).mean(axis=1) - what.base[i]
    direction = np.sign(curve[:, :1])
    return np.asarray((curve * direction).sum(axis=0) / np.abs(curve[:, 0]).sum())


def of_shap(what: Explained, rows: np.ndarray, background: np.ndarray) -> np.ndarray:
    """Return what KernelSHAP says that the features of rows add to their outputs."""
    explainer = import_module("shap").KernelExplainer(what.values, background)
    found = np.asarray(explainer.shap_values(rows, silent=True))
    found = found.reshape(*rows.shape, -1)
    return np.stack([found[i, :, output] for i, output in enumerate(what.outputs)])


def areas(
    model: Any, train: Problem, test: Problem, n_rows: int, n_background: int, *, rules: bool = False
) -> dict[str, float]:
    """Return the area under the deletion curve of each method."""
    rng = np.random.default_rng(0)
    rows = test.X[rng.permutation(test.n_rows)[:n_rows]]
    background = train.X[rng.permutation(train.n_rows)[:n_background]]
    values = outputs_of(model)
    outputs = values(rows).argmax(axis=1)
    base = values(background).mean(axis=0)[outputs]
    what = Explained(values, outputs, base)
    away = np.sign(values(rows)[np.arange(len(rows)), outputs] - base)[:, None]
    own = contributions(model, rows).values
    added = {"contributions": np.stack([own[i, :, output] for i, output in enumerate(outputs)])}
    if util.find_spec("shap") is not None:
        added["KernelSHAP"] = of_shap(what, rows, background)
    for rule in RULES if rules else ():
        own = walked(model, train, rows, rule)
        added[rule] = np.stack([own[i, :, output] for i, output in enumerate(outputs)])
    added["random order"] = rng.normal(size=rows.shape)
    return {
        name: float(remaining(what, rows, background, np.argsort(-away * each, axis=1)).mean())
        for name, each in added.items()
    }


# How the change at a split is shared, from how far each feature pushes a row to the side to which it goes.
RULES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "towards the side": lambda push: np.maximum(push, 0.0),
    "to either side": np.abs,
    "signed": lambda push: push,
}


def walked(model: Any, train: Problem, rows: np.ndarray, rule: str) -> np.ndarray:
    """Return contributions by a rule, slowly, in the shape (n_rows, n_features, n_outputs)."""
    trees, share_of = model.trees_, RULES[rule]
    paths, _ = model.decision_path(train.X)
    y = np.asarray(train.y)
    Y = y[:, None] == model.classes_ if hasattr(model, "classes_") else y[:, None]
    values = (paths.T @ Y.astype(np.float64)) / np.asarray(paths.sum(axis=0)).reshape(-1, 1)
    found = np.zeros((len(rows), rows.shape[1], Y.shape[1]))
    for added, row in zip(found, rows.astype(np.float64), strict=True):
        for root in trees.roots:
            node = root
            while trees.left[node] >= 0:
                cells = slice(trees.indptr[node], trees.indptr[node + 1])
                columns, weights = trees.indices[cells], trees.weights[cells].astype(np.float64)
                to_right = row[columns] @ weights + trees.bias[node] >= 0
                push = (row[columns] - trees.means[cells]) * weights * (1.0 if to_right else -1.0)
                share = share_of(push)
                if abs(share.sum()) <= 1e-9 * np.abs(push).sum():  # nothing pushes to this side
                    share = np.abs(push) if push.any() else np.ones(len(push))
                side = trees.right[node] if to_right else trees.left[node]
                added[columns] += np.outer(share / share.sum(), values[side] - values[node])
                node = side
    return found / trees.n_trees


class Cost(NamedTuple):
    """What contributions take."""

    rows_per_second: float
    ratio: float  # CPU time, as a multiple of predicting the same rows


def cost(model: Any, rows: np.ndarray) -> Cost:
    """Measure the CPU time of contributions beside that of predicting; the least of five."""
    many = np.tile(rows, (-(-TIMED_ROWS // len(rows)), 1))[:TIMED_ROWS]

    def seconds(work: Callable[[], Any]) -> float:
        work()  # compiles
        taken = []
        for _ in range(5):
            started = time.process_time()
            work()
            taken.append(time.process_time() - started)
        return min(taken)

    explaining = seconds(lambda: contributions(model, many))
    predicting = seconds(lambda: outputs_of(model)(many))
    return Cost(len(many) / explaining, explaining / predicting)


def fitted(problem: Problem, n_trees: int) -> Any:
    """Return a forest of one thread."""
    make = ObliqueForestRegressor if problem.task in NUMBER_TASKS else ObliqueForestClassifier
    return make(n_estimators=n_trees, bootstrap=False, random_state=0, n_jobs=1).fit(problem.X, problem.y)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--trees", type=int, default=50)
    parser.add_argument("--rows", type=int, default=30, help="rows that are explained")
    parser.add_argument(
        "--background", type=int, default=20, help="training rows that stand for deleted values"
    )
    parser.add_argument("--rules", action="store_true", help="other ways to share the change at a split")
    options = parser.parse_args(arguments)
    print_environment(trees=options.trees, rows=options.rows, background=options.background)
    methods = ("contributions", *(RULES if options.rules else ()), "KernelSHAP", "random order")
    print_head(["data", "features", *methods, "rows per second", "times predicting"])
    for name in options.names:
        train, test = two_thirds(read(name))
        model = fitted(train, options.trees)
        found = areas(model, train, test, options.rows, options.background, rules=options.rules)
        taken = cost(model, test.X)
        cells = [f"{found[method]:.3f}" if method in found else "" for method in methods]
        print_row([name, train.X.shape[1], *cells, f"{taken.rows_per_second:.0f}", f"{taken.ratio:.1f}"])


if __name__ == "__main__":
    main()
