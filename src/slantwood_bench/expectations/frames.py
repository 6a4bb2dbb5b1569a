"""Data frames as they are."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from slantwood_bench.expectations.data import forest, frame, irises, regressor
from slantwood_bench.expectations.row import Group, library

GROUP = Group("data frames")


def _fits(table: Any) -> None:
    model = forest().fit(table, irises().y)
    assert model.feature_names_in_.tolist()[-1] == "colour"
    assert model.score(table, irises().y) > 0.9


@GROUP.row("pandas, with a nominal column")
def pandas_frames() -> None:
    """Fit on a frame of pandas."""
    table = frame(library("pandas"))
    _fits(table)
    _fits(table.astype({"colour": "category"}))


@GROUP.row("pandas' nullable and extension types, in X and y")
def nullable_types() -> None:
    """Fit on Float64, string and Int64."""
    pandas = library("pandas")
    table = frame(pandas).convert_dtypes()
    for y in (pandas.Series(irises().words, dtype="string"), pandas.Series(irises().y, dtype="Int64")):
        assert forest().fit(table, y).score(table, y) > 0.9


@GROUP.row("polars, with a nominal column")
def polars_frames() -> None:
    """Fit on a frame of polars."""
    _fits(frame(library("polars")))


@GROUP.row("pyarrow, with a nominal column")
def arrow_tables() -> None:
    """Fit on a table of Arrow."""
    arrow, pandas = library("pyarrow"), library("pandas")
    _fits(arrow.table({name: column.to_numpy() for name, column in frame(pandas).items()}))


@GROUP.row("a category that was never seen")
def unseen_categories() -> None:
    """Predict for another colour."""
    table = frame(library("pandas"))
    model = forest().fit(table, irises().y)
    assert np.isfinite(model.predict_proba(table.assign(colour="white"))).all()


@GROUP.row("columns in another order")
def reordered_columns() -> None:
    """Predict for columns in another order: scikit-learn refuses these, and so must we, or sort them."""
    table = frame(library("pandas"))
    model = forest().fit(table, irises().y)
    try:
        found = model.predict(table[table.columns[::-1]])
    except ValueError:
        return
    assert (found == model.predict(table)).all()


@GROUP.row("y as a Series or a frame; names of targets are kept")
def names_of_targets() -> None:
    """Fit on a frame of targets."""
    pandas = library("pandas")
    y = pandas.DataFrame(irises().numbers, columns=["a", "b", "c"])
    model = regressor().fit(irises().X, y)
    assert list(model.target_names_) == ["a", "b", "c"]
    assert forest().fit(irises().X, pandas.Series(irises().words)).classes_[0] == "setosa"


@GROUP.row("names of label columns become classes_")
def names_of_labels() -> None:
    """Fit on a frame of labels."""
    pandas = library("pandas")
    y = pandas.DataFrame(irises().labels, columns=["small", "large", "wide"])
    assert list(forest().fit(irises().X, y).classes_) == ["small", "large", "wide"]


@GROUP.row("columns of a data file in another order")
def lined_up() -> None:
    """Line up the columns of a file with those of a model."""
    from slantwood.model_data import read_for_model

    model = forest().fit(irises().X, irises().y, feature_names=["a", "b", "c", "d"])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "irises.csv"
        rows = [",".join(map(str, row)) for row in irises().X[:, ::-1]]
        path.write_text("\n".join(["d,c,b,a", *rows]) + "\n", encoding="utf-8")
        found = model.predict(read_for_model(model, path).X)
    assert (found == model.predict(irises().X)).all()
