"""Claims about files of figures: the same each time, text as text, whole or as they were."""

from xml.etree import ElementTree

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure

from slantwood_bench.figures.saving import save

TITLE, LABEL = "bagging & more", "ranks < 3"


@pytest.fixture
def drawn():
    """Draw a figure, the same each time."""

    def draw():
        figure = Figure(figsize=(3, 2))
        axes = figure.add_subplot(title=TITLE, xlabel=LABEL)
        axes.plot([1, 2, 3], [3, 1, 2], marker="o", clip_on=True)
        axes.fill_between([1, 2], [1, 2], alpha=0.2)
        return figure

    return draw


def test_files_are_the_same_each_time_whatever_the_settings_are(drawn, tmp_path):
    first = save(drawn(), tmp_path / "first.v1")
    assert [file.name for file in first] == ["first.v1.png", "first.v1.svg"]
    with mpl.rc_context({"svg.hashsalt": "other", "svg.fonttype": "path", "savefig.bbox": "tight"}):
        second = save(drawn(), tmp_path / "second")
    assert sorted(tmp_path.iterdir()) == sorted((*first, *second))
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes()


def test_svg_holds_text_as_text_and_nothing_about_when_and_where(drawn, tmp_path):
    png, svg = save(drawn(), tmp_path / "figure")
    said = {
        "".join(node.itertext()) for node in ElementTree.parse(svg).iter("{http://www.w3.org/2000/svg}text")
    }
    assert {TITLE, LABEL} <= said
    assert "<dc:date>" not in svg.read_text(encoding="utf-8")
    assert f"Matplotlib v{mpl.__version__}" not in svg.read_text(encoding="utf-8")
    assert png.read_bytes()[:4] == b"\x89PNG"
    assert b"Software" not in png.read_bytes()


def test_a_figure_that_cannot_be_drawn_leaves_the_old_files(drawn, tmp_path):
    figure = drawn()
    before = {file: file.read_bytes() for file in save(figure, tmp_path / "figure")}
    figure.draw = None
    with pytest.raises(TypeError):
        save(figure, tmp_path / "figure")
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before
