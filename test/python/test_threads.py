"""How many threads calls on the CPU run on: those of OpenMP's pool are counted in a process of their own."""

import subprocess
import sys

import pytest

pytest.importorskip("tvm_ffi")

SCRIPT = """
import ctypes
import os
import numpy as np
import sattn

default = ctypes.CDLL("libomp.so.5").omp_get_max_threads
bsr = np.arange(65, dtype=np.int32), np.zeros(64, np.int32), np.ones((64, 16, 16), np.float32)
dense = np.ones((16, 256), np.float32)


def threads():
    return len(os.listdir("/proc/self/task"))


def call():
    assert (sattn.bsr_dense_mm(bsr, dense) == 16).all()


before = default()
sattn.set_num_threads(1)
call()
alone = threads()
sattn.set_num_threads(5)
call()
print(threads() - alone)
assert default() == before  # For others who use OpenMP in this thread.
sattn.set_num_threads(None)
program = sattn.compile(TEXT, threads=7)
program(*bsr, dense, np.zeros((1024, 256), np.float32))
print(threads() - alone)
"""
TEXT = """func.func @f(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x16x16xf32>, %b: tensor<?x?xf32>,
                   %out: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x16x16xf32>, tensor<?x?xf32>)
      outs(%out : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
"""


def test_counts_that_are_set(sattn):
    done = subprocess.run([sys.executable, "-c", f"TEXT = {TEXT!r}\n{SCRIPT}"], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["4", "6"]


@pytest.mark.parametrize("count, error, message", [
    (0, ValueError, "argument 'count': expected 1 to 1024 threads or None, but got 0"),
    (1025, ValueError, "but got 1025"), (2**70, ValueError, "an integer of 64 bits"), (2.0, TypeError, "an integer, but got float"),
])
def test_counts_that_are_none(sattn, count, error, message):
    with pytest.raises(error, match=message):
        sattn.set_num_threads(count)


def test_a_program_of_too_many_threads(sattn):
    with pytest.raises(sattn.CompileError, match="expected at most 1024 threads, but got 1000000"):
        sattn.compile(TEXT, threads=1000000)
