"""Claims about dividing rows into shares that fit: random, apart, and as large as memory allows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slantwood.estimators.parts.memory import MOST_PASSES, Division, divided, rows_wanted
from tests.sampling import examples


@given(
    st.integers(1, 12),
    st.floats(0.001, 1.0),
    st.lists(st.integers(0, 300), min_size=1, max_size=6),
    st.integers(0, 5),
)
@examples(50)
def test_no_row_is_in_two_shares_and_their_sizes_are_known_before(n_shares, part, sizes, seed):
    division = Division(n_shares, part / n_shares, seed)
    for block, size in enumerate(sizes):
        shares = [division.rows(share, block, size) for share in range(n_shares)]
        rows = np.concatenate(shares)
        assert len(np.unique(rows)) == len(rows)
        assert ((rows >= 0) & (rows < size)).all()
    for share in range(n_shares):
        found = sum(len(division.rows(share, block, size)) for block, size in enumerate(sizes))
        assert found == division.n_rows(share, sizes)


def test_shares_of_all_rows_hold_all_of_them():
    division = Division(3, 1 / 3, 0)
    rows = np.concatenate([division.rows(share, 7, 1000) for share in range(3)])
    assert sorted(rows) == list(range(1000))


def test_blocks_of_a_single_row_have_their_part_too():
    held = sum(len(Division(1, 0.1, 0).rows(0, block, 1)) for block in range(2000))
    assert 140 < held < 260


def test_a_share_is_a_random_part_of_each_block():
    rows = Division(4, 0.25, 1).rows(2, 0, 10_000)
    assert abs(rows.mean() - 5000) < 200


def test_all_rows_that_fit_are_one_share():
    assert divided(1000, 100.0, 100_000, 50, 1000, 0)[:2] == (1, 1.0)


def test_shares_are_no_more_than_passes_and_as_large_as_memory_allows():
    division = divided(1_000_000, 100.0, 1_000_000, 50, 1_000_000, 0)
    assert division.n_shares == MOST_PASSES
    assert division.fraction * 1_000_000 == pytest.approx(10_000)
    few = divided(1_000_000, 100.0, 1_000_000, 3, 1_000_000, 0)
    assert few.n_shares == 3


def test_trees_that_draw_few_rows_need_few_of_them():
    assert rows_wanted(100, 10**6, 10) == rows_wanted(0.0001, 10**6, 10) == 1000
    division = divided(10**6, 100.0, 10**6, 10, 1000, 0)
    assert division.n_shares == 1
    assert division.fraction == pytest.approx(0.001)


def test_memory_for_hardly_any_row_is_refused_with_what_would_do():
    with pytest.raises(ValueError, match=r"max_memory=1.0 kB is enough for 1 rows .* at least 50.0 kB"):
        divided(10**6, 1000.0, 1000, 10, 10**6, 0)
