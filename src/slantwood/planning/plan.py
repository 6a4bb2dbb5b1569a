"""A plan: what each way to fit a forest would take, which of them fit, and which is quickest."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from slantwood.hints import optional_import
from slantwood.planning.coefficients import Coefficients, shipped
from slantwood.planning.memory import model_bytes
from slantwood.planning.seconds import predict_seconds
from slantwood.planning.shapes import group_of
from slantwood.planning.ways import WAYS, Machines, Way
from slantwood.planning.workload import Workload

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Plan", "plan", "plan_of"]

# Fewer workers are enough where they take at most so much longer.
_HARDLY_LONGER = 1.05
_CLEARLY_QUICKER = 0.7


@dataclass(frozen=True)
class Plan:
    """What it takes to fit a forest, in every way there is.

    Parameters
    ----------
    workload : Workload
        The forest.
    machines : Machines
        What there is to compute on.
    ways : tuple of Way
        All ways: first those that fit and whose trees see all rows, then those that fit, the quickest first.
    coefficients : Coefficients
        What the costs were told by.

    Examples
    --------
    >>> from slantwood.planning import plan
    >>> found = plan(rows=100_000, features=50, targets=2, workers=4)
    >>> found.best.fits
    True
    """

    workload: Workload
    machines: Machines
    ways: tuple[Way, ...]
    coefficients: Coefficients

    @property
    def best(self) -> Way | None:
        """The quickest way that fits, of those whose trees see all rows if any does; None where none fits."""
        return self.ways[0] if self.ways[0].fits else None

    @cached_property
    def enough_workers(self) -> int:
        """The least number of workers, a power of two, that are hardly slower than all that there are."""
        if self.best is None or self.best.name not in ("replicate", "partition"):
            return 1
        make, most = WAYS[self.best.name], self.best.workers
        number = 1
        while number < most:
            way = make(self.workload, replace(self.machines, workers=number), self.coefficients)
            if way.fits and way.seconds <= _HARDLY_LONGER * self.best.seconds:
                return number
            number *= 2
        return most

    @property
    def quicker(self) -> Way | None:
        """The quickest way that fits, where that is clearly quicker than the best."""
        fitting = [way for way in self.ways if way.fits]
        quickest = min(fitting, key=lambda way: way.seconds, default=None)
        clear = quickest and self.best and quickest.seconds < _CLEARLY_QUICKER * self.best.seconds
        return quickest if clear else None

    @property
    def extrapolated(self) -> tuple[str, ...]:
        """What lies beyond all measurements: sentences, none where nothing does."""
        way = self.best or self.ways[-1]
        group = group_of(self.workload)
        fitted, checked = self.coefficients.largest[group], self.coefficients.checked[group]
        sizes = {
            "rows": ("rows that a tree is drawn from", way.rows_per_tree),
            "features": ("features", self.workload.features),
            "targets": ("targets", self.workload.targets),
        }
        return tuple(
            f"{size:,} {what} (fitted up to {fitted[name]:,.0f}, checked up to {checked[name]:,.0f})"
            for name, (what, size) in sizes.items()
            if size > max(fitted[name], checked[name])
        )

    def model_bytes(self) -> float:
        """Return the size of the forest in memory, as the best way grows it.

        Returns
        -------
        float
            Bytes.

        Examples
        --------
        >>> from slantwood.planning import plan
        >>> plan(rows=100_000, features=50, targets=2).model_bytes() > 1e5
        True
        """
        return self.workload.n_trees * model_bytes(self._grown, self.coefficients)

    def predict_seconds(self, rows: float = 1e6) -> float:
        """Return the CPU seconds in which one thread predicts rows.

        Parameters
        ----------
        rows : float, default=1e6
            Rows to predict.

        Returns
        -------
        float
            Seconds.

        Examples
        --------
        >>> from slantwood.planning import plan
        >>> plan(rows=100_000, features=50, targets=2).predict_seconds() > 0
        True
        """
        return predict_seconds(self._grown, rows, self.coefficients)

    @property
    def _grown(self) -> Workload:
        return self.workload.part_of_rows((self.best or self.ways[-1]).rows_per_tree)

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each way.

        Returns
        -------
        pandas.DataFrame
            Bytes and seconds, as in `Way`, and of a range of seconds both ends.

        Examples
        --------
        >>> from slantwood.planning import plan
        >>> plan(rows=100_000, features=50, targets=2).to_frame().index.name
        'way'
        """
        with optional_import("Plan.to_frame needs pandas", "data"):
            import pandas as pd
        rows = self.to_dict()["ways"]
        for row in rows:
            ends = row.pop("seconds_range") or (row["seconds"], row["seconds"])
            row["least_seconds"], row["most_seconds"] = ends
        return pd.DataFrame(rows).set_index("way")

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON.

        Returns
        -------
        dict of str to object
            The forest, the machines, all ways, and what is recommended.

        Examples
        --------
        >>> from slantwood.planning import plan
        >>> plan(rows=100_000, features=50, targets=2).to_dict()["recommended"]
        'threads'
        """
        ways = []
        for way in self.ways:
            values = dict(vars(way))
            ways.append({"way": values.pop("name"), "seconds": way.seconds, **values})
        return {
            "workload": asdict(self.workload),
            "machines": dict(vars(self.machines)),
            "ways": ways,
            "recommended": self.best.name if self.best else None,
            "enough_workers": self.enough_workers,
            "model_bytes": self.model_bytes(),
            "predict_seconds_of_a_million": self.predict_seconds(),
            "extrapolated": list(self.extrapolated),
            "measured": self.coefficients.measured,
            "errors": self.coefficients.errors,
        }

    def __str__(self) -> str:
        """Return the plan as a table and sentences."""
        from slantwood.planning.text import as_text

        return as_text(self)


def plan(
    rows: float,
    features: int,
    targets: int = 1,
    *,
    workers: int = 1,
    threads: int = 4,
    memory: float = 16e9,
    bandwidth: float = 125e6,
    disk: float = 500e6,
    **workload: Any,
) -> Plan:
    """Say what it would take to fit a forest, in every way there is.

    Parameters
    ----------
    rows : float
        Number of rows.
    features : int
        Number of features.
    targets : int, default=1
        Number of classes, labels or numbers.
    workers : int, default=1
        Processes that grow trees, each on a machine of its own.
    threads : int, default=4
        Threads of a worker.
    memory : float, default=16e9
        Bytes that a worker may take.
    bandwidth : float, default=125e6
        Bytes a second into a worker.
    disk : float, default=500e6
        Bytes a second from a disk.
    **workload
        More of what `Workload` takes: task, nonzeros_per_row, labels_per_row, n_trees, split ...

    Returns
    -------
    Plan
        All ways, the recommended one first; `print(plan)` shows them.

    Examples
    --------
    >>> from slantwood.planning import plan
    >>> found = plan(rows=1e9, features=200, targets=13_000, workers=64, memory=256e9)
    >>> found.best.name
    'partition'
    """
    work = Workload(int(rows), int(features), int(targets), **workload)
    return plan_of(work, Machines(workers, threads, memory, bandwidth, disk))


def plan_of(work: Workload, machines: Machines) -> Plan:
    """Say what it would take to fit a forest, in every way there is.

    Parameters
    ----------
    work : Workload
        The forest.
    machines : Machines
        What there is to compute on.

    Returns
    -------
    Plan
        All ways, the recommended one first.

    Examples
    --------
    >>> from slantwood.planning import Machines, Workload
    >>> from slantwood.planning.plan import plan_of
    >>> plan_of(Workload(10_000, 50), Machines()).best.name
    'threads'
    """
    numbers = shipped()
    ways = [_with_range(name, work, machines, numbers) for name in WAYS]
    # Trees that see fewer rows are another forest, and come after all that see all.
    ways.sort(key=lambda way: (not way.fits, not way.same_forest, way.seconds if way.fits else way.memory))
    return Plan(work, machines, tuple(ways), numbers)


def _with_range(name: str, work: Workload, machines: Machines, numbers: Coefficients) -> Way:
    """Plan a way; where a fit may choose other settings, say how long it then takes."""
    way = WAYS[name](work, machines, numbers)
    if work.probe is None:
        return way
    likely = [replace(work, probe=each) for each in work.probe.choices()]
    seconds = [WAYS[name](each, machines, numbers).seconds for each in likely]
    if max(seconds) <= _HARDLY_LONGER * min(seconds):
        return way
    return replace(way, seconds_range=(min(seconds), max(seconds)))
