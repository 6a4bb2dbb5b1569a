"""Claims about --config and --print-config."""

import tomllib

import pytest


@pytest.fixture
def printed(run):
    return lambda *words: run(*words, "--print-config").stdout


def test_what_is_printed_can_be_fed_back(printed, folder):
    words = ["train", "a.arff", "--targets", "last:2", "--trees", "7", "--max-features", "0.5", "--no-header"]
    words += ["--set", "bootstrap=true", "--set", "threshold=f1_micro", "--split-set", "C=0.1", "--oob"]
    first = printed(*words)
    (folder / "c.toml").write_text(first)
    assert printed("train", "--config", "c.toml") == first
    values = tomllib.loads(first)
    assert values["data"] == "a.arff"
    assert values["trees"] == 7
    assert values["header"] is False
    assert values["oob"] is True
    assert values["set"] == {"bootstrap": True, "threshold": "f1_micro"}
    assert values["split-set"] == {"C": 0.1}
    assert "max-depth" not in values
    assert "# max-depth =" in first.splitlines()


def test_the_command_line_goes_before_the_file(printed, folder):
    (folder / "c.toml").write_text(
        "trees = 7\nseed = 3\nmax_depth = 2\n[set]\nbootstrap = true\nverbose = 1\n"
    )
    values = tomllib.loads(printed("cv", "a.csv", "--config", "c.toml", "--trees", "9", "--set", "verbose=0"))
    assert values["trees"] == 9
    assert values["seed"] == 3
    assert values["max-depth"] == 2
    assert values["set"] == {"bootstrap": True, "verbose": 0}


def test_the_data_may_stand_in_the_file_too(printed, folder):
    (folder / "c.toml").write_text('data = "b.csv"\n')
    assert tomllib.loads(printed("train", "--config", "c.toml"))["data"] == "b.csv"
    assert tomllib.loads(printed("train", "a.csv", "--config", "c.toml"))["data"] == "a.csv"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tres = 3", "did you mean 'trees'?"),
        ("trees = 0", "--trees"),
        ('trees = "many"', "--trees"),
        ("trees = [1, 2]", "expected one value"),
        ('task = "guessing"', "--task"),
        ("set = 3", "expected a table [set]"),
        ("top-k = 3", "'top-k', which is not an option of this command"),
        ("trees 3", "not a TOML file"),
        ('config = "d.toml"', "'config'"),
    ],
)
def test_a_wrong_file_is_wrong_usage_and_says_what_is_wrong(fails, folder, text, said):
    (folder / "c.toml").write_text(text)
    assert said in fails("train", "a.csv", "--config", "c.toml", code=2)


def test_a_file_that_is_not_there_is_named(fails):
    assert "c.toml" in fails("train", "a.csv", "--config", "c.toml")


def test_nothing_is_written_when_the_options_are_only_printed(printed, folder):
    printed("train", "a.csv", "--model", "m.slant")
    assert list(folder.iterdir()) == []


def test_a_file_for_one_command_serves_another(run, printed, folder):
    (folder / "c.toml").write_text(printed("train", "a.csv", "--trees", "7", "--oob", "--model", "m.slant"))
    result = run("cv", "--config", "c.toml", "--print-config")
    assert tomllib.loads(result.stdout)["trees"] == 7
    assert "'model', 'oob', 'float16', 'predict-only': only for other commands" in result.stderr


def test_what_a_file_turns_on_can_be_turned_off(printed, folder):
    (folder / "c.toml").write_text("header = true\n")
    assert tomllib.loads(printed("train", "--config", "c.toml"))["header"] is True
    assert tomllib.loads(printed("train", "--config", "c.toml", "--no-header"))["header"] is False
