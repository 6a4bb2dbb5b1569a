"""Model files that somebody made up, with a right checksum: each is refused by name, and takes little.

`forged` changes what a good file says and seals it anew; `sealed` seals any header.
"""

import hashlib
import io
import json
import os
import struct
import subprocess
import sys
import threading
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from slantwood import (
    Hierarchy,
    ModelFileError,
    ObliqueBoostingClassifier,
    ObliqueBoostingRegressor,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    load_model,
)
from slantwood.estimators import dense_scores
from slantwood.model import container, tree_file

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4)).astype(np.float32)
SIGN = (X[:, 0] > 0).astype(int)
THREE = SIGN + (X[:, 1] > 0)
LABELS = np.stack([SIGN, X[:, 1] > 0, X[:, 2] > 1], axis=1).astype(np.int8)
MANY_LABELS = sp.csr_array(np.eye(30, dtype=np.int8)[RNG.integers(0, 30, 60)] | np.eye(30, dtype=np.int8)[:1])
NOMINAL = np.array([["red" if x > 0 else "blue", float(y)] for x, y in X[:, :2]], object)
TREE = Hierarchy.from_paths(["a/b", "a/c", "d"])
PROLOGUE = struct.Struct("<8sIIQQ")
MAGIC = b"\x89SLT\r\n\x1a\n"

# Beside what the test itself holds; the largest refusal reads a header of 60 MB.
LITTLE = 150_000_000


def forest(**parameters):
    return ObliqueForestClassifier(**{"n_estimators": 3, "random_state": 0} | parameters)


MODELS = {
    "classes": lambda: forest().fit(X, THREE),
    "names": lambda: forest().fit(X, np.array(["no", "yes", "perhaps"])[THREE]),
    "labels": lambda: forest().fit(X, LABELS),
    "named labels": lambda: forest().fit(X, LABELS, target_names=["sun", "sea", "hill"]),
    "label sets": lambda: forest().fit(X, [{3, 7} if sign else {5} for sign in SIGN]),
    "sparse labels": lambda: forest().fit(X, MANY_LABELS),
    "hierarchy": lambda: forest(hierarchy=TREE).fit(X, [{"a/b"} if sign else {"d"} for sign in SIGN]),
    "number": lambda: ObliqueForestRegressor(n_estimators=3, random_state=0).fit(X, X[:, 0]),
    "nominal": lambda: forest(categorical_features=[0]).fit(NOMINAL, SIGN),
    "boosted number": lambda: ObliqueBoostingRegressor(
        2, loss="huber", early_stopping=False, random_state=0
    ).fit(X, X[:, 0]),
    "boosted classes": lambda: ObliqueBoostingClassifier(2, early_stopping=False, random_state=0).fit(
        X, THREE
    ),
}


@pytest.fixture(scope="module")
def contents():
    """Hand out the document and arrays of a good file, in copies that may be changed."""
    saved = {}

    def get(case):
        if case not in saved:
            file = io.BytesIO()
            MODELS[case]().save(file)
            saved[case] = file.getvalue()
        return container.read(io.BytesIO(saved[case]))

    return get


@pytest.fixture
def forged(contents, tmp_path):
    """Write a file in which something was changed, and return its path."""

    def make(case, change):
        read = contents(case)
        change(read.document, read.arrays)
        container.write(tmp_path / "forged.slant", read.document, read.arrays)
        return tmp_path / "forged.slant"

    return make


def sealed(path, header):
    """Write a file of a header only, whatever it holds."""
    opening = PROLOGUE.pack(MAGIC, 1, 0, 64 + len(header), len(header))
    path.write_bytes(opening + hashlib.sha256(opening + header).digest() + header)
    return path


def refusal(path, match=None, most_memory=LITTLE, **options):
    """Load a file that must be refused, for little memory and in few words; return these."""
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError, match=match) as caught:
            load_model(path, **options)
        assert tracemalloc.get_traced_memory()[1] < most_memory
    finally:
        tracemalloc.stop()
    message = str(caught.value)
    assert os.fspath(path) in message
    assert len(message) < 700
    return message


# ---- what is no file


