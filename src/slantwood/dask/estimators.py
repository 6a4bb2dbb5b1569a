"""The forests of slantwood on a Dask cluster: fitted by its workers, to models that any process can use."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Sequence
from copy import copy
from functools import wraps
from traceback import clear_frames
from typing import TYPE_CHECKING, Any

from sklearn.base import clone
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from slantwood.dask.clients import connected
from slantwood.dask.collections import is_collection, parts_of
from slantwood.dask.growing import grown
from slantwood.dask.prediction import example_of, predicted, top_labels
from slantwood.dask.shares import Ground, Names, Shares, learned_attributes, partitioned, replicated
from slantwood.ensemble.assembling import assembled
from slantwood.ensemble.forest import FittedForest
from slantwood.ensemble.spec import draw_seed
from slantwood.estimators.callbacks import USERS_LINE, Progress, fitted_attributes, put_back
from slantwood.estimators.forest import ObliqueForestClassifier, ObliqueForestRegressor
from slantwood.estimators.top_labels import TopLabels
from slantwood.estimators.validation import check_parameters
from slantwood.task_names import CLASS_TASKS, NUMBER_TASKS
from slantwood.validation import check_choice, check_memory

MODES = ("replicate", "partition")

# Parameters beside those of the local estimators.
_CLUSTER = {"client": None, "mode": "replicate"}

# What this parameter of the local estimators is here.
_MEMORY = """    max_memory : int, str or None, default=None
        What the rows of a worker may take of its memory with mode="partition", and trees that grow on them:
        bytes, or text such as "4GB". None for three fifths of what Dask lets a worker have.
