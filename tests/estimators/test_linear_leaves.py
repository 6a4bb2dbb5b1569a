"""Claims about leaves with slopes, through everything that a model can do."""

import io
import pickle
import re

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from slantwood import (
    ModelFileError,
    ObliqueBoostingRegressor,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeRegressor,
    load_model,
)
from slantwood.ensemble import leaf_model
from slantwood.explain import (
    conformal,
    contributions,
    counterfactual,
    feature_ranking,
    spread,
    staged_errors,
)
from slantwood.export import export_text, to_onnx
from slantwood.features.matrix import to_array
from slantwood.model import container

# Few trees on purpose: rows that all of them saw, which a warning tells of, are no concern of these claims.
pytestmark = pytest.mark.filterwarnings("ignore:oob_score=True.*no out-of-bag prediction:UserWarning")

RNG = np.random.default_rng(0)
X = np.round(RNG.uniform(-1, 1, (300, 4)), 2).astype(np.float32)
Y = np.stack([np.maximum(X[:, 0] + X[:, 1], 0), X[:, 2] - X[:, 0]], axis=1)
NEW = np.round(RNG.uniform(-1.2, 1.2, (80, 4)), 2).astype(np.float32)


def forest(n_estimators=4, **parameters):
    given = {"leaves": "linear", "bootstrap": True, "random_state": 0} | parameters
    return ObliqueForestRegressor(n_estimators, **given)


@pytest.fixture(scope="module")
def fitted():
    return forest(oob_score=True).fit(X, Y)


@pytest.fixture(scope="module")
def single():
    return ObliqueTreeRegressor(leaves="linear", max_leaf_nodes=4, random_state=0).fit(X, Y[:, 0])


def test_few_leaves_with_slopes_beat_many_without_on_pieces_of_planes(single):
    means = ObliqueTreeRegressor(max_leaf_nodes=16, random_state=0).fit(X, Y[:, 0])
    truth = np.maximum(NEW[:, 0] + NEW[:, 1], 0)
    assert single.get_n_leaves() == 4
    assert 1 - single.score(NEW, truth) < 0.7 * (1 - means.score(NEW, truth))


def test_a_forest_is_better_with_slopes_where_there_are_any(fitted):
    assert fitted.oob_score_ > forest(oob_score=True, leaves="mean").fit(X, Y).oob_score_


def test_leaves_without_rows_enough_are_means():
    few = ObliqueTreeRegressor(leaves="linear", random_state=0).fit(X[:39], Y[:39])
    assert_array_equal(few.forest_.slopes.model, -1)
    means = ObliqueTreeRegressor(random_state=0).fit(X[:39], Y[:39])
    assert_array_equal(few.predict(NEW), means.predict(NEW))


def test_the_default_and_classifiers_have_means_only():
    assert ObliqueForestRegressor().leaves == ObliqueTreeRegressor().leaves == "mean"
    assert forest(2, leaves="mean").fit(X, Y).forest_.slopes is None
    for kind in (ObliqueForestClassifier, ObliqueBoostingRegressor):
        with pytest.raises(TypeError, match="leaves"):
            kind(leaves="linear")
    with pytest.raises(ValueError, match="leaves='line'"):
        forest(leaves="line").fit(X, Y)


def test_predictions_stay_within_the_range_of_the_rows_of_a_slope(fitted):
    trees, slopes = fitted.trees_, fitted.forest_.slopes
    far = (30 * NEW).astype(np.float32)
    nodes = fitted._predictor.leaves(far)
    said = fitted._predictor.tree_values(far, nodes)
    model = slopes.model[trees.leaf[nodes]]
    assert (model >= 0).any()
    low, high = slopes.low[model], slopes.high[model]
    outside = (said < low) | (said > high)
    assert not outside[model >= 0].any()
    assert ((said == low) | (said == high))[model >= 0].any()


def test_the_mean_of_a_leaf_stays_what_it_was(fitted):
    means = forest(leaves="mean").fit(X, Y)
    assert_array_equal(fitted.trees_.leaves.values, means.trees_.leaves.values)
    assert_array_equal(fitted.feature_importances_, means.feature_importances_)


def test_sparse_and_dense_rows_and_any_number_of_threads_give_the_same(fitted):
    hollow = np.where(np.abs(X) < 0.3, 0, X)
    dense, sparse = forest().fit(hollow, Y), forest().fit(sp.csr_array(hollow), Y)
    assert (dense.forest_.slopes.model >= 0).any()
    assert_allclose(sparse.predict(sp.csr_array(NEW)), dense.predict(NEW), atol=1e-5)
    assert_array_equal(forest(n_jobs=2).fit(X, Y).predict(NEW), fitted.predict(NEW))


