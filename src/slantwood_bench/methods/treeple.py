"""Oblique forests of treeple: the best of sparse random combinations of features."""

from __future__ import annotations

from typing import Any, ClassVar

from slantwood_bench.methods.base import dense
from slantwood_bench.methods.scikit_forests import ScikitForest


class Treeple(ScikitForest):
    """Sparse projection oblique randomer forest; sqrt(d) combinations for each split, dense input only."""

    title = "treeple oblique forest"
    package = distribution = "treeple"
    takes_missing = False
    module = "treeple.ensemble"
    classes, numbers = "ObliqueRandomForestClassifier", "ObliqueRandomForestRegressor"
    parameters: ClassVar = {"max_features": "sqrt"}

    def readable(self, X: Any) -> Any:
        """Return X as an array."""
        return dense(X)
