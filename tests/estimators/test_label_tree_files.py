"""Claims about files of label trees: they come back as they were, and nothing wrong comes back at all."""

import io

import numpy as np
import pytest

from slantwood import LabelTreeClassifier, ModelFileError, load_model
from slantwood.model import container
from tests.estimators.test_label_tree import SMALL, words_and_labels


@pytest.fixture(scope="module")
def data():
    return words_and_labels(n=150)


@pytest.fixture(scope="module")
def model(data):
    return LabelTreeClassifier(**{**SMALL, "n_forest_trees": 2}, beam=7).fit(*data)


def saved(model, **options):
    file = io.BytesIO()
    model.save(file, **options)
    return file.getvalue()


def loaded(content):
    return load_model(io.BytesIO(content))


@pytest.mark.parametrize("n_forest_trees", [0, 2])
def test_a_loaded_model_predicts_what_the_saved_one_did(data, model, n_forest_trees):
    if not n_forest_trees:
        model = LabelTreeClassifier(**SMALL).fit(*data)
    again = loaded(saved(model))
    np.testing.assert_array_equal(again.predict_proba(data[0]), model.predict_proba(data[0]))
    assert again.get_params() == model.get_params()
    assert (again.predict(data[0]) != model.predict(data[0])).nnz == 0
    assert saved(again) == saved(model)


def test_names_of_labels_and_features_are_kept(data):
    pandas = pytest.importorskip("pandas")
    X, Y = data
    frame = pandas.DataFrame(X.toarray(), columns=[f"word{j}" for j in range(X.shape[1])])
    sets = [tuple(f"label{j:02}" for j in row.nonzero()[0]) for row in Y.toarray()]
    again = loaded(saved(LabelTreeClassifier(**SMALL).fit(frame, sets)))
    assert again.feature_names_in_.tolist() == list(frame.columns)
    assert again.predict_top_k(frame, 1).labels[0, 0].startswith("label")


def test_half_precision_is_smaller_and_nearly_the_same(data, model):
    small = saved(model, float16=True, predict_only=True)
    assert len(small) < 0.8 * len(saved(model))
    np.testing.assert_allclose(loaded(small).predict_proba(data[0]), model.predict_proba(data[0]), atol=0.02)


def test_a_damaged_file_is_refused(model):
    content = bytearray(saved(model))
    content[len(content) // 2] ^= 1
    with pytest.raises(ModelFileError, match="checksum"):
        loaded(bytes(content))


def forged(model, change):
    """A file that is whole in every bit, with something in it that no model has."""
    contents = container.read(io.BytesIO(saved(model)))
    document, arrays = contents.document, dict(contents.arrays)
    change(document, arrays)
    file = io.BytesIO()
    container.write(file, document, arrays)
    return file.getvalue()


def put(name, place, value):
    def change(document, arrays):
        arrays[name] = arrays[name].copy()
        arrays[name][place] = value

    return change


def drop(name):
    return lambda document, arrays: arrays.pop(name)


def say(**parts):
    return lambda document, arrays: document.update(parts)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (put("label_trees/targets", 0, 0), "no trees|more often"),
        (put("label_trees/targets", 0, -1), "no trees"),
        (put("label_trees/targets", -1, 1000), "label 1000 of 40"),
        (put("label_trees/targets", -1, -(2**31)), "no trees"),
        (put("label_trees/roots", 0, 5), "no trees"),
        (put("label_trees/child_counts", 0, 1), "adds up"),
        (put("label_trees/features", 0, 65535), "column 65535"),
        (put("label_trees/features", 1, 0), "does not rise"),
        (put("label_trees/children", 0, 200), "child that its node has not"),
        (put("label_trees/weights", 0, np.inf), "not finite"),
        (put("label_trees/weight_counts", 0, 0), "adds up"),
        (drop("label_trees/weights"), "missing"),
        (drop("forest/trees/bias"), "missing"),
        (say(forest=None), "has no meaning"),
        (say(label_trees={"n_trees": 10**9}), "must have 1000000000"),
        (say(label_trees=7), "n_trees"),
        (say(n_columns=10**15), "memory"),
        (say(n_columns=59), "must be 59"),
        (say(fitted={"label_trees_": 1}), "fitted attributes"),
        (say(parameters={"beam": 0}), "beam=0"),
        (say(parameters={"n_jobs": 10**6}), "n_jobs"),
        (say(parameters={"no_such": 0}), "no_such"),
        (say(targets={"kind": "numbers"}), "targets"),
        (lambda document, arrays: arrays.update(more=np.zeros(1)), "no meaning"),
        (lambda document, arrays: document["forest"].update(estimator="LabelTreeClassifier"), "not one of"),
    ],
)
def test_a_made_up_file_is_refused(model, change, says):
    with pytest.raises(ModelFileError, match=says):
        loaded(forged(model, change))
