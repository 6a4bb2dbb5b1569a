"""Claims about the figure of model sizes: every number at its place, gaps in sight, texts apart."""

import subprocess
import sys
from itertools import combinations

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from slantwood.study.figures.saving import save
from slantwood.study.figures.sizes import METHODS_OF_SIZES, SMALL, WIDTH, data_sets_of, look_of, sizes
from slantwood.study.methods import METHODS
from slantwood.task_names import TASKS


def row(dataset, method, nodes, *, fold=0, status="ok", task="binary", mark="", experiment="comparison"):
    return {
        "experiment": experiment,
        "dataset": dataset,
        "method": method,
        "task": task,
        "fold": fold,
        "n_trees": 50,
        "threads": 1,
        "mark": mark,
        "status": status,
        "nodes": nodes if status == "ok" else None,
    }


def study(methods, per_task, folds=2):
    """Make up rows of all tasks; every seventh method did not finish somewhere."""
    rng = np.random.default_rng(0)
    rows = []
    for number, task in enumerate(TASKS):
        for place in range(per_task):
            name = f"QSAR-TID-{1000 * number + place}" if place % 3 else f"rf{number}{place}"
            for k, method in enumerate(methods):
                status = "timed out" if (number + place + k) % 7 == 0 else "ok"
                nodes = int(10 ** rng.uniform(1, 6))
                rows += [row(name, method, nodes, fold=0, task=task, mark="partial" * (place == 1))]
                rows += [
                    row(name, method, nodes, fold=fold, status=status, task=task) for fold in range(1, folds)
                ]
    return rows


def dots(figure, kind="dots"):
    """Return what is drawn of each method: for "dots" numbers by data set, else just the data sets."""
    axes = figure.axes
    scale = next(ax for ax in axes if ax.get_xscale() == "log")
    names = dict(
        zip(scale.get_yticks(), (label.get_text() for label in scale.get_yticklabels()), strict=True)
    )
    found = {}
    for ax in axes:
        for line in ax.lines:
            if (line.get_gid() or "").startswith(kind + " "):
                of_method = found.setdefault(line.get_gid().removeprefix(kind + " "), {})
                for x, y in line.get_xydata():
                    of_method[names[round(y)]] = x
    return found


def texts(figure):
    return [text.get_text() for text in figure.findobj(Text)]


def assert_can_be_read(figure, monkeypatch):
    """Draw, and look at the boxes of all texts that were drawn: none on another, none cut off."""
    drawn, draw = [], Text.draw

    def recorded(text, renderer, *args, **kwargs):
        if text.get_visible() and text.get_text().strip():
            drawn.append(text)
        return draw(text, renderer, *args, **kwargs)

    canvas = FigureCanvasAgg(figure)
    with monkeypatch.context() as patch:
        patch.setattr(Text, "draw", recorded)
        canvas.draw()
    boxes = [Text.get_window_extent(text, canvas.get_renderer()) for text in dict.fromkeys(drawn)]
    assert boxes
    for box in boxes:
        assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1
        assert figure.bbox.y0 <= box.y0 < box.y1 <= figure.bbox.y1
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))


def test_dots_are_means_of_the_folds():
    rows = [row("a", "bag-svm", 10), row("a", "bag-svm", 30, fold=1), row("b", "bag-svm", 700)]
    rows += [row("b", "bag-pct", 5000), row("b", "bag-pct", 1, experiment="times")]
    assert dots(sizes(rows)) == {"bag-svm": {"a": 20, "b": 700}, "bag-pct": {"b": 5000}}


def test_what_did_not_finish_is_in_sight_and_no_number_is_made_up():
    rows = [row("a", "bag-svm", 10), row("a", "bag-pct", None, status="timed out")]
    rows += [
        row("b", "bag-svm", 40),
        row("b", "bag-svm", None, fold=1, status="died"),
        row("b", "bag-pct", 9),
    ]
    figure = sizes(rows)
    assert dots(figure) == {"bag-svm": {"a": 10, "b": 40}, "bag-pct": {"b": 9}}
    unfinished = {method: set(of_method) for method, of_method in dots(figure, "unfinished").items()}
    assert unfinished == {"bag-svm": {"b"}, "bag-pct": {"a"}}
    assert "did not\nfinish" in texts(figure)


