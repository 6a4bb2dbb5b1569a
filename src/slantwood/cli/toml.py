"""Values as TOML text, and back: what stands behind `--set name=value`, `--config` and `--print-config`."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def format_value(value: Any) -> str:
    """Write a value; TOML has no word for None, for which "none" stands."""
    match value:
        case None:
            return '"none"'
        case bool() | int():
            return json.dumps(value)
        case float():
            return repr(value)  # "inf" and "nan" are TOML too
        case list() | tuple():
            return f"[{', '.join(map(format_value, value))}]"
        case dict():
            items = (f"{format_key(key)} = {format_value(item)}" for key, item in value.items())
            return f"{{{', '.join(items)}}}"
        case _:
            return _quoted(str(value))


def format_key(key: Any) -> str:
    """Write a key, in quotes where it needs them."""
    return str(key) if _BARE_KEY.fullmatch(str(key)) else _quoted(str(key))


def parse_value(text: str) -> Any:
    """Read a value that was typed: TOML, or else a word as it stands; "none" is None."""
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text.strip()
    return None if value == "none" else value


def parse_pair(text: str) -> tuple[str, Any]:
    """Read name=value."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise ValueError(f"{text!r} is not of the form name=value")
    return name.strip().replace("-", "_"), parse_value(value)


def _quoted(text: str) -> str:
    # As in JSON, except that TOML has no bare delete character.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
