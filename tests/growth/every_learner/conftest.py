"""Every split learner, by what its class says of itself, and data that it can be tried on.

A learner that is registered in `slantwood.split_names` is tested without a line being added here. Only
parameters that change how a learner goes about it are listed, and what a learner cannot promise.
"""

from dataclasses import dataclass, fields, replace
from fnmatch import fnmatch

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from slantwood.ensemble.defaults import DataTraits, resolve_auto
from slantwood.split_names import SPLITS, split_class
from slantwood.task_names import LABEL_TASKS, MIXED, SEVERAL_TASKS
from tests.sampling import few_with_every_value

# Name of the learner, and parameters other than those that a user gets.
VARIANTS = {
    "gradient, informed": ("gradient", {"start": "informed", "competitor": None}),
    "gradient, exact": ("gradient", {"threshold": "exact", "competitor": None}),
    "gradient, informed, exact": (
        "gradient",
        {"start": "informed", "threshold": "exact", "competitor": None},
    ),
    "svm, as they fall": ("svm", {"class_weight": None}),
    "svm, cheap": ("svm", {"C": 0.1, "tol": 0.1}),
    "axis, random": ("axis", {"thresholds": "random"}),
    "oc1, random": ("oc1", {"order": "random", "n_restarts": 5}),
    "oc1, best": ("oc1", {"order": "best"}),
    "wodt, noise": ("wodt", {"start": "noise"}),
    "ridge, newton": ("ridge", {"strength": "newton"}),
    "ndcg, as they fall": ("ndcg", {"class_weight": None}),
}
# Variants that look at some rows only, so that no row is like another.
SAMPLING = {"gradient, batches": ("gradient", {"batch_size": 3})}

# Growing from few rows must not end where regularisation ends it, nor a search where it is nearly done.
SETTLED = {"C": 10.0, "tol": 1e-4}
SETTLED_TOO = {"svm": {"max_iter": 2000}}  # rows with missing values may lie on the boundary
# Tiny nodes, of which plain Python grows hundreds, do with less.
QUICK = {"C": 10.0, "max_iter": 12, "n_restarts": 2, "n_jumps": 2}

# What makes no difference to other learners, but does to these, by a pattern of their names. There the two
# trees must be equally good. A learner that is not named here must not depend on any of it.
STEPS_TIE = "it takes the best of many steps, of which some are equally good but for rounding"
ROWS_STAY = (
    "rows that both sides suit equally stay where they were drawn, so that boundaries divide their likes"
)
DEPENDS_ON = {
    "number of rows": {"ridge": "cross-validation counts rows, whatever they weigh", "ndcg*": ROWS_STAY},
    "order of rows": {"svm*": "clusters start at rows that are drawn by their place", "ndcg*": ROWS_STAY},
    # A sparse block has its columns in the order in which rows come with them.
    "order of features": {
        "gradient": "noise is given to columns in their order",
        "gradient, exact": "noise is given to columns in their order",
        "wodt*": "noise is given to columns in their order",
        "axis, random": "thresholds are drawn for columns in their order",
        "oc1*": "random planes are drawn for columns in their order",
        "cart-lc": STEPS_TIE,
    },
    "order of features with missing values": {
        "axis": "of features that are equally good, but unknown in other rows, the first is taken"
    },
    "order of attributes": {
        "gradient, informed*": "a start is drawn for attributes in their order",
        "ridge*": "the direction among attributes starts at one that is drawn in their order",
        "ndcg*": "of labels that are equally frequent the first goes before",
    },
    "rounding": {"oc1*": STEPS_TIE, "cart-lc": STEPS_TIE, "ndcg*": ROWS_STAY},
}
# One split of these is not the best that there is.
ROUGH = {
    "axis, random": "thresholds are drawn",
    "gradient": "from noise it finds one of many optima, and single trees start elsewhere",
    "gradient, exact": "from noise it finds one of many optima, and single trees start elsewhere",
}
# Share of its rows that a tree of these tells right, where others tell all.
TELLS = {
    "gradient": 0.85,  # from noise a node may find no split that is worth it
    "gradient, exact": 0.85,
    "svm, cheap": 0.9,  # it gives small groups up
    "ndcg*": 0.6,  # a label set within another has the same ranking, and is not told from it
}
# A label set, none of them empty, for each of six groups of rows; groups differ in size, so that no two ways
# of dividing them are equally good.
LABEL_SETS = np.array(
    [[0, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0]], float
)
GROUPS = np.repeat(np.arange(6), [11, 14, 17, 21, 26, 31])


