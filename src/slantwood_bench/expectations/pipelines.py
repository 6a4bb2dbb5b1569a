"""Pipelines, weights that travel through them, and frames that come out."""

from __future__ import annotations

from typing import Any

import numpy as np

from slantwood_bench.expectations.data import forest, frame, irises
from slantwood_bench.expectations.row import Group, library

GROUP = Group("pipelines and metadata")


@GROUP.row("pipeline with a scaler, and the names of its parameters")
def scaled() -> None:
    """Set a parameter of a step."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    pipeline = make_pipeline(StandardScaler(), forest())
    pipeline.set_params(obliqueforestclassifier__max_depth=2).fit(irises().X, irises().y)
    assert pipeline[-1].trees_.depth.max() <= 2


@GROUP.row("ColumnTransformer before a forest")
def by_column() -> None:
    """Scale some columns, encode others."""
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    table = frame(library("pandas"))
    columns = make_column_transformer((OneHotEncoder(), ["colour"]), remainder=StandardScaler())
    assert make_pipeline(columns, forest()).fit(table, irises().y).score(table, irises().y) > 0.9


@GROUP.row("sparse text: TfidfVectorizer before a forest")
def texts() -> None:
    """Learn from words."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline

    lines = [f"an iris called {word} number {i}" for i, word in enumerate(irises().words)]
    assert make_pipeline(TfidfVectorizer(), forest()).fit(lines, irises().y).score(lines, irises().y) > 0.9


@GROUP.row("set_output(transform='pandas') of the steps before")
def frames_through_steps() -> None:
    """Let a step hand on a frame."""
    library("pandas")
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    pipeline = make_pipeline(StandardScaler(), forest()).set_output(transform="pandas")
    names = pipeline.fit(irises().X, irises().y)[-1].feature_names_in_.tolist()
    assert names == ["x0", "x1", "x2", "x3"]


@GROUP.row("set_output(predict='pandas'): frames out")
def frames_out() -> None:
    """Ask for predictions with names."""
    pandas = library("pandas")
    model: Any = forest()
    found = model.set_output(predict="pandas").fit(irises().X, irises().words).predict_proba(irises().X)
    assert isinstance(found, pandas.DataFrame)
    assert list(found.columns) == ["setosa", "versicolor", "virginica"]


@GROUP.row("sample_weight through a pipeline")
def weights_to_a_step() -> None:
    """Give weights to a step by its name."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    weights = np.where(irises().y == 0, 0.0, 1.0)
    pipeline = make_pipeline(StandardScaler(), forest())
    pipeline.fit(irises().X, irises().y, obliqueforestclassifier__sample_weight=weights)
    assert pipeline.classes_.tolist() == [1, 2]


@GROUP.row("metadata routing: sample_weight through a pipeline in a search")
def routed_weights() -> None:
    """Let scikit-learn bring weights to fit and score."""
    import sklearn
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    with sklearn.config_context(enable_metadata_routing=True):
        wanting = forest().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), wanting)
        search = GridSearchCV(
            pipeline, {"obliqueforestclassifier__max_depth": [2]}, cv=2, error_score="raise"
        )
        weights = np.where(np.arange(75) % 5 == 0, 0.0, 1.0)
        assert search.fit(irises().X, irises().y, sample_weight=weights).best_score_ > 0.5


@GROUP.row("metadata routing: clustering attributes reach fit")
def routed_clustering() -> None:
    """Let scikit-learn bring clustering attributes to fit."""
    import sklearn
    from sklearn.model_selection import cross_val_score

    with sklearn.config_context(enable_metadata_routing=True):
        wanting = forest().set_fit_request(clustering=True)
        given = {"clustering": irises().X[:, 2:]}
        assert cross_val_score(wanting, irises().X, irises().y, cv=2, params=given).min() > 0.5
