"""Shared by the tests of figures: what is drawn and written in one, and whether it can be read."""

from itertools import combinations

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text


@pytest.fixture(scope="session")
def texts():
    """Return all that is written in a figure."""
    return lambda figure: [text.get_text() for text in figure.findobj(Text) if text.get_text()]


@pytest.fixture(scope="session")
def dots():
    """Return what is drawn of each method: numbers by data set for "dots", slots for "unfinished"."""

    def find(figure, kind="dots"):
        scale = next(ax for ax in figure.axes if ax.get_xscale() == "log")
        labels = [label.get_text() for label in scale.get_yticklabels()]
        names = dict(zip(scale.get_yticks(), labels, strict=True))
        found = {}
        for line in (line for ax in figure.axes for line in ax.lines):
            of_kind, _, method = (line.get_gid() or "").partition(" ")
            if of_kind == kind:
                of_method = found.setdefault(method, {})
                of_method |= {names[round(y)]: x for x, y in line.get_xydata()}
        return found

    return find


@pytest.fixture(scope="session")
def assert_can_be_read():
    """Look at the boxes of all texts that a figure draws: none is on another, none is cut off."""

    def check(figure):
        # As on a screen and as in a file: letters are moved to whole pixels, so widths differ.
        for dpi in (96, 150):
            figure.set_dpi(dpi)
            boxes = boxes_of_texts(figure)
            assert boxes
            for text, box in boxes.items():
                assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1, text
                assert figure.bbox.y0 <= box.y0 < box.y1 <= figure.bbox.y1, text
            for (text, box), (other, box_of_other) in combinations(boxes.items(), 2):
                assert not box.overlaps(box_of_other), (text, other)

    return check


def boxes_of_texts(figure):
    """Draw, and return where each text is that was drawn: some, such as those of ticks, never are."""
    drawn, draw = {}, Text.draw

    def recorded(text, renderer, *args, **kwargs):
        if text.get_visible() and text.get_text().strip():
            drawn[text] = None
        return draw(text, renderer, *args, **kwargs)

    canvas = FigureCanvasAgg(figure)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Text, "draw", recorded)
        figure.draw_without_rendering()
    return {text: Text.get_window_extent(text, canvas.get_renderer()) for text in drawn}
