"""A forest of more rows than memory holds: `fit` with `max_memory`.

A first pass over the blocks learns what X and y are. Where all rows fit, the fit is the usual one. If not,
rows are divided at random into shares; each is read in a pass of its own, and some of the trees grow on it.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from contextlib import closing
from functools import partial
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import is_classifier
from sklearn.utils import check_random_state

from slantwood.data.scans.scan import Scan
from slantwood.ensemble.assembling import assembled
from slantwood.ensemble.forest import FittedForest
from slantwood.ensemble.spec import draw_seed
from slantwood.estimators import validation as check
from slantwood.estimators.callbacks import Progress, fitted_attributes
from slantwood.estimators.parts.agreement import Agreement, agree
from slantwood.estimators.parts.blocks import ArrayBlocks, Blocks, ScanBlocks
from slantwood.estimators.parts.division import Division
from slantwood.estimators.parts.glimpses import SAMPLE_ROWS, Glimpse, glimpse, merged
from slantwood.estimators.parts.memory import bytes_of_a_row, divided, growth_bytes, n_bytes, rows_wanted
from slantwood.estimators.parts.part_of_rows import PartOfRows, joined
from slantwood.estimators.parts.shares import Share, first_share, later_share
from slantwood.estimators.parts.witnesses import column_of_most_values
from slantwood.features.lazy import refuse_lazy
from slantwood.features.rows import n_rows_of
from slantwood.growth.plan import Planted
from slantwood.hints import format_bytes
from slantwood.messages import say
from slantwood.targets.clustering import as_clustering
from slantwood.threads import StopFlag, run_in_threads, thread_count
from slantwood.validation import check_memory

# Classes are counted in pieces of y.
_ROWS_AT_ONCE = 1 << 20
# What rows that stand for all may take of the memory: those drawn at random; all, before what several blocks
# show is left out; and after that.
_OF_GLIMPSES, _OF_MERGED, _MOST_OF_GLIMPSES = 1 / 16, 1 / 8, 1 / 4


class Given(NamedTuple):
    """What `fit` is given."""

    X: Any
    y: Any
    sample_weight: Any
    clustering: Any
    feature_names: Sequence[str] | None
    target_names: Sequence[str] | None


def is_scan(X: Any) -> bool:
    """Tell whether X is a scan of data files."""
    return isinstance(X, Scan)


def refuse_scan(X: Any, learner: str = "") -> None:
    """Refuse a scan of data files where rows must be in memory: those to predict, or of a learner's fit."""
    if not is_scan(X):
        return
    if learner:
        raise TypeError(
            f"X is {X!r}, and {learner} holds all rows in memory; read them first: data = X.read(), then "
            "fit(data.X, data.y)"
        )
    raise TypeError(
        f"X is {X!r}, whose rows are read block by block; give one block at a time: "
        "for block in scan: model.predict(block.X)"
    )


