"""An ARFF file as lines that say something, and errors and notices that name their place in it."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import IO

from slantwood.data import files
from slantwood.data.arff.syntax import BLANKS, QUOTED_OR_OPEN, split
from slantwood.data.limits import Limit
from slantwood.hints import shown, stacklevel_of_user

_QUOTED_OR_COMMENT = re.compile(rf"({QUOTED_OR_OPEN})|(?:^|(?<=[ \t]))%.*", re.DOTALL)


class Source:
    """The lines of a file that say something: no blank ones, no comments, no blanks around them.

    Iterating goes on where it stopped. `line` is the number of the line that was read last, and `notices` are
    warnings about how the file was interpreted. `limit` is the memory that it may take.

    Lines that are not UTF-8 are taken as Latin-1, which all bytes are; an `encoding` that is given must fit.
    """

    def __init__(self, limit: Limit, file: IO[bytes], encoding: str | None = None) -> None:
        self.path, self.limit = limit.path, limit
        self.line = 0
        self.notices: list[str] = []
        self._lines = self._read(file, encoding)

    def __iter__(self) -> Iterator[str]:
        return self._lines

    def error(self, message: str, line: int | None = None) -> ValueError:
        """Make an error that names the file and a line, by default the one read last."""
        # In an empty file no line was read.
        return ValueError(f"{self.path}, line {max(1, self.line) if line is None else line}: {message}")

    def split(self, text: str, line: int | None = None) -> list[str]:
        """Split a text into cells, as `syntax.split`; its errors name the file and the line."""
        try:
            return split(text)
        except ValueError as error:
            raise self.error(str(error), line) from None

    def _read(self, file: IO[bytes], encoding: str | None) -> Iterator[str]:
        texts: Iterable[str] = map(self._decoded, file)
        if encoding is not None:
            # Not line by line: in some encodings the end of a line is more than one byte.
            texts = io.TextIOWrapper(file, encoding, newline="\n")
        try:
            for text in texts:
                self.line += 1
                # Some editors put a mark of the encoding at the start of a file.
                line = text.strip(BLANKS if self.line > 1 else BLANKS + "\ufeff")
                if line and not line.startswith("%"):
                    yield line
        except UnicodeError as error:
            problem = f"some bytes after this line are not text in {encoding} ({error.args[-1]})"
            raise self.error(f"{problem}; give another encoding") from error
        except Exception as error:
            if damaged := files.decompression_error(self.path, error, f", line {self.line}"):
                raise damaged from error
            raise

    def _decoded(self, raw: bytes) -> str:
        try:
            return raw.decode()
        except UnicodeDecodeError:
            text = raw.decode("latin-1")
        said = _QUOTED_OR_COMMENT.sub(lambda match: match[1] or "", text).encode("latin-1")
        is_utf8 = said.decode(errors="ignore").encode() == said
        if not self.notices and not is_utf8:
            self.notices.append(
                f"{self.path}, line {self.line + 1}: these bytes are not UTF-8, and such lines are read as "
                "latin-1; give encoding, as encoding='cp1252', if they are in another"
            )
        return text


def check_encoding(encoding: str | None) -> None:
    """Refuse what is no encoding of text."""
    if encoding is not None and not isinstance(encoding, str):
        raise TypeError(f"encoding={shown(encoding)} must be a name such as 'cp1252', or None")
    try:
        "a".encode(encoding or "utf-8")
    except (LookupError, ValueError) as error:
        raise ValueError(
            f"encoding={shown(encoding)} is not a text encoding; expected one such as 'cp1252'"
        ) from error


def emit_notices(source: Source) -> None:
    """Warn the user about how a file was interpreted."""
    for notice in source.notices:
        warnings.warn(notice, stacklevel=stacklevel_of_user())


@contextmanager
def open_source(
    path: str | PathLike[str], encoding: str | None = None, max_memory: int | None = None
) -> Iterator[Source]:
    """Open a text file, decompressed."""
    check_encoding(encoding)
    with files.open_read(path, max_memory) as file:
        yield Source(Limit.of(Path(path), max_memory), file, encoding)
