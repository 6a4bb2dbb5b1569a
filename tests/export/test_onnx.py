"""ONNX models predict, row by row, what the estimators predict that they were made of."""

import io
import json

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import MultiLabelBinarizer

from slantwood import (
    Hierarchy,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
    __version__,
    load_model,
)
from slantwood.export import encode_inputs, to_onnx
from slantwood.export import onnx as onnx_export
from slantwood.export.traversal import chain_width, linked, stored_bytes

pytestmark = pytest.mark.sampled

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

TREES = [ObliqueTreeClassifier, ObliqueForestClassifier]
SPLITS = ["gradient", "svm"]
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


def run(model, X):
    """Outputs of the ONNX model of an estimator by name, for X as it is."""
    made = to_onnx(model)
    onnx.checker.check_model(made, full_check=True)
    return run_made(made, X)


def run_made(made, X):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        made.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, {"X": np.asarray(X, np.float32)}), strict=True))


def small(kind, **parameters):
    number = {} if "Tree" in kind.__name__ else {"n_estimators": 7}
    return kind(**number, random_state=0, **parameters)


def table(n=160, d=6, seed=0, gaps=0.0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d)).astype(np.float32)
    X[random.random((n, d)) < gaps] = np.nan
    return X


def signal(X, n_columns=1, seed=1):
    random = np.random.default_rng(seed)
    X = np.nan_to_num(X)
    return X @ random.normal(size=(X.shape[1], n_columns)) + random.normal(
        scale=0.3, size=(len(X), n_columns)
    )


def agrees(model, X, predicted_as=None):
    """Check the probabilities and the labels of all rows."""
    out = run(model, encode_inputs(model, X))
    np.testing.assert_allclose(out["probabilities"], model.predict_proba(X), rtol=0, atol=1e-6)
    predicted = model.predict(X) if predicted_as is None else predicted_as
    predicted = predicted.toarray() if sp.issparse(predicted) else predicted
    np.testing.assert_array_equal(out["label"], predicted)
    return out


def agrees_in_numbers(model, X):
    out = run(model, encode_inputs(model, X))
    expected = model.predict(X).reshape(len(out["variable"]), -1)
    np.testing.assert_allclose(out["variable"], expected, rtol=1e-12)
    return out


# ---- every task


@pytest.mark.parametrize("kind", TREES)
@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_two_classes(kind, split, gaps):
    X = table(gaps=gaps)
    model = small(kind, split=split).fit(X[:100], (signal(X) > 0).ravel()[:100].astype(int))
    out = agrees(model, X)
    assert out["label"].dtype == np.int64
    assert out["probabilities"].dtype == np.float32


@pytest.mark.parametrize("kind", TREES)
@pytest.mark.parametrize("n_classes", [1, 2, 3])
def test_classes_that_have_weights(kind, n_classes):
    X = table()
    y = np.minimum(np.argmax(signal(X, 4), axis=1), n_classes - 1)
    weights = {0: 0.3, 1: 2.0, 2: 5.0}
    agrees(small(kind, class_weight={k: weights[k] for k in range(n_classes)}).fit(X[:100], y[:100]), X)


@pytest.mark.parametrize("kind", TREES)
@pytest.mark.parametrize("split", SPLITS)
def test_several_classes_of_text(kind, split):
    X = table()
    y = np.array(["red", "green", "blue"])[np.argmax(signal(X, 3), axis=1)]
    agrees(small(kind, split=split).fit(X[:100], y[:100]), X)


@pytest.mark.parametrize(
    ("classes", "named"),
    [
        ([False, True], [0, 1]),
        ([-3, 10**15], [-3, 10**15]),
        ([1.0, 2.0], [1, 2]),
        ([0.5, 2.0], ["0.5", "2.0"]),
        (np.array([1, 2**63 + 1], np.uint64), ["1", str(2**63 + 1)]),
        (np.array(["no", "yes"], object), ["no", "yes"]),
    ],
)
def test_names_of_classes(classes, named):
    classes = np.asarray(classes)
    # The rule itself: some of these scikit-learn would not take as classes.
    assert onnx_export._class_values(classes).tolist() == named


def test_classes_that_are_booleans_are_numbers():
    X = table()
    model = small(ObliqueTreeClassifier).fit(X, (signal(X) > 0).ravel())
    assert run(model, X)["label"].tolist() == model.predict(X).astype(int).tolist()


@pytest.mark.parametrize("kind", TREES)
def test_one_class_only(kind):
    X = table(30)
    out = agrees(small(kind).fit(X, np.full(30, "same")), X)
    assert (out["probabilities"] == 1).all()


