"""Which models have trees: those that functions on trees take, and no others."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from slantwood.estimators.base import ObliqueEstimator


def check_tree_model(model: Any) -> None:
    """Refuse what is no fitted model of trees."""
    if not isinstance(model, ObliqueEstimator):
        raise TypeError(
            f"model is a {type(model).__name__}; give a tree, forest or boosted model of slantwood (of a "
            "pipeline its last step, with the X that it was given)"
        )
    check_is_fitted(model)
