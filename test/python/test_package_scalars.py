"""Scalar arguments: what a number is."""

import fractions

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("tvm_ffi")
from test_package_bsr import matrix, near  # noqa: E402

bf16 = np.dtype(ml_dtypes.bfloat16)


@pytest.fixture
def product(sattn):
    rng = np.random.default_rng(0)
    bsr, a = matrix(rng)
    dense = rng.standard_normal((80, 8), np.float32)
    added = rng.standard_normal((64, 8), np.float32)
    return lambda **scalars: (sattn.bsr_dense_addmm(added, bsr, dense, **scalars), a @ dense, added)


@pytest.mark.parametrize("number", [
    2, 2.0, np.float32(2), np.float64(2), np.float16(2), np.int8(2), np.uint64(2), bf16.type(2), np.array(2),
    np.array(2.0, np.float32), np.array(2.0, ">f8"), np.array(2, bf16), fractions.Fraction(2)])
def test_numbers(product, number):
    result, ab, added = product(alpha=number, beta=number)
    near(result, 2 * ab + 2 * added)


@pytest.mark.parametrize("number", [True, np.True_, np.array(True)])
def test_booleans(product, number):
    result, ab, added = product(alpha=number, beta=number)
    near(result, ab + added)


@pytest.mark.parametrize("number, error, message", [
    ("1", TypeError, "expected a real number, but got str"),
    (None, TypeError, "expected a real number, but got NoneType"),
    (1j, TypeError, "expected a real number, but got complex"),
    ([1], TypeError, "expected a real number, but got list"),
    (np.complex64(1), TypeError, "expected a real number, but got complex64"),
    (np.array(1j), TypeError, "expected a real number, but got ndarray"),
    (np.array("1"), TypeError, "expected a real number, but got ndarray"),
    (np.timedelta64(1), TypeError, "expected a real number, but got timedelta64"),
    (np.ones(1), TypeError, r"expected a real number, but got an array of shape \(1,\)"),
    (np.ma.masked, TypeError, "expected an array without a mask, but got a MaskedConstant; use filled"),
    (10**400, ValueError, "expected a number that a float holds, but got a larger one")])
@pytest.mark.parametrize("name", ["alpha", "beta"])
def test_what_is_no_number(product, name, number, error, message):
    with pytest.raises(error, match=f"argument '{name}': {message}"):
        product(**{name: number})
