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
sys.argv = ["slantwood", *sys.argv[1:], "--help"]
try:
    main()
except SystemExit as end:
    assert not end.code
print("loaded:", *(name for name in ("numpy", "scipy", "sklearn", "joblib") if name in sys.modules))
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


COMMANDS = [
    "train",
    "predict",
    "evaluate",
    "cv",
    "inspect",
    "report",
    "datasets",
    "convert",
    "demo",
    "plan",
    "bench",
]


def test_help_lists_the_commands():
    result = invoke("--help")
    assert result.exit_code == 0
    listed = [line.split()[0] for line in result.stdout.partition("Commands:")[2].splitlines() if line]
    assert listed == COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command):
    result = invoke(command, "--help")
    assert result.exit_code == 0
    assert result.stdout.startswith(f"Usage: slantwood {command}") or "Usage: " in result.stdout
    assert not [line for line in result.stdout.splitlines() if "..." in line and "[OPTIONS]" not in line]


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


@pytest.mark.parametrize("words", [[], ["train"], ["predict"], ["cv"]])
def test_help_loads_nothing_that_computes(words):
    result = run_python("-c", HELP_THEN_LIST_MODULES, *words)
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
    assert result.exit_code == 2
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("slantwood: ")
    assert culprit in line


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("the saw\nis blunt"), "the saw is blunt"),
        (FileNotFoundError(2, "No such file", "saw.csv"), "saw.csv: No such file"),
        (OSError("the saw is gone"), "the saw is gone"),
        (
            UnicodeEncodeError("ascii", "säge", 1, 2, "no such letter"),
            "'ä' cannot be written in ascii; set PYTHONUTF8=1",
        ),
        (ImportError("install a saw"), "install a saw"),
        (KeyError("saw"), "KeyError: 'saw' (slantwood --debug shows the traceback)"),
    ],
)
def test_a_failure_is_told_in_one_line(failing_demo, error, said):
    failing_demo(error)
    result = invoke("demo")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr == f"slantwood: {said}\n"


@pytest.mark.parametrize(
    "words", [("--debug", "demo"), ("demo", "--debug"), ("demo", "--jobs", "1", "--debug")]
)
def test_debug_lets_the_traceback_through_wherever_it_stands(failing_demo, words):
    error = ValueError("the saw is blunt")
    failing_demo(error)
    assert invoke(*words).exception is error


def test_ctrl_c_exits_quietly_with_130(failing_demo):
    failing_demo(KeyboardInterrupt())
    result = invoke("demo")
    assert result.exit_code == 130
    assert result.output == ""


WARN_AFTER_A_COMMAND = """
import sys, warnings
from slantwood.cli.main import main
sys.argv = ["slantwood", "--version"]
try:
    main()
except SystemExit:
    warnings.warn("the saw\\nis old", stacklevel=1)
"""


def test_warnings_are_told_in_one_line_too():
    result = run_python("-c", WARN_AFTER_A_COMMAND)
    assert result.stderr == "slantwood: warning: the saw is old\n"


_INTERRUPTED_IMPORT = """
import os, signal, time
from slantwood.cli import main as cli

signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background it is ignored

@cli.app.command()
def broken():
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)
    except KeyboardInterrupt:
        pass
    raise ImportError("initialization failed")  # as of a C extension whose import is interrupted

cli.main()
"""


_LOST = """
import os, signal, sys
from slantwood.cli import main as cli
from slantwood.cli.interrupts import remember

signal.signal(signal.SIGINT, signal.default_int_handler)
remember()
try:
    os.kill(os.getpid(), signal.SIGINT)
    [0 for _ in range(10**6)]
except KeyboardInterrupt:
    pass
cli.main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")
def test_ctrl_c_that_was_lost_ends_the_training_at_the_next_tree(tmp_path):
    rows = "".join(f"{i},{i % 7},{i % 3}\n" for i in range(60))
    (tmp_path / "a.csv").write_text("a,b,u\n" + rows)
    words = ["train", "a.csv", "--targets", "u", "--trees", "100000", "--model", "m.slant"]
    command = [sys.executable, "-c", _LOST, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False, cwd=tmp_path)
    assert done.returncode == 130
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")
def test_ctrl_c_that_came_out_as_another_error_is_ctrl_c():
    command = [sys.executable, "-c", _INTERRUPTED_IMPORT, "broken"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (130, "")
