"""Tables of the study say what slow, obvious loops over made-up rows say."""

import csv
import math
from dataclasses import replace
from pathlib import Path
from statistics import fmean, geometric_mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slantwood.data.registry.listing import Listing, dataset
from slantwood_bench import tables
from slantwood_bench.problems import PaperSet
from slantwood_bench.tables import Description, Table
from slantwood_bench.tables.large_sets import PUBLISHED

BINARY, LABELS = "binary", "multi-label"
KNOWN = {
    "one": Description("method one", "ensemble"),
    "two": Description("method two", "other"),
    "three": Description("method three", "ensemble", (BINARY,)),
    "stump": Description("a stump", "tree"),
    "bag-gradient": Description("bagging, gradient", "ensemble"),
    "bag-svm": Description("bagging, SVM", "ensemble"),
    "bag-pct": Description("bagging, PCT", "ensemble"),
    "fastxml": Description("FastXML", "ensemble"),
    "lightgbm": Description("LightGBM", "other"),
    "tree-gradient": Description("tree, gradient", "tree"),
    "tree-svm": Description("tree, SVM", "tree"),
}


def row(method="one", dataset="diabetes", fold=0, quality=0.5, **others):
    """One row of results, finished unless it says otherwise."""
    of_set = {"diabetes": BINARY, "spambase": BINARY, "musk": BINARY, "emotions": LABELS, "scene": LABELS}
    made = {
        "experiment": "comparison",
        "task": of_set.get(dataset, LABELS),
        "dataset": dataset,
        "mark": "",
        "remark": "",
        "method": method,
        "fold": fold,
        "n_folds": 2,
        "n_trees": 50,
        "seed": 0,
        "threads": 1,
        "changes": {},
        "status": "ok",
        "error": "",
        "measure": "F1",
        "quality": quality,
        "learn_seconds": 1.0,
        "predict_seconds": 0.5,
        "peak_megabytes": 100.0,
        "nodes": 10,
        "bytes": 1000,
        "seconds": 2.0,
        "versions": {"slantwood": "0.1.0"},
    } | others
    return made if made["status"] == "ok" else made | dict.fromkeys(_MEASURED, None)


_MEASURED = ("quality", "learn_seconds", "predict_seconds", "peak_megabytes", "nodes", "bytes")


def unfinished(method, dataset="diabetes", fold=0, status="timed out", **others):
    return row(method, dataset, fold, status=status, error="no time left", **others)


def cells(table):
    """The table by the text in its first column and its heading."""
    return {line[0]: dict(zip(table.headings, line, strict=True)) for line in table.rows}


# Rows of up to three methods on up to three sets and folds; not every pair is tried, and not all finish.
tried = st.dictionaries(
    st.tuples(
        st.sampled_from(["one", "two", "three"]),
        st.sampled_from(["diabetes", "musk", "spambase"]),
        st.integers(0, 2),
    ),
    st.one_of(
        st.sampled_from(["timed out", "failed", "died"]),
        st.integers(-4, 4).map(lambda number: number / 4),
    ),
    min_size=1,
).map(
    lambda found: [
        row(*key, value) if isinstance(value, float) else unfinished(*key, value)
        for key, value in found.items()
    ]
)


