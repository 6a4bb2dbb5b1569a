"""Claims about `slantwood datasets`, and about known data sets in place of files."""

import json

import pytest

ROWS = "".join(f"{i % 4},{i % 3},{i % 2},{'LBR'[i % 3]}\n" for i in range(60))


@pytest.fixture
def sets(folder):
    """Make a data folder with one known data set in it, smaller than it is."""
    home = folder / "sets" / "mlc" / "emotions"
    home.mkdir(parents=True)
    labels = ["amazed", "happy", "calm", "still", "sad", "angry"]
    head = ["@relation emotions", "@attribute x numeric", "@attribute z numeric"]
    head += [f"@attribute {name} {{0,1}}" for name in labels]
    marks = [[int(i % (3, 5)[j % 2] == j // 2) for j in range(6)] for i in range(60)]
    rows = [",".join(map(str, [i % 3, i % 5, *marks[i]])) for i in range(60)]
    (home / "emotions.arff").write_text("\n".join([*head, "@data", *rows]) + "\n")
    xml = "".join(f'<label name="{name}"></label>' for name in labels)
    (home / "emotions.xml").write_text(f'<labels xmlns="http://mulan.sourceforge.net/labels">{xml}</labels>')
    return folder / "sets"


def test_all_sets_are_listed_with_what_is_there(run, sets):
    result = run("datasets", "--folder", sets)
    heading, _, *rows = result.stdout.splitlines()
    assert heading.split() == ["name", "task", "rows", "features", "targets", "where"]
    assert len(rows) >= 78
    (emotions,) = [row for row in rows if row.startswith("emotions ")]
    assert emotions.split()[:5] == ["emotions", "multi-label", "593", "72", "6"]
    assert emotions.endswith("here")
    assert result.stderr.startswith("1 of ")


def test_the_list_is_json_if_asked_for(run, sets):
    entries = json.loads(run("datasets", "--folder", sets, "--json").stdout)
    by_name = {entry["name"]: entry for entry in entries}
    assert by_name["emotions"]["files"] == [str(sets / "mlc" / "emotions" / "emotions.arff")]
    assert by_name["scene"]["files"] == []
    assert all(entry["rows"] > 0 and entry["page"] for entry in entries)


def test_one_set_is_shown_with_all_that_is_known(run, sets):
    text = run("datasets", "emotions", "--folder", sets).stdout
    assert "multi-label" in text
    assert "593" in text
    assert str(sets) in text
    assert json.loads(run("datasets", "emotions", "--json").stdout)["name"] == "emotions"


def test_unknown_names_and_folders_are_told(fails):
    assert "did you mean 'emotions'?" in fails("datasets", "emotion")
    assert "--folder gone" in fails("datasets", "--folder", "gone")


def test_a_known_set_is_trained_on_by_its_name(run, sets, folder, monkeypatch):
    monkeypatch.setenv("SLANTWOOD_DATA", str(sets))
    result = run("train", "emotions", "--trees", "3")
    assert result.stderr.startswith("There is no file 'emotions': taking the data set of this name.\n")
    assert (folder / "emotions.slant").exists()
    document = json.loads(run("evaluate", "emotions.slant", "dataset:emotions", "--json").stdout)
    assert document["rows"] == 60
    assert document["lrap"] > 0.9


def test_a_file_goes_before_a_set_of_the_same_name(run, sets, folder, monkeypatch):
    monkeypatch.setenv("SLANTWOOD_DATA", str(sets))
    (folder / "emotions").write_text("a,b,c,y\n" + ROWS)
    said = run("train", "emotions", "--format", "csv", "--targets", "y", "--kind", "tree").stderr
    assert said.startswith("Read emotions: 60 rows, 3 features")


def test_a_known_set_can_be_had_in_another_format(run, fails, sets, folder, monkeypatch):
    monkeypatch.setenv("SLANTWOOD_DATA", str(sets))
    run("convert", "emotions", "e.csv")
    assert len((folder / "e.csv").read_text().splitlines()) == 61
    assert "--drop" in fails("convert", "emotions", "f.csv", "--drop", "x", code=2)
