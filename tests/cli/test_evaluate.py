"""Claims about `slantwood evaluate`."""

import json
from pathlib import Path

import numpy as np
import pytest

import slantwood


@pytest.fixture
def measures(run):
    """Evaluate the model m.slant; return the JSON object."""
    return lambda *words: json.loads(run("evaluate", "m.slant", *words, "--json").stdout)


@pytest.fixture
def train(run):
    return lambda data, *words: run("train", data, "--trees", "4", "--model", "m.slant", *words)


MEASURES = {
    "kind": {"accuracy", "macro_f1", "balanced_accuracy", "log_loss"},
    "side": {"accuracy", "f1", "auc", "log_loss"},
    "width": {"r2", "rmse", "mae"},
    "width,noise": {"mean_r2", "arrmse"},
    "p,q": {"lrap", "micro_f1", "macro_f1", "hamming_loss", "subset_accuracy", "coverage", "precision_at_1"},
}


@pytest.mark.parametrize("targets", MEASURES)
def test_each_task_has_its_measures(train, measures, write_csv, flowers, targets):
    flowers["side"] = ["left", "right"] * 45
    flowers["p"] = [int(i % 3 == 0) for i in range(90)]
    flowers["q"] = [int(i % 3 != 1) for i in range(90)]
    write_csv("a.csv", flowers)
    train("a.csv", "--targets", targets)
    document = measures("a.csv", "--per-target")
    assert document.pop("rows") == document.pop("scored_rows") == 90
    each = document.pop("per_target")
    assert document.pop("positive_class", None) == ("right" if targets == "side" else None)
    assert set(document) - {"model", "data", "task"} == MEASURES[targets]
    assert all(isinstance(document[name], float) for name in MEASURES[targets])
    expected = {"kind": {"elm", "fir", "oak"}, "side": {"left", "right"}}
    assert set(each) == expected.get(targets, set(targets.split(",")))


@pytest.mark.parametrize(
    ("targets", "more"),
    [
        ("kind", "macro_recall"),
        ("width", "correlation"),
        ("width,noise", "average_rmse"),
        ("p,q", "one_error"),
    ],
)
def test_all_measures_are_there_if_asked_for(train, measures, run, write_csv, flowers, targets, more):
    flowers["p"] = [int(i % 3 == 0) for i in range(90)]
    flowers["q"] = [int(i % 3 != 1) for i in range(90)]
    write_csv("a.csv", flowers)
    train("a.csv", "--targets", targets)
    usual, found = measures("a.csv"), measures("a.csv", "--all")
    assert more not in usual
    assert found | usual == found
    assert found[more] > 0
    shown = run("evaluate", "m.slant", "a.csv", "--all").stdout.splitlines()
    assert any(line.startswith(more.replace("_", " ").split()[0]) for line in shown)


def test_the_table_has_the_same_numbers(train, run, measures, write_csv, flowers):
    write_csv("a.csv", flowers)
    train("a.csv", "--targets", "kind")
    table = run("evaluate", "m.slant", "a.csv", "--per-target").stdout.splitlines()
    assert table[0].split() == ["measure", "value"]
    assert float(table[2].split()[-1]) == pytest.approx(measures("a.csv")["accuracy"], abs=1e-4)
    assert any(line.split()[0] == "elm" and line.split()[-1] == "30" for line in table)


def test_order_and_format_of_the_file_make_no_difference(run, train, measures, write_csv, write_arff, tags):
    write_csv("a.csv", tags)
    train("a.csv", "--targets", "last:4")
    expected = measures("a.csv") | {"data": None}
    write_csv("b.csv", dict(sorted(tags.items(), reverse=True)))
    assert measures("b.csv") | {"data": None} == expected
    write_arff("c.arff", dict(sorted(tags.items())))
    assert measures("c.arff") | {"data": None} == expected


def test_classes_of_text_that_look_like_numbers_are_compared_as_text(
    train, measures, write_csv, write_arff, waves
):
    waves["u"] = [str(int(a > 0) + 1) for a in waves["a"]]
    write_arff("a.arff", waves)
    train("a.arff", "--targets", "u")
    write_csv("b.csv", waves)
    assert measures("b.csv")["accuracy"] > 0.95
    train("b.csv", "--targets", "u")
    assert measures("a.arff")["accuracy"] > 0.95


def test_a_file_with_one_class_only_is_judged_by_the_classes_of_training(train, measures, write_csv, waves):
    waves["u"] = [int(a > 0) for a in waves["a"]]
    write_csv("a.csv", waves)
    train("a.csv", "--targets", "u")
    ones = [i for i, u in enumerate(waves["u"]) if u]
    write_csv("b.csv", {name: [cells[i] for i in ones] for name, cells in waves.items()})
    document = measures("b.csv")
    assert document["accuracy"] > 0.95
    assert document["auc"] is None


def test_classes_that_training_did_not_have_count_as_wrong(train, run, write_csv, flowers):
    write_csv("a.csv", flowers)
    train("a.csv", "--targets", "kind")
    flowers["kind"] = ["yew"] * 45 + flowers["kind"][45:]
    write_csv("b.csv", flowers)
    result = run("evaluate", "m.slant", "b.csv", "--json")
    assert json.loads(result.stdout)["accuracy"] <= 0.5
    assert "'yew'" in result.stderr


