"""Claims about `slantwood plan`."""

import json

import numpy as np
import pandas as pd
import pytest

from slantwood.cli.quantities import read_amount, read_bytes, read_count, read_rate


def test_it_prints_a_table_and_what_to_do(run):
    result = run(
        "plan",
        "--rows",
        "1e9",
        "--features",
        "200",
        "--labels",
        "13000",
        "--workers",
        "64",
        "--memory",
        "256GB",
    )
    assert "1,000,000,000 rows, 200 features, 13,000 labels" in result.stdout
    assert "replicate: does not fit: needs" in result.stdout
    assert "Recommended: partition" in result.stdout
    assert "Extrapolated" in result.stdout


def test_json_has_the_same_as_numbers(run):
    result = run("plan", "--rows", "200k", "--features", "50", "--labels", "2", "--json")
    document = json.loads(result.stdout)
    assert document["workload"]["rows"] == 200_000
    assert document["workload"]["task"] == "binary"
    assert {each["way"] for each in document["ways"]} == {"threads", "out of core", "replicate", "partition"}


def test_text_of_words_is_sparse(run):
    given = ("--rows", "1e6", "--features", "2e5", "--labels", "13k", "--nonzeros-per-row", "75")
    document = json.loads(run("plan", *given, "--split", "axis", "--trees", "20", "--json").stdout)
    assert document["workload"]["nonzeros_per_row"] == 75
    assert document["workload"]["n_trees"] == 20


def test_a_probe_says_how_fast_trees_grow_here(run):
    given = ("plan", "--rows", "1e6", "--features", "50", "--labels", "2", "--json")
    slow, fast = (json.loads(run(*given, "--probe", f"20k:{each}").stdout) for each in (8, 2))
    times = [next(way for way in each["ways"] if way["way"] == "threads") for each in (slow, fast)]
    assert times[0]["growing_seconds"] == pytest.approx(4 * times[1]["growing_seconds"])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--rows", "many"), "'--rows': 'many' is no number of 1 or more; write 50000, 5e4"),
        (("--rows", "0"), "'--rows': '0' is no number"),
        (("--rows", "1.5"), "'--rows'"),
        (("--rows", "5GB"), "'--rows'"),
        (("--memory", "16"), "'--memory': '16' is no amount of memory; write a number and a unit: 16GB"),
        (("--bandwidth", "fast"), "'--bandwidth': 'fast' is no bandwidth; write a number and a unit: 1Gbit"),
        (("--bandwidth", "125"), "'--bandwidth': '125' is no bandwidth"),
        (("--bandwidth", "125 MBbit"), "'--bandwidth': '125 MBbit' is no bandwidth"),
        (("--labels-per-row", "-1"), "'--labels-per-row'"),
        (("--split", "gradent"), "--split 'gradent' is none of"),
        (("--task", "ranking"), "--task 'ranking' is none of"),
        (("--labels", "3", "--task", "binary"), "--labels 3 of task 'binary'; give 2"),
        (("--nonzeros-per-row", "51"), "--nonzeros-per-row 51 of 50 features"),
        (("--trees", "none"), "'--trees'"),
        (("--probe", "20k"), "'--probe': '20k' is no probe; write rows and CPU seconds of a tree: 20k:0.42"),
    ],
)
def test_an_error_names_the_option_the_value_and_the_remedy(run, given, said):
    result = run("plan", "--rows", "1000", "--features", "50", *given, code=2)
    assert said in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


@pytest.fixture
def prices(folder):
    """A file and a folder of two files with the same rows."""
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.standard_normal((600, 4)), columns=list("abcd"))
    rows["price"] = rows.a + rows.b
    rows.to_csv("prices.csv", index=False)
    (folder / "prices").mkdir()
    for number in range(2):
        rows[300 * number : 300 * (number + 1)].to_parquet(folder / "prices" / f"{number}.parquet")


@pytest.mark.parametrize("data", ["prices.csv", "prices"])
@pytest.mark.usefixtures("prices")
def test_rows_of_data_are_counted_and_some_trees_timed(run, data):
    given = ("plan", data, "--targets", "price", "--probe-rows", "500", "--trees", "20", "--json")
    given = (*given, "--probe-seconds", "0.05")
    document = json.loads(run(*given).stdout)
    work = document["workload"]
    assert (work["rows"], work["features"], work["task"]) == (600, 4, "regression")
    assert 490 <= work["probe"]["rows"] <= 500
    assert work["probe"]["tree_seconds"] > 0
    document = json.loads(run(*given, "--rows", "1e7", "--workers", "8").stdout)
    assert document["workload"]["rows"] == 10**7


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((), "--rows: give it, or DATA"),
        (("--rows", "1000"), "--features: give it, or DATA"),
        (("--rows", "1000", "--features", "5", "--targets", "price"), "--targets: is said about DATA"),
        (("prices.csv", "--features", "5"), "--features: is counted on the rows of prices.csv; leave it out"),
        (("prices.csv", "--task", "binary"), "--task: 'binary' is said of sizes; DATA has 'classification'"),
        (("prices.csv", "--targets", "price", "--split", "ridge"), "--split 'ridge' is none of 'gradient'"),
        (("prices.csv", "--targets", "prize"), "prize"),
    ],
)
@pytest.mark.usefixtures("prices")
def test_with_data_and_without_what_is_missing_or_too_much_is_named(run, given, said):
    result = run("plan", *given, code=2)
    assert said in result.stderr


@pytest.mark.parametrize(
    ("text", "number"),
    [("1e9", 10**9), ("200k", 200_000), ("1.5M", 1_500_000), ("2G", 2 * 10**9), ("12,000", 12_000), ("7", 7)],
)
def test_counts_are_read_as_people_write_them(text, number):
    assert read_count(text) == number


def test_amounts_memory_and_rates_have_their_units():
    assert read_amount("2.5") == 2.5
    assert read_bytes("16GB") == 16e9
    for rate in ("1Gbit", "1e3 Mbits", "1 gbit/s", "125 MB/s", "125Mbytes", "125e6 B/s"):
        assert read_rate(rate) == 1.25e8


def test_samples_are_a_number_in_any_form_or_a_share(run):
    sizes = ("plan", "--rows", "1e6", "--features", "20", "--json")
    said = [run(*sizes, "--max-samples", text).stdout for text in ("10000", "1e4", "10k", "0.01", "0.5")]
    trees = [json.loads(each)["workload"]["max_samples"] for each in said]
    assert trees == [10_000, 10_000, 10_000, 0.01, 0.5]
    first, second, third, share, larger = (json.loads(each)["ways"][0]["seconds"] for each in said)
    assert first == second == third == share < larger
