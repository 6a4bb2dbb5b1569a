"""Targets may be missing: in single cells, in whole rows; and rows without any may still shape the trees."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

from slantwood import (
    Clustering,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
)
from slantwood.growth.plan import bootstrap_counts

# Few trees on purpose: rows that all of them saw, which a warning tells of, are no concern of these claims.
pytestmark = [
    pytest.mark.filterwarnings("ignore:oob_score=True.*no out-of-bag prediction:UserWarning"),
    pytest.mark.sampled,
]

SPLITS = ["gradient", "svm"]
TASKS = ["binary", "multi-class", "multi-label", "regression", "multi-target"]
ABSENT = np.arange(100) % 3 == 0  # rows whose target is taken away, where a test has a hundred rows


def problem(task, n=100, seed=0):
    """Targets as floats, so that NaN can stand among them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    hidden = X[:, :3] @ np.array([[1.0, 1.0, 0.0], [1.0, -1.0, 1.0], [0.0, 0.5, -1.0]])
    targets = {
        "binary": hidden[:, 0] > 0,
        "multi-class": np.argmax(hidden, axis=1),
        "multi-label": hidden > 0.5,
        "regression": hidden[:, 0],
        "multi-target": hidden,
    }
    return X, targets[task].astype(float)


def without(y, absent):
    y = y.copy()
    y[absent] = np.nan
    return y


def forest(task, **parameters):
    kind = ObliqueForestRegressor if task in ("regression", "multi-target") else ObliqueForestClassifier
    return kind(**{"n_estimators": 4, "random_state": 0, **parameters})


def tree(task, **parameters):
    kind = ObliqueTreeRegressor if task in ("regression", "multi-target") else ObliqueTreeClassifier
    return kind(**{"random_state": 0, **parameters})


def scores(model, X):
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)


def same_trees(a, b):
    leaves_a, leaves_b = a.trees_.leaves, b.trees_.leaves
    pairs = list(zip(a.trees_[:-1], b.trees_[:-1], strict=True))
    pairs += [(leaves_a.values, leaves_b.values), (leaves_a.data, leaves_b.data)]
    return all(np.array_equal(x, y) for x, y in pairs)


# ---- rows without any target are left out


@pytest.mark.parametrize("weight", [None, 0.0])
@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("task", TASKS)
def test_a_row_without_target_is_a_row_left_out(task, split, weight):
    X, y = problem(task)
    shared = {"split": split, "bootstrap": False}
    left_out = forest(task, **shared).fit(X[~ABSENT], y[~ABSENT])
    missing = forest(task, unlabeled_weight=weight, **shared).fit(X, without(y, ABSENT))
    np.testing.assert_array_equal(missing.trees_.left, left_out.trees_.left)
    np.testing.assert_allclose(scores(missing, X), scores(left_out, X), atol=1e-4)
    np.testing.assert_allclose(missing.feature_importances_, left_out.feature_importances_, atol=1e-4)


@pytest.mark.parametrize("task", TASKS)
def test_what_stands_in_the_features_of_a_row_left_out_does_not_matter(task):
    X, y = problem(task)
    y = without(y, ABSENT)
    expected = forest(task).fit(X, y)
    other = X.copy()
    other[ABSENT] = np.nan
    other[0] = 1e6
    np.testing.assert_allclose(scores(forest(task).fit(other, y), X), scores(expected, X), atol=1e-6)


@pytest.mark.parametrize("task", TASKS)
def test_bootstrap_forests_learn_from_the_rows_that_have_targets(task):
    X, y = problem(task, 300)
    fresh_X, fresh_y = problem(task, 300, seed=1)
    absent = np.arange(300) % 2 == 0
    parameters = {"bootstrap": True, "n_estimators": 15}
    missing = forest(task, **parameters).fit(X, without(y, absent)).score(fresh_X, fresh_y)
    left_out = forest(task, **parameters).fit(X[~absent], y[~absent]).score(fresh_X, fresh_y)
    assert abs(missing - left_out) < 0.06
    assert missing > 0.6


