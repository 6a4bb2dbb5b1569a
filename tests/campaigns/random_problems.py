"""Two thousand random learning problems: each is learned, and the model keeps its promises, or it is refused.

A case draws a task, an estimator, a split learner, rows and columns (from two rows on, and up to 400
columns), how X and y are held (arrays of many types, sparse matrices, frames of pandas and polars), missing
values, weights with zeros, constant and repeated columns, magnitudes from 1e-40 to 1e37 in X and from
1e-290 to 1e290 in y, and parameters: bootstrap and out-of-bag scores, threads, warm start, clustering
attributes, rows without label.

`fit` may refuse with a ValueError or TypeError that says something. If it does not, the model must

- predict finite numbers of the right shape, within the range of y; probabilities in 0..1 that sum to 1;
- predict the same when a row comes alone, when X comes dense or sparse, after another fit, after another fit
  with another number of threads, from a pickle, and from its model file;
- have importances that are finite and sum to 1, or to 0;
- score numbers that are known with a finite number up to 1.

Anything else is a fault, as are other errors, a warning other than UserWarning, a crash, more than 5
seconds or 1 GB.

    python -m tests.campaigns.random_problems               the full run
    python -m tests.campaigns.random_problems --case 123    one problem again
"""

import io
import pickle
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import make_classification, make_multilabel_classification, make_regression

from slantwood import ObliqueForestClassifier, ObliqueForestRegressor, load_model
from slantwood.split_names import SPLITS, split_class
from slantwood.task_names import CLASS_TASKS, HIERARCHICAL, NUMBER_TASKS, SEVERAL_TASKS
from tests.campaigns.child import ACCEPTED, FOREIGN, WRONG, Outcome, refusal
from tests.campaigns.harness import command
from tests.campaigns.problems import Problem, draw_problem

CASES = 2000


class Broken(Exception):
    """A promise of a fitted model that was not kept."""


def warm_up() -> None:
    """Compile, or load from the disk, what fits and predictions need."""
    for name in SPLITS:
        for task, make in (
            ("binary", make_classification),
            ("multi-label", make_multilabel_classification),
            ("regression", make_regression),
        ):
            if task not in split_class(name).tasks:
                continue
            X, y = make(n_samples=30, random_state=0)
            forest = ObliqueForestRegressor if task == "regression" else ObliqueForestClassifier
            for container in (np.asarray, sp.csr_array):
                model = forest(n_estimators=2, split=name, bootstrap=True, oob_score=True).fit(
                    container(X), y
                )
                model.predict(container(X))
                model.apply(container(X))
    # A frame of one column comes as memory that is read-only, for which there is other machine code.
    frame = pd.DataFrame({"x": np.arange(30.0)})
    ObliqueForestRegressor(n_estimators=2).fit(frame, frame["x"]).predict(frame)


def run_case(seed: int, number: int) -> Outcome:
    """Draw a problem, learn it, and check the model."""
    return outcome_of(draw_problem(seed, number))


