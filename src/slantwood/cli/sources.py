"""What the word DATA on the command line stands for: a file, or a data set that slantwood knows by name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from slantwood.cli.console import bars, say, warn
from slantwood.cli.options import FileForm
from slantwood.cli.training_options import TrainingOptions
from slantwood.hints import listed, pluralize

if TYPE_CHECKING:
    from slantwood.data.table import Data
    from slantwood.model_data import ModelData

_PREFIX = "dataset:"
_MODEL_END = ".slant"
_RANGE = re.compile(r"([1-9][0-9]*)(?:-([1-9][0-9]*))?")


def training_data(options: TrainingOptions, path: str) -> Data:
    """Read what to learn from, and say what it is."""
    from slantwood.cli.describe import describe_data, describe_task

    data = _learnable(options, path)
    say(f"Read {path}: {describe_data(data)}.")
    say(f"Task: {describe_task(data, options)}.")
    if len(data.target_names) == 1:
        _warn_of_one_value(data)
    return data


def _learnable(options: TrainingOptions, path: str) -> Data:
    if not is_file(path):
        _known(path)
        refuse_for_known_set(path, vars(options))
        return known_set(path)
    from slantwood.data.read import read

    data = read(
        data_path(path),
        columns(options.targets, "--targets"),
        task=None if options.task is None else str(options.task),
        format=options.format,
        drop=columns(options.drop, "--drop") or (),
        nominal=columns(options.nominal, "--nominal") or (),
        header=options.header,
        encoding=options.encoding,
        index_base=options.file_form.base,
        drop_text=bool(options.drop_text),
    )
    if data.y is None:
        raise ValueError(f"{path} has no targets to learn; give --targets")
    n_rows, n_inputs = data.X.shape
    if n_rows < 2:
        raise ValueError(f"{path} has {pluralize(n_rows, 'row')}; expected at least 2 to learn from")
    if n_inputs == 0:
        raise ValueError(f"{path} has no columns but targets and dropped ones; expected some to learn from")
    return data


def data_for_model(model: Any, data: str, form: FileForm, targets: Any = None) -> ModelData:
    """Read what a model predicts from: a file, or a known data set; by default with the model's targets."""
    from slantwood.model_data import align_to_model, read_for_model

    if not is_file(data):
        return align_to_model(model, known_set(data), data, targets)
    return read_for_model(
        model,
        data_path(data),
        columns(targets, "--targets") if isinstance(targets, str) else targets,
        format=form.format,
        header=form.header,
        encoding=form.encoding,
        index_base=form.base,
    )


def _warn_of_one_value(data: Data) -> None:
    from slantwood.data.table import known_values

    if data.y.ndim == 1 and len(values := known_values(data.y)) == 1:
        warn(f"target {data.target_names[0]!r} is always {listed(list(values))}: there is nothing to learn")


def check_exists(data: str) -> None:
    """Check, before it is needed, that there is such a file or known data set."""
    if not is_file(data):
        _known(data)


def is_file(data: str) -> bool:
    """Tell a file from the name of a data set; a folder or a model is neither."""
    if data.startswith(_PREFIX):
        return False
    path = data_path(data)
    if path.is_dir():
        raise ValueError(f"{data} is a folder; give a data file in it")
    if path.suffix.lower() == _MODEL_END and path.exists():
        raise ValueError(f"{data} is a model file; expected a data file in its place")
    return path.exists()


def data_path(data: str) -> Path:
    """Return the file that is meant: - is what is piped in, and ~ the home folder, as in files of options."""
    return Path("/dev/stdin") if data == "-" else Path(data).expanduser()


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
                f"{said!r} has {part!r}; expected columns counted from 1, such as columns:5-10,12",
                param_hint=option,
            )
        positions += range(first - 1, last)
    return positions


def refuse_for_known_set(data: str, options: Mapping[str, Any]) -> None:
    """Refuse options that say how to read a file, where a data set is meant."""
    of_columns = ("targets", "task", "drop", "nominal", "drop_text")
    for name in (*of_columns, "format", "header", "encoding", "index_base"):
        if options.get(name) is not None:
            raise typer.BadParameter(
                f"{data!r} is not a file; a known data set defines this itself",
                param_hint=f"--{name.replace('_', '-')}",
            )
