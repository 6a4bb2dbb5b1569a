"""Feature rankings side by side: what share of the scores features of noise get.

`python -m slantwood_bench.scripts.rankings`. Each data set has as many features of noise as real ones, as in
the study's noise experiment; forests are bagged trees with one split after the other.
"""

import argparse
from collections.abc import Sequence

from slantwood.explain import RANKING_METHODS
from slantwood_bench.methods import method_class
from slantwood_bench.noise import with_noise
from slantwood_bench.noise_experiment import noise_by_ranking
from slantwood_bench.scripts.data import read
from slantwood_bench.scripts.report import print_environment, print_head, print_row

NAMES = ("sk_diabetes", "breast_cancer", "digits", "rf1", "scene")
METHODS = ("bag-gradient", "bag-svm", "bag-pct")


def compared(name: str, method: str, n_trees: int, jobs: int) -> list[str]:
    """Return the share of noise in the scores of each ranking."""
    problem = read(name)
    noisy = problem._replace(X=with_noise(problem.X, 0))
    fitted = method_class(method)(n_trees, 0, jobs)
    fitted.fit(noisy)
    shares = noise_by_ranking(fitted.model, noisy.X, noisy.y, problem.X.shape[1], 0)
    return ["" if share is None else f"{share:.3f}" for share in shares.values()]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--methods", nargs="*", default=METHODS)
    parser.add_argument("--trees", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(arguments)
    print_environment(trees=options.trees, jobs=options.jobs)
    print_head(["data", "forest", *RANKING_METHODS])
    for name in options.names:
        for method in options.methods:
            print_row([name, method, *compared(name, method, options.trees, options.jobs)])


if __name__ == "__main__":
    main()
