"""Searches, cross-validation and curves of scikit-learn."""

from __future__ import annotations

import numpy as np

from slantwood import GradientSplit, SVMSplit
from slantwood_bench.expectations.data import forest, irises, regressor
from slantwood_bench.expectations.row import Group

GROUP = Group("model selection")


@GROUP.row("GridSearchCV")
def grid_search() -> None:
    """Search over depths."""
    from sklearn.model_selection import GridSearchCV

    search = GridSearchCV(forest(), {"max_depth": [1, 4]}, cv=2).fit(irises().X, irises().y)
    assert search.best_params_ == {"max_depth": 4}


@GROUP.row("RandomizedSearchCV")
def randomized_search() -> None:
    """Draw parameters."""
    from scipy.stats import randint
    from sklearn.model_selection import RandomizedSearchCV

    search = RandomizedSearchCV(forest(), {"max_depth": randint(1, 6)}, n_iter=2, cv=2, random_state=0)
    assert search.fit(irises().X, irises().y).best_score_ > 0.5


@GROUP.row("HalvingGridSearchCV, trees as the resource")
def halving_search() -> None:
    """Give more trees to the better settings."""
    from sklearn.experimental import enable_halving_search_cv  # noqa: F401
    from sklearn.model_selection import HalvingGridSearchCV

    limits = {"resource": "n_estimators", "min_resources": 2, "max_resources": 4, "factor": 2}
    search = HalvingGridSearchCV(forest(), {"max_depth": [1, 4]}, cv=2, **limits)
    assert search.fit(irises().X, irises().y).best_params_["max_depth"] == 4


@GROUP.row("grid over split__C of a split learner")
def grid_over_split_parameters() -> None:
    """Search the parameters of a split learner, given as an object or by name."""
    from sklearn.model_selection import GridSearchCV

    for split in (SVMSplit(), "svm"):
        search = GridSearchCV(forest(split=split), {"split__C": [0.1, 10.0]}, cv=2)
        search.fit(irises().X, irises().y)
        assert search.best_estimator_.get_params()["split__C"] == search.best_params_["split__C"]


@GROUP.row("grid over split learners and their parameters together")
def grid_over_splits() -> None:
    """Search among learners, each with parameters of its own."""
    from sklearn.model_selection import GridSearchCV

    grid = [{"split": [SVMSplit()], "split__C": [1.0]}, {"split": ["axis", GradientSplit(C=1.0)]}]
    search = GridSearchCV(forest(), grid, cv=2).fit(irises().X, irises().y)
    assert len(search.cv_results_["params"]) == 3
    assert search.best_score_ > 0.8


@GROUP.row("cross_validate with several scorers")
def cross_validation() -> None:
    """Score by name."""
    from sklearn.model_selection import cross_validate

    scores = cross_validate(forest(), irises().X, irises().y, cv=2, scoring=["f1_macro", "roc_auc_ovr"])
    assert min(scores["test_f1_macro"].min(), scores["test_roc_auc_ovr"].min()) > 0.8


@GROUP.row("cross_validate of labels and of several numbers")
def cross_validation_of_several() -> None:
    """Score labels and targets by name."""
    from sklearn.model_selection import cross_val_score

    X, data = irises().X, irises()
    assert cross_val_score(forest(), X, data.labels, cv=2, scoring="f1_samples").min() > 0.7
    assert np.isfinite(cross_val_score(regressor(), X, data.numbers, cv=2, scoring="r2")).all()


@GROUP.row("cross_val_predict of probabilities")
def cross_val_predictions() -> None:
    """Predict every row by a model that has not seen it."""
    from sklearn.model_selection import cross_val_predict

    found = cross_val_predict(forest(), irises().X, irises().y, cv=3, method="predict_proba")
    assert found.shape == (75, 3)


@GROUP.row("learning_curve")
def learning_curves() -> None:
    """Score by the number of rows."""
    from sklearn.model_selection import learning_curve

    _, _, scores = learning_curve(
        forest(), irises().X, irises().y, train_sizes=[0.5, 1.0], cv=2, shuffle=True, random_state=0
    )
    assert scores.shape == (2, 2)


@GROUP.row("validation_curve")
def validation_curves() -> None:
    """Score by the value of a parameter."""
    from sklearn.model_selection import validation_curve

    _, scores = validation_curve(
        forest(), irises().X, irises().y, param_name="max_depth", param_range=[1, 4], cv=2
    )
    assert scores[1].mean() > scores[0].mean()


@GROUP.row("TunedThresholdClassifierCV")
def tuned_threshold() -> None:
    """Choose the threshold of two classes."""
    from sklearn.model_selection import TunedThresholdClassifierCV

    model = TunedThresholdClassifierCV(forest(), cv=2).fit(irises().X, irises().y == 1)
    assert 0 <= model.best_threshold_ <= 1


@GROUP.row("FixedThresholdClassifier")
def fixed_threshold() -> None:
    """Set the threshold of two classes."""
    from sklearn.model_selection import FixedThresholdClassifier

    model = FixedThresholdClassifier(forest(), threshold=0.9).fit(irises().X, irises().y == 1)
    assert model.predict(irises().X).sum() <= model.estimator_.predict(irises().X).sum()


@GROUP.row("folds that share out rare labels")
def label_folds() -> None:
    """Fold label matrices."""
    from slantwood.model_selection import LabelStratifiedKFold

    folds = LabelStratifiedKFold(n_splits=3).split(irises().X, irises().labels)
    assert len(list(folds)) == 3
