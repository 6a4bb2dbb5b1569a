"""From which probability on a label, or the second of two classes, is chosen: given, or tuned out of bag."""

import io
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.metrics import f1_score
from sklearn.model_selection import FixedThresholdClassifier, cross_val_score

from slantwood import ObliqueForestClassifier, ObliqueTreeClassifier, load_model
from slantwood.targets.thresholds import tuned_thresholds

# Few trees on purpose: rows that all of them saw are part of what is claimed.
pytestmark = [
    pytest.mark.filterwarnings("ignore:oob_score=True.*no out-of-bag prediction:UserWarning"),
    pytest.mark.sampled,
]

TUNED = ["f1_micro", "f1_macro"]
FORMS = ["csr_array", "csr_matrix", "csc_array", "csc_matrix", "coo_array", "lil_array", "dok_array"]


def problem(n=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    return X, (X[:, :3] @ np.array([[1.0, 1, 0], [1, -1, 1], [0, 1, -1]]) > [0.5, 1.0, 1.5]).astype(int)


def with_gaps(y, share=0.2):
    y = np.where(np.random.default_rng(0).random(y.shape) < share, np.nan, y)
    y[:5] = np.nan
    return y


def forest(**parameters):
    return ObliqueForestClassifier(**{"n_estimators": 8, "random_state": 0, **parameters})


def dense(matrix):
    return matrix.toarray() if sp.issparse(matrix) else matrix


# ---- given


@pytest.mark.parametrize("as_sparse", [False, True])
@pytest.mark.parametrize(
    "threshold",
    [
        0,
        0.3,
        1,
        np.float32(0.25),
        [0.1, 0.5, 0.9],
        (0.0, 1.0, 0.5),
        np.array([0.1, 0.2, 0.3]),
        pd.Series([0.2] * 3),
    ],
    ids=repr,
)
def test_labels_are_those_above_the_threshold(threshold, as_sparse):
    X, y = problem()
    model = forest(threshold=threshold).fit(X, sp.csr_array(y) if as_sparse else y)
    expected = model.predict_proba(X) > np.asarray(threshold, np.float32)
    predicted = model.predict(X)
    assert sp.issparse(predicted) == as_sparse
    np.testing.assert_array_equal(dense(predicted), expected)
    tree = ObliqueTreeClassifier(threshold=threshold, random_state=0).fit(X, y)
    np.testing.assert_array_equal(tree.predict(X), tree.predict_proba(X) > np.asarray(threshold, np.float32))


def test_given_thresholds_may_be_changed_after_fitting():
    X, y = problem()
    model = forest().fit(X, y)
    scores = model.predict_proba(X)
    model.set_params(threshold=[0.1, 0.2, 0.3])
    np.testing.assert_array_equal(model.predict(X), scores > np.array([0.1, 0.2, 0.3], np.float32))
    with pytest.raises(ValueError, match=r"threshold has shape \(2,\).*\(3,\)"):
        model.set_params(threshold=[0.1, 0.2]).predict(X)


def test_given_thresholds_decide_the_out_of_bag_score():
    X, y = problem()
    thresholds = np.array([0.2, 0.4, 0.6], np.float32)
    model = forest(threshold=thresholds, oob_score=True).fit(X, y)
    seen = ~np.isnan(model.oob_decision_function_).any(axis=1)
    right = ((model.oob_decision_function_ > thresholds) == y).all(axis=1)
    assert model.oob_score_ == pytest.approx(right[seen].mean())
    assert not hasattr(model, "thresholds_")


# ---- tuned


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("threshold", TUNED)
def test_tuned_thresholds_are_the_best_ones_on_out_of_bag_scores(threshold, gaps, weighted):
    X, y = problem()
    y = with_gaps(y) if gaps else y
    weights = np.arange(120) % 3 + 1.0 if weighted else np.ones(120)
    model = forest(threshold=threshold, oob_score=True).fit(X, y, sample_weight=weights)
    scores = model.oob_decision_function_
    seen = ~np.isnan(scores).any(axis=1)
    expected = tuned_thresholds(scores[seen], y[seen], weights[seen], threshold.removeprefix("f1_"))
    np.testing.assert_array_equal(model.thresholds_, expected)
    assert model.thresholds_.shape == (3,)
    np.testing.assert_array_equal(model.predict(X), model.predict_proba(X) > model.thresholds_)

    def f1(limits):
        known = seen[:, None] & ~np.isnan(y)
        chosen, truth = (scores > limits) & known, (y == 1) & known
        per_label = [
            (w.astype(float) * weights[:, None]).sum(axis=0) for w in (chosen & truth, chosen, truth)
        ]
        hit, n_chosen, n_true = (part.sum() if threshold == "f1_micro" else part for part in per_label)
        return np.mean(2 * hit / (n_chosen + n_true))

    others = np.linspace(0.02, 0.98, 40)
    assert f1(model.thresholds_) >= max(f1(np.float32(other)) for other in others) - 1e-12


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("threshold", TUNED)
def test_sparse_labels_are_tuned_as_dense_ones(threshold, gaps, form):
    X, y = problem()
    y = with_gaps(y) if gaps else y.astype(float)
    model = forest(threshold=threshold, oob_score=True).fit(X, getattr(sp, form)(y))
    expected = forest(threshold=threshold, oob_score=True).fit(X, y)
    np.testing.assert_array_equal(model.thresholds_, expected.thresholds_)
    assert isinstance(model.oob_decision_function_, sp.csr_array)
    seen = ~np.isnan(expected.oob_decision_function_).any(axis=1)
    np.testing.assert_allclose(
        model.oob_decision_function_.toarray()[seen], expected.oob_decision_function_[seen], atol=1e-6
    )
    assert model.oob_score_ == pytest.approx(expected.oob_score_)
    np.testing.assert_array_equal(dense(model.predict(X)), expected.predict(X))


@pytest.mark.parametrize("split", ["gradient", "svm"])
@pytest.mark.parametrize("threshold", TUNED)
def test_tuning_improves_f1_of_rare_labels_on_fresh_rows(threshold, split):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(1500, 6))
    noisy = X @ rng.normal(size=(6, 5)) + 1.5 * rng.normal(size=(1500, 5))
    y = (noisy > np.quantile(noisy, 0.92, axis=0)).astype(int)
    average = threshold.removeprefix("f1_")
    reached = [
        f1_score(
            y[700:],
            forest(split=split, threshold=limit, bootstrap=True, n_estimators=15)
            .fit(X[:700], y[:700])
            .predict(X[700:]),
            average=average,
            zero_division=0.0,
        )
        for limit in (0.5, threshold)
    ]
    assert reached[1] > reached[0] + 0.03


