"""Classifiers of several targets: each with classes of its own, and numbers beside them."""

import io
import json
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.utils import compute_sample_weight

from slantwood import (
    GradientSplit,
    ModelFileError,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    load_model,
)
from slantwood.callbacks import Callback
from slantwood.model import container

# Few trees on purpose: rows that all of them saw, which a warning tells of, are no concern of these claims.
pytestmark = pytest.mark.filterwarnings("ignore:oob_score=True.*no out-of-bag prediction:UserWarning")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 5)).astype(np.float32)
TREES = np.array(["ash", "elm", "oak"])[np.digitize(X[:, 0] + X[:, 1], [-0.7, 0.7])]
RINGS = np.digitize(X[:, 2], [-1, 0, 1]) + 3
HEIGHT = 100.0 + 7.0 * X[:, 3].astype(np.float64)
CLASSES = np.column_stack([RINGS, (X[:, 0] > 0) * 2, np.digitize(X[:, 4], [0.0, 1.0])])
FRAME = pd.DataFrame({"tree": TREES, "rings": RINGS, "height": HEIGHT, "alive": X[:, 0] > X[:, 1]})


def forest(**parameters):
    return ObliqueForestClassifier(**{"n_estimators": 4, "random_state": 0} | parameters)


def alike(one, other, places=1e-4):
    """Whether two models have the same trees, but for rounding."""
    assert_array_equal(one.trees_.left, other.trees_.left)
    assert_array_equal(one.trees_.indices, other.trees_.indices)
    assert_allclose(one.trees_.weights, other.trees_.weights, rtol=places, atol=places)
    assert_allclose(one.feature_importances_, other.feature_importances_, rtol=10 * places, atol=places)


# ---- as in scikit-learn


@pytest.mark.parametrize("y", [CLASSES, CLASSES.astype(float), CLASSES.astype(str), CLASSES.tolist()])
def test_users_of_random_forests_find_the_same_forms(y):
    ours, theirs = forest().fit(X, y), RandomForestClassifier(4, random_state=0).fit(X, y)
    assert ours.targets_.task == "multi-target classification"
    assert ours.n_outputs_ == theirs.n_outputs_ == 3
    assert ours.n_classes_ == [len(each) for each in ours.classes_] == list(theirs.n_classes_)
    for a, b in zip(ours.classes_, theirs.classes_, strict=True):
        assert_array_equal(a, b)
    predicted, shares = ours.predict(X), ours.predict_proba(X)
    assert predicted.dtype == np.asarray(y).dtype
    assert [each.shape for each in shares] == [each.shape for each in theirs.predict_proba(X)]
    for j, each in enumerate(shares):
        assert_allclose(each.sum(axis=1), 1.0)
        assert_array_equal(ours.classes_[j][each.argmax(axis=1)], predicted[:, j])
    for a, b in zip(ours.predict_log_proba(X), shares, strict=True):
        assert_allclose(np.exp(a), b)


def test_searches_and_cross_validation_score_by_the_mean_over_targets():
    # A number of folds would make scikit-learn sort the cells of all columns together.
    scores = cross_val_score(forest(n_estimators=2), X, FRAME, cv=KFold(3))
    assert scores.shape == (3,)
    assert (scores > 0.3).all()
    search = GridSearchCV(forest(n_estimators=2), {"max_depth": [1, 4]}, cv=2).fit(X, CLASSES)
    assert search.best_params_ == {"max_depth": 4}


def test_fitted_models_can_be_cloned_and_pickled():
    model = forest().fit(X, FRAME)
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    assert not hasattr(clone(model), "forest_")


# ---- frames


LIBRARIES = {"pandas": lambda frame: frame, "polars": pl.from_pandas, "pyarrow": pa.Table.from_pandas}