@dataclass(frozen=True)
class Tested:
    """One learner, and the attributes that it can take."""

    name: str
    given: object  # as a user gives it to an estimator
    settled: object  # with every parameter settled

    @property
    def takes_classes_only(self):
        return self.given.reads_labels and not set(self.given.tasks) & set(LABEL_TASKS)

    @property
    def takes_labels_only(self):
        return self.given.reads_labels and "binary" not in self.given.tasks

    def depends_on(self, *what):
        """Whether any of this makes a difference; rounding always comes with it."""
        what = ("rounding", *what)
        return any(fnmatch(self.name, pattern) for one in what for pattern in DEPENDS_ON[one])

    @property
    def tells(self):
        """Share of its rows that a tree must tell right."""
        return min((share for pattern, share in TELLS.items() if fnmatch(self.name, pattern)), default=0.97)

    @property
    def boundary(self):
        """Weights of the first two of some features in a boundary that one split can follow."""
        return np.array([1.0, 1.0]) if self.given.oblique else np.array([1.0, 0.0])

    def quick(self, **changes):
        """The settled learner in a hurry."""
        return with_known(self.settled, QUICK | changes)

    def attributes(self, which):
        """What tells the groups of rows apart: a label set or class for each."""
        return (np.eye(6) if self.takes_classes_only else LABEL_SETS)[which]

    def two_sides(self, is_right):
        """What tells two sides apart: a column, or two where only a label that is there says anything."""
        is_right = np.asarray(is_right) * 1.0
        return np.column_stack([is_right, 1 - is_right] if self.takes_labels_only else [is_right])

    def two_groups(self, is_right, rng):
        """What tells two sides of many rows apart: as above, or some of the three labels that a side has."""
        if not self.takes_labels_only:
            return self.two_sides(is_right)
        chosen = rng.random((len(is_right), 3)) < 0.5
        chosen[np.arange(len(chosen)), rng.integers(0, 3, len(chosen))] = True
        return np.hstack([chosen & is_right[:, None], chosen & ~is_right[:, None]]) * 1.0

    def with_missing(self, Z, share, rng):
        """Attributes of which a share is unknown: classes as a whole, others one by one."""
        shape = (len(Z), 1) if self.takes_classes_only else Z.shape
        return np.where(rng.random(shape) < share, np.nan, Z)


def with_known(split, values):
    """Change those of the values that are parameters of this learner."""
    known = {field.name for field in fields(split)}
    return replace(split, **{name: value for name, value in values.items() if name in known})


def tested(name):
    """Make a learner of the tables above."""
    split_name, changes = ({name: (name, {}) for name in SPLITS} | VARIANTS | SAMPLING)[name]
    given = replace(split_class(split_name)(), **changes)
    task = [task for task in given.tasks if task not in SEVERAL_TASKS][-1]
    traits = DataTraits(task, 120, 5, 4, 1.0, False, False, False, False)
    settled = given.filled_in(resolve_auto(traits, given, {}))
    settled = with_known(settled, SETTLED | SETTLED_TOO.get(split_name, {}) | changes)
    return Tested(name, given, settled)


PLAIN = {name: tested(name) for name in SPLITS}
EVERY = PLAIN | {name: tested(name) for name in VARIANTS}
EVERY_AND_SAMPLING = EVERY | {name: tested(name) for name in SAMPLING}


def _fixture_of(learners, about):
    @pytest.fixture(scope="session", params=learners.values(), ids=learners)
    def learner(request):
        return request.param

    learner.__doc__ = about
    return learner


def _those(condition):
    return {name: learner for name, learner in EVERY.items() if condition(learner)}


learner = _fixture_of(EVERY, "Every learner and its variants.")
any_learner = _fixture_of(
    EVERY_AND_SAMPLING, "Every learner and its variants, and those that look at some rows."
)
careful_learner = _fixture_of(_those(lambda a: a.name not in ROUGH), "Learners whose every split is good.")
free_learner = _fixture_of(_those(lambda a: not a.given.reads_labels), "Learners that take any attributes.")
free_careful_learner = _fixture_of(
    _those(lambda a: not a.given.reads_labels and a.name not in ROUGH),
    "Learners whose every split is good, whatever the attributes.",
)
standardising_learner = _fixture_of(
    _those(lambda a: a.settled.scaling.features == 1.0), "Learners that do not see the units of features."
)
free_of_units = _fixture_of(
    _those(lambda a: not a.given.reads_labels and a.settled.scaling.targets == 1.0),
    "Learners that take any attributes, whatever their units.",
)
plain_learner = _fixture_of(PLAIN, "Every learner as a user gets it.")
class_learner = _fixture_of(
    _those(lambda a: "multi-class" in a.given.tasks and a.name != "axis, random"), "Learners of classes."
)


