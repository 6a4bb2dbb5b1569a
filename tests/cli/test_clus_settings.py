"""Claims about settings files of CLUS."""

import tomllib
import zipfile

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
    assert {
        key: options[key] for key in ("seed", "targets", "drop", "min-samples-leaf", "ftest", "trees")
    } == {
        "seed": 3,
        "targets": "columns:5-6,8",
        "drop": "columns:1-2",
        "min-samples-leaf": 3,
        "ftest": 0.01,
        "trees": 25,
    }
    assert options["max-features"] == "sqrt"
    assert options["set"] == {"bootstrap": True}
    assert options["oob"] is True
    assert options["kind"] == "forest"
    assert "max-depth" not in options


def test_the_size_of_bags_is_that_of_samples(read):
    text = "[Data]\nFile = a.arff\n[Ensemble]\nEnsembleMethod = RForest\nBagSize = {}\n"
    options, said = read(text.format(30))
    assert options["max-samples"] == 30
    assert "Ensemble.BagSize as --max-samples 30" in said
    assert "max-samples" not in read(text.format(0))[0]  # which are all rows


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
    assert sorted(names) == ["Data.XVal", "Ensemble.FeatureRanking", "General.Verbose"]


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
    assert options["kind"] == "tree"
    assert (options["min-samples-leaf"], options["min-samples-split"]) == (2, 2)
    options, _ = read("[Data]\nFile = a.arff\n[Ensemble]\nEnsembleMethod = RForest\n")
    assert (options["kind"], options["trees"], options["max-features"]) == ("forest", 10, "log2")


@pytest.mark.parametrize(
    "section", ["", "[Ensemble]\nEnsembleMethod = RForest\n", "[Hierarchical]\nType = DAG\n"]
)
def test_trees_are_those_of_clus_and_the_report_says_how_to_get_ours(read, section):
    text = f"[Data]\nFile = a.arff\n{section}"
    options, said = read(text)
    assert options["split"] == "axis"
    assert "CLUS's axis-parallel trees as --split axis" in said
    assert "--split gradient grows slantwood's oblique trees" in said
    assert read(text, "train", "--split", "gradient")[0]["split"] == "gradient"


def test_the_report_says_which_option_became_which_of_ours(read):
    text = SETTINGS + "[Hierarchical]\nType = TREE\nClassificationThreshold = 40\n"
    (report,) = [line for line in read(text)[1].splitlines() if line.startswith("Settings of")]
    became = set(report.partition(": ")[2].removesuffix(".").split("; "))
    assert became >= {
        "Ensemble.EnsembleMethod as --set bootstrap=true",
        "Hierarchical.ClassificationThreshold as --set threshold=0.4",
        "Attributes.Disable and Attributes.Key as --drop columns:1-2",
        "Model.MinimalWeight as --min-samples-leaf 3",
        "Tree.FTest as --ftest 0.01",
        "Ensemble.OOBestimate as --oob",
    }


@pytest.mark.parametrize(
    ("option", "instead"),
    [
        ("[Tree]\nFTest = [0.001,0.01]", "In place of Tree.FTest: give one level of significance"),
        ("[Tree]\nPruningMethod = M5", "In place of Tree.PruningMethod: --ccp-alpha prunes"),
        ("[Constraints]\nMaxSize = 9", "In place of Constraints.MaxSize: --max-leaf-nodes limits"),
        (
            "[Ensemble]\nFeatureRanking = Genie3",
            "In place of Ensemble.FeatureRanking: slantwood inspect MODEL",
        ),
    ],
)
def test_what_has_no_counterpart_is_named_with_what_to_do_in_its_place(read, option, instead):
    _, said = read(f"[Data]\nFile = a.arff\n{option}\n")
    name = instead.removeprefix("In place of ").partition(":")[0]
    assert instead in said
    assert said.splitlines()[-1].endswith(f"are ignored: {name}")


def test_the_larger_of_two_limits_of_leaves_counts(read):
    model = "[Data]\nFile = a.arff\n[Model]\nMinimalWeight = 5\nMinimalNumberExamples = {}\n"
    assert [read(model.format(number))[0]["min-samples-leaf"] for number in (0, 1, 7)] == [5, 5, 7]


def test_bagging_looks_at_all_features_whatever_else_is_said(read):
    text = "[Data]\nFile = a.arff\n[Ensemble]\nEnsembleMethod = Bagging\nSelectRandomSubspaces = 0\n"
    assert read(text)[0]["max-features"] == "1.0"


# ---- attributes


@pytest.fixture
def settings(folder, write_arff):
    """Return a function that gives a settings file these lists of the six attributes of a data file."""
    write_arff("six.arff", {name: [1, 2, 3] for name in "abcdef"})

    def text(*lists):
        return "\n".join(["[Data]", "File = six.arff", "[Attributes]", *lists, ""])

    return text


@pytest.mark.parametrize(
    ("lists", "targets", "dropped"),
    [
        (["Target = 5-6", "Disable = 2,5-6"], "columns:5-6", "columns:2"),  # Target goes before Disable
        (["Target = 5-6", "Disable = 5-6"], "columns:5-6", None),
        (["Disable = 5-6"], "columns:4", "columns:5-6"),  # the last that is not disabled
        (["Key = 6"], "columns:5", "columns:6"),
        (["Target = 6", "Descriptive = 1-3"], "columns:6", "columns:4-5"),
        (["Target = 6", "Descriptive = 1-3,5", "Disable = 1-2", "Key = 5"], "columns:6", "columns:4-5"),
        (["Descriptive = 2"], "columns:6", "columns:1,3-5"),
        (["Target = 6", "Clustering = 1,6", "Disable = 1-2"], "columns:6", "columns:2"),
        (["Target = Default", "Disable = None", "Descriptive = Default"], "columns:6", None),
        ([], "columns:6", None),
    ],
)
def test_attributes_have_the_roles_that_clus_gives_them(read, settings, lists, targets, dropped):
    options, _ = read(settings(*lists))
    assert (options["targets"], options.get("drop")) == (targets, dropped)


