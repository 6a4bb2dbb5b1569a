"""Values in messages: quoted, and never at full length."""

import numpy as np
import pytest

from slantwood.hints import did_you_mean, listed, pluralize, printable, printable_lines, shortened, shown

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


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("plain, größer, 重さ", "plain, größer, 重さ"),
        ("a\x1b[2Jb", "a\\x1b[2Jb"),
        ("a\x9b2Jb", "a\\x9b2Jb"),
        ("a\r\n\tb\x07", "a\\r\\n\\tb\\x07"),
        ("abc\u202ecba", "abc\\u202ecba"),
        ("\u2028\udcff", "\\u2028\\udcff"),
        ('it\'s \\ "quoted"', 'it\'s \\ "quoted"'),
    ],
)
def test_what_a_terminal_obeys_or_hides_is_escaped_as_repr_does(text, escaped):
    assert printable(text) == escaped
    assert printable_lines(f"a\n{escaped}\n") == f"a\n{escaped}\n"


def test_messages_of_other_libraries_are_escaped():
    assert shortened("bad column \x1b]0;title\x07") == "bad column \\x1b]0;title\\x07"
