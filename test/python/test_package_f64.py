"""Operations of f64 on the CPU against NumPy, with tolerances that arithmetic in f32 fails, and what CUDA refuses."""

import numpy as np
import pytest

pytest.importorskip("tvm_ffi")
scipy_sparse = pytest.importorskip("scipy.sparse")

TOLERANCE = 1e-14


def matrix(rng, block=(16, 32), rows=4, columns=5):
    """(crow, col, values) with an empty first row, and the matrix."""
    mask = rng.random((rows, columns)) < 0.5
    mask[0] = False
    mask[-1, :2] = True
    crow = np.concatenate([[0], np.cumsum(mask.sum(1))]).astype(np.int32)
    values = rng.standard_normal((int(mask.sum()), *block))
    dense = np.zeros((rows, columns, *block))
    dense[mask] = values
    dense = np.moveaxis(dense, -2, -3).reshape(rows * block[0], columns * block[1])
    return (crow, np.nonzero(mask)[1].astype(np.int32), values), dense


def blocks_of(bsr, dense):
    """The blocks of a dense matrix at the places of another's."""
    crow, col, values = bsr
    rows, columns = values.shape[-2:]
    places = zip(np.repeat(np.arange(len(crow) - 1), np.diff(crow)), col)
    return np.stack([dense[rows * i:rows * (i + 1), columns * j:columns * (j + 1)] for i, j in places])


def near(result, expected, scale=None):
    assert result.dtype == np.float64 and result.shape == expected.shape
    scale = np.abs(expected).max() if scale is None else scale
    assert np.abs(result - expected).max() <= TOLERANCE * scale


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_sums_that_no_f32_has_are_exact(sattn, rng):
    bsr, a = matrix(rng)
    values, dense = np.rint(2.0**20 * bsr[2]), np.rint(2.0**20 * rng.standard_normal((160, 37)))
    expected = np.rint(2.0**20 * a).astype(np.int64) @ dense.astype(np.int64)
    assert (expected.astype(np.float32) != expected).any()
    np.testing.assert_array_equal(sattn.bsr_dense_mm((*bsr[:2], values), dense), expected)


@pytest.mark.parametrize("alpha, beta", [(0.1, 0), (0.1, 0.3), (1, 0.7), (0, 0.1)])
def test_scalars_are_doubles(sattn, rng, alpha, beta):
    bsr, a = matrix(rng)
    dense, added = rng.standard_normal((160, 37)), rng.standard_normal((64, 37))
    left, right = rng.standard_normal(64), rng.standard_normal(37)
    result = sattn.bsr_dense_addmm(added, bsr, dense, alpha=alpha, beta=beta)
    near(result, beta * added + alpha * (a @ dense))
    result = sattn.bsr_dense_addmm(added, bsr, dense, alpha=alpha, beta=beta, left_alpha=left, right_alpha=right)
    near(result, beta * added + left[:, None] * (alpha * (a @ dense)) * right)
    # One multiplication of exact numbers, rounded once.
    ones = bsr[0], bsr[1], np.ones_like(bsr[2])
    result = sattn.bsr_dense_addmm(None, ones, np.ones((160, 1)), alpha=0.1, beta=0)
    np.testing.assert_array_equal(result[:, 0], np.repeat(0.1 * 32 * np.diff(bsr[0]), 16))


def test_f32_may_scale_f64(sattn, rng):
    bsr, a = matrix(rng)
    dense, left = rng.standard_normal((160, 21)), rng.standard_normal(64).astype(np.float32)
    result = sattn.bsr_dense_addmm(None, bsr, dense, beta=0, left_alpha=left)
    near(result, left[:, None].astype(np.float64) * (a @ dense))


@pytest.mark.share(4)
@pytest.mark.parametrize("block", [(8, 8), (16, 128), (24, 40), (64, 64)])
@pytest.mark.parametrize("n", [1, 7, 64, 130])
def test_layouts(sattn, rng, block, n):
    bsr, a = matrix(rng, block)
    dense = rng.standard_normal((5 * block[1], n))
    expected = a @ dense
    near(sattn.bsr_dense_mm(bsr, dense), expected)
    columns = np.ascontiguousarray(dense.T).T
    near(sattn.bsr_dense_addmm(None, bsr, columns, beta=0, out=np.empty(expected.shape[::-1]).T), expected)
    near(sattn.linear(columns.T, bsr), expected.T)
    wide = np.zeros((5 * block[1], 2 * n))
    wide[:, ::2] = dense
    near(sattn.bsr_dense_mm(bsr, wide[:, ::2]), expected)


