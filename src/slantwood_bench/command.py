"""`slantwood bench`: the paper's study on the data sets that are there, and where slantwood stands in it."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class ProfileName(StrEnum):
    """How much is run."""

    smoke = "smoke"
    quick = "quick"
    paper = "paper"


class Backend(StrEnum):
    """Where jobs are run."""

    local = "local"
    dask = "dask"
    ray = "ray"


def bench(
    profile: Annotated[
        ProfileName, typer.Option(help="smoke: minutes; quick: an hour or more; paper: everything, for days.")
    ] = ProfileName.quick,
    data: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where the data sets are.", show_default="$SLANTWOOD_DATA"),
    ] = None,
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Results and report; an interrupted run goes on there.")
    ] = Path("slantwood-study"),
    method: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only this method; can be given several times.")
    ] = None,
    experiment: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only comparison, times, importance or sensitivity."),
    ] = None,
    jobs: Annotated[int, typer.Option(metavar="N", help="Jobs at a time, -1 for one per processor.")] = -1,
    threads: Annotated[int, typer.Option(metavar="N", min=1, help="Threads that a job may use.")] = 1,
    backend: Annotated[Backend, typer.Option(help="This machine, or a cluster.")] = Backend.local,
    address: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Of a running cluster.", show_default="start one")
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Of a scheduler of Dask, whose workers do the jobs."),
    ] = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Do jobs again that failed or took too long.")
    ] = False,
) -> None:
    """Run the paper's study and write its tables, figures and a report.

    Every job (a method on a fold of a data set) has a process of its own and a timeout; what it found is
    kept at once, so that an interrupted run goes on where it was.
    """
    from slantwood_bench.methods import METHODS
    from slantwood_bench.profiles import EXPERIMENTS, PROFILES
    from slantwood_bench.run import run_study

    if scheduler is not None:
        if address is not None or backend is Backend.ray:
            raise ValueError(
                f"--scheduler {scheduler} stands for --backend dask --address {scheduler}; "
                "give neither of these beside it"
            )
        backend, address = Backend.dask, scheduler
    if data is not None and not data.is_dir():
        raise FileNotFoundError(f"--data {data} is not a folder")
    _refuse_other_folders(out)
    summary, page = run_study(
        PROFILES[profile.value],
        data,
        out,
        methods=method or METHODS,
        experiments=experiment or EXPERIMENTS,
        n_jobs=jobs,
        threads=threads,
        backend=backend.value,
        address=address,
        retry_failed=retry_failed,
        command=" ".join(["slantwood", *sys.argv[1:]]),
    )
    jobs_run = "1 job" if summary.ran == 1 else f"{summary.ran} jobs"
    typer.echo(
        f"{jobs_run} in {summary.seconds:.0f} s, {summary.failed} without result, "
        f"{summary.skipped} done before.",
        err=True,
    )
    typer.echo(page)


def _refuse_other_folders(out: Path) -> None:
    """Refuse a folder in which the tables, figures or page of something else would be replaced."""
    there = [name for name in ("report.html", "tables", "figures") if (out / name).exists()]
    if there and not (out / "results.jsonl").exists():
        raise FileExistsError(
            f"--out {out} has {there[0]}, and no results of an earlier run to which it belongs; give another "
            "folder"
        )
