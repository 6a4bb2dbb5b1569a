"""Which models the functions of this package take."""

from __future__ import annotations

from typing import Any

from slantwood.estimators.tree_models import check_tree_model
from slantwood.task_names import SEVERAL_TASKS


def check_model(model: Any, what: str) -> None:
    """Refuse what is no fitted model of one kind of targets; `what` is asked of it."""
    check_tree_model(model)
    if model.targets_.task in SEVERAL_TASKS:
        raise ValueError(f"{what} is not there for several targets with classes of their own; fit one by one")
