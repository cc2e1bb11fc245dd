"""Searches for the parameters of products."""

import contextlib
import math
import sys

import numpy as np

from .._arrays import adapters, conversions, sparse_operand
from .._ops.bsr_addmm import bsr_dense_addmm
from .._ops.bsr_scatter_mm import bsr_scatter_mm, bsr_scatter_mm_indices_data
from . import timing
from .blocked_tensors import blocked, element_of, random_matrix
from .minimize import minimize
from .rows import device_name_of, get_meta, update

# Parameters whose steps double or halve them; those of others add or take 1.
_DOUBLED = {"SPLIT_N", "num_warps"}


def _stepped(name, value, direction, most):
    """A parameter so many steps up or down, from 1 to `most`, which is None where there is no limit."""
    if name in _DOUBLED:
        stepped = value * 2**direction if direction > 0 else value // 2**-direction
    else:
        stepped = value + direction
    stepped = max(stepped, 1)
    return stepped if most is None else min(stepped, most)


def _split(n, parts):
    """The most parts, of at most so many, that n columns can be split into."""
    return next(count for count in range(max(parts, 1), 0, -1) if n % count == 0)


def _without_gradients():
    torch = sys.modules.get("torch")
    return contextlib.nullcontext() if torch is None else torch.no_grad()


