"""Which models the functions of this package take."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from slantwood.estimators.base import ObliqueEstimator
from slantwood.task_names import SEVERAL_TASKS


def check_ensemble(model: Any) -> None:
    """Refuse what is no fitted model of trees."""
    if not isinstance(model, ObliqueEstimator):
        raise TypeError(
            f"model is a {type(model).__name__}; give a tree, forest or boosted model of slantwood (of a "
            "pipeline its last step, with the X that it was given)"
        )
    check_is_fitted(model)


def check_model(model: Any, what: str) -> None:
    """Refuse what is no fitted model of one kind of targets; `what` is asked of it."""
    check_ensemble(model)
    if model.targets_.task in SEVERAL_TASKS:
        raise ValueError(f"{what} is not there for several targets with classes of their own; fit one by one")
