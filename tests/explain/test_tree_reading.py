"""Claims about trees as readers see them: what a reader who follows the words does is what the model does."""

import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes, load_iris

from slantwood import (
    Hierarchy,
    ObliqueBoostingClassifier,
    ObliqueBoostingRegressor,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
    load_model,
)
from slantwood.ensemble.column_spread import column_spread
from slantwood.estimators.reading.numbers import threshold, written
from slantwood.explain import read_tree
from slantwood.model.contributions import node_values

X, y = load_iris(return_X_y=True)
floats = st.floats(-1e6, 1e6, width=32)


# ---- numbers


@given(weight=floats.filter(lambda w: abs(w) > 1e-6), bias=st.floats(-1e6, 1e6), steps=st.integers(-3, 3))
def test_a_written_threshold_sends_every_number_of_single_precision_the_way_of_the_split(weight, bias, steps):
    told = float(written(threshold(weight, bias)))
    x = np.float32(-bias / weight)
    for _ in range(abs(steps)):
        x = np.nextafter(x, np.float32(np.inf if steps > 0 else -np.inf))
    goes_right = bias + float(x) * weight >= 0.0
    assert (float(x) >= told if weight > 0 else float(x) <= told) == goes_right


def test_a_threshold_has_no_more_digits_than_the_rows_next_to_it_need():
    assert threshold(3.0, -3.0 * 0.132178, (0.11, 0.15)) == 0.13
    assert threshold(-3.0, 3.0 * 0.132178, (0.132, 0.15)) == 0.132  # x <= 0.132 holds for 0.132 itself
    assert threshold(3.0, -3.0 * 0.132178, (0.132, 0.15)) == 0.1322
    assert written(threshold(2.0, -3.0)) == "1.5"


@pytest.mark.parametrize(("number", "digits", "text"), [(1200.0, 17, "1200"), (0.00001234, 3, "1.23e-05"),
                                                       (-0.0, 4, "0"), (123456.0, 3, "123000")])  # fmt: skip
def test_numbers_are_written_as_people_write_them(number, digits, text):
    assert written(number, digits) == text


# ---- conditions


def leaf_of(reading, row):
    """Follow the conditions of one feature as a reader would, by their words; return the node."""
    place = 0
    while reading.conditions[place] is not None:
        feature, relation, value = re.fullmatch(
            r"(\w+) (>=|<=|is not|is) (.+)", reading.conditions[place].text()
        ).groups()
        own = row[feature]
        known = own is not None and own == own
        if relation in (">=", "<="):
            # A missing value counts as the mean of the node.
            own = float(own) if known else reading.conditions[place].terms[0].mean
            met = own >= float(value) if relation == ">=" else own <= float(value)
        else:
            met = (not known if value == "missing" else str(own) == value) == (relation == "is")
        place = next(i for i in np.flatnonzero(reading.parent == place) if reading.is_yes[i] == met)
    return int(reading.node[place])


@pytest.fixture(scope="module")
def garden():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "colour": rng.choice(["red", "blue", "this is it"], 200),
            "size": rng.normal(size=200).astype(np.float32),
            "age": rng.normal(100, 1, 200).astype(np.float32),
        }
    )
    frame.loc[rng.random(200) < 0.2, "age"] = np.nan
    y = (
        (frame["colour"] == "red") * 2.0
        + (frame["size"] > 0.3)
        + frame["age"].isna() * 3.0
        - frame["age"].fillna(0) / 100
    )
    return frame, y.to_numpy()


@pytest.mark.parametrize("with_rows", [False, True])
def test_following_the_words_of_one_feature_leads_every_row_to_its_leaf(garden, with_rows):
    X, y = garden
    model = ObliqueTreeRegressor(split="axis", missing_indicators=True, min_samples_leaf=3).fit(X, y)
    reading = read_tree(model, X=X if with_rows else None)
    texts = " ".join(each.text() for each in reading.conditions if each is not None)
    assert "age is missing" in texts or "age is not missing" in texts
    assert re.search(r"colour is (not )?(red|blue|this is it)", texts)
    found = [leaf_of(reading, row) for row in X.to_dict("records")]
    np.testing.assert_array_equal(found, model.apply(X))


