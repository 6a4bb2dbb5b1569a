import importlib.metadata
import json
import pickle
import tempfile
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from slantwood.task_names import CLASS_TASKS, LABEL_TASKS, NUMBER_TASKS, TASKS
from slantwood_bench.measures import quality
from slantwood_bench.methods import method_class
from slantwood_bench.methods.base import dense
from slantwood_bench.methods.boosted_targets import targets_of
from slantwood_bench.methods.lightgbm import distinct_settings
from slantwood_bench.methods.one_per_target import learn_each
from slantwood_bench.methods.tuning import best_setting, grid, set_aside
from slantwood_bench.problems import Problem

pytestmark = pytest.mark.sampled

# Not in the study.
UNTUNED = "lightgbm-default"
BOOSTING = ("xgboost", "catboost")
PEERS = ("scikit-rf", "scikit-et", "linear-svm", "lightgbm", *BOOSTING, "ydf", "ydf-oblique", "treeple")
FORESTS = ("scikit-rf", "scikit-et", "lightgbm", *BOOSTING, "ydf", "ydf-oblique", "treeple")
MISSING = ("scikit-rf", "scikit-et", "lightgbm", *BOOSTING)
# Trees of labels; their random numbers have no seed.
LABEL_TREES = ("omikuji", "omikuji-bonsai")


def _tasks(name):
    # The estimator of numbers of treeple 0.10 fails beside every scikit-learn that slantwood takes.
    return [task for task in method_class(name).tasks if name != "treeple" or task not in NUMBER_TASKS]


def _peer(name, n_trees=15, seed=0, threads=1, changes=None):
    cls = method_class(name)
    if name == "treeple":
        _need_treeple()
    pytest.importorskip(cls.package, reason=f"not installed: pip install '{cls.installed_by}'")
    return cls(n_trees, seed, threads, changes)


def _need_treeple():
    # It is compiled against one version of scikit-learn, and fails in many ways beside others.
    try:
        forest = import_module("treeple.ensemble").ObliqueRandomForestClassifier(n_estimators=1)
        forest.fit(np.eye(4), [0, 0, 1, 1])
    except Exception as error:
        pytest.skip(f"treeple does not work here: {error}")


def _fitted(name, rows, **options):
    peer = _peer(name, **options)
    peer.fit(rows)
    return peer


def _predicted_by_a_constant(rows, n):
    """Return the best that can be said without looking at X: the mean, or the most frequent class."""
    y = dense(rows.y)
    if rows.task in CLASS_TASKS:
        return np.full(n, np.bincount(y).argmax())
    return np.broadcast_to(y.mean(axis=0), (n, *y.shape[1:]))


def _each_task(names, tasks=TASKS):
    pairs = [(name, task) for name in names for task in tasks if task in _tasks(name)]
    return pytest.mark.parametrize(("name", "task"), pairs)


def test_all_tasks_are_served_but_those_that_would_take_too_long():
    for name in PEERS:
        if name in ("lightgbm", "ydf", "ydf-oblique"):
            expected = (*NUMBER_TASKS, *CLASS_TASKS)
        elif name in BOOSTING:
            expected = (*NUMBER_TASKS, *CLASS_TASKS, "multi-label")
        else:
            expected = TASKS
        assert method_class(name).tasks == expected
    assert {method_class(name).tasks for name in LABEL_TREES} == {LABEL_TASKS}
    assert "one model per target" in method_class("lightgbm").title


@_each_task([*PEERS, *LABEL_TREES])
def test_predictions_have_the_shape_of_targets_and_beat_a_constant(name, task, form, planted):
    rows, X_test, y_test = planted(task, form)
    peer = _fitted(name, rows)
    predicted = peer.predict(X_test)
    assert predicted.shape == y_test.shape
    constant = quality(task, y_test, _predicted_by_a_constant(rows, X_test.shape[0]), rows.hierarchy)
    reached = quality(task, y_test, predicted, rows.hierarchy)
    assert reached > constant + 0.3 * (1 - constant)
    assert 0 < peer.n_bytes() < 10**7


