"""Whether the file that a command is to write may be written: asked before the work is done, not after it."""

from __future__ import annotations

import os
from pathlib import Path

import typer

# Of a file, that is enough to know a model that slantwood wrote.
_OPENING = 64


def check_result(
    file: Path | None, *sources: str | Path, force: bool = False, in_place: bool = False
) -> None:
    """Check that a file can be written, and that nothing is lost by it.

    An earlier file is replaced if it is a model of ours, or with `force`; one that is read is never replaced,
    unless the command works `in_place` and is forced.
    """
    if file is None:
        return
    if str(file) == "-":
        raise typer.BadParameter(
            "a result of this kind is not written to '-', stdout; give the name of a file"
        )
    folder = file.absolute().parent
    if not folder.is_dir():
        raise FileNotFoundError(f"the folder {file.parent} of {file.name} does not exist; create it first")
    if file.is_dir():
        raise IsADirectoryError(f"{file} is a folder; give the name of a file in it")
    # What is no file, as /dev/null, is written to as it is; a file is replaced by a new one.
    if not os.access(file if file.exists() and not file.is_file() else folder, os.W_OK):
        raise PermissionError(
            f"no permission to write in the folder {folder}; choose another one for {file.name}"
        )
    if not file.is_file() or (in_place and force):
        return
    for source in map(Path, sources):
        if source.exists() and file.samefile(source):
            remedy = "give the result another name" + (", or --force" if in_place else "")
            raise ValueError(f"{file} is also the input and would be overwritten; {remedy}")
    if not force and not _is_model_of_ours(file):
        raise FileExistsError(
            f"{file} already exists and would be overwritten; give the result another name, or --force"
        )


def _is_model_of_ours(file: Path) -> bool:
    from slantwood.model.container import MAGIC

    with open(file, "rb") as content:
        opening = content.read(_OPENING)
    # ONNX files have no mark of their own, but begin with the name of the program that wrote them.
    return opening.startswith(MAGIC) or (file.suffix.lower() == ".onnx" and b"slantwood" in opening)
