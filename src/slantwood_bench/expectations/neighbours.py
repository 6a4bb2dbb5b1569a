"""Libraries that take any estimator of scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np

from slantwood_bench.expectations.data import forest, irises, regressor
from slantwood_bench.expectations.row import Group, library

GROUP = Group("other libraries")


@GROUP.row("shap.Explainer on predict_proba")
def shap_explainer() -> None:
    """Explain predictions."""
    shap = library("shap")
    model = forest().fit(irises().X, irises().y)
    found = shap.Explainer(model.predict_proba, irises().X[:20])(irises().X[:2], silent=True)
    total = found.base_values + found.values.sum(axis=1)
    np.testing.assert_allclose(total, model.predict_proba(irises().X[:2]), atol=1e-6)


@GROUP.row("shap.KernelExplainer on predict")
def shap_kernel() -> None:
    """Explain numbers."""
    shap = library("shap")
    model = regressor().fit(irises().X, irises().number)
    found = shap.KernelExplainer(model.predict, irises().X[:10]).shap_values(irises().X[:2], silent=True)
    assert found.shape == (2, 4)


@GROUP.row("MAPIE: sets of classes and intervals of numbers")
def conformal() -> None:
    """Predict with a promise."""
    classes, numbers = library("mapie.classification"), library("mapie.regression")
    X, data = irises().X, irises()
    model = classes.SplitConformalClassifier(forest().fit(X[::2], data.y[::2]), confidence_level=0.9)
    _, sets = model.conformalize(X[1::2], data.y[1::2]).predict_set(X)
    assert sets.shape == (75, 3, 1)
    across: Any = numbers.CrossConformalRegressor(regressor(), confidence_level=0.9, cv=3)
    _, intervals = across.fit_conformalize(X, data.number).predict_interval(X)
    assert (intervals[:, 0] <= intervals[:, 1]).all()


@GROUP.row("imbalanced-learn: oversampling in its pipeline")
def oversampling() -> None:
    """Repeat rows of rare classes."""
    pipelines, sampling = library("imblearn.pipeline"), library("imblearn.over_sampling")
    rows = np.r_[np.flatnonzero(irises().y != 1), np.flatnonzero(irises().y == 1)[:5]]
    pipeline = pipelines.make_pipeline(sampling.RandomOverSampler(random_state=0), forest())
    assert pipeline.fit(irises().X[rows], irises().y[rows]).score(irises().X, irises().y) > 0.7


@GROUP.row("optuna: an objective by cross-validation")
def optuna_study() -> None:
    """Search by trials."""
    optuna = library("optuna")
    from sklearn.model_selection import cross_val_score

    optuna.logging.set_verbosity(optuna.logging.ERROR)

    def objective(trial: Any) -> float:
        model = forest(max_depth=trial.suggest_int("max_depth", 1, 5))
        return float(cross_val_score(model, irises().X, irises().y, cv=2).mean())

    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(objective, n_trials=3)
    assert study.best_value > 0.5


@GROUP.row("scikit-multilearn: our forest as the base of BinaryRelevance")
def binary_relevance() -> None:
    """Fit a forest for each label."""
    problems = library("skmultilearn.problem_transform")
    model = problems.BinaryRelevance(forest(), require_dense=[True, True])
    assert model.fit(irises().X, irises().labels).predict(irises().X).shape == (75, 3)
