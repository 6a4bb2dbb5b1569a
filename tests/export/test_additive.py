"""ONNX models of boosted trees predict, row by row, what the estimators predict."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from slantwood import Hierarchy, ObliqueBoostingClassifier, ObliqueBoostingRegressor
from slantwood.export import encode_inputs, to_onnx
from slantwood.export.additive import _add_consistency
from slantwood.export.nodes import Nodes, typed
from slantwood.losses import HuberLoss, QuantileLoss, TweedieLoss

pytestmark = pytest.mark.sampled

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

HOW = {"n_estimators": 4, "early_stopping": False, "learning_rate": 0.5, "random_state": 0}
ANIMALS = Hierarchy.from_edges(
    [
        ("animal", "cat"),
        ("animal", "dog"),
        ("dog", "pug"),
        ("dog", "poodle"),
        ("small", "pug"),
        ("small", "cat"),
    ]
)

random = np.random.default_rng(0)
X = random.normal(size=(120, 4)).astype(np.float32)
SIGNAL = X @ random.normal(size=(4, 6)) + 0.3 * random.normal(size=(120, 6))


def run(made, X):
    onnx.checker.check_model(made, full_check=True)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        made.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, {"X": np.asarray(X, np.float32)}), strict=True))


def agrees_in_numbers(model, X):
    out = run(to_onnx(model), encode_inputs(model, X))
    np.testing.assert_allclose(out["variable"], model.predict(X).reshape(len(X), -1), rtol=1e-6)


def agrees(model, X):
    out = run(to_onnx(model), encode_inputs(model, X))
    np.testing.assert_allclose(out["probabilities"], model.predict_proba(X), rtol=0, atol=1e-6)
    predicted = model.predict(X)
    np.testing.assert_array_equal(out["label"], predicted.toarray() if sp.issparse(predicted) else predicted)


@pytest.mark.parametrize("n_targets", [1, 2])
@pytest.mark.parametrize(
    "loss",
    ["squared_error", "absolute_error", "poisson", "gamma", TweedieLoss(1.3), HuberLoss(), QuantileLoss(0.8)],
    ids=lambda loss: loss if isinstance(loss, str) else loss.name,
)
def test_numbers_of_every_loss(loss, n_targets):
    y = np.exp(SIGNAL[:, :n_targets])
    agrees_in_numbers(ObliqueBoostingRegressor(loss=loss, **HOW).fit(X[:90], y[:90]), X)


def test_a_logarithm_that_is_out_of_range_is_cut_off_where_the_loss_cuts_it_off():
    y = np.exp(5 * SIGNAL[:, :1])
    model = ObliqueBoostingRegressor(loss="gamma", **HOW | {"learning_rate": 1.0}).fit(X, y)
    model.trees_.leaves.values[:] *= 100
    agrees_in_numbers(model, X)


@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_two_classes(gaps):
    holes = np.where(np.random.default_rng(1).random(X.shape) < gaps, np.nan, X)
    agrees(ObliqueBoostingClassifier(**HOW).fit(holes[:90], SIGNAL[:90, 0] > 0), holes)


def test_several_classes_of_text():
    y = np.array(["red", "green", "blue"])[np.argmax(SIGNAL[:, :3], axis=1)]
    agrees(ObliqueBoostingClassifier(class_weight="balanced", **HOW).fit(X[:90], y[:90]), X)


@pytest.mark.parametrize("threshold", [0.5, [0.2, 0.5, 0.9]], ids=["one", "several"])
def test_labels(threshold):
    Y = (SIGNAL[:, :3] > 0.3).astype(int)
    agrees(ObliqueBoostingClassifier(threshold=threshold, **HOW).fit(X[:90], Y[:90]), X)


@pytest.mark.parametrize("threshold", [0.5, 0.3])
def test_labels_of_a_hierarchy_are_consistent(threshold):
    Y = ANIMALS.closure(SIGNAL[:, : len(ANIMALS)] > 1.0).astype(int)
    model = ObliqueBoostingClassifier(hierarchy=ANIMALS, threshold=threshold, **HOW).fit(X[:90], Y[:90])
    agrees(model, X)


@pytest.mark.parametrize("n_labels", [1, 2, 9, 40])
def test_every_label_gets_the_largest_score_of_those_below_it(n_labels):
    random = np.random.default_rng(n_labels)
    pairs = [(random.integers(child), child) for child in range(1, n_labels) for _ in range(2)]
    hierarchy = Hierarchy(range(n_labels), {(int(above), below) for above, below in pairs})
    scores = random.random((7, n_labels)).astype(np.float32)
    graph = Nodes()
    out = _add_consistency(graph, "X", hierarchy)
    inputs, outputs = ([typed(each, np.float32, ("N", n_labels))] for each in ("X", out))
    made = onnx.helper.make_model(
        graph.graph("g", inputs, outputs, initializer=graph.constants),
        opset_imports=[onnx.helper.make_opsetid("", 16)],
        ir_version=8,
    )
    np.testing.assert_array_equal(run(made, scores)[out], hierarchy.consistent(scores))


def test_the_steps_of_a_pipeline_come_before():
    pytest.importorskip("skl2onnx")
    model = make_pipeline(StandardScaler(), ObliqueBoostingRegressor(**HOW)).fit(X, SIGNAL[:, 0])
    out = run(to_onnx(model), X)["variable"].ravel()
    # Steps of scikit-learn compute in float32: a row on a boundary may go to the other side.
    assert np.mean(np.isclose(out, model.predict(X), rtol=1e-4, atol=1e-4)) > 0.97
