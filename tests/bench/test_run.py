"""The whole study, small: outputs are written, nothing is done twice, and what was interrupted goes on."""

import csv
import json
import re
import shutil
import sys
from collections import Counter
from pathlib import Path

import pytest

from slantwood_bench.jobs import key_of
from slantwood_bench.methods import method_class
from slantwood_bench.profiles import Profile, jobs_of
from slantwood_bench.run import run_study
from slantwood_bench.store import Store

pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")

TINY = Profile(
    "tiny",
    "two folds and two trees",
    n_folds=2,
    n_study_folds=2,
    n_trees=2,
    n_timed_trees=2,
    timeout=60.0,
    most_rows=2000,
    most_cells=1e6,
    most_sets=1,
    n_study_sets=1,
    noise_sets=("spambase",),
    timed_cells=2e7,
)
METHODS = ("bag-gradient", "tree-pct")
TASKS = ("regression", "multi-target regression", "binary", "multi-class", "multi-label")


@pytest.fixture(scope="module")
def study(data, tmp_path_factory):
    """Run the study once; return the folder of its outputs, and what was said of it."""
    out = tmp_path_factory.mktemp("study") / "new"
    summary, page = _run(data, out)
    return out, summary, page


def _run(data, out, profile=TINY, methods=METHODS, **options):
    return run_study(profile, data, out, methods=methods, n_jobs=1, command="slantwood bench", **options)


def _rows(out):
    return [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]


def _without_date(page):
    return re.sub(r"\b20\d\d-\d\d-\d\d\b", "DATE", page.read_text(encoding="utf-8"))


whole_run = pytest.mark.skipif(sys.platform != "linux", reason="children are forked on Linux only")


# ---- all of it


@whole_run
def test_every_job_has_a_row_that_came_to_its_end(study, data):
    out, summary, _ = study
    jobs = jobs_of(TINY, data, METHODS)
    rows = _rows(out)
    assert Counter(map(key_of, rows)) == Counter(job.key for job in jobs)
    assert {row["error"] for row in rows} == {""}
    assert (summary.ran, summary.failed, summary.skipped) == (len(jobs), 0, 0)
    assert {row["experiment"] for row in rows} == {"comparison", "times", "importance", "sensitivity"}
    compared = [row for row in rows if row["experiment"] != "importance"]
    assert all(row["quality"] <= 1 for row in compared)


@whole_run
def test_outputs_are_there(study):
    out, _, page = study
    assert page == out / "report.html"
    figures = {path.name for path in (out / "figures").iterdir()}
    assert figures
    assert {path.rpartition(".")[0] + ending for path in figures for ending in (".png", ".svg")} == figures
    assert {"learning-times.svg", "sizes.svg", "importances.svg", "sensitivity-C.svg"} <= figures
    tables = list((out / "tables").iterdir())
    assert tables
    for path in tables:
        assert path.suffix == ".csv"
        first, *others = csv.reader(path.read_text(encoding="utf-8").splitlines())
        assert others
        assert {len(row) for row in others} == {len(first)}
    folds = {path.name for path in (out / "folds").iterdir()}
    assert {"triazines-2.txt", "flags-2.txt", "tmc2007-500-10.txt"} <= folds


@whole_run
def test_the_page_names_methods_absent_sets_and_marks(study):
    text = study[2].read_text(encoding="utf-8")
    for words in (*(method_class(name).title for name in METHODS), "absent", "partial", "tiny: two folds"):
        assert words in text, words
    assert "500 selected words of the 49060 of tmc2007" in text
    for task in TASKS:
        assert task.capitalize() in text
    assert "slantwood bench" in text
    assert method_class("linear-svm").title not in text


@whole_run
def test_a_second_call_runs_nothing_and_gives_the_same_page(study, data):
    out, first, page = study
    before, rows = _without_date(page), (out / "results.jsonl").read_bytes()
    outputs = {
        path: path.read_bytes() for path in out.rglob("*.*") if path.suffix in (".csv", ".svg", ".png")
    }
    summary, again = _run(data, out)
    assert (summary.ran, summary.skipped) == (0, first.ran)
    assert (out / "results.jsonl").read_bytes() == rows
    assert _without_date(again) == before
    for path, content in outputs.items():
        assert path.read_bytes() == content, path


