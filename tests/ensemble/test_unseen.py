"""What is gained on unseen rows, and how sure that is."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from slantwood.ensemble.unseen import Gain, mean_gain


def test_rows_that_count_alike_have_the_usual_mean_and_standard_error():
    gain = np.random.default_rng(0).normal(size=50)
    found = mean_gain(gain, np.full(50, 1 / 50))
    assert_allclose(found.mean, gain.mean())
    assert_allclose(found.standard_error, gain.std() / np.sqrt(50))


def test_a_row_that_counts_nothing_has_no_say():
    rng = np.random.default_rng(0)
    gain, share = rng.normal(size=20), rng.random(20)
    share[:5] = 0
    share /= share.sum()
    assert_allclose(mean_gain(gain, share), mean_gain(gain[5:], share[5:]))


@pytest.mark.parametrize("n_rows", [1, 7, 1000])
def test_each_column_is_as_it_is_by_itself(n_rows):
    rng = np.random.default_rng(n_rows)
    gain, share = rng.normal(size=(n_rows, 3)), rng.random(n_rows)
    share /= share.sum()
    alone = [mean_gain(column, share) for column in gain.T]
    assert_allclose(mean_gain(gain, share), np.transpose(alone), atol=1e-15)


def test_a_gain_of_all_rows_alike_is_sure():
    assert_allclose(mean_gain(np.full(8, 0.5), np.full(8, 1 / 8)), (0.5, 0.0))


def test_less_errors_takes_off_so_many_standard_errors():
    gain = Gain(np.array([3.0, 1.0]), np.array([1.0, 2.0]))
    assert_array_equal(gain.less_errors(2.0), [1.0, -3.0])
