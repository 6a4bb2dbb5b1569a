"""Claims about pictures of hierarchies: what is shown, how it is told apart, and that it can be read."""

import re
import subprocess
import sys
from itertools import combinations
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given, settings
from hypothesis import strategies as st

mpl.use("Agg")

from matplotlib import pyplot
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import same_color
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, PathPatch

from slantwood import Hierarchy
from slantwood.views import plot_hierarchy

# Scores of animals, in this order.
ANIMALS = Hierarchy.from_paths(["cat", "cat/manx", "dog", "dog/poodle", "dog/pug", "elk", "elk/small"])
SCORES = np.array([0.3, 0.2, 0.9, 0.4, 0.7, 0.05, 0.01])


def is_note(text):
    return re.match(r"\d+ of \d+ labels", text) is not None


def drawn(ax):
    """Find what belongs to each name: its box, its score and its sign."""
    found = {}
    for box in (patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)):
        area = box.get_bbox()
        name, *score = (text for text in ax.texts if area.contains(*text.get_position()))
        (marker,) = [
            line for line in ax.lines if area.contains(line.get_xdata()[0], line.get_ydata()[0])
        ] or [None]
        found[name.get_text()] = SimpleNamespace(
            box=box, area=area, name=name, score=score[0] if score else None, marker=marker
        )
    assert len([text for text in ax.texts if not is_note(text.get_text())]) == sum(
        1 + (label.score is not None) for label in found.values()
    )
    return found


def note(ax):
    return " ".join(text.get_text() for text in ax.texts if is_note(text.get_text()))


def key(ax):
    return [] if ax.get_legend() is None else [text.get_text() for text in ax.get_legend().get_texts()]


def look(label):
    """What tells a role without colours."""
    sign = None if label.marker is None else label.marker.get_marker()
    return label.box.get_linewidth(), str(label.box.get_linestyle()), str(sign)


# ---- which labels


def test_predicted_true_and_next_best_labels_are_shown_with_all_above_them():
    ax = plot_hierarchy(ANIMALS, SCORES, truth={"elk/small"}, min_score=0.35)
    assert set(drawn(ax)) == {"dog", "dog/pug", "elk", "elk/small", "dog/poodle"}
    assert note(ax) == "5 of 7 labels"


def test_by_default_the_next_best_have_a_tenth_of_the_best_score():
    assert set(drawn(plot_hierarchy(ANIMALS, SCORES))) == set(ANIMALS) - {"elk", "elk/small"}
    assert set(drawn(plot_hierarchy(ANIMALS, SCORES, min_score=0))) == set(ANIMALS)


def test_labels_above_a_shown_one_are_shown_whatever_they_score():
    assert set(drawn(plot_hierarchy(ANIMALS, [0, 0.9, 0, 0, 0, 0, 0]))) == {"cat", "cat/manx"}


def test_the_best_label_is_shown_if_no_other_is():
    assert set(drawn(plot_hierarchy(ANIMALS, SCORES, threshold=1, min_score=2))) == {"dog"}


def test_true_labels_go_first_then_predicted_ones_where_room_is_limited():
    ax = plot_hierarchy(ANIMALS, SCORES, truth={"elk/small"}, max_labels=3)
    assert set(drawn(ax)) == {"elk", "elk/small", "dog"}
    assert note(ax) == "3 of 7 labels; 1 predicted left out"
    ax = plot_hierarchy(ANIMALS, SCORES, truth={"elk/small"}, max_labels=1)
    assert set(drawn(ax)) == {"elk"}
    assert note(ax) == "1 of 7 labels; 2 predicted and 1 true left out"


def test_a_label_without_room_for_its_ancestors_makes_way_for_others():
    deep = Hierarchy.from_paths(["a/b/c", "d"])
    assert set(drawn(plot_hierarchy(deep, [0, 0, 0.9, 0.8], threshold=1, max_labels=2))) == {"d", "a"}
    assert set(drawn(plot_hierarchy(deep, [0, 0, 0.9, 0], threshold=1, max_labels=1))) == {"a"}


def test_without_scores_the_hierarchy_is_shown_from_its_roots_on():
    whole = plot_hierarchy(ANIMALS)
    assert set(drawn(whole)) == set(ANIMALS)
    assert (note(whole), key(whole), whole.child_axes) == ("", [], [])
    assert set(drawn(plot_hierarchy(ANIMALS, max_labels=4))) == {"cat", "dog", "elk", "cat/manx"}
    large = Hierarchy(range(50))
    assert len(drawn(plot_hierarchy(large))) == 40
    assert len(drawn(plot_hierarchy(large, max_labels=None))) == 50


