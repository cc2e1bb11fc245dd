"""sattn.scaled_dot_product_attention on the CPU, against NumPy in double precision, and what it refuses."""

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("tvm_ffi")
scipy_sparse = pytest.importorskip("scipy.sparse")

BLOCKS = 4, 5


def mask_of(rng, block, dtype=bool, blocks=BLOCKS):
    """(crow, col, values) of a random pattern, in which block row 1 is empty, and what it shows of all elements."""
    present = rng.random(blocks) < 0.5
    present[1] = False
    crow = np.concatenate([[0], np.cumsum(present.sum(1))]).astype(np.int32)
    col = np.nonzero(present)[1].astype(np.int32)
    values = rng.random((len(col), *block)) < 0.5  # Not read.
    return (crow, col, values.astype(dtype)), np.kron(present, np.ones(block, bool))


def operands(rng, block, dtype, batch=(), depth=24, value_depth=40):
    rows, columns = BLOCKS[0] * block[0], BLOCKS[1] * block[1]
    return [rng.standard_normal((*batch, size, width)).astype(dtype)
            for size, width in ((rows, depth), (columns, depth), (columns, value_depth))]


def expected_of(query, key, value, visible, scale):
    query, key, value = (array.astype(np.float64) for array in (query, key, value))
    scores = np.where(visible, scale * (query @ key.swapaxes(-1, -2)), -np.inf)
    largest = scores.max(-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isinf(largest), 0, largest))
    total = weights.sum(-1, keepdims=True)
    return weights / np.where(total == 0, 1, total) @ value


def close(result, expected, tolerance):
    assert result.shape == expected.shape
    assert np.abs(result.astype(np.float64) - expected).max() <= tolerance * np.abs(expected).max()


@pytest.mark.parametrize("dtype, tolerance", [(np.float32, 1e-5), (np.float16, 4e-3), (ml_dtypes.bfloat16, 3e-2)])
@pytest.mark.parametrize("block", [(8, 8), (8, 16), (16, 32), (64, 64)])
def test_values(package, dtype, tolerance, block):
    rng = np.random.default_rng(0)
    mask, visible = mask_of(rng, block)
    query, key, value = operands(rng, block, dtype)
    result = package.scaled_dot_product_attention(query, key, value, mask)
    assert result.dtype == dtype
    close(result, expected_of(query, key, value, visible, 24**-0.5), tolerance)
    assert not result[block[0]:2 * block[0]].any()  # The empty block row.


def test_meta(package):
    rng = np.random.default_rng(0)
    mask, visible = mask_of(rng, (64, 64))
    query, key, value = operands(rng, (64, 64), np.float32)
    meta = {"tile": (32, 40, 16), "split_k": 512}
    result = package.scaled_dot_product_attention(query, key, value, mask, meta=meta)
    close(result, expected_of(query, key, value, visible, 24**-0.5), 1e-5)
    for wrong, message in (({"tile": (48, 40, 16)}, "to divide the block's 64"), ({"split_k": 2}, "expected 'tile'"),
                           ({"parts": 2}, "expected keys out of")):
        with pytest.raises(ValueError, match=message):
            package.scaled_dot_product_attention(query, key, value, mask, meta=wrong)
    with pytest.raises(NotImplementedError, match="argument 'meta': expected None for more than 512 columns"):
        package.scaled_dot_product_attention(query, key, np.ones((320, 520), np.float32), mask, meta=meta)


def test_batches_broadcast(package):
    rng = np.random.default_rng(1)
    mask, visible = mask_of(rng, (16, 16))
    query, key, value = operands(rng, (16, 16), np.float32, batch=(2, 3))
    expected = expected_of(query, key[:, :1], value[:1], visible, 0.3)
    close(package.scaled_dot_product_attention(query, key[:, :1], value[:1], mask, scale=0.3), expected, 1e-5)


@pytest.mark.parametrize("scale", [0, -0.5, np.float32(2)])
def test_any_scale(package, scale):
    rng = np.random.default_rng(2)
    mask, visible = mask_of(rng, (8, 16))
    query, key, value = operands(rng, (8, 16), np.float32)
    result = package.scaled_dot_product_attention(query, key, value, mask, scale=scale)
    close(result, expected_of(query, key, value, visible, float(scale)), 1e-5)


def test_a_mask_of_scipy(package):
    rng = np.random.default_rng(3)
    (crow, col, values), visible = mask_of(rng, (8, 16), np.float32)
    mask = scipy_sparse.bsr_array((values, col, crow), shape=visible.shape)
    query, key, value = operands(rng, (8, 16), np.float32)
    close(package.scaled_dot_product_attention(query, key, value, mask),
          expected_of(query, key, value, visible, 24**-0.5), 1e-5)


