"""Nothing that users type without thinking is absent; and the table says so in its own words."""

import pytest

from slantwood_bench.expectations.row import Group, NotInstalled, Outcome, Planned, Row, lacking, tried
from slantwood_bench.expectations.rows import ROWS
from slantwood_bench.scripts import expectations

# Whose library compiles itself anew in every process.
THOROUGH = {"shap.Explainer on predict_proba"}


def marked(row):
    marks = [pytest.mark.thorough] if row.name in THOROUGH else []
    return pytest.param(row, marks=marks, id=row.name)


@pytest.mark.parametrize("row", [marked(row) for row in ROWS])
def test_no_row_is_absent(row):
    outcome = tried(row)
    assert outcome.verdict != "absent", outcome.remark


def test_there_are_many_rows_and_each_has_a_name_of_its_own():
    assert len(ROWS) >= 68
    assert len({row.name for row in ROWS}) == len(ROWS)


def fails():
    raise ValueError("no\n  such thing")


def not_there():
    raise NotInstalled("saw is not installed")


def to_come():
    raise Planned("tools")


GROUP = Group("a group")
for name, trial in {
    "well": lambda: None,
    "half": lambda: "without a saw",
    "not": fails,
    "alone": not_there,
    "then": to_come,
}.items():
    GROUP.row(name)(trial)


def test_verdicts():
    assert [(each.verdict, each.remark) for each in map(tried, GROUP.rows)] == [
        ("works", ""),
        ("partial", "without a saw"),
        ("absent", "ValueError: no such thing"),
        ("not tried", "saw is not installed"),
        ("later", "tools"),
    ]


def test_parts_that_fail_are_named_and_where_all_do_it_is_an_error():
    assert lacking([("a", lambda: 1), ("b", fails), ("c", fails)]) == "without b, c"
    assert lacking([("a", lambda: None)]) is None
    with pytest.raises(ValueError, match="no"):
        lacking([("b", fails)])


def test_the_script_prints_a_line_for_each_row_and_counts_verdicts(monkeypatch, capsys):
    monkeypatch.setattr(expectations, "ROWS", tuple(GROUP.rows))
    assert expectations.main([]) == 1
    *lines, blank, last = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["works", "partial", "absent", "not", "later"]
    assert (blank, last) == ("", "5 rows: 1 works, 1 partial, 1 absent, 1 later, 1 not tried")
    assert expectations.main(["WELL"]) == 0
    assert "1 rows: 1 works" in capsys.readouterr().out


def test_the_page_of_the_docs_has_a_table_for_each_group(monkeypatch, capsys):
    monkeypatch.setattr(expectations, "ROWS", tuple(GROUP.rows))
    expectations.main(["--markdown"])
    page = capsys.readouterr().out
    assert (
        "## A group\n\n| what | |\n| --- | --- |\n| well | works |\n| half | partial: without a saw |" in page
    )
    assert "slantwood" in page
    assert "numpy" in page


def test_a_row_is_tried_without_noise(capfd):
    def noisy():
        import sys
        import warnings

        warnings.warn("loud", stacklevel=1)
        print("loud", file=sys.stderr)

    assert tried(Row("a group", "noisy", noisy)) == Outcome(Row("a group", "noisy", noisy), "works")
    assert capfd.readouterr().err == ""
