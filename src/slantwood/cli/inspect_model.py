"""`slantwood inspect`: what a model file holds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from slantwood.cli.console import format_bytes, print_fields, print_json, print_table
from slantwood.cli.options import Json, ModelFile, number
from slantwood.hints import listed
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

        typer.echo(export_text(forest, tree, max_depth=depth))
        return
    metadata = _metadata(forest, model)
    if json:
        print_json(metadata)
        return
    print_fields(_rows(metadata))
    if metadata["importances"]:
        typer.echo()
        print_table(["feature", "importance"], list(metadata["importances"].items())[:_MOST_FEATURES])


def _metadata(model: Any, path: Path) -> dict[str, Any]:
    import numpy as np

    from slantwood.cli.describe import settings_as_json
    from slantwood.estimators.names import input_names, output_names
    from slantwood.model.container import format_version

    trees = model.trees_
    depths = np.maximum.reduceat(trees.depth, trees.roots)
    n_leaves = int((trees.left < 0).sum())
    importances = model.feature_importances_
    names = input_names(model) or tuple(f"x{j}" for j in range(model.n_features_in_))
    order = np.argsort(-importances, kind="stable")
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
    from slantwood.cli.describe import describe_settings, describe_splits

    task, depth, settings = metadata["task"], metadata["depth"], metadata["settings"]
    outputs = (
        "targets"
        if task in (*NUMBER_TASKS, *SEVERAL_TASKS)
        else "classes"
        if task in CLASS_TASKS
        else "labels"
    )
    nominal = f", {metadata['nominal_features']:,} of them nominal" if metadata["nominal_features"] else ""
    rounds = f" of {metadata['rounds']:,} rounds" if "rounds" in metadata else ""
    n_trees, n_nodes, n_leaves = (f"{metadata[name]:,}" for name in ("trees", "nodes", "leaves"))
    rows = [
        ("kind", metadata["estimator"]),
        ("task", task),
        ("file", f"{format_bytes(metadata['bytes'])}, format version {metadata['format_version']}"),
        ("features", f"{metadata['features']:,}{nominal}"),
        (outputs, f"{len(metadata['outputs']):,}: {listed(metadata['outputs'], 8)}"),
        ("trees", f"{n_trees}{rounds}, with {n_nodes} nodes, {n_leaves} of them leaves"),
        ("depth", f"{depth['least']} to {depth['most']}, {depth['mean']:.1f} on average"),
        ("features per split", f"{metadata['weights_per_split']:.1f} on average"),
        ("settings", describe_settings(settings)),
        ("split", "; ".join(describe_splits(settings)) or "None"),
    ]
    if task in CLASS_TASKS and metadata["targets"]:
        rows.insert(4, ("target", metadata["targets"][0]))
    return rows
