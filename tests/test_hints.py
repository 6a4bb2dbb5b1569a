"""Values in messages: quoted, and never at full length."""

import numpy as np
import pytest

from slantwood.hints import did_you_mean, listed, pluralize, shortened, shown

LONG = "ab" * 1_000_000


@pytest.mark.parametrize("value", [LONG, LONG.encode(), [LONG], ("x",) * 10_000, 10**4000])
def test_a_long_value_is_shown_by_its_beginning(value):
    assert len(shown(value)) < 70
    assert "..." in shown(value)


def test_a_short_value_is_shown_as_it_is():
    assert [shown(each) for each in ("a", b"a", "'", 1.5, None)] == ["'a'", "'a'", '"\'"', "1.5", "None"]
    assert shortened("short") == "short"


def test_counts_and_lists_are_said_in_words():
    assert pluralize(1, "row") == "1 row"
    assert pluralize(2000, "row") == "2,000 rows"
    assert pluralize(0, "class", "classes") == "0 classes"
    assert listed(["a", "b"]) == "'a', 'b'"
    assert listed(np.arange(7), 2) == "0, 1, and 5 more"


def test_names_are_listed_and_proposed_at_no_great_length():
    assert len(listed([LONG] * 9)) < 400
    assert did_you_mean(LONG, [LONG[:-1]], "otherwise") == "otherwise"
    assert len(did_you_mean("ab" * 100, ["ab" * 100 + LONG])) < 100