# ---- single targets


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("make", [forest, tree])
@pytest.mark.parametrize("task", ["multi-label", "multi-target"])
def test_every_target_is_learned_from_the_rows_that_know_it(task, make, split):
    X, y = problem(task, 300)
    fresh_X, fresh_y = problem(task, 200, seed=1)
    holed = np.where(np.random.default_rng(0).random(y.shape) < 0.4, np.nan, y)
    model = make(task, split=split).fit(X, holed)
    assert np.isfinite(scores(model, fresh_X)).all()
    constant = np.broadcast_to(y.mean(axis=0), fresh_y.shape)
    errors, at_worst = (((guess - fresh_y) ** 2).mean(axis=0) for guess in (scores(model, fresh_X), constant))
    assert (errors < 0.6 * at_worst).all()


@pytest.mark.parametrize("split", SPLITS)
def test_a_target_that_five_rows_know_hardly_changes_the_others(split):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(800, 6))
    Y = np.column_stack([X[:, 0] + X[:, 1], X[:, 1] - X[:, 2]]) + 0.1 * rng.normal(size=(800, 2))
    rare = np.full(500, np.nan)
    rare[rng.choice(500, 5, replace=False)] = 10.0 * rng.normal(size=5)

    def predicted(targets, seed=0):
        model = forest("multi-target", split=split, n_estimators=10, random_state=seed)
        return model.fit(X[:500], targets).predict(X[500:])[:, :2]

    alone = predicted(Y[:500])
    beside_rare = predicted(np.column_stack([Y[:500], rare]))
    with_other_seed = predicted(Y[:500], seed=1)
    change, chance = (
        np.sqrt(((other - alone) ** 2).mean(axis=0)) / alone.std(axis=0)
        for other in (beside_rare, with_other_seed)
    )
    assert (change < 1.25 * chance).all()
    assert abs(r2_score(Y[500:], beside_rare) - r2_score(Y[500:], alone)) < 0.02


def test_a_target_of_one_known_value_is_predicted_everywhere():
    X, y = problem("multi-target")
    y[:, 1] = np.nan
    y[7, 1] = 42.0
    for split in SPLITS:
        model = forest("multi-target", split=split).fit(X, y)
        np.testing.assert_allclose(model.predict(X)[:, 1], 42.0)


def nullable(y, dtype):
    return pd.DataFrame(y).astype(dtype)


MATRICES = {
    "objects with None": lambda y: np.where(np.isnan(y), None, y.astype(object)),
    "objects with NA": lambda y: np.where(np.isnan(y), pd.NA, y.astype(object)),
    "lists": lambda y: [[None if np.isnan(cell) else cell for cell in row] for row in y.tolist()],
    "float32": lambda y: y.astype(np.float32),
    "pandas": pd.DataFrame,
    "pandas Float64": lambda y: nullable(y, "Float64"),
    "pandas by Arrow": lambda y: nullable(y, "double[pyarrow]"),
    "polars": lambda y: pl.DataFrame(y, schema=["a", "b", "c"]).fill_nan(None),
    "Arrow": lambda y: pl.DataFrame(y, schema=["a", "b", "c"]).fill_nan(None).to_arrow(),
}
LABEL_MATRICES = {
    **MATRICES,
    "pandas Int64": lambda y: nullable(y, "Int64"),
    "pandas boolean": lambda y: nullable(y, "boolean"),
    "polars Boolean": lambda y: pl.DataFrame(y, schema=["a", "b", "c"]).fill_nan(None).cast(pl.Boolean),
    **{
        f"{form} {kind}": getattr(sp, f"{form}_{kind}")
        for form in ("csr", "csc", "coo", "lil")
        for kind in ("array", "matrix")
    },
}


@pytest.mark.sampled(10)
@pytest.mark.parametrize("container", LABEL_MATRICES)
@pytest.mark.parametrize("weight", [None, 0.5])
def test_labels_are_unknown_in_any_container(container, weight):
    X, y = problem("multi-label")
    y = np.where(np.random.default_rng(0).random(y.shape) < 0.2, np.nan, y)
    y[:10] = np.nan
    expected = forest("multi-label", unlabeled_weight=weight).fit(X, y)
    found = forest("multi-label", unlabeled_weight=weight).fit(X, LABEL_MATRICES[container](y))
    np.testing.assert_array_equal(scores(found, X), scores(expected, X))
    predicted = found.predict(X)
    assert sp.issparse(predicted) == container.startswith(("csr", "csc", "coo", "lil"))
    dense = predicted.toarray() if sp.issparse(predicted) else predicted
    np.testing.assert_array_equal(dense, expected.predict(X))


