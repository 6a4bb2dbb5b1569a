"""One file out of an archive, by its name: nothing else is unpacked, and no name in it becomes a path."""

from __future__ import annotations

import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from slantwood.atomic import write_atomically
from slantwood.data.files import decompression_error, open_read
from slantwood.data.registry.entries import LARGEST
from slantwood.hints import shortened, shown

# A small archive can claim to hold far more.
LIMIT = LARGEST
_BLOCK = 1 << 20


def unpack(archive: Path, members: Sequence[str], path: Path) -> None:
    """Write a member of an archive to a file.

    Parameters
    ----------
    archive : Path
        A .zip or .tar file, the latter compressed or not, or a single file compressed with gzip, bzip2 or xz.
    members : sequence of str
        The name of the member; further ones lead on, into the archive that the member is. None at all for a
        single compressed file.
    path : Path
        Where it goes, all of it or, should anything fail, nothing.

    Raises
    ------
    ValueError
        If the file is no such archive, has no such member, or holds more than `LIMIT` bytes.
    """
    if len(members) <= 1:
        with _stream(archive, members[0] if members else None) as stream:
            write_atomically(path, lambda file: _copy(stream, file, archive))
        return
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        inner = Path(folder) / "member"
        unpack(archive, members[:1], inner)
        unpack(inner, members[1:], path)


def _copy(stream: IO[bytes], file: IO[bytes], archive: Path) -> None:
    while block := stream.read(_BLOCK):
        file.write(block)
        if file.tell() > LIMIT:
            raise ValueError(
                f"{archive} holds more than {LIMIT} bytes, which is more than any known data set"
            )


@contextmanager
def _stream(archive: Path, member: str | None) -> Iterator[IO[bytes]]:
    try:
        if member is None:
            # What comes out goes to a file, which has a limit of its own.
            with open_read(archive, sys.maxsize, has_lines=False) as stream:
                yield stream
        elif zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as zipped, zipped.open(member) as stream:
                yield stream
        else:
            with tarfile.open(archive) as tarred:
                information = tarred.getmember(member)
                regular = tarred.extractfile(information) if information.isreg() else None
                if regular is None:
                    raise KeyError(member)
                with regular:
                    yield regular
    except KeyError as error:
        raise ValueError(f"{archive.name} has no member {shown(member)}") from error
    except (zipfile.BadZipFile, tarfile.TarError, RuntimeError) as error:
        raise ValueError(
            f"{archive.name} cannot be unpacked ({shortened(str(error))}); expected .zip or .tar"
        ) from error
    except Exception as error:
        if damaged := decompression_error(archive, error):
            raise damaged from error
        raise
