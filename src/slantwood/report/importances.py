"""Section: which features count."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from slantwood.report.markup import Markup, bar, joined, note, number, paragraph, table
from slantwood.report.section import Section
from slantwood.report.subject import Subject

MOST_FEATURES = 50


def importances_section(subject: Subject) -> Section:
    """Show the most important features, and how many splits and trees use them."""
    return Section("importances", "Importances", _content(subject))


def _content(subject: Subject) -> Markup:
    if not subject.has_trees:
        return note("Label trees are classifiers, and have no importances of features.")
    importances = subject.importances
    order = [
        j for j in np.argsort(-importances, kind="stable")[:MOST_FEATURES].tolist() if importances[j] > 0
    ]
    if not order:
        return note("No tree has a split, and no feature counts.")
    splits, trees = _uses(subject)
    spread = subject.importance_spread
    deviation = np.zeros_like(importances) if spread is None else spread
    largest = float(max(importances[order] + deviation[order]))  # whiskers have room
    n_trees = subject.model.trees_.n_trees
    rows = [
        [
            subject.feature_names[j],
            bar(float(importances[j]) / largest, spread=float(deviation[j]) / largest),
            float(importances[j]),
            *([] if spread is None else [float(deviation[j])]),
            int(splits[j]),
            int(trees[j]),
        ]
        for j in order
    ]
    n_used = int((importances > 0).sum())
    left_out = n_used - len(order)
    between = [] if spread is None else ["between trees"]
    headings = ["feature", "", "importance", *between, "splits that use it", f"trees (of {n_trees:,})"]
    said = paragraph(
        "The share of each feature in the impurity that the splits remove; all add up to 1. "
        f"{number(n_used)} of {number(len(importances))} features are used."
        + ("" if spread is None else " Whiskers are one standard deviation between trees to either side.")
    )
    more = note(f"The {len(order)} most important are shown; {left_out:,} others are left out.")
    return joined(said, table("Importances", headings, rows), more if left_out else "")


def _uses(subject: Subject) -> tuple[np.ndarray, np.ndarray]:
    """Return how many splits, and how many trees, use each feature."""
    trees, encoding = subject.model.trees_, subject.model.encoding_
    source = encoding.source[trees.indices].astype(np.int64)
    in_trees = np.zeros(encoding.n_inputs, np.int64)
    for first, end in pairwise(trees.indptr[trees.node_offsets].tolist()):
        in_trees[np.unique(source[first:end])] += 1
    if not encoding.is_identity:  # several values of a nominal feature are one use of it
        node = np.repeat(np.arange(len(trees.left), dtype=np.int64), np.diff(trees.indptr))
        source = np.unique(node * encoding.n_inputs + source) % encoding.n_inputs
    return np.bincount(source, minlength=encoding.n_inputs), in_trees