@pytest.mark.parametrize("kind", TREES)
@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_labels(kind, split, form):
    X = table(gaps=0.1)
    Y = (signal(X, 12) > 1.5).astype(np.int64)
    model = small(kind, split=split, threshold=0.3).fit(X[:100], form(Y[:100]))
    agrees(model, X)


def test_label_sets_are_an_indicator_in_the_order_of_classes():
    X = table()
    Y = (signal(X, 3) > 0).astype(int)
    sets = [tuple(np.array(["c", "a", "b"])[row > 0]) for row in Y]
    model = small(ObliqueForestClassifier).fit(X[:100], sets[:100])
    binarizer = MultiLabelBinarizer(classes=model.classes_)
    agrees(model, X, binarizer.fit_transform(model.predict(X)))


def test_rare_labels_are_summed_over_what_leaves_store():
    X = table(400, 8)
    Y = (signal(X, 60) > 5).astype(np.float32)
    model = small(ObliqueForestClassifier).fit(X[:300], sp.csr_array(Y[:300]))
    assert not model.trees_.leaves.is_dense
    out = agrees(model, X)
    np.testing.assert_array_equal(out["probabilities"], model.predict_proba(X))  # to the last bit


def test_no_label_at_all():
    X = table(30)
    model = small(ObliqueForestClassifier).fit(X, sp.csr_array((30, 5), dtype=np.float32))
    out = agrees(model, X)
    assert not out["probabilities"].any()


@pytest.mark.parametrize("threshold", ["f1_macro", "f1_micro", [0.2, 0.4, 0.1, 0.3]])
def test_thresholds_of_labels(threshold):
    X = table()
    Y = (signal(X, 4) > 1).astype(int)
    agrees(small(ObliqueForestClassifier, threshold=threshold).fit(X[:100], Y[:100]), X)


@pytest.mark.parametrize("threshold", [0.0, 0.2, 0.5, 0.8])
def test_the_threshold_of_two_classes(threshold):
    X = table()
    y = np.where(signal(X).ravel() > 0, "yes", "no")
    agrees(small(ObliqueForestClassifier, threshold=threshold, max_depth=2).fit(X[:100], y[:100]), X)


@pytest.mark.parametrize("kind", TREES)
@pytest.mark.parametrize("as_sets", [True, False])
@pytest.mark.parametrize("each", [True, False])
def test_labels_of_a_hierarchy(kind, as_sets, each):
    X = table(120)
    lowest = np.array(["cat", "pug", "poodle"])[np.argmax(signal(X, 3), axis=1)]
    sets = [{label} for label in lowest]
    Y = ANIMALS.closure(ANIMALS.indicator(sets)).toarray()
    # Thresholds that choose special labels without the general ones, as long as nothing closes the sets.
    limits = np.array([0.95 if ANIMALS.children(label) else 0.1 for label in ANIMALS.nodes])
    threshold = limits if each else 0.4
    model = small(kind, hierarchy=ANIMALS, threshold=threshold, min_samples_split=20)
    model.fit(X[:80], sets[:80] if as_sets else Y[:80])
    predicted = model.predict(X)
    if as_sets:
        predicted = ANIMALS.closure(ANIMALS.indicator(predicted)).toarray()
    out = agrees(model, X, predicted)
    if each:
        assert (out["label"] != (out["probabilities"] > limits)).any()


@pytest.mark.parametrize("kind", [ObliqueTreeRegressor, ObliqueForestRegressor])
@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("n_targets", [0, 1, 3])
def test_numbers(kind, split, n_targets):
    X = table(gaps=0.1)
    y = signal(X, max(n_targets, 1))
    y = y.ravel() if n_targets == 0 else y
    out = agrees_in_numbers(small(kind, split=split).fit(X[:100], y[:100]), X)
    assert out["variable"].shape == (len(X), max(n_targets, 1))


def test_large_numbers_keep_their_digits():
    X = table()
    y = 1.7e9 + signal(X).ravel()  # seconds since 1970, say
    agrees_in_numbers(small(ObliqueForestRegressor).fit(X, y), X)


# ---- every form of tree


@pytest.mark.parametrize("kind", TREES)
def test_trees_that_are_a_leaf(kind):
    X = table()
    y = (signal(X) > 0.3).ravel().astype(int)
    model = small(kind, min_samples_split=1000).fit(X, y)
    assert (model.trees_.left < 0).all()
    agrees(model, X)


