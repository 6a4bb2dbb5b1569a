"""Models as commands need them: made from options, fitted with a bar, and asked what they predict."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

import typer

from slantwood.cli.console import Show
from slantwood.cli.toml import parse_pair, parse_value
from slantwood.cli.training_options import TrainingOptions
from slantwood.hints import did_you_mean
from slantwood.split_names import split_class
from slantwood.task_names import NUMBER_TASKS

if TYPE_CHECKING:
    from slantwood.data.table import Data


def new_model(options: TrainingOptions, data: Data, *, oob: bool = False) -> Any:
    """Make the estimator that the options ask for."""
    import slantwood

    classifies = data.task not in NUMBER_TASKS
    kind = f"Oblique{'Tree' if options.tree else 'Forest'}{'Classifier' if classifies else 'Regressor'}"
    make = getattr(slantwood, kind)
    given: dict[str, Any] = {"split": _split(options), "random_state": options.seed}
    if options.max_depth is not None:
        given["max_depth"] = options.max_depth
    if options.min_samples_split is not None:
        given["min_samples_split"] = options.min_samples_split
    if options.max_features is not None:
        given["max_features"] = parse_value(options.max_features)
    if not options.tree:
        given |= {"n_estimators": options.trees, "n_jobs": options.jobs or -1, "oob_score": oob}
    elif oob:
        raise typer.BadParameter("it needs a forest; --tree grows one tree of all rows", param_hint="--oob")
    if data.hierarchy is not None:
        given["hierarchy"] = data.hierarchy
    return make(**given | _parameters("--set", options.parameters, make))


def fit_with_progress(model: Any, data: Data, show: Show, name: str = "trees") -> Any:
    """Fit, and show each tree."""
    from slantwood.estimators.callbacks import heard_by

    # Before the first tree is there settings are chosen, which may take a while.
    show(name, 0, getattr(model, "n_estimators", 1))
    with heard_by(partial(show, name)):
        return model.fit(
            data.X,
            data.y,
            sample_weight=data.weights,
            feature_names=tuple(data.feature_names),
            target_names=tuple(data.target_names),
        )


def use_threads(model: Any, jobs: int | None) -> None:
    """Let a loaded model predict on so many threads, or all; single trees have one."""
    if "n_jobs" in model.get_params(deep=False):
        model.set_params(n_jobs=jobs or -1)


def load(path: Any) -> Any:
    """Load a model file."""
    import slantwood

    return slantwood.load_model(path)


def chosen_labels(model: Any, X: Any) -> Any:
    """Predict the indicator of the labels, also with a model that learned from sets of labels."""
    predicted = model.predict(X)
    return model.targets_.hierarchy.indicator(predicted) if isinstance(predicted, list) else predicted


def sparse_labels(model: Any) -> bool:
    """Tell whether there are so many labels that their scores are better kept without zeros."""
    return bool(model.targets_.is_sparse)


def _split(options: TrainingOptions) -> Any:
    if not options.split_parameters:
        return str(options.split)
    make = split_class(str(options.split))
    return make(**_parameters("--split-set", options.split_parameters, make))


def _parameters(option: str, pairs: Iterable[str] | None, make: Any) -> dict[str, Any]:
    known = list(inspect.signature(make).parameters)
    given = {}
    for pair in pairs or ():
        try:
            name, value = parse_pair(pair)
        except ValueError as error:
            raise typer.BadParameter(str(error), param_hint=option) from error
        if name not in known:
            hint = did_you_mean(name, known, f"expected one of {', '.join(known)}")
            raise typer.BadParameter(f"{make.__name__} has no {name!r}; {hint}", param_hint=option)
        given[name] = value
    return given
