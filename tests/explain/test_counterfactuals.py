"""Claims about counterfactuals: they hold, nothing nearer does, and where there is none, none is told."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_diabetes, load_iris, make_multilabel_classification

from slantwood import (
    Hierarchy,
    ObliqueBoostingClassifier,
    ObliqueBoostingRegressor,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
)
from slantwood.explain import counterfactual
from slantwood.explain.breakpoints import breakpoints

FEW = {"n_estimators": 5, "random_state": 0}


def labels():
    X, Y = make_multilabel_classification(150, n_features=6, n_classes=4, random_state=0)
    return X, Y


def nearest_on_a_grid(model, row, X, changed, n=2000):
    """Try many values of each feature, within its range; return the least distance of those that change."""
    best = np.inf
    for j in range(X.shape[1]):
        values = np.linspace(min(X[:, j].min(), row[j]), max(X[:, j].max(), row[j]), n)
        rows = np.repeat(row[None], n, axis=0)
        rows[:, j] = values
        hits = changed(model.predict(rows))
        if hits.any():
            best = min(best, np.abs(values[hits] - row[j]).min() / X[:, j].std())
    return best


@pytest.mark.parametrize("make", [ObliqueTreeClassifier, ObliqueForestClassifier, ObliqueBoostingClassifier])
def test_the_nearest_change_of_the_class_is_found(make):
    X, y = load_iris(return_X_y=True)
    parameters = {"random_state": 0} if make is ObliqueTreeClassifier else FEW
    model = make(**parameters).fit(X, np.array(["oak", "elm", "ash"])[y])
    for i in (0, 55, 70, 120):
        before = model.predict(X[[i]])[0]
        found = counterfactual(model, X[i], X)
        slow = nearest_on_a_grid(model, X[i], X, lambda said, before=before: said != before)
        if found is None:
            assert slow == np.inf
            continue
        changed = X[[i]].copy()
        changed[0, found.position] = found.value
        assert found.before == before
        assert model.predict(changed)[0] == found.after != before
        assert found.value_before == pytest.approx(X[i, found.position])
        moved = abs(found.value - X[i, found.position]) / X[:, found.position].std()
        assert found.distance == pytest.approx(moved, rel=1e-3)
        assert found.distance <= slow + 0.002


@pytest.mark.parametrize("make", [ObliqueForestRegressor, ObliqueBoostingRegressor])
def test_the_nearest_change_of_a_number_is_found(make):
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:120], y[:120]
    model = make(**FEW).fit(X, np.stack([y, -y], axis=1))
    before = model.predict(X[[5]])[0]
    found = counterfactual(model, X[5], X, targets="y1", amount=25.0)
    changed = X[[5]].copy()
    changed[0, found.position] = found.value
    assert abs(model.predict(changed)[0, 1] - before[1]) >= 25.0
    assert found.after == pytest.approx(tuple(model.predict(changed)[0]))
    slow = nearest_on_a_grid(model, X[5], X, lambda said: np.abs(said[:, 1] - before[1]) >= 25.0, n=500)
    assert found.distance <= slow + 0.002
    assert counterfactual(model, X[5], X, amount=1e6) is None


def test_one_label_or_any_label_changes_dense_and_sparse():
    X, Y = labels()
    model = ObliqueForestClassifier(**FEW).fit(X, Y)
    rows = (i for i in range(150) if counterfactual(model, X[i], X, targets=2) is not None)
    i = next(rows)
    before = model.predict(X[[i]])[0]
    found = counterfactual(model, X[i], X, targets=2)
    changed = X[[i]].copy()
    changed[0, found.position] = found.value
    after = model.predict(changed)[0]
    assert after[2] != before[2]
    assert found.before == tuple(np.flatnonzero(before))
    assert found.after == tuple(np.flatnonzero(after))
    sparse = counterfactual(model, sp.csr_array(X[[i]]), sp.csr_array(X), targets=2)
    assert (sparse.position, sparse.value) == (found.position, found.value)
    assert counterfactual(model, X[i], X).distance <= found.distance


def test_the_class_to_be_may_be_named_and_features_may_be_kept():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = ObliqueForestClassifier(**FEW).fit(X, np.array(["oak", "elm", "ash"])[y])
    row = X.iloc[[60]]
    for wanted in ("oak", "ash"):
        found = counterfactual(model, row, X, targets=wanted)
        if found is not None:
            assert found.after == wanted
            assert model.predict(row.assign(**{found.feature: found.value}))[0] == wanted
    only = counterfactual(model, row, X, features=["petal length (cm)"])
    assert only is None or only.feature == "petal length (cm)"
    with pytest.raises(ValueError, match=r"features has 'petal lenght'.*did you mean"):
        counterfactual(model, row, X, features="petal lenght")


def test_normalized_rows_bend_the_splits():
    rng = np.random.default_rng(0)
    X = rng.gamma(1.0, size=(150, 5))
    y = (X[:, 0] > X[:, 1:].mean(axis=1)).astype(int)
    model = ObliqueForestClassifier(normalize_rows=True, **FEW).fit(X, y)
    for i in range(3):
        before = model.predict(X[[i]])[0]
        found = counterfactual(model, X[i], X)
        slow = nearest_on_a_grid(model, X[i], X, lambda said, before=before: said != before)
        if found is None:
            assert slow == np.inf
            continue
        assert found.distance <= slow + 0.002
        changed = X[[i]].copy()
        changed[0, found.position] = found.value
        assert model.predict(changed)[0] != before


@pytest.mark.parametrize("is_normalized", [False, True])
def test_between_breakpoints_rows_stay_in_their_leaves(is_normalized):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 4)).astype(np.float32)
    X[::5, 2] = np.nan
    model = ObliqueForestRegressor(normalize_rows=is_normalized, missing_indicators=False, **FEW)
    model.fit(X, np.nan_to_num(X) @ [1.0, -1.0, 0.5, 0.2])
    for row in (X[0], X[1]):
        found = breakpoints(
            model.trees_, row, np.arange(4), np.full(4, -3.0), np.full(4, 3.0), is_normalized=is_normalized
        )
        for j in range(4):
            values = np.linspace(-3, 3, 1001)
            rows = np.repeat(row[None], 1001, axis=0)
            rows[:, j] = values
            moved = (np.diff(model.apply(rows), axis=0) != 0).any(axis=1)
            piece = np.searchsorted(found.value[found.column == j], values)
            # A leaf changes only where a breakpoint lies between two values, but for rounding.
            assert (moved <= (np.diff(piece) > 0)).mean() > 0.995
            assert moved.any()


def test_categories_and_missing_values_change_too():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"kind": pd.Categorical(rng.choice(list("abc"), 200)), "size": rng.normal(size=200)})
    y = np.where(X["kind"] == "b", "yes", "no")
    forest = ObliqueForestClassifier(**FEW).fit(X, y)
    row = X[X["kind"] == "a"].iloc[[0]]
    found = counterfactual(forest, row, X)
    assert (found.feature, found.value_before, found.value, found.after) == ("kind", "a", "b", "yes")
    assert "kind from 'a' to 'b', 1 deviations: 'no' becomes 'yes'" in repr(found)
    X["size"] += 5.0 * (y == "yes")
    X.loc[::7, "size"] = np.nan
    forest = ObliqueForestRegressor(missing_indicators=True, **FEW).fit(
        X[["size"]], (y == "yes").astype(float)
    )
    row = X.iloc[[7]][["size"]]
    found = counterfactual(forest, row, X[["size"]], amount=0.3)
    assert found.value_before is None
    grid = np.linspace(X["size"].min(), X["size"].max(), 2000)
    moved = np.abs(forest.predict(pd.DataFrame({"size": grid})) - forest.predict(row)) >= 0.3
    nearest = np.abs(grid - np.float32(X["size"].mean()))[moved].min() / X["size"].std(ddof=0)
    assert found.distance <= nearest + 0.002
    assert abs(forest.predict(row.assign(size=found.value))[0] - forest.predict(row)[0]) >= 0.3


def test_labels_of_a_hierarchy_come_with_their_ancestors():
    X, y = load_iris(return_X_y=True)
    kinds = Hierarchy.from_edges([("short", "0"), ("long", "1"), ("long", "2")])
    model = ObliqueForestClassifier(hierarchy=kinds, **FEW).fit(X, [{str(each)} for each in y])
    found = counterfactual(model, X[80], X)
    assert set(found.before) == {"long", "1"}
    changed = X[[80]].copy()
    changed[0, found.position] = found.value
    assert set(model.predict(changed)[0]) == set(found.after) != set(found.before)


def test_what_is_asked_for_must_fit_the_task():
    X, y = load_iris(return_X_y=True)
    forest = ObliqueForestClassifier(**FEW).fit(X, y)
    with pytest.raises(ValueError, match="amount=1"):
        counterfactual(forest, X[0], X, amount=1.0)
    with pytest.raises(ValueError, match="row has 2 rows"):
        counterfactual(forest, X[:2], X)
    numbers = ObliqueForestRegressor(**FEW).fit(X, X[:, 0])
    with pytest.raises(ValueError, match="amount="):
        counterfactual(numbers, X[0], X)
    constant = ObliqueForestRegressor(**FEW).fit(X, np.ones(150))
    assert counterfactual(constant, X[0], X, amount=0.1) is None
