"""sattn.flex_attention and BlockMask beside PyTorch's own, on the CPU, where PyTorch is installed."""

import math

import numpy as np
import pytest
import torch
from torch.nn.attention import flex_attention as flex

import masks


# Whether it is PyTorch 2.14 or newer: as of 2.15, a BlockMask has orders for a backward pass in its tuple, and a part of one
# has its own number of queries, not that of the whole.
IS_NEW = tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 14)
LENGTH = 100
DOCUMENTS = torch.arange(LENGTH) // 30
SLOPES = torch.tensor([0.5, 0.25, 0.125, 0.0625])


@pytest.fixture
def package(sattn):
    """Without the stand-in for PyTorch that other tests have."""
    sattn.cache.clear()
    yield sattn
    sattn.cache.clear()


def operands(dtype=torch.float32, **sizes):
    torch.manual_seed(0)
    shape = sizes.get("batch", 2), 4, LENGTH, 16
    return [torch.randn(shape).to(dtype) for _ in range(3)]


def document(b, h, q_idx, kv_idx):
    return (DOCUMENTS[q_idx] == DOCUMENTS[kv_idx]) & (q_idx >= kv_idx)


def alternating(b, h, q_idx, kv_idx):
    return torch.where(h % 2 == 0, torch.logical_and(q_idx >= kv_idx, q_idx - kv_idx < 30), torch.abs(q_idx - kv_idx) < 9)


def alibi(score, b, h, q_idx, kv_idx):
    return score + SLOPES[h] * (kv_idx - q_idx)


def softcap(score, b, h, q_idx, kv_idx):
    return torch.tanh(score / 20).mul(20).to(torch.float32)


def attention(query, key, value, mask_mod=None, score_mod=None):
    """In float64; the functions are called for all elements."""
    scores = query.double() @ key.double().transpose(-1, -2) / math.sqrt(query.shape[-1])
    b, h, i, j = (torch.arange(size).view([-1 if place == axis else 1 for place in range(4)])
                  for axis, size in enumerate(scores.shape))
    if score_mod is not None:
        scores = score_mod(scores, b, h, i, j).double()
    if mask_mod is not None:
        scores = scores.masked_fill(~mask_mod(b, h, i, j), -math.inf)
    return torch.softmax(scores, -1) @ value.double()


@pytest.mark.parametrize("maker", ["sattn", "torch"])
@pytest.mark.parametrize("mask_mod", [document, alternating])
def test_masks(package, maker, mask_mod):
    create = package.create_block_mask if maker == "sattn" else flex.create_block_mask
    mask = create(mask_mod, 2, 4, LENGTH, LENGTH, device="cpu", BLOCK_SIZE=16)
    arrays = operands()
    out = package.flex_attention(*arrays, block_mask=mask)
    assert type(out) is torch.Tensor and out.dtype == torch.float32
    torch.testing.assert_close(out.double(), attention(*arrays, mask_mod), rtol=0, atol=1e-5)
    out = package.flex_attention(*arrays, block_mask=mask, window=(10, None))
    both = lambda b, h, i, j: mask_mod(b, h, i, j) & (i - j <= 10)  # noqa: E731
    torch.testing.assert_close(out.double(), attention(*arrays, both), rtol=0, atol=1e-5)


