"""Methods that slantwood itself grows: all fit on their tasks, and published ones have published settings."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

import slantwood
from slantwood import GradientSplit, NDCGSplit, OC1Split, RidgeSplit, SVMSplit, WODTSplit
from slantwood.presets import PRESETS
from slantwood.task_names import HIERARCHICAL, LABEL_TASKS, TASKS
from slantwood_bench.measures import quality
from slantwood_bench.methods import METHODS, method_class
from slantwood_bench.methods.base import dense
from slantwood_bench.methods.oblique import Slantwood
from slantwood_bench.problems import cut, load_problem

pytestmark = pytest.mark.sampled

OURS = tuple(name for name in METHODS if issubclass(method_class(name), Slantwood))
EACH_TASK = [(name, task) for name in OURS for task in method_class(name).tasks]
# Of every method one task, another for each, and all of them at night.
IN_TURN = {(name, (tasks := sorted(method_class(name).tasks))[i % len(tasks)]) for i, name in enumerate(OURS)}
ONE_TASK_EACH = [
    pytest.param(*each, marks=() if each in IN_TURN else pytest.mark.thorough, id="-".join(each))
    for each in EACH_TASK
]
SETS = dict(zip(TASKS, ("triazines", "slump", "banknote", "balance", "flags", "enron"), strict=True))

# Of the paper's text: a split is tried where more than one row is left, and accepted if impurity is 5 % less
# on one side; C is 10, hyperplanes have 100 iterations, clusters 10, and steps are 0.1.
GRADIENT = {"C": 10.0, "learning_rate": 0.1, "max_iter": 100, "start": "noise", "threshold": "learned"}
SVM = {"C": 10.0, "max_iter": 100, "cluster_iter": 10, "class_weight": None}
STANDARDISED = {"feature_power": 1.0, "target_power": 1.0, "min_support": 1}
PAPER = {
    "min_samples_split": 2,
    "min_impurity_decrease": 0.05,
    "normalize_rows": False,
    "normalize_labels": False,
}


@pytest.fixture(scope="module")
def halves(data):
    """Return rows of a set to learn from, inputs to predict, and their targets, in a method's form."""
    problems = {}

    def make(name, dataset):
        if dataset not in problems:
            problems[dataset] = load_problem(dataset, data)
        problem = problems[dataset]
        every = np.arange(problem.X.shape[0])
        train, test = every[every % 3 > 0], every[every % 3 == 0]
        return *cut(problem, train, test, method_class(name)), problem.y[test]

    return make


def _fitted(name, rows, n_trees=3, changes=None, seed=0):
    method = method_class(name)(n_trees, seed, 1, changes)
    method.fit(rows)
    return method


def _settings(name, rows, **options):
    return _fitted(name, rows, **options).model.settings_


# ---- every method on every task


def test_our_methods_have_our_version():
    assert {method_class(name).version() for name in OURS} == {slantwood.__version__}


@pytest.mark.parametrize(("name", "task"), ONE_TASK_EACH)
def test_every_method_learns_its_tasks(halves, name, task):
    rows, X_test, y_test = halves(name, SETS[task])
    assert rows.task == task
    method = _fitted(name, rows, n_trees=5)
    predicted = method.predict(X_test)
    assert predicted.shape == y_test.shape
    assert sp.issparse(predicted) == sp.issparse(y_test)
    found = quality(task, y_test, predicted, rows.hierarchy)
    assert found > quality(task, y_test, _constant(rows, y_test), rows.hierarchy)
    assert 1 < method.nodes() < method.model.trees_.n_trees * 2 * len(dense(rows.y))
    assert method.n_bytes() > 0


def _constant(rows, y_test):
    """Predict without looking at X: the mean, or the class that is most frequent."""
    y = dense(rows.y)
    if rows.task in ("binary", "multi-class"):
        # Of two classes always the first, of which F1 knows nothing.
        return np.full(len(y_test), np.bincount(y).argmax() if rows.task == "multi-class" else 0)
    return np.broadcast_to(y.mean(axis=0), dense(y_test).shape)


@pytest.mark.parametrize("name", ["bag-gradient", "bag-svm-paper", "rf-pct", "fastxml", "tree-pct"])
def test_sparse_labels_are_answered_sparse(halves, name):
    rows, X_test, y_test = halves(name, "tmc2007-500")
    assert sp.issparse(rows.y)
    predicted = _fitted(name, rows).predict(X_test)
    assert sp.issparse(predicted)
    assert predicted.shape == y_test.shape


@pytest.mark.parametrize("name", OURS)
def test_groups_are_told_by_the_number_of_trees(halves, name):
    cls = method_class(name)
    rows, _, _ = halves(name, SETS[cls.tasks[0]])
    preset = PRESETS[cls.parameters.get("preset", "default")]
    model = _fitted(name, rows, n_trees=4).model
    if cls.boosted:
        assert model.n_estimators == 40 >= model.n_iter_
    else:
        assert model.trees_.n_trees == (1 if cls.group == "tree" else preset.count(4))
    assert name.startswith("tree-") <= (cls.group == "tree")


def test_the_same_seed_gives_the_same_model(halves):
    rows, X_test, _ = halves("bag-gradient", "triazines")
    one, two, other = (_fitted("bag-gradient", rows, seed=seed).predict(X_test) for seed in (1, 1, 2))
    assert_array_equal(one, two)
    assert (one != other).any()