class TestQuality:
    @given(tried)
    def test_is_the_mean_over_folds_or_says_why_not(self, rows):
        table = tables.quality(rows, BINARY, known=KNOWN)
        methods = [name for name in KNOWN if any(each["method"] == name for each in rows)]
        assert table.headings == ("data set", *(KNOWN[name].title for name in methods))
        names = sorted({each["dataset"] for each in rows})
        assert [line[0] for line in table.rows] == names
        for name, line in zip(names, table.rows, strict=True):
            folds = {each["fold"] for each in rows if each["dataset"] == name}
            for method, cell in zip(methods, line[1:], strict=True):
                own = [each for each in rows if each["dataset"] == name and each["method"] == method]
                statuses = {each["status"] for each in own} - {"ok"}
                if not own:
                    assert cell is None
                elif statuses:
                    assert cell in statuses
                elif len(own) < len(folds):
                    assert cell == f"{len(own)} of {len(folds)} folds"
                else:
                    assert cell == pytest.approx(fmean(each["quality"] for each in own))

    @given(tried)
    def test_best_are_the_largest_of_each_line(self, rows):
        table = tables.quality(rows, BINARY, known=KNOWN)
        for number, line in enumerate(table.rows):
            numbers = [cell for cell in line if isinstance(cell, float)]
            expected = {i for i, cell in enumerate(line) if numbers and cell == max(numbers)}
            assert {column for at, column in table.best if at == number} == expected

    def test_does_not_depend_on_the_order_of_rows(self):
        rows = [
            row(method, name, fold, fold / 3)
            for method in ("one", "two")
            for name in ("musk", "diabetes")
            for fold in (0, 1)
        ]
        assert tables.quality(rows, BINARY, known=KNOWN) == tables.quality(rows[::-1], BINARY, known=KNOWN)

    def test_absent_sets_are_lines_of_their_own(self):
        rows = [row("one"), row("two")]
        table = tables.quality(rows, BINARY, {BINARY: ["banknote", "diabetes"], LABELS: ["flags"]}, KNOWN)
        assert table.rows == (("banknote", "absent", "absent"), ("diabetes", 0.5, 0.5))

    def test_methods_that_are_not_for_the_task_are_no_columns(self):
        rows = [row("one", "emotions"), unfinished("three", "emotions")]
        assert tables.quality(rows, LABELS, known=KNOWN).headings == ("data set", "method one")

    def test_single_trees_can_be_had_apart(self):
        rows = [row("one", quality=0.9), row("stump", quality=0.4), row("tree-gradient", quality=0.6)]
        every, trees, others = (
            tables.quality(rows, BINARY, known=KNOWN, trees=trees) for trees in (None, True, False)
        )
        assert every.rows == (("diabetes", 0.9, 0.4, 0.6),)
        assert trees.rows == (("diabetes", 0.4, 0.6),)
        assert trees.best == {(0, 2)}
        assert others.rows == (("diabetes", 0.9),)
        assert trees.name != others.name

    def test_other_tasks_and_experiments_do_not_count(self):
        rows = [row("one"), row("two", "emotions"), row("two", experiment="times")]
        assert tables.quality(rows, BINARY, known=KNOWN).rows == (("diabetes", 0.5),)

    def test_a_row_that_ended_early_has_the_task_of_its_data_set(self):
        ended = unfinished("two")
        del ended["task"], ended["measure"], ended["quality"]
        assert tables.quality([row("one"), ended], BINARY, known=KNOWN).rows == (
            ("diabetes", 0.5, "timed out"),
        )

    def test_marks_stand_on_the_name_and_below(self):
        rows = [row("one", mark="partial", remark="Half of it."), row("one", "musk")]
        table = tables.quality(rows, BINARY, known=KNOWN)
        assert [line[0] for line in table.rows] == ["diabetes†", "musk"]
        assert "diabetes†: partial; Half of it." in table.notes
        assert not any("musk" in note for note in table.notes)

    def test_a_quality_that_is_no_number_is_none(self):
        rows = [row("one", quality=math.nan), row("two", quality=None)]
        assert tables.quality(rows, BINARY, known=KNOWN).rows == (("diabetes", "no value", "no value"),)

    def test_methods_of_the_study_have_the_titles_of_their_classes(self):
        headings = tables.quality([row("rf-pct"), row("bag-gradient"), row("unheard-of")], BINARY).headings
        assert headings == ("data set", "default forest, gradient", "random forest, PCT", "unheard-of")


