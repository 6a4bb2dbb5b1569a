"""What a fitted model learned, and how sure it is: functions on trees, forests and boosted models."""

from slantwood.estimators.reading.tree_reading import TreeReading
from slantwood.explain.calibrated_model import CalibratedModel, calibrated
from slantwood.explain.conformal_prediction import Conformal, Covered, conformal
from slantwood.explain.contributions import Contributions, contributions
from slantwood.explain.cooccurrence import Cooccurrence, cooccurrence
from slantwood.explain.counterfactuals import Counterfactual, counterfactual
from slantwood.explain.distillation import DistilledTree, distilled_tree
from slantwood.explain.feature_ranking import FeatureRanking
from slantwood.explain.fidelity import Fidelity, fidelity
from slantwood.explain.forest_quantiles import predict_quantiles
from slantwood.explain.intervals import Intervals
from slantwood.explain.leaf_embedding import LeafEmbedding
from slantwood.explain.neighbours import Neighbours, neighbours
from slantwood.explain.outliers import outlier_scores
from slantwood.explain.prediction_sets import PredictionSets
from slantwood.explain.prototypes import Prototypes, prototypes
from slantwood.explain.proximity import proximities
from slantwood.explain.proximity_map import proximity_map
from slantwood.explain.ranking_methods import RANKING_METHODS, feature_ranking
from slantwood.explain.reliability import Calibration, calibration
from slantwood.explain.representative import RepresentativeTree, representative_tree
from slantwood.explain.staged_errors import staged_errors
from slantwood.explain.tree_reading import read_tree
from slantwood.explain.variance_parts import Spread, spread

__all__ = [
    "RANKING_METHODS",
    "CalibratedModel",
    "Calibration",
    "Conformal",
    "Contributions",
    "Cooccurrence",
    "Counterfactual",
    "Covered",
    "DistilledTree",
    "FeatureRanking",
    "Fidelity",
    "Intervals",
    "LeafEmbedding",
    "Neighbours",
    "PredictionSets",
    "Prototypes",
    "RepresentativeTree",
    "Spread",
    "TreeReading",
    "calibrated",
    "calibration",
    "conformal",
    "contributions",
    "cooccurrence",
    "counterfactual",
    "distilled_tree",
    "feature_ranking",
    "fidelity",
    "neighbours",
    "outlier_scores",
    "predict_quantiles",
    "prototypes",
    "proximities",
    "proximity_map",
    "read_tree",
    "representative_tree",
    "spread",
    "staged_errors",
]
