"""Claims about reports: what they say is so, for every kind of model and task, and they stay small."""

import re
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.exceptions import NotFittedError

import slantwood
from slantwood import LabelTreeClassifier, ObliqueForestClassifier, ObliqueTreeRegressor, load_model
from slantwood.evaluation.scores import scores
from slantwood.explain import calibration, contributions
from slantwood.model.contributions import node_values
from slantwood.report import write_report
from slantwood.report.markup import number
from slantwood.report.subject import Subject
from slantwood.report.training_means import training_means
from slantwood.report.truth import read_truth
from slantwood.task_names import MIXED, TASKS

ANCHORS = ("data", "quality", "importances", "calibration", "examples", "trees", "settings", "sizes")


@pytest.mark.sampled
@pytest.mark.parametrize("task", [*TASKS, MIXED])
@pytest.mark.parametrize("kind", ["Forest", "Tree", "Boosting"])
def test_every_kind_of_model_and_task_has_a_report_with_its_measures(fitted, page_of, kind, task):
    if (kind, task) == ("Boosting", MIXED):
        pytest.skip("boosting does not take several targets with classes of their own")
    model, X, y = fitted(kind, task)
    page = page_of(model, X, y)
    assert [page.section(anchor) != "" for anchor in ANCHORS] == [True] * len(ANCHORS)
    found = scores(model, X, read_truth(model, y, X.shape[0]))
    quality = page.section("quality")
    for value in found.together.values():
        assert number(value) in quality
    explained = page.section("examples")
    if task == MIXED:
        assert "not explained" in explained
    else:
        assert explained.count(": row ") == 5
        assert explained.index("Best") < explained.index("Typical") < explained.index("Worst")
    assert page.data("tree-names")["trees"] == min(model.trees_.n_trees, 50)


@pytest.mark.sampled
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("given", ["nothing", "no y"])
def test_without_truth_a_report_says_what_it_cannot_say(fitted, page_of, task, given):
    model, X, _ = fitted("Forest", task)
    page = page_of(model, *(() if given == "nothing" else (X,)))
    assert "Nothing was measured" in page.section("quality")
    assert ("need rows" in page.section("examples")) == (given == "nothing")
    assert "Importances" in page.section("importances")


def test_a_model_for_predicting_only_says_what_it_does_not_know(fitted, page_of, tmp_path):
    model, X, y = fitted("Forest", "binary")
    model.save(tmp_path / "m.slant", predict_only=True)
    page = page_of(slantwood.load_model(tmp_path / "m.slant"), X, y)
    assert "predict_only=True" in page.section("examples")
    assert "predict_only=True" in page.section("trees")
    tree = page.data("tree-0")
    assert "n" not in tree
    # Leaves say what they predict, and inner nodes nothing.
    assert all(bool(content) == (child == 0) for content, child in zip(tree["v"], tree["l"], strict=True))


def test_label_trees_have_a_report_of_fewer_parts(page_of):
    rng = np.random.default_rng(0)
    X = sp.csr_array(np.abs(rng.normal(size=(40, 4))))
    y = [("s",) if row[0] > 0.6 else ("t", "u") for row in X.toarray()]
    model = LabelTreeClassifier(n_forest_trees=0, random_state=0).fit(X, y)
    page = page_of(model, X, y)
    assert "micro F1" in page.section("quality")
    assert "Label trees divide labels" in page.section("trees")
    assert model.describe().startswith("LabelTreeClassifier\n")


def test_the_trees_of_the_page_are_those_of_the_model(fitted, page_of):
    model, X, y = fitted("Forest", "multi-label")
    page = page_of(model, X, y)
    names, trees = page.data("tree-names"), model.trees_
    values = node_values(trees, np.arange(4))
    for index in range(trees.n_trees):
        shown = page.data(f"tree-{index}")
        waiting = [(int(trees.roots[index]), 0)]
        n_seen = 0
        while waiting:
            node, place = waiting.pop()
            n_seen += 1
            assert shown["n"][place] == pytest.approx(trees.node_weight[node])
            for output, value in shown["v"][place]:
                column = int(names["outputs"][output][1:])  # "y2"
                assert value == pytest.approx(values[node, column], rel=0.01)
            if trees.left[node] < 0:
                assert (shown["l"][place], shown["w"][place]) == (0, 0)
                continue
            part = slice(trees.indptr[node], trees.indptr[node + 1])
            scale = abs(trees.weights[part][0]) if trees.weights[part].size == 1 else 1.0
            weights = dict(zip(trees.indices[part].tolist(), trees.weights[part].tolist(), strict=True))
            for feature, weight, _ in shown["w"][place]:
                assert weight * scale == pytest.approx(weights[int(names["features"][feature][1:])], rel=0.01)
            assert abs(shown["b"][place]) * scale == pytest.approx(abs(trees.bias[node]), rel=0.001)
            child = shown["l"][place]
            waiting += [(int(trees.left[node]), child), (int(trees.right[node]), child + 1)]
        assert n_seen == len(shown["l"])


