"""`slantwood inspect`: what a model file holds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from slantwood.cli.console import print_fields, print_json, print_table
from slantwood.cli.options import Json, ModelFile, number
from slantwood.hints import format_bytes, pluralize
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

        typer.echo(export_text(_with_trees(forest), tree, max_depth=depth))
        return
    metadata = _metadata(forest, model)
    if json:
        print_json(metadata)
        return
    print_fields(_rows(forest, metadata))
    if metadata.get("importances"):
        typer.echo()
        print_table(["feature", "importance"], list(metadata["importances"].items())[:_MOST_FEATURES])


def _with_trees(model: Any) -> Any:
    """Return the model whose trees can be printed: of label trees, the forest beside them."""
    from slantwood.cli.models import is_label_trees

    if not is_label_trees(model):
        return model
    if model.oblique_forest_ is None:
        raise typer.BadParameter(
            "the model has label trees only, whose classifiers have too many weights to print",
            param_hint="--tree",
        )
    return model.oblique_forest_


def _metadata(model: Any, path: Path) -> dict[str, Any]:
    from slantwood.cli.models import is_label_trees
    from slantwood.estimators.names import output_names
    from slantwood.model.container import format_version

    of_kind = _of_label_trees if is_label_trees(model) else _of_trees
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
        **of_kind(model),
    }


def _of_label_trees(model: Any) -> dict[str, Any]:
    from slantwood.cli.fitted import label_tree_settings, label_tree_sizes

    return {**label_tree_sizes(model), "settings": label_tree_settings(model)}


def _of_trees(model: Any) -> dict[str, Any]:
    from slantwood.report.facts import top_features, tree_facts
    from slantwood.report.settings_text import settings_as_json

    size = tree_facts(model)
    return {
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

    task = metadata["task"]
    rows = [
        ("kind", metadata["estimator"]),
        ("task", task),
        ("file", f"{format_bytes(metadata['bytes'])}, format version {metadata['format_version']}"),
        ("features", facts.features_in_words(model)),
        (facts.output_noun(task), facts.outputs_in_words(model)),
        *(_rows_of_label_trees(metadata) if "label_trees" in metadata else _rows_of_trees(model, metadata)),
    ]
    if task in CLASS_TASKS and metadata["targets"]:
        rows.insert(4, ("target", metadata["targets"][0]))
    return rows


def _rows_of_trees(model: Any, metadata: dict[str, Any]) -> list[tuple[str, str]]:
    from slantwood.report.facts import tree_facts
    from slantwood.report.settings_text import describe_settings, describe_splits

    settings, size = metadata["settings"], tree_facts(model)
    return [
        ("trees", size.in_words()),
        ("depth", size.depth_in_words()),
        ("features per split", f"{size.weights_per_split:.1f} on average"),
        ("settings", describe_settings(settings)),
        ("split", "; ".join(describe_splits(settings)) or "None"),
    ]


def _rows_of_label_trees(metadata: dict[str, Any]) -> list[tuple[str, str]]:
    from slantwood.report.settings_text import describe_settings

    n_nodes = pluralize(metadata["nodes"], "node")
    per_classifier = metadata["weights"] / metadata["classifiers"]
    return [
        ("label trees", f"{metadata['label_trees']:,}, with {n_nodes}, up to {metadata['depth']} deep"),
        ("classifiers", f"{metadata['classifiers']:,}, of {per_classifier:.1f} features on average"),
        ("forest", pluralize(metadata["trees"], "tree") if metadata["trees"] else "none"),
        ("settings", describe_settings(metadata["settings"])),
    ]
