"""All rows, in the order of the table."""

from __future__ import annotations

from slantwood_bench.expectations import (
    features,
    files,
    frames,
    growth,
    later,
    measures,
    meta_estimators,
    model_selection,
    neighbours,
    objects,
    pipelines,
    targets,
    trees,
    uncertainty,
)
from slantwood_bench.expectations.row import Row

_PARTS = (
    objects,
    model_selection,
    meta_estimators,
    pipelines,
    frames,
    targets,
    growth,
    trees,
    features,
    measures,
    uncertainty,
    files,
    neighbours,
    later,
)
ROWS: tuple[Row, ...] = tuple(row for part in _PARTS for row in part.GROUP.rows)
