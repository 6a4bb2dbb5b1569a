"""Estimators of scikit-learn that are made of others."""

from __future__ import annotations

import numpy as np

from slantwood_bench.expectations.data import forest, irises, regressor
from slantwood_bench.expectations.row import Group

GROUP = Group("ensembles and wrappers")


@GROUP.row("CalibratedClassifierCV")
def calibration() -> None:
    """Calibrate by both methods."""
    from sklearn.calibration import CalibratedClassifierCV

    for method in ("sigmoid", "isotonic"):
        model = CalibratedClassifierCV(forest(), method=method, cv=2).fit(irises().X, irises().y)
        np.testing.assert_allclose(model.predict_proba(irises().X).sum(axis=1), 1, rtol=1e-6)


@GROUP.row("StackingClassifier")
def stacked_classes() -> None:
    """Stack beside a linear model."""
    from sklearn.ensemble import StackingClassifier
    from sklearn.naive_bayes import GaussianNB

    model = StackingClassifier([("trees", forest()), ("bayes", GaussianNB())], forest(), cv=2)
    assert model.fit(irises().X, irises().words).score(irises().X, irises().words) > 0.8


@GROUP.row("StackingRegressor")
def stacked_numbers() -> None:
    """Stack beside a linear model."""
    from sklearn.ensemble import StackingRegressor
    from sklearn.linear_model import Ridge

    model = StackingRegressor([("trees", regressor()), ("ridge", Ridge())], cv=2)
    assert model.fit(irises().X, irises().number).score(irises().X, irises().number) > 0.8


@GROUP.row("VotingClassifier and VotingRegressor")
def votes() -> None:
    """Vote by probabilities, and average numbers."""
    from sklearn.ensemble import VotingClassifier, VotingRegressor

    pair = [("a", forest()), ("b", forest(split="axis"))]
    assert (
        VotingClassifier(pair, voting="soft").fit(irises().X, irises().y).score(irises().X, irises().y) > 0.9
    )
    numbers = VotingRegressor([("a", regressor()), ("b", regressor(split="axis"))])
    assert numbers.fit(irises().X, irises().number).score(irises().X, irises().number) > 0.8


@GROUP.row("BaggingClassifier and BaggingRegressor")
def bagging() -> None:
    """Bag forests."""
    from sklearn.ensemble import BaggingClassifier, BaggingRegressor

    model = BaggingClassifier(forest(), n_estimators=2, max_samples=0.7, random_state=0)
    assert model.fit(irises().X, irises().y).score(irises().X, irises().y) > 0.8
    model = BaggingRegressor(regressor(), n_estimators=2, random_state=0)
    assert model.fit(irises().X, irises().number).score(irises().X, irises().number) > 0.8


@GROUP.row("AdaBoostClassifier")
def adaptive_boosting() -> None:
    """Boost with row weights."""
    from sklearn.ensemble import AdaBoostClassifier

    model = AdaBoostClassifier(forest(n_estimators=2, max_depth=1), n_estimators=3, random_state=0)
    assert model.fit(irises().X, irises().y).score(irises().X, irises().y) > 0.6


@GROUP.row("OneVsRestClassifier and OneVsOneClassifier")
def one_against_others() -> None:
    """Fit a forest for each class, and for each pair."""
    from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier

    for wrapper in (OneVsRestClassifier, OneVsOneClassifier):
        model = wrapper(forest()).fit(irises().X, irises().words)
        assert model.score(irises().X, irises().words) > 0.9


@GROUP.row("ClassifierChain")
def chain_of_labels() -> None:
    """Predict a label from those before."""
    from sklearn.multioutput import ClassifierChain

    model = ClassifierChain(forest(), cv=2, random_state=0).fit(irises().X, irises().labels)
    assert model.predict_proba(irises().X).shape == (75, 3)


@GROUP.row("RegressorChain")
def chain_of_numbers() -> None:
    """Predict a number from those before."""
    from sklearn.multioutput import RegressorChain

    model = RegressorChain(regressor()).fit(irises().X, irises().numbers)
    assert model.predict(irises().X).shape == (75, 3)


@GROUP.row("MultiOutputClassifier and MultiOutputRegressor")
def one_model_a_target() -> None:
    """Fit a forest for each target."""
    from sklearn.multioutput import MultiOutputClassifier, MultiOutputRegressor

    model = MultiOutputClassifier(forest()).fit(irises().X, irises().labels)
    assert len(model.predict_proba(irises().X)) == 3
    assert MultiOutputRegressor(regressor()).fit(irises().X, irises().numbers).predict(irises().X).ndim == 2


@GROUP.row("TransformedTargetRegressor")
def transformed_target() -> None:
    """Learn the logarithm of a number."""
    from sklearn.compose import TransformedTargetRegressor

    model = TransformedTargetRegressor(regressor(), func=np.log, inverse_func=np.exp)
    assert model.fit(irises().X, irises().number).score(irises().X, irises().number) > 0.8


@GROUP.row("SelfTrainingClassifier")
def self_training() -> None:
    """Learn from rows without a class in scikit-learn's way."""
    from sklearn.semi_supervised import SelfTrainingClassifier

    partly = np.where(np.arange(75) % 3 == 0, irises().y, -1)
    model = SelfTrainingClassifier(forest()).fit(irises().X, partly)
    assert model.score(irises().X, irises().y) > 0.8