@pytest.mark.parametrize("task", method_class(UNTUNED).more_tasks)
def test_lightgbm_with_its_defaults_serves_labels_too(task, form, planted):
    rows, X_test, y_test = planted(task, form)
    peer = _fitted(UNTUNED, rows)
    constant = quality(task, y_test, _predicted_by_a_constant(rows, X_test.shape[0]))
    assert quality(task, y_test, peer.predict(X_test)) > constant + 0.2 * (1 - constant)
    assert peer.setting == {}


@_each_task(PEERS, LABEL_TASKS)
def test_dense_and_sparse_labels_are_learned_alike(name, task, planted):
    rows, X_test, _ = planted(task)
    sparse_rows = rows._replace(y=sp.csr_array(rows.y, dtype=np.float32))
    first, second = (_fitted(name, each).predict(X_test) for each in (rows, sparse_rows))
    np.testing.assert_array_equal(first, second)


# Others have code of their own for sparse inputs, and may break ties in other ways there.
@_each_task(["ydf", "ydf-oblique", "treeple"])
def test_sparse_inputs_are_made_dense_for_those_who_need_it(name, task, planted):
    rows, X_test, _ = planted(task)
    first = _fitted(name, rows).predict(X_test)
    second = _fitted(name, rows._replace(X=sp.csr_array(rows.X))).predict(sp.csr_array(X_test))
    np.testing.assert_array_equal(first, second)


@pytest.mark.sampled(8)
@_each_task(PEERS)
def test_the_same_seed_gives_the_same_predictions_at_any_number_of_threads(name, task, planted):
    rows, X_test, _ = planted(task)
    first, second = (_fitted(name, rows, seed=3, threads=threads).predict(X_test) for threads in (1, 2))
    np.testing.assert_allclose(first, second, rtol=1e-12)


@pytest.mark.parametrize("name", [name for name in FORESTS if name not in ("lightgbm", "xgboost", "treeple")])
def test_another_seed_gives_another_forest(name, planted):
    rows, X_test, _ = planted("regression")
    first, second = (_fitted(name, rows, seed=seed).predict(X_test) for seed in (0, 1))
    assert not np.array_equal(first, second)


@pytest.mark.parametrize("task", ["multi-label", "multi-target regression"])
def test_machines_of_wide_data_are_the_same_at_any_number_of_threads(task):
    # Their solvers shuffle rows, with random numbers that all threads of a process share.
    X = np.random.default_rng(0).standard_normal((100, 400))
    y = (X[:, :8] > 0).astype(np.int8) if task == "multi-label" else X[:, :8] ** 2
    alone, *together = (
        _fitted("linear-svm", Problem(task, X, y), threads=threads, changes={"C": 1000}).predict(X)
        for threads in (1, 4, 4, 4)
    )
    for scores in together:
        np.testing.assert_array_equal(scores, alone)


@pytest.mark.parametrize("name", [name for name in PEERS if "multi-label" in _tasks(name)])
def test_labels_that_all_or_no_training_rows_have_get_one_score_for_all(name, form, planted):
    rows, X_test, _ = planted("multi-label")
    y = rows.y.copy()
    y[:, 1], y[:, 2] = 0, 1
    scores = _fitted(name, rows._replace(y=form(y))).predict(X_test)
    assert scores.shape == (len(X_test), 4)
    absent, always = scores[:, 1], scores[:, 2]
    assert (absent == absent[0]).all()
    assert (always == always[0]).all()
    assert absent[0] < always[0]
    assert len(np.unique(scores[:, 0])) > 1


@_each_task(PEERS, ["multi-label", "multi-target regression"])
def test_a_matrix_of_one_column_is_predicted_as_such(name, task, planted):
    rows, X_test, _ = planted(task)
    predicted = _fitted(name, rows._replace(y=rows.y[:, :1])).predict(X_test)
    assert predicted.shape == (len(X_test), 1)
    assert len(np.unique(predicted)) > 1


