"""Prepared operands as objects: what they say of themselves, copies, pickles, and what they hold."""

import copy
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("tvm_ffi")

CROW, COL = np.array([0, 2, 3], np.int32), np.array([0, 1, 1], np.int32)


def values(seed=0):
    return np.random.default_rng(seed).standard_normal((3, 16, 16), np.float32)


def product(blocks, dense):
    return np.concatenate([blocks[0] @ dense[:16] + blocks[1] @ dense[16:], blocks[2] @ dense[16:]])


@pytest.fixture
def dense():
    return np.random.default_rng(1).standard_normal((32, 5), np.float32)


@pytest.fixture
def operand(sattn):
    return sattn.prepare((CROW, COL, values()))


def test_says_what_it_is(sattn, operand):
    assert repr(operand) == "sattn.Prepared(shape=(32, None), block=(16, 16), nnz=3, dtype=float32, device='cpu')"
    assert (operand.shape, operand.ndim, operand.dtype, operand.device) == ((32, None), 2, np.float32, "cpu")
    scipy = pytest.importorskip("scipy.sparse")
    matrix = sattn.prepare(scipy.bsr_array((values(), COL, CROW), shape=(32, 64)))
    assert matrix.shape == (32, 64) and matrix.nnz == 3 and matrix.block == (16, 16)


def test_times_a_vector(operand, dense):
    result = operand @ dense[:, 0]
    assert result.shape == (32,)
    np.testing.assert_allclose(result, product(values(), dense)[:, 0], rtol=1e-4, atol=1e-5)


def test_says_what_it_is_in_batches(sattn):
    batched = sattn.prepare(tuple(np.stack([array, array]) for array in (CROW, COL, values())))
    assert batched.shape == (2, 32, None) and batched.ndim == 3


def test_matmul(operand, dense):
    assert np.allclose(operand @ dense, product(values(), dense), atol=1e-5)
    with pytest.raises(ValueError, match="argument 'dense': expected rows for whole blocks of 16 columns of bsr, but got 5"):
        operand @ dense[:5, 0]
    # The columns of a matrix of arrays are those that blocks refer to.
    with pytest.raises(ValueError, match="argument 'dense': expected rows for whole blocks of 16 columns of bsr, but got 16"):
        operand @ dense[:16]
    with pytest.raises(TypeError, match="unsupported operand"):
        dense.T @ operand


def test_a_copy_shares_all_but_updates(operand, dense):
    other = copy.copy(operand)
    assert other.crow is operand.crow and other.values is operand.values and other.prepared is operand.prepared
    other.update(values(7))
    assert np.allclose(other @ dense, product(values(7), dense), atol=1e-5)
    assert np.allclose(operand @ dense, product(values(), dense), atol=1e-5)


def test_a_deep_copy_has_its_own_memory(operand, dense):
    other = copy.deepcopy(operand)
    for name in ("crow", "col", "values"):
        assert not np.shares_memory(getattr(other, name), getattr(operand, name))
    operand.values[:] = 0
    assert np.allclose(other @ dense, product(values(), dense), atol=1e-5)
    assert repr(other) == repr(operand)


LOADED = """
import pickle, sys
import numpy as np
operand = pickle.load(sys.stdin.buffer)
dense = np.random.default_rng(1).standard_normal((32, 5), np.float32)
np.save(sys.stdout.buffer, operand @ dense)
sys.stderr.write(repr(operand))
"""


def test_a_pickle_is_read_by_another_process(operand, dense):
    operand @ dense  # With what the product leaves in it.
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", LOADED], input=pickle.dumps(operand), capture_output=True, check=True,
                          env=environment)
    result = np.frombuffer(done.stdout[-32 * 5 * 4:], np.float32).reshape(32, 5)
    assert np.allclose(result, product(values(), dense), atol=1e-5)
    assert done.stderr.decode() == repr(operand)


def test_a_pickle_keeps_the_columns(sattn):
    scipy = pytest.importorskip("scipy.sparse")
    operand = sattn.prepare(scipy.bsr_array((values(), COL, CROW), shape=(32, 64)))
    loaded = pickle.loads(pickle.dumps(operand))
    assert loaded.shape == (32, 64) and loaded.columns == operand.columns == 4


def test_a_pickle_is_checked(operand):
    _, (crow, col, *rest) = operand.__reduce__()
    make, _ = operand.__reduce__()
    with pytest.raises(ValueError, match=r"argument 'col': expected block columns of at least 0, but got -1"):
        make(crow, col - 1, *rest)


def test_moves(operand, dense):
    assert operand.to("cpu") is operand and operand.to() is operand and operand.to(dtype=np.float32) is operand
    half = operand.to(dtype=np.float16)
    assert half.dtype == np.float16 and half.shape == operand.shape
    assert np.allclose(half @ dense.astype(np.float16), product(values(), dense), atol=0.1)
    with pytest.raises(ValueError, match="argument 'device': expected 'cpu' for a numpy.ndarray, but got 'cuda'"):
        operand.to("cuda")