def test_linear_batches_and_prepared(sattn, rng):
    bsr, a = matrix(rng)
    x, bias = rng.standard_normal((2, 3, 160)), rng.standard_normal(64)
    near(sattn.linear(x, bsr, bias), x @ a.T + bias)
    operand = sattn.prepare(bsr)
    dense = rng.standard_normal((3, 160, 9))
    for _ in range(2):
        near(operand @ dense, a @ dense)
    of_scipy = scipy_sparse.bsr_array((bsr[2], bsr[1], bsr[0]), shape=a.shape)
    near(sattn.bsr_dense_mm(of_scipy, dense[0]), a @ dense[0])


@pytest.mark.parametrize("beta", [0, 0.3])
def test_sampled(sattn, rng, beta):
    bsr, _ = matrix(rng, (16, 24))
    mat1, mat2 = rng.standard_normal((64, 70)), rng.standard_normal((70, 120))
    expected = beta * bsr[2] + 0.1 * blocks_of(bsr, mat1 @ mat2)
    near(sattn.sampled_addmm(bsr, mat1, mat2, alpha=0.1, beta=beta)[2], expected)
    near(sattn.sampled_addmm(bsr, mat1, np.ascontiguousarray(mat2.T).T, alpha=0.1, beta=beta)[2], expected)
    mask = bsr[0], bsr[1], np.ones(bsr[2].shape, bool)
    near(sattn.sampled_addmm(mask, mat1, mat2, beta=0)[2], blocks_of(bsr, mat1 @ mat2))


@pytest.mark.parametrize("block", [(2, 3), (15, 15), (32, 16)])
def test_scatter(sattn, rng, block):
    bsr, a = matrix(rng, block)
    other = rng.standard_normal((a.shape[1], 64))
    near(sattn.bsr_scatter_mm(bsr, other), a @ other)
    near(sattn.bsr_scatter_mm(bsr, other, sattn.bsr_scatter_mm_indices_data(bsr, other)), a @ other)
    others, sums = rng.standard_normal((3, block[1], 20)), rng.standard_normal((2, block[0], 20))
    pairs = np.array([[0, 2], [1, 0], [1, 1]], np.int32)
    offsets = np.array([0, 1, 3], np.int32)
    expected = sums + np.stack([bsr[2][0] @ others[2], bsr[2][1] @ (others[0] + others[1])])
    near(sattn.scatter_mm(bsr[2], others, ("scatter_mm", offsets, pairs), accumulators=sums), expected)


def softmax(scores):
    """The softmax over the last dimension; rows of -inf give 0."""
    largest = scores.max(-1, keepdims=True, initial=-np.inf)
    powers = np.exp(scores - np.where(np.isneginf(largest), 0, largest))
    total = powers.sum(-1, keepdims=True)
    return powers / np.where(total == 0, 1, total)


@pytest.mark.parametrize("block", [(1, 1), (15, 15), (16, 32), (8, 200)])
def test_softmax_is_right_to_each_element(sattn, rng, block):
    bsr, a = matrix(rng, block)
    visible = np.kron(blocks_of_pattern(bsr, a.shape), np.ones(block, bool))
    for scale in (1, 100):  # Elements as small as exp(-500) have as many digits.
        values = scale * bsr[2]
        expected = softmax(np.where(visible, scale * a, -np.inf).astype(np.longdouble))
        result = sattn.bsr_softmax((*bsr[:2], values))[2]
        assert result.dtype == np.float64
        np.testing.assert_allclose(result, blocks_of(bsr, expected).astype(np.float64), rtol=1e-13 * scale, atol=1e-320)


def test_softmax_of_infinities(sattn):
    bsr = np.array([0, 2], np.int32), np.array([0, 1], np.int32), np.full((2, 3, 2), -np.inf)
    bsr[2][1, 1, 1], bsr[2][0, 2] = 1e300, (1e300, np.nan)
    result = sattn.bsr_softmax(bsr)[2]
    np.testing.assert_array_equal(result[:, 0], 0)
    np.testing.assert_array_equal(result[:, 1], [[0, 0], [0, 1]])
    assert np.isnan(result[:, 2]).all()


