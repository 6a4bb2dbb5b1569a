"""Claims about boosted models that go on from earlier rounds."""

import io
from dataclasses import replace

import joblib
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes, make_friedman1

from slantwood import GradientSplit, ObliqueBoostingClassifier, ObliqueBoostingRegressor, load_model
from slantwood.ensemble.boosting import rounds

ONE_KIND = {"max_features": 1.0, "random_state": 0}  # so that there is no contest, which begins anew
QUICK = ONE_KIND | {"split": "axis", "max_depth": 3}


@pytest.fixture(scope="module")
def few():
    return make_friedman1(300, random_state=0)


@pytest.fixture(scope="module")
def many():
    return make_friedman1(2100, random_state=0)


def continued(model, n_estimators, X, y, **changed):
    return model.set_params(warm_start=True, n_estimators=n_estimators, **changed).fit(X, y)


def loaded(model):
    file = io.BytesIO()
    model.save(file)
    file.seek(0)
    return load_model(file)


# ---- two fits are as one


@pytest.mark.parametrize("split", [GradientSplit(), "axis"], ids=["gradient", "axis"])
def test_ten_rounds_and_ten_more_are_as_twenty_to_the_bit(split):
    X, y = load_diabetes(return_X_y=True)
    given = ONE_KIND | {"split": split, "early_stopping": False, "subsample": 1.0}
    whole = ObliqueBoostingRegressor(20, **given).fit(X, y)
    parts = continued(ObliqueBoostingRegressor(10, **given).fit(X, y), 20, X, y)
    assert_array_equal(parts.predict(X), whole.predict(X))


@pytest.mark.parametrize("split", ["gradient", "axis"])
def test_models_side_by_side_go_on_as_they_would_have(few, split):
    X, y = few
    whole = ObliqueBoostingRegressor(6, **QUICK | {"split": split}).fit(X, y)
    parts = ObliqueBoostingRegressor(2, **QUICK | {"split": split}).fit(X, y)
    assert (whole.n_iter_, parts.n_iter_) == (6, 2)
    continued(parts, 6, X, y)
    assert_array_equal(parts.predict(X), whole.predict(X))
    assert_array_equal(parts.validation_scores_, whole.validation_scores_)


def test_rows_that_were_held_out_of_many_stay_held_out(many):
    X, y = many
    whole = ObliqueBoostingRegressor(4, **QUICK).fit(X, y)
    parts = continued(ObliqueBoostingRegressor(2, **QUICK).fit(X, y), 4, X, y)
    assert_array_equal(parts.predict(X), whole.predict(X))
    assert_array_equal(parts.validation_scores_, whole.validation_scores_)


def test_a_loaded_model_goes_on_as_the_saved_one(few):
    X, y = few
    model = ObliqueBoostingClassifier(2, **QUICK).fit(X, y > 14)
    again = continued(loaded(model), 4, X, y > 14)
    continued(model, 4, X, y > 14)
    assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert_array_equal(again.validation_scores_, model.validation_scores_)


def test_the_forest_beside_stays_and_counts_half(few):
    X, y = few
    y = y + 5.0 * np.random.default_rng(0).normal(size=len(y))
    first = ObliqueBoostingRegressor(3, random_state=0).fit(X, y)
    sizes = first.forest_.additive.round_sizes.tolist()
    assert sizes == [60, 10, 10]
    before, scores, leaves = first.predict(X), first.validation_scores_, first.trees_.leaves.values
    model = continued(first, 5, X, y, n_iter_no_change=100, early_stopping=False)
    assert model.forest_.additive.round_sizes.tolist() == [*sizes, 10, 10]
    assert_array_equal(model.trees_.leaves.values[: len(leaves)], leaves)
    assert_allclose(list(model.staged_predict(X))[2], before, rtol=1e-5)
    assert_array_equal(model.validation_scores_[:4], scores)
    # Losses fall on as they did: those of rounds without their forest would lie far above.
    falls = np.diff(model.validation_scores_)
    assert_allclose(falls[3:], falls[:3].mean(), rtol=0.5)


