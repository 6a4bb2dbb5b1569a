"""Claims about model files and readers on Eurlex-4K, with few trees: the benchmarks measure them in full."""

import re

import pytest

from slantwood_bench.scripts import model_files, readers
from slantwood_bench.scripts.data import available

pytestmark = [
    pytest.mark.real_data,
    pytest.mark.skipif(not available(), reason="the folder of real data sets is absent"),
]


def test_files_are_smaller_than_pickles_and_predict_the_same_elsewhere(capsys):
    model_files.main(["--trees", "2", "--repeats", "1"])
    said = capsys.readouterr().out
    share = {
        way: int(percent) for way, percent in re.findall(r"^\| ([^|]+) \| [0-9.]+ \| (\d+)%", said, re.M)
    }
    assert share["whole"] < 90
    assert share["float16"] < 60
    precision = dict(re.findall(r"^\| ([^|]+) \|.*\| ([0-9.]+) \|$", said, re.M))
    assert float(precision["whole"]) > 0.4
    assert float(precision["float16"]) == pytest.approx(float(precision["whole"]), abs=0.01)
    assert "the same predictions in another process: True" in said


def test_files_are_read_faster_than_by_others(capsys):
    readers.main(["--repeats", "1", "--only", "eurlex"])
    line = capsys.readouterr().out.splitlines()[-1]
    ratio, from_compressed = map(float, line.split()[-2:])
    assert ratio > 2  # about twelve on a quiet machine
    assert from_compressed < 5
