"""Which columns of an ARFF file are labels, as Mulan's XML files list them, flat or nested."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import IO, Any
from xml.parsers import expat

from slantwood.data import files
from slantwood.data.limits import checked_max_memory
from slantwood.hints import shortened, shown
from slantwood.targets.hierarchy import Hierarchy

_NAMESPACE = "http://mulan.sourceforge.net/labels"
_COMPRESSIONS = ("", *files.COMPRESSIONS, files.ARCHIVE)
# Both parts of a set have the labels of one file: birds.train.arff and birds.test.arff those of birds.xml.
_PART = re.compile(r"(.+)(?:\.[^.]+|[-_](?:train|test|valid))", re.IGNORECASE)
# Blanks other than spaces would be read back as spaces.
_ESCAPES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
)
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Labels:
    """Labels and, where the list is nested, the label around each.

    Parameters
    ----------
    names : tuple of str
        The labels, in the order of the file.
    parents : tuple of str or None
        For each label the one that it stands in; None for those that stand in none.

    Examples
    --------
    >>> from slantwood.data import Labels
    >>> Labels(("tree", "oak"), (None, "tree")).hierarchy.leaves
    ('oak',)
    """

    names: tuple[str, ...]
    parents: tuple[str | None, ...]

    @property
    def hierarchy(self) -> Hierarchy | None:
        """The hierarchy of the labels, or None for a flat list."""
        edges = [
            (parent, name)
            for parent, name in zip(self.parents, self.names, strict=True)
            if parent is not None
        ]
        return Hierarchy(self.names, edges) if edges else None


def read_labels(path: str | PathLike[str], *, max_memory: int | None = None) -> Labels:
    """Read a list of labels.

    Parameters
    ----------
    path : str or path
        The XML file; .bz2, .gz, .xz, .zst and a .zip with one file in it are decompressed.
    max_memory : int, optional
        The most bytes of memory that the file may take, as in `read`.

    Returns
    -------
    Labels
        Their names and, where they are nested, their parents.

    Raises
    ------
    ValueError
        If the file is no such list; it says the line, and what was expected there. A document type is an
        error too, since it can make a short file expand without end.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from slantwood.data import read_labels, write_labels
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "labels.xml")
    ...     write_labels(path, ["calm", "sad"])
    ...     read_labels(path)
    Labels(names=('calm', 'sad'), parents=(None, None))
    """
    path = Path(path)
    with files.open_read(path, checked_max_memory(max_memory)) as file:
        content = file.read()
    return _Reader(path).labels(content)


def write_labels(
    file: str | PathLike[str] | IO[bytes], names: Sequence[str], parents: Sequence[str | None] | None = None
) -> None:
    """Write a list of labels.

    Parameters
    ----------
    file : str, path, or file open for writing bytes
        Where to write.
    names : sequence of str
        The labels.
    parents : sequence of str or None, optional
        For each label the one right above it, or None. Labels are written inside their parents, so reading
        gives them in this order: each followed by those below it.

    Examples
    --------
    >>> import io
    >>> from slantwood.data import write_labels
    >>> file = io.BytesIO()
    >>> write_labels(file, ["tree", "oak"], parents=[None, "tree"])
    >>> print(file.getvalue().decode().strip())
    <?xml version="1.0" encoding="utf-8"?>
    <labels xmlns="http://mulan.sourceforge.net/labels">
    <label name="tree">
      <label name="oak"></label>
    </label>
    </labels>
    """
    above = [None] * len(names) if parents is None else list(parents)
    _check(names, above)
    below: dict[str | None, list[str]] = {None: [], **{name: [] for name in names}}
    for name, parent in zip(names, above, strict=True):
        below[parent].append(name)
    lines = ['<?xml version="1.0" encoding="utf-8"?>', f'<labels xmlns="{_NAMESPACE}">']
    lines += _elements(below, len(names))
    lines += ["</labels>", ""]
    with files.open_write(file) if isinstance(file, (str, PathLike)) else nullcontext(file) as stream:
        stream.write("\n".join(lines).encode())


def find_labels_file(path: Path) -> Path | None:
    """Return the XML file that lies beside an ARFF file and bears its name, or the name of its set."""
    stem = path.name
    while Path(stem).suffix.lower() in (".arff", *_COMPRESSIONS[1:]):
        stem = Path(stem).stem
    part = _PART.fullmatch(stem)
    for name in (stem, part[1]) if part else (stem,):
        for compression in _COMPRESSIONS:
            found = path.with_name(f"{name}.xml{compression}")
            if found.is_file():
                return found
    return None


def attributes_of_labels(
    beside: Path, path: Path, names: Sequence[str], max_memory: int | None
) -> tuple[list[str], Hierarchy | None]:
    """Return the attributes of an ARFF file that the XML file beside it lists, and their hierarchy."""
    try:
        labels = read_labels(beside, max_memory=max_memory)
    except ValueError as error:
        raise ValueError(f"{error}. The file lies beside {path}; give targets to do without it") from error
    # Some files escape apostrophes without quotes around the name, in one of the two or in both.
    found = {_unescaped(name): name for name in names} | {name: name for name in names}
    attribute_of = {label: found.get(label) or found.get(_unescaped(label)) for label in labels.names}
    for label, attribute in attribute_of.items():
        if attribute is None:
            raise ValueError(
                f"{beside} has the label {shown(label)}, and {path} no attribute of this name; expected the "
                "labels among the attributes. Give targets to do without this list"
            )
    chosen = [attribute for attribute in attribute_of.values() if attribute is not None]
    if labels.hierarchy is None:
        return chosen, None
    edges = [
        (attribute_of[str(parent)], attribute_of[str(child)]) for parent, child in labels.hierarchy.edges
    ]
    kept = set(chosen)
    return chosen, Hierarchy([name for name in names if name in kept], edges)


def _unescaped(name: str) -> str:
    return re.sub(r"\\(.)", r"\1", name)


class _NoSuchList(ValueError):
    """What is wrong with a file; the parser has errors of its own where it knows no such encoding."""


class _Reader:
    """Gathers labels while a parser goes through the file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._parents: dict[str, str | None] = {}
        self._around: list[str] = []
        self._in_list = False
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.StartDoctypeDeclHandler = self._refuse_document_type

    def labels(self, content: bytes) -> Labels:
        try:
            self._parser.Parse(content, True)
        except expat.ExpatError as error:
            problem = expat.errors.messages.get(error.code, str(error))
            raise self._error(f"{problem}; expected XML", error.lineno) from error
        except _NoSuchList:
            raise
        except (LookupError, ValueError) as error:
            raise self._error(f"cannot decode the text ({shortened(str(error))}); expected UTF-8") from error
        if not self._parents:
            raise self._error('the list is empty; expected elements <label name="...">')
        return Labels(tuple(self._parents), tuple(self._parents.values()))

    def _start(self, element: str, attributes: dict[str, str]) -> None:
        namespace, _, tag = element.rpartition(" ")
        expected = "label" if self._in_list else "labels"
        if tag != expected or namespace not in ("", _NAMESPACE):
            raise self._error(
                f"found the element <{shortened(tag, 60)}>; expected <{expected}>, as in Mulan's lists"
            )
        if self._in_list:
            self._add(attributes)
        self._in_list = True

    def _add(self, attributes: dict[str, str]) -> None:
        name = attributes.get("name")
        if name is None:
            raise self._error('a <label> has no name; expected <label name="...">')
        if name in self._parents:
            raise self._error(f"label {shown(name)} occurs twice; expected each label once")
        self._parents[name] = self._around[-1] if self._around else None
        self._around.append(name)

    def _end(self, element: str) -> None:
        if self._around:
            self._around.pop()

    def _refuse_document_type(self, *_: Any) -> None:
        raise self._error("found a document type (DOCTYPE); expected none, as it may define endless texts")

    def _error(self, message: str, line: int | None = None) -> ValueError:
        return _NoSuchList(f"{self._path}, line {line or self._parser.CurrentLineNumber}: {message}")