def test_tuning_needs_no_out_of_bag_score_and_grows_the_same_trees():
    X, y = problem()
    tuned = forest(threshold="f1_macro").fit(X, y)
    assert not hasattr(tuned, "oob_score_")
    assert not hasattr(tuned, "oob_decision_function_")
    assert tuned.settings_.bootstrap is True
    plain = forest(bootstrap=True).fit(X, y)
    np.testing.assert_array_equal(tuned.predict_proba(X), plain.predict_proba(X))


def test_tuned_thresholds_do_not_depend_on_threads_and_are_copied_and_cross_validated():
    X, y = problem()
    model = forest(threshold="f1_macro").fit(X, y)
    for other in (
        forest(threshold="f1_macro", n_jobs=2).fit(X, y),
        clone(model).fit(X, y),
        pickle.loads(pickle.dumps(model)),
    ):
        np.testing.assert_array_equal(other.thresholds_, model.thresholds_)
        np.testing.assert_array_equal(other.predict(X), model.predict(X))
    assert cross_val_score(model, X, y, cv=3, scoring="f1_macro").min() > 0.5


def test_added_trees_tune_anew():
    X, y = problem()
    grown = forest(threshold="f1_micro", n_estimators=3, warm_start=True).fit(X, y)
    grown.set_params(n_estimators=8).fit(X, y)
    np.testing.assert_array_equal(grown.thresholds_, forest(threshold="f1_micro").fit(X, y).thresholds_)


