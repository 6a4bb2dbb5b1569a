"""How does a pipeline around a fitted estimator become an ONNX model.

skl2onnx converts the steps of scikit-learn. It is told here how estimators of slantwood are converted: their
own graph, the one of `slantwood.export.onnx`, is put among the nodes of the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import ClassifierMixin, is_classifier

from slantwood import (
    ObliqueBoostingClassifier,
    ObliqueBoostingRegressor,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
)
from slantwood.estimators.base import ObliqueEstimator
from slantwood.export.nodes import Nodes
from slantwood.export.onnx import add_outputs, add_predictions, check_opset, n_graph_inputs, properties_of
from slantwood.features.frames import is_frame
from slantwood.hints import optional_import, shortened

if TYPE_CHECKING:
    from onnx import ModelProto

_ESTIMATORS = (
    ObliqueBoostingClassifier,
    ObliqueBoostingRegressor,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
)


class _Refused(ValueError):
    """What our own converter says; other errors are those of the steps of others."""


_MAYBE_X = "; if it takes a data frame, or text, give X, some rows of it"

# What steps of scikit-learn are made of that skl2onnx writes with: as old as our own graph needs.
_ML_OPSET = 3


def register_onnx() -> None:
    """Tell skl2onnx how to convert estimators of slantwood.

    `to_onnx` does so itself. This is for those who call skl2onnx on their own, to give it options: its
    `to_onnx` and `convert_sklearn` then take pipelines, searches and ensembles that hold such estimators.
    Calling it again changes nothing.

    Returns
    -------
    None
        Nothing: skl2onnx keeps the converters for this process.

    Raises
    ------
    ImportError
        If skl2onnx is not installed.

    Notes
    -----
    A classifier has the outputs ``label`` and ``probabilities``, both arrays: the option ``zipmap`` of
    skl2onnx, which makes dictionaries of the latter, is accepted and has no effect. The opset must be from
    16 to 22.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from slantwood import ObliqueForestClassifier
    >>> from slantwood.export import register_onnx
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ObliqueForestClassifier(n_estimators=5, random_state=0)
    >>> pipeline = make_pipeline(StandardScaler(), forest).fit(X, y)
    >>> import skl2onnx  # doctest: +SKIP
    >>> register_onnx()  # doctest: +SKIP
    >>> model = skl2onnx.to_onnx(pipeline, X[:1], target_opset=18)  # doctest: +SKIP
    """
    with optional_import("ONNX models of pipelines need skl2onnx", "onnx"):
        import skl2onnx

    for kind in _ESTIMATORS:
        # What skl2onnx asks of all classifiers, so that it may ask it of these.
        options = {"zipmap": [True, False, "columns"], "nocl": [False, True]}
        skl2onnx.update_registered_converter(
            kind,
            f"Slantwood{kind.__name__}",
            _check_inputs,
            _convert,
            parser=_parse,
            options=options if issubclass(kind, ClassifierMixin) else None,
        )


def made_of_pipeline(model: Any, X: Any, name: str, opset: int) -> ModelProto:
    """Make the ONNX model of a fitted estimator of scikit-learn that holds one of slantwood."""
    register_onnx()
    from onnx import helper
    from skl2onnx import __version__, convert_sklearn

    inputs = _inputs(model, X)
    # Only classifiers have it, and only of the outermost one does it matter.
    options = {id(model): {"zipmap": False}} if is_classifier(model) else None
    try:
        made = convert_sklearn(
            model,
            name=name,
            initial_types=inputs,
            target_opset={"": opset, "ai.onnx.ml": _ML_OPSET},
            options=options,
        )
    except _Refused:
        raise
    except (RuntimeError, NotImplementedError, TypeError, ValueError, NameError, LookupError) as error:
        reason = shortened(str(error).split("\n")[0], 200)
        raise ValueError(
            f"model={type(model).__name__} has a step that skl2onnx {__version__} cannot convert: {reason} "
            "Take another step (skl2onnx.supported_converters() lists them), or apply it before and export "
            f"what follows it: to_onnx(pipeline[-1]){'' if X is not None else _MAYBE_X}"
        ) from error
    last = model[-1] if hasattr(model, "steps") else model
    if isinstance(last, ObliqueEstimator):
        helper.set_model_props(made, properties_of(last, n_graph_inputs(last)))
    return made


def _inputs(model: Any, X: Any) -> list[tuple[str, Any]]:
    """Return the names and types of what a model takes: of X, or else one matrix of numbers."""
    from skl2onnx.common import data_types

    n_features = getattr(model, "n_features_in_", None)
    if X is None:
        if n_features is None:
            raise ValueError(
                f"model={type(model).__name__} does not say how many columns it takes; give X, some rows of "
                "what it takes"
            )
        return [("X", data_types.FloatTensorType([None, n_features]))]
    if is_frame(X):
        import narwhals.stable.v2 as nw

        schema = nw.from_native(X).lazy().collect_schema()
        _check_width(len(schema), n_features)
        return [(name, _column_type(dtype)) for name, dtype in schema.items()]
    values = np.asarray(X)
    n_columns = values.shape[1] if values.ndim == 2 else 1
    _check_width(n_columns, n_features)
    if values.dtype.kind == "b":
        kind = data_types.BooleanTensorType
    elif values.dtype.kind in "iu":
        kind = data_types.Int64TensorType
    elif values.dtype.kind == "f":
        kind = data_types.FloatTensorType
    else:
        kind = data_types.StringTensorType
    return [("X", kind([None, n_columns]))]


def _check_width(n_columns: int, n_features: int | None) -> None:
    if n_features is not None and n_columns != n_features:
        raise ValueError(
            f"X has {n_columns} columns, but the model takes {n_features}: give rows of what it was trained "
            "with"
        )


def _column_type(dtype: Any) -> Any:
    from skl2onnx.common import data_types

    if dtype.is_integer():
        return data_types.Int64TensorType([None, 1])
    if dtype.is_numeric():
        return data_types.FloatTensorType([None, 1])
    kind = data_types.BooleanTensorType if str(dtype) == "Boolean" else data_types.StringTensorType
    return kind([None, 1])


# ---- what skl2onnx calls, in this order


def _parse(scope: Any, model: Any, inputs: Any, custom_parsers: Any = None) -> Any:
    """Declare what an estimator takes and what it returns."""
    from skl2onnx import get_model_alias
    from skl2onnx.common import data_types

    types = {1: data_types.FloatTensorType, 7: data_types.Int64TensorType}
    types |= {8: data_types.StringTensorType, 11: data_types.DoubleTensorType}
    operator = scope.declare_local_operator(get_model_alias(type(model)), model)
    operator.inputs = inputs
    for value in add_outputs(Nodes(), "means", model):
        tensor = value.type.tensor_type
        shape = [each.dim_value or None for each in tensor.shape.dim]
        operator.outputs.append(scope.declare_local_variable(value.name, types[tensor.elem_type](shape)))
    return operator.outputs


def _check_inputs(operator: Any) -> None:
    """Refuse what the graph of an estimator cannot take."""
    from skl2onnx.common.data_types import StringTensorType

    model = operator.raw_operator
    is_text = any(isinstance(each.type, StringTensorType) for each in operator.inputs)
    if is_text or model.encoding_.has_nominal:
        raise _Refused(
            f"{type(model).__name__} was trained with nominal columns, which its graph does not encode: put "
            "a OneHotEncoder before it, or export it alone and call encode_inputs"
        )


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Add the nodes of an estimator to those of the steps before it."""
    from onnx import helper
    from skl2onnx.common.data_types import guess_proto_type

    opset = container.target_opset
    check_opset(opset)
    graph = Nodes(prefix=scope.get_unique_variable_name("slantwood") + "_")
    columns = [graph.cast(each.full_name, np.float32) for each in operator.inputs]
    X = columns[0] if len(columns) == 1 else graph.add("Concat", *columns, axis=1)
    predictions = add_predictions(graph, X, operator.raw_operator)
    container.initializers.extend(graph.constants)
    for node in graph.nodes:
        attributes = {each.name: helper.get_attribute_value(each) for each in node.attribute}
        container.add_node(
            node.op_type, list(node.input), list(node.output), op_version=opset, name=node.name, **attributes
        )
    for value, wanted in zip(predictions, operator.outputs, strict=True):
        # An ensemble of others may want numbers in another precision; labels are what they are.
        is_float = value.type.tensor_type.elem_type in (1, 11)
        attributes = {"to": guess_proto_type(wanted.type)} if is_float else {}
        container.add_node(
            "Cast" if is_float else "Identity",
            graph.prefix + value.name,
            wanted.full_name,
            op_version=opset,
            name=scope.get_unique_operator_name("slantwood"),
            **attributes,
        )
