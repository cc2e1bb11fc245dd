"""Functions and methods in a score_mod, under all names and in both libraries' orders of arguments, against themselves on
arrays and tensors; and what is refused."""

import math

import numpy as np
import pytest

pytest.importorskip("tvm_ffi")
from masks import grid  # noqa: E402
from sattn._arrays import evaluation  # noqa: E402
from sattn._trace import user_functions  # noqa: E402

SHAPE = 2, 3, 9, 11
SCORES = np.linspace(-3, 3, math.prod(SHAPE), dtype=np.float32).reshape(SHAPE)
BYTES = np.arange(250, 261).astype(np.uint8)
WIDE = np.array([3, -4, 5], np.int64)
INTEGER, LARGE, NEGATIVE = 3, 2**20 + 1, -5
BYTE, SHORT, LONG = np.uint8(200), np.array(9000, np.int16), np.int64(2**24)


@pytest.fixture(autouse=True)
def nothing_kept():
    user_functions.clear()
    yield
    user_functions.clear()


def value_of(function):
    found, captured = user_functions.traced("score_mod", function)
    arguments = dict(zip(("b", "h", "q_idx", "kv_idx"), (index.astype(np.int32) for index in grid(SHAPE))), score=SCORES)
    value = evaluation.evaluate(found.result, arguments, user_functions.host_arrays(captured), evaluation.library())
    return np.broadcast_to(value, SHAPE)


NUMPY = {
    "clip": lambda s, b, h, i, j: np.clip(s, -1, 2) + np.clip(i, a_min=2, a_max=5) + s.clip(-2, 1),
    "round": lambda s, b, h, i, j: np.round(s, 1) + s.round(2) + np.around(s, decimals=1) + i.round(),
    "whole": lambda s, b, h, i, j: np.rint(s) + np.trunc(s) + np.fix(s) + np.floor(i),
    "divmod": lambda s, b, h, i, j: np.divmod(i, 4)[0] + np.divmod(i, 4)[1] * 2 + divmod(i, 3)[1] + divmod(20, i + 1)[0],
    "isin": lambda s, b, h, i, j: np.where(np.isin(i, [1, 5]), s, 0) + np.isin(j, WIDE, invert=True),
    "nan": lambda s, b, h, i, j: np.nan_to_num(np.sqrt(s), nan=2.0) + np.isfinite(1 / (i * 1.0)),
    "infinite": lambda s, b, h, i, j: np.nan_to_num(1 / (i * 1.0), posinf=5.0) + np.isposinf(1 / (i * 1.0)),
    "casts": lambda s, b, h, i, j: (s * 100).astype("i2") + (i * 60).astype("u1") + (i * 9000).astype("u2")
    + s.astype("f2") + (i > 2).astype(np.dtype("i8")),
    "python casts": lambda s, b, h, i, j: s.astype(int) + s.astype(float) + s.astype(bool) + (j / 3).astype(dtype="int"),
    "exponents": lambda s, b, h, i, j: s + np.float_power(i, 2) + (i - j) ** INTEGER + 2 ** h + (i - 4.0) ** (j % 3),
    "zero powers": lambda s, b, h, i, j: s + (i * 0.0) ** (j * 0.0) + (i * 0) ** (j * 0),
    "bytes": lambda s, b, h, i, j: s + (BYTES[i] - BYTES[j]) + BYTES[i] * 2 + (-BYTES[j]) + ~BYTES[i] + (BYTES[i] << 1),
    "sum of booleans": lambda s, b, h, i, j: s + ((i > 2) + (j > 2)) + (i > 2) * (j > 3) + (i > 2) * 2,
    "wide": lambda s, b, h, i, j: s + (i + WIDE[h]) // 2 + WIDE[h] * (i * i),
    "python's integers": lambda s, b, h, i, j: s + LARGE * LARGE * LARGE % 1000 + i,
    "numbers of types": lambda s, b, h, i, j: s + (BYTE + BYTES[i]) + (BYTE - i) + SHORT * (i * 0 + 7).astype(np.int16) + LONG * (i * i),
    "divisors of zero": lambda s, b, h, i, j: s + i // (j * 0) + i % (j * 0),
    "shifts": lambda s, b, h, i, j: s + (i << 40) + ((i - 5) >> (j - 3)) + (i << NEGATIVE) + ((i - 5) >> 90),
    "signs": lambda s, b, h, i, j: np.sign(s) + np.sign(i - j) + np.fabs(i - j) + np.fmod(i - j, 3) + np.fmod(s, 0.5),
}


