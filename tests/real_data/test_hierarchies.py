"""Real tasks of hierarchical multi-label classification, from their CLUS files."""

import io
import lzma
import re

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from slantwood import ObliqueForestClassifier
from slantwood.data import datasets, read_clus, read_hierarchy
from slantwood.task_names import HIERARCHICAL
from slantwood_bench.problems import load_parts
from slantwood_bench.scripts.data import available, data_folder
from slantwood_bench.scripts.hierarchies import PUBLISHED, judged
from slantwood_bench.usage import usage_of

pytestmark = [
    pytest.mark.real_data,
    pytest.mark.skipif(
        not available(), reason="the folder of real data sets is absent; set SLANTWOOD_DATA to its path"
    ),
]

# Rows over all parts, inputs, labels, as counted when the sets were collected.
SIZES = {
    "enron": (1648, 1001, 56),
    "imclef07a": (11006, 80, 96),
    "imclef07d": (11006, 80, 46),
    "reuters_rebuilt": (6000, 47236, 101),
    "yeast_GO": (3465, 5930, 132),
    "yeast_cellcycle_FUN": (3757, 77, 499),
    "yeast_cellcycle_GO": (3751, 77, 4125),
    "yeast_church_FUN": (3755, 27, 499),
    "yeast_derisi_FUN": (3725, 63, 499),
    "yeast_derisi_GO": (3719, 63, 4119),
    "yeast_expr_FUN": (3779, 551, 499),
    "yeast_gasch1_FUN": (3764, 173, 499),
    "yeast_gasch1_GO": (3758, 173, 4125),
    "yeast_pheno_FUN": (1592, 69, 250),
    "yeast_pheno_FUN_v2007": (1591, 69, 455),
    "yeast_pheno_GO": (1586, 69, 3127),
    "yeast_seq_FUN": (3932, 478, 250),
    "yeast_seq_FUN_v2007": (3919, 478, 499),
    "yeast_seq_GO": (3900, 478, 4133),
    "yeast_spo_FUN": (3703, 80, 499),
    "yeast_spo_GO": (3697, 80, 4119),
    "yeast_struc_FUN": (3851, 19628, 250),
    "yeast_struc_FUN_v2007": (3838, 19628, 499),
}


def test_no_set_is_left_out():
    there = {each.name for each in datasets(data_folder()) if each.paths and each.task == HIERARCHICAL}
    assert set(SIZES) == there


def paths_of(name):
    return sorted((data_folder() / "hmlc" / name).glob("*.arff.xz"))


def rows_of(path):
    """Return the text below @data."""
    return re.split(r"(?im)^@data\s*?\n", lzma.decompress(path.read_bytes()).decode())[1]


def n_labels(cells):
    """Count the labels of rows together with their ancestors."""
    above = ({path[:i] for path in cell.split("@") for i in ends(path)} for cell in cells)
    return sum(map(len, above))


def ends(path):
    """Return where the parts of a path end."""
    return [match.end() for match in re.finditer("[^/]+", path)]


# test_registry.py loads all sets, each as one: here are a tree, a graph and one that is mostly zeros.
FEW = ("enron", "yeast_cellcycle_FUN", "yeast_pheno_GO", "yeast_pheno_FUN_v2007")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.thorough] * (name not in FEW)) for name in SIZES]
)
def test_every_set_reads_to_its_known_size(name):
    paths = paths_of(name)
    assert len(paths) in (2, 3)
    parts = [read_clus(path) for path in paths]
    n, d, t = SIZES[name]
    assert sum(part.X.shape[0] for part in parts) == n
    for part in parts:
        assert part.X.shape[1] == len(part.feature_names) == len(set(part.feature_names)) == d
        assert part.y.shape == (part.X.shape[0], t)
        assert part.y.dtype == np.int8
        assert part.y.sum(axis=1).min() >= 1
        assert part.feature_names == parts[0].feature_names
        assert set(part.hierarchy.nodes) == set(parts[0].hierarchy.nodes)
        assert set(part.hierarchy.edges) == set(parts[0].hierarchy.edges)
        assert part.keys is None or len(set(part.keys)) == len(part.keys) == part.X.shape[0]


