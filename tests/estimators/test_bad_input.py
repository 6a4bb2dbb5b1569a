"""Wrong input ends in an error that names the argument and says what was expected."""

import re

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

from slantwood import (
    GradientSplit,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
)

ALL = [ObliqueTreeClassifier, ObliqueTreeRegressor, ObliqueForestClassifier, ObliqueForestRegressor]
FORESTS = [ObliqueForestClassifier, ObliqueForestRegressor]
X = np.random.default_rng(0).normal(size=(20, 3))
Y = (X[:, 0] > 0).astype(int)
LABELS = np.column_stack([Y, 1 - Y, X[:, 1] > 0]).astype(int)


def small(kind, **parameters):
    return kind(**({"n_estimators": 2} if kind in FORESTS else {}), **parameters)


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize(
    ("features", "message"),
    [
        (X[0], "1D array"),
        (X[None], "dim 3"),
        (X[:0], "0 sample"),
        (X[:, :0], "0 feature"),
        (X[:1], "1 sample"),
        (np.where(X > 1, np.inf, X), "infinity"),
        (X * 1e300, "infinity"),
        (X + 1j, "Complex"),
        (np.full(X.shape, "a"), "column 0 of X holds 'a'.*categorical_features"),
    ],
)
def test_features_that_cannot_be_read_are_refused(kind, features, message):
    with pytest.raises((TypeError, ValueError), match=message):
        small(kind).fit(features, Y[: features.shape[0]])


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize(
    "features", [[[1.0, 2.0], [3.0]], [[1.0, []], [2.0, []]]], ids=["ragged", "lists in cells"]
)
def test_lists_that_are_no_table_are_refused(kind, features):
    with pytest.raises(ValueError, match=r"X is no table.*same length"):
        small(kind).fit(features, [0, 1])


@pytest.mark.parametrize(
    ("split", "kind", "y", "message"),
    [
        ("wodt", ObliqueForestRegressor, np.arange(20.0), "'wodt' is for .*'binary'.* y is regression"),
        ("wodt", ObliqueForestClassifier, np.eye(20, 3, dtype=int), "'wodt' is for .* y is multi-label"),
        ("ndcg", ObliqueForestClassifier, np.arange(20) % 2, "'ndcg' is for .* y is binary"),
        ("ndcg", ObliqueTreeRegressor, np.ones((20, 2)), "'ndcg' is for .* multi-target regression"),
    ],
)
def test_a_split_learner_for_other_tasks_is_refused(split, kind, y, message):
    with pytest.raises(ValueError, match=message):
        small(kind, split=split).fit(X, y)


def test_a_split_learner_that_reads_labels_cannot_be_judged_by_something_else():
    for clustering in (X, "features", "sketch"):
        with pytest.raises(ValueError, match=r"'wodt' reads the labels.*clustering"):
            small(ObliqueForestClassifier, split="wodt").fit(X, np.arange(20) % 2, clustering=clustering)


@pytest.mark.parametrize("kind", ALL)
def test_x_and_y_of_different_length_are_refused(kind):
    with pytest.raises(ValueError, match="inconsistent numbers"):
        small(kind).fit(X, Y[:-1])


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        (np.ones(19), ValueError, r"sample_weight.*\(20,\)"),
        (np.ones((20, 1)), ValueError, "sample_weight.*1D"),
        (
            np.array(2.0),
            ValueError,
            r"sample_weight.*\(20,\), one weight for each row of X, or a single number",
        ),
        (-np.ones(20), ValueError, "sample_weight.*negative"),
        (np.zeros(20), ValueError, "sample_weight.*zero"),
        (np.full(20, np.nan), ValueError, "sample_weight.*NaN"),
        (["a"] * 20, TypeError, "sample_weight.*dtype"),
    ],
)
def test_senseless_row_weights_are_refused(kind, weights, error, message):
    with pytest.raises(error, match=message):
        small(kind).fit(X, Y, sample_weight=weights)


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"max_depth": 0}, ValueError),
        ({"max_depth": 2.5}, TypeError),
        ({"min_samples_split": 1}, ValueError),
        ({"min_samples_split": "few"}, TypeError),
        ({"min_impurity_decrease": -0.1}, ValueError),
        ({"min_impurity_decrease": 1.5}, ValueError),
        ({"min_impurity_decrease": "5%"}, TypeError),
        ({"max_features": 0}, ValueError),
        ({"max_features": 4}, ValueError),
        ({"max_features": 0.0}, ValueError),
        ({"max_features": 1.1}, ValueError),
        ({"max_features": "half"}, ValueError),
        ({"normalize_rows": "yes"}, TypeError),
        ({"split": "diagonal"}, ValueError),
        ({"split": 3}, TypeError),
        ({"target_weights": [1.0, 2.0]}, ValueError),
        ({"target_weights": [-1.0]}, ValueError),
        ({"target_weights": [0.0]}, ValueError),
        ({"target_weights": ["heavy"]}, TypeError),
        ({"random_state": "seed"}, ValueError),
    ],
)
def test_senseless_parameters_are_refused_by_name(kind, parameters, error):
    (name, value) = next(iter(parameters.items()))
    with pytest.raises(error) as caught:
        small(kind, **parameters).fit(X, Y)
    if name != "random_state":  # scikit-learn's own words
        assert name in str(caught.value)
        shown = value[0] if isinstance(value, list) else value
        assert (
            str(shown).strip("'") in str(caught.value)
            or "dtype" in str(caught.value)
            or "shape" in str(caught.value)
        )


