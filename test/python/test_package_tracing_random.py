"""Random Python programs, changed between calls by every means, against the same functions on arrays of NumPy."""

import numpy as np
import pytest

pytest.importorskip("tvm_ffi")
from random_captures import KINDS, Program  # noqa: E402
from sattn._arrays import evaluation  # noqa: E402
from sattn._trace import user_functions  # noqa: E402

SEEDS, CHANGES, SIZE = 120, 8, 16
# Programs of one kind for each of its changes.
ALONE = 4
QUERY, KEY = np.arange(SIZE, dtype=np.int32)[:, None], np.arange(SIZE, dtype=np.int32)[None, :]


def require_equal(program):
    """Whether the function gave a mask: it may raise by itself."""
    try:
        expected = program.function(0, 0, QUERY, KEY)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        return False
    if np.asarray(expected).dtype != bool:
        return False
    found, values = user_functions.traced("mask_mod", program.function)
    arguments = {"b": np.int32(0), "h": np.int32(0), "q_idx": QUERY, "kv_idx": KEY}
    value = evaluation.evaluate(found.result, arguments, user_functions.host_arrays(values), evaluation.library())
    np.testing.assert_array_equal(np.broadcast_to(value, (SIZE, SIZE)), np.broadcast_to(expected, (SIZE, SIZE)))
    return True


@pytest.mark.parametrize("first", range(0, SEEDS, 20))
def test_random_programs(first):
    for seed in range(first, first + 20):
        user_functions.clear()
        program = Program(seed)
        try:
            given = [require_equal(program)]
            for _ in range(CHANGES):
                program.change()
                given.append(require_equal(program))
        except (AssertionError, TypeError) as error:
            raise AssertionError(f"seed {seed}:\n" + "\n".join(program.texts)) from error
        assert sum(given) > CHANGES // 2, f"seed {seed}: the function itself fails"


@pytest.mark.parametrize("name", KINDS)
def test_each_change_alone(name):
    """Random programs seldom make a certain change of a certain kind where it shows."""
    given = []
    for text in KINDS[name][2]:
        for seed in range(ALONE):
            user_functions.clear()
            program = Program(seed, [name])
            try:
                given.append(require_equal(program))
                program.change(text)
                given.append(require_equal(program))
            except (AssertionError, TypeError) as error:
                raise AssertionError(f"seed {seed}:\n" + "\n".join(program.texts)) from error
    assert sum(given) > len(given) // 2, "the functions themselves fail"


def test_every_kind_is_changed():
    names = {name for seed in range(SEEDS) for _, name in Program(seed).parts}
    assert names == set(KINDS)
