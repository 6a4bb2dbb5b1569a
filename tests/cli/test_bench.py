"""Claims about `slantwood bench`."""

import json
import subprocess
import sys

import numpy as np
import pytest

OPTIONS = (
    *("--profile", "--data", "--out", "--method", "--experiment", "--jobs", "--threads", "--backend"),
    *("--address", "--scheduler", "--retry-failed"),
)

HELP_THEN_LIST_MODULES = """
import sys
from slantwood.cli.main import main
sys.argv = ["slantwood", "bench", "--help"]
try:
    main()
except SystemExit as end:
    assert not end.code
heavy = ("numpy", "scipy", "sklearn", "joblib", "matplotlib", "jinja2", "lightgbm")
print("loaded:", *(name for name in heavy if name in sys.modules))
"""


@pytest.fixture
def sets(folder):
    """Make a data folder with one small set of two classes in it."""
    home = folder / "sets" / "bin" / "banknote"
    home.mkdir(parents=True)
    X = np.random.default_rng(0).normal(size=(60, 4)).round(3)
    rows = [",".join(map(str, [*row, int(row[0] + row[1] > 0)])) for row in X]
    (home / "banknote_authentication.csv").write_text("\n".join(rows) + "\n")
    return folder / "sets"


def test_help_lists_all_options_and_profiles(run):
    text = run("bench", "--help").stdout
    for option in OPTIONS:
        assert option in text, option
    for word in ("smoke", "quick", "paper", "local", "dask", "ray", "comparison", "importance"):
        assert word in text, word


def test_help_loads_nothing_to_compute_with():
    words = [sys.executable, "-c", HELP_THEN_LIST_MODULES]
    result = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[-1].split() == ["loaded:"]


def test_sources_that_are_not_installed_run_it_as_a_module():
    words = [sys.executable, "-m", "slantwood_bench", "--help"]
    result = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
    for option in OPTIONS:
        assert option in result.stdout, option


OTHER_COMMANDS_THEN_LIST_MODULES = """
import sys
from slantwood.cli.main import main
sys.argv = ["slantwood", "convert", "--help"]
try:
    main()
except SystemExit as end:
    assert not end.code
print("loaded:", *(name for name in sys.modules if name.startswith("slantwood_bench")))
"""


def test_other_commands_do_not_load_it():
    words = [sys.executable, "-c", OTHER_COMMANDS_THEN_LIST_MODULES]
    result = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[-1].split() == ["loaded:"]


def test_a_folder_of_data_that_is_none_is_told(fails, folder):
    assert "--data gone is not a folder" in fails("bench", "--data", "gone")
    (folder / "file").touch()
    assert "--data file is not a folder" in fails("bench", "--data", "file")
    assert not (folder / "slantwood-study").exists()


def test_a_folder_without_data_sets_is_told(fails, folder):
    (folder / "empty").mkdir()
    line = fails("bench", "--data", "empty")
    assert "profile 'quick' has no data set here" in line
    assert "SLANTWOOD_DATA" in line
    assert not (folder / "slantwood-study").exists()


def test_unknown_names_are_told(fails, sets, folder):
    words = ("bench", "--data", sets, "--out", "out")
    assert "no method is called 'bag-pcd'; did you mean 'bag-pct'?" in fails(*words, "--method", "bag-pcd")
    assert "did you mean 'comparison'?" in fails(*words, "--experiment", "comparisons")
    assert "'huge'" in fails(*words, "--profile", "huge", code=2)
    assert "'cloud'" in fails(*words, "--backend", "cloud", code=2)
    assert "--threads" in fails(*words, "--threads", "0", code=2)
    beside = (*words, "--scheduler", "tcp://10.0.0.1:8786", "--backend", "ray")
    assert "--scheduler tcp://10.0.0.1:8786 stands for --backend dask" in fails(*beside)
    assert not (folder / "out").exists()


def test_a_scheduler_that_does_not_answer_is_told_and_nothing_is_made(fails, sets, folder, monkeypatch):
    pytest.importorskip("distributed", reason="dask and distributed are not installed (extra `test`)")
    monkeypatch.setattr("slantwood_bench.clusters._SECONDS_TO_CONNECT", 0.5)
    line = fails("bench", "--data", sets, "--out", "out", "--scheduler", "tcp://127.0.0.1:9")
    assert "no scheduler of Dask answered at 'tcp://127.0.0.1:9' within 0.5 s" in line
    assert not (folder / "out").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="children are forked on Linux only")
def test_a_small_study_is_run_and_not_run_again(run, sets, folder, monkeypatch):
    pytest.importorskip("matplotlib")
    pytest.importorskip("jinja2")
    words = ("bench", "--profile", "smoke", "--data", sets, "--out", "out", "--jobs", "1")
    words += ("--method", "tree-pct", "--method", "bag-pct", "--experiment", "comparison")
    monkeypatch.setattr(sys, "argv", ["slantwood", *map(str, words)])
    result = run(*words)
    assert result.stdout == "out/report.html\n"
    assert result.stderr.splitlines()[-1].startswith("4 jobs in ")
    assert result.stderr.endswith("0 without result, 0 done before.\n")
    page = (folder / "out" / "report.html").read_text(encoding="utf-8")
    assert "slantwood bench --profile smoke" in page
    rows = [json.loads(line) for line in (folder / "out" / "results.jsonl").read_text().splitlines()]
    found = sorted((row["method"], row["fold"], row["status"], row["n_trees"]) for row in rows)
    assert found == [(name, fold, "ok", 5) for name in ("bag-pct", "tree-pct") for fold in (0, 1)]
    assert run(*words).stderr.endswith("0 without result, 4 done before.\n")
    # The folder of data may also come from the environment.
    monkeypatch.setenv("SLANTWOOD_DATA", str(sets))
    assert run("bench", *words[1:3], *words[5:]).stderr.startswith("0 jobs in ")
