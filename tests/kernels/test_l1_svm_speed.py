"""Claims about the benchmark of the support vector machine, on data made here."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from tests.kernels import l1_svm_speed


@pytest.mark.thorough
def test_the_objectives_of_both_solvers_are_compared_on_the_same_problem():
    X, y = load_breast_cancer(return_X_y=True)
    size, _, *ours = l1_svm_speed.compared(X.astype(np.float32), y == 1, 1.0, 1)
    assert size == "569 x 30 dense"
    tight = float(ours[3].removesuffix(" %"))
    assert tight < 0.5


def test_small_nodes_have_rows_of_both_sides():
    X, is_right = l1_svm_speed.small_node(np.arange(100.0)[:, None], np.arange(100) % 2 == 0)
    assert X.shape == (20, 1)
    assert is_right.sum() == 8
