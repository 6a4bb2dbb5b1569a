"""Tries what users type without thinking.

`python -m slantwood_bench.scripts.expectations` tries every row on small data and prints works, partial (and
what is missing), absent (and the error), later (planned), or not tried (a library is not installed), and how
many there are of each. `--markdown` prints the page docs/expectations.md.
"""

import argparse
import datetime
import importlib.metadata
import itertools
import platform
import sys
from collections import Counter
from collections.abc import Sequence

from slantwood_bench.expectations.row import ABSENT, VERDICTS, Outcome, tried
from slantwood_bench.expectations.rows import ROWS

_LIBRARIES = (
    *(
        "slantwood",
        "numpy",
        "scipy",
        "scikit-learn",
        "pandas",
        "polars",
        "pyarrow",
        "onnxruntime",
        "skl2onnx",
    ),
    *("skops", "shap", "mapie", "imbalanced-learn", "optuna", "scikit-multilearn"),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; return how many rows are absent."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", help="only rows whose name or group has one of these words")
    parser.add_argument("--markdown", action="store_true", help="print the page of the docs")
    options = parser.parse_args(arguments)
    words = [word.lower() for word in options.words]
    chosen = [row for row in ROWS if not words or any(w in f"{row.group} {row.name}".lower() for w in words)]
    if options.markdown:
        _print_page([tried(row) for row in chosen])
        return 0
    outcomes = []
    for row in chosen:
        outcomes.append(tried(row))
        _print_line(outcomes[-1])
    print("\n" + _counts(outcomes))
    return sum(each.verdict == ABSENT for each in outcomes)


def _print_line(outcome: Outcome) -> None:
    row = outcome.row
    print(f"{outcome.verdict:9}  {row.group:22}  {row.name:60}  {outcome.remark}".rstrip(), flush=True)


def _counts(outcomes: Sequence[Outcome]) -> str:
    found = Counter(each.verdict for each in outcomes)
    counts = ", ".join(f"{found[verdict]} {verdict}" for verdict in VERDICTS)
    return f"{len(outcomes)} rows: {counts}"


def _print_page(outcomes: Sequence[Outcome]) -> None:
    print("# What users expect, tried\n")
    print("Each row is something that users of scikit-learn and of other libraries type without thinking.")
    print("`python -m slantwood_bench.scripts.expectations` tries them all on small data; this page is what")
    print("`--markdown` printed.\n")
    print(f"{_counts(outcomes)}.\n")
    print(f"{datetime.datetime.now(datetime.UTC).date()}, Python {platform.python_version()}, {_versions()}.")
    for group, part in itertools.groupby(outcomes, key=lambda each: each.row.group):
        print(f"\n## {group[0].upper()}{group[1:]}\n")
        print("| what | |\n| --- | --- |")
        for each in part:
            print(f"| {each.row.name} | {each.verdict}{': ' if each.remark else ''}{each.remark} |")


def _versions() -> str:
    found = []
    for name in _LIBRARIES:
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return ", ".join(found)


if __name__ == "__main__":
    sys.exit(min(main(), 1))
