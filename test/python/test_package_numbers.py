"""Scalar arguments: what a number is."""

import fractions

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("tvm_ffi")
import fake_torch  # noqa: E402
import fake_torch_cpu  # noqa: E402
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


def test_tensors_on_the_cpu(package, torch, monkeypatch):
    monkeypatch.setattr(torch, "Tensor", fake_torch_cpu.Tensor)
    bsr, dense = matrix(np.random.default_rng(0)), np.ones((80, 8), np.float32)
    alpha = fake_torch_cpu.Tensor(np.array(2.0, np.float32))
    near(package.bsr_dense_addmm(None, bsr[0], dense, alpha=alpha, beta=0), 2 * bsr[1] @ dense)
    alpha.requires_grad = True
    with pytest.raises(NotImplementedError, match="argument 'alpha': expected a tensor that requires no gradient"):
        package.bsr_dense_addmm(None, bsr[0], dense, alpha=alpha, beta=0)
    with torch.no_grad():
        package.bsr_dense_addmm(None, bsr[0], dense, alpha=alpha, beta=0)


def test_tensors_on_a_gpu_are_refused(package):
    bsr = fake_torch.sparse([0, 1, 2], [0, 0], (64, 64), 64)
    for _ in range(2):
        with pytest.raises(ValueError, match="argument 'alpha': expected a number or a tensor on the CPU, but got .*"
                                             "cuda:0"):
            package.bsr_dense_addmm(None, bsr, fake_torch.zeros(64, 64), beta=0, alpha=fake_torch.zeros())
        package.bsr_dense_addmm(None, bsr, fake_torch.zeros(64, 64), beta=0)
