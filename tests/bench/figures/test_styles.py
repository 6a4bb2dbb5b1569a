"""Claims about what figures share: looks that can be told apart, data sets in order, legends that fit."""

import subprocess
import sys
from pkgutil import iter_modules

from hypothesis import example, given
from hypothesis import strategies as st

from slantwood.task_names import TASKS
from slantwood_bench import figures
from slantwood_bench.figures.styles import SMALL, WIDTH, columns_of_legend, data_sets_of, methods_of, style_of
from slantwood_bench.methods import METHODS, method_class


def test_every_method_has_a_look_of_its_own():
    of_the_study = [name for name in METHODS if method_class(name).tasks]
    assert len({style_of(method) for method in [*of_the_study, "of-tomorrow"]}) == len(of_the_study) + 1


def test_colour_shape_and_filling_say_split_form_and_who_has_set_it():
    same = {"bag-svm", "rf-svm", "tree-svm", "bag-svm-paper"}
    assert len({style_of(method).colour for method in same}) == 1
    assert style_of("bag-svm").marker == style_of("bag-gradient").marker == style_of("bag-pct").marker
    assert [style_of(method).filled for method in ("bag-svm", "bag-svm-paper")] == [True, False]


def test_data_sets_stand_by_task_and_the_absent_ones_after_those_that_are_there():
    rows = [{"dataset": "b", "task": "binary"}, {"dataset": "a", "task": "binary", "mark": "partial"}]
    rows += [{"dataset": "r", "task": "regression", "mark": ""}, {"dataset": "b", "task": "binary"}]
    found = data_sets_of(rows, {"binary": ["gone", "a"], "multi-label": ["far"]})
    assert [data.label for data in found] == ["r", "b", "a†", "gone", "far"]
    assert [data.name for data in found if data.absent] == ["gone", "far"]
    places = [TASKS.index(data.task) for data in found]
    assert places == sorted(places)


def test_a_row_that_did_not_finish_need_not_know_its_task():
    rows = [{"dataset": "a"}, {"dataset": "a", "task": "binary"}, {"dataset": "a", "task": None}]
    assert [data.task for data in data_sets_of(rows, {})] == ["binary"]
    assert [data.task for data in data_sets_of(rows[:1], {})] == [""]


def test_methods_stand_as_is_wished_or_as_in_the_study():
    rows = [{"method": method} for method in ("of-tomorrow", "fastxml", "bag-svm", "fastxml")]
    assert methods_of(rows, None) == ["bag-svm", "fastxml", "of-tomorrow"]
    assert methods_of(rows, ["wodt", "fastxml", "bag-svm"]) == ["fastxml", "bag-svm"]


@given(st.lists(st.integers(1, 60).map("x".__mul__), min_size=1, max_size=20))
@example(["x"] * 4 + ["x" * 30] * 2 + ["x"])
def test_titles_in_columns_fit_into_a_line(titles):
    columns = columns_of_legend(titles)
    # As matplotlib fills a legend: the first columns get one more where they cannot be equal.
    filled, more = divmod(len(titles), columns)
    widths = []
    for column in range(columns):
        n = filled + (column < more)
        widths.append(max(map(len, titles[:n])))
        titles = titles[n:]
    assert columns == 1 or sum(widths) + 5 * columns <= 66


def test_letters_are_large_enough_for_a_telephone():
    # All figures that share these have this width; a telephone shows 375 pixels.
    assert SMALL / 72 * 375 / WIDTH > 9


def test_matplotlib_is_loaded_only_to_draw():
    names = [module.name for module in iter_modules(figures.__path__)]
    assert len(names) > 5
    lines = [f"import slantwood_bench.figures.{name}" for name in names]
    check = "import sys; assert not any(name.startswith('matplotlib') for name in sys.modules)"
    subprocess.run([sys.executable, "-c", "\n".join([*lines, check])], check=True)