def test_without_scores_true_labels_go_first():
    ax = plot_hierarchy(ANIMALS, truth=["elk/small"], max_labels=3)
    labels = drawn(ax)
    assert set(labels) == {"elk", "elk/small", "cat"}
    assert key(ax) == ["true", "not true"]
    assert look(labels["elk"]) == look(labels["elk/small"]) != look(labels["cat"])


# ---- what is told about them


def test_the_four_cases_differ_in_outline_and_sign_and_are_explained():
    ax = plot_hierarchy(ANIMALS, SCORES, truth={"dog/poodle"}, min_score=0)
    labels = drawn(ax)
    cases = {"dog": 0, "dog/pug": 1, "dog/poodle": 2, "cat": 3, "cat/manx": 3, "elk": 3, "elk/small": 3}
    for one, other in combinations(labels, 2):
        assert (look(labels[one]) == look(labels[other])) == (cases[one] == cases[other]), (one, other)
    assert len({look(label)[2] for label in labels.values()}) == 4
    assert key(ax) == ["predicted and true", "predicted, not true", "true, not predicted", "neither"]


def test_true_labels_have_the_thickest_outlines():
    labels = drawn(plot_hierarchy(ANIMALS, SCORES, truth={"dog/poodle"}, min_score=0))
    width = {name: label.box.get_linewidth() for name, label in labels.items()}
    assert width["dog"] == width["dog/poodle"] > max(width["dog/pug"], width["cat"])


def test_only_cases_that_occur_are_explained():
    assert key(plot_hierarchy(ANIMALS, SCORES, truth={"dog/pug"}, min_score=1)) == ["predicted and true"]
    assert key(plot_hierarchy(ANIMALS, SCORES)) == ["predicted", "not predicted"]


def test_scores_are_written_and_darken_the_boxes():
    labels = drawn(plot_hierarchy(ANIMALS, SCORES, min_score=0))
    assert [labels[name].score.get_text() for name in ANIMALS] == [f"{score:.2f}" for score in SCORES]
    light = [sum(labels[ANIMALS.nodes[i]].box.get_facecolor()[:3]) for i in np.argsort(SCORES)]
    assert light == sorted(light, reverse=True)
    assert len(set(light)) == len(light)


def test_text_stands_out_from_its_box():
    def luminance(color):
        return np.power(mpl.colors.to_rgb(color), 2.2) @ [0.2126, 0.7152, 0.0722]

    line = Hierarchy(range(21))
    for label in drawn(plot_hierarchy(line, np.linspace(0, 1, 21), min_score=0)).values():
        dark, light = sorted([luminance(label.name.get_color()), luminance(label.box.get_facecolor())])
        assert (light + 0.05) / (dark + 0.05) > 4.4
        assert same_color(label.name.get_color(), label.score.get_color())


def test_the_threshold_is_marked_on_the_colour_bar():
    def bar(threshold):
        (axes,) = plot_hierarchy(ANIMALS, SCORES, threshold=threshold).child_axes
        return axes, [line.get_xdata()[0] for line in axes.lines]

    axes, marks = bar(0.35)
    assert (axes.get_xlim(), marks, axes.get_title()) == ((0, 1), [0.35], "score, with the threshold")
    axes, marks = bar(np.full(7, 0.35))
    assert (marks, axes.get_title()) == ([], "score")


def test_scores_beyond_zero_and_one_stretch_the_colours():
    ax = plot_hierarchy(ANIMALS, 100 * SCORES - 20, threshold=0, min_score=-np.inf)
    (bar,) = ax.child_axes
    assert bar.get_xlim() == (-19, 70)
    assert drawn(ax)["dog"].score.get_text() == "70"
    assert drawn(ax)["elk"].score.get_text() == "-15"


def test_a_label_has_its_own_threshold_and_what_is_above_a_predicted_label_is_predicted():
    ax = plot_hierarchy(ANIMALS, SCORES, threshold=[1, 0.1, 1, 1, 1, 1, 1], min_score=0)
    labels = drawn(ax)
    assert look(labels["cat"]) == look(labels["cat/manx"]) != look(labels["dog"])


@pytest.mark.parametrize("form", [lambda row: row[None], lambda row: sp.csr_array(row[None]), list])
def test_scores_may_be_a_row_of_any_kind(form):
    labels = drawn(plot_hierarchy(ANIMALS, form(SCORES), min_score=0.01))
    assert {name: label.score.get_text() for name, label in labels.items()} == {
        name: f"{score:.2f}" for name, score in zip(ANIMALS, SCORES, strict=True)
    }


