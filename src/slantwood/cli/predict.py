"""`slantwood predict`: a model file and a data file to predictions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from slantwood.cli.console import say
from slantwood.cli.options import Encoding, FileForm, Force, Format, Header, IndexBaseOption, Jobs
from slantwood.cli.results import check_result
from slantwood.cli.sources import data_path
from slantwood.hints import pluralize


def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", show_default=False, help="A model file.")],
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            show_default=False,
            help="A data file with the model's inputs, in any order; - for stdin (with --format); or the "
            "name of a known data set.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write to a .csv, .tsv or .jsonl file, also .gz, .bz2, .xz or .zst.",
            show_default="CSV on stdout",
        ),
    ] = None,
    proba: Annotated[
        bool, typer.Option("--proba", help="Give the probability of each class or label.")
    ] = False,
    top_k: Annotated[
        int | None,
        typer.Option(min=1, metavar="K", help="Give the K best classes or labels, and their scores."),
    ] = None,
    labels: Annotated[
        bool | None,
        typer.Option(
            "--labels/--columns",
            help="Labels as a list, or as a column of 0 and 1 for each.",
            show_default="a list for hierarchies",
        ),
    ] = None,
    format: Format = None,
    header: Header = None,
    encoding: Encoding = None,
    index_base: IndexBaseOption = None,
    jobs: Jobs = None,
    force: Force = False,
) -> None:
    """Predict the rows of a data file.

    Columns are lined up by name; others are ignored, so the file may have the targets too.
    """
    output = None if output is None or str(output) == "-" else output.expanduser()
    check_result(output, model, data_path(data), force=force)

    from slantwood.cli import models
    from slantwood.cli.predictions import predictions, writer_for
    from slantwood.cli.sources import data_for_model

    write = writer_for(output)
    forest = models.load(model)
    models.use_threads(forest, jobs)
    found = data_for_model(forest, data, FileForm(format, header, encoding, index_base), ())
    write(predictions(forest, found.X, keys=found.keys, proba=proba, top_k=top_k, labels=labels))
    say(
        f"Predicted {pluralize(found.X.shape[0], 'row')} ({forest.targets_.task})"
        + ("." if output is None else f"; wrote {output}.")
    )
