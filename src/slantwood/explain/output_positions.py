"""Which outputs of a model are asked for, by name or position."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from slantwood.hints import did_you_mean, listed


def output_positions(given: Any, names: tuple[str, ...]) -> np.ndarray:
    """Return the positions of outputs, of one or several that `targets` names."""
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
            hint = did_you_mean(each, names, f"it predicts {listed(names)}")
            raise ValueError(f"targets has {each!r:.60}, which the model does not predict; {hint}")
    if not found:
        raise ValueError("targets names no output; give None for all")
    return np.array(found)