class TestRanking:
    @given(tried)
    def test_counts_sets_that_all_tried(self, rows):
        found = tables.ranking(rows, BINARY, known=KNOWN)
        grid = cells(tables.quality(rows, BINARY, known=KNOWN))
        titles = [
            description.title
            for description in KNOWN.values()
            if any(isinstance(line.get(description.title), float) for line in grid.values())
        ]
        counted = {}
        for name, line in grid.items():
            values = [line[title] for title in titles]
            if any(value is None or "folds" in str(value) for value in values):
                continue
            numbers = [value if isinstance(value, float) else -math.inf for value in values]
            if max(numbers, default=-math.inf) > -math.inf:
                counted[name] = [_rank(numbers, value) for value in numbers]
        assert found.n_sets == len(counted)
        assert set(found.sets_left_out) == set(grid) - set(counted)
        if len(titles) < 2 or not counted:
            assert found.ranks == {}
        else:
            expected = dict(zip(titles, map(fmean, zip(*counted.values(), strict=True)), strict=True))
            assert {KNOWN[name].title: rank for name, rank in found.ranks.items()} == pytest.approx(expected)

    def test_what_finished_nowhere_is_left_out_and_what_failed_once_is_last(self):
        rows = [row("one", quality=0.4), unfinished("two"), unfinished("three")]
        rows += [
            row("one", "musk", quality=0.1),
            row("two", "musk", quality=0.3),
            unfinished("three", "musk"),
        ]
        found = tables.ranking(rows, BINARY, known=KNOWN)
        assert found.ranks == {"one": 1.5, "two": 1.5}
        assert found.places == {"one": 1, "two": 1}
        assert found.methods_left_out == ("three",)

    def test_trees_are_ranked_apart(self):
        rows = [row(method) for method in ("one", "two", "stump", "tree-gradient")]
        assert set(tables.ranking(rows, BINARY, known=KNOWN).ranks) == {"one", "two"}
        assert set(tables.ranking(rows, BINARY, trees=True, known=KNOWN).ranks) == {"stump", "tree-gradient"}

    def test_over_all_tasks_only_who_takes_part_in_all(self):
        rows = [row("one", quality=0.9), row("two", quality=0.8), row("three", quality=1.0)]
        rows += [row("one", "emotions", quality=0.1), row("two", "emotions", quality=0.8)]
        found = tables.ranking(rows, known=KNOWN)
        assert found.ranks == {"one": 1.5, "two": 1.5}
        assert found.n_sets == 2

    def test_the_table_has_a_column_for_each_task(self):
        rows = [row("one", quality=0.9), row("two", quality=0.8), row("three", quality=1.0)]
        rows += [row("one", "emotions", quality=0.9), row("two", "emotions", quality=0.8)]
        table = tables.average_ranks(rows, known=KNOWN)
        assert table.headings == ("method", BINARY, LABELS, tables.ALL_TASKS)
        assert table.rows == (
            ("method one", 2.0, 1.0, 1.0),
            ("method two", 3.0, 2.0, 2.0),
            ("method three", 1.0, None, None),
        )
        assert table.best == {(2, 1), (0, 2), (0, 3)}

    def test_without_rows_there_are_no_ranks(self):
        assert tables.average_ranks([], known=KNOWN).rows == ()
        assert tables.standing([], known=KNOWN).rows == ()


def _rank(values, own):
    """Rank of a value, 1 for the largest; equal ones share the mean."""
    above, equal = sum(value > own for value in values), sum(value == own for value in values)
    return above + (equal + 1) / 2