@pytest.mark.parametrize("mask_mod", [document, alternating])
def test_lists_are_those_of_torch(mask_mod):
    """Lists of whole blocks: a smaller one at the end, all of it visible, is full here and partial in PyTorch."""
    import sattn

    ours, theirs = (library.create_block_mask(mask_mod, 2, 4, 96, 96, device="cpu", BLOCK_SIZE=(16, 32))
                    for library in (sattn, flex))
    for name in ("kv", "full_kv", "q", "full_q"):
        numbers = getattr(ours, f"{name}_num_blocks")
        assert numbers.dtype == torch.int32 and numbers.equal(getattr(theirs, f"{name}_num_blocks")), name
        own, other = getattr(ours, f"{name}_indices"), getattr(theirs, f"{name}_indices")
        assert own.dtype == torch.int32 and own.shape == other.shape
        listed = torch.arange(own.shape[-1]) < numbers[..., None]
        assert own[listed].equal(other[listed]), name
    assert (ours.to_dense() == theirs.to_dense()).all() and ours.shape == theirs.shape and ours.numel() == theirs.numel()
    assert ours.sparsity() == pytest.approx(theirs.sparsity(), abs=1e-4)
    if IS_NEW:
        assert len(ours.as_tuple()) == len(theirs.as_tuple()) and len(ours.as_tuple(False)) == len(theirs.as_tuple(False))
    for index in ((0,), (1, 2), (slice(None), slice(None), slice(2, None)), (0, 1, 3), (0, 0, -1)):
        assert ours[index].shape == theirs[index].shape or not IS_NEW and len(index) == 3
        assert (ours[index].to_dense() == theirs[index].to_dense()).all()
    # Theirs keeps blocks of which no element is left.
    assert (ours._adjust(50, 70).to_dense() <= theirs._adjust(50, 70).to_dense()).all()


