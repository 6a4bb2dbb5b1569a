"""Whether the file that a command is to write can be written: asked before the work is done, not after it."""

from __future__ import annotations

import os
from pathlib import Path


def check_result(file: Path | None, *sources: str | Path) -> None:
    """Check that a file can be written, and that it is none of those that are read."""
    if file is None:
        return
    if str(file) == "-":
        raise ValueError("a result of this kind is not written to '-', stdout; give the name of a file")
    folder = file.absolute().parent
    if not folder.is_dir():
        raise FileNotFoundError(
            f"there is no folder {file.parent}, in which to write {file.name}; make it first"
        )
    if file.is_dir():
        raise IsADirectoryError(f"{file} is a folder; give the name of a file in it")
    # What is no file, as /dev/null, is written to as it is; a file is replaced by a new one.
    if not os.access(file if file.exists() and not file.is_file() else folder, os.W_OK):
        raise PermissionError(f"you may not write in the folder {folder}; give {file.name} another one")
    for source in map(Path, sources):
        if file.is_file() and source.exists() and file.samefile(source):
            raise ValueError(f"{file} is also what is read, and would be lost; give the result another name")