class TestStanding:
    forest, tree = "default forest: bagging, gradient", "default tree: tree, gradient"

    @pytest.mark.parametrize(
        ("ours", "own", "best"),
        [
            (0.9, "first of 3", "first"),
            (0.7, "second of 3, behind method one", "second, behind method one"),
            (
                0.5,
                "place 3 of 3, behind method one; method two",
                "neither first nor second: the best of ours is at place 3, behind method one; method two",
            ),
        ],
    )
    def test_says_plainly_who_is_ahead(self, ours, own, best):
        rows = [row("two", quality=0.6), row("one", quality=0.8), row("bag-gradient", quality=ours)]
        table = tables.standing(rows, known=KNOWN)
        place = 1 + sum(other > ours for other in (0.8, 0.6))
        assert table.rows == ((BINARY, own, best, 1, 3, place),)
        assert table.headings[1] == self.forest
        assert table.best == ({(0, 5)} if place == 1 else set())

    def test_the_best_of_the_defaults_does_not_speak_for_the_default_forest(self):
        rows = [row("one", quality=0.8), row("bag-svm", quality=0.9), row("bag-gradient", quality=0.1)]
        (line,) = tables.standing(rows, known=KNOWN).rows
        assert line == (BINARY, "place 3 of 3, behind bagging, SVM; method one", "first", 1, 3, 3, 1)

    def test_a_shared_place_is_said_to_be_shared(self):
        rows = [row("one", quality=0.8), row("bag-svm", quality=0.8), row("bag-gradient", quality=0.8)]
        (line,) = tables.standing(rows, known=KNOWN).rows
        assert line[1] == "first of 3, level with bagging, SVM; method one"
        assert line[2] == "first, level with method one"

    def test_without_any_of_ours_it_says_so(self):
        (line,) = tables.standing([row("one"), row("two")], known=KNOWN).rows
        assert line[1:3] == ("not ranked", "none of slantwood's defaults took part")

    def test_a_default_forest_that_never_finished_is_said_not_to_have(self):
        rows = [row("one"), row("two"), unfinished("bag-gradient")]
        rows += [row(method, "emotions") for method in ("one", "two", "bag-gradient")]
        lines = cells(tables.standing(rows, known=KNOWN))
        assert lines[BINARY][self.forest] == "finished on no data set"
        assert lines[LABELS][self.forest].startswith("first of 3, level with")
        assert lines[tables.ALL_TASKS][self.forest] == "not ranked"

    def test_a_task_without_a_ranking_is_not_passed_over(self):
        rows = [row("one"), row("bag-gradient"), row("bag-gradient", "emotions")]
        table = tables.standing(rows, known=KNOWN)
        assert cells(table)[LABELS][self.forest] == cells(table)[LABELS]["best of ours"] == "no ranking"
        assert any(note.startswith("No ranking: ") for note in table.notes)
        complete = tables.standing(rows[:2], known=KNOWN)
        assert not any(note.startswith("No ranking: ") for note in complete.notes)

    def test_trees_stand_among_trees(self):
        rows = [row("one", quality=0.9), row("stump", quality=0.5), row("tree-svm", quality=0.6)]
        rows += [row("tree-gradient", quality=0.4)]
        line = cells(tables.standing(rows, trees=True, known=KNOWN))[BINARY]
        assert line[self.tree] == "place 3 of 3, behind tree, SVM; a stump"
        assert (line["best of ours"], line["tree, gradient"], line["tree, SVM"]) == ("first", 3, 1)

    def test_sentences_tell_the_place_in_each_task(self):
        rows = [row("one", quality=0.9), row("two", quality=0.8), row("bag-gradient", quality=0.7)]
        rows += [row("one", "emotions", quality=0.1), row("bag-gradient", "emotions", quality=0.2)]
        own, best = tables.standing_in_words(rows, KNOWN)
        assert own.startswith("Place of slantwood's default forest (bagging, gradient) among ensembles")
        assert own.endswith(f": {BINARY}, place 3 of 3; {LABELS}, first of 2.")
        assert best == (
            "The best of slantwood's defaults is first in 1 and second in 0 of 2 tasks. "
            f"It is neither in: {BINARY}."
        )

    def test_sentences_tell_the_best_of_the_defaults_apart(self):
        rows = [row("one", quality=0.9), row("bag-svm", quality=0.8), row("bag-gradient", quality=0.7)]
        own, best = tables.standing_in_words(rows, KNOWN)
        assert own.endswith(f": {BINARY}, place 3 of 3.")
        assert best == "The best of slantwood's defaults is first in 0 and second in 1 of 1 tasks."

    def test_without_rankings_there_is_nothing_to_say(self):
        assert tables.standing_in_words([row("one")], KNOWN) == ()


