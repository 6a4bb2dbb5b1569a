"""Section: how large the model is, how long it takes, and what it was made with."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import version
from typing import Any

from slantwood import __version__
from slantwood.hints import format_bytes, pluralize
from slantwood.report.facts import tree_facts
from slantwood.report.markup import Markup, fields, joined, number
from slantwood.report.section import Section
from slantwood.report.subject import Subject


def sizes_section(subject: Subject) -> Section:
    """Say sizes, timings and versions."""
    return Section("sizes", "Sizes, timings, versions", joined(_sizes(subject), _versions()))


def _sizes(subject: Subject) -> Markup:
    model = subject.model
    rows: list[tuple[str, Any]] = []
    if subject.has_trees:
        size = tree_facts(model)
        rows += [
            ("trees", size.in_words()),
            ("depth", size.depth_in_words()),
            ("features per split", f"{size.weights_per_split:.1f} on average"),
            ("in memory", format_bytes(size.n_bytes)),
        ]
    else:
        trees = model.label_trees_
        rows += [
            ("label trees", f"{len(trees.roots):,}, with {len(trees.weights):,} weights of classifiers"),
            ("in memory", format_bytes(sum(array.nbytes for array in trees))),
        ]
        if model.oblique_forest_ is not None:
            rows.append(("forest beside them", tree_facts(model.oblique_forest_).in_words()))
    if subject.X is not None:
        seconds = subject.seconds_to_predict
        each = f"{number(1e6 * seconds / max(subject.n_rows, 1))} microseconds a row"
        took = f"{number(seconds)} seconds for {pluralize(subject.n_rows, 'row')}, {each}"
        rows.append(("predicting", f"{took}; measured while this report was made, n_jobs={_jobs(model)}"))
    return fields(rows)


def _jobs(model: Any) -> Any:
    return getattr(model, "n_jobs", None) or 1


def _versions() -> Markup:
    packages = ("numpy", "scipy", "scikit-learn")
    rows = [("slantwood", __version__), ("Python", f"{platform.python_version()} on {sys.platform}")]
    return fields([*rows, *((name, version(name)) for name in packages)])
