"""Claims about shares that fit: no more than there are passes, and as large as memory allows."""

import pytest

from slantwood.estimators.parts.memory import MOST_PASSES, divided, rows_wanted


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
