"""Claims about the parameters of all split learners: what is refused, what is chosen, and what is compiled.

What a parameter of one learner means is claimed where that learner is tested.
"""

from dataclasses import FrozenInstanceError, asdict, dataclass, fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slantwood.split_names import SPLITS, split_class
from slantwood.splits import named

pytestmark = pytest.mark.plain_python


@dataclass(frozen=True)
class Accepts:
    """What the parameters of one learner may be, and values that are neither "auto" nor the default."""

    given: dict
    compiled: dict  # of a split with the given values
    above_zero: tuple = ()
    from_zero: tuple = ()
    whole: tuple = ()
    words: dict = None
    below_one: tuple = ()

    @property
    def numbers(self):
        return (*self.above_zero, *self.from_zero)


ACCEPTS = {
    "gradient": Accepts(
        given={
            "C": 3.0,
            "learning_rate": 0.3,
            "max_iter": 7,
            "tol": 0.5,
            "start": "informed",
            "threshold": "exact",
            "feature_power": 0.75,
            "target_power": 0.0,
            "batch_size": 500,
            "min_support": 3,
            "competitor": "strongest",
            "min_part": 0.5,
            "scale_penalty": False,
        },
        compiled={
            "C": 3.0,
            "learning_rate": 0.3,
            "max_iter": 7,
            "tol": 0.5,
            "informed_start": True,
            "exact_threshold": True,
            "batch_size": 500,
            "competitor": 2,
            "scale_penalty": False,
        },
        above_zero=("C", "learning_rate", "max_iter", "batch_size", "min_support"),
        from_zero=("tol", "feature_power", "target_power", "min_part"),
        whole=("max_iter", "batch_size", "min_support"),
        below_one=("min_part",),
        words={
            "start": ("informed", "noise", "auto"),
            "threshold": ("learned", "exact", "auto"),
            "competitor": (None, "axis", "strongest", "auto"),
        },
    ),
    "svm": Accepts(
        given={
            "C": 2.0,
            "max_iter": 7,
            "cluster_iter": 4,
            "tol": 1.0,
            "class_weight": "balanced",
            "feature_power": 0.75,
            "target_power": 0.0,
            "min_support": 3,
        },
        compiled={"C": 2.0, "max_iter": 7, "cluster_iter": 4, "tol": 1.0, "balanced": True},
        above_zero=("C", "max_iter", "cluster_iter", "min_support"),
        from_zero=("tol", "feature_power", "target_power"),
        whole=("max_iter", "cluster_iter", "min_support"),
        words={"class_weight": ("balanced", None, "auto")},
    ),
    "axis": Accepts(
        given={"thresholds": "random"},
        compiled={"at_random": True, "in_bins": False},
        words={"thresholds": ("best", "binned", "random")},
    ),
    "ridge": Accepts(
        given={
            "strength": 0.5,
            "max_iter": 7,
            "tol": 0.5,
            "target_iter": 4,
            "feature_power": 0.75,
            "target_power": 0.0,
            "min_support": 3,
        },
        compiled={"strength": 0.5, "is_given": True, "max_iter": 7, "tol": 0.5, "target_iter": 4},
        above_zero=("max_iter", "target_iter", "min_support"),
        from_zero=("tol", "feature_power", "target_power"),
        whole=("max_iter", "target_iter", "min_support"),
    ),
    "cart-lc": Accepts(
        given={"max_iter": 3, "epsilon": 0.5, "beta": 0.0, "target_power": 1.0, "min_support": 3},
        compiled={"max_iter": 3, "epsilon": 0.5, "beta": 0.0},
        above_zero=("max_iter", "min_support"),
        from_zero=("epsilon", "beta", "target_power"),
        whole=("max_iter", "min_support"),
    ),
    "oc1": Accepts(
        given={
            "n_restarts": 3,
            "n_jumps": 2,
            "order": "best",
            "n_perturbations": 9,
            "stagnation": 1.0,
            "target_power": 1.0,
            "min_support": 3,
        },
        compiled={"n_restarts": 3, "n_jumps": 2, "order": 2, "n_perturbations": 9, "stagnation": 1.0},
        above_zero=("n_perturbations", "min_support"),
        from_zero=("n_restarts", "n_jumps", "stagnation", "target_power"),
        whole=("n_restarts", "n_jumps", "n_perturbations", "min_support"),
        words={"order": ("random", "sequential", "best")},
    ),
    "wodt": Accepts(
        given={
            "alpha": 1.0,
            "max_iter": 7,
            "tol": 0.0,
            "start": "noise",
            "feature_power": 0.75,
            "min_support": 3,
        },
        compiled={"alpha": 1.0, "max_iter": 7, "tol": 0.0, "from_spread": False},
        above_zero=("max_iter", "min_support"),
        from_zero=("alpha", "tol", "feature_power"),
        whole=("max_iter", "min_support"),
        words={"start": ("spread", "noise")},
    ),
    "ndcg": Accepts(
        given={
            "C": 2.0,
            "max_iter": 7,
            "cluster_iter": 4,
            "tol": 1.0,
            "class_weight": None,
            "feature_power": 0.75,
            "min_support": 3,
            "unit_variance": False,
        },
        compiled={
            "C": 2.0,
            "max_iter": 7,
            "cluster_iter": 4,
            "tol": 1.0,
            "balanced": False,
            "unit_variance": False,
        },
        above_zero=("C", "max_iter", "cluster_iter", "min_support"),
        from_zero=("tol", "feature_power"),
        whole=("max_iter", "cluster_iter", "min_support"),
        words={"class_weight": ("balanced", None)},
    ),
}
LEARNERS = pytest.mark.parametrize("learner", SPLITS)
PUBLISHED = [name for name in SPLITS if hasattr(split_class(name), "published")]
WORDS = [(learner, name) for learner, accepts in ACCEPTS.items() for name in accepts.words or ()]


