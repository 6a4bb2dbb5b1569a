"""The table of known data sets: complete, consistent, and what `load` makes of files that lie in folders."""

import gzip
import lzma
import re
from collections import Counter
from pathlib import Path, PurePosixPath
from textwrap import dedent

import numpy as np
import pytest

from slantwood.data.registry.entries import FOLDERS, every_dataset
from slantwood.data.registry.listing import dataset, datasets
from slantwood.data.registry.loading import load
from slantwood.data.registry.places import cache_folder, data_folders

ENTRIES = {entry.name: entry for entry in every_dataset()}
COPIES = [(entry, copy) for entry in ENTRIES.values() for copy in entry.copies]
FILES = [file for _, copy in COPIES for file in copy.files]


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """Keep what this computer has in its folders out of the tests."""
    monkeypatch.delenv("SLANTWOOD_DATA", raising=False)
    for module in ("loading", "places"):
        monkeypatch.setattr(f"slantwood.data.registry.{module}.cache_folder", lambda: tmp_path / "cache")
    return tmp_path / "cache"


@pytest.fixture
def put(tmp_path):
    """Write a file of a set below a folder of the test, and return the folder."""
    folder = tmp_path / "mine"
    folder.mkdir()

    def write(name, text):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        pack = {".gz": gzip.compress, ".xz": lzma.compress}.get(path.suffix, bytes)
        path.write_bytes(pack(dedent(text).encode()))
        return folder

    return write


# ---- the table


def test_the_paper_has_ten_benchmarks_and_three_sets_of_its_parameter_study_for_each_task():
    assert sum(entry.in_paper for entry in ENTRIES.values()) == 78
    roles = Counter((entry.task, entry.role) for entry in ENTRIES.values() if entry.in_paper)
    assert roles == {
        (task, role): n for task in FOLDERS for role, n in (("benchmark", 10), ("parameter study", 3))
    }


def test_every_way_to_call_a_set_leads_to_it():
    spellings = Counter(
        name.lower().replace("-", "_") for entry in ENTRIES.values() for name in (entry.name, *entry.aliases)
    )
    assert set(spellings.values()) == {1}
    for entry in ENTRIES.values():
        for name in (entry.name, *entry.aliases):
            assert dataset(name) is dataset(name.upper().replace("_", "-")) is entry


def test_names_that_nobody_knows_are_met_with_a_guess():
    with pytest.raises(ValueError, match=r"no data set is called 'emotion'; did you mean 'emotions'\?"):
        dataset("emotion")
    with pytest.raises(ValueError, match="lists all"):
        load("?")
    with pytest.raises(TypeError, match="name=3 is of type int"):
        dataset(3)


def test_sizes_are_sizes():
    for entry, copy in COPIES:
        assert all(isinstance(number, int) and number > 0 for number in (*entry.size, *copy.size))
        expected = {"binary": 2, "regression": 1}.get(entry.task, copy.size.T)
        assert expected == copy.size.T
        assert entry.size.T > 2 or entry.task in ("binary", "regression", "multi-target regression")


def test_a_copy_of_another_size_says_why():
    assert [entry.name for entry, copy in COPIES if copy.size != entry.size and not copy.remark] == []


def test_files_lie_below_the_folder_of_their_task():
    for entry, copy in COPIES:
        for name in (*copy.names, *copy.beside):
            path = PurePosixPath(name)
            assert path.parts[0] == FOLDERS[entry.task]
            assert len(path.parts) == 3
            assert not {"..", "."} & set(path.parts)
            assert path.suffix in (".arff", ".csv", ".tsv", ".txt", ".libsvm", ".json", ".xml")


def test_no_file_serves_two_sets():
    names = [name for _, copy in COPIES for name in (*copy.names, *copy.beside)]
    assert [name for name, n in Counter(names).items() if n > 1] == []


