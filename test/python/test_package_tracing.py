"""score_mod and mask_mod as expressions: operators by Python's rules, captures by every way, refusals with their line."""

import dataclasses
import functools
import math
import types

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("tvm_ffi")
from masks import grid  # noqa: E402
from sattn._arrays import evaluation  # noqa: E402
from sattn._trace import user_functions  # noqa: E402

SHAPE = 2, 3, 24, 40
INTEGERS = np.random.default_rng(0).integers(-9, 10, 64).astype(np.int32)
FLOATS = np.random.default_rng(1).standard_normal(64).astype(np.float32)
BOOLEANS = INTEGERS > 0
BYTES = np.arange(192, 256, dtype=np.uint8)
LONGS = INTEGERS.astype(np.int64) + 2**40
HALVES = FLOATS.astype(np.float16)
BRAINS = FLOATS.astype(ml_dtypes.bfloat16)
DOUBLES = FLOATS.astype(np.float64)
TABLE = FLOATS.reshape(8, 8)
SIZE, LARGE, RATE = 7, 2**30 + 7, 0.3
library = np


@pytest.fixture(autouse=True)
def nothing_kept():
    user_functions.clear()
    yield
    user_functions.clear()


def value_of(function, kind="score_mod"):
    """The values of all elements, by the expression."""
    scores = np.linspace(-3, 3, math.prod(SHAPE), dtype=np.float32).reshape(SHAPE)
    b, h, q_idx, kv_idx = (index.astype(np.int32) for index in grid(SHAPE))
    found, captured = user_functions.traced(kind, function)
    arguments = {"score": scores, "b": b, "h": h, "q_idx": q_idx, "kv_idx": kv_idx}
    value = evaluation.evaluate(found.result, arguments, user_functions.host_arrays(captured), evaluation.library())
    return np.broadcast_to(value, SHAPE), scores




def by_python(function):
    """A function of Python's for one number, which takes a traced one, or all elements."""
    def apply(x):
        try:
            return function(x)
        except TypeError:  # Arrays.
            return np.vectorize(function)(x)

    return apply


