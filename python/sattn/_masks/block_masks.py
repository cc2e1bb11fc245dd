"""BlockMask and create_block_mask: a mask's function and its visible blocks, with PyTorch's names."""

import math
import sys
import weakref

import numpy as np

from .._native.c_arguments import integer
from .._arrays import adapters, lazy_torch as torch
from .._trace import user_functions
from .._trace.expression import MOST
from . import mask_functions, mask_lists, pictures
from .mask_lists import Lists, ceil_div

#: Attributes of PyTorch's masks beside their lists, which no kernel here reads.
ORDERS = "dq_write_order", "dq_write_order_full", "dq_kv_order", "dq_kv_order_spt"
# The function that PyTorch puts in the place of a sliced mask's function.
SLICED = "_sliced_mask_mod_error"


def _sliced_mask_mod_error(b, h, q_idx, kv_idx):
    """The mask_mod of a mask that was indexed, whose positions are others; it raises."""
    raise ValueError("argument 'block_mask': expected a mask with a mask_mod, but got a part of a mask, which has "
                     "none: set its mask_mod to a function of the part's own positions")


def has_function(mask_mod):
    """Whether it is the function of a mask, and not that in the place of a part's."""
    return mask_mod is not None and getattr(mask_mod, "__name__", "") != SLICED


def _block_size(size):
    pair = (size, size) if not isinstance(size, (tuple, list)) else tuple(size)
    if len(pair) != 2:
        raise ValueError(f"argument 'BLOCK_SIZE': expected a size or (of queries, of keys), but got {size}")
    pair = tuple(integer("BLOCK_SIZE", one) for one in pair)
    if min(pair) < 1:
        raise ValueError(f"argument 'BLOCK_SIZE': expected positive sizes, but got {size}")
    return pair


def _length(name, value, least=0):
    number = integer(name, value)
    if not least <= number <= MOST:
        raise ValueError(f"argument '{name}': expected a number from {least} to 2^30, but got {number}")
    return number


def _as_tensors(lists):
    return Lists(*(None if array is None else torch.from_numpy(array) for array in lists))


class _Snapshot:
    """Captured values as they were, to tell whether they have changed."""

    def __init__(self, values):
        self._values = [self._kept(value) for value in values]

    @staticmethod
    def _kept(value):
        if isinstance(value, np.ndarray):
            return value.copy()
        if not adapters.is_torch(value):
            return value
        # Memory of the host may be written without PyTorch, which counts no writes of inference either.
        if value.device.type == "cpu" or value.is_inference():
            return weakref.ref(value), None, value.detach().clone()
        return weakref.ref(value), value._version, None

    def holds(self, values):
        """Whether these are the values."""
        return len(values) == len(self._values) and all(map(self._is, self._values, values))

    @staticmethod
    def _is(kept, value):
        if isinstance(kept, np.ndarray):
            return isinstance(value, np.ndarray) and kept.dtype == value.dtype and np.array_equal(kept, value)
        if not isinstance(kept, tuple):
            return type(kept) is type(value) and kept == value
        reference, version, copy = kept
        if not adapters.is_torch(value):
            return False
        if copy is None:
            return reference() is value and value._version == version
        return value.device == copy.device and value.dtype == copy.dtype and copy.equal(value)


