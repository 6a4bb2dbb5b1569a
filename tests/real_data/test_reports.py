"""Reports on models of real data: whole, and small."""

import numpy as np
import pytest

from slantwood import ObliqueForestClassifier, ObliqueForestRegressor
from slantwood.data import load
from slantwood.data.table import rows_of
from slantwood_bench.scripts.data import available

pytestmark = [
    pytest.mark.real_data,
    pytest.mark.skipif(
        not available(), reason="the folder of real data sets is absent; set SLANTWOOD_DATA to its path"
    ),
]


@pytest.mark.parametrize(
    "name",
    [
        "emotions",
        pytest.param("jura", marks=pytest.mark.thorough),
        pytest.param("yeast_cellcycle_FUN", marks=pytest.mark.thorough),
    ],
)
def test_every_section_of_a_report_has_something_to_say(name, tmp_path):
    data = load(name)
    rows = np.random.default_rng(0).permutation(data.X.shape[0])
    learn, test = np.array_split(rows, 2)
    if "regression" in data.task:
        model = ObliqueForestRegressor(n_estimators=5, random_state=0)
    else:
        model = ObliqueForestClassifier(n_estimators=5, hierarchy=data.hierarchy, random_state=0)
    model.fit(rows_of(data.X, learn), rows_of(data.y, learn))
    path = model.report(tmp_path / "report.html", rows_of(data.X, test), rows_of(data.y, test))
    text = path.read_text(encoding="utf-8")
    assert text.count("<article") == 5
    assert all(title in text for title in ("Best: row", "Typical: row", "Worst: row"))
    assert ("Reliability curve" in text) == ("label" in data.task)
    assert path.stat().st_size < 2_000_000
