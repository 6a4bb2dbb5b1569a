"""Whatever table comes in, either a model predicts finite numbers from it, or an error says what is wrong.

Errors are judged by where they are raised and by what they say: in our own code, or in scikit-learn's checks,
and with the name of something that the user gave. A warning is a failure, as everywhere in the tests.
"""

import datetime
import re
import traceback
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st

from slantwood import (
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
)
from tests.sampling import examples

# Few trees on purpose: rows that all of them saw, which a warning tells of, are no concern of these claims.
pytestmark = pytest.mark.filterwarnings("ignore:oob_score=True.*no out-of-bag prediction:UserWarning")

KINDS = [ObliqueForestClassifier, ObliqueForestRegressor, ObliqueTreeClassifier, ObliqueTreeRegressor]

# Files whose errors are meant for users.
OWN = re.compile(r"slantwood[/\\]|sklearn[/\\]utils[/\\](validation|multiclass|class_weight)\.py$")
NAMES = re.compile(
    r"column|\bX\b|\by\b|label|sample_weight|threshold|unlabeled_weight|categorical_features|feature names|"
    r"class_weight|target_weights|rows"
)
RAW = re.compile(
    r"broadcast|could not convert|NAType|NoneType|object has no attribute|unhashable|truth value|\bassert|"
    r"Unknown label type: unknown|setting an array element|not supported between|index \d+ is out of"
)


def outcome(action):
    """Run a step; return its result, or None after an error that a user can understand."""
    try:
        return action()
    except (TypeError, ValueError) as error:
        place = traceback.extract_tb(error.__traceback__)[-1].filename
        text = str(error)
        assert OWN.search(place), f"raised in {place}: {text}"
        assert NAMES.search(text), text
        assert not RAW.search(text), text
        return None


# ---- tables

FINITE = st.floats(-1e6, 1e6, width=32)
CELLS = {
    "floats": FINITE,
    "few": st.sampled_from([0.0, 0.0, 1.0]),
    "integers": st.integers(-(2**40), 2**40),
    "booleans": st.booleans(),
    "texts": st.sampled_from(["red", "green", "", "1", "nan", "é"]),
    "many texts": st.integers(0, 60).map(str),
    "constant": st.just(7.0),
    "nothing": st.none(),
    "decimals": st.integers(-99, 99).map(lambda n: Decimal(n) / 4),
}
ODD_CELLS = {
    "infinite": st.sampled_from([np.inf, -np.inf, 1.0]),
    "huge": st.sampled_from([1e300, 0.0]),
    "dates": st.dates(datetime.date(2000, 1, 1), datetime.date(2030, 1, 1)),
    "times": st.datetimes(datetime.datetime(2000, 1, 1), datetime.datetime(2030, 1, 1)),
    "lists": st.lists(st.integers(0, 3), max_size=2),
    "mixed": st.one_of(st.integers(0, 3), st.sampled_from("ab")),
    "bytes": st.binary(max_size=2),
    "complex": st.just(1j),
}


@st.composite
def columns(draw, n, kinds):
    """Return lists of cells, some of which are None."""
    cells = {**CELLS, **ODD_CELLS}
    drawn = {}
    for position, kind in enumerate(kinds):
        values = st.one_of(st.none(), cells[kind]) if draw(st.booleans()) else cells[kind]
        drawn[f"{kind} {position}"] = draw(st.lists(values, min_size=n, max_size=n))
    return drawn


def _series(name, cells, as_type):
    """Make a pandas column of a type of its own where the cells allow it."""
    try:
        return pd.Series(cells, dtype=as_type, name=name)
    except Exception:  # the library's own, or its warning
        return pd.Series(cells, name=name)


PANDAS_TYPES = [
    "category",
    "Int64",
    "Float64",
    "boolean",
    "string",
    "string[pyarrow]",
    "double[pyarrow]",
    object,
]