NUMBERS = Hierarchy([0, 1, 2], [(0, 2)])


@pytest.mark.parametrize(
    "truth",
    [{2}, [2], (2,), np.array([0, 0, 1]), np.array([[0.0, 0.0, 1.0]]), sp.csr_array([[0, 0, 1]]), {0, 2}],
)
def test_sets_hold_labels_and_arrays_are_indicators(truth):
    labels = drawn(plot_hierarchy(NUMBERS, truth=truth))
    assert look(labels["0"]) == look(labels["2"]) != look(labels["1"])


def test_of_long_paths_the_last_parts_are_shown():
    parts = ["kingdom", "phylum", "class", "order", "family", "genus"]
    labels = Hierarchy.from_paths(["/".join(parts)])
    assert set(drawn(plot_hierarchy(labels))) == {
        *("kingdom", "kingdom/phylum", "kingdom/phylum/class"),
        *("…/phylum/class/order", "…/class/order/family", "…/class/order/family/genus"),
    }
    assert set(drawn(plot_hierarchy(Hierarchy(["x" * 60, "GO0003674 " * 4])))) == {
        "x" * 39 + "…",
        "GO0003674 GO0003674 GO0003674 GO0003674",
    }


def test_dollar_signs_are_no_formulas():
    ax = plot_hierarchy(Hierarchy(["5$ or 6$", "$x^$"]))
    assert not any(label.name.get_parse_math() for label in drawn(ax).values())
    ax.figure.canvas.draw()


# ---- where things are


@st.composite
def hierarchies(draw):
    n = draw(st.integers(1, 12))
    names = [f"{'GO' * draw(st.integers(1, 8))}{i}" for i in range(n)]
    edges = set()
    for child in range(1, n):
        parents = draw(st.sets(st.integers(0, child - 1), max_size=3))
        edges |= {(names[parent], names[child]) for parent in parents}
    return Hierarchy(names, sorted(edges))


# Each letter is below all before it: the ways around the boxes take most of the room.
MANY_WAYS = Hierarchy.from_edges(combinations("abcdef", 2))


@settings(max_examples=15, deadline=None)
@example(MANY_WAYS, 2, True)
@example(MANY_WAYS, 1, False)
@given(hierarchies(), st.integers(0, 2), st.booleans())
def test_nothing_overlaps_and_nothing_is_cut_off(hierarchy, told, own_axes):
    # Fine pixels, as letters of five of them cannot keep their widths.
    figure = FigureCanvasAgg(Figure(figsize=(5, 3), dpi=250)).figure
    scores = np.linspace(0.02, 1, len(hierarchy)) if told else None
    truth = {hierarchy.nodes[-1]} if told == 2 else None
    ax = plot_hierarchy(
        hierarchy, scores, truth=truth, min_score=0, ax=figure.add_subplot() if own_axes else None
    )
    figure = ax.figure
    figure.canvas.draw()
    frame, renderer = figure.bbox.padded(1), figure.canvas.get_renderer()
    labels = drawn(ax)
    assert len(labels) == len(hierarchy)
    areas = [label.box.get_window_extent() for label in labels.values()]
    edges = [patch for patch in ax.patches if type(patch) is PathPatch]
    below = min(patch.get_window_extent().y0 for patch in ax.patches)
    assert not any(one.overlaps(other) for one, other in combinations(areas, 2))
    for label, area in zip(labels.values(), areas, strict=True):
        written = [text.get_window_extent() for text in (label.name, label.score) if text is not None]
        assert all(area.padded(1).contains(*corner) for text in written for corner in (text.min, text.max))
        assert len(written) == 1 or not written[0].overlaps(written[1])
        assert label.marker is None or label.marker.get_window_extent().x1 < written[0].x0
        assert frame.contains(*area.min)
        assert frame.contains(*area.max)
    if told:
        bar, legend = ax.child_axes[0].get_tightbbox(renderer), ax.get_legend().get_window_extent()
        assert not bar.overlaps(legend)
        assert max(bar.y1, legend.y1) < below
        assert all(frame.contains(*corner) for box in (bar, legend) for corner in (box.min, box.max))
    assert len(edges) == len(hierarchy.edges)
    for edge, (parent, child) in zip(edges, hierarchy.edges, strict=True):
        x, y = edge.get_path().vertices.T
        assert (np.diff(x) >= 0).all()
        assert (x[0], y[0]) == pytest.approx((labels[parent].area.x1, labels[parent].name.get_position()[1]))
        assert (x[-1], y[-1]) == pytest.approx((labels[child].area.x0, labels[child].name.get_position()[1]))
        inner = edge.get_path().interpolated(20).vertices[1:-1]
        for name, label in labels.items():
            assert name in (parent, child) or not any(label.area.contains(*point) for point in inner)
    pyplot.close("all")


