"""Clustering attributes judge splits in place of the targets, and leaves predict the targets all the same."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.metrics import r2_score

from slantwood import (
    Clustering,
    GradientSplit,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
    SVMSplit,
)

# Few trees on purpose: rows that all of them saw, which a warning tells of, are no concern of these claims.
pytestmark = [
    pytest.mark.filterwarnings("ignore:oob_score=True.*no out-of-bag prediction:UserWarning"),
    pytest.mark.sampled,
]

TREES = [ObliqueTreeClassifier, ObliqueTreeRegressor]
FORESTS = [ObliqueForestClassifier, ObliqueForestRegressor]
ALL = TREES + FORESTS
SPLITS = pytest.mark.parametrize("split", ["gradient", "svm"])
NAMES = ["targets", "features", "targets+features", "sketch"]


def small(kind, **parameters):
    few = {"n_estimators": 3} if kind in FORESTS else {}
    return kind(**{**few, "random_state": 0, **parameters})


def problem(kind, seed=0, n=120, task=None):
    """Features, targets of one task, and attributes that have to do with the features."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    Z = np.column_stack([X[:, 0] - X[:, 1], np.abs(X[:, 2]), X[:, 3] > 0, rng.normal(size=n)])
    task = task or ("regression" if kind in (ObliqueTreeRegressor, ObliqueForestRegressor) else "binary")
    noisy = X[:, :4] + 0.3 * rng.normal(size=(n, 4))
    y = {
        "binary": (noisy[:, 0] > 0).astype(int),
        "multi-class": np.array(["a", "b", "c", "d"])[noisy.argmax(axis=1)],
        "multi-label": (noisy > 0.5).astype(int),
        "regression": noisy[:, 0],
        "multi-target regression": noisy,
    }[task]
    return X, y, Z


TASKS = [
    (kind, task)
    for kinds, tasks in [
        ([ObliqueTreeClassifier, ObliqueForestClassifier], ["binary", "multi-class", "multi-label"]),
        ([ObliqueTreeRegressor, ObliqueForestRegressor], ["regression", "multi-target regression"]),
    ]
    for kind in kinds
    for task in tasks
]
EVERY_TASK = pytest.mark.parametrize(("kind", "task"), TASKS)


def scores(model, X):
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)


def same_structure(a, b):
    return all(np.array_equal(x, y) for x, y in zip(a.trees_[:-1], b.trees_[:-1], strict=True))


def same_model(a, b, X):
    return same_structure(a, b) and np.array_equal(scores(a, X), scores(b, X))


def encoded(model, y):
    """One column per predicted score, as `scores` returns them."""
    if not hasattr(model, "classes_"):
        return y.reshape(len(y), -1)
    return y if y.ndim == 2 else (y[:, None] == model.classes_).astype(float)


def assert_leaves_predict_the_targets(model, X, y, weights=None):
    """Predictions are averages over trees of weighted means of y over the rows of a leaf."""
    weights = np.ones(len(X)) if weights is None else weights
    leaves = model.apply(X).reshape(len(X), -1)
    values = encoded(model, y)
    twin = np.zeros(values.shape)
    for tree in leaves.T:
        for leaf in np.unique(tree):
            here = tree == leaf
            twin[here] += np.average(values[here], axis=0, weights=weights[here]) / leaves.shape[1]
    # Leaves are float32 and of the size of the targets.
    assert_allclose(scores(model, X).reshape(twin.shape), twin, rtol=0, atol=1e-5 * np.abs(values).max())


# ---- what can be given


@EVERY_TASK
@SPLITS
@pytest.mark.parametrize("clustering", [*NAMES, "matrix", "sparse matrix", Clustering("features", sketch=2)])
def test_leaves_predict_the_targets_whatever_judges_the_splits(kind, task, split, clustering):
    X, y, Z = problem(kind, task=task)
    weights = np.random.default_rng(1).uniform(0.5, 2.0, len(X))
    judged_by = {"matrix": Z, "sparse matrix": sp.csr_array(Z)}.get(str(clustering), clustering)
    model = small(kind, split=split, **({"bootstrap": False} if kind in FORESTS else {}))
    model.fit(X, y, sample_weight=weights, clustering=judged_by)
    assert (model.trees_.left >= 0).sum() >= 3
    assert_leaves_predict_the_targets(model, X, y, weights)


