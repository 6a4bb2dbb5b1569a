"""Random learning problems that textbooks leave out: two rows, constant columns, 1e38, weights of zero.

A problem is determined by its two numbers. Most are legal, if odd; what is not legal must be refused by
`fit`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse as sp

from slantwood import (
    Clustering,
    Hierarchy,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
)
from slantwood.split_names import SPLITS, split_class
from slantwood.task_names import HIERARCHICAL, MIXED, NUMBER_TASKS, SEVERAL_TASKS, TASKS

Random = np.random.Generator

TREE_HIERARCHY = Hierarchy.from_paths(["1", "1/1", "1/2", "1/2/1", "2", "2/1", "3"])


@dataclass(frozen=True)
class Problem:
    """An estimator, what it is fitted to and with, and rows to predict."""

    task: str
    estimator: Any
    X: Any
    y: Any
    fitting: dict[str, Any]
    X_new: Any
    about: str
    later: dict[str, Any] = field(default_factory=dict)  # parameters of a second fit that goes on


def draw_problem(seed: int, number: int) -> Problem:
    """Draw a problem."""
    rng = np.random.default_rng([seed, number])
    task = str(rng.choice([*TASKS, *SEVERAL_TASKS]))
    n, d = _sizes(rng)
    cells, kind = _cells(rng, n, d)
    X_cells, X_new = cells, cells[rng.permutation(n)[: max(1, n // 2)]].copy()
    if rng.random() < 0.3:
        X_new[rng.random(X_new.shape) < 0.3] = rng.choice([np.nan, 0.0, 1e30, -1e30, 1e-30])
    container, contain = _container(rng, cells)
    y, kind_of_y = _TARGETS[task](rng, n)
    single = rng.random() < 0.3
    parameters = _parameters(rng, task, single)
    later: dict[str, Any] = {}
    if not single and rng.random() < 0.1:
        parameters["warm_start"] = True
        later = {"n_estimators": parameters["n_estimators"] + 2}
    fitting = _fitting(rng, n)
    about = {
        "task": task,
        "single": single,
        "shape": (n, d),
        "X": f"{kind} in {container}",
        "y": kind_of_y,
        **parameters,
        **{name: _shown(value) for name, value in fitting.items()},
    }
    return Problem(
        task,
        _estimator(task, single)(**parameters),
        contain(X_cells),
        y,
        fitting,
        contain(X_new),
        ", ".join(f"{name}={value}" for name, value in about.items()),
        later,
    )


def _shown(value: Any) -> Any:
    return (
        value
        if value is None or isinstance(value, (str, Clustering))
        else np.asarray(value).ravel()[:6].tolist()
    )


def _sizes(rng: Random) -> tuple[int, int]:
    n = int(rng.choice([2, 3, 4, 5, 8, 15, 40, 120]))
    d = int(rng.choice([1, 2, 3, 6, 15, 60, 400]))
    return n, d


def _estimator(task: str, single: bool) -> Any:
    if task in NUMBER_TASKS:
        return ObliqueTreeRegressor if single else ObliqueForestRegressor
    return ObliqueTreeClassifier if single else ObliqueForestClassifier


# ---- features


def _cells(rng: Random, n: int, d: int) -> tuple[np.ndarray, str]:
    kind = str(
        rng.choice(["normal", "whole", "counts", "two values", "any magnitude", "one magnitude", "zeros"])
    )
    X = rng.normal(size=(n, d))
    if kind == "whole":
        X = rng.integers(-3, 4, (n, d)).astype(float)
    elif kind == "counts":
        X = rng.poisson(0.1, (n, d)).astype(float)
    elif kind == "two values":
        X = rng.integers(0, 2, (n, d)).astype(float)
    elif kind == "any magnitude":
        X = X * 10.0 ** rng.uniform(-37, 37, d)
    elif kind == "one magnitude":
        X = X * 10.0 ** rng.uniform(-40, 37.5)
    elif kind == "zeros":
        X = np.zeros((n, d))
    extras = []
    if rng.random() < 0.3:
        extras.append("constant columns")
        X[:, rng.random(d) < 0.5] = rng.choice([0.0, 1.0, -7.5, 1e30])
    if rng.random() < 0.2:
        extras.append("repeated rows")
        X = X[rng.integers(0, max(1, n // 2), n)]
    if rng.random() < 0.2:
        extras.append("repeated columns")
        X = X[:, rng.integers(0, max(1, d // 2), d)]
    if rng.random() < 0.2:
        extras.append("far from zero")
        X = X + 1e6
    if rng.random() < 0.25:
        extras.append("missing values")
        X[rng.random((n, d)) < rng.choice([0.05, 0.5, 0.95])] = np.nan
        if rng.random() < 0.2:
            X[:, 0] = np.nan
    if rng.random() < 0.02:
        extras.append("infinite")
        X[0, 0] = np.inf
    return X, " with ".join([kind, *extras])


def _container(rng: Random, cells: np.ndarray) -> tuple[str, Callable[[np.ndarray], Any]]:
    """Choose how X comes; return the name and what makes it so."""
    if rng.random() < 0.35:
        name = str(rng.choice(["csr_array", "csc_array", "csr_matrix", "coo_array", "csr_array of float32"]))
        kind = name.split()[0]
        dtype = np.float32 if name.endswith("float32") else np.float64
        return name, lambda X: getattr(sp, kind)(_narrowed(X, dtype))
    makers: dict[str, Callable[[np.ndarray], Any]] = {
        "array": lambda X: X,
        "float32": lambda X: _narrowed(X, np.float32),
        "columns in order": np.asfortranarray,
        "every second row": lambda X: np.repeat(X, 2, axis=0)[::2],
        "read-only": _read_only,
        "other byte order": lambda X: X.astype(">f8"),
        "objects": lambda X: X.astype(object),
        "list": lambda X: X.tolist(),
        "long double": lambda X: X.astype(np.longdouble),
        "pandas": pd.DataFrame,
        "pandas with names and nominal columns": _nominal_pandas,
        "pandas nullable": lambda X: pd.DataFrame(X[:, :60]).convert_dtypes(),  # wide ones are slow to read
        "polars": lambda X: pl.DataFrame({f"x{j}": X[:, j] for j in range(X.shape[1])}),
        "float16": lambda X: _narrowed(X, np.float16),
    }
    if (np.abs(np.nan_to_num(cells, nan=1e9)) < 100).all():
        makers |= {
            "int8": lambda X: np.nan_to_num(X, posinf=0, neginf=0).clip(-100, 100).astype(np.int8),
            "uint64": lambda X: np.abs(np.nan_to_num(X)).clip(0, 1e9).astype(np.uint64),
            "bool": lambda X: np.nan_to_num(X) > 0,
        }
    name = str(rng.choice(list(makers)))
    return name, makers[name]


def _narrowed(X: np.ndarray, dtype: Any) -> np.ndarray:
    """Return X in another type; what is too large for it becomes its largest number, not infinite."""
    largest = float(np.finfo(dtype).max)
    return np.where(np.isinf(X), X, X.clip(-largest, largest)).astype(dtype)


def _read_only(X: np.ndarray) -> np.ndarray:
    X = X.copy()
    X.flags.writeable = False
    return X


def _nominal_pandas(X: np.ndarray) -> pd.DataFrame:
    frame = pd.DataFrame(X, columns=[f"feature {j}" for j in range(X.shape[1])])
    codes = np.nan_to_num(X[:, 0], posinf=0, neginf=0).clip(-3, 3).astype(int)
    frame["nominal"] = pd.Categorical([None if code == 2 else f"value {code}" for code in codes])
    frame["text"] = [f"text {code % 2}" for code in codes]
    return frame


# ---- targets


def _binary(rng: Random, n: int) -> tuple[Any, str]:
    return _as_classes(rng, rng.integers(0, 2, n))


def _multi_class(rng: Random, n: int) -> tuple[Any, str]:
    return _as_classes(rng, rng.integers(0, rng.choice([3, 5, n + 1]), n))


def _as_classes(rng: Random, codes: np.ndarray) -> tuple[Any, str]:
    makers: dict[str, Callable[[np.ndarray], Any]] = {
        "whole numbers": lambda c: c,
        "texts": lambda c: np.array([f"class {i}" for i in c]),
        "objects": lambda c: np.array([f"class {i}" for i in c], object),
        "truth values": lambda c: c > 0,
        "floats": lambda c: c.astype(float),
        "large numbers": lambda c: c + 2**61,
        "-1 and so on": lambda c: 2 * c - 1,
        "list": lambda c: c.tolist(),
        "series": lambda c: pd.Series(c, index=np.arange(len(c))[::-1]),
        "nominal series": lambda c: pd.Series([f"class {i}" for i in c], dtype="category"),
        "one column": lambda c: c[:, None],
        "some unknown": lambda c: np.where(rng.random(len(c)) < 0.3, np.nan, c),
        "some None": lambda c: np.array([None if rng.random() < 0.3 else f"class {i}" for i in c], object),
        "uint8": lambda c: c.astype(np.uint8),
    }
    name = str(rng.choice(list(makers)))
    return makers[name](codes), name


def _labels(rng: Random, n: int) -> tuple[Any, str]:
    width = int(rng.choice([1, 2, 4, 12, 40]))
    labels = (rng.random((n, width)) < rng.choice([0.05, 0.3, 0.9])).astype(np.int8)
    makers: dict[str, Callable[[np.ndarray], Any]] = {
        "int8": lambda Y: Y,
        "truth values": lambda Y: Y > 0,
        "floats": lambda Y: Y.astype(float),
        "CSR": sp.csr_array,
        "CSC of floats": lambda Y: sp.csc_array(Y.astype(float)),
        "frame": pd.DataFrame,
        "list": lambda Y: Y.tolist(),
        "some unknown": lambda Y: np.where(rng.random(Y.shape) < 0.3, np.nan, Y),
        "rows unknown": lambda Y: np.where(rng.random((len(Y), 1)) < 0.3, np.nan, Y),
    }
    name = str(rng.choice(list(makers)))
    return makers[name](labels), f"{width} labels as {name}"


def _hierarchical(rng: Random, n: int) -> tuple[Any, str]:
    hierarchy = TREE_HIERARCHY
    codes = rng.integers(0, len(hierarchy.nodes), n)
    if rng.random() < 0.5:
        return [{hierarchy.nodes[code]} for code in codes], "sets"
    closed = hierarchy.closure(np.eye(len(hierarchy.nodes), dtype=np.int8)[codes])
    return (sp.csr_array(closed), "CSR") if rng.random() < 0.5 else (closed, "indicators")


def _number(rng: Random, n: int) -> tuple[Any, str]:
    columns, name = _numbers(rng, n, 1)
    return columns[:, 0], name


def _several_numbers(rng: Random, n: int) -> tuple[Any, str]:
    width = int(rng.choice([1, 2, 3, 20]))
    columns, name = _numbers(rng, n, width)
    return columns, f"{width} of {name}"


def _numbers(rng: Random, n: int, width: int) -> tuple[np.ndarray, str]:
    Y = rng.normal(size=(n, width))
    makers: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "normal": lambda Y: Y,
        "any magnitude": lambda Y: Y * 10.0 ** rng.uniform(-290, 290, width),
        "float32 magnitude": lambda Y: Y * 10.0 ** rng.uniform(-37, 37, width),
        "lognormal": lambda Y: np.exp(5 * Y),
        "zeros and a million": lambda Y: np.where(Y > 1, 1e6, 0.0),
        "constant": lambda Y: np.full_like(Y, rng.choice([0.0, 0.1, -1e10, 1e300])),
        "whole": lambda Y: np.round(3 * Y).astype(np.int64),
        "float32": lambda Y: Y.astype(np.float32),
        "far from zero": lambda Y: Y + 1e9,
        "some unknown": lambda Y: np.where(rng.random(Y.shape) < 0.3, np.nan, Y),
        "rows unknown": lambda Y: np.where(rng.random((n, 1)) < 0.4, np.nan, Y),
    }
    name = str(rng.choice(list(makers)))
    return makers[name](Y), name


def _several_classes(rng: Random, n: int) -> tuple[Any, str]:
    width = int(rng.choice([2, 3, 8]))
    codes = rng.integers(0, rng.choice([2, 3, 6]), (n, width)) + 1
    makers: dict[str, Callable[[np.ndarray], Any]] = {
        "whole numbers": lambda Y: Y,
        "texts": lambda Y: Y.astype(str),
        "objects": lambda Y: Y.astype(str).astype(object),
        "floats": lambda Y: Y.astype(float),
        "list": lambda Y: Y.tolist(),
        "frame of texts": lambda Y: pd.DataFrame(Y.astype(str)),
        "some unknown": lambda Y: np.where(rng.random(Y.shape) < 0.3, np.nan, Y),
        "rows unknown": lambda Y: np.where(rng.random((len(Y), 1)) < 0.3, np.nan, Y),
        "some None": lambda Y: np.where(rng.random(Y.shape) < 0.3, None, Y.astype(object)),
    }
    name = str(rng.choice(list(makers)))
    return makers[name](codes), f"{width} targets as {name}"


def _classes_and_numbers(rng: Random, n: int) -> tuple[Any, str]:
    numbers, name = _numbers(rng, n, int(rng.choice([1, 2])))
    columns: dict[str, Any] = {f"number {j}": numbers[:, j].astype(float) for j in range(numbers.shape[1])}
    columns["kind"] = rng.choice(["elm", "fir", "oak"], n)
    if rng.random() < 0.5:
        columns["rings"] = rng.integers(0, 2, n)
    if rng.random() < 0.3:
        columns["kind"] = np.where(rng.random(n) < 0.3, None, columns["kind"].astype(object))
    order = rng.permutation(list(columns)).tolist()
    frame = pd.DataFrame({each: columns[each] for each in order})
    return (
        (frame, f"{order} with {name}")
        if rng.random() < 0.7
        else (pl.from_pandas(frame), f"polars {order}, {name}")
    )


_TARGETS: dict[str, Callable[[Random, int], tuple[Any, str]]] = {
    "regression": _number,
    "multi-target regression": _several_numbers,
    "binary": _binary,
    "multi-class": _multi_class,
    "multi-label": _labels,
    HIERARCHICAL: _hierarchical,
    SEVERAL_TASKS[0]: _several_classes,
    MIXED: _classes_and_numbers,
}


# ---- parameters


def _parameters(rng: Random, task: str, single: bool) -> dict[str, Any]:
    chosen: dict[str, Any] = {"split": _split(rng, task), "random_state": int(rng.integers(1000))}
    sometimes(rng, chosen, 0.2, "max_depth", [1, 2, 5])
    sometimes(rng, chosen, 0.3, "min_samples_split", [2, 3, 20])
    sometimes(rng, chosen, 0.2, "min_impurity_decrease", [0.0, 0.2, 1.0])
    sometimes(rng, chosen, 0.3, "max_features", ["sqrt", "log2", 1, 0.3, None])
    sometimes(rng, chosen, 0.1, "normalize_rows", [True, False])
    sometimes(rng, chosen, 0.1, "missing_indicators", [True, False])
    sometimes(rng, chosen, 0.1, "unlabeled_weight", [0.0, 0.3, 1.0])
    if not single:
        chosen["n_estimators"] = int(rng.integers(1, 6))
        sometimes(rng, chosen, 0.3, "bootstrap", [True, False])
        sometimes(rng, chosen, 0.2, "oob_score", [True])
        sometimes(rng, chosen, 0.3, "n_jobs", [1, 2, -1])
        if str(chosen["split"]).lower().startswith(("oc1", "cart")):
            chosen.setdefault("min_samples_split", 2)  # to tune it would take these longer than a case may
    if task in NUMBER_TASKS:
        return chosen
    if task == HIERARCHICAL:
        chosen["hierarchy"] = TREE_HIERARCHY
        sometimes(rng, chosen, 0.2, "threshold", [0.0, 0.3, 1.0])
    elif task == "multi-label":
        sometimes(rng, chosen, 0.2, "threshold", [0.0, 0.3, 1.0, "f1_micro", "f1_macro"])
        sometimes(rng, chosen, 0.1, "normalize_labels", [True])
    else:
        sometimes(rng, chosen, 0.2, "class_weight", ["balanced"])
    return chosen


def sometimes(rng: Random, chosen: dict[str, Any], share: float, name: str, values: Sequence[Any]) -> None:
    if rng.random() < share:
        chosen[name] = values[rng.integers(len(values))]


def _split(rng: Random, task: str) -> Any:
    """Choose a split learner, now and then one that is not for the task; by name, or as it was published."""
    names = [name for name in SPLITS if task in split_class(name).tasks]
    name = str(rng.choice(names if rng.random() < 0.95 else list(SPLITS)))
    published = getattr(split_class(name), "published", None)
    return published() if published is not None and rng.random() < 0.2 else name


def _fitting(rng: Random, n: int) -> dict[str, Any]:
    chosen: dict[str, Any] = {}
    makers: dict[str, Callable[[], Any]] = {
        "random": lambda: rng.random(n),
        "whole": lambda: rng.integers(0, 4, n),
        "mostly zeros": lambda: (rng.random(n) < 0.3).astype(float),
        "all but one zero": lambda: np.eye(n)[0],
        "list": lambda: [1] * n,
        "huge": lambda: rng.random(n) * 1e30,
        "tiny": lambda: rng.random(n) * 1e-30,
        "of all magnitudes": lambda: 10.0 ** rng.uniform(-20, 20, n),
        "negative": lambda: rng.normal(size=n),
        "zeros": lambda: np.zeros(n),
    }
    if rng.random() < 0.35:
        legal = list(makers)[:5]
        chosen["sample_weight"] = makers[str(rng.choice(legal if rng.random() < 0.9 else list(makers)))]()
    if rng.random() < 0.15:
        choices = [
            "features",
            "targets+features",
            "sketch",
            Clustering(sketch=2),
            rng.normal(size=(n, 3)),
            np.zeros(n),
        ]
        chosen["clustering"] = choices[rng.integers(len(choices))]
    return chosen