@pytest.mark.parametrize("library", LIBRARIES.values(), ids=LIBRARIES)
def test_columns_of_a_frame_keep_their_types_and_names(library):
    y = library(FRAME)
    model = forest(bootstrap=False, min_samples_split=2).fit(X, y)
    assert model.targets_.task == "mixed targets"
    assert model.target_names_ == ("tree", "rings", "height", "alive")
    assert [None if each is None else each.tolist() for each in model.classes_] == [
        ["ash", "elm", "oak"],
        [3, 4, 5, 6],
        None,
        [False, True],
    ]
    predicted = model.predict(X)
    assert [type(cell) for cell in predicted[0]] == [str, int, float, bool]
    assert model.predict_proba(X)[2] is None
    # Rows are apart, and trees of all rows know them by heart.
    assert_array_equal(predicted[:, [0, 1, 3]], FRAME[["tree", "rings", "alive"]].to_numpy(object))
    assert model.score(X, y) > 0.99


def test_categories_and_names_given_by_hand():
    y = FRAME.astype({"tree": "category"})
    model = forest().fit(X, y, target_names=["a", "b", "c", "d"])
    assert model.target_names_ == ("a", "b", "c", "d")
    assert model.classes_[0].tolist() == ["ash", "elm", "oak"]


def test_numbers_are_predicted_as_regressors_do():
    y = pd.DataFrame({"height": HEIGHT, "same": np.where(X[:, 0] > 9, "b", "a")})
    y.loc[0, "same"] = "b"
    model = forest(split="axis", bootstrap=False, target_weights=[1, 0], max_features=1.0).fit(X, y)
    alone = ObliqueForestRegressor(
        n_estimators=4, split="axis", bootstrap=False, random_state=0, max_features=1.0
    )
    assert_allclose(model.predict(X)[:, 0].astype(float), alone.fit(X, HEIGHT).predict(X), rtol=1e-6)


# ---- labels and single classes stay what they are


@pytest.mark.parametrize(
    "y",
    [
        (X[:, :2] > 0).astype(int),
        X[:, :2] > 0,
        np.where(X[:, :2] > 1, np.nan, X[:, :2] > 0),
        pd.DataFrame({"a": X[:, 0] > 0, "b": (X[:, 1] > 0).astype(int)}),
    ],
    ids=["0 and 1", "truth", "some unknown", "frame"],
)
def test_zeros_and_ones_are_labels(y):
    assert forest(n_estimators=1).fit(X, y).targets_.task == "multi-label"


def test_one_column_is_one_class():
    with pytest.warns(UserWarning, match="column-vector y"):
        assert forest(n_estimators=1).fit(X, CLASSES[:, :1]).targets_.task == "multi-class"


# ---- which trees


@pytest.mark.parametrize("split", ["axis", "gradient"])
@pytest.mark.parametrize("y", [TREES, X[:, 0] > X[:, 1]], ids=["three classes", "two classes"])
def test_copies_of_one_target_grow_the_trees_of_that_target(split, y):
    codes = 3 + np.unique(y, return_inverse=True)[1]

    def grown(target, total):
        # C is for the sum of all weights: several targets have 1, one target 1 for each of its columns.
        learner = replace(GradientSplit.published(), C=10.0 / total) if split == "gradient" else split
        settings = {"split": learner, "bootstrap": False, "max_features": 1.0, "min_samples_split": 10}
        # Whether a split may be chance is asked of the number of columns, of which copies are more.
        return forest(**settings, min_impurity_decrease=0.0).fit(X, target)

    alone = grown(codes, 1.0 if len(np.unique(y)) == 2 else 3.0)
    several = grown(np.column_stack([codes] * 3), 1.0)
    alike(alone, several)
    for j in range(3):
        assert_allclose(several.predict_proba(X)[j], alone.predict_proba(X), atol=1e-5)


def test_columns_in_another_order_give_the_same_predictions_in_that_order():
    order = [2, 0, 1]
    settings = {"split": "axis", "bootstrap": False, "max_features": 1.0}
    one = forest(**settings).fit(X, CLASSES)
    other = forest(**settings).fit(X, CLASSES[:, order])
    alike(one, other)
    assert_array_equal(one.predict(X)[:, order], other.predict(X))


