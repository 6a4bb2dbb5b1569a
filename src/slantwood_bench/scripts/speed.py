"""Command line of the speed benchmarks: ``python -m slantwood_bench.scripts.speed --help``.

Four modes: slantwood beside other libraries (the default), one thread against several, cost against size, and
speed against the bandwidth of memory. All print tables under the circumstances in which they arose.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from slantwood_bench.scripts import problems
from slantwood_bench.scripts.comparison import Entrant, compare, rows_of
from slantwood_bench.scripts.measure import Limits
from slantwood_bench.scripts.peers import PEERS
from slantwood_bench.scripts.report import circumstances, print_circumstances, print_table, write_json

REFERENCE = "random-forest"
_THREADS_NAMES = ("scene", "bibtex")

Tables = list[dict[str, Any]]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m slantwood_bench.scripts.speed",
        description="Time, memory and quality of fitting, beside other libraries.",
    )
    add = parser.add_argument
    add("names", nargs="*", metavar="name", help=f"data sets (default: {' '.join(problems.DEFAULT_NAMES)})")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument(
        "--threads", action="store_true", help="slantwood with one thread and with --jobs of them"
    )
    mode.add_argument("--scaling", action="store_true", help="cost against the size of synthetic data")
    mode.add_argument(
        "--roofline", action="store_true", help="gradient steps against the bandwidth of memory"
    )
    add("--trees", type=_positive, default=50, help="trees of each forest (default: %(default)s)")
    add("--jobs", type=_positive, default=2, help="threads of each (default: %(default)s)")
    add("--repeats", type=_positive, default=3, help="fits of each, in turn (default: %(default)s)")
    add(
        "--peers",
        nargs="+",
        choices=PEERS,
        default=list(PEERS),
        metavar="peer",
        help=f"of {', '.join(PEERS)}",
    )
    add("--limit", type=float, default=300.0, help="seconds that a fit may take (default: %(default)g)")
    add("--memory", type=float, default=16.0, help="gigabytes that a fit may take (default: %(default)g)")
    add(
        "--json",
        type=Path,
        metavar="FILE",
        help="also write everything, every repetition included, to this file",
    )
    return parser


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{value} is not at least 1")
    return value


def main(arguments: list[str] | None = None) -> None:
    """Run the mode that the arguments ask for."""
    parser = _parser()
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.names) - set(problems.names()))
    if unknown:
        parser.error(f"no data set is called {unknown[0]!r}; known are {', '.join(problems.names())}")
    if options.names and (options.scaling or options.roofline):
        parser.error("--scaling and --roofline make their own data; leave out the names of data sets")
    if options.threads and options.jobs == 1:
        parser.error("--threads compares one thread with several; --jobs has to be at least 2")
    facts = circumstances(_peers_of(options), **_settings_of(options))
    print_circumstances(facts)
    if options.scaling:
        tables = _scaling(options)
    elif options.roofline:
        tables = _roofline(options)
    else:
        tables = _threads(options) if options.threads else _peers(options)
    if options.json:
        write_json(options.json, facts, tables)


def _peers_of(options: argparse.Namespace) -> list[str]:
    only_slantwood = options.threads or options.scaling or options.roofline
    return [] if only_slantwood else [name for name in options.peers if name != "slantwood"]


def _settings_of(options: argparse.Namespace) -> dict[str, Any]:
    if options.roofline:
        return {"trees": 1, "jobs": 1, "repeats": options.repeats}
    trees = {} if options.scaling else {"trees": options.trees}
    return {**trees, "jobs": options.jobs, "repeats": options.repeats}


def _show(title: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    print_table(title, rows)
    return {"title": title, "rows": rows}


def _each_problem(names: list[str]) -> Iterator[problems.Problem]:
    for name in names:
        try:
            yield problems.load(name)
        except FileNotFoundError as error:
            print(f"\n{name}: left out, {error}")


def _title(problem: problems.Problem) -> str:
    n, d = problem.X.shape
    kinds = {"bin": "classes", "mcc": "classes", "mlc": "labels", "str": "number", "mtr": "numbers"}
    k = len(np.unique(problem.y)) if problem.task in ("bin", "mcc") else problem.n_columns
    return f"{problem.name}: {n} rows for training, {d} features, {k} {kinds[problem.task]}"


def _peers(options: argparse.Namespace) -> Tables:
    entrants = [Entrant(name, options.jobs) for name in options.peers]
    reference = Entrant(REFERENCE, options.jobs)
    limits = Limits(options.limit, options.memory)
    tables = []
    for problem in _each_problem(options.names or list(problems.DEFAULT_NAMES)):
        found = compare(problem, entrants, options.trees, options.repeats, limits)
        tables.append(_show(_title(problem), rows_of(found, reference if reference in entrants else None)))
    return tables


def _threads(options: argparse.Namespace) -> Tables:
    one, several = Entrant("slantwood", 1), Entrant("slantwood", options.jobs)
    limits = Limits(options.limit, options.memory)
    tables = []
    for problem in _each_problem(options.names or list(_THREADS_NAMES)):
        found = compare(problem, [one, several], options.trees, options.repeats, limits)
        title = f"{_title(problem)}; speed-up {found.ratio(one, several):.2f}"
        tables.append(_show(title, rows_of(found, None)))
    return tables


def _scaling(options: argparse.Namespace) -> Tables:
    from slantwood_bench.scripts.scaling import scaling

    return [_show(title, rows) for title, rows in scaling(options.repeats, options.jobs)]


def _roofline(options: argparse.Namespace) -> Tables:
    from slantwood_bench.scripts.roofline import roofline

    return [_show("steps of Adam at the root, one thread", roofline(options.repeats))]


if __name__ == "__main__":
    main()
