"""Claims about the random stream."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from slantwood.kernels.random import below, normal, uniform

pytestmark = pytest.mark.plain_python

SEEDS = st.integers(1, 2**64 - 1)
MIXED_SEEDS = [int(s) | 1 for s in np.random.SeedSequence(0).generate_state(3, np.uint64)]


def stream(seed):
    return np.array([seed], np.uint64)


def drawn(draw, seed, count, *arguments):
    state = stream(seed)
    return np.array([draw(state, *arguments) for _ in range(count)])


def xorshift_of_python_integers(seed):
    """The same generator on unbounded integers, cut to 64 bits by hand."""
    x = seed
    while True:
        x ^= (x << 13) % 2**64
        x ^= x >> 7
        x ^= (x << 17) % 2**64
        yield x


@given(SEEDS)
def test_uniform_is_the_top_24_bits_of_xorshift(seed):
    twin = xorshift_of_python_integers(seed)
    state = stream(seed)
    for _ in range(20):
        x = next(twin)
        assert uniform(state) == (x // 2**40 + 0.5) / 2**24
        assert int(state[0]) == x


@given(SEEDS)
def test_uniform_lies_strictly_between_0_and_1(seed):
    numbers = drawn(uniform, seed, 50)
    assert numbers.min() > 0
    assert numbers.max() < 1


@pytest.mark.parametrize("seed", MIXED_SEEDS)
def test_uniform_fills_the_unit_interval_evenly(seed):
    n = 4000
    numbers = np.sort(drawn(uniform, seed, n))
    steps = np.arange(n + 1) / n
    distance = max((steps[1:] - numbers).max(), (numbers - steps[:-1]).max())
    assert distance < 1.63 / math.sqrt(n)  # Kolmogorov-Smirnov at 1%


@pytest.mark.parametrize("seed", MIXED_SEEDS)
def test_consecutive_uniform_numbers_are_uncorrelated(seed):
    numbers = drawn(uniform, seed, 4000)
    for lag in (1, 2, 3):
        assert abs(np.corrcoef(numbers[lag:], numbers[:-lag])[0, 1]) < 4 / math.sqrt(4000)


@pytest.mark.parametrize("seed", MIXED_SEEDS)
def test_normal_has_the_moments_of_the_standard_normal_distribution(seed):
    n = 6000
    numbers = drawn(normal, seed, n)
    # Variances of sample moments 1 to 4 of the normal distribution: 1, 2, 15, 96, over n.
    for power, expected, variance in [(1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96)]:
        assert abs((numbers**power).mean() - expected) < 4 * math.sqrt(variance / n)
    inside = (np.abs(numbers) < 1).mean()
    assert abs(inside - 0.6827) < 4 * math.sqrt(0.6827 * 0.3173 / n)


@given(SEEDS)
def test_normal_is_the_cosine_half_of_box_and_muller(seed):
    first, second = drawn(uniform, seed, 60).reshape(30, 2).T
    expected = np.sqrt(-2 * np.log(first)) * np.cos(2 * np.pi * second)
    assert_allclose(drawn(normal, seed, 30), expected, rtol=1e-6, atol=1e-6)


@given(SEEDS, st.integers(1, 2**31 - 1))
def test_below_stays_within_its_range(seed, n):
    numbers = drawn(below, seed, 30, n)
    assert numbers.min() >= 0
    assert numbers.max() < n


@pytest.mark.parametrize("seed", MIXED_SEEDS)
@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_below_gives_every_number_of_its_range_about_as_often(seed, n):
    count = 2100
    often = np.bincount(drawn(below, seed, count, n), minlength=n)
    share = 1 / n
    assert len(often) == n
    assert np.abs(often - count * share).max() <= 4 * math.sqrt(count * share * (1 - share))


@given(SEEDS)
def test_compiled_and_plain_python_forms_give_the_same_stream(seed):
    compiled, plain = stream(seed), stream(seed)
    for function, arguments in [(uniform, ()), (below, (10,)), (uniform, ()), (below, (3,))] * 5:
        twin = getattr(function, "py_func", function)
        assert function(compiled, *arguments) == twin(plain, *arguments)
    # cos and log of different libraries may differ in the last bit.
    for _ in range(5):
        np.testing.assert_allclose(normal(compiled), getattr(normal, "py_func", normal)(plain), rtol=3e-7)
    assert compiled[0] == plain[0]


@given(SEEDS)
def test_equal_seeds_give_equal_streams_and_different_seeds_different_ones(seed):
    np.testing.assert_array_equal(drawn(uniform, seed, 5), drawn(uniform, seed, 5))
    other = seed + 1 if seed < 2**64 - 1 else 1
    assert (drawn(uniform, seed, 20) != drawn(uniform, other, 20)).any()
