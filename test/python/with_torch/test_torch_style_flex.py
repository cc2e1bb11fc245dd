"""Cases of PyTorch's own tests of flex attention, written anew for sattn.flex_attention: forward and backward, on the CPU.

The judge is PyTorch's: `gold` is its flex_attention in float64, `reference` the same in the type of the operands; the error
of sattn's result may be FACTORS times that of the reference. `check` compares gradients in the same way where a case asks
for them. PyTorch's function has none on the CPU, so that gold and reference of gradients are `composed`.
"""

import functools
import math

import pytest
import torch
from torch._dynamo._trace_wrapped_higher_order_op import TransformGetItemToIndex
from torch.nn.attention.flex_attention import AuxRequest, BlockMask, and_masks, create_block_mask, create_mask, flex_attention, or_masks

FACTORS = {torch.float16: 1.1, torch.bfloat16: 1.1, torch.float32: 10.0}
# Below this an error is one of rounding alone, whatever the reference's.
LEAST = {torch.float16: 1e-3, torch.bfloat16: 8e-3, torch.float32: 2e-6}
TYPES = [torch.float16, torch.bfloat16, torch.float32]
B, H, S, D = 2, 4, 128, 16

pytestmark = pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")


def operands(dtype=torch.float32, *, batch=B, heads=H, queries=S, keys=None, dim=D, kv_batch=None, kv_heads=None, value_dim=None):
    generator = torch.Generator().manual_seed(0)
    keys = queries if keys is None else keys

    def make(*shape):
        return torch.randn(shape, generator=generator).to(dtype)

    kv = kv_batch or batch, kv_heads or heads, keys
    return make(batch, heads, queries, dim), make(*kv, dim), make(*kv, value_dim or dim)


def in_type(value, dtype):
    """Tensors of floats among what a function captures, in another type."""
    return value.to(dtype) if isinstance(value, torch.Tensor) and value.is_floating_point() else value


def error(result, gold):
    """The root of the mean square of the differences; where the gold is not finite, the result must be the same."""
    finite = torch.isfinite(gold)
    assert torch.equal(result[~finite].double(), gold[~finite])
    difference = result[finite].double() - gold[finite]
    return difference.square().mean().sqrt().item() if difference.numel() else 0.0


def assert_as_good(result, reference, gold, dtype, name="out"):
    assert result.shape == gold.shape and result.isnan().sum() == gold.isnan().sum(), name
    assert error(result, gold) <= FACTORS[dtype] * error(reference, gold) + LEAST[dtype], name


def composed(query, key, value, score_mod=None, block_mask=None, scale=None, enable_gqa=False, return_lse=False):
    """Attention of PyTorch's other operations, scores in f32 or wider, as its flex_attention has them."""
    batch, heads, queries, columns = query.shape
    group = heads // key.shape[1]
    assert group == 1 or enable_gqa
    key, value = (array.expand(batch, -1, -1, -1).repeat_interleave(group, 1) for array in (key, value))
    scores = (query @ key.mT).to(torch.promote_types(query.dtype, torch.float32)) * (columns ** -0.5 if scale is None else scale)
    if score_mod is not None:
        function = score_mod
        for place in (4, 3, 2, 1):  # The score's dimension, and that of one index.
            function = torch.vmap(function, (0, *(0 if place == own else None for own in (1, 2, 3, 4))))
        with TransformGetItemToIndex():
            scores = function(scores, *map(torch.arange, scores.shape))
    if block_mask is not None:
        seen = create_mask(block_mask.mask_mod, batch, heads, queries, key.shape[2], device="cpu")
        scores = scores.masked_fill(~seen, -torch.inf)
    is_blind = (scores == -torch.inf).all(-1, keepdim=True)
    weights = torch.softmax(scores.masked_fill(is_blind, 0), -1).masked_fill(is_blind, 0)
    out = weights.to(query.dtype) @ value
    lse = scores.masked_fill(is_blind, 0).logsumexp(-1).masked_fill(is_blind[..., 0], -torch.inf)
    return (out, lse) if return_lse else out