def test_what_is_fetched_is_fetched_safely():
    for file in FILES:
        assert bool(file.sources) <= bool(re.fullmatch("[0-9a-f]{64}", file.sha256 or "")), file
        for source in file.sources:
            assert source.url.startswith("https://")
            # At a commit, or a stored file of this number: what is fetched is what was looked at.
            assert re.search(r"/raw/[0-9a-f]{12,40}/|drive\.google\.com/uc\?.*id=", source.url)


def test_every_set_that_cannot_be_fetched_is_known_as_such():
    alone = {name for name, entry in ENTRIES.items() if not any(copy.can_be_fetched for copy in entry.copies)}
    assert alone == {
        *("reuters", "wipo", "ara_exprindiv_FUN", "ara_interpro_GO", "ara_scop_GO"),
        *("gas-drift-partial", "gas-drift-rescaled", "reuters_rebuilt"),
        *("yeast_GO", "yeast_seq_FUN", "yeast_pheno_FUN", "yeast_struc_FUN"),
    }


def test_rules_parts_and_stand_ins_are_known():
    for entry, copy in COPIES:
        assert re.fullmatch("(|rounded|.+ against the rest)", copy.relabel)
        parts = [file.part for file in copy.files]
        assert parts in ([None], ["train", "test"], ["train", "valid", "test"])
        assert entry.page.startswith("http")
        assert set(entry.stand_ins) <= {name for name, each in ENTRIES.items() if not each.in_paper}
        hierarchical = entry.task == "hierarchical multi-label"
        tells = "targets" in copy.reading or "format" in copy.reading
        assert tells != hierarchical or copy.openml is not None


# ---- folders