def test_there_is_no_strip_where_all_finished():
    assert "did not\nfinish" not in texts(sizes([row("a", "bag-svm", 10)]))


def test_a_row_that_did_not_finish_need_not_know_its_task():
    lost = {key: value for key, value in row("a", "bag-svm", None, status="died").items() if key != "task"}
    assert [data.task for data in data_sets_of([lost, row("a", "bag-pct", 3)], {})] == ["binary"]
    assert "task not known" in texts(sizes([lost]))


def test_models_without_nodes_are_left_out():
    figure = sizes([row("a", "bag-svm", 10), row("a", "lightgbm", None)], methods=None)
    assert set(dots(figure)) == {"bag-svm"}
    assert "lightgbm" not in texts(figure)


def test_absent_and_marked_data_sets_are_told():
    rows = [row("here", "bag-svm", 10, mark="partial"), row("there", "bag-svm", 10, task="regression")]
    figure = sizes(rows, absent={"binary": ["gone", "here"]})
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert names == ["there", "here†", "gone"]
    assert texts(figure).count("absent") == 1
    assert any(text.startswith("† ") for text in texts(figure))


def test_titles_are_used_and_names_where_there_are_none():
    rows = [row("a", "bag-svm", 10), row("a", "bag-pct", 10)]
    said = texts(sizes(rows, titles={"bag-svm": "bagging, SVM"}))
    assert {"bagging, SVM", "bag-pct"} <= set(said)
    assert "bag-svm" not in said


def test_every_method_has_a_look_of_its_own():
    assert len({look_of(method) for method in METHODS}) == len(METHODS)
    assert look_of("bag-svm").colour == look_of("bag-svm-paper").colour


@pytest.mark.parametrize(
    ("methods", "per_task"), [(METHODS_OF_SIZES, 10), (tuple(METHODS), 3), (("bag-svm",), 1)]
)
def test_it_can_be_read(methods, per_task, monkeypatch):
    titles = {method: f"random forest, {method}, as published"[:37] for method in methods}
    absent = {"multi-label": ["rcv1subset1", "stackex_chemistry"]}
    assert_can_be_read(
        sizes(study(methods, per_task), methods=None, titles=titles, absent=absent), monkeypatch
    )


@pytest.mark.parametrize("nodes", [1, 7, 1000, 123_456_789])
def test_a_single_number_can_be_read(nodes, monkeypatch):
    figure = sizes([row("a", "bag-svm", nodes)])
    assert_can_be_read(figure, monkeypatch)
    low, high = figure.axes[0].get_xlim()
    assert low <= nodes <= high


def test_letters_are_large_enough_for_a_telephone():
    # All figures of the study share width and sizes of letters; a telephone shows 375 pixels.
    assert SMALL / 72 * 375 / WIDTH > 9


def test_without_results_it_says_so(monkeypatch):
    figure = sizes([])
    assert_can_be_read(figure, monkeypatch)
    assert any("No results" in text for text in texts(figure))


def test_files_are_small_and_the_same_each_time(tmp_path):
    rows = study(METHODS_OF_SIZES, 2)
    _, first = save(sizes(rows), tmp_path / "first")
    _, second = save(sizes(rows), tmp_path / "second")
    assert first.read_bytes() == second.read_bytes()
    assert first.stat().st_size < 12 * 10_000


def test_matplotlib_is_loaded_only_to_draw():
    modules = ("importances", "learning_times", "sensitivity", "sizes")
    lines = [f"import slantwood.study.figures.{name}" for name in modules]
    check = "import sys; assert not any(name.startswith('matplotlib') for name in sys.modules)"
    subprocess.run([sys.executable, "-c", "\n".join([*lines, check])], check=True)