def test_what_clus_decides_between_lists_is_said(read, settings):
    _, said = read(settings("Target = 5-6", "Disable = 2,5"))
    assert "Disable has the targets 5: they stay targets, as in CLUS." in said
    _, said = read(settings("Target = 5-6", "Descriptive = 1-6"))
    assert "Descriptive has the targets 5-6: here targets are not inputs." in said


def test_an_attribute_of_the_type_key_names_rows_and_is_no_target(read, folder):
    head = "@attribute k key\n@attribute x numeric\n@attribute t numeric\n@attribute n key\n@data\n"
    (folder / "a.arff").write_text(head + "one,1,2,p\ntwo,3,4,q\n")
    options, _ = read("[Data]\nFile = a.arff\n[Attributes]\nKey = 1\nDescriptive = 2\n")
    assert (options["targets"], "drop" in options) == ("columns:3", False)


def test_clustering_that_is_not_the_targets_is_named(read, settings):
    assert "warning" not in read(settings("Target = 5-6", "Clustering = 5,6"))[1]
    assert "ignored: Attributes.Clustering" in read(settings("Target = 5-6", "Clustering = 4-6"))[1]


def test_descriptive_attributes_of_a_file_that_is_not_there_are_named(read):
    _, said = read("[Data]\nFile = gone.arff\n[Attributes]\nDescriptive = 1-3\n")
    assert "ignored: Attributes.Descriptive" in said


@pytest.mark.parametrize("listed", ["0-3", "5-4", "1-99999999999"])
def test_a_wrong_list_of_attributes_is_named(fails, folder, settings, listed):
    (folder / "s.s").write_text(settings(f"Target = {listed}"))
    assert f"s.s: Attributes.Target has '{listed}'; expected attributes counted from 1" in fails(
        "train", "s.s"
    )


# ---- files


@pytest.mark.parametrize("text", ["[Attributes]\nTarget = 5\n", "[Data]\nFile = None\n", ""])
def test_without_a_file_the_one_of_the_same_name_is_taken(run, folder, write_arff, flowers, text):
    (folder / "sub").mkdir()
    write_arff("sub/iris.arff", flowers)
    (folder / "sub" / "iris.s").write_text(text)
    result = run("train", "sub/iris.s", "--print-config")
    assert tomllib.loads(result.stdout)["data"] == "sub/iris.arff"
    assert "No Data.File: taking sub/iris.arff." in result.stderr


@pytest.mark.parametrize("file", ["File = a.arff.zip", "File = a.arff", "File = a", ""])
def test_the_data_may_be_in_an_archive(run, folder, write_arff, flowers, file):
    write_arff("a.arff", flowers)
    with zipfile.ZipFile(folder / "a.arff.zip", "w") as archive:
        archive.write(folder / "a.arff", "a.arff")
    (folder / "a.arff").unlink()
    (folder / "a.s").write_text(f"[Data]\n{file}\nTestSet = a.arff.zip\n[Attributes]\nTarget = 5\n")
    result = run("train", "a.s", "--model", "m.slant")
    assert "Read a.arff.zip: 90 rows, 4 features" in result.stderr
    assert "accuracy" in result.stdout


SPARSE = "@attribute a numeric\n@attribute b numeric\n@attribute c numeric\n@attribute t {p,q}\n@data\n"


def test_sparse_rows_count_from_one_as_those_of_clus(run, folder):
    (folder / "a.s").write_text("[Data]\nTestSet = a.arff\n")
    (folder / "a.arff").write_text(SPARSE + "{1 5,4 q}\n{2 5}\n{1 6,4 q}\n{2 7}\n")
    message = "count attributes from 1, as CLUS does: line 6 has the index 4"
    with pytest.warns(UserWarning, match=message):
        result = run("train", "a.s", "--model", "m.slant")
    assert "sparse rows as --index-base clus" in result.stderr
    assert "1.0000" in result.stdout  # the first attribute tells all
    assert "prediction" in run("predict", "m.slant", "a.arff", "--index-base", "1").stdout
    with pytest.warns(UserWarning, match=message):
        assert "1.0000" in run("evaluate", "m.slant", "a.arff").stdout


def test_sparse_rows_that_tell_nothing_count_as_those_of_clus(run, folder):
    (folder / "a.s").write_text("[Attributes]\nTarget = 3\n")
    (folder / "a.arff").write_text(
        SPARSE.replace("{p,q}", "numeric") + "{1 5,3 2}\n{2 5}\n{1 6,3 2}\n{2 7}\n"
    )
    with pytest.warns(UserWarning, match="count attributes from 1, as CLUS does: nothing in them tells"):
        result = run("train", "a.s", "--model", "m.slant")
    assert "Task: binary (target 'c' holds 2 classes 0, 2" in result.stderr
    result = run("train", "a.s", "--index-base", "0", "--model", "m.slant")
    assert "Task: regression (target 'c' holds numbers" in result.stderr


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