@pytest.mark.parametrize(
    ("platform", "environment", "expected"),
    [
        ("linux", {}, "/home/me/.cache/slantwood/data"),
        ("linux", {"XDG_CACHE_HOME": "/big"}, "/big/slantwood/data"),
        ("linux", {"XDG_CACHE_HOME": ""}, "/home/me/.cache/slantwood/data"),
        ("darwin", {"XDG_CACHE_HOME": "/big"}, "/home/me/Library/Caches/slantwood/data"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/slantwood/data"),
        ("win32", {}, "/home/me/AppData/Local/slantwood/data"),
    ],
)
def test_the_cache_is_where_the_platform_has_such_files(platform, environment, expected):
    assert cache_folder(environment, platform, Path("/home/me")) == Path(expected)


def test_folders_are_looked_in_in_order(tmp_path, monkeypatch, cache):
    assert data_folders() == [cache]
    monkeypatch.setenv("SLANTWOOD_DATA", str(tmp_path / "env"))
    assert data_folders(tmp_path) == [tmp_path, tmp_path / "env", cache]
    with pytest.raises(NotADirectoryError, match=r"folder='.*absent' is not a folder"):
        data_folders(tmp_path / "absent")


def test_the_first_folder_that_has_a_set_counts(put, tmp_path, monkeypatch, cache):
    name = "bin/banknote/banknote_authentication.csv"
    for i, folder in enumerate((tmp_path / "env", cache)):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text(f"{i},0\n{i},1\n")
    assert load("banknote").X[0, 0] == 1
    monkeypatch.setenv("SLANTWOOD_DATA", str(tmp_path / "env"))
    assert load("banknote").X[0, 0] == 0
    mine = put(f"{name}.xz", "7,0\n8,1\n")
    assert load("banknote", folder=mine).X[:, 0].tolist() == [7, 8]


def test_the_list_says_what_is_there(put):
    folder = put("bin/speeddating/speeddating_raw_columns.csv.gz", "x,match\n1,0\n2,1\n")
    listed = {each.name: each for each in datasets(folder)}
    assert list(listed) == list(ENTRIES)
    here = listed["speeddating"]
    assert here.where == str(folder / "bin/speeddating")
    assert (here.task, here.size) == ("binary", (8378, 64, 2))
    assert here.remark.startswith("partial")
    # What would be fetched instead is complete.
    elsewhere = {each.name: each for each in datasets()}["speeddating"]
    assert (elsewhere.where, elsewhere.size.D, elsewhere.remark) == ("to be fetched", 120, "")
    assert listed["reuters"].where == "no public host known"
    assert "reuters_rebuilt" in listed["reuters"].remark


# ---- sets out of a folder

LABELLED = """\
    @relation scene
    @attribute x numeric
    @attribute a {0,1}
    @attribute b {0,1}
    @attribute c {0,1}
    @attribute d {0,1}
    @attribute e {0,1}
    @attribute f {0,1}
    @data
    """


@pytest.fixture
def scene(put):
    put("mlc/scene/scene.test.arff", dedent(LABELLED) + "3,1,0,0,0,0,1\n")
    return put("mlc/scene/scene.train.arff.gz", dedent(LABELLED) + "1,1,0,0,0,0,0\n2,0,1,0,0,0,0\n")


def test_parts_come_together_or_alone(scene):
    assert load("scene", folder=scene).X.ravel().tolist() == [1, 2, 3]
    assert load("scene", folder=scene, part="train").X.ravel().tolist() == [1, 2]
    test = load("scene", folder=scene, part="test")
    assert test.X.ravel().tolist() == [3]
    assert test.task == "multi-label"
    assert test.target_names == ("a", "b", "c", "d", "e", "f")


def test_parts_that_are_not_there_are_named(scene, put):
    with pytest.raises(ValueError, match="part='valid', but scene has the parts test, train"):
        load("scene", folder=scene, part="valid")
    with pytest.raises(ValueError, match="part='test', but emotions comes in one part"):
        load("emotions", part="test")
    (scene / "mlc/scene/scene.test.arff").unlink()
    with pytest.raises(FileNotFoundError, match="'scene'"):
        load("scene", folder=scene, part="train", download=False)


def test_labels_of_all_parts_have_the_order_of_the_training_part(put):
    header = "@relation r\n@attribute x numeric\n@attribute class hierarchical {}\n@data\n"
    put("hmlc/enron/enron.test.arff", header.format("b,a/c,a") + "2,a/c\n")
    folder = put("hmlc/enron/enron.trainvalid.arff", header.format("a,a/c,b") + "1,b\n")
    test = load("enron", folder=folder, part="test")
    assert test.target_names == test.hierarchy.nodes == ("a", "a/c", "b")
    both = load("enron", folder=folder)
    y = both.y if isinstance(both.y, np.ndarray) else both.y.toarray()
    assert y.tolist() == [[0, 0, 1], [1, 1, 0]]
    assert both.hierarchy == test.hierarchy


def test_one_class_against_the_rest(put):
    text = "@relation r\n@attribute x numeric\n@attribute class {1,2,16}\n@data\n0,16\n1,1\n2,2\n"
    data = load("arrhythmia", folder=put("bin/arrhythmia/arrhythmia.arff", text))
    assert (data.task, data.y.tolist()) == ("binary", [0, 1, 0])


def test_rounded_numbers_are_classes(put):
    text = "X1,Y1,Y2\n1,15.55,3\n2,16.4,4\n3,20.9,5\n"
    data = load("energy_efficiency", folder=put("mcc/energy_efficiency/ENB2012_data.csv", text))
    assert (data.task, data.y.tolist(), data.feature_names) == ("multi-class", [16, 16, 21], ("X1",))
    assert data.y.dtype == np.int64


def test_numbers_are_classes_or_quantities_as_the_task_has_it(put):
    put("mcc/wine-white/winequality-white.csv", "1,5\n2,6\n3,7\n")
    folder = put("str/satellite_image/294_satellite_image.tsv", "a\ttarget\n1\t1\n2\t7\n")
    assert load("wine-white", folder=folder).task == "multi-class"
    assert load("satellite_image", folder=folder).task == "regression"