@pytest.mark.parametrize("container", MATRICES)
def test_numbers_are_unknown_in_any_container(container):
    X, y = problem("multi-target")
    y = np.where(np.random.default_rng(0).random(y.shape) < 0.2, np.nan, y).astype(np.float32).astype(float)
    expected = forest("multi-target").fit(X, y).predict(X)
    found = forest("multi-target").fit(X, MATRICES[container](y)).predict(X)
    np.testing.assert_allclose(found, expected, rtol=1e-12)  # sums over columns or rows round differently


VECTORS = {
    "objects with None": lambda y: np.where(np.isnan(y), None, y.astype(object)),
    "objects with NA": lambda y: np.where(np.isnan(y), pd.NA, y.astype(object)),
    "list": lambda y: [None if np.isnan(value) else value for value in y.tolist()],
    "Series": pd.Series,
    "Float64": lambda y: pd.Series(y).astype("Float64"),
    "Series by Arrow": lambda y: pd.Series(y).astype("double[pyarrow]"),
    "polars": lambda y: pl.Series(y).fill_nan(None),
    "Arrow": lambda y: pl.Series(y).fill_nan(None).to_arrow(),
    "chunks": lambda y: pa.chunked_array(
        [pl.Series(part).fill_nan(None).to_arrow() for part in (y[:9], y[9:])]
    ),
}


@pytest.mark.parametrize("container", VECTORS)
@pytest.mark.parametrize("weight", [None, 0.5])
def test_a_single_number_is_unknown_in_any_container(container, weight):
    X, y = problem("regression")
    y = without(y, ABSENT)
    expected = forest("regression", unlabeled_weight=weight).fit(X, y).predict(X)
    found = forest("regression", unlabeled_weight=weight).fit(X, VECTORS[container](y)).predict(X)
    np.testing.assert_array_equal(found, expected)


# ---- classes


def words(y):
    return [None if np.isnan(value) else "abc"[int(value)] for value in y]


def whole(y):
    return [None if np.isnan(value) else int(value) for value in y]


def truths(y):
    return [None if np.isnan(value) else value == 1 for value in y]


CLASSES = {
    "texts, objects": (lambda y: np.array(words(y), object), "abc", "OU"),
    "texts, list": (words, "abc", "OU"),
    "texts, object Series": (lambda y: pd.Series(words(y), dtype=object), "abc", "OU"),
    "texts, str": (lambda y: pd.Series(words(y), dtype="str"), "abc", "OU"),
    "texts, string": (lambda y: pd.Series(words(y), dtype="string"), "abc", "OU"),
    "texts, string by Arrow": (lambda y: pd.Series(words(y), dtype="string[pyarrow]"), "abc", "OU"),
    "texts, category": (lambda y: pd.Series(pd.Categorical(words(y))), "abc", "OU"),
    "texts, Categorical": (lambda y: pd.Categorical(words(y)), "abc", "OU"),
    "texts, polars": (lambda y: pl.Series(words(y)), "abc", "OU"),
    "texts, polars Categorical": (lambda y: pl.Series(words(y), dtype=pl.Categorical), "abc", "OU"),
    "texts, polars Enum": (lambda y: pl.Series(words(y), dtype=pl.Enum(["c", "b", "a"])), "abc", "OU"),
    "texts, Arrow": (lambda y: pa.array(words(y)), "abc", "OU"),
    "texts, chunks": (lambda y: pa.chunked_array([words(y)[:9], words(y)[9:]]), "abc", "OU"),
    "texts, dictionary": (lambda y: pa.array(words(y)).dictionary_encode(), "abc", "OU"),
    "texts, dictionary in chunks": (
        lambda y: pa.chunked_array([words(y)[:9], words(y)[9:]]).dictionary_encode(),
        "abc",
        "OU",
    ),
    "numbers, floats": (lambda y: y, (0, 1, 2), "f"),
    "numbers, objects": (lambda y: np.array(whole(y), object), (0, 1, 2), "i"),
    "numbers, list": (whole, (0, 1, 2), "i"),
    "numbers, Int64": (lambda y: pd.Series(whole(y), dtype="Int64"), (0, 1, 2), "if"),
    "numbers, Int8": (lambda y: pd.Series(whole(y), dtype="Int8"), (0, 1, 2), "if"),
    "numbers, category": (lambda y: pd.Series(pd.Categorical(whole(y))), (0, 1, 2), "if"),
    "numbers, by Arrow": (lambda y: pd.Series(whole(y), dtype="int64[pyarrow]"), (0, 1, 2), "if"),
    "numbers, polars": (lambda y: pl.Series(whole(y)), (0, 1, 2), "if"),
    "numbers, Arrow": (lambda y: pa.array(whole(y)), (0, 1, 2), "if"),
    "numbers, chunks": (lambda y: pa.chunked_array([whole(y)[:9], whole(y)[9:]]), (0, 1, 2), "if"),
    "truths, objects": (lambda y: np.array(truths(y), object), (False, True), "b"),
    "truths, boolean": (lambda y: pd.Series(truths(y), dtype="boolean"), (False, True), "b"),
    "truths, polars": (lambda y: pl.Series(truths(y)), (False, True), "b"),
    "truths, Arrow": (lambda y: pa.array(truths(y)), (False, True), "b"),
}


