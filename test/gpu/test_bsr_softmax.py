"""sattn.bsr_softmax on a GPU, against softmax in double precision."""

import pytest

sattn = pytest.importorskip("sattn")
torch = pytest.importorskip("torch")

TOLERANCE = {torch.float32: 2e-6, torch.bfloat16: 4e-3, torch.float16: 5e-4}


def matrix_of(block, dtype, batch=(), index=torch.int32, rows=9):
    """(crow, col, values) of block rows of unequal length: one is full, one empty."""
    torch.manual_seed(0)
    present = torch.rand(rows, 11) < 0.4
    present[2], present[4] = True, False
    crow = torch.cat([torch.zeros(1), present.sum(1).cumsum(0)]).to("cuda", index)
    col = present.nonzero()[:, 1].to("cuda", index)
    return crow, col, (torch.randn(*batch, len(col), *block, device="cuda") * 3).to(dtype)


def softmax(crow, values):
    result = torch.zeros(values.shape, dtype=torch.float64, device="cuda")
    for begin, end in zip(crow[:-1].tolist(), crow[1:].tolist()):
        if begin == end:
            continue
        rows = values[..., begin:end, :, :].double().transpose(-3, -2)
        flat = torch.softmax(rows.flatten(-2), -1)
        flat = torch.where((rows.flatten(-2) == -torch.inf).all(-1, keepdim=True), 0, flat)
        result[..., begin:end, :, :] = flat.view(rows.shape).transpose(-3, -2)
    return result


@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize("block", [(1, 1), (2, 3), (15, 15), (8, 8), (16, 32), (32, 16), (64, 64), (128, 128), (67, 9), (24, 200), (260, 16)], ids=str)
def test_blocks_of_any_size(block, dtype):
    crow, col, values = matrix_of(block, dtype)
    result = sattn.bsr_softmax((crow, col, values))[2]
    torch.testing.assert_close(result.double(), softmax(crow, values), atol=TOLERANCE[dtype], rtol=0)


@pytest.mark.parametrize("batch", [(1,), (3,), (2, 3)], ids=str)
def test_batches(batch):
    crow, col, values = matrix_of((16, 16), torch.bfloat16, batch, torch.int64)
    result = sattn.bsr_softmax((crow, col, values))[2]
    torch.testing.assert_close(result.double(), softmax(crow, values), atol=4e-3, rtol=0)


def test_extreme_elements():
    crow, col, values = matrix_of((16, 24), torch.float32)
    values[:, 3] = -torch.inf
    values[0, 5, 1] = torch.nan
    values[0, 6, 7] = torch.inf
    values[:, 7] *= 1e37
    values[::2, 8] = -torch.inf
    expected = softmax(crow, values)
    result = sattn.bsr_softmax((crow, col, values))[2]
    assert (result[:, 3] == 0).all() and result[0, 5:7].isnan().all()
    torch.testing.assert_close(result.double(), expected, atol=2e-6, rtol=0, equal_nan=True)


@pytest.mark.parametrize("block", [(1, 1), (2, 50)], ids=str)
def test_a_long_row(block):
    count = 150_000 // block[1]
    crow, col = torch.tensor([0, count], device="cuda"), torch.arange(count, device="cuda")
    values = torch.rand(count, *block, device="cuda") * 2 + 1
    result = sattn.bsr_softmax((crow, col, values), 150_000)[2]
    torch.testing.assert_close(result.double(), softmax(crow, values), atol=0, rtol=2e-5)


def test_any_strides():
    crow, col, values = matrix_of((16, 16), torch.bfloat16)
    expected = softmax(crow, values)
    for strided in (values.transpose(-1, -2).contiguous().transpose(-1, -2), values.repeat_interleave(2, -1)[..., ::2],
                    torch.nn.functional.pad(values, (1, 2))[..., 1:-2]):
        assert not strided.is_contiguous()
        result = sattn.bsr_softmax((crow, col, strided))[2]
        torch.testing.assert_close(result.double(), expected, atol=4e-3, rtol=0)


def test_a_matrix_of_pytorch():
    crow, col, values = matrix_of((64, 64), torch.bfloat16)
    matrix = torch.sparse_bsr_tensor(crow, col, values, size=(9 * 64, 11 * 64))
    result = sattn.bsr_softmax(matrix)
    assert result.layout == torch.sparse_bsr and result.shape == matrix.shape
    assert torch.equal(result.values(), sattn.bsr_softmax(sattn.prepare(matrix)).values)
    with pytest.raises(ValueError, match="argument 'crow'"):
        sattn.bsr_softmax((crow.flip(0), col, values), check=True)
