"""Claims about `slantwood predict`: what is lined up with what, and how predictions are written."""

import csv
import gzip
import io
import json
import tracemalloc

import numpy as np
import pytest

import slantwood


@pytest.fixture
def train(run):
    """Train a small model."""

    def go(data, *words, model="m.slant"):
        run("train", data, "--trees", "4", "--model", model, *words)
        return slantwood.load_model(model)

    return go


@pytest.fixture
def predicted(run):
    """Predict to stdout; return the rows as dictionaries."""
    return lambda *words: list(csv.DictReader(io.StringIO(run("predict", "m.slant", *words).stdout)))


def inputs(columns, names):
    return np.array([columns[name] for name in names], np.float32).T


@pytest.mark.parametrize(("table", "targets"), [("flowers", "kind"), ("tags", "last:4"), ("waves", "u,v")])
def test_boosted_models_predict_and_are_scored_as_others(
    run, train, predicted, write_csv, request, table, targets
):
    columns = request.getfixturevalue(table)
    write_csv("a.csv", columns)
    model = train("a.csv", "--targets", targets, "--kind", "boosting", "--set", "early_stopping=false")
    assert model.n_iter_ == 4
    assert len(predicted("a.csv")) == len(next(iter(columns.values())))
    document = json.loads(run("evaluate", "m.slant", "a.csv", "--json").stdout)
    assert document["task"] == model.targets_.task


# ---- lining up


def test_the_order_of_columns_and_other_columns_make_no_difference(
    train, predicted, write_arff, write_csv, flowers
):
    write_arff("a.arff", flowers)
    model = train("a.arff", "--targets", "kind", "--split", "svm")
    names = ["soil", "noise", "height", "width"]
    shuffled = {"id": [f"row {i}" for i in range(90)]} | {name: flowers[name] for name in names}
    write_csv("b.csv", shuffled)
    rows = predicted("b.csv")
    assert rows == predicted("a.arff")
    import pandas

    frame = pandas.DataFrame({name: flowers[name] for name in ("width", "height", "noise", "soil")})
    frame["soil"] = frame["soil"].astype("category")
    assert [row["prediction"] for row in rows] == model.predict(frame).tolist()


def test_every_format_gives_the_same_predictions(run, train, predicted, write_csv, waves):
    pytest.importorskip("pyarrow")
    write_csv("a.csv", waves)
    train("a.csv", "--targets", "u,v")
    expected = predicted("a.csv")
    for name in ("b.arff", "b.tsv", "b.npz", "b.parquet", "b.csv.gz"):
        run("convert", "a.csv", name)
        assert predicted(name) == expected, name


def test_codes_are_codes_in_every_file(train, predicted, write_csv, flowers):
    flowers["code"] = [str(i % 3) for i in range(90)]
    flowers["kind"] = ["elm" if i % 3 == 1 else "oak" for i in range(90)]
    write_csv("a.csv", {name: flowers[name] for name in ("noise", "code", "kind")})
    train("a.csv", "--targets", "kind", "--nominal", "code")
    rows = predicted("a.csv")
    assert [row["prediction"] for row in rows] == flowers["kind"]


def test_numbers_that_another_file_declares_as_categories_stay_numbers(
    run, train, predicted, write_csv, write_arff, waves
):
    waves["a"] = [int(a > 0) for a in waves["a"]]
    write_csv("a.csv", waves)
    train("a.csv", "--targets", "u", "--drop", "v")
    expected = predicted("a.csv")
    waves["a"] = [str(a) for a in waves["a"]]
    write_arff("b.arff", waves)
    assert predicted("b.arff") == expected


def test_a_file_without_names_is_taken_by_position(train, predicted, write_csv, waves):
    write_csv("a.csv", waves)
    train("a.csv", "--targets", "u,v")
    expected = predicted("a.csv")
    write_csv("b.csv", {name: waves[name] for name in "abc"}, header=False)
    assert predicted("b.csv") == expected


