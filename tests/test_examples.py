"""The scripts of the folder of examples run, and print and draw what they promise."""

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest
from matplotlib import image

from slantwood.split_names import SPLITS

EXAMPLES = Path(__file__).parents[1] / "examples"
SCRIPT = EXAMPLES / "hierarchy.py"

PRINTED = re.compile(
    r"""Hierarchy\((\d+) labels, .*\)
pooled AUPRC   ([\d.]+)
weighted LRAP  ([\d.]+)
precision      ([\d.]+)
recall         ([\d.]+)
F1             ([\d.]+)
test row (\d+): true \[(.*)\], predicted \[(.*)\]
drawn to (.*)
"""
)


def run(folder, *arguments, script=SCRIPT):
    return subprocess.run(
        [sys.executable, "-W", "error", script, *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        env=os.environ | {"MPLBACKEND": "Agg"},
    )


@pytest.fixture
def run_here(tmp_path, monkeypatch):
    """Run the script in this process, which has loaded what it imports; warnings are errors here too."""

    def go(*arguments):
        monkeypatch.setattr(sys, "argv", [str(SCRIPT), *arguments])
        monkeypatch.chdir(tmp_path)
        runpy.run_path(str(SCRIPT), run_name="__main__")

    return go


def printed(output):
    found = PRINTED.fullmatch(output)
    assert found, output
    return found.groups()


def assert_drawn(path):
    pixels = image.imread(path)[:, :, :3]
    height, width, _ = pixels.shape
    assert min(height, width) > 200
    dark, blue = (pixels.max(axis=2) < 0.3).mean(), (pixels[:, :, 2] - pixels[:, :, 0] > 0.05).mean()
    assert dark > 0.005  # text and outlines
    assert blue > 0.02  # boxes by score


def test_digits_are_predicted_well_and_an_uncertain_one_is_drawn(tmp_path):
    result = run(tmp_path, "--trees", "20")
    assert result.returncode == 0, result.stderr
    n_labels, *measures, _, _, _, path = printed(result.stdout)
    assert int(n_labels) == 17
    assert path == "hierarchy.png"
    auprc, lrap, precision, recall, f1 = map(float, measures)
    assert 0.9 < auprc < 1
    assert 0.9 < lrap < 1
    assert f1 == pytest.approx(2 * precision * recall / (precision + recall), abs=2e-3)
    assert_drawn(tmp_path / "hierarchy.png")


def test_clus_files_are_read_in_place_of_the_digits(tmp_path, run_here, capsys):
    rows = [f"{'3.5' if i % 2 else '-1'},{i},{'dog/pug' if i % 2 else 'cat'}" for i in range(40)]
    header = """\
        @relation zoo
        @attribute weight numeric
        @attribute row numeric
        @attribute class hierarchical cat,dog,dog/pug
        @data
        """
    for name in ("train.arff", "test.arff"):
        (tmp_path / name).write_text(dedent(header) + "\n".join(rows) + "\n")
    run_here("train.arff", "test.arff", "--trees", "5", "--picture", "zoo.png")
    n_labels, *measures, _, truth, predicted, path = printed(capsys.readouterr().out)
    assert (int(n_labels), path) == (3, "zoo.png")
    assert min(map(float, measures)) > 0.9  # weight tells all
    assert (truth, predicted) in [("'cat'", "'cat'"), ("'dog/pug'", "'dog', 'dog/pug'")]
    assert (tmp_path / "zoo.png").stat().st_size > 1000


def test_one_file_alone_is_refused_with_what_is_wanted(run_here, capsys):
    with pytest.raises(SystemExit) as ended:
        run_here("train.arff")
    assert ended.value.code == 2
    assert "give two files, TRAIN.arff and TEST.arff, or none; here are 1" in capsys.readouterr().err


def test_a_tree_of_every_split_learner_is_drawn_and_tells_the_classes(tmp_path):
    result = run(tmp_path, "cells.png", script=EXAMPLES / "boundaries.py")
    assert result.returncode == 0, result.stderr
    *lines, last = result.stdout.splitlines()
    assert last == "drawn to cells.png"
    found = {line.split()[0]: float(line.split()[-1]) for line in lines}
    assert set(found) == set(SPLITS)
    assert min(found.values()) > 0.9
    pixels = image.imread(tmp_path / "cells.png")[:, :, :3]
    assert pixels.shape[0] > 400
    # Three tints of cells, each on a good part of the picture.
    for strongest in range(3):
        tinted = (pixels.argmax(axis=2) == strongest) & (np.ptp(pixels, axis=2) > 0.05)
        assert tinted.mean() > 0.1