def fitted_within_memory(estimator: Any, given: Given) -> Given | None:
    """Fit a forest on more rows than memory holds; or return rows that all fit, for the usual fit.

    Parameters
    ----------
    estimator : estimator
        A forest; its attributes are set where it is fitted.
    given : Given
        What `fit` is given; X may be a `Scan`, which has its own y.

    Returns
    -------
    Given or None
        Rows in memory; None where the forest is fitted.
    """
    for name, table in (("X", given.X), ("y", given.y)):
        refuse_lazy(table, name)
    max_memory = _limit(estimator, given.X)
    check.check_parameters(estimator.get_params(deep=False))
    n_threads = min(thread_count(estimator.n_jobs), estimator._n_trees)
    if is_scan(given.X):
        given = _named(given, given.X)
        blocks: Blocks = ScanBlocks(given.X, given.sample_weight, max_memory)
    elif not _has_rows(given.X):
        return given  # and the usual fit says what is wrong with it
    else:
        known = _known_bytes(estimator, given.X, given.y)
        if known is not None and growth_bytes(known, n_rows_of(given.X), n_threads) <= max_memory:
            return given
        weights = given.sample_weight
        if isinstance(weights, Real):
            weights = np.broadcast_to(np.float64(weights), n_rows_of(given.X))
        blocks = ArrayBlocks(given.X, given.y, weights)
    _refuse_matrix(given.clustering)
    glimpses, sizes = _glimpsed(estimator, blocks, max_memory)
    agreement = agree(estimator, glimpses, given.clustering, given.feature_names, given.target_names)
    row_bytes = bytes_of_a_row(agreement, next(each.part for each in glimpses if each.n_rows), n_threads)
    del glimpses
    wanted = rows_wanted(estimator.max_samples, agreement.n_rows, estimator._n_trees)
    seed = int(agreement.reader.forest_.seed)
    left = max_memory - blocks.reading_bytes
    # Each share has a tree for every thread.
    most_shares = max(estimator._n_trees // n_threads, 1)
    division = divided(agreement.n_rows, row_bytes, left, most_shares, wanted, seed)
    if agreement.n_rows * row_bytes <= left:
        if not is_scan(given.X):
            return given
        rows = _gathered(blocks, sizes, Division(1, 1.0, seed), 0, agreement)
        return given._replace(X=rows.X, y=rows.y, sample_weight=rows.weights)
    _refuse_what_needs_all_rows(estimator, agreement.n_rows * row_bytes, max_memory)
    draw_seed(check_random_state(estimator.random_state))  # a RandomState goes on, as in the usual fit
    forest = _grown(estimator, given, blocks, sizes, division, agreement)
    _keep(estimator, agreement.reader, forest)
    return None


# ---- before


def _limit(estimator: Any, X: Any) -> int:
    max_memory = getattr(estimator, "max_memory", None)
    if max_memory is not None:
        return check_memory("max_memory", max_memory)
    name = type(estimator).__name__
    remedy = "give max_memory='4GB', or X.read() to hold all rows"
    if "max_memory" not in estimator.get_params(deep=False):
        remedy = "give X.read(), which holds all rows, or use ObliqueForest... with max_memory='4GB'"
    raise ValueError(f"X is {X!r}, and {name} without max_memory holds all rows in memory; {remedy}")


def _named(given: Given, scan: Scan) -> Given:
    if given.y is not None:
        raise ValueError("X is a scan of data files, which has its own targets; give fit(scan) without y")
    return given._replace(
        feature_names=tuple(scan.feature_names) if given.feature_names is None else given.feature_names,
        target_names=tuple(scan.target_names) if given.target_names is None else given.target_names,
    )


def _has_rows(X: Any) -> bool:
    """Tell whether X has rows and columns, as far as types tell."""
    return isinstance(X, (list, tuple)) or len(getattr(X, "shape", ())) == 2


def _known_bytes(estimator: Any, X: Any, y: Any) -> float | None:
    """Return the bytes of one encoded row times all rows, where types alone tell; else None."""
    lists_columns = estimator.categorical_features is not None and not isinstance(
        estimator.categorical_features, str
    )
    if lists_columns or not isinstance(y, np.ndarray) or y.dtype.kind not in "biuf":
        return None
    if sp.issparse(X) and X.format == "csr":
        of_X = 8.0 * X.nnz
    elif isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "biuf":
        of_X = 4.0 * X.size
    else:
        return None
    columns = y.shape[1] if y.ndim == 2 else 1
    if is_classifier(estimator) and columns == 1:
        columns = _n_classes(y)
    return of_X + 4.0 * columns * len(y)


def _n_classes(y: np.ndarray) -> int:
    classes = np.empty(0, y.dtype)
    for start in range(0, len(y), _ROWS_AT_ONCE):
        classes = np.union1d(classes, y[start : start + _ROWS_AT_ONCE])
    return max(len(classes), 1)


def _refuse_matrix(clustering: Any) -> None:
    if as_clustering(clustering).is_matrix:
        raise ValueError(
            "clustering is a matrix with a row for each row of X, which cannot be read in blocks; give a "
            "name ('targets', 'features', 'targets+features', 'sketch'), or a larger max_memory with arrays"
        )


def _refuse_what_needs_all_rows(estimator: Any, needed: float, max_memory: int) -> None:
    what = None
    if estimator.oob_score:
        what = "oob_score=True predicts every row by trees that did not see it"
    elif isinstance(getattr(estimator, "threshold", None), str):
        what = f"threshold={estimator.threshold!r} is tuned on rows that trees did not see"
    elif estimator._continues:
        what = "warm_start=True adds trees on the rows of before"
    if what is not None:
        raise ValueError(
            f"{what}, which needs all rows in memory: about {format_bytes(needed)}, and "
            f"max_memory={format_bytes(max_memory)}; give a larger max_memory, or leave it out"
        )


def _glimpsed(estimator: Any, blocks: Blocks, max_memory: int) -> tuple[list[Glimpse], list[int]]:
    """Return rows that stand for the blocks, and the number of rows of each."""
    are_classes = is_classifier(estimator)
    glimpses: list[Glimpse] = []
    sizes: list[int] = []
    n_sampled, held, most_held = 0, 0, _OF_MERGED * max_memory

    def merge() -> None:
        """Leave out what several blocks show."""
        nonlocal glimpses, held
        glimpses = [merged(glimpses, n_sampled, len(sizes), are_classes=are_classes)]
        held = _bytes_of(glimpses[0])
        if held > _MOST_OF_GLIMPSES * max_memory:
            raise ValueError(_too_many_values(glimpses[0].part, max_memory))

    for number, part in enumerate(blocks):
        row_bytes = (n_bytes(part.X) + n_bytes(part.y)) / max(part.n_rows, 1)
        most = min(SAMPLE_ROWS, int(_OF_GLIMPSES * max_memory / max(row_bytes, 1)) + 1)
        share = part.n_rows / blocks.n_rows if blocks.n_rows else 1.0 / blocks.n_files
        n_sample = math.ceil(most * share)
        glimpses.append(glimpse(part, n_sample, number, are_classes=are_classes))
        sizes.append(part.n_rows)
        n_sampled += n_sample
        held += _bytes_of(glimpses[-1])
        if held > most_held:
            merge()
            most_held = max(most_held, 2 * held)
    if held > _MOST_OF_GLIMPSES * max_memory:
        merge()
    return glimpses, sizes


def _bytes_of(found: Glimpse) -> int:
    return n_bytes(found.part.X) + n_bytes(found.part.y)


def _too_many_values(shown: PartOfRows, max_memory: int) -> str:
    largest = column_of_most_values(shown.X)
    which = "there are many classes or labels; give a larger max_memory"
    if largest is not None and largest.n_values > shown.n_rows / 2:
        which = (
            f"{largest.label} alone has {largest.n_values:,} different values; leave such columns out, or "
            "give a larger max_memory"
        )
    return (
        f"a row is kept for each category, class and label, and these take more than "
        f"{format_bytes(_MOST_OF_GLIMPSES * max_memory)}, a quarter of max_memory: {which}"
    )


# ---- shares


def _gathered(
    blocks: Blocks, sizes: Sequence[int], division: Division, share: int, agreement: Agreement
) -> PartOfRows:
    """Read the rows of a share, in a pass over all blocks; arrays are filled as they come."""
    filled = None
    end = 0
    pieces: list[PartOfRows] = []
    to_single = not agreement.reader.encoding_.has_nominal
    for number, part in enumerate(blocks):
        piece = part.rows(division.rows(share, number, part.n_rows))
        if isinstance(piece.X, np.ndarray) and piece.X.dtype.kind in "biuf" and to_single:
            if filled is None:
                filled = np.empty((division.n_rows(share, sizes), piece.X.shape[1]), np.float32)
            with np.errstate(over="ignore"):  # refused as infinite when it is read
                filled[end : end + piece.n_rows] = piece.X
            piece = piece._replace(X=filled[end : end + piece.n_rows])
            end += piece.n_rows
        pieces.append(piece)
    if filled is None:
        return joined(pieces)
    others = joined([piece._replace(X=piece.X[:, :0]) for piece in pieces])
    return others._replace(X=filled)


def _grown(
    estimator: Any,
    given: Given,
    blocks: Blocks,
    sizes: Sequence[int],
    division: Division,
    agreement: Agreement,
) -> FittedForest:
    n_trees = estimator._n_trees
    gather = partial(_gathered, blocks, sizes, division, agreement=agreement)
    held = division.n_rows(0, sizes)
    if estimator.verbose > 0:
        whole = division.n_held >= 0.999
        say(
            f"{agreement.n_rows:,} rows do not fit into max_memory={estimator.max_memory}: trees grow on "
            f"{division.n_shares} random shares of about {held:,} rows"
            + ("" if whole else f", {100 * division.n_held:.2g} % of all")
        )
    numbers = [each.tolist() for each in np.array_split(np.arange(n_trees), division.n_shares)]
    first = [first_share(agreement, [gather(share=0)])]
    spec, outline = first[0].spec, first[0].outline

    def planted() -> Generator[Planted]:
        for number, trees in enumerate(numbers):
            # Nothing refers to a share while the next one is read.
            share: Share | None = (
                first.pop() if first else later_share(agreement, [gather(share=number)], spec)
            )
            assert share is not None
            stop = StopFlag()
            grow = partial(share.plan.plant, stop_flag=stop.array)
            share = None
            with closing(run_in_threads(grow, trees, estimator.n_jobs, stop)) as grown:
                del grow
                yield from grown

    def attributes(forest: FittedForest) -> dict[str, Any]:
        known = vars(agreement.reader) | fitted_attributes(forest)
        return {name: value for name, value in known.items() if _is_fitted_attribute(name)}

    progress = Progress(estimator, n_trees, given.X, given.y, attributes)
    forest = assembled(outline, planted(), None, progress.tree)
    progress.end(forest)
    return forest


def _keep(estimator: Any, reader: Any, forest: FittedForest) -> None:
    """Set the attributes of a fit; those of an earlier one go."""
    for name in [name for name in vars(estimator) if _is_fitted_attribute(name)]:
        del estimator.__dict__[name]
    learned = {name: value for name, value in vars(reader).items() if _is_fitted_attribute(name)}
    estimator.__dict__.update(learned | fitted_attributes(forest))


def _is_fitted_attribute(name: str) -> bool:
    return name.endswith("_") and not name.startswith("_")
