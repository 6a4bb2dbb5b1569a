"""Claims about critical-difference diagrams: all is said, and nothing overlaps."""

import re
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg

from slantwood_bench.figures.critical_difference import critical_difference
from slantwood_bench.ranks import compare

WORDS = [
    "bagging,",
    "random",
    "forest",
    "of",
    "gradient",
    "SVM splits",
    "as in",
    "scikit-learn's",
    "axis-parallel",
]
ACCENT = "#0072b2"


def made_up(n_methods, n_sets=20, spread=4.0, seed=0):
    """Make methods of different quality, with long titles."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(n_sets, n_methods)) + spread * rng.random(n_methods)
    quality[rng.random(quality.shape) < 0.03] = np.nan
    names = [f"m{i}" for i in range(n_methods)]
    titles = {name: f"{i} {' '.join(rng.choice(WORDS, rng.integers(1, 8)))}" for i, name in enumerate(names)}
    return compare(names, quality), titles


def words(figure):
    return " ".join(text.get_text() for text in figure.axes[0].texts)


def straight_pieces(figure):
    """Find in pixels where each straight piece of a line is: x0, y0, x1, y1."""
    pieces = []
    for line in figure.axes[0].lines:
        points = line.get_transform().transform(line.get_xydata())
        pieces += [np.sort([start, end], axis=0).ravel() for start, end in pairwise(points)]
    return np.array(pieces)


def assert_no_text_is_struck(figure):
    for dpi in (96, 150):
        figure.set_dpi(dpi)
        renderer, pieces = FigureCanvasAgg(figure).get_renderer(), straight_pieces(figure)
        for text in figure.axes[0].texts:
            if text.get_text():
                x0, y0, x1, y1 = text.get_window_extent(renderer).extents
                y0 += 0.25 * (y1 - y0)  # below are only the feet of letters such as g
                across = (pieces[:, 0] < x1) & (x0 < pieces[:, 2])
                assert not (across & (pieces[:, 1] < y1) & (y0 < pieces[:, 3])).any(), text


def lines_of(figure, width):
    return [line for line in figure.axes[0].lines if line.get_linewidth() == width]


def hung(figure):
    """Find the lines that methods hang on: down from the axis, then to the side."""
    return [line for line in figure.axes[0].lines if len(line.get_xdata()) == 3]


def bars(figure):
    return lines_of(figure, 3.0)


def place_of_rank(figure):
    """Return the function from ranks to x, as the axis has it."""
    numbers = [text for text in figure.axes[0].texts if text.get_ha() == "center"]
    ranks = [int(text.get_text()) for text in numbers]
    slope, start = np.polyfit(ranks, [text.get_position()[0] for text in numbers], 1)
    return lambda rank: start + slope * rank


@settings(max_examples=12)
@given(st.integers(1, 25), st.integers(1, 30), st.sampled_from([0.0, 3.0, 12.0]), st.integers(0, 1000))
def test_everything_is_said_and_can_be_read(assert_can_be_read, n_methods, n_sets, spread, seed):
    comparison, titles = made_up(n_methods, n_sets, spread, seed)
    figure = critical_difference(comparison, titles, "Multi-label: " + "weighted LRAP " * 8, {"m0", "m3"})
    said = words(figure)
    for name, rank in zip(comparison.names, comparison.ranks, strict=True):
        assert titles[name] in said
        assert f"{rank:.2f}" in said
    assert "Multi-label: weighted LRAP" in said
    assert_can_be_read(figure)
    assert_no_text_is_struck(figure)


def test_titles_without_a_place_to_break_make_the_picture_wider(assert_can_be_read):
    comparison, _ = made_up(6)
    titles = {name: f"{name}-" + "x" * 60 for name in comparison.names}
    figure = critical_difference(comparison, titles, "long", highlight=comparison.names)
    assert all(title in words(figure) for title in titles.values())
    assert_can_be_read(figure)
    assert_no_text_is_struck(figure)


def test_usual_titles_leave_letters_large_enough_for_a_telephone():
    comparison, _ = made_up(22)
    titles = dict.fromkeys(comparison.names, "random forest, gradient splits, as in the paper")
    width = critical_difference(comparison, titles, "binary").get_size_inches()[0] * 72
    smallest = 8.5
    assert smallest * 375 / width > 6.5


def test_methods_hang_from_their_ranks_best_first_and_their_lines_do_not_cross():
    comparison, titles = made_up(9)
    figure = critical_difference(comparison, titles, "")
    place = place_of_rank(figure)
    lines = hung(figure)
    # Left from the top down, then right from the top down: the worst first.
    expected = [*comparison.ranks[:5], *comparison.ranks[5:][::-1]]
    assert [line.get_xdata()[0] for line in lines] == pytest.approx([place(rank) for rank in expected])
    for side, outwards in ((lines[:5], -1), (lines[5:], 1)):
        depths = [line.get_ydata()[1] for line in side]
        assert depths == sorted(depths)
        assert all(np.sign(line.get_xdata()[2] - line.get_xdata()[1]) == outwards for line in side)
    named = [text.get_text() for text in figure.axes[0].texts if re.fullmatch(r"\d+\.\d\d", text.get_text())]
    assert named == [f"{rank:.2f}" for rank in expected]


@pytest.mark.parametrize("seed", range(5))
def test_bars_join_cliques_and_do_not_touch(seed):
    comparison, titles = made_up(15, n_sets=30, spread=5.0, seed=seed)
    assert len(comparison.cliques) > 1
    figure = critical_difference(comparison, titles, "")
    place, rank = place_of_rank(figure), dict(zip(comparison.names, comparison.ranks, strict=True))
    assert len(bars(figure)) == len(comparison.cliques)
    for bar, clique in zip(bars(figure), comparison.cliques, strict=True):
        start, end = bar.get_xdata()
        inside = {name for name in rank if start <= place(rank[name]) <= end}
        assert set(clique) <= inside
        assert (start, end) == pytest.approx((place(rank[clique[0]]), place(rank[clique[-1]])), abs=3)
    lowest = max(bar.get_ydata()[0] for bar in bars(figure))
    assert lowest + 5 < min(line.get_ydata()[1] for line in hung(figure))
    for bar, other in combinations(bars(figure), 2):
        if bar.get_ydata()[0] == other.get_ydata()[0]:
            assert bar.get_xdata()[1] + 5 < other.get_xdata()[0]
        else:
            assert abs(bar.get_ydata()[0] - other.get_ydata()[0]) > bar.get_linewidth() + 2


def test_highlighted_methods_are_bold_and_in_colour():
    comparison, titles = made_up(7)
    figure = critical_difference(comparison, titles, "", highlight={"m2", "not there"})
    bold = " ".join(
        text.get_text()
        for text in figure.axes[0].texts
        if text.get_fontweight() == "bold" and text.get_color() == ACCENT
    )
    assert bold == titles["m2"]
    assert [line.get_color() for line in hung(figure)].count(ACCENT) == 1


def test_the_caption_tells_the_tests():
    comparison, titles = made_up(6, n_sets=25, spread=9.0)
    said = words(critical_difference(comparison, titles, ""))
    assert "on 25 data sets; 1 is best. Friedman test: p < 0.001." in said
    assert "A bar joins methods that do not differ significantly" in said
    assert "So few data sets" not in said

    same = compare(["a", "b", "c"], [[0.5, 0.5, 0.5]] * 4)
    said = words(critical_difference(same, {"a": "A", "b": "B", "c": "C"}, ""))
    assert "Friedman test: p = 1." in said
    assert "So few data sets cannot tell 3 methods apart: the smallest p that can be reached is 0.38." in said

    two = compare(["a", "b"], [[0.5, 0.4 - i / 100] for i in range(9)])
    said = words(critical_difference(two, {"a": "A", "b": "B"}, ""))
    assert "Friedman" not in said
    assert "Every method differs significantly from the next" in said

    one = compare(["a"], [[0.5]])
    assert "on 1 data set; 1 is best." in words(critical_difference(one, {"a": "A"}, ""))


def test_titles_are_taken_as_they_are(assert_can_be_read):
    comparison, _ = made_up(2)
    titles = {"m0": "costs $5 or $6", "m1": "a < b & c"}
    figure = critical_difference(comparison, titles, "prices in $ and $")
    assert_can_be_read(figure)
    assert_no_text_is_struck(figure)
    assert all(title in words(figure) for title in titles.values())
    assert not any(
        text.get_parse_math() for text in figure.axes[0].texts
    )  # nothing between dollars is a formula


def test_a_method_without_title_is_an_error():
    comparison, titles = made_up(3)
    del titles["m1"]
    with pytest.raises(ValueError, match="titles has nothing for 'm1'; give a title"):
        critical_difference(comparison, titles, "")
