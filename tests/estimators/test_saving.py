"""Model files: an estimator comes back as it was, in any process, and a wrong file gives an error only.

`make_files_of_version_1` wrote the files of format version 1 in tests/model/files, which must stay readable.
"""

import copy
import io
import json
import pickle
import re
import subprocess
import sys
import tracemalloc
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from slantwood import (
    GradientSplit,
    Hierarchy,
    ModelFileError,
    ObliqueBoostingClassifier,
    ObliqueBoostingRegressor,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
    SVMSplit,
    load_model,
)
from slantwood.ensemble.forest import FittedForest
from slantwood.estimators.saved_values import ValueReader, ValueWriter
from slantwood.losses import TweedieLoss
from slantwood.machine_code import library
from slantwood.model import container
from tests.sampling import examples

# Few trees on purpose: rows that all of them saw, which a warning tells of, are no concern of these claims.
pytestmark = pytest.mark.filterwarnings("ignore:oob_score=True.*no out-of-bag prediction:UserWarning")

FILES = Path(__file__).parents[1] / "model" / "files"
DOCS = Path(__file__).parents[2] / "docs"

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 5)).astype(np.float32)
GAPS = np.where(RNG.random(X.shape) < 0.2, np.nan, X)
SPARSE = sp.csr_array(np.where(RNG.random((60, 30)) < 0.05, 1.0, 0.0).astype(np.float32))
SIGN = (X[:, 0] + X[:, 1] > 0).astype(int)
THREE = SIGN + (X[:, 2] > 0)
LABELS = np.stack([SIGN, X[:, 2] > 0, X[:, 3] > 1, X[:, 0] > 5], axis=1).astype(np.int8)
MANY_LABELS = sp.csr_array(np.eye(40, dtype=np.float64)[RNG.integers(0, 40, 60)])
TREE = Hierarchy.from_paths(["a/b", "a/c", "d"])
DAG = Hierarchy.from_edges([(1, 3), (2, 3), (3, 4), (2, 5)])
SETS = [{"a/b"} if sign else {"a/c", "d"} for sign in SIGN]
NUMBERS = X[:, :2] @ np.array([[1.0, 2.0], [3.0, -1.0]]) + 1000
TABLE = [["red" if x > 0 else "blue", float(y), 7 if x > 1 else 2**70] for x, y in X[:, :2]]


def forest(kind=ObliqueForestClassifier, **parameters):
    return kind(**{"n_estimators": 3, "random_state": 0} | parameters)


def regressor(**parameters):
    return forest(ObliqueForestRegressor, **parameters)


def as_objects(table):
    array = np.empty((len(table), len(table[0])), object)
    array[:] = table
    return array


def fit(model, X, y):
    return model.fit(X, y)


CASES = {
    "binary": lambda: fit(forest(), X, SIGN),
    "one class": lambda: fit(forest(), X, np.ones(60, int)),
    "booleans": lambda: fit(forest(), X, SIGN > 0),
    "multi-class": lambda: fit(forest(), X, THREE),
    "names": lambda: fit(forest(), X, np.array(["no", "yes", "perhaps"])[THREE]),
    "objects": lambda: fit(forest(), X, np.array(["no", "ye\ud800s", "ö"], object)[THREE]),
    "floats": lambda: fit(forest(), X, np.array([-1.0, 0.0, 2.0])[THREE].astype(np.float32)),
    "dates": lambda: fit(forest(), X, np.array(["2001-02-03", "2004-05-06"], "M8[D]")[SIGN]),
    "svm": lambda: fit(forest(split="svm"), X, THREE),
    "labels": lambda: fit(forest(), X, LABELS),
    "sparse labels": lambda: fit(forest(oob_score=True), SPARSE, MANY_LABELS),
    "named labels": lambda: forest().fit(
        X, LABELS, target_names=[f"label {j}" for j in range(LABELS.shape[1])]
    ),
    "label sets": lambda: fit(forest(), X, [set() if sign else {"ye\ud800s", "ö"} for sign in SIGN]),
    "sets of numbers": lambda: fit(
        forest(oob_score=True), X, [None, *({3, int(c) * 10**9} for c in THREE[1:])]
    ),
    "tuned thresholds": lambda: fit(forest(threshold="f1_macro", n_estimators=9), X, LABELS),
    "sets": lambda: fit(forest(hierarchy=TREE), X, SETS),
    "hierarchy": lambda: fit(forest(hierarchy=TREE, oob_score=True, n_estimators=7), X, TREE.indicator(SETS)),
    "graph": lambda: fit(forest(hierarchy=DAG), X, [[4] if sign else [5, 1] for sign in SIGN]),
    "number": lambda: fit(regressor(oob_score=True, n_estimators=9), X, NUMBERS[:, 0]),
    "one column": lambda: fit(regressor(), X, NUMBERS[:, :1]),
    "numbers": lambda: fit(regressor(split=SVMSplit(C=2.0)), X, NUMBERS),
    "gaps": lambda: fit(regressor(missing_indicators=True), GAPS, NUMBERS),
    "blank": lambda: fit(regressor(), np.hstack([X, np.full((60, 1), np.nan)]), NUMBERS),
    "no split": lambda: fit(regressor(), X, np.ones(60)),
    "weights": lambda: forest().fit(X, THREE, sample_weight=RNG.random(60)),
    "sparse": lambda: fit(forest(), SPARSE, SIGN),
    "nominal": lambda: fit(forest(categorical_features=[0, 2]), as_objects(TABLE), SIGN),
    "tree": lambda: fit(ObliqueTreeClassifier(random_state=0), X, THREE),
    "regression tree": lambda: fit(ObliqueTreeRegressor(random_state=0), X, NUMBERS),
}
INPUTS = {
    "sparse labels": SPARSE,
    "sparse": SPARSE,
    "nominal": as_objects(TABLE),
    "gaps": GAPS,
    "blank": np.hstack([X, X[:, :1]]),
}


