"""`slantwood convert`: a data file to another format, or a model file to ONNX or a smaller model file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from slantwood.cli.console import bytes_in_words, say
from slantwood.cli.sources import check_folder_of, columns

_MODEL = ".slant"


def convert(
    source: Annotated[
        Path, typer.Argument(metavar="IN", show_default=False, help="A data file, or a model file.")
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
    header: Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header", help="Whether a CSV file begins with names.", show_default=False
        ),
    ] = None,
    float16: Annotated[
        bool, typer.Option("--float16", help="Of a model: write weights in half precision.")
    ] = False,
    predict_only: Annotated[
        bool, typer.Option("--predict-only", help="Of a model: leave out what only training needs.")
    ] = False,
) -> None:
    """Write a data file in another format, or a model file as ONNX.

    The ends of the names tell the formats: .arff, .csv, .tsv, .svm, .xmc, .parquet, .arrow and .npz for data,
    .slant and .onnx for models.
    """
    check_folder_of(target)
    if source.suffix.lower() == _MODEL:
        _convert_model(source, target, float16=float16, predict_only=predict_only)
    else:
        _convert_data(source, target, targets, drop, nominal, format, to, header)
    say(f"Wrote {target} ({bytes_in_words(target.stat().st_size)}).")


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


def _convert_data(
    source: Path,
    target: Path,
    targets: str | None,
    drop: str | None,
    nominal: str | None,
    format: str | None,
    to: str | None,
    header: bool | None,
) -> None:
    from slantwood.cli.wording import about_data
    from slantwood.data.read import read_wanted, write
    from slantwood.data.wanted import OrNoTargets

    wanted = OrNoTargets(
        columns(targets, "--targets"),
        columns(drop, "--drop") or (),
        columns(nominal, "--nominal") or (),
        header,
    )
    data = read_wanted(source, wanted, format)
    say(f"Read {source}: {about_data(data)}.")
    write(data, target, format=to)
