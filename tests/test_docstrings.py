"""Claims about the docstrings of the public API: they are complete, and estimators share their words."""

import inspect
from importlib import import_module

import pytest
from numpydoc.docscrape import ClassDoc
from numpydoc.validate import validate

import slantwood

MODULES = (
    "",
    ".dask",
    ".data",
    ".estimators.tree_view",
    ".explain",
    ".export",
    ".metrics",
    ".model_data",
    ".model_selection",
    ".planning",
    ".report",
    ".views",
)

# No docstring; parameters that are not described, unknown or without type; nothing about what is returned;
# a summary that does not end in a stop; no example.
FAULTS = {"GL08", "PR01", "PR02", "PR04", "RT01", "RT03", "SS03", "EX01"}

# What estimators and the grower ask of split learners and callbacks; users never call these.
PROTOCOL = {
    "compiled",
    "filled_in",
    "preferences",
    "setup",
    "on_fit_task_begin",
    "on_fit_task_end",
    "teardown",
}

ESTIMATORS = (
    slantwood.ObliqueTreeClassifier,
    slantwood.ObliqueTreeRegressor,
    slantwood.ObliqueForestClassifier,
    slantwood.ObliqueForestRegressor,
)


def public_callables():
    """Path and object of each public function, class and method; what is inherited comes once."""
    found = {}
    for module in (import_module(f"slantwood{name}") for name in MODULES):
        for name in module.__all__:
            value = getattr(module, name)
            path = f"{module.__name__}.{name}"
            if callable(value):
                found.setdefault(value, path)
            if inspect.isclass(value):
                for method, function in inspect.getmembers(value, callable):
                    function = inspect.unwrap(getattr(function, "__func__", function))
                    is_ours = (getattr(function, "__module__", None) or "").startswith("slantwood")
                    if is_ours and not method.startswith("_") and method not in PROTOCOL:
                        found.setdefault(function, f"{path}.{method}")
    return [pytest.param(path, value, id=path) for value, path in found.items()]


@pytest.mark.parametrize(("path", "value"), public_callables())
def test_every_public_name_has_parameters_results_and_an_example(path, value):
    is_exception = inspect.isclass(value) and issubclass(value, Exception)
    faults = FAULTS - {"EX01"} if is_exception else FAULTS  # an exception is met in what raises it
    assert [text for code, text in validate(path)["errors"] if code in faults] == []


def test_the_estimators_describe_shared_parameters_in_the_same_words():
    told = {}
    for estimator in ESTIMATORS:
        for parameter in ClassDoc(estimator)["Parameters"]:
            told.setdefault(parameter.name, {})[estimator.__name__] = (parameter.type, *parameter.desc)
    shared = {name: texts for name, texts in told.items() if len(texts) > 1}
    assert {"split", "max_depth", "class_weight", "n_estimators", "random_state"} <= set(shared)
    assert {name: texts for name, texts in shared.items() if len(set(texts.values())) > 1} == {}
