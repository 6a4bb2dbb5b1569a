"""Claims about the benchmark of label trees at scale, on a small part."""

from slantwood_bench.scripts import scale


def test_what_is_planted_is_found_and_all_costs_are_told():
    found = scale.measured("Amazon-670K", 0.001, trees=1, forest_trees=0, jobs=1)
    assert (found["rows"], found["labels"]) == (490, 670)
    assert found["P@1"] > 0.2
    assert min(found[key] for key in ("input", "fit", "predict", "file")) > 0