@whole_run
def test_what_was_interrupted_goes_on(study, data, tmp_path):
    lines = (study[0] / "results.jsonl").read_bytes().splitlines(keepends=True)
    comparison = [line for line in lines if json.loads(line)["experiment"] == "comparison"]
    kept, torn = comparison[:-3], comparison[-3][:40]
    (tmp_path / "results.jsonl").write_bytes(b"".join(kept) + torn)
    with pytest.warns(UserWarning, match="such jobs are done again"):
        summary, page = _run(data, tmp_path, experiments=["comparison"])
    assert (summary.ran, summary.skipped) == (3, len(kept))
    assert (tmp_path / "results.jsonl").read_bytes().startswith(b"".join(kept))
    # Whoever did a job found the same.
    expected = {key_of(row): row["quality"] for row in map(json.loads, comparison)}
    assert {key_of(row): row["quality"] for row in _rows(tmp_path)} == expected
    assert page.exists()


@whole_run
def test_rows_of_other_settings_stay_in_the_file_and_off_the_page(study, data, tmp_path):
    out = Path(shutil.copytree(study[0], tmp_path / "copy"))
    n_before = len(_rows(out))
    _, page = _run(data, out, methods=["bag-gradient"], experiments=["comparison"])
    assert len(_rows(out)) == n_before
    text = page.read_text(encoding="utf-8")
    assert method_class("bag-gradient").title in text
    assert method_class("tree-pct").title not in text


@whole_run
def test_jobs_that_failed_are_done_again_if_asked_for(study, data, tmp_path):
    every = [row for row in _rows(study[0]) if row["experiment"] == "comparison"]
    rows = [row for row in every if row["method"] == "tree-pct"]
    hot = {"status": "failed", "quality": None, "error": "it was too hot"}
    with Store(tmp_path / "results.jsonl") as store:
        for row in rows:
            store.append({**row, **(hot if row["dataset"] == "banknote" else {})})
    options = {"methods": ["tree-pct"], "experiments": ["comparison"]}
    summary, page = _run(data, tmp_path, **options)
    assert (summary.ran, summary.skipped) == (0, len(rows))
    assert "it was too hot" in page.read_text(encoding="utf-8")
    summary, page = _run(data, tmp_path, retry_failed=True, **options)
    assert (summary.ran, summary.failed) == (2, 0)
    assert "it was too hot" not in page.read_text(encoding="utf-8")


# ---- what cannot be run


def test_a_folder_without_data_sets_is_told_and_nothing_is_made(data, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match=r"'tiny' has no data set here .*--data or SLANTWOOD_DATA"):
        _run(tmp_path / "empty", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_wrong_names_are_told_before_anything_is_made(data, tmp_path):
    with pytest.raises(ValueError, match="did you mean 'bag-pct'"):
        _run(data, tmp_path / "out", methods=["bag-pc"])
    with pytest.raises(ValueError, match="did you mean 'times'"):
        _run(data, tmp_path / "out", experiments=["time"])
    assert not (tmp_path / "out").exists()


def test_a_package_that_is_not_there_is_told_before_any_job(data, tmp_path, monkeypatch):
    monkeypatch.setattr("slantwood_bench.run.find_spec", lambda name: None if name == "jinja2" else object())
    with pytest.raises(ImportError, match=r"the study needs jinja2.*slantwood\[study\]"):
        _run(data, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_unknown_backend_is_told(data, tmp_path):
    with pytest.raises(ValueError, match="backend='cloud'; expected one of local, dask, ray"):
        _run(data, tmp_path, backend="cloud")


def test_the_page_of_rows_that_are_there_needs_no_job(data, tmp_path):
    with Store(tmp_path / "results.jsonl") as store:
        for each in jobs_of(TINY, data, ["tree-pct"], ["comparison"]):
            store.append({**vars(each), **_made_row(each)})
    summary, page = _run(data, tmp_path, methods=["tree-pct"], experiments=["comparison"])
    assert summary.ran == 0
    assert method_class("tree-pct").title in page.read_text(encoding="utf-8")


def _made_row(job):
    return {
        "task": {"triazines": "regression", "slump": "multi-target regression", "banknote": "binary"}.get(
            job.dataset, "multi-label"
        ),
        "mark": "",
        "remark": "",
        "status": "ok",
        "error": "",
        "measure": "R2",
        "quality": 0.5 + job.fold / 10,
        "learn_seconds": 1.0,
        "predict_seconds": 0.1,
        "peak_megabytes": 100.0,
        "nodes": 10,
        "bytes": 1000,
        "n_rows": 80,
        "n_features": 5,
        "n_targets": 3,
        "seconds": 60.0,
        "started": "2026-01-01T00:00:00+00:00",
        "host": "somewhere",
        "versions": {"slantwood": "0.1.0"},
    }
