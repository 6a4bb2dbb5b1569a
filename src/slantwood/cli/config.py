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
from slantwood.hints import did_you_mean, listed

# What may be replaced is said each time.
_NOT_IN_FILES = {"config", "print-config", "json", "force", "help"}
_TABLES = {"set", "split-set"}


def _read(context: typer.Context, path: Path | None) -> Path | None:
    if path is not None:
        path = path.expanduser()
        set_defaults(context, _without_those_of_others(context, _values(path), path), str(path))
    return path


def _without_those_of_others(context: typer.Context, values: Mapping[str, Any], path: Path) -> dict[str, Any]:
    own, others = _options(context.command), _options_of_others(context)
    strange = [key for key in values if (name := key.replace("_", "-")) not in own and name in others]
    if strange:
        say(f"Of {path}, {listed(strange)}: only for other commands.")
    return {key: value for key, value in values.items() if key not in strange}


def _options_of_others(context: typer.Context) -> set[str]:
    commands = getattr(context.parent and context.parent.command, "commands", {}).values()
    return {
        name
        for command in commands
        if any(option.name == "config" for option in command.params)
        for name in _options(command)
    }


Config = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE",
        callback=_read,
        is_eager=True,
        help="Take options from a TOML file; the command line goes before.",
    ),
]
PrintConfig = Annotated[
    bool, typer.Option("--print-config", help="Print the options in use as such a file, and stop.")
]


def set_defaults(context: typer.Context, values: Mapping[str, Any], source: str) -> None:
    """Make values, by the names of options, the defaults of a command; earlier ones go before."""
    options = _options(context.command)
    defaults = {}
    for key, value in values.items():
        if (option := key.replace("_", "-")) not in options:
            hint = did_you_mean(option, options, f"expected one of {', '.join(options)}")
            raise typer.BadParameter(f"{source} has {key!r}, which is not an option of this command; {hint}")
        defaults[options[option].name] = _typed(option, value, source)
    context.default_map = defaults | dict(context.default_map or {})


def option_names(context: typer.Context) -> list[str]:
    """Return the names that a file may give to a command."""
    return list(_options(context.command))


def options_as_toml(context: typer.Context) -> str:
    """Return the options of a command as a TOML file; options at their defaults of None as comments."""
    lines, tables = [], []
    for key, option in _options(context.command).items():
        value = context.params.get(option.name)
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
    for option in command.params:
        first = option.opts[0] if option.param_type_name == "option" else str(option.name)
        if (key := first.lstrip("-")) not in _NOT_IN_FILES:
            named[key] = option
    return named


def _values(path: Path) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise typer.BadParameter(f"{path} is not a TOML file: {error}") from error


def _typed(key: str, value: Any, source: str) -> Any:
    if key in _TABLES:
        if not isinstance(value, dict):
            raise typer.BadParameter(
                f"{source} has {key} = {toml.format_value(value)}; expected a table [{key}]"
            )
        return [f"{name}={toml.format_value(item)}" for name, item in value.items()]
    if isinstance(value, (dict, list)):
        raise typer.BadParameter(f"{source} has {key} = {toml.format_value(value)}; expected one value")
    return value
