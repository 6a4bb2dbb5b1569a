"""What one does with any estimator of scikit-learn: copy, print, keep, continue."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np

from slantwood import ObliqueForestClassifier, SVMSplit
from slantwood_bench.expectations.data import forest, irises, regressor
from slantwood_bench.expectations.row import Group

GROUP = Group("estimators as objects")


@GROUP.row("clone, also with split learners")
def cloned() -> None:
    """Copy the parameters."""
    from sklearn.base import clone

    model = clone(forest(split=SVMSplit(C=3.0)))
    assert model.get_params(deep=False)["split"].C == 3.0


@GROUP.row("get_params(deep=True) names those of the split learner")
def deep_parameters() -> None:
    """Look into a split learner."""
    found = forest(split=SVMSplit(C=3.0)).get_params(deep=True)
    assert found["split__C"] == 3.0


@GROUP.row("n_estimators as the first positional argument")
def positional() -> None:
    """Write RandomForestClassifier's shortest call."""
    make: Any = ObliqueForestClassifier
    assert make(7).n_estimators == 7


@GROUP.row("a suggestion for an unknown parameter")
def suggestions() -> str | None:
    """Mistype a parameter."""
    make: Any = ObliqueForestClassifier
    trials: list[Callable[[], Any]] = [lambda: make(n_estimator=5), lambda: forest().set_params(max_dept=2)]
    texts = []
    for trial in trials:
        try:
            trial()
        except (TypeError, ValueError) as error:
            texts.append(str(error))
    assert "n_estimators" in texts[0], texts[0]
    return None if "max_depth" in texts[1] else "set_params lists all parameters, and suggests none"


@GROUP.row("repr shows what was set")
def printed() -> None:
    """Print an estimator."""
    assert "max_depth=3" in repr(forest(max_depth=3))


@GROUP.row("HTML repr in notebooks, also of a split learner within")
def in_a_notebook() -> None:
    """Show an estimator in a notebook."""
    shown = forest(split=SVMSplit()).fit(irises().X, irises().y)._repr_html_()
    assert "ObliqueForestClassifier" in shown
    assert "SVMSplit" in shown


@GROUP.row("pickle")
def pickled() -> None:
    """Keep a model."""
    model = forest().fit(irises().X, irises().y)
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict_proba(irises().X) == model.predict_proba(irises().X)).all()


@GROUP.row("joblib.dump")
def dumped() -> None:
    """Keep a model by joblib."""
    import joblib

    model, file = forest().fit(irises().X, irises().y), io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    assert (joblib.load(file).predict(irises().X) == model.predict(irises().X)).all()


@GROUP.row("copy.deepcopy")
def copied() -> None:
    """Copy a fitted model."""
    model = forest().fit(irises().X, irises().y)
    assert (copy.deepcopy(model).predict(irises().X) == model.predict(irises().X)).all()


@GROUP.row("warm_start")
def continued() -> None:
    """Add trees."""
    model = forest(warm_start=True).fit(irises().X, irises().y)
    model.set_params(n_estimators=8).fit(irises().X, irises().y)
    assert model.trees_.n_trees == 8


@GROUP.row("oob_score")
def out_of_bag() -> None:
    """Score by rows that trees did not see."""
    model = forest(n_estimators=30, bootstrap=True, oob_score=True).fit(irises().X, irises().y)
    assert model.oob_score_ > 0.8
    assert model.oob_decision_function_.shape == (75, 3)


@GROUP.row("sample_weight and class_weight='balanced'")
def weighted() -> None:
    """Weigh rows and classes."""
    forest(class_weight="balanced").fit(irises().X, irises().y)
    model = forest().fit(irises().X, irises().y, sample_weight=(irises().y > 0).astype(float))
    assert model.classes_.tolist() == [1, 2]


@GROUP.row("the same seed gives the same model, at any n_jobs")
def repeated() -> None:
    """Fit twice."""
    first, second = (forest(n_jobs=jobs).fit(irises().X, irises().y) for jobs in (1, 2))
    assert (first.predict_proba(irises().X) == second.predict_proba(irises().X)).all()


@GROUP.row("score, predict_log_proba, decision_path, apply")
def other_methods() -> None:
    """Call what forests of scikit-learn have."""
    model: Any = forest().fit(irises().X, irises().y)
    assert model.score(irises().X, irises().y) > 0.9
    assert model.predict_log_proba(irises().X).shape == (75, 3)
    assert model.apply(irises().X).shape == (75, 5)
    assert model.decision_path(irises().X) is not None


@GROUP.row("fitted attributes of scikit-learn's forests")
def attributes() -> None:
    """Read what a fitted RandomForestClassifier has."""
    model = forest().fit(irises().X, irises().y)
    assert (model.n_features_in_, model.n_classes_, model.n_outputs_) == (4, 3, 1)
    assert forest().fit(irises().X, irises().labels).n_outputs_ == 3
    assert regressor().fit(irises().X, irises().numbers).n_outputs_ == 3


@GROUP.row("FrozenEstimator: a fitted model within others")
def frozen() -> None:
    """Calibrate a model that stays as it is."""
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.frozen import FrozenEstimator

    model = FrozenEstimator(forest().fit(irises().X, irises().y))
    CalibratedClassifierCV(model).fit(irises().X, irises().y)
    assert model.trees_.n_trees == 5


@GROUP.row("errors before fit are NotFittedError")
def not_fitted() -> None:
    """Predict too early."""
    from sklearn.exceptions import NotFittedError

    for model in (forest(), regressor()):
        try:
            model.predict(irises().X)
        except NotFittedError:
            continue
        raise AssertionError("no error")


@GROUP.row("missing values without an imputer")
def missing() -> None:
    """Leave holes in X."""
    X = np.where(np.random.default_rng(0).random(irises().X.shape) < 0.1, np.nan, irises().X)
    assert forest().fit(X, irises().y).score(X, irises().y) > 0.8
