"""What nodes predict, in words: the class, the largest labels, numbers and their spread, steps of scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from slantwood.estimators.names import output_names
from slantwood.estimators.reading.conditions import finite_or_none
from slantwood.estimators.reading.slopes import slope_texts
from slantwood.estimators.reading.steps import MOST_OUTPUTS, StepText, in_a_row
from slantwood.task_names import CLASS_TASKS, NUMBER_TASKS, SEVERAL_TASKS

# Below this, a share is what rounding left of nothing.
_NOTHING = 1e-9

CLASSES, LABELS, NUMBERS, SEVERAL, STEPS = "classes", "labels", "numbers", "several", "steps"


class Outcome(NamedTuple):
    """One of the outputs that a node predicts."""

    name: str
    value: (
        Any  # a share of the node's rows, a number, a step of a score; of several targets what is predicted
    )
    share: float | None = None  # of several targets, that of the predicted class
    spread: float | None = None  # deviation of a number over the node's rows, where rows were given

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        value = self.value.item() if isinstance(self.value, np.generic) else self.value
        if not isinstance(value, (bool, int, float, str)):
            value = str(value)
        return {
            "name": self.name,
            "value": finite_or_none(value),
            "share": self.share,
            "spread": None if self.spread is None else finite_or_none(self.spread),
        }


class Prediction(NamedTuple):
    """What a node predicts, or would predict if it were a leaf."""

    text: str
    outcomes: tuple[Outcome, ...]  # of many the first or the largest
    n_more: int  # outputs beside these, those that are zero left out

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        outcomes = [each.to_dict() for each in self.outcomes]
        return {"text": self.text, "outcomes": outcomes, "n_more": self.n_more}


class Predictions:
    """Says what nodes of a model predict.

    Parameters
    ----------
    model : fitted estimator
        The model.
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        self._names = output_names(model)
        task = model.targets_.task
        self.steps = None if model.forest_.additive is None else StepText(model, self._names)
        self.kind = LABELS
        if self.steps is not None:
            self.kind = STEPS
        elif task in SEVERAL_TASKS:
            self.kind = SEVERAL
        elif task in CLASS_TASKS:
            self.kind = CLASSES
        elif task in NUMBER_TASKS:
            self.kind = NUMBERS

    def of(self, means: Any, spreads: np.ndarray | None = None, leaf: int = -1) -> Prediction:
        """Return what a node predicts whose targets have these means: an array or a CSR array of one row.

        `spreads` are the deviations of its numbers, in the user's units; `leaf` is the number of a leaf, and
        -1 for other nodes.
        """
        if self.kind == LABELS:
            return self._labels(means)
        dense = means.toarray() if sp.issparse(means) else means
        if self.kind == STEPS:
            assert self.steps is not None
            steps = self.steps.steps(dense[0])
            return _first_of(
                [Outcome(*each) for each in steps], [f"{name} {step:+.4g}" for name, step in steps]
            )
        if self.kind == CLASSES:
            return self._classes(dense)
        if self.kind == SEVERAL:
            return self._several(dense)
        predicted, slopes = self._numbers(dense, spreads), self._model.forest_.slopes
        if leaf < 0 or slopes is None or slopes.model[leaf] < 0:
            return predicted
        texts = [
            f"{name} = {each}" for name, each in zip(self._names, slope_texts(self._model, leaf), strict=True)
        ]
        return predicted._replace(text=in_a_row(texts, len(texts)))

    def _labels(self, means: Any) -> Prediction:
        if sp.issparse(means):
            columns, values = means.indices, means.data
        else:
            columns, values = np.arange(means.shape[1]), means[0]
        some = np.flatnonzero(values > _NOTHING)
        order = some[np.argsort(-values[some], kind="stable")]
        # Names are looked up of those that are said, as there may be very many labels.
        said = [Outcome(self._names[columns[j]], float(values[j])) for j in order[:MOST_OUTPUTS]]
        return _first_of(said, [f"{name} ({share:.2f})" for name, share, _, _ in said], len(order))

    def _classes(self, means: np.ndarray) -> Prediction:
        targets = self._model.targets_
        shares = targets.probabilities(means)
        decided = targets.decode(shares, self._model.decision_threshold())
        best = int(np.searchsorted(self._model.classes_, decided)[0])
        order = [best, *(j for j in np.argsort(-shares[0], kind="stable") if j != best)]
        order = [j for j in order if j == best or shares[0, j] > _NOTHING]
        outcomes = [Outcome(self._names[j], float(shares[0, j])) for j in order]
        text = f"{self._names[best]} ({shares[0, best]:.2f})"
        return _first_of(outcomes, [])._replace(text=text)

    def _numbers(self, means: np.ndarray, spreads: np.ndarray | None) -> Prediction:
        numbers = np.ravel(self._model.targets_.decode(means)).tolist()
        known = [float("nan")] * len(numbers) if spreads is None else spreads.tolist()
        outcomes = [
            Outcome(name, number, None, None if np.isnan(spread) else spread)
            for name, number, spread in zip(self._names, numbers, known, strict=True)
        ]
        texts = [
            f"{name} = {number:.4g}" + ("" if spread is None else f" ± {spread:.2g}")
            for name, number, _, spread in outcomes
        ]
        return _first_of(outcomes, texts)

    def _several(self, means: np.ndarray) -> Prediction:
        targets = self._model.targets_
        decoded = (column[0] for column in targets.decoded_columns(means))
        found = zip(self._names, decoded, targets.probabilities(means), strict=True)
        outcomes = [
            Outcome(name, value, None if shares is None else float(shares.max()))
            for name, value, shares in found
        ]
        texts = [
            f"{name} = {value:.4g}" if share is None else f"{name} = {value} ({share:.2f})"
            for name, value, share, _ in outcomes
        ]
        return _first_of(outcomes, texts)


def _first_of(outcomes: Sequence[Outcome], texts: Sequence[str], n_all: int | None = None) -> Prediction:
    n_all = len(outcomes) if n_all is None else n_all
    said = tuple(outcomes[:MOST_OUTPUTS])
    return Prediction(in_a_row(texts, n_all), said, n_all - len(said))