"""

_DESCRIBED = """client : distributed.Client or None, default=None
        The cluster. None for the client that is current when `fit` is called; it is not kept by pickle.
    mode : {"replicate", "partition"}, default="replicate"
        Who holds which rows: each worker all of them, to the same model as on one machine; or each worker a
        random share, as large as its memory allows, for rows that do not fit on one machine.
    """


def _with_parameters_of(local: type[Any]) -> Callable[[type[Any]], type[Any]]:
    """Give a class the constructor of a local estimator, with the parameters of clusters beside it.

    There is one list of parameters, that of the local estimator, for whoever reads, checks or adds one.
    """

    def decorated(cls: type[Any]) -> type[Any]:
        @wraps(local.__init__)
        def __init__(self: Any, *args: Any, **parameters: Any) -> None:
            for name, default in _CLUSTER.items():
                setattr(self, name, parameters.pop(name, default))
            local.__init__(self, *args, **parameters)

        signature = inspect.signature(local.__init__)
        keyword = inspect.Parameter.KEYWORD_ONLY
        added = [inspect.Parameter(name, keyword, default=default) for name, default in _CLUSTER.items()]
        given = [*signature.parameters.values(), *added]
        __init__.__signature__ = signature.replace(parameters=given)  # type: ignore[attr-defined]
        cls.__init__ = __init__
        parameters, _, rest = (local.__doc__ or "").partition("    Attributes\n")
        _, _, listed = parameters.partition("----------\n")
        listed = re.sub(r"    max_memory : .*\n(        .*\n)+", _MEMORY, listed)
        attributes = rest.partition("    Examples\n")[0]
        text, _, example = (cls.__doc__ or "").partition("    Examples\n")
        cls.__doc__ = (
            f"{text.rstrip()}\n\n    Parameters\n    ----------\n{listed.rstrip()}\n    {_DESCRIBED}\n"
            f"    Attributes\n{attributes}    Examples\n{example}"
        )
        return cls

    return decorated


class _OnCluster:
    """Base of the forests on a cluster: fits on workers, predicts of collections lazily."""

    _local: type[Any]
    _task: str  # what numbers in files are
    client: Any
    mode: str
    max_memory: Any

    if TYPE_CHECKING:  # what `_with_parameters_of` makes

        def __init__(
            self, n_estimators: int = 50, *, client: Any = None, mode: str = "replicate", **parameters: Any
        ) -> None: ...

    # ---- fitting

    def _fit(
        self: Any,
        X: Any,
        y: Any,
        sample_weight: Any,
        clustering: Any,
        feature_names: Sequence[str] | None,
        target_names: Sequence[str] | None,
    ) -> Any:
        """Fit on the workers; an earlier model stays as it was if anything fails."""
        before = self.__dict__.copy()
        try:
            self._check_for_cluster(clustering)
            with connected(self.client) as client:
                parts = parts_of(client, X, y, sample_weight, self._task)
                names = Names(
                    clustering,
                    parts.feature_names if feature_names is None else feature_names,
                    parts.target_names if target_names is None else target_names,
                )
                self._grow_on(client, parts.rows, names, X, y)
        except BaseException as error:
            put_back(self, before)
            # The client keeps errors of tasks, and an error the frames that it passed: rows that these refer
            # to would stay on the workers.
            parts = names = None  # type: ignore[assignment]
            clear_frames(error.__traceback__)
            raise
        return self

    def _check_for_cluster(self: Any, clustering: Any) -> None:
        check_parameters(self.get_params(deep=False))
        check_choice("mode", self.mode, MODES)
        if clustering is not None and not isinstance(clustering, str):
            raise TypeError(
                f"clustering is {type(clustering).__name__}; on a cluster it is given by name, such as "
                "'targets+features'"
            )
        if self.mode == "replicate":
            return
        if self._needs_out_of_bag:
            what = "oob_score=True" if self.oob_score else f"threshold={self.threshold!r}"
            raise ValueError(f"{what} needs all rows in one place; give mode='replicate'")
        if self.warm_start:
            raise ValueError("warm_start=True needs the rows of before; give mode='replicate', or False")

    def _grow_on(self: Any, client: Any, parts: list[Any], names: Names, X: Any, y: Any) -> None:
        earlier = self.forest_ if self._continues else None
        n_earlier = 0 if earlier is None else earlier.trees.n_trees
        if n_earlier > self._n_trees:
            raise ValueError(
                f"n_estimators={self.n_estimators} is less than the {n_earlier} trees that are already "
                "fitted; with warm_start=True it can only grow"
            )
        if n_earlier == self._n_trees:
            warnings.warn(
                f"warm_start=True and n_estimators={self.n_estimators}: there are as many trees already, and "
                "fit adds none; raise n_estimators to add some, or give warm_start=False to fit anew",
                stacklevel=USERS_LINE,
            )
        shares = self._shares(client, parts, names, earlier)
        for name in learned_attributes(self):  # of an earlier fit, whose columns may have had other names
            del self.__dict__[name]
        self.__dict__.update(shares.head.attributes)
        progress = Progress(self, self._n_trees - n_earlier, X, y, self._attributes_on_the_way)
        trees = grown(client, shares, range(n_earlier, self._n_trees))
        forest = assembled(shares.head.outline, trees, earlier, progress.tree)
        progress.end(forest)
        self.__dict__.update(fitted_attributes(forest))
        if self._needs_out_of_bag:
            found = shares.where_rows_are(client, _kept_out_of_bag, forest)
            for message in found.warnings:
                warnings.warn(message, stacklevel=USERS_LINE)
            self.__dict__.update(found.attributes)

    def _shares(
        self: Any, client: Any, parts: list[Any], names: Names, earlier: FittedForest | None
    ) -> Shares:
        local = self._unfitted(earlier)
        # Drawn here, so that a RandomState goes on as it does in a local fit.
        seed = draw_seed(check_random_state(self.random_state))
        if self.mode == "partition":
            local.random_state = seed
            memory = None if self.max_memory is None else check_memory("max_memory", self.max_memory)
            return partitioned(client, parts, local, names, memory, self._task == "classification")
        return replicated(client, parts, local, names, earlier, seed)

    def _attributes_on_the_way(self: Any, forest: FittedForest) -> dict[str, Any]:
        """Return, for callbacks, what a fit would set that ended with this forest."""
        attributes = vars(self._with_forest(forest))
        return {name: value for name, value in attributes.items() if name.endswith("_")}

    def _unfitted(self: Any, earlier: FittedForest | None) -> Any:
        """Return a local estimator with the same parameters, that goes on from earlier trees."""
        local = clone(self._without_cluster(), safe=False)
        if earlier is not None:
            local.__dict__.update(_fitted(self))
        return local

    # ---- what is fitted

    def to_local(self: Any) -> Any:
        """Return the model as an estimator that knows of no cluster.

        Returns
        -------
        ObliqueForestClassifier or ObliqueForestRegressor
            With the same parameters and, if there are any, the same trees.

        Examples
        --------
        >>> from slantwood.dask import DaskObliqueForestClassifier
        >>> DaskObliqueForestClassifier(max_depth=3).to_local()
        ObliqueForestClassifier(max_depth=3)
        """
        local = self._without_cluster()
        local.__dict__.update(_fitted(self))
        return local

    def _without_cluster(self: Any) -> Any:
        """Return a local estimator, not fitted, with the same parameters but for those of clusters."""
        given = self.get_params(deep=False)
        given = {name: value for name, value in given.items() if name not in _CLUSTER}
        return self._local(**given | {"max_memory": None})  # which is that of a worker

    def save(self: Any, path: Any, *, float16: bool = False, predict_only: bool = False) -> None:
        """Write the model to a file, as that of an estimator that knows of no cluster.

        Parameters
        ----------
        path : str, path or binary file object
            Where to, by custom with the ending ".slant".
        float16 : bool, default=False
            Whether to round the numbers of splits and leaves to half precision.
        predict_only : bool, default=False
            Whether to leave out what only training needs.

        Examples
        --------
        >>> from slantwood.dask import DaskObliqueForestClassifier
        >>> DaskObliqueForestClassifier().fit(X, y).save("model.slant")  # doctest: +SKIP
        """
        check_is_fitted(self)
        self.to_local().save(path, float16=float16, predict_only=predict_only)

    def __getstate__(self: Any) -> dict[str, Any]:
        """Return what pickle keeps: all but the client, which belongs to this process."""
        return {**super().__getstate__(), "client": None}  # type: ignore[dict-item]

    def __sklearn_clone__(self: Any) -> Any:
        """Return an estimator with the same parameters, not fitted, and the same client."""
        # A client cannot be copied, which scikit-learn does with parameters; a shallow copy has none.
        cloned = super(_OnCluster, copy(self)).__sklearn_clone__()  # type: ignore[misc]
        cloned.client = self.client
        return cloned

    # ---- predicting

    def predict(self: Any, X: Any) -> Any:
        """Return predictions: of a dask collection lazily, as a collection; of other rows at once.

        Parameters
        ----------
        X : dask array or data frame, or array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.

        Returns
        -------
        dask array, bag, frame or series; or what the local estimator returns
            In the form of y, divided as X is.

        Examples
        --------
        >>> from slantwood.dask import DaskObliqueForestRegressor
        >>> DaskObliqueForestRegressor().fit(X, y).predict(X).compute()  # doctest: +SKIP
        """
        return self._said(X, "predict")

    def apply(self: Any, X: Any) -> Any:
        """Return the leaf that each row reaches in each tree: of a dask collection lazily.

        Parameters
        ----------
        X : dask array or data frame, or array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.

        Returns
        -------
        dask array or array of int of shape (n_rows, n_trees)
            Numbers of nodes, counted within the tree.

        Examples
        --------
        >>> from slantwood.dask import DaskObliqueForestRegressor
        >>> DaskObliqueForestRegressor().fit(X, y).apply(X).compute()  # doctest: +SKIP
        """
        return self._said(X, "apply")

    def _said(self: Any, X: Any, method: str, **options: Any) -> Any:
        check_is_fitted(self)
        local = self.to_local()
        if not is_collection(X):
            return getattr(local, method)(X, **options)
        local.n_jobs = None  # a worker has threads of its own
        example = example_of(X, lambda rows: getattr(local, method)(rows, **options))
        return predicted(X, local, method, example, **options)

    def score(self: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return how well the rows are predicted; of dask collections, of classes and numbers.

        Parameters
        ----------
        X : dask array or data frame, or array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.
        y : dask array or series, or what the local estimator takes
            True classes or numbers. They and the predictions, but not X, come to this process.
        sample_weight : dask array or series, or array of shape (n_rows,), optional
            Weights of the rows.

        Returns
        -------
        float
            What the local estimator returns: the share of right classes, or R2.

        Examples
        --------
        >>> from slantwood.dask import DaskObliqueForestRegressor
        >>> DaskObliqueForestRegressor().fit(X, y).score(X, y)  # doctest: +SKIP
        """
        check_is_fitted(self)
        if not is_collection(X):
            return self.to_local().score(X, y, sample_weight)
        if self.targets_.task not in (*CLASS_TASKS, *NUMBER_TASKS):
            raise TypeError(
                f"score of a dask collection is for classes and numbers, and y is {self.targets_.task}; give "
                "predict_proba(X).compute() to one of slantwood.metrics"
            )
        # One after the other: arrays and frames of dask are not computed together.
        said, truth, weights = (
            each.compute() if is_collection(each) else each for each in (self.predict(X), y, sample_weight)
        )
        measure = accuracy_score if self.targets_.task in CLASS_TASKS else r2_score
        return float(measure(truth, said, sample_weight=weights))

    def _checked_features(self: Any, X: Any, **how: Any) -> Any:
        if is_collection(X):
            raise TypeError(
                "X is a dask collection, and this takes rows of this process: give X.compute(), or use "
                "predict, predict_proba, predict_top_k or apply, which take collections"
            )
        return super()._checked_features(X, **how)  # type: ignore[misc]