def _with_tasks(condition, about):
    pairs = {
        f"{name}, {task}": (learner, task)
        for name, learner in PLAIN.items()
        for task in learner.given.tasks
        if condition(task)
    }
    few = few_with_every_value([{"learner": learner.name, "task": task} for learner, task in pairs.values()])
    marked = {
        name: pytest.param(pair, marks=[] if place in few else pytest.mark.thorough)
        for place, (name, pair) in enumerate(pairs.items())
    }
    return _fixture_of(marked, about)


learner_and_task = _with_tasks(lambda task: True, "Every learner as a user gets it, for each of its tasks.")
learner_and_task_of_two_sides = _with_tasks(
    lambda task: task == MIXED or task not in ("multi-class", *SEVERAL_TASKS),
    "The same, for tasks that can have two sides; of several targets with a number among them.",
)


@pytest.fixture(scope="session")
def clustered():
    """Make features of rows in six groups that are far apart, a share missing, and their attributes."""

    def make(learner, seed, *, thin=False, missing=0.0):
        rng = np.random.default_rng(seed)
        which = rng.permutation(GROUPS)
        X = 8 * rng.normal(size=(6, 12))[which] + rng.normal(size=(len(which), 12))
        if thin:
            rare = rng.normal(size=(len(which), 60)) * (rng.random((len(which), 60)) < 0.03)
            X = np.hstack([X * (rng.random((6, 12)) < 0.4)[which], rare])
            missing /= 4
        X[rng.random(X.shape) < missing] = np.nan
        return X.astype(np.float32).astype(np.float64), learner.attributes(which)

    return make


@pytest.fixture(scope="session")
def groups_of():
    """Tell into which groups a tree divides some rows on the way, whichever side of a split they are on."""
    from slantwood.features.matrix import prediction_matrix
    from slantwood.model.routing import route

    def go(tree, X):
        nodes = np.empty((X.shape[0], 1), np.int32)
        route(prediction_matrix(X), tree, np.arange(X.shape[0], dtype=np.uint32), nodes)
        rows = [np.flatnonzero(nodes[:, 0] == node) for node in range(len(tree.left))]
        for node in range(len(tree.left))[::-1]:  # children come after their parents
            if tree.left[node] >= 0:
                rows[node] = np.union1d(rows[tree.left[node]], rows[tree.right[node]])
        return sorted(map(tuple, rows))

    return go


@pytest.fixture(scope="session")
def assert_same_tree(predicted, groups_of):
    """Check that two trees divide rows alike, or, if the learner depends on what changed, that both are good.

    With None nothing has changed, not even how sums are rounded.
    """

    def check(learner, one, other, X, other_X=None, *, Y, unless=()):
        other_X = X if other_X is None else other_X
        means, other_means = predicted(one, X), predicted(other, other_X)
        if unless is not None and learner.depends_on(*unless):
            known = ~np.isnan(Y)
            for found in (means, other_means):
                assert (np.abs(found - Y) < 0.5)[known].mean() > learner.tells
            return
        assert len(one.left) > 5
        assert groups_of(one, X) == groups_of(other, other_X)
        assert_allclose(np.sort(one.node_weight), np.sort(other.node_weight), rtol=1e-6)
        assert_allclose(means, other_means, rtol=0, atol=1e-4)

    return check


@pytest.fixture(scope="session")
def assert_identical():
    """Check that two trees are the same to the last bit."""

    def check(one, other):
        for field, a, b in zip(one._fields[:-1], one, other, strict=False):
            assert_array_equal(a, b, err_msg=field)
        for field, a, b in zip(one.leaves._fields, one.leaves, other.leaves, strict=True):
            assert_array_equal(a, b, err_msg=f"leaves.{field}")

    return check


@pytest.fixture(scope="session")
def assert_sound():
    """Check what holds of every grown tree, whatever its rows and what they lack."""

    def check(tree, weights):
        for name in ("weights", "means", "bias", "node_weight", "importance"):
            assert np.isfinite(getattr(tree, name)).all(), name
        assert (tree.stop > tree.start).all()
        assert (tree.node_weight > 0).all()
        assert_array_equal(np.sort(tree.rows), np.arange(len(weights)))
        inner = tree.left >= 0
        # Float64 sums of a dozen float32 numbers.
        assert_allclose(tree.node_weight[0], weights.sum(dtype=np.float64), rtol=1e-14)
        children = tree.node_weight[tree.left[inner]] + tree.node_weight[tree.right[inner]]
        assert_allclose(children, tree.node_weight[inner], rtol=1e-14)
        assert_array_equal(np.diff(tree.indptr) > 0, inner)
        assert len(tree.means) == len(tree.weights) == len(tree.indices)
        assert (tree.importance >= 0).all()
        assert set(np.flatnonzero(tree.importance)) <= set(tree.indices)

    return check
