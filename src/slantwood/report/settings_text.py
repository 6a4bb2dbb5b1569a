"""The settings of a fitted model as plain values, and in a row."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import MISSING, asdict, fields
from typing import Any

# Settings of forests that boosting cannot change.
NOT_OF_BOOSTING = ("bootstrap", "min_impurity_decrease", "acceptance", "feature_sampling", "normalize_labels")


def settings_as_json(settings: Any) -> dict[str, Any]:
    """Return the settings of a model, those of split learners as dictionaries with their names."""
    own = settings.to_dict() | {"split": _split_as_json(settings.split)}
    if "candidates" in own:
        named = ((each, _split_as_json(each.split)) for each in settings.candidates)
        own["candidates"] = [each._asdict() | {"split": split} for each, split in named]
    return own


def describe_settings(settings: dict[str, Any]) -> str:
    """Put settings in a row, without split learners or their names, and without limits that are off."""
    off = limits_off()
    hidden = {"split", "name", "candidates", *(NOT_OF_BOOSTING if "candidates" in settings else ())}
    shown = (each for each in settings.items() if each not in off.items())
    own = {name: repr(value) for name, value in shown if name not in hidden}
    if settings.get("candidates"):
        shares = _unlike(repr(each["max_features"]) for each in settings["candidates"])
        own["max_features"] = " or ".join(shares)
    return ", ".join(f"{name}={value}" for name, value in own.items())


def describe_splits(settings: dict[str, Any]) -> list[str]:
    """Say each split learner with its settings: one, or those that compete in boosting."""
    splits = [each["split"] for each in settings.get("candidates", [settings])]
    return _unlike(f"{each['name']}({describe_settings(each)})" for each in splits if each is not None)


def limits_off() -> dict[str, Any]:
    """Return the values of settings that limit nothing, by name."""
    from slantwood.ensemble.settings import Settings

    return {each.name: each.default for each in fields(Settings) if each.default is not MISSING}


def _split_as_json(split: Any) -> dict[str, Any] | None:
    return None if split is None else {"name": type(split).__name__, **asdict(split)}


def _unlike(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))
