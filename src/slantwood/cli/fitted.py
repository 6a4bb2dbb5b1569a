"""What a fitted model says of itself: how large it is and with which settings, whatever its kind."""

from __future__ import annotations

from typing import Any

import numpy as np

from slantwood.cli.models import is_label_trees
from slantwood.hints import pluralize
from slantwood.report.settings_text import describe_settings, describe_splits, settings_as_json

# Parameters of label trees that say nothing about what was learned.
_NOT_SETTINGS = ("n_estimators", "n_jobs", "random_state", "threshold", "verbose")


def training_summary(model: Any, seconds: float) -> list[str]:
    """Say, in sentences, with which settings a model was trained, how large it is and how long it took."""
    if is_label_trees(model):
        sizes = label_tree_sizes(model)
        said = f"{pluralize(sizes['label_trees'], 'label tree')} with {sizes['classifiers']:,} classifiers"
        if sizes["trees"]:
            said += f", and {pluralize(sizes['trees'], 'tree')} of a forest,"
        described = describe_settings(label_tree_settings(model))
        return [f"Settings: {described}.", f"Trained {said} in {seconds:.1f} s."]
    settings = settings_as_json(model.settings_)
    n_rounds = getattr(model, "n_iter_", None)
    rounds = "" if n_rounds is None else f", in {pluralize(n_rounds, 'round')},"
    return [
        f"Settings: {describe_settings(settings)}.",
        f"Split: {'; '.join(describe_splits(settings))}.",
        f"Trained {pluralize(model.trees_.n_trees, 'tree')}{rounds} in {seconds:.1f} s.",
    ]


def training_document(model: Any, seconds: float) -> dict[str, Any]:
    """Return the same for JSON."""
    if is_label_trees(model):
        sizes, settings = label_tree_sizes(model), label_tree_settings(model)
    else:
        sizes, settings = {"trees": model.trees_.n_trees}, settings_as_json(model.settings_)
    document = {"task": model.targets_.task, **sizes, "seconds": seconds, "settings": settings}
    n_rounds = getattr(model, "n_iter_", None)
    return document if n_rounds is None else document | {"rounds": n_rounds}


def label_tree_sizes(model: Any) -> dict[str, Any]:
    """Return how much label trees hold, and how many trees the forest beside them has."""
    trees, forest = model.label_trees_, model.oblique_forest_
    return {
        "label_trees": len(trees.roots),
        "nodes": len(trees.child_starts) - 1,
        "classifiers": len(trees.targets),
        "weights": len(trees.weights),
        "depth": int(_depths(trees).max()),
        "trees": 0 if forest is None else forest.trees_.n_trees,
    }


def label_tree_settings(model: Any) -> dict[str, Any]:
    """Return the parameters that say how label trees learned."""
    parameters = model.get_params(deep=False)
    of_forest = () if model.oblique_forest_ is not None else ("forest_min_samples_split", "forest_share")
    hidden = {*_NOT_SETTINGS, *of_forest}
    return {name: value for name, value in parameters.items() if name not in hidden}


def _depths(trees: Any) -> np.ndarray:
    """Return how many classifiers lead from the root of a node's tree to the children of the node."""
    depths = np.ones(len(trees.child_starts) - 1, np.int64)
    parents = np.repeat(np.arange(len(depths)), np.diff(trees.child_starts))
    is_node = trees.targets < 0
    # Every child has a higher number than its parent.
    for parent, node in zip(parents[is_node].tolist(), (-1 - trees.targets[is_node]).tolist(), strict=True):
        depths[node] = depths[parent] + 1
    return depths
