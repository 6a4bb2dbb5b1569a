"""Single trees of the split learners that climb coefficient by coefficient, on wide real data."""

import pytest
from sklearn.model_selection import KFold

from benchmarks.datasets import available, load
from slantwood import ObliqueTreeClassifier
from slantwood.splits.cart_lc import CARTLCSplit
from slantwood.splits.oc1 import OC1Split

needs_data = pytest.mark.skipif(
    not available(), reason="the folder of real data sets is absent; set SLANTWOOD_DATA to its path"
)
pytestmark = [pytest.mark.real_data, pytest.mark.slow]


@needs_data
@pytest.mark.parametrize(
    ("split", "floor"), [(CARTLCSplit(), 0.67), (OC1Split(), 0.68)], ids=["cart-lc", "oc1"]
)
def test_a_tree_on_1776_features_has_several_levels_and_is_better_than_chance(split, floor):
    # The larger class has 0.54 of the rows.
    data = load("bioresponse")
    for train, test in KFold(3, shuffle=True, random_state=1).split(data.X):
        tree = ObliqueTreeClassifier(split=split, random_state=0).fit(data.X[train], data.y[train])
        assert tree.trees_.depth.max() >= 3
        assert tree.score(data.X[test], data.y[test]) >= floor