def test_the_note_stands_below_the_legend():
    ax = plot_hierarchy(ANIMALS, SCORES, truth={"dog/poodle"}, max_labels=4)
    ax.figure.canvas.draw()
    (text,) = [text for text in ax.texts if is_note(text.get_text())]
    lowest = min(ax.child_axes[0].get_tightbbox().y0, ax.get_legend().get_window_extent().y0)
    assert 0 < text.get_window_extent().y0 < text.get_window_extent().y1 < lowest


def test_new_figures_grow_with_the_labels():
    sizes = [plot_hierarchy(Hierarchy(range(n))).figure.get_size_inches()[1] for n in (1, 10, 40)]
    assert sizes[0] < sizes[1] < sizes[2]
    assert sizes[2] > 40 * 12 / 72  # lines of text are about 12 points high


def test_axes_that_are_given_are_drawn_on_and_nothing_else_is_touched():
    one, other = Figure(figsize=(6, 2)).subplots(1, 2)
    figure, before = one.figure, pyplot.get_fignums()
    assert plot_hierarchy(ANIMALS, SCORES, truth={"elk"}, ax=one) is one
    assert figure.axes == [one, other]
    assert not other.has_data()
    assert pyplot.get_fignums() == before
    small = drawn(one)["dog"].name.get_fontsize()
    assert small < drawn(plot_hierarchy(ANIMALS, SCORES, truth={"elk"}))["dog"].name.get_fontsize()


# ---- mistakes

NO_NUMBER = [None, "0.5", True]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"hierarchy": [("a", "b")]}, TypeError, "hierarchy=[('a', 'b')] must be a Hierarchy"),
        ({"scores": SCORES[:3]}, ValueError, "scores is of shape (3,), must be of shape (7,)"),
        ({"scores": np.ones((2, 7))}, ValueError, "give one row, as in scores[0]"),
        ({"scores": ["a"] * 7}, TypeError, "scores holds <U1 values, must hold numbers"),
        ({"scores": [np.nan] * 7}, ValueError, "scores holds nan for the label 'cat'; scores must be finite"),
        (
            {"truth": {"dog/pag"}},
            ValueError,
            "truth: label 'dog/pag' is not in the hierarchy; did you mean 'dog/pug'",
        ),
        ({"truth": "dog"}, TypeError, "truth='dog' must be a set of labels; give {'dog'}"),
        ({"truth": 3}, TypeError, "truth=3 must be a set of labels or an indicator row"),
        ({"truth": np.ones(3)}, ValueError, "truth is of shape (3,), must be of shape (7,)"),
        (
            {"truth": np.full(7, 0.5)},
            ValueError,
            "truth holds the value 0.5; an indicator holds zeros and ones",
        ),
        ({"truth": np.full(7, np.nan)}, ValueError, "truth holds the value nan"),
        *[({"threshold": t}, TypeError, f"threshold={t!r} must be a number, as 0.5") for t in NO_NUMBER],
        ({"threshold": np.nan}, ValueError, "threshold=nan must be a number"),
        ({"threshold": [0.5]}, ValueError, "threshold is of shape (1,), must be of shape (7,)"),
        ({"threshold": [np.nan] * 7}, ValueError, "threshold holds nan; give one number for each label"),
        *[({"min_score": t}, TypeError, f"min_score={t!r} must be a number") for t in NO_NUMBER[1:]],
        ({"max_labels": 0}, ValueError, "max_labels=0 must be at least 1, or None for no limit"),
        ({"max_labels": 2.5}, TypeError, "max_labels=2.5 must be a whole number, or None for no limit"),
        ({"ax": np.empty(2)}, TypeError, "must be a matplotlib Axes; of several give one, as in axes[0]"),
    ],
)
def test_mistakes_are_named_with_what_would_be_right(change, error, message):
    arguments = {"hierarchy": ANIMALS, "scores": SCORES} | change
    before = pyplot.get_fignums()
    with pytest.raises(error, match=re.escape(message)):
        plot_hierarchy(**arguments)
    assert pyplot.get_fignums() == before


def test_without_matplotlib_the_error_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "matplotlib.axes")
    with pytest.raises(ImportError, match=re.escape("pip install 'slantwood[plots]'")):
        plot_hierarchy(ANIMALS)


def test_matplotlib_is_not_loaded_before_something_is_drawn():
    code = "import sys, slantwood.views; print('matplotlib' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"