def test_a_prepared_mask(package):
    rng = np.random.default_rng(10)
    (crow, col, values), visible = mask_of(rng, (8, 16), np.float32)
    query, key, value = operands(rng, (8, 16), np.float32)
    expected = package.scaled_dot_product_attention(query, key, value, (crow, col, values))
    for mask in ((crow, col, values), scipy_sparse.bsr_array((values, col, crow), shape=visible.shape)):
        prepared = package.prepare(mask)
        for meta in (None, {"tile": (8, 40, 16)}):
            result = package.scaled_dot_product_attention(query, key, value, prepared, meta=meta)
            assert np.array_equal(result, expected)
    prepared, columns = package.prepare((crow, col, values)), 16 * (int(col.max()) + 1)
    with pytest.raises(ValueError, match=f"'key': expected at least {columns} rows, for the blocks of attn_mask, but got"):
        package.scaled_dot_product_attention(query, key[:columns - 16], value[:columns - 16], prepared)


@pytest.mark.parametrize("block", [(8, 8), (16, 16)])
def test_nan_of_what_no_block_shows(package, block):
    rng = np.random.default_rng(4)
    (crow, col, values), visible = mask_of(rng, block)
    query, key, value = operands(rng, block, np.float32)
    hidden = ~visible.any(0)
    key[hidden], value[hidden] = np.nan, np.nan
    result = package.scaled_dot_product_attention(query, key, value, (crow, col, values))
    close(result, expected_of(query, np.nan_to_num(key), np.nan_to_num(value), visible, 24**-0.5), 1e-5)


def test_nothing_stored(package):
    mask = np.zeros(5, np.int32), np.zeros(0, np.int32), np.zeros((0, 8, 8), bool)
    query, key, value = operands(np.random.default_rng(5), (8, 8), np.float32)
    assert not package.scaled_dot_product_attention(query, key, value, mask).any()


def test_repeated_blocks_count_twice(package):
    crow, col = np.array([0, 2, 3], np.int32), np.array([1, 1, 0], np.int32)
    rng = np.random.default_rng(8)
    query, key, value = (rng.standard_normal((size, 24)).astype(np.float32) for size in (16, 32, 32))
    once = np.array([0, 1, 2], np.int32)
    twice = package.scaled_dot_product_attention(query, key, value, (crow, col, np.ones((3, 8, 16), bool)))
    single = package.scaled_dot_product_attention(query, key, value, (once, col[1:], np.ones((2, 8, 16), bool)))
    close(twice, single.astype(np.float64), 1e-5)  # Twice every weight of the row.


def test_many_columns_are_computed_in_parts(package):
    rng = np.random.default_rng(9)
    mask, visible = mask_of(rng, (8, 8))
    for depth, value_depth in ((24, 520), (520, 24)):
        query, key, value = operands(rng, (8, 8), np.float32, depth=depth, value_depth=value_depth)
        result = package.scaled_dot_product_attention(query, key, value, mask)
        close(result, expected_of(query, key, value, visible, depth**-0.5), 1e-5)
    assert not (package.scaled_dot_product_attention(query, key, value, mask, 0.5) == result).all()


def kept_of(package, mask, probability, batch=()):
    """Which weights a call keeps: those of queries of 0 with the unit matrix as values, times the number of keys."""
    rows, columns = BLOCKS[0] * 8, BLOCKS[1] * 16
    zeros = np.zeros((*batch, rows, 8), np.float32), np.zeros((columns, 8), np.float32)
    return package.scaled_dot_product_attention(*zeros, np.eye(columns, dtype=np.float32), mask, probability)


def test_dropout(package):
    crow, col = np.arange(0, 21, 5, dtype=np.int32), np.tile(np.arange(5, dtype=np.int32), 4)
    mask = crow, col, np.ones((20, 8, 16), bool)
    np.random.seed(1)
    first = kept_of(package, mask, 0.25, batch=(3,)) * 80
    np.testing.assert_allclose(np.unique(first), [0, 1 / 0.75], rtol=1e-5)
    assert abs((first > 0).mean() - 0.75) < 0.03
    assert all((first[i] != first[j]).any() for i, j in ((0, 1), (0, 2), (1, 2)))
    second = kept_of(package, mask, 0.25, batch=(3,)) * 80
    assert (first != second).any()
    np.random.seed(1)
    assert (kept_of(package, mask, 0.25, batch=(3,)) * 80 == first).all()
    assert not kept_of(package, mask, 1.0).any()
    np.testing.assert_allclose(kept_of(package, mask, 0.0) * 80, 1, rtol=1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16])
