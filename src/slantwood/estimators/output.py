"""Predictions as data frames, for those who ask for them; arrays for everybody else."""

from importlib import import_module
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from slantwood.estimators.dense_scores import check_dense_scores
from slantwood.estimators.names import output_names
from slantwood.hints import shown
from slantwood.task_names import NUMBER_TASKS
from slantwood.validation import check_choice

ARRAYS = "default"
LIBRARIES = ("pandas", "polars")


class FramesOutMixin:
    """Lets a fitted estimator predict data frames."""

    # Not a parameter, which `clone` would copy: scikit-learn's meta-estimators clone, and count on arrays.
    _predictions_as: str = ARRAYS

    def set_output(self, *, transform: str | None = None, predict: str | None = None) -> Self:
        """Choose what `predict`, `predict_proba` and `predict_log_proba` return.

        The choice is pickled with the estimator. `clone` forgets it, as scikit-learn's meta-estimators clone
        and count on arrays, and so does `save`, as whoever loads a model file may have another library.

        Parameters
        ----------
        transform : object
            Ignored: it is for callers that set the output of all steps of a pipeline, as scikit-learn does.
        predict : {"default", "pandas", "polars"}, optional
            Arrays, or data frames of a library. Columns are called like `classes_` or the targets; in polars
            by their text. What is one value for each row, such as classes or label sets, is a series. pandas
            keeps the index of X where X is a pandas frame. None leaves the choice as it is.

        Returns
        -------
        self
            The estimator.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from slantwood import ObliqueForestClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> forest = ObliqueForestClassifier(n_estimators=5, random_state=0).fit(X, y)
        >>> forest.set_output(predict="pandas").predict_proba(X.iloc[[30, 20]])
              0    1    2
        30  1.0  0.0  0.0
        20  1.0  0.0  0.0
        """
        if predict is not None:
            check_choice("predict", predict, (ARRAYS, *LIBRARIES))
            if predict != ARRAYS:
                _library(predict)  # that it is missing is said here, not after the model has predicted
            self._predictions_as = predict
        return self

    def _as_output(self, values: Any, X: Any) -> Any:
        """Return predictions of X, one column for each class, label or number, in the form asked for."""
        if self._predictions_as == ARRAYS:
            return values
        named: tuple[str, ...] = getattr(self, "target_names_", None) or ()
        if isinstance(values, list) or values.ndim == 1:
            name = named[0] if len(named) == 1 else None
            if self._predictions_as == "pandas":
                return _pandas_series(values, X, name)
            return _polars_series(values, name, getattr(self, "classes_", None))
        are_numbers = self.targets_.task in NUMBER_TASKS  # type: ignore[attr-defined]
        columns = output_names(self) if are_numbers else list(self.classes_)  # type: ignore[attr-defined]
        if self._predictions_as == "pandas":
            return _pandas_frame(values, X, list(columns))
        return _polars_frame(values, list(columns))

    def _several_out(self, shares: list[Any], X: Any) -> Any:
        """Return probabilities of several targets, None for a number, in the form asked for."""
        if self._predictions_as == ARRAYS:
            return shares
        classes: Any = self.classes_  # type: ignore[attr-defined]
        named = [
            (f"{name}={each}", share[:, k])
            for name, of_target, share in zip(output_names(self), classes, shares, strict=True)
            if share is not None
            for k, each in enumerate(of_target)
        ]
        columns = dict(named)
        if len(columns) < len(named):
            names = [name for name, _ in named]
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(
                f"two columns of the frame would be called {shown(twice)}; fit with other target_names, or "
                "set_output(predict='default')"
            )
        return self._frame_out(columns, X)

    def _frame_out(self, columns: dict[str, np.ndarray], X: Any) -> Any:
        """Return columns of types of their own as a frame of the library asked for."""
        return frame_of(columns, self._predictions_as, _index(X))


def frame_of(columns: dict[str, np.ndarray], library: str, index: Any = None) -> Any:
    """Return a data frame of columns by name; the index is for pandas alone."""
    check_choice("library", library, LIBRARIES)
    made = _library(library)
    return made.DataFrame(columns, index=index) if library == "pandas" else made.DataFrame(columns)


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(f"frames of {name} need {name}; install it with: pip install {name}") from error


def _index(X: Any) -> Any:
    from narwhals.stable.v2.dependencies import is_pandas_dataframe

    return X.index if is_pandas_dataframe(X) else None


def _pandas_series(values: Any, X: Any, name: str | None) -> Any:
    if isinstance(values, list):  # of label sets, which must not become columns
        cells = np.empty(len(values), object)
        cells[:] = values
        values = cells
    return _library("pandas").Series(values, index=_index(X), name=name)


def _polars_series(values: Any, name: str | None, classes: Any) -> Any:
    polars = _library("polars")
    if isinstance(values, list):  # of label sets, whose rows may all be empty
        kind = polars.List(polars.Int64 if classes.dtype.kind == "i" else polars.String)
        return polars.Series(name or "", [list(row) for row in values], dtype=kind)
    return polars.Series(name or "", values.tolist() if values.dtype.kind in "OUS" else values)


def _pandas_frame(values: Any, X: Any, columns: list[Any]) -> Any:
    frame = _library("pandas").DataFrame
    make = frame.sparse.from_spmatrix if sp.issparse(values) else frame
    return make(values, index=_index(X), columns=columns)


def _polars_frame(values: Any, columns: list[Any]) -> Any:
    if sp.issparse(values):  # polars has no sparse columns
        check_dense_scores(*values.shape)
        values = values.toarray()
    return _library("polars").DataFrame(values, schema=list(map(str, columns)))
