"""The ways to fit a forest, each with its memory, its traffic and its time; none of them knows the others.

- threads: one machine that holds all rows.
- out of core: one machine that holds a share of the rows at a time; trees grow on one share after the other.
- replicate: every worker holds all rows, and grows its part of the trees.
- partition: rows are shuffled and divided among the workers; each grows its part of the trees on its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from slantwood.hints import format_bytes
from slantwood.planning.coefficients import Coefficients
from slantwood.planning.memory import fit_bytes, model_bytes
from slantwood.planning.seconds import choosing_seconds, setup_seconds, tree_seconds
from slantwood.planning.sizes import feature_bytes, sent_bytes, target_bytes
from slantwood.planning.workload import Workload

__all__ = ["PROCESS_BYTES", "WAYS", "Machines", "Way"]

# Python and the libraries that a worker loads, before any row.
PROCESS_BYTES = 250e6

# Connecting to a cluster and waiting for its answers, whatever the size: what a small fit took on two hosts.
_CLUSTER_SECONDS = 0.5

# More workers, or shares of the rows, than these are not looked at for what would fit.
_MOST_PARTS = 1 << 20


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


def _least(fits: Callable[[int], bool]) -> int | None:
    """Return the least number of parts that fit, if any does."""
    high = 1
    while not fits(high):
        high *= 2
        if high > _MOST_PARTS:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return high


def _fewer_threads(work: Workload, machines: Machines, numbers: Coefficients) -> int | None:
    """Return with how many threads it would fit, if with any."""
    for threads in range(machines.threads - 1, 0, -1):
        if _needed(work, threads, numbers) <= machines.memory:
            return threads
    return None


def _help(work: Workload, machines: Machines, numbers: Coefficients, other: str) -> str:
    needs = f"does not fit: needs {format_bytes(_needed(work, machines.threads, numbers))} a worker"
    threads = _fewer_threads(work, machines, numbers)
    remedies = [f"{threads} thread{'s' * (threads > 1)} a worker"] if threads else []
    remedies += [other] if other else []
    return needs + (f"; would fit with {' or '.join(remedies)}" if remedies else "")


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
        remark="" if fits else _help(work, machines, numbers, ""),
    )


def out_of_core(work: Workload, machines: Machines, numbers: Coefficients) -> Way:
    """Plan one machine that holds one share of the rows after the other."""

    def fits(shares: int) -> bool:
        return _needed(work.with_rows(work.rows / shares), machines.threads, numbers) <= machines.memory

    shares = _least(fits)
    n_shares = shares or 1
    share = work.with_rows(work.rows / n_shares)
    # A share that no tree is left for is not read.
    n_read = min(n_shares, work.n_trees)
    rounds = math.ceil(math.ceil(work.n_trees / n_read) / machines.threads)
    rows_bytes = feature_bytes(work) + target_bytes(work)
    # Rows are read and written once to shuffle them, and their shares are read again.
    passes = 0.0 if n_shares == 1 else 2.0 + n_read / n_shares
    remark = (
        f"{n_shares:,} shares of the rows, one after the other" if n_shares > 1 else "all rows fit at once"
    )
    if n_shares > work.n_trees:
        seen = f"{work.n_trees:,} trees see {work.n_trees / n_shares:.0%} of the rows"
        remark += f"; {seen}: give --trees {n_shares} for all"
    if shares is None:
        remark = (
            f"does not fit: the model alone takes {format_bytes(work.n_trees * model_bytes(share, numbers))}"
        )
    return Way(
        name="out of core",
        workers=1,
        rows_per_tree=share.rows,
        memory=_needed(share, machines.threads, numbers),
        fits=shares is not None,
        moved=passes * rows_bytes,
        transfer_seconds=passes * rows_bytes / machines.disk,
        first_seconds=n_read * setup_seconds(share, numbers)
        + choosing_seconds(share, numbers) / machines.threads,
        growing_seconds=n_read * rounds * tree_seconds(share, numbers),
        remark=remark,
    )


def replicate(work: Workload, machines: Machines, numbers: Coefficients) -> Way:
    """Plan workers that hold all rows."""
    used = min(machines.workers, math.ceil(work.n_trees / machines.threads))
    # The forest comes together in one place; a worker only has trees on their way.
    part = replace(work, n_trees=min(work.n_trees, 2 * machines.threads))
    memory = _needed(part, machines.threads, numbers)
    fits = memory <= machines.memory
    sent = sent_bytes(work)
    # One worker fetches the rows that it does not have; those that have all pass them on, twice as many at
    # every turn.
    turns = (1 - 1 / used) + math.ceil(math.log2(used))
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
        remark=remark if fits else _help(part, machines, numbers, ""),
    )


def partition(work: Workload, machines: Machines, numbers: Coefficients) -> Way:
    """Plan workers that hold a share of the rows each."""
    used = min(machines.workers, work.n_trees)

    def share_of(workers: int) -> Workload:
        return replace(work.with_rows(work.rows / workers), n_trees=max(1, math.ceil(work.n_trees / workers)))

    share = share_of(used)
    memory = _needed(share, machines.threads, numbers)
    fits = memory <= machines.memory
    remark = f"trees see {share.rows:,} rows each"
    if used < machines.workers:
        idle = machines.workers - used
        remark += (
            f"; {idle} of {machines.workers} workers have no tree: give --trees {machines.workers} or more"
        )
    if not fits:
        least = _least(lambda n: _needed(share_of(n), machines.threads, numbers) <= machines.memory)
        more = f"{least:,} workers" if least else ""
        if least and least > work.n_trees:
            more += f" and as many trees (--workers {least} --trees {least})"
        remark = _help(share, machines, numbers, more)
    # All rows but those that are in their place already go to another worker.
    moved = (feature_bytes(share) + target_bytes(share)) * (1 - 1 / used)
    back = work.n_trees * model_bytes(share, numbers)
    rounds = math.ceil(share.n_trees / machines.threads)
    whole = replace(share, n_trees=work.n_trees)  # whether settings are chosen depends on all trees
    return Way(
        name="partition",
        workers=used,
        rows_per_tree=share.rows,
        memory=memory,
        fits=fits,
        moved=moved,
        transfer_seconds=_CLUSTER_SECONDS + (moved + back) / machines.bandwidth,
        first_seconds=_first(whole, machines, numbers),
        growing_seconds=rounds * tree_seconds(share, numbers),
        remark=remark,
    )


WAYS = {"threads": threads, "out of core": out_of_core, "replicate": replicate, "partition": partition}