@pytest.fixture(scope="module")
def fitted():
    """Hand out fitted models, each fitted once."""
    models = {}

    def get(case):
        if case not in models:
            models[case] = CASES[case]()
        return models[case]

    return get


def in_bytes(model, **options):
    file = io.BytesIO()
    model.save(file, **options)
    return file.getvalue()


def from_bytes(data):
    return load_model(io.BytesIO(data))


def edited(data, change):
    """Change a file's document and arrays, and give it a right checksum."""
    contents = container.read(io.BytesIO(data))
    change(contents.document, contents.arrays)
    file = io.BytesIO()
    container.write(file, contents.document, contents.arrays)
    return file.getvalue()


def spelled_out(value):
    return value.toarray() if sp.issparse(value) else value


def answers(model, X):
    """Everything that a model says about X."""
    found = {"predict": model.predict(X), "apply": model.apply(X)}
    paths = model.decision_path(X)
    found["decision_path"] = (paths[0] if isinstance(paths, tuple) else paths).toarray()
    if hasattr(model, "predict_proba"):
        found["predict_proba"] = model.predict_proba(X)
        found["best"] = model.predict_proba(X, top_k=2).toarray()
        found["classes"] = model.classes_
    found["importances"] = model.feature_importances_
    found["names"] = model.split_feature_names_
    return {name: spelled_out(value) for name, value in found.items()}


def assert_same(one, other):
    assert type(one) is type(other)
    if isinstance(one, dict):
        assert list(one) == list(other)
        for key, value in one.items():
            assert_same(value, other[key])
    elif isinstance(one, (list, tuple)):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            assert_same(a, b)
    elif isinstance(one, np.ndarray):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    elif sp.issparse(one):
        assert one.shape == other.shape
        assert_same(one.toarray(), other.toarray())
    elif isinstance(one, float):
        np.testing.assert_equal(one, other)
    elif hasattr(one, "__dict__") and not isinstance(one, Hierarchy):
        assert_same(_attributes(one), _attributes(other))
    else:
        assert one == other


def _attributes(value):
    cached = ("source",)
    return {name: each for name, each in sorted(vars(value).items()) if name not in cached}


# ---- round trips


@pytest.mark.parametrize("case", CASES)
def test_an_estimator_comes_back_as_it_was(case, fitted, tmp_path):
    model = fitted(case)
    model.save(tmp_path / "m.slant")
    again = load_model(tmp_path / "m.slant")
    assert_same(model, again)
    assert_same(answers(model, INPUTS.get(case, X)), answers(again, INPUTS.get(case, X)))
    assert in_bytes(again) == in_bytes(model)


@pytest.mark.parametrize("case", CASES)
def test_a_model_for_prediction_only_says_the_same(case, fitted):
    model = fitted(case)
    data = in_bytes(model, predict_only=True)
    assert len(data) < len(in_bytes(model))
    again = from_bytes(data)
    assert_same(answers(model, INPUTS.get(case, X)), answers(again, INPUTS.get(case, X)))
    assert clone(again).get_params().keys() == model.get_params().keys()
    with pytest.raises(ValueError, match="give predict_only=True"):
        again.save(io.BytesIO())
    assert in_bytes(again, predict_only=True) == data


