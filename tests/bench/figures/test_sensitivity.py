"""Claims about the figure of a parameter: lines through what was measured, and gaps where nothing was."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from slantwood import GradientSplit, ObliqueForestClassifier, ObliqueForestRegressor, SVMSplit
from slantwood.task_names import TASKS
from slantwood_bench.figures.saving import save
from slantwood_bench.figures.sensitivity import default_of, sensitivity

GRIDS = {
    "C": [0.1, 1, 10, 100, 1000],
    "n_estimators": [1, 10, 25, 50, 100],
    "min_impurity_decrease": [0, 0.05, 0.1, 0.2],
}


def row(dataset, method, changes, quality, *, fold=0, status="ok", task="binary", mark="", measure="F1"):
    return {
        "experiment": "sensitivity",
        "dataset": dataset,
        "method": method,
        "changes": changes,
        "task": task,
        "fold": fold,
        "mark": mark,
        "status": status,
        "measure": measure if status == "ok" else None,
        "quality": quality if status == "ok" else None,
    }


def study(methods=("bag-gradient", "bag-svm"), per_task=3, spread=0.1):
    rng = np.random.default_rng(0)
    rows = []
    for number, task in enumerate(TASKS):
        for place in range(per_task):
            name = ("OVA_Endometrium", "energy_efficiency", "gcm")[place % 3] + str(number)
            level = rng.uniform(-0.2, 0.9)
            for method in methods:
                for parameter, values in GRIDS.items():
                    for k, value in enumerate(values):
                        common = {"task": task, "mark": "partial" * (place == 2), "measure": "weighted LRAP"}
                        for fold in range(2):
                            status = "died" if (number + place + k) % 7 <= fold else "ok"
                            quality = level + spread * rng.normal()
                            changes = {parameter: value}
                            rows.append(
                                row(name, method, changes, quality, fold=fold, status=status, **common)
                            )
    return rows


def lines(ax, kind="line"):
    chosen = [line for line in ax.lines if line.get_gid().startswith(kind + " ")]
    return {line.get_gid().removeprefix(kind + " "): line.get_xydata() for line in chosen}


def test_lines_go_through_the_means_of_the_folds_and_of_no_other_rows():
    rows = [row("a", "bag-svm", {"C": C}, q, fold=k) for C, q in ((10, 0.6), (1, 0.4)) for k in range(2)]
    rows += [row("a", "bag-svm", {"C": 1}, 0.7, fold=2), row("a", "bag-svm", {"n_estimators": 1}, 0.1)]
    rows += [row("a", "bag-svm", {"C": 1, "n_estimators": 1}, 0.1)]
    rows += [{**row("a", "bag-svm", {"C": 1}, 0.0), "experiment": "comparison"}]
    (ax,) = sensitivity(rows, "C").axes
    assert_allclose(lines(ax)["bag-svm"], [[1, 0.5], [10, 0.6]])


def test_no_line_leads_over_a_value_that_did_not_finish_or_was_not_run(texts):
    rows = [row("a", "bag-svm", {"C": C}, 0.5) for C in (0.1, 1, 10, 1000)]
    rows += [row("a", "bag-svm", {"C": 100}, None, status="timed out")]
    rows += [row("a", "bag-gradient", {"C": C}, 0.6) for C in (0.1, 100, 1000)]
    figure = sensitivity(rows, "C")
    (ax,) = figure.axes
    assert_array_equal(lines(ax)["bag-svm"][:, 1], [0.5, 0.5, 0.5, np.nan, 0.5])
    assert_array_equal(lines(ax)["bag-gradient"][:, 1], [0.6, np.nan, np.nan, 0.6, 0.6])
    assert_array_equal(lines(ax, "unfinished")["bag-svm"][:, 0], [100])
    assert len(lines(ax, "unfinished")["bag-gradient"]) == 0
    assert "did not finish" in texts(figure)


def test_means_of_some_folds_are_hollow(texts):
    rows = [row("a", "bag-svm", {"C": C}, 0.5, fold=fold) for C in (1, 10) for fold in range(2)]
    assert "some folds only" not in texts(sensitivity(rows, "C"))
    rows += [row("a", "bag-svm", {"C": 10}, None, fold=2, status="died")]
    figure = sensitivity(rows, "C")
    (ax,) = figure.axes
    assert_array_equal(lines(ax, "whole")["bag-svm"], [[1, 0.5]])
    assert_array_equal(lines(ax, "part")["bag-svm"], [[10, 0.5]])
    assert "some folds only" in texts(figure)


def test_a_data_set_of_which_nothing_finished_still_has_its_panel():
    rows = [row("a", "bag-svm", {"C": C}, None, status="failed") for C in (1, 10)]
    (ax,) = sensitivity(rows, "C").axes
    assert np.isnan(lines(ax)["bag-svm"][:, 1]).all()
    assert_array_equal(lines(ax, "unfinished")["bag-svm"][:, 0], [1, 10])


def test_the_default_of_each_method_is_marked():
    rows = [row("a", m, {"C": C}, 0.5) for m in ("bag-svm", "bag-gradient") for C in GRIDS["C"]]
    (ax,) = sensitivity(rows, "C").axes
    assert_array_equal(lines(ax, "default")["bag-svm"], [[0.1, 0.5]])
    assert_array_equal(lines(ax, "default")["bag-gradient"], [[10, 0.5]])


def test_rows_without_changes_stand_at_the_default_unless_one_names_it():
    rows = [row("a", "bag-svm", {"n_estimators": 10}, 0.5), row("a", "bag-svm", {}, 0.7)]
    (ax,) = sensitivity(rows, "n_estimators").axes
    assert_array_equal(lines(ax)["bag-svm"], [[10, 0.5], [50, 0.7]])
    rows.insert(0, row("a", "bag-svm", {"n_estimators": 50}, 0.6))
    (ax,) = sensitivity(rows, "n_estimators").axes
    assert_array_equal(lines(ax)["bag-svm"], [[10, 0.5], [50, 0.6]])


def test_defaults_are_those_of_the_library():
    assert default_of("C", "bag-svm-paper", "binary") == SVMSplit.published().C
    assert default_of("C", "bag-gradient-paper", "binary") == GradientSplit.published().C
    X = np.random.default_rng(0).normal(size=(60, 3))
    forest = ObliqueForestClassifier(random_state=0)
    assert default_of("n_estimators", "bag-gradient", "binary") == forest.n_estimators
    numbers = ObliqueForestRegressor(n_estimators=1, split="svm", random_state=0)
    by_svm = clone(forest).set_params(n_estimators=1, split="svm")
    for task, model, y in (
        ("binary", by_svm, X[:, 0] > 0),
        ("multi-class", by_svm, np.digitize(X[:, 0], [-0.5, 0.5])),
        ("multi-label", by_svm, X > 0),
        ("regression", numbers, X[:, 0]),
        ("multi-target regression", numbers, X[:, :2]),
    ):
        assert default_of("C", "bag-svm", task) == model.fit(X, y).settings_.split.C, task
    settings = forest.set_params(n_estimators=1).fit(X, X[:, 0] > 0).settings_
    assert default_of("C", "bag-gradient", "binary") == settings.split.C
    expected = settings.min_impurity_decrease
    assert default_of("min_impurity_decrease", "bag-gradient", "binary") == expected
    # There it is chosen on held-out rows, by forests.
    assert default_of("C", "bag-gradient", "hierarchical multi-label") is None
    assert default_of("C", "tree-gradient", "hierarchical multi-label") == settings.split.C


@pytest.mark.parametrize("form", ["bag", "rf", "tree"])
def test_every_form_of_a_split_has_its_default(form):
    assert default_of("C", f"{form}-svm", "binary") == 0.1
    assert default_of("C", f"{form}-svm-paper", "binary") == SVMSplit.published().C
    assert default_of("C", f"{form}-pct", "binary") is None


@pytest.mark.parametrize("method", ["linear-svm", "lightgbm", "of-tomorrow"])
def test_defaults_of_other_libraries_are_not_known(method):
    assert all(default_of(parameter, method, "binary") is None for parameter in GRIDS)


def test_panels_are_told_apart_and_absent_sets_have_one(texts):
    rows = [row("a", "bag-svm", {"C": 1}, 0.5, mark="partial"), row("b", "bag-svm", {"C": 1}, 0.5)]
    rows += [row("only trees", "bag-svm", {"n_estimators": 1}, 0.5)]
    figure = sensitivity(rows, "C", absent={"binary": ["gone"]}, titles={"bag-svm": "bagging, SVM"})
    said = texts(figure)
    assert len(figure.axes) == 3
    assert {"a†", "b", "gone", "absent", "F1", "bagging, SVM"} <= set(said)
    assert "only trees" not in said
    assert any(text.startswith("† ") for text in said)


def test_small_differences_look_small():
    rows = [row("a", "bag-svm", {"C": C}, 0.5 + C / 1e5) for C in (1, 10)]
    (ax,) = sensitivity(rows, "C").axes
    low, high = ax.get_ylim()
    assert high - low >= 0.05


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("parameter", "spread"),
    [("C", 1e-4), ("C", 0.1), ("n_estimators", 0.1), ("min_impurity_decrease", 3.0)],
)
def test_it_can_be_read(parameter, spread, assert_can_be_read):
    titles = {"bag-gradient": "bagging, gradient", "bag-svm": "bagging, SVM"}
    assert_can_be_read(sensitivity(study(spread=spread), parameter, titles=titles))


def test_four_methods_with_long_titles_can_be_read(assert_can_be_read):
    methods = ("bag-gradient", "bag-gradient-paper", "bag-svm", "bag-svm-paper")
    titles = {method: f"bagging, {method}, as published" for method in methods}
    rows = study(methods, per_task=1)
    assert_can_be_read(sensitivity(rows, "C", titles=titles, absent={"binary": ["musk"]}))


def test_one_value_of_one_set_can_be_read(assert_can_be_read):
    for parameter in GRIDS:
        figure = sensitivity([row("a", "bag-svm", {parameter: 1}, 0.5)], parameter)
        assert_can_be_read(figure)


def test_without_results_it_says_so(assert_can_be_read, texts):
    figure = sensitivity([row("a", "bag-svm", {"C": 1}, 0.5)], "n_estimators")
    assert_can_be_read(figure)
    assert any("No results" in text for text in texts(figure))


def test_files_are_small_and_the_same_each_time(tmp_path):
    rows = study(per_task=1)
    _, first = save(sensitivity(rows, "C"), tmp_path / "first")
    _, second = save(sensitivity(rows, "C"), tmp_path / "second")
    assert first.read_bytes() == second.read_bytes()
    assert first.stat().st_size < 6 * 15_000
