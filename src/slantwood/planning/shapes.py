"""What shape trees will have: how large leaves become, how far trees are out of balance, how wide splits are.

Power laws of the sizes, fitted on measurements; where there is a probe, what its trees have and how that
grows with rows.
"""

from __future__ import annotations

import math
from typing import Any

from slantwood.planning.coefficients import Coefficients, shipped
from slantwood.planning.work import Shape, balanced_depth, used_features
from slantwood.planning.workload import Probe, Workload
from slantwood.task_names import CLASS_TASKS

__all__ = ["group_of", "power_law", "rows_per_leaf", "tree_shape", "weights_per_split"]

# Leaves grow from a probe to all rows by this part of the power of rows that the probe shows, which is kept
# between two bounds: some of it is chance, and leaves do not grow for ever.
_PART_OF_POWER, _LEAST_POWER, _LARGEST_POWER = 0.75, -0.25, 1.0


def group_of(work: Workload) -> str:
    """Return the name of the coefficients of a workload: its split learner, and the form of X.

    Parameters
    ----------
    work : Workload
        The forest.

    Returns
    -------
    str
        The name.

    Examples
    --------
    >>> from slantwood.planning import Workload
    >>> from slantwood.planning.shapes import group_of
    >>> group_of(Workload(1000, 50))
    'gradient dense'
    """
    return f"{work.split} {'sparse' if work.is_sparse else 'dense'}"


def power_law(law: dict[str, Any], task: str, **values: float) -> float:
    """Return exp(b_task) times powers of values.

    Parameters
    ----------
    law : dict
        "tasks", with b of each task, and exponents by the names of values.
    task : str
        The task.
    **values : float
        Positive numbers.

    Returns
    -------
    float
        The product.

    Examples
    --------
    >>> from slantwood.planning.shapes import power_law
    >>> power_law({"tasks": {"binary": 0.0}, "rows": 0.5}, "binary", rows=9.0)
    3.0
    """
    exponents = {name: exponent for name, exponent in law.items() if name in values}
    return math.exp(law["tasks"].get(task, 0.0)) * math.prod(
        values[name] ** exponent for name, exponent in exponents.items()
    )


def rows_per_leaf(work: Workload, numbers: Coefficients | None = None) -> float:
    """Return how many distinct rows a leaf has on average, by the measured data or as the workload says.

    Parameters
    ----------
    work : Workload
        The forest.
    numbers : Coefficients, optional
        Fitted numbers; those of the package by default.

    Returns
    -------
    float
        Rows.

    Examples
    --------
    >>> from slantwood.planning import Workload
    >>> from slantwood.planning.shapes import rows_per_leaf
    >>> rows_per_leaf(Workload(1000, 50, rows_per_leaf=7.0))
    7.0
    """
    if work.rows_per_leaf is not None:
        return work.rows_per_leaf
    if work.probe is not None and work.probe.rows_per_leaf is not None:
        told = work.probe.rows_per_leaf * _growth_of_leaves(work, work.probe)
        return min(max(told, 1.0), work.growth().tree_rows)
    numbers = numbers or shipped()
    group, growth = group_of(work), work.growth()
    law = numbers.leaf[group]
    # How pure nodes become depends on sizes where targets are classes; others end by their rows.
    sizes = _clamped(work, numbers) if work.task in CLASS_TASKS else {}
    floor = power_law(law, work.task, **sizes)
    limit = law["shares"][work.task] * growth.min_samples_split
    # Leaves end where rows are few or where nothing is left to tell, whichever is earlier.
    return min(max((limit**2 + floor**2) ** 0.5, 1.0), growth.tree_rows)


def _growth_of_leaves(work: Workload, probe: Probe) -> float:
    """Return how many times as large leaves are as those of the probe: by the power of rows that it shows."""
    small = probe.smaller
    if small is None or probe.rows_per_leaf is None or small.rows_per_leaf is None:
        return 1.0
    few, some, all_rows = (
        work.with_rows(rows).growth().tree_rows for rows in (small.rows, probe.rows, work.rows)
    )
    if not few < some:
        return 1.0
    power = math.log(probe.rows_per_leaf / small.rows_per_leaf) / math.log(some / few)
    return float((all_rows / some) ** (_PART_OF_POWER * min(max(power, _LEAST_POWER), _LARGEST_POWER)))


def _clamped(work: Workload, numbers: Coefficients) -> dict[str, float]:
    """Return sizes for power laws, which hold where they were measured; beyond, all is as it is there."""
    largest = numbers.largest[group_of(work)]
    return {name: min(float(getattr(work, name)), largest[name]) for name in ("rows", "features", "targets")}


def tree_shape(work: Workload, numbers: Coefficients | None = None) -> Shape:
    """Return how trees grow, by the measured data, and as far as the workload says.

    Parameters
    ----------
    work : Workload
        The forest.
    numbers : Coefficients, optional
        Fitted numbers; those of the package by default.

    Returns
    -------
    Shape
        Rows of a leaf, and how far trees are out of balance.

    Examples
    --------
    >>> from slantwood.planning import Workload
    >>> from slantwood.planning.shapes import tree_shape
    >>> tree_shape(Workload(1000, 50)).stretch >= 1
    True
    """
    numbers = numbers or shipped()
    leaf = rows_per_leaf(work, numbers)
    probe = work.probe
    if probe is not None and probe.depth is not None and probe.rows_per_leaf is not None:
        of_probe = balanced_depth(work.with_rows(probe.rows), probe.rows_per_leaf)
        return Shape(leaf, max(probe.depth / of_probe, 1.0))
    law = numbers.stretch[group_of(work)]
    return Shape(leaf, max(power_law(law, work.task, **_clamped(work, numbers)), 1.0))


def weights_per_split(work: Workload, numbers: Coefficients | None = None) -> float:
    """Return how many features a split combines on average: less than it may, since small weights vanish.

    Parameters
    ----------
    work : Workload
        The forest.
    numbers : Coefficients, optional
        Fitted numbers; those of the package by default.

    Returns
    -------
    float
        Features.

    Examples
    --------
    >>> from slantwood.planning import Workload
    >>> from slantwood.planning.shapes import weights_per_split
    >>> weights_per_split(Workload(1000, 50, split="axis"))
    1.0
    """
    if work.split == "axis":
        return 1.0
    numbers = numbers or shipped()
    leaf = rows_per_leaf(work, numbers)
    # Most splits are those above leaves.
    width = used_features(work, work.growth(), 2.0 * leaf).width
    law = numbers.weights[group_of(work)]
    return min(max(power_law(law, work.task, width=max(width, 1.0), leaf=leaf), 1.0), max(width, 1.0))