class TestCosts:
    amounts = st.dictionaries(
        st.tuples(
            st.sampled_from(["bag-gradient", "bag-pct", "one"]),
            st.sampled_from(["diabetes", "musk"]),
            st.integers(0, 2),
        ),
        st.one_of(st.none(), st.integers(1, 10**6)),
        min_size=1,
    )

    @given(amounts)
    def test_ratios_are_over_shared_folds(self, found):
        rows = [
            unfinished(*key)
            if value is None
            else row(*key, nodes=value, bytes=2 * value, learn_seconds=value / 7)
            for key, value in found.items()
        ]
        done = {key: value for key, value in found.items() if value is not None}
        sizes, times = tables.sizes(rows, KNOWN), tables.times(rows, KNOWN)
        assert {line[0] for line in sizes.rows} == {KNOWN[method].title for method, _, _ in done}
        for method in {method for method, _, _ in done}:
            of_size, of_time = cells(sizes)[KNOWN[method].title], cells(times)[KNOWN[method].title]
            for reference, line, heading in (
                ("bag-pct", of_size, "nodes / those of bagging, PCT"),
                ("bag-pct", of_size, "bytes / those of bagging, PCT"),
                ("bag-gradient", of_time, "learning / that of bagging, gradient"),
            ):
                ratios = []
                for name in ("diabetes", "musk"):
                    both = [f for f in range(3) if {(method, name, f), (reference, name, f)} <= done.keys()]
                    if both:
                        own, base = (fmean(done[who, name, f] for f in both) for who in (method, reference))
                        ratios.append(own / base)
                assert line[heading] == (pytest.approx(geometric_mean(ratios)) if ratios else None)
                assert line[f"data sets shared with {KNOWN[reference].title}"] == len(ratios)

    def test_a_method_without_nodes_has_none(self):
        rows = [row("bag-pct"), row("two", nodes=None, bytes=500)]
        line = cells(tables.sizes(rows, KNOWN))["method two"]
        assert line["nodes, geometric mean"] is None
        assert line["nodes / those of bagging, PCT"] is None
        assert line["bytes / those of bagging, PCT"] == 0.5

    def test_memory_is_the_highest_peak(self):
        rows = [row("one", peak_megabytes=10.0), row("one", "musk", peak_megabytes=30.0)]
        assert cells(tables.times(rows, KNOWN))["method one"]["highest peak of memory, megabytes"] == 30.0

    def test_no_time_at_all_is_not_divided_by(self):
        rows = [row("one"), row("bag-gradient", predict_seconds=0.0)]
        line = cells(tables.times(rows, KNOWN))["method one"]
        assert line["predicting / that of bagging, gradient"] is None


class TestLearningTimes:
    here = "here: bagging, PCT / bagging, gradient"

    def line(self, name, rows):
        return cells(tables.learning_times(rows, KNOWN))[name]

    def test_published_figures_are_there_without_any_of_ours(self):
        table = tables.learning_times([], KNOWN)
        assert [line[0] for line in table.rows] == list(PUBLISHED)
        for line in table.rows:
            assert line[2:7] == PUBLISHED[line[0]]
            assert set(line[7:12]) == {None}
        assert self.line("rcv1subset1", [])["paper: BAG-PCT / BAG-spyct-grad"] == pytest.approx(987.2 / 18.2)
        assert self.line("eurlex-eurovoc", [])["paper: BAG-PCT / BAG-spyct-grad"] == "> 540"

    def test_the_ratio_is_over_folds_that_both_finished(self):
        rows = [row("bag-gradient", "bookmarks", fold, learn_seconds=2.0 + fold) for fold in range(3)]
        rows += [row("bag-pct", "bookmarks", fold, learn_seconds=60.0 + fold) for fold in range(2)]
        rows += [unfinished("bag-pct", "bookmarks", 2)]
        line = self.line("bookmarks", rows)
        assert line["here, seconds: bagging, gradient"] == 3.0
        assert line["here, seconds: bagging, PCT"] == 60.5
        assert line[self.here] == pytest.approx(60.5 / 2.5)
        assert (line["trees here"], line["threads here"]) == (50, 1)

    def test_what_was_stopped_took_longer(self):
        rows = [row("bag-gradient", "bookmarks", learn_seconds=4.0)]
        rows += [unfinished("bag-pct", "bookmarks", seconds=3600.0)]
        line = self.line("bookmarks", rows)
        assert line["here, seconds: bagging, PCT"] == "timed out"
        assert line[self.here] == "> 900"

    def test_what_failed_says_nothing_of_time(self):
        rows = [row("bag-gradient", "bookmarks"), unfinished("bag-pct", "bookmarks", status="failed")]
        assert self.line("bookmarks", rows)[self.here] is None

    def test_what_was_measured_for_times_counts_first(self):
        rows = [row("bag-gradient", "bookmarks", learn_seconds=9.0)]
        rows += [row("bag-gradient", "bookmarks", learn_seconds=5.0, experiment="times", threads=2)]
        line = self.line("bookmarks", rows)
        assert line["here, seconds: bagging, gradient"] == 5.0
        assert line["threads here"] == 2

    def test_a_stand_in_is_named(self):
        rows = [row("fastxml", "reuters_rebuilt", mark="rebuilt", learn_seconds=3.0)]
        table = tables.learning_times(rows, KNOWN)
        assert cells(table)["reuters, here reuters_rebuilt†"]["here, seconds: FastXML"] == 3.0
        assert "reuters_rebuilt†: rebuilt" in table.notes


