"""Captured arrays of every type at every kind of index on a GPU, and indices past an array's end, beside PyTorch in float64."""

import math

import pytest

torch = pytest.importorskip("torch")
sattn = pytest.importorskip("sattn")

B, H, M, N, D = 2, 3, 200, 168, 64
TYPES = ["bool", "int8", "uint8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"]
INDICES = {
    "batch": lambda b, h, q, kv: b, "head": lambda b, h, q, kv: h, "query": lambda b, h, q, kv: q, "key": lambda b, h, q, kv: kv,
    "part of a key": lambda b, h, q, kv: kv // 3, "distance": lambda b, h, q, kv: q - kv + N, "from the end": lambda b, h, q, kv: -1 - kv,
    "both": lambda b, h, q, kv: (q * 7 + kv) % 50}


def operands(dtype=torch.bfloat16):
    generator = torch.Generator("cuda").manual_seed(0)
    return [torch.randn(B, H, length, D, device="cuda", generator=generator).to(dtype) for length in (M, N, N)]


def positions():
    return [torch.arange(size, device="cuda").view([-1 if axis == place else 1 for place in range(4)])
            for axis, size in enumerate((B, H, M, N))]


def attention(query, key, value, scores=None, visible=None):
    found = query.double() @ key.double().transpose(-1, -2) / math.sqrt(D)
    if scores is not None:
        found = found + scores
    if visible is not None:
        found = found.masked_fill(~visible, -torch.inf)
    return torch.nan_to_num(torch.softmax(found, -1)) @ value.double()


def table_of(dtype, size=M + N):
    generator = torch.Generator("cuda").manual_seed(1)
    table = torch.randn(size, device="cuda", generator=generator) * 3
    return (table > 0) if dtype == "bool" else table.abs().to(getattr(torch, dtype)) if dtype == "uint8" else table.to(getattr(torch, dtype))


@pytest.mark.parametrize("name", INDICES)
@pytest.mark.parametrize("dtype", TYPES)
def test_score_mods(dtype, name):
    index, table = INDICES[name], table_of(dtype)
    out = sattn.flex_attention(*operands(), lambda score, b, h, q, kv: score + table[index(b, h, q, kv)])
    expected = attention(*operands(), table[index(*positions())].double())
    torch.testing.assert_close(out.double(), expected, rtol=0, atol=0.03)


@pytest.mark.parametrize("name", INDICES)
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float32"])
def test_mask_mods(dtype, name):
    index, table = INDICES[name], table_of(dtype)

    def mask_mod(b, h, q, kv):
        return (table[index(b, h, q, kv)] > 0) | (q == kv)

    mask = sattn.create_block_mask(mask_mod, B, H, M, N, device="cuda", BLOCK_SIZE=64)
    out = sattn.flex_attention(*operands(), block_mask=mask)
    visible = mask_mod(*positions())
    torch.testing.assert_close(out.double(), attention(*operands(), visible=visible), rtol=0, atol=0.03)
    assert mask.to_dense().sum() > 0


def test_indices_past_the_end():
    """The value is unspecified, but nothing asserts on the device, whoever makes the lists."""
    table = torch.arange(64, device="cuda") // 9
    for mask_mod in (lambda b, h, q, kv: table[q + 100] == table[kv - 300], lambda b, h, q, kv: (table[q * kv] > 2) & (q % 3 == kv % 5)):
        mask = sattn.create_block_mask(mask_mod, 1, 1, M, N, device="cuda", BLOCK_SIZE=64)
        out = sattn.flex_attention(*operands(), block_mask=mask)
        assert mask.to_dense().shape[-1] == 3 and not out.isnan().any()
    torch.cuda.synchronize()


def test_an_array_shorter_than_the_positions():
    documents = torch.arange(100, device="cuda")
    with pytest.raises((ValueError, IndexError), match="documents"):
        mask = sattn.create_block_mask(lambda b, h, q, kv: documents[q] == documents[kv], None, None, M, N, device="cuda")
        sattn.flex_attention(*operands(), block_mask=mask)
    torch.cuda.synchronize()


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 0, 1], [1, 2, 0]])
def test_the_full_block_past_the_end_at_any_place(order):
    """N is no multiple of the block: nothing past the end is counted."""
    counts = torch.full((1, 1, 4), 3, dtype=torch.int32, device="cuda")
    full = torch.tensor(order, dtype=torch.int32, device="cuda").expand(1, 1, 4, 3).contiguous()
    none = torch.zeros_like(counts), torch.zeros_like(full)
    mask = sattn.BlockMask.from_kv_blocks(*none, counts, full, BLOCK_SIZE=64, seq_lengths=(M, N))
    torch.testing.assert_close(sattn.flex_attention(*operands(), block_mask=mask).double(), attention(*operands()), rtol=0, atol=0.03)
