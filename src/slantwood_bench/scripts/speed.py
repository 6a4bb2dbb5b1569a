"""Command line of the speed benchmarks: ``python -m slantwood_bench.scripts.speed --help``.

Four modes: slantwood beside other libraries (the default), one thread against several, cost against size, and
speed against the bandwidth of memory. All print tables under the environment in which they arose.
"""

import argparse
import resource
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from slantwood.data import dataset
from slantwood.task_names import CLASS_TASKS
from slantwood_bench.methods import METHODS
from slantwood_bench.problems import Problem
from slantwood_bench.scripts.comparison import Entrant, compare, rows_of
from slantwood_bench.scripts.data import BUNDLED, read_parts
from slantwood_bench.scripts.report import print_environment, print_table, write_json

OURS, REFERENCE = "bag-gradient", "scikit-rf"
COMPARED = (OURS, REFERENCE, "scikit-et", "lightgbm-default", "ydf", "ydf-oblique", "treeple", "napkinxc")
NAMES = ("emotions", "scene", "bibtex", "corel5k", "delicious", "eurlex-eurovoc", "enb", "digits")
_THREADS_NAMES = ("scene", "bibtex")

Tables = list[dict[str, Any]]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m slantwood_bench.scripts.speed",
        description="Time, memory and quality of fitting, beside other libraries.",
    )
    add = parser.add_argument
    add("names", nargs="*", metavar="name", help=f"data sets (default: {' '.join(NAMES)})")
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
        "--methods",
        nargs="+",
        choices=METHODS,
        default=list(COMPARED),
        metavar="method",
        help=f"of {', '.join(METHODS)} (default: {' '.join(COMPARED)})",
    )
    add("--timeout", type=float, default=300.0, help="seconds that a fit may take (default: %(default)g)")
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
    for name in set(options.names).difference(BUNDLED):
        try:
            dataset(name)
        except ValueError as error:
            parser.error(str(error))
    if options.names and (options.scaling or options.roofline):
        parser.error("--scaling and --roofline make their own data; leave out the names of data sets")
    if options.threads and options.jobs == 1:
        parser.error("--threads compares one thread with several; --jobs has to be at least 2")
    only_ours = options.threads or options.scaling or options.roofline
    environment = print_environment(() if only_ours else options.methods, **_settings_of(options))
    if options.scaling:
        tables = _scaling(options)
    elif options.roofline:
        tables = _roofline(options)
    else:
        with _memory_limit(options.memory):
            tables = _threads(options) if options.threads else _methods(options)
    if options.json:
        write_json(options.json, environment, tables)


@contextmanager
def _memory_limit(gigabytes: float) -> Iterator[None]:
    """Let processes that start inside of the block have so much address space at the most."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (int(gigabytes * 2**30), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def _settings_of(options: argparse.Namespace) -> dict[str, Any]:
    if options.roofline:
        return {"trees": 1, "jobs": 1, "repeats": options.repeats}
    trees = {} if options.scaling else {"trees": options.trees}
    return {**trees, "jobs": options.jobs, "repeats": options.repeats}


def _show(title: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    print_table(title, rows)
    return {"title": title, "rows": rows}


def _each_problem(names: Sequence[str]) -> Iterator[Problem]:
    for name in names:
        try:
            yield read_parts(name)[0]
        except FileNotFoundError as error:
            print(f"\n{name}: left out, {error}")


def _title(problem: Problem) -> str:
    n, d = problem.X.shape
    kind = "classes" if problem.task in CLASS_TASKS else "targets"
    return f"{problem.name}: {n} rows for training, {d} features, {problem.n_targets} {kind}"


def _methods(options: argparse.Namespace) -> Tables:
    entrants = [Entrant(name, options.jobs) for name in options.methods]
    reference = Entrant(REFERENCE, options.jobs)
    tables = []
    for problem in _each_problem(options.names or NAMES):
        found = compare(problem, entrants, options.trees, options.repeats, options.timeout)
        tables.append(_show(_title(problem), rows_of(found, reference if reference in entrants else None)))
    return tables


def _threads(options: argparse.Namespace) -> Tables:
    one, several = Entrant(OURS, 1), Entrant(OURS, options.jobs)
    tables = []
    for problem in _each_problem(options.names or _THREADS_NAMES):
        found = compare(problem, [one, several], options.trees, options.repeats, options.timeout)
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
