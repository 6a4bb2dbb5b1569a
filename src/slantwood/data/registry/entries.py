"""What is known of data sets: the table sets.toml as objects."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path, PurePath, PurePosixPath
from typing import Any, NamedTuple, TypeVar

_Path = TypeVar("_Path", bound=PurePath)
_TABLE = Path(__file__).with_name("sets.toml")

# More bytes than any known data set has.
LARGEST = 4 << 30

# A file of a data set has a number or a name in each cell, at most, and a header that lists names.
_BYTES_PER_CELL = 64
_BYTES_BESIDE = 64 << 20

# The folders that the files of a task lie in.
FOLDERS = {
    "regression": "str",
    "multi-target regression": "mtr",
    "binary": "bin",
    "multi-class": "mcc",
    "multi-label": "mlc",
    "hierarchical multi-label": "hmlc",
}


class Size(NamedTuple):
    """Rows, inputs, and targets, classes or labels of a data set."""

    N: int
    D: int
    T: int


@dataclass(frozen=True)
class Source:
    """An address, and the names that lead through archives to the file."""

    url: str
    members: tuple[str, ...] = ()


@dataclass(frozen=True)
class File:
    """A file below a data folder, named without the ending of a compression."""

    name: str
    part: str | None = None
    sources: tuple[Source, ...] = ()
    sha256: str | None = None


@dataclass(frozen=True)
class Copy:
    """A form in which a data set exists.

    Attributes
    ----------
    files : tuple of File
        What is read, training part first.
    size : Size
        Rows, inputs and targets of these files.
    openml : int or str or None
        Number or name of the set at OpenML, where the file is one of OpenML's.
    reading : dict
        Arguments of `slantwood.data.read`.
    relabel : str
        How targets are changed after reading: "<class> against the rest", "rounded", or "" for not.
    beside : tuple of str
        Files that lie beside these and are not read.
    mark : str
        In a word or two why results on this copy are not results on the set of the paper; else empty.
    remark : str
        What a reader of results on this copy must know.
    """

    files: tuple[File, ...]
    size: Size
    openml: int | str | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    relabel: str = ""
    beside: tuple[str, ...] = ()
    mark: str = ""
    remark: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the files that have to be there."""
        # What the columns of a file of OpenML are for stands beside it.
        beside = () if self.openml is None else (str(description_path(PurePosixPath(self.files[0].name))),)
        return (*(file.name for file in self.files), *beside)

    @property
    def max_bytes(self) -> int:
        """The largest size in bytes that one of the files may have, when it is not compressed."""
        n_cells = self.size.N * (self.size.D + self.size.T)
        return min(_BYTES_BESIDE + _BYTES_PER_CELL * n_cells, LARGEST)

    @property
    def can_be_fetched(self) -> bool:
        """Whether a public host of all files is known."""
        return self.openml is not None or all(file.sources for file in self.files)


@dataclass(frozen=True)
class Dataset:
    """What is known of a data set.

    Parameters
    ----------
    name : str
        The name that the paper uses.
    task : str
        "binary", "multi-class", "multi-label", "hierarchical multi-label", "regression" or "multi-target
        regression".
    role : str
        "benchmark" or "parameter study" in the paper; "extra" for sets that are not in it.
    size : Size
        Rows, inputs and targets as the paper states them.
    page : str
        Where the set is described.
    copies : tuple of Copy
        Forms in which it exists, the one to prefer first.
    aliases : tuple of str
        Other names that it goes by.
    stand_ins : tuple of str
        Names of sets that come near it, for those who cannot have it.

    Examples
    --------
    >>> from slantwood.data import dataset
    >>> emotions = dataset("emotions")
    >>> emotions.task, emotions.in_paper
    ('multi-label', True)
    """

    name: str
    task: str
    role: str
    size: Size
    page: str
    copies: tuple[Copy, ...] = ()
    aliases: tuple[str, ...] = ()
    stand_ins: tuple[str, ...] = ()

    @property
    def in_paper(self) -> bool:
        """Whether the paper uses this set."""
        return self.role != "extra"

    @property
    def folder(self) -> str:
        """Where its files lie below a data folder."""
        return f"{FOLDERS[self.task]}/{self.name}"


@cache
def every_dataset() -> tuple[Dataset, ...]:
    """Return all known sets, in the order of the table."""
    table = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    return tuple(_dataset(name, entry, table["hosts"]) for name, entry in table["sets"].items())


def description_path(path: _Path) -> _Path:
    """Return where OpenML's description of a file lies, whichever compression the file has."""
    return path.with_name(path.name.partition(".")[0] + ".json")


def _dataset(name: str, entry: Mapping[str, Any], hosts: Mapping[str, str]) -> Dataset:
    aliases, stand_ins = (tuple(entry.get(key, ())) for key in ("aliases", "stand_ins"))
    size = Size(**entry["size"])
    bare = Dataset(name, entry["task"], entry["role"], size, entry["page"], (), aliases, stand_ins)
    return replace(bare, copies=tuple(_copy(bare, copy, hosts) for copy in entry.get("copies", ())))


def _copy(of: Dataset, entry: Mapping[str, Any], hosts: Mapping[str, str]) -> Copy:
    openml = entry.get("openml")
    files = entry.get("files", ()) if openml is None else [{"name": f"{of.folder}/openml-{openml}.arff"}]
    return Copy(
        tuple(_file(file, hosts) for file in files),
        of.size._replace(**entry.get("size", {})),
        openml,
        {key: entry[key] for key in ("format", "header", "targets", "drop", "nominal") if key in entry},
        beside=tuple(entry.get("beside", ())),
        **{key: entry[key] for key in ("relabel", "mark", "remark") if key in entry},
    )


def _file(entry: Mapping[str, Any], hosts: Mapping[str, str]) -> File:
    sources = []
    for text in entry.get("from", ()):
        address, *members = text.split("!")
        host, _, path = address.partition(":")
        sources.append(Source(hosts[host] + path if host in hosts else address, tuple(members)))
    return File(entry["name"], entry.get("part"), tuple(sources), entry.get("sha256"))
