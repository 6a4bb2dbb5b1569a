"""Claims about `slantwood inspect`."""

import json
import re

import numpy as np
import pytest

import slantwood
from slantwood.model import container


@pytest.fixture
def train(run):
    def go(data, *words):
        run("train", data, "--trees", "3", "--model", "m.slant", *words)
        return slantwood.load_model("m.slant")

    return go


def test_the_facts_are_those_of_the_model(run, train, folder, write_csv, flowers):
    write_csv("a.csv", flowers)
    model = train("a.csv", "--targets", "kind")
    metadata = json.loads(run("inspect", "m.slant", "--json").stdout)
    assert metadata["estimator"] == "ObliqueForestClassifier"
    assert metadata["task"] == "multi-class"
    assert metadata["bytes"] == (folder / "m.slant").stat().st_size
    assert metadata["format_version"] == 1
    assert (metadata["features"], metadata["nominal_features"]) == (4, 1)
    assert metadata["targets"] == ["kind"]
    assert metadata["outputs"] == ["elm", "fir", "oak"]
    trees = model.trees_
    assert (metadata["trees"], metadata["nodes"]) == (3, len(trees.left))
    assert metadata["leaves"] == (metadata["nodes"] + 3) / 2
    assert metadata["depth"]["most"] == trees.depth.max()
    importances = metadata["importances"]
    assert list(importances.values()) == sorted(importances.values(), reverse=True)
    assert sum(importances.values()) == pytest.approx(1)
    assert importances["width"] == pytest.approx(model.feature_importances_[0])


def test_the_same_is_told_in_words(run, train, write_csv, flowers):
    write_csv("a.csv", flowers)
    train("a.csv", "--targets", "kind")
    text = run("inspect", "m.slant").stdout
    assert re.search(r"^kind +ObliqueForestClassifier$", text, re.M)
    assert re.search(r"^target +kind$", text, re.M)
    assert re.search(r"^classes +3: 'elm', 'fir', 'oak'$", text, re.M)
    assert re.search(r"^split +GradientSplit\(C=10.0, ", text, re.M)
    assert re.search(r"^feature +importance$", text, re.M)


def test_a_boosted_model_tells_its_rounds_its_loss_and_what_competed(run, train, write_csv, waves):
    write_csv("a.csv", waves)
    words = ("--kind", "boosting", "--set", "early_stopping=false", "--set", "loss=huber")
    model = train("a.csv", "--targets", "u", "--drop", "v", *words)
    metadata = json.loads(run("inspect", "m.slant", "--json").stdout)
    assert (metadata["rounds"], metadata["trees"]) == (model.n_iter_, len(model)) == (3, 6)
    assert len(metadata["settings"]["candidates"]) == len(model.settings_.candidates)
    text = run("inspect", "m.slant").stdout
    assert re.search(r"^trees +6 of 3 rounds, with ", text, re.M)
    assert re.search(r"^settings .*max_features=0.5 or 1.0, .*loss='huber'", text, re.M)
    assert re.search(r"^split +GradientSplit\(.*\); RidgeSplit\(.*\); AxisParallelSplit\(", text, re.M)
    lines = run("inspect", "m.slant", "--tree", "5").stdout.splitlines()
    assert lines[0] == "Tree 5 of ObliqueBoostingRegressor, regression, round 2"
    assert lines[1].startswith("Leaves are steps of predictions. They begin at u = ")


@pytest.mark.parametrize("split", ["gradient", "svm"])
def test_following_the_text_of_a_tree_leads_to_its_predictions(run, train, write_csv, waves, split):
    write_csv("a.csv", waves)
    model = train("a.csv", "--targets", "u", "--drop", "v", "--split", split, "--max-depth", "4")
    X = np.array([waves[name] for name in "abc"], np.float32).T
    leaves = []
    for tree in range(3):
        lines = run("inspect", "m.slant", "--tree", tree, "--depth", "9").stdout.splitlines()
        leaves.append([float(follow(lines[2:], dict(zip("abc", row, strict=True)))) for row in X])
    # The text has four digits of each number, so that a few rows may go another way.
    errors = np.abs(np.mean(leaves, axis=0) - model.predict(X))
    assert np.median(errors) < 0.1


