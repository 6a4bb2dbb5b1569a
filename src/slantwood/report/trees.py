"""Section: the trees, in a browser that loads each of them when it is asked for."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from slantwood.features.matrix import column_means
from slantwood.report.facts import knows_rows, tree_facts
from slantwood.report.markup import Markup, embedded_json, joined, note, paragraph, tag
from slantwood.report.section import Section
from slantwood.report.subject import Subject
from slantwood.report.tree_data import MOST_OUTPUTS, MOST_WEIGHTS, TreeWriter
from slantwood.task_names import CLASS_TASKS, NUMBER_TASKS

# Of the page: about 130 bytes a node.
MOST_TREES, MOST_NODES, _FEWEST_NODES = 50, 16_000, 63

# Rows that tell the spread of features.
_MOST_ROWS = 5000


def trees_section(subject: Subject) -> Section:
    """Show the trees."""
    return Section("trees", "Trees", _content(subject))


def _content(subject: Subject) -> Markup:
    if not subject.has_trees:
        return note("Label trees divide labels, not rows; there is nothing to walk through here.")
    model = subject.model
    facts = tree_facts(model)
    shown = min(facts.n_trees, MOST_TREES)
    most_nodes = max(_FEWEST_NODES, MOST_NODES // shown)
    writer = TreeWriter(model, _scale(subject), most_nodes)
    data = [embedded_json(f"tree-{index}", writer.tree(index)) for index in range(shown)]
    names = {
        "features": writer.features.texts,
        "outputs": writer.used_outputs.texts,
        "trees": shown,
        "kind": _kind(subject),
    }
    n_nodes = int(model.trees_.node_offsets[shown])
    left_out = _left_out(subject, facts.n_trees, shown, n_nodes, writer)
    return joined(_explained(subject), *left_out, _browser(), embedded_json("tree-names", names), *data)


def _kind(subject: Subject) -> str:
    if subject.is_boosted:
        return "step"
    if subject.task in NUMBER_TASKS:
        return "number"
    return "share" if subject.task in CLASS_TASKS or "label" in subject.task else "number"


def _explained(subject: Subject) -> Markup:
    scale = "times the spread of the feature in the rows given" if _has_rows(subject) else "as they are"
    if not _has_rows(subject) and subject.model.forest_.column_spread is not None:
        scale = "times the spread of the feature in the rows of training"
    said = (
        "A split asks whether a weighted sum of features reaches a threshold. Bars are the sizes of the "
        f"weights, {scale}."
    )
    if subject.model.settings_.normalize_rows:
        said += " Weights are for rows of length 1."
    if subject.is_boosted:
        said += " Leaves are steps of scores, which all trees add up."
    return paragraph(said)


def _left_out(subject: Subject, n_trees: int, shown: int, n_nodes: int, writer: TreeWriter) -> list[Markup]:
    found = []
    if shown < n_trees:
        found.append(note(f"The first {shown} of {n_trees:,} trees are here."))
    if writer.n_shown < n_nodes:
        which = "those that most rows reach" if writer.has_rows else "those next to the root"
        said = f"Of their {n_nodes:,} nodes {writer.n_shown:,} are here, {which}"
        found.append(note(f"{said}; a node says where its tree goes on."))
    widest = int(np.diff(subject.model.trees_.indptr).max(initial=0))
    if widest > MOST_WEIGHTS or len(writer.outputs.names) > MOST_OUTPUTS:
        said = (
            f"Of each split the {MOST_WEIGHTS} largest weights are here, of each node {MOST_OUTPUTS} outputs"
        )
        found.append(note(f"{said}; the search looks at these."))
    if not knows_rows(subject.model):
        said = "the file was saved with predict_only=True and does not know how many rows nodes had"
        found.append(note(f"Numbers of rows, and what inner nodes predict, are not here: {said}."))
    return found


def _browser() -> Markup:
    """Make the places that the script fills; without it they say so."""
    tree = tag("label", "Tree ", tag("select", id="tree-choice"))
    search = tag(
        "label",
        "Find a feature ",
        tag("input", id="tree-search", type="search", autocomplete="off", spellcheck="false"),
    )
    buttons = [
        tag("button", "Next", id="tree-next", type="button"),
        tag("button", "Expand", id="tree-expand", type="button"),
        tag("button", "Collapse", id="tree-collapse", type="button"),
    ]
    controls = tag("div", tree, search, *buttons, class_="controls", hidden="hidden", id="tree-controls")
    status = tag(
        "p", "The trees need a script, which this browser does not run.", id="tree-status", role="status"
    )
    view = tag("div", id="tree-view", class_="tree")
    detail = tag(
        "aside",
        tag("p", "Point at a node, or move to it with Tab.", class_="hint"),
        id="tree-detail",
        aria_label="Node",
    )
    return tag("div", controls, status, tag("div", view, detail, class_="split"), id="tree-browser")


def _has_rows(subject: Subject) -> bool:
    return subject.X is not None and subject.n_rows > 1


def _scale(subject: Subject) -> np.ndarray:
    """Return the standard deviation of each column in the rows given, or in those of training.

    Ones where there are neither.
    """
    if not _has_rows(subject):
        kept = subject.model.forest_.column_spread
        return np.ones(len(subject.model.encoding_.source)) if kept is None else kept
    rows = subject.encoded[:: max(1, -(-subject.n_rows // _MOST_ROWS))]
    ones = np.ones(rows.shape[0])
    mean = np.nan_to_num(column_means(rows, ones))
    if sp.issparse(rows):
        csr = sp.csr_array(rows, dtype=np.float64)
        squares = column_means(sp.csr_array((csr.data**2, csr.indices, csr.indptr), csr.shape), ones)
        return np.sqrt(np.maximum(np.nan_to_num(squares) - mean**2, 0.0))
    return np.sqrt(np.nan_to_num(column_means((rows - mean) ** 2, ones)))