def test_a_model_of_a_file_without_names_takes_one_without_the_target(train, predicted, write_csv, waves):
    write_csv("a.csv", {name: waves[name] for name in "uabc"}, header=False)
    train("a.csv", "--targets", "first:1")
    expected = predicted("a.csv")
    write_csv("b.csv", {name: waves[name] for name in "abc"}, header=False)
    assert predicted("b.csv") == expected


def test_numbered_columns_that_a_file_lacks_are_zero(train, predicted, folder):
    rng = np.random.default_rng(0)
    lines = [f"{i % 3} " + " ".join(f"{j}:{rng.random():.3f}" for j in (1, 2 + i % 3, 9)) for i in range(60)]
    (folder / "a.svm").write_text("\n".join(lines) + "\n")
    train("a.svm")
    expected = predicted("a.svm", "--proba")
    assert len(expected) == 60
    short = [line.rpartition(" 9:")[0] for line in lines]
    (folder / "b.svm").write_text("\n".join(short) + "\n")
    (folder / "c.svm").write_text("\n".join(f"{line} 9:0 30:1" for line in short) + "\n")
    assert predicted("b.svm", "--proba") == predicted("c.svm", "--proba")


def test_a_file_of_many_more_numbered_columns_takes_what_its_values_take(train, predicted, folder):
    lines = [f"{i % 2} 1:{i % 2} 2:{i}" for i in range(60)]
    (folder / "a.svm").write_text("\n".join(lines) + "\n")
    train("a.svm")
    expected = predicted("a.svm", "--proba")
    (folder / "b.svm").write_text("\n".join(f"{line} 60000000:1" for line in lines) + "\n")
    tracemalloc.start()
    try:
        found = predicted("b.svm", "--proba")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found == expected
    assert peak < 100 << 20


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"a": "a", "B": "b", "c": "c"}, "'b', which the model learned from; did you mean 'B'?"),
        ({"c": "c"}, "'a', which the model learned from, nor 1 other that it needs"),
        ({"ab": "b", "b": "b", "c": "c"}, "'a', which the model learned from; did you mean 'ab'?"),
    ],
)
def test_a_missing_column_is_named(train, fails, write_csv, waves, columns, said):
    write_csv("a.csv", waves)
    train("a.csv", "--targets", "u,v")
    write_csv("b.csv", {new: waves[old] for new, old in columns.items()})
    assert f"b.csv: it has no column {said}" in fails("predict", "m.slant", "b.csv")


def test_a_file_without_names_must_have_as_many_columns(train, fails, write_csv, waves):
    write_csv("a.csv", waves)
    train("a.csv", "--targets", "u,v")
    write_csv("b.csv", {name: waves[name] for name in "ab"}, header=False)
    assert "b.csv: it has 2 columns, and the model knows other names and learned from 3" in fails(
        "predict", "m.slant", "b.csv"
    )


def test_text_where_numbers_were_learned_is_named(train, fails, write_csv, waves):
    write_csv("a.csv", waves)
    train("a.csv", "--targets", "u,v")
    write_csv("b.csv", waves | {"b": ["many", "few"] * 40})
    line = fails("predict", "m.slant", "b.csv")
    assert "column 'b' holds text such as 'few', 'many'" in line


# ---- what is written


def test_classes_are_one_column_and_their_probabilities_more(train, predicted, write_csv, flowers):
    write_csv("a.csv", flowers)
    train("a.csv", "--targets", "kind")
    plain, rich = predicted("a.csv"), predicted("a.csv", "--proba")
    assert list(plain[0]) == ["prediction"]
    assert list(rich[0]) == ["prediction", "P(elm)", "P(fir)", "P(oak)"]
    for row, more in zip(plain, rich, strict=True):
        shares = {name: float(more[f"P({name})"]) for name in ("elm", "fir", "oak")}
        assert more["prediction"] == row["prediction"] == max(shares, key=shares.get)
        assert sum(shares.values()) == pytest.approx(1)


