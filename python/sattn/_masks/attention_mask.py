"""The mask of flex_attention's arguments as a kernel takes it: a function, block lists, a band."""

import operator
import typing
import weakref

from .._arrays import adapters
from .._trace import user_functions
from . import block_masks, given_lists, mask_functions, mask_lists
from .block_masks import BlockMask

# Block size of lists made for a mask whose own block sizes no kernel takes.
BLOCK = 128, 128
MULTIPLE = 16
# PyTorch's size of the one block of a mask that restricts nothing.
WHOLE = 1 << 30


class Mask(typing.NamedTuple):
    """A mask as a kernel takes it. function, values: of mask_mod, or None. lists: Lists or None. is_ours: whether the
    lists were made here, and need no check. are_given: whether the lists are the given ones themselves, where they
    lie."""

    function: object = None
    values: tuple = ()
    lists: object = None
    block: tuple = ()
    band: object = None
    is_ours: bool = True
    are_given: bool = False

    def facts_of_lists(self):
        """Facts about the lists that a program depends on; None without lists."""
        if self.lists is None:
            return None
        return self.lists.kv_num_blocks.shape, self.lists.full_kv_num_blocks is None, self.block, self.is_ours


def _require_lengths(name, found, expected, what):
    if found != expected:
        raise ValueError(f"argument '{name}': expected a mask of {expected[0]} x {expected[1]} {what}, but got one of "
                         f"{found[0]} x {found[1]}; make another one with create_block_mask")


def _require_batch(found, expected):
    for name, own, wanted in zip(("batches", "heads"), found, expected):
        if own not in (1, wanted):
            either = f"1 or {wanted} {name}" if wanted != 1 else f"1 of the {name}"
            raise ValueError(f"argument 'block_mask': expected {either}, as query has, but got {own}")


def _with_four_dimensions(lists):
    def padded(array, rank):
        return array if array is None or array.ndim >= rank else array[(None,) * (rank - array.ndim)]

    return mask_lists.Lists(padded(lists.kv_num_blocks, 3), padded(lists.kv_indices, 4),
                            padded(lists.full_kv_num_blocks, 3), padded(lists.full_kv_indices, 4))


class _Checked(typing.NamedTuple):
    """The lists of a given mask, once they were found to fit a call."""

    members: tuple
    arrays: object
    sizes: tuple
    lists: object
    block: tuple

    def holds(self, members, arrays, sizes):
        """Whether the mask still has the same members, by identity, and the call the same sizes."""
        return all(map(operator.is_, members, self.members)) and arrays is self.arrays and sizes == self.sizes


# By the mask's identity: (a weak reference to it, its _Checked).
_checked = {}


def _keep_checked(mask, checked):
    number = id(mask)
    _checked[number] = weakref.ref(mask, lambda _: _checked.pop(number, None)), checked


#: The members of a given mask that a call reads.
members_of = operator.attrgetter("kv_num_blocks", "kv_indices", "full_kv_num_blocks", "full_kv_indices", "BLOCK_SIZE",
                               "seq_lengths", "mask_mod")


def _known_or_traced(known, mask_mod):
    return user_functions.traced("mask_mod", mask_mod) if known is None else known


def of_lists(mask, band, arrays, sizes, known=None):
    """The Mask of given block lists, ours or PyTorch's. known: mask_mod's function and values, where it is traced."""
    members = members_of(mask)
    if band is None:
        checked = _checked.get(id(mask))
        if checked is not None and checked[0]() is mask and checked[1].holds(members, arrays, sizes):
            function, values = _known_or_traced(known, members[-1])
            return _mask_of_given(function, values, checked[1].lists, checked[1].block, sizes[2:], arrays)
    batch, heads, queries, keys = sizes
    lists = mask_lists.Lists(mask.kv_num_blocks, mask.kv_indices, mask.full_kv_num_blocks, mask.full_kv_indices)
    block = tuple(mask.BLOCK_SIZE)
    mask_mod = mask.mask_mod
    if block == (WHOLE, WHOLE):
        traced = _known_or_traced(known, mask_functions.noop_mask if mask_mod is None else mask_mod)
        return Mask(*traced, None, (), band)
    _require_lengths("block_mask", tuple(mask.seq_lengths), (queries, keys), "queries and keys")
    for name, array in lists._asdict().items():
        if array is not None:
            adapters.require_same("block_mask", array, arrays, "query")
            if arrays.dtype(array.dtype) != "i32":
                raise ValueError(f"argument 'block_mask': expected '{name}' of int32, but got {array.dtype}")
    lists = _with_four_dimensions(lists)
    for array in lists:
        if array is not None:
            _require_batch(tuple(array.shape[:2]), (batch, heads))
    if not block_masks.has_function(mask_mod):
        if bool((lists.kv_num_blocks > 0).any()):
            block_masks._sliced_mask_mod_error(None, None, None, None)
        mask_mod = mask_functions.noop_mask
    if any(size % MULTIPLE for size in block):
        raise ValueError("argument 'block_mask': expected given block lists with blocks of multiples of "
                         f"{MULTIPLE} queries and keys, but got {block[0]} x {block[1]}")
    function, values = _known_or_traced(known, mask_mod)
    if not queries or not keys:
        return Mask(function, values, None, (), band, False)
    if band is not None:
        lists, cut = given_lists.within(mask, lists, band, (queries, keys), block, arrays)
        if cut is not None:
            function, values = given_lists.with_cut(function, values, cut, block)
        return Mask(function, values, lists, block, band, False)
    if mask_mod is members[-1]:
        _keep_checked(mask, _Checked(members, arrays, sizes, lists, block))
    return _mask_of_given(function, values, lists, block, (queries, keys), arrays)


