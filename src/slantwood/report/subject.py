"""What a report is about: a fitted model and, where they are given, rows that it did not see."""

from __future__ import annotations

import copy
import time
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from slantwood.estimators.base import ObliqueEstimator
from slantwood.estimators.label_tree import LabelTreeClassifier
from slantwood.estimators.names import output_names
from slantwood.report.facts import feature_names
from slantwood.report.truth import read_truth


@dataclass(frozen=True, eq=False)
class Subject:
    """A model, rows, and their targets; X and truth are None where none were given."""

    model: Any
    X: Any
    truth: Any  # as `read_truth` returns it

    @classmethod
    def of(cls, model: Any, X: Any = None, y: Any = None) -> Subject:
        """Check what a report was asked for."""
        check_subject(model)
        model = copy.copy(model).set_output(predict="default")  # arrays, whatever the user likes to see
        if X is None and y is not None:
            raise ValueError("y is given, and X is not; give both, or neither")
        if X is None:
            return cls(model, None, None)
        n_rows = model.encode_features(X).shape[0]
        return cls(model, X, None if y is None else read_truth(model, y, n_rows))

    @property
    def task(self) -> str:
        """The task of the model."""
        return str(self.model.targets_.task)

    @property
    def has_trees(self) -> bool:
        """Whether the model has trees over rows; label trees are of another kind."""
        return isinstance(self.model, ObliqueEstimator)

    @property
    def is_boosted(self) -> bool:
        """Whether trees are steps that add up."""
        return self.has_trees and self.model.forest_.additive is not None

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the features."""
        return feature_names(self.model)

    @cached_property
    def output_names(self) -> tuple[str, ...]:
        """Names of targets, classes or labels."""
        return output_names(self.model)

    @cached_property
    def encoded(self) -> Any:
        """The rows as numbers that splits combine."""
        return self.model.encode_features(self.X)

    @property
    def n_rows(self) -> int:
        """Number of rows that were given."""
        return 0 if self.X is None else int(self.encoded.shape[0])

    @cached_property
    def importances(self) -> np.ndarray:
        """The importance of each feature; zeros where the model has none."""
        if not self.has_trees:
            return np.zeros(self.model.n_features_in_)
        return np.asarray(self.model.feature_importances_)

    @cached_property
    def importance_spread(self) -> np.ndarray | None:
        """The standard deviation of the importances between trees, in the same unit; None if not known."""
        if not self.has_trees or self.model.forest_.importance_squares is None:
            return None
        n_trees = self.model.trees_.n_trees
        mean = self.model.encoding_.by_input(self.model.forest_.importance_sum) / n_trees
        squares = self.model.forest_.importance_squares / n_trees
        if n_trees < 2 or not mean.sum() > 0:
            return None
        variance = squares - mean**2
        # What is left of rounding is no spread.
        return np.asarray(np.sqrt(np.where(variance > 1e-9 * squares, variance, 0.0)) / mean.sum())

    @cached_property
    def seconds_to_predict(self) -> float:
        """Seconds that the model took to predict the rows, when all was compiled."""
        predict = self.model.predict
        predict(self.X)
        started = time.perf_counter()
        predict(self.X)
        return time.perf_counter() - started


def check_subject(model: Any) -> None:
    """Refuse what is no fitted model of slantwood."""
    if not isinstance(model, (ObliqueEstimator, LabelTreeClassifier)):
        raise TypeError(
            f"model is a {type(model).__name__}; give a fitted model of slantwood (of a pipeline its last "
            "step, with the X that it was given)"
        )
    check_is_fitted(model)
