"""Makers of what the learners share that climb coefficient by coefficient: problems, and slow twins."""

import numpy as np
import pytest


@pytest.fixture(scope="session")
def gain_of():
    """Impurity that a partition removes: N / (S (N - S)) |m|^2 with m the sum over the right, Z centred."""

    def go(right, Z, r):
        right_weight, left_weight = r[right].sum(), r[~right].sum()
        if not (right.any() and (~right).any()):
            return -1.0
        moment = (r[right, None] * (Z[right] - np.average(Z, axis=0, weights=r))).sum(axis=0)
        return r.sum() / (right_weight * left_weight) * (moment @ moment)

    return go


@pytest.fixture(scope="session")
def best_length(gain_of):
    """Try a length in every interval between critical values."""

    def go(scores, along, Z, r):
        moving = along != 0
        critical = np.unique(-scores[moving] / along[moving])
        lengths = [
            critical[0] - 0.5 * (abs(critical[0]) + 1),
            *((critical[1:] + critical[:-1]) / 2),
            critical[-1] + 0.5 * (abs(critical[-1]) + 1),
        ]
        gains = [gain_of(scores + t * along >= 0, Z, r) for t in lengths]
        best = int(np.argmax(np.round(gains, 6)))  # the first of those that differ by rounding
        return lengths[best], gains[best]

    return go


@pytest.fixture(scope="session")
def problem():
    """Features, attributes that mostly follow a slanted boundary, and weights."""

    def go(seed, n=40, d=3, k=2, density=1.0):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(n, d)) * (rng.random((n, d)) < density)
        side = X @ rng.normal(size=d) > 0.2
        Z = side[:, None] * rng.normal(size=k) + 0.3 * rng.normal(size=(n, k))
        r = rng.uniform(0.5, 2, n).astype(np.float32) if seed % 2 else np.ones(n, np.float32)
        return X, Z - np.average(Z, axis=0, weights=r), r

    return go
