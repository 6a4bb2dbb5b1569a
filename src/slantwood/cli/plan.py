"""`slantwood plan`: what a forest would cost on machines that need not be there, by the fitted cost model.

Sizes alone are enough for a plan. Where there is data, trees on some of its rows are timed first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from slantwood.cli.console import print_json, say
from slantwood.cli.options import FileForm, Json, Nominal, argument, count_or_share, option, with_options
from slantwood.cli.quantities import read_amount, read_bytes, read_count, read_probe, read_rate
from slantwood.cli.training_options import Split, Task, TrainingOptions
from slantwood.hints import listed

if TYPE_CHECKING:
    from slantwood.planning import Plan

_DATA = "Rows like those to learn from: a data file, a folder of some, or the name of a known data set."
_TASK = (
    "binary, multi-class, multi-label, regression or multi-target regression; of DATA, classification or "
    "regression, where it is not recognised."
)


def _quantity(reader: Any, metavar: str, help: str, **more: Any) -> Any:
    return typer.Option(parser=reader, metavar=metavar, help=help, **more)


@dataclass(frozen=True, kw_only=True)
class DataOptions:
    """What is said about rows that are there."""

    targets: Annotated[str | None, option("COLUMNS", "What to predict from DATA, said as for train.")] = None
    drop: Annotated[str | None, option("COLUMNS", "Columns of DATA to leave out.")] = None
    nominal: Nominal = None
    form: FileForm
    probe_rows: Annotated[int, _quantity(read_count, "N", "Rows of DATA on which trees are timed.")] = "20k"  # type: ignore[assignment]
    probe_seconds: Annotated[
        float,
        _quantity(read_amount, "SECONDS", "How long to time trees of each size and setting."),
    ] = 2.0


@dataclass(frozen=True, kw_only=True)
class SizeOptions:
    """What is said about rows that are not there; of others it is counted."""

    features: Annotated[int | None, _quantity(read_count, "N", "Features.", show_default="those of DATA")] = (
        None
    )
    labels: Annotated[int, _quantity(read_count, "N", "Labels, classes or numbers to predict.")] = 1
    nonzeros_per_row: Annotated[
        float | None, _quantity(read_amount, "N", "Features of a row that are not zero.", show_default="all")
    ] = None
    labels_per_row: Annotated[float, _quantity(read_amount, "N", "Labels of a row.")] = 5.0
    rows_per_leaf: Annotated[
        float | None,
        _quantity(read_amount, "N", "Rows of a leaf, as a small fit has them.", show_default="as measured"),
    ] = None
    probe: Annotated[
        Any,
        _quantity(
            read_probe,
            "N:SECONDS",
            "Rows, and CPU seconds of a tree on them, of a small fit on your data and processor.",
            show_default="as measured",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class ForestOptions:
    """What is to be fitted."""

    task: Annotated[
        str,
        typer.Option(
            metavar="TASK", help=_TASK, show_default="by --labels: 1 regression, 2 binary, else multi-label"
        ),
    ] = "auto"
    split: Annotated[str, typer.Option(metavar="NAME", help="gradient, axis or svm.")] = "gradient"
    trees: Annotated[int, _quantity(read_count, "N", "Trees of the forest.")] = 50
    min_samples_split: Annotated[
        int | None,
        _quantity(read_count, "N", "Nodes of fewer rows are leaves.", show_default="the default of forests"),
    ] = None
    max_samples: Annotated[
        float | None, count_or_share("Rows drawn for each tree of a forest: a number or a share.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class MachineOptions:
    """What there is to compute on."""

    workers: Annotated[int, _quantity(read_count, "N", "Workers, each a machine.")] = 1
    threads: Annotated[int, _quantity(read_count, "N", "Threads of a worker.")] = 4
    memory: Annotated[float, _quantity(read_bytes, "BYTES", "Memory of a worker.")] = "16GB"  # type: ignore[assignment]
    bandwidth: Annotated[float, _quantity(read_rate, "RATE", "Network of a worker.")] = "1Gbit"  # type: ignore[assignment]
    disk: Annotated[float, _quantity(read_rate, "RATE", "Disk, where rows exceed memory.")] = "500MB/s"  # type: ignore[assignment]


@with_options
def plan(
    context: typer.Context,
    data: Annotated[str | None, argument("DATA", _DATA)] = None,
    rows: Annotated[
        int | None, _quantity(read_count, "N", "Rows, as 50000, 1e9 or 200k.", show_default="those of DATA")
    ] = None,
    *,
    sizes: SizeOptions,
    machines: MachineOptions,
    forest: ForestOptions,
    reading: DataOptions,
    json: Json = False,
) -> None:
    """Say what a forest would cost: time, memory and traffic of each way to fit it, and which to take.

    With DATA, sizes are those of its rows, and some trees are grown on some of them: times are then those of
    this data and this processor.
    """
    _refuse_given(context, data)
    try:
        if data is not None:
            found = _from_data(data, rows, reading, forest, machines)
        else:
            found = _from_sizes(rows, sizes, forest, machines)
    except ValueError as error:
        raise typer.BadParameter(_with_options(str(error))) from None
    if json:
        print_json(found.to_dict())
    else:
        typer.echo(str(found))


def _refuse_given(context: typer.Context, data: str | None) -> None:
    """Refuse options that have no meaning with data, or without."""
    of_data = ("targets", "drop", "nominal", "probe_rows", "probe_seconds", *FileForm.__dataclass_fields__)
    names: Sequence[str] = of_data if data is None else tuple(SizeOptions.__dataclass_fields__)
    given = [name for name in names if context.get_parameter_source(name).name == "COMMANDLINE"]  # type: ignore[union-attr]
    if given:
        why = (
            "is said about DATA; give a data file, or leave it out"
            if data is None
            else (f"is counted on the rows of {data}; leave it out")
        )
        raise typer.BadParameter(why, param_hint=f"--{given[0].replace('_', '-')}")


def _from_sizes(
    rows: int | None, sizes: SizeOptions, forest: ForestOptions, machines: MachineOptions
) -> Plan:
    from slantwood.planning import Probe, plan

    if rows is None or sizes.features is None:
        missing = "--rows" if rows is None else "--features"
        raise typer.BadParameter("give it, or DATA, a file with rows like yours", param_hint=missing)
    return plan(
        rows,
        sizes.features,
        sizes.labels,
        **vars(machines),
        task=forest.task,
        split=forest.split,
        n_trees=forest.trees,
        nonzeros_per_row=sizes.nonzeros_per_row,
        labels_per_row=sizes.labels_per_row,
        min_samples_split=forest.min_samples_split,
        max_samples=forest.max_samples,
        rows_per_leaf=sizes.rows_per_leaf,
        probe=None if sizes.probe is None else Probe(sizes.probe.rows, sizes.probe.seconds),
    )


def _from_data(
    data: str, rows: int | None, reading: DataOptions, forest: ForestOptions, machines: MachineOptions
) -> Plan:
    from slantwood.cli import models
    from slantwood.cli.sources import sampled_rows
    from slantwood.planning import plan_from_data
    from slantwood.planning.workload import PLANNED_SPLITS

    if forest.task not in ("auto", *Task):
        known = listed([str(each) for each in Task])
        raise typer.BadParameter(f"{forest.task!r} is said of sizes; DATA has {known}", param_hint="--task")
    if forest.split not in PLANNED_SPLITS:
        raise ValueError(f"split={forest.split!r} is none of {listed(PLANNED_SPLITS)}")
    options = TrainingOptions(
        data=data,
        targets=reading.targets,
        task=None if forest.task == "auto" else Task(forest.task),
        drop=reading.drop,
        nominal=reading.nominal,
        form=reading.form,
        trees=forest.trees,
        split=Split(forest.split),
        min_samples_split=forest.min_samples_split,
        max_samples=forest.max_samples,
    )
    models.check_options(options)
    sample = sampled_rows(options, reading.probe_rows)
    estimator = models.new_model(options, sample.data)
    say(f"Growing trees on {min(reading.probe_rows, sample.data.X.shape[0]):,} of the rows ...")
    return plan_from_data(
        estimator,
        sample.data.X,
        sample.data.y,
        rows=sample.n_rows if rows is None else rows,
        probe_rows=reading.probe_rows,
        probe_seconds=reading.probe_seconds,
        **vars(machines),
    )


def _with_options(message: str) -> str:
    """Name options in place of parameters, at the begin of a message."""
    name, equals, rest = message.partition("=")
    option = {"targets": "labels", "n_trees": "trees"}.get(name, name)
    return f"--{option.replace('_', '-')} {rest}" if equals else message
