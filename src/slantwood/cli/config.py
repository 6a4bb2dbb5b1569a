"""`--config file.toml` and `--print-config`: options from a file, and the options in use as such a file.

A file gives defaults: what stands on the command line goes before. Keys are the names of the options, without
the dashes in front; `data` is the data file; `[set]` and `[split-set]` are tables. One file may serve several
commands: each passes over what only another one has.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from slantwood.cli import toml
from slantwood.cli.console import say
from slantwood.cli.options import flag, option
from slantwood.hints import did_you_mean, listed

# What may be replaced is said each time.
_NOT_IN_FILES = {"config", "print-config", "json", "force", "help"}
_TABLES = {"set", "split-set"}


def _read(context: typer.Context, path: Path | None) -> Path | None:
    if path is None:
        return None
    path = path.expanduser()
    values = _values(path)
    commands = getattr(context.parent and context.parent.command, "commands", {}).values()
    takers = [command for command in commands if any(each.name == "config" for each in command.params)]
    others = {name for command in takers for name in _options(command)} - set(_options(context.command))
    if strange := [key for key in values if key.replace("_", "-") in others]:
        say(f"Of {path}, {listed(strange)}: only for other commands.")
    own = {key: value for key, value in values.items() if key not in strange}
    set_defaults(context, own, str(path))
    return path


_FILE = "Take options from a TOML file; the command line goes before."
Config = Annotated[Path | None, option("FILE", _FILE, callback=_read, is_eager=True)]
PrintConfig = Annotated[bool, flag("--print-config", "Print the options in use as such a file, and stop.")]


def set_defaults(context: typer.Context, values: Mapping[str, Any], source: str) -> None:
    """Make values, by the names of options, the defaults of a command; earlier ones go before."""
    options = _options(context.command)
    defaults = {}
    for key, value in values.items():
        if (name := key.replace("_", "-")) not in options:
            hint = did_you_mean(name, options, f"expected one of {', '.join(options)}")
            raise typer.BadParameter(f"{source} has {key!r}, which is not an option of this command; {hint}")
        defaults[options[name].name] = _typed(name, value, source)
    context.default_map = defaults | dict(context.default_map or {})


def option_names(context: typer.Context) -> list[str]:
    """Return the names that a file may give to a command."""
    return list(_options(context.command))


def options_as_toml(context: typer.Context) -> str:
    """Return the options of a command as a TOML file; options at their defaults of None as comments."""
    lines, tables = [], []
    for key, parameter in _options(context.command).items():
        value = context.params.get(parameter.name)
        if key in _TABLES:
            pairs = dict(map(toml.parse_pair, value or ()))
            rows = [f"{toml.format_key(name)} = {toml.format_value(item)}" for name, item in pairs.items()]
            tables += ["", f"[{key}]", *rows] if rows else []
        elif value is None:
            lines.append(f"# {key} =")
        else:
            lines.append(f"{key} = {toml.format_value(value)}")
    return "\n".join([*lines, *tables])


def _options(command: Any) -> dict[str, Any]:
    """Return what a file may give, by name: options by their long names, arguments by their own."""
    named = {}
    for parameter in command.params:
        first = parameter.opts[0] if parameter.param_type_name == "option" else str(parameter.name)
        if (key := first.lstrip("-")) not in _NOT_IN_FILES:
            named[key] = parameter
    return named


def _values(path: Path) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise typer.BadParameter(f"{path} is not a TOML file: {error}") from error


def _typed(key: str, value: Any, source: str) -> Any:
    said = f"{source} has {key} = {toml.format_value(value)}"
    if key in _TABLES:
        if not isinstance(value, dict):
            raise typer.BadParameter(f"{said}; expected a table [{key}]")
        return [f"{name}={toml.format_value(item)}" for name, item in value.items()]
    if isinstance(value, (dict, list)):
        raise typer.BadParameter(f"{said}; expected one value")
    return value