@_with_parameters_of(ObliqueForestClassifier)
class DaskObliqueForestClassifier(_OnCluster, ObliqueForestClassifier):
    """A forest of oblique predictive clustering trees for classes or labels, grown by a Dask cluster.

    `fit` takes dask arrays and data frames, whose blocks may be sparse matrices; arrays and frames of this
    process; or the path of a folder of data files, with the names of the target columns as y. Parameters
    are those of `ObliqueForestClassifier`, and `client` and `mode`.

    Examples
    --------
    >>> from distributed import Client
    >>> from slantwood.dask import DaskObliqueForestClassifier
    >>> client = Client()  # doctest: +SKIP
    >>> forest = DaskObliqueForestClassifier(mode="partition").fit(X, y)  # doctest: +SKIP
    >>> forest.predict_proba(X).compute()  # doctest: +SKIP
    >>> model = forest.to_local()  # doctest: +SKIP
    """

    _local = ObliqueForestClassifier
    _task = "classification"

    def predict_proba(self, X: Any, *, top_k: int | None = None, sparse: bool = False) -> Any:
        """Return the probability of each class or label: of a dask collection lazily.

        Parameters
        ----------
        X : dask array or data frame, or array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.
        top_k : int, optional
            Keep the largest so many of each row; blocks are CSR arrays.
        sparse : bool, default=False
            Whether blocks are CSR arrays of the probabilities above zero.

        Returns
        -------
        dask array of shape (n_rows, n_classes); or what the local estimator returns
            Columns in the order of `classes_`.

        Examples
        --------
        >>> from slantwood.dask import DaskObliqueForestClassifier
        >>> DaskObliqueForestClassifier().fit(X, y).predict_proba(X).compute()  # doctest: +SKIP
        """
        return self._said(X, "predict_proba", top_k=top_k, sparse=sparse)

    def predict_top_k(self, X: Any, k: int) -> TopLabels:
        """Return the best k classes or labels of each row by name: of a dask collection lazily.

        Parameters
        ----------
        X : dask array or data frame, or array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.
        k : int
            How many; where there are fewer classes or labels, all of them.

        Returns
        -------
        TopLabels
            `labels` and `scores`: dask arrays of shape (n_rows, k), or arrays.

        Examples
        --------
        >>> from slantwood.dask import DaskObliqueForestClassifier
        >>> labels, scores = DaskObliqueForestClassifier().fit(X, y).predict_top_k(X, 5)  # doctest: +SKIP
        """
        check_is_fitted(self)
        local = self.to_local()
        if not is_collection(X):
            return local.predict_top_k(X, k)
        local.n_jobs = None
        return top_labels(X, local, k, example_of(X, lambda rows: local.predict_top_k(rows, k)))


