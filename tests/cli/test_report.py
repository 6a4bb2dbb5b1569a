"""Claims about `slantwood report`."""

import pytest


@pytest.fixture
def model(run, write_csv, flowers):
    write_csv("a.csv", flowers)
    run("train", "a.csv", "--targets", "kind", "--trees", "2", "--model", "m.slant")
    return "m.slant"


def test_a_report_has_the_measures_of_the_data_or_none_without(run, model, folder):
    said = run("report", model, "a.csv", "--output", "with.html").stderr
    assert "Wrote with.html" in said
    assert "balanced accuracy" in (folder / "with.html").read_text(encoding="utf-8")
    assert "No data is given" in run("report", model).stderr
    assert "Nothing was measured" in (folder / "report.html").read_text(encoding="utf-8")


def test_a_file_that_is_there_is_kept_unless_forced(run, fails, model, folder):
    (folder / "report.html").write_text("mine")
    assert "already exists" in fails("report", model)
    assert (folder / "report.html").read_text() == "mine"
    run("report", model, "--force")
    assert (folder / "report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_it_is_not_written_over_the_model_or_the_data(fails, model, folder):
    model = (folder / model).rename("model.html")
    data = (folder / "a.csv").rename("a.htm")
    for name in (model, data):
        words = ("report", model, data, "--format", "csv", "--output", name, "--force")
        assert "is also the input" in fails(*words)


@pytest.mark.parametrize("name", ["r.pdf", "r", "r.html.gz", "r.md"])
def test_a_name_that_promises_another_format_is_refused_before_anything_is_read(fails, folder, name):
    said = fails("report", "gone.slant", "--output", name, code=2)
    assert f"{name} does not end in .html, and a report is a page of HTML; give r" in said
    assert list(folder.iterdir()) == []


def test_the_end_of_the_name_may_be_in_capitals(run, model, folder):
    run("report", model, "--output", "R.HTM")
    assert (folder / "R.HTM").is_file()