def test_dense_and_sparse_features_give_the_same_trees():
    features = np.where(np.abs(X) > 0.8, X, 0.0).astype(np.float32)
    dense, sparse = (forest().fit(each, CLASSES) for each in (features, sp.csr_array(features)))
    alike(dense, sparse)
    assert_array_equal(dense.predict(features), sparse.predict(sp.csr_array(features)))


def test_a_target_of_weight_zero_is_only_predicted():
    settings = {"split": "axis", "bootstrap": False, "max_features": 1.0}
    alone = forest(**settings).fit(X, CLASSES[:, 0])
    both = forest(**settings, target_weights=[1, 0]).fit(X, CLASSES[:, :2])
    alike(alone, both)
    assert both.predict(X).shape == (120, 2)


def test_a_target_has_one_weight_whatever_its_classes():
    first, second = (
        forest(max_depth=1, n_estimators=1, max_features=1.0, split="axis", target_weights=weights)
        .fit(X, CLASSES)
        .feature_importances_.argmax()
        for weights in ([1, 0.01, 0.01], [0.01, 0.01, 1])
    )
    assert (first, second) == (2, 4)
    with pytest.raises(
        ValueError, match=r"target_weights has shape \(2,\); expected \(3,\), one weight for each"
    ):
        forest(target_weights=[1, 2]).fit(X, CLASSES)


@pytest.mark.parametrize("split", ["svm", "ridge", "cart-lc", "oc1"])
def test_other_split_learners_take_several_targets(split):
    assert forest(n_estimators=1, split=split).fit(X, FRAME).score(X, FRAME) > 0.4


@pytest.mark.parametrize("clustering", ["features", "targets+features", "sketch"])
def test_other_clustering_attributes_score_splits(clustering):
    model = forest(n_estimators=2).fit(X, FRAME, clustering=clustering)
    assert model.score(X, FRAME) > 0.3


def test_split_learners_for_one_class_refuse_several_targets():
    with pytest.raises(ValueError, match="split='wodt' is for"):
        forest(split="wodt").fit(X, CLASSES)


# ---- what is not known


def test_a_target_that_is_not_known_in_some_rows_is_learned_from_others():
    y = FRAME.astype({"tree": object, "rings": object})
    hidden = RNG.random(y.shape) < 0.3
    hidden[:, 3] = False
    y = y.where(~hidden)
    model = forest(n_estimators=10).fit(X, y)
    assert model.classes_[1].tolist() == [3, 4, 5, 6]
    assert model.classes_[1].dtype.kind == "i"
    assert model.score(X, FRAME) > 0.8
    assert model.score(X, y) > 0.85  # what is not known does not count


def test_rows_of_which_nothing_is_known_change_nothing():
    y = np.vstack([CLASSES.astype(float), np.full((30, 3), np.nan)])
    more = np.vstack([X, RNG.normal(size=(30, 5)).astype(np.float32)])
    settings = {"bootstrap": False, "split": "axis"}
    alike(forest(**settings).fit(X, CLASSES), forest(**settings).fit(more, y))


@pytest.mark.parametrize("y", [CLASSES, FRAME], ids=["classes", "mixed"])
def test_rows_without_any_target_can_have_a_part(y):
    known = 40
    if isinstance(y, pd.DataFrame):
        partly = y.astype({"tree": object, "rings": object, "alive": object}).copy()
        partly.iloc[known:] = None
        partly["height"] = partly["height"].astype(float)
    else:
        partly = y.copy()
        partly[known:] = -1
    model = forest(unlabeled_weight=0.5).fit(X, partly)
    assert model.unlabeled_weight_ == 0.5
    assert model.n_classes_[0] == len(np.unique(np.asarray(y)[:known, 0]))
    assert model.score(X, y) > 0.5