def test_the_graph_of_the_gene_ontology_is_read_from_a_header():
    hierarchy = read_hierarchy(paths_of("yeast_GO")[0])
    assert not hierarchy.is_tree
    # 163 links are listed, one of them from the artificial root.
    assert len(hierarchy.edges) + len(hierarchy.roots) == 163


@pytest.mark.parametrize("name", ["yeast_expr_FUN", "yeast_church_FUN", "yeast_cellcycle_FUN"])
def test_every_missing_cell_of_the_text_is_missing(name):
    for path in paths_of(name):
        n_marks = len(re.findall(r"(?m)(?:^|,)\?(?=,|$)", rows_of(path)))
        assert n_marks > 0
        assert np.asarray(pd.isna(read_clus(path).X)).sum() == n_marks


def test_every_pair_of_the_text_is_stored():
    for path in paths_of("reuters_rebuilt"):
        rows, part = rows_of(path), read_clus(path)
        assert sp.issparse(part.X)
        # A row lists its class after its numbers.
        assert part.X.nnz == rows.count(",")
        assert part.y.nnz == n_labels(re.findall(r" ([^ ]*)\}", rows))


def test_cells_are_those_that_another_reader_finds():
    path = next(path for path in paths_of("yeast_seq_FUN") if ".test." in path.name)
    part = read_clus(path)
    cells = pd.read_csv(
        io.StringIO(rows_of(path)), header=None, dtype=str, na_values="?", keep_default_na=False
    )
    assert part.keys.tolist() == cells.pop(cells.columns[-1]).tolist()
    classes = cells.pop(cells.columns[-1])
    assert part.y.sum() == n_labels(classes.str.replace(r"(/0)+(?=@|$)", "", regex=True))
    n_nominal = 0
    for name, expected in zip(part.feature_names, cells, strict=True):
        found = part.X[name]
        if isinstance(found.dtype, pd.CategoricalDtype):
            n_nominal += 1
            assert found.isna().equals(cells[expected].isna())
            assert found.dropna().tolist() == cells[expected].dropna().tolist()
        else:
            np.testing.assert_array_equal(found, cells[expected].astype(np.float32))
    assert n_nominal == 5


def test_a_forest_predicts_gene_functions_better_than_published_methods():
    train, test = load_parts("yeast_cellcycle_FUN")
    forest = ObliqueForestClassifier(hierarchy=train.hierarchy, n_jobs=2, random_state=0)
    area, area_in_clus, _ = judged(forest.fit(train.X, train.y), test)
    assert area > max(PUBLISHED["yeast_cellcycle_FUN"])
    assert forest.score(test.X, test.y) == pytest.approx(area_in_clus)


@pytest.mark.parametrize(
    "parameters",
    [
        # Nothing is left to be searched for; too few trees to compare.
        {"n_estimators": 5, "split": "axis", "min_samples_split": 100},
        pytest.param({}, marks=pytest.mark.thorough),
    ],
    ids=["few trees", "defaults"],
)
def test_four_thousand_labels_of_a_graph_take_little_memory(parameters):
    train, test = load_parts("yeast_gasch1_GO")
    forest = ObliqueForestClassifier(hierarchy=train.hierarchy, n_jobs=2, random_state=0, **parameters)
    usage = usage_of(lambda: forest.fit(train.X, train.y))
    assert usage.peak < 3000
    assert parameters or judged(forest, test)[0] > max(PUBLISHED["yeast_gasch1_GO"])
    scores = forest.predict_proba(test.X)
    nodes = train.hierarchy.nodes
    parents, children = np.array([[nodes.index(a), nodes.index(b)] for a, b in train.hierarchy.edges]).T
    assert (scores[:, parents] >= scores[:, children]).all()
