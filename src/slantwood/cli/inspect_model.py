"""`slantwood inspect`: what a model file holds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from slantwood.cli.console import format_bytes, print_fields, print_json, print_table
from slantwood.cli.options import Json, ModelFile, number
from slantwood.hints import listed, pluralize
from slantwood.task_names import CLASS_TASKS, NUMBER_TASKS, SEVERAL_TASKS

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
    print_fields(_rows(metadata))
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
    import numpy as np

    from slantwood.cli.describe import settings_as_json
    from slantwood.estimators.names import input_names

    trees = model.trees_
    depths = np.maximum.reduceat(trees.depth, trees.roots)
    n_leaves = int((trees.left < 0).sum())
    importances = model.feature_importances_
    names = input_names(model) or tuple(f"x{j}" for j in range(model.n_features_in_))
    order = np.argsort(-importances, kind="stable")
    return {
        "trees": trees.n_trees,
        **({} if model.forest_.additive is None else {"rounds": model.n_iter_}),
        "nodes": len(trees.left),
        "leaves": n_leaves,
        "depth": {"least": int(depths.min()), "mean": float(depths.mean()), "most": int(depths.max())},
        "weights_per_split": len(trees.weights) / max(len(trees.left) - n_leaves, 1),
        "settings": settings_as_json(model.settings_),
        "importances": {names[j]: float(importances[j]) for j in order if importances[j] > 0},
    }


def _rows(metadata: dict[str, Any]) -> list[tuple[str, str]]:
    task = metadata["task"]
    outputs = (
        "targets"
        if task in (*NUMBER_TASKS, *SEVERAL_TASKS)
        else "classes"
        if task in CLASS_TASKS
        else "labels"
    )
    nominal = f", {metadata['nominal_features']:,} of them nominal" if metadata["nominal_features"] else ""
    rows = [
        ("kind", metadata["estimator"]),
        ("task", task),
        ("file", f"{format_bytes(metadata['bytes'])}, format version {metadata['format_version']}"),
        ("features", f"{metadata['features']:,}{nominal}"),
        (outputs, f"{len(metadata['outputs']):,}: {listed(metadata['outputs'], 8)}"),
        *(_rows_of_label_trees(metadata) if "label_trees" in metadata else _rows_of_trees(metadata)),
    ]
    if task in CLASS_TASKS and metadata["targets"]:
        rows.insert(4, ("target", metadata["targets"][0]))
    return rows


def _rows_of_trees(metadata: dict[str, Any]) -> list[tuple[str, str]]:
    from slantwood.cli.describe import describe_settings, describe_splits

    depth, settings = metadata["depth"], metadata["settings"]
    rounds = f" of {metadata['rounds']:,} rounds" if "rounds" in metadata else ""
    n_trees, n_nodes, n_leaves = (f"{metadata[name]:,}" for name in ("trees", "nodes", "leaves"))
    return [
        ("trees", f"{n_trees}{rounds}, with {n_nodes} nodes, {n_leaves} of them leaves"),
        ("depth", f"{depth['least']} to {depth['most']}, {depth['mean']:.1f} on average"),
        ("features per split", f"{metadata['weights_per_split']:.1f} on average"),
        ("settings", describe_settings(settings)),
        ("split", "; ".join(describe_splits(settings)) or "None"),
    ]


def _rows_of_label_trees(metadata: dict[str, Any]) -> list[tuple[str, str]]:
    from slantwood.cli.describe import describe_settings

    n_nodes = pluralize(metadata["nodes"], "node")
    per_classifier = metadata["weights"] / metadata["classifiers"]
    return [
        ("label trees", f"{metadata['label_trees']:,}, with {n_nodes}, up to {metadata['depth']} deep"),
        ("classifiers", f"{metadata['classifiers']:,}, of {per_classifier:.1f} features on average"),
        ("forest", f"{pluralize(metadata['trees'], 'tree')}" if metadata["trees"] else "none"),
        ("settings", describe_settings(metadata["settings"])),
    ]
