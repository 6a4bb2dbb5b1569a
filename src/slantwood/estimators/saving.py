"""How a fitted estimator becomes one file, and an estimator again.

The document of the file (see `model.container`) has, unless the estimator is one of `_OWN_DOCUMENTS`, whose
modules tell of theirs,

    slantwood      version of the library that wrote it, for the curious
    estimator      name of the class
    predict_only   whether what only training needs was left out
    parameters     of the constructor, as values (see `estimators.saved_values`); absent ones are at their
                   defaults
    encoding       of X: {"n_inputs"} where its columns stay as they are, else all fields of `Encoding`
    targets        {"kind": "classes", "classes", "weights", "shares"}, where all weigh the same without
                   the last two;
                   {"kind": "numbers", "mean", "scale", "low", "high",
                   "one_dimensional"}, in older files without low and high; {"kind": "labels",
                   "n_labels", "is_sparse", "dtype", "as_sets", "names"}, in older files without the last
                   two; {"kind": "hierarchy", "is_sparse", "dtype", "hierarchy", "as_sets"}; or
                   {"kind": "several", "parts"}, a list of classes and numbers
    trees          see `model.tree_file`
    additive       of boosted trees how they add up: the fields of `Additive`, as values; else absent
    fitted         other attributes, as values
    hierarchies    JSON of the hierarchies among all values

and the array "importance", whose length is the number of columns that splits combine. What only a look at the
model needs are the arrays "importance_squares" (float64, one for each column of X) and "column_spread"
(float32, one for each column that splits combine): older files, and those for predicting only, have none, and
boosted models no squares. A file may come from anybody, so an estimator is made of it only when all its parts
are right and fit together.
"""

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, fields
from importlib import import_module
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

import slantwood
from slantwood import losses, splits
from slantwood.ensemble.additive import Additive
from slantwood.ensemble.forest import FittedForest
from slantwood.ensemble.settings import BoostingSettings, Settings, count_features, settings_from
from slantwood.ensemble.spec import AUTO
from slantwood.estimators import looks_file
from slantwood.estimators import validation as check
from slantwood.estimators.boosting import ObliqueBoostingClassifier, ObliqueBoostingRegressor, listed_splits
from slantwood.estimators.callbacks import fitted_attributes
from slantwood.estimators.class_weights import check_label_weights
from slantwood.estimators.classification import ObliqueClassifier
from slantwood.estimators.forest import ObliqueForestClassifier, ObliqueForestRegressor
from slantwood.estimators.label_tree import LabelTreeClassifier
from slantwood.estimators.reranking import TailReranker
from slantwood.estimators.saved_values import ValueReader, ValueWriter, current_names
from slantwood.estimators.several import check_class_weights
from slantwood.estimators.tree import ObliqueTreeClassifier, ObliqueTreeRegressor
from slantwood.features.encoding import Encoding
from slantwood.features.encoding_file import encoding_from_json, encoding_to_json
from slantwood.hints import shortened
from slantwood.kernels.matrix import Matrix, dense_matrix
from slantwood.model import container, slopes_file, tree_file
from slantwood.model.container import DTYPES, Contents, Source
from slantwood.model.refusal import UNLIMITED, MemoryLimit, ModelFileError
from slantwood.splits.own import OwnSplit
from slantwood.targets.classes import ClassTargets
from slantwood.targets.hierarchical_labels import HierarchyTargets
from slantwood.targets.labels import LabelTargets
from slantwood.targets.numbers import RegressionTargets
from slantwood.targets.several import MultiTargets
from slantwood.task_names import LABEL_TASKS, NUMBER_TASKS
from slantwood.validation import check_choice, check_flag, check_integer, check_real

