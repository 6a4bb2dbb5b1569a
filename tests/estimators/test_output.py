"""Claims about `set_output`: the same predictions as arrays, with names, for those who ask."""

import pickle
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from slantwood import Hierarchy, ObliqueForestClassifier, ObliqueForestRegressor, load_model

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
TABLE = pd.DataFrame(X, columns=["a", "b", "c"], index=[f"row {i}" for i in range(40)])
Y = (X > 0).astype(int)
NAMES = ["sun", "sea", "hill"]
SETS = [tuple(np.array(NAMES)[row > 0]) for row in Y]
TREE = Hierarchy.from_paths(["z", "z/y", "x"])


def classifier(**parameters):
    return ObliqueForestClassifier(**{"n_estimators": 3, "random_state": 0} | parameters)


def regressor():
    return ObliqueForestRegressor(n_estimators=3, random_state=0)


# How a model is made, and what the columns of `predict` and `predict_proba` are called; None for a series.
CASES = {
    "two classes": (lambda: classifier().fit(TABLE, Y[:, 0] > 0), None, [False, True]),
    "numbered classes": (lambda: classifier().fit(TABLE, Y.sum(axis=1)), None, [0, 1, 2, 3]),
    "named classes": (
        lambda: classifier().fit(TABLE, np.array(["no", "yes", "both"], object)[Y[:, :2].sum(axis=1)]),
        None,
        ["both", "no", "yes"],
    ),
    "labels": (lambda: classifier().fit(TABLE, Y), [0, 1, 2], [0, 1, 2]),
    "named labels": (lambda: classifier().fit(TABLE, pd.DataFrame(Y, columns=NAMES)), NAMES, NAMES),
    "sparse labels": (lambda: classifier().fit(TABLE, sp.csr_array(Y), target_names=NAMES), NAMES, NAMES),
    "label sets": (lambda: classifier().fit(TABLE, SETS), None, sorted(NAMES)),
    "hierarchy": (
        lambda: classifier(hierarchy=TREE).fit(TABLE, TREE.closure(Y)),
        ["z", "z/y", "x"],
        ["z", "z/y", "x"],
    ),
    "number": (lambda: regressor().fit(TABLE, X[:, 0]), None, None),
    "numbers": (lambda: regressor().fit(TABLE, X), ["y0", "y1", "y2"], None),
    "named numbers": (lambda: regressor().fit(TABLE, pd.DataFrame(X, columns=NAMES)), NAMES, None),
}
EVERY_CASE = pytest.mark.parametrize(("make", "columns", "classes"), CASES.values(), ids=CASES.keys())


def spelt_out(values):
    return values.toarray() if sp.issparse(values) else values


@EVERY_CASE
def test_pandas_frames_hold_the_arrays_with_names_and_index(make, columns, classes):
    model = make()
    expected = model.predict(TABLE)
    shares = {name: getattr(model, name)(TABLE) for name in ("predict_proba", "predict_log_proba") if classes}
    assert model.set_output(predict="pandas") is model
    found = model.predict(TABLE)
    assert isinstance(found, pd.Series if columns is None else pd.DataFrame)
    assert found.index.equals(TABLE.index)
    if columns is not None:
        assert list(found.columns) == columns
        np.testing.assert_array_equal(found, spelt_out(expected))
    else:
        assert found.tolist() == list(expected)
    for name, values in shares.items():
        frame = getattr(model, name)(TABLE)
        assert list(frame.columns) == classes
        np.testing.assert_array_equal(frame, values)
    assert model.predict(TABLE.tail(2)).index.equals(TABLE.index[-2:])


@EVERY_CASE
def test_polars_frames_hold_the_arrays_with_names(make, columns, classes):
    model = make()
    expected = model.predict(TABLE)
    shares = model.predict_proba(TABLE) if classes else None
    found = model.set_output(predict="polars").predict(TABLE)
    assert isinstance(found, pl.Series if columns is None else pl.DataFrame)
    if columns is None:
        as_lists = [list(row) for row in expected] if isinstance(expected, list) else expected.tolist()
        assert found.to_list() == as_lists
    else:
        assert found.columns == list(map(str, columns))
        np.testing.assert_array_equal(found.to_numpy(), spelt_out(expected))
    if classes:
        frame = model.predict_proba(TABLE)
        assert frame.columns == list(map(str, classes))
        np.testing.assert_array_equal(frame.to_numpy(), shares)