@pytest.mark.parametrize("case", CASES)
def test_half_precision_says_nearly_the_same(case, fitted):
    model = fitted(case)
    again = from_bytes(in_bytes(model, float16=True))
    table = INPUTS.get(case, X)
    if hasattr(model, "predict_proba"):
        np.testing.assert_allclose(
            spelled_out(again.predict_proba(table)), spelled_out(model.predict_proba(table)), atol=0.002
        )
    else:
        np.testing.assert_allclose(again.predict(table), model.predict(table), atol=0.02)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_keep_their_names(library):
    frames = pytest.importorskip(library)
    table = frames.DataFrame({"colour": [row[0] for row in TABLE], "größe": X[:, 0], "x": X[:, 1]})
    model = forest().fit(table, SIGN)
    again = from_bytes(in_bytes(model))
    assert_same(model, again)
    assert_same(answers(model, table), answers(again, table))
    assert list(again.feature_names_in_) == ["colour", "größe", "x"]
    with pytest.raises(ValueError, match="feature names"):
        again.predict(table.rename({"x": "z"}) if library == "polars" else table.rename(columns={"x": "z"}))


def test_names_given_by_the_command_line_are_kept_until_the_next_fit():
    model = forest().fit(X, SIGN)
    model.input_names_ = tuple("abcde")
    model.target_names_ = ("sign",)
    again = from_bytes(in_bytes(model))
    assert (again.input_names_, again.target_names_) == (tuple("abcde"), ("sign",))
    assert list(again.split_feature_names_) == list("abcde")
    again.fit(X, SIGN)
    assert not hasattr(again, "input_names_")
    assert not hasattr(again, "target_names_")
    assert again.split_feature_names_[0] == "x0"


class Anything:
    """A parameter that no file can hold."""

    def __repr__(self):
        return "Anything()"


@pytest.mark.parametrize(
    "parameters",
    [
        {"class_weight": {0: 1.5, 1: 2}},
        {"class_weight": {np.int64(0): np.float32(1.5), 1: np.float64(2)}},
        {"class_weight": "balanced"},
        {"target_weights": np.array([2.0])},
        {"target_weights": [2]},
        {"target_weights": (np.float32(3.0),)},
        {"max_features": "sqrt", "max_depth": 4, "min_samples_split": np.int64(3)},
        {
            "max_features": np.float64(0.5),
            "bootstrap": np.True_,
            "normalize_rows": True,
            "verbose": 0,
            "n_jobs": -1,
        },
        {"split": GradientSplit(C=np.float32(0.1), batch_size=None, tol=0.0)},
        {"split": GradientSplit.published()},
        {"split": SVMSplit.published()},
        {"categorical_features": None},
        {"categorical_features": np.zeros(5, bool)},
        {"random_state": np.uint32(7)},
        {"random_state": None},
        {"n_estimators": np.int64(2), "warm_start": True, "oob_score": False},
    ],
    ids=str,
)
def test_parameters_come_back_with_their_types(parameters):
    model = forest(**parameters).fit(X, SIGN)
    assert_same(model, from_bytes(in_bytes(model)))


def test_thresholds_of_each_label_come_back():
    for threshold in ([0.1, 0.2, 0.3, 0.4], np.array([0.1, 0.2, 0.3, 0.4], np.float32), np.float16(0.25)):
        model = forest(threshold=threshold).fit(X, LABELS)
        assert_same(model, from_bytes(in_bytes(model)))


def test_a_generator_is_replaced_by_the_seed_that_was_drawn():
    model = forest(random_state=np.random.RandomState(3)).fit(X, SIGN)
    again = from_bytes(in_bytes(model))
    assert again.random_state == model.forest_.seed
    assert isinstance(again.random_state, int)
    assert_same(answers(model, X), answers(again, X))


def test_unknown_scores_come_back():
    model = forest(oob_score=True, n_estimators=1).fit(X, SIGN)
    model.oob_score_ = float("nan")
    assert np.isnan(from_bytes(in_bytes(model)).oob_score_)


def test_more_cores_than_this_machine_has_are_no_error():
    model = forest().fit(X, SIGN).set_params(n_jobs=-1000)
    again = from_bytes(in_bytes(model))
    assert again.n_jobs == -1000
    assert_same(answers(model, X), answers(again, X))


@pytest.mark.parametrize(
    "value",
    [
        None,
        [1, (2.5, "x"), {"a": [None], 3: b"\0\xff", (1, 2): True}],
        {float("inf"): [float("nan"), float("-inf"), -0.0, 5e-324, 2**200]},
        np.array([b"no", b"yes\0x", b"\xff"]),
        np.array(["ö", "\ud800", ""]),
        np.array(["ö", "\ud800", ""], object),
        np.array(["2001-02-03T04:05:06", "NaT"], "M8[ns]"),
        np.array([5, 7], "m8[h]"),
        np.datetime64("2001-02-03"),
        np.str_("text"),
        np.bytes_(b"text"),
        np.float16(0.1),
        np.arange(6).reshape(2, 3),
        np.zeros((0, 3), np.float32),
        sp.csr_array(np.eye(3)),
        [TREE, DAG, TREE],
        [GradientSplit(), SVMSplit(C=3)],
    ],
    ids=repr,
)
def test_values_come_back_with_their_types(value):
    writer = ValueWriter()
    text = json.dumps(writer.to_json(value, "value"))
    again = ValueReader(dict(writer.arrays), writer.hierarchies_to_json()).value(json.loads(text))
    assert_same(str(value) if isinstance(value, np.str_) else value, again)


