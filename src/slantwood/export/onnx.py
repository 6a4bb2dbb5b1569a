"""How does a fitted model become an ONNX model: what goes in, what comes out, and what is said about it."""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from slantwood import __version__
from slantwood.atomic import write_atomically
from slantwood.estimators.base import ObliqueEstimator
from slantwood.estimators.names import output_names
from slantwood.export.additive import add_expected
from slantwood.export.nodes import Nodes, typed
from slantwood.export.traversal import add_mean_leaves, chain_width, stored_bytes
from slantwood.hints import optional_import
from slantwood.targets.classes import DOUBT, ClassTargets
from slantwood.targets.hierarchy import Hierarchy
from slantwood.targets.labels import LabelTargets
from slantwood.targets.numbers import RegressionTargets
from slantwood.targets.several import MultiTargets
from slantwood.task_names import CLASS_TASKS, NUMBER_TASKS
from slantwood.validation import check_integer

if TYPE_CHECKING:
    from onnx import ModelProto

# Of 2022: old enough that runtimes of several years read it; tried with onnxruntime 1.15 and 1.31.
_OPSET = 17

# ScatterElements adds from 16 on; 22 is the newest that skl2onnx has tried.
_LOWEST_OPSET, _NEWEST_OPSET = 16, 22

# The largest message of protobuf, less some room for what is not a table.
_MOST_BYTES = 2**31 - 2**24

_ROWS = "N"


def to_onnx(
    model: Any,
    path: str | PathLike[str] | None = None,
    *,
    X: Any = None,
    name: str = "slantwood",
    opset: int = _OPSET,
) -> ModelProto:
    """Make an ONNX model that predicts what a fitted tree, forest, boosted model or pipeline predicts.

    It consists of plain operations, which any runtime of ONNX has, finds the same leaves and adds them up in
    the same order. All rows go through all trees together: give up to some thousand rows at a time.

    Parameters
    ----------
    model : estimator of slantwood, or pipeline
        The fitted estimator; or a fitted Pipeline, or another estimator of scikit-learn, that holds one. The
        other steps are converted by skl2onnx.
    path : str or path, optional
        File to write the model to, whole or not at all.
    X : array or data frame, optional
        Some rows of what a pipeline takes, for the types of its inputs. Of a data frame each column becomes
        an input of its own, with its name. Needed where a pipeline does not take one matrix of numbers.
    name : str, default="slantwood"
        Name of the graph.
    opset : int, default=17
        Version of the operations of ONNX, from 16 to 22, or to what the installed onnx knows. Newer runtimes
        read older ones.

    Returns
    -------
    onnx.ModelProto
        A model with the input

        - ``X``, float32 of shape (N, n_features): the features in the order of training, NaN where a value is
          missing. For a model that was trained with nominal columns these are the columns that
          `encode_inputs` makes, named in ``model.split_feature_names_``. With `X`, its whole numbers are
          int64, its other numbers float32, and its texts strings.

        and the outputs

        - ``label``, of classifiers: the class of each row, int64 for classes that are whole numbers or
          booleans, else string; or the int64 indicator matrix of its labels, for a hierarchy with their
          ancestors;
        - ``probabilities``, of classifiers, float32 of shape (N, n_classes): as `predict_proba` returns them;
        - ``variable``, of regressors, double of shape (N, n_targets): as `predict` returns it, but a single
          target is a column too;
        - ``label_0`` and ``probabilities_0``, ``label_1`` and so on, of classifiers of several targets: as
          above for each target; for a target of numbers ``variable_1``, say, double of shape (N, 1).

        Those of an ensemble of scikit-learn around estimators, such as stacking, are as skl2onnx has them.

        Its `metadata_props` tell the task, and as JSON the names of the features and the classes or labels
        (of several targets, a list of lists).
        The threshold of labels, or of two classes, becomes part of it.

    Raises
    ------
    ImportError
        If onnx, or for a pipeline skl2onnx, is not installed.
    sklearn.exceptions.NotFittedError
        If the model is not fitted.
    ValueError
        If the model is larger than the 2 GB that ONNX allows, or a step cannot be converted by skl2onnx.

    Notes
    -----
    The steps before an estimator compute in float32. Where columns need more digits, call `register_onnx`,
    and give skl2onnx inputs of type double.

    With `normalize_rows`, rows are scaled to length 1 in the graph, as those of a dense X are in `predict`;
    where `predict` is given a sparse X, a scaled value may differ in its last bit.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from slantwood import ObliqueForestClassifier
    >>> from slantwood.export import to_onnx
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ObliqueForestClassifier(n_estimators=10, random_state=0).fit(X, y)
    >>> model = to_onnx(forest, "iris.onnx")  # doctest: +SKIP
    >>> import onnxruntime  # doctest: +SKIP
    >>> session = onnxruntime.InferenceSession("iris.onnx")  # doctest: +SKIP
    >>> label, probabilities = session.run(None, {"X": X.astype("float32")})  # doctest: +SKIP

    A pipeline as a whole:

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> pipeline = make_pipeline(StandardScaler(), forest).fit(X, y)
    >>> model = to_onnx(pipeline, "iris.onnx", opset=18)  # doctest: +SKIP
    """
    is_own = isinstance(model, ObliqueEstimator)
    if is_own:
        check_is_fitted(model)
    else:
        _check_pipeline(model)
    if not isinstance(name, str) or not name:
        raise TypeError(f"name={name!r} must be a word: the name of the graph")
    if path is not None and not Path(path).parent.is_dir():
        raise FileNotFoundError(f"path={str(path)!r} is in a folder that does not exist; make it first")
    with optional_import("to_onnx needs onnx", "onnx"):
        import onnx  # noqa: F401

    check_opset(opset)
    if is_own and X is None:
        made = _made_of_estimator(model, name, opset)
    else:
        from slantwood.export.pipelines import made_of_pipeline  # which embeds the graphs of this file

        made = made_of_pipeline(model, X, name, opset)
    if path is not None:
        write_atomically(path, lambda file: file.write(made.SerializeToString()))
    return made