def tune_bsr_dense_addmm(input, bsr, dense, *, beta=1, alpha=1, left_alpha=None, right_alpha=None, out=None,
                         store=False, verbose=False, force=False):
    """Searches for the parameters of bsr_dense_addmm with which a call with these arguments is the fastest.

    The arguments are those of bsr_dense_addmm, of NumPy or PyTorch, on the CPU or a CUDA device; out is written. The
    search is over PyTorch's parameters GROUP_SIZE_ROW, SPLIT_N, num_stages and num_warps; on the CPU SPLIT_N alone
    counts: a tile has N / SPLIT_N columns. Each candidate is compiled and timed; one that raises costs only itself. The
    search begins at the row that tables have for the device, type, sparsity and key, or for sparsity 0.5, or at the
    reference, whose tiles are about square.

    store: whether update() keeps what was found. verbose: whether progress is printed, with the speed-up over the
    reference in percent, the time in milliseconds and the sensitivity (minimize). force: whether to search where tables
    have the row; else its parameters are returned.

    Returns the parameters, which `meta` of bsr_dense_addmm takes, and which are empty where all calls failed.
    """
    operand = sparse_operand.operand_of(sparse_operand.without_module(bsr))
    on_gpu, (rows, columns) = operand.arrays.on_gpu, operand.block
    m, (k, n), stored = operand.rows, dense.shape[-2:], operand.col.shape[-1]
    reference = {"SPLIT_N": _split(n, n // rows)}
    if on_gpu:
        reference = {"GROUP_SIZE_ROW": 1, "num_stages": 1, "num_warps": 4, **reference}
    sparsity = round(1 - stored * rows * columns / (m * k), 2)
    result = operand.element if out is None else operand.arrays.dtype(out.dtype)
    dtypes = operand.element if result == operand.element else (operand.element, result)
    device, version = device_name_of(operand.arrays), (0, dtypes, max(sparsity, 0.0))
    key = m, k, n, rows, columns, bool(beta == 0), bool(beta == 1), bool(alpha == 1)
    known = get_meta("bsr_dense_addmm", key, device, version, exact=True)
    if known is not None and not force:
        return known
    near = known or get_meta("bsr_dense_addmm", key, device, (0, dtypes, 0.5), exact=True)
    initial = reference
    if near is not None and reference.keys() <= near.keys():
        initial = {name: near[name] for name in reference}

    def bench(meta):
        return timing.milliseconds(lambda: bsr_dense_addmm(
            input, bsr, dense, beta=beta, alpha=alpha, left_alpha=left_alpha, right_alpha=right_alpha, out=out,
            meta=meta), on_gpu)

    def step(name, value, direction, meta):
        stepped = _stepped(name, value, direction, max(n // rows, 1) if name == "SPLIT_N" else None)
        return value if name == "SPLIT_N" and n % stepped else stepped

    with _without_gradients():
        meta, speedup, ms, sensitivity = minimize(bench, initial, reference, step, verbose=verbose)
    if verbose:
        print(f"-> {sensitivity}, speedup={speedup:.1f} %, timing={ms:.3f} ms")
    if store and not (known is not None and meta == known):
        update("bsr_dense_addmm", device, version, key, meta)
    return meta


def _sparse(random, m, k, block, sparsity, dtype, device):
    """A random BSR matrix as the caller's library has it."""
    matrix = blocked(random, 0, m, k, block, sparsity, dtype, device)
    return matrix.to_sparse_bsr(block) if adapters.is_torch(matrix) else conversions.to_bsr(matrix, block)


def optimize_bsr_dense_addmm(m, k, n, bm, bk, beta=1, alpha=1, dtype="f16", device="cuda", sparsity=0.5, force=False,
                             verbose=False):
    """Searches for the parameters of bsr_dense_addmm of a random M x K matrix of blocks of BM x BK and a K x N one, and
    keeps them by update(): tune_bsr_dense_addmm. dtype, device, sparsity: as of create_blocked_tensor; without
    PyTorch device is "cpu". The matrices are the same in each call."""
    random = np.random.default_rng(0)
    bsr = _sparse(random, m, k, (bm, bk), sparsity, dtype, device)
    dense, input = (random_matrix(random, rows, n, dtype, device) for rows in (k, m))
    tune_bsr_dense_addmm(input, bsr, dense, beta=beta, alpha=alpha, store=True, force=force, verbose=verbose)


def optimize_scatter_mm(m, k, n, bm, bk, dtype="f16", device="cuda", sparsity=0.5, force=False):
    """Searches for the parameters of scatter_mm for a random M x K matrix of blocks of BM x BK and a K x N one, in
    lists of bsr_scatter_mm_indices_data, and keeps them by update() where they are no slower than the reference.

    SPLIT_N and GROUP_SIZE are searched, which alone count here; the other parameters of PyTorch's kernel stay those of
    the reference. Prints what was found. dtype, device, sparsity, force: as of optimize_bsr_dense_addmm.
    """
    random = np.random.default_rng(0)
    bsr = _sparse(random, m, k, (bm, bk), sparsity, dtype, device)
    dense = random_matrix(random, k, n, dtype, device)
    arrays = sparse_operand.operand_of(bsr, multiple=1).arrays
    key, version, name = (m, k, n, bm, bk), (0, element_of(dtype), sparsity), device_name_of(arrays)
    reference = {"GROUP_SIZE": 1, "SPLIT_N": _split(n, n // 16), "TILE_M": min(16, bm), "TILE_N": min(16, n),
                 "num_stages": 1, "num_warps": 1}
    known = get_meta("scatter_mm", key, name, version, exact=True)
    if known is not None and not force:
        return
    initial = known if known is not None and known.keys() == reference.keys() else reference

    def bench(meta):
        lists = bsr_scatter_mm_indices_data(bsr, dense, "bsr_strided_mm_compressed", **meta)
        return timing.milliseconds(lambda: bsr_scatter_mm(bsr, dense, lists), arrays.on_gpu)

    def step(name, value, direction, meta):
        if name not in ("SPLIT_N", "GROUP_SIZE"):
            return value
        most = max(n // meta["TILE_N"], 1) if name == "SPLIT_N" else math.ceil(m / bm)
        stepped = _stepped(name, value, direction, most)
        return value if name == "SPLIT_N" and n % stepped else stepped

    with _without_gradients():
        meta, speedup, ms, _ = minimize(bench, initial, reference, step)
    if initial is not reference and meta == initial and not force:
        return
    print(f"{meta=} {speedup=:.1f} % timing={ms:.3f} ms")
    if speedup >= 0:
        update("scatter_mm", name, version, key, meta)
