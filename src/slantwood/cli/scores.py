"""The measures of each task, for all targets together and for each of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.cli import models
from slantwood.cli.console import warn
from slantwood.data.table import rows_of
from slantwood.estimators.names import output_names
from slantwood.hints import listed, pluralize
from slantwood.metrics import (
    average_auprc,
    exact_match,
    hierarchical_precision_recall_f1,
    label_auprc,
    label_ranking_average_precision,
    macro_f1,
    mean_r2,
    pooled_auprc,
    precision_at_k,
)
from slantwood.metrics.regression import common_unit
from slantwood.task_names import CLASS_TASKS, HIERARCHICAL, NUMBER_TASKS, SEVERAL_TASKS

# Labels that are made dense in one go.
_CHUNK_CELLS = 1 << 24


@dataclass(frozen=True)
class Scores:
    """Measures by name; those of each target, class or label; and of two classes the one that F1 is of."""

    together: dict[str, float]
    each: dict[str, dict[str, float]] = field(default_factory=dict)
    positive: str | None = None


def scores(model: Any, X: Any, y: Any) -> Scores:
    """Predict, and compare with the truth where it is known."""
    task = model.targets_.task
    if task in NUMBER_TASKS:
        return _of_numbers(y, model.predict(X), output_names(model))
    if task in SEVERAL_TASKS:
        return _of_several(y, model, X)
    known = _known_rows(y)
    if not known.all():
        warn(f"{pluralize(int((~known).sum()), 'row')} without (all) known labels left out")
        X, y = rows_of(X, known), rows_of(y, known)
    if not known.any():
        raise ValueError("no row has a known target, so that there is nothing to compare predictions with")
    if task in CLASS_TASKS:
        probabilities = model.predict_proba(X)
        decided = model.targets_.decode(probabilities, model.threshold)
        return _of_classes(y, decided, probabilities, model.classes_)
    predicted = models.chosen_labels(model, X)
    probabilities = model.predict_proba(X, sparse=model.targets_.is_sparse)
    if task == HIERARCHICAL:
        return _of_hierarchy(y, predicted, probabilities, model.targets_.hierarchy)
    return _of_labels(y, predicted, probabilities, output_names(model))


def _known_rows(y: Any) -> np.ndarray:
    if sp.issparse(y):
        missing = sp.csr_array((np.isnan(y.data), y.indices, y.indptr), shape=y.shape)
        return np.asarray(missing.sum(axis=1)).ravel() == 0
    cells = y.reshape(len(y), -1)
    if y.dtype.kind == "O":
        return np.array([all(value is not None and value == value for value in row) for row in cells], bool)
    return ~np.isnan(cells).any(axis=1) if y.dtype.kind == "f" else np.ones(len(y), np.bool_)


# ---- classes


def _of_classes(
    y: np.ndarray, predicted: np.ndarray, probabilities: np.ndarray, classes: np.ndarray
) -> Scores:
    if classes.dtype.kind in "iuf":
        y = y.astype(classes.dtype)
    else:
        y, predicted, classes = y.astype(str), predicted.astype(str), classes.astype(str)
    if strange := sorted(set(y.tolist()) - set(classes.tolist())):
        warn(f"classes that the model does not know, and so gets wrong: {listed(strange)}")
    names, code = np.unique(np.concatenate([y, predicted]), return_inverse=True)
    true, said = code[: len(y)], code[len(y) :]
    each = _of_each(names, *(np.bincount(c, minlength=len(names)) for c in (true[true == said], true, said)))
    together = {"accuracy": float(np.mean(predicted == y))}
    positive = str(classes[1]) if len(classes) == 2 else None
    if positive is not None:
        together["f1"] = each[positive]["f1"] if positive in each else 0.0
        together["auc"] = _auc(y == classes[1], probabilities[:, 1])
    else:
        together["macro_f1"] = macro_f1(y, predicted)
        recalls = [one["recall"] for one in each.values() if one["rows"]]
        together["balanced_accuracy"] = float(np.mean(recalls))
    together["log_loss"] = _log_loss(y, probabilities, classes)
    return Scores(together, each, positive)


def _of_each(names: Iterable[Any], *counts: np.ndarray) -> dict[str, dict[str, float]]:
    """Return measures of each class or label by how often it is hit, true, and predicted."""
    return {
        str(name): {
            "precision": hits / max(said, 1),
            "recall": hits / max(true, 1),
            "f1": 2 * hits / max(true + said, 1),
            "rows": true,
        }
        for name, hits, true, said in zip(names, *(count.tolist() for count in counts), strict=True)
    }


def _auc(positive: np.ndarray, scored: np.ndarray) -> float:
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(positive, scored)) if 0 < positive.sum() < len(positive) else float("nan")


def _log_loss(y: np.ndarray, probabilities: np.ndarray, classes: np.ndarray) -> float:
    place = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    of_truth = np.where(classes[place] == y, probabilities[np.arange(len(y)), place], 0.0)
    return float(np.abs(np.log(np.clip(of_truth, np.finfo(probabilities.dtype).eps, 1.0))).mean())


# ---- several targets


def _of_several(y: Any, model: Any, X: Any) -> Scores:
    """Return measures of each target over the rows in which it is known, and their means over the targets."""
    predicted, shares = model.predict(X), model.predict_proba(X)
    each: dict[str, dict[str, float]] = {}
    for j, (name, classes) in enumerate(zip(output_names(model), model.classes_, strict=True)):
        truth = y[name].to_numpy()
        if classes is None:
            each[name] = _of_number(truth, predicted[:, j].astype(np.float64))
            continue
        known = _known_rows(truth)
        measures = {"accuracy": float("nan"), "macro_f1": float("nan"), "log_loss": float("nan")}
        if known.any():
            said = predicted[known, j].astype(classes.dtype)
            found = _of_classes(truth[known], said, shares[j][known], classes)
            measures = {
                "macro_f1": float(np.mean([one["f1"] for one in found.each.values()]))
            } | found.together
        each[name] = {m: measures[m] for m in ("accuracy", "macro_f1", "log_loss")} | {
            "rows": int(known.sum())
        }
    names = dict.fromkeys(measure for one in each.values() for measure in one if measure != "rows")
    together = {
        f"mean_{measure}": float(np.mean([one[measure] for one in each.values() if measure in one]))
        for measure in names
        if measure not in ("rmse", "mae")  # in units of their own
    }
    columns = [
        y[name].to_numpy() for name, classes in zip(each, model.classes_, strict=True) if classes is not None
    ]
    are_classes = np.array([classes is not None for classes in model.classes_])
    if (known := np.all([_known_rows(column) for column in columns], axis=0)).any():
        of_classes = np.column_stack([column[known].astype(object) for column in columns])
        together["exact_match"] = exact_match(of_classes, predicted[known][:, are_classes])
    return Scores(together, each)


# ---- labels


def _of_labels(y: Any, predicted: Any, probabilities: Any, names: tuple[str, ...]) -> Scores:
    true, said = sp.csr_array(y).astype(np.bool_), sp.csr_array(predicted).astype(np.bool_)
    hits = true.multiply(said).tocsr()
    n_hits, n_true, n_said = (np.asarray(each.sum(axis=0)).ravel() for each in (hits, true, said))
    wrong_in_row = np.asarray((true != said).sum(axis=1)).ravel()
    together = {
        "lrap": label_ranking_average_precision(true, probabilities),
        "micro_f1": 2 * float(n_hits.sum()) / max(float(n_true.sum() + n_said.sum()), 1.0),
        "macro_f1": macro_f1(true, said),
        "hamming_loss": float(wrong_in_row.sum()) / (true.shape[0] * true.shape[1]),
        "subset_accuracy": float(np.mean(wrong_in_row == 0)),
        "coverage": _coverage(true, probabilities),
    }
    for k in (1, 3, 5):
        if k <= len(names):
            together[f"precision_at_{k}"] = float(precision_at_k(true, probabilities, k))
    return Scores(together, _of_each(names, n_hits, n_true, n_said))


def _coverage(true: sp.csr_array, probabilities: Any) -> float:
    """Return how many labels, the best first, contain all true ones of a row; the mean over rows."""
    step = max(1, _CHUNK_CELLS // true.shape[1])
    total = 0
    for start in range(0, true.shape[0], step):
        part = probabilities[start : start + step]
        part = part.toarray() if sp.issparse(part) else part
        present = true[start : start + step].toarray()
        lowest = np.where(present, part, np.inf).min(axis=1, keepdims=True)
        total += int((part >= lowest).sum())
    return total / true.shape[0]


def _of_hierarchy(y: Any, predicted: Any, probabilities: Any, hierarchy: Any) -> Scores:
    true = sp.csr_array(hierarchy.closure(y))
    weights = hierarchy.weights()
    precision, recall, f1 = hierarchical_precision_recall_f1(true, predicted)
    areas = label_auprc(true, probabilities)
    n_true = np.asarray((true != 0).sum(axis=0)).ravel()
    together = {
        "pooled_auprc": pooled_auprc(true, probabilities),
        "average_auprc": average_auprc(true, probabilities),
        "weighted_average_auprc": average_auprc(true, probabilities, weighted=True),
        "weighted_lrap": label_ranking_average_precision(true, probabilities, label_weights=weights),
        "hierarchical_precision": precision,
        "hierarchical_recall": recall,
        "hierarchical_f1": f1,
    }
    counted = zip(hierarchy.nodes, areas.tolist(), n_true.tolist(), strict=True)
    return Scores(together, {str(name): {"auprc": area, "rows": rows} for name, area, rows in counted})


# ---- numbers


def _of_numbers(y: np.ndarray, predicted: np.ndarray, names: tuple[str, ...]) -> Scores:
    y, predicted = y.reshape(len(y), -1), predicted.reshape(len(y), -1)
    each = {name: _of_number(y[:, j], predicted[:, j]) for j, name in enumerate(names)}
    if len(names) == 1:
        (alone,) = each.values()
        return Scores({name: alone[name] for name in ("r2", "rmse", "mae")}, each)
    r2, rrmse = (np.array([one[name] for one in each.values()]) for name in ("r2", "rrmse"))
    return Scores({"mean_r2": float(r2.mean()), "arrmse": float(rrmse.mean())}, each)


def _of_number(truth: np.ndarray, predicted: np.ndarray) -> dict[str, float]:
    known = ~np.isnan(truth)
    if not known.any():
        return dict.fromkeys(("r2", "rmse", "mae", "rrmse"), float("nan")) | {"rows": 0}
    truth, predicted = truth[known], predicted[known]
    unit = float(common_unit(truth, predicted))
    truth, predicted = truth / unit, predicted / unit
    error = predicted - truth
    squared = float(np.sum(error**2))
    spread = float(np.sum((truth - truth.mean()) ** 2))
    return {
        "r2": mean_r2(truth, predicted) if len(truth) > 1 else float("nan"),
        "rmse": (squared / len(truth)) ** 0.5 * unit,
        "mae": float(np.abs(error).mean()) * unit,
        # Relative to predicting the mean of these rows.
        "rrmse": (squared / spread) ** 0.5 if spread > 0 else float("nan"),
        "rows": len(truth),
    }
