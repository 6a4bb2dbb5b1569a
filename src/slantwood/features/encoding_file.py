"""The encoding of X in a model file: {"n_inputs"} where columns stay as they are, else all fields."""

from dataclasses import asdict, fields
from itertools import pairwise
from typing import Any

from slantwood.features.encoding import Encoding

_KEYS = {field.name for field in fields(Encoding)}


def encoding_to_json(encoding: Encoding) -> dict[str, Any]:
    """Return the encoding as JSON."""
    if encoding.is_identity and not encoding.blank:
        return {"n_inputs": encoding.n_inputs}
    return asdict(encoding)


def encoding_from_json(given: Any, width: int) -> Encoding:
    """Make the encoding of X, which must give as many columns as the trees have."""
    if isinstance(given, dict) and given.keys() == {"n_inputs"}:
        if type(given["n_inputs"]) is not int or given["n_inputs"] != width:
            raise ValueError(f"n_inputs={given['n_inputs']!r:.60} must be {width}")
        return Encoding(width, tuple(range(width)), (), (), (), (), (), ())
    if not isinstance(given, dict) or given.keys() != _KEYS:
        raise ValueError(f"encoding must have just {', '.join(sorted(_KEYS))}")
    names = ("numbers", "blank", "nominal", "usual", "indicated")
    listed = {name: _tuple_of(given[name], int) for name in names}
    categories = tuple(_tuple_of(each, str, int, float) for each in _tuple_of(given["categories"], list))
    frequent = tuple(_tuple_of(each, int) for each in _tuple_of(given["frequent"], list))
    n_inputs, nominal, usual = given["n_inputs"], listed["nominal"], listed["usual"]
    inputs = range(len(listed["numbers"]) + len(nominal))
    per_nominal = zip(categories, usual, frequent, strict=True)
    right = (
        type(n_inputs) is int
        and n_inputs == len(inputs)
        and sorted(listed["numbers"] + nominal) == list(inputs)
        and all(_rise(listed[name]) for name in ("numbers", "blank", "nominal", "indicated"))
        and set(listed["blank"]) <= set(listed["numbers"])
        and all(column in inputs for column in listed["indicated"])
        and len(categories) == len(nominal)
        and all(
            len(set(values)) == len(values) > most >= -1
            and _rise(often)
            and all(0 <= place < len(values) - (most >= 0) for place in often)
            for values, most, often in per_nominal
        )
    )
    if not right:
        raise ValueError("the encoding of X does not fit together")
    encoding = Encoding(n_inputs=n_inputs, categories=categories, frequent=frequent, **listed)
    if len(encoding.source) != width:
        raise ValueError(f"X is encoded as {len(encoding.source)} columns, and trees have {width}")
    return encoding


def _tuple_of(given: Any, *types: type) -> tuple[Any, ...]:
    if not isinstance(given, list) or not all(type(each) in types for each in given):
        raise ValueError(f"{given!r:.60} must be a list of {' or '.join(each.__name__ for each in types)}")
    return tuple(given)


def _rise(numbers: tuple[int, ...]) -> bool:
    return all(a < b for a, b in pairwise(numbers))