class BlockMask:
    """The keys that are visible to each query: a function of (b, h, q_idx, kv_idx), and lists of visible blocks.

    `create_block_mask` and `BlockMask.from_kv_blocks` make masks; this constructor is PyTorch's. A mask that was made
    from a function keeps only the function. Its block lists are made when they are first read, from the values of all
    elements but without an array of them, and made again if a captured value has changed since.

    seq_lengths: (queries, keys). kv_num_blocks (B, H, blocks of queries), kv_indices (B, H, blocks of queries, any):
    the number of partial blocks of keys for each block of queries, and which; entries after the number are not read.
    full_kv_num_blocks, full_kv_indices: the number and indices of full blocks, or None. q_num_blocks to
    full_q_indices: the transposed lists, for a backward pass. BLOCK_SIZE: (of queries, of keys). mask_mod: may be
    assigned; the lists stay. B and H are 1 where all share them. Arrays of NumPy, or PyTorch's on one device.
    """

    def __init__(self, seq_lengths, kv_num_blocks, kv_indices, full_kv_num_blocks=None, full_kv_indices=None,
                 q_num_blocks=None, q_indices=None, full_q_num_blocks=None, full_q_indices=None, BLOCK_SIZE=(128, 128),
                 mask_mod=mask_functions.noop_mask, *, dq_write_order=None, dq_write_order_full=None, dq_kv_order=None,
                 dq_kv_order_spt=None):
        for name, numbers, indices in (("kv", kv_num_blocks, kv_indices),
                                       ("full_kv", full_kv_num_blocks, full_kv_indices), ("q", q_num_blocks, q_indices),
                                       ("full_q", full_q_num_blocks, full_q_indices)):
            if (numbers is None) != (indices is None):
                raise ValueError(f"expected {name}_num_blocks and {name}_indices, or neither, but got one of them")
            if numbers is None and name != "kv":
                continue
            arrays = adapters.arrays_of(f"{name}_num_blocks", numbers)
            adapters.require_same(f"{name}_indices", indices, arrays, f"{name}_num_blocks")
            if indices.ndim < 2 or tuple(numbers.shape) != tuple(indices.shape[:-1]):
                raise ValueError(f"argument '{name}_indices': expected shape (*, rows, any), with {name}_num_blocks "
                                 f"(*, rows), but got {tuple(indices.shape)} and {tuple(numbers.shape)}")
        self.seq_lengths = tuple(_length("seq_lengths", length) for length in seq_lengths)
        self.BLOCK_SIZE = _block_size(BLOCK_SIZE)
        self._mask_mod = mask_mod
        self._given = Lists(kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices)
        self._transposed = (q_num_blocks, q_indices, full_q_num_blocks, full_q_indices)
        self.dq_write_order, self.dq_write_order_full = dq_write_order, dq_write_order_full
        self.dq_kv_order, self.dq_kv_order_spt = dq_kv_order, dq_kv_order_spt
        self._made = {}

    @classmethod
    def from_kv_blocks(cls, kv_num_blocks, kv_indices, full_kv_num_blocks=None, full_kv_indices=None, BLOCK_SIZE=128,
                       mask_mod=None, seq_lengths=None, compute_q_blocks=True, *, dq_write_order=None,
                       dq_write_order_full=None, dq_kv_order=None):
        """A mask of given lists (see BlockMask). Without mask_mod, a partial block counts as full.

        seq_lengths: by default those of whole blocks. compute_q_blocks: whether to transpose the lists. Raises
        ValueError or TypeError for arrays that are no block lists.
        """
        block = _block_size(BLOCK_SIZE)
        if getattr(kv_indices, "ndim", 0) < 2:
            raise ValueError("argument 'kv_indices': expected shape (*, blocks of queries, any), but got "
                             f"{tuple(getattr(kv_indices, 'shape', ()))}")
        if seq_lengths is None:
            seq_lengths = kv_indices.shape[-2] * block[0], kv_indices.shape[-1] * block[1]
        order = dq_kv_order if not isinstance(dq_kv_order, bool) else None
        mask = cls(seq_lengths, kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices, BLOCK_SIZE=block,
                   mask_mod=mask_functions.noop_mask if mask_mod is None else mask_mod, dq_write_order=dq_write_order,
                   dq_write_order_full=dq_write_order_full, dq_kv_order=order,
                   dq_kv_order_spt=dq_kv_order if isinstance(dq_kv_order, bool) else None)
        if compute_q_blocks:
            mask._transposed = mask._transpose()
        return mask

    @classmethod
    def _of_function(cls, mask_mod, batch, lengths, block, separate, device):
        mask = cls.__new__(cls)
        mask.seq_lengths, mask.BLOCK_SIZE = lengths, block
        mask._mask_mod, mask._given, mask._transposed, mask._made = mask_mod, None, None, {}
        mask._batch, mask._separate, mask._device = batch, separate, device
        for name in ORDERS:
            setattr(mask, name, None)
        return mask

    # Lists

    def _read(self):
        """The lists, as the constructor has them."""
        return self._made_here()[0] if self._given is None else self._given

    def _made_here(self):
        """The result of `_all_made` for a mask that keeps its function, on the device of its lists. A reader of lists
        reads the transposed ones next."""
        function, values = user_functions.traced("mask_mod", self._mask_mod)
        device = self._device
        if device is None:
            device = next((value.device for value in values if adapters.is_torch(value)), None)
        return self._all_made(function, values, None, device, self.BLOCK_SIZE, self._batch, with_transposed=True)

    def made(self, function, values, band, device, block, batch):
        """(the Lists of a function and a band, of `batch` (B, H), on a device or, None, in NumPy; how many elements of
        each block are visible, in NumPy, or on a GPU, where a number between none and all says no more than that).

        They are kept while the captured values are what they were. On a GPU nothing waits for them.
        """
        return self._all_made(function, values, band, device, block, batch)[:2]

    def _all_made(self, function, values, band, device, block, batch, with_transposed=False):
        """The result of `made`; the transposed Lists or, where they would not be made by the same launch, None."""
        kept = self._made.get((function, band, device, block, batch))
        if kept is not None and kept[0].holds(values):
            return kept[1:]
        shape = batch[0] if function.needs_batch else 1, batch[1] if function.needs_head else 1
        on_gpu = device is not None and device.type != "cpu"
        # Smaller blocks at the end are wholly visible by their number.
        exact = not on_gpu or any(length % size for length, size in zip(self.seq_lengths, block))
        pair = None
        if with_transposed and on_gpu and shape == batch:
            pair = mask_lists.CountsPair.room(shape, self.seq_lengths, block, device)
        mask_lists.begin(batch, self.seq_lengths, block, self._separate, device)
        numbers = mask_lists.counts(function, values, band, shape, self.seq_lengths, block, device if on_gpu else None,
                                    exact, None if pair is None else pair.counts)
        if shape != batch:
            target = (*batch, *numbers.shape[2:])
            numbers = numbers.expand(target) if on_gpu else np.broadcast_to(numbers, target)
        if pair is None:
            lists, transposed = self._lists_of(numbers, self.seq_lengths, block, device), None
        else:
            lists, transposed = pair.lists(self.seq_lengths, block, self._separate)
        if len(self._made) >= 8:
            self._made.clear()
        self._made[function, band, device, block, batch] = _Snapshot(values), lists, numbers, transposed
        return lists, numbers, transposed

    def for_kernel(self, function, values, band, device, block, batch, begin=None):
        """Block lists as `made` gives them; for a long mask in host memory those that bounds give, where possible:
        they may list an empty or full block as partial, and the function then tells its visible elements. begin:
        called before lists are made on a GPU."""
        key = function, band, device, block, batch
        for kept in self._made.get(key), self._made.get((*key, "bounds")):
            if kept is not None and kept[0].holds(values):
                return kept[1]
        on_gpu = device is not None and device.type != "cpu"
        if on_gpu and begin is not None:
            begin()
        found = None if on_gpu else mask_lists.bounded(function, values, band, self.seq_lengths, block)
        if found is None:
            return self.made(function, values, band, device, block, batch)[0]
        lists = mask_lists.lists_of_visible(*found, self._separate)
        if device is not None:
            lists = _as_tensors(lists)
        if len(self._made) >= 8:
            self._made.clear()
        self._made[*key, "bounds"] = _Snapshot(values), lists, None
        return lists

    def _lists_of(self, numbers, lengths, block, device):
        """The block Lists with these counts of visible elements, on a device or, None, in NumPy."""
        on_gpu = device is not None and device.type != "cpu"
        lists = mask_lists.lists_of(numbers, lengths, block, self._separate, device if on_gpu else None)
        return lists if device is None or on_gpu else _as_tensors(lists)

    @property
    def mask_mod(self):
        """The function that tells the visible elements of partial blocks."""
        return self._mask_mod

    @mask_mod.setter
    def mask_mod(self, function):
        if self._given is None:
            self._given, self._transposed = self._read(), self._transpose()
            self._made = {}
        self._mask_mod = function

    def _transpose(self):
        """The block lists of queries to which each block of keys is visible."""
        if self._given is None:
            lists, numbers, transposed = self._made_here()
            if transposed is not None:
                return transposed
            device = lists.kv_indices.device if adapters.is_torch(lists.kv_indices) else None
            return tuple(self._lists_of(numbers.swapaxes(-1, -2), self.seq_lengths[::-1], self.BLOCK_SIZE[::-1],
                                        device))
        return tuple(self._changed(lambda dense: dense.swapaxes(-1, -2)))

    def _changed(self, change):
        """Given lists of blocks, each of which is changed as an array of booleans in host memory."""
        lists, found = self._given, []
        for numbers, indices in (lists[:2], lists[2:]):
            listed = [None, None] if numbers is None else mask_lists.ordered(change(self._listed(numbers, indices)))
            found += [array if array is None else adapters.arrays_of("kv_indices", indices).of_numpy(array, indices)
                      for array in listed]
        return found

    def _listed(self, numbers, indices):
        """Which blocks a list has, as an array of booleans in host memory."""
        host = adapters.arrays_of("kv_indices", indices).host
        return mask_lists.dense_of(host(numbers), host(indices), self._columns)

    @property
    def _columns(self):
        return ceil_div(self.seq_lengths[1], self.BLOCK_SIZE[1])

    # Transposed lists that were assigned, by their place: {} is never written.
    _assigned = {}

    def _assign(self, place, array):
        self._assigned = {**self._assigned, place: array}

    def _reverse(self, place):
        if place in self._assigned:
            return self._assigned[place]
        if self._given is None:
            lists = self._read()
            kept = self._transposed
            if kept is None or kept[0] is not lists:
                self._transposed = kept = lists, self._transpose()
            return kept[1][place]
        return self._transposed[place]

    kv_num_blocks = property(lambda self: self._read().kv_num_blocks)
    kv_indices = property(lambda self: self._read().kv_indices)
    full_kv_num_blocks = property(lambda self: self._read().full_kv_num_blocks)
    full_kv_indices = property(lambda self: self._read().full_kv_indices)
    # Only these may be assigned, also None: no forward pass reads them.
    q_num_blocks = property(lambda self: self._reverse(0), lambda self, array: self._assign(0, array))
    q_indices = property(lambda self: self._reverse(1), lambda self, array: self._assign(1, array))
    full_q_num_blocks = property(lambda self: self._reverse(2), lambda self, array: self._assign(2, array))
    full_q_indices = property(lambda self: self._reverse(3), lambda self, array: self._assign(3, array))

    @property
    def _has_transposed(self):
        """Whether there are transposed lists, or will be where they are read."""
        return self._assigned.get(0, self) is not None and (self._given is None or self._transposed[0] is not None)

    def as_tuple(self, flatten=True):
        """(lengths, the eight lists, orders of a backward pass, block sizes, mask_mod); pairs as two members if
        flatten."""
        lengths, block = (self.seq_lengths, self.BLOCK_SIZE) if flatten else ((self.seq_lengths,), (self.BLOCK_SIZE,))
        return (*lengths, *self._read(), self.q_num_blocks, self.q_indices, self.full_q_num_blocks, self.full_q_indices,
                *(getattr(self, name) for name in ORDERS), *block, self.mask_mod)

    # Shape

    @property
    def _batch_shape(self):
        """Dimensions before those of queries and keys: (B, H)."""
        return self._batch if self._given is None else tuple(self._given.kv_indices.shape[:-2])

    @property
    def shape(self):
        """(B, H, queries, keys)."""
        return (*self._batch_shape, *self.seq_lengths)

    def numel(self):
        """Elements of the mask, visible or not."""
        return math.prod(self.shape)

    def sparsity(self):
        """The percentage of blocks that are visible to no query."""
        dense = self._dense()
        return 100.0 * (1 - dense.mean()) if dense.size else 0.0

    def _dense(self):
        """Which blocks are visible, as an array of booleans in host memory."""
        lists = self._read()
        seen = self._listed(lists.kv_num_blocks, lists.kv_indices)
        return seen if lists.full_kv_num_blocks is None else seen | self._dense_full()

    def _dense_full(self):
        lists = self._read()
        if lists.full_kv_num_blocks is None:
            return np.zeros((*lists.kv_indices.shape[:-1], self._columns), bool)
        return self._listed(lists.full_kv_num_blocks, lists.full_kv_indices)

    def to_dense(self):
        """Which blocks are visible: (B, H, blocks of queries, blocks of keys) of 0 and 1, i32."""
        arrays = adapters.arrays_of("kv_indices", self.kv_indices)
        return arrays.of_numpy(self._dense().astype(np.int32), self.kv_indices)

    def visible(self):
        """The share of elements that are visible, from 0 to 1; None where the function of a part of a mask is not
        known."""
        if self._given is None:
            function, values = user_functions.traced("mask_mod", self._mask_mod)
            numbers = self.made(function, values, None, None, self.BLOCK_SIZE, self._batch)[1]
            return int(numbers.sum()) / max(self.numel(), 1)
        full = self._dense_full()
        partial = self._dense() & ~full
        whole = np.broadcast_to(mask_lists.sizes(self.seq_lengths, self.BLOCK_SIZE), full.shape)
        total = whole[full].sum()
        if partial.any():
            if not has_function(self.mask_mod):
                return None
            function, values = user_functions.traced("mask_mod", self._mask_mod)
            batch = ((1, 1) + self._batch_shape)[-2:]
            number = mask_lists.counts(function, values, None, batch, self.seq_lengths, self.BLOCK_SIZE)
            total += number.reshape(full.shape)[partial].sum()
        return float(total) / max(self.numel(), 1)

    # Other masks

    def __getitem__(self, index):
        """The mask of some batches, heads and blocks of queries: up to three integers, slices or arrays of indices.

        Integers keep their dimension, of 1. The part has no mask_mod, for its positions begin at 0: assign one.
        """
        index = index if isinstance(index, tuple) else (index,)
        lists = self._read()
        shape = tuple(lists.kv_num_blocks.shape)
        if len(index) > len(shape):
            raise ValueError(f"expected at most {len(shape)} indices of a BlockMask, for batches, heads and blocks of "
                             f"queries, but got {len(index)}")
        places = []
        for one, size in zip((*index, *[slice(None)] * (len(shape) - len(index))), shape):
            if isinstance(one, (int, np.integer)):
                if not -size <= one < size:
                    raise ValueError(f"expected an index of a BlockMask from {-size} to {size - 1}, but got {one}")
                one = slice(int(one) % size, int(one) % size + 1)
            places.append(one)
        rows = range(shape[-1])[places[-1]] if isinstance(places[-1], slice) else None
        taken = Lists(*(None if array is None else array[tuple(places)] for array in lists))
        if rows is None:
            queries = taken.kv_num_blocks.shape[-1] * self.BLOCK_SIZE[0]
        else:
            queries = sum(min(self.BLOCK_SIZE[0], self.seq_lengths[0] - row * self.BLOCK_SIZE[0]) for row in rows)
        return type(self).from_kv_blocks(*taken, BLOCK_SIZE=self.BLOCK_SIZE, mask_mod=_sliced_mask_mod_error,
                                         seq_lengths=(queries, self.seq_lengths[1]),
                                         compute_q_blocks=self._has_transposed)

    def _adjust(self, new_q_len, new_kv_len):
        """The mask for other lengths: of its function, or of the blocks that these lengths still have."""
        lengths = _length("new_q_len", new_q_len), _length("new_kv_len", new_kv_len)
        if self._given is None:
            return self._of_function(self._mask_mod, self._batch, lengths, self.BLOCK_SIZE, self._separate,
                                     self._device)
        rows, columns = (ceil_div(length, size) for length, size in zip(lengths, self.BLOCK_SIZE))
        found = self._changed(lambda dense: dense[..., :rows, :columns])
        return type(self).from_kv_blocks(*found, BLOCK_SIZE=self.BLOCK_SIZE, mask_mod=self.mask_mod,
                                         seq_lengths=lengths, compute_q_blocks=self._has_transposed)

    def to(self, device):
        """The mask with its lists on another device, as tensors of PyTorch take it; captured values stay where they
        are."""
        def moved(array):
            return None if array is None else adapters.arrays_of("kv_indices", array).moved(array, device)

        if self._given is None:
            mask = self._of_function(self._mask_mod, self._batch, self.seq_lengths, self.BLOCK_SIZE, self._separate,
                                     _device(device))
        else:
            mask = type(self)(self.seq_lengths, *map(moved, self._given), *map(moved, self._transposed),
                              self.BLOCK_SIZE, self.mask_mod, **{name: getattr(self, name) for name in ORDERS})
        mask._assigned = {place: moved(array) for place, array in self._assigned.items()}
        return mask

    # Pictures

    def to_string(self, grid_size=(20, 20), limit=4):
        """A picture of the blocks: "██" full, "░░" partial, a blank empty, for each batch and head up to `limit`.

        grid_size: most rows and columns of it, a number or a pair; -1: all blocks.
        """
        return pictures.text(self._dense(), self._dense_full(), grid_size, limit)

    def _shares(self):
        visible = self.visible()
        shown = "" if visible is None else f"visible={100 * visible:.2f}% of elements, "
        return f"{shown}blocks={100 - self.sparsity():.2f}%"

    def __str__(self):
        return (f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%, {self._shares()},\n"
                f"{self.to_string().strip()}\n)")

    def __repr__(self):
        name = getattr(self._mask_mod, "__name__", repr(self._mask_mod))
        return f"BlockMask(shape={self.shape}, BLOCK_SIZE={self.BLOCK_SIZE}, mask_mod={name})"

    def _repr_svg_(self):
        return pictures.svg(self._dense(), self._dense_full(), self._shares())


