"""Claims about how commands speak."""

import json

import numpy as np
import pytest

from slantwood.cli import console
from slantwood.hints import format_bytes


def test_json_holds_no_types_of_numpy_and_no_nan(capsys):
    document = {"a": np.float32(0.5), 3: np.arange(2), "c": [np.nan, np.inf, None], "d": (True, "x")}
    console.print_json(document)
    printed = json.loads(capsys.readouterr().out)
    assert printed == {"a": 0.5, "3": [0, 1], "c": [None, None, None], "d": [True, "x"]}


def test_names_with_brackets_are_printed_as_they_are(capsys):
    console.print_table(["measure[1]", "value"], [["[bold]x", 0.5]])
    heading, _, row = capsys.readouterr().out.splitlines()
    assert heading.startswith("measure[1]")
    assert row.split() == ["[bold]x", "0.5000"]


def test_wide_tables_are_not_folded_where_no_terminal_is(capsys):
    console.print_table(["a" * 150, "b"], [["c" * 200, 1]])
    heading, _, row = capsys.readouterr().out.splitlines()
    assert heading.split() == ["a" * 150, "b"]
    assert row.split() == ["c" * 200, "1"]


def test_no_line_of_a_table_ends_with_blanks(capsys):
    console.print_table(["a", "b"], [["long name", "x"], ["n", ""]], left=(0, 1))
    assert all(line == line.rstrip() for line in capsys.readouterr().out.splitlines())


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1000, "1.0 kB"),
        (36_040, "36.0 kB"),
        (250_000, "250 kB"),
        (3 * 10**12, "3.0 TB"),
    ],
)
def test_sizes_are_said_in_the_unit_that_suits(size, words):
    assert format_bytes(size) == words


def test_bars_draw_nothing_where_no_terminal_is(capsys):
    with console.bars() as show:
        show("trees", 1, 2)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("width", ["20", "60"])
def test_narrow_tables_show_every_number_whole_and_every_letter(capsys, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", width)
    name = "".join(chr(ord("a") + i % 26) for i in range(90))
    console.print_table(["name", "first", "second"], [[name, 0.5, "13,750,001"]])
    _, _, *lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[1:] == ["0.5000", "13,750,001"]
    assert "".join(line.split()[0] for line in lines) == name
    assert max(map(len, lines)) <= 60


# ---- names that a terminal would obey

ESCAPES = ("\x1b", "\x07", "\x9b", "\u202e")
EVIL = [f"{name}\x1b]0 title\x07\x9b2J\u202e" for name in "abc"]


@pytest.fixture
def evil_csv(write_csv):
    """Write a table whose columns and classes are named so."""
    rng = np.random.default_rng(0)
    columns = {name: rng.normal(size=60).round(3) for name in EVIL[:2]}
    classes = [EVIL[0] if x > 0 else EVIL[1] for x in columns[EVIL[0]]]
    write_csv("a.csv", columns | {EVIL[2]: classes})


def test_no_command_writes_what_a_terminal_would_obey(run, evil_csv):
    results = [
        run("train", "a.csv", "--targets", "last:1", "--trees", "3", "--model", "m.slant"),
        run("inspect", "m.slant"),
        run("inspect", "m.slant", "--tree", "0"),
        run("inspect", "m.slant", "--json"),
        run("evaluate", "m.slant", "a.csv"),
        run("evaluate", "m.slant", "a.csv", "--json"),
        run("cv", "a.csv", "--targets", "last:1", "--trees", "2", "--folds", "2"),
        run("report", "m.slant", "--output", "r.html"),
        run("convert", "a.csv", "b.arff", "--targets", "last:1"),
        run("train", "a.csv", "--targets", "nothing\x1b[2J", code=1),
        run("train", "a.csv", "--targets", EVIL[0] + "x", code=1),
        run("predict", "m.slant", "m.slant", code=1),
    ]
    for result in results:
        assert not any(each in result.output for each in ESCAPES), result.output
    assert "a\\x1b]0 title\\x07\\x9b2J\\u202e" in results[1].stdout
    metadata = json.loads(results[3].stdout)
    assert metadata["outputs"] == EVIL[:2]


def test_predictions_are_escaped_on_a_terminal_only(run, evil_csv, monkeypatch):
    run("train", "a.csv", "--targets", "last:1", "--trees", "3", "--model", "m.slant")
    assert EVIL[0] in run("predict", "m.slant", "a.csv").stdout
    monkeypatch.setattr("slantwood.cli.predictions._is_terminal", lambda: True)
    shown = run("predict", "m.slant", "a.csv").stdout
    assert not any(each in shown for each in ESCAPES)
    assert "a\\x1b]0 title" in shown