@pytest.mark.parametrize("weight", [None, 0.5])
@pytest.mark.parametrize("container", CLASSES)
def test_classes_are_unknown_in_any_container_and_come_back_as_what_they_were(container, weight):
    make, names, kinds = CLASSES[container]
    X, y = problem("multi-class" if len(names) == 3 else "binary")
    y = without(y, ABSENT)
    expected = forest("binary", unlabeled_weight=weight).fit(X, y)
    found = forest("binary", unlabeled_weight=weight).fit(X, make(y))
    assert found.classes_.tolist() == list(names)
    assert found.classes_.dtype.kind in kinds
    assert found.predict(X).dtype == found.classes_.dtype
    np.testing.assert_array_equal(scores(found, X), scores(expected, X))
    np.testing.assert_array_equal(found.predict(X), found.classes_[expected.predict(X).astype(int)])


@pytest.mark.parametrize("container", CLASSES)
def test_without_gaps_the_same_containers_are_taken(container):
    # Of a y with gaps, the part that a fold trains on may have none.
    make, names, _ = CLASSES[container]
    X, y = problem("multi-class" if len(names) == 3 else "binary")
    model = forest("binary").fit(X, make(y))
    assert model.classes_.tolist() == list(names)
    np.testing.assert_array_equal(scores(model, X), scores(forest("binary").fit(X, y), X))


def test_large_class_numbers_are_told_apart_though_some_rows_have_none():
    X, y = problem("binary")
    names = [None if row < 5 else 2**60 + int(value) for row, value in enumerate(y)]
    for container in (
        list,
        lambda names: np.array(names, object),
        lambda names: pd.Series(names, dtype="Int64"),
    ):
        assert forest("binary").fit(X, container(names)).classes_.tolist() == [2**60, 2**60 + 1]


def test_dates_that_are_missing_are_no_class():
    X, y = problem("binary")
    days = pd.Series(np.where(y == 1, np.datetime64("2020-01-01"), np.datetime64("2021-01-01")))
    days[:5] = pd.NaT
    assert len(forest("binary").fit(X, days).classes_) == 2


def test_minus_one_is_a_class_unless_rows_without_class_take_part():
    X, y = problem("multi-class")
    signed = y.astype(int) - 1
    assert forest("multi-class").fit(X, signed).classes_.tolist() == [-1, 0, 1]
    assert set(forest("multi-class").fit(X, signed).predict(X)) == {-1, 0, 1}
    for weight in (0.0, 0.5):
        for marked in (signed, signed.astype(float), signed.astype(object), pd.Series(signed, dtype="Int64")):
            model = forest("multi-class", unlabeled_weight=weight).fit(X, marked)
            assert model.classes_.tolist() == [0, 1]
            assert model.classes_.dtype.kind in "if"
    # A text is not the number that it spells.
    texts = signed.astype(str)
    assert forest("multi-class", unlabeled_weight=0.5).fit(X, texts).classes_.tolist() == ["-1", "0", "1"]


@pytest.mark.parametrize("weight", [0.0, 0.5])
def test_minus_one_none_and_nan_say_the_same(weight):
    X, y = problem("multi-class")
    marks = [np.where(ABSENT, mark, y.astype(int).astype(object)) for mark in (-1, None, np.nan)]
    models = [forest("multi-class", unlabeled_weight=weight).fit(X, y) for y in marks]
    assert same_trees(models[0], models[1])
    assert same_trees(models[0], models[2])


