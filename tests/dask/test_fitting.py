"""Forests that a cluster fits: the same as local ones, or of shares that agree on what X and y are."""

import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import CancelledError

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification, make_regression

from slantwood import ObliqueForestRegressor
from slantwood.callbacks import Callback
from slantwood.dask import DaskObliqueForestClassifier, DaskObliqueForestRegressor, growing, shares
from slantwood.ensemble.fitting import prepared
from slantwood.estimators.parts import shares as module_of_shares
from slantwood.threads import thread_count
from slantwood.workers import shared as module_of_shared
from tests.dask.conftest import connected
from tests.dask.problems import PROBLEMS, blocks, classes, frame, numbers, same_trees, sparse_labels
from tests.dask_workers import wait_for_replacement

# ---- each worker holds all rows


@pytest.mark.parametrize("name", PROBLEMS)
def test_where_each_worker_holds_all_rows_the_forest_is_that_of_one_machine(client, name):
    problem = PROBLEMS[name]()
    forest = problem.on_cluster().fit(problem.dask_X, problem.dask_y)
    assert same_trees(forest, problem.local().fit(problem.X, problem.y))


@pytest.mark.thorough
def test_the_forest_does_not_depend_on_the_number_of_workers(other_client):
    problem = numbers()
    forest = problem.on_cluster(client=other_client).fit(problem.dask_X, problem.dask_y)
    assert same_trees(forest, problem.local().fit(problem.X, problem.y))


def test_rows_of_this_process_are_taken_too(client):
    problem = classes()
    forest = problem.on_cluster().fit(problem.X, problem.y)
    assert same_trees(forest, problem.local().fit(problem.X, problem.y))


def test_row_weights_and_what_is_learned_out_of_bag_are_those_of_one_machine(client):
    problem, weights = classes(), np.random.default_rng(0).uniform(0.1, 3.0, 240)
    given = {"bootstrap": True, "oob_score": True, "n_estimators": 40}
    forest = problem.on_cluster().set_params(**given).fit(problem.dask_X, problem.dask_y, blocks(weights))
    local = problem.local().set_params(**given).fit(problem.X, problem.y, weights)
    assert same_trees(forest, local)
    assert forest.oob_score_ == local.oob_score_
    np.testing.assert_array_equal(forest.oob_decision_function_, local.oob_decision_function_)


def test_trees_are_added_to_those_of_before(client):
    problem = numbers()
    forest = problem.on_cluster(warm_start=True).set_params(n_estimators=3)
    forest.fit(problem.dask_X, problem.dask_y).set_params(n_estimators=8).fit(problem.dask_X, problem.dask_y)
    assert same_trees(forest, problem.local().fit(problem.X, problem.y))
    with pytest.warns(UserWarning, match="there are as many trees already") as said:
        forest.fit(problem.dask_X, problem.dask_y)
    assert said[0].filename == __file__
    assert same_trees(forest, problem.local().fit(problem.X, problem.y))
    with pytest.raises(ValueError, match="n_estimators=7 is less than the 8 trees"):
        forest.set_params(n_estimators=7).fit(problem.dask_X, problem.dask_y)


def test_settings_are_chosen_on_all_threads_of_a_worker(monkeypatch):
    def counted(data, spec):
        counts.append(thread_count(spec.n_jobs))
        return prepared(data, spec)

    problem, counts = classes(), []
    for module in (shares, module_of_shares):
        monkeypatch.setattr(module, "prepared", counted)
    with connected(1, set_as_default=False, threads_per_worker=2, processes=False) as client:
        forest = problem.on_cluster(client=client)
        of_all_rows = forest.fit(problem.dask_X, problem.dask_y).forest_
        forest.set_params(mode="partition").fit(problem.dask_X, problem.dask_y)
        forest.set_params(mode="replicate", n_jobs=1).fit(problem.dask_X, problem.dask_y)
        forest.set_params(n_jobs=None).fit(problem.X, problem.y)
    assert counts == [2, 2, 1, 1]  # the last reads rows of this process, in this process
    forest.forest_ = of_all_rows
    assert same_trees(forest, problem.local().fit(problem.X, problem.y))