CONTAINERS = {
    "CSR array": sp.csr_array,
    "CSR matrix": sp.csr_matrix,
    "CSC array": sp.csc_array,
    "COO matrix": sp.coo_matrix,
    "Fortran order": np.asfortranarray,
    "list": np.ndarray.tolist,
    "Clustering": Clustering,
    "Clustering of CSR": lambda Z: Clustering(sp.csr_array(Z)),
}


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("density", [1.0, 0.1], ids=["full", "mostly zeros"])
@pytest.mark.parametrize("container", CONTAINERS)
def test_the_container_of_the_attributes_does_not_change_the_model(kind, density, container):
    X, y, Z = problem(kind)
    Z = np.hstack([Z, X]) * (np.random.default_rng(0).random((len(X), 10)) < density)
    kept = Z.copy()
    expected = small(kind).fit(X, y, clustering=Z)
    given_matrix = CONTAINERS[container](Z)
    assert same_model(small(kind).fit(X, y, clustering=given_matrix), expected, X)
    # And what was given can be given again.
    assert same_model(small(kind).fit(X, y, clustering=given_matrix), expected, X)
    assert_array_equal(Z, kept)


@pytest.mark.parametrize("kind", ALL)
def test_one_column_may_be_given_as_a_vector(kind):
    X, y, Z = problem(kind)
    one = small(kind).fit(X, y, clustering=Z[:, 0])
    assert same_model(one, small(kind).fit(X, y, clustering=Z[:, :1]), X)
    assert not same_structure(one, small(kind).fit(X, y, clustering=Z))


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("width", [1, 2, 300])
@pytest.mark.parametrize("density", [1.0, 0.05], ids=["dense", "sparse"])
def test_attributes_may_have_any_width(kind, width, density):
    X, y, _ = problem(kind)
    rng = np.random.default_rng(0)
    Z = (X @ rng.normal(size=(6, width))) * (rng.random((len(X), width)) < density)
    Z[0] = 1.0  # so that no column is empty
    model = small(kind).fit(X, y, clustering=sp.csr_array(Z) if density < 1 else Z)
    assert (model.trees_.left >= 0).any()
    assert np.isfinite(scores(model, X)).all()


@EVERY_TASK
@SPLITS
def test_targets_by_name_are_what_judges_if_nothing_is_said(kind, task, split):
    X, y, _ = problem(kind, task=task)
    nothing = small(kind, split=split).fit(X, y)
    for spelling in (None, "targets", Clustering(), Clustering("targets")):
        assert same_model(small(kind, split=split).fit(X, y, clustering=spelling), nothing, X)


