"""Claims about the figure of model sizes; the drawing itself is that of dots, which has more."""

import numpy as np
import pytest

from slantwood.task_names import TASKS
from slantwood_bench.figures.saving import save
from slantwood_bench.figures.sizes import METHODS_OF_SIZES, sizes
from slantwood_bench.methods import METHODS


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


def test_dots_are_mean_nodes_of_the_comparison(dots):
    rows = [row("a", "bag-svm", 10), row("a", "bag-svm", 30, fold=1), row("b", "bag-svm", 700)]
    rows += [row("b", "bag-pct", 5000), row("b", "bag-pct", 1, experiment="times")]
    assert dots(sizes(rows)) == {"bag-svm": {"a": 20, "b": 700}, "bag-pct": {"b": 5000}}


def test_models_without_nodes_are_left_out(dots, texts):
    figure = sizes([row("a", "bag-svm", 10), row("a", "lightgbm", None)], methods=None)
    assert set(dots(figure)) == {"bag-svm"}
    assert "lightgbm" not in texts(figure)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("methods", "per_task"), [(METHODS_OF_SIZES, 10), (tuple(METHODS), 3), (("bag-svm",), 1)]
)
def test_it_can_be_read(methods, per_task, assert_can_be_read):
    titles = {method: f"random forest, {method}, as published"[:37] for method in methods}
    absent = {"multi-label": ["rcv1subset1", "stackex_chemistry"]}
    assert_can_be_read(sizes(study(methods, per_task), methods=None, titles=titles, absent=absent))


def test_without_results_it_says_so(texts, assert_can_be_read):
    figure = sizes([])
    assert_can_be_read(figure)
    assert any("No results" in text for text in texts(figure))


def test_files_are_small_and_the_same_each_time(tmp_path):
    rows = study(METHODS_OF_SIZES, 2)
    _, first = save(sizes(rows), tmp_path / "first")
    _, second = save(sizes(rows), tmp_path / "second")
    assert first.read_bytes() == second.read_bytes()
    assert first.stat().st_size < 12 * 10_000


def test_large_numbers_are_short(texts):
    said = texts(sizes([row("a", "bag-svm", nodes, fold=k) for k, nodes in enumerate((1, 10**7))]))
    assert {"1M", "10M"} <= set(said)
    assert any("50 trees, mean of the folds" in text for text in said)
