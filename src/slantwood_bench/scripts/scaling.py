"""How the cost of fitting grows with rows, features, targets and non-zeros: measured exponents.

Trees of fixed depth and a fixed number of steps for every split, on synthetic data whose targets follow a few
directions: so that only the size changes from one fit to the next, not the work that the data ask for.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from slantwood import GradientSplit, ObliqueForestRegressor
from slantwood_bench.usage import usage_of

_N_TREES = 4
_DEPTH = 3
_STEPS = 20


@dataclass(frozen=True)
class Size:
    """Size of a synthetic problem; dense where `per_row`, the number of non-zeros in a row, is 0."""

    rows: int
    features: int
    targets: int
    per_row: int = 0


_DENSE = Size(rows=4000, features=64, targets=8)
_SPARSE = Size(rows=4000, features=20000, targets=8, per_row=32)
_RANGES = (
    ("rows", _DENSE, (4000, 8000, 16000, 32000, 64000)),
    ("features", _DENSE, (128, 256, 512, 1024, 2048)),
    ("targets", _DENSE, (64, 128, 256, 512, 1024)),
    ("per_row", _SPARSE, (32, 64, 128, 256, 512)),
)


def fitted_exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """Return the b of cost = a size^b that fits the logarithms best."""
    return float(np.polyfit(np.log(sizes), np.log(costs), 1)[0])


def synthetic(size: Size, seed: int = 0) -> tuple[Any, np.ndarray]:
    """Draw features, and targets that are linear in three hidden directions plus noise."""
    rng = np.random.default_rng(seed)
    if size.per_row:
        X = _random_rows(size, rng)
    else:
        X = rng.standard_normal((size.rows, size.features), dtype=np.float32)
    hidden = X @ rng.standard_normal((size.features, 3))
    Y = hidden @ rng.standard_normal((3, size.targets))
    return X, Y + Y.std() * rng.standard_normal(Y.shape)


def _random_rows(size: Size, rng: np.random.Generator) -> sparse.csr_array:
    n_stored = size.rows * size.per_row
    # One column from each of as many stretches of equal length: no column twice in a row.
    step = size.features // size.per_row
    places = rng.integers(size.features, size=(size.rows, 1)) + step * np.arange(size.per_row)
    columns = np.sort((places + rng.integers(step, size=places.shape)) % size.features, axis=1)
    starts = np.arange(0, n_stored + 1, size.per_row, dtype=np.int32)
    values = rng.random(n_stored, dtype=np.float32) + 0.5
    return sparse.csr_array((values, columns.astype(np.int32).ravel(), starts), (size.rows, size.features))


def forest(n_jobs: int) -> ObliqueForestRegressor:
    """Make the forest whose cost is measured; nothing is left at "auto", which would depend on the size.

    It starts from the targets, because from noise a few steps find no split among very many features.
    """
    return ObliqueForestRegressor(
        n_estimators=_N_TREES,
        split=replace(GradientSplit.published(), start="informed", max_iter=_STEPS, tol=0.0),
        max_depth=_DEPTH,
        min_samples_split=2,
        min_impurity_decrease=0.0,
        max_features=None,
        bootstrap=False,
        normalize_rows=False,
        n_jobs=n_jobs,
        random_state=0,
    )


def scaling(repeats: int, n_jobs: int) -> list[tuple[str, list[dict[str, Any]]]]:
    """Measure all ranges; return a title and the rows for each.

    The sizes are gone through up and down in turn, and the median over the repetitions counts.
    """
    for start in (Size(50, 4, 2), Size(50, 40, 2, 2)):
        forest(n_jobs).fit(*synthetic(start))
    tables = []
    for name, base, values in _RANGES:
        rows = _measured(name, [replace(base, **{name: value}) for value in values], repeats, n_jobs)
        exponent = fitted_exponent(values, [row["seconds"] for row in rows])
        others = ", ".join(f"{k} {v}" for k, v in vars(base).items() if v and k != name)
        label = "non-zeros per row" if name == "per_row" else name
        trees = f"{_N_TREES} trees of depth {_DEPTH}, {_STEPS} steps"
        tables.append((f"{label}: seconds grow with exponent {exponent:.2f} ({others}; {trees})", rows))
    return tables


def _measured(name: str, sizes: Sequence[Size], repeats: int, n_jobs: int) -> list[dict[str, Any]]:
    problems = [synthetic(size) for size in sizes]
    model = forest(n_jobs)
    seconds: list[list[float]] = [[] for _ in sizes]
    leaves = [0] * len(sizes)
    places = range(len(sizes))
    for repeat in range(repeats):
        for i in places if repeat % 2 == 0 else reversed(places):
            seconds[i].append(usage_of(partial(model.fit, *problems[i])).seconds)
            leaves[i] = int((model.trees_.left < 0).sum())
    return [
        {
            name: getattr(size, name),
            "seconds": float(np.median(times)),
            "leaves": n_leaves,
            "all seconds": times,
        }
        for size, times, n_leaves in zip(sizes, seconds, leaves, strict=True)
    ]
