"""Which numbers the leaves of a model file may hold: those with which predictions are what they promise."""

from __future__ import annotations

from typing import Any

import numpy as np

from slantwood.kernels.matrix import Matrix
from slantwood.model.refusal import ModelFileError
from slantwood.task_names import NUMBER_TASKS

# Sums of weights that make up a share may differ in their last bits.
_ROUNDING = 1e-5

# Standard deviations from the mean. Of n rows whose weights differ by at most 1e24, as `fit` demands, none
# lies further from it than 1e12 sqrt(n); and sums over any number of trees stay within single precision.
_FURTHEST = 1e18


def check_leaf_values(leaves: Matrix, targets: Any) -> None:
    """Refuse probabilities outside 0 to 1, and numbers so large that predictions would be infinite."""
    values = leaves.values if leaves.is_dense else leaves.data
    least, largest = float(values.min(initial=0.0)), float(values.max(initial=0.0))
    if targets.task not in NUMBER_TASKS:
        if least < 0 or largest > 1 + _ROUNDING:
            wrong = least if least < 0 else largest
            raise ModelFileError(f"array 'leaves/values' holds {wrong:.6g}; probabilities are from 0 to 1")
        return
    furthest = max(-least, largest)
    reached = furthest * targets.scale + np.abs(targets.mean)
    if furthest > _FURTHEST or not np.isfinite(reached).all():
        raise ModelFileError(
            f"array 'leaves/values' holds a number {furthest:.6g} standard deviations from the mean, with "
            "which predictions would be infinite"
        )
