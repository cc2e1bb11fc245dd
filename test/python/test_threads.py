"""How many threads calls on the CPU run on: those of OpenMP's pool are counted in a process of their own."""

import json
import re
import resource
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


COPY = """func.func @f(%x: tensor<?x?xf32>, %out: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.copy ins(%x : tensor<?x?xf32>) outs(%out : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
"""


def limited(bytes):
    """Limits the memory that the child has addresses for, of which each thread takes a stack."""
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (bytes, bytes))


def run_on(tools, text, folder, *options):
    (folder / "program.mlir").write_text(text)
    return subprocess.run([tools / "sparse-run", *options, folder / "program.mlir", "random:1:shape=64x64", "zeros:shape=64x64"],
                          capture_output=True, text=True, check=False, preexec_fn=limited(2 << 30))


def test_more_threads_than_the_system_gives(built_tools, tmp_path):
    done = run_on(built_tools, COPY, tmp_path, "--threads=1000")
    found = re.fullmatch(r"sparse-run: error: expected at most (\d+) threads, the system's limit, but got 1000\n",
                         done.stderr)
    assert done.returncode == 1 and found, done.stderr
    # A part of these does run.
    assert 16 < int(found[1]) < 1000
    done = run_on(built_tools, COPY, tmp_path, f"--threads={int(found[1]) // 2}", "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["threads"] == int(found[1]) // 2, done.stderr


def test_what_openmp_would_start_by_itself_is_less_then(built_tools, tmp_path, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1000")
    done = run_on(built_tools, COPY, tmp_path, "--json")
    assert done.returncode == 0 and 16 < json.loads(done.stdout)["threads"] < 1000, done.stderr