class TestNoiseByRanking:
    def test_shares_of_several_rows_are_averaged_and_old_rows_have_none(self):
        rows = [
            row(fold=fold, experiment="importance", noise_by_ranking={"paper": share, "permutation": None})
            for fold, share in enumerate([0.1, 0.3])
        ]
        rows += [row(fold=2, experiment="importance", importances={"real": [1.0], "noise": [0.5]})]
        table = tables.noise_by_ranking(rows, KNOWN)
        assert table.headings[3:] == ("paper", "permutation")
        assert [line[3:] for line in table.rows] == [(pytest.approx(0.2), None)]

    def test_without_such_rows_the_table_is_empty(self):
        assert tables.noise_by_ranking([], KNOWN).rows == ()


class TestImportances:
    def line(self, *pairs, **others):
        rows = [
            row(fold=fold, experiment="importance", importances={"real": real, "noise": noise}, **others)
            for fold, (real, noise) in enumerate(pairs)
        ]
        (line,) = tables.importances(rows, KNOWN).rows
        return line[3:]

    def test_shares_are_of_the_sum_of_both(self):
        assert self.line(([3.0, 3.0], [1.0, 1.0])) == pytest.approx((0.75, 0.25, 1 / 3, "yes"))

    @pytest.mark.parametrize(("noise", "answer"), [(4.9, "yes"), (5.0, "no"), (12.0, "no")])
    def test_below_half_of_the_real_ones(self, noise, answer):
        assert self.line(([10.0], [noise]))[-1] == answer

    def test_several_rows_count_alike_whatever_their_sums(self):
        assert self.line(([1.0], [0.0]), ([100.0], [300.0]))[0] == pytest.approx(0.625)

    def test_lines_are_pairs_that_were_tried_by_task_set_and_method(self):
        tried_pairs = [("two", "scene"), ("one", "emotions"), ("two", "musk"), ("one", "scene")]
        made = {"experiment": "importance", "importances": {"real": [1.0], "noise": [0.5]}}
        rows = [row(method, name, **made) for method, name in tried_pairs]
        assert [line[:3] for line in tables.importances(rows, KNOWN).rows] == [
            ("musk", "method two", BINARY),
            ("emotions", "method one", LABELS),
            ("scene", "method one", LABELS),
            ("scene", "method two", LABELS),
        ]

    def test_only_noise(self):
        assert self.line(([0.0], [1.0])) == (0.0, 1.0, None, "no")

    def test_no_splits(self):
        assert self.line(([0.0], [0.0])) == ("no splits", "no splits", "no splits", None)

    def test_unfinished(self):
        assert self.line(([], []), status="died") == ("died", "died", "died", None)


class TestSensitivity:
    def test_values_are_in_order_and_the_best_is_known(self):
        rows = [
            row("one", "emotions", fold, quality, experiment="sensitivity", changes={"C": C})
            for C, quality in ((100, 0.2), (0.1, 0.6), (10, 0.4))
            for fold in (0, 1)
        ]
        table = tables.sensitivity(rows, "C", KNOWN)
        assert table.headings[3:] == ("C = 0.1", "C = 10", "C = 100")
        assert table.rows == (("emotions", "method one", LABELS, 0.6, 0.4, 0.2),)
        assert table.best == {(0, 3)}

    def test_gaps_are_seen(self):
        made = {"experiment": "sensitivity"}
        rows = [row("one", "emotions", fold, changes={"C": 1}, **made) for fold in (0, 1)]
        rows += [row("one", "emotions", 0, changes={"C": 2}, **made)]
        rows += [unfinished("one", "emotions", fold, changes={"C": 3}, **made) for fold in (0, 1)]
        rows += [row("two", "emotions", fold, changes={"C": 1}, **made) for fold in (0, 1)]
        (one, two) = tables.sensitivity(rows, "C", KNOWN).rows
        assert one[3:] == (0.5, "1 of 2 folds", "timed out")
        assert two[3:] == (0.5, None, None)

    def test_other_parameters_have_their_own_tables(self):
        changes = ({"C": 1}, {"n_estimators": 5}, {"C": 2, "n_estimators": 7})
        made = [row(experiment="sensitivity", changes=each) for each in changes]
        assert tables.parameters_of(made) == ["C", "n_estimators"]
        assert tables.sensitivity(made, "n_estimators", KNOWN).headings[3:] == ("n_estimators = 5",)


