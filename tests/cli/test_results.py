"""Claims about the check that a result can be written, before the work is done."""

import os

import pytest

from slantwood.cli.results import check_result


def test_a_new_file_one_to_be_replaced_and_none_at_all_are_fine(folder):
    (folder / "b").write_text("earlier")
    for file in (folder / "a", folder / "b", None):
        check_result(file, folder / "gone", force=True)
    check_result(folder / "a", folder / "gone")
    assert (folder / "b").read_text() == "earlier"


def test_an_earlier_file_is_replaced_by_force_only(folder):
    (folder / "b").write_text("earlier")
    with pytest.raises(FileExistsError, match=r"b already exists and would be overwritten; .*, or --force"):
        check_result(folder / "b")


@pytest.mark.parametrize(
    "words",
    [
        ("train", "a.csv", "--targets", "u", "--trees", "2", "--model", "old.csv"),
        ("train", "a.csv", "--targets", "u", "--trees", "2", "--model", "n.slant", "--onnx", "old.csv"),
        ("convert", "a.csv", "old.csv"),
        ("convert", "m.slant", "old.slant"),
        ("predict", "m.slant", "a.csv", "--output", "old.csv"),
    ],
    ids=" ".join,
)
def test_no_command_replaces_a_file_of_others_without_force(run, fails, folder, write_csv, waves, words):
    pytest.importorskip("onnx")
    write_csv("a.csv", waves)
    run("train", "a.csv", "--targets", "u", "--trees", "1", "--model", "m.slant")
    old = folder / next(word for word in words if word.startswith("old"))
    old.write_text("dear to somebody")
    assert "already exists and would be overwritten" in fails(*words)
    assert old.read_text() == "dear to somebody"
    run(*words, "--force")
    assert b"dear to somebody" not in old.read_bytes()


def test_a_model_of_ours_is_trained_anew_without_force(run, folder, write_csv, waves):
    pytest.importorskip("onnx")
    write_csv("a.csv", waves)
    words = ("train", "a.csv", "--targets", "u", "--model", "m.slant", "--onnx", "m.onnx", "--trees")
    run(*words, 1)
    before = [(folder / name).read_bytes() for name in ("m.slant", "m.onnx")]
    run(*words, 2)
    assert all(
        (folder / name).read_bytes() != old for name, old in zip(["m.slant", "m.onnx"], before, strict=True)
    )
    (folder / "m.onnx").write_bytes(before[0][8:])
    with pytest.raises(FileExistsError):
        check_result(folder / "m.onnx")


def test_a_file_is_converted_in_place_by_force_only(run, fails, folder, write_csv, waves):
    before = write_csv("a.csv", waves).read_bytes()
    line = fails("convert", "a.csv", "./a.csv", "--drop", "u")
    assert (
        "a.csv is also the input and would be overwritten; give the result another name, or --force" in line
    )
    assert (folder / "a.csv").read_bytes() == before
    run("convert", "a.csv", "./a.csv", "--drop", "u", "--force")
    assert (folder / "a.csv").read_text().splitlines()[0] == "a,b,c,v"


def test_force_does_not_replace_what_is_learned_from(fails, folder, write_csv, waves):
    before = write_csv("a.csv", waves).read_bytes()
    line = fails("train", "a.csv", "--targets", "u", "--model", "a.csv", "--force")
    assert "a.csv is also the input and would be overwritten" in line
    assert (folder / "a.csv").read_bytes() == before


def test_data_of_the_demo_replace_nothing_without_force(run, fails, folder):
    (folder / "data").mkdir()
    (folder / "data" / "waves.test.csv").write_text("mine")
    assert "waves.test.csv already exists" in fails("demo", "--save", "data")
    assert [path.name for path in (folder / "data").iterdir()] == ["waves.test.csv"]
    run("demo", "--save", "data", "--force")
    assert len((folder / "data" / "waves.test.csv").read_text()) > 1000
    assert len(list((folder / "data").iterdir())) == 10


def test_a_study_is_not_written_over_the_report_of_something_else(fails, folder):
    (folder / "site").mkdir()
    (folder / "site" / "report.html").write_text("mine")
    assert "--out site has report.html" in fails("bench", "--profile", "smoke", "--out", "site")
    assert (folder / "site" / "report.html").read_text() == "mine"


def test_force_is_not_taken_from_files_of_options(run, fails, folder, write_csv, waves):
    write_csv("a.csv", waves)
    (folder / "o.toml").write_text('force = true\ndata = "a.csv"\n')
    assert "'force', which is not an option" in fails("train", "--config", "o.toml", code=2)
    assert "force" not in run("train", "a.csv", "--print-config").stdout


def test_no_file_is_called_like_stdout(fails, run, folder, write_csv, waves):
    write_csv("a.csv", waves)
    assert "give the name of a file" in fails("convert", "a.csv", "-", "--to", "csv", code=2)
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
    with pytest.raises(PermissionError, match="no permission to write in the folder"):
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
    assert "a.csv is also the input and would be overwritten" in fails(*words)
    assert (folder / "a.csv").read_bytes() == before


def test_a_folder_of_the_same_name_is_told_before_anything_is_read(fails, folder):
    (folder / "torn.csv").write_text("a,u\n1,2\n3\n")
    (folder / "m.slant").mkdir()
    assert "m.slant is a folder" in fails("train", "torn.csv", "--targets", "u", "--model", "m.slant")
