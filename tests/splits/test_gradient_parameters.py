"""Claims about the parameters of the gradient split, and about naming a split learner."""

from dataclasses import FrozenInstanceError, asdict, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slantwood import GradientSplit
from slantwood.splits import named

pytestmark = pytest.mark.plain_python

POSITIVE = ["C", "learning_rate", "max_iter", "batch_size", "min_support"]
NUMBERS = [*POSITIVE, "tol", "feature_power", "target_power"]
WHOLE = ["max_iter", "batch_size", "min_support"]
CHOSEN = {
    "C": 5.0,
    "learning_rate": 0.04,
    "max_iter": 20,
    "start": "informed",
    "threshold": "exact",
    "feature_power": 0.5,
    "target_power": 0.25,
    "batch_size": 500,
    "min_support": 2,
    "rival": "axis",
}
GIVEN = {
    "learning_rate": 0.3,
    "max_iter": 7,
    "start": "noise",
    "threshold": "learned",
    "feature_power": 0.75,
    "target_power": 0.0,
    "batch_size": None,
    "min_support": 1,
    "rival": None,
}


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("value", ["ten", True, [1.0], 1 + 2j])
def test_what_is_no_number_is_a_type_error_that_names_the_parameter(name, value):
    with pytest.raises(TypeError, match=f"{name}="):
        GradientSplit(**{name: value})


@pytest.mark.parametrize("name", [name for name in NUMBERS if name != "batch_size"])
def test_none_is_no_number(name):
    with pytest.raises(TypeError, match=f"{name}=None"):
        GradientSplit(**{name: None})


def test_no_batch_size_means_all_rows():
    assert GradientSplit(batch_size=None).filled_in(CHOSEN).compiled().batch_size == 0


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("value", [-1, -(10**9)])
def test_negative_numbers_are_refused_by_name(name, value):
    with pytest.raises(ValueError, match=f"{name}={value}"):
        GradientSplit(**{name: value})


@pytest.mark.parametrize("name", [name for name in NUMBERS if name not in WHOLE])
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_numbers_that_are_not_finite_are_refused_by_name(name, value):
    with pytest.raises(ValueError, match=f"{name}={value}"):
        GradientSplit(**{name: value})


@pytest.mark.parametrize("name", NUMBERS)
def test_zero_is_allowed_where_it_means_something(name):
    if name in POSITIVE:
        with pytest.raises(ValueError, match=f"{name}=0"):
            GradientSplit(**{name: 0})
    else:
        assert getattr(GradientSplit(**{name: 0}), name) == 0


@pytest.mark.parametrize("name", WHOLE)
def test_fractions_are_refused_where_things_are_counted(name):
    with pytest.raises(TypeError, match=rf"{name}=5\.5 must be a whole number"):
        GradientSplit(**{name: 5.5})


@pytest.mark.parametrize("name", ["start", "threshold"])
@pytest.mark.parametrize("value", ["", "nothing", 3, None])
def test_unknown_words_are_refused_by_name_with_the_words_that_would_do(name, value):
    with pytest.raises(ValueError, match=f"{name}=.* must be .*'auto'"):
        GradientSplit(**{name: value})


@pytest.mark.parametrize("value", ["", "oblique", 3, True])
def test_an_unknown_rival_is_refused_by_name(value):
    with pytest.raises(ValueError, match=r"rival=.* must be .*'auto'"):
        GradientSplit(rival=value)


def test_auto_is_refused_where_nothing_is_chosen_from_the_data():
    with pytest.raises(TypeError, match="tol='auto'"):
        GradientSplit(tol="auto")


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64, int, float])
def test_numbers_of_numpy_are_numbers(kind):
    assert GradientSplit(C=kind(2)).C == 2


def test_published_has_the_values_of_the_publication():
    assert asdict(GradientSplit.published()) == {
        "C": 10.0,
        "learning_rate": 0.1,
        "max_iter": 100,
        "tol": 0.01,
        "start": "noise",
        "threshold": "learned",
        "feature_power": 1.0,
        "target_power": 1.0,
        "batch_size": None,
        "min_support": 1,
        "rival": None,
    }


def test_published_leaves_nothing_to_be_chosen():
    published = GradientSplit.published()
    assert published.filled_in(CHOSEN) == published


def test_choices_fill_every_auto():
    assert asdict(GradientSplit().filled_in(CHOSEN)) == CHOSEN | {"tol": 0.01}


@given(st.sets(st.sampled_from(sorted(GIVEN))))
def test_choices_never_replace_what_the_user_gave(names):
    mine = {name: GIVEN[name] for name in names}
    filled = asdict(GradientSplit(C=2.0, **mine).filled_in(CHOSEN))
    assert filled == CHOSEN | mine | {"C": 2.0, "tol": 0.01}


def test_the_compiled_form_carries_every_parameter_of_learning():
    compiled = GradientSplit(C=3, tol=1).filled_in(CHOSEN).compiled()
    assert compiled._asdict() == {
        "C": 3.0,
        "learning_rate": 0.04,
        "max_iter": 20,
        "tol": 1.0,
        "informed_start": True,
        "exact_threshold": True,
        "batch_size": 500,
        "rival": 1,
    }
    assert [type(value) for value in compiled] == [float, float, int, float, bool, bool, int, int]
    published = GradientSplit.published().compiled()
    assert (published.informed_start, published.exact_threshold, published.batch_size) == (False, False, 0)
    rivals = (None, "axis", "strongest")
    assert [replace(GradientSplit.published(), rival=name).compiled().rival for name in rivals] == [0, 1, 2]


def test_numbers_of_numpy_compile_to_the_same_types_as_those_of_python():
    # Another type would be another signature, and compiled again.
    numpy_numbers = {
        "C": np.float32(3),
        "max_iter": np.int32(20),
        "batch_size": np.int64(500),
        "tol": np.int8(1),
    }
    compiled = GradientSplit(**numpy_numbers).filled_in(CHOSEN).compiled()
    assert [type(value) for value in compiled] == [float, float, int, float, bool, bool, int, int]


def test_scaling_carries_the_powers():
    assert GradientSplit().filled_in(CHOSEN).scaling == (0.5, 0.25, True)


def test_a_split_cannot_be_changed_after_its_values_were_checked():
    with pytest.raises(FrozenInstanceError):
        GradientSplit().C = -1


def test_a_split_is_found_by_its_name_or_given_itself():
    assert named("gradient") == GradientSplit()
    own = GradientSplit(C=1)
    assert named(own) is own


def test_unknown_split_names_are_refused_with_those_that_exist():
    with pytest.raises(ValueError, match="split='diagonal' must be one of 'gradient'"):
        named("diagonal")


@pytest.mark.parametrize("split", [None, 3, GradientSplit])
def test_what_is_no_split_learner_is_a_type_error(split):
    with pytest.raises(TypeError, match="split="):
        named(split)
