"""Data frames of pandas, polars and Arrow go in as they are; their nominal columns are encoded inside."""

import datetime
import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from slantwood import (
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
)

# Few trees on purpose: rows that all of them saw, which a warning tells of, are no concern of these claims.
pytestmark = [
    pytest.mark.filterwarnings("ignore:oob_score=True.*no out-of-bag prediction:UserWarning"),
    pytest.mark.sampled,
]

CONTAINERS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "Arrow": pa.table}
SPLITS = ["gradient", "svm"]
ESTIMATORS = [
    (ObliqueForestClassifier, "binary"),
    (ObliqueForestClassifier, "multi-class"),
    (ObliqueForestClassifier, "multi-label"),
    (ObliqueTreeClassifier, "multi-class"),
    (ObliqueForestRegressor, "regression"),
    (ObliqueForestRegressor, "multi-target"),
    (ObliqueTreeRegressor, "regression"),
]
EFFECT = {"red": 3.0, "green": -2.0, "blue": 0.0, "grey": 1.0, None: 0.5}


def table(n=100, seed=0):
    """Columns as lists, None where a cell is missing; and an effect that age, colour and member have."""
    rng = np.random.default_rng(seed)
    colours = list(EFFECT)
    columns = {
        "colour": [colours[code] for code in rng.integers(0, 5, n)],
        "age": [
            None if gap else value for gap, value in zip(rng.random(n) < 0.1, rng.normal(size=n), strict=True)
        ],
        "member": [(None, False, True, True)[code] for code in rng.integers(0, 4, n)],
        "visits": rng.integers(0, 9, n).tolist(),
        "town": [("here", "there")[code] for code in rng.integers(0, 2, n)],
    }
    effect = np.array([EFFECT[colour] for colour in columns["colour"]])
    effect += [age or 0.0 for age in columns["age"]]
    effect += [2.0 * (member is True) for member in columns["member"]]
    return columns, effect


def by_hand(columns):
    """Encode a table of all its categories as the documentation says: numbers, then indicators."""

    def number(cells):
        return [np.nan if cell is None else float(cell) for cell in cells]

    def indicator(cells, category):
        return [np.nan if cell is None else float(cell == category) for cell in cells]

    numbers = [number(columns[name]) for name in ("age", "member", "visits")]
    colours = [indicator(columns["colour"], colour) for colour in ("blue", "green", "grey", "red")]
    return np.array([*numbers, *colours, indicator(columns["town"], "there")]).T


def targets(effect, task):
    return {
        "binary": (effect > 1).astype(int),
        "multi-class": np.digitize(effect, [-0.5, 2.0]),
        "multi-label": np.column_stack([effect > 0, effect > 2, effect < -1]).astype(int),
        "regression": effect,
        "multi-target": np.column_stack([effect, np.abs(effect)]),
    }[task]


def small(kind, **parameters):
    if kind in (ObliqueForestClassifier, ObliqueForestRegressor):
        parameters = {"n_estimators": 4, **parameters}
    return kind(**{"random_state": 0, **parameters})


def scores(model, X):
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)


# ---- what holds the table does not matter


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize(("kind", "task"), ESTIMATORS)
def test_every_library_gives_the_model_of_a_table_encoded_by_hand(kind, task, split):
    columns, effect = table()
    later, _ = table(40, seed=1)
    y = targets(effect, task)
    expected = scores(small(kind, split=split).fit(by_hand(columns), y), by_hand(later))
    assert np.ptp(expected[..., 0] if expected.ndim > 1 else expected) > 0
    for make in CONTAINERS.values():
        model = small(kind, split=split).fit(make(columns), y)
        for container in CONTAINERS.values():
            np.testing.assert_array_equal(scores(model, container(later)), expected)


