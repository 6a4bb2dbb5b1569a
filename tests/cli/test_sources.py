"""Claims about what stands behind the word DATA."""

import os
import threading
from pathlib import Path

import pytest

from slantwood.cli.sources import file_of


def test_a_dash_is_what_is_piped_in_and_a_tilde_the_home_folder(monkeypatch, folder):
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    assert file_of("-") == Path("/dev/stdin")
    assert file_of("~/a.csv") == folder / "a.csv"
    assert file_of("a.csv") == Path("a.csv")


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
    said = run("train", "a.csv", "--targets", "u", "--tree").stderr
    assert f"slantwood: warning: target 'u' is always {shown}: there is nothing to learn\n" in said
