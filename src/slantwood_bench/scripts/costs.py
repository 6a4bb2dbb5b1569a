"""Fits the cost model of `slantwood plan`, and says how far its predictions are from held-out measurements.

`python -m slantwood_bench.scripts.costs` fits on the measurements that ship with this package and prints the
errors of those held out; `--measure` measures all anew, on this machine, in about a quarter of an hour, and
`--write` keeps what was measured and fitted. `--traffic` counts the bytes that a cluster of two Dask workers
moves. `docs/planning.md` holds the output.
"""

import argparse
import datetime
import importlib.metadata
import json
import math
import platform
import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, astuple, dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import slantwood.planning
from slantwood.planning.coefficients import Coefficients, shipped
from slantwood_bench.scripts.apart import apart
from slantwood_bench.scripts.cost_fitting import (
    Pair,
    Predicted,
    fitted,
    is_large,
    largest_sizes,
    measured_of,
    predicted_of,
)
from slantwood_bench.scripts.cost_measuring import Measured, measure
from slantwood_bench.scripts.cost_points import SPLITS, Point, fresh, points
from slantwood_bench.scripts.report import print_head, print_row

MEASUREMENTS = Path(__file__).with_name("cost_measurements.json")
COEFFICIENTS = Path(slantwood.planning.__file__).with_name("coefficients.json")

WITHIN = 0.3  # what counts as close
_LIBRARIES = ("numpy", "scipy", "scikit-learn")

TITLES = {
    "tree_seconds": "CPU seconds of a tree, from sizes alone",
    "tree_seconds_of_shape": "the same, leaves and depth given",
    "choosing_seconds": "CPU seconds of the pilot",
    "memory": "memory of the fit, X included, from 4 MB of rows on",
    "model_bytes": "bytes of a tree",
    "predict_seconds": "CPU seconds to predict",
}


@dataclass(frozen=True)
class Errors:
    """Relative errors of predictions: median and worst of their sizes, and the share that is close."""

    points: int
    within: float
    median: float
    worst: float


def errors_of(pairs: Sequence[Pair], numbers: Coefficients, name: str) -> Errors:
    """Return how far predictions of one cost are from what was measured.

    Parameters
    ----------
    pairs : sequence of Pair
        Measurements.
    numbers : Coefficients
        Fitted numbers.
    name : str
        A field of `Predicted`.

    Returns
    -------
    Errors
        Relative errors.
    """
    own = [each for each in pairs if each.point.pilot == (name == "choosing_seconds")]
    own = [each for each in own if name != "memory" or is_large(each)]
    if not own:
        return Errors(0, math.nan, math.nan, math.nan)
    return errors_of_ratios(
        [getattr(predicted_of(each, numbers), name) / getattr(measured_of(each), name) for each in own]
    )


def errors_of_ratios(ratios: Sequence[float]) -> Errors:
    """Return how far ratios of predicted to measured are from 1.

    Parameters
    ----------
    ratios : sequence of float
        The ratios.

    Returns
    -------
    Errors
        Relative errors.
    """
    wrong = np.abs(np.array(ratios) - 1.0)
    return Errors(len(wrong), float((wrong <= WITHIN).mean()), float(np.median(wrong)), float(wrong.max()))


def stored() -> tuple[dict[str, str], list[Pair]]:
    """Return the measurements that ship with the package: when and where, and all points.

    Returns
    -------
    tuple of dict and list of Pair
        The measurements.
    """
    document = json.loads(MEASUREMENTS.read_text(encoding="utf-8"))
    return document["measured"], [_pair(row) for row in document["points"]]


def _pair(row: list[Any]) -> Pair:
    n_sizes = len(fields(Point))
    return Pair(Point(*row[:n_sizes]), Measured(*row[n_sizes:]))


def store(measured: dict[str, str], pairs: Sequence[Pair], path: Path = MEASUREMENTS) -> None:
    """Write measurements, a line for each.

    Parameters
    ----------
    measured : dict of str to str
        When and where.
    pairs : sequence of Pair
        The points.
    path : Path, optional
        File to write.
    """
    names = [each.name for each in (*fields(Point), *fields(Measured))]
    lines = ",\n".join(json.dumps(_row(pair)) for pair in pairs)
    parts = [
        f'"measured": {json.dumps(measured)}',
        f'"names": {json.dumps(names)}',
        f'"points": [\n{lines}\n]',
    ]
    path.write_text("{" + ",\n".join(parts) + "}\n", encoding="utf-8")


def _row(pair: Pair) -> list[Any]:
    return [*astuple(pair.point), *map(_rounded, astuple(pair.measured))]


def _rounded(value: float) -> float:
    return value if isinstance(value, int) else float(f"{value:.5g}")


