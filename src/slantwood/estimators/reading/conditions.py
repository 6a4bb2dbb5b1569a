"""What a split asks, in the user's words and units.

A split goes right where a weighted sum of columns reaches a threshold. Weights can be divided by any number:
here by that of the column with the largest share, so that the threshold is in the unit of this column. Of a
single column nothing is left but a comparison, and of the indicator of a category a question: is it this one?
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from slantwood.estimators.names import input_names
from slantwood.estimators.reading.numbers import threshold, written

# Of a sum of many columns so many are named, and its numbers have so many digits.
_MOST_TERMS = 6
_DIGITS = 4

_QUESTIONS = ("is", "is not")


class Term(NamedTuple):
    """The part of one column in a condition."""

    feature: str
    value: str | None  # of an indicator, which is 1 where the feature has it: a category, or "missing"
    factor: float  # beside that of the first term, which is 1
    share: float  # of all columns of the condition
    mean: float  # of the training rows in the node: what stands for a missing value

    @property
    def word(self) -> str:
        """What a sum of several columns calls it."""
        return self.feature if self.value is None else f"[{self.feature} is {self.value}]"

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {name: finite_or_none(value) for name, value in self._asdict().items()}


class Condition(NamedTuple):
    """What a node asks of a row."""

    terms: tuple[Term, ...]  # of many the largest, by their shares; none where all weights are zero
    n_more: int  # columns beside these
    relation: str  # ">=" or "<=", between the sum of the terms and the threshold; "is" or "is not"
    threshold: float  # NaN where a single indicator is asked for what it is

    @property
    def share_more(self) -> float:
        """Share of the columns that are not named."""
        return max(0.0, 1.0 - sum(term.share for term in self.terms))

    def text(self, digits: int | None = None, max_terms: int = _MOST_TERMS) -> str:
        """Write it in a line, with so many digits; None for all that it takes where it has a single column.

        Parameters
        ----------
        digits : int, optional
            Significant digits of numbers.
        max_terms : int
            Columns that are named at the most.
        """
        if not self.terms:
            return f"0 {self.relation} {written(self.threshold, digits or 17)}"
        first = self.terms[0]
        if self.relation in _QUESTIONS:
            return f"{first.feature} {self.relation} {first.value}"
        if len(self.terms) + self.n_more == 1:
            return f"{first.feature} {self.relation} {written(self.threshold, digits or 17)}"
        digits = digits or _DIGITS
        terms = self.terms[:max_terms]
        parts = [f"{first.word} ({percent(first.share)})"]
        for term in terms[1:]:
            factor = written(abs(term.factor), digits)
            by = "" if factor == "1" else f"{factor} "
            parts.append(f"{'-' if term.factor < 0 else '+'} {by}{term.word} ({percent(term.share)})")
        n_more = self.n_more + len(self.terms) - len(terms)
        if n_more:
            rest = max(0.0, 1.0 - sum(term.share for term in terms))
            parts.append(f"+ ({n_more} more, {percent(rest)})")
        return f"{' '.join(parts)} {self.relation} {written(self.threshold, digits)}"

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {
            "text": self.text(),
            "terms": [term.to_dict() for term in self.terms],
            "n_more": self.n_more,
            "share_more": self.share_more,
            "relation": self.relation,
            "threshold": finite_or_none(self.threshold),
        }


class Spreads(NamedTuple):
    """What rows that go through a tree tell about its nodes, beside what the tree keeps."""

    features: np.ndarray  # deviation of each column of each split over the node's rows, as `Trees.weights`
    gaps: np.ndarray  # (n_nodes, 2): of splits of one column, the values next to the threshold; else NaN
    targets: np.ndarray | None  # (n_nodes, n_targets): deviation of numbers over the node's rows


class Conditions:
    """Says what the splits of a tree ask.

    Parameters
    ----------
    model : fitted estimator
        The model.
    trees : Trees
        One tree of it, its nodes counted from 0.
    spreads : Spreads, optional
        What is known of the rows of its nodes. Without it the spread of features over all training rows
        counts, where the model keeps it.
    """

    def __init__(self, model: Any, trees: Any, spreads: Spreads | None) -> None:
        self._trees, self._spreads, self._column_spread = trees, spreads, model.forest_.column_spread
        self._columns = _Columns(model)

    def of(self, node: int) -> Condition:
        """Return what a node asks."""
        trees = self._trees
        part = slice(trees.indptr[node], trees.indptr[node + 1])
        weights = trees.weights[part].astype(np.float64)
        columns, means, bias = trees.indices[part], trees.means[part], float(trees.bias[node])
        if not weights.any():  # as where a model file has rounded them to nothing
            return Condition((), 0, ">=", -bias)
        if len(weights) == 1:
            return self._single(node, int(columns[0]), float(weights[0]), float(means[0]))
        sizes = np.abs(weights)
        if self._spreads is not None:
            sizes = sizes * self._spreads.features[part]
        elif self._column_spread is not None:
            sizes = sizes * self._column_spread[columns]
        total = sizes.sum()
        # Where no column varies over the rows that are known, each has the same part in nothing.
        shares = sizes / total if total > 0 else np.full(len(sizes), 1.0 / max(len(sizes), 1))
        order = np.argsort(-shares, kind="stable")[:_MOST_TERMS]
        first = weights[order[0]]
        terms = tuple(
            Term(*self._columns[columns[j]], *map(float, (weights[j] / first, shares[j], means[j])))
            for j in order
        )
        relation = ">=" if first > 0 else "<="
        return Condition(terms, len(weights) - len(terms), relation, -bias / first)

    def _single(self, node: int, column: int, weight: float, mean: float) -> Condition:
        bias = float(self._trees.bias[node])
        terms = (Term(*self._columns[column], 1.0, 1.0, mean),)
        if terms[0].value is not None:
            with_it, without = bias + weight >= 0, bias >= 0
            if with_it != without:
                return Condition(terms, 0, _QUESTIONS[0 if with_it else 1], float("nan"))
        gap = None
        if self._spreads is not None and not np.isnan(self._spreads.gaps[node]).any():
            low, high = self._spreads.gaps[node].tolist()
            gap = low, high
        return Condition(terms, 0, ">=" if weight > 0 else "<=", threshold(weight, bias, gap))


class _Column(NamedTuple):
    feature: str
    value: str | None


class _Columns:
    """The columns that splits combine, each made when it is asked for: there may be very many."""

    def __init__(self, model: Any) -> None:
        encoding = model.encoding_
        self._names = input_names(model) or tuple(f"x{j}" for j in range(model.n_features_in_))
        self._numbers = encoding.numbers
        nominal = zip(encoding.nominal, encoding.categories, encoding.usual, strict=True)
        self._indicators = [
            _Column(self._names[column], str(category))
            for column, categories, usual in nominal
            for place, category in enumerate(categories)
            if place != usual
        ] + [_Column(self._names[column], "missing") for column in encoding.indicated]

    def __getitem__(self, column: int) -> _Column:
        n_numbers = len(self._numbers)
        if column >= n_numbers:
            return self._indicators[column - n_numbers]
        return _Column(self._names[self._numbers[column]], None)


def finite_or_none(value: Any) -> Any:
    """Return a value that JSON has: None in place of a number that is not finite."""
    return None if isinstance(value, float) and not np.isfinite(value) else value


def percent(share: float) -> str:
    """Write a share in percent, a small one with a digit more."""
    return f"{100 * share:.{0 if share >= 0.01 else 1}f} %"
