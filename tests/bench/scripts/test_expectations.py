"""Nothing that users type without thinking is absent; and the table says so in its own words."""

import pytest

from slantwood_bench.expectations.row import Group, NotInstalled, Outcome, Planned, Row, lacking, tried
from slantwood_bench.expectations.rows import ROWS
from slantwood_bench.scripts import expectations

# Rows of what is being built: to be taken out as it comes.
WAITING = {
    "get_params(deep=True) names those of the split learner",
    "n_estimators as the first positional argument",
    "a suggestion for an unknown parameter",
    "grid over split__C of a split learner",
    "grid over split learners and their parameters together",
    "set_output(predict='pandas'): frames out",
    "y as a Series or a frame; names of targets are kept",
    "names of label columns become classes_",
    "label sets in, label sets out",
    "the k best labels by name",
    "several nominal targets",
    "nominal and numeric targets together",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "max_leaf_nodes",
    "max_samples",
    "ccp_alpha",
    "cost_complexity_pruning_path",
    "ftest, as CLUS has it",
    "len(forest), forest[0], iteration",
    "estimators_",
    "a tree of a forest: n_leaves, depth, export_text",
    "repr of trees_ fits on a screen",
    "logger 'slantwood'",
    "ranking by the paper's formula",
    "ranking by impurity",
    "ranking by Genie3",
    "ranking by Symbolic",
    "ranking by permutation out of bag",
    "rankings of labels and of several numbers",
    "Hamming loss and subset accuracy",
    "precision, recall and F1 by example",
    "slantwood evaluate --all",
}


# Whose library compiles itself anew in every process.
SLOW = {"shap.Explainer on predict_proba"}


def marked(row):
    marks = [pytest.mark.xfail(reason="is being built")] if row.name in WAITING else []
    marks += [pytest.mark.slow] if row.name in SLOW else []
    return pytest.param(row, marks=marks, id=row.name)


@pytest.mark.parametrize("row", [marked(row) for row in ROWS])
def test_no_row_is_absent(row):
    outcome = tried(row)
    assert outcome.verdict != "absent", outcome.remark


def test_there_are_many_rows_and_each_has_a_name_of_its_own():
    assert len(ROWS) >= 68
    assert len({row.name for row in ROWS}) == len(ROWS)
    assert {row.name for row in ROWS} >= WAITING


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
