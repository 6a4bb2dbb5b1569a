"""How a fitted `LabelTreeClassifier` becomes one file, and an estimator again.

The document of the file has `slantwood`, `estimator`, `predict_only`, `parameters`, `encoding`, `targets`,
`fitted` and `hierarchies` (always empty) as those of other estimators (see `estimators.saving`), and

    n_columns      columns that classifiers weigh, without that of ones
    label_trees    see `label_trees.file`
    forest         the whole document of the forest beside, or null; its arrays are called "forest/..."
"""

from numbers import Integral
from typing import Any

import numpy as np

import slantwood
from slantwood.ensemble.spec import AUTO
from slantwood.estimators import saving
from slantwood.estimators import validation as check
from slantwood.estimators.forest import ObliqueForestClassifier
from slantwood.estimators.label_tree import LabelTreeClassifier, check_label_tree_parameters
from slantwood.estimators.saved_values import ValueReader, ValueWriter
from slantwood.features.encoding import Encoding
from slantwood.features.encoding_file import encoding_from_json, encoding_to_json
from slantwood.label_trees import file
from slantwood.model.container import DTYPES, Contents
from slantwood.model.refusal import ModelFileError
from slantwood.targets.classes import ClassTargets
from slantwood.targets.labels import LabelTargets
from slantwood.validation import check_integer, check_real

_KEYS = (
    "slantwood",
    "estimator",
    "predict_only",
    "parameters",
    "encoding",
    "targets",
    "fitted",
    "hierarchies",
)
_OWN_KEYS = ("n_columns", "label_trees", "forest")
_FOREST = "forest/"
# Names of features that a model may have: those of a frame, and those that `fit` was given.
_NAMES = ("feature_names_in_", "input_names_")
_SHARE = "forest_share_"


def described(model: LabelTreeClassifier, *, float16: bool, predict_only: bool) -> saving.Described:
    """Return the document and the arrays of a fitted model."""
    parameters = model.get_params(deep=False)
    check_label_tree_parameters(parameters)
    check.check_threshold(model.threshold, model.targets_)
    if not isinstance(parameters["random_state"], (Integral, type(None))):
        parameters["random_state"] = None  # the state of a generator is not written
    writer = ValueWriter()
    names = {name: getattr(model, name) for name in (*_NAMES, _SHARE) if hasattr(model, name)}
    trees, arrays = file.to_arrays(model.label_trees_, float16=float16)
    forest = None
    if model.oblique_forest_ is not None:
        forest, of_forest = saving.described(
            model.oblique_forest_, float16=float16, predict_only=predict_only
        )
        arrays |= {_FOREST + name: array for name, array in of_forest.items()}
    document = {
        "slantwood": slantwood.__version__,
        "estimator": LabelTreeClassifier.__name__,
        "predict_only": bool(predict_only),
        "parameters": {key: writer.to_json(value, f"parameters/{key}") for key, value in parameters.items()},
        "encoding": encoding_to_json(model.encoding_),
        "targets": {"kind": model.targets_.kind, **model.targets_.to_json(writer.to_json)},
        "fitted": {key: writer.to_json(value, f"fitted/{key}") for key, value in names.items()},
        "hierarchies": writer.hierarchies_to_json(),
        "n_columns": len(model.encoding_.source),
        "label_trees": trees,
        "forest": forest,
    }
    if isinstance(model.targets_, LabelTargets) and model.targets_.dtype.name not in DTYPES:
        raise TypeError(f"y has dtype {model.targets_.dtype}, but a model file can hold {', '.join(DTYPES)}")
    return saving.Described(document, {**writer.arrays, **arrays})


def restored(contents: Contents) -> LabelTreeClassifier:
    """Make a model of what a file holds, only when all its parts are right and fit together."""
    document, arrays, memory = contents.document, contents.arrays, contents.memory
    saving.check_keys(document, (*_KEYS, *_OWN_KEYS), "document")
    n_columns = check_integer("n_columns", document["n_columns"], 1)
    beside = {name: arrays.pop(name) for name in list(arrays) if name.startswith(_FOREST)}
    reader = ValueReader(arrays, document["hierarchies"], memory)
    model = LabelTreeClassifier(**saving.values_of(document["parameters"], reader))
    check_label_tree_parameters(model.get_params(deep=False))
    saving.check_jobs(model.n_jobs)
    if model.random_state is not None:
        check_integer("random_state", model.random_state, 0)
    memory.check(saving.BYTES_PER_COLUMN * n_columns, f"{n_columns} columns")
    encoding = encoding_from_json(document["encoding"], n_columns)
    targets = saving.targets_of(document["targets"], reader, memory)
    if not isinstance(targets, (LabelTargets, ClassTargets)):
        raise ModelFileError("the targets of LabelTreeClassifier are of a wrong kind")
    check.check_threshold(model.threshold, targets)
    fitted = saving.values_of(document["fitted"], reader)
    if _SHARE not in fitted and model.forest_share != AUTO:  # as in older files
        fitted[_SHARE] = float(model.forest_share)
    _check_fitted(fitted, encoding)
    n_labels = len(targets.classes)
    sizes = {"n_columns": n_columns + 1, "n_labels": n_labels}
    trees = file.from_arrays(document["label_trees"], arrays, **sizes, memory=memory)
    if arrays:
        raise ModelFileError(f"array {next(iter(arrays))!r:.60} has no meaning")
    forest = None
    if document["forest"] is not None:
        own = {name.removeprefix(_FOREST): array for name, array in beside.items()}
        forest = _restored_forest(Contents(document["forest"], own, memory), n_columns, n_labels)
    elif beside:
        raise ModelFileError(f"array {next(iter(beside))!r:.60} has no meaning")
    model.__dict__.update(fitted, n_features_in_=encoding.n_inputs, **targets.attributes)
    model.label_trees_, model.oblique_forest_ = trees, forest
    model.encoding_, model.targets_ = encoding, targets
    return model


def _restored_forest(contents: Contents, n_columns: int, n_labels: int) -> ObliqueForestClassifier:
    forest = saving.restored_trees(contents)
    is_right = type(forest) is ObliqueForestClassifier and isinstance(forest.targets_, LabelTargets)
    if not is_right or forest.n_features_in_ != n_columns or forest.targets_.n_columns != n_labels:
        raise ModelFileError("the forest is not one for these columns and labels")
    return forest


def _check_fitted(fitted: dict[str, Any], encoding: Encoding) -> None:
    of_frame, given = (fitted.get(name) for name in _NAMES)
    n = encoding.n_inputs
    is_right = of_frame is None or (
        isinstance(of_frame, np.ndarray) and of_frame.dtype == object and of_frame.shape == (n,)
    )
    is_right &= given is None or (saving.are_names(given) and len(given) == n)
    if not {_SHARE} <= fitted.keys() <= {*_NAMES, _SHARE} or not is_right:
        raise ModelFileError(
            f"fitted attributes must be {_SHARE} and, or not, {' or '.join(_NAMES)}, one for each feature"
        )
    check_real(_SHARE, fitted[_SHARE], 0.0, 1.0)
