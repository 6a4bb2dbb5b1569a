"""`slantwood inspect`: what a model file holds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from slantwood.cli.console import print_fields, print_json, print_table
from slantwood.cli.options import Json, ModelFile, number
from slantwood.hints import format_bytes
from slantwood.task_names import CLASS_TASKS

_MOST_FEATURES = 20


def inspect(
    model: ModelFile,
    tree: Annotated[int | None, number("Print tree N, counted from 0, as text.", 0)] = None,
    depth: Annotated[int, number("How deep to print the tree.", 0)] = 3,
    json: Json = False,
) -> None:
    """Show what a model file holds.

    That is its task, size and settings, and the features that matter; or one of its trees.
    """
    if tree is not None and json:
        raise typer.BadParameter(
            "a tree is printed as text; leave out one of them", param_hint="--tree --json"
        )

    from slantwood import load_model

    forest = load_model(model)
    if tree is not None:
        from slantwood.export import export_text

        typer.echo(export_text(forest, tree, max_depth=depth))
        return
    metadata = _metadata(forest, model)
    if json:
        print_json(metadata)
        return
    print_fields(_rows(forest, metadata))
    if metadata["importances"]:
        typer.echo()
        print_table(["feature", "importance"], list(metadata["importances"].items())[:_MOST_FEATURES])


def _metadata(model: Any, path: Path) -> dict[str, Any]:
    from slantwood.estimators.names import output_names
    from slantwood.model.container import format_version
    from slantwood.report.facts import top_features, tree_facts
    from slantwood.report.settings_text import settings_as_json

    size = tree_facts(model)
    return {
        "model": str(path),
        "estimator": type(model).__name__,
        "task": model.targets_.task,
        "bytes": path.stat().st_size,
        "format_version": format_version(path),
        "features": model.n_features_in_,
        "nominal_features": len(model.encoding_.nominal),
        "targets": list(getattr(model, "target_names_", None) or ()),
        "outputs": list(output_names(model)),
        "trees": size.n_trees,
        **({} if size.n_rounds is None else {"rounds": size.n_rounds}),
        "nodes": size.n_nodes,
        "leaves": size.n_leaves,
        "depth": {"least": size.least_depth, "mean": size.mean_depth, "most": size.most_depth},
        "weights_per_split": size.weights_per_split,
        "settings": settings_as_json(model.settings_),
        "importances": dict(top_features(model, model.n_features_in_)),
    }


def _rows(model: Any, metadata: dict[str, Any]) -> list[tuple[str, str]]:
    from slantwood.report import facts
    from slantwood.report.settings_text import describe_settings, describe_splits

    task, settings, size = metadata["task"], metadata["settings"], facts.tree_facts(model)
    rows = [
        ("kind", metadata["estimator"]),
        ("task", task),
        ("file", f"{format_bytes(metadata['bytes'])}, format version {metadata['format_version']}"),
        ("features", facts.features_in_words(model)),
        (facts.output_noun(task), facts.outputs_in_words(model)),
        ("trees", size.in_words()),
        ("depth", size.depth_in_words()),
        ("features per split", f"{size.weights_per_split:.1f} on average"),
        ("settings", describe_settings(settings)),
        ("split", "; ".join(describe_splits(settings)) or "None"),
    ]
    if task in CLASS_TASKS and metadata["targets"]:
        rows.insert(4, ("target", metadata["targets"][0]))
    return rows
