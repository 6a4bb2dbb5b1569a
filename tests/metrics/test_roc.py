"""Claims about areas under ROC curves."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from numpy.testing import assert_allclose
from sklearn.metrics import roc_auc_score

from slantwood.metrics import average_auroc, label_auroc, pooled_auroc
from tests.metrics.conftest import label_problems, sparse
from tests.sampling import examples

SETTINGS = examples(10)


def slow_auroc(y, scores, weights):
    """Count pairs of a true and a false cell, one by one."""
    won = total = 0.0
    for i in range(len(y)):
        for k in range(len(y)):
            if y[i] == 1 and y[k] == 0 and weights[i] and weights[k]:
                total += weights[i] * weights[k]
                won += weights[i] * weights[k] * (scores[i] > scores[k])
                won += weights[i] * weights[k] * (scores[i] == scores[k]) / 2
    return won / total if total else np.nan


@SETTINGS
@given(label_problems())
def test_the_area_is_the_share_of_pairs_that_are_won(problem):
    y, _, scores, weights = problem
    each = [slow_auroc(y[:, j], scores[:, j], weights) for j in range(y.shape[1])]
    assert_allclose(label_auroc(y, scores, sample_weight=weights), each, rtol=1e-9, atol=1e-12)
    defined = [area for area in each if not np.isnan(area)]
    expected = np.mean(defined) if defined else np.nan
    assert_allclose(average_auroc(y, scores, sample_weight=weights), expected, rtol=1e-9, atol=1e-12)
    pooled = slow_auroc(y.ravel(), scores.ravel(), np.repeat(weights, y.shape[1]))
    assert_allclose(pooled_auroc(y, scores, sample_weight=weights), pooled, rtol=1e-9, atol=1e-12)


@SETTINGS
@given(label_problems())
def test_sparse_and_dense_scores_give_the_same(problem):
    y, _, scores, weights = problem
    for function in (label_auroc, average_auroc, pooled_auroc):
        for given_weights in (None, weights):
            expected = function(y, scores, sample_weight=given_weights)
            found = function(sparse(y), sp.csc_array(scores), sample_weight=given_weights)
            assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


def test_values_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, (200, 5))
    scores, weights = rng.normal(size=y.shape).round(1) + y, rng.random(200)
    for average, function in (("macro", average_auroc), ("micro", pooled_auroc), (None, label_auroc)):
        expected = roc_auc_score(y, scores, average=average, sample_weight=weights)
        assert_allclose(function(y, scores, sample_weight=weights), expected, rtol=1e-12)


def test_labels_of_all_rows_or_none_have_no_curve():
    assert np.isnan(label_auroc([[1, 0]], [[1.0, 1.0]])).all()
    assert np.isnan(average_auroc([[1, 0]], [[1.0, 1.0]]))
    assert np.isnan(pooled_auroc([[1, np.nan]], [[1.0, 1.0]]))


def test_many_labels_stay_sparse(many_labels):
    truth, scores, _ = many_labels
    tracemalloc.start()
    values = average_auroc(truth, scores), pooled_auroc(truth, scores)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6  # one byte for each cell is 20 MB
    assert min(values) > 0.9


def test_what_cannot_be_read_is_refused():
    with pytest.raises(ValueError, match="y_score contains NaN"):
        label_auroc([[1, 0]], [[np.nan, 0]])
    with pytest.raises(ValueError, match="y_score has shape"):
        pooled_auroc([[1, 0]], [[1.0]])
