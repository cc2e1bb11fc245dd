"""bsr_scatter_mm and what it is given: a BSR matrix times a dense one, by lists of pairs."""

import math

import numpy as np

from .._arrays import adapters, dtypes, sparse_operand, storage
from . import bsr_addmm
from .scatter_mm import LISTS, lists_of, multiply, scatter_mm
from .spec import OpSpec, register

# Columns of a part from the best on: the widest that a tile can be.
_WIDTHS = (256, 128, 64, 32, 16)
# PyTorch's names of parameters, of its kernel but for SPLIT_N and GROUP_SIZE.
_META = ("GROUP_SIZE", "TILE_M", "TILE_N", "SPLIT_N", "num_warps", "num_stages", "allow_tf32")


def _sizes_of(bsr, other):
    """The Operand of a matrix, the product's batches, M, K and N, after checking that they fit."""
    operand = sparse_operand.operand_of(bsr, "bsr", multiple=1)
    adapters.require_same("other", other, operand.arrays, "bsr")
    if other.ndim < 2:
        raise ValueError(f"argument 'other': expected shape (*, K, N), but got {tuple(other.shape)}")
    k, n = other.shape[-2:]
    if operand.shape is not None and operand.shape[-1] != k:
        raise ValueError(f"argument 'other': expected {operand.shape[-1]} rows, the columns of bsr, but got {k}")
    if k % operand.block[1]:
        raise ValueError(f"argument 'other': expected rows for whole blocks of {operand.block[1]} columns of bsr, but "
                         f"got {k}")
    batch = storage.broadcast_batch(operand.batch, "other", other.shape[:-2])
    return operand, batch, operand.rows, k, n


