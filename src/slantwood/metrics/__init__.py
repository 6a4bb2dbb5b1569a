"""Scores for the predictions of predictive clustering trees.

Everything here takes plain arrays or SciPy sparse matrices and knows nothing
about trees, so it serves to judge any other model as well.
"""

from slantwood.metrics.classification import (
    macro_f1,
)
from slantwood.metrics.hierarchical import (
    PrecisionRecallF1,
    hierarchical_precision_recall_f1,
)
from slantwood.metrics.label_sets import (
    example_accuracy,
    example_f1,
    example_precision,
    example_recall,
    hamming_loss,
    macro_precision,
    macro_recall,
    micro_f1,
    micro_precision,
    micro_recall,
    subset_accuracy,
)
from slantwood.metrics.multi_target import exact_match, mean_accuracy, mean_macro_f1
from slantwood.metrics.precision_recall import (
    average_auprc,
    label_auprc,
    pooled_auprc,
)
from slantwood.metrics.ranking import (
    coverage,
    label_ranking_average_precision,
    one_error,
    ranking_loss,
)
from slantwood.metrics.regression import (
    average_correlation,
    average_mae,
    average_rmse,
    average_rrmse,
    mean_r2,
    target_correlation,
    target_mae,
    target_rmse,
    target_rrmse,
)
from slantwood.metrics.roc import (
    average_auroc,
    label_auroc,
    pooled_auroc,
)
from slantwood.metrics.top_k import (
    ndcg_at_k,
    precision_at_k,
    propensities,
    propensity_scored_precision_at_k,
)

__all__ = [
    "PrecisionRecallF1",
    "average_auprc",
    "average_auroc",
    "average_correlation",
    "average_mae",
    "average_rmse",
    "average_rrmse",
    "coverage",
    "exact_match",
    "example_accuracy",
    "example_f1",
    "example_precision",
    "example_recall",
    "hamming_loss",
    "hierarchical_precision_recall_f1",
    "label_auprc",
    "label_auroc",
    "label_ranking_average_precision",
    "macro_f1",
    "macro_precision",
    "macro_recall",
    "mean_accuracy",
    "mean_macro_f1",
    "mean_r2",
    "micro_f1",
    "micro_precision",
    "micro_recall",
    "ndcg_at_k",
    "one_error",
    "pooled_auprc",
    "pooled_auroc",
    "precision_at_k",
    "propensities",
    "propensity_scored_precision_at_k",
    "ranking_loss",
    "subset_accuracy",
    "target_correlation",
    "target_mae",
    "target_rmse",
    "target_rrmse",
]
