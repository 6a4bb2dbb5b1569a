"""Scores for the predictions of predictive clustering trees.

Everything here takes plain arrays or SciPy sparse matrices and knows nothing
about trees, so it serves to judge any other model as well.
"""

from slantwood.metrics.classification import macro_f1
from slantwood.metrics.hierarchical import PrecisionRecallF1, hierarchical_precision_recall_f1
from slantwood.metrics.multi_target import exact_match, mean_accuracy, mean_macro_f1
from slantwood.metrics.precision_recall import average_auprc, label_auprc, pooled_auprc
from slantwood.metrics.ranking import label_ranking_average_precision
from slantwood.metrics.regression import mean_r2
from slantwood.metrics.top_k import ndcg_at_k, precision_at_k, propensities, propensity_scored_precision_at_k

__all__ = [
    "PrecisionRecallF1",
    "average_auprc",
    "exact_match",
    "hierarchical_precision_recall_f1",
    "label_auprc",
    "label_ranking_average_precision",
    "macro_f1",
    "mean_accuracy",
    "mean_macro_f1",
    "mean_r2",
    "ndcg_at_k",
    "pooled_auprc",
    "precision_at_k",
    "propensities",
    "propensity_scored_precision_at_k",
]
