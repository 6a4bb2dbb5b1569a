"""Trees that Spark grows: the same forest, and rows that each process reads once; the script of Spark."""

import os
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_classification, make_multilabel_classification

from slantwood import ObliqueForestClassifier
from slantwood.callbacks import Callback
from slantwood.workers.backends import has_workers
from slantwood.workers.shared import Shared

N_TREES = 12
SCRIPT = Path(__file__).parents[2] / "examples" / "spark.py"

# Spark warns of pandas 3, and its backend of joblib of what Spark on one machine cannot do.
pytestmark = [
    pytest.mark.thorough,
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java"),
]


@pytest.fixture(scope="module")
def spark():
    """Start Spark on this machine, with two processes that may fail three times; return its context."""
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore")
        sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed (extra `spark`)")
        backend = pytest.importorskip("joblibspark", reason="joblibspark is not installed (extra `spark`)")
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        builder = sql.SparkSession.builder.master("local[2,4]").config("spark.ui.enabled", "false")
        session = builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
        backend.register_spark()
        yield session.sparkContext
        session.stop()


def problems():
    X_labels, Y = make_multilabel_classification(200, 30, n_classes=8, random_state=0)
    return {
        "classes": make_classification(300, 20, random_state=0),
        "sparse labels": (sp.csr_array(X_labels), sp.csr_array(Y)),
    }


def fitted(problem, *callbacks):
    forest = ObliqueForestClassifier(N_TREES, min_samples_split=5, random_state=0)
    return forest.set_callbacks(*callbacks).fit(*problems()[problem])


def assert_same_trees(one, other):
    parts = zip(
        (*one.trees_[:-1], *one.trees_.leaves), (*other.trees_[:-1], *other.trees_.leaves), strict=True
    )
    assert all(np.array_equal(a, b) for a, b in parts)


@pytest.mark.parametrize(("problem", "n_jobs"), [("classes", None), ("sparse labels", 5)])
def test_spark_grows_the_forest_that_threads_grow(spark, problem, n_jobs, monkeypatch):
    sent = []
    monkeypatch.setattr(Shared, "__getstate__", lambda self: sent.append(1) or dict(vars(self)))
    with joblib.parallel_config("spark", n_jobs=n_jobs):
        assert has_workers()
        by_spark = fitted(problem)
    assert sent == [1]
    assert_same_trees(by_spark, fitted(problem))


def test_each_process_reads_the_rows_once(spark):
    from slantwood.workers.spark_tasks import done_by_spark

    def seen(shared, number):
        return number, os.getpid(), id(shared)

    found = list(done_by_spark(seen, {"values": np.zeros(100_000)}, range(40), None))
    assert [number for number, _, _ in found] == list(range(40))
    pids = {pid for _, pid, _ in found}
    assert os.getpid() not in pids
    assert len({(pid, place) for _, pid, place in found}) == len(pids) < 10


def test_a_process_that_dies_costs_no_tree(spark, tmp_path):
    from slantwood.workers.spark_tasks import done_by_spark

    def work(folder, number):
        if number == 3 and not (folder / "died").exists():
            (folder / "died").touch()
            os._exit(1)
        return number

    assert list(done_by_spark(work, tmp_path, range(8), None)) == list(range(8))
    assert (tmp_path / "died").exists()


class Stop(Callback):
    """End the fit after three trees."""

    def on_fit_task_end(self, estimator, context):
        return context.task_name == "tree" and context.task_id + 1 == 3


def test_a_callback_ends_the_fit_and_leaves_no_task_behind(spark):
    with joblib.parallel_config("spark"):
        forest = fitted("classes", Stop())
    assert len(forest) == 3
    assert_same_trees(forest, fitted("classes", Stop()))
    assert not spark.statusTracker().getActiveJobsIds()


def test_the_example_predicts_a_data_frame_as_this_process_does(spark, tmp_path):
    environment = os.environ | {"PYSPARK_PYTHON": sys.executable, "PYTHONPATH": os.pathsep.join(sys.path)}
    result = subprocess.run(
        [sys.executable, SCRIPT, "--trees", "8"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment,
    )
    assert result.returncode == 0, result.stderr[-3000:]
    found = re.fullmatch(
        r"8 trees, grown by local\[2\]\n284 rows predicted, 284 as in this process\naccuracy ([\d.]+)\n",
        result.stdout,
    )
    assert found, result.stdout
    assert float(found[1]) > 0.9
