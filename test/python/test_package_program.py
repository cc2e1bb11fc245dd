"""A Program without a device: sattn.compile for a chip by name."""

import json
import os
import stat
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("tvm_ffi")
from fake_cuda import CudaTensor, aligned  # noqa: E402

ADD = """
func.func @scale(%alpha: f32, %a: tensor<?x64xf32>, %out: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<?x64xf32>) outs(%out : tensor<?x64xf32>) {
  ^bb0(%x: f32, %y: f32):
    %1 = arith.mulf %x, %alpha : f32
    linalg.yield %1 : f32
  } -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}
"""


@pytest.fixture
def source(root):
    return (root / "examples" / "bsr_addmm.mlir").read_text()


@pytest.fixture
def program(sattn, source):
    return sattn.compile(source, "sm_90a")


def test_texts_of_a_chip(program, stub_cuda):
    assert ".target sm_90a" in program.ptx and ".visible .entry" in program.ptx
    assert json.loads(program.manifest)["target"] == program.target == "sm_90a"
    assert repr(program) == "<sattn.Program bsr_addmm(alpha, beta, crow, col, values, b, out) for sm_90a>"
    assert not stub_cuda.lines("module-load")


# In a process of its own: a driver stays open.
NO_DRIVER = """
import sys
import sattn
source = sys.stdin.read()
program = sattn.compile(source, "sm_90a")
assert ".target sm_90a" in program.ptx
for attempt in (program, program.prepare, lambda: sattn.compile(source, "cuda")):
    try:
        attempt()
    except RuntimeError as error:
        print(error)
"""


def test_a_chip_needs_no_driver_but_its_call_does(sattn, source):
    environment = {**os.environ, "SATTN_LIBCUDA": "/no/such/libcuda.so.1", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", NO_DRIVER], input=source, capture_output=True, text=True,
                          env=environment, check=True)
    reasons = done.stdout.splitlines()
    missing = "no CUDA driver: searched for '/no/such/libcuda.so.1'"
    assert len(reasons) == 3 and reasons[2].startswith(missing)
    assert all(line.startswith(f"expected CUDA device 0 to run a program for sm_90a: {missing}") for line in reasons[:2])


def test_a_cubin_needs_ptxas_alone(program, sattn, tmp_path, monkeypatch):
    assembler = tmp_path / "ptxas"
    monkeypatch.setenv("SATTN_PTXAS", str(assembler))
    with pytest.raises(RuntimeError, match=f"^expected ptxas at {assembler}, but found none; it comes with CUDA"):
        program.cubin()
    # One that writes down how it was called; the last argument is the output.
    assembler.write_text('#!/bin/sh\nfor last; do :; done\nprintf "\\177ELF %s" "$*" > "$last"\n')
    assembler.chmod(assembler.stat().st_mode | stat.S_IXUSR)
    cubin = program.cubin()
    assert cubin.startswith(b"\x7fELF") and b"-arch=sm_90a" in cubin
    assembler.write_text('#!/bin/sh\necho "what is this"\nexit 1\n')
    with pytest.raises(RuntimeError, match="^ptxas refused the kernel: .*what is this"):
        program.cubin()


def test_a_cubin_of_ptxas(program, monkeypatch):
    monkeypatch.delenv("SATTN_PTXAS")
    if not any(os.access(os.path.join(folder, "ptxas"), os.X_OK) for folder in os.environ["PATH"].split(os.pathsep)):
        if os.environ.get("SATTN_REQUIRE_TOOLS"):
            pytest.fail("no ptxas")
        pytest.skip("no ptxas")
    assert program.cubin().startswith(b"\x7fELF")


def test_a_call_loads_the_program_once(sattn, source, stub_cuda):
    program = sattn.compile(source, "sm_90a")
    assert not stub_cuda.lines("module-load")
    arguments = [CudaTensor(np.array([0, 1], np.int32)), CudaTensor(np.zeros(1, np.int32)),
                 *(CudaTensor(aligned(shape, np.uint16)) for shape in ((1, 64, 64), (64, 64), (64, 64)))]
    for _ in range(2):
        program(1.0, 0.0, *arguments)
    assert len(stub_cuda.lines("module-load")) == 1
    program.prepare(1.0, 0.0, *arguments)(1.0, 0.0, *arguments)


def test_an_unknown_chip(sattn, source):
    with pytest.raises(sattn.CompileError, match="sm_1"):
        sattn.compile(source, "sm_1")


def test_the_cpu_has_neither(sattn):
    program = sattn.compile(ADD)
    assert program.ptx is None and program.target == "cpu"
    for attempt in (program.cubin, program.prepare):
        with pytest.raises(NotImplementedError, match="expected a program for a CUDA device, but got one for the CPU"):
            attempt()


def test_what_was_loaded_has_its_image(sattn, source, stub_cuda):
    compiled = sattn.compile(source, "sm_90a")
    assert sattn.load(compiled.manifest, compiled.ptx).ptx == compiled.ptx
    # The stub takes no cubin.
    loaded = sattn._compiler.program.for_device(compiled.manifest, b"\x7fELF of a cubin", 0)
    assert loaded.ptx is None and loaded.cubin() == b"\x7fELF of a cubin"
