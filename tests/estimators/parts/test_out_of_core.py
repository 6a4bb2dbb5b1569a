"""Claims about forests with `max_memory`: the usual model where rows fit, one of random shares where not."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from slantwood import (
    Hierarchy,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    load_model,
)
from slantwood.callbacks import Callback
from slantwood.data import Data, scan, write
from slantwood.estimators.parts import out_of_core
from slantwood.estimators.parts.blocks import ArrayBlocks
from slantwood.estimators.parts.memory import n_bytes

N = 3000
LITTLE = "300kB"  # for a part of these rows


@pytest.fixture
def on_disk(tmp_path):
    """Put an array on disk, and map it."""

    def put(array, name="x"):
        path = tmp_path / f"{name}{len(list(tmp_path.iterdir()))}.npy"
        np.save(path, array)
        return np.load(path, mmap_mode="r")

    return put


def problem(n=N, seed=0):
    """Draw rows of three classes, sorted by class."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 6), np.float32)
    y = (X @ np.random.default_rng(9).standard_normal((6, 3))).argmax(axis=1)
    order = np.argsort(y, kind="stable")
    return X[order], y[order]


def forest(**more):
    return ObliqueForestClassifier(**{"n_estimators": 6, "random_state": 0, "preset": "fast"} | more)


def same_trees(a, b):
    return all(np.array_equal(x, y) for x, y in zip(a.trees_[:-1], b.trees_[:-1], strict=True))


def in_shares(monkeypatch):
    """Note how many rows each share has."""
    seen = []
    gathered = out_of_core._gathered

    def noting(*given, **more):
        part = gathered(*given, **more)
        seen.append(part)
        return part

    monkeypatch.setattr(out_of_core, "_gathered", noting)
    return seen


def test_rows_that_fit_give_the_usual_model(on_disk):
    X, y = problem(500)
    usual = forest().fit(X, y)
    assert same_trees(usual, forest(max_memory="1GB").fit(on_disk(X), on_disk(y)))


def test_rows_in_a_frame_that_fit_give_the_usual_model():
    X, y = problem(500)
    X = pd.DataFrame(X).assign(side=np.where(X[:, 0] > 0, "left", "right"))
    X.columns = X.columns.astype(str)
    assert same_trees(forest().fit(X, y), forest(max_memory="1GB").fit(X, y))


def test_shares_of_rows_that_are_sorted_by_class_are_as_good_as_all_rows(on_disk, monkeypatch):
    X, y = problem(6000)
    new, truth = problem(2000, seed=1)
    shares = in_shares(monkeypatch)
    divided = forest(n_estimators=20, max_memory="400kB").fit(on_disk(X), on_disk(y))
    assert len(shares) > 3
    for share in shares:
        assert np.bincount(share.y) / share.n_rows == pytest.approx(np.bincount(y) / len(y), abs=0.05)
    usual = forest(n_estimators=20).fit(X, y)
    assert divided.score(new, truth) > usual.score(new, truth) - 0.02
    assert len(divided) == len(usual) == 14  # of 20, with preset="fast"


def test_every_row_is_in_one_share_where_passes_suffice(on_disk, monkeypatch):
    X, y = problem()
    shares = in_shares(monkeypatch)
    forest(max_memory=LITTLE).fit(on_disk(X), on_disk(y))
    rows = np.concatenate([share.X for share in shares])
    assert len(shares) > 1
    np.testing.assert_array_equal(np.sort(rows[:, 0]), np.sort(X[:, 0]))


def test_the_same_seed_gives_the_same_shares_and_trees(on_disk):
    X, y = map(on_disk, problem())
    first, second = (forest(max_memory=LITTLE).fit(X, y) for _ in range(2))
    assert same_trees(first, second)
    other = forest(max_memory=LITTLE, random_state=1).fit(X, y)
    assert not same_trees(first, other)


def test_threads_change_nothing_where_shares_are_the_same(on_disk):
    X, y = map(on_disk, problem())
    # Few rows for each tree, so that one share has enough in either case.
    models = [forest(max_memory=LITTLE, max_samples=20, n_jobs=jobs).fit(X, y) for jobs in (1, 2)]
    assert same_trees(*models)