@_with_parameters_of(ObliqueForestRegressor)
class DaskObliqueForestRegressor(_OnCluster, ObliqueForestRegressor):
    """A forest of oblique predictive clustering trees for one or several numbers, grown by a Dask cluster.

    `fit` takes dask arrays and data frames, whose blocks may be sparse matrices; arrays and frames of this
    process; or the path of a folder of data files, with the names of the target columns as y. Parameters
    are those of `ObliqueForestRegressor`, and `client` and `mode`.

    Examples
    --------
    >>> from distributed import Client
    >>> from slantwood.dask import DaskObliqueForestRegressor
    >>> client = Client()  # doctest: +SKIP
    >>> forest = DaskObliqueForestRegressor(mode="partition").fit(X, y)  # doctest: +SKIP
    >>> forest.predict(X).compute()  # doctest: +SKIP
    """

    _local = ObliqueForestRegressor
    _task = "regression"


class _OutOfBagFound:
    """Attributes that are learned out of bag, and what is to be said of them."""

    def __init__(self, attributes: dict[str, Any], said: list[str]) -> None:
        self.attributes, self.warnings = attributes, said


def _kept_out_of_bag(ground: Ground, forest: FittedForest) -> _OutOfBagFound:
    """Learn from the rows that trees did not see, where the rows are."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        ground.reader._keep(forest, ground.data, ground.spec)
    learned = {name: value for name, value in _fitted(ground.reader).items() if name != "forest_"}
    return _OutOfBagFound(learned, [str(each.message) for each in said])


def _fitted(estimator: Any) -> dict[str, Any]:
    """Return what a fit has set, and how output is to be."""
    parameters = estimator.get_params(deep=False)
    return {name: value for name, value in vars(estimator).items() if name not in parameters}