def test_of_several_features_the_largest_part_comes_first_and_has_the_unit():
    model = ObliqueTreeClassifier(random_state=0, max_depth=2).fit(X, y)
    trees, reading = model.trees_, read_tree(model, X=X)
    for node, condition in zip(reading.node, reading.conditions, strict=True):
        if condition is None:
            continue
        rows = model.decision_path(X)[:, [node]].toarray()[:, 0] == 1
        part = slice(trees.indptr[node], trees.indptr[node + 1])
        sizes = np.abs(trees.weights[part]) * X[rows].std(axis=0)[trees.indices[part]]
        shares = [term.share for term in condition.terms]
        np.testing.assert_allclose(shares, np.sort(sizes / sizes.sum())[::-1], rtol=1e-4)
        assert condition.terms[0].factor == 1.0
        total = sum(term.factor * X[:, int(term.feature[1:])] for term in condition.terms)
        met = total >= condition.threshold if condition.relation == ">=" else total <= condition.threshold
        yes = reading.node[np.flatnonzero((reading.parent >= 0) & reading.is_yes)]
        goes = model.decision_path(X)[:, [trees.right[node]]].toarray()[:, 0] == 1
        assert trees.right[node] in yes
        assert np.mean(met[rows] == goes[rows]) == 1.0


def test_shares_do_not_depend_on_units_where_rows_are_given():
    scale = np.array([1.0, 1024.0, 1.0, 0.25])
    readings = [
        read_tree(ObliqueTreeClassifier(random_state=0, max_depth=1, split="ridge").fit(each, y), X=each)
        for each in (X, X * scale)
    ]
    of_both = [{term.feature: term.share for term in reading.conditions[0].terms} for reading in readings]
    assert of_both[0] == pytest.approx(of_both[1], abs=1e-3)


def test_of_very_many_features_the_rest_is_counted():
    rng = np.random.default_rng(0)
    X = sp.csr_array(rng.normal(size=(80, 40)) * (rng.random((80, 40)) < 0.3))
    model = ObliqueTreeRegressor(split="ridge", max_depth=1).fit(X, X.sum(axis=1))
    for reading in (read_tree(model), read_tree(model, X=X)):
        condition = reading.conditions[0]
        assert len(condition.terms) + condition.n_more == np.diff(model.trees_.indptr)[0]
        assert f"+ ({condition.n_more} more, {100 * condition.share_more:.0f} %)" in condition.text()
    dense = read_tree(model, X=X.toarray())
    assert dense.to_text() == read_tree(model, X=X).to_text()


def test_a_split_whose_weights_were_rounded_to_nothing_asks_nothing():
    model = ObliqueTreeRegressor(split="axis").fit([[0], [1], [2], [3]], [0, 0, 1, 1])
    trees = model.trees_._replace(weights=np.zeros_like(model.trees_.weights))
    model = model._with_forest(replace(model.forest_, trees=trees))
    text = read_tree(model).conditions[0].text()
    assert re.fullmatch(r"0 >= [\d.]+", text)
    assert model.predict([[9]]) == [0]


# ---- nodes


LABELS = np.stack([y == 0, y > 0, X[:, 0] > 6], axis=1).astype(int)
PATHS = Hierarchy.from_edges([("short", "0"), ("long", "1"), ("long", "2")])
FEW = {"n_estimators": 2, "random_state": 0}

MODELS = {
    "classes": lambda: ObliqueForestClassifier(**FEW).fit(X, y),
    "labels": lambda: ObliqueForestClassifier(**FEW).fit(X, LABELS),
    "labels, sparse": lambda: ObliqueForestClassifier(**FEW).fit(sp.csr_array(X), sp.csr_array(LABELS)),
    "labels, paths": lambda: ObliqueForestClassifier(hierarchy=PATHS, **FEW).fit(X, [{str(k)} for k in y]),
    "numbers": lambda: ObliqueForestRegressor(**FEW).fit(X, X[:, :2] ** 2),
    "several": lambda: ObliqueForestClassifier(**FEW).fit(
        X, pd.DataFrame({"kind": y.astype(str), "size": X[:, 0].astype(float)})
    ),
    "steps, number": lambda: ObliqueBoostingRegressor(early_stopping=False, **FEW).fit(X, X[:, 0]),
    "steps, classes": lambda: ObliqueBoostingClassifier(early_stopping=False, **FEW).fit(X, y),
}


