"""Prints what a script found: the environment in which it ran, and tables in Markdown or plain text."""

import datetime
import importlib.metadata
import json
import math
import os
import platform
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from slantwood_bench.methods import method_class

_LIBRARIES = ("numpy", "scipy", "scikit-learn", "joblib")


def print_environment(methods: Iterable[str] = (), **settings: Any) -> dict[str, Any]:
    """Print date, versions, number of CPUs and the settings of the run; return them."""
    classes = [method_class(name) for name in ("bag-gradient", *methods)]
    versions = {cls.distribution or cls.package: cls.version() or "absent" for cls in classes}
    versions |= {name: importlib.metadata.version(name) for name in _LIBRARIES}
    found = {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "CPUs": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        # Above 0 others were at work: libraries whose threads wait by spinning then suffer most.
        "load before": round(os.getloadavg()[0], 1),
        **settings,
    }
    print(", ".join(f"{name} {value}" for name, value in found.items()))
    print(", ".join(f"{name} {version}" for name, version in versions.items()) + "\n")
    return found | {"versions": versions}


def print_head(headings: Sequence[str]) -> None:
    """Print the head of a Markdown table."""
    print_row(headings)
    print_row(["---"] * len(headings))


def print_row(cells: Sequence[Any]) -> None:
    """Print a row of a Markdown table, numbers with four decimals."""
    print("| " + " | ".join(f"{c:.4f}" if isinstance(c, float) else str(c) for c in cells) + " |", flush=True)


def print_table(title: str, rows: Sequence[dict[str, Any]]) -> None:
    """Print rows under a title: a column for each name that occurs, except those that hold lists."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    names = [name for name in names if not any(isinstance(row.get(name), list) for row in rows)]
    names.sort(key="remark".__eq__)
    cells = [names] + [[_cell(row.get(name, "")) for name in names] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    texts = [any(isinstance(row.get(name), str) for row in rows) for name in names]
    print(f"\n{title}")
    for line in cells:
        aligned = (
            cell.ljust(width) if text else cell.rjust(width)
            for cell, width, text in zip(line, widths, texts, strict=True)
        )
        print("  ".join(aligned).rstrip(), flush=True)


def write_json(path: Path, environment: dict[str, Any], tables: Sequence[dict[str, Any]]) -> None:
    """Write the environment and tables, with null for what is not known."""
    path.write_text(json.dumps(_without_nan({"environment": environment, "tables": tables}), indent=1))


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nan(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_without_nan(each) for each in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def _cell(value: Any) -> str:
    if not isinstance(value, float):
        return str(value)
    if math.isnan(value):
        return "-"
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"
