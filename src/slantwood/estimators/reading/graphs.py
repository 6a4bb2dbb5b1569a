"""One tree as a graph: in the language of Graphviz, or for networkx."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from slantwood.estimators.reading.text import node_text
from slantwood.hints import optional_import, printable_lines

if TYPE_CHECKING:
    from slantwood.estimators.reading.tree_reading import TreeReading


def dot_of(reading: TreeReading) -> str:
    """Return a reading in the language of Graphviz; splits are boxes, nodes with hidden splits folders."""
    lines = [
        "digraph tree {",
        f"  label={_quoted(reading.title)}; labelloc=t;",
        '  node [shape=box, style=rounded, fontname="sans-serif"];',
        '  edge [fontname="sans-serif"];',
    ]
    for i in range(len(reading)):
        shape = ", shape=folder, style=solid" if reading.n_hidden[i] else ""
        lines.append(f"  {reading.node[i]} [label={_quoted(_label(reading, i))}{shape}];")
    for i, parent in enumerate(reading.parent):
        if parent >= 0:
            branch = "yes" if reading.is_yes[i] else "no"
            lines.append(f'  {reading.node[parent]} -> {reading.node[i]} [label="{branch}"];')
    return "\n".join([*lines, "}"])


def networkx_of(reading: TreeReading) -> Any:
    """Return a reading as a networkx graph."""
    with optional_import("to_networkx needs networkx", "graphs"):
        networkx = importlib.import_module("networkx")
    graph = networkx.DiGraph(title=reading.title, notes=reading.notes, kind=reading.kind)
    for i, values in enumerate(reading.to_dict()["nodes"]):
        node, parent, branch = values.pop("node"), values.pop("parent"), values.pop("branch")
        graph.add_node(node, label=_label(reading, i), **values)
        if parent is not None:
            graph.add_edge(parent, node, branch=branch)
    return graph


def _label(reading: TreeReading, i: int) -> str:
    condition, share = reading.conditions[i], reading.share[i]
    said = node_text(reading, i) if condition is None else f"{condition.text()}?"
    return f"{said}\n{reading.rows[i]:.6g} rows, {100 * share:.3g} %" if share == share else said


def _quoted(text: str) -> str:
    # A backslash before n is a new line there; all others are letters.
    lines = printable_lines(text).replace("\\", "\\\\").replace('"', '\\"')
    escaped = lines.replace("\n", "\\n")
    return f'"{escaped}"'
