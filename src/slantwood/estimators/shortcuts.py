"""Short methods of fitted models: each calls, within the method, a function that stands above."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sklearn import get_config
from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from slantwood.explain import CalibratedModel, Conformal, Contributions


class DescribeMixin:
    """Lets a fitted model describe itself, write a report, and show a card in notebooks."""

    def describe(self) -> str:
        """Describe the fitted model in a few lines of text, as `slantwood.report.describe`.

        Returns
        -------
        str
            Task, data, size, the most important features, and the settings that are not defaults, with the
            reason for each.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from slantwood import ObliqueForestClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = ObliqueForestClassifier(n_estimators=5, random_state=0).fit(X, y)
        >>> print(forest.describe().splitlines()[0])
        ObliqueForestClassifier
        """
        from slantwood.report import describe

        return describe(self)

    def report(self, path: str | PathLike[str], X: Any = None, y: Any = None) -> Path:
        """Write a report on the fitted model, as `slantwood.report.write_report`: one HTML file.

        Parameters
        ----------
        path : str or path
            The file to write, by custom with the ending ".html".
        X : array, sparse matrix or data frame of shape (n_rows, n_features), optional
            Rows that the model did not see. Without them the report has what the model itself knows.
        y : array, sparse matrix, data frame or label sets, optional
            The true targets of these rows, in a form that `fit` takes.

        Returns
        -------
        pathlib.Path
            The file.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from sklearn.datasets import load_iris
        >>> from slantwood import ObliqueForestClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = ObliqueForestClassifier(n_estimators=5, random_state=0).fit(X[::2], y[::2])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     forest.report(Path(folder) / "report.html", X[1::2], y[1::2]).name
        'report.html'
        """
        from slantwood.report import write_report

        return write_report(self, path, X, y)

    def _html(self) -> str:
        """Return the card of a fitted model above scikit-learn's diagram; of others the diagram alone."""
        diagram: str = estimator_html_repr(self)
        if not self.__sklearn_is_fitted__():  # type: ignore[attr-defined]
            return diagram
        from slantwood.report.card import card

        return card(self) + diagram

    # The two names by which notebooks ask. scikit-learn has them too, and its `display` setting counts.

    @property
    def _repr_html_(self) -> Any:
        """What shows the model as HTML; there is none where scikit-learn's `display` is "text"."""
        if get_config()["display"] != "diagram":
            raise AttributeError("_repr_html_ is there only with sklearn.set_config(display='diagram')")
        return self._html

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        """Return the forms in which a notebook may show the model."""
        bundle = {"text/plain": repr(self)}
        if get_config()["display"] == "diagram":
            bundle["text/html"] = self._html()
        return bundle


class ExplainMixin(DescribeMixin):
    """The same, and explanations of predictions, for models of trees."""

    def explain(self, X: Any, targets: Any = None) -> Contributions:
        """Tell what each feature of some rows adds to the predictions, as `slantwood.explain.contributions`.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Rows, which need not be those of `fit`.
        targets : str, int or list of these, optional
            The outputs to explain: names or positions of numbers, classes or labels. By default all.

        Returns
        -------
        Contributions
            What each feature adds to each output, and what the model predicts before it knows anything.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from slantwood import ObliqueForestClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = ObliqueForestClassifier(n_estimators=5, random_state=0).fit(X, y)
        >>> forest.explain(X[:2], targets=0)
        Contributions(2 rows, 4 features, 1 output)
        """
        check_is_fitted(self)
        from slantwood.explain import contributions

        return contributions(self, X, targets=targets)

    def conformal(self, X: Any, y: Any, **options: Any) -> Conformal:
        """Learn how sure predictions are from rows that trees did not see, as `slantwood.explain.conformal`.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            The rows of `fit`, of a forest with ``bootstrap=True``; others with ``unseen=True``.
        y : array, data frame, sparse matrix or label sets
            Their numbers, classes or labels.
        **options : dict
            Those of the function: `sample_weight`, `unseen`, `cv`, `random_state`.

        Returns
        -------
        Conformal
            With `predict_interval` for numbers, `predict_set` for classes and labels, and `measure`.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from slantwood import ObliqueForestRegressor
        >>> X, y = load_diabetes(return_X_y=True)
        >>> forest = ObliqueForestRegressor(n_estimators=20, bootstrap=True, random_state=0).fit(X, y)
        >>> intervals = forest.conformal(X, y).predict_interval(X[:2], coverage=0.8)
        >>> bool((intervals.lower < forest.predict(X[:2])).all())
        True
        """
        check_is_fitted(self)
        from slantwood.explain import conformal

        return conformal(self, X, y, **options)


class CalibrateMixin:
    """Lets classifiers make their probabilities such as are met."""

    def calibrated(self, X: Any, y: Any, **options: Any) -> CalibratedModel:
        """Learn calibrated probabilities from rows that trees did not see, as `slantwood.explain.calibrated`.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            The rows of `fit`, of a forest with ``bootstrap=True``; others with ``unseen=True``.
        y : array, data frame, sparse matrix or label sets
            Their classes or labels.
        **options : dict
            Those of the function: `sample_weight`, `unseen`, `cv`, `random_state`.

        Returns
        -------
        CalibratedModel
            With `predict_proba` and `predict`. The model itself stays as it is.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from slantwood import ObliqueForestClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = ObliqueForestClassifier(n_estimators=20, bootstrap=True, random_state=0).fit(X, y)
        >>> forest.calibrated(X, y).predict_proba(X[:1]).round(1).tolist()
        [[1.0, 0.0, 0.0]]
        """
        check_is_fitted(self)
        from slantwood.explain import calibrated

        return calibrated(self, X, y, **options)
