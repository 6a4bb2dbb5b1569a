"""Reports as files."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from slantwood.atomic import write_atomically
from slantwood.report.ending import check_ending
from slantwood.report.page import page
from slantwood.report.subject import Subject


def write_report(model: Any, path: str | PathLike[str], X: Any = None, y: Any = None) -> Path:
    """Write a report on a fitted model: one HTML file that needs no network and no other file.

    It has the data, the quality by the measures of the task, importances, calibration, five explained rows,
    the trees to walk through, settings and why they were chosen, sizes, timings and versions. Where there is
    too much to show, it shows the most important part and says what it left out: a page stays under 5 MB.

    Parameters
    ----------
    model : fitted estimator of slantwood
        A tree, forest or boosted model of any task; of label trees the report has fewer parts.
    path : str or path
        The file to write, with the ending ".html" or ".htm".
    X : array, sparse matrix or data frame of shape (n_rows, n_features), optional
        Rows that the model did not see. Without them the report has what the model itself knows.
    y : array, sparse matrix, data frame or label sets, optional
        The true targets of these rows, in a form that `fit` takes.

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    ValueError
        If the name of the file has another ending.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_iris
    >>> from slantwood import ObliqueForestClassifier
    >>> from slantwood.report import write_report
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ObliqueForestClassifier(n_estimators=3, random_state=0).fit(X[::2], y[::2])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_report(forest, Path(folder) / "iris.html", X[1::2], y[1::2])
    ...     "Importances" in path.read_text(encoding="utf-8")
    True
    """
    check_ending(path)
    text = page(Subject.of(model, X, y))
    write_atomically(path, lambda file: file.write(text.encode()))
    return Path(path)
