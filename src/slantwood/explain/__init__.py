"""What a fitted model learned, and how sure it is: functions on trees, forests and boosted models."""

from slantwood.estimators.reading.tree_reading import TreeReading
from slantwood.explain.conformal_prediction import Conformal, Covered, conformal
from slantwood.explain.contributions import Contributions, contributions
from slantwood.explain.distillation import DistilledTree, distilled_tree
from slantwood.explain.feature_ranking import FeatureRanking
from slantwood.explain.fidelity import Fidelity, fidelity
from slantwood.explain.forest_quantiles import predict_quantiles
from slantwood.explain.intervals import Intervals
from slantwood.explain.prediction_sets import PredictionSets
from slantwood.explain.ranking_methods import RANKING_METHODS, feature_ranking
from slantwood.explain.reliability import Calibration, calibration
from slantwood.explain.representative import RepresentativeTree, representative_tree
from slantwood.explain.tree_reading import read_tree
from slantwood.explain.variance_parts import Spread, spread

__all__ = [
    "RANKING_METHODS",
    "Calibration",
    "Conformal",
    "Contributions",
    "Covered",
    "DistilledTree",
    "FeatureRanking",
    "Fidelity",
    "Intervals",
    "PredictionSets",
    "RepresentativeTree",
    "Spread",
    "TreeReading",
    "calibration",
    "conformal",
    "contributions",
    "distilled_tree",
    "feature_ranking",
    "fidelity",
    "predict_quantiles",
    "read_tree",
    "representative_tree",
    "spread",
]