@pytest.mark.parametrize(
    ("table", "targets", "empty"),
    [("flowers", "kind", ["kind"]), ("waves", "u", ["u"]), ("waves", "u,v", ["u", "v"])],
)
def test_rows_without_targets_are_counted_apart(request, run, write_csv, table, targets, empty):
    columns = request.getfixturevalue(table)
    write_csv("a.csv", columns)
    n_rows = len(columns["a" if table == "waves" else "kind"])
    write_csv("b.csv", columns | {name: columns[name][: n_rows - 43] + [""] * 43 for name in empty})
    words = ("train", "a.csv", "--targets", targets, "--trees", "2", "--model", "m.slant", "--test", "b.csv")
    counted = f"{n_rows} rows, {n_rows - 43} of them with a known target."
    assert f"Testing on b.csv: {counted}" in run(*words).stderr
    result = run("evaluate", "m.slant", "b.csv", "--json")
    assert counted in result.stderr
    document = json.loads(result.stdout)
    assert (document["rows"], document["scored_rows"]) == (n_rows, n_rows - 43)
    assert "with a known target" not in run("evaluate", "m.slant", "a.csv").stderr
    run("report", "m.slant", "b.csv")
    page = Path("report.html").read_text(encoding="utf-8")
    assert f"{n_rows} rows given, {n_rows - 43} of them with a known target" in page


def test_rows_without_truth_are_left_out(train, run, measures, write_csv, flowers, waves, tags):
    for columns, targets, rows in ((flowers, "kind", 90), (tags, "last:4", 80)):
        write_csv("a.csv", columns)
        train("a.csv", "--targets", targets)
        last = list(columns)[-1]
        write_csv("b.csv", columns | {last: columns[last][:30] + [""] * (rows - 30)})
        write_csv("c.csv", {name: cells[:30] for name, cells in columns.items()})
        same = {"rows": None, "data": None}
        result = run("evaluate", "m.slant", "b.csv", "--json")
        assert f"{rows - 30} rows without (all) known labels left out" in result.stderr
        assert json.loads(result.stdout) | same == measures("c.csv") | same
    write_csv("a.csv", waves)
    train("a.csv", "--targets", "u,v")
    write_csv("b.csv", waves | {"v": waves["v"][:30] + [""] * 50})
    assert measures("b.csv")["scored_rows"] == 80  # each has a target at least
    each = measures("b.csv", "--per-target")["per_target"]
    assert each["u"]["rows"] == 80
    assert each["v"]["rows"] == 30


def test_labels_of_numbered_files_are_lined_up_by_number(train, measures, folder):
    lines = [f"{','.join(['2', '5', '7'][: 1 + i % 3])} 1:{i % 3} 2:1" for i in range(60)]
    (folder / "a.svm").write_text("\n".join(lines) + "\n")
    train("a.svm")
    (folder / "b.svm").write_text("\n".join(line for line in lines if line.startswith("2 ")) + "\n")
    document = measures("b.svm", "--per-target")
    assert document["subset_accuracy"] == 1.0
    assert document["per_target"]["2"]["rows"] == 20
    assert document["per_target"]["7"]["rows"] == 0


def test_targets_of_other_names_can_be_named(train, measures, fails, write_csv, waves):
    write_csv("a.csv", waves)
    train("a.csv", "--targets", "u", "--drop", "v")
    renamed = {("truth" if name == "u" else name): cells for name, cells in waves.items()}
    write_csv("b.csv", renamed)
    line = fails("evaluate", "m.slant", "b.csv")
    assert "no column 'u', which the model predicts" in line
    assert "--targets" in line
    assert measures("b.csv", "--targets", "truth")["r2"] == measures("a.csv")["r2"]


def test_text_where_numbers_are_predicted_is_told(train, fails, write_csv, waves):
    write_csv("a.csv", waves)
    train("a.csv", "--targets", "u", "--drop", "v")
    write_csv("b.csv", waves | {"u": ["big", "small"] * 40})
    assert "b.csv" in fails("evaluate", "m.slant", "b.csv")


def test_models_of_label_sets_saved_in_python_are_judged_too(run, folder, write_csv, waves):
    X = np.array([waves[name] for name in "abc"], np.float32).T
    sets = [{"p/q"} if a > 0 else {"r"} for a in waves["a"]]
    hierarchy = slantwood.Hierarchy.from_paths(["p", "p/q", "r"])
    forest = slantwood.ObliqueForestClassifier(n_estimators=3, hierarchy=hierarchy, random_state=0)
    forest.fit(X, sets).save("m.slant", predict_only=True)
    head = ["@relation h", *(f"@attribute {name} numeric" for name in "abc")]
    # Another hierarchy: one label has labels below it, and one is not there.
    head += ["@attribute class hierarchical p,p/q,p/q/s,r,t", "@data"]
    rows = [",".join(map(str, x)) + ("," + ("p/q/s" if x[0] > 0 else "r")) for x in X.tolist()]
    (folder / "a.arff").write_text("\n".join([*head, *rows]) + "\n")
    with pytest.warns(UserWarning, match="does not know, and they are left out: 'p/q/s', 't'"):
        result = run("evaluate", "m.slant", "a.arff", "--json")
    assert json.loads(result.stdout)["hierarchical_f1"] > 0.95
    write_csv("b.csv", {name: waves[name] for name in "abc"})
    labels = run("predict", "m.slant", "b.csv").stdout.splitlines()
    assert labels[0] == "labels"
    assert {"p;p/q", "r"} <= set(labels[1:]) <= {"p;p/q", "r", '""'}  # some rows may have no label


def test_models_that_know_no_names_need_to_be_told_the_targets(measures, fails, write_csv, tags):
    write_csv("a.csv", tags)
    X = np.array([tags[name] for name in "abc"], np.float32).T
    Y = np.array([tags[name] for name in ("sun", "sea", "wind", "ice")]).T
    slantwood.ObliqueForestClassifier(n_estimators=3, random_state=0).fit(X, Y).save("m.slant")
    assert "--targets" in fails("evaluate", "m.slant", "a.csv")
    assert measures("a.csv", "--targets", "last:4")["lrap"] > 0.9
