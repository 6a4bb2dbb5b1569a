"""Claims about samples of scans: so many rows as are asked for, and of each block its part."""

import numpy as np
import pandas as pd
import pytest

from slantwood.data import scan
from slantwood.data.scans.sampling import sample_of


@pytest.fixture
def folder(tmp_path):
    """Write four files, sorted by what is to be predicted, with row numbers in a column."""
    for part in range(4):
        number = np.arange(500 * part, 500 * (part + 1))
        table = pd.DataFrame({"number": number.astype(float), "tree": ["elm", "oak"] * 250, "y": part * 1.5})
        table.to_parquet(tmp_path / f"{part}.parquet", index=False)
    return tmp_path


@pytest.mark.parametrize("block_rows", [None, 7])
def test_each_block_has_its_part_and_y_goes_with_its_row(folder, block_rows):
    found = sample_of(scan(folder, targets="y", block_rows=block_rows), 400)
    numbers = found.X["number"].to_numpy()
    assert (np.diff(numbers) > 0).all()
    np.testing.assert_array_equal(found.y, 1.5 * (numbers // 500))
    counts = np.bincount((numbers // 500).astype(int))
    assert ((counts >= 80) & (counts <= 120)).all()
    assert 360 <= len(numbers) <= 440
    assert found.task == "regression"


def test_all_rows_are_taken_where_there_are_no_more(folder):
    found = sample_of(scan(folder, targets="y"), 5000)
    np.testing.assert_array_equal(found.X["number"], np.arange(2000))


def test_another_seed_draws_other_rows(folder):
    rows = scan(folder, targets="y")
    one, same, other = (set(sample_of(rows, 300, seed).X["number"]) for seed in (1, 1, 2))
    assert one == same != other
