"""The measures of each task, for all targets together and for each of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.data.table import rows_of
from slantwood.estimators.names import output_names
from slantwood.evaluation import all_scores
from slantwood.hints import listed, pluralize
from slantwood.metrics import (
    average_auprc,
    average_correlation,
    average_mae,
    average_rmse,
    average_rrmse,
    coverage,
    exact_match,
    hamming_loss,
    hierarchical_precision_recall_f1,
    label_auprc,
    label_ranking_average_precision,
    macro_f1,
    mean_r2,
    micro_f1,
    ndcg_at_k,
    pooled_auprc,
    precision_at_k,
    subset_accuracy,
    target_correlation,
    target_mae,
    target_rmse,
    target_rrmse,
)
from slantwood.task_names import CLASS_TASKS, HIERARCHICAL, NUMBER_TASKS, SEVERAL_TASKS

# So many of a row's labels count at most in measures of the best ones.
_BEST = (1, 3, 5)
# Scores of rows and labels that are held to rank all labels: more than that would be gigabytes.
_MOST_SCORES = 1 << 27
_LEFT_OUT = "the best five of each row are ranked: LRAP and coverage, which rank all, are left out"


@dataclass(frozen=True)
class Scores:
    """Measures by name; those of each target, class or label; and of two classes the one that F1 is of.

    `notes` say what was left out, or is not as it seems.
    """

    together: dict[str, float]
    each: dict[str, dict[str, float]] = field(default_factory=dict)
    positive: str | None = None
    notes: tuple[str, ...] = ()


def scores(model: Any, X: Any, y: Any, *, every: bool = False) -> Scores:
    """Predict, and compare with the truth where it is known, by the usual measures or by every one."""
    task = model.targets_.task
    if task in NUMBER_TASKS:
        return _of_numbers(y, model.predict(X), output_names(model), every=every)
    if task in SEVERAL_TASKS:
        return _of_several(y, model, X, every=every)
    known = scored_rows(model, y)
    if not known.any():
        raise ValueError("no row has a known target, so that there is nothing to compare predictions with")
    if known.all():
        return _of_known(model, X, y, every=every)
    left_out = f"{pluralize(int((~known).sum()), 'row')} without (all) known labels left out"
    found = _of_known(model, rows_of(X, known), rows_of(y, known), every=every)
    return replace(found, notes=(left_out, *found.notes))


def scored_rows(model: Any, y: Any) -> np.ndarray:
    """Return the mask of the rows that `scores` compares: with all labels known, or with any target."""
    task = model.targets_.task
    if task in SEVERAL_TASKS:
        return np.any([_known_rows(np.asarray(y[name])) for name in output_names(model)], axis=0)
    if task in NUMBER_TASKS:
        return ~np.isnan(y.reshape(len(y), -1)).all(axis=1)
    return _known_rows(y)


def chosen_labels(model: Any, X: Any) -> Any:
    """Predict the indicator of the labels, also with a model that learned from sets of labels."""
    if hasattr(model, "label_trees_") and not model.targets_.as_sets:
        return model.predict(X)  # which keeps no scores below the threshold
    return _decided(model, model.predict_proba(X, sparse=model.targets_.is_sparse))


def _decided(model: Any, probabilities: Any) -> Any:
    # Label trees have a threshold that was given, and never one that was found.
    limit = model.decision_threshold() if hasattr(model, "decision_threshold") else model.threshold
    return model.targets_.decided(probabilities, limit)


def _of_known(model: Any, X: Any, y: Any, *, every: bool) -> Scores:
    task = model.targets_.task
    if task in CLASS_TASKS:
        probabilities = model.predict_proba(X)
        decided = model.targets_.decode(probabilities, model.threshold)
        return _of_classes(y, decided, probabilities, model.classes_, every=every)
    if task != HIERARCHICAL and _are_many(model, y, every):
        best = model.predict_proba(X, top_k=max(_BEST))
        note = f"of {len(output_names(model)):,} labels {_LEFT_OUT}; all measures together have them"
        return replace(_of_best_labels(y, chosen_labels(model, X), best, output_names(model)), notes=(note,))
    probabilities = model.predict_proba(X, sparse=model.targets_.is_sparse)
    predicted = _decided(model, probabilities)
    if task == HIERARCHICAL:
        return _of_hierarchy(y, predicted, probabilities, model.targets_.hierarchy, every=every)
    return _of_labels(y, predicted, probabilities, output_names(model), every=every)


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
    y: np.ndarray,
    predicted: np.ndarray,
    probabilities: np.ndarray,
    classes: np.ndarray,
    *,
    every: bool = False,
) -> Scores:
    if classes.dtype.kind in "iuf":
        y = y.astype(classes.dtype)
    else:
        y, predicted, classes = y.astype(str), predicted.astype(str), classes.astype(str)
    strange = sorted(set(y.tolist()) - set(classes.tolist()))
    unknown = f"classes that the model does not know, and so gets wrong: {listed(strange)}"
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
    if every:
        together |= all_scores.of_classes(y, predicted, probabilities, classes)
        areas = all_scores.of_each_label(all_scores.class_indicator(y, classes), probabilities)
        each = _with_more(each, areas, classes.astype(str))
    return Scores(together, each, positive, (unknown,) if strange else ())


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


def _with_more(
    each: dict[str, dict[str, float]], more: dict[str, np.ndarray], names: Iterable[Any]
) -> dict[str, dict[str, float]]:
    """Add measures of targets in the order of `names`; NaN to others, as a class that the model never saw."""
    values = {
        str(name): dict(zip(more, row, strict=True)) for name, row in zip(names, _rows(more), strict=True)
    }
    return {name: one | values.get(name, dict.fromkeys(more, float("nan"))) for name, one in each.items()}


def _rows(more: dict[str, np.ndarray]) -> list[list[float]]:
    rows: list[list[float]] = np.column_stack(list(more.values())).tolist()
    return rows


def _auc(positive: np.ndarray, scored: np.ndarray) -> float:
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(positive, scored)) if 0 < positive.sum() < len(positive) else float("nan")


def _log_loss(y: np.ndarray, probabilities: np.ndarray, classes: np.ndarray) -> float:
    place = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    of_truth = np.where(classes[place] == y, probabilities[np.arange(len(y)), place], 0.0)
    return float(np.abs(np.log(np.clip(of_truth, np.finfo(probabilities.dtype).eps, 1.0))).mean())


# ---- several targets


def _of_several(y: Any, model: Any, X: Any, *, every: bool = False) -> Scores:
    """Return measures of each target over the rows in which it is known, and their means over the targets."""
    predicted, shares = model.predict(X), model.predict_proba(X)
    each: dict[str, dict[str, float]] = {}
    notes: list[str] = []
    for j, (name, classes) in enumerate(zip(output_names(model), model.classes_, strict=True)):
        truth = np.asarray(y[name])
        if classes is None:
            numbers = predicted[:, j].astype(np.float64)
            each |= _of_numbers(truth, numbers, (name,), every=every).each
            continue
        known = _known_rows(truth)
        measures = {"accuracy": float("nan"), "macro_f1": float("nan"), "log_loss": float("nan")}
        if known.any():
            said = predicted[known, j].astype(classes.dtype)
            found = _of_classes(truth[known], said, shares[j][known], classes, every=every)
            notes += found.notes
            measures = {
                "macro_f1": float(np.mean([one["f1"] for one in found.each.values()]))
            } | found.together
        shown = measures if every else ("accuracy", "macro_f1", "log_loss")
        each[name] = {measure: measures[measure] for measure in shown} | {"rows": int(known.sum())}
    together = _means(each, [classes is not None for classes in model.classes_])
    are_classes = np.array([classes is not None for classes in model.classes_])
    columns = [np.asarray(y[name]) for name in np.array(list(each), object)[are_classes]]
    if any(_known_rows(column).any() for column in columns):
        truth = np.column_stack([column.astype(object) for column in columns])
        together["exact_match"] = exact_match(truth, predicted[:, are_classes])
    return Scores(together, each, notes=tuple(notes))


def _means(each: dict[str, dict[str, float]], are_classes: list[bool]) -> dict[str, float]:
    """Return means over the targets of classes, and over those of numbers, that are known in some row.

    There is no mean of measures that not all of them have, as AUC is one of two classes, nor of those in
    units of their own.
    """
    means = {}
    for kind in (True, False):
        pairs = zip(each.values(), are_classes, strict=True)
        ones = [one for one, is_class in pairs if is_class is kind and one["rows"]]
        shared = [name for name in ones[0] if all(name in one for one in ones)] if ones else []
        for name in shared:
            if name not in ("rows", "rmse", "mae"):
                known = [one[name] for one in ones if not np.isnan(one[name])]
                means[f"mean_{name}"] = float(np.mean(known)) if known else float("nan")
    return means


# ---- labels


def _are_many(model: Any, y: Any, every: bool) -> bool:
    """Tell whether scores of all labels are too many to hold; where all measures are asked for, never."""
    return model.targets_.is_sparse and not every and y.shape[0] * y.shape[1] > _MOST_SCORES


def _of_best_labels(y: Any, predicted: Any, best: Any, names: tuple[str, ...]) -> Scores:
    """Return the measures that need the best few scores of a row only."""
    true, said, each = _of_decided(y, predicted, names)
    together = {f"precision_at_{k}": float(precision_at_k(true, best, k)) for k in _BEST}
    together |= {f"ndcg_at_{k}": float(ndcg_at_k(true, best, k)) for k in _BEST}
    together |= {"micro_f1": micro_f1(true, said), "macro_f1": macro_f1(true, said)}
    together |= {"hamming_loss": hamming_loss(true, said), "subset_accuracy": subset_accuracy(true, said)}
    return Scores(together, each)


def _of_decided(
    y: Any, predicted: Any, names: tuple[str, ...]
) -> tuple[sp.csr_array, sp.csr_array, dict[str, dict[str, float]]]:
    """Return the true and the predicted indicator, and the measures of each label."""
    true, said = sp.csr_array(y).astype(np.bool_), sp.csr_array(predicted).astype(np.bool_)
    hits = true.multiply(said).tocsr()
    each = _of_each(names, *(np.asarray(cells.sum(axis=0)).ravel() for cells in (hits, true, said)))
    return true, said, each


def _of_labels(
    y: Any, predicted: Any, probabilities: Any, names: tuple[str, ...], *, every: bool = False
) -> Scores:
    true, said, each = _of_decided(y, predicted, names)
    together = {
        "lrap": label_ranking_average_precision(true, probabilities),
        "micro_f1": micro_f1(true, said),
        "macro_f1": macro_f1(true, said),
        "hamming_loss": hamming_loss(true, said),
        "subset_accuracy": subset_accuracy(true, said),
        "coverage": coverage(true, probabilities),
    }
    for k in _BEST:
        if k <= len(names):
            together[f"precision_at_{k}"] = float(precision_at_k(true, probabilities, k))
    if every:
        together |= all_scores.of_labels(true, said, probabilities)
        each = _with_more(each, all_scores.of_each_label(true, probabilities), names)
    return Scores(together, each)


def _of_hierarchy(
    y: Any, predicted: Any, probabilities: Any, hierarchy: Any, *, every: bool = False
) -> Scores:
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
    each = {str(name): {"auprc": area, "rows": rows} for name, area, rows in counted}
    if every:
        together |= all_scores.of_labels(true, predicted, probabilities)
        each = _with_more(each, all_scores.of_each_label(true, probabilities), hierarchy.nodes)
    return Scores(together, each)


# ---- numbers


def _of_numbers(
    y: np.ndarray, predicted: np.ndarray, names: tuple[str, ...], *, every: bool = False
) -> Scores:
    y, predicted = y.reshape(len(y), -1), predicted.reshape(len(y), -1)
    measures = {
        "r2": np.array([_r2(y[:, j], predicted[:, j]) for j in range(len(names))]),
        "rmse": target_rmse(y, predicted),
        "mae": target_mae(y, predicted),
        "rrmse": target_rrmse(y, predicted),  # relative to predicting the mean of these rows
    }
    if every:
        measures["correlation"] = target_correlation(y, predicted)
    known = (~np.isnan(y)).sum(axis=0).tolist()
    each = {
        name: dict(zip(measures, row, strict=True)) | {"rows": rows}
        for name, row, rows in zip(names, _rows(measures), known, strict=True)
    }
    if len(names) == 1:
        (alone,) = each.values()
        usual = ("r2", "rmse", "mae")
        return Scores({name: alone[name] for name in measures if every or name in usual}, each)
    together = {"mean_r2": float(measures["r2"].mean()), "arrmse": average_rrmse(y, predicted)}
    if every:
        averages = (average_rmse, average_mae, average_correlation)
        together |= {average.__name__: average(y, predicted) for average in averages}
    return Scores(together, each)


def _r2(truth: np.ndarray, predicted: np.ndarray) -> float:
    known = ~np.isnan(truth)
    return mean_r2(truth[known], predicted[known]) if known.sum() > 1 else float("nan")