@pytest.mark.parametrize("name", [*masks.MASKS, "operations"])
def test_lists_by_torch(name):
    """As they are made on a GPU, whose functions are those of the CPU."""
    from sattn._masks import mask_lists
    from sattn._trace import user_functions

    def operations(b, h, q_idx, kv_idx):
        value = torch.exp(q_idx / 50) + (kv_idx << 1) % 7 - torch.clamp(-q_idx // 3, min=-9) + (kv_idx >> 2).to(torch.float16)
        return (value + SLOPES[-1 - h] * torch.abs(q_idx - kv_idx) > 20) ^ ~(torch.maximum(q_idx, kv_idx).sqrt() < 8)

    function, values = user_functions.traced("mask_mod", masks.MASKS.get(name, operations))
    arguments = None, (2, 4), (LENGTH, LENGTH), (16, 32)
    on_device = mask_lists.counts(function, values, *arguments, torch.device("cpu"))
    in_numpy = mask_lists.counts(function, values, *arguments)
    assert (on_device.numpy() == in_numpy).all() and in_numpy.any()
    lists = mask_lists.lists_of(on_device, *arguments[2:], device=torch.device("cpu"))
    for own, other in zip(lists, mask_lists.lists_of(in_numpy, *arguments[2:])):
        assert own.dtype == torch.int32 and (own.numpy() == other).all()


@pytest.mark.parametrize("lengths, block", [((96, 128), (16, 16)), ((96, 128), (32, 16)), ((97, 130), (16, 13)), ((90, 7), (9, 7)),
                                            ((0, 30), (4, 5)), ((30, 0), (4, 5))])
@pytest.mark.parametrize("separate", [True, False])
def test_lists_of_counts_by_torch(lengths, block, separate):
    """Are NumPy's, with the columns that are not listed, for counts in memory of any order."""
    from sattn._masks import mask_lists

    device, rng = torch.device("cpu"), np.random.default_rng(0)
    whole = mask_lists.sizes(lengths, block)
    assert (mask_lists.sizes(lengths, block, device).numpy() == whole).all()
    kind = rng.integers(0, 4, (2, 3, *whole.shape))
    number = np.where(kind == 0, 0, np.where(kind == 1, whole, rng.integers(0, np.maximum(whole, 1), kind.shape))).astype(np.int32)
    for counts, *sizes in ((number, lengths, block), (number.swapaxes(-1, -2), lengths[::-1], block[::-1]),
                           (np.broadcast_to(number[:, :1], number.shape), lengths, block)):
        given = torch.from_numpy(counts.swapaxes(-1, -2).copy()).transpose(-1, -2)
        for own, wanted in zip(mask_lists.lists_of(given, *sizes, separate, device), mask_lists.lists_of(counts, *sizes, separate)):
            assert own is wanted is None or own.dtype == torch.int32 and own.is_contiguous() and own.shape == wanted.shape \
                and (own.numpy() == wanted).all()


FLAGS = torch.arange(LENGTH) % 3 == 0
REVERSED = np.arange(LENGTH, dtype=np.int32)[::-1]


@pytest.mark.parametrize("mask_mod", [
    document, lambda b, h, i, j: REVERSED[i] >= j, lambda b, h, i, j: (i >= j) & ((j < 4) | (i - j <= 9)), lambda b, h, i, j: FLAGS[i] | ~FLAGS[j],
    lambda b, h, i, j: torch.minimum(i, j * 2) // 7 == torch.abs(j - 5) // 7, lambda b, h, i, j: (i - j) % 8 < 3,
    lambda b, h, i, j: torch.where(FLAGS[j], -i, j) < 3, lambda b, h, i, j: (i > 20) ^ (j > 30), lambda b, h, i, j: (i > 20) == (j > 30)])
@pytest.mark.parametrize("separate", [True, False])
def test_bounds_by_torch(mask_mod, separate):
    """Are NumPy's, and so are the lists that are made of them."""
    from sattn._masks import bounds, mask_lists
    from sattn._trace import user_functions

    device, sizes = torch.device("cpu"), ((LENGTH, LENGTH - 9), (16, 7))
    function, values = user_functions.traced("mask_mod", mask_mod)
    of_numpy = bounds.visible(function, values, None, *sizes)
    of_torch = bounds.visible(function, values, None, *sizes, device)
    for one, other in zip(of_torch, of_numpy):
        assert one.dtype == torch.bool and one.shape == other.shape and (one.numpy() == other).all()
    for one, other in zip(mask_lists.lists_of_visible(*of_torch, separate, device), mask_lists.lists_of_visible(*of_numpy, separate)):
        assert one is other is None or one.dtype == torch.int32 and (one.numpy() == other).all()


def test_lists_of_counts_take_few_operations():
    """On a device each is a launch: two conditions, the complement, the places, their columns, the numbers."""
    from torch.utils._python_dispatch import TorchDispatchMode

    from sattn._masks import mask_lists

    class Names(TorchDispatchMode):
        def __torch_dispatch__(self, function, _, arguments=(), options=None):
            seen.append((function.overloadpacket.__name__, function.is_view))
            return function(*arguments, **options or {})

    seen = []
    with Names():
        mask_lists.lists_of(torch.ones(1, 1, 8, 8, dtype=torch.int32), (128, 128), (16, 16), device=torch.device("cpu"))
    assert [name for name, is_view in seen[1:] if not is_view and name != "empty"] == [
        "ge", "logical_xor", "logical_not", "sum", "nonzero_static", "bitwise_and"]


def test_combined_masks_of_torch(package):
    arrays = operands()
    causal = lambda b, h, i, j: i >= j  # noqa: E731
    for combine in (flex.and_masks, flex.or_masks):
        mask = package.create_block_mask(combine(document, causal, flex.noop_mask), None, None, LENGTH, LENGTH)
        expected = attention(*arrays, document if combine is flex.and_masks else None)
        torch.testing.assert_close(package.flex_attention(*arrays, block_mask=mask).double(), expected, rtol=0, atol=1e-5)


def test_a_part_of_a_mask_of_torch(package):
    query, key, value = operands()
    mask = flex.create_block_mask(document, None, None, LENGTH, LENGTH, device="cpu", BLOCK_SIZE=16)[:, :, 2:4]
    if not IS_NEW:
        mask.seq_lengths = 32, LENGTH
    with pytest.raises(ValueError, match="argument 'block_mask': expected a mask with a mask_mod, but got a part of a mask"):
        package.flex_attention(query[:, :, 32:64], key, value, block_mask=mask)
    mask.mask_mod = lambda b, h, q_idx, kv_idx: document(b, h, q_idx + 32, kv_idx)
    out = package.flex_attention(query[:, :, 32:64], key, value, block_mask=mask)
    torch.testing.assert_close(out.double(), attention(query, key, value, document)[:, :, 32:64], rtol=0, atol=1e-5)


@pytest.mark.parametrize("score_mod", [alibi, softcap])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_scores(package, score_mod, dtype):
    arrays = operands(dtype)
    out = package.flex_attention(*arrays, score_mod)
    torch.testing.assert_close(out.double(), attention(*arrays, None, score_mod), rtol=0, atol=1e-5 if dtype == torch.float32 else 0.03)


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (0, 2, 1), (2, 0, 1), (1, 2, 0), (2, 1, 0)])
def test_results_lie_as_query_does(package, order):
    """Batches, heads and queries in any order in memory, also in a graph."""
    arrays = operands()
    places = [order.index(place) for place in range(3)] + [3]
    given = [array.permute(*order, 3).contiguous().permute(places) for array in arrays]
    expected = attention(*arrays)
    for _ in range(2):  # The second takes the short way.
        out = package.flex_attention(*given)
        assert out.stride() == given[0].stride()
        torch.testing.assert_close(out.double(), expected, rtol=0, atol=1e-5)
    compiled = torch.compile(package.flex_attention, backend="eager", fullgraph=True)(*given)
    assert compiled.stride() == given[0].stride() and torch.equal(compiled, out)
    plain = package.flex_attention(*(array.numpy() for array in given))
    assert plain.strides == given[0].numpy().strides
    np.testing.assert_allclose(plain, expected, rtol=0, atol=1e-5)
    repeated = given[0][:1, :1].expand(2, 4, -1, -1)
    assert package.flex_attention(repeated, *given[1:]).is_contiguous()


