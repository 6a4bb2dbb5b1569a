"""A gene's functions explained: what the features of one test row add to its most probable labels.

`python -m slantwood_bench.scripts.explained_gene docs/gene.png`. A forest of 50 trees learns the functions of
yeast genes (FunCat) from their activity through the cell cycle. Of the genes that it did not see, the one is
explained of which it is surest of a function below the first level; beside the picture stand its nearest
training genes.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from slantwood import ObliqueForestClassifier
from slantwood.data import load
from slantwood.explain import contributions, neighbours
from slantwood.views import plot_contributions
from slantwood_bench.problems import load_parts
from slantwood_bench.scripts.report import print_environment

NAME = "yeast_cellcycle_FUN"

# Labels that the picture has.
N_LABELS = 5


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw, and print what stands beside the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path, help="where to write the picture")
    parser.add_argument("--trees", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(arguments)
    print_environment(trees=options.trees)
    train, test = load_parts(NAME)
    assert train.hierarchy is not None
    labels = np.array(train.hierarchy.nodes)
    forest = ObliqueForestClassifier(
        n_estimators=options.trees, hierarchy=train.hierarchy, n_jobs=options.jobs, random_state=0
    )
    forest.fit(train.X, train.y, feature_names=load(NAME, part="test").feature_names)
    scores = forest.predict_proba(test.X)
    gene = int(np.argmax(np.where(train.hierarchy.depth > 0, scores, 0.0).max(axis=1)))
    row = test.X[[gene]]
    best = np.argsort(-scores[gene], kind="stable")[:N_LABELS]
    truth = test.y[[gene]]
    truth = labels[np.flatnonzero((truth.toarray() if hasattr(truth, "toarray") else truth)[0])]
    print(f"gene {gene} of the test rows has {', '.join(truth)}")
    print("predicted: " + ", ".join(f"{labels[j]} {scores[gene, j]:.2f}" for j in best))
    print(neighbours(forest, row, train.X, train.y, k=5).to_frame().to_string(index=False))
    found = contributions(forest, row, targets=best)
    figure, axes = plt.subplots(figsize=(7.5, 5), layout="constrained")
    plot_contributions(found, targets=list(range(len(best))), top=12, ax=axes)
    axes.set_title(f"{NAME}: one gene", fontsize="medium")
    figure.savefig(options.path, dpi=80)
    plt.close(figure)


if __name__ == "__main__":
    main()
