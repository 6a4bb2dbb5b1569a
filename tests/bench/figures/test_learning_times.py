"""Claims about the figure of learning times; the drawing itself is that of dots, which has more."""

from itertools import pairwise

from matplotlib.backends.backend_agg import FigureCanvasAgg

from slantwood_bench.figures.learning_times import learning_times


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


def test_seconds_of_the_experiment_are_drawn_and_of_no_other(dots):
    rows = [row("a", "bag-svm", 2.0), row("a", "bag-svm", 4.0, fold=1), row("b", "lightgbm", 0.25)]
    rows += [row("a", "bag-svm", 1000.0, experiment="comparison")]
    assert dots(learning_times(rows)) == {"bag-svm": {"a": 3.0}, "lightgbm": {"b": 0.25}}
    assert dots(learning_times(rows, experiment="comparison")) == {"bag-svm": {"a": 1000.0}}


def test_all_methods_are_drawn_unless_some_are_named(dots):
    rows = [row("a", method, 1.0) for method in ("fastxml", "bag-svm", "of-tomorrow")]
    assert list(dots(learning_times(rows))) == ["bag-svm", "fastxml", "of-tomorrow"]
    assert list(dots(learning_times(rows, methods=["of-tomorrow", "wodt"]))) == ["of-tomorrow"]


def test_a_method_that_timed_out_has_no_dot(dots):
    rows = [row("a", "bag-svm", 1.0), row("a", "bag-pct", None, status="timed out")]
    figure = learning_times(rows)
    assert dots(figure) == {"bag-svm": {"a": 1.0}, "bag-pct": {}}
    assert list(dots(figure, "unfinished")) == ["bag-pct"]


def test_no_time_at_all_is_a_thousandth_of_a_second(dots):
    assert dots(learning_times([row("a", "bag-svm", 0.0)])) == {"bag-svm": {"a": 0.001}}


def test_trees_and_threads_are_told(texts):
    rows = [row("a", "bag-svm", 1.0, n_trees=10), row("a", "bag-svm", 1.0, fold=1, threads=4)]
    assert any("10 to 50 trees, 1 to 4 threads," in text for text in texts(learning_times(rows)))


def test_scales_reach_from_milliseconds_to_days():
    figure = learning_times([row("a", "bag-svm", 0.002), row("b", "bag-svm", 259_200.0)])
    ax = figure.axes[0]
    assert ax.get_xlim() == (0.001, 1e6)
    shown = [label.get_text() for label in ax.get_xticklabels()]
    assert {"0.01", "1", "10,000"} <= set(shown)
    FigureCanvasAgg(figure).draw()
    boxes = [tick.label1.get_window_extent() for tick in ax.xaxis.get_major_ticks()]
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))
