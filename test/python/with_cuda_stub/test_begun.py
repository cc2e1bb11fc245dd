"""Programs that are compiled while others are: what a new mask needs on a GPU."""

import cuda_tensors
import pytest

LENGTH = 256


@pytest.fixture
def on_gpu(package, monkeypatch):
    """The package, which makes lists of short masks on a GPU, too."""
    from sattn._masks import mask_lists

    monkeypatch.setattr(mask_lists, "MOST_EVALUATED", 0)
    return package


def products(b, h, q_idx, kv_idx):
    return q_idx * kv_idx % 3 == 0


def by_head(b, h, q_idx, kv_idx):
    return q_idx * kv_idx % 3 == h


@pytest.mark.parametrize("separate", [True, False])
@pytest.mark.parametrize("mask_mod", [products, by_head])
def test_what_a_new_mask_needs(on_gpu, mask_mod, separate):
    """Nothing is compiled twice, nor begun in vain."""
    cache = on_gpu._call.cache
    query, key, value = (cuda_tensors.zeros(2, 2, LENGTH, 64) for _ in range(3))
    before = cache.info().compilations
    mask = on_gpu.create_block_mask(mask_mod, 2, 2, LENGTH, LENGTH, separate_full_blocks=separate)
    on_gpu.flex_attention(query, key, value, block_mask=mask)
    assert not on_gpu._call.cache._pending
    assert cache.info().compilations - before == cache.info().kernels == 3
    on_gpu.flex_attention(query, key, value, block_mask=mask)
    assert cache.info().compilations - before == 3


def test_a_program_that_is_refused(on_gpu):
    """By the call that needs it, and by the next one again."""
    from sattn._masks.block_lists import BlockLists

    class Wrong(BlockLists):
        def text(self):
            return "func.func @block_lists() { sattn.none }"

    for _ in range(2):
        on_gpu.cache.begin(Wrong(True), 0)
        on_gpu.cache.begin(Wrong(True), 0)
        with pytest.raises(NotImplementedError, match="sattn.none"):
            on_gpu.cache.program(Wrong(True), 0)
    assert not on_gpu._call.cache._pending


def test_given_lists_begin_nothing(on_gpu, monkeypatch):
    """Attention's program alone, by the call itself."""
    cache = on_gpu._call.cache
    monkeypatch.setattr(cache, "begin", lambda *_: pytest.fail("a thread for one program"))
    numbers, columns = cuda_tensors.zeros(1, 1, 4, dtype="int32"), cuda_tensors.zeros(1, 1, 4, 4, dtype="int32")
    mask = on_gpu.BlockMask.from_kv_blocks(numbers, columns, numbers, columns, BLOCK_SIZE=64, compute_q_blocks=False)
    mask.mask_mod = products
    query, key, value = (cuda_tensors.zeros(1, 2, LENGTH, 64) for _ in range(3))
    before = cache.info().compilations
    for _ in range(2):
        on_gpu.flex_attention(query, key, value, block_mask=mask)
    assert cache.info().compilations - before == cache.info().kernels == 1
