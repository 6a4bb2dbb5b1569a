"""How much each profile runs: sets are chosen by size, jobs differ, and wrong names are told."""

import tomllib
from collections import Counter
from dataclasses import replace
from inspect import get_annotations
from pathlib import Path

import pytest

from slantwood.data.registry.entries import every_dataset
from slantwood.task_names import TASKS
from slantwood_bench.jobs import Job
from slantwood_bench.methods import METHODS, method_class
from slantwood_bench.profiles import (
    BOTH_SPLITS,
    EXPERIMENTS,
    NOISE_SETS,
    PROFILES,
    TIMED,
    VALUES,
    all_paper_sets,
    jobs_of,
    not_installed,
)

ENTRIES = {entry.name: entry for entry in every_dataset()}
OURS = [name for name in METHODS if method_class(name).package == "slantwood"]


@pytest.fixture(scope="module")
def all_sets(data, tmp_path_factory):
    """Make a folder in which all sets seem to be, for nobody looks into the files."""
    folder = tmp_path_factory.mktemp("all")
    for entry in every_dataset():
        for name in entry.copies[0].names if entry.copies else ():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).touch()
    return folder


def _cells(name):
    size = ENTRIES[name].copies[0].size
    return size.N * (size.D + size.T)


def _sets(jobs, experiment="comparison"):
    return list(dict.fromkeys(job.dataset for job in jobs if job.experiment == experiment))


# ---- methods


def test_every_method_has_a_title_of_its_own_a_group_and_tasks():
    classes = [method_class(name) for name in METHODS]
    assert len({cls.title for cls in classes}) == len(METHODS)
    for cls in classes:
        assert cls.group in ("ensemble", "tree", "other")
        assert cls.tasks or cls.more_tasks
        assert {*cls.tasks, *cls.more_tasks} <= set(TASKS)


@pytest.mark.parametrize("name", METHODS)
def test_a_row_sets_only_what_its_adapter_knows(name):
    adapter = method_class(name).__base__
    known = {attribute for cls in adapter.__mro__ for attribute in (*vars(cls), *get_annotations(cls))}
    assert set(METHODS[name].attributes) <= known


def test_experiments_name_methods_and_sets_that_exist():
    assert {*TIMED, *BOTH_SPLITS} <= set(METHODS)
    assert [ENTRIES[name].task for name in NOISE_SETS] == list(TASKS)


# ---- jobs


@pytest.mark.parametrize("name", PROFILES)
def test_no_two_jobs_have_the_same_key(all_sets, name):
    jobs = jobs_of(PROFILES[name], all_sets, OURS)
    assert {job.experiment for job in jobs} == {*EXPERIMENTS} - ({"times"} if name == "smoke" else set())
    assert len({job.key for job in jobs}) == len(jobs)


def test_names_that_are_given_twice_count_once(data):
    once = jobs_of(PROFILES["smoke"], data, ["bag-pct"], ["comparison"])
    twice = jobs_of(PROFILES["smoke"], data, ["bag-pct"] * 2, iter(["comparison"] * 2))
    assert twice == once


def test_methods_make_jobs_of_their_tasks_only(all_sets):
    jobs = jobs_of(PROFILES["paper"], all_sets, OURS)
    for job in jobs:
        entry = ENTRIES[job.dataset]
        assert entry.task in method_class(job.method).tasks, job
    tasks = {name: {ENTRIES[job.dataset].task for job in jobs if job.method == name} for name in OURS}
    assert tasks == {name: set(method_class(name).tasks) for name in OURS}
    assert tasks["fastxml"] == {"multi-label", "hierarchical multi-label"}


def test_every_fold_of_every_set_is_predicted_once(all_sets):
    jobs = jobs_of(PROFILES["paper"], all_sets, ["bag-gradient"], ["comparison"])
    wanted = [place for place in all_paper_sets(all_sets) if place.wanted.dataset.role == "benchmark"]
    assert all(place.found for place in wanted)
    assert Counter((job.dataset, job.fold) for job in jobs) == Counter(
        (place.found.name, fold) for place in wanted for fold in range(10)
    )
    assert {(job.n_folds, job.n_trees, str(job.changes)) for job in jobs} == {(10, 50, "{}")}


def test_settings_of_the_parameter_study_are_those_of_the_paper(all_sets):
    jobs = jobs_of(PROFILES["paper"], all_sets, OURS, ["sensitivity"])
    studied = {name for name, entry in ENTRIES.items() if entry.role == "parameter study"}
    assert set(_sets(jobs, "sensitivity")) == studied
    assert {job.method for job in jobs} == set(BOTH_SPLITS)
    found = Counter((name, value) for job in jobs for name, value in job.changes.items())
    times = len(studied) * 2 * PROFILES["paper"].n_study_folds
    assert found == {(name, value): times for name, values in VALUES.items() for value in values}
    assert all(len(job.changes) == 1 for job in jobs)


def test_threads_reach_every_job(all_sets):
    assert {job.threads for job in jobs_of(PROFILES["quick"], all_sets, OURS, threads=3)} == {3}


def test_large_sets_come_first(all_sets):
    sizes = [_cells(job.dataset) for job in jobs_of(PROFILES["quick"], all_sets, ["bag-pct"])]
    assert sizes == sorted(sizes, reverse=True)


# ---- what is chosen


