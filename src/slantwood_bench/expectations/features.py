"""Which features matter, in scikit-learn's ways and by the rankings of the field."""

from __future__ import annotations

import numpy as np

from slantwood_bench.expectations.data import forest, irises, regressor
from slantwood_bench.expectations.row import Group, library, public

GROUP = Group("features")


@GROUP.row("feature_importances_")
def importances() -> None:
    """Read the importances."""
    found = forest().fit(irises().X, irises().y).feature_importances_
    assert found.shape == (4,)
    assert abs(found.sum() - 1) < 1e-6


@GROUP.row("permutation_importance")
def permutations() -> None:
    """Shuffle columns."""
    from sklearn.inspection import permutation_importance

    model = forest().fit(irises().X, irises().y)
    found = permutation_importance(model, irises().X, irises().y, n_repeats=3, random_state=0)
    assert found.importances_mean[2:].sum() > found.importances_mean[:2].sum()


@GROUP.row("partial_dependence and its display")
def dependence() -> None:
    """Vary one column."""
    library("matplotlib").use("Agg")
    from matplotlib import pyplot
    from sklearn.inspection import PartialDependenceDisplay, partial_dependence

    model = forest().fit(irises().X, irises().y)
    assert partial_dependence(model, irises().X, [2], grid_resolution=5)["average"].shape == (3, 5)
    PartialDependenceDisplay.from_estimator(model, irises().X, [2], target=1, grid_resolution=5)
    pyplot.close("all")


@GROUP.row("DecisionBoundaryDisplay")
def boundaries() -> None:
    """Draw where classes meet."""
    library("matplotlib").use("Agg")
    from matplotlib import pyplot
    from sklearn.inspection import DecisionBoundaryDisplay

    model = forest().fit(irises().X[:, 2:], irises().y)
    DecisionBoundaryDisplay.from_estimator(model, irises().X[:, 2:], grid_resolution=10)
    pyplot.close("all")


@GROUP.row("displays: ROC, precision-recall, confusion, calibration, errors")
def displays() -> None:
    """Draw how good a model is."""
    library("matplotlib").use("Agg")
    from matplotlib import pyplot
    from sklearn import metrics
    from sklearn.calibration import CalibrationDisplay

    X, data = irises().X, irises()
    binary = forest().fit(X, data.y == 1)
    for display in (metrics.RocCurveDisplay, metrics.PrecisionRecallDisplay, CalibrationDisplay):
        display.from_estimator(binary, X, data.y == 1)
    metrics.ConfusionMatrixDisplay.from_estimator(forest().fit(X, data.words), X, data.words)
    metrics.PredictionErrorDisplay.from_estimator(regressor().fit(X, data.number), X, data.number)
    pyplot.close("all")


@GROUP.row("RFECV")
def elimination() -> None:
    """Leave out the least important feature, again and again."""
    from sklearn.feature_selection import RFECV

    assert RFECV(forest(), cv=2).fit(irises().X, irises().y).n_features_ >= 1


@GROUP.row("SelectFromModel")
def selection() -> None:
    """Keep important features."""
    from sklearn.feature_selection import SelectFromModel

    kept = SelectFromModel(forest(n_estimators=10)).fit(irises().X, irises().y).get_support()
    assert 0 < kept.sum() < 4


@GROUP.row("SequentialFeatureSelector")
def sequential_selection() -> None:
    """Add features one by one."""
    from sklearn.feature_selection import SequentialFeatureSelector

    found = SequentialFeatureSelector(forest(n_estimators=2), n_features_to_select=1, cv=2)
    assert found.fit(irises().X, irises().y).get_support().sum() == 1


def _ranked(method: str) -> None:
    model = forest(bootstrap=True).fit(irises().X, irises().y)
    ranking = public("slantwood.explain", "feature_ranking")(model, irises().X, irises().y, method=method)
    assert ranking.scores.shape == (4,)
    assert len(ranking.names) == 4


@GROUP.row("ranking by the paper's formula")
def paper_ranking() -> None:
    """Rank by weights of splits."""
    _ranked("paper")


@GROUP.row("ranking by impurity")
def impurity_ranking() -> None:
    """Rank by the impurity that splits remove."""
    _ranked("impurity")


@GROUP.row("ranking by Genie3")
def genie3_ranking() -> None:
    """Rank by the variance that splits remove."""
    _ranked("genie3")


@GROUP.row("ranking by Symbolic")
def symbolic_ranking() -> None:
    """Rank by the depth at which features are used."""
    _ranked("symbolic")


@GROUP.row("ranking by permutation out of bag")
def permutation_ranking() -> None:
    """Rank by what is lost when a column is shuffled."""
    _ranked("permutation")


@GROUP.row("rankings of labels and of several numbers")
def ranking_of_several() -> None:
    """Rank features for labels."""
    model = forest(bootstrap=True).fit(irises().X, irises().labels)
    rank = public("slantwood.explain", "feature_ranking")
    ranking = rank(model, irises().X, irises().labels, method="genie3", groups="targets")
    assert np.shape(ranking.group_scores) == (4, 3)
