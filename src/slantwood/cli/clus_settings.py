"""Settings files of the program CLUS (.s): which of their options mean the same as one of ours.

They have sections and lines ``Name = value``; a comment begins with %. Attributes are counted from 1.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

from slantwood.cli.config import give_defaults, names_of_options
from slantwood.cli.console import say, warn

Values = dict[str, Any]

_SECTION = re.compile(r"\[\s*([A-Za-z]+)\s*\]")
_ASSIGNMENT = re.compile(r"([A-Za-z0-9_.-]+)\s*=\s*(.*)")
_RANGES = re.compile(r"[0-9]+(?:\s*-\s*[0-9]+)?(?:\s*,\s*[0-9]+(?:\s*-\s*[0-9]+)?)*")

# Values with which an option asks for nothing, whatever it is.
_NOTHING = {"", "none", "no", "infinity"}

# Values that mean what happens here anyway.
_ANYWAY = {
    ("attributes", "weights"): {"normalize"},
    ("ensemble", "votingtype"): {"probabilitydistribution"},
    ("hierarchical", "hseparator"): {"/"},
    ("hierarchical", "type"): {"tree", "dag"},
    ("hierarchical", "wparam"): {"0.75"},
    ("hierarchical", "wtype"): {"expavgparentweight"},
    ("tree", "ftest"): {"1", "1.0"},
    ("tree", "heuristic"): {"default", "variancereduction"},
}

# What to make of the weights of several parents, which labels of a tree do not have.
_WEIGHTS_BY_DEPTH = {"expavgparentweight", "expmaxparentweight", "expminparentweight", "expsumparentweight"}


def accept_clus_settings(context: typer.Context, data: str | None) -> str | None:
    """Take options from a settings file given as DATA; return the data file that it names."""
    if data is None or not data.lower().endswith(".s"):
        return data
    path = Path(data)
    sections = _read(path)
    values, rest = _translated(sections, path.parent)
    file = values.pop("data", None)
    if file is None:
        raise ValueError(f"{path} has no File in its section [Data]; expected the name of a data file")
    known = names_of_options(context)
    for option, (_, name) in list(values.items()):
        if option not in known:
            rest.append(name)
            del values[option]
    shown = ", ".join(f"{name} as --{option}{_shown(value)}" for option, (value, name) in values.items())
    say(f"Settings of {path}: {shown or 'none'}.")
    if rest:
        warn(f"{path} has options that have no counterpart here and are ignored: {', '.join(rest)}")
    give_defaults(context, {option: value for option, (value, _) in values.items()}, str(path))
    return str(file[0])


def _read(path: Path) -> dict[tuple[str, str], tuple[str, str]]:
    """Return values and names as written, by section and name in lower case."""
    found = {}
    section = ""
    text = path.read_text(encoding="utf-8", errors="replace")
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.partition("%")[0].strip()
        if not line:
            continue
        if match := _SECTION.fullmatch(line):
            section = match[1]
            found[section.lower(), ""] = "", section
        elif section and (match := _ASSIGNMENT.fullmatch(line)):
            found[section.lower(), match[1].lower()] = match[2].strip().strip('"'), f"{section}.{match[1]}"
        else:
            raise ValueError(f"{path}, line {number}: found {line!r:.60}; expected [Section] or Name = value")
    return found


def _translated(
    sections: dict[tuple[str, str], tuple[str, str]], folder: Path
) -> tuple[dict[str, tuple[Any, str]], list[str]]:
    """Return our options, each with its value and what CLUS calls it; and what has no counterpart."""
    ours: dict[str, tuple[Any, str]] = {}
    rest = []
    for place, (value, name) in sections.items():
        if not place[1] or value.lower() in _NOTHING or _is_so_anyway(place, value, sections):
            continue
        translate = _COUNTERPARTS.get(place)
        translated = translate(value, folder) if translate is not None else None
        if translated is None:
            rest.append(name)
            continue
        for option, item in translated.items():
            if option == "drop" and option in ours:
                item = f"{ours[option][0]},{item.removeprefix('columns:')}"
            if option == "set" and option in ours:
                item = ours[option][0] | item
            ours[option] = item, name
    _add_what_clus_takes_for_granted(ours, sections)
    return ours, rest


def _is_so_anyway(
    place: tuple[str, str], value: str, sections: dict[tuple[str, str], tuple[str, str]]
) -> bool:
    def other(section: str, name: str) -> str:
        return sections.get((section, name), ("", ""))[0]

    if place == ("attributes", "clustering"):
        return value == other("attributes", "target")
    if place == ("hierarchical", "wtype") and other("hierarchical", "type").lower() != "dag":
        return value.lower() in _WEIGHTS_BY_DEPTH
    return value.lower() in _ANYWAY.get(place, ())


def _add_what_clus_takes_for_granted(
    ours: dict[str, tuple[Any, str]], sections: dict[tuple[str, str], tuple[str, str]]
) -> None:
    if ("hierarchical", "") in sections:
        ours.pop("targets", None)  # the attribute of that type
    elif "targets" not in ours:
        ours["targets"] = "last:1", "no Attributes.Target"
    if ("ensemble", "") not in sections:
        ours["tree"] = True, "no section Ensemble"
    elif ("ensemble", "ensemblemethod") not in sections:
        ours["set"] = {"bootstrap": True}, "no Ensemble.EnsembleMethod"
        ours["max-features"] = "1.0", "no Ensemble.EnsembleMethod"


def _shown(value: Any) -> str:
    if value is True:  # a flag
        return ""
    return " " + (" ".join(f"{k}={v}" for k, v in value.items()) if isinstance(value, dict) else str(value))


# ---- one function for each kind of counterpart; None where the value has none


def _columns(option: str) -> Callable[[str, Path], Values | None]:
    def translate(value: str, folder: Path) -> Values | None:
        return {option: f"columns:{value.replace(' ', '')}"} if _RANGES.fullmatch(value) else None

    return translate


def _whole(option: str) -> Callable[[str, Path], Values | None]:
    return lambda value, folder: {option: int(value)} if value.isdigit() else None


def _file(option: str) -> Callable[[str, Path], Values | None]:
    def translate(value: str, folder: Path) -> Values | None:
        if _number(value) is not None:  # a share of the rows
            return None
        path = folder / value
        with_end = path.with_name(f"{path.name}.arff")
        return {option: str(with_end if with_end.exists() and not path.exists() else path)}

    return translate


def _twice_the_leaf(value: str, folder: Path) -> Values | None:
    """Translate the least weight of a leaf: fewer rows than two such leaves are not divided."""
    weight = _number(value)
    return None if weight is None else {"min-samples-split": max(2, math.ceil(2 * weight))}


def _method(value: str, folder: Path) -> Values | None:
    match value.lower():
        case "bagging":
            return {"set": {"bootstrap": True}, "max-features": "1.0"}
        case "rforest":
            return {"set": {"bootstrap": True}}
    return None


def _subspaces(value: str, folder: Path) -> Values | None:
    words = {"0": "log2", "log": "log2", "log2": "log2", "sqrt": "sqrt"}
    if value.lower() in words:
        return {"max-features": words[value.lower()]}
    number = _number(value)
    return None if number is None or number <= 0 else {"max-features": value}


def _threshold(value: str, folder: Path) -> Values | None:
    percent = _number(value)
    return None if percent is None else {"set": {"threshold": percent / 100}}


def _flag(option: str) -> Callable[[str, Path], Values | None]:
    return lambda value, folder: {option: True} if value.lower() == "yes" else None


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


_COUNTERPARTS: dict[tuple[str, str], Callable[[str, Path], Values | None]] = {
    ("general", "randomseed"): _whole("seed"),
    ("data", "file"): _file("data"),
    ("data", "testset"): _file("test"),
    ("data", "xval"): _whole("folds"),
    ("attributes", "target"): _columns("targets"),
    ("attributes", "disable"): _columns("drop"),
    ("attributes", "key"): _columns("drop"),
    ("constraints", "maxdepth"): _whole("max-depth"),
    ("model", "minimalweight"): _twice_the_leaf,
    ("model", "minimalnumberexamples"): _twice_the_leaf,
    ("hierarchical", "classificationthreshold"): _threshold,
    ("hierarchical", "classificationtreshold"): _threshold,  # so spelt in some versions
    ("ensemble", "iterations"): _whole("trees"),
    ("ensemble", "ensemblemethod"): _method,
    ("ensemble", "selectrandomsubspaces"): _subspaces,
    ("ensemble", "oobestimate"): _flag("oob"),
    ("ensemble", "numberofthreads"): _whole("jobs"),
}
