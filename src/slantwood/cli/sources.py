"""What the word DATA on the command line stands for: a file, or a data set that slantwood knows by name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from slantwood.cli.console import bars, say, warn
from slantwood.cli.options import FileForm
from slantwood.cli.training_options import TrainingOptions
from slantwood.hints import format_bytes, listed, pluralize

if TYPE_CHECKING:
    from slantwood.data.read_options import ReadOptions
    from slantwood.data.scans.scan import Scan
    from slantwood.data.table import Data
    from slantwood.model_data import ModelData

_PREFIX = "dataset:"
_MODEL_END = ".slant"
# Options that say how to read a file.
READING = ("targets", "task", "drop", "nominal", "drop_text", "format", "header", "encoding", "index_base")
# Bytes of a folder that is read as one table where nothing is said of memory.
_MOST_OF_A_FOLDER = 1_000_000_000
# Larger files are predicted in parts, where their format allows it.
_LARGE_FILE = 100_000_000
_RANGE = re.compile(r"([1-9][0-9]*)(?:-([1-9][0-9]*))?")


def training_data(options: TrainingOptions) -> Data:
    """Read what to learn from, and say what it is."""
    from slantwood.cli.describe import describe_data, reason_for_task
    from slantwood.data.read_options import ReadOptions
    from slantwood.data.table import known_values

    path = options.path
    if is_folder(path):
        data = _whole_folder(path, _scan(options))
    else:
        data = read_as_said(path, vars(options) | vars(options.form), ReadOptions)
    if data.y is None:
        raise ValueError(f"{path} has no targets to learn; give --targets")
    n_rows, n_inputs = data.X.shape
    if n_rows < 2:
        raise ValueError(f"{path} has {pluralize(n_rows, 'row')}; expected at least 2 to learn from")
    if n_inputs == 0:
        raise ValueError(f"{path} has no columns but targets and dropped ones; expected some to learn from")
    say(f"Read {path}: {describe_data(data)}.")
    say(f"Task: {data.task} ({reason_for_task(data, options)}).")
    names = data.target_names
    if len(names) == 1 and data.y.ndim == 1 and len(values := known_values(data.y)) == 1:
        warn(f"target {names[0]!r} is always {listed(list(values))}: there is nothing to learn")
    return data


def training_rows(options: TrainingOptions) -> Data | Scan:
    """Read what to learn from; with a limit of memory, only look at a folder or a Parquet or Arrow file."""
    path = options.path
    is_large = is_folder(path) or (is_file(path) and _is_stored(path, options.form.format))
    if options.max_memory is None or not is_large:
        return training_data(options)
    found = _scan(options)
    if not found.target_names:
        raise ValueError(f"{path} has no targets to learn; give --targets")
    if not found.feature_names:
        raise ValueError(f"{path} has no columns but targets and dropped ones; expected some to learn from")
    say(
        f"Found {path}: {pluralize(found.n_rows, 'row')}, {pluralize(len(found.feature_names), 'feature')}, "
        f"{pluralize(len(found.files), f'{found.format.name} file')} of {format_bytes(found.n_bytes)}."
    )
    reason = "the targets of all rows" if options.task is None else f"--task {options.task}"
    say(f"Task: {found.task} (as {reason} say{'s' * (options.task is not None)}).")
    return found


class Sample(NamedTuple):
    """Some rows, and how many there are."""

    data: Data
    n_rows: int


def sampled_rows(options: TrainingOptions, most: int) -> Sample:
    """Read what to learn from; of a folder, or a file that can be read in parts, a sample of so many rows."""
    path = options.path
    if not (is_folder(path) or (is_file(path) and _is_stored(path, options.form.format))):
        data = training_data(options)
        return Sample(data, data.X.shape[0])
    from slantwood.data.scans.sampling import sample_of

    found = _scan(options)
    if not found.target_names:
        raise ValueError(f"{path} has no targets to learn; give --targets")
    sample = sample_of(found, most)
    n_rows = pluralize(found.n_rows, "row")
    say(f"Found {path}: {n_rows} in {pluralize(len(found.files), 'file')}.")
    return Sample(sample, found.n_rows)


def _scan(options: TrainingOptions) -> Scan:
    from slantwood.data.read_options import ReadOptions
    from slantwood.data.scans.scan import scan_with_options

    said = vars(options) | vars(options.form)
    return scan_with_options(data_path(options.path), read_options(said, ReadOptions), said["format"])


def _whole_folder(path: str, found: Scan) -> Data:
    files, size = pluralize(len(found.files), "file"), format_bytes(found.n_bytes)
    if found.n_bytes > _MOST_OF_A_FOLDER:
        raise ValueError(
            f"{path} has {files} of {size}, which would all be held in memory; give --max-memory 4GB (with "
            "train, for a forest), and rows are read in parts that fit"
        )
    say(f"Reading {files} of {size} in {path} as one table.")
    return found.read()


def is_folder(data: str) -> bool:
    """Tell whether a folder of data files is meant."""
    return not data.startswith(_PREFIX) and data_path(data).is_dir()


def _is_stored(data: str, format: str | None) -> bool:
    """Tell whether a file can be read in parts."""
    from slantwood.data.formats import format_of

    return data != "-" and format_of(data_path(data), format).name in ("parquet", "arrow")


def read_as_said(source: str, said: Mapping[str, Any], roles: type[ReadOptions]) -> Data:
    """Read a file as options say, by their names; or load a known data set, which takes none of them."""
    if not is_file(source):
        _known(source)
        for name in READING:
            if said.get(name) is not None:
                raise typer.BadParameter(
                    f"{source!r} is not a file; a known data set defines this itself",
                    param_hint=f"--{name.replace('_', '-')}",
                )
        return _known_set(source)
    from slantwood.data.read import read_with_options

    return read_with_options(data_path(source), read_options(said, roles), said["format"])


def read_options(said: Mapping[str, Any], roles: type[ReadOptions]) -> ReadOptions:
    """Return how to read files, as options say it by their names."""
    return roles(
        columns(said["targets"], "--targets"),
        columns(said["drop"], "--drop") or (),
        columns(said["nominal"], "--nominal") or (),
        said["header"],
        said.get("task") and str(said["task"]),
        said["encoding"],
        str(said["index_base"] or "auto"),
        bool(said["drop_text"]),
    )


def blocks_for_model(model: Any, data: str, form: FileForm) -> Iterator[ModelData]:
    """Read what a model predicts from, some rows at a time where it is a folder or a large file."""
    if not (is_folder(data) or (is_file(data) and _is_large(data, form))):
        yield data_for_model(model, data, form, ())
        return
    from slantwood.model_data import scan_for_model

    said = vars(form) | {"index_base": str(form.index_base or "auto")}
    yield from scan_for_model(model, data_path(data), **said)


def _is_large(data: str, form: FileForm) -> bool:
    return data_path(data).stat().st_size > _LARGE_FILE and _is_stored(data, form.format)


def data_for_model(model: Any, data: str, form: FileForm, targets: Any = None) -> ModelData:
    """Read what a model predicts from: a file, or a known data set; by default with the model's targets."""
    from slantwood.model_data import align_to_model, read_for_model

    if not is_file(data):
        return align_to_model(model, _known_set(data), data, targets)
    targets = columns(targets, "--targets") if isinstance(targets, str) else targets
    said = vars(form) | {"index_base": str(form.index_base or "auto")}
    return read_for_model(model, data_path(data), targets, **said)


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


def _known_set(data: str) -> Data:
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
