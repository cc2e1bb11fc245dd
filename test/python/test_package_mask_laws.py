"""Laws of masks, by Hypothesis: and, or and not; permuted heads and split batches; block sizes that do not matter."""

import numpy as np
import pytest

pytest.importorskip("tvm_ffi")
pytest.importorskip("hypothesis")
from hypothesis import HealthCheck, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from masks import attention, seen  # noqa: E402

# The same examples in each run. The fixture `sattn` keeps nothing of an example.
of_functions = settings(derandomize=True, database=None, deadline=None, max_examples=60,
                        suppress_health_check=[HealthCheck.function_scoped_fixture])
of_kernels = settings(of_functions, max_examples=15)
BATCH, HEADS = 2, 3
lengths = st.tuples(st.integers(1, 70), st.integers(1, 70))
blocks = st.tuples(st.sampled_from([1, 5, 16, 32, 48]), st.sampled_from([1, 7, 16, 32, 128]))


def compared(name, number, is_less):
    def value(b, h, q_idx, kv_idx):
        return {"query": q_idx, "key": kv_idx, "difference": q_idx - kv_idx, "sum": q_idx + kv_idx}[name]

    return (lambda *place: value(*place) < number) if is_less else lambda *place: value(*place) >= number


def congruent(modulus, shift):
    return lambda b, h, q_idx, kv_idx: (q_idx - kv_idx + shift) % modulus == 0


def in_one_document(starts):
    numbers = np.searchsorted(np.sort(starts), np.arange(128), side="right").astype(np.int32)
    return lambda b, h, q_idx, kv_idx: numbers[q_idx] == numbers[kv_idx]


def of_places(batch, head):
    return lambda b, h, q_idx, kv_idx: (b == batch) & (h != head) & (kv_idx == kv_idx) & (q_idx == q_idx)


leaves = st.one_of(
    st.builds(compared, st.sampled_from(["query", "key", "difference", "sum"]), st.integers(-40, 100), st.booleans()),
    st.builds(congruent, st.integers(1, 9), st.integers(0, 9)),
    st.builds(in_one_document, st.lists(st.integers(0, 70), max_size=5)),
    st.builds(of_places, st.integers(0, BATCH), st.integers(0, HEADS)))


def negated(mask_mod):
    return lambda *place: ~mask_mod(*place)


def combined(how, first, second):
    from sattn import and_masks, or_masks

    return {"and": and_masks, "or": or_masks}[how](first, second)


mask_mods = st.recursive(leaves, lambda own: st.one_of(st.builds(negated, own),
                                                       st.builds(combined, st.sampled_from(["and", "or"]), own, own)),
                         max_leaves=5)


def facts(sattn, mask_mod, sizes, block):
    """(visible elements, blocks that are seen, blocks that are wholly seen)."""
    mask = sattn.create_block_mask(mask_mod, BATCH, HEADS, *sizes, BLOCK_SIZE=block)
    return round(mask.visible() * mask.numel()), mask._dense(), mask._dense_full()


@of_functions
@given(mask_mods, lengths, blocks)
def test_lists_are_those_of_all_elements(sattn, mask_mod, sizes, block):
    found, some, full = facts(sattn, mask_mod, sizes, block)
    visible = seen(mask_mod, (BATCH, HEADS, *sizes))
    assert found == visible.sum()
    for row, column in np.ndindex(some.shape[2:]):
        part = visible[:, :, row * block[0]:(row + 1) * block[0], column * block[1]:(column + 1) * block[1]]
        assert (some[..., row, column] == part.any((2, 3))).all() and (full[..., row, column] == part.all((2, 3))).all()


@of_functions
@given(mask_mods, mask_mods, lengths, blocks)
def test_and_or_not(sattn, first, second, sizes, block):
    def of(mask_mod):
        return facts(sattn, mask_mod, sizes, block)

    a, b = of(first), of(second)
    both, either = of(sattn.and_masks(first, second)), of(sattn.or_masks(first, second))
    assert both[0] + either[0] == a[0] + b[0]
    assert (both[2] == a[2] & b[2]).all() and (either[1] == a[1] | b[1]).all()
    assert (both[1] <= a[1] & b[1]).all() and (either[2] >= a[2] | b[2]).all()
    # A full block of a mask is empty in its negation.
    none = of(negated(first))
    assert a[0] + none[0] == BATCH * HEADS * sizes[0] * sizes[1]
    assert (none[1] == ~a[2]).all() and (none[2] == ~a[1]).all()
    # De Morgan, double negation, other orders, and what restricts nothing.
    for equal, expected in ((negated(sattn.or_masks(negated(first), negated(second))), both),
                            (negated(sattn.and_masks(negated(first), negated(second))), either),
                            (sattn.and_masks(second, sattn.noop_mask, first, first), both),
                            (sattn.or_masks(second, sattn.and_masks(first, second), first), either), (negated(negated_by_bits(first)), a)):
        found = of(equal)
        assert found[0] == expected[0] and (found[1] == expected[1]).all() and (found[2] == expected[2]).all()