def silu_and_tan(score, b, h, q_idx, kv_idx):
    return torch.nn.functional.silu(score) + torch.tan(score / 8) + torch.tan(b)


def test_functions_of_torch(package):
    arrays = operands()
    out = package.flex_attention(*arrays, silu_and_tan)
    torch.testing.assert_close(out.double(), attention(*arrays, score_mod=silu_and_tan), rtol=0, atol=1e-5)


def test_pages(package):
    """PyTorch's PagedAttention: its functions find places of keys in a table, which may change."""
    paged = pytest.importorskip("torch.nn.attention.experimental._paged_attention")
    page, keys = 16, 64
    query, key, value = (torch.randn(2, 4, keys, 16, generator=torch.Generator().manual_seed(0)) for _ in range(3))
    table = paged.PagedAttention(12, page, 3, device="cpu")
    # Pages of both batches lie between each other's.
    for length in (20, 40, keys):
        for batch in range(2):
            table.reserve(torch.tensor(batch), torch.tensor(length))
    caches = [torch.zeros(1, 4, 12 * page, 16) for _ in range(2)]
    table.assign(torch.arange(2), torch.arange(keys).expand(2, -1), key, value, *caches)
    causal = flex.create_block_mask(lambda b, h, i, j: i >= j, 2, 1, keys, keys, device="cpu", BLOCK_SIZE=page)
    mask, score = table.convert_logical_block_mask(causal), table.get_score_mod(alibi)
    expected = attention(query, key, value, causal.mask_mod, alibi)
    for _ in range(2):
        out = package.flex_attention(query, *caches, score, mask)
        torch.testing.assert_close(out.double(), expected, rtol=0, atol=1e-5)
    before = package.cache.info().compilations
    table.physical_to_logical = table.physical_to_logical.clone()
    table.physical_to_logical[1] = -1
    out = package.flex_attention(query, *caches, score, mask)
    torch.testing.assert_close(out[0].double(), expected[0], rtol=0, atol=1e-5)
    assert not out[1].any() and package.cache.info().compilations == before


def test_transposed_operands_and_results(package):
    arrays = [array.transpose(1, 2).contiguous().transpose(1, 2) for array in operands()]
    out, aux = package.flex_attention(*arrays, return_aux=flex.AuxRequest(lse=True, max_scores=True))
    assert out.transpose(1, 2).is_contiguous() and aux.lse.shape == (2, 4, LENGTH)
    scores = arrays[0] @ arrays[1].transpose(-1, -2) / arrays[0].shape[-1] ** 0.5
    torch.testing.assert_close(aux.max_scores, scores.amax(-1))
    torch.testing.assert_close(out.double(), attention(*arrays), rtol=0, atol=1e-5)