def test_rows_reach_each_worker_once(client):
    client.run(count_arrivals)
    problem = classes()
    problem.on_cluster().set_params(n_estimators=20).fit(problem.dask_X, problem.dask_y)
    # One of the workers makes the plan, and it never leaves the process.
    assert sorted(client.run(n_arrivals).values()) == [0, 1]


def count_arrivals():
    """Make a worker count how often rows come to it."""
    arrived, put_right = [], module_of_shared.Shared.__setstate__
    module_of_shared.Shared.__setstate__ = lambda self, state: arrived.append(1) or put_right(self, state)
    module_of_shared.arrived = arrived


def n_arrivals():
    return len(module_of_shared.arrived)


# ---- each worker holds a share


@pytest.mark.parametrize("name", PROBLEMS)
def test_shares_agree_on_what_X_and_y_are(client, name):
    problem = PROBLEMS[name]()
    forest = problem.on_cluster(**problem.in_halves).fit(problem.dask_X, problem.dask_y)
    local = problem.local().fit(problem.X, problem.y)
    assert forest.encoding_.categories == local.encoding_.categories
    assert forest.n_features_in_ == local.n_features_in_
    assert vars(forest).get("target_names_") == vars(local).get("target_names_")
    np.testing.assert_array_equal(vars(forest).get("classes_"), vars(local).get("classes_"))
    assert len(forest) == len(local)
    if problem.is_number:
        for bound in ("low", "high"):
            np.testing.assert_array_equal(getattr(forest.targets_, bound), getattr(local.targets_, bound))
        np.testing.assert_allclose(forest.targets_.scale, local.targets_.scale)  # all rows were seen


def test_a_share_is_a_part_of_the_rows_where_memory_is_short(client):
    problem = numbers()
    whole = problem.on_cluster(mode="partition").fit(problem.dask_X, problem.dask_y)
    shared = problem.on_cluster(**problem.in_halves).fit(problem.dask_X, problem.dask_y)
    assert set(whole.trees_.node_weight[whole.trees_.roots]) == {240.0}
    roots = shared.trees_.node_weight[shared.trees_.roots]
    assert (roots[::2] + roots[1::2] == 240.0).all()
    assert ((roots > 80) & (roots < 160)).all()


def test_rows_sorted_by_target_are_shared_out_at_random(client):
    X, y = make_regression(2000, 6, noise=5.0, random_state=0)
    order = np.argsort(y)
    X_blocks, y_blocks = (da.from_array(each[order], chunks=250) for each in (X, y))
    forest = DaskObliqueForestRegressor(30, random_state=0, mode="partition", max_memory=320_000)
    unseen, of_unseen = make_regression(2000, 6, noise=5.0, random_state=0)
    local = ObliqueForestRegressor(30, random_state=0).fit(X[::2], y[::2])
    forest.fit(X_blocks, y_blocks)
    assert set(np.round(forest.trees_.node_weight[forest.trees_.roots], -2)) == {1000.0}
    assert forest.score(unseen, of_unseen) > local.score(unseen, of_unseen) - 0.02


def test_label_sets_of_which_some_occur_in_one_part_only(client):
    X = np.arange(200.0)[:, None]
    sets = pd.Series([("sea",) if i < 190 else ("sea", "sun") for i in range(200)])
    with dask.config.set({"dataframe.convert-string": False}):  # dask would make texts of tuples
        y = dd.from_pandas(sets, npartitions=4, sort=False)
        X = dd.from_pandas(pd.DataFrame(X, columns=["x"]), npartitions=4, sort=False)
        forest = DaskObliqueForestClassifier(6, random_state=0, mode="partition").fit(X, y)
    assert forest.classes_.tolist() == ["sea", "sun"]


def test_what_many_parts_show_is_merged_by_workers(client, monkeypatch):
    problem = frame()
    few = problem.on_cluster(**problem.in_halves).fit(problem.dask_X, problem.dask_y)
    monkeypatch.setattr(shares, "_MOST_GLIMPSES", 2)
    forest = problem.on_cluster(**problem.in_halves).fit(problem.dask_X, problem.dask_y)
    assert same_trees(forest, few)  # so few rows are all kept
    assert forest.encoding_.categories == (("ash", "elm", "oak", "yew"),)


