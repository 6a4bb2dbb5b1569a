"""Claims about dividing rows into shares: random, of even sizes, and apart unless they may overlap."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slantwood.estimators.parts.division import Division
from slantwood.estimators.parts.part_of_rows import PartOfRows
from slantwood.estimators.parts.shares import pieces_of
from tests.sampling import examples

BLOCKS = st.lists(st.integers(0, 300), min_size=1, max_size=6)
SEEDS = st.integers(0, 5)


# ---- out of core: a share at a time, of blocks of known sizes


@given(st.integers(1, 12), st.floats(0.001, 1.0), BLOCKS, SEEDS)
@examples(50)
def test_no_row_is_in_two_shares_and_their_sizes_are_known_before(n_shares, part, sizes, seed):
    division = Division(n_shares, part, seed)
    for block, size in enumerate(sizes):
        shares = [division.rows(share, block, size) for share in range(n_shares)]
        rows = np.concatenate(shares)
        assert len(np.unique(rows)) == len(rows)
        assert ((rows >= 0) & (rows < size)).all()
        assert all(abs(len(share) - part * size / n_shares) < 1 + 1e-9 for share in shares)
    for share in range(n_shares):
        found = sum(len(division.rows(share, block, size)) for block, size in enumerate(sizes))
        assert found == division.n_rows(share, sizes)


@pytest.mark.parametrize("n_shares", [1, 3, 49])
def test_shares_of_all_rows_hold_all_of_them(n_shares):
    division = Division(n_shares, 1.0, 0)
    rows = np.concatenate([division.rows(share, 7, 1000) for share in range(n_shares)])
    assert sorted(rows) == list(range(1000))


def test_blocks_of_a_single_row_have_their_part_too():
    held = sum(len(Division(1, 0.1, 0).rows(0, block, 1)) for block in range(2000))
    assert 140 < held < 260


def test_a_share_is_a_random_part_of_each_block():
    rows = Division(4, 1.0, 1).rows(2, 0, 10_000)
    assert abs(rows.mean() - 5000) < 200
    assert (np.diff(rows) > 0).all()


# ---- on clusters: all shares of a part at once


def pieces(n_rows, n_shares, n_held, seed=0):
    numbers = np.arange(n_rows)
    return [
        piece.y for piece in pieces_of(PartOfRows(numbers[:, None], numbers, None), n_shares, n_held, seed)
    ]


@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 300), SEEDS)
@examples(50)
def test_each_row_is_in_as_many_shares_as_asked_for(n_shares, n_held, n_rows, seed):
    n_held = min(n_held, n_shares)
    found = pieces(n_rows, n_shares, n_held, seed)
    assert (np.bincount(np.concatenate(found), minlength=n_rows) == n_held).all()
    assert all(len(np.unique(rows)) == len(rows) for rows in found)
    assert all(abs(len(rows) - n_held * n_rows / n_shares) < 1 + 1e-9 for rows in found)


@pytest.mark.parametrize("n_held", [1, 2])
def test_parts_of_a_single_row_fill_all_shares_alike(n_held):
    sizes = np.zeros(4)
    for seed in range(2000):
        sizes += [len(rows) for rows in pieces(1, 4, n_held, seed)]
    assert sizes.sum() == 2000 * n_held
    assert (abs(sizes - 500 * n_held) < 100).all()


def test_pieces_are_random_parts():
    for rows in pieces(10_000, 4, 1):
        assert abs(rows.mean() - 5000) < 200