@pytest.mark.parametrize("sign", [1, -1])
def test_a_split_of_one_feature_is_in_the_unit_of_the_feature(page_of, sign):
    X = sign * np.array([[10.0], [20.0], [30.0], [40.0]])
    model = ObliqueTreeRegressor(split="axis", min_samples_split=3).fit(X, [0, 0, 5, 5])
    tree = page_of(model).data("tree-0")
    ((_, direction, part),) = tree["w"][0]
    # Rows on the side that the weight points to go to the second child.
    upper = X[:, 0] >= tree["b"][0] if direction > 0 else X[:, 0] <= tree["b"][0]
    assert (abs(direction), part) == (1, 100)
    assert tree["v"][2] == [[0, 0 if upper[0] else 5]]
    assert 20 < sign * tree["b"][0] < 30


def test_the_uses_of_features_are_counted(page_of):
    X = pd.DataFrame({"kind": ["a", "b", "c", "a"] * 10, "size": np.arange(40.0)})
    model = ObliqueForestClassifier(n_estimators=3, random_state=0).fit(X, (X["kind"] == "b").astype(int))
    source, trees = model.encoding_.source, model.trees_
    used = [{source[j] for j in trees.indices[slice(*part)]} for part in pairwise(trees.indptr)]
    n_splits = [sum(feature in each for each in used) for feature in range(2)]
    text = " ".join(page_of(model).section("importances").split())
    for feature, name in enumerate(X.columns):
        if n_splits[feature]:
            assert re.search(rf"{name} [\d.]+ [\d.]+ {n_splits[feature]} [123]\b", text)


def test_importances_have_whiskers_as_long_as_their_deviation_between_trees(tmp_path):
    X, y = np.random.default_rng(0).normal(size=(80, 3)), np.tile([0, 1], 40)
    X[:, 0] += 2 * y
    forest = ObliqueForestClassifier(n_estimators=6, random_state=0).fit(X, y)
    alone = [forest.encoding_.by_input(each) for each in _importances_of_trees(X, y, 6)]
    spread = Subject.of(forest).importance_spread
    assert_allclose(spread, np.std(alone, axis=0) / np.mean(alone, axis=0).sum(), atol=1e-6)
    html = forest.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert html.count('class="whisker"') == (spread > 0).sum()
    forest.save(tmp_path / "model.slant", predict_only=True)
    assert (
        'class="whisker"' not in load_model(tmp_path / "model.slant").report(tmp_path / "p.html").read_text()
    )


def _importances_of_trees(X, y, n_trees):
    """The importances of each tree: what the sum over a forest grows by, with one tree more."""
    sums = [
        ObliqueForestClassifier(n_estimators=n, random_state=0).fit(X, y).forest_.importance_sum
        for n in range(1, n_trees + 1)
    ]
    return np.diff(sums, axis=0, prepend=0.0)


def test_nodes_beyond_the_limit_are_counted(fitted, page_of, monkeypatch):
    model, X, y = fitted("Forest", "regression")
    monkeypatch.setattr("slantwood.report.trees.MOST_NODES", 0)
    monkeypatch.setattr("slantwood.report.trees._FEWEST_NODES", 9)
    page = page_of(model, X, y)
    sizes = np.diff(model.trees_.node_offsets)
    for index, size in enumerate(sizes):
        shown = page.data(f"tree-{index}")
        assert len(shown["l"]) == 9
        assert len(shown["l"]) + sum(shown["x"].values()) == size
    assert f"Of their {sizes.sum():,} nodes 27 are here" in page.section("trees")


def test_examples_explain_the_prediction_of_their_row(fitted, page_of):
    model, X, y = fitted("Tree", "regression")
    text = page_of(model, X, y).section("examples")
    row = int(re.search(r"Worst: row (\d+)", text)[1])
    assert row == int(np.argmax(np.abs(model.predict(X) - y)))
    found = contributions(model, X[[row]])
    assert f"{number(float(found.base[0]))} before, {number(float(found.predicted[0, 0]))} after" in text


