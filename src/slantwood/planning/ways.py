"""The ways to fit a forest, each with its memory, its traffic and its time; none of them knows the others.

- threads: one machine that holds all rows.
- out of core: one machine that holds a share of the rows at a time; trees grow on one share after the other.
- replicate: every worker holds all rows, and grows its part of the trees.
- partition: rows are shuffled and divided among the workers; each grows its part of the trees on its own.

How many rows a share has is found by the functions that divide them in a fit, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from slantwood.estimators.parts.agreement import part_of_a_thread
from slantwood.estimators.parts.blocks import READING_BYTES
from slantwood.estimators.parts.division import Division
from slantwood.estimators.parts.memory import (
    LEAST_ROWS,
    MEMORY_FOR_ROWS,
    bytes_of_a_row_in_a_worker,
    divided,
    growth_bytes,
    rows_wanted,
    times_held,
)
from slantwood.hints import format_bytes
from slantwood.planning.coefficients import Coefficients
from slantwood.planning.memory import fit_bytes, model_bytes
from slantwood.planning.seconds import choosing_seconds, setup_seconds, tree_seconds
from slantwood.planning.sizes import feature_bytes, sent_bytes, target_bytes
from slantwood.planning.workload import Workload

__all__ = ["MEMORY_FOR_ROWS", "PROCESS_BYTES", "WAYS", "Machines", "Way"]

# Python and the libraries that a worker loads, before any row.
PROCESS_BYTES = 250e6

# Connecting to a cluster and waiting for its answers, whatever the size: what a small fit took on two hosts.
_CLUSTER_SECONDS = 0.5

# More workers than these are not looked at for what would fit.
_MOST_WORKERS = 1 << 20


@dataclass(frozen=True)
class Machines:
    """What there is to compute on.

    Parameters
    ----------
    workers : int, default=1
        Processes that grow trees, each on a machine of its own.
    threads : int, default=4
        Threads of a worker.
    memory : float, default=16e9
        Bytes of memory that a worker may take.
    bandwidth : float, default=125e6
        Bytes a second into and out of a worker; 125 million are one Gbit.
    disk : float, default=500e6
        Bytes a second from and to a disk, where rows do not fit into memory.

    Examples
    --------
    >>> from slantwood.planning import Machines
    >>> Machines(workers=8).threads
    4
    """

    workers: int = 1
    threads: int = 4
    memory: float = 16e9
    bandwidth: float = 125e6
    disk: float = 500e6

    def __post_init__(self) -> None:
        """Check that everything is there."""
        for name in ("workers", "threads"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}={getattr(self, name)!r} is too small; give 1 or more")
        for name in ("memory", "bandwidth", "disk"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name}={getattr(self, name)!r} must be positive")


@dataclass(frozen=True)
class Way:
    """One way to fit the forest, with all that it takes.

    Parameters
    ----------
    name : str
        "threads", "replicate", "partition" or "out of core".
    workers : int
        Those that have something to do.
    rows_per_tree : int
        Rows that a tree is drawn from.
    memory : float
        Bytes of a worker at the most.
    fits : bool
        Whether a worker has so many.
    moved : float
        Bytes into a worker, over the network or from disk.
    transfer_seconds : float
        Time of these.
    first_seconds : float
        Time before the trees: encoding, and choosing settings.
    growing_seconds : float
        Time of the trees.
    remark : str
        What keeps it from fitting and what would help, or what else to know.
    seconds_range : tuple of two floats, optional
        Least and largest wall time, where it is open which settings the fit chooses.

    Examples
    --------
    >>> from slantwood.planning import plan
    >>> plan(rows=100_000, features=50, targets=2).best.name
    'threads'
    """

    name: str
    workers: int
    rows_per_tree: int
    memory: float
    fits: bool
    moved: float
    transfer_seconds: float
    first_seconds: float
    growing_seconds: float
    remark: str
    seconds_range: tuple[float, float] | None = None

    @property
    def same_forest(self) -> bool:
        """Whether trees see all rows, as on one machine."""
        return self.name in ("threads", "replicate")

    @property
    def seconds(self) -> float:
        """Wall time of the whole fit."""
        return self.transfer_seconds + self.first_seconds + self.growing_seconds


def _first(work: Workload, machines: Machines, numbers: Coefficients) -> float:
    return setup_seconds(work, numbers) + choosing_seconds(work, numbers) / machines.threads


def _needed(work: Workload, threads: int, numbers: Coefficients) -> float:
    return PROCESS_BYTES + fit_bytes(work, threads, numbers)


def _largest(holds: Callable[[int], bool], most: int) -> int:
    """Return the largest number up to `most` of which something holds, 0 where of none."""
    low, high = 0, most + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _help(memory: float, machines: Machines, fits_with: Callable[[int], bool], other: str = "") -> str:
    """Say how much memory is needed, and with how many threads, or what else, it would fit."""
    needs = f"does not fit: needs {format_bytes(memory)} a worker"
    threads = next((n for n in range(machines.threads - 1, 0, -1) if fits_with(n)), None)
    remedies = [f"{threads} thread{'s' * (threads > 1)} a worker"] if threads else []
    remedies += [other] if other else []
    return needs + (f"; would fit with {' or '.join(remedies)}" if remedies else "")


def _encoded_row(work: Workload) -> float:
    """Return the bytes of the encoded cells of a row."""
    return (feature_bytes(work) + target_bytes(work)) / work.rows


def _of_thread(work: Workload) -> float:
    growth = work.growth()
    return part_of_a_thread(
        growth.width / work.features, by_columns=growth.by_columns, is_sparse=work.is_sparse
    )


def threads(work: Workload, machines: Machines, numbers: Coefficients) -> Way:
    """Plan one machine that holds all rows."""
    memory = _needed(work, machines.threads, numbers)
    fits = memory <= machines.memory
    rounds = math.ceil(work.n_trees / machines.threads)
    return Way(
        name="threads",
        workers=1,
        rows_per_tree=work.rows,
        memory=memory,
        fits=fits,
        moved=0.0,
        transfer_seconds=0.0,
        first_seconds=_first(work, machines, numbers),
        growing_seconds=rounds * tree_seconds(work, numbers),
        remark=""
        if fits
        else _help(memory, machines, lambda n: _needed(work, n, numbers) <= machines.memory),
    )


def out_of_core(work: Workload, machines: Machines, numbers: Coefficients) -> Way:
    """Plan one machine that holds one share of the rows after the other."""
    encoded = _encoded_row(work)
    # Rows as they are read are about as large as encoded, and parts of them are held twice for a while.
    of_row = 2 * encoded + growth_bytes(encoded, 1, machines.threads, _of_thread(work))

    def needed(rows: int) -> float:
        of_model = numbers.memory["model"] * work.n_trees * model_bytes(work.part_of_rows(rows), numbers)
        return PROCESS_BYTES + READING_BYTES + rows * of_row + of_model

    most = _largest(lambda rows: needed(rows) <= machines.memory, work.rows)
    most_shares = max(work.n_trees // machines.threads, 1)
    wanted = rows_wanted(work.max_samples, work.rows, work.n_trees)
    fits = most >= min(work.rows, LEAST_ROWS)
    # Here memory is counted in rows. Where all fit, samples are drawn from all, as in the usual fit.
    divides = fits and most < work.rows
    division = divided(work.rows, 1.0, most, most_shares, wanted, 0) if divides else Division(1, 1.0, 0)
    share = work.part_of_rows(work.rows * division.fraction)
    n_shares = division.n_shares
    remark = f"{n_shares} shares of the rows, one after the other" if n_shares > 1 else "all rows fit at once"
    if division.n_held < 1:
        held = f"a random sample of {100 * division.n_held:.2g} % of the rows"
        remark = f"{held}, in {n_shares} share{'s' * (n_shares > 1)}"
    rounds = math.ceil(math.ceil(work.n_trees / n_shares) / machines.threads)
    # All rows are read once to find out what they hold, and once for each share.
    moved = (1 + n_shares) * work.rows * encoded
    return Way(
        name="out of core",
        workers=1,
        rows_per_tree=share.rows,
        memory=needed(share.rows),
        fits=fits,
        moved=moved,
        transfer_seconds=moved / machines.disk,
        first_seconds=choosing_seconds(share, numbers) / machines.threads,
        growing_seconds=n_shares * (setup_seconds(share, numbers) + rounds * tree_seconds(share, numbers)),
        remark=remark
        if fits
        else f"does not fit: needs {format_bytes(needed(LEAST_ROWS))} for the fewest rows",
    )


def replicate(work: Workload, machines: Machines, numbers: Coefficients) -> Way:
    """Plan workers that hold all rows."""
    used = min(machines.workers, math.ceil(work.n_trees / machines.threads))
    # The forest comes together in one place; a worker only has trees on their way.
    part = replace(work, n_trees=min(work.n_trees, 2 * machines.threads))
    # One worker reads all rows, and has them as they came and joined beside the encoded ones.
    reading = 2 * work.rows * _encoded_row(work)

    def needed(n_threads: int) -> float:
        return reading + _needed(part, n_threads, numbers)

    memory = needed(machines.threads)
    fits = memory <= machines.memory
    sent = sent_bytes(work)
    # It fetches those that it does not have. Workers that have all pass them on, twice as many at every turn,
    # also to those that will be idle.
    turns = (1 - 1 / machines.workers) + math.ceil(math.log2(machines.workers))
    back = work.n_trees * model_bytes(work, numbers)
    rounds = math.ceil(work.n_trees / (used * machines.threads))
    idle = f"{used} workers have {work.n_trees} trees on {machines.threads} threads each; more would be idle"
    remark = idle if used < machines.workers else "the same model as on one machine"
    return Way(
        name="replicate",
        workers=used,
        rows_per_tree=work.rows,
        memory=memory,
        fits=fits,
        moved=sent,
        transfer_seconds=_CLUSTER_SECONDS + (turns * sent + back) / machines.bandwidth,
        first_seconds=_first(work, machines, numbers),
        growing_seconds=rounds * tree_seconds(work, numbers),
        remark=remark if fits else _help(memory, machines, lambda n: needed(n) <= machines.memory),
    )


def partition(work: Workload, machines: Machines, numbers: Coefficients) -> Way:
    """Plan workers that hold a share of the rows each: as large a one as their memory allows."""
    workers = machines.workers
    for_rows = MEMORY_FOR_ROWS * machines.memory

    def held(n_workers: int, n_threads: int) -> int:
        of_all = work.rows * bytes_of_a_row_in_a_worker(_encoded_row(work), n_threads, _of_thread(work))
        return times_held(of_all, for_rows, n_workers)

    n_held = held(workers, machines.threads)
    whole = work.part_of_rows(work.rows * max(n_held, 1) / workers)
    share = replace(whole, n_trees=max(1, math.ceil(work.n_trees / workers)))
    memory = _needed(share, machines.threads, numbers)
    fits = n_held >= 1 and memory <= machines.memory
    remark = f"trees see {share.rows:,} rows each"
    if work.n_trees < workers:
        idle = workers - work.n_trees
        remark += f"; {idle} of {workers} workers have no tree: give --trees {workers} or more"
    if not fits:
        of_share = share.rows * bytes_of_a_row_in_a_worker(
            _encoded_row(work), machines.threads, _of_thread(work)
        )
        memory = max(memory, of_share / MEMORY_FOR_ROWS)
        least = 1 + _largest(lambda n: held(n, machines.threads) < 1, _MOST_WORKERS)
        more = f"{least:,} workers" if workers < least <= _MOST_WORKERS else ""
        if more and least > work.n_trees:
            more += f" and as many trees (--workers {least} --trees {least})"
        remark = _help(memory, machines, lambda n: held(workers, n) >= 1, more)
    # All rows but those that are in their place already come from another worker.
    moved = share.rows * _encoded_row(work) * (1 - 1 / workers)
    back = work.n_trees * model_bytes(share, numbers)
    return Way(
        name="partition",
        workers=min(workers, work.n_trees),
        rows_per_tree=share.rows,
        memory=memory,
        fits=fits,
        moved=moved,
        transfer_seconds=_CLUSTER_SECONDS + (moved + back) / machines.bandwidth,
        # The other shares are read when the first has chosen the settings.
        first_seconds=_first(whole, machines, numbers) + (workers > 1) * setup_seconds(share, numbers),
        growing_seconds=math.ceil(share.n_trees / machines.threads) * tree_seconds(share, numbers),
        remark=remark,
    )


WAYS = {"threads": threads, "out of core": out_of_core, "replicate": replicate, "partition": partition}
