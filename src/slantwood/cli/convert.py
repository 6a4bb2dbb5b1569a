"""`slantwood convert`: a data file to another format, or a model file to ONNX or a smaller model file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from slantwood.cli.console import format_bytes, say
from slantwood.cli.options import DropText, Encoding, Force, Header, IndexBaseOption
from slantwood.cli.results import check_result
from slantwood.cli.sources import check_exists, columns, data_path, is_file, known_set, refuse_for_known_set

if TYPE_CHECKING:
    from slantwood.data.table import Data

_MODELS = (".slant", ".onnx")


def convert(
    source: Annotated[
        str,
        typer.Argument(
            metavar="IN",
            show_default=False,
            help="A data file, the name of a known data set, or a model file.",
        ),
    ],
    target: Annotated[Path, typer.Argument(metavar="OUT", show_default=False, help="The file to write.")],
    targets: Annotated[
        str | None, typer.Option(metavar="COLUMNS", help="Columns to set apart, as in train.")
    ] = None,
    drop: Annotated[str | None, typer.Option(metavar="COLUMNS", help="Columns to leave out.")] = None,
    nominal: Annotated[
        str | None, typer.Option(metavar="COLUMNS", help="Columns of numbers that are only codes.")
    ] = None,
    format: Annotated[str | None, typer.Option(metavar="NAME", help="Format of IN.")] = None,
    to: Annotated[str | None, typer.Option("--to", metavar="NAME", help="Format of OUT.")] = None,
    header: Header = None,
    encoding: Encoding = None,
    index_base: IndexBaseOption = None,
    drop_text: DropText = None,
    float16: Annotated[
        bool, typer.Option("--float16", help="Of a model: write weights in half precision.")
    ] = False,
    predict_only: Annotated[
        bool, typer.Option("--predict-only", help="Of a model: leave out what only training needs.")
    ] = False,
    force: Force = False,
) -> None:
    """Write a data file in another format, or a model file as ONNX.

    The ends of the names tell the formats: .arff, .csv, .tsv, .svm, .xmc, .parquet, .arrow and .npz for data,
    .slant and .onnx for models.
    """
    check_result(target, data_path(source), force=force, in_place=True)
    reading = {"targets": targets, "drop": drop, "nominal": nominal, "format": format, "header": header}
    reading |= {"encoding": encoding, "index_base": index_base, "drop_text": drop_text}
    saving = {"float16": float16, "predict-only": predict_only}
    if data_path(source).suffix.lower() in _MODELS or target.suffix.lower() in _MODELS:
        _refuse(reading | {"to": to}, "data files")
        if target.suffix.lower() == ".onnx":
            _refuse(saving, "model files, which OUT is not")
        _convert_model(data_path(source), target, float16=float16, predict_only=predict_only)
    else:
        _refuse(saving, "model files")
        _convert_data(source, target, to, reading)
    say(f"Wrote {target} ({format_bytes(target.stat().st_size)}).")


def _refuse(options: dict[str, Any], what: str) -> None:
    for option, value in options.items():
        if value is not None and value is not False:
            raise typer.BadParameter(f"it is for {what}", param_hint=f"--{option.replace('_', '-')}")


def _convert_model(source: Path, target: Path, *, float16: bool, predict_only: bool) -> None:
    from slantwood.cli import models

    model = models.load(source)
    match target.suffix.lower():
        case ".onnx":
            from slantwood.export import to_onnx

            to_onnx(model, target)
        case ".slant":
            model.save(target, float16=float16, predict_only=predict_only)
        case end:
            raise ValueError(f"{target} ends in {end!r}; expected .onnx or .slant, into which models go")


def _convert_data(source: str, target: Path, to: str | None, reading: dict[str, Any]) -> None:
    from slantwood.cli.describe import describe_data
    from slantwood.data.formats import format_of
    from slantwood.data.read import write

    try:
        format_of(target, to, exists=False)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--to") from error
    data = _read(source, reading)
    say(f"Read {source}: {describe_data(data)}.")
    write(data, target, format=to)


def _read(source: str, reading: dict[str, Any]) -> Data:
    from slantwood.data.read import read_with_options
    from slantwood.data.read_options import OptionalTargets

    check_exists(source)
    if not is_file(source):
        refuse_for_known_set(source, reading)
        return known_set(source)
    options = OptionalTargets(
        columns(reading["targets"], "--targets"),
        columns(reading["drop"], "--drop") or (),
        columns(reading["nominal"], "--nominal") or (),
        reading["header"],
        encoding=reading["encoding"],
        index_base=str(reading["index_base"] or "auto"),
        drop_text=bool(reading["drop_text"]),
    )
    return read_with_options(data_path(source), options, reading["format"])
