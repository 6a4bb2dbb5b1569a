"""`slantwood predict`: a model file and a data file to predictions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from slantwood.cli.console import say
from slantwood.cli.options import FileForm, Force, Jobs, ModelFile, argument, flag, option, with_options
from slantwood.cli.results import check_result
from slantwood.cli.sources import data_path
from slantwood.hints import pluralize

_DATA = (
    "A data file with the model's inputs, in any order, or a folder of some; - for stdin (with --format); or "
    "the name of a known data set."
)
_OUTPUT = "Write to a .csv, .tsv or .jsonl file, also .gz, .bz2, .xz or .zst; or to a .parquet file."
_SAFE = "In CSV and TSV, put an apostrophe before texts that a spreadsheet would take for formulas."
_LABELS = "Labels as a list, or as a column of 0 and 1 for each."


@with_options
def predict(
    *,
    model: ModelFile,
    data: Annotated[str, argument("DATA", _DATA)],
    output: Annotated[Path | None, option("FILE", _OUTPUT, show_default="CSV on stdout")] = None,
    proba: Annotated[bool, flag("--proba", "Give the probability of each class or label.")] = False,
    top_k: Annotated[
        int | None, option("K", "Give the K best classes or labels, and their scores.", min=1)
    ] = None,
    labels: Annotated[
        bool | None,
        flag("--labels/--columns", _LABELS, show_default="a list for hierarchies and label trees"),
    ] = None,
    safe_for_spreadsheets: Annotated[bool, flag("--safe-for-spreadsheets", _SAFE)] = False,
    form: FileForm,
    jobs: Jobs = None,
    force: Force = False,
) -> None:
    """Predict the rows of a data file.

    Columns are lined up by name; others are ignored, so the file may have the targets too.
    """
    output = None if output is None or str(output) == "-" else output.expanduser()
    check_result(output, model, data_path(data), force=force)

    from slantwood.cli import models
    from slantwood.cli.predictions import check_request, predictions_of_blocks, writer_for
    from slantwood.cli.sources import blocks_for_model

    write = writer_for(output, safe=safe_for_spreadsheets)
    forest = models.load(model, jobs)
    check_request(forest, proba=proba, top_k=top_k)
    how = {"proba": proba, "top_k": top_k, "labels": labels}
    found = predictions_of_blocks(forest, blocks_for_model(forest, data, form), **how)
    n_rows = write(found)
    end = "." if output is None else f"; wrote {output}."
    say(f"Predicted {pluralize(n_rows, 'row')} ({forest.targets_.task}){end}")
