"""The folder of real data: every file belongs to a known set and loads to the size that its sources state."""

import hashlib
import re
from pathlib import Path

import numpy as np
import pytest

from slantwood.data.files import open_read
from slantwood.data.registry.entries import every_dataset
from slantwood.data.registry.listing import datasets
from slantwood.data.registry.loading import load
from slantwood.data.registry.places import find_files
from slantwood_bench.scripts.data import available, data_folder

pytestmark = [
    pytest.mark.real_data,
    pytest.mark.skipif(
        not available(), reason="the folder of real data sets is absent; set SLANTWOOD_DATA to its path"
    ),
]

FOLDER = data_folder() or Path("absent")
PRESENT = {each.name: each for each in (datasets(FOLDER) if available() else []) if each.paths}

# Where `load` changes what the tables state: one class against the rest, an identifier left out.
AFTER_LOADING = {"arrhythmia": (452, 279, 2), "genbase": (662, 1185, 27)}


def rows_of_tables(text):
    """Yield the section and the cells of each row of the tables, by the words of the table's header."""
    header, section = [], ""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if line.startswith("#"):
            section = line
        if not cells:
            header = []
        elif not header:
            header = cells
        elif not set(line) <= set("|- "):
            yield section, dict(zip(header, cells, strict=True))


def numbers(text):
    return tuple(map(int, re.findall(r"\d+", text)))


def stated_in_structured():
    """Return, for the folder of each set, its size, and the one in the paper, if it is there."""
    stated = {}
    for section, row in rows_of_tables((FOLDER / "SOURCES.structured.md").read_text()):
        task = re.search(r"\((mtr|mlc|hmlc)\)", section)
        if task:
            size = tuple(numbers(row[key])[0] for key in "NDT")
            paper = re.match(r"(\d+)x(\d+)x(\d+)$", row["paper N x D x T"])
            stated[f"{task[1]}/{row['name']}/"] = size, paper and numbers(paper[0].replace("x", " "))
    return stated


def stated_in_tabular():
    """Return the same for the file of each set; regression has one target, which the tables leave out."""
    stated = {}
    for section, row in rows_of_tables((FOLDER / "SOURCES.tabular.md").read_text()):
        if section.startswith("## Found"):
            parsed = next(value for key, value in row.items() if key.startswith("parsed"))
            paper = next(value for key, value in row.items() if key.startswith("paper"))
            default = (2,) if "bin " in section else (1,)
            sizes = (numbers(re.sub(r"\(.*?\)", "", text)) for text in (parsed, paper))
            stated[row["file"]] = tuple((*size, *default)[:3] for size in sizes)
    return stated


def stated_sizes():
    stated = stated_in_structured() | stated_in_tabular()
    return {
        name: size
        for name, each in PRESENT.items()
        for place, size in stated.items()
        if each.paths[0].relative_to(FOLDER).as_posix().startswith(place)
    }


def test_the_tables_of_sources_cover_the_sets_that_are_there():
    assert len(PRESENT) > 75
    assert set(stated_sizes()) == set(PRESENT)
    assert len(stated_in_structured() | stated_in_tabular()) == len(PRESENT)


def test_every_file_belongs_to_a_known_set():
    known = {
        path
        for entry in every_dataset()
        for copy in entry.copies
        for name in (*copy.names, *copy.beside)
        for path in find_files([name], FOLDER) or ()
    }
    assert {path for path in FOLDER.rglob("*") if path.is_file()} - known == set(FOLDER.glob("*.md"))


def test_sizes_in_the_paper_are_those_that_the_sources_quote():
    quoted = {name: paper for name, (_, paper) in stated_sizes().items() if paper}
    in_paper = {name: tuple(each.dataset.size) for name, each in PRESENT.items() if each.dataset.in_paper}
    # These stand in for sets of the paper, whose size is quoted, and are none of them.
    for stand_in in ("gas-drift-partial", "gas-drift-rescaled", "tmc2007-500"):
        assert quoted.pop(stand_in)[0] >= PRESENT[stand_in].size.N
    assert quoted == in_paper


# Sets that take longest to read; smaller ones have their formats too.
LARGE = {name for name, each in PRESENT.items() if sum(path.stat().st_size for path in each.paths) > 1e6}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.thorough] * (name in LARGE)) for name in PRESENT]
)
def test_every_set_loads_to_the_size_that_its_sources_state(name):
    data = load(name, folder=FOLDER, download=False)
    n_targets = 1 if data.y.ndim == 1 else data.y.shape[1]
    if data.task in ("binary", "multi-class"):
        n_targets = len(np.unique(data.y))
    size = (*data.X.shape, n_targets)
    assert size == AFTER_LOADING.get(name, stated_sizes()[name][0])
    assert size == PRESENT[name].size
    assert data.task == PRESENT[name].task
    assert len(set(data.feature_names)) == data.X.shape[1]


@pytest.mark.parametrize(
    "name", ["birds", pytest.param("eurlex-eurovoc", marks=pytest.mark.thorough), "imclef07a"]
)
def test_parts_are_the_rows_of_the_whole(name):
    whole, train, test = (load(name, folder=FOLDER, part=part) for part in (None, "train", "test"))
    assert train.X.shape[0] + test.X.shape[0] == whole.X.shape[0]
    assert train.target_names == test.target_names == whole.target_names


@pytest.mark.parametrize("most_bytes", [1e6, pytest.param(float("inf"), marks=pytest.mark.thorough)])
def test_checksums_of_what_would_be_fetched_are_those_of_the_files_that_are_there(most_bytes):
    for each in PRESENT.values():
        for file, path in zip(each.copy.files, each.paths, strict=True):
            if file.sources and Path(path).stat().st_size <= most_bytes:
                with open_read(path) as stream:
                    assert hashlib.file_digest(stream, "sha256").hexdigest() == file.sha256, path