@pytest.mark.parametrize("name", MODELS)
def test_every_task_can_be_read_in_all_forms(name):
    model, kind = MODELS[name](), name.partition(",")[0]
    reading = read_tree(model, max_depth=2)
    assert reading.kind == kind
    assert reading.rows[0] == pytest.approx(model.trees_.node_weight[0])
    # Rows and splits are all there, shown or hidden.
    ends = [i for i, each in enumerate(reading.conditions) if each is None]
    assert reading.rows[ends].sum() == pytest.approx(reading.rows[0])
    whole = read_tree(model)
    n_splits = sum(each is not None for each in whole.conditions)
    assert sum(each is not None for each in reading.conditions) + reading.n_hidden.sum() == n_splits
    plain = json.loads(json.dumps(reading.to_dict(), allow_nan=False))
    assert (
        len(plain["nodes"])
        == len(reading)
        == reading.to_dot().count("[label=") - reading.to_dot().count("->")
    )
    graph = reading.to_networkx()
    assert (graph.number_of_nodes(), graph.number_of_edges()) == (len(reading), len(reading) - 1)
    assert len(reading.to_text().splitlines()) == 1 + len(reading.notes) + len(reading)


def test_a_node_that_is_no_leaf_predicts_the_mean_of_those_below_it():
    X, y = load_diabetes(return_X_y=True)
    model = ObliqueTreeRegressor(random_state=0, max_depth=5).fit(X, np.stack([y, -y], axis=1))
    values = node_values(model.trees_, np.array([0, 1])) * model.targets_.scale + model.targets_.mean
    reading = read_tree(model, max_depth=3, X=X, y=np.stack([y, -y], axis=1))
    path = model.decision_path(X)
    for node, prediction in zip(reading.node, reading.predictions, strict=True):
        np.testing.assert_allclose([each.value for each in prediction.outcomes], values[node], rtol=1e-4)
        spread = y[path[:, [node]].toarray()[:, 0] == 1].std()
        np.testing.assert_allclose(
            [each.spread for each in prediction.outcomes], spread, rtol=1e-4, atol=1e-3
        )


def test_a_model_for_prediction_only_is_read_without_numbers_of_rows(tmp_path):
    ObliqueTreeClassifier(random_state=0).fit(X, y).save(tmp_path / "m.slant", predict_only=True)
    reading = read_tree(load_model(tmp_path / "m.slant"), max_depth=1)
    assert re.search(r"\d rows", reading.to_text()) is None
    assert "more split" in reading.to_text()
    json.dumps(reading.to_dict(), allow_nan=False)


def test_what_is_missing_or_wrong_is_named():
    model = ObliqueTreeClassifier(random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="y is given without X"):
        read_tree(model, y=y)
    with pytest.raises(ValueError, match="max_depth"):
        read_tree(model, max_depth=-1)


def test_names_with_quotes_and_backslashes_stay_within_their_quotes():
    model = ObliqueTreeRegressor(split="axis").fit(
        [[0], [1], [2], [3]], [0, 0, 1, 1], feature_names=['a"\\b']
    )
    line = next(line for line in read_tree(model).to_dot().splitlines() if "a" in line and ">=" in line)
    assert 'label="a\\"\\\\b >= 1.5?\\n4 rows' in line


def test_shares_of_a_model_from_a_file_do_not_depend_on_units(tmp_path):
    X, y = load_diabetes(return_X_y=True)
    units = 10.0 ** np.arange(-3, 7)
    shares = []
    for rows in (X, X * units):
        model = ObliqueTreeRegressor(max_depth=1, random_state=0).fit(rows, y)
        np.testing.assert_allclose(model.forest_.column_spread, rows.std(axis=0), rtol=1e-3)
        model.save(tmp_path / "m.slant")
        again = load_model(tmp_path / "m.slant")
        shares.append([term.share for term in read_tree(again).conditions[0].terms])
        assert "spread over the training rows" in read_tree(again).to_text()
        at_root = [term.share for term in read_tree(again, X=rows).conditions[0].terms]
        np.testing.assert_allclose(shares[-1], at_root, rtol=1e-3)  # all rows are in the root
        model.save(tmp_path / "m.slant", predict_only=True)
        bare = load_model(tmp_path / "m.slant")
        assert "predict_only=True" in read_tree(bare).to_text()
        assert bare.forest_.column_spread is None
    np.testing.assert_allclose(*shares, rtol=0.02)


@pytest.mark.parametrize("normalize", [False, True])
def test_spreads_of_columns_are_those_of_rows_as_splits_see_them(normalize):
    X = np.random.default_rng(0).normal(1000.0, 1.0, size=(50, 4)).astype(np.float32)
    X[:30, 1], X[:, 2] = 0.0, 7.0
    X[::7, 3] = np.nan if not normalize else 0.0
    seen = X / np.linalg.norm(X, axis=1, keepdims=True) if normalize else X
    expected = np.nanstd(seen.astype(np.float64), axis=0)
    for rows in (X, sp.csr_array(X)):
        found = column_spread(rows, normalize_rows=normalize)
        np.testing.assert_allclose(found, expected, rtol=0.02, atol=1e-6)
