"""Settings files of the program CLUS (.s): which of their options mean the same as one of ours.

They have sections and lines ``Name = value``; a comment begins with %. What a file does not say has the
default of CLUS: who brings one expects CLUS's trees, which are axis-parallel.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import typer

from slantwood.cli.clus_attributes import LISTS, KnownAttributes, attributes_listed, roles_of
from slantwood.cli.config import option_names, set_defaults
from slantwood.cli.console import say, warn

# Values and names as written, by section and name in lower case.
Sections = dict[tuple[str, str], tuple[str, str]]
# Values of our options; "set threshold" is the parameter threshold of the option set.
Values = dict[str, Any]

_SECTION = re.compile(r"\[\s*([A-Za-z]+)\s*\]")
_ASSIGNMENT = re.compile(r"([A-Za-z0-9_.-]+)\s*=\s*(.*)")

# Values with which an option asks for nothing, whatever it is.
_NOTHING = {"", "none", "no", "infinity"}

# Values that mean what happens here anyway.
_ANYWAY = {
    ("attributes", "clusteringweights"): {"1", "1.0"},
    ("attributes", "weights"): {"normalize"},
    ("ensemble", "bagsize"): {"0"},
    ("ensemble", "votingtype"): {"probabilitydistribution"},
    ("hierarchical", "hseparator"): {"/"},
    ("hierarchical", "type"): {"tree", "dag"},
    ("hierarchical", "wparam"): {"0.75"},
    ("hierarchical", "wtype"): {"expavgparentweight"},
    ("model", "minimalnumberexamples"): {"0"},
    ("tree", "binarysplit"): {"yes"},
    ("tree", "ftest"): {"1", "1.0"},
    ("tree", "heuristic"): {"default", "variancereduction"},
}

# What to make of the weights of several parents, which labels of a tree do not have.
_WEIGHTS_BY_DEPTH = {"expavgparentweight", "expmaxparentweight", "expminparentweight", "expsumparentweight"}

# What to do in place of options that have no counterpart.
_INSTEAD = {
    ("ensemble", "featureranking"): "slantwood inspect MODEL shows how much each feature matters",
    ("constraints", "maxsize"): "--max-leaf-nodes limits the leaves of a tree",
    ("tree", "ftest"): "give one level of significance, such as --ftest 0.05",
    ("tree", "pruningmethod"): "--ccp-alpha prunes trees by their cost and complexity",
}


class _Taken(NamedTuple):
    """A value of one of our options, and what CLUS calls that which it comes from."""

    value: Any
    origin: str


@dataclass
class _Translation:
    """Our options, in place of those of a settings file; what has no counterpart; and what to say of it."""

    ours: dict[str, _Taken] = field(default_factory=dict)
    ignored: dict[tuple[str, str], str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def take(self, option: str, value: Any, origin: str) -> None:
        self.ours[option] = _Taken(value, origin)

    def values(self) -> Values:
        """Return the options as a file gives them, parameters as tables."""
        values: Values = {}
        for option, (value, _) in self.ours.items():
            name, _, parameter = option.partition(" ")
            if parameter:
                values.setdefault(name, {})[parameter] = value
            else:
                values[name] = value
        return values


def accept_clus_settings(context: typer.Context, data: str | None) -> str | None:
    """Take options from a settings file given as DATA; return the data file that it names."""
    if data is None or not data.lower().endswith(".s"):
        return data
    path = Path(data)
    sections = _read(path)
    file = _data_file(path, sections)
    translation = _translated(path, sections, file)
    known = option_names(context)
    for option in [each for each in translation.ours if each.partition(" ")[0] not in known]:
        origin = translation.ours.pop(option).origin
        translation.ignored["", origin] = origin
    taken = [f"{origin} as --{_shown(option, value)}" for option, (value, origin) in translation.ours.items()]
    say(f"Settings of {path}: {'; '.join(taken) or 'none'}.")
    for note in translation.notes:
        say(note)
    for place, name in translation.ignored.items():
        if place in _INSTEAD:
            say(f"In place of {name}: {_INSTEAD[place]}.")
    if translation.ignored:
        names = ", ".join(translation.ignored.values())
        warn(f"{path} has options that have no counterpart here and are ignored: {names}")
    set_defaults(context, translation.values(), str(path))
    return file


def _value(sections: Sections, section: str, name: str, default: str = "") -> str:
    return sections.get((section, name), (default, ""))[0]


def _read(path: Path) -> Sections:
    found: Sections = {}
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


def _data_file(path: Path, sections: Sections) -> str:
    value = _value(sections, "data", "file")
    if value.lower() not in _NOTHING:
        return str(_found(path.parent / value))
    beside = _found(path.with_suffix(".arff"))
    if not beside.exists():
        raise ValueError(
            f"{path} has no File in its section [Data], and there is no {beside.name} beside it; expected "
            "one of the two"
        )
    return str(beside)


def _found(path: Path) -> Path:
    """Return the file that is meant, whose name may lack its ends."""
    named = [path.with_name(f"{path.name}{end}") for end in ("", ".arff", ".zip", ".arff.zip")]
    return next((each for each in named if each.is_file()), path)


def _translated(path: Path, sections: Sections, file: str) -> _Translation:
    result = _Translation()
    if _value(sections, "data", "file").lower() in _NOTHING:
        result.notes.append(f"No Data.File: taking {file}.")
    for place, (value, name) in sections.items():
        if place == ("data", "file") or (place[0] == "attributes" and place[1] in LISTS):
            continue
        if not place[1] or value.lower() in _NOTHING or _is_so_anyway(place, value, sections):
            continue
        translate = _COUNTERPARTS.get(place)
        translated = translate(value) if translate is not None else None
        if translated is None:
            result.ignored[place] = name
            continue
        for option, item in translated.items():
            if option == "test":
                item = str(_found(path.parent / item))
            before = result.ours.get(option)
            # Two options may limit the size of leaves.
            if before is None or option != "min-samples-leaf" or before.value < item:
                result.take(option, item, name)
    _add_attributes(result, path, sections, file)
    if ".arff" in Path(file).name.lower():
        result.take("index-base", "clus", "sparse rows")
    _add_what_clus_takes_for_granted(result, sections)
    return result


def _is_so_anyway(place: tuple[str, str], value: str, sections: Sections) -> bool:
    if place == ("hierarchical", "wtype") and _value(sections, "hierarchical", "type").lower() != "dag":
        return value.lower() in _WEIGHTS_BY_DEPTH
    if place == ("ensemble", "selectrandomsubspaces"):  # bagging looks at all features
        return _value(sections, "ensemble", "ensemblemethod", "bagging").lower() == "bagging"
    return value.lower() in _ANYWAY.get(place, ())


def _add_attributes(result: _Translation, path: Path, sections: Sections, file: str) -> None:
    lists: dict[str, frozenset[int]] = {}
    names: dict[str, str] = {}
    for key in LISTS:
        value, name = sections.get(("attributes", key), ("", ""))
        names[key] = name
        if value.lower() in {*_NOTHING, "default"}:
            continue
        try:
            listed = attributes_listed(value)
        except ValueError as error:
            raise ValueError(f"{path}: {name} has {error}") from error
        if listed is None:
            result.ignored["attributes", key] = name
        else:
            lists[key] = listed
    roles = roles_of(lists, _known_attributes(Path(file)))
    # An attribute with a hierarchy tells itself that it is the target.
    if ("hierarchical", "") not in sections:
        name = names["target"] if "target" in lists else "no Attributes.Target"
        result.take("targets", roles.targets, name)
    if roles.drop:
        result.take("drop", roles.drop, " and ".join(names[key] for key in roles.dropped_by))
    result.ignored |= {("attributes", key): names[key] for key in roles.ignored}
    result.notes += roles.notes


def _known_attributes(file: Path) -> KnownAttributes | None:
    """Return what the header tells; None where it cannot be read, of which others will speak."""
    if not file.is_file():
        return None
    from slantwood.data.arff import clus
    from slantwood.data.arff.header import read_header
    from slantwood.data.arff.source import open_source

    try:
        with open_source(file) as source:
            attributes = read_header(source).attributes
            position = clus.class_position(source, attributes)
    except ValueError:
        return None
    keys = frozenset(i for i, each in enumerate(attributes, 1) if clus.is_key(each))
    classes = frozenset(() if position is None else (position + 1,))
    return KnownAttributes(len(attributes), keys, classes)


def _add_what_clus_takes_for_granted(result: _Translation, sections: Sections) -> None:
    def unless_said(section: str, name: str, values: Values) -> None:
        if (section.lower(), name.lower()) not in sections:
            for option, value in values.items():
                if option not in result.ours:
                    result.take(option, value, f"no {section}.{name}")

    result.take("split", "axis", "CLUS's axis-parallel trees")
    result.notes.append("--split gradient grows slantwood's oblique trees in their place.")
    unless_said("Model", "MinimalWeight", _leaf("2") or {})
    result.take("min-samples-split", 2, "nodes that can have two leaves")
    if ("ensemble", "") not in sections:
        result.take("kind", "tree", "no section Ensemble")
        return
    unless_said("Ensemble", "EnsembleMethod", _method("bagging") or {})
    unless_said("Ensemble", "Iterations", {"trees": 10})
    unless_said("Ensemble", "SelectRandomSubspaces", {"max-features": "log2"})


def _shown(option: str, value: Any) -> str:
    if value is True and " " not in option:  # a flag
        return option
    written = str(value).lower() if isinstance(value, bool) else str(value)
    return f"{option}{'=' if ' ' in option else ' '}{written}"


# ---- one function for each kind of counterpart; None where the value has none


def _whole(option: str) -> Callable[[str], Values | None]:
    return lambda value: {option: int(value)} if value.isdigit() else None


def _test_set(value: str) -> Values | None:
    # A number is a share of the rows.
    return {"test": value} if _number(value) is None else None


def _leaf(value: str) -> Values | None:
    """Translate the least weight of a leaf."""
    weight = _number(value)
    return None if weight is None else {"min-samples-leaf": max(1, math.ceil(weight))}


def _significance(value: str) -> Values | None:
    level = _number(value)
    return None if level is None or not 0.0 < level < 1.0 else {"ftest": level}


def _method(value: str) -> Values | None:
    all_features = {"max-features": "1.0"} if value.lower() == "bagging" else {}
    return {"set bootstrap": True, **all_features} if value.lower() in ("bagging", "rforest") else None


def _subspaces(value: str) -> Values | None:
    words = {"0": "log2", "log": "log2", "log2": "log2", "sqrt": "sqrt"}
    if value.lower() in words:
        return {"max-features": words[value.lower()]}
    number = _number(value)
    return None if number is None or number <= 0 else {"max-features": value}


def _threshold(value: str) -> Values | None:
    percent = _number(value)
    return None if percent is None else {"set threshold": percent / 100}


def _flag(option: str) -> Callable[[str], Values | None]:
    return lambda value: {option: True} if value.lower() == "yes" else None


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


_COUNTERPARTS: dict[tuple[str, str], Callable[[str], Values | None]] = {
    ("general", "randomseed"): _whole("seed"),
    ("data", "testset"): _test_set,
    ("data", "xval"): _whole("folds"),
    ("constraints", "maxdepth"): _whole("max-depth"),
    ("model", "minimalweight"): _leaf,
    ("model", "minimalnumberexamples"): _leaf,
    ("tree", "ftest"): _significance,
    ("hierarchical", "classificationthreshold"): _threshold,
    ("hierarchical", "classificationtreshold"): _threshold,  # so spelt in some versions
    ("ensemble", "iterations"): _whole("trees"),
    ("ensemble", "ensemblemethod"): _method,
    ("ensemble", "selectrandomsubspaces"): _subspaces,
    ("ensemble", "bagsize"): _whole("max-samples"),
    ("ensemble", "oobestimate"): _flag("oob"),
    ("ensemble", "numberofthreads"): _whole("jobs"),
}