@pytest.mark.parametrize("name", [name for name in PEERS if name != "treeple"])
def test_a_single_class_is_always_predicted(name, planted):
    rows, X_test, _ = planted("binary")
    peer = _fitted(name, rows._replace(y=np.ones_like(rows.y)))
    assert (peer.predict(X_test) == 1).all()


@pytest.mark.parametrize("name", PEERS)
def test_classes_may_be_many_and_rare(name, planted):
    rows, X_test, _ = planted("multi-class")
    y = np.arange(150) % 12 * 5
    y[0] = 1000
    predicted = _fitted(name, rows._replace(y=y)).predict(X_test)
    assert set(predicted) <= set(y)
    assert len(set(predicted)) > 2


@_each_task(MISSING)
def test_missing_values_are_taken_where_it_is_said(name, task, form, planted):
    rows, X_test, y_test = planted(task)
    rng = np.random.default_rng(0)
    holed = [np.where(rng.random(X.shape) < 0.1, np.float32(np.nan), X) for X in (rows.X, X_test)]
    peer = _fitted(name, rows._replace(X=form(holed[0])))
    for X in (form(holed[1]), form(X_test)):
        assert quality(task, y_test, peer.predict(X), rows.hierarchy) > 0.3


def test_only_these_say_that_they_take_missing_values():
    assert [name for name in PEERS if method_class(name).takes_missing] == list(MISSING)


def _count(tree):
    """Count the nodes of a nested tree, whatever its children are called."""
    children = (
        [tree.get("left_child"), tree.get("right_child")] if isinstance(tree, dict) else _ydf_children(tree)
    )
    return 1 + sum(_count(child) for child in children if child is not None)


def _ydf_children(node):
    return [getattr(node, "pos_child", None), getattr(node, "neg_child", None)]


def _dumped(model):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.json")
        model.save_model(str(path), format="json")
        return json.loads(path.read_text())


def _slow_count(name, model):
    if name == "xgboost":
        trees = json.loads(model.booster.save_raw("json"))["learner"]["gradient_booster"]["model"]["trees"]
        return sum(len(tree["left_children"]) for tree in trees)
    if name == "catboost":
        # A level of a tree has the same test in all nodes.
        dump = _dumped(model)["oblivious_trees"]
        return sum(2 ** (len(tree["splits"]) + 1) - 1 for tree in dump)
    if name == "lightgbm":
        dumps = [each.booster_.dump_model()["tree_info"] for each in model.models]
        return sum(_count(tree["tree_structure"]) for trees in dumps for tree in trees)
    if name.startswith("ydf"):
        return sum(_count(tree.root) for each in model.models for tree in each.forest.iter_trees())
    # One for each leaf, and one for each that has children.
    trees = [each.tree_ for each in model.estimators_]
    return sum((tree.children_left < 0).sum() + (tree.children_right >= 0).sum() for tree in trees)


@_each_task(FORESTS, ["multi-class", "multi-target regression"])
def test_nodes_are_those_of_all_trees(name, task, planted):
    peer = _fitted(name, planted(task).rows)
    assert peer.nodes() == _slow_count(name, peer.model)
    assert peer.nodes() > 15


def test_a_linear_model_has_no_nodes(planted):
    assert _fitted("linear-svm", planted("multi-label").rows).nodes() is None


@pytest.mark.parametrize("name", ["scikit-rf", "linear-svm", "lightgbm", *BOOSTING, "treeple"])
def test_a_pickled_model_predicts_the_same(name, planted):
    rows, X_test, _ = planted("multi-class")
    peer = _fitted(name, rows)
    before = peer.predict(X_test)
    peer.model = pickle.loads(pickle.dumps(peer.model))
    np.testing.assert_array_equal(peer.predict(X_test), before)


