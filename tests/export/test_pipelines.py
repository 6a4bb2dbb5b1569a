"""ONNX models of whole pipelines predict what the pipelines predict, whatever the task and the steps."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import StackingClassifier, StackingRegressor
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from slantwood import (
    Hierarchy,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
)
from slantwood.export import register_onnx, to_onnx

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")
skl2onnx = pytest.importorskip("skl2onnx")

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(150, 5)).astype(np.float32) * [1, 10, 100, 1, 1] + [0, 5, 0, -3, 0]
X = X.astype(np.float32)
SIGNAL = StandardScaler().fit_transform(X) @ RANDOM.normal(size=(5, 3))
Y = (SIGNAL > 0.5).astype(int)
COLOURS = np.array(["red", "green", "blue"], object)


def forest(**parameters):
    return ObliqueForestClassifier(n_estimators=5, random_state=0, **parameters)


def small(kind):
    return {"random_state": 0} | ({"n_estimators": 5} if "Forest" in kind.__name__ else {})


def outputs(made, X):
    """Outputs by name, for a matrix or for the columns of a data frame."""
    onnx.checker.check_model(made, full_check=True)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 3
    session = onnxruntime.InferenceSession(
        made.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    types = {
        "tensor(float)": np.float32,
        "tensor(int64)": np.int64,
        "tensor(string)": object,
        "tensor(double)": float,
    }
    fed = {
        each.name: np.asarray(X[each.name] if hasattr(X, "columns") else X, types[each.type])
        for each in session.get_inputs()
    }
    fed = {name: value.reshape(len(value), -1) for name, value in fed.items()}
    names = [each.name for each in session.get_outputs()]
    return dict(zip(names, session.run(names, fed), strict=True))


def agrees(pipeline, made, X, predicted=None):
    out = outputs(made, X)
    predicted = pipeline.predict(X) if predicted is None else predicted
    if "variable" in out:
        np.testing.assert_allclose(out["variable"], predicted.reshape(len(X), -1), rtol=1e-5, atol=1e-5)
        return out
    np.testing.assert_array_equal(out["label"], predicted)
    np.testing.assert_allclose(out["probabilities"], pipeline.predict_proba(X), rtol=0, atol=1e-6)
    return out


# ---- every task


@pytest.mark.parametrize("kind", [ObliqueTreeClassifier, ObliqueForestClassifier])
@pytest.mark.parametrize("y", [Y[:, 0], COLOURS[SIGNAL.argmax(axis=1)], Y], ids=["two", "three", "labels"])
def test_classes_and_labels(kind, y):
    pipeline = make_pipeline(StandardScaler(), kind(**small(kind))).fit(X, y)
    out = agrees(pipeline, to_onnx(pipeline), X)
    assert list(out) == ["label", "probabilities"]


def test_hierarchies():
    hierarchy = Hierarchy.from_edges([("animal", "cat"), ("animal", "dog"), ("dog", "pug")])
    sets = [{name} for name in np.array(["cat", "pug", "dog"])[SIGNAL.argmax(axis=1)]]
    pipeline = make_pipeline(StandardScaler(), forest(hierarchy=hierarchy)).fit(X, sets)
    predicted = hierarchy.closure(hierarchy.indicator(pipeline.predict(X))).toarray()
    agrees(pipeline, to_onnx(pipeline), X, predicted)


@pytest.mark.parametrize("y", [SIGNAL[:, 0], SIGNAL], ids=["one", "three"])
@pytest.mark.parametrize("kind", [ObliqueTreeRegressor, ObliqueForestRegressor])
def test_numbers(kind, y):
    pipeline = make_pipeline(StandardScaler(), kind(**small(kind))).fit(X, y)
    out = agrees(pipeline, to_onnx(pipeline), X)
    assert list(out) == ["variable"]


# ---- steps before the estimator


@pytest.mark.parametrize(
    "steps",
    [
        [SimpleImputer(), StandardScaler()],
        [StandardScaler(), SelectKBest(k=3)],
        [StandardScaler(), PCA(3, svd_solver="full")],
        [make_column_transformer((StandardScaler(), [0, 2]), remainder="passthrough")],
        [FunctionTransformer()],
    ],
    ids=lambda steps: type(steps[-1]).__name__,
)
def test_steps_of_numbers(steps):
    pipeline = make_pipeline(*steps, forest()).fit(X, Y[:, 0])
    agrees(pipeline, to_onnx(pipeline), X)


def test_missing_values_are_filled_by_the_imputer_or_go_through_to_the_estimator():
    gaps = np.where(RANDOM.random(X.shape) < 0.1, np.float32(np.nan), X)
    for steps in ([SimpleImputer()], [StandardScaler()]):
        pipeline = make_pipeline(*steps, forest()).fit(gaps, Y[:, 0])
        agrees(pipeline, to_onnx(pipeline), gaps)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_columns_of_a_frame_become_inputs_with_their_names(library):
    frames = pytest.importorskip(library)
    columns = {name: X[:, j] for j, name in enumerate("abc")}
    columns["age"] = RANDOM.integers(20, 60, len(X))
    columns["colour"] = COLOURS[RANDOM.integers(0, 3, len(X))]
    frame = frames.DataFrame(columns)
    y = (columns["colour"] == "red") ^ (columns["age"] > 40)
    by_column = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), ["a", "b", "age"]),
        (OneHotEncoder(handle_unknown="ignore"), ["colour"]),
        (StandardScaler(), ["c"]),
    )
    pipeline = make_pipeline(by_column, forest()).fit(frame, y)
    made = to_onnx(pipeline, X=frame[:3])
    assert [each.name for each in made.graph.input] == list(columns)
    agrees(pipeline, made, frame)
    columns["colour"] = np.full(len(X), "purple", object)  # which was never seen
    agrees(pipeline, made, frames.DataFrame(columns))
    with pytest.raises(ValueError, match=r"give X, some rows of it"):
        to_onnx(pipeline)


@pytest.mark.parametrize(
    "steps",
    # Lower case would need a locale that not every machine has.
    [[TfidfVectorizer(lowercase=False)], [CountVectorizer(lowercase=False), TfidfTransformer()]],
    ids=["tfidf", "counts"],
)
def test_text(steps):
    words = np.array(["oak", "elm", "ash", "fir", "yew"])
    texts = np.array([" ".join(words[RANDOM.integers(0, 5, 6)]) for _ in range(80)], object)
    y = np.array(["oak" in text for text in texts])
    pipeline = make_pipeline(*steps, forest()).fit(texts, y)
    agrees(pipeline, to_onnx(pipeline, X=texts), texts)
    with pytest.raises(ValueError, match="give X, some rows"):
        to_onnx(pipeline)


def test_an_estimator_alone_takes_the_columns_of_a_frame_too():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=list("vwxyz"))
    model = forest().fit(frame, Y[:, 0])
    made = to_onnx(model, X=frame)
    assert [each.name for each in made.graph.input] == list("vwxyz")
    agrees(model, made, frame)


# ---- what stands around


def test_a_search_an_ensemble_and_a_calibration_hold_estimators():
    y = np.array(["no", "yes"])[Y[:, 0]]
    others = GaussianNB()
    for model in (
        GridSearchCV(Pipeline([("scale", StandardScaler()), ("f", forest())]), {"f__max_depth": [2, 3]}),
        make_pipeline(StandardScaler(), StackingClassifier([("ours", forest()), ("theirs", others)], cv=2)),
        CalibratedClassifierCV(forest(), cv=2),
    ):
        model.fit(X, y)
        agrees(model, to_onnx(model), X)
    stacked = StackingRegressor([("ours", ObliqueTreeRegressor(random_state=0)), ("theirs", Ridge())], cv=2)
    stacked.fit(X, SIGNAL[:, 0])
    out = outputs(to_onnx(stacked), X)["variable"]
    np.testing.assert_allclose(out.ravel(), stacked.predict(X), rtol=1e-3, atol=1e-3)


def test_two_forests_in_one_model_do_not_mix_their_values():
    stacked = StackingClassifier([("a", forest()), ("b", forest(split="svm"))], forest(), cv=2)
    stacked.fit(X, Y[:, 0])
    agrees(stacked, to_onnx(stacked), X)


def test_skl2onnx_itself_converts_after_registration():
    pipeline = make_pipeline(StandardScaler(), forest()).fit(X, Y[:, 0])
    register_onnx()
    register_onnx()
    made = skl2onnx.to_onnx(pipeline, X[:1].astype(float), target_opset=18)
    agrees(pipeline, made, X.astype(float))
    with pytest.raises(ValueError, match="opset=12 must be from 16"):
        skl2onnx.to_onnx(pipeline, X[:1], target_opset=12)


@pytest.mark.parametrize("opset", [16, 18, 21])
def test_opsets(opset):
    pipeline = make_pipeline(StandardScaler(), forest()).fit(X, Y)
    made = to_onnx(pipeline, opset=opset)
    assert {each.version for each in made.opset_import if each.domain == ""} == {opset}
    agrees(pipeline, made, X)


def test_the_file_is_written_and_says_what_the_estimator_is(tmp_path):
    y = np.array(["no", "yes"])[Y[:, 0]]
    pipeline = make_pipeline(StandardScaler(), forest()).fit(X, y)
    made = to_onnx(pipeline, tmp_path / "pipeline.onnx", name="mine")
    assert (tmp_path / "pipeline.onnx").read_bytes() == made.SerializeToString()
    assert made.graph.name == "mine"
    properties = {each.key: each.value for each in made.metadata_props}
    assert properties["task"] == "binary"
    assert properties["classes"] == '["no", "yes"]'


# ---- what cannot be converted


class Doubled(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X):
        return 2 * X


@pytest.mark.parametrize("step", [Doubled(), FunctionTransformer(np.abs)])
def test_a_step_that_cannot_be_converted_is_named(step, tmp_path):
    pipeline = make_pipeline(step, forest()).fit(X, Y[:, 0])
    path, name = tmp_path / "pipeline.onnx", type(step).__name__
    with pytest.raises(ValueError, match=rf"skl2onnx .* cannot convert: .*{name}.*pipeline\[-1\]"):
        to_onnx(pipeline, path)
    assert not path.exists()


def test_nominal_columns_want_an_encoder():
    table = np.array([[1, "red"], [2, "green"], [3, "blue"], [4, "red"]] * 5, dtype=object)
    pipeline = make_pipeline(FunctionTransformer(), forest(categorical_features=[1]))
    pipeline.fit(table, [0, 0, 1, 1] * 5)
    with pytest.raises(ValueError, match=r"nominal columns.*OneHotEncoder"):
        to_onnx(pipeline, X=table)


def test_rows_of_another_width_are_refused():
    with pytest.raises(ValueError, match=r"X has 3 columns.*takes 5"):
        to_onnx(forest().fit(X, Y[:, 0]), X=X[:, :3])


def test_pipelines_must_be_fitted_and_hold_an_estimator():
    with pytest.raises(NotFittedError):
        to_onnx(make_pipeline(StandardScaler(), forest()))
    with pytest.raises(TypeError, match="pipeline that holds one"):
        to_onnx(make_pipeline(StandardScaler(), GaussianNB()).fit(X, Y[:, 0]))


def test_missing_skl2onnx_is_named(monkeypatch):
    pipeline = make_pipeline(StandardScaler(), forest()).fit(X, Y[:, 0])
    monkeypatch.setitem(__import__("sys").modules, "skl2onnx", None)
    with pytest.raises(ImportError, match=r"skl2onnx; install it with: pip install 'slantwood\[onnx\]'"):
        to_onnx(pipeline)
    to_onnx(pipeline[-1])
