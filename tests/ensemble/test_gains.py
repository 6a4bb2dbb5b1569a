"""What is gained on unseen rows, how sure that is, and what other rows might have led to."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from slantwood.ensemble.gains import Gain, averaged_by, likely_choices, mean_gain


def test_rows_that_count_alike_have_the_usual_mean_and_standard_error():
    gain = np.random.default_rng(0).normal(size=50)
    found = mean_gain(gain, averaged_by(np.ones(50)))
    assert_allclose(found.mean, gain.mean())
    assert_allclose(found.standard_error, gain.std() / np.sqrt(50))


def test_a_row_that_counts_nothing_has_no_say():
    rng = np.random.default_rng(0)
    gain, share = rng.normal(size=20), rng.random(20)
    share[:5] = 0
    assert_allclose(mean_gain(gain, averaged_by(share)), mean_gain(gain[5:], averaged_by(share[5:])))


@pytest.mark.parametrize("n_rows", [1, 7, 1000])
def test_each_column_is_as_it_is_by_itself(n_rows):
    rng = np.random.default_rng(n_rows)
    gain, share = rng.normal(size=(n_rows, 3)), rng.random(n_rows)
    alone = [mean_gain(column, averaged_by(share)) for column in gain.T]
    assert_allclose(mean_gain(gain, averaged_by(share)), np.transpose(alone), atol=1e-15)


def test_a_gain_of_all_rows_alike_is_sure():
    assert_allclose(mean_gain(np.full(8, 0.5), averaged_by(np.ones(8))), (0.5, 0.0))


def test_less_errors_takes_off_so_many_standard_errors():
    gain = Gain(np.array([3.0, 1.0]), np.array([1.0, 2.0]))
    assert_array_equal(gain.less_errors(2.0), [1.0, -3.0])


def test_redrawn_rows_count_as_often_as_they_are_drawn():
    rng = np.random.default_rng(1)
    gain, weights = rng.normal(size=30), rng.random(30)
    found = mean_gain(gain, averaged_by(weights).redrawn(30, np.random.default_rng(7)))
    times = np.random.default_rng(7).multinomial(30, np.full(30, 1 / 30))
    expected = mean_gain(np.repeat(gain, times), averaged_by(np.repeat(weights, times)))
    assert_allclose(found, expected)


def test_four_times_as_many_rows_have_half_the_standard_error():
    gain, rows = np.random.default_rng(0).normal(size=40), averaged_by(np.ones(40))
    some, more = (mean_gain(gain, rows.redrawn(n, np.random.default_rng(3))) for n in (40, 160))
    assert_allclose(more, (some.mean, some.standard_error / 2))


def test_redrawn_means_vary_by_the_standard_error():
    gain, rows = np.random.default_rng(0).normal(size=200), averaged_by(np.ones(200))
    rng = np.random.default_rng(1)
    means = [mean_gain(gain, rows.redrawn(200, rng)).mean for _ in range(500)]
    assert np.std(means) == pytest.approx(mean_gain(gain, rows).standard_error, rel=0.15)


def test_rows_of_which_none_counts_are_left_as_they_are():
    rows = averaged_by(np.array([1.0, 0.0, 0.0]))
    drawn = [rows.redrawn(3, np.random.default_rng(seed)) for seed in range(20)]
    assert all(each.share[0] == 1.0 for each in drawn)


@pytest.mark.parametrize(("mean", "choices"), [(-3.0, (0, 0, 0)), (0.0, (0, 0, 1)), (3.0, (1, 1, 1))])
def test_what_is_clear_has_one_likely_choice_and_what_is_not_has_several(mean, choices):
    gain = np.resize([10.0, -10.0], 1000) + mean  # the standard error of the mean is 0.3
    rows = averaged_by(np.ones(1000))
    # A gain must be larger than half a standard error to be taken: 31 % of draws around no gain are.
    found = likely_choices(lambda rows: int(mean_gain(gain, rows).less_errors(0.5) > 0), rows, 1000)
    assert found == choices
