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


def test_it_is_not_written_over_the_model_or_the_data(fails, model):
    for name in (model, "a.csv"):
        assert "is also the input" in fails("report", model, "a.csv", "--output", name, "--force")
