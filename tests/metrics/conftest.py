"""Label matrices of every kind for the measures: ties, unknown labels, weights, dense and sparse."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

LEVEL = st.sampled_from([-2.0, -0.5, 0.0, 0.0, 0.25, 1.0, 3.0])


@st.composite
def label_problems(draw, truths=(0.0, 1.0, np.nan)):
    """Truth with NaN, decided labels, scores with ties, and row weights; something is known of weight."""
    shape = draw(st.tuples(st.integers(1, 7), st.integers(1, 6)))
    y = draw(hnp.arrays(np.float64, shape, elements=st.sampled_from(truths)))
    decided = draw(hnp.arrays(np.int8, shape, elements=st.integers(0, 1)))
    scores = draw(hnp.arrays(np.float64, shape, elements=LEVEL))
    weights = draw(hnp.arrays(np.float64, shape[0], elements=st.sampled_from([0.0, 0.5, 1.0, 3.0])))
    weights[0], y[0, 0] = 1.0, draw(st.integers(0, 1))
    return y, decided, scores, weights


def sparse(matrix):
    """Make a CSR array that stores NaN, and no zeros."""
    rows, columns = np.nonzero(matrix)
    return sp.csr_array((matrix[rows, columns], (rows, columns)), shape=matrix.shape)


@pytest.fixture(scope="session")
def many_labels():
    """Truth, scores and decided labels of 5,000 rows and 4,000 labels; dense, the scores are 160 MB."""
    rng = np.random.default_rng(0)
    truth = sp.random_array((5000, 4000), density=0.001, format="csr", rng=rng)
    truth.data[:] = 1.0
    noise = sp.random_array(truth.shape, density=0.002, format="csr", rng=rng)
    scores = sp.csr_array(0.5 * truth + noise)
    decided = sp.csr_array(scores > 0.5, dtype=np.float64)
    return truth, scores, decided
