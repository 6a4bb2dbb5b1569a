"""Claims about callbacks of label trees: they hear of every step, and may end the fit without a trace."""

import io

import numpy as np
import pytest
from sklearn.base import clone

from slantwood import LabelTreeClassifier
from slantwood.callbacks import Callback, ProgressBar

rng = np.random.default_rng(0)
X = (rng.random((80, 12)) < 0.3).astype(np.float32)
Y = X[:, :9].astype(np.int8)
SMALL = {"n_estimators": 2, "n_children": 3, "max_leaf_labels": 3, "n_forest_trees": 3, "random_state": 0}


class Log(Callback):
    """Notes what it is told; asks to stop, or fails, at a step."""

    def __init__(self, stop_at=None, fail_at=None):
        self.told, self.fitted = [], []
        self.stop_at, self.fail_at = stop_at, fail_at

    def setup(self, estimator, context):
        self.told.append(("setup", context.max_subtasks))

    def on_fit_task_end(self, estimator, context, *, fitted_estimator):
        self.told.append((context.task_name, context.task_id))
        self.fitted.append(fitted_estimator)
        if context.task_name == "step" and context.task_id == self.fail_at:
            raise KeyboardInterrupt
        return context.task_name == "step" and context.task_id == self.stop_at

    def teardown(self, estimator, context):
        self.told.append(("teardown", 0))


def n_steps(model):
    """One for each node, which are small, and for each tree."""
    forest = model.oblique_forest_
    return len(model.label_trees_.child_starts) - 1 + (0 if forest is None else forest.trees_.n_trees)


@pytest.fixture(scope="module")
def model():
    return LabelTreeClassifier(**SMALL).fit(X, Y)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_every_block_of_classifiers_and_every_tree_is_a_step(model, n_jobs):
    log = Log()
    again = clone(model).set_params(n_jobs=n_jobs).set_callbacks(log).fit(X, Y)
    n = n_steps(model)
    assert log.told == [("setup", n), *(("step", i) for i in range(n)), ("fit", 0), ("teardown", 0)]
    assert set(log.fitted[:-1]) == {None}
    np.testing.assert_array_equal(log.fitted[-1].predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.oblique_forest_.set_callbacks() is again.oblique_forest_


def test_a_callback_that_asks_to_stop_leaves_whole_trees(model):
    stopped = clone(model).set_callbacks(Log(stop_at=0)).fit(X, Y)
    assert len(stopped.label_trees_.roots) == 1
    assert stopped.oblique_forest_ is None
    first = len(stopped.label_trees_.child_starts) - 1
    in_second = clone(model).set_callbacks(Log(stop_at=first)).fit(X, Y)
    np.testing.assert_array_equal(in_second.predict_proba(X), stopped.predict_proba(X))
    in_forest = clone(model).set_callbacks(Log(stop_at=n_steps(model) - 3)).fit(X, Y)
    assert len(in_forest.label_trees_.roots) == 2
    assert in_forest.oblique_forest_.trees_.n_trees == 1


@pytest.mark.parametrize("step", [0, -1])
def test_an_interrupted_fit_leaves_nothing_behind(model, step):
    n = n_steps(model)
    log = Log(fail_at=step % n)
    new = clone(model).set_callbacks(log)
    before = set(vars(new))
    with pytest.raises(KeyboardInterrupt):
        new.fit(X, Y)
    assert log.told[-1] == ("teardown", 0)
    assert {name for name in set(vars(new)) - before if not name.startswith("_")} == set()
    earlier = clone(model).fit(X, Y)
    with pytest.raises(KeyboardInterrupt):
        earlier.set_callbacks(log).fit(X[:40], Y[:40])
    np.testing.assert_array_equal(earlier.predict_proba(X), model.predict_proba(X))


def test_progress_is_shown_if_asked_for(model, monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr("sys.stderr", stream)
    n = n_steps(model)
    clone(model).set_params(verbose=2).fit(X, Y)
    lines = stream.getvalue().split("\n")
    assert f"LabelTreeClassifier: step {n} of {n}, " in lines[n - 1]
    clone(model).set_callbacks(ProgressBar()).fit(X, Y)
    assert f"LabelTreeClassifier: {n} of {n} steps, " in stream.getvalue()


def test_names_of_features_and_labels_are_kept(tmp_path):
    from slantwood import load_model

    names = {"feature_names": [f"f{j}" for j in range(12)], "target_names": [f"t{j}" for j in range(9)]}
    named = LabelTreeClassifier(**SMALL).fit(X, Y, **names)
    named.save(tmp_path / "named.slant")
    for each in (named, load_model(tmp_path / "named.slant")):
        assert each.input_names_ == tuple(names["feature_names"])
        assert each.classes_.tolist() == names["target_names"]
    assert not hasattr(named.fit(X, Y), "input_names_")
    with pytest.raises(ValueError, match="feature_names has 2 names; expected 12"):
        named.fit(X, Y, feature_names=["a", "b"])
