"""Every method by name: one table for the study and for the benchmark scripts.

A method is a row: an adapter of this folder, and what is set in it. The table imports no adapter, so that
names can be shown before anything is loaded.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from slantwood.task_names import CLASS_TASKS, LABEL_TASKS, NUMBER_TASKS

if TYPE_CHECKING:
    from slantwood_bench.methods.base import Method

# The paper's ensembles and trees, whatever the split: bootstrap samples, leaves of any size, X as it is.
BAGGING: Mapping[str, Any] = {
    "bootstrap": True,
    "max_features": None,
    "min_samples_split": 2,
    "normalize_rows": False,
    "normalize_labels": False,
}
RANDOM_FOREST: Mapping[str, Any] = {**BAGGING, "max_features": "sqrt"}
SINGLE_TREE: Mapping[str, Any] = {"min_samples_split": 2, "normalize_rows": False, "normalize_labels": False}


class Entry(NamedTuple):
    """A row of the table: an adapter as ``file.Class``, and the class attributes that the method sets."""

    adapter: str
    attributes: Mapping[str, Any]


def _slantwood(title: str, learner: str = "", **own: Any) -> Entry:
    return Entry("oblique.Slantwood", {"title": title, "learner": learner, **own})


def _published(title: str, learner: str, parameters: Mapping[str, Any], **own: Any) -> Entry:
    return _slantwood(title, learner, published=True, parameters=parameters, **own)


def _other(adapter: str, title: str, **own: Any) -> Entry:
    return Entry(adapter, {"title": title, **own})


_SQRT = {"parameters": {"max_features": "sqrt"}}
_TREE = {"group": "tree"}
# Only two classes, as in the paper.
_BINARY = {"tasks": ("binary",)}

METHODS: Mapping[str, Entry] = {
    # Both splits of the paper: with slantwood's defaults, and in the paper's plain form.
    "bag-gradient": _slantwood("default forest, gradient", "GradientSplit"),
    "best": _slantwood("preset best", parameters={"preset": "best"}),
    # Not for hierarchies in the study: a round has a step for each of hundreds of labels in every leaf.
    "boosting": _slantwood("boosting", boosted=True, tasks=(*NUMBER_TASKS, *CLASS_TASKS, "multi-label")),
    "bag-gradient-paper": _published("bagging, gradient, as published", "GradientSplit", BAGGING),
    "rf-gradient": _slantwood("random forest, gradient", "GradientSplit", **_SQRT),
    "rf-gradient-paper": _published("random forest, gradient, as published", "GradientSplit", RANDOM_FOREST),
    "bag-svm": _slantwood("default forest, SVM", "SVMSplit"),
    "bag-svm-paper": _published("bagging, SVM, as published", "SVMSplit", BAGGING),
    "rf-svm": _slantwood("random forest, SVM", "SVMSplit", **_SQRT),
    "rf-svm-paper": _published("random forest, SVM, as published", "SVMSplit", RANDOM_FOREST),
    # Axis-parallel predictive clustering trees (PCT), the paper's main baseline.
    "bag-pct": _slantwood("bagging, PCT", "AxisParallelSplit", parameters=BAGGING),
    "rf-pct": _slantwood("random forest, PCT", "AxisParallelSplit", parameters=RANDOM_FOREST),
    # Oblique random forests of ridge regressions (Menze et al. 2011).
    "orf": _published("ORF (ridge)", "RidgeSplit", RANDOM_FOREST, **_BINARY),
    # The system of Prabhu & Varma (2014). Of a hierarchy it sees the labels only, as in the paper.
    "fastxml": _published("FastXML", "NDCGSplit", {}, tasks=LABEL_TASKS, knows_hierarchies=False),
    "lightgbm": _other("lightgbm.LightGBM", "LightGBM (one model per target)"),
    "xgboost": _other("xgboost.XGBoost", "XGBoost (vector leaves)"),
    "catboost": _other("catboost.CatBoost", "CatBoost"),
    "linear-svm": _other("linear_svm.LinearSVM", "linear SVM"),
    # Balanced halves of labels, the default, and wide, shallow trees of them.
    "omikuji": _other("omikuji.Omikuji", "Omikuji (Parabel)"),
    "omikuji-bonsai": _other(
        "omikuji.Omikuji",
        "Omikuji (Bonsai)",
        parameters={"cluster_balanced": False, "cluster_k": 100, "max_depth": 3},
    ),
    # Each split looks at sqrt(d) features in all tasks, as the paper's forests do.
    "scikit-rf": _other(
        "scikit_forests.ScikitForest",
        "scikit-learn random forest",
        classes="RandomForestClassifier",
        numbers="RandomForestRegressor",
        **_SQRT,
    ),
    # For numbers, each split looks at all features, as scikit-learn has it.
    "scikit-et": _other(
        "scikit_forests.ScikitForest",
        "scikit-learn extra trees",
        classes="ExtraTreesClassifier",
        numbers="ExtraTreesRegressor",
    ),
    "ydf": _other("ydf.YDF", "YDF random forest"),
    "ydf-oblique": _other("ydf.YDF", "YDF oblique forest", split_axis="SPARSE_OBLIQUE"),
    # Sparse projection oblique randomer forest: sqrt(d) random combinations for each split.
    "treeple": _other(
        "scikit_forests.ScikitForest",
        "treeple oblique forest",
        package="treeple",
        distribution="treeple",
        installed_by="treeple",
        module="treeple.ensemble",
        classes="ObliqueRandomForestClassifier",
        numbers="ObliqueRandomForestRegressor",
        takes_missing=False,
        takes_sparse=False,
        **_SQRT,
    ),
    "tree-gradient": _slantwood("tree, gradient", "GradientSplit", **_TREE),
    "tree-gradient-paper": _published("tree, gradient, as published", "GradientSplit", SINGLE_TREE, **_TREE),
    "tree-svm": _slantwood("tree, SVM", "SVMSplit", **_TREE),
    "tree-svm-paper": _published("tree, SVM, as published", "SVMSplit", SINGLE_TREE, **_TREE),
    "tree-pct": _slantwood("tree, PCT", "AxisParallelSplit", parameters=SINGLE_TREE, **_TREE),
    # Single trees of others: Breiman et al. (1984), Murthy et al. (1994), Yang et al. (2019).
    "cart-lc": _slantwood("tree, CART-LC", "CARTLCSplit", **_TREE, **_BINARY),
    "oc1": _published("tree, OC1", "OC1Split", {}, **_TREE, **_BINARY),
    "wodt": _published("tree, WODT", "WODTSplit", {}, **_TREE, tasks=CLASS_TASKS),
    # Not in the study: compared for speed only.
    "lightgbm-default": _other(
        "lightgbm.LightGBM",
        "LightGBM, not tuned",
        tuned=False,
        tasks=(),
        more_tasks=(*NUMBER_TASKS, *CLASS_TASKS, "multi-label"),
    ),
    "napkinxc": _other("napkinxc.NapkinXC", "napkinXC label tree", tasks=(), more_tasks=("multi-label",)),
}


@cache
def method_class(name: str) -> "type[Method]":
    """Return the class of the method of this name: its adapter, with the attributes of its row."""
    adapter, attributes = METHODS[name]
    file, _, cls = adapter.partition(".")
    base = getattr(import_module(f"slantwood_bench.methods.{file}"), cls)
    return type(cls, (base,), dict(attributes))
