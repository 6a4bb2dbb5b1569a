"""A fitted model in a few lines of text."""

from __future__ import annotations

from typing import Any

from slantwood.hints import printable
from slantwood.report.facts import summary_rows, top_features, tree_facts
from slantwood.report.reasons import DEFAULT, GIVEN, TUNED, settings_with_reasons
from slantwood.report.settings_text import describe_splits, settings_as_json
from slantwood.report.subject import Subject, check_subject

_MOST_FEATURES = 10


def describe(model: Any) -> str:
    """Describe a fitted model in a few lines: task, data, size, important features, settings and reasons.

    Parameters
    ----------
    model : fitted estimator of slantwood
        A tree, forest, boosted model or label trees.

    Returns
    -------
    str
        Lines to print. Settings that are defaults are left out.

    Examples
    --------
    >>> from slantwood import ObliqueTreeRegressor
    >>> from slantwood.report import describe
    >>> tree = ObliqueTreeRegressor(split="axis", min_samples_split=2).fit([[0], [1], [2], [3]], [0, 0, 1, 1])
    >>> print(describe(tree))
    ObliqueTreeRegressor
      task       regression
      features   1
      targets    1: 'y0'
      trees      1, with 3 nodes, 2 of them leaves
      depth      1 to 1, 1.0 on average
      important  x0 1
    Settings
      bootstrap              False  a single tree sees all rows
      max_features           1.0    a single tree has nothing to differ from
      min_samples_split      2      given
      min_impurity_decrease  0.0    by task and split learner
      normalize_rows         False  X is not like counts of words
      normalize_labels       False  targets are no labels
    Splits
      AxisParallelSplit(thresholds='best')
    """
    check_subject(model)
    rows = summary_rows(model)
    if not Subject(model, None, None).has_trees:
        return "\n".join([type(model).__name__, *_aligned(rows)])
    rows.append(("depth", tree_facts(model).depth_in_words()))
    best = ", ".join(f"{name} {share:.3g}" for name, share in top_features(model, _MOST_FEATURES))
    rows.append(("important", best or "no feature: no tree has a split"))
    settings = [each for each in settings_with_reasons(model) if each.why != DEFAULT]
    # Others of the split are in its own line.
    own = [each for each in settings if ":" not in each.name or each.why in (GIVEN, TUNED)]
    own = [each for each in own if each.name != "split"]
    shown = [(each.name, str(each.value), each.why) for each in own]
    splits = [f"  {printable(each)}" for each in describe_splits(settings_as_json(model.settings_))]
    return "\n".join([type(model).__name__, *_aligned(rows), "Settings", *_aligned(shown), "Splits", *splits])


def _aligned(rows: list[Any]) -> list[str]:
    """Put columns of text one below the other, each as wide as it must be."""
    if not rows:
        return []
    rows = [list(map(printable, row)) for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    padded = [[f"{text:{width}}" for text, width in zip(row, widths, strict=False)] for row in rows]
    return ["  " + "  ".join([*texts, row[-1]]).rstrip() for texts, row in zip(padded, rows, strict=True)]