_ESTIMATORS: dict[str, Any] = {
    cls.__name__: cls
    for cls in (
        ObliqueForestClassifier,
        ObliqueForestRegressor,
        ObliqueBoostingClassifier,
        ObliqueBoostingRegressor,
        ObliqueTreeClassifier,
        ObliqueTreeRegressor,
    )
}
# Estimators of other parts than trees alone, and the modules beside this one that have `described` and
# `restored` for them. A new one is a line here; they are loaded when they are needed, and write and read
# what they have of trees as is done here.
_OWN_DOCUMENTS: dict[type, str] = {
    LabelTreeClassifier: "label_tree_saving",
    TailReranker: "reranking_saving",
}
_PARTS = ("parameters", "encoding", "targets", "trees", "fitted", "hierarchies")
_KEYS = ("slantwood", "estimator", "predict_only", *_PARTS)
# Files of older versions have only those without a default.
_SETTINGS = {field.name for field in fields(Settings)}
_BOOSTING_SETTINGS = {field.name for field in fields(BoostingSettings)}
_OLD_SETTINGS = {field.name for field in fields(Settings) if field.default is MISSING}

# What "fitted" may hold, and how it is called in the forest: what is always there, and what only further
# training needs; or in the estimator: what some fits set, and what of that only a look back needs.
_FOREST = {"settings_": "settings", "unlabeled_weight_": "unlabeled_weight"}
_FOREST_FOR_TRAINING = {"_seed": "seed", "_tuned": "tuned", "_has_tree_of_all_rows": "has_tree_of_all_rows"}
_OPTIONAL = {
    name: name for name in ("oob_score_", "thresholds_", "feature_names_in_", "input_names_", "target_names_")
} | {"_tuned_for": "threshold_rule_"}
_OPTIONAL_FOR_TRAINING = {name: name for name in ("oob_decision_function_", "oob_prediction_")}

# A file need not spell out its labels. Of each there is a position in `classes_`, and some numbers wherever
# scores are added up, ordered and compared.
_MOST_LABELS = 1 << 24
_BYTES_PER_LABEL = 128

# Of each column of X there is a number in the encoding.
BYTES_PER_COLUMN = 64

# Letters of an error that are repeated: what a made-up file has for a name may be long.
_MOST_LETTERS = 400

# Sums of weights that make up a share may differ in their last bits.
_ROUNDING = 1e-5

# Standard deviations from the mean. Of n rows whose weights differ by at most 1e24, as `fit` demands, none
# lies further from it than 1e12 sqrt(n); and sums over any number of trees stay within single precision.
_FURTHEST = 1e18

# So many threads start when a model that was loaded predicts.
_MOST_JOBS = 4096


# ---- writing


def save_model(model: Any, path: Source, *, float16: bool = False, predict_only: bool = False) -> None:
    """Write a fitted estimator to a file; `ObliqueEstimator.save` has the details."""
    _check_path(path, "write")
    check_flag("float16", float16)
    check_flag("predict_only", predict_only)
    known = (*_ESTIMATORS.values(), *_OWN_DOCUMENTS)
    if type(model) not in known:
        names = ", ".join(each.__name__ for each in known)
        raise TypeError(f"{type(model).__name__} cannot be written to a model file, only {names}; pickle it")
    made = described_model(model, float16=float16, predict_only=predict_only)
    container.write(path, made.document, made.arrays)


class Described(NamedTuple):
    """What a model is in a file."""

    document: dict[str, Any]
    arrays: dict[str, np.ndarray]


def described_model(model: Any, *, float16: bool, predict_only: bool) -> Described:
    """Return the document and the arrays of a fitted estimator of any kind."""
    own = _OWN_DOCUMENTS.get(type(model))
    parts: Any = None if own is None else import_module(f"slantwood.estimators.{own}")
    describe = described if parts is None else parts.described
    made: Described = describe(model, float16=float16, predict_only=predict_only)
    return made


