"""sattn.scatter_mm and the functions around it on the CPU, against PyTorch's definitions in NumPy, and what they refuse."""

import dataclasses

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("tvm_ffi")
scipy_sparse = pytest.importorskip("scipy.sparse")

FORMATS = ("scatter_mm", "bsr_strided_mm", "bsr_strided_mm_compressed")
TOLERANCE = {np.float32: 1e-5, np.float16: 2e-3, ml_dtypes.bfloat16: 2e-2}


def bsr_of(rng, block, dtype, blocks=(4, 5), index=np.int32, first=0, has_empty=True):
    """(crow, col, values) of a random matrix with an empty row or without one; `first` blocks before its first one's."""
    present = rng.random(blocks) < 0.5
    present[:, 2] = True
    present[1] &= not has_empty
    crow = first + np.concatenate([[0], np.cumsum(present.sum(1))])
    col = np.concatenate([np.full(first, -1), np.nonzero(present)[1]])
    return crow.astype(index), col.astype(index), rng.standard_normal((len(col), *block)).astype(dtype)


def dense_of(bsr, columns=5):
    crow, col, values = bsr
    height, width = values.shape[-2:]
    result = np.zeros(((len(crow) - 1) * height, columns * width))
    for i in range(len(crow) - 1):
        for p in range(crow[i], crow[i + 1]):
            result[i * height:(i + 1) * height, col[p] * width:(col[p] + 1) * width] += values[p].astype(float)
    return result


