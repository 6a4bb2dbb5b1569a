"""Claims about parts of dask frames whose columns are not those of the frame: Dask does not look."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from slantwood.dask import DaskObliqueForestClassifier, DaskObliqueForestRegressor
from tests.dask.problems import same_trees

ROWS = 120
FULL = pd.DataFrame(np.random.default_rng(0).normal(size=(ROWS, 4)), columns=list("abcd"))
CLASSES = pd.Series((FULL.a > 0).astype(int), name="class")
MODES = pytest.mark.parametrize("mode", ["replicate", "partition"])


def in_parts(change, table=FULL):
    """Return a frame of four parts, each changed by a function of it and its number."""

    def changed(part, partition_info=None):
        return part if partition_info is None else change(part, partition_info["number"])

    return dd.from_pandas(table, npartitions=4).map_partitions(
        changed, meta=table[:0], enforce_metadata=False
    )


def reversed_columns(part, number):
    return part[list(part.columns)[::-1]] if number == 1 else part


def without_the_last(part, number):
    return part[list(part.columns)[:-1]] if number == 2 else part


def renamed(part, number):
    return part.rename(columns={part.columns[0]: "q"}) if number == 3 else part


def more(part, number):
    return part.assign(q=1.0) if number == 3 else part


WRONG = pytest.mark.parametrize(
    ("change", "said"),
    [
        (without_the_last, "part 2 of X lacks the column 'd'"),
        (renamed, "part 3 of X lacks the column 'a' and has the column 'q'"),
        (more, "part 3 of X has the column 'q'"),
    ],
)


def forest(mode="replicate"):
    return DaskObliqueForestClassifier(3, mode=mode, random_state=0)


@pytest.fixture(scope="module")
def fitted(client):
    return forest().fit(in_parts(lambda part, _: part), dd.from_pandas(CLASSES, npartitions=4))


@MODES
@WRONG
def test_a_part_with_other_columns_is_refused_by_its_number_and_theirs(client, mode, change, said):
    with pytest.raises(ValueError, match=said):
        forest(mode).fit(in_parts(change), dd.from_pandas(CLASSES, npartitions=4))


@MODES
def test_columns_of_a_part_may_come_in_any_order(client, mode):
    y = dd.from_pandas(CLASSES, npartitions=4)
    expected = forest(mode).fit(in_parts(lambda part, _: part), y)
    assert same_trees(forest(mode).fit(in_parts(reversed_columns), y), expected)


@WRONG
def test_predicting_such_a_part_is_refused_too(fitted, change, said):
    X = in_parts(change)
    as_frame = fitted.to_local().set_output(predict="pandas")
    for call in (fitted.predict, fitted.predict_proba, lambda X: fitted.predict_top_k(X, 1).labels):
        with pytest.raises(ValueError, match=said):
            call(X).compute()
    in_frames = DaskObliqueForestClassifier(3, random_state=0)
    in_frames.__dict__.update({name: value for name, value in vars(as_frame).items() if name.endswith("_")})
    with pytest.raises(ValueError, match=said):
        in_frames.set_output(predict="pandas").predict(X).compute()


def test_columns_of_parts_that_are_predicted_may_come_in_any_order(fitted):
    expected = fitted.predict_proba(in_parts(lambda part, _: part)).compute()
    np.testing.assert_array_equal(fitted.predict_proba(in_parts(reversed_columns)).compute(), expected)


def test_targets_of_parts_are_matched_by_name_too(client):
    X = dd.from_pandas(FULL, npartitions=4)
    numbers = DaskObliqueForestRegressor(3, random_state=0)
    expected = numbers.fit(X, in_parts(lambda part, _: part)).to_local()
    assert same_trees(numbers.fit(X, in_parts(reversed_columns)), expected)
    with pytest.raises(ValueError, match="part 2 of y lacks the column 'd'"):
        numbers.fit(X, in_parts(without_the_last))


def test_blocks_of_an_array_that_are_too_narrow_are_refused(client):
    blocks = [
        da.from_delayed(dask.delayed(np.ones)((60, width)), (60, 4), dtype=np.float64) for width in (4, 3)
    ]
    with pytest.raises(ValueError, match="part 1 of X has 3 columns; expected 4"):
        forest().fit(da.concatenate(blocks), da.from_array(CLASSES.to_numpy(), chunks=60))