def _made_of_estimator(model: Any, name: str, opset: int) -> ModelProto:
    from onnx import helper

    graph = Nodes()
    n_inputs = n_graph_inputs(model)
    inputs, outputs = [typed("X", np.float32, (_ROWS, n_inputs))], add_predictions(graph, "X", model)
    description = _description(model)
    opset_id = helper.make_opsetid("", opset)
    made = helper.make_model(
        graph.graph(name, inputs, outputs, initializer=graph.constants, doc_string=description),
        opset_imports=[opset_id],
        ir_version=helper.find_min_ir_version_for([opset_id]),
        producer_name="slantwood",
        producer_version=__version__,
        doc_string=description,
    )
    helper.set_model_props(made, properties_of(model, n_inputs))
    return made


def n_graph_inputs(model: Any) -> int:
    """Return how many columns the graph of a fitted estimator takes."""
    encoding = model.encoding_
    return len(encoding.source) if encoding.has_nominal else encoding.n_inputs


def add_predictions(graph: Nodes, X: str, model: Any) -> list[Any]:
    """Add the nodes from float32 rows to the outputs of a fitted estimator; return what these are."""
    _check_leaves(model)
    width = chain_width(model.trees_)
    _check_size(model, width)
    encoding = model.encoding_
    if encoding.indicated and not encoding.has_nominal:
        X = _add_indicators(graph, X, encoding.indicated)
    if model.settings_.normalize_rows:
        X = _add_normalized_rows(graph, X)
    trees, additive = model.trees_, model.forest_.additive
    means = add_mean_leaves(graph, X, len(encoding.source), trees, width)
    if additive is not None:
        means = add_expected(graph, means, additive, trees.n_trees, model.targets_)
    return add_outputs(graph, means, model)