def described(model: Any, *, float16: bool, predict_only: bool) -> Described:
    """Return the document and the arrays of a fitted estimator of trees."""
    name = type(model).__name__
    if not predict_only and model.forest_.seed is None:
        raise ValueError("the model was itself saved for predicting only; give predict_only=True")
    writer = ValueWriter()
    described, trees = tree_file.to_arrays(model.trees_, float16=float16, predict_only=predict_only)
    document: dict[str, Any] = {
        "slantwood": slantwood.__version__,
        "estimator": name,
        "predict_only": bool(predict_only),
        "parameters": _parameters_to_json(model, writer, predict_only),
        "encoding": encoding_to_json(model.encoding_),
        "targets": {"kind": model.targets_.kind, **model.targets_.to_json(writer.to_json)},
        "trees": described,
        "fitted": _fitted_to_json(model, writer, predict_only),
    }
    if model.forest_.additive is not None:
        values = model.forest_.additive.values(predict_only=predict_only).items()
        document["additive"] = {name: writer.to_json(value, f"additive/{name}") for name, value in values}
    document["hierarchies"] = writer.hierarchies_to_json()
    dtype = document["targets"].get("dtype", "float32")
    if dtype not in DTYPES:
        raise TypeError(f"y has dtype {dtype}, but a model file can hold {', '.join(DTYPES)}")
    _check_readable(document, ValueReader(dict(writer.arrays), document["hierarchies"]), model)
    slopes: dict[str, np.ndarray] = {}
    if model.forest_.slopes is not None:
        slopes = slopes_file.to_arrays(model.forest_.slopes, model.trees_, float16=float16)
    arrays = {"importance": model.forest_.importance_sum, **writer.arrays, **trees, **slopes}
    return Described(document, arrays | ({} if predict_only else looks_file.to_arrays(model.forest_)))


def _check_readable(document: dict[str, Any], reader: ValueReader, model: Any) -> None:
    """Refuse parameters and attributes, set by hand, with which the file could not be loaded."""
    made = _made(document, reader)
    encoding, targets = model.encoding_, model.targets_
    _check_parameters(made, targets, len(encoding.source))
    try:
        targets_of(document["targets"], reader)
        _check_fitted(values_of(document["fitted"], reader), encoding, targets, document["predict_only"])
        _check_leaf_values(model.trees_.leaves, targets, model.forest_.additive)
    except ModelFileError as error:
        raise ValueError(f"the model cannot be saved: {error}") from error


def _parameters_to_json(model: Any, writer: ValueWriter, predict_only: bool) -> dict[str, Any]:
    parameters = model.get_params(deep=False)
    if not isinstance(parameters["random_state"], (Integral, type(None))):
        # The state of a generator is not written: in its place stands the seed that was drawn from it.
        parameters["random_state"] = model.forest_.seed
    if any(isinstance(splits.named(each), OwnSplit) for each in listed_splits(parameters["split"])):
        parameters["split"] = "gradient"
        if not predict_only:
            raise TypeError(
                f"split={model.split!r:.60} ({type(model.split).__name__}) is Python code of your own, which "
                "a model file cannot hold; save with predict_only=True, which needs no split learner"
            )
    return {key: writer.to_json(value, f"parameters/{key}") for key, value in parameters.items()}


def _fitted_to_json(model: Any, writer: ValueWriter, predict_only: bool) -> dict[str, Any]:
    forest, settings = model.forest_, model.settings_
    of_forest = _FOREST | ({} if predict_only else _FOREST_FOR_TRAINING)
    optional = _OPTIONAL | ({} if predict_only else _OPTIONAL_FOR_TRAINING)
    values = {key: getattr(forest, name) for key, name in of_forest.items()}
    values |= {key: getattr(model, name) for key, name in optional.items() if hasattr(model, name)}
    values = {key: value for key, value in values.items() if key not in forest.targets.attributes}
    values["settings_"] = settings.to_dict()
    kinds = getattr(settings, "candidates", ())
    if any(isinstance(split, OwnSplit) for split in (settings.split, *(each.split for each in kinds))):
        values["settings_"] |= {"split": None} | ({"candidates": ()} if kinds else {})
    return {key: writer.to_json(value, f"fitted/{key}") for key, value in values.items()}


# ---- reading