def follow(lines, row):
    """Walk down the printed tree as a reader would."""
    position, depth = 0, 0
    while True:
        text = lines[position].strip()
        text = re.sub(r"^(yes|no): +", "", text)
        text = re.sub(r" +\[.*\]$", "", text)
        if not text.endswith("?"):
            return text.rpartition("= ")[2]
        terms, relation, bound = re.fullmatch(r"(.*) (>=|<=) (\S+)\?", text).groups()
        total = 0.0
        for sign, factor, name in re.findall(r"(?:^|([+-]) )(?:([\d.e-]+) )?([abc])(?: \(\d+ %\))?", terms):
            total += (-1 if sign == "-" else 1) * float(factor or 1) * row[name]
        depth += 1
        met = total >= float(bound) if relation == ">=" else total <= float(bound)
        answer = "yes" if met else "no"
        lead = "  " * depth
        position = next(i for i in range(position + 1, len(lines)) if lines[i].startswith(f"{lead}{answer}:"))


def test_a_tree_of_any_depth_is_printed(run, train, folder, write_csv, waves):
    write_csv("a.csv", waves)
    train("a.csv", "--targets", "u", "--drop", "v")
    read, depth = container.read(folder / "m.slant"), 10_000
    n_features = len(read.arrays["importance"])
    chain = {
        "trees/inner": np.packbits([*[True, False] * depth, False]),
        "trees/bias": np.arange(depth, dtype=np.float64),
        "trees/counts": np.ones(depth, np.uint8),
        "trees/features": (np.arange(depth) % n_features).astype(np.uint16),
        "trees/weights": np.ones(depth, np.float32),
        "trees/means": np.zeros(1, np.float32),
        "trees/sizes": np.ones(2 * depth + 1, np.uint8),
        "leaves/values": np.zeros((depth + 1, 1), np.float32),
    }
    others = {name: a for name, a in read.arrays.items() if not name.startswith(("trees/", "leaves/"))}
    document = read.document | {"trees": {"n_trees": 1, "sparse_leaves": False}}
    container.write(folder / "deep.slant", document, others | chain)
    lines = run("inspect", "deep.slant", "--tree", 0, "--depth", depth + 1).stdout.splitlines()
    assert len(lines) == 1 + 2 * depth + 1
    assert sum("?" in line for line in lines) == depth
    assert lines[-1].startswith("  no:  u = ")
    assert f"({depth}) yes: u = " in next(line for line in lines if f"({depth})" in line)
    assert max(map(len, lines)) < 150
    assert len(run("inspect", "deep.slant", "--tree", 0).stdout.splitlines()) == 1 + 2 * 3 + 1


def test_a_tree_is_cut_at_the_depth_asked_for(run, train, write_csv, waves):
    write_csv("a.csv", waves)
    train("a.csv", "--targets", "u", "--drop", "v")
    lines = run("inspect", "m.slant", "--tree", "0", "--depth", "1").stdout.splitlines()
    assert len(lines) == 4
    assert "[80 rows, 100 %]" in lines[1] or "100 %" in lines[1]
    assert any("..." in line for line in lines[2:])


def test_labels_of_leaves_are_named(run, train, write_csv, tags):
    write_csv("a.csv", tags)
    train("a.csv", "--targets", "last:4")
    text = run("inspect", "m.slant", "--tree", "0", "--depth", "20").stdout
    assert re.search(r"(yes|no): +(sun|sea|wind|ice) \([01]\.\d\d\)", text)


def test_a_model_for_prediction_only_can_be_looked_at(run, train, write_csv, waves):
    write_csv("a.csv", waves)
    train("a.csv", "--targets", "u", "--predict-only")
    assert json.loads(run("inspect", "m.slant", "--json").stdout)["importances"]
    assert ">=" in run("inspect", "m.slant", "--tree", "0").stdout


def test_a_tree_that_is_not_there_is_refused(run, train, fails, write_csv, waves):
    write_csv("a.csv", waves)
    train("a.csv", "--targets", "u")
    assert "the model has 3 trees, counted from 0" in fails("inspect", "m.slant", "--tree", "3")
    assert "--tree" in fails("inspect", "m.slant", "--tree", "-1", code=2)


def test_what_is_no_json_is_not_given_for_json(fails):
    assert "--json" in fails("inspect", "m.slant", "--tree", "0", "--json", code=2)