def test_a_target_that_is_never_known_is_named():
    y = FRAME.astype({"tree": object})
    y["tree"] = None
    with pytest.raises(ValueError, match="target 'tree': y has no label in any row"):
        forest().fit(X, y)
    y = FRAME.assign(height=np.nan)
    with pytest.raises(ValueError, match="target 'height' of y is not known in any row of positive weight"):
        forest().fit(X, y)


# ---- weights


def test_classes_that_only_weightless_rows_have_are_none():
    weights = (CLASSES[:, 0] != 6).astype(float)
    model = forest().fit(X, CLASSES, sample_weight=weights)
    assert model.classes_[0].tolist() == [3, 4, 5]


def test_class_weights_are_the_product_over_the_targets_as_in_random_forests():
    by_hand = compute_sample_weight("balanced", CLASSES)
    balanced = forest(class_weight="balanced").fit(X, CLASSES)
    alike(balanced, forest().fit(X, CLASSES, sample_weight=by_hand))
    weights = [{3: 2.0, 4: 1.0, 5: 1.0, 6: 3.0}, None, "balanced"]
    by_hand = np.array([weights[0][each] for each in CLASSES[:, 0]])
    by_hand = by_hand * compute_sample_weight("balanced", CLASSES[:, 2])
    alike(forest(class_weight=weights).fit(X, CLASSES), forest().fit(X, CLASSES, sample_weight=by_hand))


@pytest.mark.parametrize(
    ("class_weight", "message"),
    [
        ({3: 1.0}, "must for the 3 targets of y be None"),
        ([{3: 1.0}], "class_weight has 1 entries, and y has 3 targets"),
        (["balanced", "even", None], "'even', which is neither"),
        ("even", "must for the 3 targets"),
    ],
)
def test_other_class_weights_are_refused(class_weight, message):
    with pytest.raises(ValueError, match=message):
        forest(class_weight=class_weight).fit(X, CLASSES)


def test_numbers_have_no_class_weights():
    with pytest.raises(ValueError, match="weights for a target of numbers"):
        forest(class_weight=[None, None, {1: 2.0}, None]).fit(X, FRAME)
    forest(n_estimators=1, class_weight="balanced").fit(X, FRAME)


# ---- scores


def test_the_score_is_the_mean_of_accuracies_and_r2():
    model = forest(max_depth=2).fit(X, FRAME)
    predicted, weights = model.predict(X), RNG.uniform(0.5, 2.0, len(X))
    each = [
        accuracy_score(FRAME[c].astype(str), predicted[:, j].astype(str), sample_weight=weights)
        for j, c in enumerate(FRAME)
        if j != 2
    ]
    each.append(r2_score(HEIGHT, predicted[:, 2].astype(float), sample_weight=weights))
    assert model.score(X, FRAME, weights) == pytest.approx(np.mean(each))
    # In any form that has the columns in order.
    assert model.score(X, FRAME.to_numpy(object), weights) == pytest.approx(np.mean(each))


def test_a_class_that_the_model_does_not_know_is_wrong():
    model = forest(bootstrap=False, min_samples_split=2).fit(X, CLASSES)
    y = CLASSES.copy()
    y[:60, 0] = 99
    assert model.score(X, y) == pytest.approx(1 - 0.5 / 3)


def test_out_of_bag_rows_are_predicted_and_scored():
    model = forest(n_estimators=30, bootstrap=True, oob_score=True).fit(X, FRAME)
    assert [each.shape for each in model.oob_decision_function_] == [(120, 3), (120, 4), (120,), (120, 2)]
    assert 0.5 < model.oob_score_ < model.score(X, FRAME)
    guessed = model.classes_[0][model.oob_decision_function_[0].argmax(axis=1)]
    assert np.mean(guessed == TREES) > 0.7


# ---- going on, and files