def _check(names: Sequence[str], parents: Sequence[str | None]) -> None:
    if not names:
        raise ValueError("names is empty; expected at least one label")
    if len(parents) != len(names):
        raise ValueError(f"parents has {len(parents)} entries for {len(names)} names; expected as many")
    if len(set(names)) < len(names):
        raise ValueError("names has a label twice; expected each label once")
    for parent in set(parents) - {None}:
        if parent not in names:
            raise ValueError(f"parents has {shown(parent)}, which is not among the names")
    for name in names:
        if found := _NOT_IN_XML.search(name):
            raise ValueError(f"label {shown(name)} has the character {found[0]!r}, which XML cannot hold")


def _elements(below: dict[str | None, list[str]], n_labels: int) -> list[str]:
    lines: list[str] = []
    # The end of an element waits as None, under what stands in it.
    waiting: list[str | None] = list(reversed(below[None]))
    started = 0
    depth = 0
    while waiting:
        name = waiting.pop()
        if name is None:
            depth -= 1
            lines.append("  " * depth + "</label>")
            continue
        started += 1
        inside = below[name]
        lines.append("  " * depth + f'<label name="{name.translate(_ESCAPES)}">' + "</label>" * (not inside))
        if inside:
            depth += 1
            waiting += [None, *reversed(inside)]
    if started < n_labels:
        raise ValueError("parents run in a cycle; expected every label below one without parent")
    return lines
