"""The scripts in `tests/campaigns` in small: they still run, and see what they are there for."""

import sys
import time
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from slantwood.data import read
from slantwood.task_names import SEVERAL_TASKS, TASKS
from tests.campaigns import (
    data_files,
    faulty,
    forged_csr,
    harness,
    interrupts,
    nearly_constant,
    problems,
    random_problems,
)
from tests.campaigns.child import ACCEPTED, FOREIGN, REFUSED, refusal
from tests.campaigns.valid_files import valid_files

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="what a process uses is read from /proc")


@linux_only
def test_cases_that_crash_hang_or_take_all_memory_are_told_and_the_rest_is_run(monkeypatch, tmp_path):
    monkeypatch.setattr(harness, "SECONDS", 4.0)  # before which a slow machine has filled so much memory:
    monkeypatch.setattr(harness, "MEGABYTES", 300)
    report = harness.run("tests.campaigns.faulty", faulty.CASES, 3)
    assert report.verdicts == Counter(
        {ACCEPTED: 2, harness.CRASH: 1, harness.MEMORY: 1, harness.HANG: 1, FOREIGN: 1, REFUSED: 1}
    )
    assert [fault.case for fault in report.faults] == [1, 2, 3, 4]
    assert "Fatal Python error: Aborted" in report.faults[0].said
    for word in ("7 cases", "--case 1", "--case 4", "KeyError"):
        assert word in report.text()
    report.write(tmp_path / "results.json")
    assert '"case": 3' in (tmp_path / "results.json").read_text()


def test_an_error_is_a_refusal_only_if_it_names_the_file_in_few_words():
    assert refusal(ValueError("a.csv: no"), "", ("a.csv",)).verdict == REFUSED
    assert refusal(ValueError("no"), "", ("a.csv",)).verdict == FOREIGN
    assert refusal(ValueError(""), "").verdict == FOREIGN
    assert refusal(OSError("a.csv"), "", ("a.csv",)).verdict == FOREIGN
    assert refusal(ValueError("a.csv" + "9" * 10_000), "", ("a.csv",)).verdict == FOREIGN


# ---- data files


def test_files_that_the_campaign_begins_with_are_read(tmp_path):
    assert {file.name.partition(".")[2] for file in valid_files()} >= {
        *("arff", "csv", "tsv", "svm", "xmc", "txt", "parquet", "arrow", "feather", "npz")
    }
    for file in valid_files():
        path = tmp_path / file.name
        path.write_bytes(file.content)
        if file.beside is not None:
            path.with_name(file.beside.name).write_bytes(file.beside.content)
        data = read(path, **file.said)
        assert data.X.shape[0] == 12, file.name
        assert (data.hierarchy is not None) == (
            file.name in ("clus.arff", "hierarchy.npz") or "mulan" in file.name
        )


def test_a_damaged_file_depends_on_its_two_numbers_only(tmp_path):
    folders = [tmp_path / name for name in "abc"]
    for folder in folders:
        folder.mkdir()
    one, again, other = (
        data_files.prepared(seed, 17, folder) for seed, folder in zip((0, 0, 1), folders, strict=True)
    )
    assert one.path.read_bytes() == again.path.read_bytes()
    assert one.path.read_bytes() != other.path.read_bytes()


@linux_only
def test_damaged_files_are_read_or_refused(monkeypatch):
    monkeypatch.setattr(harness, "SECONDS", 60.0)  # how fast a machine is does not matter here
    # In a process of their own: a fault in C code that reads binary formats would end this one.
    report = harness.run("tests.campaigns.data_files", 150)
    assert not report.faults, report.text()
    assert min(report.verdicts[ACCEPTED], report.verdicts[REFUSED]) > 10


def test_data_that_do_not_fit_each_other_are_found():
    data = read_fine()
    assert data_files.misfit(data) == ""
    object.__setattr__(data, "feature_names", ("x",))
    assert "names" in data_files.misfit(data)
    data = read_fine()
    data.X[0, 0] = np.inf
    assert data_files.misfit(data) == "X has infinite values"


def read_fine():
    from slantwood.data import Data

    return Data(np.ones((3, 2), np.float32), np.arange(3.0), ("a", "b"), ("y",), task="regression")


# ---- forged matrices


def test_forgeries_of_a_matrix_change_every_part_of_it_and_depend_on_the_seed_only():
    csr = sp.random_array((9, 20), density=0.2, format="csr", rng=0)
    parts = {"data": csr.data, "indices": csr.indices, "indptr": csr.indptr, "shape": np.array(csr.shape)}
    changed = Counter()
    for seed in range(200):
        one, again = (forged_csr.forged_parts(np.random.default_rng(seed), parts) for _ in range(2))
        assert repr(one) == repr(again)
        for name, array in one[0].items():
            same = array.dtype == parts[name].dtype and np.array_equal(array, parts[name])
            changed[name] += not same
    assert min(changed[name] for name in parts) > 20
    np.testing.assert_array_equal(csr.indptr, parts["indptr"])  # which stay as they were


def test_npz_files_with_forged_matrices_are_used_or_refused():
    outcomes = [forged_csr.run_case(0, number) for number in range(1, 120, 2)]
    counts = Counter(outcome.verdict for outcome in outcomes)
    assert counts[ACCEPTED] + counts[REFUSED] == len(outcomes), outcomes
    assert min(counts[ACCEPTED], counts[REFUSED]) > 3