def test_dropout_in_parts(package, dtype):
    """Blocks whose columns are no multiple of 16: by numpy.random."""
    rng = np.random.default_rng(0)
    mask, visible = mask_of(rng, (8, 8))
    query, key, value = operands(rng, (8, 8), dtype)
    plain = package.scaled_dot_product_attention(query, key, value, mask).astype(np.float64)
    np.random.seed(1)
    first = package.scaled_dot_product_attention(query, key, value, mask, 0.25)
    np.random.seed(1)
    assert first.dtype == dtype and (package.scaled_dot_product_attention(query, key, value, mask, 0.25) == first).all()
    several = [package.scaled_dot_product_attention(query, key, value, mask, 0.25).astype(np.float64) for _ in range(200)]
    assert (several[0] != several[1]).any()
    np.testing.assert_allclose(np.mean(several, axis=0), plain, atol=0.3)
    assert not package.scaled_dot_product_attention(query, key, value, mask, 1.0).astype(np.float64).any()


@pytest.mark.parametrize("depth", [4, 44, 60, 68])
def test_f64_of_rows_that_are_no_whole_vectors(package, depth):
    rng = np.random.default_rng(0)
    mask, visible = mask_of(rng, (8, 16))
    query, key, value = operands(rng, (8, 16), np.float64, depth=depth, value_depth=depth)
    result = package.scaled_dot_product_attention(query, key, value, mask)
    close(result, expected_of(query, key, value, visible, depth**-0.5), 1e-12)


REFUSED = {
    "causal": (dict(is_causal=True), ValueError, "'is_causal': expected False"),
    "no mask": (dict(attn_mask=None), ValueError, "'attn_mask': expected a block-sparse matrix"),
    "dense mask": (dict(attn_mask=np.ones((32, 40), bool)), TypeError, "'attn_mask': expected a torch.sparse_bsr tensor"),
    "precision": (dict(precision="bf16"), ValueError, "'precision': expected None, 'ieee' or 'tf32'"),
    "no probability": (dict(dropout_p=1.5), ValueError, "'dropout_p': expected a probability in"),
    "rows of query": (dict(query=np.zeros((40, 24), np.float32)), ValueError, "'query': expected 32 rows"),
    "columns of key": (dict(key=np.zeros((40, 23), np.float32)), ValueError, "'key': expected 24 columns"),
    "rows of key": (dict(key=np.zeros((41, 24), np.float32)), ValueError, "'key': expected rows for whole blocks of 8"),
    "rows of value": (dict(value=np.zeros((32, 40), np.float32)), ValueError, "'value': expected 40 rows"),
    "rank": (dict(value=np.zeros(40, np.float32)), ValueError, r"'value': expected shape \(\*, N, E\)"),
    "type": (dict(key=np.zeros((40, 24), np.float16)), ValueError, "'key': expected"),
    "batches": (dict(query=np.zeros((2, 32, 24), np.float32), key=np.zeros((3, 40, 24), np.float32)), ValueError,
                "'key': expected batches that broadcast"),
    "scale": (dict(scale="1"), TypeError, "'scale': expected a real number"),
}


@pytest.mark.parametrize("change, error, message", REFUSED.values(), ids=REFUSED)
def test_refused(package, change, error, message):
    rng = np.random.default_rng(6)
    mask, _ = mask_of(rng, (8, 8))
    query, key, value = operands(rng, (8, 8), np.float32)
    given = {"query": query, "key": key, "value": value, "attn_mask": mask, **change}
    with pytest.raises(error, match=message):
        package.scaled_dot_product_attention(**given)


def test_blocks_and_indices_are_refused_by_name(package):
    rng = np.random.default_rng(7)
    (crow, col, values), _ = mask_of(rng, (8, 8))
    query, key, value = operands(rng, (8, 8), np.float32)
    with pytest.raises(NotImplementedError, match="'attn_mask': expected blocks of positive multiples of 8, but got 4 x 8"):
        package.scaled_dot_product_attention(query, key, value, (crow, col, values[:, :4]))
    with pytest.raises(ValueError, match="'attn_mask': expected values of .* blocks, as many as col has entries"):
        package.scaled_dot_product_attention(query, key, value, (crow, col, values[:-1]))
    wrong = col.copy()
    wrong[0] = 5
    with pytest.raises(ValueError, match="col"):
        package.scaled_dot_product_attention(query, key, value, (crow, wrong, values))
