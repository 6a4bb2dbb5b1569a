"""Label trees on real texts: floors that a change must not break."""

import pytest

from slantwood import LabelTreeClassifier
from slantwood.metrics import precision_at_k
from slantwood_bench.scripts.data import available, read_parts

pytestmark = [
    pytest.mark.real_data,
    pytest.mark.skipif(not available(), reason="the folder of real data sets is absent; set SLANTWOOD_DATA"),
]


@pytest.mark.parametrize(
    ("settings", "floor"),
    [
        ({"n_forest_trees": 10}, 0.625),
        pytest.param({"max_leaf_labels": 40, "n_children": 10}, 0.61, marks=pytest.mark.thorough),
    ],
)
def test_the_first_tag_of_bibtex_is_right_in_most_rows(settings, floor):
    train, test = read_parts("bibtex")
    model = LabelTreeClassifier(**settings, random_state=0, n_jobs=2).fit(train.X, train.y)
    assert precision_at_k(test.y, model.predict_proba(test.X, top_k=1), 1) > floor