@pytest.mark.parametrize("missing_indicators", [False, True])
def test_a_frame_of_numbers_gives_the_model_of_an_array(missing_indicators):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    X[rng.random(X.shape) < 0.1] = np.nan
    y = (np.nan_to_num(X[:, 0]) > 0).astype(int)
    expected = small(ObliqueForestClassifier, missing_indicators=missing_indicators).fit(X, y)
    nulls = {name: [None if np.isnan(v) else v for v in X[:, j]] for j, name in enumerate("abcd")}
    frames = {
        "pandas": pd.DataFrame(X, columns=list("abcd")),
        "Float64": pd.DataFrame(X, columns=list("abcd")).astype("Float64"),
        "pandas by Arrow": pd.DataFrame(X, columns=list("abcd")).astype("double[pyarrow]"),
        "polars": pl.DataFrame(nulls),
        "Arrow": pa.table(nulls),
        "objects": pd.DataFrame(nulls, dtype=object),
    }
    for frame in frames.values():
        model = small(ObliqueForestClassifier, missing_indicators=missing_indicators).fit(frame, y)
        np.testing.assert_array_equal(scores(model, frame), scores(expected, X))
        np.testing.assert_array_equal(model.feature_importances_, expected.feature_importances_)


@pytest.mark.parametrize("as_type", ["object", "category", "str", "string", "string[pyarrow]"])
def test_every_type_of_text_gives_the_same_model(as_type):
    if not pd.Series([None]).astype(as_type).isna().all():
        pytest.skip("pandas below 3 makes a text of what is missing")
    columns, effect = table()
    expected = small(ObliqueForestRegressor).fit(by_hand(columns), effect).predict(by_hand(columns))
    frame = pd.DataFrame(columns).astype({"colour": as_type, "town": as_type})
    np.testing.assert_array_equal(small(ObliqueForestRegressor).fit(frame, effect).predict(frame), expected)


@pytest.mark.parametrize("container", CONTAINERS)
def test_rows_are_predicted_alike_alone_and_together(container):
    columns, effect = table()
    later, _ = table(12, seed=3)
    make = CONTAINERS[container]
    model = small(ObliqueForestRegressor).fit(make(columns), effect)
    together = model.predict(make(later))
    for row in range(12):
        # Alone, a missing cell makes a column without any type.
        alone = make({name: [cells[row]] for name, cells in later.items()})
        assert model.predict(alone) == together[row]


def test_the_index_of_a_frame_means_nothing():
    columns, effect = table()
    frame, y = pd.DataFrame(columns), pd.Series(effect)
    expected = small(ObliqueForestRegressor).fit(frame, y, sample_weight=pd.Series(np.arange(100) % 3 + 1.0))
    shuffled = np.random.default_rng(0).permutation(100)
    frame.index, y.index = shuffled, shuffled[::-1]
    found = small(ObliqueForestRegressor).fit(frame, y, sample_weight=pd.Series(np.arange(100) % 3 + 1.0))
    np.testing.assert_array_equal(found.predict(frame), expected.predict(frame))


def test_the_order_in_which_a_type_lists_categories_means_nothing():
    columns, effect = table()
    frame = pd.DataFrame(columns)
    one, other = (
        frame.assign(colour=pd.Categorical(frame["colour"], categories=categories))
        for categories in (["red", "green", "blue", "grey"], ["unused", "grey", "blue", "red", "green"])
    )
    model = small(ObliqueForestRegressor).fit(one, effect)
    np.testing.assert_array_equal(model.predict(one), model.predict(other))
    np.testing.assert_array_equal(
        small(ObliqueForestRegressor).fit(other, effect).predict(one), model.predict(one)
    )


@pytest.mark.parametrize("container", CONTAINERS)
def test_the_users_frame_is_left_as_it_is(container):
    columns, effect = table()
    frame, twin = (CONTAINERS[container](columns) for _ in range(2))
    small(ObliqueForestRegressor, missing_indicators=True).fit(frame, effect).predict(frame)
    same = frame.equals(twin)
    assert same


def test_threads_do_not_change_the_model_of_a_frame():
    columns, effect = table()
    frame = pd.DataFrame(columns)
    one, two = (small(ObliqueForestRegressor, n_jobs=n_jobs).fit(frame, effect) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.predict(frame), two.predict(frame))
    np.testing.assert_array_equal(one.feature_importances_, two.feature_importances_)


# ---- what a model says of the table


