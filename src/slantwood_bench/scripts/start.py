"""How long a new process takes to its first result, and where its machine code came from.

`python -m slantwood_bench.scripts.start [--repeats 5]`

For every split learner, dense and sparse, a new process imports slantwood, fits a small forest and fits it
again. Beside the CPU seconds of `import sklearn.ensemble` alone stand those of import and first fit, what the
first fit takes longer than the second, and a hash of the trees, which is the same wherever the code came
from.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from slantwood_bench.scripts.report import print_environment, print_head, print_row

_IMPORT = "import sklearn.ensemble, time; print(time.process_time())"
_FIT = """
import hashlib, json, sys, time
import numpy as np, scipy.sparse as sp
from slantwood import ObliqueForestClassifier

split, container = sys.argv[1:]
X = np.random.default_rng(0).normal(size=(200, 8)).astype(np.float32)
X = np.where(np.abs(X) > 1.5, X, 0.0) if container == "sparse" else X
y = (X[:, :3] > 0).astype(int) if split == "ndcg" else (X[:, :3].sum(axis=1) > 0).astype(int)
X = sp.csr_array(X) if container == "sparse" else X
seconds = []
for _ in range(2):
    started = time.process_time()
    forest = ObliqueForestClassifier(n_estimators=5, split=split, random_state=0, n_jobs=1).fit(X, y)
    forest.predict_proba(X)
    seconds.append(time.process_time() - started)
    total = time.process_time() if len(seconds) == 1 else total
trees = forest.trees_
digest = hashlib.sha256(trees.weights.tobytes() + trees.bias.tobytes()).hexdigest()[:12]
found = {"total": total, "first": seconds[0], "second": seconds[1]}
print(json.dumps(found | {"hash": digest, "numba": "numba" in sys.modules}))
"""


def _run(code: str, *words: str) -> Any:
    command = [sys.executable, "-c", code, *words]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a row for each learner and container."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5, help="processes of which the fastest counts")
    parser.add_argument(
        "--splits", default="gradient,svm,axis,ridge,cart-lc,oc1,wodt,ndcg", help="split learners"
    )
    options = parser.parse_args(arguments)
    print_environment(repeats=options.repeats)
    alone = min(_run(_IMPORT) for _ in range(options.repeats))
    print(f"import sklearn.ensemble: {alone:.2f} s of CPU time\n")
    print_head(
        [
            "split",
            "container",
            "import and first fit, above that",
            "first fit - second",
            "trees",
            "Numba loaded",
        ]
    )
    for split in options.splits.split(","):
        for container in ("dense", "sparse"):
            runs = [_run(_FIT, split, container) for _ in range(options.repeats)]
            above = min(run["total"] for run in runs) - alone
            wait = min(run["first"] - run["second"] for run in runs)
            print_row(
                [split, container, f"{above:.2f}", f"{wait:.2f}", runs[0]["hash"], str(runs[0]["numba"])]
            )


if __name__ == "__main__":
    main()