def test_a_common_factor_of_the_weights_changes_no_slope():
    weights = RNG.integers(1, 3, len(X))
    given = {"leaves": "linear", "split": "axis", "min_samples_leaf": 30, "random_state": 0}
    tree, heavier = (
        ObliqueTreeRegressor(**given).fit(X, Y, sample_weight=w) for w in (weights, 1e3 * weights)
    )
    assert (tree.forest_.slopes.model >= 0).any()
    assert_array_equal(heavier.predict(NEW), tree.predict(NEW))


def test_missing_features_count_as_means_and_rows_with_missing_targets_have_no_part():
    gaps = np.where(RNG.random(X.shape) < 0.1, np.nan, X)
    partly = np.where(RNG.random(Y.shape) < 0.1, np.nan, Y)
    model = forest().fit(gaps, partly)
    assert (model.forest_.slopes.model >= 0).any()
    predicted = model.predict(np.where(RNG.random(NEW.shape) < 0.3, np.nan, NEW))
    assert np.isfinite(predicted).all()
    assert np.isfinite(model.predict(np.full((1, 4), np.nan))).all()


def test_trees_alone_and_the_rows_out_of_bag_have_slopes_too(fitted):
    single = np.stack([tree.predict(NEW) for tree in fitted])
    assert_allclose(single.mean(axis=0), fitted.predict(NEW), rtol=1e-5, atol=1e-6)
    parts = spread(fitted, NEW, X, Y)
    assert_allclose(parts.between_trees, single.var(axis=0), rtol=1e-4, atol=1e-6)
    coarse = [forest(leaves=leaves, min_samples_leaf=20).fit(X, Y) for leaves in ("linear", "mean")]
    linear, means = (spread(each, NEW, X, Y).within_leaves.mean() for each in coarse)
    assert linear < 0.9 * means
    found = conformal(fitted, X, Y).predict_interval(NEW, 0.2)
    assert_allclose(found.predicted, fitted.predict(NEW), rtol=1e-6)


def test_contributions_add_up(fitted):
    hollow = np.where(np.abs(NEW) < 0.3, 0, NEW)
    for rows in (NEW, np.where(NEW > 0.9, np.nan, NEW), np.full((1, 4), np.nan, np.float32), 30 * NEW):
        found = contributions(fitted, rows)
        assert_allclose(found.predicted, fitted.predict(rows), atol=1e-5)
    assert_allclose(
        contributions(fitted, sp.csr_array(hollow)).values, contributions(fitted, hollow).values, atol=1e-9
    )
    second = contributions(fitted, NEW, targets=1)
    assert_allclose(second.values[:, :, 0], contributions(fitted, NEW).values[:, :, 1], atol=1e-12)


def test_text_says_what_a_leaf_predicts(single):
    leaves = re.findall(r"y0 = (\S+)(.*) \(from (\S+) to (\S+)\)", export_text(single))
    assert leaves
    predicted = single.predict(NEW)
    said = []
    for constant, terms, low, high in leaves:
        value = np.full(len(NEW), float(constant))
        for sign, weight, feature in re.findall(r"([+-]) (\S+) x(\d)", terms):
            value += float(sign + weight) * NEW[:, int(feature)]
        said.append(np.clip(value, float(low), float(high)))
    nearest = np.abs(np.array(said) - predicted).min(axis=0)
    has_slopes = single.forest_.slopes.model[single.trees_.leaf[single.apply(NEW)]] >= 0
    assert has_slopes.any()
    assert nearest[has_slopes].max() < 0.02


@pytest.mark.parametrize("way", ["file", "pickle", "predict_only"])
def test_a_model_comes_back_as_it_was(fitted, way):
    if way == "pickle":
        again = pickle.loads(pickle.dumps(fitted))
    else:
        file = io.BytesIO()
        fitted.save(file, predict_only=way == "predict_only")
        again = load_model(io.BytesIO(file.getvalue()))
    assert again.leaves == again.settings_.leaves == "linear"
    assert_array_equal(again.predict(NEW), fitted.predict(NEW))
    for one, other in zip(again.forest_.slopes, fitted.forest_.slopes, strict=True):
        assert_array_equal(one, other)


def test_half_precision_changes_little(fitted):
    file = io.BytesIO()
    fitted.save(file, float16=True)
    again = load_model(io.BytesIO(file.getvalue()))
    difference = np.abs(again.predict(NEW) - fitted.predict(NEW))
    assert np.median(difference) < 0.01


