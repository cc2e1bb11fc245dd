"""BlockMask: its lists against all elements, PyTorch's accessors, the laws of masks, and what is refused."""

import sys
import xml.etree.ElementTree

import numpy as np
import pytest

pytest.importorskip("tvm_ffi")
import masks  # noqa: E402
from masks import LENGTH, MASKS  # noqa: E402
import sattn  # noqa: E402
from sattn import BlockMask, and_masks, create_block_mask, noop_mask, or_masks  # noqa: E402
from sattn._masks import mask_functions, mask_lists  # noqa: E402
from sattn._trace import user_functions  # noqa: E402

SHAPE = 2, 4, LENGTH, LENGTH


def kinds(mask_mod, shape, block):
    """(whether each block is seen, whether wholly), by all elements."""
    seen = masks.seen(mask_mod, shape)
    rows, columns = (-(-length // size) for length, size in zip(shape[2:], block))
    some, whole = (np.zeros((*shape[:2], rows, columns), bool) for _ in range(2))
    for row in range(rows):
        for column in range(columns):
            part = seen[:, :, row * block[0]:(row + 1) * block[0], column * block[1]:(column + 1) * block[1]]
            some[:, :, row, column], whole[:, :, row, column] = part.any((2, 3)), part.all((2, 3))
    return some, whole


def listed(numbers, indices, columns):
    return mask_lists.dense_of(numbers, indices, columns)


@pytest.mark.parametrize("block", [16, 32, (16, 48), (7, 100), 128])
@pytest.mark.parametrize("name", MASKS)
def test_lists_are_exact(name, block):
    mask = create_block_mask(MASKS[name], 2, 4, LENGTH, LENGTH, BLOCK_SIZE=block)
    some, whole = kinds(MASKS[name], SHAPE, mask.BLOCK_SIZE)
    columns = some.shape[-1]
    assert (listed(mask.kv_num_blocks, mask.kv_indices, columns) == (some & ~whole)).all()
    assert (listed(mask.full_kv_num_blocks, mask.full_kv_indices, columns) == whole).all()
    transposed = (some & ~whole).swapaxes(-1, -2), whole.swapaxes(-1, -2)
    assert (listed(mask.q_num_blocks, mask.q_indices, some.shape[-2]) == transposed[0]).all()
    assert (listed(mask.full_q_num_blocks, mask.full_q_indices, some.shape[-2]) == transposed[1]).all()
    assert (mask.to_dense() == some).all()
    assert mask.sparsity() == pytest.approx(100 * (1 - some.mean()))
    assert mask.visible() == pytest.approx(masks.seen(MASKS[name], SHAPE).mean())
    assert mask.kv_indices.dtype == mask.kv_num_blocks.dtype == np.int32
    assert mask.shape == SHAPE and mask.numel() == np.prod(SHAPE)


@pytest.mark.parametrize("block", [16, (7, 100)])
@pytest.mark.parametrize("name", MASKS)
def test_compiled_counts_are_exact(monkeypatch, name, block):
    """As long masks have them."""
    monkeypatch.setattr(mask_lists, "MOST_EVALUATED", 0)
    mask = create_block_mask(MASKS[name], 2, 4, LENGTH, LENGTH, BLOCK_SIZE=block)
    some, whole = kinds(MASKS[name], SHAPE, mask.BLOCK_SIZE)
    assert (mask.to_dense() == some).all()
    assert (listed(mask.full_kv_num_blocks, mask.full_kv_indices, some.shape[-1]) == whole).all()
    assert mask.visible() == pytest.approx(masks.seen(MASKS[name], SHAPE).mean())


def sorted_lists(number, whole):
    """Lists by a stable sort of each row: listed columns first, then the others."""
    found = []
    for listed in ((number > 0) & (number != whole), number == whole):
        found += [listed.sum(-1), np.argsort(~listed, axis=-1, kind="stable")]
    return found


@pytest.mark.parametrize("seed", range(40))
def test_columns_are_in_the_order_of_a_stable_sort(monkeypatch, seed):
    """Unlisted columns too; with empty and full rows, no blocks, one column, batches and heads, transposed."""
    rng = np.random.default_rng(seed)
    monkeypatch.setattr(mask_lists, "MARKS_AT_ONCE", int(rng.choice([1, 64, 2**17])))
    block = (16, 16) if seed % 2 else tuple(map(int, rng.integers(1, 20, 2)))
    lengths = tuple(int(size) * int(rng.integers(0, 12)) + (0 if seed % 4 == 1 else int(rng.integers(0, size))) for size in block)
    if seed % 8 < 2:
        lengths = lengths[0], block[1]
    whole = np.outer(*(np.diff(np.append(np.arange(0, length, size), length)) for length, size in zip(lengths, block)))
    assert (mask_lists.sizes(lengths, block) == whole).all()
    shape = *map(int, rng.integers(1, 4, 2)), *whole.shape
    kind = rng.integers(0, 4, shape)
    kind[..., :1, :], kind[..., -1:, :] = 0, 1
    number = np.where(kind == 0, 0, np.where(kind == 1, whole, rng.integers(0, np.maximum(whole, 1), shape))).astype(np.int32)
    for counts, *sizes in ((number, lengths, block), (number.swapaxes(-1, -2), lengths[::-1], block[::-1])):
        lists = mask_lists.lists_of(counts, *sizes)
        for own, wanted in zip(lists, sorted_lists(counts, mask_lists.sizes(*sizes))):
            assert own.dtype == np.int32 and own.flags.c_contiguous and own.shape == wanted.shape and (own == wanted).all()
        together = mask_lists.lists_of(counts, *sizes, separate=False)
        assert together.full_kv_indices is None
        assert (together.kv_indices == np.argsort(counts == 0, axis=-1, kind="stable")).all()
        assert (together.kv_num_blocks == (counts > 0).sum(-1)).all()
        for own, wanted in zip(mask_lists.ordered(counts > 0), (together.kv_num_blocks, together.kv_indices)):
            assert own.dtype == np.int32 and (own == wanted).all()


@pytest.mark.parametrize("band", [{"right": 0}, {"left": 30, "right": 5, "prefix": 3}, {"left": 0, "bottom_right": True}])
def test_compiled_counts_of_bands(monkeypatch, band):
    function, values = user_functions.traced("mask_mod", masks.document)
    arguments = function, values, mask_functions.Band(**band), (1, 1), (LENGTH, LENGTH - 9), (16, 32)
    evaluated = mask_lists.counts(*arguments)
    monkeypatch.setattr(mask_lists, "MOST_EVALUATED", 0)
    assert (mask_lists.counts(*arguments) == evaluated).all() and evaluated.any()


def test_blocks_larger_than_the_mask(monkeypatch):
    monkeypatch.setattr(mask_lists, "MOST_EVALUATED", 0)
    mask = create_block_mask(masks.causal, None, None, LENGTH, LENGTH, BLOCK_SIZE=1 << 30)
    assert mask.kv_num_blocks.tolist() == [[[1]]] and mask.visible() == pytest.approx((LENGTH + 1) / 2 / LENGTH)


def test_long_masks_have_no_array_of_all_elements():
    """A mask of 2^34 elements; other lengths compile nothing."""
    mask = create_block_mask(masks.causal, None, None, 2**17, 2**17)
    assert mask.visible() == (2**17 + 1) / 2**18
    compilations = sattn.cache.info().compilations
    for length in (2**16 + 5, 2**17 - 77):
        mask = create_block_mask(masks.causal, None, None, length, length)
        assert mask.kv_num_blocks.tolist() == [[[1] * -(-length // 128)]]
        assert mask.full_kv_num_blocks[0, 0].tolist() == list(range(-(-length // 128)))
    assert sattn.cache.info().compilations == compilations


def test_nothing_is_evaluated_before_it_is_read(monkeypatch):
    monkeypatch.setattr(mask_lists, "counts", lambda *_: pytest.fail("evaluated"))
    mask = create_block_mask(masks.document, None, None, 2**20, 2**20)
    assert mask.shape == (1, 1, 2**20, 2**20)
    assert "document" in repr(mask)
    assert mask._adjust(2**19, 2**20).shape == (1, 1, 2**19, 2**20)


def test_lists_are_made_once_and_follow_captured_values(monkeypatch):
    documents = np.zeros(64, np.int32)
    mask = create_block_mask(lambda b, h, i, j: documents[i] == documents[j], None, None, 64, 64, BLOCK_SIZE=16)
    assert (mask.to_dense() == 1).all()
    made = mask.kv_indices
    assert mask.kv_indices is made
    documents[32:] = 1
    assert mask.to_dense().sum() == 8
    documents = np.arange(64, dtype=np.int32) // 16
    assert (mask.to_dense()[0, 0] == np.eye(4)).all()


@pytest.mark.parametrize("queries, keys", [(1, 1), (0, 5), (5, 0), (17, 129), (129, 17), (128, 128)])
def test_lengths(queries, keys):
    def mask_mod(b, h, i, j):
        return i >= j

    mask = create_block_mask(mask_mod, None, 3, queries, keys, BLOCK_SIZE=16)
    some, whole = kinds(mask_mod, (1, 3, queries, keys), (16, 16))
    assert (mask.to_dense() == some).all()
    assert mask.kv_indices.shape == (1, 3, -(-queries // 16), -(-keys // 16))
    assert mask.full_kv_num_blocks.sum() == whole.sum()


def test_without_lists_of_full_blocks():
    mask = create_block_mask(masks.causal, None, None, LENGTH, LENGTH, BLOCK_SIZE=16, separate_full_blocks=False,
                             compute_dq_write_order=True, dq_kv_order=False)
    assert mask.full_kv_num_blocks is mask.full_kv_indices is mask.full_q_indices is None
    assert (mask.to_dense() == kinds(masks.causal, (1, 1, LENGTH, LENGTH), (16, 16))[0]).all()


def random_mask(rng, depth=2):
    """A mask_mod, by chance."""
    kind = rng.integers(6 if depth else 4)
    a, b = int(rng.integers(1, 40)), int(rng.integers(1, 9))
    if kind == 0:
        return lambda _, h, i, j: i - j < a
    if kind == 1:
        return lambda _, h, i, j: (i + h) // b == j // b
    if kind == 2:
        table = rng.integers(0, 3, LENGTH)
        return lambda _, h, i, j: table[i] == table[j]
    if kind == 3:
        return lambda _, h, i, j: (i * 3 + j * h) % b < 2
    left, right = random_mask(rng, depth - 1), random_mask(rng, depth - 1)
    return (and_masks if kind == 4 else or_masks)(left, right)


def dense(mask_mod, block=16, heads=4):
    """(blocks that are seen, those wholly seen)."""
    mask = create_block_mask(mask_mod, 1, heads, LENGTH, LENGTH, BLOCK_SIZE=block)
    return mask._dense(), mask._dense_full()


@pytest.mark.parametrize("seed", range(25))
def test_laws(seed):
    """Laws of and, or and not, by blocks; and by elements, with blocks of one element."""
    rng = np.random.default_rng(seed)
    first, second = random_mask(rng), random_mask(rng)
    both, either = and_masks(first, second), or_masks(first, second)
    a, b, c, d = (dense(mask)[1] for mask in (first, second, both, either))
    assert (c == (a & b)).all() and (d >= (a | b)).all()
    a, b, c, d = (dense(mask)[0] for mask in (first, second, both, either))
    assert (d == (a | b)).all() and (c <= (a & b)).all()

    def negated(*place):
        return ~first(*place)

    assert (dense(negated)[0] == ~dense(first)[1]).all() and (dense(negated)[1] == ~dense(first)[0]).all()
    a, b, c, d = (dense(mask, 1)[0] for mask in (first, second, both, either))
    assert (c == (a & b)).all() and (d == (a | b)).all()
    assert (a == masks.seen(first, (1, 4, LENGTH, LENGTH))).all()
    larger = dense(first, 32)[0]
    smaller = np.pad(dense(first, 16)[0], ((0, 0), (0, 0), (0, 1), (0, 1)))
    assert (larger == smaller.reshape(1, 4, 4, 2, 4, 2).any((3, 5))).all()


def test_laws_of_no_masks():
    assert (dense(and_masks())[1]).all() and not dense(or_masks())[0].any() and dense(noop_mask)[1].all()


@pytest.mark.parametrize("combine", [and_masks, or_masks])
def test_what_is_combined_is_functions(combine):
    with pytest.raises(TypeError, match=r"expected functions of \(b, h, q_idx, kv_idx\), but got int"):
        combine(masks.causal, 5)


def given(**changes):
    numbers = np.array([[[1, 2]]], np.int32)
    indices = np.array([[[[0, 1], [1, 0]]]], np.int32)
    return {"kv_num_blocks": numbers, "kv_indices": indices, "BLOCK_SIZE": 16} | changes


@pytest.mark.parametrize("is_given", [False, True])
def test_transposed_lists_that_are_assigned(is_given):
    """As in PyTorch, also None, which saves their memory; the mask stays what it is."""
    mask = create_block_mask(masks.causal, None, None, 64, 64, BLOCK_SIZE=16)
    if is_given:
        mask = BlockMask.from_kv_blocks(*mask._read(), 16, masks.causal, (64, 64))
    before, others = mask.to_dense(), create_block_mask(masks.causal, None, None, 64, 64, BLOCK_SIZE=16)
    numbers = mask.q_num_blocks + 1
    mask.q_num_blocks = numbers
    assert mask.q_num_blocks is numbers and (others.q_num_blocks == numbers - 1).all()
    mask.q_num_blocks = mask.q_indices = mask.full_q_num_blocks = mask.full_q_indices = None
    assert (mask.to_dense() == before).all() and mask.as_tuple()[6:10] == (None,) * 4
    for other in (mask[:, :, 1:], mask.to("cpu")):
        assert other.q_num_blocks is None and other.full_q_indices is None
    assert others[:, :, 1:].q_num_blocks is not None
    if is_given:
        assert mask._adjust(64, 32).q_num_blocks is None


def test_from_kv_blocks():
    mask = BlockMask.from_kv_blocks(**given())
    assert mask.seq_lengths == (32, 32) and mask.mask_mod is noop_mask and mask.full_kv_indices is None
    assert mask.to_dense().tolist() == [[[[1, 0], [1, 1]]]]
    assert mask.q_num_blocks.tolist() == [[[2, 1]]] and mask.q_indices[0, 0, 0].tolist() == [0, 1]
    assert mask.visible() == 0.75
    assert BlockMask.from_kv_blocks(**given(compute_q_blocks=False)).q_indices is None
    with_full = BlockMask.from_kv_blocks(**given(full_kv_num_blocks=np.array([[[1, 0]]], np.int32),
                                                 full_kv_indices=np.array([[[[1, 9], [9, 9]]]], np.int32),
                                                 mask_mod=masks.causal, seq_lengths=(20, 24)))
    assert with_full.to_dense().tolist() == [[[[1, 1], [1, 1]]]] and with_full.full_q_num_blocks.tolist() == [[[0, 1]]]
    assert with_full.visible() == pytest.approx((16 * 17 / 2 + 4 * 16 + (1 + 2 + 3 + 4) + 16 * 8) / (20 * 24))


@pytest.mark.parametrize("changes, message", [
    ({"kv_indices": np.zeros(3, np.int32)}, r"argument 'kv_indices': expected shape \(\*, blocks of queries, any\), but got \(3,\)"),
    ({"full_kv_num_blocks": np.zeros((1, 1, 2), np.int32)}, "expected full_kv_num_blocks and full_kv_indices, or neither"),
    ({"kv_num_blocks": np.zeros((1, 1, 3), np.int32)}, r"argument 'kv_indices': expected shape .*, but got \(1, 1, 2, 2\) and \(1, 1, 3\)"),
    ({"BLOCK_SIZE": 0}, "argument 'BLOCK_SIZE': expected positive sizes"),
    ({"BLOCK_SIZE": (1, 2, 3)}, r"argument 'BLOCK_SIZE': expected a size or \(of queries, of keys\)"),
    ({"seq_lengths": (-1, 3)}, "argument 'seq_lengths': expected a number from 0"),
])
def test_lists_that_are_none(changes, message):
    with pytest.raises(ValueError, match=message):
        BlockMask.from_kv_blocks(**given(**changes))


def test_as_tuple():
    mask = create_block_mask(masks.causal, None, None, 40, 50, BLOCK_SIZE=(16, 32))
    flat, nested = mask.as_tuple(), mask.as_tuple(flatten=False)
    assert len(flat) == 17 and len(nested) == 15
    assert flat[:2] == (40, 50) and flat[-3:] == (16, 32, masks.causal) and nested[0] == (40, 50) and nested[-2] == (16, 32)
    assert flat[2] is mask.kv_num_blocks and flat[5] is mask.full_kv_indices and flat[10:14] == (None,) * 4


@pytest.mark.parametrize("index, shape", [
    ((0,), (1, 4, 100, 100)), ((slice(None), 2), (2, 1, 100, 100)), ((slice(None), slice(None), 6), (2, 4, 4, 100)),
    ((slice(None), slice(None), slice(1, None)), (2, 4, 84, 100)), ((-1, -1, -2), (1, 1, 16, 100)),
    ((slice(None), slice(None), np.array([2, 0])), (2, 4, 32, 100)), ((slice(None), slice(1, 3)), (2, 2, 100, 100))])
def test_indexing(index, shape):
    mask = create_block_mask(masks.by_head, 2, 4, LENGTH, LENGTH, BLOCK_SIZE=16)
    part = mask[index]
    assert part.shape == shape
    places = tuple([one % size] if isinstance(one, int) else one for one, size in zip(index, (2, 4, 7)))
    expected = mask.to_dense()
    for axis, place in enumerate(places):
        expected = expected[(slice(None),) * axis + (place,)]
    assert (part.to_dense() == expected).all()
    with pytest.raises(ValueError, match="expected a mask with a mask_mod, but got a part of a mask"):
        part.mask_mod(0, 0, 0, 0)
    part.mask_mod = masks.causal
    assert part.mask_mod is masks.causal


@pytest.mark.parametrize("index, message", [((2,), "from -2 to 1, but got 2"), ((0, 0, 0, 0), "at most 3 indices")])
def test_indices_outside(index, message):
    with pytest.raises(ValueError, match=message):
        create_block_mask(masks.causal, 2, 4, LENGTH, LENGTH)[index]


def test_other_lengths():
    mask = create_block_mask(masks.causal, None, None, LENGTH, LENGTH, BLOCK_SIZE=16)
    some, _ = kinds(masks.causal, (1, 1, 50, 70), (16, 16))
    assert (mask._adjust(50, 70).to_dense() == some).all()
    fixed = BlockMask.from_kv_blocks(mask.kv_num_blocks, mask.kv_indices, mask.full_kv_num_blocks, mask.full_kv_indices, 16,
                                     masks.causal, (LENGTH, LENGTH))
    assert (fixed._adjust(50, 70).to_dense() == some).all()


def test_a_function_that_is_assigned_leaves_the_lists():
    mask = create_block_mask(masks.causal, None, None, LENGTH, LENGTH, BLOCK_SIZE=16)
    before = mask.to_dense()
    mask.mask_mod = masks.dilated
    assert (mask.to_dense() == before).all() and (mask.to("cpu").to_dense() == before).all()


def test_pictures():
    mask = create_block_mask(masks.causal, 1, 6, 64, 64, BLOCK_SIZE=16)
    assert mask[0, 0].to_string() == "(0, 0)\n░░      \n██░░    \n████░░  \n██████░░\n"
    assert mask[0, 0].to_string(grid_size=2) == "(0, 0)\n░░  \n██░░\n"
    assert mask[0, 0].to_string(grid_size=-1) == mask[0, 0].to_string()
    assert mask.to_string().count("(0, ") == 4 and "limit=N" in mask.to_string() and "(0, 5)" in mask.to_string(limit=6)
    assert str(mask).startswith("BlockMask(shape=(1, 6, 64, 64), sparsity=37.50%, visible=50.78% of elements, blocks=62.50%,")
    assert "visible" not in str(mask[0])
    picture = xml.etree.ElementTree.fromstring(mask._repr_svg_())
    cells = [node for node in picture.iter() if node.tag.endswith("rect")]
    assert len(cells) == 4 * 16 and len({cell.get("fill") for cell in cells}) == 3


@pytest.mark.parametrize("arguments, error, message", [
    ((5, None, None, 8, 8), TypeError, "argument 'mask_mod': expected a function of Python, but got int"),
    ((masks.alibi, None, None, 8, 8), TypeError, r"argument 'mask_mod': expected a function of \(b, h, q_idx, kv_idx\)"),
    ((masks.causal, None, None, -8, 8), ValueError, "argument 'Q_LEN': expected a number from 0 to 2.30, but got -8"),
    ((masks.causal, None, None, 8, 2**31), ValueError, "argument 'KV_LEN': expected a number from 0 to 2.30"),
    ((masks.causal, "x", None, 8, 8), TypeError, "argument 'B': expected an integer, but got str"),
])
def test_arguments_that_are_none(arguments, error, message):
    with pytest.raises(error, match=message):
        create_block_mask(*arguments)


def test_a_device_without_pytorch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    import sattn

    with pytest.raises(ValueError, match="argument 'device': expected None or 'cpu', since PyTorch is not installed, but got 'cuda'"):
        sattn.create_block_mask(lambda b, h, i, j: i >= j, None, None, 8, 8, device="cuda")
