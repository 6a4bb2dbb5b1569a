"""Split learners, one per file: parameters, and a kernel that finds a node's hyperplane.

`named` is where a new learner is registered.
"""

from typing import Any

from slantwood.splits.gradient import GradientSplit

_BY_NAME = {"gradient": GradientSplit}


def named(split: Any) -> Any:
    """Split learner from its name, or the learner itself."""
    if isinstance(split, str):
        if split not in _BY_NAME:
            raise ValueError(
                f"split={split!r} must be one of {', '.join(map(repr, _BY_NAME))}, or a split learner such "
                "as GradientSplit(C=1)"
            )
        return _BY_NAME[split]()
    if not isinstance(split, tuple(_BY_NAME.values())):
        raise TypeError(
            f"split={split!r} ({type(split).__name__}) must be one of {', '.join(map(repr, _BY_NAME))}, or a "
            "split learner such as GradientSplit(C=1)"
        )
    return split
