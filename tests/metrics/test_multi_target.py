"""Claims about measures of several targets with classes."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, f1_score

from slantwood.metrics import exact_match, mean_accuracy, mean_macro_f1

pytestmark = pytest.mark.plain_python


@given(st.integers(1, 4), st.integers(1, 20), st.integers(0, 2**32 - 1))
def test_each_is_the_mean_of_scikit_learns_measure_over_the_targets(n_targets, n_rows, seed):
    rng = np.random.default_rng(seed)
    true, said = rng.integers(0, 3, (2, n_rows, n_targets))
    weights = rng.uniform(0.5, 2.0, n_rows)
    columns = range(n_targets)
    accuracy = [accuracy_score(true[:, j], said[:, j], sample_weight=weights) for j in columns]
    assert mean_accuracy(true, said, weights) == pytest.approx(np.mean(accuracy))
    f1 = [f1_score(true[:, j], said[:, j], average="macro") for j in columns]
    assert mean_macro_f1(true, said) == pytest.approx(np.mean(f1))
    whole = accuracy_score(
        list(map(str, true.tolist())), list(map(str, said.tolist())), sample_weight=weights
    )
    assert exact_match(true, said, weights) == pytest.approx(whole)


def test_what_is_not_known_is_left_out():
    true = pd.DataFrame({"tree": ["oak", None, "elm", None], "rings": [3.0, 4.0, np.nan, np.nan]})
    said = [["oak", 3], ["elm", 5], ["elm", 3], ["elm", 3]]
    assert mean_accuracy(true, said) == 0.75
    assert mean_macro_f1(true, said) == pytest.approx((1 + 1 / 3) / 2)
    assert exact_match(true, said) == pytest.approx(2 / 3)


@pytest.mark.parametrize("measure", [mean_accuracy, mean_macro_f1, exact_match])
def test_wrong_shapes_are_named(measure):
    with pytest.raises(ValueError, match="y_true has shape"):
        measure([1, 2], [1, 2])
    with pytest.raises(ValueError, match="y_pred"):
        measure([[1, 2]], [[1, 2, 3]])
    with pytest.raises(ValueError, match="no class that is known"):
        measure([[None, None]], [[1, 2]])