def check(sattn, arrays, make_score=None, captured=(), mask=None, gradients=(), **options):
    """Compares sattn with PyTorch: arrays: query, key and value. make_score: gives a score_mod for the captured tensors.
    mask: a BlockMask. gradients: names of the operands, or numbers of captured tensors, that require one."""
    dtype = arrays[0].dtype

    def run_forward(wanted):
        """PyTorch's own function."""
        tensors = [in_type(tensor, wanted) if wanted == torch.float64 else tensor for tensor in captured]
        return flex_attention(*(in_type(array, wanted) for array in arrays), make_score and make_score(*tensors), mask, **options)

    def run(function, wanted):
        given = [in_type(array, wanted).detach().clone() if gradients else in_type(array, wanted) for array in arrays]
        tensors = [in_type(tensor, wanted) if wanted == torch.float64 else tensor for tensor in captured]
        if not gradients:
            return function(*given, make_score and make_score(*tensors), mask, **options), []
        tensors = [tensor.detach().clone() for tensor in tensors]
        leaves = [dict(zip(("query", "key", "value"), given)).get(name) if isinstance(name, str) else tensors[name] for name in gradients]
        for leaf in leaves:
            leaf.requires_grad_()
        out = function(*given, make_score and make_score(*tensors), mask, **options)
        cotangent = torch.randn(out.shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64).to(out.dtype)
        return out, torch.autograd.grad(out, leaves, cotangent)

    with torch.no_grad():
        gold, reference = (run_forward(wanted) for wanted in (torch.float64, dtype))
    out, own = run(sattn.flex_attention, dtype)
    assert out.dtype == dtype
    assert_as_good(out, reference, gold, dtype)
    if gradients:
        (_, exact), (_, near) = run(composed, torch.float64), run(composed, dtype)
        for name, *found in zip(gradients, own, near, exact):
            assert found[0].dtype == found[1].dtype
            # The output, of which it is computed, was rounded to the operands' type.
            coarsest = max((dtype, found[0].dtype), key=lambda one: torch.finfo(one).eps)
            assert_as_good(*found, coarsest, f"gradient of {name}")
    return out


def causal(score, b, h, q, kv):
    return torch.where(q >= kv, score, float("-inf"))


def relative(score, b, h, q, kv):
    return score + (q - kv)


def relative_causal(score, b, h, q, kv):
    return torch.where(q >= kv, score + (q - kv), float("-inf"))


def alibi(score, b, h, q, kv):
    return score + (kv - q) * torch.exp2(-(h + 1) * 8.0 / H)


def inverse_causal(score, b, h, q, kv):
    return torch.where(q <= kv, score, float("-inf"))


def times_two(score, b, h, q, kv):
    return score * 2


def squared(score, b, h, q, kv):
    return score * score


def softcap(score, b, h, q, kv):
    return 5 * torch.tanh(score / 5)


def identity(score, b, h, q, kv):
    return score


SCORES = [identity, times_two, squared, causal, inverse_causal, relative, relative_causal, alibi, softcap]
#: The masks of the functions that mask.
MASKS = {"causal": lambda b, h, q, kv: q >= kv, "inverse_causal": lambda b, h, q, kv: q <= kv, "relative_causal": lambda b, h, q, kv: q >= kv}
NAMED = pytest.mark.parametrize("score_mod", SCORES, ids=[score.__name__ for score in SCORES])
IN_ALL_TYPES = pytest.mark.parametrize("dtype", TYPES, ids=["f16", "bf16", "f32"])
IN_TWO_TYPES = pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32], ids=["bf16", "f32"])
ALL = "query", "key", "value"


def fixed(score_mod):
    """The argument of `check` for a function that captures nothing."""
    return lambda: score_mod


@pytest.mark.share(3)
@NAMED
@IN_TWO_TYPES
def test_builtin_score_mods(sattn, dtype, score_mod):
    mask = MASKS.get(score_mod.__name__)
    mask = mask and create_block_mask(mask, None, None, S, S, device="cpu")
    check(sattn, operands(dtype), fixed(score_mod), mask=mask, gradients=ALL)


@pytest.mark.share(3)
@NAMED
def test_builtin_score_mods_dynamic(sattn, score_mod):
    """Other batches, heads and lengths take the kernel that is there."""
    check(sattn, operands(), fixed(score_mod))
    check(sattn, operands(batch=1, heads=2, queries=200), fixed(score_mod))
    before = sattn.cache.info().compilations
    for batch, heads, queries, keys in ((3, 4, 128, 128), (1, 2, 96, 200), (2, 4, 333, 77)):
        check(sattn, operands(batch=batch, heads=heads, queries=queries, keys=keys), fixed(score_mod))
    assert sattn.cache.info().compilations == before