# ---- going on


@pytest.mark.parametrize(
    "case", ["binary", "names", "sparse labels", "sets", "hierarchy", "numbers", "nominal", "gaps"]
)
def test_a_loaded_model_goes_on_as_the_saved_one_would(case, fitted):
    y = {
        "binary": SIGN,
        "names": np.array(["no", "yes", "perhaps"])[THREE],
        "sparse labels": MANY_LABELS,
        "sets": SETS,
        "hierarchy": TREE.indicator(SETS),
        "nominal": SIGN,
    }.get(case, NUMBERS)
    table = INPUTS.get(case, X)
    again = from_bytes(in_bytes(fitted(case)))
    n_trees = again.trees_.n_trees + 2
    again.set_params(n_estimators=n_trees, warm_start=True).fit(table, y)
    direct = clone(fitted(case)).set_params(n_estimators=n_trees).fit(table, y)
    assert_same(answers(direct, table), answers(again, table))


def test_a_model_for_prediction_only_cannot_go_on_but_can_begin_anew():
    again = from_bytes(in_bytes(forest().fit(X, SIGN), predict_only=True))
    before = answers(again, X)
    again.set_params(warm_start=True, n_estimators=5)
    with pytest.raises(ValueError, match="saved with predict_only=True"):
        again.fit(X, SIGN)
    assert_same(answers(again, X), before)
    again.set_params(warm_start=False).fit(X, SIGN)
    assert_same(answers(again, X), answers(forest(n_estimators=5).fit(X, SIGN), X))
    again.set_params(warm_start=True, n_estimators=6).fit(X, SIGN)
    assert from_bytes(in_bytes(again)).trees_.n_trees == 6


# ---- files


def test_another_process_predicts_the_same(fitted, tmp_path):
    for case in ("sparse labels", "sets", "gaps"):
        fitted(case).save(tmp_path / f"{case}.slant")
    np.savez(tmp_path / "X.npz", dense=X, gaps=GAPS, sparse=SPARSE.toarray())
    code = """
import sys, numpy as np
from scipy.sparse import csr_array
from slantwood import load_model
X = np.load(sys.argv[1] + "/X.npz")
inputs = {"sparse labels": csr_array(X["sparse"]), "sets": X["dense"], "gaps": X["gaps"]}
for case, table in inputs.items():
    model = load_model(f"{sys.argv[1]}/{case}.slant")
    scores = model.predict_proba(table) if hasattr(model, "predict_proba") else model.predict(table)
    np.save(f"{sys.argv[1]}/{case}.npy", scores)
"""
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True)
    for case in ("sparse labels", "sets"):
        expected = fitted(case).predict_proba(INPUTS.get(case, X))
        np.testing.assert_array_equal(np.load(tmp_path / f"{case}.npy"), expected)
    np.testing.assert_array_equal(np.load(tmp_path / "gaps.npy"), fitted("gaps").predict(GAPS))


def test_nothing_is_compiled_for_a_loaded_model(fitted, tmp_path, monkeypatch):
    for case in ("sparse labels", "labels"):
        expected = answers(fitted(case), INPUTS.get(case, X))
        fitted(case).save(tmp_path / "m.slant")
        monkeypatch.setattr(library, "compile_in_memory", None)
        assert_same(answers(load_model(tmp_path / "m.slant"), INPUTS.get(case, X)), expected)


def test_the_bulk_of_a_loaded_model_is_mapped(fitted, tmp_path):
    fitted("labels").save(str(tmp_path / "m.slant"))
    trees = load_model(str(tmp_path / "m.slant")).trees_
    for array in (trees.weights, trees.means, trees.leaves.values):
        assert not array.flags.owndata
        assert array.flags.writeable


def test_a_loaded_model_can_be_copied_pickled_and_saved_over_its_own_file(fitted, tmp_path):
    model = fitted("multi-class")
    model.save(tmp_path / "m.slant")
    again = load_model(tmp_path / "m.slant")
    again.save(tmp_path / "m.slant")
    for other in (
        again,
        load_model(tmp_path / "m.slant"),
        copy.deepcopy(again),
        pickle.loads(pickle.dumps(again)),
    ):
        assert_same(answers(model, X), answers(other, X))


def test_a_larger_model_takes_less_than_in_memory_and_a_pickle_of_it_too():
    rng = np.random.default_rng(0)
    table, y = rng.normal(size=(500, 20)), rng.integers(0, 5, 500)
    model = forest(n_estimators=10).fit(table, y)
    in_memory = len(pickle.dumps(model.trees_, protocol=5))
    assert len(in_bytes(model)) < 0.85 * in_memory
    assert len(in_bytes(model, float16=True)) < 0.55 * in_memory
    assert len(pickle.dumps(model, protocol=5)) < 0.85 * in_memory


