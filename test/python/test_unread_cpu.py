"""Where alpha is 0 at run time, or no block is stored, the CPU reads neither values nor b: both are memory here that
no one may read."""

import ctypes
import mmap
import subprocess
import sys

import pytest

PROGRAM = """func.func @f(%alpha: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x16x16x{t}>,
             %b: tensor<?x?x?x{t}>, %out: tensor<?x?x?x{t}>) -> tensor<?x?x?x{t}> {{
  %beta = arith.constant 0.5 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x16x16x{t}>, tensor<?x?x?x{t}>)
      outs(%out : tensor<?x?x?x{t}>) -> tensor<?x?x?x{t}>
  return %0 : tensor<?x?x?x{t}>
}}
"""
BATCHES, ROWS, DEPTH, COLUMNS = 2, 32, 64, 100


def unreadable(np, shape, dtype):
    """An array over pages without permissions, for as long as the process lives."""
    size = (int(np.prod(shape)) * np.dtype(dtype).itemsize // mmap.PAGESIZE + 1) * mmap.PAGESIZE
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    no_access = 0  # PROT_NONE
    address = libc.mmap(None, size, no_access, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
    assert address != ctypes.c_void_p(-1).value, ctypes.get_errno()
    memory = (ctypes.c_char * size).from_address(address)
    return np.ndarray(shape, dtype, memory)


def call(dtype, alpha, stored, readable):
    """The call, in a process of its own."""
    import numpy as np
    import sattn

    element = {"f32": np.float32, "f16": np.float16, "bf16": np.uint16}[dtype]
    make = np.zeros if readable else lambda shape, type: unreadable(np, shape, type)
    # Each block column several times, so that it is worth packing.
    crow = np.array([0, stored, 2 * stored], np.int32)
    col = np.arange(2 * stored, dtype=np.int32) % (DEPTH // 16)
    out = np.full((BATCHES, ROWS, COLUMNS), 0x4000 if dtype == "bf16" else 2, element)
    sattn.compile(PROGRAM.format(t=dtype))(
        alpha, crow, col, make((2 * stored, 16, 16), element), make((BATCHES, DEPTH, COLUMNS), element), out)
    assert (out == (0x3F80 if dtype == "bf16" else 1)).all()


def run(root, *arguments):
    folders = [str(root / "test" / "python"), str(root / "python")]
    code = f"import sys; sys.path[:0] = {folders}; import test_unread_cpu; test_unread_cpu.call(*{arguments})"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


# How many blocks a row has: each tile packs b for itself, or all of it is packed once.
@pytest.mark.parametrize("stored", [1, 40])
@pytest.mark.parametrize("dtype", ["f32", "bf16"])
def test_alpha_is_zero(sattn, root, dtype, stored):
    done = run(root, dtype, 0.0, stored, False)
    assert done.returncode == 0, (done.returncode, done.stderr)


@pytest.mark.parametrize("dtype", ["f32", "bf16"])
def test_no_block_is_stored(sattn, root, dtype):
    done = run(root, dtype, 1.0, 0, False)
    assert done.returncode == 0, (done.returncode, done.stderr)


@pytest.mark.parametrize("stored", [1, 40])
def test_alpha_is_not_zero(sattn, root, stored):
    """The test can tell: here b is read."""
    assert run(root, "f32", 1.0, stored, True).returncode == 0
    assert run(root, "f32", 1.0, stored, False).returncode < 0
