"""A plan as text: a table of the ways, a recommendation, and how far to trust it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slantwood.ensemble.tuning import MOST_ROWS
from slantwood.hints import format_bytes
from slantwood.planning.ways import Way
from slantwood.planning.workload import Probe

if TYPE_CHECKING:
    from slantwood.planning.plan import Plan

__all__ = ["as_text", "seconds_text"]

_CLEARLY_LARGER = 1.1

_MODELS = {
    "threads": "the forest of one machine",
    "replicate": "the same forest as on one machine",
    "partition": "trees that see the rows of one worker only",
    "out of core": "trees that see one share of the rows only",
}


def seconds_text(seconds: float) -> str:
    """Say a time in two digits, in the unit that suits it.

    Parameters
    ----------
    seconds : float
        Seconds.

    Returns
    -------
    str
        The time.

    Examples
    --------
    >>> seconds_text(0.25), seconds_text(100), seconds_text(9000), seconds_text(3e5)
    ('0.25 s', '100 s', '2.5 h', '3.5 days')
    """
    for unit, value, least in (("days", 86400.0, 2.0), ("h", 3600.0, 1.5), ("min", 60.0, 3.0)):
        if seconds >= least * value:
            number = seconds / value
            return f"{number:.1f} {unit}" if number < 10 else f"{number:,.0f} {unit}"
    return f"{seconds:.2g} s" if seconds < 99.5 else f"{seconds:.0f} s"


def as_text(plan: Plan) -> str:
    """Return a plan as text.

    Parameters
    ----------
    plan : Plan
        The plan.

    Returns
    -------
    str
        Several lines.

    Examples
    --------
    >>> from slantwood.planning import plan
    >>> as_text(plan(rows=100_000, features=50, targets=2)).splitlines()[0]
    'Forest: 50 trees (gradient) on 100,000 rows, 50 features, 2 classes (binary).'
    """
    lines = [_head(plan), _machines(plan), "", *_table(plan), "", *_remarks(plan), "", *_advice(plan)]
    return "\n".join([*lines, *_trust(plan)])


def _head(plan: Plan) -> str:
    work = plan.workload
    nouns = {"multi-label": "labels", "regression": "number", "multi-target regression": "numbers"}
    noun = nouns.get(work.task, "classes")
    sparse = f" ({work.filled:g} of a row not zero)" if work.nonzeros_per_row is not None else ""
    labels = f" ({work.labels_per_row:g} of a row)" if work.task == "multi-label" else ""
    size = f"{work.rows:,} rows, {work.features:,} features{sparse}, {work.targets:,} {noun}{labels}"
    return f"Forest: {work.n_trees:,} trees ({work.split}) on {size} ({work.task})."


def _machines(plan: Plan) -> str:
    given = plan.machines
    workers = f"{given.workers:,} worker{'s' * (given.workers > 1)}"
    threads = f"{given.threads} thread{'s' * (given.threads > 1)}"
    each = f"{threads} and {format_bytes(given.memory)} each, {format_bytes(given.bandwidth)}/s between them"
    return f"Machines: {workers} with {each}."


def _table(plan: Plan) -> list[str]:
    head = (
        "way",
        "workers",
        "rows a tree",
        "memory a worker",
        "moved a worker",
        "transfer",
        "growing",
        "all",
    )
    rows = [head, *(_cells(way) for way in plan.ways)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _cells(way: Way) -> tuple[str, ...]:
    times = (way.transfer_seconds, way.first_seconds + way.growing_seconds)
    shown = [*(seconds_text(each) for each in times), _all_seconds(way)] if way.fits else ["-"] * 3
    sizes = (format_bytes(way.memory), format_bytes(way.moved))
    return (way.name, f"{way.workers:,}", f"{way.rows_per_tree:,}", *sizes, *shown)


def _all_seconds(way: Way) -> str:
    if way.seconds_range is None:
        return seconds_text(way.seconds)
    least, most = (seconds_text(each) for each in way.seconds_range)
    return f"{least} to {most}"


def _remarks(plan: Plan) -> list[str]:
    return [f"{way.name}: {way.remark}." for way in plan.ways if way.remark]


def _advice(plan: Plan) -> list[str]:
    best = plan.best
    if best is None:
        return ["Nothing fits: see above for what would."]
    workers = f", {best.workers:,} workers with {format_bytes(best.memory)} each" if best.workers > 1 else ""
    lines = [f"Recommended: {best.name}{workers}: {_all_seconds(best)} for {_MODELS[best.name]}."]
    if best.workers > plan.enough_workers:
        lines.append(f"{plan.enough_workers:,} workers would take at most 5 % longer.")
    if plan.quicker is not None:
        other = plan.quicker
        lines.append(f"Quicker: {other.name}, {_all_seconds(other)}, for {_MODELS[other.name]}.")
    size, million = format_bytes(plan.model_bytes()), seconds_text(plan.predict_seconds())
    at_most = "at most " if plan.workload.probe is not None and plan.workload.probe.others else ""
    lines.append(f"The model takes {at_most}{size}; one thread predicts a million rows in {million}.")
    return lines


def _trust(plan: Plan) -> list[str]:
    numbers, probe, split = plan.coefficients, plan.workload.probe, plan.workload.split
    where = f"on {numbers.measured['processor']}, {numbers.measured['date']}"
    if probe is None:
        errors = numbers.errors[f"tree_seconds {split}"]
        lines = [
            f"Seconds of a tree ({split}) were {_within(errors, 'held-out measurements')}, {where}.",
            "What sizes do not tell, such as noise and the processor, some of your own rows do: "
            "slantwood plan DATA.",
        ]
    else:
        lines = [f"Times are told from trees on {probe.rows:,} rows. {_of_whole_fits(plan, where)}"]
        if probe.others:
            lines.append(_open_choice(probe))
        enough = min(plan.workload.rows, MOST_ROWS)
        if probe.choosing_seconds is not None and probe.rows < enough:
            lines.append(
                f"Settings are chosen on {enough:,} rows, which may want larger or smaller leaves than these "
                f"{probe.rows:,}: give as many, if you have them."
            )
    if plan.extrapolated:
        lines.append(
            f"Extrapolated: {'; '.join(plan.extrapolated)}. Rows count by n log n, the levels of a tree."
        )
    return lines


def _open_choice(probe: Probe) -> str:
    """Say why a plan has a range: settings that a fit chooses among."""
    leaves = sorted(each.rows_per_leaf or 0.0 for each in (probe, *probe.others))
    which = "several settings"
    if leaves[-1] > _CLEARLY_LARGER * leaves[0]:
        which += f", with leaves of {leaves[0]:.3g} to {leaves[-1]:.3g} rows,"
    return f"On such rows, {which} differ by less than chance: the fit may choose any of them."


def _of_whole_fits(plan: Plan, where: str) -> str:
    split = plan.workload.split
    if split not in plan.coefficients.plans:
        return f"Whole fits with the split learner {split} were not checked."
    within = _within(plan.coefficients.plans[split], "data sets")
    part = "told from an eighth of their rows, 1,000 at the least"
    return f"Whole fits ({split}), {part}, were {within}, {where}; ranges count as their nearer end."


def _within(errors: dict[str, float], what: str) -> str:
    return (
        f"within 30 % for {errors['within']:.0%} of {errors['points']:.0f} {what} (median error "
        f"{errors['median']:.0%}, worst {errors['worst']:.0%})"
    )
