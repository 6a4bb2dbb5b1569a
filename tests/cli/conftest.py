"""Shared by the tests of the command line: a folder to work in, commands in this process, and small files."""

import os
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from slantwood.cli.main import app

PROJECT = Path(__file__).parents[2] / "pyproject.toml"


@pytest.fixture(scope="session", autouse=True)
def plugins(tmp_path_factory):
    """Let the entry points of these sources be found, installed or not, here and in other processes."""
    if entry_points(group="slantwood.commands"):
        yield
        return
    folder = tmp_path_factory.mktemp("metadata")
    installed = folder / "slantwood-0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: slantwood\nVersion: 0\n")
    groups = tomllib.loads(PROJECT.read_text())["project"]["entry-points"]
    lines = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in of.items()) for group, of in groups.items()]
    (installed / "entry_points.txt").write_text("\n".join(lines))
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        patch.setenv("PYTHONPATH", str(folder), prepend=os.pathsep)
        yield


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Work in an empty folder, without known data sets and with tables of any width."""
    monkeypatch.chdir(tmp_path)
    for name in ("SLANTWOOD_DATA", "COLUMNS", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


@pytest.fixture
def run():
    """Run a command and check its exit code; on success what is not the result is on stderr."""

    def go(*words, code=0):
        result = CliRunner().invoke(app, [str(word) for word in words])
        assert result.exit_code == code, (result.output, result.exception)
        return result

    return go


@pytest.fixture
def fails(run):
    """Run a command that must fail, and return the one line that it says last."""

    def go(*words, code=1):
        result = run(*words, code=code)
        assert result.stdout == ""
        line = result.stderr.splitlines()[-1]
        assert line.startswith("slantwood: ")
        assert "Traceback" not in result.stderr
        return line

    return go


@pytest.fixture
def write_csv(folder):
    """Write columns of cells to a CSV file."""

    def write(name, columns, header=True):
        rows = list(zip(*columns.values(), strict=True))
        lines = [",".join(columns)] * header + [",".join(map(str, row)) for row in rows]
        (folder / name).write_text("\n".join(lines) + "\n")
        return folder / name

    return write


@pytest.fixture
def write_arff(folder):
    """Write columns of cells to an ARFF file: numbers, or values of the set that their column has."""

    def write(name, columns):
        head = ["@relation made"]
        for column, cells in columns.items():
            nominal = any(isinstance(cell, str) and cell != "?" for cell in cells)
            kind = "{" + ",".join(sorted(set(cells) - {"?"})) + "}" if nominal else "numeric"
            head.append(f"@attribute '{column}' {kind}")
        rows = [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
        (folder / name).write_text("\n".join([*head, "@data", *rows]) + "\n")
        return folder / name

    return write


@pytest.fixture
def flowers():
    """Return columns of a table with two informative numbers, a nominal column and three classes."""
    rng = np.random.default_rng(0)
    code = np.arange(90) % 3
    kinds = np.array(["elm", "fir", "oak"])
    return {
        "width": (code + rng.normal(scale=0.2, size=90)).round(3).tolist(),
        "height": (2.0 * (code == 1) + rng.normal(scale=0.2, size=90)).round(3).tolist(),
        "noise": rng.normal(size=90).round(3).tolist(),
        "soil": np.array(["clay", "loam", "sand"])[(code + (rng.random(90) < 0.2)) % 3].tolist(),
        "kind": kinds[code].tolist(),
    }


@pytest.fixture
def waves():
    """Return columns of a table with three inputs and the numbers u and v to predict."""
    rng = np.random.default_rng(1)
    a, b, c = rng.normal(size=(3, 80)).round(4)
    columns = {"a": a, "b": b, "c": c, "u": (1000 + a + b).round(4), "v": (a - c).round(4)}
    return {name: column.tolist() for name, column in columns.items()}


@pytest.fixture
def tags():
    """Return columns of a table with three inputs and four labels."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(80, 3)).round(4)
    columns = {name: X[:, j].tolist() for j, name in enumerate("abc")}
    for j, name in enumerate(["sun", "sea", "wind", "ice"]):
        columns[name] = (X[:, j % 3] + 0.3 * rng.normal(size=80) > 0.3 * j).astype(int).tolist()
    return columns