round_, floor_, ceil_, trunc_ = map(by_python, (round, math.floor, math.ceil, math.trunc))
OPERATIONS = {
    "floor_division": lambda s, b, h, i, j: s + (i - j) // 3 + (i - j) // -3,
    "remainder": lambda s, b, h, i, j: s + (i - j) % 5 - (i - j) % -5,
    "captured_divisor": lambda s, b, h, i, j: s + (i - j) // SIZE + (j - 9) % SIZE,
    "array_divisor": lambda s, b, h, i, j: s + (i - j) // (INTEGERS[i] * 2 + 1) + (i - j) % (INTEGERS[j] * 2 - 1),
    "floats": lambda s, b, h, i, j: s // 0.7 + s % 0.7 + (i - j) / 3 - s * RATE,
    "power": lambda s, b, h, i, j: s**2 - s**3 + 2.0**(-h / 2) + (i + 1.0)**0.5 + (i + 1.0)**-1,
    "functions": lambda s, b, h, i, j: np.exp(s) + np.exp2(s) + np.tanh(s) + np.log(i + 1.0) + np.log2(j + 1.0) + np.sqrt(abs(s)),
    "trigonometry": lambda s, b, h, i, j: np.sin(s) + np.cos(s),
    "whole": lambda s, b, h, i, j: np.floor(s) + np.ceil(s) + np.round(s),
    "whole_by_python": lambda s, b, h, i, j: (s + round_(i / 8) - floor_(s) + ceil_(s) * 2 + trunc_(s) // 2),
    "bits": lambda s, b, h, i, j: s + ((i << 2) ^ (j >> 1) & ~h | 5) + (-i >> 1),
    "comparisons": lambda s, b, h, i, j: np.where((i < j) | (s > 0) & ~(i == j) ^ (s != 0.5), s, -1.0) + (i <= j) + (s >= 0),
    "limits": lambda s, b, h, i, j: np.clip(s, -0.5, RATE) + np.minimum(i, j) - np.maximum(s, 0) + abs(i - j),
    "logic": lambda s, b, h, i, j: s + np.logical_and(i, j > 3) + np.logical_or(i > 9, j) * 2 + np.logical_not(i) * 4,
    "loads": lambda s, b, h, i, j: (s + FLOATS[j] + INTEGERS[i] + BOOLEANS[j] + BYTES[i] + HALVES[j] + DOUBLES[-1]
                                    + BRAINS[i].astype(np.float32)),
    "long": lambda s, b, h, i, j: s + (LONGS[i] - LONGS[j]) + (LONGS[i] == LONGS[j]),
    "two_indices": lambda s, b, h, i, j: s + TABLE[i % 8, j // 8] + TABLE[2][j % 8],
    "from_the_end": lambda s, b, h, i, j: s + FLOATS[i - j - 1] + FLOATS[-3],
    "large": lambda s, b, h, i, j: s + (LARGE - i) % 1000,
    "casts": lambda s, b, h, i, j: (s * 10).astype(np.int32) + s.astype(bool) + (i > j).astype(np.float32) / 2,
    "reflected": lambda s, b, h, i, j: 1 - s + 2 * i + 5 // (j + 1) + 7 % (i + 1) + 1.0 / (j + 1) + (3 & i) + (1 << h),
    "extent": lambda s, b, h, i, j: s + FLOATS[i % FLOATS.shape[0]] * FLOATS.shape[0],
    "constant": lambda s, b, h, i, j: np.float32(0.25) + 0 * s,
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations(name):
    """The values are those of NumPy with the same function."""
    function = OPERATIONS[name]
    value, scores = value_of(function)
    expected = function(scores.astype(np.float64), *grid(SHAPE))
    np.testing.assert_allclose(value, np.broadcast_to(np.asarray(expected, np.float64), SHAPE), rtol=3e-6, atol=3e-5)


@pytest.mark.parametrize("name", ["array_divisor", "power", "functions", "trigonometry", "whole", "bits", "comparisons", "loads",
                                  "long", "from_the_end", "large", "casts", "logic"])
def test_kernels_compute_the_values_of_expressions(sattn, name):
    """The compiled text and the evaluation of arrays agree, seen through the logarithm of the weights' sum: with one key
    that is the score itself."""
    function = OPERATIONS[name]
    rng = np.random.default_rng(0)
    query, key = (rng.standard_normal((2, 3, length, 8), np.float32) for length in (24, 1))
    _, lse = sattn.flex_attention(query, key, np.ones((2, 3, 1, 4), np.float32), function, return_lse=True)
    scores = (query @ key.swapaxes(-1, -2)).astype(np.float64) / math.sqrt(8)
    with np.errstate(all="ignore"):
        expected = np.broadcast_to(np.asarray(function(scores, *grid(scores.shape)), np.float64), scores.shape)[..., 0]
    np.testing.assert_allclose(lse, expected, rtol=5e-6, atol=5e-5)


def test_a_divisor_of_zero_does_not_trap(sattn):
    zeros = np.zeros(4, np.int32)
    low = np.full(4, -2**31, np.int32)
    minus = np.full(4, -1, np.int32)
    one = np.ones((1, 1, 4, 8), np.float32)
    for function in (lambda s, b, h, i, j: s + 0 * (i // zeros[j]), lambda s, b, h, i, j: s + 0 * (i % zeros[j]),
                     lambda s, b, h, i, j: s + 0 * (low[i] // minus[j]), lambda s, b, h, i, j: s + 0 * (low[i] % minus[j])):
        assert np.isfinite(sattn.flex_attention(one, one, one, function)).all()


@pytest.mark.parametrize("index", [-1000, -65, 64, 1000])
def test_an_index_outside_reads_an_element(sattn, index):
    array = np.linspace(1, 2, 64).astype(np.float32)
    one = np.ones((1, 1, 1, 8), np.float32)
    _, lse = sattn.flex_attention(one, one, one, lambda s, b, h, i, j: array[i + index] + 0 * s, return_lse=True)
    assert 1 <= lse[0, 0, 0] <= 2


@dataclasses.dataclass
class Rule:
    """A callable object."""

    size: int
    table: np.ndarray

    def __call__(self, s, b, h, i, j):
        return self.add(s, i) + self.size

    def add(self, s, i):
        return s + self.table[i]


def by_closure():
    size, table = 3, FLOATS.copy()

    def function(s, b, h, i, j):
        return s + table[i] * size

    return function


def by_default(size=3, table=FLOATS):
    return lambda s, b, h, i, j, size=size, table=table, *, more=2: s + table[i] * size + more


def by_partial():
    return functools.partial(lambda table, s, b, h, i, j, size: s + table[i] * size, FLOATS, size=3)


def by_helper():
    def helper(value):
        return FLOATS[value] * SIZE

    return lambda s, b, h, i, j: s + helper(i)


def by_containers():
    given = {"sizes": [1, 2.5], "tables": (FLOATS, HALVES)}
    return lambda s, b, h, i, j: s + given["tables"][0][i] * given["sizes"][1] + len(given["sizes"])


def by_namespace():
    given = types.SimpleNamespace(size=3, table=FLOATS, flag=True)
    return lambda s, b, h, i, j: s + given.table[i] * given.size if given.flag else s


def by_zero_dimensions():
    number, flag = np.array(2.5, np.float32), np.float32(0.5)
    return lambda s, b, h, i, j: s * number + flag


def by_loop():
    count, tables = 3, [FLOATS, FLOATS[::-1], FLOATS + 1]

    def function(s, b, h, i, j):
        for place in range(count):
            s = s + tables[place][i]
        return s if count > 2 else 0 * s

    return function


def by_recursion():
    def add(s, depth):
        return s if depth == 0 else add(s + 1, depth - 1)

    return lambda s, b, h, i, j: add(s, 3)


CAPTURES = [by_closure, by_default, by_partial, by_helper, by_containers, by_namespace, by_zero_dimensions, by_loop,
            by_recursion, lambda: Rule(3, FLOATS), lambda: Rule(3, FLOATS).__call__]


@pytest.mark.parametrize("make", CAPTURES, ids=lambda make: make.__name__)
def test_captures(make):
    function = make()
    value, scores = value_of(function)
    expected = np.broadcast_to(function(scores.astype(np.float64), *grid(SHAPE)), SHAPE)
    np.testing.assert_allclose(value, expected, rtol=3e-6, atol=3e-6)
    assert user_functions.traced("score_mod", make())[0] is user_functions.traced("score_mod", function)[0]


def test_changes_show_without_a_new_expression():
    rule = Rule(1, np.zeros(64, np.float32))
    found = user_functions.traced("score_mod", rule)[0]
    for change in range(100):
        rule.size, rule.table = change, np.full(64 + change, change, np.float32)
        value, scores = value_of(rule)
        np.testing.assert_allclose(value, scores + 2 * change, atol=1e-4)
        rule.table += 1
        np.testing.assert_allclose(value_of(rule)[0], scores + 2 * change + 1, atol=1e-4)
        assert user_functions.traced("score_mod", rule)[0] is found


@pytest.mark.parametrize("change", [{"size": 2.5}, {"size": 2**28}, {"table": np.zeros(64, np.float16)}, {"size": True}])
def test_captures_of_another_kind_are_another_expression(change):
    rule = Rule(1, np.zeros(64, np.float32))
    found = user_functions.traced("score_mod", rule)[0]
    other = dataclasses.replace(rule, **change)
    assert user_functions.traced("score_mod", other)[0] is not found
    value, scores = value_of(other)
    np.testing.assert_allclose(value, scores + np.float32(other.size), rtol=1e-6)
    assert user_functions.traced("score_mod", rule)[0] is found


def test_a_number_that_is_a_count_makes_an_expression_of_its_own():
    count = 2

    def function(s, b, h, i, j):
        for _ in range(count):
            s = s * 2
        return s

    value, scores = value_of(function)
    assert (value == 4 * scores).all()
    count = 3
    assert (value_of(function)[0] == 8 * scores).all()


def test_a_global_that_is_bound_again(monkeypatch):
    def function(s, b, h, i, j):
        return s + library.minimum(SIZE, 1000)

    value, scores = value_of(function)
    assert (value == scores + 7).all()
    monkeypatch.setitem(globals(), "SIZE", 11)
    assert (value_of(function)[0] == scores + 11).all()
    monkeypatch.setitem(globals(), "library", types.SimpleNamespace(minimum=lambda a, b: 5 * a))
    assert (value_of(function)[0] == scores + 55).all()


class Torch:
    """Functions that dispatch by __torch_function__, as PyTorch's do."""

    float32, int32 = "torch.float32", "torch.int32"

    @functools.cache
    def __getattr__(self, name):
        def function(*arguments, **options):
            for argument in arguments:
                if hasattr(argument, "__torch_function__"):
                    return argument.__torch_function__(function, (), arguments, options)
            raise AssertionError(name)

        function.__name__ = name
        function.__module__ = "torch"
        return function


torch = Torch()
TORCH = {
    "where": (lambda s, b, h, i, j: torch.where(torch.logical_and(i > j, i < 20), s, -1.0),
              lambda s, b, h, i, j: np.where((i > j) & (i < 20), s, -1.0)),
    "clamp": (lambda s, b, h, i, j: torch.clamp(s, min=-1, max=0.5) + s.clamp(max=0), lambda s, b, h, i, j: np.clip(s, -1, 0.5)
              + np.minimum(s, 0)),
    "div": (lambda s, b, h, i, j: torch.div(i - j, 4, rounding_mode="trunc") + torch.div(i - j, 4, rounding_mode="floor") + s * 0,
            lambda s, b, h, i, j: np.trunc((i - j) / 4) + (i - j) // 4 + s * 0),
    "fmod": (lambda s, b, h, i, j: torch.fmod(i - j, 5) + torch.remainder(i - j, 5) + s * 0,
             lambda s, b, h, i, j: np.fmod(i - j, 5) + (i - j) % 5 + s * 0),
    "methods": (lambda s, b, h, i, j: s.tanh() + i.float() + s.abs().sqrt() + (i > j).to(torch.float32) + s.exp().log(),
                lambda s, b, h, i, j: np.tanh(s) + i + np.sqrt(abs(s)) + (i > j) + s),
    "sigmoid": (lambda s, b, h, i, j: torch.sigmoid(s) + torch.rsqrt(i + 1), lambda s, b, h, i, j: 1 / (1 + np.exp(-s)) + (i + 1.0)**-0.5),
    "silu": (lambda s, b, h, i, j: torch.silu(s, inplace=False) + torch.tan(s / 4) + torch.tan(b),
             lambda s, b, h, i, j: s / (1 + np.exp(-s)) + np.tan(s / 4) + np.tan(b)),
    "filled": (lambda s, b, h, i, j: s.masked_fill(i < j, -5.0) + torch.ones_like(s) + s.new_zeros(()),
               lambda s, b, h, i, j: np.where(i < j, -5.0, s) + 1),
}


@pytest.mark.parametrize("name", TORCH)
def test_functions_of_torch(name):
    function, plain = TORCH[name]
    value, scores = value_of(function)
    expected = np.broadcast_to(plain(scores.astype(np.float64), *grid(SHAPE)), SHAPE)
    np.testing.assert_allclose(value, expected, rtol=3e-6, atol=3e-6)


MASK_REFUSALS = {
    "if": (lambda b, h, i, j: i if i > j else j, r"bool\(\), as of `if`"),
    "and": (lambda b, h, i, j: i > j and j > 3, r"bool\(\)"),
    "chain": (lambda b, h, i, j: 0 < j < i, r"bool\(\)"),
    "min": (lambda b, h, i, j: min(i, j) > 3, r"bool\(\)"),
    "int": (lambda b, h, i, j: int(i) > 3, r"int\(\)"),
    "float": (lambda b, h, i, j: math.exp(i) > 3, r"float\(\), as of the functions of `math`"),
    "range": (lambda b, h, i, j: sum(range(i)) > 3, "an index, as of range"),
    "list": (lambda b, h, i, j: [1, 2, 3][i] > 3, r"make an array of a list before, .* and capture that\), but got an index"),
    "made_inside": (lambda b, h, i, j: np.arange(4)[i] > 3, "make the array before the function"),
    "len": (lambda b, h, i, j: len(i) > 3, r"len\(\)"),
    "iteration": (lambda b, h, i, j: [x for x in i], "an iteration"),
    "item": (lambda b, h, i, j: i.item() > 3, r"item\(\)"),
    "function": (lambda b, h, i, j: np.cumsum(i) > 3, r"cumsum\(\)"),
    "method": (lambda b, h, i, j: i.cumsum(0) > 3, r"\.cumsum"),
    "slice": (lambda b, h, i, j: INTEGERS[1:][i] > 3, "a slice"),
    "few_indices": (lambda b, h, i, j: TABLE[i] > 3, "one that lacks 1 of 2"),
    "many_indices": (lambda b, h, i, j: INTEGERS[i, j] > 3, "at most 1 indices, but got 2"),
    "float_index": (lambda b, h, i, j: INTEGERS[i * 0.5] > 3, "integers as indices of a captured array, but got a float"),
    "float_bits": (lambda b, h, i, j: (i * 0.5) & 1 > 3, "booleans or integers under &"),
    "own_array": (lambda b, h, i, j: np.ones(3) + i > 3, r"arrays that are captured and indexed, but got one of shape \(3,\)"),
}


@pytest.mark.parametrize("name", MASK_REFUSALS)
def test_refusals_name_the_line(name):
    function, message = MASK_REFUSALS[name]
    line = function.__code__.co_firstlineno
    with pytest.raises(TypeError, match=rf"^argument 'mask_mod': expected .*{message}.* in {__file__}:{line}: "):
        user_functions.traced("mask_mod", function)


def test_the_line_is_that_of_the_helper():
    def helper(i):
        return bool(i)  # Here.

    with pytest.raises(TypeError, match=rf"{__file__}:{helper.__code__.co_firstlineno + 1}: return bool\(i\)  # Here."):
        user_functions.traced("mask_mod", lambda b, h, i, j: helper(i))


@pytest.mark.parametrize("kind, function, message", [
    ("mask_mod", lambda b, h, i, j: i - j, "expected a function that returns a boolean, but got one that returns a number"),
    ("mask_mod", lambda b, h, i, j: None, "expected a function that returns a boolean, but got NoneType"),
    ("score_mod", lambda s, b, h, i, j: i > j, "expected a function that returns a number, but got one that returns a boolean"),
    ("score_mod", lambda s, b, h, i, j: "x", "expected a function that returns a number, but got str"),
    ("score_mod", lambda s, b, h, i, j: (yield), r"expected .* but got generator in .*test_package_tracing.py:\d+$"),
    ("mask_mod", lambda b, h, i, j: TABLE[i], r"expected .* but got a captured array that lacks 1 of 2 indices in .*test_package_tracing.py:\d+$"),
    ("mask_mod", lambda b, h, i, j: {}[i], r"expected .* no key of a dict, but got hash\(\) in .*test_package_tracing.py:\d+: "),
    ("mask_mod", lambda b, h, i, j: np.any([i > j, i < 4]), r"expected a value that is in no array, .* in .*tracing.py:\d+: "),
    ("mask_mod", lambda b, h, i, j: TABLE.__setitem__((0, 0), i), r"expected .* changes nothing, but got an assignment to an index in .*:\d+: "),
    ("score_mod", lambda s, b, h, i, j: round(s, 99), r"expected decimals from -38 to 38, but got 99 in .*:\d+: "),
    ("score_mod", lambda b, h, i, j: i, r"expected a function of \(score, b, h, q_idx, kv_idx\), but got .*; a function of "
     r"\(b, h, q_idx, kv_idx\) is a mask: block_mask=create_block_mask"),
    ("score_mod", lambda b, h: b, r"expected a function of \(score, b, h, q_idx, kv_idx\), but got <[^;]*>$"),
    ("score_mod", np.zeros((4, 4)), "expected a function of Python, but got ndarray of float64; a bias is added by score_mod="),
    ("mask_mod", lambda s, b, h, i, j: i, r"expected a function of \(b, h, q_idx, kv_idx\)"),
    ("mask_mod", 5, "expected a function of Python, but got int"),
    ("score_mod", np.exp, "expected a function of Python, but got ufunc"),
])
def test_functions_that_are_none(kind, function, message):
    with pytest.raises(TypeError, match=f"argument '{kind}': {message}"):
        user_functions.traced(kind, function)


@pytest.mark.parametrize("array", [np.zeros(3, np.complex64), np.array(["a"]), np.zeros(3, np.uint64)])
def test_captured_arrays_of_other_types(array):
    with pytest.raises(TypeError, match="argument 'mask_mod': expected captured arrays of booleans, integers .* but got array of"):
        user_functions.traced("mask_mod", lambda b, h, i, j: array[i] == 1)


def test_what_the_function_raises_comes_through():
    def function(s, b, h, i, j):
        raise KeyError("own")

    with pytest.raises(KeyError, match="own"):
        user_functions.traced("score_mod", function)


def test_the_function_runs_once(capsys):
    """As Python does: it may print, and stop at a breakpoint."""

    def function(b, h, i, j):
        print(i)
        return i > j

    for call in range(3):
        user_functions.traced("mask_mod", function)
        assert capsys.readouterr().out == ("<argument of i32 in a score_mod or mask_mod>\n" if call == 0 else "")


def test_a_breakpoint(monkeypatch):
    """Stops in the user's own frame, whose values can be looked at and computed with."""
    import sys

    found = []

    def stop():
        frame = sys._getframe(1)
        names = frame.f_locals
        found.append((frame.f_code.co_name, names["size"], repr(names["distance"]), repr(names["distance"] * 2)))

    monkeypatch.setattr(sys, "breakpointhook", stop)

    def function(b, h, i, j, size=3):
        distance = i - j
        breakpoint()
        return distance < size

    user_functions.traced("mask_mod", function)
    (name, size, distance, twice), = found
    assert name == "function" and repr(size) == "<number of i32 in a score_mod or mask_mod>"
    assert distance == "<sub of i32 in a score_mod or mask_mod>" and twice == "<mul of i32 in a score_mod or mask_mod>"
