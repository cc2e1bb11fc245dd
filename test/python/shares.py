"""The share of repeated cases and seeds that a run of the whole suite takes.

`./dev test` sets SATTN_TEST_SEED, which grows with every commit, so that each run takes another share. Without it, as with
`./dev test --all` or where files are named, everything runs.
"""

import collections
import dataclasses
import os
import random

SEED = os.environ.get("SATTN_TEST_SEED")


def seeds(count, share):
    """One of the `share` equal parts of range(count)."""
    if SEED is None:
        return range(count)
    part = int(SEED) % share
    return range(part * count // share, (part + 1) * count // share)


def values_of(item):
    """The values of a case's parameters, and of the fields of those that are dataclasses."""
    for name, value in item.callspec.params.items():
        if dataclasses.is_dataclass(value):
            for field in dataclasses.fields(value):
                yield f"{name}.{field.name}", repr(getattr(value, field.name))
        else:
            yield name, item.callspec.indices[name]


def taken(items, share, seed):
    """A seeded choice of one in `share` of a test's cases, more where a value that several cases have would have none."""
    shuffled = sorted(items, key=lambda item: item.nodeid)
    random.Random(f"{seed} {shuffled[0].nodeid}").shuffle(shuffled)
    values = {item: set(values_of(item)) for item in shuffled}
    counts = collections.Counter(value for some in values.values() for value in some)
    met, chosen, others = set(), [], []
    for item in shuffled:
        new = {value for value in values[item] if counts[value] > 1} - met
        met |= values[item]
        (chosen if new else others).append(item)
    missing = -(-len(items) // share) - len(chosen)
    return chosen + others[:max(missing, 0)]


def pytest_configure(config):
    config.addinivalue_line("markers", "share(number): each run of the whole suite takes one in `number` of the test's cases")


def pytest_collection_modifyitems(config, items):
    if SEED is None:
        return
    functions = collections.defaultdict(list)
    for item in items:
        if item.get_closest_marker("share"):
            functions[item.nodeid.partition("[")[0]].append(item)
    left_out = set()
    for cases in functions.values():
        (share,) = cases[0].get_closest_marker("share").args
        left_out |= set(cases) - set(taken(cases, share, SEED))
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = [item for item in items if item not in left_out]
