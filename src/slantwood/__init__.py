"""Oblique predictive clustering trees: one learner for classes, label sets and numbers.

Names are loaded when they are first used, so that `import slantwood` is quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from slantwood.split_names import SPLITS

if TYPE_CHECKING:
    from slantwood.estimators.boosting import ObliqueBoostingClassifier, ObliqueBoostingRegressor
    from slantwood.estimators.forest import ObliqueForestClassifier, ObliqueForestRegressor
    from slantwood.estimators.label_tree import LabelTreeClassifier
    from slantwood.estimators.reranking import TailReranker
    from slantwood.estimators.saving import load_model
    from slantwood.estimators.top_labels import TopLabels
    from slantwood.estimators.tree import ObliqueTreeClassifier, ObliqueTreeRegressor
    from slantwood.features.encoding import Encoding
    from slantwood.model.refusal import ModelFileError
    from slantwood.splits.axis_parallel import AxisParallelSplit
    from slantwood.splits.cart_lc import CARTLCSplit
    from slantwood.splits.gradient import GradientSplit
    from slantwood.splits.ndcg import NDCGSplit
    from slantwood.splits.oc1 import OC1Split
    from slantwood.splits.ridge import RidgeSplit
    from slantwood.splits.svm import SVMSplit
    from slantwood.splits.wodt import WODTSplit
    from slantwood.targets.clustering import Clustering
    from slantwood.targets.hierarchy import Hierarchy

__version__ = "0.1.0"

_HOMES = {
    "Clustering": "slantwood.targets.clustering",
    "Encoding": "slantwood.features.encoding",
    "Hierarchy": "slantwood.targets.hierarchy",
    "LabelTreeClassifier": "slantwood.estimators.label_tree",
    "ModelFileError": "slantwood.model.refusal",
    "ObliqueBoostingClassifier": "slantwood.estimators.boosting",
    "ObliqueBoostingRegressor": "slantwood.estimators.boosting",
    "ObliqueForestClassifier": "slantwood.estimators.forest",
    "ObliqueForestRegressor": "slantwood.estimators.forest",
    "ObliqueTreeClassifier": "slantwood.estimators.tree",
    "ObliqueTreeRegressor": "slantwood.estimators.tree",
    "TailReranker": "slantwood.estimators.reranking",
    "TopLabels": "slantwood.estimators.top_labels",
    "load_model": "slantwood.estimators.saving",
    **{cls: f"slantwood.splits.{file}" for file, cls in SPLITS.values()},
}

__all__ = [
    "AxisParallelSplit",
    "CARTLCSplit",
    "Clustering",
    "Encoding",
    "GradientSplit",
    "Hierarchy",
    "LabelTreeClassifier",
    "ModelFileError",
    "NDCGSplit",
    "OC1Split",
    "ObliqueBoostingClassifier",
    "ObliqueBoostingRegressor",
    "ObliqueForestClassifier",
    "ObliqueForestRegressor",
    "ObliqueTreeClassifier",
    "ObliqueTreeRegressor",
    "RidgeSplit",
    "SVMSplit",
    "TailReranker",
    "TopLabels",
    "WODTSplit",
    "__version__",
    "load_model",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'slantwood' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
