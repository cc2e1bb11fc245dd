"""Repeated calls of flex_attention with PyTorch's tensors: what takes the short way, and what has changed since shows."""

import gc

import numpy as np
import pytest
import torch
from torch._subclasses import FakeTensorMode
from torch.nn.attention import flex_attention as flex

LENGTH = 64
LISTED = ("doc", "given", "torch doc")


def operands(seed=0, dtype=torch.float32):
    torch.manual_seed(seed)
    return [torch.randn(2, 4, LENGTH, 16).to(dtype) for _ in range(3)]


def attention(arrays, seen=None, change=None):
    """In float64. seen, change: of (i, j), and of (scores, i, j)."""
    query, key, value = (array.double() for array in arrays)
    scores = query @ key.transpose(-1, -2) / 4
    i, j = torch.arange(LENGTH)[:, None], torch.arange(LENGTH)[None, :]
    if change is not None:
        scores = change(scores, i, j)
    if seen is not None:
        scores = scores.masked_fill(~seen(i, j), -torch.inf)
    return torch.softmax(scores, -1) @ value


def close(out, expected):
    torch.testing.assert_close(out.double(), expected, rtol=0, atol=1e-5)


@pytest.fixture
def short(monkeypatch):
    """Calls that must take the short way."""
    from sattn._ops import flex_attention

    def call(function, *arguments, **options):
        with monkeypatch.context() as patch:
            patch.setattr(flex_attention, "_parsed", lambda *_: pytest.fail("took the long way"))
            return function(*arguments, **options)

    return call


def causal(b, h, i, j):
    return i >= j


def cases(package):
    """name: (options, which elements are seen, what changes scores)."""
    doc, slope = torch.arange(LENGTH) // 20, torch.tensor([0.5])

    def document(b, h, i, j):
        return (doc[i] == doc[j]) & (i >= j)

    def bias(score, b, h, i, j):
        return score + slope[0] * (j - i)

    made = package.create_block_mask(document, None, None, LENGTH, LENGTH, BLOCK_SIZE=16)
    given = package.BlockMask.from_kv_blocks(*made._read(), 16, document, (LENGTH, LENGTH))
    sizes = None, None, LENGTH, LENGTH, "cpu"
    near = lambda i, j: (i >= j) & (i - j <= 9)  # noqa: E731
    in_document = lambda i, j: (doc[i] == doc[j]) & (i >= j)  # noqa: E731
    return {"plain": ({}, None, None),
            "scale": ({"scale": 0.25}, None, None),
            "named": ({"causal": "top_left", "window": (9, None)}, near, None),
            "derived": ({"block_mask": package.create_block_mask(causal, *sizes)}, lambda i, j: i >= j, None),
            "doc": ({"block_mask": made}, in_document, None),
            "doc, named": ({"block_mask": made, "window": (9, 0)}, lambda i, j: in_document(i, j) & near(i, j), None),
            "given": ({"block_mask": given}, in_document, None),
            "torch": ({"block_mask": flex.create_block_mask(causal, *sizes, BLOCK_SIZE=16)}, lambda i, j: i >= j, None),
            "torch doc": ({"block_mask": flex.create_block_mask(document, *sizes, BLOCK_SIZE=16)}, in_document, None),
            "score": ({"score_mod": bias, "causal": True}, lambda i, j: i >= j, lambda s, i, j: s + 0.5 * (j - i))}


NAMES = ["plain", "scale", "named", "derived", "doc", "doc, named", "given", "torch", "torch doc", "score"]


@pytest.mark.parametrize("name", NAMES)
def test_repeated_calls_take_the_short_way(package, short, name):
    """With other tensors of the same shapes."""
    options, seen, change = cases(package)[name]
    close(package.flex_attention(*operands(), **options), attention(operands(), seen, change))
    arrays = operands(1)
    close(short(package.flex_attention, *arrays, **options), attention(arrays, seen, change))
    out, lse = package.flex_attention(*arrays, **options, return_lse=True)
    again, again_lse = short(package.flex_attention, *arrays, **options, return_lse=True)
    assert torch.equal(out, again) and torch.equal(lse, again_lse) and lse.shape == (2, 4, LENGTH)
    package.cache.clear()
    with pytest.raises(pytest.fail.Exception, match="took the long way"):
        short(package.flex_attention, *arrays, **options)


