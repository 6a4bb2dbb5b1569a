"""Every call of ours on the page for users of other libraries is one that works."""

import importlib.util
import re
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

PAGE = Path(__file__).parents[1] / "docs" / "coming_from.md"
LIBRARIES = (
    *("scikit-learn", "treeple", "YDF", "LightGBM", "CatBoost", "CLUS", "spyct", "Mulan"),
    "scikit-multilearn",
)

pytestmark = pytest.mark.skipif(
    not PAGE.exists(), reason="the documentation is not part of this installation"
)


def sections():
    """Cells of the table of each library."""
    text = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    for part in text.split("\n## ")[1:]:
        title, _, body = part.partition("\n")
        rows = [line.strip("| ").split(" | ") for line in body.splitlines() if line.startswith("|")]
        yield title, rows


def calls():
    found = {code for _, rows in sections() for row in rows[2:] for code in re.findall(r"`([^`]+)`", row[1])}
    for code in sorted(found):
        yield pytest.param(code, id=code)


def with_few_trees(kind):
    return lambda *given, **parameters: kind(
        *given, **({"n_estimators": 3} if not given else {}) | parameters
    )


@pytest.fixture(scope="module")
def names():
    """Names of the page, where models have few trees unless it says how many."""
    block = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[1]
    found = {}
    exec(compile(block, PAGE.name, "exec"), found)
    if importlib.util.find_spec("slantwood.explain"):
        found["explain"] = importlib.import_module("slantwood.explain")
    for name in ("ObliqueBoostingClassifier", "ObliqueForestClassifier", "ObliqueForestRegressor"):
        found[name] = with_few_trees(found[name])
    return found


def test_every_library_has_a_table_of_three_columns():
    found = dict(sections())
    assert tuple(found) == LIBRARIES
    for title, rows in found.items():
        assert len(rows) > 6, title
        assert rows[0][1] == "here"
        assert all(len(row) in (2, 3) for row in rows), title  # an empty last cell is stripped


@pytest.mark.filterwarnings("ignore:oob_score=True.*no out-of-bag prediction:UserWarning")
@pytest.mark.parametrize("code", list(calls()))
def test_calls_work(code, names):
    made = eval(compile(code, PAGE.name, "eval"), names)
    if not isinstance(made, BaseEstimator):
        assert made is not None
        return
    # Values of parameters are checked in `fit`.
    try:
        check_is_fitted(made)
    except NotFittedError:
        if made.get_params().get("hierarchy") is not None:
            made.fit(names["X"], [{"a/b"} if each else {"a/c"} for each in names["y"]])
        elif isinstance(made.get_params().get("threshold"), str):
            made.fit(names["Z"], names["Y"])
        else:
            made.fit(names["X"], names["X"][:, :2] if is_regressor(made) else names["y"])
