"""Split learners, one per file: parameters, and a kernel that finds a node's hyperplane.

`named` is where a new learner is registered.
"""

from typing import Any

from slantwood.splits.gradient import GradientSplit
from slantwood.splits.own import OwnSplit, SplitLearner
from slantwood.splits.svm import SVMSplit

_BY_NAME = {"gradient": GradientSplit, "svm": SVMSplit}


def named(split: Any) -> Any:
    """Split learner from its name, or the learner itself."""
    if isinstance(split, str) and split in _BY_NAME:
        return _BY_NAME[split]()
    if isinstance(split, tuple(_BY_NAME.values())):
        return split
    if isinstance(split, SplitLearner) and not isinstance(split, type):
        return OwnSplit(split)
    kind = ValueError if isinstance(split, str) else TypeError
    raise kind(
        f"split={split!r} must be one of {', '.join(map(repr, _BY_NAME))}, a split learner such as "
        "GradientSplit(C=1), or an object of your own with a method learn(X, Z, p, weights, rng)"
    )