@pytest.mark.parametrize("kind", FORESTS)
@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"n_estimators": 0}, ValueError),
        ({"n_estimators": 1.5}, TypeError),
        ({"n_estimators": True}, TypeError),
        ({"bootstrap": "sometimes"}, TypeError),
        ({"oob_score": 1}, TypeError),
        ({"oob_score": True, "bootstrap": False}, ValueError),
        ({"n_jobs": 0}, ValueError),
        ({"n_jobs": "all"}, TypeError),
        ({"verbose": -1}, ValueError),
        ({"warm_start": "yes"}, TypeError),
    ],
)
def test_senseless_forest_parameters_are_refused_by_name(kind, parameters, error):
    with pytest.raises(error, match=next(iter(parameters))):
        kind(**{"n_estimators": 2, **parameters}).fit(X, Y)


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"C": 0}, ValueError),
        ({"C": -1.0}, ValueError),
        ({"C": float("inf")}, ValueError),
        ({"C": "10"}, TypeError),
        ({"learning_rate": 0.0}, ValueError),
        ({"max_iter": 0}, ValueError),
        ({"max_iter": 2.5}, TypeError),
        ({"tol": -1e-3}, ValueError),
        ({"start": "anywhere"}, ValueError),
        ({"threshold": "median"}, ValueError),
        ({"feature_power": -1.0}, ValueError),
        ({"target_power": True}, TypeError),
    ],
)
def test_senseless_split_parameters_are_refused_at_once(parameters, error):
    with pytest.raises(error, match="GradientSplit: " + next(iter(parameters))):
        GradientSplit(**parameters)


@pytest.mark.parametrize("kind", [ObliqueTreeClassifier, ObliqueForestClassifier])
@pytest.mark.parametrize(
    ("y", "error", "message"),
    [
        (None, ValueError, "y"),
        (X[:, 0], ValueError, "continuous|Unknown label type"),
        (np.full(20, np.nan), ValueError, "no label in any row"),
        (np.array([None] * 20, dtype=object), ValueError, "no label in any row"),
        (np.where(Y == 1, np.inf, Y.astype(float)), ValueError, "infinity"),
        (np.column_stack([Y, Y + 0.5]), ValueError, "value 1.5.*labels.*For numbers use a regressor"),
        (sp.csr_array(np.column_stack([Y, 3 * Y])), ValueError, "value 3.*labels"),
        (np.column_stack([Y, Y]) * 1j, ValueError, "Complex data not supported: y"),
        (LABELS[None], ValueError, "shape"),
    ],
)
def test_targets_that_are_neither_classes_nor_labels_are_refused(kind, y, error, message):
    with pytest.raises(error, match=message):
        small(kind).fit(X, y)


@pytest.mark.parametrize("kind", [ObliqueTreeRegressor, ObliqueForestRegressor])
def test_numbers_that_are_infinite_are_refused(kind):
    y = X[:, 0].copy()
    y[3] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        small(kind).fit(X, y)