@pytest.mark.parametrize("container", CONTAINERS)
def test_features_are_the_columns_of_the_table_and_splits_combine_their_values(container):
    columns, effect = table()
    model = small(ObliqueForestRegressor, missing_indicators=True).fit(CONTAINERS[container](columns), effect)
    assert model.feature_names_in_.tolist() == ["colour", "age", "member", "visits", "town"]
    assert model.n_features_in_ == 5
    assert model.split_feature_names_.tolist() == [
        *("age", "member", "visits"),
        *("colour=blue", "colour=green", "colour=grey", "colour=red", "town=there"),
        *("colour is missing", "age is missing", "member is missing"),
    ]
    assert model.feature_importances_.shape == (5,)
    np.testing.assert_allclose(model.feature_importances_.sum(), 1.0)
    assert (model.feature_importances_ >= 0).all()


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("container", CONTAINERS)
def test_a_planted_effect_of_a_nominal_column_is_found(container, split):
    columns, effect = table(400)
    later, later_effect = table(200, seed=1)
    make = CONTAINERS[container]
    model = small(ObliqueForestRegressor, n_estimators=10, split=split).fit(make(columns), effect)
    assert model.score(make(later), later_effect) > 0.75
    importance = dict(zip(model.feature_names_in_, model.feature_importances_, strict=True))
    assert importance["colour"] > 1.5 * max(importance["visits"], importance["town"])
    del columns["colour"], later["colour"]
    without = small(ObliqueForestRegressor, n_estimators=10, split=split).fit(make(columns), effect)
    assert without.score(make(later), later_effect) < 0.5


def test_a_column_of_a_hundred_categories_is_found():
    rng = np.random.default_rng(0)
    code = rng.integers(0, 100, 3000)
    good = rng.random(100) < 0.5
    frame = pd.DataFrame({"shop": np.char.add("shop ", code.astype(str)), "noise": rng.normal(size=3000)})
    model = small(ObliqueForestClassifier).fit(frame[:2000], good[code[:2000]])
    assert model.score(frame[2000:], good[code[2000:]]) > 0.95
    assert model.feature_importances_.argmax() == 0


@pytest.mark.parametrize("container", CONTAINERS)
def test_a_category_that_training_did_not_see_is_as_good_as_missing(container):
    columns, effect = table()
    make = CONTAINERS[container]
    model = small(ObliqueForestRegressor).fit(make(columns), effect)
    unseen, missing = ({**columns, "colour": [value] * 100} for value in ("violet", None))
    np.testing.assert_array_equal(model.predict(make(unseen)), model.predict(make(missing)))


# ---- which columns are nominal


@pytest.mark.parametrize(
    "listed",
    [
        ["visits"],
        ("visits", "colour"),
        [3],
        np.array([3]),
        [False, False, False, True, False],
        pd.Index(["visits"]),
    ],
    ids=repr,
)
def test_numbers_are_nominal_if_listed_by_name_position_or_mask(listed):
    columns, effect = table()
    frame = pd.DataFrame(columns)
    as_text = frame.assign(visits=frame["visits"].astype(str))
    model = small(ObliqueForestRegressor, categorical_features=listed).fit(frame, effect)
    assert [f"visits={k}" in model.split_feature_names_ for k in range(9)] == [True] * 9
    np.testing.assert_array_equal(
        model.predict(frame), small(ObliqueForestRegressor).fit(as_text, effect).predict(as_text)
    )


@pytest.mark.parametrize("as_type", [object, np.float64])
def test_columns_of_an_array_are_nominal_if_listed(as_type):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 5, (300, 2)).astype(as_type)
    y = np.array([0.0, 4.0, 1.0, 5.0, 2.0])[codes[:, 1].astype(int)]
    model = small(ObliqueForestRegressor, categorical_features=[1]).fit(codes[:200], y[:200])
    assert model.n_features_in_ == 2
    assert model.split_feature_names_.tolist() == ["x0", "x1=0", "x1=1", "x1=2", "x1=3", "x1=4"]
    assert model.score(codes[200:], y[200:]) > 0.99
    np.testing.assert_array_equal(model.predict(codes.tolist()), model.predict(codes))


def test_a_list_of_rows_keeps_its_numbers_beside_text():
    rows = [[1.5, "a"], [2.5, "b"], [0.5, "c"]] * 10
    model = small(ObliqueForestClassifier, categorical_features=[1]).fit(rows, [0, 1, 1] * 10)
    assert model.split_feature_names_.tolist() == ["x0", "x1=a", "x1=b", "x1=c"]


# ---- fitting again, failing, copying