def test_class_weights_are_those_of_the_classes_that_are_known():
    X, y = problem("binary")
    for class_weight in ("balanced", {0.0: 1.0, 1.0: 3.0}):
        shared = {"class_weight": class_weight, "bootstrap": False}
        missing = forest("binary", **shared).fit(X, without(y, ABSENT))
        left_out = forest("binary", **shared).fit(X[~ABSENT], y[~ABSENT])
        np.testing.assert_allclose(scores(missing, X), scores(left_out, X), atol=1e-4)


# ---- rows without label that take part


def groups(seed, n_labeled):
    """Four groups that features show plainly, of which few rows are labelled; then fresh rows."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 4, 600)
    X = 2.0 * rng.normal(size=(4, 8))[group] + rng.normal(size=(600, 8))
    return X[:400], np.where(np.arange(400) < n_labeled, group[:400], -1), X[400:], group[400:]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("split", SPLITS)
def test_rows_without_label_help_where_features_show_the_groups(split):
    gain = []
    for seed in range(8):
        X, y, fresh_X, fresh_y = groups(seed, 12)
        scored = [
            forest("multi-class", n_estimators=10, split=split, unlabeled_weight=weight, random_state=seed)
            .fit(X, y)
            .score(fresh_X, fresh_y)
            for weight in (0.0, 0.5)
        ]
        gain.append(scored[1] - scored[0])
    assert np.mean(gain) > 0.01


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("make", [forest, tree])
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("weight", [0.5, 1.0, "auto"])
def test_every_estimator_takes_rows_without_label(task, make, split, weight):
    X, y = problem(task, 60)
    model = make(task, split=split, unlabeled_weight=weight).fit(X, without(y, np.arange(60) >= 15))
    assert model.predict(X).shape == y.shape
    assert np.isfinite(scores(model, X)).all()
    if weight == "auto":
        assert model.unlabeled_weight_ in (0.0, 0.1, 0.3, 1.0)
    else:
        assert model.unlabeled_weight_ == weight


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("weight", [0.5, 1.0, "auto"])
def test_without_such_rows_their_weight_has_no_effect(task, weight):
    X, y = problem(task)
    expected = forest(task).fit(X, y)
    found = forest(task, unlabeled_weight=weight).fit(X, y)
    assert same_trees(expected, found)
    assert found.unlabeled_weight_ == 0.0
    if task in ("multi-label", "multi-target"):
        holed = y.copy()
        holed[::2, 0] = np.nan
        expected, found = (forest(task, unlabeled_weight=w).fit(X, holed) for w in (None, weight))
        assert same_trees(expected, found)


def test_the_weight_that_is_chosen_is_the_weight_in_use():
    X, y, _, _ = groups(2, 12)
    chosen = forest("multi-class", unlabeled_weight="auto").fit(X, y)
    assert chosen.unlabeled_weight_ > 0.0
    given = forest("multi-class", unlabeled_weight=chosen.unlabeled_weight_).fit(X, y)
    assert same_trees(chosen, given)
    assert same_trees(chosen, clone(chosen).set_params(n_jobs=2).fit(X, y))
    assert chosen.unlabeled_weight == "auto"


@pytest.mark.thorough
def test_choosing_a_weight_costs_little_where_features_mislead():
    # The target is one feature; three others form groups that have nothing to do with it.
    scored = []
    for seed in range(2):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(400, 6))
        X[:, 3:] += 8.0 * rng.integers(0, 2, (400, 3))
        y = np.where(np.arange(150) < 80, X[:150, 0], np.nan)
        models = (
            forest("regression", unlabeled_weight=weight, random_state=seed).fit(X[:150], y)
            for weight in (0.0, "auto")
        )
        scored.append([model.score(X[150:], X[150:, 0]) for model in models])
    labelled_alone, chosen = np.mean(scored, axis=0)
    assert chosen > labelled_alone - 0.02


@pytest.mark.sampled(2)
@pytest.mark.parametrize("n_labeled", [1, 2, 3])
@pytest.mark.parametrize("task", TASKS)
def test_very_few_labels_are_enough_to_choose(task, n_labeled):
    X, y = problem(task, 50)
    given = without(y, np.arange(50) >= n_labeled)
    model = forest(task, unlabeled_weight="auto").fit(X, given)
    chosen = model.unlabeled_weight_
    assert chosen in ((0.0,) if n_labeled == 1 else (0.0, 0.1, 0.3, 1.0))
    assert same_trees(model, forest(task, unlabeled_weight=chosen).fit(X, given))


def test_the_order_of_rows_without_label_does_not_change_the_quality():
    straight, shuffled = [], []
    for seed in range(4):
        X, y, fresh_X, fresh_y = groups(seed, 20)
        order = np.concatenate([np.arange(20), 20 + np.random.default_rng(seed).permutation(380)])
        for rows, found in ((slice(None), straight), (order, shuffled)):
            model = forest("multi-class", unlabeled_weight=0.5, n_estimators=10).fit(X[rows], y[rows])
            found.append(model.score(fresh_X, fresh_y))
    assert np.mean(straight) > 0.9
    assert abs(np.mean(straight) - np.mean(shuffled)) < 0.02


@pytest.mark.sampled(2)
@pytest.mark.parametrize("n_kept", [80, 60], ids=["some of them", "all of them"])
@pytest.mark.parametrize("task", TASKS)
def test_rows_without_label_of_weight_zero_take_no_part(task, n_kept):
    X, y = problem(task)
    shared = {"bootstrap": False, "unlabeled_weight": 0.5}
    y = without(y, np.arange(100) >= 60)
    kept = np.arange(100) < n_kept
    weighted = forest(task, **shared).fit(X, y, sample_weight=kept.astype(float))
    left_out = forest(task, **shared).fit(X[kept], y[kept])
    np.testing.assert_allclose(scores(weighted, X), scores(left_out, X), atol=1e-4)
    assert weighted.unlabeled_weight_ == left_out.unlabeled_weight_


def test_the_weight_of_rows_without_label_is_searched_by_grid():
    X, y, fresh_X, fresh_y = groups(0, 40)
    rows = np.arange(60)  # so that every fold trains on labels
    search = GridSearchCV(
        forest("multi-class"), {"unlabeled_weight": [0.0, 0.5, "auto"]}, cv=KFold(3, shuffle=True)
    )
    search.fit(X[rows], y[rows])
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_estimator_.score(fresh_X, fresh_y) > 0.5


@pytest.mark.parametrize(
    "clustering", ["features", "sketch", "targets+features", Clustering(np.zeros((100, 1)))]
)
def test_rows_without_label_and_clustering_do_not_go_together(clustering):
    X, y = problem("regression")
    for y_given in (y, without(y, ABSENT)):
        with pytest.raises(ValueError, match=r"unlabeled_weight=0.5 .* clustering"):
            forest("regression", unlabeled_weight=0.5).fit(X, y_given, clustering=clustering)


@pytest.mark.parametrize("clustering", ["features", "sketch", "targets+features"])
@pytest.mark.parametrize("task", TASKS)
def test_clustering_learns_from_targets_of_which_some_are_missing(task, clustering):
    X, y = problem(task)
    given = [without(y, ABSENT)]
    if y.ndim == 2:
        given.append(np.where(np.random.default_rng(0).random(y.shape) < 0.3, np.nan, y))
    for partly in given:
        model = forest(task, n_estimators=10).fit(X, partly, clustering=clustering)
        untrained = forest(task, max_depth=1, n_estimators=1).fit(np.ones_like(X), y)
        assert model.score(X, y) > untrained.score(np.ones_like(X), y) + 0.1


@pytest.mark.parametrize(
    ("weight", "error"),
    [
        (-0.1, ValueError),
        (1.1, ValueError),
        (np.nan, ValueError),
        ("some", (TypeError, ValueError)),
        (True, TypeError),
        ([0.5], TypeError),
        (np.array([0.5, 0.5]), (TypeError, ValueError)),
    ],
)
@pytest.mark.parametrize("make", [forest, tree])
def test_the_weight_of_rows_without_label_is_a_share(make, weight, error):
    X, y = problem("regression")
    with pytest.raises(error, match="unlabeled_weight="):
        make("regression", unlabeled_weight=weight).fit(X, y)


# ---- out of bag, warm start


@pytest.mark.parametrize("task", ["binary", "multi-class"])
def test_out_of_bag_accuracy_is_that_of_the_classes_that_are_known(task):
    X, y = problem(task)
    y = without(y, ABSENT)
    model = forest(task, oob_score=True, n_estimators=15).fit(X, y)
    decided = np.argmax(np.nan_to_num(model.oob_decision_function_), axis=1)
    counted = ~ABSENT & ~np.isnan(model.oob_decision_function_).any(axis=1)
    assert model.oob_decision_function_.shape[0] == 100
    assert model.oob_score_ == pytest.approx((decided == y)[counted].mean())


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("task", ["regression", "multi-target"])
def test_out_of_bag_r2_is_that_of_the_numbers_that_are_known(task, weighted):
    X, y = problem(task)
    y = np.where(np.random.default_rng(0).random(y.shape) < 0.3, np.nan, y)
    weights = np.arange(100) % 3 + 1.0 if weighted else np.ones(100)
    model = forest(task, oob_score=True, n_estimators=15).fit(X, y, sample_weight=weights)
    expected = []
    for truth, guess in zip(y.reshape(100, -1).T, model.oob_prediction_.reshape(100, -1).T, strict=True):
        counted = ~np.isnan(truth) & ~np.isnan(guess)
        expected.append(r2_score(truth[counted], guess[counted], sample_weight=weights[counted]))
    assert model.oob_score_ == pytest.approx(np.mean(expected))


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, sp.csc_matrix, sp.coo_array])
def test_out_of_bag_rows_are_right_if_all_labels_that_are_known_are(container):
    X, y = problem("multi-label")
    y = np.where(np.random.default_rng(0).random(y.shape) < 0.3, np.nan, y)
    model = forest("multi-label", oob_score=True, n_estimators=15).fit(X, container(y))
    oob = model.oob_decision_function_
    if container is not np.asarray:
        assert isinstance(oob, sp.csr_array)
        oob = oob.toarray()
    right = (((oob > 0.5) == y) | np.isnan(y)).all(axis=1)
    counted = ~np.isnan(y).all(axis=1) & ~np.isnan(oob).any(axis=1)
    assert model.oob_score_ == pytest.approx(right[counted].mean())


@pytest.mark.parametrize("task", ["binary", "regression"])
def test_an_out_of_bag_score_of_no_row_of_weight_is_nan_and_no_error(task):
    X, y = problem(task, 30)
    weights = np.r_[np.ones(1), np.zeros(29)]
    in_bag = 0
    for seed in range(6):
        model = forest(task, oob_score=True, bootstrap=True, n_estimators=1, random_state=seed)
        model.fit(X, y, sample_weight=weights)
        if bootstrap_counts(model.forest_.seed, 0, 30)[0] > 0:
            in_bag += 1
            assert np.isnan(model.oob_score_)
    assert in_bag > 0


def test_a_tree_that_saw_the_only_known_rows_does_not_judge_them():
    # Where no known row is drawn, a tree is grown on all of them.
    X, y = problem("regression", 30)
    y = without(y, np.arange(30) >= 2)
    n_undrawn = 0
    for seed in range(30):
        model = forest("regression", oob_score=True, n_estimators=1, random_state=seed).fit(X, y)
        if not bootstrap_counts(model.forest_.seed, 0, 30)[:2].any():
            n_undrawn += 1
            assert np.isnan(model.oob_prediction_[:2]).all()
            assert np.isnan(model.oob_score_)
    assert n_undrawn > 0


@pytest.mark.parametrize("weight", [None, 0.5])
@pytest.mark.parametrize("task", TASKS)
def test_trees_are_added_where_targets_are_missing(task, weight):
    X, y = problem(task)
    y = without(y, ABSENT)
    at_once = forest(task, unlabeled_weight=weight).fit(X, y)
    grown = forest(task, unlabeled_weight=weight, n_estimators=2, warm_start=True).fit(X, y)
    grown.set_params(n_estimators=4).fit(X, y)
    assert grown.trees_.n_trees == 4
    assert same_trees(at_once, grown)
    assert grown.set_params(n_estimators=5).fit(X, without(y, slice(50, None))).trees_.n_trees == 5
    assert np.isfinite(scores(grown, X)).all()


# ---- targets that say nothing


@pytest.mark.parametrize("weight", [None, 0.5, "auto"])
@pytest.mark.parametrize("make", [forest, tree])
@pytest.mark.parametrize("task", TASKS)
def test_at_least_one_target_must_be_known(task, make, weight):
    X, y = problem(task)
    with pytest.raises(ValueError, match=r"y .*(no label|missing)|of y is missing"):
        make(task, unlabeled_weight=weight).fit(X, np.full_like(y, np.nan))
    weights = np.where(ABSENT, 1.0, 0.0)
    with pytest.raises(ValueError, match=r"y .*(no label|missing).*weight|of y is missing.*weight"):
        make(task, unlabeled_weight=weight).fit(X, without(y, ABSENT), sample_weight=weights)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.coo_array])
def test_a_label_that_no_row_knows_is_named(form):
    X, y = problem("multi-label")
    y[:, 1] = np.nan
    with pytest.raises(ValueError, match=r"label 1 of y is missing"):
        forest("multi-label").fit(X, form(y))


def test_a_number_that_no_row_knows_is_named():
    X, y = problem("multi-target")
    y[:, 2] = np.nan
    with pytest.raises(ValueError, match=r"target 2 of y is missing"):
        forest("multi-target").fit(X, y)


def test_only_rows_marked_by_minus_one_are_no_label_and_the_error_says_so():
    X, _ = problem("binary")
    with pytest.raises(ValueError, match=r"no label.*-1"):
        forest("binary", unlabeled_weight=0.5).fit(X, np.full(100, -1))


@pytest.mark.parametrize(
    ("y", "task"),
    [
        (np.array([1.0, "a"] * 50, dtype=object), "regression"),
        (np.array(["a", "b"] * 50), "regression"),
        (pl.LazyFrame({"y": [0.0, 1.0] * 50}), "regression"),
        (pl.LazyFrame({"y": [0, 1] * 50}), "binary"),
        (np.array([[1]] * 50 + [[1, 2]] * 49 + ["a"], dtype=object), "binary"),
        (np.array([1, "a", None, "b"] * 25, dtype=object), "binary"),
        (np.array([[1, "a"], [0, 2]] * 50, dtype=object), "multi-label"),
        (np.array([[1, "a"], [0, None]] * 50, dtype=object), "multi-target"),
        (sp.csr_array(np.eye(100)), "multi-target"),
    ],
    ids=["mixed", "text", "lazy", "lazy classes", "lists", "classes", "labels", "numbers", "sparse numbers"],
)
def test_targets_that_cannot_be_read_are_refused_in_words_that_name_y(y, task):
    X, _ = problem("binary")
    with pytest.raises((TypeError, ValueError), match=r"\by\b"):
        forest(task).fit(X, y)


def test_folds_of_objects_with_gaps_are_fitted():
    X, y = problem("binary")
    gaps = np.array(whole(y), object)
    gaps[:3] = None
    # The second fold trains without any gap.
    folds = [(np.arange(50), np.arange(50, 100)), (np.arange(50, 100), np.arange(3, 50))]
    accuracy = cross_val_score(
        forest("binary"), X, gaps, cv=folds, scoring=lambda model, X, y: np.mean(model.predict(X) == y)
    )
    assert accuracy.min() > 0.5


# ---- what was once wrong


@pytest.mark.parametrize("values", [["a", "b", float("nan")], ["a", "b", None]], ids=str)
def test_a_list_of_texts_may_hold_gaps(values):
    X, _ = problem("binary", 60)
    assert forest("binary").fit(X, values * 20).classes_.tolist() == ["a", "b"]


@pytest.mark.parametrize("y", [[0.5, 1.25, None], np.array([0.5, 1.25, np.nan])], ids=str)
def test_numbers_that_are_no_classes_are_refused_beside_missing_ones(y):
    X, _ = problem("binary", 60)
    with pytest.raises(ValueError, match=r"y cannot be taken as classes.*continuous"):
        forest("binary").fit(X, np.array([*y] * 20))


def test_infinite_numbers_are_refused_among_objects_too():
    X, y = problem("regression", 60)
    y = y.astype(object)
    y[3] = float("inf")
    with pytest.raises(ValueError, match="y contains infinity"):
        forest("regression").fit(X, y)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("weight", [None, 0.5, "auto"])
def test_callbacks_hear_of_the_trees_of_the_final_model_only(weight):
    told = []

    class Listener:
        def setup(self, estimator, context):
            told.append("setup")

        def on_fit_task_begin(self, estimator, context, *, X):
            told.append(X.shape[1])

        def on_fit_task_end(self, estimator, context):
            told.append("end")
            return False

        def teardown(self, estimator, context):
            told.append("teardown")

    X, y = problem("regression")
    table = pd.DataFrame(X).assign(town=["a", "b", "c", "d"] * 25)
    table.columns = table.columns.astype(str)
    model = forest("regression", n_estimators=3, unlabeled_weight=weight).set_callbacks(Listener())
    model.fit(table, without(y, ABSENT))
    assert told.count("setup") == told.count("teardown") == 1
    assert told.count("end") == 4
    assert {each for each in told if isinstance(each, int)} == {table.shape[1]}
