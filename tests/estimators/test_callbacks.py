"""Claims about callbacks: they hear of each tree and may stop the growth, with every scikit-learn."""

import inspect
import io

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from slantwood import ObliqueForestClassifier, ObliqueForestRegressor, ObliqueTreeRegressor
from slantwood.callbacks import Callback
from slantwood.estimators import callback_protocol

X = np.random.default_rng(0).normal(size=(40, 3))
y = X[:, 0]
LABELS = (X > 0.2).astype(int)


class OlderSupport(callback_protocol.CallbackSupportMixin):
    """A class of its own, which can stand before the forest's bases in every version."""


class OlderForest(OlderSupport, ObliqueForestRegressor):
    """The forest as it is where scikit-learn has no callbacks."""

    fit = callback_protocol.with_callbacks(inspect.unwrap(ObliqueForestRegressor.fit))


class Log(Callback):
    """Notes what it is told; stops after a number of trees, or fails there."""

    def __init__(self, stop_after=None, fail_after=None):
        self.told = []
        self.scores = []
        self.stop_after, self.fail_after = stop_after, fail_after

    def setup(self, estimator, context):
        self.told.append(("setup", context.task_name, context.max_subtasks))

    def on_fit_task_begin(self, estimator, context, *, X):
        self.told.append(("begin", context.task_name, context.task_id, X.shape))

    def on_fit_task_end(self, estimator, context, *, X, y, fitted_estimator):
        self.told.append(("end", context.task_name, context.task_id))
        if context.task_name == "fit":
            return True  # comes too late to stop anything
        assert context.parent.max_subtasks == estimator.n_estimators
        assert context.estimator_name == type(estimator).__name__
        self.scores.append(fitted_estimator.score(X, y))
        if context.task_id + 1 == self.fail_after:
            raise RuntimeError("enough")
        return context.task_id + 1 == self.stop_after

    def teardown(self, estimator, context):
        self.told.append(("teardown", context.task_name))


class Listener(Callback):
    """Counts trees."""

    n_trees = 0

    def on_fit_task_end(self, estimator, context):
        self.n_trees += context.task_name == "tree"
        return False


@pytest.fixture(params=[ObliqueForestRegressor, OlderForest])
def make(request):
    def make(**parameters):
        return request.param(**{"n_estimators": 4, "random_state": 0} | parameters)

    return make


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_callback_is_told_of_the_fit_and_of_every_tree_in_turn(make, n_jobs):
    log = Log()
    make(n_jobs=n_jobs).set_callbacks(log).fit(X, y)
    trees = [[("begin", "tree", t, X.shape), ("end", "tree", t)] for t in range(4)]
    assert log.told == [
        ("setup", "fit", 4),
        ("begin", "fit", 0, X.shape),
        *(each for tree in trees for each in tree),
        ("end", "fit", 0),
        ("teardown", "fit"),
    ]


def test_what_predicts_in_mid_fit_is_the_forest_of_the_trees_so_far(make):
    log = Log()
    make().set_callbacks(log).fit(X, y)
    assert log.scores == [make(n_estimators=n).fit(X, y).score(X, y) for n in (1, 2, 3, 4)]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_callback_stops_the_growth(make, n_jobs):
    log = Log(stop_after=2)
    model = make(n_estimators=50, n_jobs=n_jobs).set_callbacks(log, Log()).fit(X, y)
    assert len(model) == len(log.scores) == 2
    np.testing.assert_array_equal(model.predict(X), make(n_estimators=2).fit(X, y).predict(X))


def test_forests_that_are_fitted_on_the_way_are_not_heard_of(make):
    listener = Listener()
    partly = np.where(np.arange(len(y)) % 3 == 0, np.nan, y)
    make(unlabeled_weight=0.5, n_estimators=2).set_callbacks(listener).fit(X, partly)
    assert listener.n_trees == 2


def test_a_single_tree_has_callbacks_too():
    listener = Listener()
    ObliqueTreeRegressor().set_callbacks(listener).fit(X, y)
    assert listener.n_trees == 1