def test_a_second_fit_leaves_no_trace_of_the_first():
    columns, effect = table()
    frame = pd.DataFrame(columns)
    X = np.random.default_rng(0).normal(size=(100, 3))
    labels = targets(effect, "multi-label")
    model = small(ObliqueForestClassifier, threshold="f1_macro", oob_score=True)
    model.fit(frame, np.where(np.arange(100)[:, None] < 50, labels, np.nan))
    model.set_params(threshold=0.5, oob_score=False).fit(X, labels[:, 0])
    once = small(ObliqueForestClassifier).fit(X, labels[:, 0])
    assert set(vars(model)) == set(vars(once))
    assert model.n_features_in_ == 3
    assert model.unlabeled_weight_ == 0.0
    np.testing.assert_array_equal(scores(model, X), scores(once, X))


@pytest.mark.parametrize(
    "bad_fit",
    [
        lambda model, X, y: model.fit(X[["age"]], y[:-1]),
        lambda model, X, y: model.fit(X.rename(columns={"age": "years"}), np.full(len(y), np.nan)),
        lambda model, X, y: model.fit(X[["age", "visits"]].to_numpy(), y, sample_weight=-np.ones(len(y))),
        lambda model, X, y: model.fit(X.assign(age=np.inf), y),
        lambda model, X, y: model.fit(X[["age", "member"]].assign(when=datetime.datetime(2020, 1, 1)), y),
        lambda model, X, y: model.fit(X[["age"]], y, clustering="nothing"),
    ],
    ids=["length", "no label", "weights", "infinity", "datetime", "clustering"],
)
@pytest.mark.parametrize("kind", [ObliqueForestClassifier, ObliqueForestRegressor])
def test_a_fit_that_fails_leaves_the_earlier_model_as_it_was(kind, bad_fit):
    columns, effect = table()
    frame, y = pd.DataFrame(columns), targets(effect, "binary").astype(float)
    model = small(kind).fit(frame, y)
    before = scores(model, frame)
    with pytest.raises((TypeError, ValueError)):
        bad_fit(model, frame, y)
    assert model.feature_names_in_.tolist() == list(frame.columns)
    assert model.n_features_in_ == 5
    np.testing.assert_array_equal(scores(model, frame), before)


@pytest.mark.parametrize("container", CONTAINERS)
def test_models_of_frames_are_cloned_and_pickled(container):
    columns, effect = table()
    frame = CONTAINERS[container](columns)
    model = small(ObliqueForestRegressor, categorical_features=["visits"], missing_indicators=True)
    model.fit(frame, effect)
    copied = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copied.predict(frame), model.predict(frame))
    assert copied.split_feature_names_.tolist() == model.split_feature_names_.tolist()
    unfitted = clone(model)
    assert unfitted.get_params() == model.get_params()
    np.testing.assert_array_equal(unfitted.fit(frame, effect).predict(frame), model.predict(frame))