def test_calibration_is_that_of_the_rows_given(fitted, page_of):
    model, X, y = fitted("Forest", "binary")
    assert f"Brier score {number(calibration(model, X, y).brier)}" in page_of(model, X, y).section(
        "calibration"
    )


def test_frequencies_are_those_of_the_training_rows_where_no_rows_are_given(fitted):
    model, _, y = fitted("Tree", "multi-class")
    expected = np.bincount(y) / len(y)
    assert training_means(model) == pytest.approx(expected, abs=1e-6)


def test_dense_and_sparse_rows_give_the_same_report(fitted, page_of):
    model, X, y = fitted("Forest", "multi-label")
    pages = [page_of(model, each, y) for each in (X, X.toarray())]
    for anchor in ("quality", "calibration", "examples"):
        assert pages[0].section(anchor) == pages[1].section(anchor)
    assert pages[0].data("tree-1") == pages[1].data("tree-1")


def test_a_model_that_predicts_frames_has_the_same_report_and_stays_as_it_is(fitted, page_of):
    model, X, y = fitted("Forest", "multi-class")
    expected = page_of(model, X, y)
    model.set_output(predict="pandas")
    page = page_of(model, X, y)
    assert page.section("examples") == expected.section("examples")
    assert isinstance(model.predict(X), pd.Series)


def test_rows_whose_target_is_not_known_are_left_out_with_a_word(fitted, page_of):
    model, X, y = fitted("Forest", "binary")
    y = y.astype(object)
    y[:4] = None
    page = page_of(model, X, y)
    assert "4 rows without (all) known labels left out" in page.section("quality")
    assert page.section("examples").count(": row ") == 5


def test_names_of_features_and_classes_cannot_run_or_break_the_page(page_of):
    nasty = "</script><img src=x onerror=alert(1)>\u2028"
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = np.where(X[:, 0] > 0, nasty, "b")
    model = ObliqueForestClassifier(n_estimators=2, random_state=0)
    model.fit(X, y, feature_names=[nasty, f"{nasty}2"])
    page = page_of(model, X, y)
    assert "<img" not in page.source
    assert page.source.count("</script>") == 2 + 2  # the script, names, and two trees
    assert nasty in page.data("tree-names")["features"]
    assert "<img" not in model._repr_html_().split("<style>")[0]


def test_many_labels_make_no_large_page(page_of):
    rng = np.random.default_rng(0)
    n_rows, n_labels = 200, 1500
    X = sp.random(n_rows, 40, 0.2, format="csr", random_state=0, dtype=np.float32)
    columns = rng.integers(0, n_labels, (n_rows, 10)).ravel()
    Y = sp.csr_array((np.ones(2000), (np.repeat(np.arange(n_rows), 10), columns)), shape=(n_rows, n_labels))
    Y.data[:] = 1
    model = ObliqueForestClassifier(n_estimators=5, min_samples_split=2, bootstrap=False, random_state=0)
    # Spelt out wherever they occur, names alone would be some megabytes.
    model.fit(X, Y, target_names=[f"label {j} " + 2000 * "x" for j in range(n_labels)])
    page = page_of(model, X[:50], Y[:50])
    assert len(page.source) < 1_000_000
    assert "The 1,000 most frequent of 1,500; 500 are left out." in page.section("quality")


def test_the_page_names_no_outside_address(fitted, page_of):
    page = page_of(*fitted("Forest", "binary"))
    addresses = re.findall(r"""(?:src|href|url|action)\s*[=(]\s*["']?([^"'\s>)]+)""", page.source)
    assert addresses
    assert all(address.startswith("#") for address in addresses)
    assert "http" not in page.source.replace("http-equiv", "")


def test_what_cannot_be_reported_is_refused(fitted, tmp_path):
    path = tmp_path / "r.html"
    model, X, y = fitted("Forest", "binary")
    with pytest.raises(TypeError, match="model is a str"):
        write_report("model", path)
    with pytest.raises(NotFittedError):
        ObliqueTreeRegressor().report(path)
    with pytest.raises(ValueError, match="y is given, and X is not"):
        model.report(path, y=y)
    with pytest.raises(ValueError, match="y has 3"):
        model.report(path, X, y[:3])
    with pytest.raises(ValueError, match=r"r\.pdf does not end in .html.*; give .*r\.html"):
        model.report(path.with_suffix(".pdf"))
    assert not list(tmp_path.iterdir())