def test_too_little_memory_for_the_shares_is_said(client):
    problem = classes()
    forest = problem.on_cluster(mode="partition", max_memory=100)
    with pytest.raises(MemoryError, match=r"each of the 2 workers takes about .* add workers"):
        forest.fit(problem.dask_X, problem.dask_y)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"oob_score": True, "bootstrap": True}, "oob_score=True needs all rows"),
        ({"warm_start": True}, "warm_start"),
    ],
)
def test_what_needs_all_rows_in_one_place_is_refused(client, given, message):
    problem = classes()
    with pytest.raises(ValueError, match=message):
        problem.on_cluster(mode="partition", **given).fit(problem.dask_X, problem.dask_y)


# ---- input


def test_parts_of_different_lengths_are_refused(client):
    X, y = np.zeros((100, 3)), np.arange(100) % 2
    forest = DaskObliqueForestClassifier(2)
    with pytest.raises(ValueError, match="X has 2 parts, and y or sample_weight has 4"):
        forest.fit(da.from_array(X, chunks=50), da.from_array(y, chunks=25))
    with pytest.raises(ValueError, match=r"part \d of X has 50 rows, and that of y has [46]0"):
        forest.fit(da.from_array(X, chunks=50), da.from_array(y, chunks=(60,)))
    with pytest.raises(TypeError, match="X is a dask collection, and beside it is 'ndarray'"):
        forest.fit(da.from_array(X, chunks=50), y)
    with pytest.raises(TypeError, match="y or sample_weight is a dask collection, and X is 'ndarray'"):
        forest.fit(X, da.from_array(y, chunks=50))


@pytest.mark.parametrize("mode", ["replicate", "partition"])
def test_nothing_of_an_earlier_fit_is_left(client, mode):
    named, plain = frame(), numbers()
    forest = named.on_cluster(bootstrap=True, oob_score=True).set_params(n_estimators=40)
    forest.fit(named.dask_X, named.dask_y, feature_names=["a", "b", "c"])
    assert {"feature_names_in_", "input_names_", "target_names_", "oob_score_"} <= set(vars(forest))
    classes_of = plain.y[:, 0] > 0
    forest.set_params(mode=mode, oob_score=False).fit(plain.dask_X, blocks(classes_of))
    fresh = clone(forest).fit(plain.dask_X, blocks(classes_of))
    assert set(vars(forest)) == set(vars(fresh))
    assert same_trees(forest, fresh)
    np.testing.assert_array_equal(forest.predict(plain.X), fresh.predict(plain.X))


@pytest.mark.parametrize("mode", ["replicate", "partition"])
def test_parts_without_rows_and_workers_without_parts_are_no_matter(client, mode):
    problem = frame()
    X, y = problem.dask_X, problem.dask_y
    few = X[X["tree"] != "oak"], y[X["tree"] != "oak"]
    rows = (problem.X["tree"] != "oak").to_numpy()
    forest = problem.on_cluster(mode=mode).fit(*few)
    assert forest.score(problem.X[rows], problem.y[rows]) > 0.9
    one = problem.on_cluster(mode=mode).fit(X.partitions[[0]], y.partitions[[0]])
    assert len(one) == 8


def test_a_wrong_mode_and_clustering_columns_are_refused(client):
    problem = classes()
    with pytest.raises(ValueError, match="mode='both'"):
        problem.on_cluster(mode="both").fit(problem.dask_X, problem.dask_y)
    with pytest.raises(TypeError, match="clustering is ndarray; on a cluster it is given by name"):
        problem.on_cluster().fit(problem.dask_X, problem.dask_y, clustering=np.zeros((240, 1)))


@pytest.mark.parametrize("mode", ["replicate", "partition"])
@pytest.mark.parametrize("given", [{"n_estimators": 0}, {"preset": "acurate"}])
def test_wrong_parameters_are_refused_as_by_local_forests(client, mode, given):
    problem = classes()
    local, forest = problem.local(), problem.on_cluster(mode=mode)
    with pytest.raises(ValueError, match=next(iter(given))) as said:
        local.set_params(**given).fit(problem.X, problem.y)
    with pytest.raises(ValueError, match=re.escape(str(said.value))):
        forest.set_params(**given).fit(problem.dask_X, problem.dask_y)


