"""Claims about label sets without a hierarchy: an indicator matrix by another name, and given back."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.model_selection import KFold, cross_val_score
from sklearn.preprocessing import MultiLabelBinarizer

from slantwood import (
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    load_model,
)
from slantwood.model_selection import LabelStratifiedKFold

RNG = np.random.default_rng(1)
X = RNG.normal(size=(80, 4))
Y = (X > [0.0, 0.3, 0.6, 0.9]).astype(int)
TAGS = np.array(["hill", "sea", "sun", "wood"], object)  # in order
SETS = [tuple(TAGS[row > 0]) for row in Y]
SOME = RNG.random(80) < 0.3


def forest(**parameters):
    return ObliqueForestClassifier(**{"n_estimators": 3, "random_state": 0} | parameters)


def objects(rows):
    array = np.empty(len(rows), object)
    array[:] = rows
    return array


FORMS = {
    "tuples": list,
    "sets": lambda rows: [None if row is None else set(row) for row in rows],
    "lists in any order": lambda rows: [None if row is None else [*row[::-1], *row] for row in rows],
    "arrays": lambda rows: [None if row is None else np.array(row, str) for row in rows],
    "array of objects": objects,
    "pandas": lambda rows: pd.Series([row if row is None else list(row) for row in rows], index=range(7, 87)),
    "polars": lambda rows: pl.Series([row if row is None else list(row) for row in rows]),
    "arrow": lambda rows: pa.array([row if row is None else list(row) for row in rows]),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
@pytest.mark.parametrize("kind", [ObliqueForestClassifier, ObliqueTreeClassifier])
def test_sets_in_any_form_grow_the_trees_of_their_indicator_matrix(form, kind):
    parameters = {"random_state": 0} | ({"n_estimators": 3} if kind is ObliqueForestClassifier else {})
    of_sets, of_matrix = kind(**parameters).fit(X, form(SETS)), kind(**parameters).fit(X, Y)
    np.testing.assert_array_equal(of_sets.trees_.weights, of_matrix.trees_.weights)
    np.testing.assert_array_equal(of_sets.predict_proba(X), of_matrix.predict_proba(X))
    assert of_sets.classes_.tolist() == TAGS.tolist()
    binarizer = MultiLabelBinarizer(classes=of_sets.classes_).fit([])
    assert of_sets.predict(X) == binarizer.inverse_transform(of_matrix.predict(X))
    assert of_sets.score(X, form(SETS)) == of_sets.score(X, Y) == of_matrix.score(X, Y)


def test_sets_of_numbers_give_sets_of_numbers():
    numbers = [{10 * int(j) for j in np.flatnonzero(row)} for row in Y]
    model = forest().fit(X, numbers)
    assert model.classes_.dtype == np.int64
    assert model.classes_.tolist() == [0, 10, 20, 30]
    predicted = model.predict(X)
    assert {type(label) for row in predicted for label in row} == {int}
    assert model.score(X, numbers) == model.score(X, Y)
    one_each = [(10,), (20,)] * 40  # of one length, but the model knows that these are labels
    assert model.score(X, one_each) == model.score(X, [set(row) for row in one_each])


@pytest.mark.parametrize(("form", "weight"), [*((form, None) for form in FORMS), ("tuples", 0.5)])
def test_rows_of_none_are_rows_without_known_labels(form, weight):
    partly = [None if some else row for row, some in zip(SETS, SOME, strict=True)]
    gaps = np.where(SOME[:, None], np.nan, Y)
    model = forest(unlabeled_weight=weight).fit(X, FORMS[form](partly))
    expected = forest(unlabeled_weight=weight).fit(X, gaps)
    np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(X))
    with pytest.raises(ValueError, match="labels that are not known"):
        model.score(X, partly)


@pytest.mark.parametrize(
    "parameters",
    [
        {"class_weight": "balanced"},
        {"class_weight": {"sea": 3.0, "sun": 0.5}},
        {"threshold": "f1_macro", "n_estimators": 9},
        {"oob_score": True, "bootstrap": True, "n_estimators": 20},
        {"split": "ndcg"},
    ],
    ids=str,
)
def test_parameters_mean_what_they_mean_for_a_matrix(parameters):
    of_sets = forest(**parameters).fit(X, SETS)
    of_matrix = forest(**parameters).fit(X, pd.DataFrame(Y, columns=TAGS))
    np.testing.assert_array_equal(of_sets.predict_proba(X), of_matrix.predict_proba(X))
    assert of_sets.predict(X) == [tuple(TAGS[row > 0]) for row in of_matrix.predict(X)]
    for name in ("oob_score_", "thresholds_"):
        np.testing.assert_array_equal(getattr(of_sets, name, 0), getattr(of_matrix, name, 0))


def test_more_trees_may_see_fewer_labels_but_no_others():
    model = forest(warm_start=True).fit(X, SETS)
    without_wood = [tuple(tag for tag in row if tag != "wood") for row in SETS]
    model.set_params(n_estimators=5).fit(X, without_wood)
    assert model.classes_.tolist() == TAGS.tolist()
    assert model.trees_.n_trees == 5
    with pytest.raises(ValueError, match="row 3 of y has a label that is none of the 4 before"):
        model.set_params(n_estimators=6).fit(X, [*SETS[:3], ("moon",), *SETS[4:]])
    model.fit(X, pd.DataFrame(Y, columns=TAGS))  # from here on in another form
    assert model.predict(X).shape == Y.shape


def test_a_set_with_a_label_that_was_never_seen_is_wrong_and_nothing_else():
    model = forest(n_estimators=10).fit(X, SETS)
    truth = model.predict(X)
    assert model.score(X, truth) == 1.0
    truth[4] = (*truth[4], "moon")
    assert model.score(X, truth) == 1.0 - 1 / 80
    assert model.score(X, truth, sample_weight=np.arange(80) != 4) == 1.0


def test_sets_survive_files_and_pickles(tmp_path):
    model = forest().fit(X, pd.Series(SETS, name="tags"))
    model.save(tmp_path / "m.slant")
    for each in (load_model(tmp_path / "m.slant"), pickle.loads(pickle.dumps(model))):
        assert each.predict(X) == model.predict(X)
        assert each.classes_.tolist() == TAGS.tolist()
        assert each.target_names_ == ("tags",)
        assert each.score(X, SETS) == model.score(X, SETS)


def test_thousands_of_labels_are_never_spelt_out(monkeypatch):
    many = [{f"label {label:05}" for label in RNG.integers(0, 20_000, 3)} for _ in range(1000)]
    features = RNG.normal(size=(1000, 3))
    binarizer = MultiLabelBinarizer(sparse_output=True)
    expected = forest(min_samples_split=2, bootstrap=True).fit(features, binarizer.fit_transform(many))
    monkeypatch.setattr("slantwood.ensemble.prediction.Predictor._dense_mean", None)
    model = forest(min_samples_split=2, bootstrap=True).fit(features, many)
    assert model.targets_.is_sparse
    np.testing.assert_array_equal(model.trees_.weights, expected.trees_.weights)
    assert model.classes_.tolist() == binarizer.classes_.tolist()
    assert model.predict(features) == binarizer.inverse_transform(expected.predict(features))
    assert 0 < model.score(features, many) < 1
    assert model.score(features, many) == expected.score(features, binarizer.transform(many))


def test_rows_are_shared_out_and_scored_by_scikit_learn():
    for folds in (KFold(3), LabelStratifiedKFold(3)):
        assert (
            cross_val_score(forest(), X, SETS, cv=folds).tolist()
            == cross_val_score(forest(), X, Y, cv=folds).tolist()
        )


WRONG = {
    "no label": ([()] * 80, ValueError, "no label in any row"),
    "nothing known": ([None] * 79 + [()], ValueError, "no label in any row"),
    "both kinds": (
        [("a",), (1, 2)] * 40,
        TypeError,
        "text and whole numbers, as 'a' and 1; give all as text",
    ),
    "fraction": ([("a",), (0.5, "b")] * 40, TypeError, "row 1 of y has the label 0.5 "),
    "missing label": ([("a", None), ("b",)] * 40, TypeError, "row 0 of y has the label None "),
    "truth value": ([{True}, {3}] * 40, TypeError, r"row 0 of y has the label True \(bool\)"),
    "list in a list": ([["a"], [["b"]], []] * 26 + [[], []], TypeError, r"row 1 of y has the label \['b'\]"),
    "class among sets": (
        [("a",), "b"] * 40,
        ValueError,
        "row 1 of y is 'b', while other rows are collections",
    ),
    "too few": (SETS[:-1], ValueError, "X has 80, y has 79"),
}


@pytest.mark.parametrize(("y", "error", "message"), WRONG.values(), ids=WRONG.keys())
def test_sets_that_cannot_be_meant_are_refused_by_row_and_the_earlier_model_stays(y, error, message):
    model = forest().fit(X, SETS)
    before = model.forest_
    with pytest.raises(error, match=message):
        model.fit(X, y)
    assert model.forest_ is before


def test_labels_of_another_kind_and_other_shapes_are_refused_in_scoring():
    model = forest().fit(X, SETS)
    with pytest.raises(TypeError, match="y has labels such as 3, and the model such as 'hill'"):
        model.score(X, [{3}] * 80)
    with pytest.raises(ValueError, match=r"y has shape \(80, 3\), and 4 labels are predicted"):
        model.score(X, Y[:, :3])
    with pytest.raises(ValueError, match=r"y has shape \(80,\)"):
        model.score(X, Y[:, 0])


def test_labels_too_large_for_64_bits_are_refused_by_name():
    with pytest.raises(ValueError, match="label 100000000000000000000, which 64 bits do not hold"):
        ObliqueForestClassifier(n_estimators=2).fit([[0.0], [1.0]], [{10**20}, {3}])


def test_what_does_not_take_label_sets_says_so():
    sets = [(), ("sea",), ("sea", "sun")] * 4
    X = [[0.0], [1.0], [2.0]] * 4
    with pytest.raises(ValueError, match="rows of different lengths"):
        ObliqueForestRegressor(n_estimators=2).fit(X, sets)


def test_a_frame_of_label_sets_is_told_to_come_as_its_column():
    sets = pd.DataFrame({"tags": SETS, "kind": np.where(X[:, 0] > 0, "a", "b")})
    for columns in (["tags"], ["tags", "kind"]):
        with (
            warnings.catch_warnings(action="ignore"),
            pytest.raises(ValueError, match="give the column itself"),
        ):
            ObliqueForestClassifier(n_estimators=2).fit(X, sets[columns])
