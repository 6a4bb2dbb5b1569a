"""Claims about settings files of CLUS."""

import tomllib

import pytest

SETTINGS = """
[General]
RandomSeed = 3      % the seed
Verbose = 2

[Data]
File = sub/train.arff
TestSet = "test.arff"
XVal = 4

[Attributes]
Target = 5 - 6, 8
Clustering = 5 - 6, 8
Disable = 2
Key = 1
Weights = Normalize

[Constraints]
MaxDepth = Infinity

[Model]
MinimalWeight = 2.5

[Tree]
FTest = 0.01
PruningMethod = None
Heuristic = VarianceReduction

[Ensemble]
Iterations = 25
EnsembleMethod = RForest
SelectRandomSubspaces = SQRT
OOBestimate = Yes
FeatureRanking = Genie3

[Output]
TrainErrors = No
"""


@pytest.fixture
def read(run, folder):
    """Return the options that a file gives, and what is said about it."""

    def go(text, command="train", *more):
        (folder / "settings.s").write_text(text)
        result = run(command, "settings.s", "--print-config", *more)
        return tomllib.loads(result.stdout), result.stderr

    return go


def test_options_with_a_counterpart_are_taken(read):
    options, _ = read(SETTINGS)
    assert {key: options[key] for key in ("seed", "targets", "drop", "min-samples-split", "trees")} == {
        "seed": 3,
        "targets": "columns:5-6,8",
        "drop": "columns:2,1",
        "min-samples-split": 5,
        "trees": 25,
    }
    assert options["max-features"] == "sqrt"
    assert options["set"] == {"bootstrap": True}
    assert options["oob"] is True
    assert options["tree"] is False
    assert "max-depth" not in options


def test_files_lie_beside_the_settings(run, folder):
    (folder / "there").mkdir()
    (folder / "there" / "settings.s").write_text("[Data]\nFile = a.arff\nTestSet = b.arff\n")
    options = tomllib.loads(run("train", "there/settings.s", "--print-config").stdout)
    assert options["data"] == "there/a.arff"
    assert options["test"] == "there/b.arff"


def test_the_others_are_named_in_one_warning(read):
    _, said = read(SETTINGS)
    (warning,) = [line for line in said.splitlines() if "warning" in line]
    names = warning.rpartition(": ")[2].split(", ")
    assert sorted(names) == ["Data.XVal", "Ensemble.FeatureRanking", "General.Verbose", "Tree.FTest"]


def test_what_another_command_has_is_no_counterpart(read):
    options, said = read(SETTINGS, "cv")
    assert options["folds"] == 4
    assert "Data.TestSet" in said.splitlines()[-1]
    assert "Ensemble.OOBestimate" in said.splitlines()[-1]


def test_the_command_line_goes_before(read):
    options, _ = read(SETTINGS, "train", "--trees", "2", "--set", "bootstrap=false")
    assert options["trees"] == 2
    assert options["set"] == {"bootstrap": False}


def test_what_clus_takes_for_granted_is_taken_for_granted(read):
    options, _ = read("[Data]\nFile = a.arff\n")
    assert options["targets"] == "last:1"
    assert options["tree"] is True


def test_bagging_uses_all_features(read):
    options, _ = read("[Data]\nFile = a.arff\n[Ensemble]\nEnsembleMethod = Bagging\n")
    assert options["max-features"] == "1.0"
    assert options["set"] == {"bootstrap": True}


def test_a_hierarchy_says_itself_what_is_predicted(read):
    text = "[Data]\nFile = a.arff\n[Attributes]\nTarget = 7\n[Hierarchical]\nType = TREE\n"
    options, said = read(text + "WType = ExpAvgParentWeight\nClassificationThreshold = 40\n")
    assert "targets" not in options
    assert options["set"] == {"threshold": 0.4}
    assert "warning" not in said


@pytest.mark.parametrize(("kind", "is_told"), [("TREE", False), ("DAG", True)])
def test_only_in_a_graph_it_matters_how_the_weights_of_parents_are_joined(read, kind, is_told):
    text = f"[Data]\nFile = a.arff\n[Hierarchical]\nType = {kind}\nWType = ExpMinParentWeight\n"
    assert ("Hierarchical.WType" in read(text)[1]) is is_told


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[Data]\nFile = a.arff\nnonsense\n", "line 3"),
        ("File = a.arff\n", "line 1"),
        ("[Attributes]\nTarget = 3\n", "no File"),
        ("[Data]\nFile = gone.arff\n", "there is no file 'gone.arff'"),
    ],
)
def test_a_wrong_file_is_told_with_its_place(fails, folder, text, said):
    (folder / "settings.s").write_text(text)
    assert said in fails("train", "settings.s")


def test_a_model_is_trained_and_tested_as_the_file_says(run, folder, write_arff, flowers):
    write_arff("a.arff", flowers)
    data = "[Data]\nFile = a\nTestSet = a.arff\n"
    (folder / "s.s").write_text(f"{data}[Attributes]\nTarget = 5\nDisable = 3\n[Ensemble]\nIterations = 3\n")
    result = run("train", "s.s", "--model", "m.slant")
    assert "3 features" in result.stderr
    assert "Trained 3 trees" in result.stderr
    assert "accuracy" in result.stdout
    assert (folder / "m.slant").exists()
