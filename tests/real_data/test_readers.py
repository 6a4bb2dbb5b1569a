"""Real ARFF files, which other libraries read to the same inputs and targets."""

import io
import lzma

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.io import arff as scipy_arff

from slantwood.data import read, read_labels, write
from slantwood_bench.scripts.data import available, data_folder

pytestmark = [
    pytest.mark.real_data,
    pytest.mark.skipif(
        not available(), reason="the folder of real data sets is absent; set SLANTWOOD_DATA to its path"
    ),
]

# Where a file lies, and how many of its last attributes are targets.
DENSE = {
    "bin/arrhythmia/arrhythmia": 1,
    "bin/credit-approval/credit-approval": 1,
    "mcc/balance-scale/balance-scale": 1,
    "mlc/birds/birds.train": 19,
    "mlc/CAL500/CAL500": 174,
    "mlc/emotions/emotions": 6,
    "mlc/flags/flags": 7,
    "mlc/genbase/genbase": 27,
    "mtr/jura/jura": 3,
    "mtr/rf1/rf1": 8,
    "mtr/scpf/scpf": 3,
    "mtr/sf1/sf1": 3,
    "str/ailerons/ailerons": 1,
    "str/cholesterol/cholesterol": 1,
}
SPARSE = {"mlc/corel5k/corel5k": 374, "mlc/enron/enron": 53}
MULTI_LABEL = {file: n for file, n in (DENSE | SPARSE).items() if file.startswith("mlc/")}
GAPS = {"arrhythmia", "cholesterol", "credit-approval", "rf1", "scpf"}


def path_of(file):
    return data_folder() / f"{file}.arff.xz"


def text_of(file):
    return lzma.decompress(path_of(file).read_bytes()).decode()


def inputs_as_numbers(data):
    """Return inputs with the positions of nominal values among those that the file declares."""
    if not hasattr(data.X, "columns"):
        return data.X.toarray() if sp.issparse(data.X) else data.X
    columns = [
        column.cat.codes.where(column.notna(), np.nan) if hasattr(column, "cat") else column
        for _, column in data.X.items()
    ]
    return np.column_stack(columns).astype(np.float32)


def targets_as_numbers(data, values):
    """Return targets as a matrix; classes as positions among the values that the file declares."""
    y = data.y.toarray() if sp.issparse(data.y) else data.y
    if y.dtype.kind in "UO":
        y = np.array([list(values).index(each) for each in y])
    return y.reshape(len(y), -1)


def assert_same(data, names, matrix, values):
    """Compare with all columns of another reader; `values` are those of the last attribute."""
    width = len(data.feature_names)
    # The others leave escapes as they are and SciPy, for some types, quotes.
    assert [*data.feature_names, *data.target_names] == [
        name.strip("'").replace("\\'", "'") for name in names
    ]
    np.testing.assert_array_equal(matrix[:, :width].astype(np.float32), inputs_as_numbers(data))
    np.testing.assert_array_equal(matrix[:, width:], targets_as_numbers(data, values))


@pytest.mark.parametrize("file", DENSE)
def test_scipy_and_liac_arff_find_the_same_in_dense_files(liac, file):
    text, data = text_of(file), read(path_of(file), f"last:{DENSE[file]}")
    assert np.isnan(inputs_as_numbers(data)).any() == (file.split("/")[-1] in GAPS)

    content = liac.loads(text, encode_nominal=True)
    names = [name for name, _ in content["attributes"]]
    matrix = np.array(content["data"], dtype=object).astype(np.float64)
    assert_same(data, names, matrix, content["attributes"][-1][1])

    rows, meta = scipy_arff.loadarff(io.StringIO(text))
    columns = []
    for name, kind in zip(meta.names(), meta.types(), strict=True):
        if kind == "numeric":
            columns.append(rows[name])
        else:
            code = {value.encode(): i for i, value in enumerate(meta[name][1])} | {b"?": np.nan}
            columns.append([code[value] for value in rows[name]])
    assert_same(data, meta.names(), np.column_stack(columns), meta[meta.names()[-1]][1])


@pytest.mark.parametrize("file", SPARSE)
def test_liac_arff_finds_the_same_in_sparse_files(liac, file):
    data = read(path_of(file), f"last:{SPARSE[file]}")
    content = liac.loads(text_of(file), encode_nominal=True, return_type=liac.LOD)
    matrix = np.zeros((len(content["data"]), len(content["attributes"])))
    for row, cells in zip(matrix, content["data"], strict=True):
        row[list(cells)] = list(cells.values())
    assert_same(data, [name for name, _ in content["attributes"]], matrix, ("0", "1"))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("file", MULTI_LABEL)
def test_scikit_multilearn_finds_the_same_labels(load_from_arff, tmp_path, file):
    plain = tmp_path / "plain.arff"
    plain.write_text(text_of(file))
    X, y, inputs, labels = load_from_arff(
        str(plain), MULTI_LABEL[file], load_sparse=file in SPARSE, return_attribute_definitions=True
    )
    # The XML beside the compressed file tells which attributes are labels.
    data = read(path_of(file))
    names = [name for name, _ in [*inputs, *labels]]
    assert_same(data, names, np.hstack([X.toarray(), y.toarray()]), ("0", "1"))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("file", MULTI_LABEL)
def test_the_labels_are_those_of_the_list_beside(file):
    folder = path_of(file).parent
    labels = read_labels(next(folder.glob("*.xml.xz")))
    assert labels.hierarchy is None
    assert set(read(path_of(file)).target_names) == set(labels.names)
    assert len(labels.names) == MULTI_LABEL[file]


@pytest.mark.parametrize(
    "file", ["mlc/birds/birds.train", "mlc/enron/enron", "mtr/rf1/rf1", "str/cholesterol/cholesterol"]
)
def test_real_data_read_back_as_they_were_written(tmp_path, file):
    data = read(path_of(file), f"last:{(DENSE | SPARSE)[file]}")
    write(data, tmp_path / "again.arff.xz")
    again = read(tmp_path / "again.arff.xz")
    assert (again.feature_names, again.target_names) == (data.feature_names, data.target_names)
    assert again.task == data.task
    np.testing.assert_array_equal(inputs_as_numbers(again), inputs_as_numbers(data))
    np.testing.assert_array_equal(targets_as_numbers(again, ()), targets_as_numbers(data, ()))