def test_some_trees_are_a_leaf():
    X = np.array([[0.0], [0.0], [0.0], [1.0]])
    model = ObliqueForestClassifier(n_estimators=30, bootstrap=True, random_state=0).fit(X, [0, 0, 0, 1])
    lone = model.trees_.left[model.trees_.roots] < 0
    assert lone.any()
    assert not lone.all()
    agrees(model, np.array([[0.0], [0.5], [1.0], [np.nan]]))


@pytest.mark.parametrize("gaps", [0.0, 0.2])
@pytest.mark.parametrize("missing_indicators", [True, False])
def test_rows_of_length_one(gaps, missing_indicators):
    X = np.abs(table(gaps=gaps))
    X[5] = 0
    y = (signal(X) > 1).ravel().astype(int)
    model = small(ObliqueForestClassifier, normalize_rows=True, missing_indicators=missing_indicators)
    agrees(model.fit(X[:100], y[:100]), X)


def test_marks_of_missing_cells_are_made_in_the_graph():
    X = table(gaps=0.3)
    X[:, 2] = np.nan_to_num(X[:, 2])
    y = np.isnan(X[:, 0]).astype(int)
    model = small(ObliqueForestClassifier, missing_indicators=True).fit(X, y)
    assert len(model.split_feature_names_) == 11
    out = run(model, X)
    np.testing.assert_allclose(out["probabilities"], model.predict_proba(X), rtol=0, atol=1e-6)
    np.testing.assert_array_equal(encode_inputs(model, X), X)


def test_nominal_columns_come_encoded():
    pd = pytest.importorskip("pandas")
    X = table(200, 3, gaps=0.1)
    colour = np.array(["red", "green", "blue", None], object)[np.arange(200) % 4]
    frame = pd.DataFrame({"a": X[:, 0], "colour": colour, "b": X[:, 1]})
    y = ((colour == "red") ^ (X[:, 0] > 0)).astype(int)
    model = small(ObliqueForestClassifier, missing_indicators=True, normalize_rows=False).fit(frame, y)
    agrees(model, frame)
    made = to_onnx(model)
    assert "encoded" in made.doc_string
    properties = {each.key: each.value for each in made.metadata_props}
    assert properties["input_is_encoded"] == "true"
    assert json.loads(properties["feature_names"]) == model.split_feature_names_.tolist()
    assert encode_inputs(model, frame).shape == (200, len(model.split_feature_names_))


def test_sparse_and_wide():
    random = np.random.default_rng(0)
    X = sp.random_array((300, 2000), density=0.02, rng=random, format="csr", dtype=np.float32)
    Y = sp.csr_array((X @ random.normal(size=(2000, 10)) > 3).astype(np.float32))
    for split in SPLITS:
        model = small(ObliqueForestClassifier, split=split).fit(X[:200], Y[:200])
        out = run(model, encode_inputs(model, X))
        np.testing.assert_allclose(out["probabilities"], model.predict_proba(X.toarray()), rtol=0, atol=1e-6)
        made = to_onnx(model)
        weights = len(model.trees_.indices)
        assert made.ByteSize() < 12 * 2 * weights + 8 * 40 * len(model.trees_.left) + 2**17


@pytest.mark.parametrize("width", [1, 2, 5, 32])
def test_any_width_of_links_finds_the_same_leaves(width, monkeypatch):
    monkeypatch.setattr(onnx_export, "chain_width", lambda trees: width)
    X = table(gaps=0.1, d=11)
    y = signal(X, 2)
    agrees_in_numbers(small(ObliqueForestRegressor, max_features=None).fit(X[:100], y[:100]), X)


def test_links_hold_every_weight_once():
    X = table(d=11)
    trees = small(ObliqueForestRegressor).fit(X, signal(X)).trees_
    for width in (1, 3, chain_width(trees)):
        links = linked(trees, width)
        assert np.count_nonzero(links.weights) == np.count_nonzero(trees.weights)
        np.testing.assert_allclose(links.weights.sum(dtype=float), trees.weights.sum(dtype=float))
        ends = np.concatenate([links.left[links.left < 0], links.right[links.right < 0]])
        np.testing.assert_array_equal(np.sort(-1 - ends), np.sort(trees.leaf[trees.left < 0]))


def test_width_of_links_where_the_rows_of_nodes_are_not_known():
    X = table(d=40)
    forest = small(ObliqueForestClassifier, max_features=None).fit(X, X[:, 0] > 0)
    file = io.BytesIO()
    forest.save(file, predict_only=True)
    file.seek(0)
    loaded = load_model(file)
    assert chain_width(loaded.trees_) > 1
    np.testing.assert_allclose(run(loaded, X)["probabilities"], forest.predict_proba(X), atol=1e-6)