def test_equal_arguments_of_other_types(package, short):
    arrays = operands()
    for options in ({"causal": True}, {"window": (1, 0)}, {"scale": 1.0}):
        package.flex_attention(*arrays, **options)
    expected = package.flex_attention(*arrays, window=(1, 0))
    assert torch.equal(short(package.flex_attention, *arrays, window=(np.int64(1), 0)), expected)
    with pytest.raises(ValueError, match="argument 'causal'"):
        package.flex_attention(*arrays, causal=1)
    with pytest.raises(TypeError, match="argument 'window': expected an integer, but got bool"):
        package.flex_attention(*arrays, window=(True, 0))
    with pytest.raises(TypeError, match="argument 'window'"):
        package.flex_attention(*arrays, window=5)
    assert torch.equal(package.flex_attention(*arrays, scale=1), package.flex_attention(*arrays, scale=1.0))


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_results_lie_as_query_does(package, short, dtype):
    arrays = [array.transpose(1, 2).contiguous().transpose(1, 2) for array in operands(dtype=dtype)]
    fused = torch.stack(arrays, 3).unbind(3)  # Rows with gaps between them.
    for given in (arrays, fused, [array.contiguous() for array in arrays]):
        out = package.flex_attention(*given)
        again = short(package.flex_attention, *given)
        assert again.stride() == out.stride() and again.dtype == dtype and torch.equal(out, again)
    wide = torch.cat([arrays[2], arrays[2]], -1)
    out = package.flex_attention(*arrays[:2], wide)
    assert torch.equal(short(package.flex_attention, *arrays[:2], wide), out) and out.shape[-1] == 32