@st.composite
def frames(draw, cells):
    """Put cells into a container; None where the library refuses such columns itself."""
    form = draw(
        st.sampled_from(["pandas", "typed pandas", "polars", "Arrow", "objects", "lists", "CSR", "COO"])
    )
    try:
        if form == "pandas":
            return pd.DataFrame(cells)
        if form == "typed pandas":
            typed = {name: _series(name, c, draw(st.sampled_from(PANDAS_TYPES))) for name, c in cells.items()}
            return pd.DataFrame(typed)
        if form == "polars":
            return pl.DataFrame(cells)
        if form == "Arrow":
            return pa.table(cells)
        if form == "objects":
            matrix = np.empty((len(next(iter(cells.values()))), len(cells)), object)
            for position, column in enumerate(cells.values()):
                matrix[:, position] = column
            return matrix
        if form == "lists":
            return [list(row) for row in zip(*cells.values(), strict=True)]
        numbers = np.array(
            [[np.nan if c is None else float(c) for c in column] for column in cells.values()]
        ).T
        return sp.csr_array(numbers) if form == "CSR" else sp.coo_matrix(numbers)
    except Exception:  # the library's own, or its warning
        return None


# ---- targets


@st.composite
def targets(draw, n, is_classifier):
    """Return y and the shape that predictions have."""
    unknown = st.sampled_from([None, None, np.nan, pd.NA])
    gaps = draw(st.booleans())
    if is_classifier and draw(st.booleans()):
        of_class = draw(
            st.sampled_from(
                [
                    st.integers(-1, 2),
                    st.sampled_from(["a", "b", "c"]),
                    st.booleans(),
                    st.integers(0, 1).map(float),
                ]
            )
        )
        cell = st.one_of(unknown, of_class, of_class) if gaps else of_class
        y = draw(st.lists(cell, min_size=n, max_size=n))
        form = draw(st.sampled_from([list, _objects, pd.Series, _convert, pd.Categorical]))
        return form(y), (n,)
    width = draw(st.integers(1 if not is_classifier else 2, 3))
    known = st.integers(0, 1).map(float) if is_classifier else FINITE
    cell = st.one_of(st.just(np.nan), known, known, known) if gaps else known
    y = np.array(draw(st.lists(st.lists(cell, min_size=width, max_size=width), min_size=n, max_size=n)))
    form = draw(
        st.sampled_from([np.asarray, _none, pd.DataFrame, _nullable, _polars, sp.csr_array, sp.coo_array])
    )
    if not is_classifier and draw(st.booleans()):
        return form(y)[:, 0] if form in (np.asarray, _none) else y[:, 0], (n,)
    return form(y), (n, width)


def _objects(y):
    return np.array([*y, None], object)[:-1]


def _convert(y):
    return pd.Series(_objects(y)).convert_dtypes()


def _none(y):
    return np.where(np.isnan(y), None, y.astype(object))


def _nullable(y):
    return pd.DataFrame(y).astype("Float64")


def _polars(y):
    return pl.DataFrame(y).fill_nan(None)


WEIGHTS = st.one_of(st.none(), st.sampled_from(["zeros and ones", "numbers"]))


@st.composite
def cases(draw, odd):
    kind = draw(st.sampled_from(KINDS))
    is_classifier = "Classifier" in kind.__name__
    is_forest = "Forest" in kind.__name__
    n = draw(st.integers(2, 14))
    kinds = draw(st.lists(st.sampled_from([*CELLS, *(ODD_CELLS if odd else ())]), min_size=1, max_size=4))
    if odd:
        kinds.append(draw(st.sampled_from(list(ODD_CELLS))))
    X = draw(frames(draw(columns(n, kinds))))
    later = draw(frames(draw(columns(draw(st.integers(1, 6)), kinds))))
    assume(X is not None)
    assume(later is not None)
    y, shape = draw(targets(n, is_classifier))
    parameters = {
        "random_state": 0,
        "split": draw(st.sampled_from(["gradient", "gradient", "svm"])),
        "missing_indicators": draw(st.sampled_from([False, True, "auto"])),
        "min_samples_split": draw(st.sampled_from(["auto", "auto", 3, 0.5])),
        "min_samples_leaf": draw(st.sampled_from([1, 1, 2, 0.3])),
        "min_weight_fraction_leaf": draw(st.sampled_from([0.0, 0.0, 0.2])),
        "max_leaf_nodes": draw(st.sampled_from([None, None, 2, 4])),
        "ftest": draw(st.sampled_from([None, None, 0.3])),
        "ccp_alpha": draw(st.sampled_from([0.0, 0.0, 0.05])),
        "unlabeled_weight": draw(st.sampled_from([None, None, 0.0, 0.5, 1.0, "auto"])),
        "categorical_features": draw(
            st.sampled_from(["from_dtype", "from_dtype", None, [0], [len(kinds) - 1], [True] * len(kinds)])
        ),
    }
    if is_forest:
        parameters |= {"n_estimators": 2, "oob_score": draw(st.booleans())}
        parameters["max_samples"] = draw(st.sampled_from([None, None, 5, 0.5]))
    if is_classifier:
        parameters["threshold"] = draw(st.sampled_from([0.5, 0.5, "f1_micro", "f1_macro"]))
        parameters["class_weight"] = draw(st.sampled_from([None, None, "balanced"]))
    weights = draw(WEIGHTS)
    if weights is not None:
        values = st.integers(0, 1) if weights == "zeros and ones" else st.floats(0.5, 4.0)
        weights = np.array(draw(st.lists(values, min_size=n, max_size=n)), float)
    return kind(**parameters), X, y, weights, later, shape