# ---- what is held out


def test_noise_is_not_taken_for_progress_by_rows_that_earlier_rounds_saw():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(150, 5)), rng.normal(size=150)
    model = ObliqueBoostingRegressor(1, **QUICK).fit(X, y)
    for n_estimators in (10, 20):
        continued(model, n_estimators, X, y, early_stopping=False)
    scores = model.validation_scores_
    assert len(scores) == model.n_iter_ + 1 == 21
    assert scores[2:].max() < scores[0]


def test_validation_scores_have_an_entry_for_every_round(few):
    X, y = few
    model = ObliqueBoostingRegressor(4, **QUICK).fit(X, y)
    first = model.validation_scores_
    continued(model, 6, X, y)
    assert len(first) == 5
    assert len(model.validation_scores_) == 7
    assert_array_equal(model.validation_scores_[:5], first)


def test_early_stopping_is_refused_where_earlier_rounds_saw_all_rows(few):
    X, y = few
    model = ObliqueBoostingRegressor(2, **QUICK, early_stopping=False).fit(X, y)
    with pytest.raises(ValueError, match=r"early_stopping=True needs rows.*give early_stopping=False"):
        continued(model, 4, X, y, early_stopping=True)


def test_another_share_of_held_out_rows_is_refused(many):
    X, y = many
    model = ObliqueBoostingRegressor(1, **QUICK).fit(X, y)
    with pytest.raises(ValueError, match=r"validation_fraction=0\.2, but.*without 0\.1 of the rows"):
        continued(model, 2, X, y, validation_fraction=0.2)


def test_fewer_rows_than_models_are_refused(few):
    X, y = few
    model = ObliqueBoostingRegressor(1, **QUICK).fit(X, y)
    weights = np.zeros(len(y))
    weights[:4] = 1.0
    with pytest.raises(ValueError, match=r"of 4 with a label and weight.*give 5 or more"):
        model.set_params(warm_start=True, n_estimators=2).fit(X, y, sample_weight=weights)


def test_trees_that_are_not_those_of_so_many_models_are_refused(few):
    X, y = few
    model = ObliqueBoostingRegressor(2, **QUICK).fit(X, y)
    additive = replace(model.forest_.additive, fold_starts=np.zeros((7, 1)))  # as a forged file may have it
    model.forest_ = replace(model.forest_, additive=additive)
    with pytest.raises(ValueError, match=r"20 trees are not those of 2 rounds of 7 models"):
        continued(model, 3, X, y)


def test_a_model_of_one_row_goes_on():
    X, y = np.arange(4.0)[:, None], np.arange(4.0)
    weights = np.array([0.0, 0.0, 1.0, 0.0])
    model = ObliqueBoostingRegressor(2, random_state=0).fit(X, y, sample_weight=weights)
    model.set_params(warm_start=True, n_estimators=3).fit(X, y, sample_weight=weights)
    assert model.n_iter_ == 3
    assert model.predict(X).tolist() == [2.0] * 4


# ---- threads


@pytest.mark.parametrize("given", [{"early_stopping": False}, {}], ids=["one model", "five models"])
def test_joblibs_number_of_threads_holds_in_rounds(few, given, monkeypatch):
    counts = []

    def counted(work, items, n_jobs, stop=None):
        counts.append(n_jobs)
        return run(work, items, n_jobs, stop)

    run = rounds.run_in_threads
    for name in ("rounds", "courses"):
        monkeypatch.setattr(f"slantwood.ensemble.boosting.{name}.run_in_threads", counted)
    model = ObliqueBoostingRegressor(2, **QUICK | given).fit(*few)
    assert counts == []
    with joblib.parallel_config("threading", n_jobs=2):
        again = ObliqueBoostingRegressor(2, **QUICK | given).fit(*few)
    assert counts == [2, 2]
    assert_array_equal(again.predict(few[0]), model.predict(few[0]))
