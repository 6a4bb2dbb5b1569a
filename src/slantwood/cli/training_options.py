"""The options that say what to learn from and how, which `train` and `cv` share."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

import typer

from slantwood.cli.clus_settings import accept_clus_settings
from slantwood.cli.options import (
    DropText,
    FileForm,
    Jobs,
    Nominal,
    argument,
    count_or_share,
    number,
    option,
)
from slantwood.presets import PRESETS
from slantwood.split_names import SPLITS

AUTO_SPLIT = "auto"


def _after_those_of_files(
    context: typer.Context, option: typer.CallbackParam, pairs: list[str] | None
) -> list[str]:
    """Let pairs on the command line join those of a settings file, not replace all of them."""
    earlier = (context.default_map or {}).get(option.name) or []
    return [*earlier, *(pair for pair in pairs or () if pair not in earlier)]


def _pairs(name: str, help: str) -> typer.models.OptionInfo:
    return typer.Option(name, metavar="NAME=VALUE", callback=_after_those_of_files, help=help)


# What a column of numbers means.
Task = StrEnum("Task", ["classification", "regression"])


# What is learned.
class Kind(StrEnum):
    """Kinds of models."""

    forest = "forest"
    tree = "tree"
    boosting = "boosting"
    label_trees = "label-trees"


# How splits are learned.
Split = StrEnum("Split", {name: name for name in (AUTO_SPLIT, *SPLITS)})  # type: ignore[misc]

# How much time for how much quality.
PresetName = StrEnum("PresetName", {name: name for name in PRESETS})  # type: ignore[misc]

_TARGETS = (
    "What to predict: a name, several with commas, last:6, first:1, columns:5-10,12 (counted from 1), or a "
    "regular expression /^label/."
)
_KIND = "A forest, a single tree, boosted trees, or linear classifiers in label trees for many labels."
_DATA = "A data file, a folder of some, - for stdin (with --format), or the name of a known data set."


@dataclass(frozen=True, kw_only=True)
class TrainingOptions:
    """What to read and how to learn from it."""

    data: Annotated[str | None, argument("DATA", _DATA, callback=accept_clus_settings, is_eager=True)] = None
    targets: Annotated[str | None, option("COLUMNS", _TARGETS)] = None
    task: Annotated[
        Task | None, typer.Option(help="What numbers in a target mean, where it is not recognised.")
    ] = None
    drop: Annotated[str | None, option("COLUMNS", "Columns to leave out, said like targets.")] = None
    nominal: Nominal = None
    form: FileForm
    drop_text: DropText = None
    kind: Annotated[Kind, typer.Option(help=_KIND)] = Kind.forest
    trees: Annotated[
        int | None,
        number(
            "Trees of a forest; rounds of boosting at the most; label trees.",
            show_default="50; of boosting 500; label trees 3",
        ),
    ] = None
    preset: Annotated[PresetName, typer.Option(help="How much time for how much quality.")] = PresetName[
        "default"
    ]
    split: Annotated[Split, typer.Option(help="How splits are learned.")] = Split[AUTO_SPLIT]
    max_depth: Annotated[int | None, number("Most splits from the root to a leaf.")] = None
    min_samples_split: Annotated[
        float | None, count_or_share("Rows that a node needs to be divided: a number or a share.")
    ] = None
    min_samples_leaf: Annotated[
        float | None, count_or_share("Rows that a leaf has at least: a number or a share.")
    ] = None
    max_leaf_nodes: Annotated[int | None, number("Most leaves of a tree; the best splits come first.", 2)] = (
        None
    )
    ftest: Annotated[
        float | None, option("LEVEL", "Make a split only where it is significant, as 0.05, by an F-test.")
    ] = None
    ccp_alpha: Annotated[
        float | None, option("ALPHA", "Prune trees: what a leaf must save of the impurity.")
    ] = None
    max_features: Annotated[
        str | None, option("N", "Features that a split may use: a number, a share, sqrt or log2.")
    ] = None
    max_samples: Annotated[
        float | None, count_or_share("Rows drawn for each tree of a forest: a number or a share.")
    ] = None
    max_memory: Annotated[
        str | None, option("SIZE", "Memory for rows and trees, as 4GB: rows of a forest are read in parts.")
    ] = None
    seed: Annotated[int, number("Seed of all chance.", 0, max=2**32 - 1)] = 0
    jobs: Jobs = None
    parameters: Annotated[
        list[str] | None, _pairs("--set", "Any other parameter of the estimator; may be repeated.")
    ] = None
    split_parameters: Annotated[
        list[str] | None, _pairs("--split-set", "A parameter of the split learner, as C=1; may be repeated.")
    ] = None

    @property
    def path(self) -> str:
        """What to read, which may not be left out."""
        if self.data is None:
            raise typer.BadParameter("give a data file", param_hint="DATA")
        return self.data
