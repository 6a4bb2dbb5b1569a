"""What the parameter classes of the split learners share: values left at "auto", and checks by name."""

import math
from collections.abc import Iterable
from dataclasses import fields, replace
from numbers import Integral, Real
from typing import Any, TypeVar, get_type_hints

AUTO: Any = "auto"

P = TypeVar("P", bound=tuple[Any, ...])
S = TypeVar("S", bound=Any)


def open_fields(split: Any) -> set[str]:
    """Names of the parameters that are at "auto" and may be."""
    return {f.name for f in fields(split) if f.default == AUTO and getattr(split, f.name) == AUTO}


def filled_in(split: S, chosen: dict[str, Any]) -> S:
    """Return a copy with the chosen values in place of "auto"."""
    return replace(split, **{name: chosen[name] for name in open_fields(split)})


def compiled_form(kind: type[P], split: Any, **derived: Any) -> P:
    """Return the NamedTuple of parameters that compiled code takes, each value of its field's type.

    A field has the split's value of the same name, unless one is derived from the split.
    """
    values = {
        name: convert(derived[name] if name in derived else getattr(split, name))
        for name, convert in get_type_hints(kind).items()
    }
    return kind(**values)


def check_numbers(
    split: Any,
    *,
    counts: Iterable[str],
    counts_from_zero: Iterable[str] = (),
    positive: Iterable[str] = (),
    not_negative: Iterable[str] = (),
) -> None:
    """Check that counts are whole, and above 0 or at least 0, and that other numbers are in their range."""
    whole = {*counts, *counts_from_zero}
    above_zero = {*counts, *positive}
    for name in sorted(whole | above_zero | set(not_negative)):
        value = getattr(split, name)
        if name in open_fields(split):
            continue
        called = f"{type(split).__name__}: {name}={value!r}"
        if isinstance(value, bool) or not isinstance(value, Integral if name in whole else Real):
            raise TypeError(f"{called} must be {'a whole number' if name in whole else 'a number'}")
        if not math.isfinite(value) or value < 0 or (value == 0 and name in above_zero):
            raise ValueError(f"{called} must be finite and {'above' if name in above_zero else 'at least'} 0")


def check_word(split: Any, name: str, words: tuple[Any, ...]) -> None:
    """Check that a parameter is one of some words."""
    value = getattr(split, name)
    if name not in open_fields(split) and value not in words:
        shown = [repr(word) for word in words]
        raise ValueError(
            f"{type(split).__name__}: {name}={value!r} must be {', '.join(shown[:-1])} or {shown[-1]}"
        )


def check_flag(split: Any, name: str) -> None:
    """Check that a parameter is True or False."""
    value = getattr(split, name)
    if not isinstance(value, bool):
        raise TypeError(f"{type(split).__name__}: {name}={value!r} must be True or False")