@pytest.mark.share(3)
@NAMED
@pytest.mark.parametrize("keys", [15, 277])
def test_builtin_score_mods_different_seqlen(sattn, score_mod, keys):
    check(sattn, operands(keys=keys), fixed(score_mod), gradients=ALL)


@pytest.mark.share(3)
@pytest.mark.parametrize("block", [32, 64, (64, 32), (16, 128)])
@pytest.mark.parametrize("name", sorted(MASKS))
def test_builtin_score_mods_different_block_size(sattn, name, block):
    mask = create_block_mask(MASKS[name], None, None, S, S, device="cpu", BLOCK_SIZE=block)
    check(sattn, operands(), fixed(dict(zip((score.__name__ for score in SCORES), SCORES))[name]), mask=mask, gradients=ALL)


@IN_ALL_TYPES
@pytest.mark.parametrize("kv_heads", [2, 1])
def test_grouped_query_heads(sattn, dtype, kv_heads):
    mask = create_block_mask(MASKS["causal"], None, None, S, S, device="cpu", BLOCK_SIZE=32)
    for given in (None, mask):
        check(sattn, operands(dtype, kv_heads=kv_heads), fixed(alibi), mask=given, enable_gqa=True, gradients=ALL)


@pytest.mark.share(3)
@pytest.mark.parametrize("batch", [3, 4, 5])
@pytest.mark.parametrize("score_mod", [identity, alibi, causal])
def test_keys_of_one_batch_for_all(sattn, batch, score_mod):
    mask = create_block_mask(lambda b, h, q, kv: q + kv >= 0, batch, None, S, S, device="cpu")  # Which PyTorch requires.
    check(sattn, operands(batch=batch, kv_batch=1), fixed(score_mod), mask=mask, gradients=ALL)


@pytest.mark.parametrize("order", [(0, 2, 1, 3), (1, 0, 2, 3), (2, 0, 1, 3), (3, 2, 1, 0)])
def test_strided_inputs_and_outputs(sattn, order):
    arrays = [array.permute(order).contiguous().permute([order.index(place) for place in range(4)]) for array in operands()]
    out = check(sattn, arrays, fixed(alibi), gradients=ALL)
    if order[3] == 3:
        assert out.stride() == arrays[0].stride()
    wide = torch.randn(B, H, S, 3 * D, generator=torch.Generator().manual_seed(2))
    check(sattn, wide.split(D, -1), fixed(causal), gradients=ALL)


def test_captured_buffers(sattn):
    table = torch.rand(H)
    check(sattn, operands(), lambda table: lambda score, b, h, q, kv: score + table[h], [table], gradients=ALL)
    bias = torch.randn(B, H, S, S)
    check(sattn, operands(), lambda bias: lambda score, b, h, q, kv: score + bias[b, h, q, kv], [bias], gradients=(*ALL, 0))


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16,
                                   torch.float64])
def test_captured_buffers_of_all_types(sattn, dtype):
    low = 0 if dtype == torch.uint8 else -9
    tables = [(torch.randn(shape) * 5).clamp(low, 9).to(dtype) for shape in ((B, H), (S,))]
    check(sattn, operands(), lambda heads, keys: lambda score, b, h, q, kv: score + heads[b, h] + keys[kv], tables)


def test_index_multiple(sattn):
    bias = torch.randn(B, S)
    check(sattn, operands(), lambda bias: lambda score, b, h, q, kv: score + bias[b][q], [bias])


def test_index_weird(sattn):
    bias = torch.randn(4, B, H, S)
    check(sattn, operands(), lambda bias: lambda score, b, h, q, kv: score + bias[0][b, h][q], [bias])
    which = torch.tensor(1)
    check(sattn, operands(), lambda bias, which: lambda score, b, h, q, kv: score + bias[which, b, h, q], [bias, which])


def test_index_of_an_index(sattn):
    documents = torch.arange(S) // 30
    bias = torch.randn(documents.max() + 1, H)
    check(sattn, operands(), lambda documents, bias: lambda score, b, h, q, kv: torch.where(
        documents[q] == documents[kv], score + bias[documents[kv], h], float("-inf")), [documents, bias])


