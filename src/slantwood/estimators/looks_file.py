"""What only a look at a model needs, as arrays of its file: spreads of importances and of features.

Files for predicting only have none of it, nor have those of older versions.
"""

from __future__ import annotations

import numpy as np

from slantwood.ensemble.forest import FittedForest
from slantwood.features.encoding import Encoding
from slantwood.model import container
from slantwood.model.refusal import ModelFileError

# Fields of `FittedForest`, and their types.
_LOOKS = {"importance_squares": "float64", "column_spread": "float32"}


def to_arrays(forest: FittedForest) -> dict[str, np.ndarray]:
    """Return the arrays of a model, as far as it has them."""
    found = {name: getattr(forest, name) for name in _LOOKS}
    return {name: look for name, look in found.items() if look is not None}


def from_arrays(arrays: dict[str, np.ndarray], encoding: Encoding) -> dict[str, np.ndarray]:
    """Remove them from the arrays of a file, as far as it has them, and check them."""
    looks = {}
    lengths = (encoding.n_inputs, len(encoding.source))
    for (name, dtype), length in zip(_LOOKS.items(), lengths, strict=True):
        if name not in arrays:
            continue
        look = looks[name] = container.take(arrays, name, (dtype,))
        if look.shape != (length,) or not (look >= 0).all() or np.isinf(look).any():
            raise ModelFileError(f"array {name!r} must be {length} numbers, none of them negative")
    return looks
