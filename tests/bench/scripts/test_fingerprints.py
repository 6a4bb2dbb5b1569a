"""Claims about the script that tells whether a change leaves models as they were."""

from dataclasses import replace

import pytest

from slantwood_bench.scripts import fingerprints


@pytest.fixture
def two_fits(monkeypatch):
    names = ("binary, dense", "tree of numbers")
    monkeypatch.setattr(fingerprints, "FITS", {name: fingerprints.FITS[name] for name in names})


def test_equal_models_pass_and_others_are_named(two_fits, monkeypatch, tmp_path, capsys):
    fingerprints.main([])
    before = tmp_path / "before.txt"
    before.write_text(capsys.readouterr().out)
    fingerprints.main(["--compare", str(before)])
    assert "All 2 models are what they were" in capsys.readouterr().out
    other = fingerprints.FITS["binary, dense"]
    monkeypatch.setitem(fingerprints.FITS, "tree of numbers", other)
    with pytest.raises(SystemExit, match="1 of 2 models are not what they were: tree of numbers"):
        fingerprints.main(["--compare", str(before)])


def test_a_fingerprint_sees_one_weight():
    model, X = fingerprints.FITS["tree of numbers"]()
    before = fingerprints.fingerprint(model, X)
    assert fingerprints.fingerprint(model, X) == before
    weights = model.trees_.weights.copy()
    weights[0] *= 1.0000002
    model.forest_ = replace(model.forest_, trees=model.trees_._replace(weights=weights))
    assert fingerprints.fingerprint(model, X) != before