def run_with_little_memory(code, *words):
    """Run Python with 3 GB of addresses, of which compiled code and libraries take a part."""
    resource = pytest.importorskip("resource")
    resource_limit = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({3 << 30}, {3 << 30}))\n"
    assert resource.RLIMIT_AS is not None
    command = [sys.executable, "-c", resource_limit + code, *map(str, words)]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom"])
def test_a_device_without_end_is_refused(device):
    if not os.path.exists(device):
        pytest.skip("there is no such device")
    code = """
import sys
from slantwood import ModelFileError, load_model
try:
    load_model(sys.argv[1])
except ModelFileError as error:
    print(error)
"""
    result = run_with_little_memory(code, device)
    assert result.returncode == 0, result.stderr
    assert f"model file {device!r} cannot be loaded: it is not a slantwood model file" in result.stdout


class Endless:
    """A file object that begins as a model file does and never ends."""

    def __init__(self, length):
        self.rest = PROLOGUE.pack(MAGIC, 1, 0, length, 1000)
        self.n_read = 0

    def read(self, n_bytes):
        assert n_bytes >= 0, "it would be read to its end, which it does not have"
        chunk, self.rest = self.rest[:n_bytes], self.rest[n_bytes:]
        self.n_read += n_bytes
        return chunk + bytes(n_bytes - len(chunk))


def test_a_file_object_is_read_only_as_far_as_it_says():
    file = Endless(10_000)
    with pytest.raises(ModelFileError, match="it has 10001 bytes and should have 10000"):
        load_model(file)
    assert file.n_read == 10_001
    for length in (1 << 40, 2**64 - 1):
        file = Endless(length)
        with pytest.raises(ModelFileError, match="give load_model a larger max_memory"):
            load_model(file)
        assert file.n_read == 64
    with pytest.raises(ModelFileError, match="may take 1e-06 GB"):
        load_model(Endless(10_000), max_memory=1000)


def test_file_objects_that_give_little_at_a_time_are_read(contents):
    file = io.BytesIO()
    read = contents("number")
    container.write(file, read.document, read.arrays)

    class Slow(io.BytesIO):
        def read(self, n_bytes=-1):
            return super().read(min(n_bytes, 7))

    assert load_model(Slow(file.getvalue())).trees_.n_trees == 3


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with a name are those of POSIX systems")
def test_a_pipe_without_end_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")

    def feed():
        try:
            with open(tmp_path / "pipe", "wb") as pipe:
                pipe.write(PROLOGUE.pack(MAGIC, 1, 0, 1 << 40, 1000))
                while True:
                    pipe.write(bytes(1 << 16))
        except BrokenPipeError:
            pass

    writer = threading.Thread(target=feed, daemon=True)
    writer.start()
    refusal(tmp_path / "pipe", "would take about 1.1e\\+03 GB")
    writer.join(timeout=60)
    assert not writer.is_alive()


def test_an_empty_file_is_refused(tmp_path):
    (tmp_path / "empty.slant").touch()
    refusal(tmp_path / "empty.slant", "not a slantwood model file")


# ---- small files that stand for gigabytes