@pytest.mark.parametrize("name", LISTED)
def test_captured_values_that_change(package, name):
    """In place, and another tensor in their place; also of another type."""
    options, _, _ = cases(package)[name]
    arrays, mask = operands(), options["block_mask"]
    cell = dict(zip(mask.mask_mod.__code__.co_freevars, mask.mask_mod.__closure__))["doc"]
    for doc in (cell.cell_contents, torch.arange(LENGTH) // 20, (torch.arange(LENGTH) // 20).to(torch.int32)):
        cell.cell_contents = doc
        for _ in range(2):
            close(package.flex_attention(*arrays, **options), attention(arrays, lambda i, j: (doc[i] == doc[j]) & (i >= j)))
        # Within the same blocks, which lists that were given have.
        doc[:20] = torch.arange(20) // 2 - 100
        close(package.flex_attention(*arrays, **options), attention(arrays, lambda i, j: (doc[i] == doc[j]) & (i >= j)))


def test_lists_follow_captured_values(package, short):
    """Lists of a mask that keeps its function: also blocks that were not visible before."""
    doc = torch.zeros(LENGTH, dtype=torch.int32)
    mask = package.create_block_mask(lambda b, h, i, j: doc[i] == doc[j], None, None, LENGTH, LENGTH, BLOCK_SIZE=16)
    arrays = operands()
    for divisor in (7, 64, 16):
        doc.copy_(torch.arange(LENGTH) // divisor)
        for _ in range(2):
            close(package.flex_attention(*arrays, block_mask=mask), attention(arrays, lambda i, j: doc[i] == doc[j]))
        close(short(package.flex_attention, *arrays, block_mask=mask), attention(arrays, lambda i, j: doc[i] == doc[j]))


def test_captured_numbers_that_change(package, short):
    factor = 0.5

    def score_mod(score, b, h, i, j):
        return score * factor

    arrays = operands()
    for factor in (0.5, 0.25):
        package.flex_attention(*arrays, score_mod)
        factor *= 0.5
        close(short(package.flex_attention, *arrays, score_mod), attention(arrays, None, lambda s, i, j: s * factor))
    factor = torch.full((4,), 3.0)
    with pytest.raises(TypeError, match="lacks 1 of 1 indices|expected"):
        package.flex_attention(*arrays, score_mod)


@pytest.mark.parametrize("name", ["derived", "doc", "given", "torch doc"])
def test_a_function_that_is_assigned(package, name):
    """The lists stay."""
    options, _, _ = cases(package)[name]
    arrays, mask = operands(), options["block_mask"]
    before = package.flex_attention(*arrays, **options)
    mask.mask_mod = lambda b, h, i, j: (i >= j) & (i % 2 == j % 2)
    found = package.flex_attention(*arrays, **options)
    package.cache.clear()
    assert torch.equal(found, package.flex_attention(*arrays, **options)) and not torch.equal(found, before)


def test_lists_that_are_assigned(package):
    options, _, _ = cases(package)["torch"]
    arrays, mask = operands(), options["block_mask"]
    before = package.flex_attention(*arrays, **options)
    mask.full_kv_num_blocks = torch.zeros_like(mask.full_kv_num_blocks)
    found = package.flex_attention(*arrays, **options)
    close(found, attention(arrays, lambda i, j: (i >= j) & (i // 16 == j // 16)))
    assert not torch.equal(found, before)
    mask.seq_lengths = LENGTH, LENGTH - 1
    with pytest.raises(ValueError, match="argument 'block_mask': expected a mask of 64 x 64"):
        package.flex_attention(*arrays, **options)


@pytest.mark.filterwarnings("ignore:.*is deprecated:FutureWarning")
@pytest.mark.filterwarnings("ignore:.*is deprecated:DeprecationWarning")
def test_fewer_heads_need_enable_gqa_in_each_call(package):
    query, key, value = operands()
    key, value = key[:, :2], value[:, :2]
    for _ in range(2):
        package.flex_attention(query, key, value, enable_gqa=True)
        with pytest.raises(ValueError, match="argument 'key': expected 4 heads, as query has, but got 2"):
            package.flex_attention(query, key, value)


def test_gradients_and_types(package):
    arrays = operands()
    package.flex_attention(*arrays)
    for place in range(3):
        given = [array.clone().requires_grad_() if place == number else array for number, array in enumerate(arrays)]
        assert package.flex_attention(*given).requires_grad
        with torch.no_grad():
            close(package.flex_attention(*given), attention(arrays))
        given[place] = arrays[place].half()
        with pytest.raises(ValueError, match="expected"):
            package.flex_attention(*given)
    with torch.autograd.forward_ad.dual_level():
        with pytest.raises(NotImplementedError, match="without a tangent"):
            package.flex_attention(torch.autograd.forward_ad.make_dual(arrays[0], arrays[1]), *arrays[1:])
    with torch.inference_mode():
        close(package.flex_attention(*arrays), attention(arrays))


def test_tensors_whose_memory_is_not_theirs(package):
    arrays = operands()
    package.flex_attention(*arrays)
    negative = torch.complex(torch.zeros_like(arrays[0]), -arrays[0]).conj().imag
    assert negative.is_neg()
    close(package.flex_attention(negative.resolve_neg(), *arrays[1:]), attention(arrays))
    with pytest.raises((NotImplementedError, ValueError)):
        package.flex_attention(negative, *arrays[1:])
    with pytest.raises(NotImplementedError, match="expected a tensor with memory of its own"):
        torch.vmap(lambda query: package.flex_attention(query, *arrays[1:]))(arrays[0][None])
    with pytest.raises(ValueError, match="expected an array of the same library and device as query"):
        package.flex_attention(arrays[0], arrays[1].numpy(), arrays[2])
    with pytest.raises(ValueError, match="expected an array of the same library and device as query|argument 'key'"):
        package.flex_attention(arrays[0], arrays[1].to("meta"), arrays[2])


@pytest.mark.parametrize("cut", ["query", "key", "value", "captured"])
def test_tensors_that_were_made_smaller(package, cut):
    """After calls that were good, also one that a function captures."""
    slopes, arrays = torch.full((4,), 0.5), operands()

    def bias(score, b, h, i, j):
        return score + slopes[h] * (j - i)

    for _ in range(2):
        package.flex_attention(*arrays, bias)
    smaller = dict(zip(("query", "key", "value", "captured"), (*arrays, slopes)))[cut]
    smaller.untyped_storage().resize_(4)
    with pytest.raises(ValueError, match="expected a tensor whose storage holds its elements"):
        package.flex_attention(*arrays, bias)


def test_arguments_without_a_hash(package):
    arrays = operands()
    for _ in range(2):
        out = package.flex_attention(*arrays, window=[9, 0], enable_gqa=[])
        close(out, attention(arrays, lambda i, j: (i >= j) & (i - j <= 9)))


def test_other_shapes_types_and_strides_are_kept_beside(package, short):
    """As a decoder has them, whose keys become more; each with and without lse."""
    slope = torch.tensor([0.5])

    def bias(score, b, h, i, j):
        return score + slope[0] * (j - i)

    whole, halves = operands(), operands(dtype=torch.float16)
    kinds = [whole, halves, [array[:, :, :32] for array in whole], [whole[0][:, :, :1], *whole[1:]],
             [array.transpose(1, 2).contiguous().transpose(1, 2) for array in whole]]
    for options in ({}, {"score_mod": bias}, {"causal": "bottom_right", "return_lse": True}):
        expected = [package.flex_attention(*arrays, **options) for arrays in kinds]
        for arrays, results in zip(kinds, expected):
            found = short(package.flex_attention, *arrays, **options)
            for one, other in zip(found, results) if "return_lse" in options else [(found, results)]:
                assert torch.equal(one, other) and one.stride() == other.stride() and one.dtype == other.dtype


@pytest.mark.parametrize("name", ["derived", "doc", "given", "torch", "torch doc"])
def test_layers_share_a_mask(package, short, name):
    """With other heads and columns; also once the values that it captures have changed."""
    options, seen, _ = cases(package)[name]
    layers = [operands(), [array[:, :1] for array in operands(1)], [*operands(2)[:2], operands(2)[2][..., :8]]]
    for arrays in layers:
        package.flex_attention(*arrays, **options)
    for arrays in layers:
        close(short(package.flex_attention, *arrays, **options), attention(arrays, seen))
    free = options["block_mask"].mask_mod.__code__.co_freevars
    if "doc" in free:
        doc = dict(zip(free, options["block_mask"].mask_mod.__closure__))["doc"].cell_contents
        for arrays in layers:
            package.flex_attention(*arrays, **options)
        doc[:20] = torch.arange(20) // 2 - 100
        for _ in range(2):
            for arrays in layers[:2]:
                close(package.flex_attention(*arrays, **options), attention(arrays, seen))


def test_arrays_of_numpy_are_no_tensors(package):
    arrays = operands()
    expected = package.flex_attention(*arrays)
    package.flex_attention(*arrays)
    found = package.flex_attention(*(array.numpy() for array in arrays))
    assert type(found) is np.ndarray and np.array_equal(found, expected.numpy())


def test_modes_of_pytorch(package):
    """One that makes tensors elsewhere, one that sees functions, and one that sees operators."""
    class Functions(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function, types, arguments=(), named=None):
            return function(*arguments, **(named or {}))

    class Operators(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, function, types, arguments=(), named=None):
            return function(*arguments, **(named or {}))

    arrays = operands()
    expected = package.flex_attention(*arrays, return_lse=True)
    for mode in (torch.device("meta"), Functions(), Operators()):
        with mode:
            found = package.flex_attention(*arrays, return_lse=True)
        assert all(map(torch.equal, found, expected))


def test_nothing_is_kept_of_what_is_gone(package):
    """Neither functions nor masks nor lists."""
    arrays, (options, _, _) = operands(), cases(package)["doc"]
    score, mask = (lambda s, b, h, i, j: s * 2), options["block_mask"]
    package.flex_attention(*arrays, score)
    package.flex_attention(*arrays, block_mask=mask)
    package.flex_attention(*arrays)
    assert len(package._call.cache.guarded_calls) == 3
    del score, mask, options
    gc.collect()
    assert len(package._call.cache.guarded_calls) == 1


def test_sign_of_a_scale_of_zero_counts(package):
    query, key, value = (array.abs() for array in operands())

    def by_sign(score, b, h, i, j):
        return torch.where(1 / score > 0, score, score + j)

    package.flex_attention(query, key, value, by_sign, scale=0.0)
    again = package.flex_attention(query, key, value, by_sign, scale=-0.0)
    package.cache.clear()
    assert torch.equal(again, package.flex_attention(query, key, value, by_sign, scale=-0.0))


class Bias(torch.nn.Module):
    def __init__(self, dtype=torch.float32):
        super().__init__()
        self.bias = torch.nn.Parameter(torch.linspace(0, 1, LENGTH, dtype=dtype), requires_grad=False)

    def forward(self, score, b, h, i, j):
        return score + self.bias[j]


def test_stand_ins_after_tensors(package):
    own, bias = operands(), Bias()
    package.flex_attention(*own, bias)
    mode = FakeTensorMode()
    bias.bias = torch.nn.Parameter(mode.from_tensor(bias.bias.data), requires_grad=False)
    assert package.flex_attention(*map(mode.from_tensor, own), bias).shape == own[0].shape


def test_capture_whose_gradient_is_wanted_since(package):
    own, bias = operands(), Bias(torch.float64)
    package.flex_attention(*own, bias)
    bias.bias.requires_grad_()
    package.flex_attention(*own, bias).sum().backward()
    assert bias.bias.grad is not None


def test_results_in_a_transform(package):
    query, key, value = operands()
    query = query.transpose(1, 2).contiguous().transpose(1, 2)
    expected = package.flex_attention(query, key, value)
    package.flex_attention(query, key, value)
    out = torch.func.functionalize(lambda one: package.flex_attention(query, key, value) * one)(torch.ones(()))
    assert torch.equal(out, expected)
