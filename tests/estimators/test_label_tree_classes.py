"""Claims about label trees and rerankers whose y is one class for each row."""

import json

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.exceptions import DataConversionWarning
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB

from slantwood import LabelTreeClassifier, TailReranker, load_model
from slantwood.estimators.label_tree import shares_of_classes
from slantwood.evaluation.scores import scores
from slantwood.report import describe, write_report

IRIS, SPECIES = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])
KINDS = NAMES[SPECIES]


def label_tree(**given):
    return LabelTreeClassifier(**{"n_forest_trees": 3, "random_state": 0} | given)


def reranker(**given):
    return TailReranker(label_tree(), **given)


MAKERS = pytest.mark.parametrize("make", [label_tree, reranker], ids=["trees", "reranker"])


@MAKERS
@pytest.mark.parametrize(
    "y",
    [KINDS, KINDS.tolist(), pd.Series(KINDS, name="kind"), SPECIES, SPECIES + 0.0, KINDS == "setosa"],
    ids=["text", "list", "series", "numbers", "floats", "two"],
)
def test_classes_come_back_in_their_form(make, y):
    model = make().fit(IRIS, y)
    predicted = model.predict(IRIS)
    assert predicted.shape == (150,)
    assert_array_equal(model.classes_, np.unique(y))
    assert predicted.dtype == model.classes_.dtype
    assert model.score(IRIS, y) == np.mean(predicted == np.asarray(y))
    assert model.score(IRIS, y) > 0.85
    probabilities = model.predict_proba(IRIS)
    assert isinstance(probabilities, np.ndarray)
    assert_allclose(probabilities.sum(axis=1), 1.0)
    assert_array_equal(model.classes_[np.argmax(probabilities, axis=1)], predicted)


@MAKERS
def test_a_class_is_a_set_of_one_label(make):
    of_classes = make().fit(IRIS, KINDS)
    of_sets = make().fit(IRIS, [{kind} for kind in KINDS])
    assert_array_equal(of_classes.classes_, of_sets.classes_)
    each = of_sets.predict_proba(IRIS)
    each = each.toarray() if sp.issparse(each) else each
    assert_allclose(of_classes.predict_proba(IRIS), each / each.sum(axis=1, keepdims=True), rtol=1e-5)


@MAKERS
def test_the_best_classes_are_those_of_the_highest_probabilities(make):
    model = make().fit(IRIS, KINDS)
    probabilities, best = model.predict_proba(IRIS), model.predict_top_k(IRIS, 2)
    order = np.argsort(-probabilities, axis=1, kind="stable")[:, :2]
    assert_array_equal(best.labels, NAMES[order])
    assert_array_equal(best.scores, np.take_along_axis(probabilities, order, axis=1))
    kept = model.predict_proba(IRIS, top_k=1).toarray()
    assert_array_equal(kept.argmax(axis=1), order[:, 0])
    assert json.loads(json.dumps(best.to_list()))[0][0]["label"] == "setosa"


def test_where_no_class_has_a_score_all_are_as_likely():
    scores_of_rows = sp.csr_array([[0.0, 0.0, 0.0, 0.0], [0.5, 0.0, 1.5, 0.0]])
    expected = [[0.25, 0.25, 0.25, 0.25], [0.25, 0.0, 0.75, 0.0]]
    assert_array_equal(shares_of_classes(scores_of_rows).toarray(), expected)


def test_the_threshold_decides_on_the_second_of_two_classes():
    y = np.where(SPECIES == 2, "yes", "no")
    model = label_tree().fit(IRIS, y)
    second = model.predict_proba(IRIS)[:, 1]
    for threshold in (0.2, 0.5, 0.8):
        assert_array_equal(model.set_params(threshold=threshold).predict(IRIS) == "yes", second > threshold)
    with pytest.raises(ValueError, match="has no meaning for the 3 classes"):
        label_tree(threshold=0.2).fit(IRIS, KINDS)


