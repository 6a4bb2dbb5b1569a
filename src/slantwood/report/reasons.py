"""Why a model has the settings that it has: given, a default, found on unseen rows, or by which rule.

The rules themselves are in `ensemble.defaults` and `ensemble.boosting.settings`; here they are in words.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import fields
from typing import Any, NamedTuple

from slantwood.presets import PRESETS
from slantwood.report.settings_text import NOT_OF_BOOSTING, limits_off
from slantwood.task_names import LABEL_TASKS, NUMBER_TASKS, SEVERAL_TASKS

GIVEN, DEFAULT = "given", "default"
TUNED = "predicted rows best that the trees of a trial did not see"
_AUTO = "auto"


class Setting(NamedTuple):
    """A setting, the value in use, and why it is this one."""

    name: str
    value: Any
    why: str


class _Rule(NamedTuple):
    """The usual value of a setting, what is said of it, and of others; docs/defaults.md has the figures."""

    usual: Any
    why_usual: str
    why_not: str


_LEAST = "the least"
_SPARSE = "X is mostly zeros: "
_RULES: dict[str, _Rule] = {
    "max_features": _Rule(
        1.0, "trees differ enough by rows or starts", "by task: splits of fewer features make trees differ"
    ),
    "min_samples_split": _Rule(
        2,
        "small leaves suit the task, and larger ones were not clearly better",
        "by task and number of targets",
    ),
    "min_samples_leaf": _Rule(1, _LEAST, "by number of rows"),
    "min_impurity_decrease": _Rule(
        0.05, "as published: one side must be purer by this share", "by task and split learner"
    ),
    "acceptance": _Rule(
        "direction", "a split is judged by what it separates", "as published: by all targets that vary"
    ),
    "feature_sampling": _Rule(
        "varying", "a split gets features that say something", "as published: among all features, once"
    ),
    "C": _Rule(10.0, "as published: what the fit counts beside few weights", "by task and number of targets"),
    "max_iter": _Rule(
        100,
        "as published: steps of the descent",
        "from a direction that targets support fewer steps are enough",
    ),
    "learning_rate": _Rule(0.1, "as published", f"{_SPARSE}smaller steps"),
    "feature_power": _Rule(
        1.0, "features are standardised in each node", "rare features are not scaled up to frequent ones"
    ),
    "target_power": _Rule(
        1.0, "targets are standardised in each node", "targets are many: rare ones are not scaled up"
    ),
    "threshold": _Rule("learned", "with the hyperplane", "by sorting: best for few numbers"),
    "min_support": _Rule(1, "any feature may take part", f"{_SPARSE}a feature of one row tells nothing"),
    "min_part": _Rule(0.0, "weights are kept, however small", f"{_SPARSE}what hardly takes part is left out"),
    "batch_size": _Rule(
        2000, "larger nodes are searched on a sample", "larger nodes are searched on a sample"
    ),
    "competitor": _Rule(None, "no other split competes", "by task: of two splits the better one is taken"),
    "start": _Rule(
        "noise",
        "trees from random starts differ more",
        "from a direction that targets support: quick and good",
    ),
}


def settings_with_reasons(model: Any) -> list[Setting]:
    """Return the settings of a fitted tree, forest or boosted model, and why they are so."""
    return [*_own(model), *_of_split(model)]


def _own(model: Any) -> Iterator[Setting]:
    settings, given = model.settings_, model.get_params(deep=False)
    off = limits_off()
    hidden = {"split", "candidates"}
    if hasattr(settings, "candidates"):
        hidden |= {*NOT_OF_BOOSTING, "max_features", "preset"}
    for name, value in settings.to_dict().items():
        if name in hidden or (name in off and value == off[name]):
            continue
        yield Setting(name, value, _why(model, name, value, given.get(name, _AUTO), _default(model, name)))


def _of_split(model: Any) -> Iterator[Setting]:
    settings, given = model.settings_, model.split
    candidates = getattr(settings, "candidates", ())
    if candidates:
        kinds = dict.fromkeys(
            f"{type(each.split).__name__}, max_features={each.max_features}" for each in candidates
        )
        why = "these compete: the kind whose latest trees lowered the loss of unseen rows most grows next"
        yield Setting("split", "; ".join(kinds), why)
        return
    split = settings.split
    if split is None:
        yield Setting("split", "not known", "the file was saved without a split learner")
        return
    is_open = isinstance(given, str) and given == _AUTO
    auditions = PRESETS[getattr(model, "preset", "default")].auditions
    why = (TUNED if auditions else "default: a hyperplane found by gradient descent") if is_open else GIVEN
    yield Setting("split", type(split).__name__, why)
    if not hasattr(split, "__dataclass_fields__"):
        return
    for each in fields(split):
        value = getattr(split, each.name)
        own = each.default if isinstance(given, str) else getattr(given, each.name, each.default)
        yield Setting(f"split: {each.name}", value, _why(model, each.name, value, own, each.default))


def _default(model: Any, name: str) -> Any:
    parameter = inspect.signature(type(model).__init__).parameters.get(name)
    return _AUTO if parameter is None else parameter.default


def _why(model: Any, name: str, value: Any, given: Any, default: Any) -> str:
    if not (isinstance(given, str) and given == _AUTO):
        return DEFAULT if repr(given) == repr(default) else GIVEN
    tuned, preset = model.forest_.tuned, getattr(model, "preset", "default")
    if tuned is None and not hasattr(model.settings_, "candidates"):
        return "by rule or on unseen rows; a file saved for predicting only does not say which"
    if tuned and name in tuned:
        return TUNED
    if name in PRESETS[preset].settings:
        return f"preset {preset!r}"
    return _rule(model, name, value)


def _rule(model: Any, name: str, value: Any) -> str:
    task = model.targets_.task
    if hasattr(model.settings_, "candidates") and name.startswith("min_samples"):
        return "by number of rows: leaves may be small where rows are few"
    if name == "bootstrap":
        if not value:
            return "a single tree sees all rows" if model.is_single_tree else "trees differ enough without it"
        if task == NUMBER_TASKS[0]:
            return "trees on one number are nearly equal unless their rows differ"
        if task in SEVERAL_TASKS:
            return "trees of the same rows agree too much on several targets"
        return "rows are many, nominal features wide, or out-of-bag predictions were asked for"
    if name == "normalize_rows":
        return (
            "X is like counts of words: sparse and not negative" if value else "X is not like counts of words"
        )
    if name == "normalize_labels":
        many = "labels are many, and rows have more or fewer of them"
        return many if value else "labels are few" if task in LABEL_TASKS else "targets are no labels"
    if name == "max_features" and model.is_single_tree:
        return "a single tree has nothing to differ from"
    if name not in _RULES:
        return "by rule"
    rule = _RULES[name]
    return rule.why_usual if value == rule.usual else rule.why_not