def test_a_common_factor_of_all_weights_changes_no_tree_of_a_share(monkeypatch):
    X, y = problem()
    weights = np.where(y == 0, 5.0, 0.5)  # blocks, sorted by class, have other means
    shares = in_shares(monkeypatch)
    model = forest(max_memory=LITTLE, min_samples_leaf=5).fit(X, y, sample_weight=weights)
    assert len(shares) > 1
    for factor in (2.0**-10, 2.0**10):
        other = forest(max_memory=LITTLE, min_samples_leaf=5).fit(X, y, sample_weight=factor * weights)
        assert same_trees(model, other)


@pytest.mark.parametrize("dtype", [np.float64, np.int16])
def test_numbers_of_other_types_are_read_in_single_precision(on_disk, dtype, monkeypatch):
    X, y = problem()
    X = (100 * X).astype(dtype)
    shares = in_shares(monkeypatch)
    model = forest(max_memory=LITTLE).fit(on_disk(X), on_disk(y))
    assert {share.X.dtype for share in shares} == {np.dtype(np.float32)}
    assert model.score(X, y) > 0.8


def test_missing_values_sparse_rows_and_weights(on_disk):
    X, y = problem()
    X[::7, 2] = np.nan
    weights = np.where(y == 2, 0.0, 1.0)
    model = forest(max_memory=LITTLE).fit(on_disk(X), on_disk(y), sample_weight=on_disk(weights))
    assert model.classes_.tolist() == forest().fit(X, y, sample_weight=weights).classes_.tolist() == [0, 1]
    assert model.score(X[y < 2], y[y < 2]) > 0.8
    rows = sp.csr_array(np.where(np.abs(X) > 1.5, X, 0).astype(np.float32))
    parts = [on_disk(getattr(rows, name)) for name in ("data", "indices", "indptr")]
    mapped = sp.csr_array(tuple(parts), shape=rows.shape)
    model = forest(max_memory="200kB").fit(mapped, on_disk(y))
    assert len(model) == 5  # with preset="fast"
    with pytest.raises(TypeError, match="X is a sparse matrix in csc format"):
        forest(max_memory="200kB").fit(rows.tocsc(), y)


def test_labels_of_a_hierarchy_may_come_as_sets():
    X, y = problem()
    hierarchy = Hierarchy.from_paths(["a/b", "a/c", "d"])
    tags = [[("a/b",), ("a/c",), ("d",)][each] for each in y]
    model = forest(hierarchy=hierarchy, max_memory="1MB", n_estimators=4).fit(X, tags)
    scores = model.predict_proba(X)
    places = {name: place for place, name in enumerate(model.classes_)}
    assert (scores[:, places["a/b"]] <= scores[:, places["a"]] + 1e-6).all()
    assert model.score(X, tags) > 0.7


def test_numbers_are_predicted_too(on_disk):
    X, _ = problem()
    y = X[:, 0] + X[:, 1]
    model = ObliqueForestRegressor(6, max_memory="1MB", random_state=0).fit(on_disk(X), on_disk(y))
    assert model.score(X, y) > 0.9


# ---- files


@pytest.fixture
def parquet(tmp_path):
    """Write files in which one category, one class and nulls are in one block only."""
    X, y = problem()
    frame = pd.DataFrame(X, columns=list("abcdef"))
    frame["tree"] = np.where(X[:, 0] > 0, "oak", "elm")
    frame.loc[10, "tree"] = "fir"
    frame.loc[20:40, "tree"] = None
    frame.loc[50:70, "b"] = None
    frame["y"] = np.array(["x", "y", "z"])[y]
    frame.loc[2999, "y"] = "rare"
    folder = tmp_path / "rows"
    folder.mkdir()
    for part in range(3):
        rows = frame.iloc[part * 1000 : (part + 1) * 1000]
        rows.to_parquet(folder / f"{part}.parquet", row_group_size=400, index=False)
    frame.iloc[:0].to_parquet(folder / "3.parquet", index=False)
    return folder


def test_what_one_block_alone_has_is_known_to_the_model(parquet):
    model = forest(max_memory="1MB").fit(scan(parquet, targets="y", block_rows=150))
    assert model.classes_.tolist() == ["rare", "x", "y", "z"]
    assert model.encoding_.categories == (("elm", "fir", "oak"),)
    assert model.input_names_ == (*"abcdef", "tree")
    assert model.target_names_ == ("y",)


