"""Split learners, one per file: parameters, and a kernel that finds a node's hyperplane.

`slantwood.split_names` is where a new learner is registered.
"""

from functools import cache
from typing import Any

from slantwood.split_names import SPLITS, name_of, split_class
from slantwood.splits.learner import BaseSplit
from slantwood.splits.own import OwnSplit, SplitLearner


def named(split: Any) -> BaseSplit:
    """Split learner from its name, or the learner itself; "auto" is the gradient split."""
    if isinstance(split, str) and split == "auto":
        split = "gradient"
    if isinstance(split, str) and split in SPLITS:
        return _with_defaults(split)
    if name_of(split) is not None:
        return split
    if isinstance(split, SplitLearner) and not isinstance(split, type):
        return OwnSplit(split)
    kind = ValueError if isinstance(split, str) else TypeError
    raise kind(
        f"split={split!r} must be 'auto', one of {', '.join(map(repr, SPLITS))}, a split learner such as "
        "GradientSplit(C=1), or an object of your own with a method learn(X, Z, p, weights, rng)"
    )


@cache  # scikit-learn asks estimators what they can do several times in each call
def _with_defaults(name: str) -> BaseSplit:
    return split_class(name)()