def test_skip_odd_keys(sattn):
    check(sattn, operands(), fixed(lambda score, b, h, q, kv: torch.where(kv % 2 == 0, score, float("-inf"))), gradients=ALL)


def test_function_composition(sattn):
    check(sattn, operands(), fixed(lambda score, b, h, q, kv: softcap(alibi(score, b, h, q, kv), b, h, q, kv)), gradients=ALL)


def test_reduction_unrolled(sattn):
    """Sums over what a function captures, written out."""
    bias = torch.randn(S, 4)
    check(sattn, operands(), lambda bias: lambda score, b, h, q, kv: score + sum(bias[q, i] for i in range(4)), [bias], gradients=ALL)


@pytest.mark.parametrize("length", [S - 3, S + 3])
def test_non_divisible_with_captured_buffer(sattn, length):
    bias = torch.randn(length, length)
    mask = create_block_mask(MASKS["causal"], None, None, length, length, device="cpu")
    for given in (None, mask):
        check(sattn, operands(queries=length), lambda bias: lambda score, b, h, q, kv: score + bias[q, kv], [bias], mask=given, gradients=ALL)


@pytest.mark.parametrize("queries, keys", [(1, 1), (1, 40), (40, 1), (2, 3)])
def test_small_lengths(sattn, queries, keys):
    mask = create_block_mask(lambda b, h, q, kv: q >= 0, None, None, queries, keys, device="cpu")
    for given in (None, mask):
        check(sattn, operands(queries=queries, keys=keys), fixed(times_two), mask=given, gradients=ALL)


@pytest.mark.parametrize("block", [32, 48, (112, 16)])
def test_sparse_block_not_dividing_the_length(sattn, block):
    mask = create_block_mask(MASKS["causal"], None, None, S - 9, S - 9, device="cpu", BLOCK_SIZE=block)
    check(sattn, operands(queries=S - 9), mask=mask, gradients=ALL)


def test_narrow_blocks_of_keys(sattn):
    mask = create_block_mask(MASKS["causal"], None, None, 256, 256, device="cpu", BLOCK_SIZE=(128, 64))
    check(sattn, operands(queries=256), mask=mask, gradients=ALL)


def test_mask_per_batch_and_head(sattn):
    starts = torch.tensor([[0, 5, 9, 20], [64, 1, 2, 100]])
    mask = create_block_mask(lambda b, h, q, kv: kv >= starts[b, h], B, H, S, S, device="cpu", BLOCK_SIZE=32)
    check(sattn, operands(), mask=mask, gradients=ALL)


@pytest.mark.parametrize("combine", [and_masks, or_masks])
def test_combined_masks(sattn, combine):
    mask = create_block_mask(combine(MASKS["causal"], lambda b, h, q, kv: q - kv <= 20), None, None, S, S, device="cpu", BLOCK_SIZE=16)
    check(sattn, operands(), fixed(softcap), mask=mask)


