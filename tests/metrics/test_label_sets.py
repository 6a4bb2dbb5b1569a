"""Claims about measures of decided labels: the values of scikit-learn and Mulan, on any input."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from numpy.testing import assert_allclose
from sklearn import metrics as sklearn_metrics

from slantwood import metrics
from tests.metrics.conftest import label_problems, sparse
from tests.sampling import examples

SETTINGS = examples(10)

EXAMPLE_BASED = {
    "example_precision": lambda both, true, said: both / said if said else 0.0,
    "example_recall": lambda both, true, said: both / true if true else 0.0,
    "example_f1": lambda both, true, said: 2 * both / (true + said),
    "example_accuracy": lambda both, true, said: both / (true + said - both),
}
LABEL_BASED = {
    "precision": EXAMPLE_BASED["example_precision"],
    "recall": EXAMPLE_BASED["example_recall"],
    "f1": EXAMPLE_BASED["example_f1"],
}
ALL = [
    "hamming_loss",
    "subset_accuracy",
    *EXAMPLE_BASED,
    *(f"{average}_{name}" for average in ("micro", "macro") for name in LABEL_BASED),
]


def counts(y, decided, weights):
    known = [(t, d, w) for t, d, w in zip(y, decided, weights, strict=True) if not np.isnan(t)]
    both = sum(w for t, d, w in known if t and d)
    return both, sum(w for t, _, w in known if t), sum(w for _, d, w in known if d)


@SETTINGS
@given(label_problems())
def test_example_based_measures_are_means_over_rows_as_in_mulan(problem):
    y, decided, _, weights = problem
    kept = [i for i in range(len(y)) if weights[i] and not np.isnan(y[i]).all()]
    for name, value_of in EXAMPLE_BASED.items():
        values = []
        for i in kept:
            both, true, said = counts(y[i], decided[i], np.ones(y.shape[1]))
            values.append(value_of(both, true, said) if true + said else 1.0)
        expected = np.average(values, weights=weights[kept])
        assert_allclose(getattr(metrics, name)(y, decided, sample_weight=weights), expected, atol=1e-12)


@SETTINGS
@given(label_problems())
def test_hamming_loss_and_subset_accuracy_look_at_known_labels(problem):
    y, decided, _, weights = problem
    known, wrong = ~np.isnan(y), (y != decided) & ~np.isnan(y)
    expected = (weights @ wrong).sum() / (weights @ known).sum()
    assert_allclose(metrics.hamming_loss(y, decided, sample_weight=weights), expected, atol=1e-12)
    counted = weights * known.any(axis=1)
    expected = np.average(~wrong.any(axis=1), weights=counted)
    assert_allclose(metrics.subset_accuracy(y, decided, sample_weight=weights), expected, atol=1e-12)


@SETTINGS
@given(label_problems())
def test_label_based_measures_are_means_over_labels_or_over_all_cells(problem):
    y, decided, _, weights = problem
    per_label = [counts(y[:, j], decided[:, j], weights) for j in range(y.shape[1])]
    both, true, said = np.sum(per_label, axis=0)
    for name, value_of in LABEL_BASED.items():
        expected = value_of(both, true, said) if true + said else 0.0
        micro = getattr(metrics, f"micro_{name}")(y, decided, sample_weight=weights)
        assert_allclose(micro, expected, atol=1e-12)
        macro = getattr(metrics, f"macro_{name}")
        for absent in (0.0, 1.0):
            values = [value_of(b, t, s) if t + s else absent for b, t, s in per_label]
            found = macro(y, decided, absent=absent, sample_weight=weights)
            assert_allclose(found, np.mean(values), atol=1e-12)
        values = [value_of(b, t, s) for b, t, s in per_label if t + s]
        expected = np.mean(values) if values else np.nan
        assert_allclose(macro(y, decided, absent=np.nan, sample_weight=weights), expected, atol=1e-12)


@SETTINGS
@given(label_problems(truths=(0.0, 1.0)))
def test_values_are_those_of_scikit_learn_where_all_is_known(problem):
    y, decided, _, weights = problem
    if y.shape[1] == 1:
        return  # a binary problem to scikit-learn
    y, given = y.astype(int), {"sample_weight": weights}
    for average in ("micro", "macro"):
        for name in LABEL_BASED:
            score = getattr(sklearn_metrics, f"{name}_score")
            expected = score(y, decided, average=average, zero_division=0.0, **given)
            found = getattr(metrics, f"{average}_{name}")(y, decided, **given)
            assert_allclose(found, expected, atol=1e-12)
    loss, accuracy = (getattr(sklearn_metrics, name) for name in ("hamming_loss", "accuracy_score"))
    assert_allclose(metrics.hamming_loss(y, decided, **given), loss(y, decided, **given), atol=1e-12)
    assert_allclose(metrics.subset_accuracy(y, decided, **given), accuracy(y, decided, **given), atol=1e-12)


@SETTINGS
@given(label_problems())
def test_sparse_and_dense_input_give_the_same(problem):
    y, decided, _, weights = problem
    for name in ALL:
        function = getattr(metrics, name)
        expected = function(y, decided, sample_weight=weights)
        assert function(sparse(y), sp.coo_array(decided), sample_weight=weights) == expected


def test_perfect_labels_have_the_best_values():
    y = np.eye(3)
    assert [getattr(metrics, name)(y, y) for name in ALL] == [0.0, *[1.0] * (len(ALL) - 1)]


def test_many_labels_stay_sparse(many_labels):
    truth, _, decided = many_labels
    tracemalloc.start()
    values = [getattr(metrics, name)(truth, decided) for name in ALL]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10e6  # one byte for each cell is 20 MB
    assert all(0 < value < 1 for value in values)


@pytest.mark.parametrize("name", ALL)
def test_what_cannot_be_compared_is_refused(name):
    function = getattr(metrics, name)
    with pytest.raises(ValueError, match="y_pred has shape"):
        function([[1, 0]], [[1, 0, 0]])
    with pytest.raises(ValueError, match="y_pred holds the value"):
        function([[1, 0]], [[0.5, 0]])
    with pytest.raises(ValueError, match="sample_weight"):
        function([[1, 0]], [[1, 0]], sample_weight=[-1.0])


@pytest.mark.parametrize("name", ["hamming_loss", "subset_accuracy", *EXAMPLE_BASED])
def test_nothing_known_is_refused(name):
    with pytest.raises(ValueError, match="y_true is NaN in every row"):
        getattr(metrics, name)([[np.nan, np.nan]], [[1, 0]])


def test_no_label_at_all_has_no_mean():
    assert np.isnan(metrics.macro_precision([[0, 0]], [[0, 0]], absent=np.nan))
