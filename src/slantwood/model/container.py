"""How named arrays and one JSON document lie in one file, which is believed only if every bit is right.

A file of format version 1, all numbers little-endian:

    bytes 0-7        89 53 4C 54 0D 0A 1A 0A: "SLT", and line ends that careless copying would change
    bytes 8-11       uint32, the format version
    bytes 12-15      zero
    bytes 16-23      uint64, length of the file
    bytes 24-31      uint64, length of the header
    bytes 32-63      SHA-256 of all other bytes of the file, in order
    from byte 64     the header, JSON in UTF-8: {"arrays": [...], "document": {...}}
    then             the arrays, each from the next multiple of 64 bytes on, in C order

`arrays` lists, in the order in which they lie in the file, {"name", "dtype", "shape", "offset", "bytes"} of
each array. Offsets count from the first multiple of 64 bytes after the header; dtypes are those of `DTYPES`;
there are one or two dimensions. Bytes in between are zero, and the file ends with its last array.

Reading maps the file into memory: processes that read the same file share its arrays until they write to
them, which changes nothing in the file. A file may come from anybody: every size is compared with the length
of the file, and what it would take with a limit, before anything is made of it, and nothing in it is ever
executed.
"""

import hashlib
import json
import math
import mmap
import os
import stat
import struct
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import IO, Any, NamedTuple

import numpy as np

from slantwood.atomic import write_atomically
from slantwood.model.refusal import MemoryLimit, ModelFileError

FORMAT_VERSION = 1

MAGIC = b"\x89SLT\r\n\x1a\n"
_PROLOGUE = struct.Struct("<8sIIQQ32s")
_DIGEST_AT = 32  # its place in the prologue
_ALIGNMENT = 64

# What a header may take. Texts are in it, numbers in arrays, so even a million names need less.
MOST_HEADER_BYTES = 1 << 26
_MOST_ARRAYS = 10_000
_MOST_DIMENSIONS = 2
_MOST_WIDE_INTEGERS = 1000
_MOST_BYTES = 1 << 48

# What is read at a time of what cannot be mapped.
_CHUNK = 1 << 24

# At most, of a header in memory: its bytes as text, beside that what it is made of.
_BYTES_PER_LETTER = 6
_BYTES_OF_VALUES = {b",": 96, b"[": 64, b"{": 300}

_KINDS = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
DTYPES = {name: np.dtype(name).newbyteorder("<") for name in (*_KINDS, "float16", "float32", "float64")}

Source = str | PathLike[str] | IO[bytes]


@dataclass(frozen=True)
class Contents:
    """What a file holds."""

    document: dict[str, Any]
    arrays: dict[str, np.ndarray]
    memory: MemoryLimit  # for what is made of them


class _Prologue(NamedTuple):
    """The numbers that a file begins with."""

    zero: int
    length: int
    header_length: int
    digest: bytes


# ---- writing