@pytest.mark.parametrize("name", [*PEERS, *LABEL_TREES])
def test_version_is_that_of_the_library_or_empty(name, monkeypatch):
    cls = method_class(name)
    monkeypatch.setattr(cls, "package", "no_library_of_this_name")
    assert cls.version() == ""
    monkeypatch.undo()
    _peer(name)
    if name == "xgboost":
        assert cls.version() == import_module("xgboost").__version__
    else:
        assert cls.version() == importlib.metadata.version(cls.distribution or cls.package)


def test_random_forests_look_at_few_features_and_extra_trees_of_numbers_at_all(planted):
    rows = planted("regression").rows
    assert _fitted("scikit-rf", rows).model.max_features == "sqrt"
    assert _fitted("scikit-et", rows).model.max_features == 1.0
    assert _fitted("scikit-et", rows, changes={"max_features": 2}).model.max_features == 2


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("scikit-rf", {"n_estimators": 3}),
        ("lightgbm", {"n_estimators": 3}),
        ("ydf", {"num_trees": 3}),
        ("xgboost", {"num_boost_round": 3}),
        ("catboost", {"iterations": 3}),
    ],
)
def test_fewer_trees_by_a_change_are_fewer_nodes(name, changes, planted):
    rows = planted("regression").rows
    others = {"num_leaves": 20, "min_child_samples": 10} if name == "lightgbm" else {}
    few, many = (_fitted(name, rows, changes=each) for each in (others | changes, others))
    assert few.nodes() < 0.5 * many.nodes()


def test_small_c_wins_on_noise_and_large_c_where_there_is_none():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 60))
    clean, noise = X[:, 0] * 3, rng.standard_normal(100) * 6
    chosen = [_fitted("linear-svm", Problem("regression", X, y)).setting for y in (clean, clean + noise)]
    assert chosen == [{"C": 1000}, {"C": 0.1}]


@pytest.mark.parametrize("name", ["linear-svm", "lightgbm"])
def test_the_model_is_learned_from_all_rows_with_the_best_setting(name, planted):
    rows, X_test, _ = planted("multi-target regression")
    tuned = _fitted(name, rows)
    told = _fitted(name, rows, changes=tuned.setting)
    np.testing.assert_array_equal(told.predict(X_test), tuned.predict(X_test))


@pytest.mark.parametrize("n_rows", [2, 6, 11])
@_each_task(["linear-svm", "lightgbm", "xgboost"])
def test_few_rows_are_learned_from_all_the_same(name, n_rows, task, planted):
    rows, X_test, y_test = planted(task, n_train=n_rows)
    assert _fitted(name, rows).predict(X_test).shape == y_test.shape


def test_regression_does_not_depend_on_the_unit_of_numbers(planted):
    rows, X_test, _ = planted("regression")
    predicted = _fitted("linear-svm", rows, changes={"C": 1}).predict(X_test)
    other = _fitted("linear-svm", rows._replace(y=1e4 * rows.y - 1e6), changes={"C": 1}).predict(X_test)
    np.testing.assert_allclose(other, 1e4 * predicted - 1e6, rtol=1e-6)


class _Wrong:
    """Predicts the truth, but for a share of rows, whose number it predicts too large."""

    def __init__(self, share):
        self.share = share

    def predict(self, X):
        return X[:, 0] + 10 * (np.arange(len(X)) < self.share * len(X))


@given(st.permutations([0.0, 0.2, 0.5, 0.8, 1.0]), st.integers(0, 100))
def test_tuning_finds_the_best_setting_wherever_it_stands(shares, seed):
    X = np.random.default_rng(seed).standard_normal((50, 2))
    settings = [{"share": share} for share in shares]
    best = best_setting(
        Problem("regression", X, X[:, 0]), settings, lambda _, setting: _Wrong(**setting), seed
    )
    assert best == {"share": 0.0}


