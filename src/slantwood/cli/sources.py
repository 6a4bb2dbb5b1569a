"""What the word DATA on the command line stands for: a file, or a data set that slantwood knows by name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from slantwood.cli.console import bars, say
from slantwood.cli.training_options import TrainingOptions

if TYPE_CHECKING:
    from slantwood.data.table import Data

_PREFIX = "dataset:"
_RANGE = re.compile(r"([1-9][0-9]*)(?:-([1-9][0-9]*))?")


def training_data(options: TrainingOptions, path: str) -> Data:
    """Read what to learn from."""
    if not is_file(path):
        _known(path)
        _refuse_for_known_sets(options)
        return known_set(path)
    from slantwood.data.read import read

    data = read(
        path,
        columns(options.targets, "--targets"),
        task=None if options.task is None else str(options.task),
        format=options.format,
        drop=columns(options.drop, "--drop") or (),
        nominal=columns(options.nominal, "--nominal") or (),
        header=options.header,
    )
    if data.y is None:
        raise ValueError(f"{path} has no targets to learn; give --targets")
    return data


def check_there(data: str) -> None:
    """Check, before it is needed, that there is such a file or known data set."""
    if not is_file(data):
        _known(data)


def is_file(data: str) -> bool:
    """Tell a file from the name of a data set; a folder is neither."""
    if data.startswith(_PREFIX):
        return False
    path = Path(data)
    if path.is_dir():
        raise ValueError(f"{data} is a folder; give a data file in it")
    return path.exists()


def check_folder_of(file: Path | None) -> None:
    """Check, before the work is done, that there is a folder for its result."""
    if file is not None and not file.absolute().parent.is_dir():
        raise FileNotFoundError(
            f"there is no folder {file.parent}, in which to write {file.name}; make it first"
        )


def known_set(data: str) -> Data:
    """Load a data set by its name, or `dataset:name/part` for one part of it."""
    from slantwood.data.registry.listing import datasets
    from slantwood.data.registry.loading import load

    name, part = _known(data)
    if not data.startswith(_PREFIX):
        say(f"There is no file {data!r}: taking the data set of this name.")
    with bars() as show:
        loaded = load(name, part=part, progress=lambda done, total: show(name, done, total))
    if remark := next(listing.remark for listing in datasets() if listing.name == name):
        say(f"Note on {name}: {remark}")
    return loaded


def _known(data: str) -> tuple[str, str | None]:
    """Return the name and the part of a data set that is known."""
    from slantwood.data.registry.listing import dataset

    if data.startswith(_PREFIX):
        name, _, part = data.removeprefix(_PREFIX).partition("/")
        return dataset(name).name, part or None
    try:
        return dataset(data).name, None
    except ValueError as error:
        also = "" if Path(data).suffix or len(Path(data).parts) > 1 else f", and {error}"
        raise FileNotFoundError(f"there is no file {data!r}{also}") from error


def columns(said: str | None, option: str) -> Any:
    """Return columns as `slantwood.data.read` takes them: as they were said, but positions from 0 on."""
    if said is None or not said.startswith("columns:"):
        return said
    positions: list[int] = []
    for part in said.removeprefix("columns:").split(","):
        match = _RANGE.fullmatch(part.strip())
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if first > last:
            raise typer.BadParameter(
                f"{said!r} has {part!r}; expected columns counted from 1, as columns:5-10,12",
                param_hint=option,
            )
        positions += range(first - 1, last)
    return positions


def _refuse_for_known_sets(options: TrainingOptions) -> None:
    for name in ("targets", "task", "drop", "nominal", "format", "header"):
        if getattr(options, name) is not None:
            raise typer.BadParameter(
                f"{options.data!r} is no file, and a known data set says it itself", param_hint=f"--{name}"
            )
