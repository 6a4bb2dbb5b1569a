"""Claims about the parameters of the SVM split, and about naming it."""

from dataclasses import FrozenInstanceError, asdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slantwood import (
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
    SVMSplit,
)
from slantwood.splits import named

plain = pytest.mark.plain_python

POSITIVE = ["C", "max_iter", "cluster_iter", "min_support"]
NUMBERS = [*POSITIVE, "tol", "feature_power", "target_power"]
WHOLE = ["max_iter", "cluster_iter", "min_support"]
OWN = {"max_iter": 100, "cluster_iter": 10, "tol": 0.01}
CHOSEN = {
    "C": 0.5,
    "class_weight": "balanced",
    "feature_power": 0.5,
    "target_power": 0.25,
    "min_support": 2,
}
# What is chosen for the gradient split is no business of this one.
FOR_OTHERS = {"max_iter": 20, "learning_rate": 0.04, "start": "informed", "batch_size": 500}
GIVEN = {"C": 2.0, "class_weight": None, "feature_power": 0.75, "target_power": 0.0, "min_support": 1}
TYPES = [float, int, int, float, bool]


@plain
@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("value", ["ten", True, None, [1.0], 1 + 2j])
def test_what_is_no_number_is_a_type_error_that_names_the_parameter(name, value):
    with pytest.raises(TypeError) as error:
        SVMSplit(**{name: value})
    assert str(error.value).startswith(f"SVMSplit: {name}={value!r} must be a")


@plain
@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("value", [-1, -(10**9)])
def test_negative_numbers_are_refused_by_name(name, value):
    with pytest.raises(ValueError, match=f"^SVMSplit: {name}={value} must be finite and"):
        SVMSplit(**{name: value})


@plain
@pytest.mark.parametrize("name", [name for name in NUMBERS if name not in WHOLE])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_numbers_that_are_not_finite_are_refused_by_name(name, value):
    with pytest.raises(ValueError, match=f"^SVMSplit: {name}={value} must be finite"):
        SVMSplit(**{name: value})


@plain
@pytest.mark.parametrize("name", NUMBERS)
def test_zero_is_allowed_where_it_means_something(name):
    if name in POSITIVE:
        with pytest.raises(ValueError, match=f"^SVMSplit: {name}=0 must be finite and above 0"):
            SVMSplit(**{name: 0})
    else:
        assert getattr(SVMSplit(**{name: 0}), name) == 0


@plain
@pytest.mark.parametrize("name", WHOLE)
def test_fractions_are_refused_where_things_are_counted(name):
    with pytest.raises(TypeError, match=rf"^SVMSplit: {name}=5\.5 must be a whole number"):
        SVMSplit(**{name: 5.5})


@plain
@pytest.mark.parametrize("value", ["", "Balanced", 3, True, {0: 1.0}])
def test_unknown_class_weights_are_refused_with_those_that_would_do(value):
    with pytest.raises(ValueError, match=r"must be 'balanced', None or 'auto'$") as error:
        SVMSplit(class_weight=value)
    assert str(error.value).startswith(f"SVMSplit: class_weight={value!r} must")


@plain
@pytest.mark.parametrize("name", ["max_iter", "cluster_iter", "tol"])
def test_auto_is_refused_where_nothing_is_chosen_from_the_data(name):
    with pytest.raises(TypeError, match=f"^SVMSplit: {name}='auto' must be"):
        SVMSplit(**{name: "auto"})


@plain
@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64, int, float])
def test_numbers_of_numpy_are_numbers(kind):
    assert SVMSplit(C=kind(2)).C == 2


@plain
def test_choices_fill_every_auto_and_nothing_else():
    assert asdict(SVMSplit().filled_in(CHOSEN | FOR_OTHERS)) == OWN | CHOSEN


@plain
@given(st.sets(st.sampled_from(sorted(GIVEN))))
def test_choices_never_replace_what_the_user_gave(names):
    mine = {name: GIVEN[name] for name in names}
    filled = asdict(SVMSplit(**mine).filled_in(CHOSEN | FOR_OTHERS))
    assert filled == OWN | CHOSEN | mine


@plain
def test_published_leaves_nothing_to_be_chosen():
    published = SVMSplit.published()
    assert published.filled_in(CHOSEN | FOR_OTHERS) == published
    assert "auto" not in asdict(published).values()
    # Clusters as they fall, everything standardised.
    assert (published.C, published.class_weight, *published.scaling) == (10.0, None, 1.0, 1.0, True)


@plain
def test_filling_in_leaves_the_split_as_it_was():
    split = SVMSplit()
    split.filled_in(CHOSEN)
    assert split == SVMSplit()


@plain
def test_the_compiled_form_carries_every_parameter_of_learning():
    split = SVMSplit(C=3, max_iter=7, cluster_iter=4, tol=1, class_weight="balanced").filled_in(CHOSEN)
    assert split.compiled()._asdict() == {
        "C": 3.0,
        "max_iter": 7,
        "cluster_iter": 4,
        "tol": 1.0,
        "balanced": True,
    }
    assert [type(value) for value in split.compiled()] == TYPES
    assert SVMSplit(C=1.0, class_weight=None).compiled().balanced is False


@plain
def test_numbers_of_numpy_compile_to_the_same_types_as_those_of_python():
    # Another type would be another signature, and compiled again.
    split = SVMSplit(C=np.float32(3), max_iter=np.int32(20), cluster_iter=np.uint8(3), tol=np.int8(1))
    assert [type(value) for value in split.compiled()] == TYPES


@plain
def test_scaling_carries_the_powers():
    assert SVMSplit().filled_in(CHOSEN).scaling == (0.5, 0.25, True)


@plain
def test_a_split_cannot_be_changed_after_its_values_were_checked():
    with pytest.raises(FrozenInstanceError):
        SVMSplit().C = -1


@plain
def test_the_split_is_found_by_its_name_or_given_itself():
    assert named("svm") == SVMSplit()
    own = SVMSplit(C=1)
    assert named(own) is own


@plain
def test_the_class_in_place_of_a_split_is_a_type_error():
    with pytest.raises(TypeError, match="split="):
        named(SVMSplit)


@plain
def test_unknown_split_names_are_refused_with_those_that_exist():
    with pytest.raises(ValueError, match=r"split='SVM' must be one of .*'svm'"):
        named("SVM")


@pytest.mark.parametrize(
    "kind", [ObliqueTreeClassifier, ObliqueForestClassifier, ObliqueTreeRegressor, ObliqueForestRegressor]
)
def test_every_estimator_learns_with_the_split_by_its_name_as_with_the_split_itself(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    y = (X[:, 0] - X[:, 1] > 0).astype(int)
    few = {"n_estimators": 3} if "Forest" in kind.__name__ else {}
    by_name = kind(split="svm", random_state=0, **few).fit(X, y)
    by_value = kind(split=SVMSplit(), random_state=0, **few).fit(X, y)
    chosen = by_name.settings_.split
    assert isinstance(chosen, SVMSplit)
    assert "auto" not in asdict(chosen).values()
    assert np.mean((by_name.predict(X) >= 0.5) == y) > 0.9
    np.testing.assert_array_equal(by_name.predict(X), by_value.predict(X))
    other = kind(split="gradient", random_state=0, **few).fit(X, y)
    assert not np.array_equal(other.trees_.weights, by_name.trees_.weights)