def test_files_that_fit_give_the_model_of_their_rows_in_memory(parquet):
    rows = scan(parquet, targets="y")
    data = rows.read()
    usual = forest().fit(data.X, data.y)
    assert same_trees(usual, forest(max_memory="1GB").fit(rows))


def test_a_model_of_shares_is_saved_with_its_parameter(parquet, tmp_path):
    model = forest(max_memory="1MB").fit(scan(parquet, targets="y"))
    model.save(tmp_path / "m.slant")
    loaded = load_model(tmp_path / "m.slant")
    assert loaded.max_memory == "1MB"
    X = scan(parquet, targets="y").read().X
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


def test_parts_of_extreme_classification_files(tmp_path):
    rng = np.random.default_rng(0)
    for part in range(3):
        X = sp.random_array((200, 50), density=0.1, format="csr", dtype=np.float32, rng=rng)
        Y = sp.csr_array((X[:, :12].toarray() > 0.3).astype(np.int8))
        names = [tuple(map(str, range(n))) for n in (50, 12)]
        write(Data(X, Y, *names, task="multi-label"), tmp_path / f"{part}.txt", format="extreme")
    rows = scan(tmp_path)
    assert (rows.n_rows, rows.task) == (600, "multi-label")
    model = forest(max_memory="100kB").fit(rows)
    assert model.predict_proba(next(iter(rows)).X).shape == (200, 12)


# ---- memory


def test_no_more_than_a_part_of_the_rows_is_in_memory(on_disk):
    rng = np.random.default_rng(0)
    X = on_disk(rng.standard_normal((60_000, 40)))  # float64: 19 MB
    y = on_disk((X[:, 0] + X[:, 1] > 0).astype(np.int8))
    del rng
    settings = {"n_estimators": 2, "max_samples": 1000, "max_depth": 4, "max_memory": "4MB"}
    forest(**settings).fit(X[:200], y[:200])  # what is loaded at first is not counted
    tracemalloc.start()
    model = forest(**settings).fit(X, y)
    fitted = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert fitted < 0.4 * X.nbytes
    assert model.score(X[:1000], y[:1000]) > 0.7


def test_labels_that_every_block_shows_are_kept_once(monkeypatch):
    # In each block, each label is in few rows, which all blocks together would keep.
    X = sp.csr_array(np.random.default_rng(0).random((6000, 4), np.float32))
    Y = sp.csr_array(np.tile(np.eye(100, dtype=np.int8), (60, 1)))
    monkeypatch.setattr(out_of_core, "ArrayBlocks", lambda X, y, weights: ArrayBlocks(X, y, weights, 100))
    kept, sizes = out_of_core._glimpsed(forest(), out_of_core.ArrayBlocks(X, Y, None), 400_000)
    assert sizes == [100] * 60
    assert sum(map(out_of_core._bytes_of, kept)) < 0.3 * (n_bytes(X) + n_bytes(Y))
    assert (sum(each.part.y.sum(axis=0) for each in kept) > 0).all()
    assert sum(each.part.weights.sum() for each in kept) == pytest.approx(6000)
    assert len(forest(max_memory="2MB").fit(X, Y).classes_) == 100


def test_a_column_with_a_value_of_its_own_in_every_row_is_named(tmp_path):
    X, y = problem()
    table = pd.DataFrame(X, columns=list("abcdef")).assign(y=y, id=[f"row {row}" for row in range(N)])
    for number in range(10):
        rows = table.iloc[number::10]
        rows.to_parquet(tmp_path / f"{number}.parquet", index=False)
    said = "column 'id' of X alone has .* different values; leave such columns out, or give a larger"
    with pytest.raises(ValueError, match=said):
        forest(max_memory="150kB").fit(scan(tmp_path, targets="y"))
    forest(max_memory="150kB").fit(scan(tmp_path, targets="y", drop="id"))


def test_labels_that_take_too_much_memory_are_no_fault_of_a_column():
    X = pd.DataFrame({"colour": ["red", "green", "blue", "red"] * 1000})
    y = [{f"label {row}"} for row in range(4000)]
    with pytest.raises(ValueError, match="a quarter of max_memory: there are many classes or labels; give"):
        forest(max_memory="300kB").fit(X, y)