@pytest.mark.parametrize("mode", ["replicate", "partition"])
def test_targets_that_are_left_out_are_asked_for(client, mode):
    problem = classes()
    for X in (problem.X, problem.dask_X):
        with pytest.raises(ValueError, match="fit requires y to be passed, but the target y is None"):
            problem.on_cluster(mode=mode).fit(X, None)


@pytest.mark.parametrize("mode", ["replicate", "partition"])
def test_a_common_factor_of_all_weights_changes_no_tree(client, mode):
    problem = classes()
    forest = problem.on_cluster(mode=mode)
    for X, y in ((problem.X, problem.y), (problem.dask_X, problem.dask_y)):
        plain, heavy = (forest.fit(X, y, weight).to_local() for weight in (None, 1024.0))
        assert same_trees(plain, heavy)
    unequal = np.where(np.arange(240) < 100, 0.125, 3.0)  # the mean of a part is not that of all
    one, other = (
        forest.fit(problem.dask_X, problem.dask_y, blocks(factor * unequal)).to_local()
        for factor in (1.0, 2.0**-10)
    )
    assert same_trees(one, other)


# ---- faults


class After(Callback):
    """Do something once some trees are there, and stop if it says so."""

    def __init__(self, numbers, act):
        self.numbers, self.act = numbers, act

    def on_fit_task_end(self, estimator, context):
        return context.task_name == "tree" and context.task_id + 1 in self.numbers and self.act()


@pytest.mark.skipif(sys.platform != "linux", reason="signals of Linux")
@pytest.mark.parametrize(
    ("shares", "n_trees", "after"),
    [
        (True, 60, (20,)),
        pytest.param(False, 200, (20, 80, 140), marks=pytest.mark.thorough),
        pytest.param(True, 200, (20, 80, 140), marks=pytest.mark.thorough),
    ],
)
def test_workers_that_are_killed_cost_no_tree(client, shares, n_trees, after):
    def kill_one():
        client.wait_for_workers(1)
        victim = max(client.run(os.getpid, on_error="ignore").values())  # one may just have been killed
        os.kill(victim, signal.SIGKILL)
        killed.append(victim)

    problem, killed = sparse_labels(), []
    given = {"n_estimators": n_trees, "min_samples_split": 10} | (problem.in_halves if shares else {})
    undisturbed = problem.on_cluster().set_params(**given).fit(problem.dask_X, problem.dask_y)
    forest = problem.on_cluster().set_params(**given).set_callbacks(After(after, kill_one))
    forest.fit(problem.dask_X, problem.dask_y)
    assert len(killed) == len(after)
    assert same_trees(forest, undisturbed)
    wait_for_replacement(client, *killed)


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform != "linux", reason="signals of Linux")
@pytest.mark.parametrize("which", [min, max])
@pytest.mark.parametrize("shares", [False, True])
def test_rows_of_this_process_are_not_lost_with_a_worker(client, shares, which):
    def kill_one():
        time.sleep(5.0)  # Dask takes back copies that it thinks nobody needs every two seconds
        processes = client.run(os.getpid)
        killed.append(processes[which(processes)])
        os.kill(killed[-1], signal.SIGKILL)

    problem, killed = classes(), []
    given = {"n_estimators": 100} | (problem.in_halves if shares else {})
    undisturbed = problem.on_cluster().set_params(**given).fit(problem.X, problem.y)
    forest = problem.on_cluster().set_params(**given).set_callbacks(After((20,), kill_one))
    assert same_trees(forest.fit(problem.X, problem.y), undisturbed)
    wait_for_replacement(client, *killed)
    assert_nothing_is_held(client)


