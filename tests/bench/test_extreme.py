"""Claims about generated rows of the shapes of large sets."""

import numpy as np

from slantwood_bench.extreme import SHAPES, Shape, drawn

_SMALL = Shape(rows=3000, features=2000, labels=400, words_per_row=40.0, labels_per_row=5.0)


def test_rows_have_the_shape_and_about_the_size_that_was_asked_for():
    X, Y = drawn(_SMALL, 1)
    assert X.shape == (3000, 2000)
    assert Y.shape == (3000, 400)
    assert 25 < X.nnz / 3000 <= 40  # a word that comes twice is stored once
    assert 3 < Y.nnz / 3000 <= 5
    assert set(Y.data) == {1}


def test_a_part_has_fewer_rows_and_labels_and_the_same_words():
    whole = SHAPES["Amazon-670K"]
    part = whole.scaled(0.01)
    assert (part.rows, part.labels, part.features) == (4904, 6700, whole.features)


def test_words_tell_labels_and_rows_of_another_seed_are_of_the_same_kind():
    (X, Y), (other, other_Y) = drawn(_SMALL, 1), drawn(_SMALL, 2, 500)
    assert abs(X[:500] - other).nnz > 0
    # The labels of the training row with most words in common are mostly those of a new row.
    nearest = np.asarray((other @ X.T).toarray().argmax(axis=1))
    shared = (other_Y.astype(int).multiply(Y[nearest].astype(int))).sum(axis=1)
    drawn_at_random = (other_Y.astype(int).multiply(Y[:500].astype(int))).sum(axis=1)
    assert shared.mean() > 10 * drawn_at_random.mean()
