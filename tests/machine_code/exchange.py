"""Models that one kind of machine learned and another reads: predictions agree, and both learn as well.

    python tests/machine_code/exchange.py save FOLDER     learns, and writes models and predictions
    python tests/machine_code/exchange.py check FOLDER    reads them, predicts, learns the same, and compares

`.ci/arm64` runs each on another kind of processor. Models of two machines differ in the last bits, and so may
grow different trees: their quality is compared.
"""

import platform
import sys
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_diabetes, load_digits

from slantwood import (
    LabelTreeClassifier,
    ObliqueBoostingClassifier,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    load_model,
)
from slantwood.split_names import SPLITS, split_class


def problems():
    """Return a model, rows and targets under each name."""
    X, classes = load_digits(return_X_y=True)
    X, classes = X.astype(np.float32), classes.astype(np.int8)
    labels = (classes[:, None] == np.arange(10)).astype(np.int8)
    numbers, progress = load_diabetes(return_X_y=True)
    found = {
        "sparse labels": (LabelTreeClassifier(2, random_state=0), sp.csr_array(X), sp.csr_array(labels)),
        "boosting": (ObliqueBoostingClassifier(10, random_state=0), X, classes),
        "slopes": (ObliqueForestRegressor(10, leaves="linear", random_state=0), numbers, progress),
    }
    for split in SPLITS:
        y = labels if "multi-class" not in split_class(split).tasks else classes
        found[split] = (ObliqueForestClassifier(10, split=split, random_state=0), X, y)
        found[f"{split}, sparse"] = (
            ObliqueForestClassifier(10, split=split, random_state=0),
            sp.csr_array(X),
            y,
        )
    return found


def predicted(model, X):
    """Return probabilities, or numbers, as an array."""
    values = model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)
    return values.toarray() if sp.issparse(values) else np.asarray(values)


def main(action, folder):
    folder.mkdir(exist_ok=True)
    for name, (model, X, y) in problems().items():
        file = folder / name
        fitted = model.fit(X[::2], y[::2])
        own, score = predicted(fitted, X), fitted.score(X[1::2], y[1::2])
        if action == "save":
            fitted.save(file.with_suffix(".slant"))
            np.savez(file.with_suffix(".npz"), predicted=own, score=score)
            continue
        then = np.load(file.with_suffix(".npz"))
        away = np.abs(predicted(load_model(file.with_suffix(".slant")), X) - then["predicted"]).max()
        assert away <= 1e-5 * np.abs(then["predicted"]).max(), f"{name}: predictions differ by {away}"
        assert abs(score - then["score"]) < 0.06, f"{name}: {score} here, {then['score']} there"
        print(
            f"{name:22} read: largest difference {away:.1e}; "
            f"learned here: {score:.3f}, there: {then['score']:.3f}"
        )
    print(f"{action} on {platform.machine()}: {len(problems())} models")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(sys.argv[1], Path(sys.argv[2]))