def test_a_mask_from_lists(sattn):
    """Made by hand, of blocks in any order, without transposed lists."""
    def thirds(b, h, q, kv):
        return (q + kv) % 3 > 0

    numbers = torch.tensor([[[2, 1, 4, 0]]], dtype=torch.int32)
    places = torch.tensor([[[[3, 0, 0, 0], [2, 0, 0, 0], [1, 3, 0, 2], [0, 0, 0, 0]]]], dtype=torch.int32)
    listed = torch.tensor([[1, 0, 0, 1], [0, 0, 1, 0], [1, 1, 1, 1], [0, 0, 0, 0]], dtype=torch.bool)
    mask = BlockMask.from_kv_blocks(numbers, places, BLOCK_SIZE=32, mask_mod=thirds, compute_q_blocks=False)
    arrays = operands()
    out, aux = sattn.flex_attention(*arrays, block_mask=mask, return_aux=AuxRequest(lse=True))
    assert not out[:, :, 96:].any() and (aux.lse[:, :, 96:] == -math.inf).all()
    # PyTorch's function evaluates a mask_mod alone where it is not compiled.
    both = create_block_mask(lambda b, h, q, kv: thirds(b, h, q, kv) & listed[q // 32, kv // 32], None, None, S, S, device="cpu")
    gold, reference = (flex_attention(*(array.to(dtype) for array in arrays), block_mask=both) for dtype in (torch.float64, torch.float32))
    assert_as_good(out, reference, gold, torch.float32)


@pytest.mark.share(3)
@pytest.mark.parametrize("score_mod", [identity, alibi, softcap, relative_causal])
@IN_ALL_TYPES
def test_logsumexp_and_maxima(sattn, dtype, score_mod):
    arrays = operands(dtype)
    _, gold = flex_attention(*(array.double() for array in arrays), score_mod, return_aux=AuxRequest(lse=True))
    _, reference = flex_attention(*arrays, score_mod, return_aux=AuxRequest(lse=True))
    _, found = sattn.flex_attention(*arrays, score_mod, return_aux=AuxRequest(lse=True, max_scores=True))
    assert found.lse.dtype == found.max_scores.dtype == torch.float32
    assert_as_good(found.lse, reference.lse, gold.lse, dtype)
    scores = arrays[0].double() @ arrays[1].double().transpose(-1, -2) / math.sqrt(D)
    places = [torch.arange(size).view([-1 if axis == place else 1 for place in range(4)]) for axis, size in enumerate(scores.shape)]
    torch.testing.assert_close(found.max_scores.double(), score_mod(scores, *places).amax(-1), rtol=1e-5, atol=1e-5)
    _, lse = sattn.flex_attention(*arrays, score_mod, return_lse=True)
    assert torch.equal(lse, found.lse)


def test_lse_of_masked_rows(sattn):
    mask = create_block_mask(lambda b, h, q, kv: (q >= 30) & (kv < q), None, None, S, S, device="cpu", BLOCK_SIZE=16)
    out, aux = sattn.flex_attention(*operands(), block_mask=mask, return_aux=AuxRequest(lse=True))
    assert not out[:, :, :30].any() and (aux.lse[:, :, :30] == -math.inf).all() and aux.lse[:, :, 30:].isfinite().all()
    check(sattn, operands(), mask=mask)


#: Biases as users learn them: (shapes of the captured tensors for a length, the score_mod of these).
LEARNABLE = {
    "relative_1d": (lambda s: [2 * s], lambda bias: lambda score, b, h, q, kv: score + bias[torch.abs(q - kv)]),
    "absolute_2d": (lambda s: [(s, s)], lambda bias: lambda score, b, h, q, kv: score + bias[q, kv]),
    "head_specific": (lambda s: [(H, s, s)], lambda bias: lambda score, b, h, q, kv: score + bias[h, q, kv]),
    "batch_head": (lambda s: [(B, H, s, s)], lambda bias: lambda score, b, h, q, kv: score + bias[b, h, q, kv]),
    "multiplicative": (lambda s: [s], lambda bias: lambda score, b, h, q, kv: score * bias[q]),
    "local_window": (lambda s: [81], lambda bias: lambda score, b, h, q, kv: score + bias[torch.clamp(q - kv + 40, 0, 80)]),
    "global_tokens": (lambda s: [s], lambda bias: lambda score, b, h, q, kv: score + bias[kv]),
    "flipped": (lambda s: [(s, s)], lambda bias: lambda score, b, h, q, kv: score + bias[kv, q]),
    "head_specific_gate": (lambda s: [H], lambda gate: lambda score, b, h, q, kv: score * torch.sigmoid(gate[h])),
    "symmetric": (lambda s: [s], lambda bias: lambda score, b, h, q, kv: score + bias[q] + bias[kv]),
    "distinct_biases": (lambda s: [s, s], lambda one, other: lambda score, b, h, q, kv: score + one[q] + other[kv]),
}


@pytest.mark.share(4)
@pytest.mark.parametrize("length", [37, 256, 277])
@pytest.mark.parametrize("name", LEARNABLE)
def test_learnable_biases(sattn, name, length):
    shapes, make = LEARNABLE[name]
    generator = torch.Generator().manual_seed(3)
    # The types in turn, so that each case meets one of another type at each length.
    dtype = TYPES[(length + len(name)) % 3]
    tensors = [torch.randn(shape, generator=generator).to(dtype) for shape in shapes(length)]
    if len(tensors) == 2:
        tensors[1] = tensors[1].float()
    every = tuple(range(len(tensors)))
    check(sattn, operands(dtype, queries=length), make, tensors, gradients=(*ALL, *every))


@pytest.mark.parametrize("length", [37, 277])
def test_learnable_biases_by_indices(sattn, length):
    offsets = torch.randperm(length, generator=torch.Generator().manual_seed(4))
    bias = torch.randn(length)
    check(sattn, operands(queries=length), lambda bias, offsets: lambda score, b, h, q, kv: score + bias[offsets[q]], [bias, offsets],
          gradients=(*ALL, 0))
    check(sattn, operands(torch.float16, queries=length), lambda bias: lambda score, b, h, q, kv: score + bias[q], [bias], gradients=(0,))


def test_beside_scaled_dot_product_attention(sattn):
    bias = torch.randn(S, S)
    arrays = operands()
    for given in (bias, bias.T, bias[:1].expand(S, S)):
        out = sattn.flex_attention(*arrays, lambda score, b, h, q, kv: score + given[q][kv])
        torch.testing.assert_close(out, torch.nn.functional.scaled_dot_product_attention(*arrays, given), rtol=0, atol=1e-5)


def test_captures_that_are_not_read_do_not_show(sattn):
    """NaN past what any position reads, and behind a condition."""
    table = torch.full((2 * S,), math.nan)
    table[:S] = torch.randn(S)
    check(sattn, operands(), lambda table: lambda score, b, h, q, kv: score + table[kv], [table], gradients=ALL)
    behind = torch.zeros(S)
    behind[::2] = math.nan
    check(sattn, operands(), lambda behind: lambda score, b, h, q, kv: torch.where(kv % 2 == 1, score + behind[kv], score), [behind],
          gradients=ALL)


def test_one_over_a_score(sattn):
    query, key, value = operands()
    query[:, :, 0] = 0  # Scores of 0 in rows whose function is not asked for them.
    check(sattn, (query, key, value), fixed(lambda score, b, h, q, kv: torch.where(q > 0, 1 / (score.abs() + 0.1), score)), gradients=ALL)


@pytest.mark.parametrize("scale", [0.0, -0.3, 2.0])
def test_scale(sattn, scale):
    check(sattn, operands(), fixed(softcap), scale=scale, gradients=ALL)


@pytest.mark.parametrize("dim, value_dim", [(16, 32), (24, 8), (1, 64), (72, 40)])
def test_head_dims_of_key_and_value(sattn, dim, value_dim):
    check(sattn, operands(dim=dim, value_dim=value_dim), fixed(alibi), gradients=ALL)


def test_empty_lengths(sattn):
    """PyTorch refuses these; here no key gives 0 and -inf."""
    out, aux = sattn.flex_attention(*operands(keys=0), return_aux=AuxRequest(lse=True))
    assert out.shape == (B, H, S, D) and not out.any() and (aux.lse == -math.inf).all()
    assert sattn.flex_attention(*operands(queries=0, keys=S)).shape == (B, H, 0, D)


def test_arguments_of_masks_for_a_backward(sattn):
    causal_mask = MASKS["causal"]
    mask = sattn.create_block_mask(causal_mask, None, None, S, S, device="cpu", compute_dq_write_order=True)
    check(sattn, operands(), mask=mask)
    with pytest.raises(ValueError, match="argument 'dq_kv_order': expected a bool, but got str"):
        sattn.create_block_mask(causal_mask, None, None, S, S, device="cpu", dq_kv_order="later")


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("score_mod", [alibi, softcap])
def test_compiled(sattn, backend, score_mod):
    compiled = torch.compile(functools.partial(sattn.flex_attention, score_mod=score_mod), backend=backend, fullgraph=True)
    arrays = operands()
    assert torch.equal(compiled(*arrays), sattn.flex_attention(*arrays, score_mod))


def test_compiled_by_inductor(sattn):
    """A layer around attention: its other operations become one kernel of Inductor's."""
    slopes = torch.rand(H)

    def layer(query, key, value):
        out = sattn.flex_attention(query * 2, key, value, lambda score, b, h, q, kv: score + slopes[h] * (kv - q))
        return torch.relu(out) + 1

    arrays = operands()
    torch.testing.assert_close(torch.compile(layer, fullgraph=True)(*arrays), layer(*arrays))
