"""How much the forest counts beside the linear classifiers of a `LabelTreeClassifier`.

A part of the rows is held out, and a smaller model fitted on others: classifiers of at most `_MOST_ROWS` rows
and three trees for every ten. Of the shares 0, 0.1, ... 1 the best is that with the highest average precision
of the rows held out. The smaller model understates the forest, which has more trees in the end, and which
gains more by them than classifiers do; so the largest share is taken whose loss against the best one is
within one standard error.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from slantwood.estimators.forest import ObliqueForestClassifier
from slantwood.features.matrix import effective_rows
from slantwood.label_trees.fitting import LabelTreeSpec, fit_label_trees
from slantwood.label_trees.prediction import label_scores
from slantwood.metrics.ranking import row_average_precision

SHARES = np.arange(11) / 10

# Where rows are too few to tell, or labels so many that a part of the rows does not know most of them.
USUAL_SHARE = 0.2
_FEWEST_ROWS = 100
MOST_LABELS = 5000

_MOST_ROWS = 5000
_MOST_HELD_OUT = 2000

# Scores of rows held out that are made, as a dense table.
_CELLS = 1 << 22


def learned_share(
    X: Any,
    Y: sp.csr_array,
    row_weights: np.ndarray,
    spec: LabelTreeSpec,
    forest: ObliqueForestClassifier,
    beam: int,
) -> float:
    """Return the share of the forest in the scores.

    Parameters
    ----------
    X, Y, row_weights
        Features, labels and weights of all rows, as `fit_label_trees` takes them.
    spec : LabelTreeSpec
        How classifiers are fitted.
    forest : ObliqueForestClassifier
        The fitted forest, whose settings a smaller one shares.
    beam : int
        Nodes of a level of label trees that a row visits.
    """
    n, n_labels = Y.shape
    if effective_rows(row_weights) < _FEWEST_ROWS or len(np.unique(Y.indices)) > MOST_LABELS:
        return USUAL_SHARE
    # A tenth of the rows; of few rows up to a fifth, as a few hundred tell shares apart badly.
    n_held = min(max(n // 10, min(n // 5, 1000)), _MOST_HELD_OUT, max(_CELLS // n_labels, 1))
    order = np.random.default_rng([spec.seed, n]).permutation(n)
    held, seen = np.sort(order[:n_held]), np.sort(order[n_held : n_held + _MOST_ROWS])
    if Y[seen].nnz == 0 or Y[held].nnz == 0:
        return USUAL_SHARE
    smaller = clone(forest).set_params(
        n_estimators=min(forest.n_estimators, max(5, 3 * forest.n_estimators // 10)),
        min_samples_split=forest.settings_.min_samples_split,
    )
    smaller.fit(X[seen], Y[seen], row_weights[seen])
    trees = fit_label_trees(X[seen], Y[seen], row_weights[seen], spec)
    ranks = np.arange(n_labels)
    options: dict[str, Any] = {"share": 1.0, "others": None, "top_k": None, "n_jobs": spec.n_jobs}
    of_classifiers = label_scores(trees, X[held], ranks, beam=beam, **options).toarray()
    of_forest = smaller.predict_proba(X[held], sparse=True).toarray()
    return best_share(Y[held], of_classifiers, of_forest, row_weights[held])


def best_share(
    truth: sp.csr_array, of_classifiers: np.ndarray, of_forest: np.ndarray, weights: np.ndarray
) -> float:
    """Return the largest share of the forest that is within one standard error of the best one."""
    each = np.array(
        [row_average_precision(truth, (1.0 - w) * of_classifiers + w * of_forest) for w in SHARES]
    )
    counted = weights / weights.sum()
    losses = each[np.argmax(each @ counted)] - each
    means = losses @ counted
    errors = np.sqrt((losses - means[:, None]) ** 2 @ counted**2)
    return float(SHARES[np.flatnonzero(means <= errors)[-1]])
