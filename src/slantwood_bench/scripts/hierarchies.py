"""Label hierarchies: pooled AUPRC on the given test rows, beside published values for the same files.

`python -m slantwood_bench.scripts.hierarchies [NAME ...]`. Forests of 100 trees, with default settings
otherwise, learn from the training and validation rows. The published values, of the neural network C-HMCNN
and of ensembles of CLUS, are those of E. Giunchiglia and T. Lukasiewicz, "Coherent hierarchical multi-label
classification networks", NeurIPS 2020. As there, the area is the step-wise one ("average precision"), and the
three roots of the Gene Ontology, which every gene has, are left out. Beside it stand the area as CLUS defines
it, over all labels and with interpolation, and the weighted LRAP.

`--choice` adds what was chosen with the first seed, and what choosing cost: its CPU seconds, by those of the
same fit where the settings are given.
"""

import argparse
import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

from slantwood import GradientSplit, ObliqueForestClassifier
from slantwood.metrics import pooled_auprc
from slantwood_bench.measures import quality
from slantwood_bench.problems import Problem, load_parts
from slantwood_bench.scripts.report import print_environment, print_head, print_row
from slantwood_bench.usage import usage_of

# C-HMCNN, CLUS ensembles.
PUBLISHED = {
    "yeast_cellcycle_FUN": (0.255, 0.227),
    "yeast_derisi_FUN": (0.195, 0.187),
    "yeast_expr_FUN": (0.302, 0.271),
    "yeast_gasch1_FUN": (0.286, 0.267),
    "yeast_seq_FUN_v2007": (0.292, 0.284),
    "yeast_spo_FUN": (0.215, 0.211),
    "yeast_cellcycle_GO": (0.413, 0.387),
    "yeast_derisi_GO": (0.370, 0.361),
    "yeast_gasch1_GO": (0.436, 0.415),
    "yeast_seq_GO": (0.446, 0.438),
    "yeast_spo_GO": (0.382, 0.371),
    "enron": (0.756, 0.696),
    "imclef07a": (0.956, 0.803),
    "imclef07d": (0.927, 0.881),
}
_ONTOLOGY_ROOTS = {"GO0003674", "GO0005575", "GO0008150"}


def judged(forest: Any, test: Problem) -> tuple[float, float, float]:
    """Step-wise area without the ontology's roots, area as in CLUS, and weighted LRAP, on the test rows."""
    assert test.hierarchy is not None
    scores = forest.predict_proba(test.X)
    kept = [label not in _ONTOLOGY_ROOTS for label in test.hierarchy.nodes]
    return (
        pooled_auprc(test.y[:, kept], scores[:, kept], interpolation="step"),
        pooled_auprc(test.y, scores),
        quality(test.task, test.y, scores, test.hierarchy),
    )


def cpu_seconds(forest: Any, train: Problem) -> float:
    """CPU seconds of a fit."""
    start = time.process_time()
    forest.fit(train.X, train.y)
    return time.process_time() - start


def choice(forest: Any, train: Problem) -> list[str]:
    """C and `min_samples_split` that a fit chooses, and its cost by that of a fit to which they are given."""
    seconds = cpu_seconds(forest, train)
    chosen = {"split": forest.settings_.split, "min_samples_split": forest.settings_.min_samples_split}
    given = cpu_seconds(clone(forest).set_params(**chosen), train)
    return [f"{chosen['split'].C:g}", f"{chosen['min_samples_split']}", f"{seconds / given - 1.0:.2f}"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(PUBLISHED))
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--untuned", action="store_true", help="the middle of the road, whatever the noise")
    parser.add_argument("--choice", action="store_true", help="show what is chosen and what choosing costs")
    options = parser.parse_args(arguments)
    print_environment(**{k: v for k, v in vars(options).items() if k != "names"})
    how = {"n_estimators": options.trees, "n_jobs": options.jobs}
    if options.untuned:
        split = GradientSplit(C=10.0, max_iter=20, learning_rate=0.1, target_power=0.75)
        how |= {"split": split, "min_samples_split": 10}
    head = ["data", "labels", "slantwood", "s.d.", "C-HMCNN", "CLUS", "as in CLUS", "LRAP", "seconds", "GB"]
    print_head([*head, "C", "min_samples_split", "choice / fit"] if options.choice else head)
    for name in options.names:
        train, test = load_parts(name)
        results, seconds, peaks = [], [], []
        for seed in range(options.seeds):
            forest = ObliqueForestClassifier(hierarchy=train.hierarchy, random_state=seed, **how)
            usage = usage_of(partial(forest.fit, train.X, train.y))
            results.append(judged(forest, test))
            seconds.append(usage.seconds)
            peaks.append(usage.peak / 1000)
        area, area_in_clus, lrap = np.mean(results, axis=0)
        spread = np.std(results, axis=0, ddof=1)[0] if options.seeds > 1 else np.nan
        published = [f"{value:.3f}" for value in PUBLISHED.get(name, (np.nan, np.nan))]
        shown = [f"{value:.3f}" for value in (area_in_clus, lrap)]
        shown += [f"{np.mean(seconds):.1f}", f"{np.max(peaks):.2f}"]
        if options.choice:
            shown += choice(ObliqueForestClassifier(hierarchy=train.hierarchy, random_state=0, **how), train)
        print_row([name, train.n_targets, float(area), float(spread), *published, *shown])


if __name__ == "__main__":
    main()
