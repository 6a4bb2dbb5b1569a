"""Claims about the measures: those of scikit-learn and of the literature, on any predictions."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn import metrics

from slantwood.cli.score_tables import mean_and_deviation
from slantwood.evaluation import scores
from slantwood.evaluation.measure_names import measure_name


@given(
    st.integers(2, 4).flatmap(
        lambda k: st.tuples(
            hnp.arrays(np.int64, 12, elements=st.integers(0, k - 1)),
            hnp.arrays(np.float64, (12, k), elements=st.floats(0.01, 1)),
        )
    )
)
def test_classes_are_judged_as_by_scikit_learn(case):
    y, shares = case
    shares = shares / shares.sum(axis=1, keepdims=True)
    classes = np.arange(shares.shape[1])
    predicted = shares.argmax(axis=1)
    found = scores._of_classes(y, predicted, shares, classes).together
    assert found["accuracy"] == pytest.approx(metrics.accuracy_score(y, predicted))
    assert found["log_loss"] == pytest.approx(metrics.log_loss(y, shares, labels=classes))
    if len(classes) > 2:
        recalls = metrics.recall_score(y, predicted, labels=np.unique(y), average=None)
        assert found["balanced_accuracy"] == pytest.approx(recalls.mean())
        assert found["macro_f1"] == pytest.approx(metrics.f1_score(y, predicted, average="macro"))
        return
    assert found["f1"] == pytest.approx(metrics.f1_score(y, predicted, zero_division=0.0))
    if 0 < y.sum() < 12:
        assert found["auc"] == pytest.approx(metrics.roc_auc_score(y, shares[:, 1]))
    else:
        assert np.isnan(found["auc"])


@pytest.mark.parametrize("sparse", [False, True])
@given(
    hnp.arrays(np.int8, (9, 5), elements=st.integers(0, 1)),
    hnp.arrays(np.float32, (9, 5), elements=st.sampled_from([0, 0.25, 0.5, 0.75, 1])),
)
def test_labels_are_judged_as_by_scikit_learn(sparse, y, shares):
    predicted = (shares > 0.5).astype(np.int8)
    form = sp.csr_array if sparse else np.array
    found = scores._of_labels(form(y), form(predicted), form(shares), tuple("abcde"))
    together = found.together
    assert together["lrap"] == pytest.approx(metrics.label_ranking_average_precision_score(y, shares))
    assert together["hamming_loss"] == pytest.approx(metrics.hamming_loss(y, predicted))
    assert together["subset_accuracy"] == pytest.approx(metrics.accuracy_score(y, predicted))
    places = metrics.coverage_error(y, shares) - y.any(axis=1).mean()  # which counts from 1
    assert together["coverage"] == pytest.approx(places)
    f1 = metrics.f1_score(y, predicted, average="micro", zero_division=0.0)
    assert together["micro_f1"] == pytest.approx(f1)
    each = metrics.f1_score(y, predicted, average=None, zero_division=0.0)
    assert [found.each[name]["f1"] for name in "abcde"] == pytest.approx(each.tolist())
    assert "precision_at_5" in together


@given(
    hnp.arrays(np.float64, (7, 2), elements=st.floats(-100, 100)),
    hnp.arrays(np.float64, (7, 2), elements=st.floats(-100, 100)),
)
def test_numbers_are_judged_as_by_scikit_learn(y, predicted):
    y[0], y[1] = 0.0, 1.0  # no target is constant
    found = scores._of_numbers(y, predicted, ("u", "v"))
    r2 = metrics.r2_score(y, predicted, multioutput="raw_values")
    assert found.together["mean_r2"] == pytest.approx(r2.mean())
    assert found.together["arrmse"] == pytest.approx(np.sqrt(1 - r2).mean())
    mae = metrics.mean_absolute_error(y, predicted, multioutput="raw_values")
    mse = metrics.mean_squared_error(y, predicted, multioutput="raw_values")
    for j, name in enumerate("uv"):
        assert found.each[name]["mae"] == pytest.approx(mae[j])
        assert found.each[name]["rmse"] == pytest.approx(np.sqrt(mse[j]))


@pytest.mark.parametrize("size", [2.0**-1000, 2.0**660])
def test_numbers_of_any_size_are_measured_in_their_unit(size):
    y, predicted = np.array([[1.0], [2.0], [4.0]]), np.array([[1.5], [2.0], [3.0]])
    expected = scores._of_numbers(y, predicted, ("u",)).each["u"]
    found = scores._of_numbers(y * size, predicted * size, ("u",)).each["u"]
    assert found == expected | {name: expected[name] * size for name in ("rmse", "mae")}


def test_what_cannot_be_known_is_nan():
    found = scores._of_numbers(np.array([[1.0, np.nan], [1.0, np.nan]]), np.zeros((2, 2)), ("u", "v"))
    assert found.each["u"]["r2"] == 0.0
    assert np.isnan(found.each["u"]["rrmse"])
    assert found.each["v"]["rows"] == 0
    assert np.isnan(found.together["mean_r2"])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_all_measures_of_classes_are_those_of_scikit_learn(n_classes):
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.ones(n_classes), 40)
    y, predicted, classes = rng.integers(0, n_classes, 40), shares.argmax(axis=1), np.arange(n_classes)
    usual = scores._of_classes(y, predicted, shares, classes)
    found = scores._of_classes(y, predicted, shares, classes, every=True)
    assert found.together | usual.together == found.together
    assert found.together["matthews_correlation"] == pytest.approx(metrics.matthews_corrcoef(y, predicted))
    if n_classes == 2:
        assert found.together["precision"] == pytest.approx(metrics.precision_score(y, predicted))
        assert found.together["recall"] == pytest.approx(metrics.recall_score(y, predicted))
        balanced = metrics.balanced_accuracy_score(y, predicted)
        assert found.together["balanced_accuracy"] == pytest.approx(balanced)
        assert found.together["brier_score"] == pytest.approx(metrics.brier_score_loss(y, shares[:, 1]))
        assert found.each["1"]["auroc"] == pytest.approx(found.together["auc"])
        assert found.each["1"]["auprc"] == pytest.approx(found.together["auprc"])
        return
    assert found.together["macro_recall"] == pytest.approx(found.together["balanced_accuracy"])
    area = metrics.roc_auc_score(y, shares, multi_class="ovr")
    assert found.together["average_auroc"] == pytest.approx(area)
    assert np.mean([one["auroc"] for one in found.each.values()]) == pytest.approx(area)


def test_all_measures_of_labels_and_numbers_contain_the_usual_ones():
    y = np.array([[1, 0, 1, 0, 1], [0, 1, 1, 0, 0], [0, 0, 1, 1, 1]])
    shares = np.linspace(0, 1, 15).reshape(y.shape)
    usual, found = (
        scores._of_labels(y, shares > 0.5, shares, tuple("abcde"), every=every) for every in (False, True)
    )
    assert found.together | usual.together == found.together
    assert {"one_error", "ranking_loss", "example_f1", "macro_recall", "pooled_auroc"} <= set(found.together)
    assert np.isnan(found.each["c"]["auroc"])  # every row has it
    usual, found = (scores._of_numbers(y, shares, tuple("abcde"), every=every) for every in (False, True))
    assert found.together | usual.together == found.together
    assert set(found.each["a"]) - set(usual.each["a"]) == {"correlation"}


def test_where_no_row_has_a_label_measures_are_undefined_rather_than_an_error():
    y, shares = np.zeros((3, 2)), np.full((3, 2), 0.2)
    found = scores._of_labels(y, y, shares, ("u", "v"), every=True).together
    assert np.isnan(found["pooled_auprc"])
    assert found["hamming_loss"] == 0.0


def test_every_measure_has_a_name_to_print():
    y = np.array([[1, 0, 1, 0, 1], [0, 1, 1, 0, 0]])
    label_scores = scores._of_labels(y, y, y.astype(np.float32), tuple("abcde"), every=True)
    number_scores = scores._of_numbers(np.eye(2), np.eye(2), ("u", "v"), every=True)
    classes = scores._of_classes(np.arange(2), np.arange(2), np.eye(2), np.arange(2), every=True)
    for found in (label_scores, number_scores, classes):
        for name in (*found.together, *next(iter(found.each.values()))):
            assert "_" not in measure_name(name)


def test_deviation_is_that_of_a_sample():
    assert mean_and_deviation([1.0, 3.0]) == (2.0, pytest.approx(2**0.5))
    mean, deviation = mean_and_deviation([1.0])
    assert mean == 1.0
    assert np.isnan(deviation)


def test_no_loss_is_zero_and_not_minus_zero():
    classes = np.array(["a", "b"])
    found = scores._of_classes(classes, classes, np.eye(2), classes)
    assert str(found.together["log_loss"]) == "0.0"


def test_an_unknown_class_is_not_taken_for_the_beginning_of_a_known_one():
    classes = np.array(["elm", "oakwood"])
    found = scores._of_classes(np.array(["elm", "oak"]), np.array(["elm", "oakwood"]), np.eye(2), classes)
    assert found.together["accuracy"] == 0.5
    assert found.together["f1"] == 0.0
    assert found.together["log_loss"] > 1
