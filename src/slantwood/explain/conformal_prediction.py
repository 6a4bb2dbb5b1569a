"""How sure a prediction is: intervals and sets that hold the truth with a given probability.

The probability is over rows to come that are drawn like those of the calibration, all of them together. Of
rows of a kind that is hard to predict, fewer may be covered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from slantwood.estimators.names import output_names
from slantwood.explain.class_shares import tie_breaks
from slantwood.explain.held_out import held_out, said_of
from slantwood.explain.intervals import IntervalRule, Intervals
from slantwood.explain.models import check_model
from slantwood.explain.prediction_sets import PredictionSets, SetRule, covered_share
from slantwood.explain.truth import truth_of
from slantwood.task_names import NUMBER_TASKS
from slantwood.validation import check_flag, check_real


class Covered(NamedTuple):
    """How much of the truth intervals or sets hold, and how large they are.

    Parameters
    ----------
    share : array
        The share of known numbers within their intervals, for each target (of joint ones a single share), or
        a single share of classes or labels within their sets.
    size : array
        The mean width of the intervals, for each target, or the mean number of members of the sets.

    Examples
    --------
    >>> import numpy as np
    >>> from slantwood.explain import Covered
    >>> Covered(np.array([0.91]), np.array([12.5])).share.tolist()
    [0.91]
    """

    share: np.ndarray
    size: np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class Conformal:
    """A model with what it takes to say how sure it is; `conformal` makes it.

    Parameters
    ----------
    model : estimator
        The fitted model.
    rule : IntervalRule or SetRule
        What was learned from rows that the model did not see.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from slantwood import ObliqueForestRegressor
    >>> from slantwood.explain import conformal
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = ObliqueForestRegressor(n_estimators=20, bootstrap=True, random_state=0).fit(X, y)
    >>> conformal(forest, X, y)
    Conformal(ObliqueForestRegressor, 431 rows)
    """

    model: Any
    rule: IntervalRule | SetRule

    def predict_interval(self, X: Any, coverage: float = 0.9, *, joint: bool = False) -> Intervals:
        """Return intervals that hold the numbers of rows.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Rows.
        coverage : float, default=0.9
            The share of rows whose numbers lie in their intervals, each target by itself.
        joint : bool, default=False
            Whether that is the share of rows of which all targets lie in their intervals.

        Returns
        -------
        Intervals
            Around the predictions. They are infinite where the calibration had too few rows: a coverage of
            0.9 needs 9 of them, one of 0.99 needs 99.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from slantwood import ObliqueForestRegressor
        >>> from slantwood.explain import conformal
        >>> X, y = load_diabetes(return_X_y=True)
        >>> forest = ObliqueForestRegressor(n_estimators=20, bootstrap=True, random_state=0).fit(X, y)
        >>> sure, surer = (conformal(forest, X, y).predict_interval(X, share) for share in (0.5, 0.9))
        >>> bool((sure.width < surer.width).all())
        True
        """
        share = _checked_coverage(coverage)
        check_flag("joint", joint)
        if not isinstance(self.rule, IntervalRule):
            raise ValueError("the model predicts classes or labels, which have no intervals; use predict_set")
        said = said_of(self.model, self.model.encode_features(X))
        half = self.rule.half_widths(said, share, joint=joint)
        parts = (said.predicted - half, said.predicted + half, said.predicted)
        if self.model.targets_.one_dimensional:
            parts = tuple(part[:, 0] for part in parts)
        return Intervals(*parts, output_names(self.model), share, joint)

    def predict_set(self, X: Any, coverage: float = 0.9, *, joint: bool = False) -> PredictionSets:
        """Return sets that hold the classes or labels of rows.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Rows.
        coverage : float, default=0.9
            The share of rows whose class is in the set. Of labels, the share of the labels of a row that are
            in its set, on average over rows that have any.
        joint : bool, default=False
            Of labels, whether it is the share of rows none of whose labels is missed; these sets are larger.
            With classes, of which a row has one, it changes nothing.

        Returns
        -------
        PredictionSets
            All classes or labels whose probability is above a threshold, which makes the sets as small as
            they can be. A set may be empty: no class is as probable as the classes of other rows are. In a
            hierarchy a set holds all ancestors of its members. Where the calibration had too few rows, sets
            hold everything.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from slantwood import ObliqueForestClassifier
        >>> from slantwood.explain import conformal
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = ObliqueForestClassifier(n_estimators=20, bootstrap=True, random_state=0).fit(X, y)
        >>> conformal(forest, X, y).predict_set(X[:1]).to_lists()
        [(0,)]
        """
        share = _checked_coverage(coverage)
        check_flag("joint", joint)
        if not isinstance(self.rule, SetRule):
            raise ValueError("the model predicts numbers, of which there are no sets; use predict_interval")
        members = self.rule.members(
            said_of(self.model, self.model.encode_features(X)).predicted, share, joint=joint
        )
        return PredictionSets(members, self.model.classes_, share)

    def measure(self, X: Any, y: Any, coverage: float = 0.9, *, joint: bool = False) -> Covered:
        """Tell how much of the truth intervals or sets hold in other rows, and how large they are.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Rows that neither the model nor the calibration saw.
        y : array, data frame, sparse matrix or label sets
            Their numbers, classes or labels.
        coverage, joint : float, bool
            As in `predict_interval` and `predict_set`.

        Returns
        -------
        Covered
            The share that was covered, which on average over many draws of the rows is `coverage`, and the
            mean width or number of members.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from slantwood import ObliqueForestRegressor
        >>> from slantwood.explain import conformal
        >>> X, y = load_diabetes(return_X_y=True)
        >>> forest = ObliqueForestRegressor(n_estimators=20, bootstrap=True, random_state=0)
        >>> sure = conformal(forest.fit(X[:300], y[:300]), X[:300], y[:300])
        >>> bool(0.8 < sure.measure(X[300:], y[300:]).share[0] < 1.0)
        True
        """
        if isinstance(self.rule, IntervalRule):
            found = self.predict_interval(X, coverage, joint=joint)
            truth = truth_of(self.model, y, len(found.lower))
            known = ~np.isnan(truth)
            inside = found.covers(truth).reshape(len(truth), -1)
            width = found.width.reshape(truth.shape).mean(axis=0)
            if joint:
                return Covered(inside[known.all(axis=1)].mean(axis=0), width)
            return Covered(np.array([i[k].mean() for i, k in zip(inside.T, known.T, strict=True)]), width)
        sets = self.predict_set(X, coverage, joint=joint)
        truth = truth_of(self.model, y, sets.members.shape[0])
        share = covered_share(truth, sets.members, joint=joint)
        return Covered(np.array([share]), np.array([sets.sizes.mean()]))

    def __repr__(self) -> str:
        return f"Conformal({type(self.model).__name__}, {len(self.rule.weights)} rows)"


def conformal(
    model: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    unseen: bool = False,
    cv: int | None = None,
    random_state: Any = None,
) -> Conformal:
    """Learn from rows that a model did not see how sure its predictions are.

    Parameters
    ----------
    model : estimator
        A fitted tree, forest or boosted model of slantwood. It is used as it is, and does not change.
    X : array, sparse matrix or data frame of shape (n_rows, n_features)
        By default the rows that the model, a forest with ``bootstrap=True``, was fitted on, in the same
        order: each is predicted by the trees that did not see it, and nothing is fitted. Rows that fewer
        than four trees did not see have no part.
    y : array, data frame, sparse matrix or label sets
        Their numbers, classes or labels. Rows of which they are not known have no part.
    sample_weight : array of shape (n_rows,), optional
        Weights of the rows, in units of their mean. Out of bag those of `fit`.
    unseen : bool, default=False
        Whether the rows are such as the model was not fitted on. It can then be any model.
    cv : int, optional
        Fit so many models, each on all rows but a part, which it then predicts; X and y are those of `fit`.
        For trees, boosted models and forests without bootstrap where no rows can be spared.
    random_state : int, RandomState or None, default=None
        Which rows are in which part, for `cv`.

    Returns
    -------
    Conformal
        With `predict_interval` for numbers, `predict_set` for classes and labels, and `measure`.

    Notes
    -----
    With ``unseen=True`` the coverage of sets is guaranteed: at least what is asked for on average, and no
    more than 1 / (n_rows + 1) above it where scores do not tie; that of intervals is up to the choice between
    two forms of them. Out of bag and with `cv`, predictions of the rows come from fewer trees or fewer rows
    than those of the model; docs/uncertainty.md tells what was measured, and there is no proof of it.

    Intervals of forests are as wide as their trees differ about a row, or equally wide for all rows; for each
    target the form that is narrower on average over the calibration rows.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from slantwood import ObliqueForestRegressor
    >>> from slantwood.explain import conformal
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = ObliqueForestRegressor(n_estimators=20, bootstrap=True, random_state=0).fit(X, y)
    >>> intervals = conformal(forest, X, y).predict_interval(X[:2], coverage=0.8)
    >>> bool((intervals.lower < forest.predict(X[:2])).all())
    True
    """
    check_model(model, "conformal prediction")
    rows = held_out(model, X, y, sample_weight, unseen=unseen, cv=cv, random_state=random_state)
    is_number = model.targets_.task in NUMBER_TASKS
    rule: IntervalRule | SetRule = (
        IntervalRule.learn(rows) if is_number else SetRule.learn(rows, tie_breaks(model))
    )
    if not (rule.weights > 0).any():
        raise ValueError("y is known in no row that the model did not see; give rows whose y is known")
    return Conformal(model, rule)


def _checked_coverage(coverage: Any) -> float:
    share = check_real("coverage", coverage, 0.0, 1.0, open_minimum=True)
    if share == 1.0:
        raise ValueError("coverage=1.0 asks for what no data can promise; give a share below 1, such as 0.99")
    return share