def with_trees(n_trees, n_leaves):
    """Make the trees of a file leaves without splits, of which sparse ones need a byte each."""

    def change(document, arrays):
        for name in list(arrays):
            if name.startswith(("trees/", "leaves/")):
                del arrays[name]
        document["trees"] = {"n_trees": n_trees, "sparse_leaves": True}
        arrays |= {
            "trees/inner": np.zeros(-(-n_trees // 8), np.uint8),
            "trees/bias": np.zeros(0),
            "trees/counts": np.zeros(0, np.uint8),
            "trees/features": np.zeros(0, np.uint16),
            "trees/weights": np.zeros(0, np.float32),
            "trees/means": np.zeros(0, np.float32),
            "leaves/counts": np.zeros(n_leaves, np.uint8),
            "leaves/targets": np.zeros(0, np.uint16),
            "leaves/values": np.zeros(0, np.float32),
        }

    return change


def test_a_number_of_trees_that_other_arrays_contradict_allocates_nothing(forged):
    message = refusal(forged("labels", with_trees(64_000_000, 5)), most_memory=1_000_000)
    assert "'leaves/counts' has 5 numbers, and must have 64000000" in message


def test_trees_that_would_take_gigabytes_are_refused_before_they_do(forged):
    path = forged("labels", with_trees(16_000_000, 16_000_000))
    assert "16000000 trees of 16000000 nodes would take about 1.28 GB" in refusal(path, most_memory=1_000_000)


def test_the_memory_of_trees_is_judged_rightly():
    # What reading takes at its height must not be more than what is compared with the limit.
    for inner in ([True, False] * 50_000 + [False], [False] * 100_000, [True] * 49_999 + [False] * 50_000):
        n_inner, n_nodes = sum(inner), len(inner)
        n_trees = n_nodes - 2 * n_inner
        document, arrays = {}, {}
        with_trees(n_trees, n_nodes - n_inner)(document, arrays)
        arrays |= {
            "trees/inner": np.packbits(inner),
            "trees/bias": np.zeros(n_inner),
            "trees/counts": np.zeros(n_inner, np.uint8),
        }
        tracemalloc.start()
        tree_file.from_arrays(document["trees"], arrays, n_features=1, n_targets=3)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert 0.5 * tree_file._BYTES_PER_NODE * n_nodes < peak < tree_file._BYTES_PER_NODE * n_nodes


@pytest.mark.sampled(2)
@pytest.mark.parametrize("value", [b"[]", b"{}", b'{"a":0}', b"0", b'"ab"', b"[0]"])
def test_a_header_of_small_values_is_refused_before_it_is_parsed(tmp_path, value):
    header = (
        b'{"arrays": [], "document": {"x": [' + value + (b"," + value) * (60_000_000 // len(value + b","))
    )
    path = sealed(tmp_path / "header.slant", header + b"]}}")
    assert "its header of 6" in refusal(path, "would take about")


def test_the_memory_of_headers_is_judged_rightly():
    texts = [
        b"[]",
        b"{}",
        b'{"a":0}',
        b"12345678",
        b"1e5",
        b'"ab"',
        b'"\\u1234"',
        b"[0]",
        b'{"\xf0\x9f\x8c\xb2":[]}',
    ]
    for value in texts:
        header = b'{"arrays": [], "document": {"x": [' + b",".join([value] * 20_000) + b"]}}"
        allowed = container._BYTES_PER_LETTER * len(header)
        allowed += sum(size * header.count(mark) for mark, size in container._BYTES_OF_VALUES.items())
        tracemalloc.start()
        container._parsed_header(header, container.MemoryLimit(1 << 30))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < allowed, value


def test_labels_that_the_file_does_not_spell_out_are_limited(forged):
    def put(n_labels):
        def change(document, arrays):
            document["targets"]["n_labels"] = n_labels

        return change

    assert "16777216 classes, labels or targets would take about 2.15 GB" in refusal(
        forged("sparse labels", put(1 << 24)), most_memory=1_000_000
    )
    refusal(forged("sparse labels", put(1 << 25)), "more than the 16777216")
    # The largest public benchmark, Amazon-3M, has less than three million.
    many = load_model(forged("sparse labels", put(3_000_000)))
    scores = many.predict_proba(X, top_k=2)
    assert scores.shape == (60, 3_000_000)
    assert scores.nnz <= 120


def test_the_limit_can_be_raised_and_lowered(forged):
    def change(document, arrays):
        document["targets"]["n_labels"] = 10_000_000

    path = forged("sparse labels", change)
    refusal(path, "if you trust the file, give load_model a larger max_memory")
    refusal(path, "may take 1.28 GB", max_memory=1_279_999_999)
    assert load_model(path, max_memory=1_280_000_000).n_classes_ == 10_000_000
    with pytest.raises(TypeError, match=r"max_memory='1 GB'"):
        load_model(path, max_memory="1 GB")
    with pytest.raises(ValueError, match="max_memory=0 must be at least 1"):
        load_model(path, max_memory=0)


def test_one_long_text_among_many_is_refused_before_all_are_as_long(forged):
    def change(document, arrays):
        texts = sorted(f"{number:06}" for number in range(20_000))
        document["targets"]["classes"] = {"texts": [*texts, "z" * 1_000_000]}

    assert "20001 texts of up to 1000000 letters would take about 80 GB" in refusal(forged("names", change))


def test_hierarchies_that_would_take_much_more_than_their_text_are_refused(forged):
    def change(document, arrays):
        document["hierarchies"][0] |= {"nodes": list(range(60_000)), "edges": []}

    path = forged("hierarchy", change)
    refusal(path, "hierarchies of 60000 labels and edges would take about 0.024 GB", max_memory=20_000_000)


def test_a_chain_of_labels_whose_ancestors_would_take_gigabytes_is_refused(forged):
    def change(document, arrays):
        edges = [[label, label + 1] for label in range(19_999)]
        document["hierarchies"][0] |= {"nodes": list(range(20_000)), "edges": edges}

    refusal(forged("hierarchy", change), "199990000 ancestors in hierarchies would take about 3.2 GB")


def test_whole_numbers_that_dictionaries_find_slowly_are_few(forged, tmp_path):
    # All have the same hash: a set of n of them takes n * n steps.
    wide = [(2**61 - 1) * (2**10 + number) for number in range(2000)]
    assert len(set(map(hash, wide))) == 1
    with pytest.raises(ValueError, match="more than 1000 whole numbers above 64 bits"):
        container.write(io.BytesIO(), {"wide": wide}, {})
    header = json.dumps({"arrays": [], "document": {"wide": wide}}).encode()
    refusal(sealed(tmp_path / "wide.slant", header), "more than 1000 whole numbers above 64 bits")
    header = json.dumps({"arrays": [], "document": {"wide": [2**64 - 1 - n for n in range(2000)]}}).encode()
    refusal(sealed(tmp_path / "wide.slant", header), "document must have just")


# ---- dense scores of many labels


def test_a_dense_array_of_too_many_scores_is_refused_with_a_way_out(monkeypatch):
    dense, sparse = forest().fit(X, LABELS), forest().fit(X, MANY_LABELS)
    expected = sparse.predict_proba(X)
    monkeypatch.setattr(dense_scores, "most_dense_bytes", lambda: 60 * 3 * 4)
    assert dense.predict_proba(X).shape == (60, 3)
    with pytest.raises(
        ValueError, match=r"60 rows for 30 labels .* sparse=True or top_k, or predict fewer rows"
    ):
        sparse.predict_proba(X)
    np.testing.assert_array_equal(sparse.predict_proba(X, sparse=True).toarray(), expected)
    assert sparse.predict_proba(X, top_k=2).shape == (60, 30)
    assert sparse.predict(X).shape == (60, 30)
    np.testing.assert_array_equal(
        np.vstack([sparse.predict_proba(X[i : i + 6]) for i in range(0, 60, 6)]), expected
    )
    with pytest.raises(ValueError, match="61 rows for 3 labels"):
        dense.predict(np.vstack([X, X[:1]]))


def test_numbers_and_two_classes_which_have_no_other_form_are_always_dense(monkeypatch):
    monkeypatch.setattr(dense_scores, "most_dense_bytes", lambda: 1)
    assert forest().fit(X, SIGN).predict_proba(X).shape == (60, 2)
    assert ObliqueForestRegressor(n_estimators=1, random_state=0).fit(X, X[:, :2]).predict(X).shape == (60, 2)


def test_dense_scores_may_take_four_gigabytes_or_half_of_the_memory(monkeypatch):
    monkeypatch.setattr(
        dense_scores.os, "sysconf", lambda name: 4096 if name == "SC_PAGE_SIZE" else 1 << 25, raising=False
    )
    assert dense_scores.most_dense_bytes() == 1 << 36
    monkeypatch.setattr(dense_scores.os, "sysconf", lambda name: 1, raising=False)
    assert dense_scores.most_dense_bytes() == 1 << 32
    monkeypatch.delattr(dense_scores.os, "sysconf", raising=False)
    assert dense_scores.most_dense_bytes() == 1 << 32


# ---- numbers that no training makes


def set_value(name, place, value):
    def change(document, arrays):
        arrays[name] = arrays[name].copy()
        arrays[name].flat[place] = value

    return change


@pytest.mark.parametrize("value", [-0.25, 1.25, 3e38, -3e38, np.nan, np.inf])
@pytest.mark.parametrize("case", ["classes", "labels", "sparse labels", "hierarchy", "nominal"])
def test_probabilities_outside_0_to_1_are_refused(forged, case, value):
    refusal(forged(case, set_value("leaves/values", 0, value)), "'leaves/values' holds")


@pytest.mark.parametrize("value", [3e38, -3e38, 1e20, np.nan, -np.inf])
def test_leaves_far_from_all_numbers_are_refused(forged, value):
    refusal(forged("number", set_value("leaves/values", -1, value)), "'leaves/values' holds")


def test_leaves_that_overflow_in_the_users_unit_are_refused(forged):
    def change(document, arrays):
        arrays["targets/scale"] = np.array([1e300])
        set_value("leaves/values", 0, 1e10)(document, arrays)

    refusal(forged("number", change), "predictions would be infinite")


def test_numbers_that_training_can_make_are_kept(tmp_path):
    # A row that hardly weighs anything lies far from the mean of the others, in units of their deviation.
    weights = np.ones(60)
    weights[0] = 1e-12
    y = np.where(np.arange(60) == 0, 1.0, 0.0)
    model = ObliqueForestRegressor(n_estimators=3, random_state=0, bootstrap=False)
    model.fit(X, y, sample_weight=weights).save(tmp_path / "m.slant")
    np.testing.assert_array_equal(load_model(tmp_path / "m.slant").predict(X), model.predict(X))


def test_a_model_with_such_leaves_is_not_saved(tmp_path):
    model = forest().fit(X, LABELS)
    leaves = model.trees_.leaves
    trees = model.trees_._replace(leaves=leaves._replace(values=leaves.values + np.float32(2)))
    model.forest_ = replace(model.forest_, trees=trees)
    with pytest.raises(ValueError, match=r"cannot be saved: array 'leaves/values' holds 3; prob"):
        model.save(tmp_path / "m.slant")
    assert not list(tmp_path.iterdir())


def test_a_label_stands_once_in_a_leaf(contents, forged):
    counts, targets = (contents("sparse labels").arrays[f"leaves/{name}"] for name in ("counts", "targets"))
    starts = (np.cumsum(counts) - counts).astype(np.int64)
    several = np.flatnonzero(counts > 1)
    assert len(several) > 2
    for leaf in several[:5]:
        first = starts[leaf]
        path = forged("sparse labels", set_value("leaves/targets", first, targets[first + 1]))
        refusal(path, "a target twice in one leaf")

    def swap(document, arrays):  # the order within a leaf is free
        arrays["leaves/targets"] = arrays["leaves/targets"].copy()
        for first in starts[several]:
            pair = arrays["leaves/targets"][first : first + 2]
            pair[:] = pair[::-1].copy()
        arrays["leaves/values"] = np.ones(1, np.float32)

    assert load_model(forged("sparse labels", swap)).predict_proba(X).max() <= 1


def test_leaves_without_any_class_make_all_classes_equally_likely(forged):
    def change(document, arrays):
        for name in ("leaves/values", "leaves/counts", "leaves/targets"):
            arrays.pop(name, None)
        n_leaves = len(arrays["trees/bias"]) + document["trees"]["n_trees"]
        arrays["leaves/values"] = np.zeros((n_leaves, 3), np.float32)
        document["trees"]["sparse_leaves"] = False

    np.testing.assert_array_equal(load_model(forged("classes", change)).predict_proba(X), 1 / 3)


def test_other_numbers_that_make_no_sense_are_refused(forged):
    refusal(
        forged("classes", set_value("trees/bias", 0, np.nan)),
        "'trees/bias' holds numbers that are not finite",
    )
    refusal(forged("classes", set_value("trees/weights", 0, np.inf)), "'trees/weights' holds")
    refusal(forged("classes", set_value("trees/means", 0, -np.inf)), "'trees/means' holds")

    def negative_sizes(document, arrays):
        arrays["trees/sizes"] = -arrays["trees/sizes"].astype(np.float64)

    def great_importance(document, arrays):
        arrays["importance"] = np.full(4, 1e308)

    refusal(forged("classes", negative_sizes), "'trees/sizes' holds weights below 0")
    refusal(forged("classes", great_importance), "'importance' holds")


# ---- names, texts and structure


def put(value, *way):
    def change(document, arrays):
        for step in way[:-1]:
            document = document[step]
        document[way[-1]] = value

    return change


LONG = "x" * 3_000_000


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("case", "change"),
    [
        ("classes", put(LONG, "estimator")),
        ("classes", put(LONG, "parameters", "split")),
        ("classes", put({"bytes": LONG}, "parameters", "max_features")),
        ("classes", put(1, "parameters", LONG)),
        ("classes", put({"split": {"learner": "svm", LONG: 1}}, "parameters", "split")),
        ("classes", put({LONG: 1}, "parameters", "split")),
        ("nominal", put([[LONG, LONG]], "encoding", "categories")),
        ("hierarchy", put([LONG, LONG], "hierarchies", 0, "nodes")),
        ("hierarchy", put(LONG, "hierarchies", 0, "format")),
        ("labels", put(LONG, "targets", "dtype")),
    ],
    ids=range(10),
)
def test_long_texts_are_not_repeated_in_messages(forged, case, change):
    path = forged(case, change)
    with pytest.raises(ModelFileError) as caught:
        load_model(path)
    assert len(str(caught.value)) < 700
    assert os.fspath(path) in str(caught.value)
    # Nor in what a traceback shows before it.
    assert len(str(caught.value.__cause__)) < 700


@pytest.mark.parametrize(
    ("case", "change"),
    [
        ("hierarchy", put([[0, 1], [1, 0]], "hierarchies", 0, "edges")),
        ("hierarchy", put([[0, 0]], "hierarchies", 0, "edges")),
        ("hierarchy", put([[0, 1], [0, 1]], "hierarchies", 0, "edges")),
        ("hierarchy", put([[0, -1]], "hierarchies", 0, "edges")),
        ("hierarchy", put([[0, 10**18]], "hierarchies", 0, "edges")),
        ("hierarchy", put([], "hierarchies")),
        ("hierarchy", put([5], "hierarchies")),
        ("hierarchy", put({"hierarchy": -1}, "targets", "hierarchy")),
        ("labels", put(-1, "targets", "n_labels")),
        ("labels", put(10**30, "targets", "n_labels")),
        ("labels", put(True, "targets", "n_labels")),
        ("labels", put(2.0, "targets", "n_labels")),
        ("classes", put(-5, "trees", "n_trees")),
        ("classes", put(2**31, "trees", "n_trees")),
        ("classes", put(10**30, "trees", "n_trees")),
        ("classes", put(-1, "encoding", "n_inputs")),
        ("classes", put(10**30, "encoding", "n_inputs")),
        ("nominal", put([10**30], "encoding", "usual")),
        ("nominal", put([[-1]], "encoding", "frequent")),
        ("nominal", put([["blue", "blue"]], "encoding", "categories")),
        ("number", put({"tuple": ["a", "b"]}, "fitted", "target_names_")),
        ("labels", put({"tuple": ["a", "b"]}, "fitted", "target_names_")),
        ("labels", put(True, "targets", "as_sets")),
        ("labels", put(1, "targets", "as_sets")),
        ("named labels", put({"objects": ["sun", "sea", "sun"]}, "targets", "names")),
        ("named labels", put({"objects": ["sun", "sea"]}, "targets", "names")),
        ("named labels", put({"objects": ["sun", "sea", 3]}, "targets", "names")),
        ("named labels", put({"texts": ["sun", "sea", "hill"]}, "targets", "names")),
        ("named labels", put("abc", "targets", "names")),
        ("named labels", put({"list": ["sun", "sea", "hill"]}, "targets", "names")),
        ("label sets", put(None, "targets", "names")),
        ("label sets", put({"numbers": "importance"}, "targets", "names")),
    ],
    ids=range(32),
)
def test_structures_that_do_not_fit_are_refused(forged, case, change):
    refusal(forged(case, change), most_memory=2_000_000)


@pytest.mark.parametrize("depth", [500, 5_000, 1_000_000])
def test_nesting_without_end_is_refused(tmp_path, contents, depth):
    for opening, closing in (("[", "]"), ('{"list":[', "]}"), ('{"a":', "}")):
        deep = opening * depth + "0" * (opening == '{"a":') + closing * depth
        document = json.dumps(contents("classes").document)
        header = json.dumps({"arrays": [], "document": "HERE"}).replace('"HERE"', document)
        header = header.replace('"split": "gradient"', f'"split": {deep}')
        refusal(sealed(tmp_path / "deep.slant", header.encode()), most_memory=1 << 30)


def test_a_key_that_stands_twice_is_refused(tmp_path):
    header = b'{"arrays": [], "document": {"slantwood": "1", "slantwood": "2"}}'
    refusal(sealed(tmp_path / "twice.slant", header), "a key stands twice")


def test_a_single_tree_has_one_tree(forged, tmp_path):
    ObliqueTreeClassifier(random_state=0).fit(X, THREE).save(tmp_path / "one.slant")
    good = container.read(tmp_path / "one.slant")

    def change(document, arrays):
        document["estimator"] = "ObliqueTreeClassifier"
        document["parameters"] = good.document["parameters"]

    refusal(forged("classes", change), "ObliqueTreeClassifier has 3 trees")


# ---- boosted trees


def _set_additive(name, value):
    def change(document, arrays):
        document["additive"][name] = value

    return change


def _set_array(name, numbers):
    def change(document, arrays):
        arrays[f"additive/{name}"] = np.array(numbers)

    return change


@pytest.mark.parametrize(
    ("case", "change", "match"),
    [
        ("boosted number", _set_array("start", [np.nan]), "start must be an array of finite"),
        ("boosted number", _set_array("start", [0.0, 0.0]), "start has 2 scores for 1 column"),
        ("boosted number", _set_additive("start", 3), "start must be an array"),
        ("boosted number", _set_array("round_sizes", [2, 3]), "are not those of 4 trees"),
        ("boosted number", _set_array("round_sizes", [4, 0]), "are not those of 4 trees"),
        ("boosted number", _set_array("round_sizes", [2**62, 4 - 2**62]), "are not those of 4 trees"),
        ("boosted number", _set_array("round_sizes", [[2, 2]]), "are not those of 4 trees"),
        ("boosted number", _set_additive("round_sizes", 4), "are not those of 4 trees"),
        ("boosted number", _set_array("fold_starts", [[np.nan]]), "fold_starts must be finite"),
        ("boosted number", _set_array("fold_starts", [[0.0, 0.0]]), "fold_starts must be .* 1 columns"),
        ("boosted number", _set_array("fold_starts", [0.0]), "fold_starts must be finite"),
        ("boosted number", _set_additive("fold_starts", 1), "fold_starts must be finite"),
        ("boosted number", _set_additive("validation_fraction", 0.9), "validation_fraction=0.9 is no share"),
        ("boosted number", _set_additive("validation_fraction", "x"), "validation_fraction='x' is no share"),
        ("boosted number", _set_additive("loss", {"loss": {"name": "softmax"}}), "not a loss for regression"),
        ("boosted number", _set_additive("loss", {"loss": {"name": "eval"}}), "'eval' is not a loss"),
        ("boosted number", _set_additive("loss", {"loss": {"name": "huber", "delta": -1.0}}), "delta=-1.0"),
        ("boosted number", _set_additive("loss", {"loss": {"name": "huber", "x": 1}}), "x"),
        ("boosted number", _set_additive("loss", "huber"), "not a loss for regression"),
        ("boosted number", _set_additive("more", 1), "more"),
        (
            "boosted classes",
            _set_additive("loss", {"loss": {"name": "poisson"}}),
            "not a loss for multi-class",
        ),
        ("boosted classes", lambda document, arrays: document.pop("additive"), "leaves of a wrong kind"),
        (
            "classes",
            lambda document, arrays: document.update(additive={"round_sizes": 1}),
            "leaves of a wrong kind",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",  # others have another name in each process
)
def test_what_boosted_trees_add_up_to_is_checked(forged, case, change, match):
    refusal(forged(case, change), match)


def test_candidates_that_are_none_are_refused(forged):
    def change(document, arrays):
        settings = document["fitted"]["settings_"]["dict"]
        place = [name for name, _ in settings].index("candidates")
        settings[place][1] = {"tuple": [{"tuple": ["os.system", 1.0]}]}

    refusal(forged("boosted number", change), "os.system")
