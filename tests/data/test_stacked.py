from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from slantwood.data.table import Data, stacked


def part(rows, y, task="binary"):
    return Data(np.full((rows, 2), rows, np.float32), np.array(y), ("a", "b"), ("y",), task=task)


def test_rows_come_under_each_other():
    both = stacked([part(2, ["p", "q"]), part(1, ["q"])])
    assert both.X.tolist() == [[2, 2], [2, 2], [1, 1]]
    assert both.y.tolist() == ["p", "q", "q"]
    assert both.task == "binary"


def test_classes_are_counted_over_all_parts():
    assert stacked([part(2, ["p", "q"]), part(1, ["r"])]).task == "multi-class"
    assert stacked([part(2, ["p", "q"]), part(3, ["p", "q", "r"], "multi-class")]).task == "multi-class"


def test_one_sparse_part_makes_all_sparse():
    dense = part(2, [0, 1])
    sparse = replace(dense, X=sp.csr_array(dense.X))
    X = stacked([dense, sparse]).X
    assert sp.issparse(X)
    assert X.toarray().tolist() == [[2, 2]] * 4


def test_frames_unite_their_categories():
    def frame(texts):
        X = pd.DataFrame({"c": pd.Categorical(texts), "n": np.ones(len(texts), np.float32)})
        return Data(X, np.arange(len(texts)), ("c", "n"), ("y",), task="regression")

    X = stacked([frame(["u", "v"]), frame(["w"])]).X
    assert X["c"].tolist() == ["u", "v", "w"]
    assert isinstance(X["c"].dtype, pd.CategoricalDtype)
    assert X["n"].dtype == np.float32


def test_weights_where_all_parts_have_them():
    weighted = replace(part(2, [0, 1]), weights=np.array([1.0, 2.0]))
    assert stacked([weighted, weighted]).weights.tolist() == [1, 2, 1, 2]
    assert stacked([weighted, part(2, [0, 1])]).weights is None


@pytest.mark.parametrize("change", [{"feature_names": ("a", "c")}, {"target_names": ("z",)}, {"y": None}])
def test_parts_that_do_not_fit(change):
    with pytest.raises(ValueError, match=r"differ in|others have none"):
        stacked([part(2, [0, 1]), replace(part(2, [0, 1]), **change)])


def test_shown_in_a_line():
    assert repr(part(2, [0, 1])) == "<Data: 2 rows, 2 features (dense), binary, targets: 1>"