def test_the_best_few_come_with_their_scores(train, predicted, write_csv, flowers):
    write_csv("a.csv", flowers)
    train("a.csv", "--targets", "kind")
    rows = predicted("a.csv", "--top-k", "2")
    assert list(rows[0]) == ["label_1", "score_1", "label_2", "score_2"]
    assert [row["label_1"] for row in rows] == [row["prediction"] for row in predicted("a.csv")]
    assert all(float(row["score_1"]) >= float(row["score_2"] or 0) for row in rows)


def test_labels_are_columns_or_a_list(train, predicted, write_csv, tags):
    write_csv("a.csv", tags)
    model = train("a.csv", "--targets", "last:4")
    indicator = model.predict(inputs(tags, "abc"))
    names = ["sun", "sea", "wind", "ice"]
    rows = predicted("a.csv")
    assert [[int(row[name]) for name in names] for row in rows] == indicator.tolist()
    lists = [row["labels"] for row in predicted("a.csv", "--labels")]
    assert lists == [";".join(n for n, x in zip(names, row, strict=True) if x) for row in indicator]
    scores = predicted("a.csv", "--proba")
    np.testing.assert_allclose(
        [[float(row[name]) for name in names] for row in scores], model.predict_proba(inputs(tags, "abc"))
    )


def test_labels_are_classes_by_the_names_of_their_columns_and_so_are_the_best_few(
    train, predicted, write_csv, tags
):
    write_csv("a.csv", tags)
    model = train("a.csv", "--targets", "last:4")
    assert model.classes_.tolist() == ["sun", "sea", "wind", "ice"]
    best = model.predict_top_k(inputs(tags, "abc"), 4)
    for row, labels, scores in zip(predicted("a.csv", "--top-k", "9"), best.labels, best.scores, strict=True):
        shown = [(label if score > 0 else "") for label, score in zip(labels, scores, strict=True)]
        assert [row[f"label_{place}"] for place in range(1, 5)] == shown


def test_a_model_of_label_sets_predicts_lists_and_is_judged_by_columns_of_its_labels(
    predicted, run, write_csv, tags
):
    names = ["sun", "sea", "wind", "ice"]
    sets = [[name for name in names if tags[name][i]] for i in range(len(tags["sun"]))]
    model = slantwood.ObliqueForestClassifier(n_estimators=3, random_state=0)
    model.fit(inputs(tags, "abc"), sets, feature_names=["a", "b", "c"]).save("m.slant")
    write_csv("a.csv", tags)
    lists = [row["labels"] for row in predicted("a.csv")]
    assert lists == [";".join(row) for row in model.predict(inputs(tags, "abc"))]
    found = json.loads(run("evaluate", "m.slant", "a.csv", "--per-target", "--json").stdout)
    assert list(found["per_target"]) == sorted(names)


def test_labels_with_semicolons_stay_apart_in_lists(train, run, folder, write_csv, tags):
    tags['"s;n"'] = tags.pop("sun")
    write_csv("a.csv", {name: tags[name] for name in ["a", "b", "c", '"s;n"', "sea"]})
    train("a.csv", "--targets", "last:2")
    text = run("predict", "m.slant", "a.csv", "--labels").stdout
    cells = {row[0] for row in list(csv.reader(io.StringIO(text)))[1:]}
    read = {tuple(next(csv.reader([cell], delimiter=";"), [])) for cell in cells}
    assert ("s;n", "sea") in read
    run("predict", "m.slant", "a.csv", "--labels", "--output", "p.jsonl")
    lists = [json.loads(line)["labels"] for line in (folder / "p.jsonl").read_text().splitlines()]
    assert {tuple(each) for each in lists} == read


def test_numbers_keep_the_precision_of_their_spread(train, predicted, write_csv, waves):
    waves["u"] = [1e9 + u for u in waves["u"]]
    write_csv("a.csv", waves)
    model = train("a.csv", "--targets", "u,v")
    rows = predicted("a.csv")
    assert list(rows[0]) == ["u", "v"]
    expected = model.predict(inputs(waves, "abc"))
    written = np.array([[float(row["u"]), float(row["v"])] for row in rows])
    np.testing.assert_allclose(written - [1e9 + 1000, 0], expected - [1e9 + 1000, 0], atol=1e-6)