@pytest.mark.parametrize("shares", [pytest.param(False, marks=pytest.mark.thorough), True])
@pytest.mark.parametrize(("losses", "is_enough"), [({1, 9, 10}, False), ({5, 6, 7, 8}, True)])
def test_rows_of_this_process_are_sent_again_but_not_for_ever(client, monkeypatch, shares, losses, is_enough):
    def next_or_lost(*given, **options):
        asked.append(1)
        if len(asked) in losses:
            raise (CancelledError, OSError)[len(asked) % 2]  # lost, or on its way to a worker that is gone
        return next_tree(*given, **options)

    problem, asked, next_tree = classes(), [], growing._next
    given = {"n_estimators": 30} | (problem.in_halves if shares else {})
    undisturbed = problem.on_cluster().set_params(**given).fit(problem.X, problem.y)
    monkeypatch.setattr(growing, "_next", next_or_lost)
    forest = problem.on_cluster().set_params(**given)
    if is_enough:
        with pytest.raises(ConnectionError, match="one worker after the other"):
            forest.fit(problem.X, problem.y)
    else:
        assert same_trees(forest.fit(problem.X, problem.y), undisturbed)
        assert len(asked) == 30 + len(losses)
    assert_nothing_is_held(client)


def test_a_client_that_is_not_the_current_one_is_used(client):
    # In a process of its own, where no client is current.
    script = """
from distributed import Client
from tests.dask.problems import classes
problem = classes()
with Client({address!r}, set_as_default=False) as client:
    for given in ({{}}, problem.in_halves):
        assert len(problem.on_cluster(client=client, **given).fit(problem.dask_X, problem.dask_y)) == 8
"""
    script = script.format(address=client.scheduler.address)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_trees_that_are_long_on_their_way_are_waited_for(client, monkeypatch):
    monkeypatch.setattr(growing, "_SECONDS_BETWEEN_LOOKS", 1e-4)  # sooner than any can arrive
    problem = classes()
    forest = problem.on_cluster().fit(problem.dask_X, problem.dask_y)
    assert same_trees(forest, problem.local().fit(problem.X, problem.y))


def test_a_callback_ends_the_fit_and_nothing_is_left_behind(client):
    problem = classes()
    forest = problem.on_cluster().set_params(n_estimators=100)
    forest.set_callbacks(After((3,), lambda: True)).fit(problem.dask_X, problem.dask_y)
    assert len(forest) == 3
    assert_nothing_is_held(client)


def test_a_fit_that_fails_leaves_the_earlier_model_and_no_task(client):
    problem = classes()
    forest = problem.on_cluster().fit(problem.dask_X, problem.dask_y)
    earlier = forest.forest_

    def fail():
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        forest.set_callbacks(After((2,), fail)).fit(problem.dask_X, problem.dask_y)
    assert forest.forest_ is earlier
    assert_nothing_is_held(client)


def test_a_lost_connection_is_said_and_another_client_takes_over(client):
    from distributed import Client

    problem = classes()
    with Client(client.scheduler.address, set_as_default=False) as other:
        forest = problem.on_cluster(client=other).set_params(n_estimators=50)
        forest.set_callbacks(After((3,), other.close))
        with pytest.raises(ConnectionError, match="connection to the scheduler was lost"):
            forest.fit(problem.dask_X, problem.dask_y)
    assert not hasattr(forest, "forest_")
    forest.set_callbacks().set_params(client=client).fit(problem.dask_X, problem.dask_y)
    assert len(forest) == 50


def test_errors_of_workers_are_those_of_local_fits_and_leave_no_rows_behind(client):
    X, y = make_classification(60, 5, random_state=0)
    X[3, 2] = np.inf
    forest = DaskObliqueForestClassifier(2)
    for mode in ("replicate", "partition"):
        with pytest.raises(ValueError, match="infinity"):
            forest.set_params(mode=mode).fit(da.from_array(X, chunks=30), da.from_array(y, chunks=30))
        assert_nothing_is_held(client)


def assert_nothing_is_held(client):
    """Wait until no worker has a result or a task."""
    for _ in range(100):
        held = sum(map(len, client.has_what().values()))
        if not held and not any(client.processing().values()):
            return
        time.sleep(0.1)
    raise AssertionError(f"left behind: {client.has_what()}, {client.processing()}")