def encode_inputs(model: Any, X: Any) -> np.ndarray:
    """Return X in the form that the ONNX model of a fitted estimator takes.

    Parameters
    ----------
    model : estimator of slantwood
        The fitted tree, forest or boosted model.
    X : array, sparse matrix or data frame of shape (n_rows, n_features)
        Features, as `predict` takes them.

    Returns
    -------
    float32 array of shape (n_rows, n_inputs)
        The features, NaN where one is missing. Where training had nominal columns: all numbers, then the
        indicators of the nominal values, as ``model.split_feature_names_`` names them.

    Examples
    --------
    >>> import numpy as np
    >>> from slantwood import ObliqueTreeClassifier
    >>> from slantwood.export import encode_inputs
    >>> X = np.array([[1, "red"], [2, "green"], [3, "blue"], [4, "red"]], dtype=object)
    >>> tree = ObliqueTreeClassifier(categorical_features=[1], random_state=0).fit(X, [0, 0, 1, 1])
    >>> tree.split_feature_names_.tolist()
    ['x0', 'x1=blue', 'x1=green']
    >>> encode_inputs(tree, X)[:2]
    array([[1., 0., 0.],
           [2., 0., 1.]], dtype=float32)
    """
    if not isinstance(model, ObliqueEstimator):
        raise TypeError(f"{_described(model)} must be a fitted tree, forest or boosted model of slantwood")
    check_is_fitted(model)
    encoding = model.encoding_
    matrix = model.encode_features(X)
    if not encoding.has_nominal:
        matrix = matrix[:, : encoding.n_inputs]  # the graph marks missing cells itself
    dense = matrix.toarray() if sp.issparse(matrix) else matrix
    return np.ascontiguousarray(dense, np.float32)


def _check_pipeline(model: Any) -> None:
    held = model.get_params().values() if isinstance(model, BaseEstimator) else ()
    if not any(isinstance(each, ObliqueEstimator) for each in held):
        raise TypeError(
            f"{_described(model)} must be a fitted tree, forest or boosted model of slantwood, or a pipeline "
            "that holds one"
        )
    check_is_fitted(model)


def _described(model: Any) -> str:
    return f"model={model!r:.60} ({type(model).__name__})"


def check_opset(opset: Any) -> None:
    """Refuse versions of the operations of ONNX in which the graph cannot be said."""
    from onnx.defs import onnx_opset_version

    check_integer("opset", opset, 1)
    highest = min(_NEWEST_OPSET, onnx_opset_version())
    if not _LOWEST_OPSET <= opset <= highest:
        raise ValueError(
            f"opset={opset} must be from {_LOWEST_OPSET} to {highest}: the versions of the operations of "
            "ONNX that have what the graph needs, and that the installed onnx knows"
        )


def _check_leaves(model: Any) -> None:
    if model.forest_.slopes is not None:
        raise ValueError(
            "the leaves of model have slopes, which ONNX graphs of slantwood do not hold yet; fit it with "
            "leaves='mean'"
        )


def _check_size(model: Any, width: int) -> None:
    size = stored_bytes(model.trees_, width)
    if size > _MOST_BYTES:
        raise ValueError(
            f"model takes {size / 1e9:.3g} GB as ONNX, which allows {_MOST_BYTES / 1e9:.3g} GB; fit fewer "
            f"trees than the {model.trees_.n_trees} there are (n_estimators), or smaller ones (max_depth, "
            "min_samples_split, min_impurity_decrease)"
        )


# ---- what goes in


def _add_indicators(graph: Nodes, X: str, indicated: tuple[int, ...]) -> str:
    """Append a column for each of some columns that marks its missing cells."""
    columns = graph.add("Gather", X, graph.constant(np.array(indicated, np.int64)), axis=1)
    marks = graph.cast(graph.add("IsNaN", columns), np.float32)
    return graph.add("Concat", X, marks, axis=1)


