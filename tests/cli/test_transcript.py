"""The whole story once: train on an ARFF file, predict a CSV file of another order, evaluate, inspect."""

import csv
import io
import json
import random

import pytest


def test_the_whole_story(run, folder):
    run("demo", "--save", "data")
    names = (folder / "data" / "cancer.test.csv").read_text().partition("\n")[0].split(",")
    assert names[:2] == ["worst fractal dimension", "worst symmetry"]  # the last ones of the training file

    words = ("--targets", "diagnosis", "--trees", "10", "--model", "cancer.slant")
    said = run("train", "data/cancer.train.arff", *words)
    assert said.stdout == ""
    task = "Task: binary (target 'diagnosis' holds text: 2 classes 'benign', 'malignant')."
    assert task in said.stderr.splitlines()

    rows = list(csv.DictReader(io.StringIO(run("predict", "cancer.slant", "data/cancer.test.csv").stdout)))
    truth = list(csv.DictReader(io.StringIO((folder / "data" / "cancer.test.csv").read_text())))
    hits = [row["prediction"] == true["diagnosis"] for row, true in zip(rows, truth, strict=True)]
    accuracy = sum(hits) / len(hits)
    assert accuracy > 0.9

    judged = run("evaluate", "cancer.slant", "data/cancer.test.csv", "--json")
    assert json.loads(judged.stdout)["accuracy"] == pytest.approx(accuracy)
    table = run("evaluate", "cancer.slant", "data/cancer.test.csv").stdout
    assert f"accuracy   {accuracy:.4f}" in table

    looked_at = run("inspect", "cancer.slant").stdout
    assert "worst texture" in looked_at
    assert "\x1b" not in looked_at


def test_the_order_of_columns_never_matters(run, folder, write_arff, write_csv, flowers):
    write_arff("a.arff", flowers)
    run("train", "a.arff", "--targets", "kind", "--trees", "5", "--model", "m.slant")
    shuffled = random.Random(0)
    predictions = set()
    for _ in range(4):
        names = list(flowers)
        shuffled.shuffle(names)
        write_csv("b.csv", {name: flowers[name] for name in names})
        predictions.add(run("predict", "m.slant", "b.csv", "--proba").stdout)
    assert len(predictions) == 1
