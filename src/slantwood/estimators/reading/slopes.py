"""What leaves with slopes predict, as weighted sums of features."""

from __future__ import annotations

from typing import Any

import numpy as np

_MOST_WEIGHTS = 6


def _weighted_sum(weights: np.ndarray, names: np.ndarray) -> str:
    """Return a sum of features, the largest weights first and no more than a few, each with its sign."""
    largest = np.argsort(-np.abs(weights), kind="stable")[:_MOST_WEIGHTS]
    terms = " ".join(f"{'-' if weights[j] < 0 else '+'} {abs(weights[j]):.3g} {names[j]}" for j in largest)
    n_more = len(weights) - _MOST_WEIGHTS
    return f"{terms} + ({n_more} more)" if n_more > 0 else terms


def slope_texts(model: Any, leaf: int) -> list[str]:
    """Return what a leaf with slopes predicts of each target, as a sum of features in the user's units."""
    trees, slopes, targets = model.trees_, model.forest_.slopes, model.targets_
    number = slopes.model[leaf]
    weights = np.zeros((len(model.split_feature_names_), targets.n_columns))
    constant = trees.leaves.values[leaf].astype(np.float64) - slopes.offset[leaf]
    for place in range(slopes.indptr[number], slopes.indptr[number + 1]):
        node, coefficients = slopes.nodes[place], slopes.coefficients[place].astype(np.float64)
        part = slice(trees.indptr[node], trees.indptr[node + 1])
        constant += trees.bias[node] * coefficients
        weights[trees.indices[part]] += np.outer(trees.weights[part], coefficients)
    constant, weights = constant * targets.scale + targets.mean, weights * targets.scale
    texts = []
    for column, (low, high) in enumerate(zip(slopes.low[number], slopes.high[number], strict=True)):
        used = np.flatnonzero(weights[:, column])
        if not len(used):
            texts.append(f"{constant[column]:.4g}")
            continue
        ends = np.array([low, high]) * targets.scale[column] + targets.mean[column]
        terms = _weighted_sum(weights[used, column], model.split_feature_names_[used])
        texts.append(f"{constant[column]:.4g} {terms} (from {ends[0]:.4g} to {ends[1]:.4g})")
    return texts
