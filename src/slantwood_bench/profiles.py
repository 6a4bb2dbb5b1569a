"""Profiles of the study: which data sets, folds, trees and timeouts each of them has.

Data sets of the comparison and of the parameter study are chosen by their size alone, so that nobody can pick
those on which a method looks well. Those of the experiment with noise features are named here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import product
from os import PathLike

from slantwood.task_names import TASKS
from slantwood_bench.jobs import COMPARISON, IMPORTANCE, SENSITIVITY, TIMES, Job
from slantwood_bench.methods import METHODS, method_class
from slantwood_bench.problems import BENCHMARK, PARAMETER_STUDY, PaperSet, paper_sets
from slantwood_bench.tables.large_sets import PUBLISHED

EXPERIMENTS = (COMPARISON, TIMES, IMPORTANCE, SENSITIVITY)

# What the learning-time table compares.
TIMED = ("bag-gradient", "bag-gradient-paper", "bag-svm", "bag-svm-paper", "bag-pct", "fastxml", "lightgbm")

# Both splits, as in the paper's figures of importances and of parameters.
BOTH_SPLITS = ("bag-gradient", "bag-svm")

# One set of each task for the experiment with noise features, picked by hand; docs/study.md tells of one that
# would not have passed.
NOISE_SETS = ("cpu_small", "rf1", "spambase", "mfeat-pixel", "scene", "imclef07d")

# Values of the paper's parameter study.
VALUES: Mapping[str, Sequence[float]] = {
    "n_estimators": (1, 10, 25, 50, 100),
    "C": (0.1, 1.0, 10.0, 100.0, 1000.0),
    "min_impurity_decrease": (0.0, 0.05, 0.1, 0.2),
}


@dataclass(frozen=True)
class Profile:
    """An extent of the study.

    Attributes
    ----------
    name, about : str
        Its name, and what it is for.
    n_folds, n_study_folds : int
        Folds of the comparison and of the parameter study.
    n_trees, n_timed_trees : int
        Trees of the ensembles, and of those whose learning is timed on large sets.
    timeout : float
        Seconds that a job may take.
    most_rows, most_cells : float
        Data sets with more rows, or more rows times features and targets, are left out.
    most_sets : int
        At most so many data sets of each task, the smallest first.
    n_study_sets : int
        At most so many of the sets of the parameter study, the smallest first.
    noise_sets : tuple of str
        Data sets of the experiment with noise features.
    timed_cells : float
        Large sets, of rows times features, up to which learning is timed.
    """

    name: str
    about: str
    n_folds: int
    n_study_folds: int
    n_trees: int
    n_timed_trees: int
    timeout: float
    most_rows: float
    most_cells: float
    most_sets: int
    n_study_sets: int
    noise_sets: tuple[str, ...]
    timed_cells: float

    def takes(self, paper_set: PaperSet) -> bool:
        """Tell whether a data set is there and small enough."""
        if paper_set.found is None:
            return False
        return self.most_rows >= paper_set.found.size.N and _cells(paper_set) <= self.most_cells


_ALL = 10**9
PROFILES = {
    profile.name: profile
    for profile in (
        Profile(
            "smoke",
            "the smallest set of each task, two folds, five trees: does all of it run?",
            n_folds=2,
            n_study_folds=2,
            n_trees=5,
            n_timed_trees=5,
            timeout=60.0,
            most_rows=5_000,
            most_cells=2e6,
            most_sets=1,
            n_study_sets=1,
            noise_sets=NOISE_SETS[2:3],
            timed_cells=0.0,
        ),
        Profile(
            "quick",
            "small sets of each task, three folds: where slantwood stands, in an hour or more on two cores",
            n_folds=3,
            n_study_folds=2,
            n_trees=50,
            n_timed_trees=5,
            timeout=60.0,
            most_rows=9_000,
            most_cells=2.2e6,
            most_sets=_ALL,
            n_study_sets=_ALL,
            noise_sets=NOISE_SETS,
            timed_cells=3e8,
        ),
        Profile(
            "paper",
            "everything that the paper has, with ten folds; days on two cores",
            n_folds=10,
            n_study_folds=5,
            n_trees=50,
            n_timed_trees=50,
            timeout=72 * 3600.0,
            most_rows=_ALL,
            most_cells=float("inf"),
            most_sets=_ALL,
            n_study_sets=_ALL,
            noise_sets=NOISE_SETS,
            timed_cells=float("inf"),
        ),
    )
}


def all_paper_sets(folder: str | PathLike[str] | None) -> list[PaperSet]:
    """List the 78 sets of the paper, those of the comparison first."""
    return [*paper_sets(folder, BENCHMARK), *paper_sets(folder, PARAMETER_STUDY)]


def jobs_of(
    profile: Profile,
    folder: str | PathLike[str] | None,
    methods: Iterable[str] = METHODS,
    experiments: Iterable[str] = EXPERIMENTS,
    threads: int = 1,
) -> list[Job]:
    """List the jobs of a profile on the data sets that are there, the longest first within reason.

    Methods whose package is not installed are left out; `not_installed` names them.

    Parameters
    ----------
    profile : Profile
        One of `PROFILES`, or of your own.
    folder : str or path, optional
        Where to look for data sets first.
    methods, experiments : iterable of str
        What to run of it.
    threads : int
        Threads that each job may use.
    """
    makers = {
        COMPARISON: _comparison,
        TIMES: _times,
        IMPORTANCE: _importance,
        SENSITIVITY: _sensitivity,
    }
    chosen = [_checked(name, METHODS, "method") for name in dict.fromkeys(methods)]
    installed = [name for name in chosen if method_class(name).version()]
    listed = all_paper_sets(folder)
    jobs = [
        # Large sets have twice the time.
        replace(job, threads=threads, timeout=profile.timeout * (2 if name == TIMES else 1))
        for name in dict.fromkeys(experiments)
        for job in makers[_checked(name, makers, "experiment")](profile, listed, installed)
    ]
    size = {paper_set.found.name: _cells(paper_set) for paper_set in listed if paper_set.found}
    return sorted(jobs, key=lambda job: -size.get(job.dataset, 0.0))


def not_installed(methods: Iterable[str] = METHODS) -> str:
    """Say which methods of the study are left out here, and what installs them; empty where none is.

    Parameters
    ----------
    methods : iterable of str
        Names of methods.

    Examples
    --------
    >>> not_installed(["bag-gradient", "scikit-rf"])
    ''
    """
    absent: dict[str, list[str]] = {}
    for cls in map(method_class, dict.fromkeys(methods)):
        if cls.tasks and not cls.version():
            absent.setdefault(cls.installed_by, []).append(cls.title)
    return "; ".join(f"{', '.join(titles)} (pip install '{by}')" for by, titles in absent.items())


def _checked(name: str, known: Iterable[str], what: str) -> str:
    if name not in known:
        close = get_close_matches(name, known, 1)
        hint = f"did you mean {close[0]!r}?" if close else f"expected one of {', '.join(known)}"
        raise ValueError(f"no {what} is called {name!r}; {hint}")
    return name


def _cells(paper_set: PaperSet) -> float:
    assert paper_set.found is not None
    size = paper_set.found.size
    return size.N * float(size.D + size.T)


def _smallest(listed: Sequence[PaperSet], profile: Profile, role: str, most: int) -> Iterator[PaperSet]:
    for task in TASKS:
        of_task = [
            paper_set
            for paper_set in listed
            if paper_set.wanted.task == task
            and paper_set.wanted.dataset.role == role
            and profile.takes(paper_set)
        ]
        yield from sorted(of_task, key=_cells)[:most]


def _comparison(profile: Profile, listed: Sequence[PaperSet], methods: Sequence[str]) -> Iterator[Job]:
    for paper_set in _smallest(listed, profile, BENCHMARK, profile.most_sets):
        assert paper_set.found is not None
        for name, fold in product(methods, range(profile.n_folds)):
            if paper_set.wanted.task in method_class(name).tasks:
                yield Job(COMPARISON, name, paper_set.found.name, fold, profile.n_folds, profile.n_trees)


def _times(profile: Profile, listed: Sequence[PaperSet], methods: Sequence[str]) -> Iterator[Job]:
    for paper_set, name in product(listed, TIMED):
        if paper_set.found is None or paper_set.wanted.name not in PUBLISHED or name not in methods:
            continue
        n_cells = paper_set.found.size.N * float(paper_set.found.size.D)
        if n_cells <= profile.timed_cells and paper_set.wanted.task in method_class(name).tasks:
            yield Job(TIMES, name, paper_set.found.name, n_folds=10, n_trees=profile.n_timed_trees)


def _importance(profile: Profile, listed: Sequence[PaperSet], methods: Sequence[str]) -> Iterator[Job]:
    present = {paper_set.found.name for paper_set in listed if paper_set.found}
    for dataset, name in product(profile.noise_sets, BOTH_SPLITS):
        if dataset in present and name in methods:
            yield Job(IMPORTANCE, name, dataset, n_folds=profile.n_folds, n_trees=profile.n_trees)


def _sensitivity(profile: Profile, listed: Sequence[PaperSet], methods: Sequence[str]) -> Iterator[Job]:
    small = sorted(_smallest(listed, profile, PARAMETER_STUDY, _ALL), key=_cells)
    changes = [{parameter: value} for parameter, values in VALUES.items() for value in values]
    for paper_set in small[: profile.n_study_sets]:
        assert paper_set.found is not None
        for name, change, fold in product(BOTH_SPLITS, changes, range(profile.n_study_folds)):
            if name in methods:
                yield Job(
                    SENSITIVITY,
                    name,
                    paper_set.found.name,
                    fold,
                    profile.n_study_folds,
                    profile.n_trees,
                    changes=change,
                )