# ---- refusals and interrupts


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"oob_score": True, "bootstrap": True}, "oob_score=True .* larger max_memory"),
        ({"warm_start": True}, "warm_start=True .* larger max_memory"),
    ],
)
def test_what_needs_all_rows_is_refused_with_the_remedy(settings, said):
    X, y = problem()
    model = forest(n_estimators=40, **settings).fit(X[:500], y[:500])
    with pytest.raises(ValueError, match=said):
        model.set_params(max_memory=LITTLE).fit(X, y)


def test_tuned_thresholds_are_refused_with_the_remedy():
    X, y = problem()
    model = forest(threshold="f1_micro", bootstrap=True, max_memory=LITTLE)
    with pytest.raises(ValueError, match=r"threshold='f1_micro' .* larger max_memory"):
        model.fit(X, np.eye(3, dtype=int)[y])


def test_a_matrix_that_scores_splits_is_refused(on_disk):
    X, y = problem()
    with pytest.raises(ValueError, match=r"clustering is a matrix .* give a name"):
        forest(max_memory=LITTLE).fit(X, y, clustering=X)
    assert len(forest(max_memory=LITTLE).fit(X, y, clustering="features")) == 5


def test_a_scan_needs_a_limit_and_has_its_own_targets(parquet):
    rows = scan(parquet, targets="y")
    with pytest.raises(ValueError, match=r"without max_memory holds all rows .* X.read\(\)"):
        forest().fit(rows)
    with pytest.raises(ValueError, match=r"ObliqueTreeClassifier .* X.read\(\)"):
        ObliqueTreeClassifier().fit(rows)
    with pytest.raises(ValueError, match="without y"):
        forest(max_memory="1MB").fit(rows, np.zeros(3000))
    with pytest.raises(ValueError, match="no targets to learn"):
        forest(max_memory="1MB").fit(scan(parquet, targets=()))
    with pytest.raises(TypeError, match=r"for block in scan: model.predict"):
        forest(max_memory="1MB").fit(rows).predict(rows)


def test_too_little_memory_and_other_lengths_are_told():
    X, y = problem()
    with pytest.raises(ValueError, match=r"max_memory=1.0 kB is enough for .* give at least"):
        forest(max_memory=1000).fit(X, y)
    with pytest.raises(ValueError, match="X has 3000, y has 2999"):
        forest(max_memory=LITTLE).fit(X, y[1:])
    with pytest.raises(ValueError, match="max_memory='much'"):
        forest(max_memory="much").fit(X, y)
    with pytest.raises(ValueError, match="Expected 2D array"):
        forest(max_memory=LITTLE).fit(X[0], y)
    with pytest.raises(ValueError, match="target y is None"):
        forest(max_memory=LITTLE).fit(X)


class Interrupting(Callback):
    """Presses Ctrl-C after some trees."""

    def on_fit_task_end(self, estimator, context):
        if context.task_name == "tree" and context.task_id == 3:
            raise KeyboardInterrupt
        return False


def test_an_interrupted_fit_leaves_the_earlier_model():
    X, y = problem()
    model = forest(max_memory=LITTLE).fit(X, y)
    before = model.forest_
    with pytest.raises(KeyboardInterrupt):
        model.set_callbacks(Interrupting()).fit(X, y)
    assert model.forest_ is before


class Stopping(Callback):
    """Ends the fit after three trees, each of which it hears of in order."""

    def __init__(self):
        self.numbers = []

    def on_fit_task_end(self, estimator, context):
        if context.task_name == "tree":
            self.numbers.append(context.task_id)
        return len(self.numbers) == 3


def test_callbacks_hear_of_trees_in_order_and_may_stop(on_disk):
    X, y = map(on_disk, problem())
    watch = Stopping()
    model = forest(max_memory=LITTLE).set_callbacks(watch).fit(X, y)
    assert watch.numbers == [0, 1, 2]
    assert len(model) == 3
    whole = forest(max_memory=LITTLE).fit(X, y)
    np.testing.assert_array_equal(model.trees_.bias, whole.trees_.bias[: len(model.trees_.bias)])


def test_an_earlier_fit_leaves_no_trace(parquet):
    X, y = problem()
    model = forest(oob_score=True, bootstrap=True, n_estimators=40).fit(X, y, feature_names=list("uvwxyz"))
    model.set_params(oob_score=False, max_memory="1MB").fit(scan(parquet, targets="y"))
    assert not hasattr(model, "oob_score_")
    assert model.input_names_ == (*"abcdef", "tree")