def _add_normalized_rows(graph: Nodes, X: str) -> str:
    """Scale every row to length 1; rows of zeros stay."""
    known = graph.add("Where", graph.add("IsNaN", X), graph.constant(np.float32(0.0)), X)
    known = graph.cast(known, np.float64)
    squares = graph.add("ReduceSum", graph.add("Mul", known, known), graph.constant([1]))
    length = graph.add("Sqrt", squares)
    positive = graph.add("Greater", length, graph.constant(0.0))
    length = graph.add("Where", positive, length, graph.constant(1.0))
    return graph.cast(graph.add("Div", graph.cast(X, np.float64), length), np.float32)


# ---- what comes out


def add_outputs(graph: Nodes, means: str, model: Any) -> list[Any]:
    """Add the nodes from mean leaves to the outputs; return what these are."""
    targets = model.targets_
    if isinstance(targets, MultiTargets):
        return _add_several(graph, means, targets)
    if targets.task in NUMBER_TASKS:
        return _add_numbers(graph, means, targets)
    if targets.task in CLASS_TASKS:
        return _add_classes(graph, means, targets, model.decision_threshold())
    return _add_labels(graph, means, targets, model.decision_threshold())


def _add_several(graph: Nodes, means: str, targets: MultiTargets) -> list[Any]:
    outputs, start = [], 0
    for j, part in enumerate(targets.parts):
        columns = np.arange(start, start + part.n_columns)
        own = graph.add("Gather", means, graph.constant(columns), axis=1)
        if isinstance(part, ClassTargets):
            outputs += _add_classes(graph, own, part, 0.5, f"_{j}")
        else:
            outputs += _add_numbers(graph, own, part, f"_{j}")
        start += part.n_columns
    return outputs


def _add_numbers(graph: Nodes, means: str, targets: RegressionTargets, suffix: str = "") -> list[Any]:
    # In units in which nothing overflows, as `RegressionTargets.decode` does it.
    unit = targets.unit
    scaled = graph.add("Mul", graph.cast(means, np.float64), graph.constant(targets.scale / unit))
    numbers = graph.add("Add", scaled, graph.constant(targets.mean / unit))
    numbers = graph.add("Mul", numbers, graph.constant(unit))
    numbers = graph.add("Max", numbers, graph.constant(targets.low))
    graph.add("Min", numbers, graph.constant(targets.high), output=f"variable{suffix}")
    return [typed(f"variable{suffix}", np.float64, (_ROWS, targets.n_columns))]


def _add_classes(
    graph: Nodes, means: str, targets: ClassTargets, threshold: float, suffix: str = ""
) -> list[Any]:
    n_classes = len(targets.classes)
    scores, means = means, graph.cast(means, np.float64)
    if n_classes == 1:
        probabilities = graph.add("Add", graph.add("Mul", means, graph.constant(0.0)), graph.constant(1.0))
    elif n_classes == 2:
        others = graph.add("Sub", graph.constant(1.0), means)
        probabilities = graph.add("Concat", others, means, axis=1)
    else:
        probabilities = means
    if targets.weights and n_classes > 1:
        doubt = graph.constant(DOUBT * np.array(targets.shares))
        probabilities = graph.add("Add", probabilities, doubt)
        probabilities = graph.add("Mul", probabilities, graph.constant(np.array(targets.weights)))
    if n_classes > 2 or (targets.weights and n_classes == 2):
        total = graph.add("ReduceSum", probabilities, graph.constant([1]))
        probabilities = graph.add("Div", probabilities, total)
    if targets.weights and n_classes == 2:
        scores = graph.add("Gather", graph.cast(probabilities, np.float32), graph.constant([1]), axis=1)
    if n_classes == 2:
        is_second = graph.add("Greater", scores, graph.constant(np.float32(threshold)))
        chosen = graph.add("Squeeze", graph.cast(is_second, np.int64), graph.constant([1]))
    else:
        chosen = graph.add("ArgMax", probabilities, axis=1, keepdims=0)
    values = _class_values(targets.classes)
    label, shares = f"label{suffix}", f"probabilities{suffix}"
    graph.add("Gather", graph.constant(values, f"classes{suffix}"), chosen, output=label)
    graph.cast(probabilities, np.float32, output=shares)
    return [typed(label, values.dtype, (_ROWS,)), typed(shares, np.float32, (_ROWS, n_classes))]