def load_model(path: Source, *, max_memory: int | None = None) -> Any:
    """Read a fitted estimator that `save` wrote.

    The file is mapped into memory: processes that load the same file share what they do not change. While the
    estimator is in use the file may be replaced, as `save` does (on Windows it may not), but must not be
    changed in place. Nothing in a file is executed: loading one from a stranger gives a model or an error.

    Parameters
    ----------
    path : str, path or binary file object
        The file; one that is not a path, or a pipe, is read whole into memory.
    max_memory : int, optional
        How many bytes of memory may be taken for what the file says, beside the file itself; a file that
        would take more is refused before they are taken. By default 512 MiB, or sixteen times the size of the
        file where that is more: enough for every model that was trained, and little for a small file that
        was made up to take all there is. What is read whole into memory may have this size, by default
        1 GiB.

    Returns
    -------
    estimator
        It predicts just what the saved one did and, unless that was saved with `predict_only=True`, goes on
        with `warm_start=True` just as that one would.

    Raises
    ------
    ModelFileError
        If the file is not a model file, is incomplete, damaged or made up, or needs more than `max_memory`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_iris
    >>> from slantwood import ObliqueForestClassifier, load_model
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ObliqueForestClassifier(n_estimators=5, random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     forest.save(Path(folder) / "iris.slant")
    ...     again = load_model(Path(folder) / "iris.slant")
    ...     bool((again.predict_proba(X) == forest.predict_proba(X)).all())
    True
    """
    _check_path(path, "read")
    if max_memory is not None:
        check_integer("max_memory", max_memory, 1)
    called = f"model file {os.fspath(path)!r}" if isinstance(path, (str, os.PathLike)) else "model file"
    try:
        with np.errstate(all="ignore"):
            return restored(container.read(path, max_memory))
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        # Whatever else is wrong with a made-up file shows where a value is used that nobody would write.
        reason = shortened(str(error), _MOST_LETTERS)
        cause = error if reason == str(error) else None
        raise ModelFileError(f"{called} cannot be loaded: {reason}") from cause


def _check_path(path: Any, method: str) -> None:
    if not isinstance(path, (str, os.PathLike)) and not hasattr(path, method):
        raise TypeError(f"path={path!r:.60} ({type(path).__name__}) must be a path or a binary file object")


def restored(contents: Contents) -> Any:
    """Make an estimator of what a file holds."""
    name = contents.document.get("estimator")
    own = next((module for kind, module in _OWN_DOCUMENTS.items() if kind.__name__ == name), None)
    if own is None:
        return restored_trees(contents)
    return import_module(f"slantwood.estimators.{own}").restored(contents)


def restored_trees(contents: Contents) -> Any:
    """Make an estimator of trees of what a file holds."""
    document, arrays, memory = contents.document, contents.arrays, contents.memory
    is_boosted = isinstance(document, dict) and "additive" in document
    check_keys(document, (*_KEYS, "additive") if is_boosted else _KEYS, "document")
    estimator, predict_only = document["estimator"], document["predict_only"]
    if estimator not in _ESTIMATORS:
        raise ModelFileError(f"{estimator=!r:.60} is not one of {', '.join(_ESTIMATORS)}")
    if type(predict_only) is not bool or not isinstance(document["slantwood"], str):
        raise ModelFileError("predict_only must be a truth value and slantwood a version")
    importance = container.take(arrays, "importance", ("float64",))
    if not np.isfinite(importance.sum()) or (importance < 0).any():
        raise ModelFileError("array 'importance' holds numbers that are negative or not finite")
    width = len(importance)
    reader = ValueReader(arrays, document["hierarchies"], memory)
    model = _made(document, reader)
    encoding = encoding_from_json(document["encoding"], width)
    targets = targets_of(document["targets"], reader, memory)
    if (targets.task in NUMBER_TASKS) is isinstance(model, ObliqueClassifier):
        raise ModelFileError(f"the targets of {estimator} are of a wrong kind")
    if is_boosted is not hasattr(model, "learning_rate"):
        raise ModelFileError(f"{estimator} has leaves of a wrong kind")
    _check_parameters(model, targets, width)
    fitted = values_of(document["fitted"], reader)
    _check_fitted(fitted, encoding, targets, predict_only)
    trees = tree_file.from_arrays(
        document["trees"], arrays, n_features=width, n_targets=targets.n_columns, memory=memory
    )
    additive = None
    if is_boosted:
        values = values_of(document["additive"], reader)
        additive = Additive.checked(values, targets.task, targets.n_columns, trees.n_trees)
    _check_leaf_values(trees.leaves, targets, additive)
    slopes = _slopes_of(arrays, trees, targets, additive)
    looks = {} if predict_only else looks_file.from_arrays(arrays, encoding)
    if arrays:
        raise ModelFileError(f"array {next(iter(arrays))!r:.60} has no meaning")
    if model.is_single_tree and trees.n_trees != 1:
        raise ModelFileError(f"{estimator} has {trees.n_trees} trees")
    # Of older files it is not known; then trees of earlier fits count as those of the last one.
    fitted.setdefault("_has_tree_of_all_rows", not fitted["settings_"]["bootstrap"])
    saved: dict[str, Any] = {name: fitted.get(key) for key, name in (_FOREST | _FOREST_FOR_TRAINING).items()}
    saved |= {"settings": settings_from(fitted["settings_"]), "additive": additive}
    saved |= {"slopes": slopes, **looks}
    forest = FittedForest(trees=trees, encoding=encoding, targets=targets, importance_sum=importance, **saved)
    optional = _OPTIONAL | _OPTIONAL_FOR_TRAINING
    model.__dict__.update(
        {name: fitted[key] for key, name in optional.items() if key in fitted},
        n_features_in_=encoding.n_inputs,
        **fitted_attributes(forest),
    )
    return model


