"""How many bytes a forest takes: the trees, and the fit that grows them.

Bytes of rows come from `sizes`, and are exact; what a fit takes of each part is a fitted coefficient.
"""

from __future__ import annotations

from dataclasses import replace

from slantwood.planning.coefficients import Coefficients, shipped
from slantwood.planning.shapes import rows_per_leaf, weights_per_split
from slantwood.planning.sizes import feature_bytes, scoring_bytes, target_bytes
from slantwood.planning.work import active_targets, used_features
from slantwood.planning.workload import Workload

__all__ = ["fit_bytes", "memory_parts", "model_bytes"]

_NODE_BYTES = 40  # of the arrays over nodes
_SPLIT_WEIGHT_BYTES = 12  # a float32, its column, and the mean there
_CSR_CELL, _CSR_ROW, _FLOAT32 = 8, 8, 4


def model_bytes(work: Workload, numbers: Coefficients | None = None) -> float:
    """Return the bytes of one fitted tree in memory: the largest, where it is open what a fit chooses.

    Parameters
    ----------
    work : Workload
        The forest.
    numbers : Coefficients, optional
        Fitted numbers; those of the package by default.

    Returns
    -------
    float
        Bytes.

    Examples
    --------
    >>> from slantwood.planning import Workload
    >>> from slantwood.planning.memory import model_bytes
    >>> model_bytes(Workload(20_000, 50)) > model_bytes(Workload(10_000, 50))
    True
    """
    numbers = numbers or shipped()
    if work.probe is not None and work.probe.others:
        alone = (replace(work.probe, others=()), *work.probe.others)
        return max(model_bytes(replace(work, probe=each), numbers) for each in alone)
    leaf_rows = rows_per_leaf(work, numbers)
    n_leaves = max(work.growth().tree_rows / leaf_rows, 1.0)
    if work.probe is not None and work.probe.tree_bytes is not None and work.probe.rows_per_leaf is not None:
        probed_rows = work.with_rows(work.probe.rows).growth().tree_rows
        return work.probe.tree_bytes * n_leaves / max(probed_rows / work.probe.rows_per_leaf, 1.0)
    of_splits = n_leaves * weights_per_split(work, numbers) * _SPLIT_WEIGHT_BYTES
    if work.has_sparse_targets:
        of_leaf = active_targets(work, leaf_rows) * _CSR_CELL + _CSR_ROW
    else:
        of_leaf = work.target_columns * _FLOAT32
    return n_leaves * (2 * _NODE_BYTES + of_leaf) + of_splits


def memory_parts(work: Workload, threads: int, numbers: Coefficients | None = None) -> dict[str, float]:
    """Return the bytes, and counts, that the memory of a fit is made of.

    Parameters
    ----------
    work : Workload
        The forest.
    threads : int
        Trees that grow at the same time.
    numbers : Coefficients, optional
        Fitted numbers; those of the package by default.

    Returns
    -------
    dict of str to float
        "features" and "targets" are what is held once, "blocks" and "samples" what each thread has for a
        tree.

    Examples
    --------
    >>> from slantwood.planning import Workload
    >>> from slantwood.planning.memory import memory_parts
    >>> memory_parts(Workload(1000, 50), threads=1)["features"]
    200000
    """
    growth = work.growth()
    threads = min(threads, work.n_trees)
    used = used_features(work, growth, growth.tree_rows)
    # The root's block has the features of its split and all targets side by side. Learners that look at one
    # feature after the other turn it into columns, and so does what competes with the gradient for numbers.
    block = used.cells * (_CSR_CELL if work.is_sparse else _FLOAT32) * (2.0 if growth.by_columns else 1.0)
    block += target_bytes(work) * growth.tree_rows / work.rows
    return {
        "once": 1.0,
        "features": feature_bytes(work),
        "targets": target_bytes(work) + scoring_bytes(work),
        "blocks": threads * block,
        "samples": threads * growth.tree_rows + work.rows,
        "model": work.n_trees * model_bytes(work, numbers),
    }


def fit_bytes(work: Workload, threads: int = 1, numbers: Coefficients | None = None) -> float:
    """Return the memory of a process that fits, X and y included, Python and its libraries not.

    Parameters
    ----------
    work : Workload
        The forest.
    threads : int, default=1
        Trees that grow at the same time.
    numbers : Coefficients, optional
        Fitted numbers; those of the package by default.

    Returns
    -------
    float
        Bytes.

    Examples
    --------
    >>> from slantwood.planning import Workload
    >>> from slantwood.planning.memory import fit_bytes
    >>> fit_bytes(Workload(10_000, 50)) > 2_000_000
    True
    """
    numbers = numbers or shipped()
    parts = memory_parts(work, threads, numbers)
    return sum(numbers.memory[name] * size for name, size in parts.items())
