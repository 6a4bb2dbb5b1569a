"""Claims about model files and readers on real data, with few trees: the benchmarks measure more."""

import re

import pytest

from slantwood_bench.scripts import model_files, readers
from slantwood_bench.scripts.data import available

pytestmark = [
    pytest.mark.real_data,
    pytest.mark.skipif(not available(), reason="the folder of real data sets is absent"),
]


def test_files_are_smaller_than_trees_in_memory_and_predict_the_same_elsewhere(capsys):
    model_files.main(["bibtex", "--trees", "3", "--repeats", "1"])
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


@pytest.mark.thorough
def test_a_line_tells_how_fast_a_file_is_read_by_us_and_by_others(capsys):
    readers.main(["--repeats", "1", "--only", "eurlex"])
    name, megabytes, ours, others, reader, ratio, _ = capsys.readouterr().out.splitlines()[-1].split()
    assert (name, reader) == ("eurlex-4k.train.txt", "scikit-learn")
    assert float(megabytes) > 10
    assert float(ratio) == pytest.approx(float(others) / float(ours), rel=0.1)
