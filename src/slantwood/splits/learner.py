"""What all split learners have in common, beside the kernel that each has of its own.

A learner is a frozen dataclass of its parameters. What it does not say is as it stands here.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, ClassVar, Self

import numpy as np

from slantwood.splits.parameters import filled_in
from slantwood.splits.protocol import Scaling
from slantwood.task_names import CLASS_TASKS, LABEL_TASKS, NUMBER_TASKS, SEVERAL_TASKS


class BaseSplit:
    """Base of the parameter classes of split learners."""

    # Tasks that the method is for.
    tasks: ClassVar[tuple[str, ...]] = (*CLASS_TASKS, *LABEL_TASKS, *NUMBER_TASKS, *SEVERAL_TASKS)

    # Whether it needs to know the classes or labels themselves, and so allows no other clustering attributes.
    reads_labels: ClassVar[bool] = False

    # Whether a split combines features; if not, it is a threshold of one.
    oblique: ClassVar[bool] = True

    # With fewer features to combine, an oblique split is hardly oblique.
    fewest_features: ClassVar[int] = 5

    # Powers of the standard deviation by which a node's columns are divided before learning.
    feature_power: float = 1.0
    target_power: float = 1.0

    # Whether the features of a node are then brought to variance 1 on average, so that units do not matter.
    unit_variance: bool = True

    # Where X is mostly zeros, rows of a node in which a feature must not be zero to be used.
    min_support: int = 1

    # A feature is left out of a split where its part in the variance of the weighted sum is less than so many
    # times the mean part.
    min_part: float = 0.0

    def __repr__(self) -> str:
        """Return the call that makes it, without parameters at their defaults."""
        defaults = {each.name: each.default for each in fields(self)}  # type: ignore[arg-type]
        given = [f"{k}={v!r}" for k, v in self.get_params().items() if repr(v) != repr(defaults[k])]
        return f"{type(self).__name__}({', '.join(given)})"

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name, as scikit-learn's searches and `clone` ask for them.

        A learner does not change once it is made: `set_params(split__C=1)` of an estimator makes another one.

        Parameters
        ----------
        deep : bool, default=True
            Makes no difference: no parameter has parameters of its own.

        Returns
        -------
        dict of str to object
            The parameters, in the order of the constructor.

        Examples
        --------
        >>> from slantwood import AxisParallelSplit
        >>> AxisParallelSplit().get_params()
        {'thresholds': 'best'}
        """
        return {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]

    def filled_in(self, chosen: dict[str, Any]) -> Self:
        """Return a copy with the chosen values in place of "auto"."""
        return filled_in(self, chosen)

    def preferences(self, traits: Any) -> dict[str, Any]:
        """Return values for parameters at "auto", of the estimator or its own, that suit this learner.

        They go before the general rules in `slantwood.ensemble.defaults`, where `DataTraits` are described.
        """
        return {}

    @property
    def rows_in_order(self) -> int:
        """Up to how many rows a node may keep them in any order: any number, where all are looked at."""
        return np.iinfo(np.int64).max

    @property
    def scaling(self) -> Scaling:
        """How a node's columns are scaled before learning."""
        return Scaling(float(self.feature_power), float(self.target_power), bool(self.unit_variance))
