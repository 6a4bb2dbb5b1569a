"""Which files a scan reads: those of a folder, those of a dataset of Arrow, or those that are listed."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

from slantwood.data.formats import Format, format_of
from slantwood.hints import listed, shown


def files_of(source: Any, format: str | None = None) -> tuple[tuple[Path, ...], Format]:
    """Return the data files that are meant, in order, and the format that all of them have.

    Parameters
    ----------
    source : str, path, dataset of pyarrow, or several paths
        A folder stands for the data files in it and below it, in the order of their names; those whose names
        begin with a dot or an underscore are left out, and so are files of no known format.
    format : str, optional
        Of the files, where names do not tell.

    Returns
    -------
    files : tuple of Path
        At least one.
    format : Format
        Of each of them.
    """
    if hasattr(source, "files"):  # a dataset of pyarrow
        source = source.files
    if isinstance(source, (str, PathLike)):
        path = Path(source).expanduser()
        files = _in_folder(path, format) if path.is_dir() else [path]
    elif isinstance(source, Iterable):
        files = [Path(each).expanduser() for each in source]
    else:
        raise TypeError(
            f"{shown(source)} ({type(source).__name__}) must be a folder, a file, several files, or a "
            "dataset of pyarrow"
        )
    if not files:
        raise ValueError(f"{shown(str(source))} names no data file; give a folder with some, or their paths")
    for file in files:
        if not file.exists():
            raise FileNotFoundError(f"there is no file {str(file)!r}")
    forms = {form.name: form for form in (format_of(file, format) for file in files)}
    if len(forms) > 1:
        raise ValueError(
            f"{shown(str(source))} has files of several formats ({listed(sorted(forms))}); give a list of "
            "those that are meant"
        )
    return tuple(files), next(iter(forms.values()))


def _in_folder(folder: Path, format: str | None) -> list[Path]:
    found = []
    for file in sorted(folder.rglob("*")):
        places = file.relative_to(folder).parts
        if not file.is_file() or any(place[0] in "._" for place in places):
            continue
        if format is None and not _is_known(file):
            continue
        if any("=" in place for place in places[:-1]):
            raise ValueError(
                f"{file} lies in a folder that stands for a column ({shown(places[-2])}), which is not read; "
                "write the column into the files, or give a list of the files"
            )
        found.append(file)
    if not found:
        raise ValueError(f"{folder} has no data file of a known format; give format, or another folder")
    return found


def _is_known(file: Path) -> bool:
    try:
        format_of(file)
    except (ValueError, OSError):
        return False
    return True