def test_trees_are_added_to_those_of_other_leaves(fitted):
    grown = forest(2, leaves="mean", warm_start=True).fit(X, Y)
    grown.set_params(n_estimators=4, leaves="linear").fit(X, Y)
    for index in range(4):
        expected = forest(4, leaves="mean" if index < 2 else "linear").fit(X, Y)[index].predict(NEW)
        assert_array_equal(grown[index].predict(NEW), expected)


def test_targets_that_are_mostly_zero_have_slopes_too():
    rare = np.where((X[:, :1] > 0.8) & (Y > 0), Y, 0.0)
    means, sloped = (forest(2, leaves=leaves).fit(X, rare) for leaves in ("mean", "linear"))
    assert not means.trees_.leaves.is_dense
    assert_allclose(sloped.trees_.leaves.values, to_array(means.trees_.leaves).toarray(), atol=1e-6)
    added = forest(2, leaves="mean", warm_start=True).fit(X, rare)
    added.set_params(n_estimators=3, leaves="linear").fit(X, rare)
    assert_array_equal(added[0].predict(NEW), means[0].predict(NEW))
    assert_array_equal(added[2].predict(NEW), forest(3).fit(X, rare)[2].predict(NEW))


FORGERIES = {
    "model": lambda arrays: arrays["slopes/model"].fill(255),
    "node": lambda arrays: arrays["slopes/nodes"].fill(60_000),
    "leaf": lambda arrays: arrays["slopes/nodes"].fill(len(arrays["trees/sizes"]) - 1),
    "count": lambda arrays: arrays["slopes/counts"].fill(0),
    "infinite": lambda arrays: arrays["slopes/coefficients"].fill(np.inf),
    "far": lambda arrays: arrays["slopes/high"].fill(1e30),
    "range": lambda arrays: arrays["slopes/low"].fill(1e10),
    "shape": lambda arrays: arrays.update({"slopes/offset": np.zeros((1, 2), np.float32)}),
    "part": lambda arrays: arrays.pop("slopes/model"),
}


@pytest.mark.parametrize("case", FORGERIES)
def test_slopes_that_nobody_learned_are_refused(fitted, case):
    file = io.BytesIO()
    fitted.save(file)
    read = container.read(io.BytesIO(file.getvalue()))
    arrays = {name: array.copy() for name, array in read.arrays.items()}
    FORGERIES[case](arrays)
    forged = io.BytesIO()
    container.write(forged, read.document, arrays)
    with pytest.raises(ModelFileError, match="slopes/"):
        load_model(io.BytesIO(forged.getvalue()))


def test_what_knows_means_only_says_so(fitted):
    pytest.importorskip("onnx")
    with pytest.raises(ValueError, match="leaves='mean'"):
        to_onnx(fitted)
    with pytest.raises(ValueError, match="leaves='mean'"):
        feature_ranking(fitted, X, Y, method="permutation")
    with pytest.raises(ValueError, match="leaves='mean'"):
        counterfactual(fitted, X[:1], X, amount=1)
    assert feature_ranking(fitted, X, Y).scores.shape == (4,)


def test_the_last_of_staged_errors_is_that_of_the_forest(fitted):
    truth = np.stack([np.maximum(NEW[:, 0] + NEW[:, 1], 0), NEW[:, 2] - NEW[:, 0]], axis=1)
    assert_allclose(staged_errors(fitted, NEW, truth)[-1], 1 - fitted.score(NEW, truth), rtol=1e-4)


@pytest.mark.parametrize(("error", "chosen"), [(0.0, "linear"), (9.0, "mean")])
def test_auto_has_slopes_unless_they_are_worse_on_unseen_rows(monkeypatch, error, chosen):
    from slantwood.ensemble.prediction import Predictor

    told = Predictor.tree_values

    def tree_values(self, X, nodes):
        said = told(self, X, nodes)
        return said + np.float32(0.0 if self.forest.slopes is None else error)

    monkeypatch.setattr(leaf_model, "n_parts", lambda rows: 2)
    monkeypatch.setattr(Predictor, "tree_values", tree_values)
    model = forest(20, leaves="auto", min_samples_split=2).fit(X[:, :2], Y[:, 0])
    assert model.settings_.leaves == chosen
    assert (model.forest_.slopes is None) == (chosen == "mean")
    file = io.BytesIO()
    model.save(file)
    assert load_model(io.BytesIO(file.getvalue())).forest_.tuned == model.forest_.tuned
