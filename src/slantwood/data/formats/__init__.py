"""The file formats, by name and by what file names end in. A format is one file here and one line below.

Each file has two functions: ``read(path, options)`` gives a `Table`, where the user says which columns are
targets, or a `Data`, where the format does; ``write(data, file)`` writes a `Data` to an open file.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from slantwood.data.files import format_suffix, open_read
from slantwood.hints import shown


@dataclass(frozen=True)
class Format:
    """A format: its name, which is that of the file here that reads and writes it, and suffixes of files.

    `keeps` names what it can hold of a `Data` beside columns.
    """

    name: str
    suffixes: tuple[str, ...]
    keeps: tuple[str, ...] = ()

    def load(self) -> Any:
        """Import the module; some need libraries that are not always there."""
        return import_module(f"{__name__}.{self.name}")


_FORMATS = (
    Format("arff", (".arff",), ("hierarchy", "weights", "keys")),
    Format("csv", (".csv", ".data")),
    Format("tsv", (".tsv", ".tab")),
    Format("svmlight", (".libsvm", ".svm", ".svmlight")),
    Format("extreme", (".xmc",)),
    Format("parquet", (".parquet", ".pq")),
    Format("arrow", (".arrow", ".feather", ".ipc")),
    Format("npz", (".npz",), ("hierarchy", "weights", "keys")),
)
_BY_NAME = {each.name: each for each in _FORMATS}
_BY_SUFFIX = {suffix: each for each in _FORMATS for suffix in each.suffixes}


def format_of(path: Path, name: str | None = None, *, exists: bool = True) -> Format:
    """Return the format of this name, or the one that the end of the path tells.

    The end .txt tells nothing; the first line of an extreme-classification file does.
    """
    if name is not None:
        if name not in _BY_NAME:
            raise ValueError(f"format={shown(name)} is not known; expected one of {', '.join(_BY_NAME)}")
        return _BY_NAME[name]
    suffix = format_suffix(path)
    if suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix]
    if suffix == ".txt" and exists and _begins_with_three_sizes(path):
        return _BY_NAME["extreme"]
    raise ValueError(
        f"{path}: its suffix {shown(suffix)} does not tell the format; give format, one of "
        f"{', '.join(_BY_NAME)}"
    )


def _begins_with_three_sizes(path: Path) -> bool:
    with open_read(path) as file:
        words = file.readline(100).split()
    return len(words) == 3 and all(word.isdigit() for word in words)