def write(target: Source, document: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Write a JSON document and arrays to a path or to a binary file object.

    A path has the whole file at once or, if anything goes wrong, what it had before.
    """
    chunks = _chunks(document, arrays)
    if isinstance(target, (str, PathLike)):
        write_atomically(target, lambda file: _write_all(file, chunks))
    else:
        _write_all(target, chunks)


def _write_all(file: IO[bytes], chunks: Sequence[bytes | memoryview]) -> None:
    for chunk in chunks:
        file.write(chunk)


def _chunks(document: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> list[bytes | memoryview]:
    """Return the bytes of a file in a few parts; those of arrays are not copied where they lie in order."""
    entries: list[dict[str, Any]] = []
    body: list[bytes | memoryview] = []
    length = 0
    for name, given in arrays.items():
        if given.dtype.name not in DTYPES or not 1 <= given.ndim <= _MOST_DIMENSIONS:
            raise TypeError(
                f"array {name!r} has dtype {given.dtype} and {given.ndim} dimensions; a model file holds "
                f"arrays of one or two dimensions of {', '.join(DTYPES)}"
            )
        array = np.ascontiguousarray(given, DTYPES[given.dtype.name])
        padding = -length % _ALIGNMENT
        length += padding
        described = {"name": name, "dtype": array.dtype.name, "shape": list(array.shape)}
        entries.append({**described, "offset": length, "bytes": array.nbytes})
        body += [bytes(padding), array.reshape(-1).view(np.uint8).data]
        length += array.nbytes
    header = json.dumps({"arrays": entries, "document": document}, allow_nan=False).encode("ascii")
    if len(header) > MOST_HEADER_BYTES:
        raise ValueError(
            f"names, classes and categories take {len(header)} bytes, and a model file has room for "
            f"{MOST_HEADER_BYTES}; give shorter ones"
        )
    json.loads(header, parse_int=_few_wide_integers())  # refuses what could not be read again
    start = _PROLOGUE.size + len(header)
    padding = -start % _ALIGNMENT if arrays else 0
    opening = _PROLOGUE.pack(MAGIC, FORMAT_VERSION, 0, start + padding + length, len(header), b"")
    body = [header, bytes(padding), *body]
    digest = hashlib.sha256(opening[:_DIGEST_AT])
    for chunk in body:
        digest.update(chunk)
    return [opening[:_DIGEST_AT], digest.digest(), *body]


# ---- reading


def read(source: Source, max_memory: int | None = None) -> Contents:
    """Read what `write` wrote, from a path or a binary file object.

    Of a path the file is mapped into memory: while the arrays are in use it may be replaced, but must not
    be changed in place. They may be written to; the file does not see it. What cannot be mapped, as a pipe,
    is read into memory.

    Raises
    ------
    ModelFileError
        Unless the file is whole, unchanged, and keeps to the format in every byte; also if it would take more
        bytes of memory than `max_memory`, by default as many as `MemoryLimit.of` says.
    """
    if isinstance(source, (str, PathLike)):
        with open(source, "rb") as file:
            status = os.fstat(file.fileno())
            if stat.S_ISREG(status.st_mode) and status.st_size > 0:
                # Copied on writing: kernels would be compiled anew for arrays that cannot be written to.
                content = np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY), np.uint8)
            else:
                content = _streamed(file, max_memory)
    else:
        content = _streamed(source, max_memory)
    return _contents(content, MemoryLimit.of(max_memory, len(content)))


def format_version(path: str | PathLike[str]) -> int:
    """Return the version of the format of a file that `read` has found right."""
    with open(path, "rb") as file:
        return int(_PROLOGUE.unpack(file.read(_PROLOGUE.size))[1])


def _streamed(file: IO[bytes], max_memory: int | None) -> np.ndarray:
    """Read no more than the prologue, and then no more than it says: a device may never end."""
    content = bytearray()
    _read_on(file, content, _PROLOGUE.size)
    length = _prologue(bytes(content)).length
    MemoryLimit.of_stream(max_memory).check(length, "it is not read from a path of a file, and as a whole")
    _read_on(file, content, length + 1)  # notices a file that is too long
    return np.frombuffer(content, np.uint8)


def _read_on(file: IO[bytes], content: bytearray, length: int) -> None:
    while len(content) < length:
        chunk: Any = file.read(min(_CHUNK, length - len(content)))
        if not isinstance(chunk, (bytes, bytearray, memoryview)):
            raise TypeError(f"it was read as {type(chunk).__name__}; open it as binary, with mode 'rb'")
        if not chunk:
            return
        content += chunk


def _contents(file: np.ndarray, memory: MemoryLimit) -> Contents:
    header_length = _checked_prologue(file)
    start = _PROLOGUE.size + header_length
    document, entries = _parsed_header(file[_PROLOGUE.size : start].tobytes(), memory)
    arrays: dict[str, np.ndarray] = {}
    begin = start + -start % _ALIGNMENT if entries else start
    end = start
    for entry in entries:
        name, dtype, shape, offset, size = _checked_entry(entry)
        gap = -end % _ALIGNMENT
        if name in arrays:
            raise ModelFileError(f"array {name!r:.80} is listed twice")
        if begin + offset != end + gap or size > len(file) - end - gap:
            raise ModelFileError(
                f"array {name!r:.80} of {size} bytes at {offset} overlaps another one, leaves a gap, or goes "
                "beyond the end of the file"
            )
        if file[end : end + gap].any():
            raise ModelFileError(f"there are bytes that are not zero before array {name!r:.80}")
        end += gap + size
        array = file[end - size : end]
        if dtype == np.bool_ and size and array.max() > 1:
            raise ModelFileError(f"array {name!r:.80} holds truth values other than 0 and 1")
        # Without a copy where numbers of this machine are little-endian.
        arrays[name] = array.view(dtype).reshape(shape).astype(dtype.newbyteorder("="), copy=False)
    if end != len(file):
        raise ModelFileError(f"there are {len(file) - end} bytes after the last array")
    return Contents(document, arrays, memory)


def _prologue(opening: bytes) -> _Prologue:
    """Return what the first bytes of a file say, where they are those of a model file."""
    if not opening.startswith(MAGIC):
        raise ModelFileError("it is not a slantwood model file, or its first bytes are damaged")
    if len(opening) < _PROLOGUE.size:
        raise ModelFileError(f"it ends after {len(opening)} bytes; it is incomplete, copy it again")
    _, version, *rest = _PROLOGUE.unpack(opening)
    if version != FORMAT_VERSION:
        raise ModelFileError(
            f"its format version is {version}, and this slantwood reads version {FORMAT_VERSION}; it may "
            "need a newer slantwood"
        )
    return _Prologue(*rest)


def _checked_prologue(file: np.ndarray) -> int:
    """Check the first bytes and the checksum of all; return the length of the header."""
    opening = file[: _PROLOGUE.size].tobytes()
    zero, length, header_length, digest = _prologue(opening)
    if length != len(file):
        raise ModelFileError(
            f"it has {len(file)} bytes and should have {length}; it is incomplete or damaged, copy it again"
        )
    if zero != 0 or header_length > min(MOST_HEADER_BYTES, length - _PROLOGUE.size):
        raise ModelFileError(f"its prologue is wrong (header of {header_length} bytes)")
    seen = hashlib.sha256(opening[:_DIGEST_AT])
    seen.update(file[_PROLOGUE.size :].data)
    if seen.digest() != digest:
        raise ModelFileError("its checksum is wrong; it is damaged, copy it again")
    return header_length


def _parsed_header(text: bytes, memory: MemoryLimit) -> tuple[dict[str, Any], list[Any]]:
    of_values = sum(size * text.count(mark) for mark, size in _BYTES_OF_VALUES.items())
    memory.check(_BYTES_PER_LETTER * len(text) + of_values, f"its header of {len(text)} bytes")
    try:
        header = json.loads(
            text.decode("utf-8"),
            object_pairs_hook=_unique,
            parse_float=_finite,
            parse_constant=_finite,
            parse_int=_few_wide_integers(),
        )
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"its header is not plain JSON: {error}") from error
    if not isinstance(header, dict) or header.keys() != {"arrays", "document"}:
        raise ModelFileError("its header must have 'arrays' and 'document'")
    document, entries = header["document"], header["arrays"]
    if not isinstance(document, dict) or not isinstance(entries, list) or len(entries) > _MOST_ARRAYS:
        raise ModelFileError("its header must hold an object 'document' and a list 'arrays'")
    return document, entries


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise ValueError("a key stands twice in one object")
    return result


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text:.40} is no finite number")
    return number


def _few_wide_integers() -> Callable[[str], int]:
    """Return what reads whole numbers, a few of more than 64 bits among them.

    Such numbers can be made up so that a dictionary has them all at one place, and finds each only after
    looking at all others.
    """
    n_wide = 0

    def read_integer(text: str) -> int:
        nonlocal n_wide
        number = int(text)
        if not -(1 << 63) <= number < 1 << 64:
            n_wide += 1
            if n_wide > _MOST_WIDE_INTEGERS:
                raise ValueError(f"more than {_MOST_WIDE_INTEGERS} whole numbers above 64 bits; use text")
        return number

    return read_integer


def _checked_entry(entry: Any) -> tuple[str, np.dtype, tuple[int, ...], int, int]:
    """Return name, type, shape, offset and bytes of an array, in line with each other."""
    if not isinstance(entry, dict) or entry.keys() != {"name", "dtype", "shape", "offset", "bytes"}:
        raise ModelFileError(f"array {entry!r:.80} must have a name, dtype, shape, offset and bytes")
    name, dtype, shape = entry["name"], entry["dtype"], entry["shape"]
    offset, size = entry["offset"], entry["bytes"]
    if not isinstance(name, str) or not isinstance(dtype, str) or dtype not in DTYPES:
        raise ModelFileError(f"array {name!r:.80} has the dtype {dtype!r:.80}, which no array may have")
    counts = [offset, size, *(shape if isinstance(shape, list) else [None])]
    are_counts = all(type(count) is int and 0 <= count <= _MOST_BYTES for count in counts)
    if not are_counts or not 1 <= len(shape) <= _MOST_DIMENSIONS:
        raise ModelFileError(f"array {name!r:.80} has shape {shape!r:.80}, {offset=!r:.80}, {size=!r:.80}")
    if math.prod(shape) * DTYPES[dtype].itemsize != size:
        raise ModelFileError(f"array {name!r:.80} of {dtype}, shape {shape!r:.80}, cannot have {size} bytes")
    return name, DTYPES[dtype], tuple(shape), offset, size


def take(
    arrays: dict[str, np.ndarray], name: str, dtypes: Collection[str], n_dimensions: int | None = 1
) -> np.ndarray:
    """Remove an array from those of a file, and check its type; None stands for any number of dimensions."""
    array = arrays.pop(name, None)
    if array is None:
        raise ModelFileError(f"array {name!r} is missing")
    if array.dtype.name not in dtypes or n_dimensions not in (None, array.ndim):
        raise ModelFileError(
            f"array {name!r} has dtype {array.dtype} and {array.ndim} dimensions; expected "
            f"{' or '.join(dtypes)} and {n_dimensions}"
        )
    return array