HIERARCHY = """@relation h
@attribute id key
@attribute x numeric
@attribute z numeric
@attribute class hierarchical a,a/b,c
@data
"""


def test_labels_of_a_hierarchy_are_a_list_beside_the_keys(train, predicted, folder):
    rows = [f"row{i},{i % 3},{i / 60},{['a', 'a/b', 'a@c'][i % 3]}" for i in range(60)]
    (folder / "a.arff").write_text(HIERARCHY + "\n".join(rows) + "\n")
    train("a.arff")
    found = predicted("a.arff")
    assert list(found[0]) == ["key", "labels"]
    assert [row["key"] for row in found] == [f"row{i}" for i in range(60)]
    assert [row["labels"] for row in found[:3]] == ["a", "a;a/b", "a;c"]
    assert list(predicted("a.arff", "--columns")[0]) == ["key", "a", "a/b", "c"]


@pytest.mark.parametrize("end", ["csv", "tsv", "jsonl", "csv.gz", "jsonl.xz"])
def test_the_name_of_the_output_tells_its_form(train, run, predicted, folder, write_csv, flowers, end):
    write_csv("a.csv", flowers)
    train("a.csv", "--targets", "kind")
    result = run("predict", "m.slant", "a.csv", "--output", f"p.{end}")
    assert result.stdout == ""
    from slantwood.data.files import open_read

    with open_read(folder / f"p.{end}") as file:
        text = file.read().decode()
    if "jsonl" in end:
        rows = [json.loads(line) for line in text.splitlines()]
    else:
        rows = list(csv.DictReader(io.StringIO(text), delimiter="\t" if "tsv" in end else ","))
    assert rows == predicted("a.csv")


FORMULAS = ["=1+2", "+a", "-b", "@c", "\td", "\re", "-5", "+2.5e3", "f", "1-2"]


@pytest.mark.parametrize("end", ["csv", "tsv", "csv.gz"])
def test_no_class_is_a_formula_to_a_spreadsheet_on_demand(run, folder, write_csv, end):
    X = np.arange(3.0 * len(FORMULAS), dtype=np.float32)[:, None] // 3
    classes = np.repeat(np.array(FORMULAS), 3)
    slantwood.ObliqueTreeClassifier(random_state=0, min_samples_split=2).fit(X, classes).save("m.slant")
    write_csv("a.csv", {"x": X[::3, 0].tolist()})
    rows = {}
    for name, words in (("plain", ()), ("safe", ("--safe-for-spreadsheets",))):
        run("predict", "m.slant", "a.csv", "--proba", "--output", f"{name}.{end}", *words)
        content = (folder / f"{name}.{end}").read_bytes()
        text = (gzip.decompress(content) if end.endswith("gz") else content).decode()
        lines = csv.reader(io.StringIO(text, newline=""), delimiter="\t" if "tsv" in end else ",")
        rows[name] = list(lines)
    assert rows["safe"][0] == rows["plain"][0]  # P(...) is no formula
    assert [row[0] for row in rows["plain"][1:]] == FORMULAS
    marked = ["'=1+2", "'+a", "'-b", "'@c", "'\td", "'\re", "-5", "+2.5e3", "f", "1-2"]
    assert [row[0] for row in rows["safe"][1:]] == marked
    assert [row[1:] for row in rows["safe"]] == [row[1:] for row in rows["plain"]]


