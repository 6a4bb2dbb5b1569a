"""Outputs and features that are asked for, by name or position."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from slantwood.hints import did_you_mean, listed


def output_positions(targets: Any, names: tuple[str, ...]) -> np.ndarray:
    """Return the positions of the outputs, one or several, that `targets` names."""
    return _positions("targets", targets, names, "which the model does not predict", "it predicts")


def feature_positions(features: Any, names: tuple[str, ...]) -> np.ndarray:
    """Return the positions of the features, one or several, that `features` names."""
    return _positions("features", features, names, "which the model does not know", "it knows")


def _positions(argument: str, given: Any, names: tuple[str, ...], unknown: str, known: str) -> np.ndarray:
    each_of: list[Any] = [given] if isinstance(given, str) or not isinstance(given, Iterable) else list(given)
    position = {name: j for j, name in enumerate(names)}
    found = []
    for each in each_of:
        is_number = isinstance(each, (int, np.integer)) and not isinstance(each, bool)
        if str(each) in position:
            found.append(position[str(each)])
        elif is_number and 0 <= each < len(names):
            found.append(int(each))
        else:
            hint = did_you_mean(each, names, f"{known} {listed(names)}")
            raise ValueError(f"{argument} has {each!r:.60}, {unknown}; {hint}")
    if not found:
        kind = "output" if argument == "targets" else "feature"
        raise ValueError(f"{argument} names no {kind}; give None for all")
    return np.array(found)
