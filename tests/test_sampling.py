"""Cases that stand for a product of parameters."""

from itertools import product

import pytest

from tests.sampling import few_with_every_value, values_of


def cases_of(*sizes):
    return [dict(zip("abcdef", values, strict=False)) for values in product(*map(range, sizes))]


def test_every_value_of_each_parameter_is_among_the_chosen():
    cases = cases_of(7, 2, 3)
    del cases[5:9]  # not all products are whole
    chosen = [cases[place] for place in few_with_every_value(cases)]
    assert {pair for case in chosen for pair in case.items()} == {
        pair for case in cases for pair in case.items()
    }


def test_as_few_are_chosen_as_the_longest_parameter_has_values():
    assert len(few_with_every_value(cases_of(17, 2, 2, 2))) == 17
    assert len(few_with_every_value(cases_of(5))) == 5


def test_a_limit_takes_the_most_different_ones():
    cases = cases_of(2, 2, 2)
    assert [cases[place] for place in few_with_every_value(cases, 2)] == [cases[0], cases[7]]
    assert len(few_with_every_value(cases_of(5), 3)) == 3
    assert len(few_with_every_value(cases_of(2), 3)) == 2


def test_short_parameters_come_in_all_combinations_beside_a_long_one():
    cases = cases_of(17, 2, 2)
    chosen = [cases[place] for place in few_with_every_value(cases)]
    assert {(case["b"], case["c"]) for case in chosen} == set(product(range(2), range(2)))


def test_two_processes_choose_the_same():
    cases = cases_of(9, 3, 2)
    assert few_with_every_value(cases) == few_with_every_value(
        [dict(reversed(case.items())) for case in cases]
    )


SHORT = pytest.mark.parametrize("short", [["a list"], "a text"])


@SHORT
@pytest.mark.parametrize(("one", "other"), [(1, 1), (1, 2), (2, 1), (2, 2)])
def test_names_that_are_given_together_are_one_parameter(request, short, one, other):
    values = values_of(request.node)
    assert set(values) == {"short", "one"}
    assert len(values["one"]) == 2


@pytest.mark.sampled
@SHORT
@pytest.mark.parametrize("long", range(5))
def test_few_cases_of_a_sampled_test_are_not_thorough(request, long, short):
    family = [
        item
        for item in request.session.items
        if getattr(item, "originalname", "") == request.node.originalname
    ]
    if request.config.getoption("-m") == "not thorough":
        assert len(family) == 5