@pytest.mark.parametrize("weight", [0.5, "auto"])
@pytest.mark.parametrize("how", [{"threshold": "f1_micro"}, {"threshold": "f1_macro"}, {"oob_score": True}])
def test_labels_that_a_first_model_has_passed_on_are_neither_tuned_nor_scored_on(how, weight):
    X, y = problem()
    y = y.astype(float)
    y[40:] = np.nan
    with pytest.raises(ValueError, match=r"no model has seen.*unlabeled_weight=None"):
        forest(unlabeled_weight=weight, **how).fit(X, y)


@pytest.mark.parametrize("threshold", TUNED)
def test_labels_that_never_or_always_apply_are_tuned_too(threshold):
    X, y = problem()
    y[:, 0], y[:, 2] = 0, 1
    model = forest(threshold=threshold).fit(X, y)
    predicted = model.predict(X)
    assert (predicted[:, 0] == 0).all()
    assert (predicted[:, 2] == 1).all()


@pytest.mark.parametrize("threshold", TUNED)
def test_where_no_row_is_out_of_bag_the_threshold_is_neutral(threshold):
    X, y = problem(2)
    n_neutral = 0
    for seed in range(20):
        model = forest(threshold=threshold, n_estimators=1, oob_score=True, random_state=seed)
        model.fit(X, np.ones_like(y))
        if np.isnan(model.oob_decision_function_).all():
            n_neutral += 1
            assert (model.thresholds_ == 0.5).all()
    assert n_neutral > 0


# ---- fitting again


def test_a_fit_without_tuning_forgets_tuned_thresholds():
    X, y = problem()
    model = forest(threshold="f1_macro").fit(X, y)
    model.set_params(threshold=0.5).fit(X, y[:, :2])
    assert not hasattr(model, "thresholds_")
    with pytest.raises(ValueError, match="threshold='f1_macro' is tuned in fit"):
        model.set_params(threshold="f1_macro").predict(X)


def test_a_fit_for_classes_forgets_tuned_thresholds():
    X, y = problem()
    model = forest(threshold="f1_macro").fit(X, y)
    model.set_params(threshold=0.5).fit(X, y[:, 0])
    assert not hasattr(model, "thresholds_")


@pytest.mark.parametrize("threshold", TUNED)
def test_tuning_cannot_be_asked_for_after_fitting(threshold):
    X, y = problem()
    model = forest().fit(X, y)
    with pytest.raises(ValueError, match=f"threshold='{threshold}' is tuned in fit"):
        model.set_params(threshold=threshold).predict(X)


def test_after_tuning_for_one_kind_of_f1_the_other_is_not_pretended():
    X, y = problem()
    model = forest(threshold="f1_macro").fit(X, y)
    assert len(set(model.thresholds_.tolist())) > 1
    with pytest.raises(ValueError, match="threshold='f1_micro' is tuned in fit"):
        model.set_params(threshold="f1_micro").predict(X)


# ---- senseless


@pytest.mark.parametrize(
    ("threshold", "error", "message"),
    [
        ([0.1, 0.2], ValueError, r"threshold has shape \(2,\).*\(3,\)"),
        ([[0.1, 0.2, 0.3]], ValueError, r"threshold has shape \(1, 3\)"),
        ([0.1, 0.2, 1.5], ValueError, "threshold must lie between 0 and 1"),
        ([-0.1, 0.2, 0.5], ValueError, "threshold must lie between 0 and 1"),
        ([np.nan, 0.2, 0.5], ValueError, "threshold"),
        (-0.1, ValueError, "threshold=-0.1"),
        (1.1, ValueError, "threshold=1.1"),
        (np.nan, ValueError, "threshold=nan"),
        (True, TypeError, "threshold=True"),
        ("f1", ValueError, "threshold='f1' must be one of 'f1_micro', 'f1_macro'"),
        (None, (TypeError, ValueError), "threshold"),
        (["low", "high", "low"], TypeError, "threshold"),
        ({"a": 0.5}, TypeError, "threshold"),
    ],
    ids=repr,
)
@pytest.mark.parametrize("kind", [ObliqueTreeClassifier, ObliqueForestClassifier])
def test_senseless_thresholds_are_refused(kind, threshold, error, message):
    X, y = problem(30)
    with pytest.raises(error, match=message):
        kind(threshold=threshold).fit(X, y)
    model = kind(random_state=0).fit(X, y).set_params(threshold=threshold)
    with pytest.raises(error, match="threshold"):
        model.predict(X)