def test_numpy_and_torch_captured_together(package):
    slopes, shift = SLOPES.numpy(), torch.tensor(0.5)
    arrays = operands()
    out = package.flex_attention(*arrays, lambda s, b, h, i, j: (s + slopes[h] * (j - i)) * shift)
    expected = attention(*arrays, None, lambda s, b, h, i, j: (s + SLOPES[h] * (j - i)) * 0.5)
    torch.testing.assert_close(out.double(), expected, rtol=0, atol=1e-5)


def test_writes_and_new_tensors_show_without_compiling(package):
    documents = DOCUMENTS.clone()
    mask = package.create_block_mask(lambda b, h, i, j: documents[i] == documents[j], None, None, LENGTH, LENGTH, BLOCK_SIZE=16)
    arrays = operands()
    package.flex_attention(*arrays, block_mask=mask)
    compilations = package.cache.info().compilations
    for change in (lambda: documents.add_(torch.arange(LENGTH) // 50), lambda: np.copyto(documents.numpy(), np.arange(LENGTH) // 7)):
        change()
        expected = attention(*arrays, lambda b, h, i, j: documents[i] == documents[j])
        torch.testing.assert_close(package.flex_attention(*arrays, block_mask=mask).double(), expected, rtol=0, atol=1e-5)
    documents = torch.zeros(LENGTH, dtype=torch.int64)
    torch.testing.assert_close(package.flex_attention(*arrays, block_mask=mask).double(), attention(*arrays), rtol=0, atol=1e-5)
    assert package.cache.info().compilations == compilations


def test_a_module_as_a_score_mod(package):
    class Bias(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("table", SLOPES)

        def forward(self, score, b, h, q_idx, kv_idx):
            return score + self.table[h]

        def score_mod(self, score, b, h, q_idx, kv_idx):
            return score * self.table[h]

    arrays = operands()
    out = package.flex_attention(*arrays, Bias().score_mod)
    expected = attention(*arrays, None, lambda s, b, h, i, j: s * SLOPES[h])
    torch.testing.assert_close(out.double(), expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", ["query", "value", "captured"])
def test_whether_gradients_are_recorded(package, name):
    arrays = dict(zip(("query", "key", "value"), operands()))
    table = SLOPES.clone()
    (table if name == "captured" else arrays[name]).requires_grad_()
    score_mod = (lambda s, b, h, i, j: s + table[h]) if name == "captured" else None
    assert package.flex_attention(**arrays, score_mod=score_mod).requires_grad
    with torch.no_grad():
        assert not package.flex_attention(**arrays, score_mod=score_mod).requires_grad


def test_tensors_that_stand_for_others(package):
    arrays = operands()
    with pytest.raises(NotImplementedError, match="argument 'query': expected a tensor with memory of its own"):
        torch.vmap(lambda query: package.flex_attention(query, *arrays[1:]))(arrays[0][None])
    with pytest.raises(ValueError, match="expected an array of the same library and device as query"):
        package.flex_attention(arrays[0], arrays[1].numpy(), arrays[2])


def test_numbers_of_named_masks_in_tensors(package):
    """Which may change where they lie, and are no booleans."""
    arrays, left = operands(), torch.tensor(3)
    for number in (3, 40):
        left.fill_(number)
        expected = attention(*arrays, lambda b, h, i, j: (j <= i + 2) & (j >= i - number))
        torch.testing.assert_close(package.flex_attention(*arrays, window=(left, 2)).double(), expected, rtol=0, atol=1e-5)
    with pytest.raises(TypeError, match="argument 'prefix': expected an integer, but got Tensor"):
        package.flex_attention(*arrays, causal=True, prefix=torch.tensor(True))