def test_added_trees_are_those_of_one_fit():
    at_once = forest(n_estimators=5).fit(X, FRAME)
    grown = forest(n_estimators=2, warm_start=True).fit(X, FRAME)
    grown.set_params(n_estimators=5).fit(X, FRAME)
    assert_array_equal(at_once.predict(X), grown.predict(X))


def test_trees_cannot_be_added_for_other_targets():
    model = forest(n_estimators=1, warm_start=True).fit(X, FRAME).set_params(n_estimators=2)
    with pytest.raises(ValueError, match=r"warm_start=True, but y now is multi-target classification"):
        model.fit(X, CLASSES)
    with pytest.raises(ValueError, match="warm_start=True, but y has the classes"):
        model.fit(X, FRAME.replace({"tree": {"oak": "fir"}}))


def saved(model, **how):
    file = io.BytesIO()
    model.save(file, **how)
    return file


@pytest.mark.parametrize("predict_only", [False, True])
@pytest.mark.parametrize("y", [CLASSES, CLASSES.astype(str), FRAME], ids=["numbers", "text", "mixed"])
def test_model_files_hold_all_of_it(y, predict_only):
    weights = None if isinstance(y, pd.DataFrame) else "balanced"
    how = {"class_weight": weights, "bootstrap": True, "oob_score": True}
    model = forest(**how).fit(X, y)
    again = load_model(io.BytesIO(saved(model, predict_only=predict_only).getvalue()))
    assert_array_equal(again.predict(X), model.predict(X))
    assert again.predict(X).dtype.kind == model.predict(X).dtype.kind
    assert again.n_classes_ == model.n_classes_
    assert getattr(again, "target_names_", None) == getattr(model, "target_names_", None)
    assert hasattr(again, "oob_decision_function_") is not predict_only
    if not predict_only:
        for a, b in zip(again.oob_decision_function_, model.oob_decision_function_, strict=True):
            assert_array_equal(a, b)


FORGED = {
    "no parts": lambda targets: targets.update(parts=[]),
    "one part": lambda targets: targets.update(parts=targets["parts"][:1]),
    "numbers alone": lambda targets: targets.update(parts=[targets["parts"][2]] * 2),
    "no list": lambda targets: targets.update(parts={"kind": "classes"}),
    "parts of parts": lambda targets: targets["parts"].__setitem__(0, {"kind": "several", "parts": []}),
    "labels": lambda targets: targets["parts"][0].update(kind="labels"),
    "two-dimensional": lambda targets: targets["parts"][2].update(one_dimensional=False),
    "more columns": lambda targets: targets["parts"][0].update(classes={"texts": ["a", "b", "c", "d"]}),
    "another field": lambda targets: targets["parts"][0].update(more=1),
}


@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED)
def test_made_up_targets_are_refused(forge):
    contents = container.read(io.BytesIO(saved(forest(n_estimators=1).fit(X, FRAME)).getvalue()), None)
    document = json.loads(json.dumps(contents.document))
    forge(document["targets"])
    file = io.BytesIO()
    container.write(file, document, dict(contents.arrays))
    with pytest.raises(ModelFileError):
        load_model(io.BytesIO(file.getvalue()))


@pytest.mark.parametrize(("column", "value"), [(0, -0.5), (1, 1.5), (4, np.inf), (4, 1e30)])
def test_leaves_that_nobody_could_have_learned_are_refused(column, value):
    model = forest(n_estimators=1).fit(X, FRAME[["alive", "tree", "height"]])
    contents = container.read(io.BytesIO(saved(model).getvalue()), None)
    arrays = {name: np.array(array) for name, array in contents.arrays.items()}
    assert arrays["leaves/values"].shape[1] == 5
    assert (arrays["leaves/values"][:, 4] < -1).any()  # a number may be negative
    arrays["leaves/values"][0, column] = value
    file = io.BytesIO()
    container.write(file, contents.document, arrays)
    with pytest.raises(ModelFileError):
        load_model(io.BytesIO(file.getvalue()))


