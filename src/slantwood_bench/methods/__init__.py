"""Every method of the study by name; a new one is a file here and a line in the list.

It imports none of them, so that names can be shown before anything is loaded.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slantwood_bench.methods.base import Method

# Name of the method: its file in this folder, and its class.
METHODS = {
    "bag-gradient": ("gradient", "Bagging"),
    "bag-gradient-paper": ("gradient", "BaggingAsPublished"),
    "rf-gradient": ("gradient", "RandomForest"),
    "rf-gradient-paper": ("gradient", "RandomForestAsPublished"),
    "bag-svm": ("svm", "Bagging"),
    "bag-svm-paper": ("svm", "BaggingAsPublished"),
    "rf-svm": ("svm", "RandomForest"),
    "rf-svm-paper": ("svm", "RandomForestAsPublished"),
    "bag-pct": ("axis_parallel", "Bagging"),
    "rf-pct": ("axis_parallel", "RandomForest"),
    "orf": ("ridge", "RandomForest"),
    "fastxml": ("fastxml", "FastXML"),
    "lightgbm": ("lightgbm", "LightGBM"),
    "linear-svm": ("linear_svm", "LinearSVM"),
    "scikit-rf": ("scikit_forests", "RandomForest"),
    "scikit-et": ("scikit_forests", "ExtraTrees"),
    "ydf": ("ydf", "YDF"),
    "ydf-oblique": ("ydf", "YDFOblique"),
    "treeple": ("treeple", "Treeple"),
    "tree-gradient": ("gradient", "Tree"),
    "tree-gradient-paper": ("gradient", "TreeAsPublished"),
    "tree-svm": ("svm", "Tree"),
    "tree-svm-paper": ("svm", "TreeAsPublished"),
    "tree-pct": ("axis_parallel", "Tree"),
    "cart-lc": ("cart_lc", "Tree"),
    "oc1": ("oc1", "Tree"),
    "wodt": ("wodt", "Tree"),
}


def method_class(name: str) -> "type[Method]":
    """Return the class of the method of this name."""
    file, cls = METHODS[name]
    return getattr(import_module(f"slantwood_bench.methods.{file}"), cls)