def test_names_of_labels_and_keys_are_no_formulas_either(run, folder):
    head = [
        "@relation r",
        "@attribute id key",
        "@attribute x numeric",
        "@attribute '=a' {0,1}",
        "@attribute b {0,1}",
    ]
    rows = ["=k1,-1,1,0", "k2,1,1,1", "k3,2,0,1", "-7,3,0,1"]
    (folder / "a.arff").write_text("\n".join([*head, "@data", *rows, ""]))
    run("train", "a.arff", "--targets", "last:2", "--trees", "2", "--model", "m.slant")
    words = ("predict", "m.slant", "a.arff", "--safe-for-spreadsheets")
    lines = list(csv.reader(io.StringIO(run(*words).stdout)))
    assert lines[0] == ["key", "'=a", "b"]
    assert [line[0] for line in lines[1:]] == ["'=k1", "k2", "k3", "-7"]
    listed = list(csv.reader(io.StringIO(run(*words, "--labels").stdout)))
    assert {line[1] for line in listed[1:]} <= {"'=a", "'=a;b", "b", ""}
    assert any(line[1].startswith("'=a") for line in listed[1:])


@pytest.mark.parametrize("name", ["p.jsonl", "p.parquet", "p.jsonl.gz"])
def test_only_tables_of_text_are_made_safe_for_spreadsheets(fails, name):
    words = ("predict", "gone.slant", "gone.csv", "--output", name, "--safe-for-spreadsheets")
    assert f"--safe-for-spreadsheets: it is for .csv and .tsv, and {name} is neither" in fails(*words, code=2)


def test_an_output_that_cannot_be_written_is_told_before_anything_is_read(fails):
    assert ".parquett" in fails("predict", "gone.slant", "gone.csv", "--output", "p.parquett", code=2)


def test_a_failed_prediction_leaves_the_earlier_file(train, fails, folder, write_csv, waves):
    write_csv("a.csv", waves)
    train("a.csv", "--targets", "u,v")
    (folder / "p.csv").write_text("earlier")
    write_csv("b.csv", {"a": waves["a"]})
    assert "b.csv" in fails("predict", "m.slant", "b.csv", "--output", "p.csv", "--force")
    assert (folder / "p.csv").read_text() == "earlier"


@pytest.mark.parametrize("words", [("--proba",), ("--top-k", "2")])
def test_what_a_model_does_not_predict_is_refused_before_rows_are_read(train, fails, write_csv, waves, words):
    write_csv("a.csv", waves)
    train("a.csv", "--targets", "u,v")
    said = fails("predict", "m.slant", "gone.csv", *words, code=2)
    assert f"{words[0]}: it is for classes and labels, and the model predicts numbers" in said


def test_models_saved_in_python_predict_by_position(fails, predicted, write_csv, waves):
    write_csv("a.csv", {name: waves[name] for name in "abc"})
    X, Y = inputs(waves, "abc"), np.array([waves[name] for name in "uv"]).T
    slantwood.ObliqueForestRegressor(n_estimators=3, random_state=0).fit(X, Y).save("m.slant")
    rows = predicted("a.csv")
    assert list(rows[0]) == ["y0", "y1"]
    write_csv("b.csv", waves)
    assert "knows no names and learned from 3" in fails("predict", "m.slant", "b.csv")


def test_what_is_no_model_is_told_in_one_line(fails, folder):
    (folder / "m.slant").write_bytes(gzip.compress(b"something"))
    assert "m.slant" in fails("predict", "m.slant", "a.csv")
    assert "gone.slant" in fails("predict", "gone.slant", "a.csv")


def test_sparse_columns_are_lined_up_by_name(train, predicted, folder):
    rng = np.random.default_rng(3)
    cells = [sorted(rng.choice(40, 3, replace=False).tolist()) for _ in range(80)]
    names = [f"w{j}" for j in range(40)]

    def write(name, order):
        place = {old: new for new, old in enumerate(order)}
        head = ["@relation r", *(f"@attribute {names[j]} numeric" for j in order)]
        rows = []
        for row in cells:
            pairs = sorted((place[j], j + 1) for j in row)
            kind = "odd" if min(row) % 2 else "even"
            rows.append("{" + ",".join([*(f"{j} {value}" for j, value in pairs), f"40 {kind}"]) + "}")
        text = "\n".join([*head, "@attribute y {none,even,odd}", "@data", *rows])
        (folder / name).write_text(text + "\n")

    write("a.arff", range(40))
    model = train("a.arff", "--targets", "y")
    assert model.settings_.normalize_rows  # as where features are sparse
    write("b.arff", rng.permutation(40).tolist())
    assert predicted("b.arff", "--proba") == predicted("a.arff", "--proba")


