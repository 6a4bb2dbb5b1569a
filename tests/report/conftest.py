"""Shared by the tests of reports: small models of every task, and what a page says."""

import html
import json
import re

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import slantwood
from slantwood import Hierarchy

N_ROWS = 90


def problem(task, rng):
    """Return X, y, and parameters of the estimator."""
    X = rng.normal(size=(N_ROWS, 5))
    z = X[:, 0] + X[:, 1]
    labels = (X[:, :4] + 0.3 * rng.normal(size=(N_ROWS, 4)) > 0.4).astype(int)
    labels[0] = 1
    if task == "binary":
        return X, np.where(z > 0, "yes", "no"), {}
    if task == "multi-class":
        frame = pd.DataFrame({"colour": np.where(X[:, 2] > 0, "red", "blue"), "size": z})
        return frame, np.digitize(z, [-1, 0, 1]), {}
    if task == "multi-label":
        X[rng.random(X.shape) < 0.6] = 0
        return sp.csr_array(X), sp.csr_array(labels), {}
    if task == "hierarchical multi-label":
        hierarchy = Hierarchy.from_paths(["a/b", "c/d", "c/e"])
        return X, [("a/b",) if each > 0 else ("c/d", "c/e") for each in z], {"hierarchy": hierarchy}
    if task == "regression":
        X[3, 2] = np.nan
        return X, z, {}
    if task == "multi-target regression":
        return X, np.column_stack([z, -z, np.where(z > 0, np.nan, z)]), {}
    return X, pd.DataFrame({"u": np.where(z > 0, "p", "q"), "v": z}), {}


@pytest.fixture(scope="session")
def fitted():
    """Fit a kind of model on a small problem of a task; return it, X and y."""

    def fit(kind, task):
        X, y, parameters = problem(task, np.random.default_rng(0))
        of_task = "Regressor" if "regression" in task else "Classifier"
        given = {"n_estimators": 3} if kind != "Tree" else {}
        make = getattr(slantwood, f"Oblique{kind}{of_task}")
        return make(**given, **parameters, random_state=0).fit(X, y), X, y

    return fit


class Page:
    """What a page says, section by section."""

    def __init__(self, path):
        self.source = path.read_text(encoding="utf-8")

    def section(self, anchor):
        """Return the text of a section."""
        (found,) = re.findall(rf'<section id="{anchor}">(.*?)</section>', self.source, re.S)
        return html.unescape(re.sub("<[^>]+>", " ", re.sub("<script.*?</script>", "", found, flags=re.S)))

    def data(self, name):
        """Return a block of data for the script."""
        (found,) = re.findall(rf'<script type="application/json" id="{name}">(.*?)</script>', self.source)
        return json.loads(found)


@pytest.fixture(scope="session")
def page_of(tmp_path_factory):
    """Write the report of a model, and read it."""

    def write(model, *data):
        return Page(model.report(tmp_path_factory.mktemp("report") / "report.html", *data))

    return write