@MAKERS
def test_rows_without_a_class_take_no_part(make):
    known = np.arange(150) % 3 > 0
    y = KINDS.astype(object)
    y[~known] = None
    model, expected = label_tree().fit(IRIS, y), label_tree().fit(IRIS[known], KINDS[known])
    assert_array_equal(model.predict_proba(IRIS), expected.predict_proba(IRIS))
    assert make().fit(IRIS, y).score(IRIS, KINDS) > 0.85


@MAKERS
def test_classes_of_weightless_rows_alone_are_none(make):
    weights = (SPECIES != 1) * 1.0
    model = make().fit(IRIS, KINDS, weights)
    assert model.classes_.tolist() == ["setosa", "virginica"]
    assert model.predict_proba(IRIS).shape == (150, 2)
    with pytest.raises(ValueError, match="only the class 'setosa'; give rows of two classes or more"):
        make().fit(IRIS, KINDS, (SPECIES == 0) * 1.0)


@MAKERS
def test_a_column_vector_is_taken_as_classes_with_a_warning(make):
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed") as caught:
        model = make().fit(IRIS, KINDS[:, None])
    assert caught[0].filename == __file__
    assert model.predict(IRIS).shape == (150,)


def test_one_row_of_weight_two_is_two_rows_where_their_costs_are_the_same():
    exact = {"n_forest_trees": 0, "tol": 1e-10, "max_iter": 100_000}
    weights = np.arange(150) % 3
    weighted = label_tree(C=weights[weights > 0].mean(), **exact).fit(IRIS, KINDS, weights)
    repeated = label_tree(**exact).fit(np.repeat(IRIS, weights, axis=0), np.repeat(KINDS, weights))
    assert_allclose(weighted.predict_proba(IRIS), repeated.predict_proba(IRIS), atol=1e-5)


@MAKERS
@pytest.mark.parametrize("y", [KINDS, SPECIES, KINDS == "setosa"], ids=["text", "numbers", "two"])
def test_a_file_keeps_the_classes(make, tmp_path, y):
    model = make().fit(IRIS, y)
    model.save(tmp_path / "m.slant")
    again = load_model(tmp_path / "m.slant")
    assert_array_equal(again.classes_, model.classes_)
    assert again.predict(IRIS).dtype == model.predict(IRIS).dtype
    assert_array_equal(again.predict(IRIS), model.predict(IRIS))


def test_frames_of_classes_are_asked_for_as_of_forests():
    table = pd.DataFrame(IRIS, columns=list("abcd"), index=np.arange(150) + 7)
    model = label_tree().fit(table, pd.Series(KINDS, index=table.index)).set_output(predict="pandas")
    assert model.predict(table).index.equals(table.index)
    assert list(model.predict_proba(table)) == NAMES.tolist()


def test_classes_are_described_scored_and_reported(tmp_path):
    model = label_tree().fit(IRIS, KINDS)
    found = scores(model, IRIS, KINDS)
    assert found.together["accuracy"] == model.score(IRIS, KINDS)
    assert "virginica" in str(describe(model))
    page = write_report(model, tmp_path / "r.html", IRIS, KINDS).read_text(encoding="utf-8")
    assert "balanced accuracy" in page


def test_a_reranker_without_arguments_has_label_trees():
    model = TailReranker().fit(IRIS, KINDS)
    assert isinstance(model.estimator_, LabelTreeClassifier)
    assert model.estimator is None
    expected = TailReranker(LabelTreeClassifier(random_state=0)).fit(IRIS, KINDS)
    assert_array_equal(model.predict_proba(IRIS), expected.predict_proba(IRIS))


def test_a_classifier_of_scikit_learn_is_reranked_on_classes():
    model = TailReranker(OneVsRestClassifier(MultinomialNB())).fit(IRIS, KINDS)
    assert model.score(IRIS, KINDS) > 0.6
    assert set(model.predict(IRIS)) <= set(NAMES)