def test_size_is_known_beforehand():
    X = table(400, 11)
    model = small(ObliqueForestRegressor).fit(X, signal(X, 3))
    tables = stored_bytes(model.trees_, chain_width(model.trees_))
    assert tables <= to_onnx(model).ByteSize() < tables + 2**16


# ---- any numbers


whole = st.integers(-2, 2).map(float)
cells = st.one_of(whole, whole, st.just(np.nan), st.floats(-3, 3, width=32))


@given(st.data())
def test_any_small_model(data):
    n, d = data.draw(st.integers(2, 12)), data.draw(st.integers(1, 4))
    rows = st.lists(st.lists(cells, min_size=d, max_size=d), min_size=n, max_size=n)
    X = np.array(data.draw(rows), np.float32)
    y = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    model = ObliqueForestClassifier(
        n_estimators=data.draw(st.integers(1, 4)),
        split=data.draw(st.sampled_from(SPLITS)),
        normalize_rows=data.draw(st.booleans()),
        missing_indicators=data.draw(st.sampled_from([False, True, "auto"])),
        min_samples_split=2,
        random_state=0,
    ).fit(X, y)
    n_new = data.draw(st.integers(1, 6))
    new = data.draw(st.lists(st.lists(cells, min_size=d, max_size=d), min_size=n_new, max_size=n_new))
    agrees(model, np.concatenate([X, np.array(new, np.float32)]))


@pytest.mark.parametrize("seed", range(4))
def test_rows_on_a_boundary_go_to_the_same_side(seed):
    # Training rows have even numbers, so many rows with odd ones lie exactly on a boundary.
    random = np.random.default_rng(seed)
    X = 2.0 * random.integers(-2, 3, (80, 9))
    y = signal(X, 2, seed)
    model = small(
        ObliqueForestRegressor, split=SPLITS[seed % 2], max_features=None, normalize_rows=False
    ).fit(X, y)
    between = (X[random.integers(0, 80, 4000)] + X[random.integers(0, 80, 4000)]) / 2
    agrees_in_numbers(model, between)


# ---- the model as a file


@pytest.mark.parametrize("n", [0, 1])
@pytest.mark.parametrize("sparse_labels", [True, False])
def test_few_rows(n, sparse_labels):
    X = table(100, 8)
    Y = (signal(X, 40) > 4).astype(np.float32)
    model = small(ObliqueForestClassifier, normalize_rows=True)
    model.fit(X, sp.csr_array(Y) if sparse_labels else Y[:, 0] + (X[:, 0] > 0))
    assert model.trees_.leaves.is_dense is not sparse_labels
    out = run(model, X[:n])
    assert out["probabilities"].shape == (n, len(model.classes_))
    assert len(out["label"]) == n
    if n:
        np.testing.assert_allclose(out["probabilities"], model.predict_proba(X[:n]), rtol=0, atol=1e-6)


def test_file_is_the_model(tmp_path):
    X = table()
    model = small(ObliqueTreeRegressor).fit(X, signal(X).ravel())
    path = tmp_path / "tree.onnx"
    made = to_onnx(model, path, name="my_tree")
    assert path.read_bytes() == made.SerializeToString()
    assert [each.name for each in tmp_path.iterdir()] == ["tree.onnx"]
    assert made.graph.name == "my_tree"
    assert [each.name for each in made.graph.output] == ["variable"]
    assert to_onnx(model, str(path)).graph.name == "slantwood"


def test_model_says_what_it_is():
    pd = pytest.importorskip("pandas")
    X = table(d=3)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    y = np.array(["no", "yes"])[(signal(X) > 0).ravel().astype(int)]
    made = to_onnx(small(ObliqueForestClassifier).fit(frame, y))
    properties = {each.key: each.value for each in made.metadata_props}
    assert json.loads(properties["feature_names"]) == ["a", "b", "c"]
    assert json.loads(properties["classes"]) == ["no", "yes"]
    assert properties["task"] == "binary"
    assert properties["slantwood_version"] == made.producer_version == __version__
    assert [each.version for each in made.opset_import] == [17]
    dimensions = made.graph.input[0].type.tensor_type.shape.dim
    assert (dimensions[0].dim_param, dimensions[1].dim_value) == ("N", 3)


def test_labels_of_a_hierarchy_are_named():
    X = table(40)
    sets = [{"pug"} if positive else {"cat"} for positive in X[:, 0] > 0]
    made = to_onnx(small(ObliqueTreeClassifier, hierarchy=ANIMALS).fit(X, sets))
    properties = {each.key: each.value for each in made.metadata_props}
    assert properties["task"] == "hierarchical multi-label"
    assert json.loads(properties["classes"]) == list(ANIMALS.nodes)