def _check_limits(model):
    """Every leaf is as heavy, and every tree as small, as the parameters say."""
    trees = model.trees_
    is_leaf = trees.left < 0
    if model.max_leaf_nodes is not None:
        assert np.add.reduceat(is_leaf, trees.roots).max() <= model.max_leaf_nodes
    of_tree = np.searchsorted(trees.roots, np.arange(len(is_leaf)), side="right") - 1
    share = trees.node_weight / trees.node_weight[trees.roots][of_tree]
    assert (share[is_leaf] >= model.min_weight_fraction_leaf - 1e-6).all()


def check(case):
    model, X, y, weights, later, shape = case
    fitted = outcome(lambda: model.fit(X, y, sample_weight=weights))
    if fitted is None:
        return None
    for rows in (X, later):
        named = hasattr(model, "feature_names_in_")
        if named != hasattr(rows, "columns") and not (named and hasattr(rows, "column_names")):
            continue  # scikit-learn warns that names are missing, or new
        predicted = outcome(lambda rows=rows: model.predict(rows))
        if predicted is None:
            assert rows is not X
            continue
        assert predicted.shape[1:] == shape[1:]
        assert predicted.shape[0] == (rows.shape[0] if hasattr(rows, "shape") else len(rows))
        scores = model.predict_proba(rows) if hasattr(model, "predict_proba") else predicted
        assert np.isfinite(scores).all()
    assert model.feature_importances_.shape == (model.n_features_in_,)
    _check_limits(model)
    total = model.feature_importances_.sum()
    assert total == 0.0 or abs(total - 1.0) < 1e-6
    return model


SLOW = examples(30, suppress_health_check=list(HealthCheck))


@SLOW
@given(cases(odd=False))
def test_any_sensible_table_is_learned_or_refused_in_clear_words(case):
    check(case)


@SLOW
@given(cases(odd=True))
def test_any_odd_table_is_learned_or_refused_in_clear_words(case):
    check(case)


@examples(20, suppress_health_check=list(HealthCheck))
@given(st.data(), st.integers(2, 12))
def test_a_table_of_numbers_and_texts_is_always_learned(data, n):
    kinds = data.draw(st.lists(st.sampled_from(list(CELLS)), min_size=1, max_size=4))
    cells = data.draw(columns(n, kinds))
    make = data.draw(st.sampled_from([pd.DataFrame, pl.DataFrame, pa.table]))
    X = make(cells)
    for y in (np.arange(n) % 2, np.linspace(0.0, 1.0, n)):
        kind = ObliqueForestClassifier if y.dtype.kind == "i" else ObliqueForestRegressor
        model = kind(
            n_estimators=2,
            random_state=0,
            missing_indicators=data.draw(st.sampled_from([False, True, "auto"])),
        ).fit(X, y)
        predicted = model.predict(X)
        assert model.n_features_in_ == len(kinds)
        assert predicted.min() >= y.min()
        assert predicted.max() <= y.max()
        # A row is predicted alike whatever rows, of whatever cells, are beside it.
        apart = [model.predict(part) for part in (X[:1], X[1:])]
        np.testing.assert_array_equal(np.concatenate(apart), predicted)
