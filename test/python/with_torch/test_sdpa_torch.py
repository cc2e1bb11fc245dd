"""sattn.scaled_dot_product_attention with PyTorch itself, on the CPU: where it is installed."""

import pytest
import torch


pytestmark = pytest.mark.filterwarnings("ignore:Sparse")


@pytest.fixture
def package(sattn):
    sattn.cache.clear()
    yield sattn
    sattn.cache.clear()


def test_a_mask_of_torch(package):
    torch.manual_seed(0)
    visible = (torch.rand(4, 5) < 0.5).repeat_interleave(16, 0).repeat_interleave(16, 1)
    visible[16:32] = False
    query, key, value = (torch.randn(2, size, 24) for size in (64, 80, 80))
    scores = (query @ key.mT * 24**-0.5).masked_fill(~visible, float("-inf"))
    expected = scores.softmax(-1).nan_to_num(0) @ value
    result = package.scaled_dot_product_attention(query, key, value, visible.float().to_sparse_bsr((16, 16)))
    torch.testing.assert_close(result, expected, rtol=1e-4, atol=1e-5)


def test_dropout_is_repeated_by_the_seed(package):
    crow, col = torch.arange(0, 21, 5, dtype=torch.int32), torch.arange(5, dtype=torch.int32).repeat(4)
    mask = crow, col, torch.ones(20, 8, 16, dtype=torch.bool)
    query, key, value = torch.zeros(32, 8), torch.zeros(80, 8), torch.eye(80)
    torch.manual_seed(3)
    first, second = (package.scaled_dot_product_attention(query, key, value, mask, 0.5) for _ in range(2))
    torch.manual_seed(3)
    assert torch.equal(package.scaled_dot_product_attention(query, key, value, mask, 0.5), first)
    assert not torch.equal(first, second)
    assert abs((first > 0).double().mean() - 0.5) < 0.05
