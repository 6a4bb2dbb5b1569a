"""Claims about the figure of importances: real and noise apart, shares written, any number of features."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from slantwood.task_names import TASKS
from slantwood_bench.figures.importances import importances, shown_ranks
from slantwood_bench.figures.saving import save


def row(dataset, method, real=(), noise=(), *, status="ok", task="binary", mark="", seed=0):
    made = {
        "experiment": "importance",
        "dataset": dataset,
        "method": method,
        "task": task,
        "seed": seed,
        "mark": mark,
        "status": status,
    }
    if status == "ok":
        made["importances"] = {"real": list(real), "noise": list(noise)}
    return made


def drawn(n, seed=0, noise=0.1):
    rng = np.random.default_rng(seed)
    parts = rng.exponential(size=(2, n)) ** 2 * [[1.0], [noise]]
    return parts / parts.sum()


def curves(ax):
    return {line.get_gid(): line.get_xydata() for line in ax.lines}


def test_sorted_shares_of_both_kinds_are_drawn_and_their_sums_written(texts):
    figure = importances([row("a", "bag-svm", [0.1, 0.5, 0.3], [0.02, 0.0, 0.08])], methods=["bag-svm"])
    (ax,) = figure.axes
    assert_allclose(curves(ax)["real"], [[1, 50], [2, 30], [3, 10]])
    assert_allclose(curves(ax)["noise"], [[1, 8], [2, 2], [3, 0]])
    assert {"real 90.0 %", "noise 10.0 %"} <= set(texts(figure))


def test_importances_need_not_sum_to_one(texts):
    figure = importances([row("a", "bag-svm", [6.0], [2.0])], methods=["bag-svm"])
    assert {"real 75.0 %", "noise 25.0 %"} <= set(texts(figure))


def test_of_several_runs_the_mean_of_each_feature_is_drawn_and_lost_ones_are_told(texts):
    rows = [row("a", "bag-svm", [0.8, 0.0], [0.2, 0.0]), row("a", "bag-svm", [0.0, 0.6], [0.0, 0.4], seed=1)]
    rows += [row("a", "bag-svm", status="died", seed=2)]
    figure = importances(rows, methods=["bag-svm"])
    assert_allclose(curves(figure.axes[0])["real"][:, 1], [40, 30])
    assert_allclose(curves(figure.axes[0])["noise"][:, 1], [20, 10])
    assert "2 of 3 runs" in texts(figure)


def test_runs_of_different_features_are_refused():
    rows = [row("a", "bag-svm", [1.0], [0.0]), row("a", "bag-svm", [0.5, 0.5], [0.0, 0.0], seed=1)]
    with pytest.raises(ValueError, match=r"'a' with 'bag-svm'.*1 and 2"):
        importances(rows)


def test_methods_stand_from_left_to_right_as_in_the_paper(texts):
    rows = [row("a", "bag-gradient", [0.9], [0.1]), row("a", "bag-svm", [0.6], [0.4])]
    figure = importances(rows, titles={"bag-svm": "bagging, SVM"})
    left, right = sorted(figure.axes, key=lambda ax: ax.get_position().x0)
    assert left.get_title(loc="right") == "noise 40.0 %"
    assert right.get_title(loc="right") == "noise 10.0 %"
    assert {"bagging, SVM", "bag-gradient"} <= set(texts(figure))


def test_gaps_are_told_and_not_filled(texts):
    rows = [row("a", "bag-svm", status="timed out"), row("b", "bag-svm", [1.0], [0.0], mark="partial")]
    rows += [row("b", "bag-gradient", [0.0], [0.0])]
    figure = importances(rows, absent={"multi-label": ["gone"]})
    said = texts(figure)
    assert {"timed out", "not run", "no splits, no importances", "gone (multi-label): absent"} <= set(said)
    assert any(text.startswith("b† ") for text in said)
    assert any(text.startswith("† ") for text in said)
    assert sum(bool(ax.lines) for ax in figure.axes) == 1
    assert len(figure.axes) == 4


@pytest.mark.parametrize(
    ("noise", "said"),
    [
        (0.0, {"real 100 %", "noise 0.0 %"}),
        (1e-5, {"real 100 %", "noise < 0.1 %"}),
        (0.9999, {"real < 0.1 %", "noise 100 %"}),
        (0.999, {"real 0.1 %", "noise 99.9 %"}),
    ],
)
def test_little_is_not_called_nothing(noise, said, texts):
    assert said <= set(texts(importances([row("a", "bag-svm", [1 - noise], [noise])])))


@given(st.integers(1, 200_000))
def test_few_ranks_stand_for_many_from_the_first_to_the_last(n):
    ranks = shown_ranks(n)
    assert ranks[0] == 1
    assert ranks[-1] == n
    assert (np.diff(ranks) > 0).all()
    assert len(ranks) <= 100
    # Ranks that are left out are no farther from the next one than can be seen.
    assert (np.diff(np.log10(ranks))[ranks[1:] - ranks[:-1] > 1] < 0.12).all()


@pytest.mark.parametrize("n", [1, 2, 8, 90, 300, 50_000])
def test_it_can_be_read_with_any_number_of_features(n, assert_can_be_read):
    rows = [row("a", method, *drawn(n)) for method in ("bag-svm", "bag-gradient")]
    assert_can_be_read(importances(rows))


def test_the_figure_of_the_study_can_be_read_and_is_small(assert_can_be_read, tmp_path):
    rows = []
    for seed, (task, n) in enumerate(zip(TASKS, (8, 22, 617, 1836, 10_935, 50_000), strict=True)):
        for method in ("bag-svm", "bag-gradient"):
            real, noise = drawn(n, seed)
            rows.append(row(f"yeast_gasch{seed}_FUN", method, real, noise, task=task, mark="rebuilt"))
        rows.append(row(f"yeast_gasch{seed}_FUN", "bag-svm", status="died", seed=1, task=task))
    figure = importances(rows, absent={"binary": ["OVA_Breast"]})
    assert_can_be_read(figure)
    _, svg = save(figure, tmp_path / "figure")
    assert svg.stat().st_size < 300_000


def test_without_results_it_says_so(assert_can_be_read, texts):
    figure = importances([{**row("a", "bag-svm", [1.0], [0.0]), "experiment": "comparison"}])
    assert_can_be_read(figure)
    assert any("No results" in text for text in texts(figure))