@pytest.mark.parametrize("name", NUMPY)
def test_numpy(name):
    function = NUMPY[name]
    with np.errstate(all="ignore"):
        expected = function(SCORES, *(index.astype(np.int32) for index in grid(SHAPE)))
    np.testing.assert_allclose(value_of(function), np.broadcast_to(expected, SHAPE).astype(np.float32), rtol=2e-6, atol=2e-6)


def torch_functions(torch):
    functional = torch.nn.functional
    table = torch.tensor([4, -3, 9], dtype=torch.int16)
    return {
        "to": lambda s, b, h, i, j: s.to("cpu") + s.to("cpu", torch.int32) + s.to(torch.device("cpu"), torch.float16)
        + s.to(dtype=torch.int64) + s.to(i) + i.to(torch.float32, True) + s.to(device="cpu"),
        "type": lambda s, b, h, i, j: s.type(torch.int32) + s.type("torch.ByteTensor").int() + s.type_as(table[h]) + i.type_as(s),
        "casts": lambda s, b, h, i, j: s.short() + (i * 30).char() + (i * 60).byte() + s.half().float() + s.bfloat16().float() + s.bool() + s.long(),
        "where": lambda s, b, h, i, j: s.where(i > j, i * 1.0) + torch.where(i > j, s, 0.0) + i.where(j > 2, j),
        "masked_fill": lambda s, b, h, i, j: s.masked_fill(i > j, -2) + i.masked_fill(j > 3, 7),
        "clamp": lambda s, b, h, i, j: s.clamp(-1) + s.clamp(max=1) + torch.clamp(s, min=-1, max=2) + s.clamp_min(0)
        + s.clamp_max(0.5) + torch.clip(i, 2, 4) + torch.clamp(input=s, min=0.0),
        "alpha": lambda s, b, h, i, j: s.add(i, alpha=2) + torch.add(i, j, alpha=3) + torch.sub(s, i, alpha=0.5) + torch.rsub(s, 2),
        "round": lambda s, b, h, i, j: s.round(decimals=1) + torch.round(s, decimals=2) + torch.round(s) + i.round() + s.trunc(),
        "activations": lambda s, b, h, i, j: functional.relu(s) + torch.relu(s - 1) + s.relu() + functional.gelu(s)
        + functional.gelu(s, approximate="tanh") + functional.softplus(s, 2, 3) + functional.logsigmoid(s) + functional.silu(s),
        "special": lambda s, b, h, i, j: torch.special.expm1(s) + torch.log1p(i * 1.0) + torch.erf(s) + torch.special.expit(s)
        + torch.log10(i + 1.0) + torch.special.erf(s) + s.expm1() + torch.sigmoid(s),
        "isin": lambda s, b, h, i, j: torch.isin(i, torch.tensor([1, 5])) + s + torch.isin(j, table),
        "nan": lambda s, b, h, i, j: torch.nan_to_num(s.sqrt(), nan=1.0) + torch.isfinite(1.0 / i) + torch.sign(s),
        "powers": lambda s, b, h, i, j: torch.pow(input=s, exponent=2) + torch.pow(i - j, 3) + torch.pow(i - j, h) + torch.pow(2.0, -h),
        "divisions": lambda s, b, h, i, j: i.div(j + 1, rounding_mode="floor") + torch.div(i - j, 3, rounding_mode="trunc")
        + torch.div(s, 0.4, rounding_mode="trunc") + torch.remainder(s, -0.5) + torch.fmod(i - j, -3) + i.true_divide(j + 1),
        "made": lambda s, b, h, i, j: s.new_full((), 2.5) + torch.full_like(i, 3) + torch.zeros_like(s) + i.new_ones(()),
        "minima": lambda s, b, h, i, j: torch.fmin(s.sqrt(), i * 1.0) + torch.fmax(s.log(), j * 1.0) + torch.max(i, j) + i.minimum(j),
    }


NAMES = [
    "to", "type", "casts", "where", "masked_fill", "clamp", "alpha", "round", "activations", "special", "isin", "nan", "powers",
    "divisions", "made", "minima"]