def measure_all() -> tuple[dict[str, str], list[Pair]]:
    """Measure every point on this machine.

    Returns
    -------
    tuple of dict and list of Pair
        When and where, and all points.
    """
    # In random order: what else the machine does for a while shall not hit one kind of points only.
    todo = points()
    random.Random(1).shuffle(todo)
    pairs = []
    for point, measured in zip(todo, apart(measure, todo), strict=True):
        pairs += [] if measured is None else [Pair(point, measured)]
        print(f"{len(pairs)}: {point.split}, {point.task}, {point.rows} rows", flush=True)
    return environment(), pairs


def environment() -> dict[str, str]:
    """Return date, processor and versions.

    Returns
    -------
    dict of str to str
        Texts by name.
    """
    versions = {name: importlib.metadata.version(name) for name in _LIBRARIES}
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "processor": _processor(),
        "python": platform.python_version(),
        "versions": ", ".join(f"{name} {version}" for name, version in versions.items()),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "unknown")


def fit_and_judge(measured: dict[str, str], pairs: Sequence[Pair]) -> Coefficients:
    """Fit on what is not held out, and judge by what is.

    Parameters
    ----------
    measured : dict of str to str
        When and where.
    pairs : sequence of Pair
        All measurements; trees without a split say nothing and are left out.

    Returns
    -------
    Coefficients
        The numbers, with the errors of held-out measurements.
    """
    numbers = fitted([each for each in grown(pairs) if not each.point.held_out], measured)
    held_out = [each for each in grown(pairs) if each.point.held_out]
    errors = {name: asdict(errors_of(held_out, numbers, name)) for name in TITLES}
    for split in SPLITS:
        own = [each for each in held_out if each.point.split == split]
        errors[f"tree_seconds {split}"] = asdict(errors_of(own, numbers, "tree_seconds"))
    return replace(numbers, errors=errors, checked=largest_sizes(held_out), plans=shipped().plans)


def grown(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the measurements whose trees have splits.

    Parameters
    ----------
    pairs : sequence of Pair
        Measurements.

    Returns
    -------
    list of Pair
        Those with at least three leaves a tree.
    """
    return [each for each in pairs if each.measured.leaves > 2]


def _is_held_out(split: str, point: Point) -> bool:
    return point.held_out and point.split == split


def print_errors(pairs: Sequence[Pair], numbers: Coefficients) -> None:
    """Print errors of what was fitted on, of what was held out, and of each split learner.

    Parameters
    ----------
    pairs : sequence of Pair
        All measurements.
    numbers : Coefficients
        Fitted numbers.
    """
    kinds: dict[str, Callable[[Point], bool]] = {
        "fitted on": lambda point: not point.held_out,
        "held out": lambda point: point.held_out,
        "held out, beyond": lambda point: point.beyond,
    }
    for split in SPLITS:
        kinds[f"held out, {split}"] = partial(_is_held_out, split)
    print_head(["cost", "points", "number", "within 30 %", "median error", "worst error"])
    for each in fields(Predicted):
        for kind, belongs in kinds.items():
            some = [pair for pair in grown(pairs) if belongs(pair.point)]
            found = errors_of(some, numbers, each.name)
            if found.points:
                shares = (f"{share:.0%}" for share in (found.within, found.median, found.worst))
                print_row([TITLES[each.name], kind, found.points, *shares])
    n_bare = len(pairs) - len(grown(pairs))
    print(f"\n{n_bare} of {len(pairs)} points grew trees of at most two leaves and are left out")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", action="store_true", help="measure anew, on this machine")
    parser.add_argument("--write", action="store_true", help="keep measurements and coefficients")
    parser.add_argument(
        "--fresh",
        type=int,
        nargs=2,
        metavar=("SEED", "N"),
        help="measure N new points of each kind, and judge",
    )
    parser.add_argument("--traffic", action="store_true", help="count what two workers of Dask are sent")
    options = parser.parse_args(arguments)
    if options.traffic:
        from slantwood_bench.scripts.cost_traffic import print_traffic

        print_traffic()
        return
    if options.fresh:
        todo = fresh(*options.fresh)
        found = zip(todo, apart(measure, todo), strict=True)
        print_errors([Pair(point, each) for point, each in found if each is not None], shipped())
        return
    measured, pairs = measure_all() if options.measure else stored()
    if options.measure and options.write:
        store(measured, pairs)
    numbers = fit_and_judge(measured, pairs)
    print(", ".join(f"{name} {value}" for name, value in measured.items()) + "\n")
    print_errors(pairs, numbers)
    if options.write:
        write_coefficients(numbers)


def write_coefficients(numbers: Coefficients) -> None:
    """Write the coefficients that ship with the package.

    Parameters
    ----------
    numbers : Coefficients
        The numbers.
    """
    COEFFICIENTS.write_text(json.dumps(_shortened(asdict(numbers)), indent=1) + "\n", encoding="utf-8")


def _shortened(value: object) -> object:
    if isinstance(value, dict):
        return {name: _shortened(each) for name, each in value.items()}
    return float(f"{value:.6g}") if isinstance(value, float) else value


if __name__ == "__main__":
    main()