def outcome_of(problem: Problem) -> Outcome:
    """Learn a problem, and check the model."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UserWarning)
        try:
            model = _fitted(problem)
        except Exception as error:
            return refusal(error, problem.about)
        try:
            check(problem, model)
        except Broken as error:
            return Outcome(WRONG, problem.about, str(error))
        except Exception as error:  # what could be learned must be predicted
            return Outcome(FOREIGN, problem.about, f"after fit, {refusal(error, '').said}")
    return Outcome(ACCEPTED, problem.about)


def _fitted(problem: Problem, **changed: Any) -> Any:
    model = clone(problem.estimator).set_params(**changed)
    model.fit(problem.X, problem.y, **problem.fitting)
    if problem.later:
        model.set_params(**problem.later).fit(problem.X, problem.y, **problem.fitting)
    return model


def check(problem: Problem, model: Any) -> None:
    """Check all promises; the first that is not kept is told as `Broken`."""
    known, new = _outputs(model, problem.X), _outputs(model, problem.X_new)
    if problem.task in NUMBER_TASKS:
        for output in (known, new):
            _check_numbers(output["predict"], problem)
        _check_score(problem, model)
    elif problem.task in SEVERAL_TASKS:
        for X in (problem.X, problem.X_new):
            _check_several(problem, model, X)
    else:
        for output, X in ((known, problem.X), (new, problem.X_new)):
            check_probabilities(output["predict_proba"], _n_rows(X), problem, model)
    _check_importances(model)
    _demand_equal("a second fit", known, _outputs(_fitted(problem), problem.X))
    if "n_jobs" in model.get_params():
        _demand_equal("other threads", known, _outputs(_fitted(problem, n_jobs=2), problem.X))
    _demand_equal("a pickle", new, _outputs(pickle.loads(pickle.dumps(model)), problem.X_new))
    saved = io.BytesIO()
    model.save(saved)
    saved.seek(0)
    _demand_equal("the model file", new, _outputs(load_model(saved), problem.X_new))
    _demand_equal("rows alone", new, _one_by_one(model, problem.X_new))
    if sp.issparse(problem.X):
        _demand_equal("a dense matrix", new, _outputs(model, problem.X_new.toarray()))
    elif isinstance(problem.X_new, np.ndarray) and problem.X_new.dtype.kind == "f":
        _demand_equal("a sparse matrix", new, _outputs(model, _sparse(problem.X_new)))


def _outputs(model: Any, X: Any) -> dict[str, np.ndarray]:
    names = [name for name in ("predict", "predict_proba", "apply") if hasattr(model, name)]
    return {name: _as_array(getattr(model, name)(X)) for name in names}


def _as_array(output: Any) -> np.ndarray:
    if sp.issparse(output):
        return output.toarray()
    if isinstance(output, list) and any(isinstance(each, np.ndarray) for each in output):
        return np.hstack([each for each in output if each is not None])  # those of several targets
    # Sets of labels, which have no order.
    return np.array([repr(sorted(row)) for row in output]) if isinstance(output, list) else np.asarray(output)


def _one_by_one(model: Any, X: Any) -> dict[str, np.ndarray]:
    rows = [_outputs(model, X[i : i + 1]) for i in range(min(_n_rows(X), 3))]
    return {name: np.concatenate([row[name] for row in rows]) for name in rows[0]}


def _sparse(X: np.ndarray) -> Any:
    with np.errstate(over="ignore"):
        return sp.csr_array(X.astype(np.float32))


def _n_rows(X: Any) -> int:
    return X.shape[0] if hasattr(X, "shape") else len(X)


def _check_numbers(predicted: np.ndarray, problem: Problem) -> None:
    y = np.asarray(problem.y, np.float64)
    if predicted.shape[1:] != y.shape[1:] and y.shape[1:] != (1,):
        raise Broken(f"predictions of shape {predicted.shape} for y of shape {y.shape}")
    if not np.isfinite(predicted).all():
        raise Broken("predictions that are not finite")
    columns, truths = predicted.reshape(len(predicted), -1).T, y.reshape(len(y), -1).T
    for column, truth in zip(columns, truths, strict=True):
        truth = truth[~np.isnan(truth)].astype(predicted.dtype)
        if len(truth) and (column.min() < truth.min() or column.max() > truth.max()):
            raise Broken(f"predictions in {_range(column)} for y in {_range(truth)}")


def _check_score(problem: Problem, model: Any) -> None:
    if np.isnan(np.asarray(problem.y, np.float64)).any():
        return
    score = model.score(problem.X, problem.y)
    if not (np.isfinite(score) and score <= 1):
        raise Broken(f"a score of {score}")


def _range(numbers: np.ndarray) -> str:
    return f"{numbers.min():.9g} .. {numbers.max():.9g}"


def check_probabilities(probabilities: np.ndarray, n_rows: int, problem: Problem, model: Any) -> None:
    if probabilities.shape != (n_rows, len(model.classes_)):
        raise Broken(f"probabilities of shape {probabilities.shape} for {n_rows} rows")
    if not np.isfinite(probabilities).all():
        raise Broken("probabilities that are not finite")
    if probabilities.min() < 0 or probabilities.max() > 1:
        raise Broken(f"probabilities in {probabilities.min():.9g} .. {probabilities.max():.9g}")
    if problem.task in CLASS_TASKS and np.abs(probabilities.sum(axis=1) - 1).max() > 1e-5:
        raise Broken("probabilities that do not sum to 1")
    if problem.task == HIERARCHICAL:
        closed = model.hierarchy.consistent(probabilities)
        if np.abs(closed - probabilities).max() > 1e-6:
            raise Broken("labels that are likelier than those above them")


def _check_several(problem: Problem, model: Any, X: Any) -> None:
    """Check each target as one of its kind would be checked."""
    predicted, shares = model.predict(X), model.predict_proba(X)
    for j, (classes, of_target) in enumerate(zip(model.classes_, shares, strict=True)):
        if classes is None:
            truth = np.asarray(problem.y)[:, j].astype(np.float64)
            _check_numbers(predicted[:, j].astype(np.float64), replace(problem, y=truth))
            continue
        if of_target.shape != (_n_rows(X), len(classes)) or not set(predicted[:, j]) <= set(classes.tolist()):
            raise Broken(
                f"target {j} has probabilities of shape {of_target.shape}, or predictions of no class"
            )
        if not (of_target >= 0).all() or np.abs(of_target.sum(axis=1) - 1).max() > 1e-5:
            raise Broken(f"target {j} has probabilities that do not sum to 1")
    score = model.score(problem.X, problem.y)
    if not score <= 1:
        raise Broken(f"a score of {score}")


def _check_importances(model: Any) -> None:
    if not hasattr(model, "feature_importances_"):  # of trees of labels
        return
    importances = model.feature_importances_
    total = importances.sum()
    if (
        not np.isfinite(importances).all()
        or (importances < 0).any()
        or not (total == 0 or abs(total - 1) < 1e-6)
    ):
        raise Broken(f"importances that sum to {total:.9g}")


def _demand_equal(what: str, one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> None:
    for name, expected in one.items():
        found = other[name]
        if not np.array_equal(found, expected[: len(found)]):
            raise Broken(f"{what} gives another result of {name}")


if __name__ == "__main__":
    command("tests.campaigns.random_problems")