def test_a_series_is_called_like_its_target():
    y = pd.Series(np.where(Y[:, 0], "wet", "dry"), name="weather")
    model = classifier().fit(X, y)
    assert model.set_output(predict="pandas").predict(X).name == "weather"
    assert model.set_output(predict="polars").predict(X).name == "weather"
    assert regressor().fit(X, X[:, 0]).set_output(predict="pandas").predict(X).name is None


def test_sets_without_any_label_are_lists_of_their_type():
    numbers = classifier(threshold=1.0).fit(X, [set(np.flatnonzero(row).tolist()) for row in Y])
    assert numbers.set_output(predict="polars").predict(X).dtype == pl.List(pl.Int64)
    texts = classifier(threshold=1.0).fit(X, SETS).set_output(predict="polars").predict(X)
    assert texts.dtype == pl.List(pl.String)
    assert texts.to_list() == [[]] * 40


def test_sparse_results_that_were_asked_for_stay_sparse():
    model = CASES["sparse labels"][0]().set_output(predict="pandas")
    assert sp.issparse(model.predict_proba(TABLE, sparse=True))
    assert sp.issparse(model.predict_proba(TABLE, top_k=1))
    assert model.predict(TABLE).dtypes.map(str).str.startswith("Sparse").all()


def test_the_choice_is_pickled_but_neither_cloned_nor_saved(tmp_path):
    model = CASES["named labels"][0]().set_output(predict="polars")
    assert isinstance(pickle.loads(pickle.dumps(model)).predict(TABLE), pl.DataFrame)
    assert isinstance(clone(model).fit(X, Y).predict(X), np.ndarray)
    model.save(tmp_path / "m.slant")
    assert isinstance(load_model(tmp_path / "m.slant").predict(TABLE), np.ndarray)
    assert isinstance(model.fit(X, Y).predict(X), pl.DataFrame)  # another fit keeps it
    assert isinstance(model.set_output(predict="default").predict(X), np.ndarray)


def test_scores_and_meta_estimators_see_arrays():
    for case in ("two classes", "named labels", "label sets", "numbers"):
        model = CASES[case][0]()
        y = {"two classes": Y[:, 0] > 0, "label sets": SETS, "numbers": X}.get(case, Y)
        before = model.score(TABLE, y)
        assert model.set_output(predict="polars").score(TABLE, y) == before
    asked = classifier().set_output(predict="pandas")
    search = GridSearchCV(asked, {"max_depth": [1, 2]}, cv=2, scoring="roc_auc").fit(TABLE, Y[:, 0])
    assert isinstance(search.predict_proba(TABLE), np.ndarray)
    assert len(cross_val_score(asked, TABLE, Y, cv=2)) == 2


def test_a_pipeline_gives_frames_where_its_last_step_was_asked_for_them():
    pipeline = make_pipeline(StandardScaler(), classifier().set_output(predict="pandas"))
    pipeline.set_output(transform="pandas").fit(TABLE, pd.DataFrame(Y, columns=NAMES))
    shares = pipeline.predict_proba(TABLE)
    assert list(shares.columns) == NAMES
    assert shares.index.equals(TABLE.index)


def test_only_predictions_have_an_output():
    model = classifier().set_output(transform="pandas").fit(TABLE, Y[:, 0])
    assert isinstance(model.predict(TABLE), np.ndarray)
    with pytest.raises(ValueError, match="predict='arrow' must be one of 'default', 'pandas', 'polars'"):
        model.set_output(predict="arrow")


def test_a_library_that_is_missing_is_named_before_anything_is_predicted(monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError, match="need polars; install it with: pip install polars"):
        classifier().set_output(predict="polars")
