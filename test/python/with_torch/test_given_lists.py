"""Given lists of tensors: beside a band, changed by every means; orders of full blocks."""

import numpy as np
import pytest
import torch

import sattn


@pytest.mark.parametrize("change", ["numpy", "data", "in place"])
def test_lists_that_change_beside_a_band_are_read_again(change):
    q, k, v = (torch.randn(1, 1, 32, 16, generator=torch.Generator().manual_seed(seed)) for seed in range(3))
    counts, memory = torch.ones(1, 1, 2, dtype=torch.int32), np.zeros((1, 1, 2, 2), np.int32)
    indices = torch.from_numpy(memory)
    mask = sattn.BlockMask.from_kv_blocks(counts, indices, BLOCK_SIZE=16)
    before = sattn.flex_attention(q, k, v, block_mask=mask, causal=True)
    {"numpy": memory, "data": indices.data, "in place": indices}[change][0, 0, 1, 0] = 1
    fresh = sattn.BlockMask.from_kv_blocks(counts, indices.clone(), BLOCK_SIZE=16)
    after = sattn.flex_attention(q, k, v, block_mask=mask, causal=True)
    assert torch.equal(after, sattn.flex_attention(q, k, v, block_mask=fresh, causal=True))
    assert not torch.equal(before, after)
    indices.data[0, 0, 1, 0] = 99
    with pytest.raises(ValueError, match=r"blocks of keys in \[0, 2\)"):
        sattn.flex_attention(q, k, v, block_mask=mask, causal=True)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_full_block_that_ends_after_the_keys_is_at_any_place(order):
    q, k = torch.zeros(1, 1, 16, 16), torch.zeros(1, 1, 20, 16)
    v = torch.arange(20.0)[:, None].expand(1, 1, 20, 16).contiguous()
    none, two = (torch.full((1, 1, 1), count, dtype=torch.int32) for count in (0, 2))
    indices = torch.tensor(order, dtype=torch.int32).reshape(1, 1, 1, 2)
    mask = sattn.BlockMask.from_kv_blocks(none, indices, two, indices, BLOCK_SIZE=16, seq_lengths=(16, 20), compute_q_blocks=False)
    for _ in range(3):
        assert torch.allclose(sattn.flex_attention(q, k, v, block_mask=mask), torch.tensor(9.5))
