"""Calls of scatter_mm of a kind that was made before, on the CPU."""

import pytest
import torch

FORMATS = "scatter_mm", "bsr_strided_mm", "bsr_strided_mm_compressed"


def problem(package, format, batch=()):
    """blocks, others, indices_data, accumulators and what these become with each call: M, K, N = 48, 64, 32."""
    torch.manual_seed(0)
    blocks = torch.randint(-4, 5, (4, 16, 32)).float()
    crow, col = torch.tensor([0, 2, 2, 4], dtype=torch.int32), torch.tensor([0, 1, 1, 0], dtype=torch.int32)
    bsr = torch.sparse_bsr_tensor(crow, col, blocks, size=(48, 64))
    other = torch.randint(-4, 5, (*batch, 64, 32)).float()
    data = package.bsr_scatter_mm_indices_data(bsr, other, format)
    product = bsr.to_dense() @ other
    if format != "scatter_mm":
        return blocks, other, data, torch.zeros(*batch, 48, 32), product
    parts = product.view(3, 16, 2, 16).transpose(1, 2).reshape(6, 16, 16)
    return blocks, other.view(2, 32, 2, 16).transpose(1, 2).reshape(4, 32, 16), data, torch.zeros(6, 16, 16), parts


@pytest.fixture
def short(package, monkeypatch):
    """Takes away the long way."""
    from sattn._ops import scatter_mm

    def refused(*_):
        raise AssertionError("the long way was taken")

    return lambda: monkeypatch.setattr(scatter_mm, "multiply", refused)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("check", [None, False, True])
def test_repeated_sums(package, short, format, check):
    blocks, others, data, sums, product = problem(package, format)
    for turn in range(1, 4):
        version = sums._version
        # Others of the same shapes.
        found = package.scatter_mm(blocks * turn, others.clone(), data, accumulators=sums, check=check)
        assert found is sums and sums._version == version + 1
        assert torch.equal(sums, product * sum(range(turn + 1)))
        short()


@pytest.mark.parametrize("format", FORMATS[1:])
def test_batches_and_strides(package, short, format):
    blocks, others, data, _, product = problem(package, format, (2,))
    sums = torch.zeros(2, 32, 48).mT
    for turn in range(1, 3):
        package.scatter_mm(blocks, others, data, accumulators=sums)
        assert torch.equal(sums, product * turn)
        short()


def test_rows_without_a_list_stay(package, short):
    blocks, others, data, _, product = problem(package, FORMATS[2])
    sums = torch.ones(80, 32)
    for turn in range(1, 3):
        package.scatter_mm(blocks, others, data, accumulators=sums)
        assert torch.equal(sums[:48], product * turn + 1) and (sums[48:] == 1).all()
        short()


def test_new_sums(package, short):
    blocks, others, data, _, product = problem(package, "scatter_mm")
    first = package.scatter_mm(blocks, others, data)
    short()
    second = package.scatter_mm(blocks, others, data)
    assert torch.equal(first, product) and torch.equal(second, product) and first is not second


@pytest.mark.parametrize("format", FORMATS)
def test_what_is_no_repetition(package, format):
    blocks, others, data, sums, product = problem(package, format)
    for _ in range(2):
        package.scatter_mm(blocks, others, data, accumulators=sums)
    bad = data[1].clone()
    bad[-1] = 99
    cut = blocks.clone()
    cut.untyped_storage().resize_(64)
    for _ in range(2):
        with pytest.raises(ValueError, match="c_offsets|c_indices"):
            package.scatter_mm(blocks, others, (format, bad, *data[2:]), accumulators=sums)
        with pytest.raises(ValueError, match="argument 'others': expected elements of f32"):
            package.scatter_mm(blocks, others.half(), data, accumulators=sums)
        with pytest.raises(ValueError, match="argument 'accumulators'"):
            package.scatter_mm(blocks, others, data, accumulators=sums[..., :8])
        with pytest.raises(ValueError, match="argument 'blocks': expected a tensor whose storage holds its elements"):
            package.scatter_mm(cut, others, data, accumulators=sums)
        with pytest.raises(ValueError, match="argument 'precision'"):
            package.scatter_mm(blocks, others, data, accumulators=sums, precision="low")
        with pytest.raises(ValueError, match="expected .* but got 2 members"):
            package.scatter_mm(blocks, others, data[:2], accumulators=sums)
        zeros = torch.zeros_like(sums)
        wide = package.scatter_mm(blocks, others, data, accumulators=torch.zeros_like(sums, dtype=torch.float16))
        assert wide.dtype == torch.float16 and torch.equal(wide.float(), product)
        weights = torch.nn.Parameter(blocks)
        assert package.scatter_mm(weights, others, data, accumulators=zeros).requires_grad
        with torch.no_grad():
            assert torch.equal(package.scatter_mm(weights, others, data, accumulators=torch.zeros_like(sums)), product)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            assert torch.equal(package.scatter_mm(blocks, others, data, accumulators=torch.zeros_like(sums)), product)


@pytest.mark.parametrize("format", FORMATS[1:])
def test_parts_that_do_not_divide(package, format):
    blocks, others, data, sums, _ = problem(package, format)
    package.scatter_mm(blocks, others, data, accumulators=sums)
    for split, message in [(3, "'SPLIT_N' 3 that divides the columns"), (True, "positive integer"), (0, "positive integer")]:
        with pytest.raises(ValueError, match=message):
            package.scatter_mm(blocks, others, (*data[:-1], {"SPLIT_N": split}), accumulators=sums)
    with pytest.raises(ValueError, match="argument 'others': expected rows for whole blocks of 32"):
        package.scatter_mm(blocks, others[:40], data, accumulators=sums)