def defined(blocks, others, indices_data, accumulators):
    """The result by PyTorch's description of a format, in double precision."""
    result, blocks, others = accumulators.astype(float), blocks.astype(float), others.astype(float)
    (ms, ks), name = blocks.shape[1:], indices_data[0]
    if name == "scatter_mm":
        c, pq = indices_data[1:]
        for r in range(len(c) - 1):
            for p, q in pq[c[r]:c[r + 1]]:
                result[r] += blocks[p] @ others[q]
        return result
    n, split = others.shape[-1], indices_data[-1]["SPLIT_N"]
    ns = n // split
    for i, r in enumerate(indices_data[2]):
        (r0, r1), c = divmod(int(r), n), indices_data[1]
        part = result[..., r0:r0 + ms, r1:r1 + ns]
        if name == "bsr_strided_mm":
            pairs = [(indices_data[3][g], indices_data[4][g]) for g in range(c[i], c[i + 1])]
        else:
            c0, c1, h = c[r0 // ms], c[r0 // ms + 1], r1 // ns
            pairs = [(p, indices_data[3][h * c1 + (split - h) * c0 + j]) for j, p in enumerate(range(c0, c1))]
        for p, q in pairs:
            q0, q1 = divmod(int(q), n)
            part += blocks[p] @ others[..., q0:q0 + ks, q1:q1 + ns]
    return result


def close(actual, expected, dtype):
    assert actual.shape == expected.shape
    assert np.abs(actual.astype(float) - expected).max(initial=0) <= TOLERANCE[dtype] * np.abs(expected).max(initial=1)


@pytest.mark.share(3)
@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("block", [(1, 1), (2, 3), (15, 30), (16, 16), (64, 32)])
@pytest.mark.parametrize("format", FORMATS)
def test_values(package, format, block, dtype):
    rng = np.random.default_rng(0)
    bsr = bsr_of(rng, block, dtype)
    other = rng.standard_normal((5 * block[1], 6 * block[0])).astype(dtype)
    data = package.bsr_scatter_mm_indices_data(bsr, other, format)
    assert data[0] == format
    result = package.bsr_scatter_mm(bsr, other, data)
    assert result.dtype == dtype
    close(result, dense_of(bsr) @ other.astype(float), dtype)
    out = np.full(result.shape, np.nan, np.float32)
    assert package.bsr_scatter_mm(bsr, other, data, out=out) is out
    close(out, dense_of(bsr) @ other.astype(float), dtype)
    close(package.bsr_scatter_mm(bsr, other), dense_of(bsr) @ other.astype(float), dtype)


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("has_empty", [False, True])
@pytest.mark.parametrize("format", FORMATS)
def test_old_elements_do_not_count(package, format, has_empty, check):
    """Whether every part of the result is in the lists or not."""
    rng = np.random.default_rng(3)
    bsr = bsr_of(rng, (16, 16), np.float32, has_empty=has_empty)
    other = rng.standard_normal((80, 96)).astype(np.float32)
    data = package.bsr_scatter_mm_indices_data(bsr, other, format)
    out = np.full((64, 96), np.nan, np.float32)
    package.bsr_scatter_mm(bsr, other, data, out=out, check=check)
    close(out, dense_of(bsr) @ other.astype(float), np.float32)
    given = rng.standard_normal((64, 96)).astype(np.float32)
    if format != "scatter_mm":
        wanted = given + dense_of(bsr) @ other.astype(float)
        close(package.scatter_mm(bsr[2], other, data, accumulators=given), wanted, np.float32)


@pytest.mark.parametrize("batch", [(), (1,), (3,), (2, 3)])
@pytest.mark.parametrize("format", FORMATS)
def test_lists_are_what_pytorch_defines(package, format, batch):
    """Both the lists that the function makes, and the result of scatter_mm from them."""
    rng = np.random.default_rng(1)
    bsr = bsr_of(rng, (4, 6), np.float32, index=np.int64, first=2)
    other = rng.standard_normal((*batch, 30, 24)).astype(np.float32)
    meta = {} if format == "scatter_mm" else {"SPLIT_N": 3}
    data = package.bsr_scatter_mm_indices_data(bsr, other, format, **meta)
    expected = dense_of(bsr) @ other.astype(float)
    if format == "scatter_mm":
        parts = other.reshape(-1, 5, 6, 6, 4).swapaxes(-3, -2).reshape(-1, 6, 4)
        given = rng.standard_normal((int(np.prod(batch, dtype=int)) * 24, 4, 4)).astype(np.float32)
        wanted = given + expected.reshape(-1, 4, 4, 6, 4).swapaxes(-3, -2).reshape(-1, 4, 4)
    else:
        assert data[-1]["SPLIT_N"] == 3
        parts, given = other, rng.standard_normal((*batch, 16, 24)).astype(np.float32)
        wanted = given + expected
    np.testing.assert_allclose(defined(bsr[2], parts, data, given), wanted, rtol=1e-5, atol=1e-5)
    assert package.scatter_mm(bsr[2], parts, data, accumulators=given) is given
    np.testing.assert_allclose(given, wanted, rtol=1e-4, atol=1e-4)


def batched_of(rng, block, dtype, batch, first=0, nnz=11):
    """(crow, col, values) of matrices of 4 x 5 blocks: with `first` blocks before the rows of each, two after them."""
    height, width = block
    crow, col = np.zeros((*batch, 5), np.int64), np.full((*batch, nnz), 99)
    for place in np.ndindex(*batch):
        counts = np.bincount(rng.integers(0, 4, nnz - first - 2 * bool(first)), minlength=4)
        crow[place] = first + np.concatenate([[0], np.cumsum(counts)])
        col[place][first:crow[place][-1]] = rng.integers(0, 5, counts.sum())
    return crow, col, rng.standard_normal((*batch, nnz, height, width)).astype(dtype)


def dense_batches(bsr):
    """Blocks of one place add up."""
    crow, col, values = bsr
    batch = np.broadcast_shapes(crow.shape[:-1], col.shape[:-1], values.shape[:-3])
    crow, col, values = (np.broadcast_to(array, (*batch, *array.shape[dim:])) for array, dim in zip(bsr, (-1, -1, -3)))
    dense = [dense_of((crow[place], col[place], values[place])) for place in np.ndindex(*batch)]
    return np.reshape(dense, (*batch, *dense[0].shape))


@pytest.mark.share(3)
@pytest.mark.parametrize("batch, others", [((3,), (3,)), ((3,), ()), ((2, 1), (3,)), ((1,), (2, 2)), ((2, 3), (2, 3))], ids=str)
@pytest.mark.parametrize("block", [(2, 3), (8, 16)], ids=str)
@pytest.mark.parametrize("format", FORMATS)
def test_batches_of_matrices(package, format, block, batch, others):
    rng = np.random.default_rng(7)
    bsr = batched_of(rng, block, np.float32, batch)
    other = rng.standard_normal((*others, 5 * block[1], 6 * block[0])).astype(np.float32)
    expected = dense_batches(bsr) @ other.astype(float)
    data = package.bsr_scatter_mm_indices_data(bsr, other, format)
    # The matrices one below the other.
    blocks = np.broadcast_to(bsr[2], (*expected.shape[:-2], *bsr[2].shape[-3:])).reshape(-1, *block)
    dense = np.broadcast_to(other, (*expected.shape[:-2], *other.shape[-2:])).reshape(-1, other.shape[-1])
    if format == "scatter_mm":
        parts = dense.reshape(-1, block[1], 6, block[0]).swapaxes(1, 2).reshape(-1, block[1], block[0])
        accumulators = np.zeros((len(data[1]) - 1, block[0], block[0]), np.float32)
        wanted = expected.reshape(-1, block[0], 6, block[0]).swapaxes(1, 2).reshape(accumulators.shape)
    else:
        parts, accumulators, wanted = dense, np.zeros((len(dense) // 5 // block[1] * 4 * block[0], 6 * block[0]), np.float32), None
        wanted = expected.reshape(accumulators.shape)
    np.testing.assert_allclose(defined(blocks, parts, data, accumulators), wanted, rtol=1e-5, atol=1e-5)
    close(package.bsr_scatter_mm(bsr, other, data), expected, np.float32)
    # An out that is no one matrix, too.
    out = np.full((*expected.shape[:-2], expected.shape[-2] + 1, expected.shape[-1]), np.nan, np.float32)
    assert package.bsr_scatter_mm(bsr, other, data, out[..., :-1, :]).base is out
    close(out[..., :-1, :], expected, np.float32)
    assert np.isnan(out[..., -1, :]).all()
    close(package.bsr_scatter_mm(bsr, other), expected, np.float32)


@pytest.mark.parametrize("block", [(2, 3), (8, 16)], ids=str)
def test_windows_in_batches(package, block):
    """Blocks before the rows of a matrix, and after them: of no format but the compressed one do they matter."""
    rng = np.random.default_rng(8)
    bsr = batched_of(rng, block, np.float32, (3,), first=2)
    other = rng.standard_normal((5 * block[1], 6 * block[0])).astype(np.float32)
    expected = dense_batches(bsr) @ other.astype(float)
    for format in FORMATS[:2]:
        close(package.bsr_scatter_mm(bsr, other, package.bsr_scatter_mm_indices_data(bsr, other, format)), expected, np.float32)
    close(package.bsr_scatter_mm(bsr, other), expected, np.float32)
    with pytest.raises(ValueError, match="'bsr': expected all of its blocks in rows.*; use bsr_strided_mm"):
        package.bsr_scatter_mm_indices_data(bsr, other)


@pytest.mark.parametrize("format", FORMATS)
def test_no_batch_and_nothing_in_batches(package, format):
    empty = np.zeros((2, 5), np.int32), np.zeros((2, 0), np.int32), np.zeros((2, 0, 4, 2), np.float32)
    none = tuple(np.zeros((0, *part.shape[1:]), part.dtype) for part in empty)
    for bsr, batches in ((empty, 2), (none, 0)):
        other = np.ones((10, 8), np.float32)
        data = package.bsr_scatter_mm_indices_data(bsr, other, format)
        for given in (data, None):
            np.testing.assert_array_equal(package.bsr_scatter_mm(bsr, other, given), np.zeros((batches, 16, 8)))


def test_sums_found_by_hand(package):
    blocks = np.array([[[1, 2], [3, 4]], [[5, 6], [7, 8]]], np.float32)
    others = np.array([[[1, 0], [0, 1]], [[0, 1], [1, 0]], [[2, 0], [0, 2]]], np.float32)
    pq = np.array([[0, 0], [1, 1], [0, 2]], np.int32)
    result = package.scatter_mm(blocks, others, ("scatter_mm", np.array([0, 2, 2, 3]), pq))
    np.testing.assert_array_equal(result, [blocks[0] + blocks[1][:, ::-1], np.zeros((2, 2)), 2 * blocks[0]])


@pytest.mark.parametrize("format", FORMATS[1:])
def test_entries_in_any_order(package, format):
    rng = np.random.default_rng(2)
    bsr = bsr_of(rng, (8, 8), np.float32)
    other = rng.standard_normal((40, 64)).astype(np.float32)
    name, c, r, *rest = package.bsr_scatter_mm_indices_data(bsr, other, format, SPLIT_N=4)
    order = rng.permutation(len(r))
    if format == "bsr_strided_mm":
        lists = [np.arange(c[i], c[i + 1]) for i in order]
        c = np.concatenate([[0], np.cumsum([len(entries) for entries in lists])])
        rest = [rest[0][np.concatenate(lists)], rest[1][np.concatenate(lists)], rest[2]]
    result = package.scatter_mm(bsr[2], other, (name, c, r[order], *rest))
    # As far down as entries go.
    np.testing.assert_allclose(result, (dense_of(bsr) @ other)[:len(result)], rtol=1e-4, atol=1e-4)
    assert len(result) == (np.nonzero(np.diff(bsr[0]))[0][-1] + 1) * 8


def test_any_strides(package):
    rng = np.random.default_rng(3)
    bsr = bsr_of(rng, (16, 8), np.float32)
    other = rng.standard_normal((40, 64)).astype(np.float32)
    data = package.bsr_scatter_mm_indices_data(bsr, other)
    expected = dense_of(bsr) @ other
    wide = np.zeros((40, 130), np.float32)
    wide[:, 1:129:2] = other
    for strided in (other, np.asfortranarray(other), wide[:, 1:129:2]):
        for out in (np.zeros((64, 64), np.float32, order="F"), np.zeros((130, 64), np.float32)[1:129:2]):
            package.scatter_mm(bsr[2], strided, data, accumulators=out)
            np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-4)
    lists = data[1], data[2].repeat(2)[::2], data[3].repeat(3)[::3], data[4]
    np.testing.assert_allclose(package.bsr_scatter_mm(bsr, other, (data[0], *lists)), expected, rtol=1e-4, atol=1e-4)


def test_order_and_parameters(package):
    rng = np.random.default_rng(4)
    crow, col, values = bsr_of(rng, (16, 16), np.float16, blocks=(9, 5), index=np.int64)
    other = np.zeros((80, 512), np.float16)
    name, c, r, q, meta = package.bsr_scatter_mm_indices_data((crow, col, values), other, GROUP_SIZE=3)
    assert name == FORMATS[2] and c is crow and r.dtype == q.dtype == np.int32
    assert meta == {"TILE_M": 16, "TILE_N": 64, "GROUP_SIZE": 3, "num_stages": 1, "num_warps": 4, "SPLIT_N": 2,
                    "allow_tf32": True, "is_compressed": True}
    present = np.nonzero(np.diff(crow))[0]
    np.testing.assert_array_equal(np.sort(r), np.sort((present[:, None] * 16 * 512 + [0, 256]).ravel()))
    np.testing.assert_array_equal(r[:6] // (16 * 512), [*present[:3], *present[:3]])
    np.testing.assert_array_equal(r[:6] % 512, [0, 0, 0, 256, 256, 256])
    *_, meta = package.bsr_scatter_mm_indices_data((crow, col, values), other, FORMATS[1], SPLIT_N=8, num_warps=2, TILE_M=8)
    assert (meta["SPLIT_N"], meta["num_warps"], meta["TILE_M"], meta["is_compressed"]) == (8, 2, 8, False)


def test_offsets_beyond_32_bits(package):
    # Only shapes are read.
    other = np.broadcast_to(np.zeros(1, np.float16), (1 << 16, 1 << 17))
    bsr = np.array([0, 1]), np.array([(1 << 12) - 1]), np.zeros((1, 16, 16), np.float16)
    *_, q, _ = package.bsr_scatter_mm_indices_data(bsr, other)
    assert q.dtype == np.int64 and q[0] == ((1 << 16) - 16) << 17


def test_scipy(package):
    rng = np.random.default_rng(5)
    crow, col, values = bsr_of(rng, (15, 10), np.float32)
    given = scipy_sparse.bsr_array((values, col, crow), shape=(60, 50))
    other = rng.standard_normal((50, 7)).astype(np.float32)
    for data in (None, package.bsr_scatter_mm_indices_data(given, other)):
        np.testing.assert_allclose(package.bsr_scatter_mm(given, other, data), given @ other, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("format", FORMATS)
def test_nothing_stored(package, format):
    bsr = np.zeros(5, np.int64), np.zeros(0, np.int64), np.zeros((0, 16, 16), np.float32)
    other = np.ones((32, 48), np.float32)
    data = package.bsr_scatter_mm_indices_data(bsr, other, format)
    np.testing.assert_array_equal(package.bsr_scatter_mm(bsr, other, data), np.zeros((64, 48)))
    out = np.full((64, 48), np.nan, np.float32)
    np.testing.assert_array_equal(package.bsr_scatter_mm(bsr, other, data, out), np.zeros((64, 48)))
    if format == "scatter_mm":
        assert package.scatter_mm(bsr[2], np.ones((3, 16, 4), np.float32), (format, np.zeros(1, int), np.zeros(0, int))).shape == (0, 16, 4)
    assert package.bsr_scatter_mm(bsr, other[:, :0], None).shape == (64, 0)


def test_keeps_what_has_no_pairs(package):
    blocks, others = np.ones((1, 8, 8), np.float32), np.ones((1, 8, 8), np.float32)
    out = np.full((3, 8, 8), -0.0, np.float32)
    out[0] = np.nan
    package.scatter_mm(blocks, others, ("scatter_mm", np.array([0, 0, 1, 1]), np.array([[0, 0]])), accumulators=out)
    assert np.isnan(out[0]).all() and (out[1] == 8).all() and np.signbit(out[2]).all()


def test_refusals(package):
    rng = np.random.default_rng(6)
    bsr = crow, col, values = bsr_of(rng, (16, 8), np.float32)
    other = rng.standard_normal((40, 64)).astype(np.float32)
    name, c, r, q, meta = data = package.bsr_scatter_mm_indices_data(bsr, other, SPLIT_N=4)
    others = rng.standard_normal((6, 8, 4)).astype(np.float32)
    pairs = "scatter_mm", np.array([0, 1]), np.array([[0, 0]])

    def refused(message, *arguments, error=ValueError, call=package.scatter_mm, **others):
        with pytest.raises(error, match=message):
            call(*arguments, **others)

    refused("argument 'indices_data': expected a tuple, but got list", values, other, [*data], error=TypeError)
    refused("expected a format of scatter_mm, bsr_strided_mm, .* but got 'other'", values, other, ("other",),
            error=NotImplementedError)
    refused("expected .*c_indices, r_offsets, q_offsets, meta.*, but got 4 members", values, other, data[:4])
    refused("'SPLIT_N' 5 that divides the columns of others,", values, other, (*data[:4], {"SPLIT_N": 5}))
    refused("expected 'SPLIT_N' to be a positive integer, but got None", values, other, (*data[:4], {}))
    refused(r"argument 'blocks': expected shape \(P, BM, BK\)", values[0], other, data)
    refused("argument 'others': expected rows for whole blocks of 8, but got 39", values, other[:39], data)
    refused("argument 'others': expected elements of f32, but got float16", values, other.astype(np.float16), data)
    refused("argument 'blocks': expected elements of f16 or bf16 or f32 or f64, but got int16", values.astype(np.int16), other, data)
    refused("argument 'r_offsets': expected elements of i32 or i64, but got int16", values, other,
            (name, c, r.astype(np.int16), q, meta))
    refused(r"argument 'accumulators': expected shape \('M', 64\)", values, other, data,
            accumulators=np.zeros((64, 63), np.float32))
    refused("argument 'accumulators': expected rows for whole blocks of 16, but got 63", values, other, data,
            accumulators=np.zeros((63, 64), np.float32))
    refused("argument 'q_offsets': expected .* entries or more, 4 for each block", values, other, (name, c, r, q[:-1], meta))
    read_only = np.zeros((64, 64), np.float32)
    read_only.flags.writeable = False
    refused("argument 'accumulators': expected an array that can be written", values, other, data, accumulators=read_only)
    refused("argument 'precision': expected None, 'ieee' or 'tf32', but got 'fast'", values, other, data, precision="fast")
    refused(r"argument 'pq': expected shape \(T, 2\)", values, others, ("scatter_mm", c, q))
    refused("argument 'others': expected 8 rows, the columns of a block, but got 7", values, others[:, :7], pairs)
    refused(r"argument 'pq\[:, 0\]': expected blocks in \[0, .*but got 99", values, others,
            ("scatter_mm", np.array([0, 1]), np.array([[99, 0]])))
    refused(r"argument 'pq\[:, 1\]': expected matrices of others in \[0, 6\), but got 6", values, others,
            ("scatter_mm", np.array([0, 1]), np.array([[0, 6]])))
    refused("argument 'c_offsets': expected offsets that do not decrease", values, others,
            ("scatter_mm", np.array([0, 1, 0]), np.array([[0, 0]])))
    for wrong in (r + 1, r + 64, -r - 1):
        refused("argument 'r_offsets': expected offsets of matrices of 16 x 16 in a grid", values, other,
                (name, c, wrong, q, meta), accumulators=np.zeros((64, 64), np.float32))
    refused("argument 'r_offsets': expected offsets that differ", values, other, (name, c, np.full_like(r, r[0]), q, meta))
    refused("argument 'q_offsets': expected offsets of matrices of 8 x 16 in a grid of 5 x 4", values, other,
            (name, c, r, q + 1, meta))
    call = package.bsr_scatter_mm
    refused("argument 'other': expected rows for whole blocks of 8 columns of bsr, but got 39", bsr, other[:39], call=call)
    refused(r"argument 'out': expected shape \(64, 64\)", bsr, other, data, np.zeros((64, 63), np.float32), call=call)
    square = np.zeros((64, 64), np.float32)
    refused("argument 'out': expected memory that argument 'other' does not use", bsr, square[:40], data, square, call=call)
    untouched = np.full((64, 64), np.nan, np.float32)
    refused("argument 'r_offsets'", bsr, other, (name, c, r + 1, q, meta), untouched, call=call)
    assert np.isnan(untouched).all()
    refused(r"argument 'other': expected batches that broadcast with \(2,\), but got \(3,\)",
            tuple(np.stack([part] * 2) for part in bsr), np.stack([other] * 3), call=call)
    call = package.bsr_scatter_mm_indices_data
    refused("argument 'indices_format': expected bsr_strided_mm_compressed, ", bsr, other, "coo", call=call)
    refused("argument 'SPLIT_N': expected a divisor of the 64 columns of other, but got 3", bsr, other, SPLIT_N=3, call=call)
    refused("argument 'TILE_X': expected one of GROUP_SIZE", bsr, other, TILE_X=3, call=call)
    refused("argument 'TILE_M': expected at most 16", bsr, other, TILE_M=32, call=call)
    refused("argument 'num_warps': expected a positive integer, but got 0", bsr, other, num_warps=0, call=call)
    refused("argument 'other': expected columns for whole parts of 16, a block's rows, but got 60", bsr, other[:, :60],
            "scatter_mm", call=call)
    refused("argument 'bsr': expected offsets in", (crow[::-1], col, values), other, call=call)
    # A column beyond the matrix is in the next one of a batch.
    for wrong in (5, -1):
        refused(rf"argument 'bsr': expected columns of blocks in \[0, 5\), but got {wrong}",
                (crow, np.where(np.arange(len(col)) == 1, wrong, col), values), np.stack([other] * 2), call=call)


def test_short_lists_have_a_program_of_their_own(sattn):
    from sattn._ops import scatter_mm
    from sattn._ops.scatter_mm import ScatterMm

    def sparsity_of(entries, lists=8, most=20):
        return scatter_mm._sparsity_of({"q": np.zeros(entries, np.int32), "r": np.zeros(lists, np.int32),
                                        "others": np.zeros((most, 1, 16, 4), np.float32)})

    assert sparsity_of(25) is None and sparsity_of(24) == sparsity_of(0) == 0.85 and sparsity_of(0, lists=0) is None
    assert scatter_mm._sparsity_of({"q": np.zeros(0), "p": np.zeros(0)}) is None
    source = ScatterMm(format="bsr_strided_mm", dtype="bf16", out="bf16", block=(64, 64), n=None, index=("i32",) * 4, batch=0,
                       precision="ieee", sparsity=0.85)
    assert source.options == "sparsity=0.85" and source.text() == dataclasses.replace(source, sparsity=None).text()