@pytest.mark.parametrize("kind", [ObliqueForestClassifier, ObliqueForestRegressor])
def test_scikit_learns_tools_take_frames(kind):
    columns, effect = table(150)
    frame, y = pd.DataFrame(columns), targets(effect, "binary")
    assert cross_val_score(small(kind), frame, y, cv=3).min() > 0.3
    piped = make_pipeline(FunctionTransformer(), small(kind)).fit(frame, y)
    np.testing.assert_array_equal(piped.predict(frame), small(kind).fit(frame, y).predict(frame))
    grid = {"categorical_features": ["from_dtype", ["visits"]], "missing_indicators": [False, True]}
    search = GridSearchCV(small(kind, n_estimators=2), grid, cv=2).fit(frame, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.predict(frame).shape == (150,)


# ---- warm start


@pytest.mark.parametrize("container", CONTAINERS)
def test_trees_are_added_to_the_forest_of_a_frame(container):
    columns, effect = table()
    frame = CONTAINERS[container](columns)
    at_once = small(ObliqueForestRegressor, missing_indicators=True).fit(frame, effect)
    grown = small(ObliqueForestRegressor, missing_indicators=True, n_estimators=1, warm_start=True)
    grown.fit(pd.DataFrame(columns), effect)
    grown.set_params(n_estimators=4).fit(frame, effect)
    np.testing.assert_array_equal(grown.predict(frame), at_once.predict(frame))
    np.testing.assert_array_equal(grown.feature_importances_, at_once.feature_importances_)


def test_added_trees_do_not_learn_categories_that_came_later():
    columns, effect = table()
    forest = small(ObliqueForestRegressor, n_estimators=2, warm_start=True).fit(pd.DataFrame(columns), effect)
    names = forest.split_feature_names_.tolist()
    later = pd.DataFrame({**columns, "colour": ["violet"] * 50 + columns["colour"][50:]})
    forest.set_params(n_estimators=4).fit(later, effect)
    assert forest.split_feature_names_.tolist() == names
    assert np.isfinite(forest.predict(later)).all()


@pytest.mark.parametrize(
    "change",
    [
        lambda frame: frame.rename(columns={"age": "years"}),
        lambda frame: frame[["colour", "visits", "member", "age", "town"]],
        lambda frame: frame[["colour", "age", "member", "visits"]],
        lambda frame: frame.assign(more=1.0),
    ],
    ids=["renamed", "reordered", "fewer", "more"],
)
def test_trees_are_not_added_on_other_columns(change):
    columns, effect = table()
    frame = pd.DataFrame(columns)
    forest = small(ObliqueForestRegressor, n_estimators=2, warm_start=True).fit(frame, effect)
    before = forest.predict(frame)
    with pytest.raises(ValueError, match=r"feature names|columns|features"):
        forest.set_params(n_estimators=4).fit(change(frame), effect)
    assert forest.feature_names_in_.tolist() == list(frame.columns)
    np.testing.assert_array_equal(forest.predict(frame), before)


# ---- tables that cannot be read


NUMBERS = np.arange(20.0)
SOME = {"age": NUMBERS, "colour": ["red", "blue"] * 10}


@pytest.mark.parametrize(
    ("frame", "parameters", "error", "message"),
    [
        (pd.DataFrame(SOME), {"categorical_features": ["shape"]}, ValueError, "'shape'.*'age', 'colour'"),
        (
            pd.DataFrame(SOME),
            {"categorical_features": [2]},
            ValueError,
            "categorical_features.* 2.*2 columns",
        ),
        (pd.DataFrame(SOME), {"categorical_features": [True]}, ValueError, "mask of length 1.*2 columns"),
        (pd.DataFrame(SOME), {"categorical_features": "colour"}, ValueError, "categorical_features='colour'"),
        (pd.DataFrame(SOME), {"categorical_features": 1}, TypeError, "categorical_features=1"),
        (pd.DataFrame(SOME), {"categorical_features": ["age", 1]}, TypeError, "mixes types"),
        (
            pd.DataFrame(SOME),
            {"categorical_features": None},
            TypeError,
            "'colour'.*categorical_features=None",
        ),
        (
            pl.DataFrame(SOME),
            {"categorical_features": None},
            TypeError,
            "'colour'.*categorical_features=None",
        ),
        (pa.table(SOME), {"categorical_features": None}, TypeError, "'colour'.*categorical_features=None"),
        (NUMBERS.reshape(10, 2), {"categorical_features": ["age"]}, ValueError, "'age'.*no column names"),
        (sp.eye_array(20).tocsr(), {"categorical_features": [1]}, TypeError, "sparse"),
        (pd.DataFrame({"t": pd.date_range("2020", periods=20)}), {}, TypeError, "'t'.*Datetime"),
        (pl.DataFrame({"t": [datetime.date(2020, 1, 1)] * 20}), {}, TypeError, "'t'.*Date"),
        (pa.table({"t": [datetime.timedelta(1)] * 20}), {}, TypeError, "'t'.*Duration"),
        (pd.DataFrame({"t": [[1, 2]] * 20}), {}, TypeError, "'t'.*list"),
        (pl.DataFrame({"t": [[1, 2]] * 20}), {}, TypeError, "'t'.*List"),
        (pa.table({"t": [{"a": 1}] * 20}), {}, TypeError, "'t'.*Struct"),
        (pd.DataFrame({"t": [1, "a"] * 10}), {}, TypeError, "'t'.*'a'"),
        (pd.DataFrame({"t": NUMBERS * 1e300}), {}, ValueError, "'t'.*single precision"),
        (pd.DataFrame({"t": [np.inf, 1.0] * 10}), {}, ValueError, "'t'.*infinity"),
        (pl.DataFrame({"t": [np.inf, None] * 10}), {}, ValueError, "'t'.*infinity"),
        (pl.LazyFrame(SOME), {}, TypeError, r"collect\(\)"),
        (pd.DataFrame(np.ones((20, 2)), columns=["a", "a"]), {}, ValueError, "more than one column 'a'"),
        (pa.table([NUMBERS, NUMBERS], names=["a", "a"]), {}, ValueError, "more than one column 'a'"),
        (pd.DataFrame(index=range(20)), {}, ValueError, "column|feature"),
        (pd.DataFrame(SOME)[:1], {}, ValueError, "rows|samples"),
        (pd.DataFrame({0: NUMBERS, "a": NUMBERS}), {}, TypeError, "names"),
        (np.array([["a", 1.0]] * 20, dtype=object), {}, TypeError, "column 0.*'a'.*categorical_features"),
    ],
)
@pytest.mark.parametrize("kind", [ObliqueForestClassifier, ObliqueTreeRegressor])
def test_a_table_that_cannot_be_read_is_refused_by_the_name_of_what_is_wrong(
    kind, frame, parameters, error, message
):
    n = 20 if isinstance(frame, pl.LazyFrame) else frame.shape[0]
    with pytest.raises(error, match=message):
        small(kind, **parameters).fit(frame, np.arange(n) % 2)


def _lazy(frame):
    return pl.from_pandas(frame).lazy()


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda frame: frame[["age"]], ValueError, "colour"),
        (lambda frame: frame[["colour", "age"]], ValueError, "order"),
        (lambda frame: frame.rename(columns={"age": "years"}), ValueError, "years"),
        (lambda frame: frame.assign(more=1.0), ValueError, "more"),
        (lambda frame: frame.assign(age="old"), TypeError, "'age' of X held numbers.*'old'"),
        (lambda frame: frame.assign(age=np.inf), ValueError, "'age'.*infinity"),
        (lambda frame: frame.assign(age=[[1]] * 20), TypeError, "'age'.*list"),
        (lambda frame: frame.assign(age=datetime.datetime(2020, 1, 1)), TypeError, "'age'"),
        (_lazy, TypeError, r"collect\(\)"),
        (lambda frame: pd.concat([frame, frame[["age"]]], axis=1), ValueError, "more than one column 'age'"),
        (lambda frame: frame[:0], ValueError, "rows|samples"),
    ],
    ids=["fewer", "order", "renamed", "more", "text", "infinity", "list", "date", "lazy", "twice", "no rows"],
)
@pytest.mark.parametrize("kind", [ObliqueForestRegressor, ObliqueTreeClassifier])
def test_later_tables_must_have_the_columns_of_training(kind, change, error, message):
    frame = pd.DataFrame(SOME)
    model = small(kind).fit(frame, np.arange(20) % 2)
    for method in ("predict", "apply", "decision_path"):
        with pytest.raises(error, match=message):
            getattr(model, method)(change(frame))


