"""Every split learner by name: the one list that estimators, model files and the command line look at.

It imports none of them, so that names can be shown before anything is compiled.
"""

from importlib import import_module
from typing import Any

# Name of the learner: its file in `slantwood.splits`, and its class.
SPLITS = {
    "gradient": ("gradient", "GradientSplit"),
    "svm": ("svm", "SVMSplit"),
    "axis": ("axis_parallel", "AxisParallelSplit"),
    "ridge": ("ridge", "RidgeSplit"),
    "cart-lc": ("cart_lc", "CARTLCSplit"),
    "oc1": ("oc1", "OC1Split"),
    "wodt": ("wodt", "WODTSplit"),
    "ndcg": ("ndcg", "NDCGSplit"),
}


def split_class(name: str) -> Any:
    """Return the class of the split learner of this name."""
    file, cls = SPLITS[name]
    return getattr(import_module(f"slantwood.splits.{file}"), cls)


def name_of(split: Any) -> str | None:
    """Return the name of a split learner, or None where it is not one of ours."""
    kind = type(split)
    for name, (file, cls) in SPLITS.items():
        if kind.__name__ == cls and kind.__module__ == f"slantwood.splits.{file}":
            return name
    return None