# ---- what is refused


def test_numbers_that_are_not_whole_are_for_regressors_and_frames():
    with pytest.raises(
        ValueError, match=r"For numbers use a regressor; for numbers beside classes give a data frame"
    ):
        forest().fit(X, X[:, :2])
    with pytest.raises(ValueError, match=r"target 1: y cannot be taken as classes.*a column of floats"):
        forest().fit(X, np.column_stack([TREES.astype(object), HEIGHT]))


@pytest.mark.parametrize("threshold", [0.3, "f1_micro", [0.5, 0.4, 0.3]])
def test_thresholds_are_for_one_target(threshold):
    with pytest.raises(ValueError, match="has no meaning for the 3 targets"):
        forest(threshold=threshold).fit(X, CLASSES)


@pytest.mark.parametrize("how", [{"top_k": 2}, {"sparse": True}])
def test_probabilities_of_several_targets_are_dense(how):
    with pytest.raises(ValueError, match="a list of dense arrays"):
        forest(n_estimators=1).fit(X, CLASSES).predict_proba(X, **how)


# ---- any of it


COLUMNS = {
    "text": lambda rng, n: rng.choice(["a", "b", "c"], n),
    "whole": lambda rng, n: rng.integers(0, 4, n),
    "truth": lambda rng, n: rng.random(n) < 0.5,
    "numbers": lambda rng, n: rng.normal(size=n),
    "partly known": lambda rng, n: np.where(rng.random(n) < 0.3, None, rng.choice(["x", "y", "z"], n)),
    "numbers, partly known": lambda rng, n: np.where(rng.random(n) < 0.3, np.nan, rng.normal(size=n)),
}


@settings(max_examples=15)
@given(
    st.lists(st.sampled_from(list(COLUMNS)), min_size=1, max_size=3),
    st.integers(0, 2**32 - 1),
    st.booleans(),
)
def test_any_columns_are_learned_and_predicted_in_their_types(kinds, seed, tree):
    rng = np.random.default_rng(seed)
    y = pd.DataFrame(
        {f"{j}": COLUMNS[kind](rng, 30) for j, kind in enumerate(kinds)} | {"c": COLUMNS["text"](rng, 30)}
    )
    features = rng.normal(size=(30, 3)).astype(np.float32)
    kind = ObliqueTreeClassifier if tree else ObliqueForestClassifier
    model = kind(random_state=0, **({} if tree else {"n_estimators": 2})).fit(features, y)
    predicted = model.predict(features)
    assert predicted.shape == y.shape
    for j, (name, classes) in enumerate(zip(y, model.classes_, strict=True)):
        if classes is None:
            values = predicted[:, j].astype(float)
            assert (values >= y[name].min()).all()
            assert (values <= y[name].max()).all()
        else:
            assert set(predicted[:, j]) <= set(y[name].dropna())
    again = load_model(io.BytesIO(saved(model).getvalue()))
    assert_array_equal(again.predict(features), predicted)


def test_a_tree_of_several_targets_costs_the_sum_of_their_gini_impurities():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = np.column_stack(
        [np.where(X[:, 0] > 0.3, "a", "b"), np.array(["c", "d", "e"])[rng.integers(0, 3, 60)]]
    )
    path = ObliqueTreeClassifier(random_state=0).cost_complexity_pruning_path(X, y)
    shares = [np.unique(column, return_counts=True)[1] / 60 for column in y.T]
    assert path.impurities[-1] == pytest.approx(sum(1 - (share**2).sum() for share in shares), rel=1e-5)


# ---- frames out