# ---- what cannot be saved


class Halves:
    """A split learner of one's own."""

    def learn(self, X, Z, p, weights, rng):
        w = np.zeros(X.shape[1])
        w[0] = 1.0
        return w, 0.0


def test_a_split_learner_of_ones_own_is_saved_for_prediction_only():
    model = forest(split=Halves(), n_estimators=1, max_depth=2).fit(X, SIGN)
    with pytest.raises(TypeError, match=r"Halves.*save with predict_only=True"):
        model.save(io.BytesIO())
    again = from_bytes(in_bytes(model, predict_only=True))
    assert_same(answers(model, X), answers(again, X))
    assert (again.split, again.settings_.split) == ("gradient", None)


def test_what_cannot_be_written_is_named():
    for wrong in (Decimal(1), 5, None):
        with pytest.raises(TypeError, match=rf"classes_ is an array of object .*\({type(wrong).__name__}\)"):
            ValueWriter().to_json(np.array(["a", wrong], object), "classes_")
    for wrong in (np.array([1j]), np.zeros((1, 1, 1)), np.array([1.0], np.longdouble), np.array([["a"]])):
        with pytest.raises(TypeError, match="classes_ is an array of"):
            ValueWriter().to_json(wrong, "classes_")
    model = forest().fit(X, SIGN)
    with pytest.raises(TypeError, match=r"class_weight=Anything\(\) \(Anything\) cannot be written"):
        model.set_params(class_weight=Anything()).save(io.BytesIO())
    with pytest.raises(ValueError, match="max_depth=0"):
        model.set_params(class_weight=None, max_depth=0).save(io.BytesIO())
    model.set_params(max_depth=None)
    for names in (["a", "b", "c", "d", "e"], ("a", "b"), (1, 2, 3, 4, 5), "abcde"):
        model.input_names_ = names
        with pytest.raises(ValueError, match="cannot be saved: input_names_="):
            model.save(io.BytesIO())
    del model.input_names_
    with pytest.raises(TypeError, match="float16='yes'"):
        model.save(io.BytesIO(), float16="yes")

    with pytest.raises(TypeError, match="y has dtype"):
        forest().fit(X, LABELS.astype(np.longdouble)).save(io.BytesIO())

    class Other(ObliqueForestClassifier):
        pass

    with pytest.raises(TypeError, match="Other cannot be written"):
        Other(n_estimators=1).fit(X, SIGN).save(io.BytesIO())


def test_a_model_that_is_not_fitted_is_refused(tmp_path):
    with pytest.raises(ValueError, match="not fitted"):
        forest().save(tmp_path / "m.slant")
    assert not list(tmp_path.iterdir())


def test_a_failure_leaves_an_earlier_file_as_it_was(fitted, tmp_path, monkeypatch):
    path = tmp_path / "m.slant"
    fitted("binary").save(path)
    before = path.read_bytes()

    def fail(file, chunks):
        file.write(chunks[0])
        raise KeyboardInterrupt

    monkeypatch.setattr(container, "_write_all", fail)
    with pytest.raises(KeyboardInterrupt):
        fitted("labels").save(path)
    assert [each.read_bytes() for each in tmp_path.iterdir()] == [before]


def test_errors_name_the_file(tmp_path):
    (tmp_path / "m.slant").write_bytes(b"no model")
    with pytest.raises(
        ModelFileError, match=r"model file '.*m\.slant' cannot be loaded: it is not a slantwood"
    ):
        load_model(tmp_path / "m.slant")
    with pytest.raises(FileNotFoundError, match=r"nothing\.slant"):
        load_model(tmp_path / "nothing.slant")
    with pytest.raises(TypeError, match="path=5"):
        load_model(5)
    with pytest.raises(TypeError, match="path=5"):
        forest().fit(X, SIGN).save(5)
    assert issubclass(ModelFileError, ValueError)


# ---- damaged and hostile files

FUZZED = ("names", "sparse labels", "graph", "hierarchy", "number", "nominal", "tuned thresholds")


def is_refused(data, table):
    """Load a file that may be wrong; where it is not refused, it must predict without ado."""
    try:
        model = from_bytes(data)
    except ModelFileError:
        return True
    scores = model.predict_proba(table) if hasattr(model, "predict_proba") else model.predict(table)
    assert scores.shape[0] == table.shape[0]
    assert model.feature_importances_.shape == (table.shape[1],)
    return False


def test_every_damaged_byte_is_noticed(fitted):
    data = bytearray(in_bytes(fitted("binary"), predict_only=True))
    for place in range(len(data)):
        data[place] ^= 1 << place % 8
        with pytest.raises(ModelFileError):
            from_bytes(data)
        data[place] ^= 1 << place % 8


