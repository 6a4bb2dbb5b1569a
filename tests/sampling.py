"""Which cases of a test with many parameters run in every change, and which at night only.

A test under `@pytest.mark.sampled` makes its claim for a whole product: every learner, in every container,
with every seed. In every change as few of these cases run as have each value of each parameter at least once,
in changing company; the others are thorough. `@pytest.mark.sampled(3)` is for tests that take long: at most
three of these run.

Nor does a test under `@pytest.mark.compiles` run compiled in every change: it calls a kernel by itself that
others have inside them, and that takes seconds to compile. As plain Python it runs in every change where it
is `plain_python` as well, and the learners that have the kernel inside them are compared with slow twins too.
"""

from collections import Counter, defaultdict
from itertools import combinations

import pytest
from hypothesis import settings

from slantwood.kernels.compiling import IS_PLAIN


def few_with_every_value(cases, at_most=None):
    """Return the places of as few cases as have every value of each parameter, in their order.

    A case is a dict of parameters, each with any hashable value. Of those that have most of the values still
    missing, the next has the pairs of values that were had least often, and is the first of these. All
    processes of a run choose the same.
    """
    values = [frozenset(case.items()) for case in cases]
    pairs = [[frozenset(pair) for pair in combinations(case.items(), 2)] for case in cases]
    missing, had = set().union(*values), Counter()
    chosen = []
    while missing and len(chosen) != at_most:
        most = max(len(each & missing) for each in values)
        candidates = [place for place, each in enumerate(values) if len(each & missing) == most]
        best = min(candidates, key=lambda place: (sum(had[pair] for pair in pairs[place]), place))
        chosen.append(best)
        missing -= values[best]
        had.update(pairs[best])
    return sorted(chosen)


def values_of(item):
    """Return what tells a case from others of its test: a value for each parameter, and for each fixture.

    Names that are given together are one parameter.
    """
    call = item.callspec
    together = [mark.args[0] for mark in item.iter_markers("parametrize")]
    together = [names.replace(",", " ").split() if isinstance(names, str) else names for names in together]
    # All cases of a test share these objects, which need not be hashable.
    values = {names[0]: tuple(id(call.params[name]) for name in names) for names in together}
    given = {name for names in together for name in names}
    return values | {name: place for name, place in call.indices.items() if name not in given}


def is_thorough(item):
    """Tell whether a case runs at night only."""
    return item.get_closest_marker("thorough") is not None


def mark_thorough(items):
    """Mark those cases of sampled tests that every change can do without."""
    families = defaultdict(list)
    for item in items:
        if not IS_PLAIN and item.get_closest_marker("compiles"):
            item.add_marker(pytest.mark.thorough)
        # Those that are thorough anyway stand for nothing.
        if item.get_closest_marker("sampled") and hasattr(item, "callspec") and not is_thorough(item):
            families[item.nodeid.partition("[")[0]].append(item)
    for family in families.values():
        at_most, *_ = *family[0].get_closest_marker("sampled").args, None
        kept = set(few_with_every_value([values_of(item) for item in family], at_most))
        for place, item in enumerate(family):
            if place not in kept:
                item.add_marker(pytest.mark.thorough)


def examples(n, **others):
    """Make hypothesis draw so many examples in every change, ten times as many where all is thorough."""
    return settings(max_examples=max(1, n * settings.default.max_examples // 10), **others)
