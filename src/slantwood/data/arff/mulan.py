"""Which columns of an ARFF file are labels, as Mulan's XML files list them, flat or nested."""

from __future__ import annotations

import re
from collections.abc import Sequence
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
        pairs = zip(self.parents, self.names, strict=True)
        edges = [(parent, name) for parent, name in pairs if parent is not None]
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
    return _parse(path, content)


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
    text = "\n".join(lines).encode()
    if isinstance(file, (str, PathLike)):
        files.write_file(file, lambda stream: stream.write(text))
    else:
        file.write(text)


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
    edges = [tuple(attribute_of[str(label)] for label in edge) for edge in labels.hierarchy.edges]
    kept = set(chosen)
    return chosen, Hierarchy([name for name in names if name in kept], edges)


def _unescaped(name: str) -> str:
    return re.sub(r"\\(.)", r"\1", name)


class _NoSuchList(ValueError):
    """What is wrong with a file; the parser has errors of its own where it knows no such encoding."""


def _parse(path: Path, content: bytes) -> Labels:
    parents: dict[str, str | None] = {}
    around: list[
        str | None
    ] = []  # the elements that are open: the list itself, which has no name, and labels
    parser = expat.ParserCreate(namespace_separator=" ")

    def error(message: str, line: int | None = None) -> ValueError:
        return _NoSuchList(f"{path}, line {line or parser.CurrentLineNumber}: {message}")

    def start(element: str, attributes: dict[str, str]) -> None:
        namespace, _, tag = element.rpartition(" ")
        expected = "label" if around else "labels"
        if tag != expected or namespace not in ("", _NAMESPACE):
            raise error(
                f"found the element <{shortened(tag, 60)}>; expected <{expected}>, as in Mulan's lists"
            )
        name = attributes.get("name") if around else None
        if around:
            if name is None:
                raise error('a <label> has no name; expected <label name="...">')
            if name in parents:
                raise error(f"label {shown(name)} occurs twice; expected each label once")
            parents[name] = around[-1]
        around.append(name)

    def document_type(*_: Any) -> None:
        raise error("found a document type (DOCTYPE); expected none, as it may define endless texts")

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: around.pop()
    parser.StartDoctypeDeclHandler = document_type
    try:
        parser.Parse(content, True)
    except expat.ExpatError as found:
        problem = expat.errors.messages.get(found.code, str(found))
        raise error(f"{problem}; expected XML", found.lineno) from found
    except _NoSuchList:
        raise
    except (LookupError, ValueError) as found:
        raise error(f"cannot decode the text ({shortened(str(found))}); expected UTF-8") from found
    if not parents:
        raise error('the list is empty; expected elements <label name="...">')
    return Labels(tuple(parents), tuple(parents.values()))


def _check(names: Sequence[str], parents: Sequence[str | None]) -> None:
    if not names:
        raise ValueError("names is empty; expected at least one label")
    if len(parents) != len(names):
        raise ValueError(f"parents has {len(parents)} entries for {len(names)} names; expected as many")
    if len(set(names)) < len(names):
        raise ValueError("names has a label twice; expected each label once")
    for unknown in set(parents) - {None, *names}:
        raise ValueError(f"parents has {shown(unknown)}, which is not among the names")
    for name in names:
        if found := _NOT_IN_XML.search(name):
            raise ValueError(f"label {shown(name)} has the character {found[0]!r}, which XML cannot hold")


def _elements(below: dict[str | None, list[str]], n_labels: int) -> list[str]:
    lines: list[str] = []
    # Labels and how deep they stand; the end of an element waits, under what stands in it, without a name.
    waiting: list[tuple[str | None, int]] = [(name, 0) for name in reversed(below[None])]
    started = 0
    while waiting:
        name, depth = waiting.pop()
        indent = "  " * depth
        if name is None:
            lines.append(f"{indent}</label>")
            continue
        started += 1
        lines.append(f'{indent}<label name="{name.translate(_ESCAPES)}">' + "</label>" * (not below[name]))
        if below[name]:
            waiting += [(None, depth), *((inside, depth + 1) for inside in reversed(below[name]))]
    if started < n_labels:
        raise ValueError("parents run in a cycle; expected every label below one without parent")
    return lines