@pytest.mark.parametrize("name", PROFILES)
def test_size_alone_chooses_the_sets_of_a_task(all_sets, name):
    profile = PROFILES[name]
    chosen = _sets(jobs_of(profile, all_sets, ["bag-gradient"], ["comparison"]))
    for task in TASKS:
        of_task = [
            place.found.name
            for place in all_paper_sets(all_sets)
            if place.wanted.task == task and place.wanted.dataset.role == "benchmark" and place.found
        ]
        taken = [_cells(each) for each in of_task if each in chosen]
        left = [
            _cells(each)
            for each in of_task
            if each not in chosen and profile.most_rows >= ENTRIES[each].copies[0].size.N
        ]
        assert taken
        assert len(taken) <= profile.most_sets
        # No set is left out that is smaller than one that is taken.
        assert not left or min(left) >= max(taken)
        assert max(taken) <= profile.most_cells


def test_the_choice_does_not_depend_on_the_methods(all_sets):
    profile = PROFILES["quick"]
    every = set(_sets(jobs_of(profile, all_sets, OURS, ["comparison"])))
    assert set(_sets(jobs_of(profile, all_sets, ["tree-pct"], ["comparison"]))) == every


def test_smaller_profiles_run_a_part_of_what_larger_ones_run(all_sets):
    sets = {
        (name, experiment): set(_sets(jobs_of(profile, all_sets, OURS), experiment))
        for name, profile in PROFILES.items()
        for experiment in EXPERIMENTS
    }
    for experiment in EXPERIMENTS:
        assert sets["smoke", experiment] <= sets["quick", experiment] <= sets["paper", experiment]
    assert len(sets["smoke", "comparison"]) == len(TASKS)
    jobs = jobs_of(PROFILES["smoke"], all_sets, OURS)
    assert len(jobs) < 300
    assert max(job.n_trees for job in jobs) == 5
    assert max(job.timeout for job in jobs) <= 60


def test_sets_that_are_absent_make_no_jobs(data, tmp_path):
    jobs = jobs_of(PROFILES["paper"], data, ["bag-gradient"], ["comparison", "importance"])
    there = {"triazines", "slump", "banknote", "spambase", "balance", "flags", "tmc2007-500", "enron"}
    assert set(_sets(jobs)) == there
    assert _sets(jobs, "importance") == ["spambase"]
    assert jobs_of(PROFILES["paper"], tmp_path) == []


def test_a_stand_in_is_timed_in_place_of_the_large_set(data):
    profile = replace(PROFILES["paper"], timed_cells=2e7)
    jobs = jobs_of(profile, data, METHODS, ["times"])
    assert _sets(jobs, "times") == ["tmc2007-500"]
    assert {job.method for job in jobs} == {
        name for name in TIMED if "multi-label" in method_class(name).tasks
    }
    assert jobs_of(replace(profile, timed_cells=1e7), data, METHODS, ["times"]) == []


def test_methods_that_are_not_installed_are_left_out(data, monkeypatch):
    monkeypatch.setattr(method_class("linear-svm"), "version", classmethod(lambda cls: ""))
    methods = {job.method for job in jobs_of(PROFILES["smoke"], data, ["linear-svm", "bag-pct"])}
    assert methods == {"bag-pct"}


def test_what_is_not_installed_is_said_with_what_installs_it(monkeypatch):
    for name in ("catboost", "omikuji", "treeple"):
        monkeypatch.setattr(method_class(name), "version", classmethod(lambda cls: ""))
    names = ["bag-pct", "catboost", "scikit-rf", "treeple", "omikuji", "catboost"]
    assert not_installed(names) == (
        "CatBoost, Omikuji (Parabel) (pip install 'slantwood[bench]'); "
        "treeple oblique forest (pip install 'treeple')"
    )
    assert not_installed(["bag-pct", "scikit-rf"]) == ""


def test_extras_that_are_named_are_there():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    extras = {f"slantwood[{name}]" for name in project["optional-dependencies"]}
    assert {method_class(name).installed_by for name in METHODS} - extras == {"treeple"}


# ---- wrong names


@pytest.mark.parametrize(
    ("methods", "experiments", "said"),
    [
        (["bag-gradiant"], EXPERIMENTS, "no method is called 'bag-gradiant'; did you mean 'bag-gradient'?"),
        (["?"], EXPERIMENTS, f"no method is called '?'; expected one of {', '.join(METHODS)}"),
        (["bag-pct"], ["comparson"], "no experiment is called 'comparson'; did you mean 'comparison'?"),
        (["bag-pct"], ["?"], "expected one of comparison, times, importance, sensitivity"),
    ],
)
def test_unknown_names_are_told(data, methods, experiments, said):
    with pytest.raises(ValueError, match=r"no (method|experiment) is called") as error:
        jobs_of(PROFILES["smoke"], data, methods, experiments)
    assert said in str(error.value)


def test_keys_tell_jobs_apart_but_for_their_limit():
    job = Job("comparison", "bag-pct", "flags")
    for name in ("experiment", "method", "dataset", "fold", "n_folds", "n_trees", "seed", "threads"):
        value = getattr(job, name)
        assert replace(job, **{name: value + 1 if isinstance(value, int) else value + "x"}).key != job.key
    assert replace(job, changes={"C": 1.0}).key != job.key
    assert replace(job, changes={"a": 1, "b": 2}).key == replace(job, changes={"b": 2, "a": 1}).key
    assert replace(job, timeout=1.0).key == job.key
