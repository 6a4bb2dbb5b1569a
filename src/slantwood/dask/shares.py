"""Who holds which rows on a cluster: each worker all of them, or a random share.

What a worker holds is a future that Dask can make again elsewhere, from the collections or files, where a
worker dies; rows of the process that called `fit` are sent anew. How trees grow on it is the matter of
`growing`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from joblib import parallel_config

from slantwood.dask.clients import workers_of
from slantwood.ensemble.assembling import Outline
from slantwood.ensemble.fitting import prepared
from slantwood.ensemble.forest import FittedForest
from slantwood.ensemble.growing import planned
from slantwood.ensemble.spec import ForestSpec
from slantwood.ensemble.training_data import TrainingData
from slantwood.estimators.parts.agreement import Agreement, agree
from slantwood.estimators.parts.glimpses import SAMPLE_ROWS, Glimpse, glimpse, merged
from slantwood.estimators.parts.memory import MEMORY_FOR_ROWS, bytes_of_a_row_in_a_worker, times_held
from slantwood.estimators.parts.part_of_rows import PartOfRows, joined
from slantwood.estimators.parts.shares import Share, first_share, later_share, pieces_of
from slantwood.features.rows import slice_rows
from slantwood.growth.plan import GrowthPlan
from slantwood.workers.shared import Shared

# A share with fewer rows than these is not worth a worker.
_FEWEST_ROWS = 100

# So many parts may show their rows to the process that called `fit`; of more, workers merge what they show.
_MOST_GLIMPSES = 16

# Rows of this process are sent in so many blocks for each worker, of which the cluster may move single ones.
_BLOCKS_PER_WORKER = 4


class Names(NamedTuple):
    """What is said about columns in `fit`."""

    clustering: Any
    features: Sequence[str] | None
    targets: Sequence[str] | None


class Ground(NamedTuple):
    """All rows in one worker, read and ready; it stays there."""

    reader: Any  # an estimator that knows the names of columns
    data: TrainingData
    spec: ForestSpec
    shared: Shared[GrowthPlan]
    outline: Outline


class Head(NamedTuple):
    """What the process that called `fit` must know."""

    attributes: dict[str, Any]  # of the estimator: number and names of columns
    outline: Outline
    spec: ForestSpec


class Shares(NamedTuple):
    """Where trees grow."""

    head: Head
    plans: list[Any]  # futures of Shared plans
    workers: list[str] | None = None  # for each plan one that grows trees on it; None for the one that has it
    ground: Any = None  # Ground or its future, where all rows were read in one place
    given: Sequence[Any] = ()  # futures of rows of this process
    # Sends rows of this process anew, which Dask could not make again where they are lost with a worker.
    again: Callable[[], Shares] | None = None

    @property
    def are_alike(self) -> bool:
        """Whether each worker has all rows, so that any may grow any tree."""
        return self.ground is not None

    def where_rows_are(self, client: Any, work: Callable[..., Any], forest: FittedForest) -> Any:
        """Return `work(ground, forest)`, done where all rows are: in this process or in a worker."""
        if isinstance(self.ground, Ground):
            return work(self.ground, forest)
        return client.submit(work, self.ground, forest, pure=False).result()


# ---- each worker holds all rows


def replicated(
    client: Any, parts: Sequence[Any], local: Any, names: Names, earlier: FittedForest | None, seed: int
) -> Shares:
    """Read all rows in one place, and send them, ready for trees, to each worker once."""
    if isinstance(parts[0], PartOfRows):
        return _sent_to_all(client, _ground(local, names, earlier, seed, list(parts)))
    ground = client.submit(_ground, local, names, earlier, seed, list(parts), pure=False)
    head = client.submit(_head, ground, pure=False, **_where(client, ground)).result()
    shared = client.submit(_shared, ground, pure=False, **_where(client, ground))
    return Shares(head, _held_by_all(client, shared), None, ground)


def _sent_to_all(client: Any, here: Ground) -> Shares:
    """Send the rows of this process, ready for trees, to each worker."""
    # Trees depend on what is scattered itself: Dask leaves copies alone where there are some to grow.
    [plan] = client.scatter([here.shared], broadcast=True, hash=False)
    workers = _workers(client)
    again = partial(_sent_to_all, client, here)
    return Shares(_head(here), [plan] * len(workers), workers, here, again=again)


def _held_by_all(client: Any, shared: Any) -> list[Any]:
    """Return the plan as a future of its own for each worker, on which tasks there depend."""
    return [client.submit(_held, shared, pure=False, **at(worker)) for worker in _workers(client)]


def _ground(
    local: Any, names: Names, earlier: FittedForest | None, seed: int, parts: list[PartOfRows]
) -> Ground:
    rows = joined(parts)
    data = local._read(rows.X, rows.y, rows.weights, *names)
    spec = local._spec(data, earlier)
    with _threads_of_worker():
        data, spec = prepared(data, spec if earlier is not None else replace(spec, seed=seed))
    plan, outline = planned(data, spec)
    return Ground(local, data, spec, Shared(plan), outline)


@contextmanager
def _threads_of_worker() -> Generator[None]:
    """Choose settings on all threads of a worker, unless the user gave `n_jobs`; in this process as ever.

    The trees must wait for it, so that the worker has nothing else to do.
    """
    from distributed import get_worker

    try:
        n_threads = get_worker().state.nthreads
    except ValueError:  # this is no task of a worker
        yield
    else:
        with parallel_config("threading", n_jobs=n_threads):
            yield


def _head(ground: Ground) -> Head:
    # The targets know the classes; names of columns are attributes.
    return Head(learned_attributes(ground.reader), ground.outline, ground.spec)


def _shared(ground: Ground) -> Shared[GrowthPlan]:
    return ground.shared


def _held(shared: Shared[GrowthPlan]) -> Shared[GrowthPlan]:
    return shared


def learned_attributes(reader: Any) -> dict[str, Any]:
    """Return what an estimator learned about columns when it read rows."""
    return {
        name: value
        for name, value in vars(reader).items()
        if name.endswith("_") and not name.startswith("_") and name != "forest_"
    }


# ---- each worker holds a share of the rows


class Partition(NamedTuple):
    """How rows are divided among workers."""

    agreement: Agreement
    n_shares: int
    n_held: int  # in how many shares each row is

    @property
    def seed(self) -> int:
        """Seed of the division."""
        return int(self.agreement.reader.forest_.seed)


def partitioned(
    client: Any, parts: Sequence[Any], local: Any, names: Names, max_memory: int | None, are_classes: bool
) -> Shares:
    """Let all parts agree on what X and y are, divide the rows at random, and give each worker its share."""
    rows = parts[0] if isinstance(parts[0], PartOfRows) else None
    n_blocks = len(parts) if rows is None else _BLOCKS_PER_WORKER * len(_workers(client))
    if rows is None:
        seen = _seen_on_workers(client, parts, are_classes)
    else:
        n_sample, blocks = max(SAMPLE_ROWS // n_blocks, 1), enumerate(_in_blocks(rows, n_blocks))
        seen = [glimpse(block, n_sample, number, are_classes=are_classes) for number, block in blocks]
    agreement = agree(local, seen, *names)
    workers = _workers(client)[: max(agreement.n_rows // _FEWEST_ROWS, 1)]
    partition = Partition(agreement, len(workers), _n_held(client, workers, agreement, max_memory))
    if rows is None:
        return _shares_of(client, parts, partition)
    return _sent_in_blocks(client, rows, n_blocks, partition)


def _seen_on_workers(client: Any, parts: Sequence[Any], are_classes: bool) -> list[Glimpse]:
    """Return rows that stand for the parts; what many parts show again and again, workers leave out."""
    n_sample = max(SAMPLE_ROWS // len(parts), 1)
    seen = client.map(
        glimpse, parts, [n_sample] * len(parts), range(len(parts)), are_classes=are_classes, pure=False
    )
    while len(seen) > _MOST_GLIMPSES:
        groups = [seen[start:stop] for start, stop in _even(len(seen), -(-len(seen) // _MOST_GLIMPSES))]
        n_sample = max(SAMPLE_ROWS // len(groups), 1)
        seen = [
            client.submit(merged, group, n_sample, number, are_classes=are_classes, pure=False)
            for number, group in enumerate(groups)
        ]
    return client.gather(seen)


def _sent_in_blocks(client: Any, rows: PartOfRows, n_blocks: int, partition: Partition) -> Shares:
    """Send the rows of this process to workers that share them; anew, where some are lost on the way."""
    for last in (False, False, True):
        blocks: list[Any] = []
        try:
            blocks = client.scatter(_in_blocks(rows, n_blocks), hash=False)
            shares = _shares_of(client, blocks, partition)
            break
        except (CancelledError, OSError):
            if last or client.status != "running":
                raise
            for block in blocks:
                block.release()
    return shares._replace(given=blocks, again=partial(_sent_in_blocks, client, rows, n_blocks, partition))


def _shares_of(client: Any, parts: Sequence[Any], partition: Partition) -> Shares:
    """Let workers divide the parts that they have, and read their shares."""
    agreement, n_shares, n_held = partition
    there = _workers(client)
    # A share has the same rows wherever it is: fewer workers than there were have several.
    workers = [there[share % len(there)] for share in range(n_shares)]
    divide = partial(client.submit, _pile, pure=False)
    piles = [
        (worker, divide(here, numbers, n_shares, n_held, partition.seed, **at(worker)))
        for worker, numbers, here in _by_worker(client, parts)
    ]
    growing = workers[: agreement.reader._n_trees]  # shares that no tree grows on are not read
    pieces = [
        [client.submit(_pieces, pile, share, pure=False, **at(worker)) for worker, pile in piles]
        for share in range(len(growing))
    ]
    first = client.submit(_share, agreement, pieces[0], None, pure=False, **at(workers[0]))
    head = client.submit(_share_head, first, pure=False, **_where(client, first)).result()
    later = [
        client.submit(_share, agreement, of_share, head.spec, pure=False, **at(worker))
        for of_share, worker in zip(pieces[1:], growing[1:], strict=True)
    ]
    plans = [
        client.submit(_share_plan, share, pure=False, **at(worker))
        for share, worker in zip([first, *later], growing, strict=True)
    ]
    return Shares(head._replace(attributes=learned_attributes(agreement.reader)), plans)


def _in_blocks(rows: PartOfRows, n_blocks: int) -> list[PartOfRows]:
    """Divide rows of this process in their order, so that no worker need hold all of them."""
    tables = [_sliceable(each) for each in rows]
    return [
        PartOfRows(*(None if each is None else slice_rows(each, start, stop) for each in tables))
        for start, stop in _even(rows.n_rows, max(min(n_blocks, rows.n_rows), 1))
    ]


def _even(length: int, n_parts: int) -> Iterator[tuple[int, int]]:
    """Yield where each of so many parts begins and ends, which are as equal as can be."""
    return pairwise(length * number // n_parts for number in range(n_parts + 1))


def _sliceable(table: Any) -> Any:
    """Return rows in a form of which blocks can be taken, and put together again."""
    if sp.issparse(table):
        return sp.csr_array(table)
    is_column_of_arrow = hasattr(table, "to_pylist") and not hasattr(table, "column_names")
    return table.to_pylist() if is_column_of_arrow else table


def at(worker: str) -> dict[str, Any]:
    """Return arguments by which a task runs on a worker, or where that is gone on another."""
    return {"workers": [worker], "allow_other_workers": True}


def _where(client: Any, future: Any) -> dict[str, Any]:
    """Return arguments by which a task runs where something is, so that it need not travel."""
    wait_for(client, future)
    places = sorted(client.who_has([future]).get(future.key, ()))
    return at(places[0]) if places else {}


def wait_for(client: Any, futures: Any) -> None:
    """Wait until futures are done, or have failed."""
    from distributed import wait

    with client.as_current():  # Dask would ask the current client, which may be another or none
        wait(futures)


# Pieces of the rows of a share by the numbers of their parts: rows are put together in that order, wherever
# the parts are, so that the trees do not depend on it.
Pieces = dict[int, PartOfRows]


def _pile(parts: list[PartOfRows], numbers: list[int], n_shares: int, n_held: int, seed: int) -> list[Pieces]:
    """Divide all parts that a worker has into pieces for each share."""
    divided = [
        pieces_of(part, n_shares, n_held, np.random.SeedSequence(seed, spawn_key=(number,)))
        for part, number in zip(parts, numbers, strict=True)
    ]
    return [dict(zip(numbers, of_share, strict=True)) for of_share in zip(*divided, strict=True)]


def _pieces(pile: list[Pieces], share: int) -> Pieces:
    return pile[share]


def _share(agreement: Agreement, found: list[Pieces], spec: ForestSpec | None) -> Share:
    """Read a share; the first, for which no spec is given, chooses the settings."""
    by_number = {number: piece for pieces in found for number, piece in pieces.items()}
    rows = [by_number[number] for number in sorted(by_number)]
    if spec is not None:
        return later_share(agreement, rows, spec)
    with _threads_of_worker():
        return first_share(agreement, rows)


def _share_head(share: Share) -> Head:
    return Head({}, share.outline, share.spec)


def _share_plan(share: Share) -> Shared[GrowthPlan]:
    return Shared(share.plan)


def _by_worker(client: Any, parts: Sequence[Any]) -> list[tuple[str, list[int], list[Any]]]:
    """Return workers, with the numbers of the parts that lie there, and these."""
    wait_for(client, parts)
    places = client.who_has(list(parts))
    found: dict[str, list[int]] = {}
    somewhere = _workers(client)[0]
    for number, part in enumerate(parts):
        found.setdefault(next(iter(sorted(places.get(part.key, ()))), somewhere), []).append(number)
    return [(worker, numbers, [parts[n] for n in numbers]) for worker, numbers in sorted(found.items())]


def _n_held(client: Any, workers: Sequence[str], agreement: Agreement, max_memory: int | None) -> int:
    """Return in how many shares each row may be: as many as the memory of the workers allows."""
    known = workers_of(client)
    infos = [known[worker] for worker in workers if worker in known]
    limits = [info["memory_limit"] * MEMORY_FOR_ROWS for info in infos if info["memory_limit"]]
    limits = limits if max_memory is None else [max_memory]
    if not limits:
        return 1
    n_threads = max(info["nthreads"] for info in infos)
    all_rows = agreement.n_rows * bytes_of_a_row_in_a_worker(
        agreement.bytes_per_row, n_threads, agreement.of_thread
    )
    n_held = times_held(all_rows, min(limits), len(workers))
    if n_held < 1:
        raise MemoryError(
            f"a share of the rows for each of the {len(workers)} workers takes about "
            f"{all_rows / len(workers) / 1e9:.2g} GB, and may take {min(limits) / 1e9:.2g} GB; add workers, "
            "give them more memory, or give a larger max_memory"
        )
    return n_held


def _workers(client: Any) -> list[str]:
    workers = sorted(workers_of(client))
    if not workers:
        raise ValueError("the cluster of client has no workers; start some, or wait with wait_for_workers(1)")
    return workers
