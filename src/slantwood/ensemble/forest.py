"""What a fit returns."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from slantwood.ensemble.additive import Additive
from slantwood.ensemble.settings import Settings, settings_from
from slantwood.features.encoding import Encoding
from slantwood.kernels.matrix import dense_matrix
from slantwood.model import slopes_file, tree_file
from slantwood.model.slopes import Slopes
from slantwood.model.trees import Trees
from slantwood.targets.base import Targets


@dataclass(frozen=True, eq=False)
class FittedForest:
    """Grown trees, and all that predicting with them, saving them or adding to them needs."""

    trees: Trees
    settings: Settings
    encoding: Encoding  # of X
    targets: Targets  # encoding of y
    importance_sum: np.ndarray  # of each column of the encoded X, over all trees
    unlabeled_weight: float  # of rows without label
    seed: int | None  # None in a model that was saved for predicting only
    tuned: Mapping[str, Any] | None  # settings found on held-out rows; None like the seed
    has_tree_of_all_rows: bool  # whether some tree was grown without a bootstrap sample
    additive: Additive | None = None  # how boosted trees add up; None where the leaves of trees are averaged
    slopes: Slopes | None = None  # of leaves; None where all predict means
    # Squares of the importances of each column of X in each tree, added up; None where they are not kept.
    importance_squares: np.ndarray | None = None
    column_spread: np.ndarray | None = None  # of each encoded column over the training rows; None likewise

    def __getstate__(self) -> dict[str, Any]:
        """Return what pickle and skops keep: of trees and settings plain arrays and values, as in a file."""
        if not self.trees.n_trees:
            return self.__dict__ | {"trees": None, "settings": self.settings.to_dict()}
        has_sizes = not np.isnan(self.trees.node_weight).any()
        described, arrays = tree_file.to_arrays(self.trees, predict_only=not has_sizes)
        kept = {"trees": (described, arrays), "settings": self.settings.to_dict()}
        if self.slopes is not None:
            kept["slopes"] = slopes_file.to_arrays(self.slopes, self.trees)
        return self.__dict__ | kept

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what was kept; compiled code sees trees that were checked, as those of a model file are."""
        n_features, n_targets = len(state["encoding"].source), state["targets"].n_columns
        if state["trees"] is None:
            made = {"trees": no_trees(n_targets), "settings": settings_from(state["settings"])}
            self.__dict__.update(state | made)
            return
        described, arrays = state["trees"]
        trees = tree_file.from_arrays(described, dict(arrays), n_features=n_features, n_targets=n_targets)
        slopes = slopes_file.from_arrays(dict(state.get("slopes") or {}), trees)
        made = {"trees": trees, "settings": settings_from(state["settings"]), "slopes": slopes}
        self.__dict__.update(state | made)


def no_trees(n_targets: int) -> Trees:
    """Return trees of which there are none."""
    none, numbers = np.empty(0, np.int32), np.empty(0, np.float32)
    return Trees(
        roots=none,
        left=none,
        right=none,
        leaf=none,
        indptr=np.zeros(1, np.int64),
        indices=none,
        weights=numbers,
        means=numbers,
        bias=np.empty(0),
        depth=none,
        node_weight=np.empty(0),
        leaves=dense_matrix(np.empty((0, n_targets), np.float32)),
    )