def _mask_of_given(function, values, lists, block, lengths, arrays):
    own = given_lists.ragged_last(lists, lengths, block, arrays)
    # On a device the places of blocks are not known here.
    return Mask(function, values, own, block, None, False, own is lists)


def require_fit(block_mask, sizes):
    """Raises ValueError where a BlockMask that was made from a function has other sizes than (B, H, M, N)."""
    if block_mask.seq_lengths != sizes[2:]:
        _require_lengths("block_mask", block_mask.seq_lengths, sizes[2:], "queries and keys")
    if block_mask._batch != (1, 1):
        _require_batch(block_mask._batch, sizes[:2])


def parts_of(block_mask):
    """(lists, numbers, Function or None, its values) of a BlockMask, ours or PyTorch's, as an operation of PyTorch
    takes it (_ops/flex_attention_operation.py)."""
    _require_mask(block_mask)
    numbers = [*block_mask.seq_lengths, *block_mask.BLOCK_SIZE, 1, 1, 1]
    if isinstance(block_mask, BlockMask) and block_mask._given is None:
        numbers[4:] = *block_mask._batch, int(block_mask._separate)
        return [], numbers, *user_functions.traced("mask_mod", block_mask._mask_mod)
    lists = [array for array in members_of(block_mask)[:4] if array is not None]
    if not block_masks.has_function(block_mask.mask_mod):
        return lists, numbers, None, ()
    return lists, numbers, *user_functions.traced("mask_mod", block_mask.mask_mod)


def _require_mask(block_mask):
    if not isinstance(block_mask, BlockMask):
        if not all(hasattr(block_mask, name) for name in ("kv_num_blocks", "kv_indices", "full_kv_num_blocks",
                                                          "BLOCK_SIZE", "seq_lengths", "mask_mod")):
            hint = "; make one with create_block_mask" if callable(block_mask) else ""
            if hasattr(block_mask, "dtype"):
                hint = (" of {0}; of a mask of booleans make create_block_mask(lambda b, h, q_idx, kv_idx: mask[q_idx, "
                        "kv_idx], None, None, M, N), of a bias that is added to scores score_mod=lambda score, b, h, "
                        "q_idx, kv_idx: score + bias[q_idx, kv_idx]").format(block_mask.dtype)
            raise TypeError(f"argument 'block_mask': expected a BlockMask, but got {type(block_mask).__name__}{hint}")


def mask_of(block_mask, band, arrays, sizes, begin=None):
    """The Mask of flex_attention's arguments. begin: see of_function."""
    if block_mask is None:
        return Mask(band=band)
    if not isinstance(block_mask, BlockMask):
        _require_mask(block_mask)
        return of_lists(block_mask, band, arrays, sizes)
    if block_mask._given is not None:
        return of_lists(block_mask, band, arrays, sizes)
    require_fit(block_mask, sizes)
    function, values = user_functions.traced("mask_mod", block_mask._mask_mod)
    return of_function(block_mask, function, values, band, arrays, sizes, begin)


def of_function(block_mask, function, values, band, arrays, sizes, begin=None):
    """The Mask of a BlockMask that was made of a function, which is traced. begin: called, before lists are made on a
    GPU, with a Mask in which Expected stands for them."""
    # The one place that says which masks need lists: those that the compiler does not prove the structure of.
    if function.is_derived or not sizes[2] or not sizes[3]:
        return Mask(function, values, None, (), band)
    block = block_mask.BLOCK_SIZE
    if block[0] % MULTIPLE or block[1] % MULTIPLE:
        block = BLOCK
    batch = sizes[0] if function.needs_batch else 1, sizes[1] if function.needs_head else 1

    def begin_with():
        begin(Mask(function, values, mask_lists.expected(batch, block_mask._separate), block, band))

    lists = block_mask.for_kernel(function, values, band, arrays.device, block, batch, begin and begin_with)
    return Mask(function, values, lists, block, band)