@pytest.mark.parametrize("name", ["bag-gradient", "bag-gradient-paper", "rf-svm", "bag-pct", "tree-pct"])
def test_trees_of_a_hierarchy_know_it(halves, name):
    rows, _, _ = halves(name, SETS[HIERARCHICAL])
    assert _fitted(name, rows).model.hierarchy == rows.hierarchy


def test_fastxml_sees_labels_only(halves):
    rows, _, _ = halves("fastxml", SETS[HIERARCHICAL])
    assert _fitted("fastxml", rows).model.hierarchy is None


# ---- settings


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("form", ["bag", "rf", "tree"])
@pytest.mark.parametrize(
    ("split", "published", "expected"),
    [
        ("gradient", GradientSplit.published(), {**GRADIENT, "competitor": None, "batch_size": None}),
        ("svm", SVMSplit.published(), SVM),
    ],
    ids=["gradient", "svm"],
)
def test_the_papers_form_has_the_papers_settings(halves, task, form, split, published, expected):
    name = f"{form}-{split}-paper"
    rows, _, _ = halves(name, SETS[task])
    model = _fitted(name, rows).model
    found = model.settings_
    assert found.split == published
    used = {field: getattr(published, field) for field in (*expected, *STANDARDISED)}
    assert used == {**expected, **STANDARDISED}
    assert found.to_dict().items() >= PAPER.items()
    assert found.bootstrap == (form != "tree")
    if form == "rf":
        assert found.max_features == "sqrt"
    else:
        # All of them, in one of two ways to say it.
        assert found.max_features in (None, 1.0)
    assert model.max_depth is None


@pytest.mark.parametrize("task", TASKS)
def test_standard_trees_are_the_usual_ones(halves, task):
    for name, bootstrap, max_features in (
        ("bag-pct", True, (None,)),
        ("rf-pct", True, ("sqrt",)),
        ("tree-pct", False, (None, 1.0)),
    ):
        rows, _, _ = halves(name, SETS[task])
        found = _settings(name, rows)
        assert found.split.thresholds == "best"
        assert found.bootstrap == bootstrap
        assert found.max_features in max_features
        assert found.min_samples_split == 2
        assert found.normalize_rows is found.normalize_labels is False


@pytest.mark.parametrize(
    "name", ["bag-gradient", "rf-gradient", "tree-gradient", "bag-svm", "rf-svm", "tree-svm"]
)
@pytest.mark.parametrize("task", ["regression", "multi-label"])
def test_defaults_are_what_a_user_gets_who_sets_nothing(halves, name, task):
    rows, X_test, _ = halves(name, SETS[task])
    form, split = name.split("-")
    kind = "Classifier" if task in LABEL_TASKS else "Regressor"
    given = {} if form == "tree" else {"n_estimators": 3}
    if form == "rf":
        given["max_features"] = "sqrt"
    estimator = getattr(slantwood, f"Oblique{'Tree' if form == 'tree' else 'Forest'}{kind}")
    user = estimator(split=split, random_state=0, **given).fit(rows.X, rows.y)
    ours = _fitted(name, rows)
    assert ours.model.settings_ == user.settings_
    expected = user.predict_proba(X_test) if task in LABEL_TASKS else user.predict(X_test)
    assert_array_equal(ours.predict(X_test), expected)


@pytest.mark.parametrize(
    ("name", "published"),
    [("oc1", OC1Split.published()), ("wodt", WODTSplit.published()), ("orf", RidgeSplit.published())],
)
def test_other_oblique_trees_are_as_published(halves, name, published):
    rows, _, _ = halves(name, "banknote")
    found = _settings(name, rows)
    assert found.split == published
    if name == "orf":
        assert (found.bootstrap, found.max_features) == (True, "sqrt")


@pytest.mark.parametrize("dataset", ["flags", "tmc2007-500"])
def test_fastxml_is_the_published_split_and_nothing_else(halves, dataset):
    rows, _, _ = halves("fastxml", dataset)
    found = _settings("fastxml", rows)
    assert found.split == NDCGSplit.published()
    assert (found.normalize_rows, found.min_samples_split, found.min_impurity_decrease) == (
        False,
        11,
        0.0,
    )


# ---- changes


@pytest.mark.parametrize("name", ["bag-gradient", "bag-svm", "bag-gradient-paper", "bag-svm-paper"])
def test_changes_reach_the_split_or_the_estimator(halves, name):
    rows, _, _ = halves(name, "triazines")
    assert _settings(name, rows, changes={"C": 0.125}).split.C == 0.125
    assert _settings(name, rows, changes={"min_impurity_decrease": 0.2}).min_impurity_decrease == 0.2
    assert _settings(name, rows, changes={"min_samples_split": 7}).min_samples_split == 7
    assert _fitted(name, rows, changes={"n_estimators": 2}).model.trees_.n_trees == 2
    both = _settings(name, rows, changes={"max_iter": 5, "bootstrap": False})
    assert (both.split.max_iter, both.bootstrap) == (5, False)


def test_changes_that_nobody_knows_are_an_error(halves):
    rows, _, _ = halves("bag-gradient", "triazines")
    with pytest.raises(TypeError, match="colour"):
        _fitted("bag-gradient", rows, changes={"colour": 1})