def test_tuning_never_shows_a_model_the_rows_that_judge_it():
    X = np.arange(40.0)[:, None]
    seen = []

    class Watch:
        def __init__(self, rows):
            self.learned = set(rows.X[:, 0])

        def predict(self, X):
            assert self.learned.isdisjoint(X[:, 0])
            assert len(self.learned) + len(X) == 40
            seen.append(tuple(X[:, 0]))
            return X[:, 0]

    best = best_setting(
        Problem("regression", X, X[:, 0]), [{"a": 1}, {"a": 2}], lambda rows, _: Watch(rows), 0
    )
    assert best == {"a": 1}
    assert len(seen) == 2
    assert len(set(seen)) == 1


def test_one_setting_is_not_tried():
    rows = Problem("regression", np.zeros((50, 1)), np.zeros(50))
    assert best_setting(rows, [{"a": 1}], lambda *_: pytest.fail("tried"), 0) == {"a": 1}


@given(st.lists(st.sampled_from("aaaabbc"), min_size=5, max_size=80), st.integers(0, 9))
def test_a_fifth_of_each_class_is_set_aside(classes, seed):
    y = np.array(classes)
    held = set_aside(Problem("multi-class", np.zeros((len(y), 1)), y), seed)
    assert len(held) == round(len(y) / 5)
    for name in set(classes):
        assert abs((y[held] == name).sum() - (y == name).sum() / 5) < 1


@given(st.integers(5, 80), st.integers(0, 9), st.sampled_from(TASKS))
def test_rows_set_aside_are_a_fifth_of_them_and_the_same_for_a_seed(n_rows, seed, task):
    rows = Problem(task, np.zeros((n_rows, 1)), np.zeros(n_rows))
    held = set_aside(rows, seed)
    assert len(set(held)) == len(held) == round(n_rows / 5)
    assert set(held) <= set(range(n_rows))
    np.testing.assert_array_equal(held, set_aside(rows, seed))


def test_what_is_changed_is_no_choice_any_more():
    assert len(grid({"a": [1, 2], "b": [3, 4, 5]}, {})) == 6
    assert grid({"a": [1, 2], "b": [3, 4]}, {"b": 9}) == [{"a": 1, "b": 9}, {"a": 2, "b": 9}]


