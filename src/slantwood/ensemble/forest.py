"""What a fit returns."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from slantwood.ensemble.settings import Settings
from slantwood.features.encoding import Encoding
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