def test_a_file_that_holds_no_categories_is_refused_where_they_were_learned(
    run, train, fails, write_csv, flowers
):
    write_csv("a.csv", flowers)
    train("a.csv", "--targets", "kind")
    flowers["soil"] = list(range(90))
    write_csv("b.csv", flowers)
    run("convert", "b.csv", "b.npz", "--drop", "kind")
    assert "b.npz holds numbers only" in fails("predict", "m.slant", "b.npz")


def test_a_folder_that_is_not_there_is_told_before_anything_is_read(fails):
    assert "the folder gone of p.csv does not exist" in fails(
        "predict", "gone.slant", "gone.csv", "--output", "gone/p.csv"
    )


def test_a_column_that_the_model_uses_anyway_is_no_other_spelling(train, fails, write_csv, waves):
    columns = {"width1": waves["a"], "width2": waves["b"], "u": waves["u"]}
    write_csv("a.csv", columns)
    train("a.csv", "--targets", "u")
    write_csv("b.csv", {"width2": waves["b"]})
    said = fails("predict", "m.slant", "b.csv")
    assert "it has no column 'width1'" in said
    assert "did you mean" not in said


def test_a_file_whose_first_row_was_taken_for_names_is_recognised(
    train, fails, predicted, write_csv, flowers
):
    write_csv("a.csv", flowers)
    train("a.csv", "--targets", "kind")
    expected = predicted("a.csv")
    inputs_only = {name: cells for name, cells in flowers.items() if name != "kind"}
    write_csv("b.csv", inputs_only, header=False)
    assert "--no-header if its first line is a row" in fails("predict", "m.slant", "b.csv")
    assert predicted("b.csv", "--no-header") == expected
    write_csv("c.csv", {"width": flowers["width"]})
    assert "--no-header" not in fails("predict", "m.slant", "c.csv")


@pytest.mark.parametrize("command", ["predict", "evaluate"])
def test_a_file_without_rows_is_named(train, fails, folder, write_csv, waves, command):
    write_csv("a.csv", waves)
    train("a.csv", "--targets", "u,v")
    (folder / "b.csv").write_text("a,b,c,u,v\n")
    assert "b.csv has no rows" in fails(command, "m.slant", "b.csv")


def test_the_threshold_of_two_classes_decides_predictions_scores_and_leaves(
    run, train, predicted, write_csv, waves
):
    waves["kind"] = ["high" if a + b > 0 else "low" for a, b in zip(waves["a"], waves["b"], strict=True)]
    write_csv("a.csv", {name: waves[name] for name in ("a", "c", "kind")})
    words = ("--targets", "kind", "--set", "max_depth=2")
    neutral = train("a.csv", *words)
    model = train("a.csv", *words, "--set", "threshold=0.9")
    X = np.column_stack([waves["a"], waves["c"]]).astype(np.float32)
    expected = model.predict(X).tolist()
    assert expected != neutral.predict(X).tolist()
    assert [row["prediction"] for row in predicted("a.csv")] == expected
    assert [row["prediction"] for row in predicted("a.csv", "--proba")] == expected
    right = np.mean(np.array(expected) == waves["kind"])
    scores = json.loads(run("evaluate", "m.slant", "a.csv", "--json").stdout)
    assert f"{right:.6f}" in {f"{value:.6f}" for value in _numbers_in(scores)}


def _numbers_in(value):
    if isinstance(value, dict):
        return [number for each in value.values() for number in _numbers_in(each)]
    return [value] if isinstance(value, float) else []
