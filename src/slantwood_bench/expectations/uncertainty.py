"""How sure a model is."""

from __future__ import annotations

import numpy as np

from slantwood.explain import calibrated, calibration, conformal, predict_quantiles, spread
from slantwood_bench.expectations.data import forest, irises, regressor
from slantwood_bench.expectations.row import Group

GROUP = Group("how sure a model is")


@GROUP.row("intervals of one and several numbers without a further fit")
def intervals() -> None:
    """Predict numbers with a promise."""
    data = irises()
    for y in (data.number, data.numbers):
        model = regressor(n_estimators=20, bootstrap=True).fit(data.X, y)
        found = conformal(model, data.X, y).predict_interval(data.X, 0.8)
        assert found.lower.shape == y.shape
        assert (found.lower < found.upper).all()


@GROUP.row("sets of classes and labels without a further fit")
def sets() -> None:
    """Predict classes and labels with a promise."""
    data = irises()
    for y in (data.y, data.words, data.labels, data.sets):
        model = forest(n_estimators=20, bootstrap=True).fit(data.X, y)
        found = conformal(model, data.X, y).predict_set(data.X, 0.8)
        assert 0 < found.sizes.mean() < 3


@GROUP.row("quantiles by a forest")
def quantiles() -> None:
    """Predict the median and others."""
    data = irises()
    model = regressor().fit(data.X, data.number)
    low, median, high = predict_quantiles(model, data.X, [0.1, 0.5, 0.9], data.X, data.number).T
    assert (low <= median).all()
    assert (median <= high).all()


@GROUP.row("Brier score, calibration error and reliability curve")
def reliability() -> None:
    """Ask whether probabilities are met."""
    data = irises()
    model = forest().fit(data.X[::2], data.y[::2])
    found = calibration(model, data.X[1::2], data.y[1::2])
    assert 0 <= found.expected_error < 1
    assert len(found.to_frame()) == len(found.predicted)


@GROUP.row("spread between trees and within leaves")
def parts_of_spread() -> None:
    """Split the variance of a prediction."""
    data = irises()
    model = forest().fit(data.X, data.y)
    p = model.predict_proba(data.X)
    np.testing.assert_allclose(spread(model, data.X).total, p * (1 - p), atol=1e-6)


@GROUP.row("calibrated probabilities of classes and labels without a further fit")
def probabilities_that_are_met() -> None:
    """Ask for probabilities that are met."""
    data = irises()
    for y in (data.y, data.words, data.labels, data.sets):
        model = forest(n_estimators=20, bootstrap=True).fit(data.X, y)
        found = calibrated(model, data.X, y)
        assert found.predict_proba(data.X).shape == (len(data.X), len(found.classes_))
        assert len(found.predict(data.X)) == len(data.X)
