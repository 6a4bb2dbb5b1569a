"""Trees that each grow on a share of the rows: shares are random, so that each is like all rows.

Rows are divided at random, whatever part they lie in and in whatever order, so that trees do not get worse
where parts differ. Settings that are left to the data are chosen on the first share, and hold for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any, NamedTuple

import numpy as np

from slantwood.ensemble.assembling import Outline
from slantwood.ensemble.fitting import prepared
from slantwood.ensemble.growing import planned
from slantwood.ensemble.settings import Settings, count_draws
from slantwood.ensemble.spec import ForestSpec
from slantwood.ensemble.training_data import TrainingData
from slantwood.estimators.parts.agreement import Agreement
from slantwood.estimators.parts.division import even_places, is_held
from slantwood.estimators.parts.part_of_rows import PartOfRows, joined
from slantwood.growth.plan import GrowthPlan


class Share(NamedTuple):
    """A share of the rows, ready for trees."""

    plan: GrowthPlan
    outline: Outline  # of the forest
    spec: ForestSpec  # in which nothing is left open


def first_share(agreement: Agreement, pieces: Sequence[PartOfRows]) -> Share:
    """Read a share of the rows, and choose the settings that are left to the data.

    Parameters
    ----------
    agreement : Agreement
        How rows are read.
    pieces : sequence of PartOfRows
        Rows of the share.

    Returns
    -------
    Share
        What trees can be grown on.
    """
    data = _read(agreement, pieces)
    return _share(agreement, data, agreement.reader._spec(data, agreement.reader.forest_))


def later_share(agreement: Agreement, pieces: Sequence[PartOfRows], spec: ForestSpec) -> Share:
    """Read another share of the rows, for trees by the settings of the first.

    Parameters
    ----------
    agreement : Agreement
        How rows are read.
    pieces : sequence of PartOfRows
        Rows of the share.
    spec : ForestSpec
        That of the first share.

    Returns
    -------
    Share
        What trees can be grown on.
    """
    return _share(agreement, _read(agreement, pieces), spec)


def _read(agreement: Agreement, pieces: Sequence[PartOfRows]) -> TrainingData:
    rows = joined(pieces)
    try:
        return agreement.read(rows)
    except ValueError as error:
        if rows.n_rows == agreement.n_rows:
            raise
        # Of "every row" it speaks where few have a weight or a label, and a small share none of these.
        where = f"in a random share of {rows.n_rows:,} of {agreement.n_rows:,} rows"
        raise ValueError(f"{error} ({where})") from error


def _share(agreement: Agreement, data: TrainingData, spec: ForestSpec) -> Share:
    if spec.max_samples is not None:
        # Of all rows, as it was given, and no more than the share has.
        draws = count_draws(spec.max_samples, agreement.n_rows)
        spec = replace(spec, max_samples=min(draws, data.X.shape[0]))
    data, spec = prepared(data, spec)
    plan, outline = planned(data, spec)
    chosen = {each.name: getattr(outline.settings, each.name) for each in fields(Settings)}
    spec = replace(spec, **chosen)
    # What the model says of X and y is what all parts agreed on, not what this share happens to have.
    agreed = agreement.reader.forest_
    outline = replace(outline, encoding=agreed.encoding, targets=agreed.targets)
    if outline.targets.hierarchy is not None:
        outline = replace(outline, has_missing_targets=True)  # another share may have some
    return Share(plan, outline, spec)


def pieces_of(part: PartOfRows, n_shares: int, n_held: int, seed: Any) -> list[PartOfRows]:
    """Divide a part at random, a piece for each share.

    Parameters
    ----------
    part : PartOfRows
        Rows.
    n_shares : int
        How many shares there are.
    n_held : int
        In how many shares each row is: 1 where shares have no row in common.
    seed : int or SeedSequence
        Of the division; parts have seeds of their own.

    Returns
    -------
    list of PartOfRows
        A piece for each share; some may be without rows.
    """
    if n_held == n_shares:
        return [part] * n_shares
    rng = np.random.default_rng(seed)
    places = rng.permutation(even_places(part.n_rows, n_shares, rng))
    return [part.rows(np.flatnonzero(is_held(places, share, n_shares, n_held))) for share in range(n_shares)]