def test_blocks_of_arrays_are_views(on_disk):
    X, y = map(on_disk, problem())
    blocks = list(ArrayBlocks(X, y, block_rows=700))
    assert [block.n_rows for block in blocks] == [700, 700, 700, 700, 200]
    assert all(np.shares_memory(block.X, X) for block in blocks)


# ---- what a share may lack


def rare_last(n=N):
    """Draw rows of three classes, the last of which only one row has."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((n, 6), np.float32)
    y = np.where(X[:, 0] > 0, "ash", "elm")
    y[7] = "oak"
    return X, y


@pytest.mark.parametrize("class_weight", [{"oak": 5.0}, {"ash": 1.0, "elm": 2.0, "oak": 5.0}, "balanced"])
def test_a_share_may_lack_a_class_that_has_a_weight(class_weight, monkeypatch):
    X, y = rare_last()
    shares = in_shares(monkeypatch)
    model = forest(max_memory=LITTLE, class_weight=class_weight).fit(X, y)
    assert any("oak" not in share.y for share in shares)
    assert model.classes_.tolist() == ["ash", "elm", "oak"]


@pytest.mark.parametrize("as_frame", [False, True])
def test_a_share_may_lack_a_class_of_one_of_several_targets(as_frame, monkeypatch):
    X, y = rare_last()
    Y = np.column_stack([y == "ash", 2 * (y == "oak")]).astype(int)
    Y = pd.DataFrame(Y, columns=["first", "second"]) if as_frame else Y
    shares = in_shares(monkeypatch)
    weights = [None, {2: 3.0}]
    model = forest(max_memory=LITTLE, class_weight=weights).fit(X, Y)
    assert any(np.max(np.asarray(share.y)) < 2 for share in shares)
    assert [each.tolist() for each in model.classes_] == [[0, 1], [0, 2]]


@pytest.mark.parametrize("max_samples", [0.1, 300, 2000])
def test_a_tree_draws_as_many_rows_from_a_share_as_it_would_from_all(max_samples, monkeypatch):
    X, y = problem()
    shares = in_shares(monkeypatch)
    model = forest(max_memory=LITTLE, max_samples=max_samples).fit(X, y)
    assert len(shares) > 1
    assert model.settings_.max_samples == min(300 if max_samples == 0.1 else max_samples, shares[0].n_rows)


def test_a_random_state_goes_on_with_and_without_a_limit_of_memory():
    X, y = problem(400)
    X = pd.DataFrame(X, columns=list("abcdef")).assign(side=np.where(X[:, 0] > 0, "left", "right"))
    usual, within = np.random.RandomState(3), np.random.RandomState(3)
    for _ in range(2):
        model = forest(random_state=usual).fit(X, y)
        assert same_trees(model, forest(random_state=within, max_memory="1GB").fit(X, y))
    X, y = problem()
    state = np.random.RandomState(3)
    first, second = (forest(random_state=state, max_memory=LITTLE).fit(X, y) for _ in range(2))
    assert not same_trees(first, second)


def test_many_files_of_text_show_no_more_rows_than_one_does(tmp_path, monkeypatch):
    X, y = problem()
    shown = []
    glimpsed = out_of_core._glimpsed

    def noting(*given):
        found = glimpsed(*given)
        shown.append(sum(each.part.n_rows for each in found[0]))
        return found

    monkeypatch.setattr(out_of_core, "_glimpsed", noting)
    table = pd.DataFrame(X).assign(y=np.array(["ash", "elm", "oak"])[y])
    shuffled = np.random.default_rng(0).permutation(N)
    for n_files in (2, 20):
        folder = tmp_path / str(n_files)
        folder.mkdir()
        for number, rows in enumerate(np.array_split(shuffled, n_files)):
            table.iloc[rows].to_csv(folder / f"{number:02}.csv", index=False)
        forest(max_memory="800kB").fit(scan(folder, targets="y"))
    # Of every file, the rows are shown that have its classes, and the ends of its six columns.
    witnesses = 3 + 2 * 6
    assert shown[1] <= shown[0] + 20 * witnesses < N
