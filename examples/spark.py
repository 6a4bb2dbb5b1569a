"""Grow a forest on the workers of Spark, and predict the rows of a Spark data frame with it.

pip install 'slantwood[spark]'                    # Spark also needs Java
python examples/spark.py                          # on two processors of this machine
spark-submit --master yarn examples/spark.py      # on a cluster that has slantwood installed
"""

import argparse
import tempfile
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
from joblibspark import register_spark
from pyspark import SparkFiles
from pyspark.sql import SparkSession
from sklearn.datasets import load_breast_cancer

from slantwood import ObliqueForestClassifier, load_model


def predicted(tables):
    """Predict table after table of rows; a task reads the model once."""
    model = load_model(SparkFiles.get("forest.slant"))
    for table in tables:
        probability = model.predict_proba(table.drop(columns="row"))[:, 1]
        yield pd.DataFrame({"row": table["row"], "probability": probability.astype(np.float64)})


def main():
    """Fit on even rows, predict the odd ones where they are, and compare with this process."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--trees", type=int, default=50)
    n_trees = parser.parse_args().trees
    session = SparkSession.builder.appName("slantwood")
    session = session.config("spark.master", session_master()).getOrCreate()
    register_spark()
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    forest = ObliqueForestClassifier(n_trees, random_state=0)
    with joblib.parallel_config("spark"):
        forest.fit(X[::2], y[::2])
    print(f"{len(forest)} trees, grown by {session.sparkContext.master}")
    rows = session.createDataFrame(X[1::2].assign(row=X.index[1::2]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "forest.slant"
        forest.save(path, predict_only=True)
        session.sparkContext.addFile(str(path))  # which executors fetch when they need it
        found = rows.mapInPandas(predicted, "row long, probability double").collect()
    found = {each.row: each.probability for each in found}
    here = dict(zip(X.index[1::2], forest.predict_proba(X[1::2])[:, 1], strict=True))
    print(f"{len(found)} rows predicted, {sum(found[row] == here[row] for row in here)} as in this process")
    print(f"accuracy {np.mean([(found[row] > 0.5) == y[row] for row in here]):.3f}")
    session.stop()


def session_master():
    """Return where Spark runs: as `spark-submit` says, or two processors of this machine."""
    from pyspark import SparkConf

    return SparkConf().get("spark.master", "local[2]")


if __name__ == "__main__":
    main()
