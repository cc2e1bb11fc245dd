"""Properties that the arrays of a BSR matrix share: batches that broadcast, a shape that counts, contents."""

import copy
import re

import numpy as np
import pytest
import scipy.sparse

pytest.importorskip("tvm_ffi")
from test_package_bsr import matrix, near  # noqa: E402


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def stacked(rng, crow_batch, col_batch, values_batch):
    """(crow, col, values) of 3 block rows, each of two of 5 block columns, with these batches, and the dense matrices
    of the batches that they broadcast to."""
    crow = np.broadcast_to(np.array([0, 2, 4, 6], np.int32), (*crow_batch, 4)).copy()
    col = np.sort(rng.permuted(np.broadcast_to(np.arange(5, dtype=np.int32), (*col_batch, 3, 5)), axis=-1)[..., :2])
    col = np.ascontiguousarray(col.reshape(*col_batch, 6))
    values = rng.standard_normal((*values_batch, 6, 8, 16)).astype(np.float32)
    batch = np.broadcast_shapes(crow_batch, col_batch, values_batch)
    dense = np.zeros((*batch, 3, 8, 5, 16))
    places, blocks = np.broadcast_to(col, (*batch, 6)), np.broadcast_to(values, (*batch, 6, 8, 16))
    for index in np.ndindex(*batch):
        for stored in range(6):
            dense[(*index, stored // 2, slice(None), places[index][stored])] += blocks[index][stored]
    return (crow, col, values), dense.reshape(*batch, 24, 80)


@pytest.mark.parametrize("batches", [
    ((), (), (3,)), ((3,), (3,), ()), ((1,), (3,), (1,)), ((), (3,), ()), ((3,), (), (3,)), ((2, 1), (3,), (1, 1)),
    ((), (), (2, 3)), ((0,), (), (1,)), ((2, 1), (1, 3), ())])
@pytest.mark.parametrize("dense_batch", [(), (3,)])
def test_batches_broadcast(sattn, rng, batches, dense_batch):
    bsr, a = stacked(rng, *batches)
    if batches[0] == (0,) and dense_batch:
        dense_batch = (1,)
    dense = rng.standard_normal((*dense_batch, 80, 9)).astype(np.float32)
    expected = a @ dense
    for operand in (bsr, sattn.prepare(bsr)):
        result = sattn.bsr_dense_addmm(None, operand, dense, beta=0)
        assert result.shape == expected.shape
        if result.size:
            near(result, expected)


@pytest.mark.parametrize("place, name, wrong", [(0, "crow", (2,)), (1, "col", (2,)), (1, "col", (2, 3))])
def test_batches_that_do_not_broadcast(sattn, rng, place, name, wrong):
    bsr, _ = stacked(rng, (3,), (3,), (3,))
    bad = list(bsr)
    bad[place] = np.broadcast_to(bsr[place][0], (*wrong, bsr[place].shape[-1])).copy()
    if wrong == (2, 3):
        bad[2] = np.broadcast_to(bsr[2][0], (4, 3, *bsr[2].shape[1:])).copy()
    for call in (sattn.prepare, lambda bsr: sattn.bsr_dense_addmm(None, bsr, np.zeros((80, 8), np.float32), beta=0)):
        with pytest.raises(ValueError, match=f"argument '{name}': expected batches that broadcast with"):
            call(tuple(bad))


def test_values_with_other_batches_take_the_place_of_those_prepared(sattn, rng):
    bsr, a = stacked(rng, (3,), (3,), ())
    prepared = sattn.prepare(bsr)
    prepared.update(2 * bsr[2])
    dense = rng.standard_normal((80, 9)).astype(np.float32)
    near(sattn.bsr_dense_addmm(None, prepared, dense, beta=0), 2 * a @ dense)


def outcome(call):
    try:
        call()
    except Exception as error:
        return type(error), str(error)
    return None


BAD = {
    "crow that falls": lambda crow, col, values: (crow[::-1].copy(), col, values),
    "crow past the end": lambda crow, col, values: (crow + np.int32(1), col, values),
    "a negative offset": lambda crow, col, values: (crow - np.int32(1), col, values),
    "a negative column": lambda crow, col, values: (crow, col - np.int32(5), values),
    "crow of floats": lambda crow, col, values: (crow.astype(np.float32), col, values),
    "col of another type": lambda crow, col, values: (crow, col.astype(np.int64), values),
    "crow as unsigned": lambda crow, col, values: (crow.astype(np.uint32), col, values),
    "values of complex numbers": lambda crow, col, values: (crow, col, values.astype(np.complex64)),
    "values of integers": lambda crow, col, values: (crow, col, values.astype(np.int32)),
    "fewer columns": lambda crow, col, values: (crow, col[:-1], values),
    "fewer blocks": lambda crow, col, values: (crow, col, values[:-1]),
    "no crow": lambda crow, col, values: (crow[:0], col, values),
    "values of a rank too few": lambda crow, col, values: (crow, col, values[0]),
    "0-d col": lambda crow, col, values: (crow, np.array(col[0]), values),
    "blocks of 12": lambda crow, col, values: (crow, col, values[:, :12]),
    "lists": lambda crow, col, values: (crow.tolist(), col, values),
    "big-endian indices": lambda crow, col, values: (crow, col.astype(">i4"), values),
    "masked values": lambda crow, col, values: (crow, col, np.ma.masked_array(values)),
    "batches of other counts": lambda crow, col, values: (np.stack([crow, np.minimum(crow, crow[-1] - 1)]),
                                                          np.stack([col, col]), values),
    "two members": lambda crow, col, values: (crow, col),
}


@pytest.mark.parametrize("bad", BAD)
def test_prepare_says_what_a_call_says(sattn, rng, bad):
    operand = BAD[bad](*matrix(rng)[0])
    dense = np.zeros((80, 8), np.float32)
    called = outcome(lambda: sattn.bsr_dense_addmm(None, operand, dense, beta=0))
    assert called is not None
    # A tuple does not tell the number of columns, which a call knows.
    expected = called[0], re.sub(r"block columns in \[0, 5\)", "block columns of at least 0", called[1])
    assert outcome(lambda: sattn.prepare(operand)) == expected


@pytest.mark.parametrize("attribute, change, name", [("indptr", lambda a: a[::-1].copy(), "crow"),
                                                     ("indices", lambda a: a + a.dtype.type(9), "col")])
def test_prepare_knows_the_columns_of_a_matrix(sattn, rng, attribute, change, name):
    (crow, col, values), _ = matrix(rng)
    bsr = scipy.sparse.bsr_array((values, col, crow), shape=(64, 80))
    setattr(bsr, attribute, change(getattr(bsr, attribute)))
    called = outcome(lambda: sattn.bsr_dense_addmm(None, bsr, np.zeros((80, 8), np.float32), beta=0))
    assert called[0] is ValueError and called[1].startswith(f"argument '{name}': expected ")
    assert outcome(lambda: sattn.prepare(bsr)) == called


@pytest.mark.parametrize("shape, message", [
    ((48, 80), r"argument 'bsr': expected shape \(64, K\), as crow and values have it, but got \(48, 80\)"),
    ((-64, 80), r"argument 'bsr': expected shape \(64, K\)"), ((64,), r"argument 'bsr': expected shape \(64, K\)"),
    ((1, 64, 80), r"argument 'bsr': expected shape \(64, K\)"),
    ((64, 72), "argument 'bsr': expected columns in whole blocks of 16, but got shape"),
    ((64, -80), "argument 'bsr': expected columns in whole blocks of 16, but got shape")])
def test_the_shape_of_a_matrix_counts(sattn, rng, shape, message):
    (crow, col, values), _ = matrix(rng)
    bsr = scipy.sparse.bsr_array((values, col, crow), shape=(64, 80))
    bsr._shape = shape
    for call in (sattn.prepare, lambda bsr: sattn.bsr_dense_addmm(None, bsr, np.zeros((80, 8), np.float32), beta=0)):
        with pytest.raises(ValueError, match=message):
            call(bsr)


def test_a_prepared_operand_is_one_of_its_batches(sattn, rng):
    bsr, a = stacked(rng, (3,), (3,), ())
    prepared = sattn.prepare(bsr)
    assert prepared.shape == (3, 24, None)
    dense = rng.standard_normal((80, 9)).astype(np.float32)
    for other in (sattn.prepare(prepared), copy.deepcopy(prepared)):
        assert other.shape == prepared.shape
        near(other @ dense, a @ dense)