def test_after_an_error_callbacks_are_torn_down_and_the_earlier_model_stays(make):
    model = make().fit(X, y)
    before = model.predict(X)
    log = Log(fail_after=2)
    with pytest.raises(RuntimeError, match="enough"):
        model.set_callbacks(log).fit(-X, y)
    assert log.told[-1] == ("teardown", "fit")
    np.testing.assert_array_equal(model.predict(X), before)
    untold = Log()
    with pytest.raises(ValueError, match="n_estimators"):
        model.set_params(n_estimators=0).set_callbacks(untold).fit(X, y)
    assert untold.told == []
    assert len(model) == 4


def test_none_are_left_when_none_are_given(make):
    log = Log()
    make().set_callbacks(log).set_callbacks().fit(X, y)
    assert log.told == []


def test_copies_have_the_same_callbacks(make):
    log = Listener()
    cross_val_score(make().set_callbacks(log), X, y, cv=2)
    assert log.n_trees == 8
    clone(make().set_callbacks(log)).fit(X, y)
    assert log.n_trees == 12


def test_a_model_with_callbacks_is_saved_without_them():
    file = io.BytesIO()
    model = ObliqueForestRegressor(n_estimators=1, random_state=0).set_callbacks(Listener())
    model.fit(X, y).save(file)
    without = io.BytesIO()
    ObliqueForestRegressor(n_estimators=1, random_state=0).fit(X, y).save(without)
    assert file.getvalue() == without.getvalue()


@pytest.mark.parametrize("wrong", [print, Log, object()])
def test_what_is_no_callback_is_refused(make, wrong):
    with pytest.raises(TypeError, match="callbacks"):
        make().set_callbacks(wrong)


def test_a_callback_that_asks_for_what_there_is_not_is_refused(make):
    class Curious(Callback):
        def on_fit_task_end(self, estimator, context, *, weather):
            return False

    with pytest.raises(TypeError, match=r"Curious.*weather|on_fit_task_end.*weather"):
        make().set_callbacks(Curious()).fit(X, y)


class OutOfBagScores(Callback):
    def __init__(self):
        self.found = []

    def on_fit_task_end(self, estimator, context, *, fitted_estimator):
        if context.task_name == "tree":
            scores = getattr(fitted_estimator, "oob_prediction_", None)
            scores = fitted_estimator.oob_decision_function_ if scores is None else scores
            scores = scores.toarray() if sp.issparse(scores) else scores
            self.found.append((fitted_estimator.oob_score_, scores))
        return False


@pytest.mark.filterwarnings("ignore:oob_score=True")
@pytest.mark.parametrize("start", [0, 2])
@pytest.mark.parametrize(
    ("kind", "target"),
    [
        (ObliqueForestRegressor, y),
        (ObliqueForestRegressor, np.where(np.arange(len(y)) % 5 == 0, np.nan, y)),
        (ObliqueForestClassifier, LABELS[:, 0] + LABELS[:, 1]),
        (ObliqueForestClassifier, LABELS),
        (ObliqueForestClassifier, sp.csr_array(LABELS)),
    ],
)
def test_out_of_bag_scores_in_mid_fit_are_those_of_a_fit_that_ends_there(kind, target, start):
    told = OutOfBagScores()
    model = kind(n_estimators=start or 5, oob_score=True, random_state=0, warm_start=True)
    if start:
        model.fit(X, target)
    model.set_params(n_estimators=5).set_callbacks(told).fit(X, target)
    assert len(told.found) == 5 - start
    for n_trees, (score, scores) in enumerate(told.found, start + 1):
        ended = kind(n_estimators=n_trees, oob_score=True, random_state=0).fit(X, target)
        wanted = getattr(ended, "oob_prediction_", None)
        wanted = ended.oob_decision_function_ if wanted is None else wanted
        np.testing.assert_array_equal(scores, wanted.toarray() if sp.issparse(wanted) else wanted)
        assert score == ended.oob_score_
