"""`slantwood convert`: a data file to another format, or a model file to ONNX or a smaller model file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from slantwood.cli.console import say, say_written
from slantwood.cli.options import (
    DropText,
    Encoding,
    Force,
    Header,
    IndexBaseOption,
    Nominal,
    argument,
    flag,
    known_format,
    option,
)
from slantwood.cli.results import check_result
from slantwood.cli.sources import READING, data_path, read_as_said

_MODELS = (".slant", ".onnx")


def convert(
    context: typer.Context,
    source: Annotated[str, argument("IN", "A data file, the name of a known data set, or a model file.")],
    target: Annotated[Path, argument("OUT", "The file to write.")],
    targets: Annotated[str | None, option("COLUMNS", "Columns to set apart, as in train.")] = None,
    drop: Annotated[str | None, option("COLUMNS", "Columns to leave out.")] = None,
    nominal: Nominal = None,
    format: Annotated[str | None, option("NAME", "Format of IN.", callback=known_format)] = None,
    to: Annotated[str | None, option("NAME", "Format of OUT.")] = None,
    header: Header = None,
    encoding: Encoding = None,
    index_base: IndexBaseOption = None,
    drop_text: DropText = None,
    float16: Annotated[bool, flag("--float16", "Of a model: write weights in half precision.")] = False,
    predict_only: Annotated[
        bool, flag("--predict-only", "Of a model: leave out what only training needs.")
    ] = False,
    force: Force = False,
) -> None:
    """Write a data file in another format, or a model file as ONNX.

    The ends of the names tell the formats: .arff, .csv, .tsv, .svm, .xmc, .parquet, .arrow and .npz for data,
    .slant and .onnx for models.
    """
    path = data_path(source)
    check_result(target, path, force=force, in_place=True)
    saving = {"float16": float16, "predict_only": predict_only}
    reading = {name: context.params[name] for name in (*READING, "to") if name in context.params}
    if path.suffix.lower() in _MODELS or target.suffix.lower() in _MODELS:
        _refuse(reading, "data files")
        _convert_model(path, target, saving)
    else:
        _refuse(saving, "model files")
        _convert_data(source, target, to, reading)
    say_written(target)


def _refuse(options: dict[str, Any], what: str) -> None:
    for name, value in options.items():
        if value is not None and value is not False:
            raise typer.BadParameter(f"it is for {what}", param_hint=f"--{name.replace('_', '-')}")


def _convert_model(source: Path, target: Path, saving: dict[str, Any]) -> None:
    from slantwood import load_model

    match target.suffix.lower():
        case ".onnx":
            from slantwood.export import to_onnx

            _refuse(saving, "model files, which OUT is not")
            to_onnx(load_model(source), target)
        case ".slant":
            load_model(source).save(target, **saving)
        case end:
            raise typer.BadParameter(
                f"{target} ends in {end!r}; expected .onnx or .slant, into which models go", param_hint="OUT"
            )


def _convert_data(source: str, target: Path, to: str | None, reading: dict[str, Any]) -> None:
    from slantwood.cli.describe import describe_data
    from slantwood.data.formats import format_of
    from slantwood.data.read import write
    from slantwood.data.read_options import OptionalTargets

    try:
        format_of(target, to, exists=False)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--to") from error
    data = read_as_said(source, reading, OptionalTargets)
    say(f"Read {source}: {describe_data(data)}.")
    write(data, target, format=to)
