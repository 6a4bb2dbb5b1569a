"""Claims about names of labels and targets: those of a frame are taken, and shown wherever positions were."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.exceptions import DataConversionWarning

from slantwood import (
    Hierarchy,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
    load_model,
)
from slantwood.estimators.names import output_names
from slantwood.export import export_text
from slantwood.model import container

X = np.random.default_rng(0).normal(size=(50, 3))
NAMES = ("sun", "sea", "hill")
Y = (X > 0.2).astype(int)
NUMBERS = X @ [[1.0, 0.0, 2.0], [0.0, 1.0, 1.0], [1.0, 1.0, 0.0]]

FRAMES = {
    "pandas": lambda Y, names=NAMES: pd.DataFrame(Y, columns=list(names)),
    "polars": lambda Y, names=NAMES: pl.DataFrame(Y, schema=list(names)),
    "arrow": lambda Y, names=NAMES: pa.table(dict(zip(names, np.asarray(Y).T, strict=True))),
}
EVERY_FRAME = pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES.keys())


def forest(**parameters):
    return ObliqueForestClassifier(**{"n_estimators": 3, "random_state": 0} | parameters)


def again(model, folder):
    model.save(folder / "m.slant")
    return load_model(folder / "m.slant")


@EVERY_FRAME
def test_columns_of_a_frame_name_the_labels_and_change_nothing_else(frame, tmp_path):
    named, plain = forest().fit(X, frame(Y)), forest().fit(X, Y)
    for model in (named, again(named, tmp_path), pickle.loads(pickle.dumps(named))):
        assert model.classes_.dtype == object
        assert tuple(model.classes_) == model.target_names_ == NAMES
        np.testing.assert_array_equal(model.predict_proba(X), plain.predict_proba(X))
        np.testing.assert_array_equal(model.predict(X), plain.predict(X))
    assert plain.classes_.tolist() == [0, 1, 2]
    assert not hasattr(plain, "target_names_")


@EVERY_FRAME
def test_columns_of_a_frame_name_numbers(frame, tmp_path):
    model = ObliqueTreeRegressor(random_state=0).fit(X, frame(NUMBERS))
    assert model.target_names_ == again(model, tmp_path).target_names_ == NAMES
    assert "sun = " in export_text(model)


@pytest.mark.parametrize(
    "series",
    [lambda y: pd.Series(y, name="width"), lambda y: pl.Series("width", y)],
    ids=["pandas", "polars"],
)
def test_a_series_names_its_target(series):
    assert ObliqueTreeRegressor(random_state=0).fit(X, series(X[:, 0])).target_names_ == ("width",)
    assert ObliqueTreeClassifier(random_state=0).fit(X, series(Y[:, 0])).target_names_ == ("width",)


def test_names_that_are_no_text_or_no_names_are_none():
    for y in (
        pd.DataFrame(Y),
        pd.DataFrame(Y, columns=["a", "b", 7]),
        pa.table(list(Y.T), names=["a", "", "b"]),
    ):
        model = forest().fit(X, y)
        assert model.classes_.tolist() == [0, 1, 2]
        assert not hasattr(model, "target_names_")
    for y in (pd.Series(Y[:, 0]), pl.Series(Y[:, 0]), pd.Series(Y[:, 0], name=7)):
        assert not hasattr(forest().fit(X, y), "target_names_")


def test_a_frame_of_one_column_holds_classes_and_names_them():
    with pytest.warns(DataConversionWarning):
        model = forest().fit(X, pd.DataFrame({"fair": Y[:, 0]}))
    assert (model.classes_.tolist(), model.target_names_) == ([0, 1], ("fair",))


def test_names_that_fit_is_given_go_before_those_of_a_frame_and_are_classes_too():
    for y in (Y, sp.csr_array(Y), FRAMES["pandas"](Y, "abc")):
        model = forest().fit(X, y, target_names=NAMES)
        assert tuple(model.classes_) == model.target_names_ == NAMES
    assert forest().fit(X, Y, target_names=()).classes_.tolist() == [0, 1, 2]


@pytest.mark.parametrize("kind", [ObliqueForestClassifier, ObliqueForestRegressor])
def test_a_name_that_occurs_twice_is_refused(kind):
    model = kind(n_estimators=2, random_state=0)
    with pytest.raises(ValueError, match="target_names has 'sun' more than once"):
        model.fit(X, Y, target_names=["sun", "sea", "sun"])
    twice = pd.DataFrame(Y, columns=["sun", "sea", "sun"])
    with pytest.raises(ValueError, match="y has more than one column 'sun'"):
        model.fit(X, twice)


def test_names_do_not_outlive_their_fit():
    model = forest().fit(X, FRAMES["pandas"](Y))
    model.fit(X, Y)
    assert model.classes_.tolist() == [0, 1, 2]
    assert not hasattr(model, "target_names_")


@EVERY_FRAME
def test_columns_are_scored_by_name_in_any_order(frame):
    order = [2, 0, 1]
    shuffled = [NAMES[j] for j in order]
    labels = forest().fit(X, frame(Y))
    assert labels.score(X, frame(Y[:, order], shuffled)) == labels.score(X, Y)
    assert labels.score(X, frame(Y[:, order], "abc")) == labels.score(X, Y[:, order]) < labels.score(X, Y)
    numbers = ObliqueForestRegressor(n_estimators=3, random_state=0).fit(X, frame(NUMBERS))
    assert numbers.score(X, frame(NUMBERS[:, order], shuffled)) == numbers.score(X, NUMBERS)
    for model, y in ((labels, Y), (numbers, NUMBERS)):
        with pytest.raises(ValueError, match=r"y has the column 'wood', which is no \w+ of the model"):
            model.score(X, frame(y, ["sun", "sea", "wood"]))


def test_weights_of_labels_go_by_name():
    by_name = forest(class_weight={"sea": 5.0}).fit(X, FRAMES["pandas"](Y))
    by_place = forest(class_weight=[1.0, 5.0, 1.0]).fit(X, Y)
    np.testing.assert_array_equal(by_name.predict_proba(X), by_place.predict_proba(X))
    with pytest.raises(ValueError, match=r"weight for 'see', .* did you mean 'sea'"):
        forest(class_weight={"see": 5.0}).fit(X, FRAMES["pandas"](Y))


def test_texts_and_errors_call_labels_and_targets_by_name():
    tree = ObliqueTreeClassifier(random_state=0).fit(X, FRAMES["polars"](Y))
    assert "sea (1.00)" in export_text(tree)
    assert "y1 (" in export_text(ObliqueTreeClassifier(random_state=0).fit(X, Y))
    gone = pd.DataFrame(Y, columns=list(NAMES), dtype=float).assign(sea=np.nan)
    with pytest.raises(ValueError, match="label 'sea' of y is missing"):
        forest().fit(X, gone)
    with pytest.raises(ValueError, match="target 'sea' of y is missing"):
        ObliqueTreeRegressor().fit(X, gone)


def test_more_trees_are_added_under_the_same_names_only():
    model = forest(warm_start=True).fit(X, FRAMES["pandas"](Y))
    model.set_params(n_estimators=4).fit(X, Y)
    assert tuple(model.classes_) == model.target_names_ == NAMES
    with pytest.raises(ValueError, match="labels of y now are 'a', 'b', 'c' and were 'sun', 'sea', 'hill'"):
        model.set_params(n_estimators=5).fit(X, FRAMES["pandas"](Y, "abc"))


def test_files_from_before_labels_had_names_call_them_by_the_names_of_their_columns(tmp_path):
    forest(class_weight={0: 2.0}).fit(X, Y).save(tmp_path / "m.slant")
    contents = container.read(tmp_path / "m.slant")
    del contents.document["targets"]["names"], contents.document["targets"]["as_sets"]
    contents.document["fitted"]["target_names_"] = {"tuple": list(NAMES)}
    container.write(tmp_path / "old.slant", contents.document, contents.arrays)
    model = load_model(tmp_path / "old.slant")
    assert (model.classes_.tolist(), model.target_names_) == ([0, 1, 2], NAMES)
    assert output_names(model) == NAMES
    assert again(model, tmp_path).target_names_ == NAMES


def test_labels_of_a_hierarchy_keep_their_own_order_and_names():
    tree = Hierarchy.from_paths(["a", "a/b", "c"])
    indicator = tree.closure(Y)
    frame = pd.DataFrame(indicator, columns=tree.nodes)[["c", "a/b", "a"]]
    model = forest(hierarchy=tree).fit(X, frame)
    assert tuple(model.classes_) == tree.nodes
    assert not hasattr(model, "target_names_")
    np.testing.assert_array_equal(
        model.predict_proba(X), forest(hierarchy=tree).fit(X, indicator).predict_proba(X)
    )
