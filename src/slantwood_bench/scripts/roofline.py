"""How near the gradient iterations come to the speed at which memory can be read.

One step of Adam at the root has to read X twice (project, and project back) and the targets Z twice. A tree
of depth 1 with many steps and one with few differ by nothing but steps, so the difference of their times is
that of the steps alone. The yardstick is one thread that sums an array of as many bytes as X and Z have
together, and so lies as far out, in cache or in memory, as they do.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from slantwood import GradientSplit, ObliqueTreeRegressor
from slantwood_bench.scripts.scaling import Size, synthetic
from slantwood_bench.usage import usage_of

_CASES = {  # size, and how many steps more the long run has
    "dense, beyond cache": (Size(rows=100_000, features=500, targets=20), 60),
    "dense, in cache": (Size(rows=2000, features=60, targets=4), 4000),
    "sparse, beyond cache": (Size(rows=100_000, features=20_000, targets=20, per_row=100), 60),
}
_FEW_STEPS = 5
_BYTES_READ = 2e9


def read_bandwidth(n_bytes: int) -> float:
    """Bytes per second at which one thread reads an array of this size over and over."""
    values = np.ones(n_bytes // 4, np.float32)
    times = max(1, round(_BYTES_READ / n_bytes))
    seconds = usage_of(lambda: [values.sum() for _ in range(times)]).seconds
    return times * values.nbytes / seconds


def bytes_once(X: Any, Y: np.ndarray) -> int:
    """Size of X and of the targets in the form that the iterations read.

    float32 cells, or for CSR a float32 value and an index of 4 bytes.
    """
    return (8 * X.nnz if sparse.issparse(X) else 4 * X.size) + 4 * Y.size


def _fit(X: Any, Y: np.ndarray, steps: int) -> Callable[[], ObliqueTreeRegressor]:
    split = replace(GradientSplit.published(), max_iter=steps, tol=0.0)
    tree = ObliqueTreeRegressor(
        split=split, max_depth=1, min_impurity_decrease=0.0, normalize_rows=False, random_state=0
    )
    return lambda: tree.fit(X, Y)


def roofline(repeats: int) -> list[dict[str, Any]]:
    """Measure all cases; return a row for each."""
    return [_row(name, size, more, repeats) for name, (size, more) in _CASES.items()]


def _row(name: str, size: Size, more_steps: int, repeats: int) -> dict[str, Any]:
    X, Y = synthetic(size)
    n_bytes = bytes_once(X, Y)
    few, many = _fit(X, Y, _FEW_STEPS), _fit(X, Y, _FEW_STEPS + more_steps)
    few()
    per_step, bandwidths = [], []
    for repeat in range(repeats):
        order = (few, many) if repeat % 2 == 0 else (many, few)
        seconds = {fit: usage_of(fit).seconds for fit in order}
        per_step.append((seconds[many] - seconds[few]) / more_steps)
        bandwidths.append(read_bandwidth(n_bytes))
    rates = 2 * n_bytes / np.array(per_step)
    return {
        "case": name,
        "rows": size.rows,
        "features": size.features,
        "per row": size.per_row or size.features,
        "targets": size.targets,
        "MB per step": 2 * n_bytes / 1e6,
        "ms per step": float(np.median(per_step)) * 1e3,
        "GB/s": float(np.median(rates)) / 1e9,
        "GB/s of reading": float(np.median(bandwidths)) / 1e9,
        "ratio": float(np.median(rates / bandwidths)),
        "all ms": [1e3 * seconds for seconds in per_step],
    }
