"""What methods get of a data set: the same rows, in the form that each of them takes."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from slantwood.data import load
from slantwood.task_names import TASKS
from slantwood_bench.methods import METHODS, method_class
from slantwood_bench.methods.base import Method, dense
from slantwood_bench.problems import Problem, cut, load_problem, paper_sets, rows_of

SETS = {
    "triazines": "regression",
    "slump": "multi-target regression",
    "banknote": "binary",
    "balance": "multi-class",
    "flags": "multi-label",
    "enron": "hierarchical multi-label",
}
WITH_MISSING_TARGETS = {"triazines": 90, "slump": 80, "balance": 90}


class _Tables(Method):
    reads_tables = True
    takes_missing = True


class _Numbers(Method):
    takes_missing = True


class _Complete(Method):
    pass


def _halves(problem):
    n = problem.X.shape[0]
    order = np.random.default_rng(3).permutation(n)
    return np.sort(order[: 2 * n // 3]), np.sort(order[2 * n // 3 :])


def _numbers_in(table):
    """Return the columns of a table that are numbers."""
    if hasattr(table, "select_dtypes"):
        return table.select_dtypes("number").to_numpy()
    return dense(table)


# ---- a problem


@pytest.mark.parametrize(("name", "task"), SETS.items())
def test_a_set_has_the_task_of_the_registry(data, name, task):
    problem = load_problem(name, data)
    assert (problem.name, problem.task) == (name, task)
    assert problem.X.shape[0] == problem.y.shape[0] > 0


def test_a_set_has_its_name_of_the_paper_whatever_it_was_called(data):
    assert load_problem("Balance_Scale", data).name == "balance"


@pytest.mark.parametrize(("name", "n_written"), WITH_MISSING_TARGETS.items())
def test_rows_with_a_missing_target_are_left_out_and_no_others(data, name, n_written):
    raw = load(name, folder=data, download=False)
    cells = np.array(raw.y, object).reshape(n_written, -1)
    known = [all(cell is not None and cell == cell for cell in row) for row in cells]
    problem = load_problem(name, data)
    assert 0 < sum(known) < n_written
    assert_array_equal(_numbers_in(problem.X), _numbers_in(raw.X)[known])
    if problem.y.dtype.kind == "f":
        assert_array_equal(problem.y, raw.y[known])


def test_classes_are_numbers_in_the_order_of_their_names(data):
    raw = load("balance", folder=data, download=False)
    names = [name for name in raw.y if name is not None and name == name]
    problem = load_problem("balance", data)
    # The file declares them as L, B, R.
    assert [["B", "L", "R"][code] for code in problem.y] == names
    assert problem.n_targets == 3


def test_classes_that_are_numbers_keep_their_order(data):
    assert set(load_problem("banknote", data).y) == {0, 1}
    raw = load("banknote", folder=data, download=False)
    assert_array_equal(load_problem("banknote", data).y, raw.y.astype(int))


def test_labels_are_closed_under_the_hierarchy(data):
    raw = load("enron", folder=data, download=False)
    problem = load_problem("enron", data)
    names = raw.hierarchy.nodes
    for labels in raw.hierarchy.label_sets(problem.y):
        paths = [label.split("/") for label in labels]
        above = {"/".join(path[:depth]) for path in paths for depth in range(1, len(path) + 1)}
        assert set(labels) == above
    assert any("/" in label for label in names)
    assert_array_equal(dense(problem.y), dense(raw.y))
    assert problem.hierarchy == raw.hierarchy


@pytest.mark.parametrize(
    ("name", "n_targets"), [("triazines", 1), ("slump", 3), ("balance", 3), ("flags", 7), ("enron", 16)]
)
def test_targets_are_counted(data, name, n_targets):
    assert load_problem(name, data).n_targets == n_targets


def test_a_stand_in_says_what_it_is(data):
    problem = load_problem("tmc2007-500", data)
    assert (problem.mark, problem.remark) == ("partial", "500 selected words of the 49060 of tmc2007")
    assert load_problem("banknote", data).mark == ""


def test_a_set_that_is_not_there_is_told_and_not_fetched(data):
    with pytest.raises(FileNotFoundError, match=r"'emotions' is in none of .* download=False"):
        load_problem("emotions", data)


# ---- what is cut of it for a method


@pytest.mark.parametrize("name", SETS)
def test_every_method_sees_the_same_rows(data, name):
    problem = load_problem(name, data)
    train, test = _halves(problem)
    n_numbers = _numbers_in(problem.X).shape[1]
    expected = _numbers_in(problem.X)
    for method in map(method_class, METHODS):
        rows, X_test = cut(problem, train, test, method)
        assert (rows.task, rows.hierarchy) == (problem.task, problem.hierarchy)
        assert_array_equal(dense(rows.y), dense(problem.y)[train])
        for part, chosen in ((rows.X, train), (X_test, test)):
            # Numbers come first, before the columns of nominal inputs.
            got, wanted = _numbers_in(part)[:, :n_numbers], expected[chosen]
            known = ~np.isnan(wanted)
            assert part.shape[0] == len(chosen)
            assert_array_equal(got[known], wanted[known])


def test_tables_keep_their_categories_for_methods_that_read_them(data):
    problem = load_problem("triazines", data)
    train, test = _halves(problem)
    rows, X_test = cut(problem, train, test, _Tables)
    for part in (rows.X, X_test):
        assert part["colour"].dtype == problem.X["colour"].dtype == "category"
        assert part["colour"].isna().any()
    rows, X_test = cut(problem, train, test, _Numbers)
    assert isinstance(rows.X, np.ndarray)
    assert rows.X.dtype == X_test.dtype == np.float32
    assert rows.X.shape[1] == X_test.shape[1] == 4 + 3  # three colours, none of which half of the rows have


@pytest.mark.parametrize("name", ["triazines", "slump", "balance", "flags"])
def test_methods_that_take_no_missing_cells_get_the_means_of_training_rows(data, name):
    problem = load_problem(name, data)
    train, test = _halves(problem)
    with_gaps, test_with_gaps = cut(problem, train, test, _Numbers)
    rows, X_test = cut(problem, train, test, _Complete)
    assert np.isnan(with_gaps.X).any()
    assert np.isnan(test_with_gaps).any()
    assert_allclose(rows.X, _filled_by_hand(with_gaps.X, with_gaps.X), rtol=1e-5, atol=1e-6)
    assert_allclose(X_test, _filled_by_hand(test_with_gaps, with_gaps.X), rtol=1e-5, atol=1e-6)


def _filled_by_hand(X, training):
    filled = X.astype(float)
    for i, j in np.argwhere(np.isnan(X)):
        known = [float(cell) for cell in training[:, j] if not np.isnan(cell)]
        filled[i, j] = sum(known) / len(known) if known else 0.0
    return filled


@given(seed=st.integers(0, 2**32 - 1))
def test_sparse_rows_are_filled_as_dense_ones(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 8)).astype(np.float32) * (rng.random((30, 8)) < 0.04)
    X[rng.random((30, 8)) < 0.04] = np.nan
    X[:, 7] = np.nan if seed % 5 == 0 else 0
    problem = Problem("regression", X, np.zeros(30))
    with_gaps, test_with_gaps = cut(problem, np.arange(20), np.arange(20, 30), _Numbers)
    rows, X_test = cut(problem, np.arange(20), np.arange(20, 30), _Complete)
    training = dense(with_gaps.X)
    assert_allclose(dense(rows.X), _filled_by_hand(training, training), rtol=1e-5, atol=1e-6)
    assert_allclose(dense(X_test), _filled_by_hand(dense(test_with_gaps), training), rtol=1e-5, atol=1e-6)
    # What was given is not changed.
    assert_array_equal(problem.X, X)


@pytest.mark.parametrize("given_as", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(("n_nonzero", "is_sparse"), [(19, True), (20, False), (21, False), (0, True)])
def test_inputs_are_sparse_exactly_where_under_a_tenth_is_not_zero(given_as, n_nonzero, is_sparse):
    X = np.zeros((30, 10), np.float32)
    X[:20].flat[np.random.default_rng(0).permutation(200)[:n_nonzero]] = 2.5
    X[20:] = 0 if n_nonzero == 20 else 1
    problem = Problem("regression", given_as(X), np.zeros(30))
    rows, X_test = cut(problem, np.arange(20), np.arange(20, 30), _Complete)
    assert sp.issparse(rows.X) == is_sparse
    # Whatever is in it: what learned from arrays may not take a sparse matrix.
    assert sp.issparse(X_test) == is_sparse
    assert_array_equal(dense(rows.X), X[:20])
    assert_array_equal(dense(X_test), X[20:])


def test_labels_are_sparse_where_under_a_tenth_is_one(data):
    assert sp.issparse(load_problem("tmc2007-500", data).y)
    assert isinstance(load_problem("flags", data).y, np.ndarray)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_rows_of_a_matrix(form):
    X = np.arange(12).reshape(4, 3)
    assert_array_equal(dense(rows_of(form(X), np.array([2, 0]))), X[[2, 0]])


# ---- the sets of the paper


def test_the_sets_of_the_paper_list_ten_sets_of_each_task_in_the_order_of_tasks(data):
    listed = [paper_set.wanted.task for paper_set in paper_sets(data, "benchmark")]
    assert listed == [task for task in TASKS for _ in range(10)]
    assert [paper_set.wanted.task for paper_set in paper_sets(data, "parameter study", "binary")] == [
        "binary"
    ] * 3


def test_the_sets_of_the_paper_tell_what_is_there_what_stands_in_and_what_is_absent(data):
    by_name = {paper_set.wanted.name: paper_set for paper_set in paper_sets(data, "benchmark")}
    there = {name for name, paper_set in by_name.items() if paper_set.found}
    assert there == {*SETS, "spambase", "tmc2007"}
    assert {name: paper_set.mark for name, paper_set in by_name.items() if paper_set.mark} == {
        "tmc2007": "partial"
    }
    assert by_name["tmc2007"].found.name == "tmc2007-500"
    assert by_name["flags"].found.name == "flags"
    assert by_name["reuters"].found is None


def test_the_set_itself_goes_before_what_stands_in_for_it(data, tmp_path):
    for name in ("tmc2007", "tmc2007-500"):
        (tmp_path / "mlc" / name).mkdir(parents=True)
        (tmp_path / "mlc" / name / f"{name}.arff").touch()
    (paper_set,) = [one for one in paper_sets(tmp_path, "benchmark") if one.wanted.name == "tmc2007"]
    assert (paper_set.found.name, paper_set.mark) == ("tmc2007", "")