@given(st.integers(1, 5000))
def test_settings_of_lightgbm_can_split_and_differ(n_rows):
    every = grid({"num_leaves": (20, 50, 100), "min_child_samples": (1, 10, 100, 1000)}, {})
    kept = distinct_settings(every, n_rows)
    reached = [
        (min(each["num_leaves"], n_rows // each["min_child_samples"]), each["min_child_samples"])
        for each in kept
    ]
    assert len(set(reached)) == len(kept) >= 1
    assert n_rows < 2 or all(leaves >= 2 for leaves, _ in reached)
    # Whatever was left out grows the trees of one that is there, or none.
    for each in every:
        leaves = min(each["num_leaves"], n_rows // each["min_child_samples"])
        assert leaves < 2 or (leaves, each["min_child_samples"]) in reached


@pytest.mark.parametrize("threads", [1, 3])
def test_models_stand_in_the_order_of_their_columns(threads):
    y = np.random.default_rng(0).integers(0, 9, (20, 7))
    y[:, 3] = 5
    learned = learn_each(sp.csr_array(y), lambda column: _Sum(column.sum()), threads)
    expected = y.sum(axis=0)
    expected[3] = 5
    np.testing.assert_array_equal(learned.predict(np.zeros((2, 1))), [expected, expected])


class _Sum:
    def __init__(self, value):
        self.value = value

    def predict(self, X):
        return np.full(len(X), self.value)


@pytest.mark.parametrize("task", LABEL_TASKS)
def test_one_c_serves_all_labels(task, planted):
    rows = planted(task).rows
    peer = _fitted("linear-svm", rows)
    assert list(peer.setting) == ["C"]
    assert len(peer.model.model.models) == rows.y.shape[1]


# ---- boosting of all targets at once


def test_targets_come_back_as_they_went():
    rng = np.random.default_rng(0)
    for task, y in (
        ("multi-class", rng.integers(3, 9, 50) * 10),
        ("regression", rng.normal(5, 3, 50)),
        ("multi-target regression", rng.normal([1, 0, -1e6], [1, 1e-3, 1e4], (50, 3))),
        ("multi-label", sp.csr_array(rng.integers(0, 2, (50, 4)))),
    ):
        targets = targets_of(task, y)
        outputs = targets.encode(y)
        if task == "multi-class":
            outputs = np.eye(targets.n_outputs)[outputs]
        np.testing.assert_allclose(targets.decode(outputs), dense(y), rtol=1e-9)


@pytest.mark.parametrize("name", BOOSTING)
def test_boosted_numbers_do_not_depend_on_their_units(name, planted):
    rows, X_test, _ = planted("multi-target regression")
    units = np.array([1.0, 2.0**10, 2.0**-10])
    predicted, other = (_fitted(name, rows._replace(y=rows.y * each)).predict(X_test) for each in (1, units))
    np.testing.assert_allclose(other, predicted * units, rtol=1e-4)


@pytest.mark.parametrize("task", ["multi-target regression", "multi-label"])
def test_a_tree_of_xgboost_is_for_all_targets(task, planted):
    peer = _fitted("xgboost", planted(task).rows)
    assert len(peer.model.booster.get_dump()) == peer.setting["rounds"] <= peer.n_trees


def test_xgboost_has_few_rounds_on_noise_and_many_where_there_is_none():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3))
    clean, noise = X[:, 0] * X[:, 1], rng.standard_normal(200) * 3
    few, many = (_fitted("xgboost", Problem("regression", X, y)).setting["rounds"] for y in (noise, clean))
    assert few < 5 < many


def test_xgboost_learns_from_all_rows_with_the_best_number_of_rounds(planted):
    rows, X_test, _ = planted("multi-class")
    tuned = _fitted("xgboost", rows)
    told = tuned._learn(rows, **tuned.setting)
    np.testing.assert_array_equal(told.predict(X_test), tuned.predict(X_test))


def _table(values):
    pd = pytest.importorskip("pandas")
    return pd.DataFrame({"n": np.zeros(len(values), np.float32), "c": pd.Categorical(values)})


@pytest.mark.parametrize("task", ["regression", "multi-target regression", "binary", "multi-label"])
def test_catboost_takes_nominal_columns_as_they_are(task):
    values = np.array(["a", "b", "c", None] * 40, object)
    wanted = (values == "b") | (values == None)  # noqa: E711
    y = np.column_stack([wanted, ~wanted]) if task.startswith("multi") else wanted
    y = y.astype(np.float64 if "regression" in task else np.int64)
    peer = _fitted("catboost", Problem(task, _table(values), y))
    predicted = peer.predict(_table(["a", "b", "c", None, "of tomorrow"])).reshape(5, -1)[:, 0]
    assert (predicted[[1, 3]] > 0.5).all()
    assert (predicted[[0, 2]] < 0.5).all()


# ---- trees of labels


@pytest.mark.parametrize("name", LABEL_TREES)
def test_rows_without_features_or_labels_are_taken(name, form):
    X = np.eye(4, dtype=np.float32)[np.arange(80) % 4]
    y = X.astype(np.int8)
    y[:, 3] = 0
    X[::8] = 0
    peer = _fitted(name, Problem("multi-label", form(X), form(y)))
    scores = peer.predict(form(np.vstack([np.eye(4), np.zeros((1, 4))]).astype(np.float32)))
    assert sp.issparse(scores) == sp.issparse(form(y))
    scores = dense(scores)
    assert (scores[:3, :3].argmax(axis=1) == np.arange(3)).all()
    # Nobody had the last label.
    assert (scores[:, 3] == 0).all()
    assert peer.nodes() is None
    assert peer.n_bytes() > 0


def test_bonsai_is_a_wide_tree():
    given = method_class("omikuji-bonsai").parameters
    assert given == {"cluster_balanced": False, "cluster_k": 100, "max_depth": 3}
    known = pytest.importorskip("omikuji").Model.default_hyper_param()
    assert all(hasattr(known, name) for name in given)
