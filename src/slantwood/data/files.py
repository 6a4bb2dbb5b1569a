"""Data files as streams of bytes, plain or compressed."""

from __future__ import annotations

import bz2
import gzip
import importlib
import io
import lzma
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from os import PathLike
from pathlib import Path
from typing import IO, Any

from slantwood.atomic import write_atomically
from slantwood.data.limits import Limit
from slantwood.hints import shortened

# Files of this kind hold others, and are only read.
ARCHIVE = ".zip"

# Enough for reading to be fast, and little beside the matrices that are read.
BLOCK = 1 << 22
_BUFFER = 1 << 16


@contextmanager
def open_read(
    path: str | PathLike[str], max_memory: int | None = None, *, has_lines: bool = True
) -> Iterator[IO[bytes]]:
    """Open a file for reading, decompressed; damaged files raise an error that names them.

    What comes out is bounded while it is read, also each line where the file has lines (`Limit` has the
    sizes). A file without lines that is not compressed can be read in any order.
    """
    path = Path(path)
    with open(path, "rb") as file:
        limit = Limit.of(path, max_memory)
        opener = (_OPENERS | {ARCHIVE: _open_archive}).get(path.suffix.lower())
        if opener is None and not has_lines:
            yield file
            return
        try:
            with opener(file, "rb") if opener else nullcontext(file) as stream:
                bounded = _Bounded(stream, limit, has_lines, is_decompressed=opener is not None)
                yield io.BufferedReader(bounded, _BUFFER)
        except Exception as error:
            if opener and (damaged := decompression_error(path, error)):
                raise damaged from error
            raise


class _Bounded(io.RawIOBase):
    """Bytes from a stream, of which no more come than a file may take."""

    def __init__(self, stream: Any, limit: Limit, has_lines: bool, is_decompressed: bool) -> None:
        self._stream, self._limit = stream, limit
        self._in_all = self._in_line = 0
        self._has_lines, self._is_decompressed = has_lines, is_decompressed

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        n = int(self._stream.readinto(buffer))
        self._in_all += n
        if self._is_decompressed and self._in_all > self._limit.n_bytes:
            raise self._limit.error("it holds more when it is decompressed", ", or decompress the file first")
        if self._has_lines:
            end = bytes(memoryview(buffer)[:n]).rfind(b"\n") + 1
            self._in_line = n - end if end else self._in_line + n
            if self._in_line > self._limit.line:
                raise self._limit.error(f"a line of it has more than {self._limit.line:,} bytes")
        return n


def write_file(path: str | PathLike[str], write: Callable[[IO[bytes]], Any]) -> None:
    """Call `write` with a file, compressed as its name ends; it appears when everything is written."""
    if (suffix := Path(path).suffix.lower()) == ARCHIVE:
        raise ValueError(f"{path}: {ARCHIVE} files are only read; write one of {', '.join(COMPRESSIONS)}")
    opener = _OPENERS.get(suffix)

    def compress(file: IO[bytes]) -> None:
        with opener(file, "wb") if opener else nullcontext(file) as stream:
            write(stream)

    write_atomically(path, compress)


def is_plain(path: str | PathLike[str]) -> bool:
    """Tell whether a file is not compressed, as its name says."""
    return Path(path).suffix.lower() not in (*_OPENERS, ARCHIVE)


def format_suffix(path: str | PathLike[str]) -> str:
    """Return what a name ends in, without the mark of compression: ".arff" for "a.arff.xz"."""
    path = Path(path)
    return (path if is_plain(path) else path.with_suffix("")).suffix.lower()


def blocks(path: str | PathLike[str], size: int = BLOCK, max_memory: int | None = None) -> Iterator[bytes]:
    """Yield the decompressed bytes of a text in blocks that end with a line; the last may lack its end."""
    rest: list[bytes] = []  # of a line that goes on in the next block
    with open_read(path, max_memory) as file:
        while block := file.read(size):
            end = block.rfind(b"\n") + 1
            if end:
                yield b"".join((*rest, memoryview(block)[:end]))
                rest = [block[end:]]
            else:
                rest.append(block)
    if any(rest):
        yield b"".join(rest)


def decompression_error(path: str | PathLike[str], error: Exception, place: str = "") -> ValueError | None:
    """Say that a file is damaged, where that is what an error while reading means; else None."""
    # Decompression fails with an OSError without number, the operating system with one.
    of_system = isinstance(error, OSError) and error.errno is not None
    of_codecs: tuple[type[Exception], ...] = (lzma.LZMAError, zlib.error, zipfile.BadZipFile, *_zstd_errors())
    if of_system or not isinstance(error, (EOFError, OSError, *of_codecs)):
        return None
    return ValueError(
        f"{path}{place}: cannot decompress what follows ({shortened(str(error))}); expected a whole "
        f"{Path(path).suffix} file"
    )


@contextmanager
def _open_archive(file: IO[bytes], mode: str) -> Iterator[IO[bytes]]:
    """Open the only file of an archive, beside which systems may keep hidden ones."""
    with zipfile.ZipFile(file) as archive:
        names = [each.filename for each in archive.infolist() if not each.is_dir()]
        names = [name for name in names if not name.startswith("__MACOSX/") and Path(name).name[:1] != "."]
        if len(names) != 1:
            raise ValueError(f"{file.name}: the archive has {len(names)} files; expected one, the data file")
        try:
            stream = archive.open(names[0])
        except (NotImplementedError, RuntimeError) as error:  # another method, or a password
            raise ValueError(f"{file.name}: cannot open {names[0]!r:.60} in it ({error})") from error
        with stream:
            yield stream


def _zstd() -> Any:
    # Part of Python from 3.14 on.
    name = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(
            f"files that end in .zst need {name}; install it with: pip install 'slantwood[data]'"
        ) from error


def _zstd_errors() -> tuple[type[Exception], ...]:
    try:
        return (_zstd().ZstdError,)
    except ImportError:
        return ()


_OPENERS: dict[str, Callable[..., Any]] = {
    ".bz2": bz2.open,
    ".gz": gzip.open,
    ".xz": lzma.open,
    ".zst": lambda file, mode: _zstd().open(file, mode),
}

# What names of compressed files end in.
COMPRESSIONS = tuple(_OPENERS)