def test_nothing_is_stored_that_is_not_used():
    X = table()
    for y in (np.argmax(signal(X, 3), axis=1), (signal(X) > 0).ravel(), np.zeros(len(X)), signal(X, 5) > 2):
        made = to_onnx(small(ObliqueForestClassifier).fit(X, y))
        used = {name for node in made.graph.node for name in node.input}
        for node in made.graph.node:
            for attribute in node.attribute:
                used |= {name for inner in attribute.g.node for name in inner.input}
        assert {each.name for each in made.graph.initializer} <= used


# ---- what cannot be exported


def test_model_must_be_fitted():
    with pytest.raises(NotFittedError):
        to_onnx(ObliqueForestClassifier())
    with pytest.raises(NotFittedError):
        encode_inputs(ObliqueForestClassifier(), table())


@pytest.mark.parametrize("model", [LogisticRegression(), None, ObliqueForestClassifier])
def test_model_must_be_one_of_slantwood(model):
    with pytest.raises(TypeError, match=r"model=.*pipeline that holds one"):
        to_onnx(model)


@pytest.fixture(scope="module")
def tree():
    X = table(40)
    return small(ObliqueTreeRegressor).fit(X, signal(X).ravel())


@pytest.mark.parametrize("opset", range(16, min(22, onnx.defs.onnx_opset_version()) + 1))
def test_every_opset_predicts_the_same(opset):
    X = table(gaps=0.1)
    Y = sp.csr_array((signal(X, 20) > 3).astype(np.float32))  # rare labels: sums over what leaves store
    model = small(ObliqueForestClassifier, max_features=None, normalize_rows=True).fit(X, Y)
    made = to_onnx(model, opset=opset)
    onnx.checker.check_model(made, full_check=True)
    assert [each.version for each in made.opset_import] == [opset]
    np.testing.assert_array_equal(run_made(made, X)["probabilities"], run(model, X)["probabilities"])


@pytest.mark.parametrize(
    ("opset", "error", "words"),
    [(15, ValueError, "from 16 to 2"), (23, ValueError, "from 16 to 2"), ("17", TypeError, "whole number")],
)
def test_other_opsets_are_refused(tree, opset, error, words):
    with pytest.raises(error, match=rf"opset={opset!r}.*{words}"):
        to_onnx(tree, opset=opset)


@pytest.mark.parametrize("name", ["", 3])
def test_name_must_be_a_word(tree, name):
    with pytest.raises(TypeError, match="name="):
        to_onnx(tree, name=name)


def test_folder_must_exist(tree, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"tree\.onnx"):
        to_onnx(tree, tmp_path / "nowhere" / "tree.onnx")


def test_too_large_is_said_before_anything_is_written(tree, tmp_path, monkeypatch):
    monkeypatch.setattr(onnx_export, "_MOST_BYTES", 100)
    with pytest.raises(ValueError, match=r"GB as ONNX.*max_depth"):
        to_onnx(tree, tmp_path / "tree.onnx")
    assert not list(tmp_path.iterdir())


def test_missing_onnx_is_named(tree, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install 'slantwood\[onnx\]'"):
        to_onnx(tree)


def test_several_targets_have_outputs_of_their_own():
    import pandas as pd

    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4)).astype(np.float32)
    y = pd.DataFrame(
        {
            "kind": np.array(["elm", "fir", "oak"])[np.digitize(X[:, 0], [-0.5, 0.5])],
            "height": 100 + X[:, 1].astype(np.float64),
            "rings": np.where(X[:, 2] > 0, 7, 3),
        }
    )
    model = ObliqueForestClassifier(n_estimators=3, random_state=0).fit(X, y)
    outputs, predicted, shares = run(model, X), model.predict(X), model.predict_proba(X)
    assert set(outputs) == {"label_0", "probabilities_0", "variable_1", "label_2", "probabilities_2"}
    for j in (0, 2):
        assert (outputs[f"label_{j}"] == predicted[:, j]).all()
        np.testing.assert_allclose(outputs[f"probabilities_{j}"], shares[j], atol=1e-6)
    assert (outputs["variable_1"][:, 0] == predicted[:, 1]).all()
    properties = {each.key: each.value for each in to_onnx(model).metadata_props}
    assert json.loads(properties["classes"]) == [["elm", "fir", "oak"], None, [3, 7]]
    assert json.loads(properties["target_names"]) == ["kind", "height", "rings"]
