"""What there is to say of a fitted model without any data: its task, its size, what it takes and predicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from slantwood.estimators.names import input_names, output_names
from slantwood.hints import listed
from slantwood.task_names import CLASS_TASKS, NUMBER_TASKS, SEVERAL_TASKS

# Names of outputs in a row.
_MOST_NAMES = 8


@dataclass(frozen=True)
class TreeFacts:
    """How large the trees of a model are."""

    n_trees: int
    n_rounds: int | None  # of boosting
    n_nodes: int
    n_leaves: int
    least_depth: int
    mean_depth: float
    most_depth: int
    weights_per_split: float
    n_bytes: int  # of all arrays, in memory

    def in_words(self) -> str:
        """Say how many there are."""
        rounds = "" if self.n_rounds is None else f" of {self.n_rounds:,} rounds"
        return f"{self.n_trees:,}{rounds}, with {self.n_nodes:,} nodes, {self.n_leaves:,} of them leaves"

    def depth_in_words(self) -> str:
        """Say how deep they are."""
        return f"{self.least_depth} to {self.most_depth}, {self.mean_depth:.1f} on average"


def tree_facts(model: Any) -> TreeFacts:
    """Measure the trees of a model."""
    trees = model.trees_
    depths = np.maximum.reduceat(trees.depth, trees.roots)
    n_nodes, n_leaves = len(trees.left), int((trees.left < 0).sum())
    return TreeFacts(
        n_trees=trees.n_trees,
        n_rounds=None if model.forest_.additive is None else int(model.n_iter_),
        n_nodes=n_nodes,
        n_leaves=n_leaves,
        least_depth=int(depths.min()),
        mean_depth=float(depths.mean()),
        most_depth=int(depths.max()),
        weights_per_split=len(trees.weights) / max(n_nodes - n_leaves, 1),
        n_bytes=trees.nbytes,
    )


def feature_names(model: Any) -> tuple[str, ...]:
    """Return the names of the features, made-up ones where the model knows none."""
    return input_names(model) or tuple(f"x{j}" for j in range(model.n_features_in_))


def features_in_words(model: Any) -> str:
    """Say how many features there are."""
    n_nominal = len(model.encoding_.nominal)
    return f"{model.n_features_in_:,}" + (f", {n_nominal:,} of them nominal" if n_nominal else "")


def output_noun(task: str, number: int = 2) -> str:
    """Return what the outputs of a task are called: targets, classes or labels."""
    if task in (*NUMBER_TASKS, *SEVERAL_TASKS):
        return "target" if number == 1 else "targets"
    if task in CLASS_TASKS:
        return "class" if number == 1 else "classes"
    return "label" if number == 1 else "labels"


def outputs_in_words(model: Any) -> str:
    """Say how many outputs there are, and name the first of them."""
    names = output_names(model)
    return f"{len(names):,}: {listed(names, _MOST_NAMES)}"


def top_features(model: Any, most: int) -> list[tuple[str, float]]:
    """Return the most important features and their importances, those of none left out."""
    importances, names = model.feature_importances_, feature_names(model)
    order = np.argsort(-importances, kind="stable")[:most]
    return [(names[j], float(importances[j])) for j in order if importances[j] > 0]


def knows_rows(model: Any) -> bool:
    """Whether the model knows how many training rows its nodes had: a file for predicting only does not."""
    return not bool(np.isnan(model.trees_.node_weight).any())


def summary_rows(model: Any) -> list[tuple[str, str]]:
    """Return what comes first wherever a model is described: task, features, outputs and trees."""
    task = model.targets_.task
    rows = [
        ("task", task),
        ("features", features_in_words(model)),
        (output_noun(task), outputs_in_words(model)),
    ]
    if hasattr(model, "label_trees_"):
        return [*rows, ("trees", f"{len(model.label_trees_.roots):,} over labels")]
    return [*rows, ("trees", tree_facts(model).in_words())]
