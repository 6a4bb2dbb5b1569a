"""The picture of a tree in docs/reading_trees.md: emotions that pieces of music evoke.

`python -m slantwood_bench.scripts.tree_picture docs/tree.svg` draws it; the file's ending says the format.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import matplotlib.pyplot as plt

from slantwood import ObliqueForestClassifier
from slantwood.data import load
from slantwood.explain import distilled_tree
from slantwood.views import plot_tree


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path, help="where to write the picture")
    path = parser.parse_args(arguments).path
    data = load("emotions")
    forest = ObliqueForestClassifier(n_estimators=50, random_state=0)
    forest.fit(data.X, data.y, feature_names=data.feature_names, target_names=data.target_names)
    found = distilled_tree(forest, data.X, max_leaf_nodes=8, split="axis", random_state=0)
    plot_tree(found.tree, X=data.X)
    plt.savefig(path, dpi=90)
    plt.close()


if __name__ == "__main__":
    main()
