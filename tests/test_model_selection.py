"""Claims about folds that share out labels equally."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.neighbors import KNeighborsClassifier

from slantwood.kernels.stratify import stratify
from slantwood.model_selection import LabelStratifiedKFold
from slantwood.targets.hierarchy import Hierarchy

SEEDS = st.integers(0, 2**32 - 1)
ROWS = st.integers(6, 60)
LABELS = st.integers(1, 12)
FOLDS = st.integers(2, 6)


def drawn(n_rows, n_labels, per_row, seed):
    """Labels whose frequencies fall off like 1/rank, correlated through three hidden numbers."""
    rng = np.random.default_rng(seed)
    frequency = 1.0 / np.arange(1, n_labels + 1) ** 0.8
    frequency *= per_row / frequency.sum()
    odds = rng.normal(size=(n_rows, 3)) @ rng.normal(size=(3, n_labels)) * 0.5
    return rng.random((n_rows, n_labels)) < np.minimum(frequency, 0.7) * np.exp(odds)


def folds_of(splitter, y):
    """Fold of each row, after checks that rows are partitioned and everything is in order."""
    n_rows = y.shape[0] if hasattr(y, "shape") else len(y)
    folds = np.full(n_rows, -1)
    n_folds = 0
    for train, test in splitter.split(np.zeros(n_rows), y):
        assert train.dtype.kind == test.dtype.kind == "i"
        assert (np.diff(train) > 0).all()
        assert (np.diff(test) > 0).all()
        np.testing.assert_array_equal(np.union1d(train, test), np.arange(n_rows))
        assert len(train) + len(test) == n_rows
        assert (folds[test] == -1).all()
        folds[test] = n_folds
        n_folds += 1
    assert n_folds == splitter.get_n_splits()
    assert (folds >= 0).all()
    return folds


def counts_of(folds, labels):
    """Rows of each label in each fold."""
    return np.array([labels[folds == fold].sum(axis=0) for fold in range(folds.max() + 1)])


def imbalance(folds, labels):
    """Mean over labels of the largest deviation of a fold from its share."""
    counts = counts_of(folds, labels)
    return np.abs(counts - counts.mean(axis=0)).max(axis=0).mean()


def least_imbalance(labels, n_folds):
    """The same where each label on its own is shared out as equally as whole rows can be."""
    share = labels.sum(axis=0) / n_folds
    return np.maximum(np.ceil(share) - share, share - np.floor(share)).mean()


def as_sets(labels, names):
    return [{names[label] for label in np.flatnonzero(row)} for row in labels]


class TestFolds:
    @given(ROWS, LABELS, SEEDS, FOLDS)
    def test_they_are_those_of_the_kernel_with_labels_in_the_order_of_their_rows(self, n, n_labels, seed, k):
        labels = drawn(n, n_labels, 2.0, seed)
        order = sorted(range(n_labels), key=lambda label: np.flatnonzero(labels[:, label]).tolist())
        by_row, by_label = sp.csr_array(labels[:, order]), sp.csc_array(labels[:, order])
        arrays = (by_row.indptr, by_row.indices, by_label.indptr, by_label.indices)
        expected = stratify(*(array.astype(np.int64) for array in arrays), k, np.zeros(1, np.uint64))
        np.testing.assert_array_equal(folds_of(LabelStratifiedKFold(k), labels), expected)

    @given(ROWS, LABELS, SEEDS, FOLDS, st.booleans())
    def test_their_sizes_differ_by_one_at_most(self, n, n_labels, seed, k, shuffle):
        splitter = LabelStratifiedKFold(k, shuffle=shuffle, random_state=seed if shuffle else None)
        sizes = np.bincount(folds_of(splitter, drawn(n, n_labels, 2.0, seed)), minlength=k)
        assert sizes.max() - sizes.min() <= 1

    @given(ROWS, LABELS, SEEDS, FOLDS)
    def test_they_do_not_depend_on_the_order_of_columns_nor_on_empty_ones(self, n, n_labels, seed, k):
        labels = drawn(n, n_labels, 3.0, seed)
        wider = np.hstack([labels, np.zeros((n, 2), bool)])
        order = np.random.default_rng(seed).permutation(n_labels + 2)
        for options in ({}, {"shuffle": True, "random_state": 3}):
            splitter = LabelStratifiedKFold(k, **options)
            np.testing.assert_array_equal(folds_of(splitter, wider[:, order]), folds_of(splitter, labels))

    def test_each_has_one_row_of_a_label_with_as_many_rows_as_folds(self):
        labels = np.tile(np.eye(20, dtype=int), (7, 1))
        labels = labels[np.random.default_rng(0).permutation(140)]
        for options in ({}, {"shuffle": True, "random_state": 0}):
            folds = folds_of(LabelStratifiedKFold(7, **options), labels)
            np.testing.assert_array_equal(counts_of(folds, labels), 1)

    def test_a_label_with_fewer_rows_than_folds_is_in_as_many_folds_as_it_has_rows(self):
        labels = np.zeros((40, 3), bool)
        labels[:3, 0] = labels[2:4, 1] = labels[3, 2] = True
        counts = counts_of(folds_of(LabelStratifiedKFold(10), labels), labels)
        np.testing.assert_array_equal(counts.max(axis=0), 1)

    @pytest.mark.parametrize("seed", range(3))
    def test_labels_are_shared_out_as_well_as_whole_rows_can_be_where_rows_have_few(self, seed):
        labels = drawn(1500, 60, 2.5, seed)
        assert labels.sum(axis=1).max() >= 6
        folds = folds_of(LabelStratifiedKFold(10), labels)
        by_chance = np.mean(
            [imbalance(folds_of(KFold(10, shuffle=True, random_state=s), labels), labels) for s in range(5)]
        )
        assert imbalance(folds, labels) <= 1.02 * least_imbalance(labels, 10)
        assert imbalance(folds, labels) < 0.4 * by_chance

    def test_labels_are_shared_out_much_better_than_by_chance_where_rows_have_many(self):
        labels = drawn(3000, 300, 15.0, 0)
        folds = folds_of(LabelStratifiedKFold(10, shuffle=True, random_state=0), labels)
        by_chance = imbalance(folds_of(KFold(10, shuffle=True, random_state=0), labels), labels)
        assert imbalance(folds, labels) < 0.45 * by_chance

    @given(ROWS, st.integers(1, 5), SEEDS, FOLDS, st.booleans())
    def test_classes_are_shared_out_as_stratified_folds_do(self, n, n_classes, seed, k, shuffle):
        classes = np.random.default_rng(seed).integers(0, n_classes, n)
        classes[: k * n_classes] = np.arange(k * n_classes)[: len(classes)] % n_classes
        labels = classes[:, None] == np.arange(n_classes)
        options = {"shuffle": True, "random_state": seed} if shuffle else {}
        counts = counts_of(folds_of(LabelStratifiedKFold(k, **options), classes), labels)
        assert (np.ptp(counts, axis=0) <= 1).all()
        if (labels.sum(axis=0) >= k).all():
            theirs = counts_of(folds_of(StratifiedKFold(k, **options), classes), labels)
            np.testing.assert_array_equal(np.sort(counts, axis=0), np.sort(theirs, axis=0))

    def test_rows_without_labels_fill_up_the_folds(self):
        labels = np.zeros((11, 1), bool)
        labels[[2, 5, 7]] = True
        folds = folds_of(LabelStratifiedKFold(4), labels)
        assert len(set(folds[[2, 5, 7]])) == 3
        np.testing.assert_array_equal(np.sort(np.bincount(folds)), [2, 3, 3, 3])


class TestShuffling:
    def test_the_same_seed_gives_the_same_folds_and_another_seed_others(self):
        labels = drawn(80, 6, 2.0, 0)
        folds = [folds_of(LabelStratifiedKFold(4, shuffle=True, random_state=s), labels) for s in (0, 0, 1)]
        np.testing.assert_array_equal(folds[0], folds[1])
        assert (folds[0] != folds[2]).any()
        assert imbalance(folds[2], labels) == pytest.approx(least_imbalance(labels, 4))

    def test_a_splitter_gives_the_same_folds_again_if_its_seed_is_a_number_and_others_if_it_is_a_stream(self):
        labels = drawn(80, 6, 2.0, 0)
        splitter = LabelStratifiedKFold(4, shuffle=True, random_state=5)
        np.testing.assert_array_equal(folds_of(splitter, labels), folds_of(splitter, labels))
        splitter = LabelStratifiedKFold(4, shuffle=True, random_state=np.random.RandomState(5))
        assert (folds_of(splitter, labels) != folds_of(splitter, labels)).any()
        splitter = LabelStratifiedKFold(4, shuffle=True)
        assert (folds_of(splitter, labels) != folds_of(splitter, labels)).any()

    def test_every_row_may_come_into_every_fold(self):
        labels = drawn(12, 4, 2.0, 0)
        seen = np.array(
            [folds_of(LabelStratifiedKFold(3, shuffle=True, random_state=s), labels) for s in range(60)]
        )
        assert all(set(column) == {0, 1, 2} for column in seen.T)


class TestFormsOfY:
    @given(ROWS, LABELS, SEEDS, FOLDS, st.booleans())
    def test_dense_sparse_and_label_sets_give_the_same_folds(self, n, n_labels, seed, k, shuffle):
        labels = drawn(n, n_labels, 2.0, seed)
        splitter = LabelStratifiedKFold(k, shuffle=shuffle, random_state=7 if shuffle else None)
        expected = folds_of(splitter, labels)
        for sparse in (sp.csr_array, sp.csc_matrix, sp.coo_array, sp.lil_matrix, sp.dok_array):
            np.testing.assert_array_equal(folds_of(splitter, sparse(labels.astype(np.float32))), expected)
        names = [("pair", 1), "text", 3, 2.5, frozenset({1}), b"bytes", -1, None.__class__, True][:n_labels]
        names += [f"label {i}" for i in range(n_labels - len(names))]
        np.testing.assert_array_equal(folds_of(splitter, as_sets(labels, names)), expected)

    def test_matrices_and_label_sets_may_come_in_many_containers(self):
        labels = drawn(40, 5, 1.5, 0)
        expected = folds_of(LabelStratifiedKFold(3), labels)
        sets = as_sets(labels, "abcde")
        lists = [sorted(row) for row in sets]
        objects = np.empty(40, object)
        objects[:] = lists
        floats = labels.astype(float)
        forms = (
            floats,
            labels.astype(np.uint8),
            labels.astype(object),
            labels.tolist(),
            pd.DataFrame(floats),
        )
        forms += (pl.DataFrame(floats), objects, lists, [tuple(row) for row in lists], tuple(sets))
        forms += ([frozenset(row) for row in sets], pd.Series(sets), pl.Series(lists))
        forms += ([np.array(row, str) for row in lists],)
        for form in forms:
            np.testing.assert_array_equal(folds_of(LabelStratifiedKFold(3), form), expected)

    def test_lists_of_words_are_label_sets_though_they_have_equal_lengths(self):
        y = [["a", "b"], ["c", "b"], ["a", "c"], ["b", "a"]]
        expected = folds_of(LabelStratifiedKFold(2), [set(row) for row in y])
        np.testing.assert_array_equal(folds_of(LabelStratifiedKFold(2), y), expected)

    def test_a_label_that_is_listed_twice_counts_once(self):
        y = [["a", "a"], ["a", "b"], ["b"], []]
        expected = folds_of(LabelStratifiedKFold(2), [set(row) for row in y])
        np.testing.assert_array_equal(folds_of(LabelStratifiedKFold(2), y), expected)

    def test_classes_may_be_text_or_numbers_or_dates_and_missing(self):
        codes = np.random.default_rng(0).integers(0, 4, 50)
        labels = codes[:, None] == np.arange(3)  # the fourth class is the missing one
        expected = folds_of(LabelStratifiedKFold(4), labels)
        for values in (
            np.array([1.0, 2.0, 7.0, np.nan]),
            np.array(["x", 3, "z", None], object),
            np.array(["2020-01-01", "2020-01-02", "2020-01-03", "NaT"], "M8[ns]"),
        ):
            np.testing.assert_array_equal(folds_of(LabelStratifiedKFold(4), values[codes]), expected)
        as_text = ["xyz"[code] if code < 3 else None for code in codes]
        for y in (as_text, pd.Series(as_text), pl.Series(as_text)):
            np.testing.assert_array_equal(folds_of(LabelStratifiedKFold(4), y), expected)

    def test_nan_counts_as_no_label(self):
        labels = drawn(40, 5, 1.5, 0)
        expected = folds_of(LabelStratifiedKFold(3), labels)
        rng = np.random.default_rng(0)
        gaps = labels.astype(float)
        gaps[~labels & (rng.random(labels.shape) < 0.4)] = np.nan
        assert np.isnan(gaps).any()
        as_objects = np.where(np.isnan(gaps), None, gaps)
        for form in (gaps, sp.csr_array(gaps), pd.DataFrame(gaps), as_objects):
            np.testing.assert_array_equal(folds_of(LabelStratifiedKFold(3), form), expected)
        sets = [row | {np.nan} if row else None for row in as_sets(labels, "abcde")]
        np.testing.assert_array_equal(folds_of(LabelStratifiedKFold(3), sets), expected)

    def test_duplicates_and_zeros_stored_in_a_sparse_matrix_change_nothing_and_it_is_left_alone(self):
        labels = drawn(30, 5, 1.5, 0)
        rows, columns = np.indices(labels.shape).reshape(2, -1)
        y = sp.coo_array((labels.ravel().astype(float), (rows, columns)), shape=labels.shape).tocsr()
        halves = y.tocoo()
        halves = sp.coo_array(
            (
                np.tile(halves.data / 2, 2),
                (np.tile(halves.row, 2), np.tile(halves.col, 2)),
            ),
            shape=labels.shape,
        )
        assert y.nnz == 150
        assert halves.nnz == 300
        expected = folds_of(LabelStratifiedKFold(3), labels)
        for form in (y, halves):
            np.testing.assert_array_equal(folds_of(LabelStratifiedKFold(3), form), expected)
        assert (y.nnz, halves.nnz) == (150, 300)
        np.testing.assert_array_equal(y.toarray(), labels)

    def test_x_may_be_anything_with_rows(self):
        y = drawn(30, 5, 1.5, 0)
        expected = [test.tolist() for _, test in LabelStratifiedKFold(3).split(np.zeros((30, 2)), y)]
        for X in (
            range(30),
            ["a"] * 30,
            pd.DataFrame({"a": range(30)}),
            sp.eye_array(30),
            np.zeros((30, 2, 2)),
        ):
            assert [test.tolist() for _, test in LabelStratifiedKFold(3).split(X, y)] == expected

    def test_without_any_label_the_folds_are_equal_all_the_same(self):
        for y in (
            np.zeros((7, 3)),
            sp.csr_array((7, 3)),
            np.zeros((7, 0)),
            [set()] * 7,
            [[]] * 7,
            [None] * 7,
        ):
            np.testing.assert_array_equal(np.bincount(folds_of(LabelStratifiedKFold(3), y)), [3, 2, 2])


class TestHierarchies:
    # Rows of the two inner labels alternate, and each has a leaf of its own.
    PATHS = tuple(f"{inner}/{leaf}" for leaf in range(6) for inner in "ab")

    @staticmethod
    def inner_counts(folds):
        return counts_of(
            folds, np.array([[path[0] == inner for inner in "ab"] for path in TestHierarchies.PATHS])
        )

    def test_inner_labels_are_shared_out_only_if_the_hierarchy_is_known(self):
        y = [{path} for path in self.PATHS]
        np.testing.assert_array_equal(
            self.inner_counts(folds_of(LabelStratifiedKFold(2), y)), [[6, 0], [0, 6]]
        )
        hierarchy = Hierarchy.from_paths(["a", "b", *self.PATHS])
        for form in (y, list(self.PATHS), hierarchy.indicator(y), hierarchy.indicator(y).toarray()):
            folds = folds_of(LabelStratifiedKFold(2, hierarchy=hierarchy), form)
            np.testing.assert_array_equal(self.inner_counts(folds), [[3, 3], [3, 3]])

    def test_folds_are_those_of_the_closed_labels(self):
        hierarchy = Hierarchy.from_paths(["a", "b", *self.PATHS])
        rng = np.random.default_rng(0)
        y = [set(rng.choice(hierarchy.nodes, rng.integers(0, 4), replace=False).tolist()) for _ in range(50)]
        closed = hierarchy.closure(hierarchy.indicator(y))
        assert closed.sum() > hierarchy.indicator(y).sum()
        expected = folds_of(LabelStratifiedKFold(3), closed)
        gaps = hierarchy.indicator(y).toarray().astype(float)
        gaps[(closed.toarray() == 0) & (rng.random(gaps.shape) < 0.2)] = np.nan
        assert np.isnan(gaps).any()
        for form in (y, hierarchy.indicator(y), closed, gaps):
            np.testing.assert_array_equal(
                folds_of(LabelStratifiedKFold(3, hierarchy=hierarchy), form), expected
            )


class TestWithinScikitLearn:
    X = np.random.default_rng(0).normal(size=(120, 3))
    Y = (X @ np.random.default_rng(1).normal(size=(3, 4)) > 0.5).astype(int)

    def test_it_serves_cross_validation(self):
        cv = LabelStratifiedKFold(4)
        scores = cross_val_score(KNeighborsClassifier(3), self.X, self.Y, cv=cv, scoring="f1_macro")
        by_hand = []
        for train, test in cv.split(self.X, self.Y):
            model = KNeighborsClassifier(3).fit(self.X[train], self.Y[train])
            by_hand.append(
                sklearn.metrics.f1_score(self.Y[test], model.predict(self.X[test]), average="macro")
            )
        np.testing.assert_allclose(scores, by_hand)
        result = cross_validate(KNeighborsClassifier(3), self.X, self.Y, cv=cv, return_indices=True)
        assert len(result["indices"]["test"]) == 4
        assert cross_val_predict(KNeighborsClassifier(3), self.X, self.Y, cv=cv).shape == self.Y.shape

    def test_it_serves_a_grid_search(self):
        cv = LabelStratifiedKFold(3, shuffle=True, random_state=0)
        search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5]}, cv=cv)
        search = clone(search).fit(self.X, self.Y)
        assert search.n_splits_ == 3
        assert search.best_score_ > 0.3

    def test_it_serves_while_metadata_is_routed(self):
        with sklearn.config_context(enable_metadata_routing=True):
            assert "groups" not in str(LabelStratifiedKFold().get_metadata_routing())
            cv = LabelStratifiedKFold(3)
            assert len(cross_val_score(KNeighborsClassifier(), self.X, self.Y, cv=cv)) == 3
            GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1]}, cv=cv).fit(self.X, self.Y)

    def test_groups_are_ignored_with_a_warning(self):
        cv = LabelStratifiedKFold(3)
        with pytest.warns(UserWarning, match="groups parameter is ignored by LabelStratifiedKFold"):
            warned = list(cv.split(self.X, self.Y, groups=np.arange(120)))
        for (_, test), (_, expected) in zip(warned, cv.split(self.X, self.Y), strict=True):
            np.testing.assert_array_equal(test, expected)

    def test_it_is_shown_with_its_parameters(self):
        shown = repr(LabelStratifiedKFold(7, shuffle=True, random_state=3))
        assert shown.startswith("LabelStratifiedKFold(")
        for part in ("n_splits=7", "shuffle=True", "random_state=3", "hierarchy=None"):
            assert part in shown


class TestErrors:
    @pytest.mark.parametrize(
        ("options", "error", "message"),
        [
            ({"n_splits": 1}, ValueError, "n_splits=1 must be at least 2"),
            ({"n_splits": 2.5}, TypeError, "n_splits=2.5 must be a whole number"),
            ({"n_splits": True}, TypeError, "n_splits=True must be a whole number"),
            ({"shuffle": "yes"}, TypeError, "shuffle='yes' must be True or False"),
            ({"random_state": 0}, ValueError, "random_state=0 has no effect with shuffle=False"),
            ({"hierarchy": ["a", "a/b"]}, TypeError, r"hierarchy=\['a', 'a/b'\] must be a Hierarchy"),
        ],
    )
    def test_of_parameters(self, options, error, message):
        with pytest.raises(error, match=message):
            LabelStratifiedKFold(**options)

    @pytest.mark.parametrize(
        ("y", "message"),
        [
            (None, "LabelStratifiedKFold needs y"),
            (np.zeros((5, 2)), "inconsistent numbers of samples: .6, 5"),
            ([{"a"}] * 7, "inconsistent numbers of samples: .6, 7"),
            (np.full((6, 2), 2), r"y has shape \(6, 2\) and holds the value 2; a matrix must be a label"),
            (sp.csr_array(np.full((6, 2), 0.5)), "holds the value 0.5"),
            ([[3, 4]] * 6, "labels as one set for each row"),
            (np.full((6, 2), np.inf), "contains infinity"),
            (np.full((6, 2), "a"), "which is not a number"),
            (np.zeros((6, 2, 2)), r"y has shape \(6, 2, 2\)"),
            (np.linspace(0, 1, 6), "y holds the number 0.2; one value for each row must be a class"),
            ([{"a"}, "b", {"a"}, {"a"}, {"a"}, {"a"}], r"y\[1\] is 'b', while other rows are collections"),
        ],
    )
    def test_of_y(self, y, message):
        with pytest.raises(ValueError, match=message):
            next(LabelStratifiedKFold(2).split(np.zeros(6), y))

    def test_of_more_folds_than_rows(self):
        labels = np.ones((3, 1))
        with pytest.raises(ValueError, match="n_splits=4 is more than the number of rows, 3"):
            next(LabelStratifiedKFold(4).split(labels, labels))
        np.testing.assert_array_equal(folds_of(LabelStratifiedKFold(3), labels), [0, 1, 2])


def test_ten_thousand_rows_with_four_thousand_labels_are_dealt_evenly():
    rng = np.random.default_rng(0)
    labels = np.minimum(rng.zipf(1.3, 200_000) - 1, 3999)
    y = sp.coo_array((np.ones(200_000), (np.arange(200_000) // 20, labels)), shape=(10_000, 4_000)).tocsr()
    y.data[:] = 1.0
    folds = folds_of(LabelStratifiedKFold(10), y)
    np.testing.assert_array_equal(np.bincount(folds), 1000)

    def share_dealt_evenly(folds):
        in_fold = np.array([y[folds == fold].sum(axis=0) for fold in range(10)])
        return np.mean(np.abs(in_fold - in_fold.mean(axis=0)).max(axis=0) < 1)

    # Within one row of a tenth of a label's rows, in every fold; by chance this happens to rare labels.
    assert share_dealt_evenly(folds) > 0.9
    assert share_dealt_evenly(rng.permutation(folds)) < 0.7


def test_import_loads_no_compiler_and_folds_do_not_depend_on_the_hashing_of_text():
    code = """
import random, sys
from slantwood.model_selection import LabelStratifiedKFold
assert "numba" not in sys.modules
words = "one two three four five six seven eight".split()
for seed in range(30):
    draw = random.Random(seed)
    y = [set(draw.sample(words, 4)) for _ in range(8)]
    print([test.tolist() for _, test in LabelStratifiedKFold(2).split(y, y)])
"""
    results = set()
    for seed in "12":
        run = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        results.add(run.stdout)
    assert len(results) == 1
    assert results.pop().count("\n") == 30
