"""Where the files of data sets lie on this computer."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path

from slantwood.data.files import COMPRESSIONS
from slantwood.user_folders import user_cache_folder

ENVIRONMENT = "SLANTWOOD_DATA"


def cache_folder(
    environment: Mapping[str, str] | None = None, platform: str = sys.platform, home: Path | None = None
) -> Path:
    """Return the folder that fetched data sets are kept in, which need not exist yet.

    ``slantwood/data`` in the folder that the platform has for such files: ``$XDG_CACHE_HOME`` or
    ``~/.cache``, ``~/Library/Caches`` on macOS, ``%LOCALAPPDATA%`` on Windows.

    Parameters
    ----------
    environment : mapping of str to str, optional
        Environment variables, by default those of this process.
    platform : str, optional
        The platform as `sys.platform` names it, by default this one.
    home : Path, optional
        The user's home folder, by default that of whoever runs this.

    Returns
    -------
    Path
        The folder.

    Examples
    --------
    >>> from pathlib import Path
    >>> from slantwood.data import cache_folder
    >>> cache_folder({}, "linux", Path("home")).as_posix()
    'home/.cache/slantwood/data'
    """
    return user_cache_folder(environment, platform, home) / "data"


def data_folders(folder: str | PathLike[str] | None = None) -> list[Path]:
    """Return the folders to look in: the one given, that of ``SLANTWOOD_DATA``, and the cache.

    Raises
    ------
    NotADirectoryError
        If a folder is given that is none.
    """
    folders = [cache_folder()]
    if named := os.environ.get(ENVIRONMENT):
        folders.insert(0, Path(named))
    if folder is not None:
        if not Path(folder).is_dir():
            raise NotADirectoryError(
                f"folder={str(folder)!r} is not a folder; expected one with data sets in it"
            )
        folders.insert(0, Path(folder))
    return folders


def find_files(names: Sequence[str], folder: Path) -> list[Path] | None:
    """Return files below a folder, plain or compressed, or None where one of them is absent."""
    found = [_plain_or_compressed(folder / name) for name in names]
    paths = [path for path in found if path is not None]
    return paths if len(paths) == len(names) else None


def _plain_or_compressed(path: Path) -> Path | None:
    candidates = (path.with_name(path.name + ending) for ending in ("", *COMPRESSIONS))
    return next((candidate for candidate in candidates if candidate.is_file()), None)