def test_pandas_frames_have_a_column_for_each_target_of_its_own_type():
    table = pd.DataFrame(X, index=np.arange(120) + 7, columns=list("abcde"))
    arrays = forest().fit(table, FRAME)
    frames = forest().fit(table, FRAME).set_output(predict="pandas")
    predicted, expected = frames.predict(table), arrays.predict(table)
    assert list(predicted) == list(FRAME)
    assert [dtype.kind for dtype in predicted.dtypes[1:]] == ["i", "f", "b"]
    assert predicted.index.equals(table.index)
    assert_array_equal(predicted.astype(object).to_numpy(), expected)
    shares = frames.predict_proba(table)
    assert list(shares)[:4] == ["tree=ash", "tree=elm", "tree=oak", "rings=3"]
    known = [share for share in arrays.predict_proba(table) if share is not None]
    assert_array_equal(shares.to_numpy(), np.hstack(known))
    with np.errstate(divide="ignore"):
        assert_array_equal(frames.predict_log_proba(table).to_numpy(), np.log(np.hstack(known)))


def test_polars_frames_have_a_column_for_each_target():
    frames = forest().fit(X, FRAME).set_output(predict="polars")
    assert frames.predict(X).schema == {
        "tree": pl.String,
        "rings": pl.Int64,
        "height": pl.Float64,
        "alive": pl.Boolean,
    }
    assert frames.predict_proba(X).columns[-2:] == ["alive=False", "alive=True"]


def test_the_best_few_of_several_targets_are_refused_with_a_remedy():
    with pytest.raises(ValueError, match="y has 3 targets with classes of their own; sort the array of a"):
        forest().fit(X, CLASSES).predict_top_k(X, 2)


# ---- columns by name


def test_the_score_finds_columns_by_name():
    model = forest().fit(X, FRAME)
    turned = FRAME[["alive", "height", "tree", "rings"]]
    assert model.score(X, turned) == model.score(X, FRAME)
    assert model.score(X, pl.from_pandas(turned)) == model.score(X, FRAME)
    with pytest.raises(ValueError, match="no target of the model"):
        model.score(X, FRAME.rename(columns={"rings": "years"}))


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (forest(), pd.DataFrame({"a": TREES, "b": np.roll(TREES, 1)})),
        (ObliqueForestRegressor(n_estimators=4, random_state=0), FRAME[["rings", "height"]]),
    ],
)
def test_trees_are_not_added_for_columns_in_another_order(model, y):
    model = clone(model).fit(X, y).set_params(warm_start=True, n_estimators=6)
    before = model.predict(X)
    with pytest.raises(ValueError, match="in the same order"):
        model.fit(X, y[y.columns[::-1]])
    assert_array_equal(model.predict(X), before)
    names = model.target_names_
    assert model.fit(X, y.to_numpy()).target_names_ == names  # columns without names are those of before


def test_columns_of_a_frame_out_have_names_of_their_own():
    y = pd.DataFrame({"a": np.where(X[:, 0] > 0, "b=c", "d"), "a=b": np.where(X[:, 1] > 0, "c", "e")})
    model = forest().fit(X, y).set_output(predict="pandas")
    assert model.predict(X).columns.tolist() == ["a", "a=b"]
    with pytest.raises(ValueError, match="two columns of the frame would be called 'a=b=c'"):
        model.predict_proba(X)


def test_rows_of_text_and_numbers_are_told_to_come_as_a_frame():
    with pytest.raises(TypeError, match="give a data frame or an array of objects"):
        forest().fit(X, FRAME[["tree", "rings"]].to_numpy().tolist())


def test_warm_start_refuses_several_targets_after_one():
    model = forest(warm_start=True).fit(X, TREES).set_params(n_estimators=5)
    with pytest.raises(ValueError, match="y now is multi-target classification and was multi-class before"):
        model.fit(X, CLASSES)


def test_callbacks_see_the_names_of_targets():
    class Last(Callback):
        def on_fit_task_end(self, estimator, context, *, fitted_estimator):
            self.frame = fitted_estimator.predict(X)

    last = Last()
    model = forest().set_output(predict="pandas").set_callbacks(last).fit(X, FRAME)
    pd.testing.assert_frame_equal(last.frame, model.predict(X))
