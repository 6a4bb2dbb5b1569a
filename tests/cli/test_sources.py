"""Claims about what stands behind the word DATA."""

import os
import threading
from pathlib import Path

import pytest

from slantwood.cli.sources import data_path


def test_a_dash_is_what_is_piped_in_and_a_tilde_the_home_folder(monkeypatch, folder):
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    assert data_path("-") == Path("/dev/stdin")
    assert data_path("~/a.csv") == folder / "a.csv"
    assert data_path("a.csv") == Path("a.csv")


def test_home_folders_may_stand_in_files_of_options(run, folder, write_csv, waves, monkeypatch):
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    write_csv("a.csv", waves)
    (folder / "c.toml").write_text('data = "~/a.csv"\nmodel = "~/m.slant"\ntargets = "u"\ntrees = 2\n')
    run("train", "--config", "~/c.toml")
    assert (folder / "m.slant").exists()
    run("predict", "m.slant", "~/a.csv", "--output", "~/p.csv")
    assert (folder / "p.csv").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
@pytest.mark.parametrize("end", ["arff", "csv"])
def test_a_pipe_is_as_good_as_a_file(run, folder, write_arff, write_csv, flowers, end):
    file = (write_arff if end == "arff" else write_csv)(f"a.{end}", flowers)
    run("train", file, "--targets", "kind", "--trees", "2", "--model", "m.slant")
    expected = run("predict", "m.slant", file).stdout
    os.mkfifo(folder / "pipe")
    text = file.read_text()
    writer = threading.Thread(target=(folder / "pipe").write_text, args=(text,), daemon=True)
    writer.start()
    assert run("predict", "m.slant", "pipe", "--format", end).stdout == expected
    writer.join(10)


def test_a_model_is_not_taken_for_data(fails, folder):
    (folder / "m.slant").write_bytes(b"")
    for words in (("train", "m.slant"), ("cv", "m.slant")):
        assert "m.slant is a model file; expected a data file" in fails(*words)


@pytest.mark.parametrize("command", ["train", "cv"])
@pytest.mark.parametrize(
    ("text", "targets", "said"),
    [
        ("a,u\n", "u", "a.csv has 0 rows; expected at least 2"),
        ("a,u\n1,2\n", "u", "a.csv has 1 row; expected at least 2"),
        ("a,u\n1,2\n3,5\n4,7\n", "a,u", "a.csv has no columns but targets"),
    ],
)
def test_files_with_nothing_to_learn_from_are_named(fails, folder, command, text, targets, said):
    (folder / "a.csv").write_text(text)
    assert said in fails(command, "a.csv", "--targets", targets)


@pytest.mark.parametrize(("value", "shown"), [("oak", "'oak'"), ("1.5", "1.5")])
def test_a_target_that_never_changes_is_told(run, write_csv, waves, value, shown):
    write_csv("a.csv", waves | {"u": [value] * 80})
    said = run("train", "a.csv", "--targets", "u", "--kind", "tree").stderr
    assert f"slantwood: warning: target 'u' is always {shown}: there is nothing to learn\n" in said


DIALECT = (
    "@attribute name string\n@attribute x numeric\n@attribute c {Rom,Straße}\n@attribute t {p,q}\n@data\n"
)


@pytest.fixture
def dialect(folder):
    """Write an ARFF file in Windows' encoding, with a text, whose rows count attributes from 1."""
    (folder / "a.arff").write_bytes(
        (DIALECT + "{2 5,4 q}\n{1 z,2 1,3 Straße}\n{2 6,4 q}\n{}\n").encode("cp1252")
    )
    return "--encoding", "cp1252", "--index-base", "1"


def test_every_command_can_be_told_how_an_arff_file_is_written(run, dialect):
    said = run("train", "a.arff", "--targets", "t", "--drop-text", *dialect, "--model", "m.slant").stderr
    assert "4 rows, 2 features" in said
    assert "q" in run("predict", "m.slant", "a.arff", *dialect).stdout
    assert "accuracy" in run("evaluate", "m.slant", "a.arff", *dialect).stdout
    assert "accuracy" in run("cv", "a.arff", "--targets", "t", "--folds", "2", "--drop-text", *dialect).stdout
    run("convert", "a.arff", "b.csv", "--drop-text", *dialect)
    assert run("convert", "b.csv", "c.arff", "--targets", "t").stdout == ""


def test_texts_that_are_not_dropped_are_told_with_the_way_to_do_it(fails, dialect):
    assert "drop_text=True" in fails("train", "a.arff", "--targets", "t", *dialect)


@pytest.mark.parametrize("words", [("--encoding", "cp1252"), ("--index-base", "0"), ("--drop-text",)])
def test_how_a_file_is_written_is_not_said_of_a_known_set(fails, words):
    said = fails("train", "dataset:emotions", *words, code=2)
    assert words[0] in said
    assert "a known data set defines this itself" in said