@linux_only
@pytest.mark.thorough
def test_files_with_forged_matrices_are_used_or_refused(monkeypatch):
    monkeypatch.setattr(harness, "SECONDS", 60.0)
    report = harness.run("tests.campaigns.forged_csr", 300)
    assert not report.faults, report.text()
    assert min(report.verdicts[ACCEPTED], report.verdicts[REFUSED]) > 20


# ---- random problems


def test_a_problem_depends_on_its_two_numbers_only():
    one, again = problems.draw_problem(0, 5), problems.draw_problem(0, 5)
    assert one.about == again.about
    assert repr(one.X) == repr(again.X)
    assert repr(one.y) == repr(again.y)


def test_problems_are_of_all_kinds():
    drawn = [problems.draw_problem(0, number) for number in range(400)]
    about = " ".join(problem.about for problem in drawn)
    for word in (
        *(
            "csr_array",
            "csc_array",
            "pandas",
            "polars",
            "missing values",
            "constant columns",
            "any magnitude",
        ),
        *(
            "sample_weight",
            "clustering",
            "n_jobs=2",
            "warm_start",
            "oob_score",
            "unlabeled_weight",
            "hierarchy",
        ),
        *("some unknown", "SVMSplit", "single=True", "shape=(2, ", ", 400)"),
    ):
        assert word in about, word
    for name in ("gradient", "svm", "axis", "ridge", "cart-lc", "oc1", "wodt", "ndcg"):
        assert f"split={name}," in about


def test_random_problems_are_learned_or_refused():
    outcomes = [random_problems.run_case(0, number) for number in range(10)]
    counts = Counter(outcome.verdict for outcome in outcomes)
    assert counts[ACCEPTED] >= 4
    assert counts[ACCEPTED] + counts[REFUSED] == len(outcomes), [
        outcome for outcome in outcomes if outcome.verdict not in (ACCEPTED, REFUSED)
    ]


def test_problems_of_which_hardly_anything_is_known_are_of_all_kinds():
    one, again = nearly_constant.draw_problem(0, 5), nearly_constant.draw_problem(0, 5)
    assert (one.about, repr(one.X), repr(one.y)) == (again.about, repr(again.X), repr(again.y))
    about = " ".join(nearly_constant.draw_problem(0, number).about for number in range(300))
    for word in (
        *("kind=tree", "kind=forest", "kind=boosting", "kind=label trees", "kind=reranker"),
        *(f"task={task}" for task in (*TASKS, *SEVERAL_TASKS)),
        *("rows with weight=1,", "unknown=all but 1 of each of 1", "sparse", "shape=(2, ", "early_stopping"),
        *("warm_start", "loss=tweedie", "preset=paper", "subsample=0.01"),
    ):
        assert word in about, word


def test_problems_of_which_hardly_anything_is_known_are_learned_or_refused():
    drawn = (nearly_constant.draw_problem(0, number) for number in range(40))
    outcomes = [random_problems.outcome_of(each) for each in drawn if "kind=boosting" in each.about]
    counts = Counter(outcome.verdict for outcome in outcomes)
    assert counts[ACCEPTED] >= 5
    assert counts[ACCEPTED] + counts[REFUSED] == len(outcomes), [
        outcome for outcome in outcomes if outcome.verdict not in (ACCEPTED, REFUSED)
    ]


def test_a_model_that_breaks_a_promise_is_found():
    problem = replace(problems.draw_problem(0, 15), task="binary")

    class Constant:
        classes_ = np.arange(2)

    for probabilities, complaint in (
        (np.full((3, 2), 0.5), ""),
        (np.full((3, 2), np.nan), "not finite"),
        (np.array([[1.5, -0.5]] * 3), "in -0.5 .. 1.5"),
        (np.full((2, 2), 0.5), "shape"),
    ):
        try:
            random_problems.check_probabilities(probabilities, 3, problem, Constant())
        except random_problems.Broken as error:
            found = str(error)
        else:
            found = ""
        assert complaint in found
        assert bool(complaint) == bool(found)


# ---- interrupts


def test_interrupts_come_at_one_thread_and_two_to_every_kind_of_work():
    trials = interrupts.trials(50, 0)
    of_fit = [trial for trial in trials if (trial.method, trial.by) == ("fit", "SIGINT")]
    assert len(of_fit) == 50
    assert {trial.n_jobs for trial in of_fit} == {1, 2}
    assert len({trial.work for trial in of_fit}) == 8
    assert {trial.by for trial in trials} == {"SIGINT", "SIGALRM"}
    assert {trial.method for trial in trials} == {"fit", "predict"}


@linux_only
def test_interrupts_of_what_writes_files_leave_nothing_behind():
    done = interrupts.run(0, n_files=6, tell=lambda line: None)
    assert {trial.method for trial, _, _ in done} == set(interrupts.FILE_METHODS)
    # A busy machine is no fault.
    assert {verdict for _, verdict, _ in done} <= {interrupts.FINE, interrupts.LATE}, done


@linux_only
def test_an_interrupt_of_fit_keeps_the_earlier_model():
    target = interrupts.Target("axis forest", 2)
    try:
        start = time.monotonic()
        verdict, said = target.verdict_of(interrupts.Trial("axis forest", 2, after=0.5))
        assert verdict in (interrupts.FINE, interrupts.LATE), said  # a busy machine is no fault
        assert time.monotonic() - start > 0.5
    finally:
        target.end()
