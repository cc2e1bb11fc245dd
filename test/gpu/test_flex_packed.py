"""sattn.flex_attention of few queries on a GPU: packed heads, repeated calls, and a cache that is filled in part."""

import pytest

sattn = pytest.importorskip("sattn")
torch = pytest.importorskip("torch")

BATCH, HEADS, KV_HEADS, KEYS, COLUMNS = 3, 8, 2, 300, 128


def operands(queries, seed=0):
    torch.manual_seed(seed)
    return [torch.randn(BATCH, heads, length, COLUMNS, device="cuda", dtype=torch.bfloat16)
            for heads, length in ((HEADS, queries), (KV_HEADS, KEYS), (KV_HEADS, KEYS))]


def attention(query, key, value, seen):
    query, key, value = (array.double() for array in (query, key, value))
    key, value = (array.repeat_interleave(HEADS // KV_HEADS, 1) for array in (key, value))
    scores = (query @ key.mT / COLUMNS**0.5).masked_fill(~seen, -torch.inf)
    # A query that sees nothing has 0.
    return torch.softmax(scores, -1).nan_to_num() @ value, scores.logsumexp(-1)


def close(found, expected):
    torch.testing.assert_close(found.double(), expected, rtol=0, atol=1.6e-2)


@pytest.mark.parametrize("is_transposed", [False, True])
@pytest.mark.parametrize("queries", [1, 5, 16])
def test_repeated_calls(queries, is_transposed):
    for seed in range(3):
        query, key, value = operands(queries, seed)
        if is_transposed:
            query = query.transpose(1, 2).contiguous().transpose(1, 2)
        seen = torch.ones(queries, KEYS, dtype=torch.bool, device="cuda").tril(KEYS - queries)
        out, lse = sattn.flex_attention(query, key, value, enable_gqa=True, causal="bottom_right", return_lse=True)
        expected, expected_lse = attention(query, key, value, seen)
        close(out, expected)
        torch.testing.assert_close(lse.double(), expected_lse, rtol=0, atol=2e-3)
        assert out.shape == query.shape and (queries == 1 or out.stride() == query.stride())


@pytest.mark.parametrize("queries", [1, 5, 100])
def test_a_cache_that_is_filled_in_part(queries):
    """The unfilled part may hold anything: with a length for each batch (lists of blocks), and with one for all."""
    lengths = torch.tensor([0, 41, 129], dtype=torch.int32, device="cuda")
    filled = 130
    functions = ((lambda b, h, i, j: j < lengths[b], lengths),
                 (lambda b, h, i, j: j < filled, torch.full((BATCH,), filled, device="cuda")))
    for mask_mod, ends in functions:
        query, key, value = operands(queries)
        seen = torch.arange(KEYS, device="cuda") < ends[:, None, None, None]
        expected, _ = attention(query, key, value, seen)
        for array in (key, value):
            array.transpose(1, 2)[~seen[:, 0, 0]] = torch.nan
        mask = sattn.create_block_mask(mask_mod, None, None, queries, KEYS, device="cuda")
        for _ in range(2):
            close(sattn.flex_attention(query, key, value, block_mask=mask, enable_gqa=True), expected)
