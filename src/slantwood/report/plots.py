"""Pictures of the page: small SVG drawings in the colours of the page."""

from __future__ import annotations

from typing import Any

import numpy as np

from slantwood.report.markup import Markup, joined, note, number, tag
from slantwood.report.subject import Subject

# Of a drawing, in its own units, and what is left around it for words.
_SIDE, _LEFT, _BELOW, _ROUND = 260, 66, 40, 10

# Points, and targets, that are drawn.
_MOST_POINTS, MOST_TARGETS = 500, 4


def scatter(subject: Subject) -> Markup:
    """Draw what was predicted against what is true, for the first targets."""
    predicted = np.asarray(subject.model.predict(subject.X), np.float64).reshape(subject.n_rows, -1)
    names = subject.output_names
    step = max(1, -(-subject.n_rows // _MOST_POINTS))
    drawings = [
        _scatter(name, subject.truth[::step, j], predicted[::step, j])
        for j, name in enumerate(names[:MOST_TARGETS])
    ]
    left_out = []
    if step > 1:
        left_out.append(f"one row in {step:,} is drawn")
    if len(names) > MOST_TARGETS:
        left_out.append(f"the first {MOST_TARGETS} of {len(names):,} targets are drawn")
    said = "; ".join(left_out)
    return joined(
        tag("div", *drawings, class_="drawings"), note(f"{said[:1].upper()}{said[1:]}.") if said else ""
    )


def _scatter(name: str, truth: np.ndarray, predicted: np.ndarray) -> Markup:
    known = ~np.isnan(truth)
    truth, predicted = truth[known], predicted[known]
    if not len(truth):
        return joined()
    low = float(min(truth.min(), predicted.min()))
    high = float(max(truth.max(), predicted.max()))
    room = (high - low) or 1.0
    points = [
        tag("circle", cx=f"{_x((t - low) / room):.1f}", cy=f"{_y((p - low) / room):.1f}", r="2.4")
        for t, p in zip(truth.tolist(), predicted.tolist(), strict=True)
    ]
    ticks = [(0.0, number(low)), (0.5, number((low + high) / 2)), (1.0, number(high))]
    title = f"Predicted against true values of {name}"
    return _figure(name, title, ticks, ("true", "predicted"), tag("g", *points, class_="points"))


def reliability(curve: Any) -> Markup:
    """Draw a reliability curve: probabilities against the share that came true."""
    places = [
        (_x(p), _y(o), 3 + 9 * float(np.sqrt(w)))
        for p, o, w in zip(
            curve.predicted.tolist(), curve.observed.tolist(), curve.weight / curve.weight.sum(), strict=True
        )
    ]
    line = tag("polyline", points=" ".join(f"{x:.1f},{y:.1f}" for x, y, _ in places), class_="curve")
    points = [tag("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=f"{r:.1f}") for x, y, r in places]
    ticks = [(0.0, "0"), (0.5, "0.5"), (1.0, "1")]
    axes = ("predicted probability", "share that came true")
    return _figure("Reliability", "Reliability curve", ticks, axes, line, tag("g", *points, class_="points"))


def _figure(
    caption: str, title: str, ticks: list[tuple[float, str]], axes: tuple[str, str], *content: Markup
) -> Markup:
    """Frame a square drawing with a diagonal, on which all is as it should be."""
    width, height = _LEFT + _SIDE + _ROUND, _ROUND + _SIDE + _BELOW
    frame = tag("rect", x=_LEFT, y=_ROUND, width=_SIDE, height=_SIDE, class_="frame")
    diagonal = tag("line", x1=_x(0), y1=_y(0), x2=_x(1), y2=_y(1), class_="diagonal")
    words = [
        tag("text", axes[0], x=_LEFT + _SIDE / 2, y=height - 6, text_anchor="middle"),
        tag(
            "text", axes[1], transform=f"translate(12 {_ROUND + _SIDE / 2}) rotate(-90)", text_anchor="middle"
        ),
    ]
    for part, text in ticks:
        anchor = {0.0: "start", 1.0: "end"}.get(part, "middle")
        words.append(tag("text", text, x=_x(part), y=_y(0) + 16, text_anchor=anchor))
        words.append(tag("text", text, x=_LEFT - 5, y=_y(part) + 4, text_anchor="end"))
    drawing = tag(
        "svg",
        tag("title", title),
        frame,
        diagonal,
        *content,
        *words,
        viewBox=f"0 0 {width} {height}",
        role="img",
        aria_label=title,
    )
    return tag("figure", tag("figcaption", caption), drawing)


def _x(part: float) -> float:
    return _LEFT + _SIDE * part


def _y(part: float) -> float:
    return _ROUND + _SIDE * (1.0 - part)