@pytest.mark.parametrize("function, message", [
    (lambda s, b, h, i, j: s.astype("nonsense"), "expected a type bool, .* but got 'nonsense' in .*: "),
    (lambda s, b, h, i, j: s.astype("complex64"), "expected a type bool, .* but got 'complex64' in "),
    (lambda s, b, h, i, j: s.astype("uint64"), "expected a type bool, .* but got 'uint64' in "),
    (lambda s, b, h, i, j: s + ((i > 0) - (j > 0)), r"expected a number under - .*, but got two booleans in "),
    (lambda s, b, h, i, j: s + -(i > 0), r"expected a number under - .*, but got a boolean in "),
    (lambda s, b, h, i, j: s + i ** -1, r"expected integers of at least 0 as exponents of integers .*, but got -1 in "),
    (lambda s, b, h, i, j: s + i ** NEGATIVE, r"expected integers of at least 0 as exponents of integers .*, but got -5 in "),
    (lambda s, b, h, i, j: s + ~s, "expected a boolean or an integer under ~, but got a float in "),
    (lambda s, b, h, i, j: np.max(s), "expected functions of elements, .* but got a reduction"),
    (lambda s, b, h, i, j: np.round(s, 99), "expected decimals from -38 to 38, but got 99 in "),
    (lambda s, b, h, i, j: np.isin(i, range(1000)) + s, "expected at most 256 elements in isin.*, but got 1000 in "),
    (lambda s, b, h, i, j: s.type(), r"expected a type as the argument of type\(\), but got none in "),
    (lambda s, b, h, i, j: i.masked_fill(j > 2, 1.5) + s, "expected an integer to fill integers with, but got a float in "),
    (lambda s, b, h, i, j: np.zeros_like(s, None, 3) + s, r"expected arguments of zeros_like\(\) that can be traced"),
    (lambda s, b, h, i, j: s.float(3), r"expected arguments of float\(\) that can be traced"),
])
def test_refused(function, message):
    with pytest.raises(TypeError, match=f"argument 'score_mod': {message}"):
        user_functions.traced("score_mod", function)


def test_a_captured_exponent_is_followed(sattn):
    """The products are those of the exponent of each call."""
    exponent = 2
    query = np.ones((1, 1, 4, 8), np.float32)
    value = np.broadcast_to(np.arange(4, dtype=np.float32)[:, None], (1, 1, 4, 8)).copy()

    def score_mod(score, b, h, q_idx, kv_idx):
        return score - (q_idx - kv_idx) ** exponent

    for exponent in (2, 3, 2, 0):
        scores = -(np.subtract.outer(np.arange(4), np.arange(4)).astype(float) ** exponent)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        expected = weights @ np.arange(4) / weights.sum(-1)
        np.testing.assert_allclose(sattn.flex_attention(query, query, value, score_mod)[0, 0, :, 0], expected, rtol=1e-5)


def test_integers_are_divided_as_numpy_divides(sattn):
    """In compiled code: rounded down, with the sign of the divisor, and 0 by 0. Each head has a quotient of its own."""
    functions = (lambda i: i // -3, lambda i: i % -3, lambda i: (i - 9) // 4, lambda i: (i - 9) % 4,
                 lambda i: i // (4 - i), lambda i: i % (4 - i), lambda i: (i - 9) // (i - 4), lambda i: (i - 9) % (i - 4))

    def score_mod(score, b, h, i, j):
        for number, function in enumerate(functions):
            score = np.where(h == number, score + function(i), score)
        return score

    query = np.zeros((1, len(functions), 20, 8), np.float32)
    with np.errstate(divide="ignore"):
        expected = [function(np.arange(20, dtype=np.int32)) for function in functions]
    lse = sattn.flex_attention(query, query[:, :, :1], query[:, :, :1], score_mod, return_lse=True)[1]
    np.testing.assert_array_equal(np.round(lse[0]), expected)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_integers_of_quotients(sattn, dtype):
    """A quotient that becomes an integer, or is compared, is no product with a reciprocal, whatever the operands' type."""
    query, key = np.zeros((1, 1, 4096, 8), dtype), np.zeros((1, 1, 1, 8), dtype)
    places = np.arange(4096)
    for function, expected in ((lambda s, b, h, i, j: s + (i / 49).astype(np.int32), places // 49),
                               (lambda s, b, h, i, j: s + np.floor(i / 41), places // 41),
                               (lambda s, b, h, i, j: s + np.where(i / 49 >= 7, 3.0, 1.0), np.where(places >= 343, 3, 1))):
        lse = sattn.flex_attention(query, key, key, function, return_lse=True)[1]
        np.testing.assert_array_equal(np.round(lse[0, 0]), expected)
