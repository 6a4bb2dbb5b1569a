"""Claims about the figure of learning times; the drawing is that of sizes, which has more."""

from itertools import pairwise

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from slantwood.study.figures.learning_times import learning_times


def row(dataset, method, seconds, *, fold=0, status="ok", experiment="times", threads=1, n_trees=50):
    return {
        "experiment": experiment,
        "dataset": dataset,
        "method": method,
        "task": "binary",
        "fold": fold,
        "n_trees": n_trees,
        "threads": threads,
        "mark": "",
        "status": status,
        "learn_seconds": seconds,
    }


def seconds_of(figure, kind="dots"):
    lines = [line for ax in figure.axes for line in ax.lines if (line.get_gid() or "").startswith(kind)]
    return {line.get_gid().removeprefix(kind + " "): list(line.get_xdata()) for line in lines}


def texts(figure):
    return [text.get_text() for text in figure.findobj(Text)]


def test_seconds_of_the_experiment_are_drawn_and_of_no_other():
    rows = [row("a", "bag-svm", 2.0), row("a", "bag-svm", 4.0, fold=1), row("b", "lightgbm", 0.25)]
    rows += [row("a", "bag-svm", 1000.0, experiment="comparison")]
    assert seconds_of(learning_times(rows)) == {"bag-svm": [3.0], "lightgbm": [0.25]}
    assert seconds_of(learning_times(rows, experiment="comparison")) == {"bag-svm": [1000.0]}


def test_all_methods_are_drawn_unless_some_are_named():
    rows = [row("a", method, 1.0) for method in ("fastxml", "bag-svm", "of-tomorrow")]
    assert list(seconds_of(learning_times(rows))) == ["bag-svm", "fastxml", "of-tomorrow"]
    assert list(seconds_of(learning_times(rows, methods=["of-tomorrow", "wodt"]))) == ["of-tomorrow"]


def test_a_method_that_timed_out_has_no_dot():
    rows = [row("a", "bag-svm", 1.0), row("a", "bag-pct", None, status="timed out")]
    figure = learning_times(rows)
    assert seconds_of(figure) == {"bag-svm": [1.0], "bag-pct": []}
    assert list(seconds_of(figure, "unfinished")) == ["bag-pct"]


def test_no_time_at_all_is_a_thousandth_of_a_second():
    assert seconds_of(learning_times([row("a", "bag-svm", 0.0)])) == {"bag-svm": [0.001]}


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ([(50, 1)], "50 trees, 1 thread,"),
        ([(1, 2)], "1 tree, 2 threads,"),
        ([(10, 1), (50, 4)], "10 to 50 trees, 1 to 4 threads,"),
    ],
)
def test_trees_and_threads_are_told(numbers, said):
    rows = [row("a", "bag-svm", 1.0, fold=k, n_trees=n, threads=t) for k, (n, t) in enumerate(numbers)]
    assert any(said in text for text in texts(learning_times(rows)))


def test_scales_reach_from_milliseconds_to_days():
    figure = learning_times([row("a", "bag-svm", 0.002), row("b", "bag-svm", 259_200.0)])
    ax = figure.axes[0]
    assert ax.get_xlim() == (0.001, 1e6)
    shown = [label.get_text() for label in ax.get_xticklabels()]
    assert {"0.01", "1", "10,000"} <= set(shown)
    FigureCanvasAgg(figure).draw()
    boxes = [tick.label1.get_window_extent() for tick in ax.xaxis.get_major_ticks()]
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))