def _made(document: dict[str, Any], reader: ValueReader) -> Any:
    """Make an estimator that is not fitted yet."""
    return _ESTIMATORS[document["estimator"]](**values_of(document["parameters"], reader))


def check_keys(given: Any, expected: Collection[str], name: str) -> None:
    """Refuse a part of the document with other keys than these."""
    if not isinstance(given, dict) or given.keys() != set(expected):
        raise ModelFileError(f"{name} must have just {', '.join(expected)}")


def values_of(given: Any, reader: ValueReader) -> dict[str, Any]:
    """Return parameters or attributes by name."""
    if not isinstance(given, dict):
        raise ModelFileError(f"{given!r:.60} must be parameters or attributes")
    values = {name: reader.value(value) for name, value in given.items()}
    if isinstance(values.get("settings_"), dict):
        values["settings_"] = current_names(values["settings_"])
    return current_names(values)


def _check_parameters(model: Any, targets: Any, width: int) -> None:
    """Check the parameters as `fit` would."""
    check.check_parameters(model.get_params(deep=False))
    check_jobs(model.n_jobs)
    for split in listed_splits(model.split):
        splits.named(split)
    if "loss" in model.get_params(deep=False):
        losses.named(model.loss)
    check.check_max_features(model.max_features, width)
    check.check_target_weights(model.target_weights, targets)
    if model.random_state is not None:
        check_integer("random_state", model.random_state, 0)
    columns = model.categorical_features
    if columns is not None and not isinstance(columns, (list, tuple, np.ndarray)) and columns != "from_dtype":
        raise TypeError(f"categorical_features={columns!r:.60} must be a list")
    if isinstance(model, ObliqueClassifier):
        check.check_threshold(model.threshold, targets)
        if model.class_weight is not None and targets.task in LABEL_TASKS:
            check_label_weights(model.class_weight, targets.classes)
        elif model.class_weight is not None and isinstance(targets, MultiTargets):
            check_class_weights(model.class_weight, targets.n_outputs)
        elif model.class_weight is not None and not isinstance(model.class_weight, dict):
            check_choice("class_weight", model.class_weight, ("balanced",))


def check_jobs(n_jobs: int | None) -> None:
    """Refuse a number of threads that nobody has."""
    if abs(n_jobs or 0) > _MOST_JOBS:
        raise ValueError(f"n_jobs={n_jobs!r} must be None, or from 1 to {_MOST_JOBS} or below 0")


def targets_of(given: Any, reader: ValueReader, memory: MemoryLimit = UNLIMITED) -> Any:
    """Make what y was of its part of the document."""
    targets = _targets_of_kind(given, reader, _TARGETS)
    if targets.n_columns > _MOST_LABELS:
        raise ModelFileError(f"{targets.n_columns} labels are more than the {_MOST_LABELS} of a file")
    memory.check(_BYTES_PER_LABEL * targets.n_columns, f"{targets.n_columns} classes, labels or targets")
    return targets


