"""How the files of a known data set come from its hosts to this computer."""

from __future__ import annotations

import hashlib
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from slantwood.data.files import COMPRESSIONS
from slantwood.data.registry.download import Progress, download, has_checksum
from slantwood.data.registry.entries import Copy, File, Source
from slantwood.data.registry.openml import fetch_openml
from slantwood.data.registry.places import find_files
from slantwood.data.registry.unpack import unpack
from slantwood.data.registry.web import FetchError


def fetch_copy(copy: Copy, folder: Path, *, progress: Progress | None = None) -> None:
    """Fetch those files of a copy that a folder lacks.

    Parameters
    ----------
    copy : Copy
        One that `can_be_fetched`.
    folder : Path
        Where the files go, under their names.
    progress : callable, optional
        Called for each file with the bytes so far and the bytes in all (None where unknown).

    Raises
    ------
    FetchError
        If a file cannot be had from any of its hosts; it says why, for each of them.
    """
    if copy.openml is not None:
        path = folder / copy.files[0].name
        fetch_openml(copy.openml, copy.size.N, path, max_bytes=copy.max_bytes, progress=progress)
        return
    archives: set[Path] = set()
    for file in copy.files:
        if find_files([file.name], folder) is None:
            _fetch_file(file, folder / file.name, copy.max_bytes, archives, progress)
    # Only now: several files may come out of one archive.
    for archive in archives:
        archive.unlink(missing_ok=True)


def _fetch_file(
    file: File, path: Path, max_bytes: int, archives: set[Path], progress: Progress | None
) -> None:
    checksum = f"sha256:{file.sha256}" if file.sha256 else ""
    reasons = []
    for source in file.sources:
        try:
            is_compressed = source.url.endswith(COMPRESSIONS) and path.suffix not in COMPRESSIONS
            if source.members or is_compressed:
                archives.add(_fetch_packed(source, path, checksum, progress))
            else:
                download(source.url, path, checksum=checksum, max_bytes=max_bytes, progress=progress)
            return
        except FetchError as error:
            reasons.append(str(error))
    raise FetchError("; ".join(reasons))


def _name_of_archive(url: str) -> str:
    # Addresses may end alike, or in what no file can be called; the suffix tells the kind of compression.
    end = PurePosixPath(urlsplit(url).path).suffix
    return f"archive-{hashlib.sha256(url.encode()).hexdigest()[:16]}{end}"


def _fetch_packed(source: Source, path: Path, checksum: str, progress: Progress | None) -> Path:
    archive = path.with_name(_name_of_archive(source.url))
    if not archive.is_file():
        download(source.url, archive, progress=progress)
    try:
        unpack(archive, source.members, path)
    except ValueError as error:
        archive.unlink()
        raise FetchError(f"{source.url} was removed again: {error}") from error
    if not has_checksum(path, checksum):
        path.unlink()
        archive.unlink()
        raise FetchError(
            f"{source.url} is not the archive that was expected: the checksum of what it holds is not "
            f"{checksum}; it was removed"
        )
    return archive
