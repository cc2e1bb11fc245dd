"""Repeated calls of sampled_addmm and bsr_softmax with PyTorch's tensors on the CPU, where it is installed."""

import numpy as np
import pytest
import torch

from test_package_sampled import expected_of, matrices, pattern_of  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:Sparse")


@pytest.fixture
def package(sattn):
    sattn.cache.clear()
    yield sattn
    sattn.cache.clear()


@pytest.fixture
def given():
    pattern = pattern_of(np.random.default_rng(0), (16, 16), np.float32)
    arrays = matrices(np.random.default_rng(1), pattern, 24, np.float32)
    return tuple(map(torch.from_numpy, pattern)), *map(torch.from_numpy, arrays)


@pytest.fixture
def short(monkeypatch):
    """Takes away the long way."""
    def take_away():
        from sattn._arrays import sparse_operand

        def refused(*_):
            raise AssertionError("the long way was taken")
        monkeypatch.setattr(sparse_operand, "operand_of", refused)
        monkeypatch.setattr(sparse_operand, "Operand", refused)
    return take_away


def sparse(pattern):
    return torch.sparse_bsr_tensor(*pattern, (64, 80))


def wanted(pattern, mat1, mat2, **numbers):
    return torch.from_numpy(expected_of([array.numpy() for array in pattern], mat1.numpy(), mat2.numpy(), **numbers))


def near(result, expected):
    torch.testing.assert_close(result.double(), expected.double(), rtol=0, atol=1e-4)


@pytest.mark.parametrize("kind", ["tuple", "tensor"])
@pytest.mark.parametrize("beta", [0, 0.5])
@pytest.mark.parametrize("is_transposed", [False, True])
def test_repeated_products(package, given, short, kind, beta, is_transposed):
    pattern, mat1, mat2 = given
    if is_transposed:
        mat2 = mat2.T.contiguous().T
    input = pattern if kind == "tuple" else sparse(pattern)
    for turn in range(3):
        if turn:
            short()
        alpha = 1.0 + turn
        found = package.sampled_addmm(input, mat1 + turn, mat2, alpha=alpha, beta=beta)
        expected = wanted(pattern, mat1 + turn, mat2, alpha=alpha, beta=beta)
        if kind == "tuple":
            assert found[0] is pattern[0] and found[1] is pattern[1]
            near(found[2], expected)
        else:
            assert found.shape == input.shape and found.col_indices().equal(pattern[1])
            near(found.values(), expected)


def test_repeated_products_in_place(package, given, short):
    pattern, mat1, mat2 = given
    for turn in range(3):
        if turn:
            short()
        expected, version = wanted(pattern, mat1, mat2, beta=0.5), pattern[2]._version
        assert package.sampled_addmm(pattern, mat1, mat2, beta=0.5, out=pattern) is pattern
        near(pattern[2], expected)
        assert pattern[2]._version == version + 1


def test_what_is_no_repetition(package, given):
    pattern, mat1, mat2 = given
    crow, col, values = pattern
    for _ in range(2):
        package.sampled_addmm(pattern, mat1, mat2)
    bad = col.clone()
    bad[0] = 7
    for _ in range(2):
        with pytest.raises(ValueError, match="col"):
            package.sampled_addmm((crow, bad, values), mat1, mat2)
        with pytest.raises(ValueError, match="argument 'mat1': expected elements of f32"):
            package.sampled_addmm(pattern, mat1.half(), mat2)
        with pytest.raises(ValueError, match="argument 'mat2': expected 80 columns, those of input"):
            package.sampled_addmm(sparse(pattern), mat1, mat2[:, :64])
        assert package.sampled_addmm(pattern, mat1, torch.nn.Parameter(mat2))[2].requires_grad
        with torch.no_grad():
            near(package.sampled_addmm(pattern, mat1, torch.nn.Parameter(mat2))[2], wanted(pattern, mat1, mat2))
        near(package.sampled_addmm(pattern, mat1, mat2)[2], wanted(pattern, mat1, mat2))
        mask = crow, col, torch.ones(values.shape, dtype=torch.bool)
        near(package.sampled_addmm(mask, mat1, mat2, beta=0)[2], wanted(pattern, mat1, mat2, beta=0))
        near(torch.stack([*package.sampled_addmm(pattern, torch.stack([mat1, 2 * mat1]), mat2, beta=0)[2]]),
             torch.stack([wanted(pattern, mat1, mat2, beta=0), 2 * wanted(pattern, mat1, mat2, beta=0)]))


@pytest.mark.parametrize("kind", ["tuple", "tensor"])
def test_repeated_softmax(package, given, short, kind):
    pattern = given[0]
    expected = package.bsr_softmax(tuple(array.numpy() for array in pattern))[2]
    input = pattern if kind == "tuple" else sparse(pattern)
    for turn in range(3):
        if turn:
            short()
        found = package.bsr_softmax(input)
        near(found[2] if kind == "tuple" else found.values(), torch.from_numpy(expected))
        if kind == "tensor":
            assert found.crow_indices().data_ptr() != pattern[0].data_ptr()


def test_softmax_that_is_no_repetition(package, given):
    crow, col, values = given[0]
    for _ in range(2):
        package.bsr_softmax((crow, col, values))
    bad = crow.clone()
    bad[-1] += 1
    for _ in range(2):
        with pytest.raises(ValueError, match="crow"):
            package.bsr_softmax((bad, col, values))
        assert package.bsr_softmax((crow, col, torch.nn.Parameter(values)))[2].requires_grad
        with pytest.raises(NotImplementedError, match="expected a tensor with memory of its own"):
            torch.vmap(lambda values: package.bsr_softmax((crow, col, values))[2])(values[None])