def blocks_of_pattern(bsr, shape):
    """Where blocks are."""
    crow, col, values = bsr
    present = np.zeros((len(crow) - 1, shape[1] // values.shape[-1]), bool)
    present[np.repeat(np.arange(len(crow) - 1), np.diff(crow)), col] = True
    return present


@pytest.mark.share(4)
@pytest.mark.parametrize("block, columns", [((8, 16), (24, 40)), ((64, 64), (64, 64)), ((16, 8), (24, 24)), ((16, 16), (600, 24))])
@pytest.mark.parametrize("scale", [None, 0.1, -0.3, 0.0])
def test_attention(sattn, rng, block, columns, scale):
    bsr, a = matrix(rng, block)
    visible = np.kron(blocks_of_pattern(bsr, a.shape), np.ones(block, bool))
    query, key = (rng.standard_normal((2, size, columns[0])) for size in a.shape)
    value = rng.standard_normal((2, a.shape[1], columns[1]))
    factor = np.longdouble(columns[0])**-0.5 if scale is None else scale
    scores = np.where(visible, factor * (query.astype(np.longdouble) @ key.swapaxes(-1, -2)), -np.inf)
    expected = (softmax(scores) @ value).astype(np.float64)
    near(sattn.scaled_dot_product_attention(query, key, value, bsr, scale=scale), expected)


def test_attention_of_large_scores(sattn, rng):
    """The scores' distance from the maximum counts, not their size."""
    bsr, a = matrix(rng, (16, 16))
    query, key = np.ones((64, 8)), 1e6 + rng.standard_normal((80, 8))
    value = rng.standard_normal((80, 24))
    visible = np.kron(blocks_of_pattern(bsr, a.shape), np.ones((16, 16), bool))
    scores = np.where(visible, 0.25 * (query.astype(np.longdouble) @ key.T), -np.inf)
    result = sattn.scaled_dot_product_attention(query, key, value, bsr, scale=0.25)
    # The rounding of a score of 2e6.
    assert np.abs(result - (softmax(scores) @ value)).max() <= 1e-8


def test_dropout_divides_by_a_double(sattn, rng):
    bsr, a = matrix(rng, (16, 16))
    query, key = np.zeros((64, 8)), np.zeros((80, 8))
    np.random.seed(3)
    result = sattn.scaled_dot_product_attention(query, key, np.eye(80), bsr, dropout_p=0.1)
    counts = np.repeat(16 * np.diff(bsr[0]), 16)
    kept = result != 0
    assert 0.85 < kept.sum() / counts.sum() < 0.95
    wanted = np.where(kept, 1 / np.maximum(counts, 1)[:, None] / 0.9, 0)
    near(result, wanted)


def test_refusals(sattn, rng):
    bsr, _ = matrix(rng)
    dense = rng.standard_normal((160, 8))
    with pytest.raises(ValueError, match="'dense': expected elements of f64, but got float32"):
        sattn.bsr_dense_mm(bsr, dense.astype(np.float32))
    with pytest.raises(ValueError, match="'out': expected elements of f64, but got float32"):
        sattn.bsr_dense_mm(bsr, dense, out=np.empty((64, 8), np.float32))
    with pytest.raises(ValueError, match="'left_alpha': expected elements of f64 or f32, but got float16"):
        sattn.bsr_dense_addmm(None, bsr, dense, beta=0, left_alpha=np.ones(64, np.float16))
    small = *bsr[:2], bsr[2].astype(np.float32)
    with pytest.raises(ValueError, match="'out': expected elements of f16 or bf16 or f32, but got float64"):
        sattn.bsr_dense_mm(small, dense.astype(np.float32), out=np.empty((64, 8)))
    with pytest.raises(ValueError, match="'mat1': expected elements of f64, but got float32"):
        sattn.sampled_addmm(bsr, np.ones((64, 8), np.float32), np.ones((8, 160), np.float32))
    with pytest.raises(ValueError, match="'accumulators': expected elements of f64, but got float32"):
        sattn.scatter_mm(bsr[2], dense[None, :32], ("scatter_mm", np.zeros(2, np.int32), np.zeros((0, 2), np.int32)),
                         accumulators=np.zeros((1, 16, 8), np.float32))
