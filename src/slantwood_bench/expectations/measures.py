"""Measures that users of Mulan and CLUS look for."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood_bench.expectations.data import forest, irises, regressor
from slantwood_bench.expectations.row import Group, lacking, public

GROUP = Group("measures")


def _of_labels(*names: str) -> str | None:
    model = forest().fit(irises().X, irises().labels)
    truth, found = irises().labels, model.predict(irises().X)
    return lacking((name, _agree(name, truth, found)) for name in names)


def _of_scores(*names: str) -> str | None:
    scores = forest().fit(irises().X, irises().labels).predict_proba(irises().X)
    return lacking((name, _agree(name, irises().labels, scores)) for name in names)


def _of_numbers(*names: str) -> str | None:
    found = regressor().fit(irises().X, irises().numbers).predict(irises().X)
    return lacking((name, partial(_measured, name, irises().numbers, found)) for name in names)


def _measured(name: str, truth: Any, found: Any) -> Any:
    value = public("slantwood.metrics", name)(truth, found)
    assert np.isfinite(value).all(), f"{name} is {value}"
    return value


def _agree(name: str, truth: np.ndarray, found: np.ndarray) -> Any:
    def trial() -> None:
        dense = _measured(name, truth, found)
        sparse = _measured(name, sp.csr_array(truth), sp.csr_array(found))
        np.testing.assert_allclose(dense, sparse, rtol=1e-6)

    return trial


@GROUP.row("Hamming loss and subset accuracy")
def of_rows() -> str | None:
    """Compare label sets."""
    return _of_labels("hamming_loss", "subset_accuracy")


@GROUP.row("precision, recall and F1 by example")
def by_example() -> str | None:
    """Average over rows."""
    return _of_labels("example_precision", "example_recall", "example_f1")


@GROUP.row("precision, recall and F1 by label, micro and macro")
def by_label() -> str | None:
    """Average over labels."""
    names = ("precision", "recall", "f1")
    return _of_labels(*(f"micro_{name}" for name in names), *(f"macro_{name}" for name in names))


@GROUP.row("one error, coverage, ranking loss, average precision")
def of_rankings() -> str | None:
    """Judge the order of scores."""
    return _of_scores("one_error", "coverage", "ranking_loss", "label_ranking_average_precision")


@GROUP.row("AUROC and AUPRC of labels")
def of_curves() -> str | None:
    """Measure areas under curves."""
    return _of_scores("average_auroc", "pooled_auroc", "average_auprc", "pooled_auprc")


@GROUP.row("precision@k, nDCG@k, propensity-scored")
def of_the_best() -> None:
    """Judge the first few labels."""
    scores = forest().fit(irises().X, irises().labels).predict_proba(irises().X)
    for name in ("precision_at_k", "ndcg_at_k"):
        assert 0.5 < float(public("slantwood.metrics", name)(irises().labels, scores, 1)) <= 1
    propensity = public("slantwood.metrics", "propensities")(irises().labels)
    scored = public("slantwood.metrics", "propensity_scored_precision_at_k")
    assert float(scored(irises().labels, scores, propensity, 1)) > 0


@GROUP.row("RRMSE and aRRMSE, correlation and aCC, MAE, RMSE")
def of_numbers() -> str | None:
    """Judge several numbers."""
    return _of_numbers(
        "target_rrmse", "average_rrmse", "average_correlation", "average_mae", "average_rmse", "mean_r2"
    )


@GROUP.row("measures of hierarchies")
def of_hierarchies() -> str | None:
    """Judge labels with ancestors."""
    return _of_scores("pooled_auprc", "label_auprc")


@GROUP.row("slantwood evaluate --all")
def evaluated() -> None:
    """Print all measures of a model."""
    with tempfile.TemporaryDirectory() as folder:
        table, model = Path(folder) / "irises.csv", Path(folder) / "irises.slant"
        rows = [",".join(map(str, [*x, word])) for x, word in zip(irises().X, irises().words, strict=True)]
        table.write_text("\n".join(["a,b,c,d,kind", *rows]) + "\n", encoding="utf-8")
        names = {"feature_names": ["a", "b", "c", "d"], "target_names": ["kind"]}
        forest().fit(irises().X, irises().words, **names).save(model)
        command = [sys.executable, "-m", "slantwood", "evaluate", str(model), str(table), "--all"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "accuracy" in done.stdout
