"""What is told about out-of-bag scores and warm starts that do not give what they seem to."""

import io

import numpy as np
import pytest

from slantwood import ObliqueForestClassifier, ObliqueForestRegressor, load_model

FORESTS = [ObliqueForestClassifier, ObliqueForestRegressor]
X = np.random.default_rng(0).normal(size=(60, 4))
Y = (X[:, 0] + X[:, 1] > 0).astype(int)


def out_of_bag(forest):
    scores = getattr(forest, "oob_prediction_", None)
    return forest.oob_decision_function_ if scores is None else scores


@pytest.mark.parametrize("kind", FORESTS)
def test_rows_that_every_tree_saw_are_told_of(kind):
    forest = kind(n_estimators=3, oob_score=True, random_state=0)
    with pytest.warns(
        UserWarning, match=r"oob_score=True: \d+ of 60 rows were seen by every one of the 3 trees"
    ):
        forest.fit(X, Y)
    assert np.isnan(out_of_bag(forest)).any()


@pytest.mark.parametrize("kind", FORESTS)
def test_enough_trees_leave_nothing_to_tell(kind):
    forest = kind(n_estimators=40, oob_score=True, random_state=0).fit(X, Y)
    assert not np.isnan(out_of_bag(forest)).any()


def test_rows_without_weight_or_label_are_not_missed():
    weights = np.ones(60)
    with pytest.warns(UserWarning, match="seen by every one"):
        ObliqueForestClassifier(n_estimators=4, oob_score=True, random_state=0).fit(X, Y)
    forest = ObliqueForestClassifier(n_estimators=4, oob_score=True, random_state=0)
    with pytest.warns(UserWarning, match="seen by every one"):
        forest.fit(X, Y)
    weights[np.isnan(forest.oob_decision_function_).any(axis=1)] = 0.0
    forest.fit(X, Y, sample_weight=weights)  # warnings are errors


@pytest.mark.parametrize("kind", FORESTS)
def test_a_warm_start_that_adds_no_tree_is_told_of(kind):
    forest = kind(n_estimators=3, warm_start=True, random_state=0).fit(X, Y)
    before = forest.predict(X)
    with pytest.warns(UserWarning, match=r"n_estimators=3: .*fit adds none; raise n_estimators"):
        forest.fit(X, Y)
    np.testing.assert_array_equal(forest.predict(X), before)
    assert forest.set_params(n_estimators=4).fit(X, Y).trees_.n_trees == 4


@pytest.mark.parametrize("kind", FORESTS)
def test_trees_that_saw_every_row_are_never_out_of_bag(kind):
    forest = kind(n_estimators=5, bootstrap=False, warm_start=True, random_state=0).fit(X, Y)
    forest.set_params(n_estimators=40, bootstrap=True, oob_score=True)
    with pytest.raises(ValueError, match=r"oob_score=True needs.*of the 5 trees.*warm_start=False"):
        forest.fit(X, Y)
    # Nor are they after trees with bootstrap were added to them.
    forest.set_params(n_estimators=10, oob_score=False).fit(X, Y)
    forest.set_params(n_estimators=40, oob_score=True)
    with pytest.raises(ValueError, match=r"oob_score=True needs.*of the 10 trees.*warm_start=False"):
        forest.fit(X, Y)
    again = kind(n_estimators=40, oob_score=True, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(
        out_of_bag(forest.set_params(warm_start=False).fit(X, Y)), out_of_bag(again)
    )


def test_a_tuned_threshold_needs_such_trees_too():
    labels = np.column_stack([Y, 1 - Y])
    forest = ObliqueForestClassifier(n_estimators=5, bootstrap=False, warm_start=True).fit(X, labels)
    with pytest.raises(ValueError, match=r"threshold='f1_micro' needs.*of the 5 trees"):
        forest.set_params(n_estimators=9, bootstrap=True, threshold="f1_micro").fit(X, labels)


@pytest.mark.parametrize("kind", FORESTS)
def test_trees_that_all_had_a_bootstrap_sample_go_on(kind):
    steps = kind(n_estimators=20, bootstrap=True, warm_start=True, random_state=0).fit(X, Y)
    steps.set_params(n_estimators=40, oob_score=True).fit(X, Y)
    at_once = kind(n_estimators=40, oob_score=True, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(out_of_bag(steps), out_of_bag(at_once))


@pytest.mark.parametrize("predict_only", [False, True])
def test_a_model_file_remembers_that_trees_saw_every_row(predict_only):
    forest = ObliqueForestClassifier(n_estimators=5, bootstrap=False, warm_start=True, random_state=0).fit(
        X, Y
    )
    forest.set_params(n_estimators=10, bootstrap=True).fit(X, Y)
    file = io.BytesIO()
    forest.save(file, predict_only=predict_only)
    file.seek(0)
    with pytest.raises(ValueError, match="warm_start=False"):
        load_model(file).set_params(n_estimators=40, oob_score=True).fit(X, Y)
