"""How a fitted `TailReranker` becomes one file, and an estimator again.

The document of the file has

    slantwood      version of the library that wrote it, for the curious
    estimator      "TailReranker"
    parameters     of the constructor but the classifier, as values (see `estimators.saved_values`)
    weighted       whether the classifier was fitted with the inverse propensities as `target_weights`, which
                   its own parameters did not say
    propensities   array of numbers between 0 and 1, one for each label
    centres        CSR array with a row for each label
    classes        the targets where y was classes, else null
    classifier     the whole document of the classifier; its arrays are called "classifier/..."
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

import slantwood
from slantwood.estimators import saving
from slantwood.estimators.forest import ObliqueForestClassifier
from slantwood.estimators.label_tree import LabelTreeClassifier
from slantwood.estimators.reranking import TailReranker, check_reranking_parameters, takes_propensities
from slantwood.estimators.saved_values import ValueReader, ValueWriter
from slantwood.estimators.tree import ObliqueTreeClassifier
from slantwood.model.container import Contents
from slantwood.model.refusal import ModelFileError
from slantwood.targets.classes import ClassTargets
from slantwood.targets.labels import LabelTargets
from slantwood.validation import check_flag

_CLASSIFIERS = (ObliqueForestClassifier, ObliqueTreeClassifier, LabelTreeClassifier)
_KEYS = (
    "slantwood",
    "estimator",
    "parameters",
    "weighted",
    "propensities",
    "centres",
    "classes",
    "classifier",
)
_OWN = "classifier/"

# Squares of centres are added up when distances are taken. That of rows of length 1 is no longer than these.
_LENGTH = 1.0 + 1e-2


def described(model: TailReranker, *, float16: bool, predict_only: bool) -> saving.Described:
    """Return the document and the arrays of a fitted model."""
    classifier = model.estimator_
    if type(classifier) not in _CLASSIFIERS:
        names = ", ".join(each.__name__ for each in _CLASSIFIERS)
        raise TypeError(
            f"estimator={classifier!r:.60} ({type(classifier).__name__}) cannot be written to a model file, "
            f"only {names}; pickle the reranker"
        )
    parameters = {key: value for key, value in model.get_params(deep=False).items() if key != "estimator"}
    check_reranking_parameters(parameters)
    writer = ValueWriter()
    centres = model.centres_
    if float16:  # too small for half precision is none
        centres = sp.csr_array(
            (centres.data.astype(np.float16), centres.indices, centres.indptr), centres.shape
        )
    targets = model.targets_
    classes = None
    if isinstance(targets, ClassTargets):
        classes = {"kind": targets.kind, **targets.to_json(writer.to_json)}
    beside = saving.described_model(classifier, float16=float16, predict_only=predict_only)
    document = {
        "slantwood": slantwood.__version__,
        "estimator": TailReranker.__name__,
        "parameters": {key: writer.to_json(value, f"parameters/{key}") for key, value in parameters.items()},
        "weighted": model.estimator is not None and takes_propensities(model.estimator),
        "propensities": writer.to_json(model.propensities_, "propensities"),
        "centres": writer.to_json(centres, "centres"),
        "classes": classes,
        "classifier": beside.document,
    }
    arrays = {_OWN + name: array for name, array in beside.arrays.items()}
    return saving.Described(document, {**writer.arrays, **arrays})


def restored(contents: Contents) -> TailReranker:
    """Make a model of what a file holds, only when all its parts are right and fit together."""
    document, arrays, memory = contents.document, contents.arrays, contents.memory
    saving.check_keys(document, _KEYS, "document")
    own = {name.removeprefix(_OWN): arrays.pop(name) for name in list(arrays) if name.startswith(_OWN)}
    is_known = isinstance(document["classifier"], dict) and document["classifier"].get("estimator") in {
        each.__name__ for each in _CLASSIFIERS
    }
    if not is_known:
        raise ModelFileError("the classifier is none that can be reranked")
    classifier = saving.restored(Contents(document["classifier"], own, memory))
    if not isinstance(classifier.targets_, LabelTargets):
        raise ModelFileError("the targets of the classifier are of a wrong kind")
    reader = ValueReader(arrays, [], memory)
    parameters = saving.values_of(document["parameters"], reader)
    unfitted = clone(classifier)
    if check_flag("weighted", document["weighted"]):
        unfitted.set_params(target_weights=None)
    model = TailReranker(unfitted, **parameters)
    check_reranking_parameters(model.get_params(deep=False))
    model.propensities_ = reader.value(document["propensities"])
    model.centres_ = reader.value(document["centres"])
    _check_fitted(model, classifier.targets_.n_columns, len(classifier.encoding_.source))
    model.centres_ = model.centres_.astype(np.float64, copy=False)
    targets: LabelTargets | ClassTargets = classifier.targets_
    if document["classes"] is not None:
        targets = saving.targets_of(document["classes"], reader, memory)
        if not isinstance(targets, ClassTargets) or len(targets.classes) != classifier.targets_.n_columns:
            raise ModelFileError("the classes are not one for each label of the classifier")
    if arrays:
        raise ModelFileError(f"array {next(iter(arrays))!r:.60} has no meaning")
    model.estimator_, model.targets_ = classifier, targets
    model.n_features_in_ = classifier.n_features_in_
    if hasattr(classifier, "feature_names_in_"):
        model.feature_names_in_ = classifier.feature_names_in_
    model.__dict__.update(targets.attributes)
    return model


def _check_fitted(model: Any, n_labels: int, n_columns: int) -> None:
    values, centres = model.propensities_, model.centres_
    are_right = isinstance(values, np.ndarray) and values.dtype == np.float64 and values.shape == (n_labels,)
    if not are_right or not ((values > 0.0) & (values < 1.0)).all():
        raise ModelFileError("propensities must be numbers between 0 and 1, one for each label")
    if not sp.issparse(centres) or centres.shape != (n_labels, n_columns) or centres.dtype.kind != "f":
        raise ModelFileError(f"centres must be a matrix of {n_labels} labels and {n_columns} columns")
    if not (np.abs(centres.data) <= _LENGTH).all():
        raise ModelFileError("centres must be means of rows of length 1")
