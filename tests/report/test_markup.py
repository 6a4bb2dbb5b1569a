"""Claims about the markup of reports: whatever a name holds, it is text."""

import json
import re

import pytest

from slantwood.report.markup import (
    DASH,
    MINUS,
    Markup,
    bars,
    embedded_json,
    joined,
    number,
    share,
    table,
    tag,
)

HOSTILE = "</script><img src=x onerror=alert(1)>\"'&\u2028\u2029"


@pytest.mark.parametrize(
    "made",
    [
        tag("p", HOSTILE, title=HOSTILE),
        joined(HOSTILE, tag("b", HOSTILE)),
        table(HOSTILE, [HOSTILE, HOSTILE], [[HOSTILE, HOSTILE]]),
        bars(HOSTILE, [(HOSTILE, 1.0, HOSTILE)]),
    ],
)
def test_text_from_outside_cannot_become_markup(made):
    assert isinstance(made, Markup)
    assert "<img" not in made
    assert "</script" not in made
    assert not re.search(r'="[^"]*"onerror', made)
    assert "&lt;img" in made


def test_data_for_the_script_cannot_end_its_block_and_is_the_same_after_reading():
    made = embedded_json("x", {"names": [HOSTILE]})
    opening, rest = made.split(">", 1)
    content, end = rest.rsplit("</script>", 1)
    assert opening == '<script type="application/json" id="x"'
    assert not set(content) & set("<>&\u2028\u2029")
    assert json.loads(content) == {"names": [HOSTILE]}
    assert end == "\n"


def test_numbers_that_are_none_never_reach_the_script():
    with pytest.raises(ValueError, match="not JSON compliant"):
        embedded_json("x", [float("nan")])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (-3, f"{MINUS}3"),
        (12345.6, "12,346"),
        (1e-9, f"1e{MINUS}09"),
        (0.5, "0.5"),
        (None, DASH),
        (1e20, "1e+20"),
    ],
)
def test_numbers_are_short(value, text):
    assert number(value) == text


def test_long_names_are_cut_so_that_a_thousand_of_them_are_no_large_page():
    assert len(table("t", ["a"], [["x" * 10_000]])) < 1000


def test_shares_are_per_cent():
    assert [share(each) for each in (0.0, 0.034, 0.999)] == ["0 %", "3.4 %", "100 %"]
