"""Losses that boosting lowers, one file each; a new one is a file and a line of the table here."""

from __future__ import annotations

from typing import Any

from slantwood.losses.absolute import AbsoluteError
from slantwood.losses.base import Loss
from slantwood.losses.huber import HuberLoss
from slantwood.losses.logarithmic import GammaLoss, PoissonLoss, TweedieLoss
from slantwood.losses.logistic import LogisticLoss
from slantwood.losses.quantile import QuantileLoss
from slantwood.losses.softmax import SoftmaxLoss
from slantwood.losses.squared import SquaredError
from slantwood.task_names import NUMBER_TASKS

__all__ = [
    "AbsoluteError",
    "GammaLoss",
    "HuberLoss",
    "LogisticLoss",
    "Loss",
    "PoissonLoss",
    "QuantileLoss",
    "SoftmaxLoss",
    "SquaredError",
    "TweedieLoss",
]

LOSSES: dict[str, Any] = {
    cls.name: cls
    for cls in (
        SquaredError,
        AbsoluteError,
        HuberLoss,
        QuantileLoss,
        PoissonLoss,
        GammaLoss,
        TweedieLoss,
        LogisticLoss,
        SoftmaxLoss,
    )
}


def named(loss: Any) -> Loss:
    """Return a loss for numbers from its name, or the loss itself."""
    of_numbers = [name for name, cls in LOSSES.items() if cls.tasks == NUMBER_TASKS]
    if isinstance(loss, str) and loss in of_numbers:
        return LOSSES[loss]()
    if type(loss) in LOSSES.values() and loss.name in of_numbers:
        return loss
    kind = ValueError if isinstance(loss, str) else TypeError
    raise kind(
        f"loss={loss!r:.60} must be one of {', '.join(map(repr, of_numbers))}, or a loss such as "
        "slantwood.losses.QuantileLoss(level=0.9)"
    )


def of_classes(task: str) -> Loss:
    """Return the logistic loss of classes or labels."""
    return SoftmaxLoss() if task == "multi-class" else LogisticLoss()


def from_json(given: dict[str, Any]) -> Loss:
    """Make a loss from name and parameters; a ValueError or TypeError says what is wrong with them."""
    parameters = {key: value for key, value in given.items() if key != "name"}
    if given.get("name") not in LOSSES:
        raise ValueError(f"{given.get('name')!r:.60} is not a loss")
    return LOSSES[given["name"]](**parameters)