@SPLITS
@pytest.mark.parametrize(
    ("kind", "task"),
    [case for case in TASKS if case[1] in ("binary", "multi-label", "regression", "multi-target regression")],
)
def test_the_targets_given_as_attributes_judge_as_the_targets_do(kind, task, split):
    # Indicators stay what they are. Numbers are brought to mean 0 and variance 1 as targets are, up to the
    # last bits of float64, which float32 does not see.
    X, y, _ = problem(kind, task=task)
    nothing = small(kind, split=split).fit(X, y)
    found = small(kind, split=split).fit(X, y, clustering=y)
    assert same_model(found, nothing, X)


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("container", [np.array, sp.csr_array, sp.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_fit_leaves_the_attributes_as_they_were(kind, container, dtype):
    X, y, Z = problem(kind)
    mine = container(Z.astype(dtype))
    small(kind).fit(X, y, clustering=mine)
    assert_array_equal(mine if isinstance(mine, np.ndarray) else mine.toarray(), Z.astype(dtype))


@SPLITS
@pytest.mark.parametrize("kind", TREES)
def test_features_that_have_no_share_do_not_judge(kind, split):
    X, y, _ = problem(kind)
    tree = small(kind, split=split, max_depth=1)
    alone = clone(tree).fit(X, y).apply(X)
    both = clone(tree).fit(X, y, clustering=Clustering("targets+features", feature_weight=0.0)).apply(X)
    # Columns of weight 0 take part in the arithmetic and in the draws: the same sides, not the same bits.
    agreement = (alone == both).mean()
    assert max(agreement, 1 - agreement) > 0.9


@EVERY_TASK
@SPLITS
def test_targets_that_have_no_share_do_not_judge(kind, task, split):
    X, y, _ = problem(kind, task=task)
    order = np.random.default_rng(5).permutation(len(y))
    one, other, judged = (
        small(kind, split=split, min_samples_split=4).fit(
            X, target, clustering=Clustering("targets+features", feature_weight=share)
        )
        for target, share in [(y, 1.0), (y[order], 1.0), (y[order], 0.5)]
    )
    assert same_structure(one, other)
    assert not same_structure(one, judged)


# ---- what it is for


def beside_noise(seed, n):
    """Two steps of the features that attributes show and that noise of three times their variance hides."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 10))
    clean = np.column_stack([X[:, 0] + X[:, 1] > 0, X[:, 2] - X[:, 3] > 0]).astype(float)
    truth = 2.0 * clean.sum(axis=1) - 2.0
    return X, truth + np.sqrt(6.0) * rng.normal(size=n), clean, truth


@SPLITS
@pytest.mark.parametrize("kind", [ObliqueTreeRegressor, ObliqueForestRegressor])
def test_clean_attributes_beat_noisy_targets_on_fresh_rows(kind, split):
    by_targets, by_attributes = [], []
    for seed in range(5):
        X, y, Z, _ = beside_noise(seed, 400)
        fresh, _, _, truth = beside_noise(100 + seed, 1000)
        model = small(kind, split=split, random_state=seed)
        if kind in FORESTS:
            # Leaves of a tuned size keep out some of the noise, too.
            model.set_params(n_estimators=10, min_samples_split=2)
        by_targets.append(r2_score(truth, clone(model).fit(X, y).predict(fresh)))
        by_attributes.append(r2_score(truth, clone(model).fit(X, y, clustering=Z).predict(fresh)))
    gaps = np.subtract(by_attributes, by_targets)
    # Every time, by a lot, and close to the truth: a tree on 100 rows for each of the four steps has means
    # with an error of sqrt(6 / 100), 3 % of the variance, and few rows on the wrong side of a boundary.
    assert gaps.min() > 0.3
    assert gaps.mean() > (0.4 if kind in FORESTS else 1.0)
    assert np.mean(by_attributes) > 0.75


@SPLITS
def test_clean_attributes_beat_noisy_classes_on_fresh_rows(split):
    right = []
    for seed in range(10):
        X, y, Z, _ = beside_noise(seed, 400)
        fresh, _, _, truth = beside_noise(100 + seed, 1000)
        clear = truth != 0
        tree = ObliqueTreeClassifier(split=split, random_state=seed)
        right.append(
            [
                (tree.fit(X, y > 0, clustering=judged_by).predict(fresh)[clear] == (truth > 0)[clear]).mean()
                for judged_by in (None, Z)
            ]
        )
    by_targets, by_attributes = np.mean(right, axis=0)
    assert by_attributes > 0.95
    # The SVM, which separates two classes with few features, stands noise in them better.
    assert 1 - by_attributes < 0.8 * (1 - by_targets)


@EVERY_TASK
@SPLITS
@pytest.mark.parametrize("clustering", ["features", "matrix", Clustering("features", sketch=3)])
def test_without_the_targets_the_structure_does_not_depend_on_them(kind, task, split, clustering):
    X, y, Z = problem(kind, task=task)
    judged_by = Z if isinstance(clustering, str) and clustering == "matrix" else clustering
    shuffled = y[np.random.default_rng(5).permutation(len(y))]
    given = {"split": split, "min_samples_split": 4}  # which forests choose by the targets
    one = small(kind, **given).fit(X, y, clustering=judged_by)
    other = small(kind, **given).fit(X, shuffled, clustering=judged_by)
    assert same_structure(one, other)
    assert not np.array_equal(scores(one, X), scores(other, X))
    assert (one.trees_.left >= 0).sum() >= 3


@SPLITS
def test_features_that_judge_find_their_own_clusters(split):
    rng = np.random.default_rng(0)
    which = np.arange(120) % 3
    X = 10.0 * rng.normal(size=(3, 5))[which] + rng.normal(size=(120, 5))
    y = rng.normal(size=120)  # has nothing to do with them
    leaves = (
        ObliqueTreeRegressor(split=split, max_depth=2, random_state=0)
        .fit(X, y, clustering="features")
        .apply(X)
    )
    for leaf in np.unique(leaves):
        assert len(np.unique(which[leaves == leaf])) == 1


# ---- weights


@pytest.mark.parametrize("kind", [ObliqueTreeClassifier, ObliqueForestClassifier])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, sp.csr_matrix, Clustering])
@pytest.mark.parametrize("by", ["sample_weight", "class_weight"])
def test_rows_of_classes_that_nothing_weighs_have_no_part_with_any_attributes(kind, container, by):
    X, y, Z = problem(kind, task="multi-class")
    present = y != "b"
    other = np.where(present, y, "a")
    expected = small(kind).fit(X, other, sample_weight=present * 1.0, clustering=container(Z))
    if by == "sample_weight":
        found = small(kind).fit(X, y, sample_weight=present * 1.0, clustering=container(Z))
    else:
        weights = {"a": 1.0, "b": 0.0, "c": 1.0, "d": 1.0}
        found = small(kind, class_weight=weights).fit(X, y, clustering=container(Z))
    assert_array_equal(found.classes_, ["a", "c", "d"])
    assert same_model(found, expected, X)


@pytest.mark.parametrize("kind", TREES)
@pytest.mark.parametrize("clustering", ["matrix", "features", "targets+features"])
def test_rows_without_weight_do_not_judge(kind, clustering):
    X, y, Z = problem(kind)
    weights = np.random.default_rng(2).integers(0, 3, len(X)) * 1.0
    present = weights > 0
    nonsense = np.where(present[:, None], Z, 1e5 * np.random.default_rng(3).normal(size=Z.shape))
    own = clustering == "matrix"
    found = small(kind).fit(X, y, sample_weight=weights, clustering=nonsense if own else clustering)
    expected = small(kind).fit(
        X[present], y[present], sample_weight=weights[present], clustering=Z[present] if own else clustering
    )
    assert_array_equal(found.apply(X[present]), expected.apply(X[present]))
    assert_allclose(scores(found, X[present]), scores(expected, X[present]), atol=1e-4)


def test_weights_of_targets_count_beside_the_features_too():
    X, y, _ = problem(ObliqueTreeRegressor, task="multi-target regression")
    both = Clustering("targets+features", feature_weight=0.01)
    for target in range(4):
        weights = np.full(4, 1e-4)
        weights[target] = 1.0
        tree = ObliqueTreeRegressor(max_depth=1, target_weights=weights, random_state=0)
        tree.fit(X, y, clustering=both)
        assert tree.feature_importances_.argmax() == target


# ---- forests


@pytest.mark.parametrize("kind", FORESTS)
@SPLITS
@pytest.mark.parametrize("clustering", ["matrix", *NAMES, Clustering(sketch=2)])
def test_the_number_of_threads_does_not_change_the_model(kind, split, clustering):
    X, y, Z = problem(
        kind, task="multi-label" if kind is ObliqueForestClassifier else "multi-target regression"
    )
    judged_by = Z if isinstance(clustering, str) and clustering == "matrix" else clustering
    one, two = (
        small(kind, split=split, n_estimators=4, n_jobs=n_jobs).fit(X, y, clustering=judged_by)
        for n_jobs in (1, 2)
    )
    assert same_model(one, two, X)


@pytest.mark.parametrize("kind", FORESTS)
@pytest.mark.parametrize("clustering", ["matrix", "targets+features", Clustering(sketch=2)])
def test_a_forest_continued_is_the_forest_grown_at_once(kind, clustering):
    X, y, Z = problem(
        kind, task="multi-label" if kind is ObliqueForestClassifier else "multi-target regression"
    )
    judged_by = Z if isinstance(clustering, str) and clustering == "matrix" else clustering
    continued = small(kind, n_estimators=2, warm_start=True).fit(X, y, clustering=judged_by)
    continued.set_params(n_estimators=5).fit(X, y, clustering=judged_by)
    assert same_model(continued, small(kind, n_estimators=5).fit(X, y, clustering=judged_by), X)


@pytest.mark.parametrize("kind", FORESTS)
def test_a_forest_may_be_continued_by_other_attributes(kind):
    X, y, Z = problem(kind)
    continued = small(kind, n_estimators=2, warm_start=True).fit(X, y, clustering=Z)
    first = continued.trees_
    continued.set_params(n_estimators=4).fit(X, y, clustering="features")
    assert continued.trees_.n_trees == 4
    n_nodes = len(first.left)
    assert_array_equal(continued.trees_.weights[: len(first.weights)], first.weights)
    fresh = small(kind, n_estimators=4).fit(X, y, clustering="features").trees_
    # The trees that were added are those of a forest that the features judge.
    assert_array_equal(continued.trees_.bias[n_nodes:], fresh.bias[fresh.roots[2] :])


@pytest.mark.parametrize("kind", FORESTS)
def test_rows_left_out_of_the_bag_are_scored_as_ever(kind):
    X, y, Z = problem(kind)
    forest = small(kind, n_estimators=15, bootstrap=True, oob_score=True).fit(X, y, clustering=Z)
    assert 0.3 < forest.oob_score_ < 1.0


# ---- sketches


def many_labels(seed=0, n=250, n_labels=120):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 8))
    return X, (X @ rng.normal(size=(8, n_labels)) + rng.normal(size=(n, n_labels)) > 2.5).astype(int)


@SPLITS
@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("kind", [ObliqueTreeClassifier, ObliqueForestClassifier])
def test_a_sketch_leaves_leaves_exact_and_is_repeatable(kind, is_sparse, split):
    X, Y = many_labels()
    labels = sp.csr_array(Y) if is_sparse else Y
    model = small(kind, split=split, **({"bootstrap": False} if kind in FORESTS else {}))
    found, again = (clone(model).fit(X, labels, clustering=Clustering(sketch=20)) for _ in range(2))
    assert same_model(found, again, X)
    assert not same_structure(found, clone(model).fit(X, labels))
    assert_leaves_predict_the_targets(found, X, Y)
    assert found.predict_proba(X).shape == Y.shape


@SPLITS
def test_a_sketch_keeps_most_of_what_many_labels_teach(split):
    kept = []
    for seed in range(5):
        X, Y = many_labels(seed, n=600)
        train = np.arange(len(X)) % 2 == 1
        fresh, truth = X[~train], Y[~train]
        forest = ObliqueForestClassifier(n_estimators=5, split=split, random_state=seed)
        chance = ((truth - Y[train].mean(axis=0)) ** 2).mean()
        whole, sketched = (
            chance - ((truth - forest.fit(X[train], Y[train], clustering=c).predict_proba(fresh)) ** 2).mean()
            for c in (None, Clustering(sketch=40))
        )
        assert whole > 0.1 * chance
        kept.append(sketched / whole)
    # 40 columns keep squared distances to sqrt(2 / 40), 22 %; no more than that may be lost.
    assert np.mean(kept) > 0.78


def test_a_sketch_depends_on_the_seed():
    X, Y = many_labels()
    one, other = (
        ObliqueTreeClassifier(random_state=seed, split="svm", max_depth=1).fit(
            X, Y, clustering=Clustering(sketch=4)
        )
        for seed in (0, 1)
    )
    assert not same_structure(one, other)


@pytest.mark.parametrize("width", [120, 500])
def test_a_sketch_that_is_not_narrower_is_no_sketch(width):
    X, Y = many_labels()
    wide = ObliqueTreeClassifier(random_state=0).fit(X, Y, clustering=Clustering(sketch=width))
    assert same_model(wide, ObliqueTreeClassifier(random_state=0).fit(X, Y), X)
    assert same_model(ObliqueTreeClassifier(random_state=0).fit(X, Y, clustering="sketch"), wide, X)


@SPLITS
def test_weights_of_targets_count_in_a_sketch_too(split):
    # One label that a feature decides, among many that another one decides: a thousand times its weight must
    # put the first feature in front, with and without a sketch.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    Y = (X[:, [1]] + 0.5 * rng.normal(size=(300, 100)) > 0).astype(int)
    Y[:, 0] = X[:, 0] > 0
    weights = np.ones(100)
    weights[0] = 1000.0
    for judged_by in (None, Clustering(sketch=50)):
        front = [
            ObliqueTreeClassifier(
                split=split, normalize_labels=False, max_depth=1, target_weights=weights, random_state=seed
            )
            .fit(X, Y, clustering=judged_by)
            .feature_importances_.argmax()
            for seed in range(5)
        ]
        assert front == [0] * 5, judged_by


def test_attributes_of_the_users_own_and_features_can_be_sketched():
    X, Y = many_labels()
    for judged_by in (Clustering(Y * 3.0, sketch=16), Clustering("targets+features", sketch=16)):
        tree = ObliqueTreeClassifier(random_state=0).fit(X, Y, clustering=judged_by)
        assert (tree.trees_.left >= 0).sum() >= 3
        assert_leaves_predict_the_targets(tree, X, Y)


# ---- other splits, and errors


@pytest.mark.parametrize(
    "split",
    [
        GradientSplit(start="informed", threshold="exact"),
        GradientSplit.published(),
        SVMSplit(C=1.0),
        SVMSplit(class_weight="balanced"),
    ],
)
@pytest.mark.parametrize("kind", ALL)
def test_splits_with_parameters_take_attributes(kind, split):
    X, y, Z = problem(kind)
    model = small(kind, split=split, **({"bootstrap": False} if kind in FORESTS else {}))
    model.fit(X, y, clustering=Z)
    assert (model.trees_.left >= 0).any()
    assert_leaves_predict_the_targets(model, X, y)


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize(
    ("clustering", "error", "parts"),
    [
        (np.ones((119, 2)), ValueError, ["119", "120", "one row for each row of X"]),
        (np.ones(121), ValueError, ["121", "120", "one row for each row of X"]),
        (sp.csr_array(np.ones((119, 2))), ValueError, ["119", "120", "one row for each row of X"]),
        (Clustering(np.ones((119, 2))), ValueError, ["119", "120", "one row for each row of X"]),
        (np.full((120, 2), np.nan), ValueError, ["NaN"]),
        (np.full((120, 2), np.inf), ValueError, ["infinity"]),
        (sp.csr_array(np.full((120, 2), np.nan)), ValueError, ["NaN"]),
        (np.full((120, 2), "a"), (TypeError, ValueError), ["numbers"]),
        (np.array([["a", 1.0]] * 120, dtype=object), (TypeError, ValueError), ["numbers"]),
        (np.ones((120, 2)) * 1j, (TypeError, ValueError), ["numbers"]),
        (np.ones((120, 2, 2)), ValueError, ["(120, 2, 2)"]),
        (3.0, (TypeError, ValueError), ["one row for each row of X"]),
        (np.ones((120, 0)), ValueError, ["(120, 0)"]),
        (sp.csr_array((120, 0)), ValueError, ["(120, 0)"]),
        ("labels", ValueError, ["'labels'", "'targets+features'", "'sketch'", "matrix"]),
        ("", ValueError, ["''", "'targets+features'"]),
        ({"a": 1}, (TypeError, ValueError), ["one row for each row of X"]),
    ],
)
def test_attributes_that_cannot_judge_are_refused_by_name(kind, clustering, error, parts):
    X, y, _ = problem(kind)
    with pytest.raises(error) as caught:
        small(kind).fit(X, y, clustering=clustering)
    assert "clustering" in str(caught.value)
    for part in parts:
        assert part in str(caught.value)


@pytest.mark.parametrize("kind", ALL)
def test_a_refused_matrix_leaves_the_earlier_model_usable(kind):
    X, y, Z = problem(kind)
    model = small(kind).fit(X, y, clustering=Z)
    before = scores(model, X)
    with pytest.raises(ValueError, match="clustering"):
        model.fit(X, y, clustering=Z[:-1])
    assert_array_equal(scores(model, X), before)


@pytest.mark.parametrize("kind", ALL)
@SPLITS
@pytest.mark.parametrize("value", [0.0, 1.0, 2.5])
def test_attributes_that_do_not_vary_make_a_leaf(kind, split, value):
    X, y, _ = problem(kind)
    model = small(kind, split=split).fit(X, y, clustering=np.full((120, 3), value))
    assert (model.trees_.left < 0).all()
    if kind in TREES:
        assert_leaves_predict_the_targets(model, X, y)