def test_every_truncation_is_noticed(fitted):
    data = in_bytes(fitted("binary"), predict_only=True)
    for length in range(0, len(data), 7):
        with pytest.raises(ModelFileError):
            from_bytes(data[:length])


def places_in(value, way=()):
    """All ways to a value inside a JSON document."""
    yield way
    if isinstance(value, dict):
        for key in value:
            yield from places_in(value[key], (*way, key))
    elif isinstance(value, list):
        for place in range(min(len(value), 4)):
            yield from places_in(value[place], (*way, place))


def put(document, way, value):
    for step in way[:-1]:
        document = document[step]
    document[way[-1]] = value


ODD_VALUES = [
    None,
    True,
    -1,
    0,
    7,
    10**30,
    0.25,
    -1e300,
    "",
    "gradient",
    "trees/weights",
    [],
    [[]],
    [1, "a"],
    {},
    {"list": [1]},
    {"list": 1},
    {"tuple": ["a"]},
    {"dict": [[1, 2]]},
    {"dict": [[{"list": []}, 2]]},
    {"dict": [[1]]},
    {"float": "nan"},
    {"float": "1"},
    {"bytes": "\u1234"},
    {"numbers": "trees/weights"},
    {"numbers": "importance"},
    {"numbers": 3},
    {"numbers": ["trees/bias"]},
    {"scalar": {"numbers": "trees/bias"}},
    {"scalar": {"objects": ["a"]}},
    {"scalar": 1},
    {"texts": ["a", 1]},
    {"texts": []},
    {"objects": ["a", "b"]},
    {"byte_texts": "trees/inner"},
    {"times": ["importance", "M8[ns]"]},
    {"times": ["importance", "O"]},
    {"times": 5},
    {"csr": ["trees/weights", "trees/features", "trees/counts", 3]},
    {"csr": [1, 2]},
    {"split": {"learner": "gradient", "C": -1}},
    {"split": {"learner": "svm", "nothing": 1}},
    {"split": {"learner": "os.system"}},
    {"split": {"learner": ["svm"]}},
    {"split": 1},
    {"hierarchy": 0},
    {"hierarchy": -1},
    {"hierarchy": 10**6},
    {"pickle": "gASVAA=="},
    {"list": [], "tuple": []},
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("case", FUZZED)
def test_no_document_makes_anything_but_a_model_or_an_error(case, fitted):
    data = in_bytes(fitted(case))
    contents = container.read(io.BytesIO(data))
    table = INPUTS.get(case, X)[:3]
    text = json.dumps(contents.document)
    ways = [way for way in places_in(contents.document) if way]
    values = ODD_VALUES[FUZZED.index(case) :: len(FUZZED)]
    n_refused = n_tried = 0
    for way in ways:
        for value in values:
            document = json.loads(text)
            put(document, way, value)
            file = io.BytesIO()
            container.write(file, document, contents.arrays)
            n_tried += 1
            n_refused += is_refused(file.getvalue(), table)
    assert n_tried > 300
    assert n_refused > 0.9 * n_tried


def test_missing_and_unknown_keys_are_refused(fitted):
    data = in_bytes(fitted("hierarchy"))
    document = container.read(io.BytesIO(data)).document
    for key in document:
        with pytest.raises(ModelFileError):
            from_bytes(edited(data, lambda document, arrays, key=key: document.pop(key)))
    for part in (*document, None):
        if part is None or isinstance(document[part], dict):

            def add(document, arrays, part=part):
                (document if part is None else document[part])["unknown"] = 1

            with pytest.raises(ModelFileError):
                from_bytes(edited(data, add))
    with pytest.raises(ModelFileError, match="'more' has no meaning"):
        from_bytes(edited(data, lambda document, arrays: arrays.update(more=np.zeros(3))))


def test_parameters_that_a_file_does_not_know_yet_have_their_defaults(fitted):
    data = edited(in_bytes(fitted("binary")), lambda document, arrays: document["parameters"].pop("verbose"))
    assert from_bytes(data).verbose == 0


EXTREMES = {
    "f": [np.nan, np.inf, -1e30, 0.0],
    "u": [0, 255, 65535, 2**32 - 1],
    "i": [-1, 0, 2**31 - 1],
    "b": [1],
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("case", FUZZED)
def test_no_array_makes_anything_but_a_model_or_an_error(case, fitted):
    data = in_bytes(fitted(case))
    contents = container.read(io.BytesIO(data))
    table = INPUTS.get(case, X)[:3]
    rng = np.random.default_rng(0)

    def tried(name, array):
        file = io.BytesIO()
        container.write(file, contents.document, contents.arrays | {name: array})
        return is_refused(file.getvalue(), table)

    for name, array in contents.arrays.items():
        for wrong in (
            array[1:],
            array[:0],
            np.concatenate([array, array]),
            array[None] if array.ndim == 1 else array[0],
        ):
            # One number may stand for all that are equal.
            assert tried(name, wrong) or name.startswith("fitted/oob") or 1 in (array.size, wrong.size)
        for dtype in container.DTYPES:
            with np.errstate(all="ignore"):
                tried(name, array.astype(dtype))
        for value in EXTREMES[array.dtype.kind]:
            for place in rng.integers(0, array.size, min(array.size, 2)):
                changed = array.copy()
                with np.errstate(all="ignore"):
                    changed.flat[place] = np.array(value).astype(array.dtype)
                tried(name, changed)


@examples(60)
@given(st.integers(0, 2**32))
def test_random_bytes_in_arrays_make_nothing_but_a_model_or_an_error(fitted, seed):
    rng = np.random.default_rng(seed)
    case = FUZZED[rng.integers(len(FUZZED))]

    def scramble(document, arrays):
        name = list(arrays)[rng.integers(len(arrays))]
        array = arrays[name].copy()
        places = rng.integers(0, max(array.nbytes, 1), rng.integers(1, 5))
        if array.nbytes:
            array.reshape(-1).view(np.uint8)[places] = rng.integers(0, 256, len(places))
        arrays[name] = array

    data = in_bytes(fitted(case))
    is_refused(edited(data, scramble), INPUTS.get(case, X)[:3])


@pytest.mark.parametrize(
    "way",
    [
        ("targets", "n_labels"),
        ("trees", "n_trees"),
        ("encoding", "n_inputs"),
        ("parameters", "max_depth"),
        ("parameters", "n_estimators"),
    ],
)
def test_large_numbers_allocate_nothing(way, fitted):
    for value in (10**6, 10**9, 10**15, 2**63, 10**30):
        data = edited(
            in_bytes(fitted("labels")), lambda document, arrays, value=value: put(document, way, value)
        )
        tracemalloc.start()
        try:
            is_refused(data, X[:3])
            assert tracemalloc.get_traced_memory()[1] < 20_000_000
        finally:
            tracemalloc.stop()


# ---- files of earlier versions


def table_of_version_1():
    rows, columns = np.indices((40, 5))
    return ((rows * (columns + 3) ** 2 % 17 - 8) / 8).astype(np.float32)


def inputs_of_version_1():
    """X of each file, the same on every machine."""
    X = table_of_version_1()
    gaps = np.where(X == 0.5, np.nan, X)
    nominal = as_objects([["low" if row[0] < 0 else "high", *row[1:].tolist()] for row in gaps])
    counts = sp.csr_array(np.where(X > 0.7, 1, 0).astype(np.float32))
    return {"classes": nominal, "labels": counts, "hierarchy": X, "numbers": gaps, "tree": X}


def make_files_of_version_1(folder):
    """Write the files that tests/model/files has, and what their models say."""
    X, inputs = table_of_version_1(), inputs_of_version_1()
    signs = (X[:, 0] + X[:, 1] > 0).astype(int)
    labels = sp.csr_array(np.eye(25, dtype=np.int8)[np.arange(40) * 7 % 25])
    numbers = X[:, :2] * [1.0, 100.0] + [0.0, 5.0]
    named = forest(categorical_features=[0], class_weight={"no": 1, "ö": 2.5}, max_depth=3)
    tuned = forest(threshold="f1_macro", oob_score=True, n_estimators=4)
    graph = forest(hierarchy=DAG, split=GradientSplit(C=3.0))
    gaps = regressor(split="svm", missing_indicators=True, bootstrap=True)
    tree = ObliqueTreeRegressor(random_state=0, max_depth=3)
    models = {
        "classes": named.fit(inputs["classes"], np.array(["no", "ö"], object)[signs]),
        "labels": tuned.fit(inputs["labels"], labels),
        "hierarchy": graph.fit(inputs["hierarchy"], [[4] if sign else [5, 1] for sign in signs]),
        "numbers": gaps.fit(inputs["numbers"], numbers),
        "tree": tree.fit(inputs["tree"], numbers[:, 0]),
    }
    models["tree"].input_names_ = ("a", "b", "c", "d", "e")
    models["tree"].target_names_ = ("first",)
    said = {}
    for name, model in models.items():
        path = folder / f"v1_{name}.slant"
        model.save(path, float16=name == "labels", predict_only=name == "tree")
        said[name] = said_of_version_1(load_model(path), inputs[name])
    (folder / "v1_predictions.json").write_text(json.dumps(said))


def said_of_version_1(model, X):
    scores = model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)
    predicted = model.predict(X)
    return {
        "scores": scores.tolist(),
        "predict": predicted if isinstance(predicted, list) else spelled_out(predicted).tolist(),
        "apply": model.apply(X).tolist(),
        "importances": model.feature_importances_.tolist(),
        "names": model.split_feature_names_.tolist(),
    }


@pytest.mark.parametrize("name", inputs_of_version_1())
def test_files_of_version_1_are_read(name):
    data = (FILES / f"v1_{name}.slant").read_bytes()
    assert data[8:12] == b"\1\0\0\0"
    expected = json.loads((FILES / "v1_predictions.json").read_text())[name]
    said = said_of_version_1(load_model(FILES / f"v1_{name}.slant"), inputs_of_version_1()[name])
    assert said.keys() == expected.keys()
    for key in ("scores", "importances"):
        np.testing.assert_allclose(said[key], expected[key], atol=1e-6)
    for key in ("apply", "names"):
        assert said[key] == expected[key]
    if name in ("numbers", "tree"):
        np.testing.assert_allclose(said["predict"], expected["predict"], atol=1e-6)
    else:
        assert json.loads(json.dumps(said["predict"])) == expected["predict"]


def test_files_of_version_1_know_how_to_go_on():
    model = load_model(FILES / "v1_numbers.slant")
    gaps, X = inputs_of_version_1()["numbers"], table_of_version_1()
    before = model.trees_
    model.set_params(n_estimators=4, warm_start=True).fit(gaps, X[:, :2] * [1.0, 100.0] + [0.0, 5.0])
    assert model.trees_.n_trees == 4
    np.testing.assert_array_equal(model.trees_.weights[: len(before.weights)], before.weights)


def test_the_maker_of_the_files_makes_them_all(tmp_path):
    make_files_of_version_1(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in FILES.glob("v1_*")}


# ---- skops


def types_that_the_documentation_names():
    page = DOCS / "models.md"
    return set(
        re.findall(r"`((?:slantwood|scipy)\.[\w.]+)`", page.read_text("utf-8")) if page.exists() else []
    )


TRUSTED = types_that_the_documentation_names()


@pytest.mark.skipif(not TRUSTED, reason="the documentation is not part of this installation")
@pytest.mark.parametrize("case", CASES)
def test_skops_keeps_pipelines_and_asks_trust_in_few_types_that_the_documentation_names(case, fitted):
    skops = pytest.importorskip("skops.io")
    model, table = fitted(case), INPUTS.get(case, X)
    data = skops.dumps(make_pipeline(FunctionTransformer(), model))
    asked = set(skops.get_untrusted_types(data=data))
    assert len(asked) <= 7
    assert asked <= TRUSTED
    has_sparse_scores = sp.issparse(getattr(model, "oob_decision_function_", None))
    assert any(name.startswith("scipy") for name in asked) == has_sparse_scores
    again = skops.loads(data, trusted=list(asked))[-1]
    assert_same(answers(model, table), answers(again, table))


BOOSTED = {
    "numbers": lambda **how: ObliqueBoostingRegressor(loss=TweedieLoss(1.3), **how).fit(X, np.abs(NUMBERS)),
    "classes": lambda **how: ObliqueBoostingClassifier(**how).fit(X, np.arange(len(X)) % 3),
    "labels": lambda **how: ObliqueBoostingClassifier(**how).fit(X, X[:, :3] > 0),
}


@pytest.mark.skipif(not TRUSTED, reason="the documentation is not part of this installation")
@pytest.mark.parametrize("case", BOOSTED)
def test_skops_and_pickle_keep_boosted_models(case):
    skops = pytest.importorskip("skops.io")
    model = BOOSTED[case](n_estimators=3, early_stopping=False, random_state=0)
    data = skops.dumps(model)
    asked = set(skops.get_untrusted_types(data=data))
    assert len(asked) <= 10
    assert asked <= TRUSTED
    for again in (skops.loads(data, trusted=list(asked)), pickle.loads(pickle.dumps(model))):
        assert again.settings_ == model.settings_
        assert again.n_iter_ == model.n_iter_
        assert_same(answers(model, X), answers(again, X))


def test_trees_of_a_forged_skops_file_are_refused_as_those_of_a_model_file_are(fitted, monkeypatch):
    skops = pytest.importorskip("skops.io")
    state = fitted("multi-class").forest_.__getstate__()
    described, arrays = state["trees"]
    beyond = arrays["trees/features"] + np.uint16(1000)  # columns that X does not have
    forged = state | {"trees": (described, arrays | {"trees/features": beyond})}
    monkeypatch.setattr(FittedForest, "__getstate__", lambda _: forged)
    data = skops.dumps(fitted("multi-class"))
    with pytest.raises(ModelFileError, match=r"has the column 100\d"):
        skops.loads(data, trusted=skops.get_untrusted_types(data=data))


def test_a_model_that_was_saved_for_prediction_only_can_be_pickled(fitted):
    model = load_model(io.BytesIO(in_bytes(fitted("multi-class"), predict_only=True)))
    assert_same(answers(model, X), answers(pickle.loads(pickle.dumps(model)), X))