def _device(device):
    """A torch.device, or None for NumPy's arrays."""
    if device is None or str(device) == "cpu" and "torch" not in sys.modules:
        return None
    try:
        import torch
    except ImportError:
        raise ValueError("argument 'device': expected None or 'cpu', since PyTorch is not installed, but got "
                         f"{str(device)!r}") from None
    found = torch.device(device)
    if found.type == "cuda" and found.index is None:
        return torch.device("cuda", torch.cuda.current_device())
    return found


def create_block_mask(mask_mod, B, H, Q_LEN, KV_LEN, device=None, BLOCK_SIZE=128, _compile=False,
                      separate_full_blocks=True, compute_dq_write_order=False, dq_kv_order=True):
    """The BlockMask of a function.

    mask_mod: (b, h, q_idx, kv_idx) -> whether key kv_idx is visible to query q_idx, a function of Python that is traced
    once (docs/Masks.md). B, H: batches and heads of queries, None where all share the mask. Q_LEN, KV_LEN: numbers of
    queries and keys. device: of the lists, as PyTorch takes it; None: PyTorch's where the function captures a tensor,
    else NumPy's. BLOCK_SIZE: of the lists, one number or (of queries, of keys). separate_full_blocks: whether blocks
    that are wholly visible have lists of their own. _compile, compute_dq_write_order and dq_kv_order are taken, as
    PyTorch has them, and change nothing.

    Nothing is evaluated before it is needed. Raises TypeError for a function that cannot be traced, with the line.
    """
    if not isinstance(dq_kv_order, bool):
        raise ValueError(f"argument 'dq_kv_order': expected a bool, but got {type(dq_kv_order).__name__}")
    batch = tuple(1 if size is None else _length(name, size) for name, size in (("B", B), ("H", H)))
    lengths = _length("Q_LEN", Q_LEN), _length("KV_LEN", KV_LEN)
    user_functions.traced("mask_mod", mask_mod)
    return BlockMask._of_function(mask_mod, batch, lengths, _block_size(BLOCK_SIZE), bool(separate_full_blocks),
                                  _device(device))
