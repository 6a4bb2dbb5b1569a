"""Runs the whole study: a profile becomes jobs, jobs become rows, rows become tables and figures."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

import joblib

from slantwood_bench.clusters import workers
from slantwood_bench.engine import Folders, Summary
from slantwood_bench.engine import run as run_jobs
from slantwood_bench.jobs import key_of
from slantwood_bench.methods import METHODS
from slantwood_bench.outputs import write_outputs
from slantwood_bench.profiles import EXPERIMENTS, Profile, all_paper_sets, jobs_of, not_installed
from slantwood_bench.store import Store

# For tables with nominal columns, for figures, and for the page.
_NEEDED = ("pandas", "matplotlib", "jinja2")


def run_study(
    profile: Profile,
    data: Path | None,
    out: Path,
    *,
    methods: Iterable[str] = METHODS,
    experiments: Iterable[str] = EXPERIMENTS,
    n_jobs: int = -1,
    threads: int = 1,
    backend: str = "local",
    address: str | None = None,
    retry_failed: bool = False,
    command: str = "",
) -> tuple[Summary, Path]:
    """Do what is left of a profile's jobs, and write tables, figures and the page of all its results.

    Parameters
    ----------
    profile : Profile
        One of `slantwood_bench.profiles.PROFILES`.
    data : Path or None
        Where to look for data sets first.
    out : Path
        Folder of results.jsonl, of the folds, and of all outputs. What is in it already is not run again.
    methods, experiments : iterable of str
        What to run of the profile.
    n_jobs : int
        Jobs at a time, -1 for one per processor; what a cluster has goes before.
    threads : int
        Threads that each job may use.
    backend, address : str
        "local", or "dask" or "ray" with the address of a running cluster (None starts one here).
    retry_failed : bool
        Do jobs again that failed, died or timed out.
    command : str
        How the run was started, for the page.

    Returns
    -------
    summary, page
        What was done, and the path of the page.
    """
    if absent := [name for name in _NEEDED if find_spec(name) is None]:
        raise ImportError(
            f"the study needs {', '.join(absent)}; install what it needs with: pip install 'slantwood[study]'"
        )
    methods = list(methods)
    jobs = jobs_of(profile, data, methods, experiments, threads)
    left_out = not_installed(methods)
    if not jobs:
        raise ValueError(
            f"profile {profile.name!r} has no data set here that these methods and experiments are for; "
            "--data or SLANTWOOD_DATA names the folder of data sets, `slantwood datasets` says what is "
            "missing, and methods of packages that are not installed are left out"
            + (f": {left_out}" if left_out else "")
        )
    if left_out:
        print(f"Left out, for they are not installed: {left_out}.", file=sys.stderr)
    store = Store(out / "results.jsonl")
    # Workers of a cluster were started in other folders.
    folders = Folders(data and data.absolute(), (out / "folds").absolute())
    with workers(backend, address):
        out.mkdir(parents=True, exist_ok=True)
        summary = run_jobs(jobs, store, folders, n_jobs, retry_failed=retry_failed)
        at_a_time = joblib.effective_n_jobs(n_jobs)
    wanted = {job.key for job in jobs}
    rows = [row for row in store.rows() if key_of(row) in wanted]
    minutes = sum(row["seconds"] for row in rows) / 60
    environment = {
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "profile": f"{profile.name}: {profile.about}",
        "command": command,
        "machine": f"{platform.system()}, {platform.machine()}, {os.cpu_count()} processors",
        "at a time": f"{at_a_time} jobs, {threads} thread(s) each",
        "jobs": f"{len(rows)} of {len(jobs)} done, {minutes:.0f} minutes in sum",
        "timeout": f"{profile.timeout:g} s for a job",
        **({"not installed": left_out} if left_out else {}),
    }
    return summary, write_outputs(rows, all_paper_sets(data), out, environment)