def _targets_of_kind(given: Any, reader: ValueReader, kinds: Mapping[str, tuple[Any, set[str]]]) -> Any:
    kind: Any = given.get("kind") if isinstance(given, dict) else None
    if kind not in kinds:
        raise ModelFileError(f"{kind=!r:.60} is not a kind of targets")
    cls, keys = kinds[kind]
    if not given.keys() & _LATER.get(kind, set()):
        keys = keys - _LATER.get(kind, set())
    check_keys(given, {"kind", *keys}, "targets")
    if cls is MultiTargets:
        if not isinstance(given["parts"], list):
            raise ModelFileError("parts must be a list")
        return cls.from_json(
            {"parts": [_targets_of_kind(each, reader, _PARTS_OF_SEVERAL) for each in given["parts"]]}
        )
    fields = {key: reader.value(given[key]) for key in keys}
    if fields.get("dtype", "float32") not in DTYPES:
        raise ModelFileError(f"dtype={fields['dtype']!r:.60} is not a type of labels")
    return cls.from_json(fields)


_PARTS_OF_SEVERAL: dict[str, tuple[Any, set[str]]] = {
    ClassTargets.kind: (ClassTargets, {"classes", "weights", "shares"}),
    RegressionTargets.kind: (RegressionTargets, {"mean", "scale", "low", "high", "one_dimensional"}),
}
_TARGETS: dict[str, tuple[Any, set[str]]] = {
    **_PARTS_OF_SEVERAL,
    MultiTargets.kind: (MultiTargets, {"parts"}),
    LabelTargets.kind: (LabelTargets, {"n_labels", "is_sparse", "dtype", "as_sets", "names"}),
    HierarchyTargets.kind: (HierarchyTargets, {"is_sparse", "dtype", "hierarchy", "as_sets"}),
}

# What older files of a kind have not, or classes that weigh the same.
_LATER = {
    ClassTargets.kind: {"weights", "shares"},
    RegressionTargets.kind: {"low", "high"},
    LabelTargets.kind: {"as_sets", "names"},
}


# ---- leaves and fitted attributes


def _check_leaf_values(
    leaves: Matrix, targets: Any, additive: Additive | None, name: str = "leaves/values"
) -> None:
    """Refuse probabilities outside 0 to 1, and numbers so large that predictions would be infinite."""
    if additive is not None and not leaves.is_dense:
        raise ModelFileError("the leaves of boosted trees must be dense")
    # Leaves of boosted trees are steps, of any sign.
    are_shares = targets.are_indicators & (additive is None)
    if are_shares.all() or not are_shares.any():
        values = leaves.values if leaves.is_dense else leaves.data
        shares, numbers = (values, values[:0]) if are_shares.all() else (values[:0], values)
    elif leaves.is_dense:
        shares, numbers = leaves.values[:, are_shares], leaves.values[:, ~are_shares]
    else:
        is_share = are_shares[leaves.indices]
        shares, numbers = leaves.data[is_share], leaves.data[~is_share]
    least, largest = float(shares.min(initial=0.0)), float(shares.max(initial=0.0))
    if least < 0 or largest > 1 + _ROUNDING:
        wrong = least if least < 0 else largest
        raise ModelFileError(f"array {name!r} holds {wrong:.6g}; probabilities are from 0 to 1")
    furthest = float(np.abs(numbers).max(initial=0.0))
    parts = [each for each in getattr(targets, "parts", [targets]) if isinstance(each, RegressionTargets)]
    reached = [furthest * part.scale + np.abs(part.mean) for part in parts]
    if furthest > _FURTHEST or not all(np.isfinite(each).all() for each in reached):
        raise ModelFileError(f"array {name!r} holds {furthest:.6g}: predictions would be infinite")


def _slopes_of(arrays: Any, trees: Any, targets: Any, additive: Additive | None) -> Any:
    """Make slopes of the leaves of trees, of a model of numbers alone; None where there are none."""
    slopes = slopes_file.from_arrays(arrays, trees)
    if slopes is None:
        return None
    if additive is not None or targets.task not in NUMBER_TASKS:
        raise ModelFileError("array 'slopes/model' belongs to trees and forests of numbers only")
    for name in ("low", "high"):
        _check_leaf_values(dense_matrix(getattr(slopes, name)), targets, None, f"slopes/{name}")
    return slopes