class TestEnvironment:
    @given(tried)
    def test_every_failure_is_listed(self, rows):
        table = tables.failures(rows, KNOWN)
        listed = {
            (line["method"], line["data set"], int(fold), line["status"])
            for line in (dict(zip(table.headings, each, strict=True)) for each in table.rows)
            for fold in line["folds"].split(", ")
        }
        bad = [each for each in rows if each["status"] != "ok"]
        assert listed == {
            (KNOWN[each["method"]].title, each["dataset"], each["fold"], each["status"]) for each in bad
        }
        assert sum(dict(zip(table.headings, line, strict=True))["jobs"] for line in table.rows) == len(bad)

    def test_failures_with_other_reasons_are_lines_of_their_own(self):
        rows = [unfinished("one", fold=fold) | {"error": f"reason {fold % 2}"} for fold in range(4)]
        table = tables.failures(rows, KNOWN)
        assert [line[6:9] for line in table.rows] == [("reason 0", "0, 2", 2), ("reason 1", "1, 3", 2)]

    def test_data_sets_are_present_absent_or_stood_in_for(self):
        def listing(name, there):
            entry = dataset(name)
            return Listing(entry, entry.copies[0], (Path("x"),) if there else ())

        reuters = listing("reuters", there=False)
        table = tables.data_sets(
            [
                PaperSet(listing("emotions", there=True), listing("emotions", there=True)),
                PaperSet(listing("scene", there=False), None),
                PaperSet(reuters, listing("reuters_rebuilt", there=True)),
            ]
        )
        lines = cells(table)
        assert [lines[name]["here"] for name in ("emotions", "scene", "reuters")] == [
            "present",
            "absent",
            "in its place reuters_rebuilt",
        ]
        assert [lines["emotions"][key] for key in ("N", "D", "T", "N here")] == [593, 72, 6, 593]
        assert [lines["reuters"][key] for key in ("N", "D", "T")] == list(dataset("reuters").size)
        assert lines["scene"]["N here"] is None
        assert table.notes[0].startswith("2 of 3 are there, 1 of them")

    def test_versions_are_all_that_ran(self):
        rows = [row(versions={"numpy": "1", "ydf": ""}), row(versions={"numpy": "2"}), row(versions=None)]
        assert tables.versions(rows).rows == (("numpy", "1, 2"), ("ydf", "not installed"))


class TestFiles:
    values = st.one_of(
        st.none(),
        st.integers(),
        st.floats(),
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    )

    @given(st.integers(1, 4).flatmap(lambda n: st.lists(st.tuples(*[TestFiles.values] * n), min_size=1)))
    def test_a_csv_file_holds_all_values(self, tmp_path_factory, lines):
        folder = tmp_path_factory.getbasetemp()
        headings = tuple(f"heading, {i}" for i in range(len(lines[0])))
        path = tables.write_csv(Table("some-table", "title", headings, tuple(lines), ("a note",)), folder)
        assert path == folder / "some-table.csv"
        with open(path, newline="", encoding="utf-8") as file:
            first, *rest = csv.reader(file)
        assert tuple(first) == headings
        assert len(rest) == len(lines)
        for read, line in zip(rest, lines, strict=True):
            for text, value in zip(read, line, strict=True):
                if value is None or value != value:
                    assert text == ""
                else:
                    assert type(value)(text) == value

    def test_rows_must_fit_under_the_headings(self):
        table = Table("t", "title", ("a", "b"), ((1, 2),))
        with pytest.raises(ValueError, match="row 1 of the table 't' has 1 cells; expected 2"):
            replace(table, rows=((1, 2), (3,)))
