"""`slantwood plan`: what a forest would cost on machines that need not be there, by the fitted cost model."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from slantwood.cli.console import print_json
from slantwood.cli.options import Json
from slantwood.cli.quantities import read_amount, read_bytes, read_count, read_probe, read_rate


def _quantity(reader: Any, metavar: str, help: str, **more: Any) -> Any:
    return typer.Option(parser=reader, metavar=metavar, help=help, **more)


def plan(
    rows: Annotated[int, _quantity(read_count, "N", "Rows, as 50000, 1e9 or 200k.")],
    features: Annotated[int, _quantity(read_count, "N", "Features.")],
    labels: Annotated[int, _quantity(read_count, "N", "Labels, classes or numbers to predict.")] = 1,
    workers: Annotated[int, _quantity(read_count, "N", "Workers, each a machine.")] = 1,
    threads: Annotated[int, _quantity(read_count, "N", "Threads of a worker.")] = 4,
    memory: Annotated[float, _quantity(read_bytes, "BYTES", "Memory of a worker.")] = "16GB",  # type: ignore[assignment]
    bandwidth: Annotated[float, _quantity(read_rate, "RATE", "Network of a worker.")] = "1Gbit",  # type: ignore[assignment]
    disk: Annotated[float, _quantity(read_rate, "RATE", "Disk, where rows exceed memory.")] = "500MB/s",  # type: ignore[assignment]
    task: Annotated[
        str,
        typer.Option(
            metavar="TASK",
            help="binary, multi-class, multi-label, regression or multi-target regression.",
            show_default="by --labels: 1 regression, 2 binary, else multi-label",
        ),
    ] = "auto",
    split: Annotated[str, typer.Option(metavar="NAME", help="gradient, axis or svm.")] = "gradient",
    trees: Annotated[int, _quantity(read_count, "N", "Trees of the forest.")] = 50,
    nonzeros_per_row: Annotated[
        float | None, _quantity(read_amount, "N", "Features of a row that are not zero.", show_default="all")
    ] = None,
    labels_per_row: Annotated[float, _quantity(read_amount, "N", "Labels of a row.")] = 5.0,
    min_samples_split: Annotated[
        int | None,
        _quantity(read_count, "N", "Nodes of fewer rows are leaves.", show_default="the default of forests"),
    ] = None,
    rows_per_leaf: Annotated[
        float | None,
        _quantity(read_amount, "N", "Rows of a leaf, as a small fit has them.", show_default="as measured"),
    ] = None,
    probe: Annotated[
        Any,
        _quantity(
            read_probe,
            "N:SECONDS",
            "Rows, and CPU seconds of a tree on them, of a small fit on your data and processor.",
            show_default="as measured",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Say what a forest would cost: time, memory and traffic of each way to fit it, and which to take."""
    from slantwood.planning import Probe
    from slantwood.planning import plan as planned

    try:
        found = planned(
            rows,
            features,
            labels,
            workers=workers,
            threads=threads,
            memory=memory,
            bandwidth=bandwidth,
            disk=disk,
            task=task,
            split=split,
            n_trees=trees,
            nonzeros_per_row=nonzeros_per_row,
            labels_per_row=labels_per_row,
            min_samples_split=min_samples_split,
            rows_per_leaf=rows_per_leaf,
            probe=None if probe is None else Probe(probe.rows, probe.seconds),
        )
    except ValueError as error:
        raise typer.BadParameter(_with_options(str(error))) from None
    if json:
        print_json(found.to_dict())
    else:
        typer.echo(str(found))


def _with_options(message: str) -> str:
    """Name options in place of parameters, at the begin of a message."""
    name, equals, rest = message.partition("=")
    option = {"targets": "labels", "n_trees": "trees"}.get(name, name)
    return f"--{option.replace('_', '-')} {rest}" if equals else message