def negated_by_bits(mask_mod):
    return lambda *place: (mask_mod(*place) | False) ^ True


# Kernels: masks of one definition, whose captures differ, so that few are compiled.


@st.composite
def tables(draw, sizes):
    """Any mask at all, as an array: of runs of blocks, with some elements the other way."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    share, flips = draw(st.sampled_from([0, 0.1, 0.5, 0.9, 1])), draw(st.sampled_from([0, 0.01, 0.3]))
    rows, columns = (-(-size // 16) for size in sizes)
    coarse = rng.random((BATCH, HEADS, rows, columns)) < share
    table = np.repeat(np.repeat(coarse, 16, 2), 16, 3)[:, :, :sizes[0], :sizes[1]]
    return table ^ (rng.random(table.shape) < flips)


problems = lengths.flatmap(lambda sizes: st.tuples(st.just(sizes), tables(sizes), st.integers(0, 2**32 - 1)))


def operands(sizes, seed):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal((BATCH, HEADS, length, 16), np.float32) for length in (sizes[0], sizes[1], sizes[1])]


def by_table(sattn, table, sizes, block=16):
    return sattn.create_block_mask(lambda b, h, q_idx, kv_idx: table[b, h, q_idx, kv_idx], *table.shape[:2], *sizes, BLOCK_SIZE=block)


def close(found, expected):
    assert np.abs(found - expected).max(initial=0) < 1e-5


@of_kernels
@given(problems)
def test_block_sizes_do_not_matter(sattn, problem):
    sizes, table, seed = problem
    arrays = operands(sizes, seed)
    expected = attention(*arrays, table)[0]
    for block in (16, (32, 64), 128, (20, 1)):
        close(sattn.flex_attention(*arrays, block_mask=by_table(sattn, table, sizes, block)), expected)


@of_kernels
@given(problems, st.permutations(range(HEADS)))
def test_permuted_heads(sattn, problem, order):
    sizes, table, seed = problem
    arrays = operands(sizes, seed)
    out, lse = sattn.flex_attention(*arrays, block_mask=by_table(sattn, table, sizes), return_lse=True)
    permuted = sattn.flex_attention(*(array[:, order] for array in arrays), block_mask=by_table(sattn, table[:, order], sizes),
                                    return_lse=True)
    assert (permuted[0] == out[:, order]).all() and (permuted[1] == lse[:, order]).all()


@of_kernels
@given(problems)
def test_split_batches(sattn, problem):
    sizes, table, seed = problem
    arrays = operands(sizes, seed)
    out = sattn.flex_attention(*arrays, block_mask=by_table(sattn, table, sizes))
    for batch in range(BATCH):
        part = slice(batch, batch + 1)
        own = sattn.flex_attention(*(array[part] for array in arrays), block_mask=by_table(sattn, table[part], sizes))
        close(own, out[part])


@of_kernels
@given(problems, st.integers(-20, 70), st.integers(-20, 70), st.integers(0, 70))
def test_masks_with_and_without_lists(sattn, problem, left, right, prefix):
    """A mask whose blocks the kernel finds, and the same one as an array."""
    sizes, _, seed = problem

    def band(b, h, q_idx, kv_idx):
        return (q_idx - kv_idx <= left) & (kv_idx - q_idx <= right) | (kv_idx < prefix)

    arrays = operands(sizes, seed)
    table = np.ascontiguousarray(seen(band, (BATCH, HEADS, *sizes)))
    expected = sattn.flex_attention(*arrays, block_mask=by_table(sattn, table, sizes))
    close(sattn.flex_attention(*arrays, block_mask=sattn.create_block_mask(band, None, None, *sizes)), expected)
    close(expected, attention(*arrays, table)[0])
