"""The axis-parallel split: a threshold of a single feature, the one that removes the most impurity.

This is the standard predictive clustering tree (Blockeel, De Raedt & Ramon 1998, "Top-down induction of
clustering trees"), and, with classes or one number as targets, the tree of CART (Breiman, Friedman, Olshen &
Stone 1984). Cuts drawn at random, one for each feature, of which the best is taken, are those of extremely
randomised trees (Geurts, Ernst & Wehenkel 2006). Impurity is the variance of the clustering attributes, each
with its weight; for classes it is Gini's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from slantwood.kernels.axis_search import best_allowed_feature
from slantwood.kernels.binned_search import best_binned_feature
from slantwood.kernels.compiling import exact
from slantwood.kernels.scratch import scratch
from slantwood.splits.learner import BaseSplit
from slantwood.splits.parameters import check_word, compiled_form
from slantwood.splits.protocol import split_learner
from slantwood.task_names import NUMBER_TASKS


class AxisParallelParameters(NamedTuple):
    """The compiled form of `AxisParallelSplit`."""

    at_random: bool
    in_bins: bool


@split_learner(AxisParallelParameters, heeds_limits=True)
@exact
def learn_axis_parallel(parameters, X, Z, weights, state, limits):
    """Search all features for the best threshold that the limits on leaves allow."""
    w = scratch(X.n_columns, np.float32)
    w[:] = np.float32(0.0)
    if parameters.in_bins:
        feature, cut, _ = best_binned_feature(X, Z, weights, state, limits)
    else:
        feature, cut, _ = best_allowed_feature(X, Z, weights, parameters.at_random, state, limits)
    if feature < 0:
        return w, np.float32(0.0), False
    w[feature] = np.float32(1.0)
    return w, -cut, True


@dataclass(frozen=True, repr=False)
class AxisParallelSplit(BaseSplit):
    """Split learner of standard predictive clustering trees: the best threshold of a single feature.

    A forest of these is a random forest; with `thresholds="random"` it is one of extremely randomised trees.

    Parameters
    ----------
    thresholds : {"best", "binned", "random"}, default="best"
        Look at every threshold of every feature; choose the feature by thresholds between 32 bins, and then
        its best threshold, which is several times as fast; or draw one for each feature at random.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from slantwood import AxisParallelSplit, ObliqueTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = ObliqueTreeClassifier(
    ...     split=AxisParallelSplit(thresholds="best"), max_depth=2, random_state=0
    ... ).fit(X, y)
    >>> bool(tree.score(X, y) > 0.9)
    True
    """

    thresholds: Literal["best", "binned", "random"] = "best"

    oblique: ClassVar[bool] = False
    fewest_features: ClassVar[int] = 1
    target_power = 0.0  # impurities of attributes are added as they are

    def __post_init__(self) -> None:
        """Check the word."""
        check_word(self, "thresholds", ("best", "binned", "random"))

    def preferences(self, traits: Any) -> dict[str, Any]:
        """Return values for parameters at "auto" that suit this learner: those of random forests."""
        return {
            "bootstrap": self.thresholds != "random",
            "max_features": 1.0 if traits.task in NUMBER_TASKS else "sqrt",
            "min_samples_split": 2,
            "min_impurity_decrease": 0.0,
            "normalize_labels": False,
        }

    def compiled(self) -> AxisParallelParameters:
        """Parameters in the form that the compiled grower takes."""
        at_random, in_bins = self.thresholds == "random", self.thresholds == "binned"
        return compiled_form(AxisParallelParameters, self, at_random=at_random, in_bins=in_bins)
