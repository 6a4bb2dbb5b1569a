"""Claims about `slantwood convert`."""

import numpy as np
import pytest

import slantwood
from slantwood.data.read import read


@pytest.mark.parametrize("end", ["arff", "csv", "tsv.xz", "npz"])
def test_data_are_the_same_in_another_format(run, folder, write_csv, waves, end):
    write_csv("a.csv", waves)
    result = run("convert", "a.csv", f"b.{end}", "--targets", "u,v")
    assert result.stdout == ""
    assert "Read a.csv: 80 rows, 3 features (dense)." in result.stderr
    data = read(f"b.{end}", None if end == "npz" else "u,v")
    np.testing.assert_array_equal(data.X, np.array([waves[name] for name in "abc"], np.float32).T)
    np.testing.assert_array_equal(data.y, np.array([waves[name] for name in "uv"]).T)
    assert data.target_names == ("u", "v")


def test_without_targets_all_columns_keep_their_places(run, folder, write_csv, flowers):
    write_csv("a.csv", flowers)
    run("convert", "a.csv", "b.arff")
    run("convert", "b.arff", "c.csv")
    assert (folder / "c.csv").read_text().splitlines()[0] == "width,height,noise,soil,kind"
    assert read("c.csv", "kind").y.tolist() == flowers["kind"]


def test_formats_can_be_named(run, folder, write_csv, waves):
    write_csv("a.txt", waves)
    run("convert", "a.txt", "b.txt", "--format", "csv", "--to", "tsv", "--drop", "v")
    assert (folder / "b.txt").read_text().splitlines()[0] == "a\tb\tc\tu"


def test_models_become_onnx_or_smaller(run, folder, write_csv, waves):
    write_csv("a.csv", waves)
    run("train", "a.csv", "--targets", "u", "--trees", "5", "--model", "m.slant")
    run("convert", "m.slant", "n.slant", "--float16", "--predict-only")
    assert (folder / "n.slant").stat().st_size < (folder / "m.slant").stat().st_size
    X = np.array([waves[name] for name in "abcv"], np.float32).T
    small, full = (slantwood.load_model(name).predict(X) for name in ("n.slant", "m.slant"))
    np.testing.assert_allclose(small, full, atol=0.05)
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    run("convert", "m.slant", "m.onnx")
    session = runtime.InferenceSession("m.onnx", providers=["CPUExecutionProvider"])
    (numbers,) = session.run(None, {"X": X})
    np.testing.assert_allclose(numbers[:, 0], full, atol=1e-4)


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("m.slant", "m.onnx", "--float16"), "--float16"),
        (("m.slant", "m.onnx", "--targets", "u"), "--targets"),
        (("m.slant", "n.slant", "--to", "csv"), "--to"),
        (("a.csv", "b.arff", "--predict-only"), "--predict-only"),
    ],
)
def test_options_of_the_other_kind_of_file_are_refused(fails, words, option):
    assert f"{option}: it is for" in fails("convert", *words, code=2).replace("'", "")


def test_what_cannot_be_converted_is_told(run, fails, folder, write_csv, waves, flowers):
    write_csv("a.csv", waves)
    run("train", "a.csv", "--targets", "u", "--trees", "2", "--model", "m.slant")
    assert "expected .onnx or .slant" in fails("convert", "m.slant", "m.csv", code=2)
    assert "gone.csv" in fails("convert", "gone.csv", "b.arff")
    write_csv("f.csv", flowers)
    fails("convert", "f.csv", "f.npz")
    assert not (folder / "f.npz").exists()


def test_an_end_that_tells_no_format_is_told_before_anything_is_read(fails):
    assert "--to" in fails("convert", "gone.csv", "b.foo", code=2)


@pytest.mark.parametrize("option", ["--format", "--encoding"])
@pytest.mark.parametrize("command", [("convert", "b.csv"), ("train",)])
def test_a_format_or_encoding_that_is_not_known_is_told_before_anything_is_read(fails, command, option):
    said = fails(command[0], "gone.csv", *command[1:], option, "cvs", code=2)
    assert option in said
    assert "'cvs'" in said


def test_a_model_may_be_called_anything(run, folder, write_csv, waves):
    write_csv("a.csv", waves)
    run("train", "a.csv", "--targets", "u", "--trees", "2", "--model", "saw")
    run("convert", "saw", "m.slant")
    assert (folder / "m.slant").read_bytes() == (folder / "saw").read_bytes()