@pytest.mark.parametrize(
    "later",
    [
        np.array([[1.0, "red"]] * 3, dtype=object),
        [[1.0, "red"]] * 3,
        np.ones((3, 2)),
        sp.csr_array(np.ones((3, 2))),
    ],
    ids=["objects", "list", "numbers", "sparse"],
)
def test_after_a_frame_an_array_is_read_by_position_or_refused_in_clear_words(later):
    model = small(ObliqueForestRegressor).fit(pd.DataFrame(SOME), NUMBERS)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        try:
            predicted = model.predict(later)
        except (TypeError, ValueError) as error:
            assert "X" in str(error)  # noqa: PT017
            assert "could not convert" not in str(error)  # noqa: PT017
        else:
            assert predicted.shape == (3,)


def test_clustering_attributes_may_be_a_frame():
    columns, effect = table()
    frame, attributes = pd.DataFrame(columns), pd.DataFrame({"effect": effect, "gap": [1.0, None] * 50})
    model = small(ObliqueForestRegressor).fit(frame, effect, clustering=attributes)
    other = small(ObliqueForestRegressor).fit(frame, effect, clustering=attributes.to_numpy())
    np.testing.assert_array_equal(model.predict(frame), other.predict(frame))
    by_both = small(ObliqueForestRegressor).fit(frame, effect, clustering="targets+features")
    assert by_both.score(frame, effect) > 0.5
