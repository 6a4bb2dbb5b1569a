"""Draw how a tree of each split learner divides the same rows of two features.

python examples/boundaries.py            # writes boundaries.png
python examples/boundaries.py FILE.svg   # or another file, in the format that its name says
"""

import argparse

import matplotlib.pyplot as plt
import numpy as np

from slantwood import ObliqueTreeClassifier
from slantwood.split_names import SPLITS
from slantwood.views import plot_boundaries


def slanted_stripes(n_rows=300):
    """Return points of the plane and one of three classes for each: stripes that no axis follows."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (n_rows, 2))
    along = 0.8 * X[:, 0] + X[:, 1]
    y = np.where(along < -0.35, "left", np.where(along - 1.2 * X[:, 0] < 0.35, "middle", "right"))
    return X, y


def main():
    """Fit a tree with each learner and draw them side by side."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("file", nargs="?", default="boundaries.png")
    file = parser.parse_args().file
    X, y = slanted_stripes()
    learners = list(SPLITS)
    n_columns = -(-len(learners) // 2)
    figure, axes = plt.subplots(2, n_columns, figsize=(2.6 * n_columns, 5.6), layout="constrained")
    for ax in axes.flat[len(learners) :]:
        ax.set_axis_off()
    for name, ax in zip(learners, axes.flat, strict=False):
        tree = ObliqueTreeClassifier(split=name, min_samples_split=5, random_state=0).fit(X, y)
        plot_boundaries(tree, X, y, ax=ax)
        ax.set(title=f'"{name}": {tree.get_n_leaves()} leaves', xticks=[], yticks=[])
        print(f"{name:10} {tree.get_n_leaves():3} leaves, accuracy {tree.score(X, y):.3f}")
    figure.savefig(file, dpi=110)
    print(f"drawn to {file}")


if __name__ == "__main__":
    main()
