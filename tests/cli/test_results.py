"""Claims about the check that a result can be written, before the work is done."""

import os

import pytest

from slantwood.cli.results import check_result


def test_a_new_file_an_earlier_one_and_none_at_all_are_fine(folder):
    (folder / "b").write_text("earlier")
    for file in (folder / "a", folder / "b", None):
        check_result(file, folder / "gone")
    assert (folder / "b").read_text() == "earlier"


def test_no_file_is_called_like_stdout(fails, run, folder, write_csv, waves):
    write_csv("a.csv", waves)
    assert "give the name of a file" in fails("convert", "a.csv", "-", "--to", "csv")
    run("train", "a.csv", "--targets", "u", "--trees", "2", "--model", "m.slant")
    assert run("predict", "m.slant", "a.csv", "--output", "-").stdout.startswith("u\n")
    assert not (folder / "-").exists()


def test_a_folder_is_not_taken_for_a_file(folder):
    with pytest.raises(IsADirectoryError, match="is a folder; give the name of a file in it"):
        check_result(folder)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_folder_in_which_nothing_may_be_written_is_named(folder):
    (folder / "closed").mkdir(mode=0o500)
    with pytest.raises(PermissionError, match="closed"):
        check_result(folder / "closed" / "a")


def test_what_may_not_be_written_is_asked_of_the_system(folder, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(PermissionError, match="you may not write in the folder"):
        check_result(folder / "a")


@pytest.mark.parametrize(
    "words",
    [
        ("train", "a.csv", "--targets", "u", "--model", "a.csv"),
        ("train", "a.csv", "--targets", "u", "--onnx", "a.csv"),
        ("train", "b.csv", "--targets", "u", "--test", "a.csv", "--model", "./a.csv"),
        ("predict", "m.slant", "a.csv", "--output", "a.csv"),
    ],
)
def test_a_file_that_is_read_is_never_replaced_by_the_result(fails, folder, write_csv, waves, words):
    write_csv("b.csv", waves)
    before = write_csv("a.csv", waves).read_bytes()
    assert "a.csv is also what is read, and would be lost" in fails(*words)
    assert (folder / "a.csv").read_bytes() == before


def test_a_folder_of_the_same_name_is_told_before_anything_is_read(fails, folder):
    (folder / "torn.csv").write_text("a,u\n1,2\n3\n")
    (folder / "m.slant").mkdir()
    assert "m.slant is a folder" in fails("train", "torn.csv", "--targets", "u", "--model", "m.slant")
