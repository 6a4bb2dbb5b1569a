"""Numbers of any size are learned, and predictions stay within the range of the training rows."""

import io

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.metrics import r2_score

from slantwood import ObliqueForestRegressor, ObliqueTreeRegressor, load_model
from slantwood.export import encode_inputs, to_onnx

KINDS = [ObliqueTreeRegressor, ObliqueForestRegressor]
rng = np.random.default_rng(0)
X = rng.normal(size=(120, 4)).astype(np.float32)
SHAPE = (np.round(4 * X[:, 0]) + X[:, 1]).astype(float)


def small(kind, **parameters):
    return kind(
        **({"n_estimators": 7} if kind is ObliqueForestRegressor else {}), random_state=0, **parameters
    )


def within(predicted, y):
    return bool(((predicted >= y.min(axis=0)) & (predicted <= y.max(axis=0))).all())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [2.0**-1000, 2.0**-660, 2.0**660, 2.0**1015])
def test_the_size_of_the_numbers_does_not_change_what_is_learned(kind, size):
    model = small(kind)
    expected = clone(model).fit(X, SHAPE)
    found = clone(model).fit(X, SHAPE * size)
    assert_array_equal(found.predict(X), expected.predict(X) * size)


@pytest.mark.parametrize("kind", KINDS)
def test_targets_of_all_sizes_side_by_side_are_all_learned(kind):
    sizes = np.array([1e-200, 1.0, 1e200, 1e307])
    Y = SHAPE[:, None] * sizes
    predicted = small(kind).fit(X, Y).predict(X)
    assert within(predicted, Y)
    for j, size in enumerate(sizes):
        assert np.mean((predicted[:, j] / size - SHAPE) ** 2) < 0.5 * SHAPE.var()


def test_out_of_bag_scores_do_not_depend_on_the_size():
    forest = ObliqueForestRegressor(n_estimators=40, oob_score=True, random_state=0)
    assert clone(forest).fit(X, SHAPE * 2.0**700).oob_score_ == clone(forest).fit(X, SHAPE).oob_score_


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_trees", [1, 3, 50])
def test_a_leaf_of_zeros_predicts_zero_and_nothing_is_predicted_outside_the_training_rows(kind, n_trees):
    y = np.where(X[:, 0] > 1.0, 1e6 * np.abs(X[:, 1]), 0.0)
    model = small(kind)
    model = model.set_params(n_estimators=n_trees) if kind is ObliqueForestRegressor else model
    predicted = model.fit(X, y).predict(X)
    assert within(predicted, y)
    assert (predicted[X[:, 0] < -1.0] == 0.0).any()
    in_between = predicted[(predicted != 0.0)]
    assert np.abs(in_between).min() > 1.0


@pytest.mark.parametrize("shift", [0.0, 1.0, 2020.0, -1e9])
def test_equal_numbers_in_all_leaves_of_a_row_are_never_left_in_either_direction(shift):
    y = np.where(X[:, 0] > 0, 1.1, 0.3) + shift
    predicted = ObliqueForestRegressor(n_estimators=30, random_state=0).fit(X, y).predict(X)
    assert within(predicted, y)
    assert_allclose(predicted.min(), y.min(), rtol=1e-6)


def test_rows_without_weight_do_not_widen_the_range():
    y, weights = SHAPE.copy(), np.ones(len(SHAPE))
    y[:5], weights[:5] = 1e200, 0.0
    predicted = ObliqueForestRegressor(n_estimators=7, random_state=0).fit(X, y, weights).predict(X)
    assert within(predicted, y[5:])


def test_a_forest_that_goes_on_with_other_numbers_stays_within_both_ranges():
    forest = ObliqueForestRegressor(n_estimators=4, random_state=0, warm_start=True).fit(X, SHAPE)
    both = np.concatenate([SHAPE, SHAPE + 50.0])
    predicted = forest.set_params(n_estimators=8).fit(X, SHAPE + 50.0).predict(X)
    assert within(predicted, both)
    assert predicted.max() > SHAPE.max()
    with pytest.raises(ValueError, match="fit a new estimator"):
        forest.set_params(n_estimators=9).fit(X, SHAPE * 1e200)


@pytest.mark.parametrize("size", [1e-200, 1.0, 1e200, 1e307])
def test_model_files_and_onnx_predict_the_same_numbers(size):
    onnxruntime = pytest.importorskip("onnxruntime")
    Y = np.abs(np.column_stack([SHAPE, np.where(X[:, 0] > 1, SHAPE, 0.0)])) * size
    forest = ObliqueForestRegressor(n_estimators=7, random_state=0).fit(X, Y)
    expected = forest.predict(X)
    file = io.BytesIO()
    forest.save(file)
    file.seek(0)
    again = load_model(file)
    assert_array_equal(again.predict(X), expected)
    assert_array_equal([again.targets_.low, again.targets_.high], [Y.min(axis=0), Y.max(axis=0)])
    session = onnxruntime.InferenceSession(to_onnx(forest).SerializeToString())
    (found,) = session.run(None, {"X": encode_inputs(forest, X)})
    assert within(found, Y)
    assert_array_equal(found, expected)


def test_half_precision_stays_within_the_range():
    y = np.abs(SHAPE) + 0.1
    forest = ObliqueForestRegressor(n_estimators=3, random_state=0).fit(X, y)
    file = io.BytesIO()
    forest.save(file, float16=True)
    file.seek(0)
    assert within(load_model(file).predict(X), y)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [2.0**-1000, 2.0**-660, 2.0**660, 2.0**1015])
def test_scores_do_not_depend_on_the_size(kind, size):
    model, weights = small(kind), rng.random(len(X))
    for y in (SHAPE, np.stack([SHAPE, SHAPE**2], axis=1)):
        expected = clone(model).fit(X[:60], y[:60])
        found = clone(model).fit(X[:60], y[:60] * size)
        assert found.score(X, y * size) == expected.score(X, y) == r2_score(y, expected.predict(X))
        assert found.score(X, y * size, weights) == r2_score(y, expected.predict(X), sample_weight=weights)


def test_scores_refuse_other_targets_than_those_of_fit():
    model = small(ObliqueTreeRegressor).fit(X, SHAPE)
    with pytest.raises(ValueError, match=r"y has 2 columns, and 1 are predicted; give the targets of fit"):
        model.score(X, np.stack([SHAPE, SHAPE], axis=1))