def each(kind):
    """Parametrize by every parameter of every learner that is of a kind."""
    pairs = [(learner, name) for learner, accepts in ACCEPTS.items() for name in getattr(accepts, kind)]
    return pytest.mark.parametrize(("learner", "name"), pairs)


def refused(learner, name, value, error, must):
    """Claim that a value is refused with an error that names it."""
    kind = split_class(learner)
    with pytest.raises(error) as raised:
        kind(**{name: value})
    assert str(raised.value).startswith(f"{kind.__name__}: {name}={value!r} must be {must}")


def chosen_for(learner):
    """Choices for every parameter of a learner that may be "auto", and some that are none of its business."""
    auto = {f.name for f in fields(split_class(learner)) if f.default == "auto"}
    return {name: v for name, v in ACCEPTS[learner].given.items() if name in auto} | {"bootstrap": True}


@LEARNERS
def test_every_parameter_of_every_learner_is_tried_here(learner):
    accepts = ACCEPTS[learner]
    names = {f.name for f in fields(split_class(learner))}
    assert set(accepts.given) == names
    others = {
        "ridge": {"strength"},
        "ndcg": {"unit_variance"},
        "gradient": {"scale_penalty"},
    }  # claimed with the learner itself
    assert {*accepts.numbers, *(accepts.words or ())} | others.get(learner, set()) == names


@each("numbers")
@pytest.mark.parametrize("value", ["ten", True, None, [1.0], 1 + 2j])
def test_what_is_no_number_is_a_type_error_that_names_the_parameter(learner, name, value):
    if (learner, name, value) == ("gradient", "batch_size", None):
        assert split_class(learner)(batch_size=None).batch_size is None
    else:
        refused(learner, name, value, TypeError, "a ")


@each("numbers")
@pytest.mark.parametrize("value", [-1, -(10**9)])
def test_negative_numbers_are_refused(learner, name, value):
    refused(learner, name, value, ValueError, "finite and ")


@each("numbers")
@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_numbers_that_are_not_finite_are_refused(learner, name, value):
    is_whole = name in ACCEPTS[learner].whole
    refused(learner, name, value, TypeError if is_whole else ValueError, "a whole" if is_whole else "finite")


@each("above_zero")
def test_zero_is_refused_where_it_means_nothing(learner, name):
    refused(learner, name, 0, ValueError, "finite and above 0")


@each("from_zero")
def test_zero_is_accepted_where_it_means_something(learner, name):
    assert getattr(split_class(learner)(**{name: 0}), name) == 0


@each("whole")
def test_fractions_are_refused_where_things_are_counted(learner, name):
    refused(learner, name, 5.5, TypeError, "a whole number")


