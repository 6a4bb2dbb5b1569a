"""The folds of a data set: dealt once, fairly, and the same for everyone after that."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from slantwood_bench.folds import fold_of_rows
from slantwood_bench.methods.base import dense
from slantwood_bench.problems import Problem, load_problem

DEAL = """
import sys
from pathlib import Path
from slantwood_bench.folds import fold_of_rows
from slantwood_bench.problems import load_problem

fold_of_rows(load_problem(sys.argv[1], sys.argv[2]), 3, Path(sys.argv[3]))
"""


def _numbers(n):
    return Problem("regression", np.zeros((n, 2), np.float32), np.arange(float(n)), name="made")


@pytest.mark.parametrize(
    "name", ["triazines", "slump", "banknote", "balance", "flags", "enron", "tmc2007-500"]
)
def test_every_row_has_a_fold_and_folds_are_of_the_same_size(data, tmp_path, name):
    problem = load_problem(name, data)
    folds = fold_of_rows(problem, 3, tmp_path)
    sizes = np.bincount(folds, minlength=3)
    assert len(folds) == problem.X.shape[0]
    assert len(sizes) == 3
    # Rows with labels are dealt by label, which may cost a few rows of balance.
    assert np.ptp(sizes) <= (1 if problem.y.ndim == 1 or name == "slump" else 6)


@pytest.mark.parametrize("name", ["banknote", "balance"])
def test_every_class_has_its_share_in_each_fold(data, tmp_path, name):
    problem = load_problem(name, data)
    folds = fold_of_rows(problem, 3, tmp_path)
    for code in range(problem.n_targets):
        assert np.ptp(np.bincount(folds[problem.y == code], minlength=3)) <= 1


@pytest.mark.parametrize("name", ["flags", "enron", "tmc2007-500"])
def test_every_label_has_its_share_in_each_fold(data, tmp_path, name):
    problem = load_problem(name, data)
    labels = dense(problem.y)

    def unevenness(folds):
        counts = np.array([labels[folds == fold].sum(axis=0) for fold in range(3)])
        return np.abs(counts - labels.sum(axis=0) / 3).mean()

    rng = np.random.default_rng(0)
    dealt = fold_of_rows(problem, 3, tmp_path)
    by_chance = [unevenness(rng.permutation(dealt)) for _ in range(20)]
    assert unevenness(dealt) < 0.6 * np.mean(by_chance)


def test_folds_of_numbers_do_not_follow_the_order_of_the_rows(tmp_path):
    folds = fold_of_rows(_numbers(300), 3, tmp_path)
    assert abs(np.corrcoef(folds, np.arange(300))[0, 1]) < 0.2
    assert (np.diff(folds) == 0).mean() == pytest.approx(1 / 3, abs=0.12)


def test_the_file_has_a_line_for_each_row_and_goes_before_dealing(tmp_path):
    problem = _numbers(6)
    folds = fold_of_rows(problem, 2, tmp_path / "new")
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["made-2.txt"]
    file = tmp_path / "new" / "made-2.txt"
    assert file.read_text() == "".join(f"{fold}\n" for fold in folds)
    file.write_text("1\n1\n0\n0\n0\n1\n")
    assert_array_equal(fold_of_rows(problem, 2, tmp_path / "new"), [1, 1, 0, 0, 0, 1])
    # Another number of folds is another file.
    fold_of_rows(problem, 3, tmp_path / "new")
    assert (tmp_path / "new" / "made-3.txt").exists()


def test_a_name_of_a_set_leads_to_the_same_file(data, tmp_path):
    for name in ("balance", "balance-scale"):
        fold_of_rows(load_problem(name, data), 2, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["balance-2.txt"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("0\n1\n0\n", "has the folds of 3 rows; expected those of 4 rows"),
        ("0\n1\n0\n1\n1\n", "has the folds of 5 rows"),
        ("0\n1\n0\n2\n", "among them '2'; expected those of 4 rows, from 0 to 1"),
        ("0\n1\n0\n-1\n", "among them '-1'"),
        ("0\n1\n0\nx\n", "among them 'x'"),
        ("", "has the folds of 0 rows"),
    ],
)
def test_a_file_for_other_rows_is_an_error_that_says_what_to_do(tmp_path, content, said):
    (tmp_path / "made-2.txt").write_text(content)
    with pytest.raises(ValueError, match=said) as error:
        fold_of_rows(_numbers(4), 2, tmp_path)
    assert str(error.value).startswith(str(tmp_path / "made-2.txt"))
    assert "Remove the file to deal them again" in str(error.value)
    assert (tmp_path / "made-2.txt").read_text() == content


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["triazines", "enron"])
def test_two_processes_write_the_same_file(data, tmp_path, name):
    one = [sys.executable, "-c", DEAL, name, str(data)]
    both = [subprocess.Popen([*one, str(tmp_path / place)]) for place in ("first", "second")]
    assert [process.wait(300) for process in both] == [0, 0]
    fold_of_rows(load_problem(name, data), 3, tmp_path / "third")
    first, *others = (
        Path(tmp_path, place, f"{name}-3.txt").read_bytes() for place in ("first", "second", "third")
    )
    assert others == [first, first]
    assert len(set(first.split())) == 3
