"""Claims about the `slantwood` command itself: help, version, errors and Ctrl-C."""

import subprocess
import sys

import pytest
from typer.testing import CliRunner

import slantwood
from slantwood.cli.main import app

HELP_THEN_LIST_MODULES = """
import sys
from slantwood.cli.main import main
sys.argv = ["slantwood", "--help"]
try:
    main()
except SystemExit as end:
    assert not end.code
print("loaded:", *(name for name in ("numpy", "scipy", "sklearn", "numba", "joblib") if name in sys.modules))
"""


def invoke(*arguments):
    return CliRunner().invoke(app, list(arguments))


def run_python(*arguments):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=60)


@pytest.fixture
def failing_demo(monkeypatch):
    def make_tasks_fail(error):
        def fail():
            raise error

        monkeypatch.setattr("slantwood.cli.demo_tasks.make_tasks", fail)

    return make_tasks_fail


def test_version_is_that_of_the_package():
    result = invoke("--version")
    assert result.exit_code == 0
    assert result.stdout == f"{slantwood.__version__}\n"


def test_help_lists_the_demo():
    result = invoke("--help")
    assert result.exit_code == 0
    assert "demo" in result.stdout


def test_no_arguments_show_the_help():
    result = invoke()
    assert result.exit_code == 0
    assert result.stdout == invoke("--help").stdout


@pytest.mark.parametrize("module", ["slantwood", "slantwood.cli.main"])
def test_the_package_runs_as_a_module(module):
    result = run_python("-m", module, "--help")
    assert result.returncode == 0
    assert result.stdout.startswith("Usage: slantwood ")
    assert result.stderr == ""


def test_help_loads_nothing_that_computes():
    result = run_python("-c", HELP_THEN_LIST_MODULES)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[-1] == "loaded:"


@pytest.mark.parametrize(
    ("arguments", "culprit"),
    [
        (["demo", "--trees", "0"], "--trees"),
        (["demo", "--jobs", "many"], "--jobs"),
        (["demo", "--colour"], "--colour"),
        (["--colour"], "--colour"),
        (["plant"], "plant"),
    ],
)
def test_wrong_usage_is_told_in_one_line_that_names_it(arguments, culprit):
    result = invoke(*arguments)
    assert result.exit_code == 1
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("slantwood: ")
    assert culprit in line


def test_a_failure_is_told_in_one_line(failing_demo):
    failing_demo(ValueError("the saw\nis blunt"))
    result = invoke("demo")
    assert result.exit_code == 1
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("slantwood: ValueError: the saw is blunt")


def test_debug_lets_the_traceback_through(failing_demo):
    error = ValueError("the saw is blunt")
    failing_demo(error)
    assert invoke("--debug", "demo").exception is error


def test_ctrl_c_exits_quietly_with_130(failing_demo):
    failing_demo(KeyboardInterrupt())
    result = invoke("demo")
    assert result.exit_code == 130
    assert result.output == ""
