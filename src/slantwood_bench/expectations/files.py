"""Models that are kept, and models for other programs."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from slantwood import load_model
from slantwood_bench.expectations.data import forest, frame, irises, regressor
from slantwood_bench.expectations.row import Group, library

GROUP = Group("files and exports")


def _run(made: Any, **fed: Any) -> dict[str, Any]:
    runtime = library("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 3
    session = runtime.InferenceSession(made.SerializeToString(), options, providers=["CPUExecutionProvider"])
    names = [each.name for each in session.get_outputs()]
    return dict(zip(names, session.run(names, fed), strict=True))


@GROUP.row("save and load_model")
def model_files() -> None:
    """Keep a model in a file without code."""
    model, file = forest().fit(irises().X, irises().words), io.BytesIO()
    model.save(file)
    file.seek(0)
    assert (load_model(file).predict(irises().X) == model.predict(irises().X)).all()


@GROUP.row("ONNX of an estimator")
def estimator_as_onnx() -> None:
    """Export a forest."""
    library("onnx")
    from slantwood.export import to_onnx

    model = forest().fit(irises().X, irises().words)
    out = _run(to_onnx(model), X=irises().X.astype(np.float32))
    assert (out["label"] == model.predict(irises().X)).all()


@GROUP.row("ONNX of a pipeline, opset chosen")
def pipeline_as_onnx() -> None:
    """Export a pipeline."""
    library("skl2onnx")
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from slantwood.export import to_onnx

    X = irises().X.astype(np.float32)
    pipeline = make_pipeline(StandardScaler(), regressor()).fit(X, irises().numbers)
    out = _run(to_onnx(pipeline, opset=18), X=X)
    np.testing.assert_allclose(out["variable"], pipeline.predict(X), rtol=1e-4)


@GROUP.row("ONNX of a pipeline on a data frame")
def table_pipeline_as_onnx() -> None:
    """Export a pipeline that takes named columns."""
    library("skl2onnx")
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    from slantwood.export import to_onnx

    table = frame(library("pandas")).astype({"sepal_length": "f4", "sepal_width": "f4", "petal_length": "f4"})
    columns = make_column_transformer((OneHotEncoder(), ["colour"]), remainder=StandardScaler())
    pipeline = make_pipeline(columns, forest()).fit(table, irises().y)
    fed = {name: table[[name]].to_numpy() for name in table}
    out = _run(to_onnx(pipeline, X=table), **fed | {"colour": fed["colour"].astype(object)})
    np.testing.assert_allclose(out["probabilities"], pipeline.predict_proba(table), atol=1e-6)


@GROUP.row("skl2onnx.to_onnx after register_onnx")
def by_skl2onnx() -> None:
    """Call skl2onnx itself."""
    skl2onnx = library("skl2onnx")
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from slantwood.export import register_onnx

    register_onnx()
    pipeline = make_pipeline(StandardScaler(), forest()).fit(irises().X, irises().y)
    out = _run(skl2onnx.to_onnx(pipeline, irises().X[:1], target_opset=18), X=irises().X)
    assert (out["label"] == pipeline.predict(irises().X)).all()


@GROUP.row("skops of a pipeline: only types of slantwood to trust")
def pipeline_in_skops() -> None:
    """Keep a pipeline without pickle."""
    skops = library("skops.io")
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    pipeline = make_pipeline(StandardScaler(), forest()).fit(irises().X, irises().y)
    data = skops.dumps(pipeline)
    asked = skops.get_untrusted_types(data=data)
    assert all(name.startswith("slantwood.") for name in asked), asked
    assert (skops.loads(data, trusted=asked).predict(irises().X) == pipeline.predict(irises().X)).all()
