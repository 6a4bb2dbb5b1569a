"""Claims about inputs of the wrong kind: errors name what is given and the remedy, in a few words."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from slantwood import (
    LabelTreeClassifier,
    ObliqueBoostingClassifier,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    TailReranker,
)
from slantwood.data import Data, scan, write
from slantwood.explain import contributions, fidelity, read_tree
from slantwood.export import encode_inputs, export_text, to_onnx
from slantwood.metrics import propensities

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 3)).astype(np.float32)
Y = (rng.random((40, 4)) < 0.5).astype(int)
CLASSES = (X[:, 0] > 0).astype(int)


@pytest.mark.parametrize("model", [ObliqueTreeClassifier, ObliqueForestClassifier, ObliqueBoostingClassifier])
@pytest.mark.parametrize(
    ("weights", "kind"), [("balanced_subsample", ValueError), ([1.0, 2.0], TypeError), (3, TypeError)]
)
def test_wrong_weights_of_classes_are_refused_with_those_that_are_right(model, weights, kind):
    with pytest.raises(kind, match=r"class_weight=.* give 'balanced', a dict with the weight of each class"):
        model(class_weight=weights).fit(X, CLASSES)


@pytest.mark.parametrize("called", ["X", "y"])
@pytest.mark.parametrize(
    "model", [ObliqueTreeClassifier(), ObliqueForestClassifier(2, max_memory="1GB"), LabelTreeClassifier()]
)
def test_frames_of_dask_are_computed_first_or_given_to_the_estimators_for_them(model, called):
    frame = pytest.importorskip("dask.dataframe").from_pandas(pd.DataFrame(Y, columns=list("abcd")), 2)
    given = (frame, Y) if called == "X" else (X, frame)
    with pytest.raises(
        TypeError, match=rf"{called} is a DataFrame of Dask.*{called}.compute\(\).*slantwood.dask"
    ):
        model.fit(*given)


def test_frames_of_dask_are_not_predicted_by_local_estimators():
    frame = pytest.importorskip("dask.dataframe").from_pandas(pd.DataFrame(X, columns=list("abc")), 2)
    for model in (ObliqueTreeClassifier().fit(X, CLASSES), LabelTreeClassifier(n_forest_trees=0).fit(X, Y)):
        with pytest.raises(TypeError, match=r"X is a DataFrame of Dask.*X.compute\(\)"):
            model.predict(frame)


@pytest.mark.parametrize("model", [ObliqueForestRegressor(2), LabelTreeClassifier(n_forest_trees=0)])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, np.ndarray.tolist])
def test_complex_features_are_refused_in_a_few_words(model, form):
    given = form(rng.normal(size=(200, 50)) + 0j)
    with pytest.raises(ValueError, match="Complex data not supported: X") as raised:
        model.fit(given, np.tile(Y, (5, 1)))
    assert len(str(raised.value)) < 100


def test_complex_targets_are_refused_in_a_few_words():
    with pytest.raises(ValueError, match="Complex data not supported: y") as raised:
        ObliqueTreeClassifier().fit(X, CLASSES + 0j)
    assert len(str(raised.value)) < 100


@pytest.mark.parametrize("name", ["propensity_a", "propensity_b"])
@pytest.mark.parametrize("value", [0.0, 1000.0, np.inf, np.nan])
def test_constants_of_propensities_have_a_range(name, value):
    with pytest.raises(ValueError, match=rf"{name}=.* must be a finite number above 0.0 and at most (5|100)"):
        TailReranker(ObliqueTreeClassifier(), **{name: value}).fit(X, Y)
    with pytest.raises(ValueError, match=r"pass a positive finite number, at most (5|100)"):
        propensities(Y, **{name[-1]: value})


MODELS_WITHOUT_TREES = {
    "label trees": lambda: LabelTreeClassifier(n_forest_trees=0, random_state=0).fit(X, Y),
    "reranker": lambda: TailReranker(LabelTreeClassifier(n_forest_trees=0, random_state=0)).fit(X, Y),
}


@pytest.mark.parametrize("kind", MODELS_WITHOUT_TREES)
def test_models_without_trees_are_refused_by_what_reads_trees(kind):
    model = MODELS_WITHOUT_TREES[kind]()
    forest = ObliqueForestClassifier(2, random_state=0).fit(X, Y)
    calls = (
        lambda: export_text(model),
        lambda: read_tree(model),
        lambda: contributions(model, X),
        lambda: fidelity(model, forest, X),
        lambda: fidelity(forest, model, X),
        lambda: encode_inputs(model, X),
    )
    for call in calls:
        with pytest.raises(TypeError, match="tree, forest or boosted model of slantwood"):
            call()
    pytest.importorskip("onnx")
    with pytest.raises(TypeError, match="tree, forest or boosted model of slantwood"):
        to_onnx(model)


@pytest.mark.parametrize(
    "model", [LabelTreeClassifier(), TailReranker(LabelTreeClassifier())], ids=["label trees", "reranker"]
)
def test_models_that_hold_all_rows_refuse_a_scan_with_the_remedy(model, tmp_path):
    write(Data(X, Y.astype(np.float32), list("xyz"), list("abcd")), tmp_path / "rows.npz")
    rows = scan(tmp_path / "rows.npz", targets=list("abcd"))
    with pytest.raises(
        TypeError, match=r"holds all rows in memory; .* data = X.read\(\).*fit\(data.X, data.y\)"
    ):
        model.fit(rows)
