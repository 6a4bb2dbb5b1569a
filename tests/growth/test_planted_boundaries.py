"""Claims about single splits with default parameters, on data whose boundary is known."""

import numpy as np
import pytest
import scipy.sparse as sp

from slantwood import ObliqueTreeClassifier

SEEDS = pytest.mark.parametrize("seed", [0, 1, 2])


def stump_accuracy(make, seed):
    """Accuracy of one split on fresh rows."""
    rng = np.random.default_rng(seed)
    draw = make(rng)
    X, y = draw(2000)
    stump = ObliqueTreeClassifier(max_depth=1, random_state=seed).fit(X, y)
    assert stump.get_n_leaves() == 2
    return stump.score(*draw(2000))


def slanted(n_features, n_relevant):
    """Normal features; the boundary is a hyperplane over the first few."""

    def make(rng):
        direction = np.zeros(n_features)
        direction[:n_relevant] = rng.choice([-1, 1], n_relevant) * rng.uniform(0.5, 1.5, n_relevant)

        def draw(n):
            X = rng.normal(size=(n, n_features))
            return X, np.where(X @ direction >= 0, "above", "below")

        return draw

    return make


def slanted_words(rng):
    """Rare positive features, 20 of which decide, half of them for either class, with a gap between."""
    signs = rng.permutation(np.repeat([-1.0, 1.0], 10))

    def draw(n):
        telling = (rng.random((6 * n, 20)) < 0.3) * rng.uniform(0.5, 1.5, (6 * n, 20))
        score = telling @ signs
        telling, score = telling[np.abs(score) > 0.9][:n], score[np.abs(score) > 0.9][:n]
        assert len(score) == n
        others = sp.random_array(
            (n, 9980), density=0.002, rng=rng, data_sampler=lambda size: rng.uniform(0.5, 1.5, size)
        )
        return sp.csr_array(sp.hstack([sp.csr_array(telling), others])), (score > 0).astype(int)

    return draw


@SEEDS
def test_one_split_finds_a_slanted_line(seed):
    assert stump_accuracy(slanted(2, 2), seed) >= 0.97


@SEEDS
def test_one_split_finds_a_hyperplane_among_45_features_of_noise(seed):
    assert stump_accuracy(slanted(50, 5), seed) >= 0.97


@SEEDS
def test_one_split_finds_a_hyperplane_in_ten_thousand_sparse_features(seed):
    assert stump_accuracy(slanted_words, seed) >= 0.97