@pytest.mark.parametrize("threshold", TUNED)
def test_a_single_tree_has_no_rows_to_tune_on_and_the_error_says_so(threshold):
    X, y = problem(30)
    with pytest.raises(ValueError, match=r"threshold='f1_m....'.*(forest|Forest)"):
        ObliqueTreeClassifier(threshold=threshold).fit(X, y)


@pytest.mark.parametrize("threshold", TUNED)
def test_tuning_needs_the_bootstrap(threshold):
    X, y = problem(30)
    with pytest.raises(ValueError, match=r"threshold.*bootstrap=True"):
        forest(threshold=threshold, bootstrap=False).fit(X, y)


@pytest.mark.parametrize("threshold", [*TUNED, [0.5, 0.5], np.array([0.1, 0.9])])
def test_two_classes_have_one_threshold_and_it_is_a_number(threshold):
    X, y = problem(30)
    with pytest.raises(ValueError, match=r"threshold=.* is for labels.*one number"):
        ObliqueForestClassifier(threshold=threshold).fit(X, y[:, 0])


@pytest.mark.parametrize("threshold", [*TUNED, [0.5, 0.5, 0.5], 0.4, 0.0])
def test_several_classes_have_no_threshold(threshold):
    X, y = problem(60)
    with pytest.raises(ValueError, match=r"threshold=.* has no meaning for the 4 classes"):
        ObliqueForestClassifier(threshold=threshold).fit(X, y[:, 0] + 2 * y[:, 1])
    model = forest().fit(X, y[:, 0] + 2 * y[:, 1])
    with pytest.raises(ValueError, match="threshold"):
        model.set_params(threshold=0.4).predict(X)


# ---- two classes


@pytest.mark.parametrize("kind", [ObliqueTreeClassifier, ObliqueForestClassifier])
@pytest.mark.parametrize("threshold", [0, 0.2, np.float32(0.25), 0.5, 0.8, 1])
@pytest.mark.parametrize("names", [[0, 1], ["no", "yes"], [False, True], [7, 3]])
def test_the_second_of_two_classes_is_predicted_above_the_threshold(kind, threshold, names):
    X, y = problem()
    y = np.array(names)[(y[:, 0] + (np.arange(len(y)) % 4 == 0)) % 2]
    model = kind(threshold=threshold, max_depth=2, random_state=0).fit(X, y)
    second = model.predict_proba(X)[:, 1].astype(np.float32) > np.float32(threshold)
    np.testing.assert_array_equal(model.predict(X), model.classes_[second.astype(int)])
    if threshold == 0.2:
        assert (model.predict(X) != model.set_params(threshold=0.8).predict(X)).any()
    elif threshold == 0.5:
        likeliest = model.classes_[model.predict_proba(X).argmax(axis=1)]
        np.testing.assert_array_equal(model.predict(X), likeliest)


def test_the_threshold_of_two_classes_decides_scores_too():
    X, y = problem()
    y = y[:, 1]
    model = forest(threshold=0.2, n_estimators=30, oob_score=True, max_depth=2).fit(X, y)
    assert model.score(X, y) == np.mean(model.predict(X) == y)
    decided = model.oob_decision_function_[:, 1].astype(np.float32) > np.float32(0.2)
    assert model.oob_score_ == pytest.approx(np.mean(decided == y))
    assert model.oob_score_ != pytest.approx(np.mean((model.oob_decision_function_[:, 1] > 0.5) == y))


def test_the_threshold_of_two_classes_is_that_of_scikit_learn():
    X, y = problem()
    ours = forest(threshold=0.3).fit(X, y[:, 0])
    theirs = FixedThresholdClassifier(forest(), threshold=0.3, response_method="predict_proba").fit(
        X, y[:, 0]
    )
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    file = io.BytesIO()
    ours.save(file)
    file.seek(0)
    np.testing.assert_array_equal(load_model(file).predict(X), ours.predict(X))


def test_a_single_class_is_predicted_at_any_threshold():
    X, _ = problem(30)
    assert (forest(threshold=0.9).fit(X, ["a"] * 30).predict(X) == "a").all()
