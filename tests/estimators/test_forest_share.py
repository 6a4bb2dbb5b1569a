"""Claims about the share of the forest beside linear classifiers: learned where it can be, and kept."""

import io

import numpy as np
import pytest
import scipy.sparse as sp

from slantwood import LabelTreeClassifier, ModelFileError, load_model
from slantwood.estimators.forest_share import SHARES, USUAL_SHARE, best_share
from slantwood.metrics import label_ranking_average_precision
from slantwood.model import container
from tests.estimators.test_label_tree import words_and_labels

FEW_TREES = {"n_forest_trees": 5, "random_state": 0}


def noisy(truth, noise, seed):
    return truth + noise * np.random.default_rng(seed).random(truth.shape)


@pytest.fixture(scope="module")
def truth():
    return (np.random.default_rng(0).random((400, 12)) < 0.2).astype(float)


def test_who_knows_nothing_has_no_share(truth):
    known, guessed = noisy(truth, 0.5, 1), np.random.default_rng(2).random(truth.shape)
    ones, csr = np.ones(len(truth)), sp.csr_array(truth)
    assert best_share(csr, known, 3.0 * guessed, ones) <= 0.2
    assert best_share(csr, 3.0 * guessed, known, ones) == 1.0


def test_the_share_is_nearly_the_best_and_rather_larger_than_smaller(truth):
    first, second = noisy(truth, 2.0, 1), noisy(truth, 2.0, 2)
    csr, ones = sp.csr_array(truth), np.ones(len(truth))
    found = best_share(csr, first, second, ones)
    values = [label_ranking_average_precision(truth, (1 - w) * first + w * second) for w in SHARES]
    assert 0.4 <= found <= 0.8
    assert found >= SHARES[np.argmax(values)]
    assert max(values) - values[list(SHARES).index(found)] < 0.02


def test_rows_of_weight_zero_say_nothing(truth):
    known, guessed = noisy(truth, 0.5, 1), 3.0 * np.random.default_rng(2).random(truth.shape)
    halves = np.arange(len(truth)) < 200
    first, second = (np.where(side[:, None], known, guessed) for side in (halves, ~halves))
    csr = sp.csr_array(truth)
    assert best_share(csr, first, second, halves.astype(float)) <= 0.2
    assert best_share(csr, first, second, (~halves).astype(float)) == 1.0


def test_labels_that_no_line_tells_apart_are_left_to_the_forest():
    # Labels are whether two features have the same sign: nothing to linear classifiers.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 4))
    Y = np.stack([X[:, 0] * X[:, 1] > 0, X[:, 2] * X[:, 3] > 0, X[:, 0] * X[:, 2] > 0], axis=1).astype(int)
    crossed = LabelTreeClassifier(n_forest_trees=20, random_state=0).fit(X, Y)
    lines = LabelTreeClassifier(n_forest_trees=20, random_state=0).fit(*words_and_labels(n=300))
    assert crossed.forest_share_ >= 0.6
    assert lines.forest_share_ <= 0.3


def test_few_rows_have_the_usual_share_and_a_given_one_stays():
    X, Y = words_and_labels(n=60)
    assert LabelTreeClassifier(**FEW_TREES).fit(X, Y).forest_share_ == USUAL_SHARE
    assert LabelTreeClassifier(**FEW_TREES, forest_share=0.7).fit(X, Y).forest_share_ == 0.7
    assert LabelTreeClassifier(n_forest_trees=0).fit(X, Y).forest_share_ == 0.0


def test_threads_do_not_change_the_share_and_files_keep_it():
    X, Y = words_and_labels(n=300)
    models = [LabelTreeClassifier(**FEW_TREES, n_jobs=jobs).fit(X, Y) for jobs in (1, 2)]
    assert models[0].forest_share_ == models[1].forest_share_
    models[0].forest_share_ = 0.9
    file = io.BytesIO()
    models[0].save(file)
    again = load_model(io.BytesIO(file.getvalue()))
    assert again.forest_share_ == 0.9
    np.testing.assert_array_equal(again.predict_proba(X), models[0].predict_proba(X))
    for share in (1.5, "auto", None):
        read = container.read(io.BytesIO(file.getvalue()))
        read.document["fitted"]["forest_share_"] = share
        forged = io.BytesIO()
        container.write(forged, read.document, read.arrays)
        with pytest.raises(ModelFileError, match="forest_share_"):
            load_model(io.BytesIO(forged.getvalue()))


def test_files_of_older_versions_have_the_share_that_was_given():
    X, Y = words_and_labels(n=60)
    model = LabelTreeClassifier(**FEW_TREES, forest_share=0.4).fit(X, Y)
    file = io.BytesIO()
    model.save(file)
    read = container.read(io.BytesIO(file.getvalue()))
    del read.document["fitted"]["forest_share_"]
    older = io.BytesIO()
    container.write(older, read.document, read.arrays)
    again = load_model(io.BytesIO(older.getvalue()))
    assert again.forest_share_ == 0.4
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_another_text_than_auto_is_refused():
    X, Y = words_and_labels(n=60)
    for name in ("forest_share", "n_forest_trees", "forest_min_samples_split"):
        with pytest.raises(ValueError, match=f"{name}='some' must be a number, or 'auto'"):
            LabelTreeClassifier(**{name: "some"}).fit(X, Y)
