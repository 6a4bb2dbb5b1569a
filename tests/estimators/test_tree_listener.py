"""Claims about who hears of each grown tree."""

import numpy as np
import pytest

from slantwood import ObliqueForestRegressor, ObliqueTreeRegressor
from slantwood.estimators.callbacks import heard_by

X = np.random.default_rng(0).normal(size=(30, 3))
y = X[:, 0]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_listener_hears_of_every_tree_in_turn(n_jobs):
    forest = ObliqueForestRegressor(n_estimators=4, n_jobs=n_jobs, random_state=0)
    heard = []
    with heard_by(lambda *words: heard.append(words)):
        forest.fit(X, y)
    forest.fit(X, y)  # outside of the block nobody hears
    assert heard == [(done, 4) for done in (1, 2, 3, 4)]


def test_forests_that_are_fitted_on_the_way_are_not_heard_of():
    partly = np.where(np.arange(30) % 3 == 0, np.nan, y)
    tree = ObliqueTreeRegressor(unlabeled_weight=0.5, random_state=0)
    heard = []
    with heard_by(lambda *words: heard.append(words)):
        tree.fit(X, partly)
    assert heard == [(1, 1)]


def test_a_listener_is_gone_after_an_error():
    heard = []
    with pytest.raises(ValueError, match="stop"), heard_by(lambda *words: heard.append(words)):
        raise ValueError("stop")
    ObliqueTreeRegressor().fit(X, y)
    assert heard == []