@pytest.mark.parametrize(("learner", "name"), WORDS)
@pytest.mark.parametrize("value", ["", "nothing", 3, True])
def test_unknown_words_are_refused_with_those_that_would_do(learner, name, value):
    *others, last = map(repr, ACCEPTS[learner].words[name])
    refused(learner, name, value, ValueError, f"{', '.join(others)} or {last}")


@pytest.mark.parametrize(("learner", "name"), WORDS)
def test_known_words_are_accepted(learner, name):
    for word in ACCEPTS[learner].words[name]:
        assert getattr(split_class(learner)(**{name: word}), name) == word


@each("numbers")
def test_auto_is_refused_where_nothing_is_chosen_from_the_data(learner, name):
    kind = split_class(learner)
    if getattr(kind(), name) == "auto":
        assert getattr(kind(**{name: "auto"}), name) == "auto"
    else:
        refused(learner, name, "auto", TypeError, "a ")


@LEARNERS
def test_the_compiled_form_carries_every_parameter_of_learning(learner):
    accepts = ACCEPTS[learner]
    assert split_class(learner)(**accepts.given).compiled()._asdict() == accepts.compiled


@LEARNERS
@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64])
def test_numbers_of_numpy_compile_to_the_types_of_those_of_python(learner, kind):
    # Another type would be another signature, and compiled again.
    accepts = ACCEPTS[learner]
    numbers = {name: (np.int32 if name in accepts.whole else kind)(2) for name in accepts.numbers}
    numbers |= {name: kind(0) for name in accepts.below_one}
    split = split_class(learner)(**accepts.given | numbers)
    expected = split_class(learner)(**accepts.given).compiled()
    assert list(map(type, split.compiled())) == list(map(type, expected))


@LEARNERS
def test_choices_fill_every_auto_and_nothing_else(learner):
    split = split_class(learner)()
    chosen = chosen_for(learner)
    filled = asdict(split.filled_in(chosen | {"tol": 99.0, "max_depth": 3}))
    own = {name: value for name, value in asdict(split).items() if value != "auto"}
    assert filled == own | {name: chosen[name] for name in filled if name not in own}
    assert split == split_class(learner)()


@LEARNERS
@given(data=st.data())
def test_choices_never_replace_what_the_user_gave(learner, data):
    accepts = ACCEPTS[learner]
    names = data.draw(st.sets(st.sampled_from(sorted(accepts.given))))
    mine = {name: accepts.given[name] for name in names}
    others = dict.fromkeys(mine, "never used") | {
        name: value for name, value in chosen_for(learner).items() if name not in mine
    }
    filled = asdict(split_class(learner)(**mine).filled_in(others))
    assert {name: filled[name] for name in mine} == mine


@pytest.mark.parametrize("learner", PUBLISHED)
def test_the_published_split_leaves_nothing_to_be_chosen(learner):
    published = split_class(learner).published()
    assert "auto" not in asdict(published).values()
    assert published.filled_in(chosen_for(learner)) == published


@LEARNERS
def test_scaling_carries_the_powers(learner):
    split = split_class(learner)(**ACCEPTS[learner].given)
    assert split.scaling == (split.feature_power, split.target_power, split.unit_variance)
    assert list(map(type, split.scaling)) == [float, float, bool]


@LEARNERS
def test_a_split_cannot_be_changed_after_its_values_were_checked(learner):
    name = next(iter(ACCEPTS[learner].given))
    with pytest.raises(FrozenInstanceError):
        setattr(split_class(learner)(), name, -1)


@LEARNERS
def test_a_split_is_found_by_its_name_or_given_itself(learner):
    kind = split_class(learner)
    assert named(learner) == kind()
    own = replace(kind(), **ACCEPTS[learner].given)
    assert named(own) is own
    with pytest.raises(TypeError, match="split="):
        named(kind)


def test_unknown_split_names_are_refused_with_those_that_exist():
    with pytest.raises(ValueError, match="split='diagonal' must be 'auto', one of 'gradient', 'svm'"):
        named("diagonal")


@pytest.mark.parametrize("split", [None, 3])
def test_what_is_no_split_learner_is_a_type_error(split):
    with pytest.raises(TypeError, match="split="):
        named(split)
