"""Claims about shares of the rows: trees draw from them as they would from all rows."""

import numpy as np
import pytest

from slantwood import ObliqueForestClassifier, ObliqueForestRegressor
from slantwood.estimators.parts.agreement import agree
from slantwood.estimators.parts.glimpses import glimpse
from slantwood.estimators.parts.part_of_rows import PartOfRows
from slantwood.estimators.parts.shares import first_share, later_share, pieces_of

N, N_SHARES = 400, 4


def shares(**parameters):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, 4)).astype(np.float32)
    rows = PartOfRows(X, X[:, 0] > 0, None)
    estimator = ObliqueForestClassifier(4, random_state=0, preset="fast", **parameters)
    agreement = agree(estimator, [glimpse(rows, N, 0, are_classes=True)])
    pieces = pieces_of(rows, N_SHARES, 1, 0)
    first = first_share(agreement, pieces[:1])
    return [first, *(later_share(agreement, [piece], first.spec) for piece in pieces[1:])]


@pytest.mark.parametrize(("max_samples", "draws"), [(0.1, 40), (30, 30), (0.5, 100), (300, 100)])
def test_max_samples_is_of_all_rows_and_no_more_than_a_share_has(max_samples, draws):
    found = shares(max_samples=max_samples)
    assert [each.plan.n_draws for each in found] == [draws] * N_SHARES


def test_without_max_samples_as_many_rows_are_drawn_as_a_share_has():
    assert [each.plan.n_draws for each in shares(bootstrap=True)] == [N // N_SHARES] * N_SHARES


@pytest.mark.parametrize("what", ["weight", "target"])
def test_a_share_in_which_no_row_counts_is_told_from_rows_of_which_none_does(what):
    X, counts = np.zeros((N, 2), np.float32), np.arange(N) < 10
    y = np.where(counts | (what == "weight"), 1.0, np.nan)
    rows = PartOfRows(X, y, counts.astype(float) if what == "weight" else None)
    agreement = agree(ObliqueForestRegressor(4), [glimpse(rows, N, 0, are_classes=False)])
    with pytest.raises(ValueError, match=r"every row.*in a random share of 100 of 400 rows"):
        first_share(agreement, [rows.rows(np.arange(300, N))])