def _check_fitted(fitted: dict[str, Any], encoding: Encoding, targets: Any, predict_only: bool) -> None:
    required, allowed = {*_FOREST}, {*_FOREST, *_OPTIONAL}
    if not predict_only:
        required |= {"_seed", "_tuned"}
        allowed |= {*_FOREST_FOR_TRAINING, *_OPTIONAL_FOR_TRAINING}
    if not required <= fitted.keys() <= allowed:
        raise ModelFileError(f"fitted attributes must be {', '.join(sorted(required))} and some others")
    n_columns = targets.n_columns
    _check_settings(fitted["settings_"], len(encoding.source), predict_only)
    check_real("unlabeled_weight_", fitted["unlabeled_weight_"], 0.0, 1.0)
    checks: dict[str, Callable[[Any], bool]] = {
        "_seed": lambda seed: type(seed) is int and 0 <= seed < np.iinfo(np.int32).max,
        "_tuned": lambda tuned: (
            all(isinstance(each, str) for each in tuned)
            and all(isinstance(each, Real) or each == "mean" for each in tuned.values())
        ),
        "_has_tree_of_all_rows": lambda flag: type(flag) is bool,
        "_tuned_for": lambda name: name in check.THRESHOLD_RULES,
        "oob_score_": lambda score: isinstance(score, Real),
        "oob_decision_function_": lambda scores: _are_scores(scores, targets.attributes.get("n_classes_")),
        "oob_prediction_": lambda numbers: _is_matrix(
            numbers[:, None] if targets.one_dimensional else numbers, n_columns
        ),
        "thresholds_": lambda each: (
            each.dtype == np.float32 and each.shape == (n_columns,) and ((each >= 0) & (each <= 1)).all()
        ),
        "feature_names_in_": lambda names: names.dtype == object and names.shape == (encoding.n_inputs,),
        "input_names_": lambda names: are_names(names) and len(names) == encoding.n_inputs,
        "target_names_": lambda names: are_names(names) and len(names) in check.target_name_counts(targets),
    }
    for name, is_right in checks.items():
        if name in fitted and not is_right(fitted[name]):
            raise ModelFileError(f"{name}={fitted[name]!r:.60} is wrong")


def _check_settings(settings: Any, width: int, predict_only: bool) -> None:
    is_boosted = isinstance(settings, dict) and "candidates" in settings
    known = _BOOSTING_SETTINGS if is_boosted else _SETTINGS
    if not isinstance(settings, dict) or not _OLD_SETTINGS <= settings.keys() <= known:
        raise ModelFileError(f"settings_ must have {', '.join(sorted(known))}")
    check.check_parameters(settings)
    if any(isinstance(value, str) and value == AUTO for value in settings.values()):
        raise ModelFileError("settings_ must leave nothing open")
    count_features(settings["max_features"], width)
    if isinstance(settings["split"], str) or (settings["split"] is None and not predict_only):
        raise ModelFileError("settings_ must have a split learner")
    if settings["split"] is not None:
        splits.named(settings["split"])
    for kind in BoostingSettings(**settings).candidates if is_boosted else ():
        splits.named(kind.split)
        check.check_max_features(kind.max_features, width)


def are_names(names: Any) -> bool:
    """Whether these are names of columns, as fitted attributes hold them."""
    return isinstance(names, tuple) and all(isinstance(name, str) for name in names)


def _are_scores(scores: Any, n_classes: Any) -> bool:
    """Whether scores have a column for each class; of several targets, those of each, and of numbers one."""
    if not isinstance(n_classes, list):
        return _is_matrix(scores, n_classes)
    return (
        isinstance(scores, list)
        and len(scores) == len(n_classes)
        and all(
            _is_matrix(each[:, None] if k is None else each, k or 1)
            for each, k in zip(scores, n_classes, strict=True)
        )
    )


def _is_matrix(values: Any, n_columns: Any) -> bool:
    is_array = isinstance(values, np.ndarray) or sp.issparse(values)
    return is_array and values.ndim == 2 and values.shape[1] == n_columns and values.dtype.kind == "f"
