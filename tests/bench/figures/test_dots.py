"""Claims about dots on a scale of powers of ten: every number at its place, gaps in sight, texts apart."""

import pytest

from slantwood_bench.figures.dots import dot_plot, settings_of


def row(dataset, method, amount, *, fold=0, status="ok", task="binary", mark=""):
    return {
        "dataset": dataset,
        "method": method,
        "task": task,
        "fold": fold,
        "mark": mark,
        "status": status,
        "amount": amount if status == "ok" else None,
    }


def plot(rows, titles=None, absent=None, least=1.0):
    given = {"methods": None, "titles": titles or {}, "absent": absent or {}, "least": least}
    return dot_plot(rows, "amount", "amount", "{:g}".format, **given)


def test_dots_are_means_of_the_folds(dots):
    rows = [row("a", "bag-svm", 10), row("a", "bag-svm", 30, fold=1), row("b", "bag-svm", 700)]
    rows += [row("b", "bag-pct", 5000)]
    assert dots(plot(rows)) == {"bag-svm": {"a": 20, "b": 700}, "bag-pct": {"b": 5000}}


def test_what_did_not_finish_is_in_sight_and_no_number_is_made_up(dots, texts):
    rows = [row("a", "bag-svm", 10), row("a", "bag-pct", None, status="timed out")]
    rows += [
        row("b", "bag-svm", 40),
        row("b", "bag-svm", None, fold=1, status="died"),
        row("b", "bag-pct", 9),
    ]
    figure = plot(rows)
    assert dots(figure) == {"bag-svm": {"a": 10, "b": 40}, "bag-pct": {"b": 9}}
    unfinished = {method: set(of_method) for method, of_method in dots(figure, "unfinished").items()}
    assert unfinished == {"bag-svm": {"b"}, "bag-pct": {"a"}}
    assert "did not\nfinish" in texts(figure)


def test_there_is_no_strip_where_all_finished(texts):
    assert "did not\nfinish" not in texts(plot([row("a", "bag-svm", 10)]))


def test_a_task_that_no_row_knows_is_said_not_to_be_known(texts):
    assert "task not known" in texts(plot([row("a", "bag-svm", None, status="died", task=None)]))


def test_what_has_no_such_amount_is_left_out(dots, texts):
    figure = plot([row("a", "bag-svm", 10), row("a", "lightgbm", None)])
    assert set(dots(figure)) == {"bag-svm"}
    assert "lightgbm" not in texts(figure)


def test_little_is_drawn_at_the_least(dots):
    rows = [row("a", "bag-svm", 0.0), row("b", "bag-svm", 0.5)]
    assert dots(plot(rows, least=0.1)) == {"bag-svm": {"a": 0.1, "b": 0.5}}


def test_absent_and_marked_data_sets_are_told(texts):
    rows = [row("here", "bag-svm", 10, mark="partial"), row("there", "bag-svm", 10, task="regression")]
    figure = plot(rows, absent={"binary": ["gone", "here"]})
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert names == ["there", "here†", "gone"]
    assert texts(figure).count("absent") == 1
    assert any(text.startswith("† ") for text in texts(figure))


def test_titles_are_used_and_names_where_there_are_none(texts):
    said = texts(plot([row("a", "bag-svm", 10), row("a", "bag-pct", 10)], titles={"bag-svm": "bagging, SVM"}))
    assert {"bagging, SVM", "bag-pct"} <= set(said)
    assert "bag-svm" not in said


@pytest.mark.parametrize("amount", [1, 7, 1000, 123_456_789])
def test_a_single_number_can_be_read(amount, assert_can_be_read):
    figure = plot([row("a", "bag-svm", amount)])
    assert_can_be_read(figure)
    low, high = figure.axes[0].get_xlim()
    assert low <= amount <= high


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ([], "mean of the folds"),
        ([(50, 1)], "50 trees, 1 thread, mean of the folds"),
        ([(1, 2)], "1 tree, 2 threads, mean of the folds"),
        ([(10, 1), (50, 4)], "10 to 50 trees, 1 to 4 threads, mean of the folds"),
    ],
)
def test_trees_and_threads_are_told(numbers, said):
    rows = [{"n_trees": n, "threads": t} for n, t in numbers]
    assert settings_of(rows, "n_trees", "threads") == said
