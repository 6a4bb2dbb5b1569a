"""Claims about data files for a fitted model; `tests/cli/test_predict.py` has more, through the commands."""

import numpy as np
import pytest

import slantwood.data
from slantwood import ObliqueForestClassifier, ObliqueForestRegressor
from slantwood.model_data import align_to_model, read_for_model


@pytest.fixture
def model():
    """Return a model that knows the names of its inputs and of its target."""
    X = np.random.default_rng(0).normal(size=(40, 2)).astype(np.float32)
    model = ObliqueForestRegressor(n_estimators=3, random_state=0).fit(X, X[:, 0])
    model.input_names_, model.target_names_ = ("a", "b"), ("u",)
    return model


def test_columns_are_found_by_name_in_any_order_and_others_are_left_out(tmp_path, model):
    path = tmp_path / "a.csv"
    path.write_text("u,b,other,a\n7,2,x,1\n8,4,y,3\n")
    found = read_for_model(model, path)
    np.testing.assert_array_equal(found.X, [[1, 2], [3, 4]])
    assert found.y is None
    assert read_for_model(model, path, None).y.tolist() == [7, 8]


def test_data_that_was_read_before_is_put_in_the_same_form(tmp_path, model):
    path = tmp_path / "a.csv"
    path.write_text("b,a,u\n2,1,7\n4,3,8\n")
    data = slantwood.data.read(path, "u", task="regression")
    found = align_to_model(model, data, "a", None)
    np.testing.assert_array_equal(found.X, read_for_model(model, path).X)
    assert found.y.tolist() == [7, 8]


def test_what_is_missing_is_named(tmp_path, model):
    path = tmp_path / "a.csv"
    path.write_text("A,b\n1,2\n")
    with pytest.raises(ValueError, match=r"a\.csv: it has no column 'a', .* did you mean 'A'\?"):
        read_for_model(model, path)
    path.write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match=r"it has no column 'u', which the model predicts"):
        read_for_model(model, path, None)
    with pytest.raises(ValueError, match=r"rows has no targets to compare with; give targets"):
        align_to_model(model, slantwood.data.read(path, ()), "rows", None)


def test_labels_that_the_model_does_not_know_are_left_out_with_a_warning(tmp_path):
    X = np.random.default_rng(0).normal(size=(40, 2)).astype(np.float32)
    model = ObliqueForestClassifier(n_estimators=3, random_state=0).fit(X, X > 0)
    model.input_names_, model.target_names_ = ("a", "b"), ("sun", "sea")
    path = tmp_path / "a.csv"
    path.write_text("a,b,sea,ice,sun\n1,2,1,0,0\n3,4,0,1,1\n")
    data = slantwood.data.read(path, "last:3")
    with pytest.warns(UserWarning, match="rows has labels that the model does not know.*: 'ice'"):
        found = align_to_model(model, data, "rows", None)
    np.testing.assert_array_equal(np.asarray(found.y), [[0, 1], [1, 0]])
