"""Functions of any name run on the CPU, whatever LLVM or the linker take the name for."""

import numpy as np
import pytest

PROGRAM = """func.func @"{name}"(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x8x8xf32>,
             %b: tensor<?x?xf32>, %out: tensor<?x?xf32>) -> tensor<?x?xf32> {{
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x8x8xf32>, tensor<?x?xf32>)
      outs(%out : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}}
"""


@pytest.mark.parametrize("name", ["a b", "a.b", "%x", "ä", "1", "malloc", "memcpy", "main", "llvm.sin.f32",
                                  "_mlir_ciface_f", "sattn_entry", r"\01f", r"tab\09"])
def test_runs(sattn, name):
    b = np.arange(16, dtype=np.float32).reshape(8, 2)
    out = np.zeros((8, 2), np.float32)
    program = sattn.compile(PROGRAM.format(name=name))
    program(np.array([0, 1], np.int32), np.zeros(1, np.int32), 2 * np.eye(8, dtype=np.float32)[None], b, out)
    np.testing.assert_array_equal(out, 2 * b)


def test_is_found_by_its_name(sattn):
    first, second = PROGRAM.format(name="a b"), PROGRAM.format(name="a.b")
    assert sattn.compile(first + second, entry="a.b")
    with pytest.raises(sattn.CompileError, match="expected a public function 'a-b' with a body, but found none"):
        sattn.compile(first + second, entry="a-b")


@pytest.mark.parametrize("name, message", [(r"\FF", "expected a name in UTF-8"), (r"\00", "no null characters")])
def test_a_name_that_is_no_text_is_refused(sattn, name, message):
    with pytest.raises(sattn.CompileError, match=message):
        sattn.compile(PROGRAM.format(name=name))
