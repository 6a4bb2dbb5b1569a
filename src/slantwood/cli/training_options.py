"""The options that say what to learn from and how, which `train` and `cv` share."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from enum import StrEnum
from typing import Annotated, Any, get_type_hints

import typer

from slantwood.cli.clus_settings import accept_clus_settings
from slantwood.cli.options import DropText, Encoding, FileForm, IndexBaseOption
from slantwood.split_names import SPLITS


def _after_those_of_files(
    context: typer.Context, option: typer.CallbackParam, pairs: list[str] | None
) -> list[str]:
    """Let pairs on the command line join those of a settings file, not replace all of them."""
    earlier = (context.default_map or {}).get(option.name) or []
    return [*earlier, *(pair for pair in pairs or () if pair not in earlier)]


class Task(StrEnum):
    """What a column of numbers means."""

    classification = "classification"
    regression = "regression"


# How splits are learned.
Split = StrEnum("Split", {name: name for name in SPLITS})  # type: ignore[misc]


@dataclass(frozen=True)
class TrainingOptions:
    """What to read and how to learn from it."""

    data: Annotated[
        str | None,
        typer.Argument(
            metavar="DATA",
            show_default=False,
            callback=accept_clus_settings,
            is_eager=True,
            help="A data file, - for stdin (with --format), or the name of a known data set.",
        ),
    ] = None
    targets: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMNS",
            help="What to predict: a name, several with commas, last:6, first:1, columns:5-10,12 "
            "(counted from 1), or a regular expression /^label/.",
        ),
    ] = None
    task: Annotated[
        Task | None, typer.Option(help="What numbers in a target mean, where it is not recognised.")
    ] = None
    drop: Annotated[
        str | None, typer.Option(metavar="COLUMNS", help="Columns to leave out, said like targets.")
    ] = None
    nominal: Annotated[
        str | None, typer.Option(metavar="COLUMNS", help="Columns of numbers that are only codes.")
    ] = None
    format: Annotated[
        str | None, typer.Option(metavar="NAME", help="Format of the file, where its name does not tell.")
    ] = None
    header: Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header", help="Whether a CSV or TSV file begins with names.", show_default=False
        ),
    ] = None
    encoding: Encoding = None
    index_base: IndexBaseOption = None
    drop_text: DropText = None
    trees: Annotated[int, typer.Option(min=1, metavar="N", help="Trees in the forest.")] = 50
    tree: Annotated[bool, typer.Option("--tree/--forest", help="Grow a single tree, or a forest.")] = False
    split: Annotated[Split, typer.Option(help="How splits are learned.")] = Split["gradient"]
    max_depth: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Most splits from the root to a leaf.")
    ] = None
    min_samples_split: Annotated[
        int | None, typer.Option(min=2, metavar="N", help="Rows that a node needs to be divided.")
    ] = None
    max_features: Annotated[
        str | None,
        typer.Option(metavar="N", help="Features that a split may use: a number, a share, sqrt or log2."),
    ] = None
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, metavar="N", help="Seed of all chance.")] = 0
    jobs: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Threads.", show_default="all cores")
    ] = None
    parameters: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            callback=_after_those_of_files,
            help="Any other parameter of the estimator; may be repeated.",
        ),
    ] = None
    split_parameters: Annotated[
        list[str] | None,
        typer.Option(
            "--split-set",
            metavar="NAME=VALUE",
            callback=_after_those_of_files,
            help="A parameter of the split learner, as C=1; may be repeated.",
        ),
    ] = None

    @property
    def file_form(self) -> FileForm:
        """How the data file is written; a file to test on is written alike."""
        return FileForm(self.format, self.header, self.encoding, self.index_base)


def with_training_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command, in place of its parameter `training`, an option for each field of `TrainingOptions`."""
    hints = get_type_hints(TrainingOptions, include_extras=True)
    names = [field.name for field in fields(TrainingOptions)]
    shared = [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(TrainingOptions)
    ]
    own = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for parameter in inspect.signature(command, eval_str=True).parameters.values()
        if parameter.name != "training"
    ]

    @functools.wraps(command)
    def typed(**given: Any) -> None:
        training = TrainingOptions(**{name: given.pop(name) for name in names})
        command(training=training, **given)

    parameters = [*shared, *own]
    typed.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    typed.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return typed
