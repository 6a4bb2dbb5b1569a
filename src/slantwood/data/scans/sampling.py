"""Some rows of files that are too large to hold: of all blocks the same share, drawn at random."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from slantwood.data.scans.scan import Scan
from slantwood.data.table import Data, rows_of, stacked


def sample_of(scan: Scan, rows: int, seed: int = 0) -> Data:
    """Return about so many rows of data files, which are read once.

    Parameters
    ----------
    scan : Scan
        The files.
    rows : int
        How many; all where there are fewer.
    seed : int, default=0
        Seed of the draw.

    Returns
    -------
    Data
        The rows, in the order of the files.

    Examples
    --------
    >>> import slantwood.data
    >>> scan = slantwood.data.scan("folder", targets="price")  # doctest: +SKIP
    >>> sample_of(scan, 20_000).X.shape  # doctest: +SKIP
    (20000, 12)
    """
    rng = np.random.default_rng(seed)
    share = min(1.0, rows / scan.n_rows)
    blocks = []
    for block in scan:
        n_rows = block.X.shape[0]
        # Rounded by chance, so that blocks of a few rows have their part too.
        n_drawn = min(int(share * n_rows + rng.random()), n_rows) if share < 1 else n_rows
        chosen = np.sort(rng.choice(n_rows, n_drawn, replace=False))
        blocks.append(_rows(block, chosen))
    return replace(stacked(blocks), task=scan.task) if len(blocks) > 1 else blocks[0]


def _rows(block: Data, chosen: np.ndarray) -> Data:
    y, weights = (None if each is None else rows_of(each, chosen) for each in (block.y, block.weights))
    keys = None if block.keys is None else block.keys[chosen]
    return replace(block, X=rows_of(block.X, chosen), y=y, weights=weights, keys=keys)