def _meta_of(operand, n, given):
    """PyTorch's parameters, those that are given and the rest by default."""
    for name, value in given.items():
        if name not in _META:
            raise ValueError(f"argument '{name}': expected one of {', '.join(_META)}")
        if name != "allow_tf32" and value is not None and (
                isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1):
            raise ValueError(f"argument '{name}': expected a positive integer, but got {value!r}")
    given = {name: value if isinstance(value, bool) else int(value) for name, value in given.items() if value
             is not None}
    split = given.get("SPLIT_N", next((n // width for width in _WIDTHS if n and n % width == 0), 1))
    if n % split:
        raise ValueError(f"argument 'SPLIT_N': expected a divisor of the {n} columns of other, but got {split}")
    rows, columns = operand.block[0], max(n // split, 1)
    for name, most in (("TILE_M", rows), ("TILE_N", columns)):
        if given.get(name, 1) > most:
            raise ValueError(f"argument '{name}': expected at most {most}, the size of a part, but got {given[name]}")
    # All block rows for one part of the columns share what they read of the other matrix.
    return {"TILE_M": min(64, rows), "TILE_N": min(64, columns), "GROUP_SIZE": max(operand.rows // rows, 1),
            "num_stages": 1, "num_warps": 4, "SPLIT_N": split, "allow_tf32": operand.element != "f32", **given}


def _stored(starts, counts):
    """The numbers of the blocks of all rows, in order."""
    before = np.cumsum(counts) - counts
    return np.repeat(starts - before, counts) + np.arange(counts.sum())


def _compressed(starts, counts, col, rows, k_rows, n, split, group, blocks):
    """(r_offsets, q_offsets): a block's offsets stand `split` times, once for each part of its columns, after all those
    of the block rows above. Places of blocks of no row hold 0."""
    width = n // split
    row_of = np.repeat(np.arange(len(counts)), counts)
    stored = _stored(starts, counts)
    part = np.arange(split)[:, None]
    places = part * counts[row_of] + (split - 1) * starts[row_of] + stored
    q = np.zeros(split * blocks, np.int64)
    q[places] = col[stored] * (k_rows * n) + part * width
    present = np.nonzero(counts)[0]
    order = [(first + np.arange(min(group, len(present) - first))) for first in range(0, len(present), group)]
    r = [(present[rows_of_group][None, :] * (rows * n) + part * width).ravel() for rows_of_group in order]
    return np.concatenate([*r, np.zeros(0, np.int64)]), q


def _strided(starts, counts, col, rows, k_rows, n, split):
    """(c_indices, r_offsets, p_offsets, q_offsets)."""
    width = n // split
    present, part = np.nonzero(counts)[0], np.arange(split)
    r = (present[:, None] * (rows * n) + part * width).ravel()
    c = np.concatenate([[0], np.cumsum(np.repeat(counts[present], split))])
    p = _stored(np.repeat(starts[present], split), np.repeat(counts[present], split))
    parts = np.repeat(np.tile(part, len(present)), np.repeat(counts[present], split))
    return c, r, p, col[p] * (k_rows * n) + parts * width


def _batched(starts, counts, col, across, k_blocks, batches):
    """(c_offsets, pq) of square parts, `across` in a row: in the order of batches, block rows and parts."""
    c = np.concatenate([[0], np.cumsum(np.tile(np.repeat(counts, across), batches))])
    p = _stored(np.repeat(starts, across), np.repeat(counts, across))
    part = np.repeat(np.tile(np.arange(across), len(counts)), np.repeat(counts, across))
    batch = np.repeat(np.arange(batches), len(p))
    q = (np.tile(col[p], batches) + batch * k_blocks) * across + np.tile(part, batches)
    return c, np.stack([np.tile(p, batches), q], axis=1)


def _narrow(offsets):
    """Offsets as i32, or i64 where they need it."""
    wide = offsets.size and offsets.max() > np.iinfo(np.int32).max
    return np.ascontiguousarray(offsets, np.int64 if wide else np.int32)


def _stacked(array, batch, dims, arrays):
    """The arrays of all batches, of `dims` dimensions each, as one: after each other along the first."""
    whole = arrays.expand(array, (*batch, *array.shape[-dims:]))
    return whole.reshape(math.prod(whole.shape[:1 - dims]), *whole.shape[1 - dims:])


def _rows_of(operand, batch, k_blocks):
    """(starts, counts, columns) on the host: of each block row its first block and how many it has, and of each block
    its column. Those of batches are one below the other: each matrix has its own rows, blocks and columns, as on a
    diagonal."""
    arrays, nnz = operand.arrays, operand.values.shape[-3]
    crow, col = (np.asarray(arrays.host(array)).astype(np.int64) for array in (operand.crow, operand.col))
    if crow.shape[-1] < 1 or (crow[..., :1] < 0).any() or (np.diff(crow) < 0).any() or (crow[..., -1:] > nnz).any():
        raise ValueError(f"argument 'bsr': expected offsets in [0, {nnz}] that do not decrease, but got others")
    if operand.batch:
        crow, col = (_stacked(array[..., None, :], batch, 2, adapters.NUMPY) for array in (crow, col))
    else:
        crow, col = crow[None], col[None]
    starts = (crow[:, :-1] + nnz * np.arange(len(crow))[:, None]).ravel()
    counts = np.diff(crow).ravel()
    stored = col.ravel()[_stored(starts, counts)]
    if stored.size and (stored.min() < 0 or stored.max() >= k_blocks):
        wrong = stored[(stored < 0) | (stored >= k_blocks)][0]
        raise ValueError(f"argument 'bsr': expected columns of blocks in [0, {k_blocks}), but got {wrong}")
    return starts, counts, (col + k_blocks * np.arange(len(col))[:, None]).ravel()


def _offsets_of(operand, batch, starts, counts):
    """c_indices of the compressed format, which has no other word on which blocks a row has."""
    if not operand.batch:
        return operand.crow
    ends = starts + counts
    if (starts[1:] != ends[:-1]).any():
        raise ValueError("argument 'bsr': expected all of its blocks in rows, where matrices of a batch are in the "
                         "format bsr_strided_mm_compressed, but got blocks between them; use bsr_strided_mm")
    return operand.arrays.of_numpy(_narrow(np.append(starts, ends[-1:] if len(ends) else 0)), operand.crow)


def bsr_scatter_mm_indices_data(bsr, other, indices_format="bsr_strided_mm_compressed", **meta_input):
    """indices_data of scatter_mm for bsr @ other: bsr_scatter_mm_indices_data of PyTorch's sparse kernels.

    bsr: (*, M, K), as of bsr_dense_addmm, with blocks of any size. other: (*, K, N); only its shape counts. * are batch
    dimensions, which broadcast. Where bsr has any, the lists are those of the matrices of all batches one below the
    other: blocks (B * nnz, BM, BK), others (B * K, N), accumulators (B * M, N).
    indices_format: "bsr_strided_mm_compressed", "bsr_strided_mm" or "scatter_mm" (of which other's columns have to be
    whole parts of a block's rows). meta_input: PyTorch's GROUP_SIZE, TILE_M, TILE_N, SPLIT_N, num_warps, num_stages and
    allow_tf32. Here SPLIT_N counts, the number of parts of other's columns, which it must divide, and GROUP_SIZE, the
    block rows whose parts follow each other in the compressed format; the rest is for PyTorch's kernel.

    Returns the format's name and its arrays, and but for "scatter_mm" the parameters: PyTorch's functions take what
    this one gives, and the other way about. Index arrays are of bsr's library, on its device; on CUDA that
    synchronizes. The first of bsr's offsets need not be 0. Raises ValueError or TypeError for arguments that do not
    fit.
    """
    operand, batch, _, k, n = _sizes_of(bsr, other)
    if indices_format not in LISTS:
        raise ValueError(f"argument 'indices_format': expected {', '.join(reversed(LISTS))}, but got "
                         f"{indices_format!r}")
    meta = _meta_of(operand, n, meta_input)
    arrays, (rows, k_rows), split = operand.arrays, operand.block, meta["SPLIT_N"]
    starts, counts, col = _rows_of(operand, batch, k // k_rows)

    def made(*lists):
        return [arrays.of_numpy(_narrow(entries), operand.crow) for entries in lists]

    if indices_format == "scatter_mm":
        if n % rows:
            raise ValueError(f"argument 'other': expected columns for whole parts of {rows}, a block's rows, but got "
                             f"{n}")
        batches = 1 if operand.batch else math.prod(batch)
        return indices_format, *made(*_batched(starts, counts, col, n // rows, k // k_rows, batches))
    if indices_format == "bsr_strided_mm":
        c, r, p, q = made(*_strided(starts, counts, col, rows, k_rows, n, split))
        return indices_format, c, r, p, q, {**meta, "is_compressed": False}
    offsets = _offsets_of(operand, batch, starts, counts)
    r, q = made(*_compressed(starts, counts, col, rows, k_rows, n, split, meta["GROUP_SIZE"], len(col)))
    return indices_format, offsets, r, q, {**meta, "is_compressed": True}


def bsr_scatter_mm(bsr, other, indices_data=None, out=None, *, check=None, precision=None):
    """bsr @ other, by scatter_mm where indices_data is given: bsr_scatter_mm of PyTorch's sparse kernels.

    bsr: (*, M, K), as of bsr_dense_addmm, with blocks of any size. other: (*, K, N). * are batch dimensions, which
    broadcast; PyTorch's function takes none of bsr. indices_data: what bsr_scatter_mm_indices_data gives for both, here
    or of PyTorch. Without it the product is bsr_dense_mm's, which needs no lists; of blocks whose sizes are no
    multiples of 8 they are made here. out: (*, M, N) of f16, bf16 or f32 (of f64, if bsr is), any strides; its old
    elements are not read. check, precision: as of scatter_mm.

    Returns out, or a new array (*, M, N) of bsr's type. Raises what scatter_mm and bsr_dense_mm raise.
    """
    operand, batch, m, k, n = _sizes_of(bsr, other)
    arrays, (rows, k_rows) = operand.arrays, operand.block
    if indices_data is None:
        if all(size % 8 == 0 for size in operand.block):
            return bsr_addmm.bsr_dense_addmm(None, bsr, other, beta=0, out=out, check=check, precision=precision)
        # Which takes blocks that no row has in batches, too.
        format = "bsr_strided_mm" if operand.batch else "bsr_strided_mm_compressed"
        indices_data = bsr_scatter_mm_indices_data(bsr, other, format)
    shape = (*batch, m, n)
    if out is None:
        result = arrays.empty(shape, operand.values)
    else:
        adapters.require_same("out", out, arrays, "bsr")
        adapters.require_no_derivative("out", out)
        adapters.require_shape("out", out, shape)
        adapters.require_element("out", out, arrays, dtypes.results_of(operand.element))
        adapters.require_writable("out", out)
        for name, array in (("other", other), ("bsr", operand.values)):
            if arrays.may_overlap(out, array):
                raise ValueError(f"argument 'out': expected memory that argument '{name}' does not use, but both "
                                 "overlap")
        result = out
    if isinstance(indices_data, tuple) and indices_data and indices_data[0] == "scatter_mm":
        if n % rows:
            raise ValueError(f"argument 'other': expected columns for whole parts of {rows}, a block's rows, but got "
                             f"{n}")
        target = arrays.grid(result, rows, rows)
        sums = arrays.zeros((math.prod(target.shape[:-2]), rows, rows), result)
        if operand.batch:
            blocks, others = _stacked(operand.values, batch, 3, arrays), _stacked(other, batch, 2, arrays)
        else:
            blocks, others = operand.values, other
        scatter_mm(blocks, arrays.grid(others, k_rows, rows).reshape(-1, k_rows, rows), indices_data, accumulators=sums,
                   check=check, precision=precision)
        target[...] = sums.reshape(target.shape)
    elif not operand.batch:
        multiply(operand.values, other, lists_of(indices_data), result, check, precision, is_cleared=True)
    else:
        sums = arrays.rows_of(result)
        is_own = sums is None
        if is_own:
            sums = arrays.zeros((math.prod(shape[:-1]), n), result)
        multiply(_stacked(operand.values, batch, 3, arrays), _stacked(other, batch, 2, arrays), lists_of(indices_data),
                 sums, check, precision, is_cleared=not is_own)
        if is_own:
            result[...] = sums.reshape(shape)
    return result


register(OpSpec(
    bsr_scatter_mm, types={"bsr": "_Bsr", "other": "_Array", "indices_data": "tuple[Any, ...] | None"}))
register(OpSpec(
    bsr_scatter_mm_indices_data, returns="tuple[Any, ...]", types={
        "bsr": "_Bsr", "other": "_Array", "meta_input": "int | bool | None",
        "indices_format": 'Literal["bsr_strided_mm_compressed", "bsr_strided_mm", "scatter_mm"]'}))