def test_senseless_class_weights_are_refused():
    with pytest.raises(ValueError, match="class_weight"):
        ObliqueTreeClassifier(class_weight="equal").fit(X, Y)
    for weights, error, message in [
        ("equal", ValueError, "class_weight='equal' must be 'balanced'"),
        ([1.0, 2.0], ValueError, r"class_weight has shape \(2,\); expected 'balanced', or \(3,\)"),
        ([1.0, -2.0, 1.0], ValueError, "class_weight holds -2.0"),
        ([1.0, np.nan, 1.0], ValueError, "class_weight holds nan"),
        ({3: 1.0}, ValueError, "class_weight has a weight for 3"),
        (["much", 1.0, 1.0], TypeError, "class_weight=.*one weight for each label"),
        ([0.0, 0.0, 0.0], ValueError, "leaves no row with a positive weight"),
    ]:
        with pytest.raises(error, match=message):
            ObliqueTreeClassifier(class_weight=weights).fit(X, np.where(LABELS.any(1)[:, None], LABELS, 1))


@pytest.mark.parametrize("y", [2 * Y - 1, (2 * Y - 1).astype(float), (2 * Y - 1).astype(object)])
def test_minus_one_as_one_of_two_classes_is_refused_where_it_marks_unlabelled_rows(y):
    for weight in ("auto", 0.5, 0.0):
        forest = small(ObliqueForestClassifier, unlabeled_weight=weight)
        with pytest.raises(
            ValueError, match=r"y holds -1 and 1(\.0)? only.*single class is left.*astype\(int\)"
        ):
            forest.fit(X, y)
    assert small(ObliqueForestClassifier).fit(X, y).classes_.tolist() == [-1, 1]
    labels = np.where(np.arange(20) < 5, -1, Y)
    assert small(ObliqueForestClassifier, unlabeled_weight=0.5).fit(X, labels).classes_.tolist() == [0, 1]


@pytest.mark.parametrize("kind", FORESTS)
def test_out_of_bag_scores_without_bootstrap_are_refused_in_one_sentence(kind):
    with pytest.raises(
        ValueError, match=r"^oob_score=True needs bootstrap=True: without it every tree sees every"
    ):
        small(kind, oob_score=True, bootstrap=False).fit(X, Y)


@pytest.mark.parametrize("kind", FORESTS)
@pytest.mark.parametrize("n_jobs", [-1, -2, -3, -1000])
def test_more_cores_left_free_than_there_are_leave_one_thread(kind, n_jobs):
    one, other = small(kind, random_state=0), small(kind, random_state=0, n_jobs=n_jobs)
    np.testing.assert_array_equal(other.fit(X, Y).predict(X), one.fit(X, Y).predict(X))


def test_the_threshold_of_labels_is_a_probability():
    for threshold in (-0.1, 1.5):
        with pytest.raises(ValueError, match="threshold"):
            ObliqueTreeClassifier(threshold=threshold).fit(X, LABELS)


@pytest.mark.parametrize("kind", ALL)
def test_prediction_needs_a_fitted_model_and_the_features_it_was_fitted_on(kind):
    model = small(kind)
    for method in ("predict", "apply", "decision_path"):
        with pytest.raises(NotFittedError):
            getattr(model, method)(X)
    with pytest.raises(NotFittedError):
        _ = model.feature_importances_
    model.fit(X, Y)
    for method in ("predict", "apply", "decision_path"):
        with pytest.raises(ValueError, match=re.escape("X has 2 features")):
            getattr(model, method)(X[:, :2])
    with pytest.raises(ValueError, match="infinity"):
        model.predict(np.where(X > 1, np.inf, X))


def test_a_senseless_number_of_labels_to_return_is_refused():
    model = ObliqueTreeClassifier().fit(X, LABELS)
    with pytest.raises(ValueError, match="top_k"):
        model.predict_proba(X, top_k=0)
    with pytest.raises(TypeError, match="top_k"):
        model.predict_proba(X, top_k=1.5)


def test_a_failed_fit_leaves_the_earlier_model_usable():
    model = ObliqueForestClassifier(n_estimators=2, random_state=0).fit(X, Y)
    before = model.predict_proba(X)
    with pytest.raises(ValueError, match="n_estimators"):
        model.set_params(n_estimators=0).fit(X, Y)
    np.testing.assert_array_equal(model.set_params(n_estimators=2).predict_proba(X), before)


@pytest.mark.parametrize("kind", [ObliqueTreeClassifier, ObliqueForestClassifier])
@pytest.mark.parametrize("label", [7, "only", True])
def test_a_single_class_is_learned_and_predicted(kind, label):
    model = small(kind).fit(X, np.full(20, label))
    assert model.classes_.tolist() == [label]
    assert (model.predict(X) == label).all()
    np.testing.assert_array_equal(model.predict_proba(X), np.ones((20, 1)))
    np.testing.assert_array_equal(model.feature_importances_, np.zeros(3))