def _class_values(classes: np.ndarray) -> np.ndarray:
    """Classes as ONNX can name them: whole numbers, or text."""
    values = np.array(classes.tolist())
    if values.dtype.kind in "biuf":
        with np.errstate(invalid="ignore"):  # what is no whole number of 64 bits is found out below
            whole = values.astype(np.int64)
        if (whole == values).all():
            return whole
    return np.array([str(each) for each in classes.tolist()], dtype=object)


def _add_labels(graph: Nodes, means: str, targets: LabelTargets, threshold: Any) -> list[Any]:
    graph.add("Identity", means, output="probabilities")
    chosen = graph.add("Greater", means, graph.constant(np.asarray(threshold, np.float32)))
    if targets.hierarchy is not None and np.ndim(threshold) > 0:
        chosen = _add_closure(graph, chosen, targets.hierarchy)
    graph.cast(chosen, np.int64, output="label")
    shape = (_ROWS, targets.n_labels)
    return [typed("label", np.int64, shape), typed("probabilities", np.float32, shape)]


def _add_closure(graph: Nodes, chosen: str, hierarchy: Hierarchy) -> str:
    """Choose also the labels above those that are chosen.

    For each label there is a list of those below it, itself included, one list after the other. How many of a
    list are chosen is the difference of two running counts.
    """
    below = sp.csr_array(hierarchy._ancestors.T) + sp.eye_array(len(hierarchy), format="csr")
    by_label = graph.add("Transpose", graph.cast(chosen, np.int32), perm=[1, 0])
    listed = graph.add("Gather", by_label, graph.constant(below.indices.astype(np.int64)))
    before = graph.add("CumSum", listed, graph.constant(0), exclusive=1)
    after = graph.add("Add", before, listed)
    first = graph.add("Gather", before, graph.constant(below.indptr[:-1].astype(np.int64)))
    last = graph.add("Gather", after, graph.constant(below.indptr[1:].astype(np.int64) - 1))
    is_some = graph.add("Greater", last, first)
    return graph.add("Transpose", is_some, perm=[1, 0])


# ---- what is said about it


def _description(model: Any) -> str:
    columns = "the features in the order of training"
    if model.encoding_.has_nominal:
        columns = "the encoded columns that slantwood.export.encode_inputs makes of a table"
    return f"{type(model).__name__} of slantwood {__version__}. X: {columns}; NaN where a value is missing."


def properties_of(model: Any, n_inputs: int) -> dict[str, str]:
    """Return what a fitted estimator is, as texts."""
    targets = model.targets_
    properties = {
        "slantwood_version": __version__,
        "estimator": type(model).__name__,
        "task": targets.task,
        "n_trees": str(model.trees_.n_trees),
        "input_is_encoded": json.dumps(bool(model.encoding_.has_nominal)),
        "feature_names": json.dumps([str(each) for each in model.split_feature_names_[:n_inputs]]),
    }
    classes = targets.attributes.get("classes_")
    if isinstance(classes, list):
        listed = [None if each is None else each.tolist() for each in classes]
        properties["classes"] = json.dumps(listed, default=str)
        properties["target_names"] = json.dumps(output_names(model))
    elif classes is not None:
        properties["classes"] = json.dumps(targets.classes.tolist(), default=str)
    return properties
