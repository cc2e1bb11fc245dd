"""The kernel that transposes bytes 16 at a time, lowered for a GPU, on the CPU's threads."""

import numpy as np
import pytest
from emulation import kernel_of_program

TILE = 128
PROGRAM = """
func.func @f(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xi8>, %b: tensor<LEADING?x?xi8>,
             %out: tensor<LEADING?x?xi32>) -> tensor<LEADING?x?xi32> {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xi8>, tensor<LEADING?x?xi8>)
      outs(%out : tensor<LEADING?x?xi32>) -> tensor<LEADING?x?xi32>
  return %0 : tensor<LEADING?x?xi32>
}"""


@pytest.fixture(scope="module", params=[0, 1], ids=["matrix", "batch"])
def transpose(request, emulation_tools, tmp_path_factory):
    """(leading dimensions, the kernel)."""
    name = f"f_transpose_{2 + request.param}d_by_16"
    text = PROGRAM.replace("LEADING", "?x" * request.param)
    return request.param, kernel_of_program(emulation_tools, text, name, tmp_path_factory.mktemp("kernel"))


def aligned(shape, row):
    """An array of bytes whose rows begin at multiples of 16, `row` bytes apart."""
    whole = np.zeros((*shape[:-1], row), np.int8)
    memory = np.zeros(whole.size + 16, np.int8)
    first = -memory.ctypes.data % 16
    return memory[first:first + whole.size].reshape(whole.shape)[..., :shape[-1]]


@pytest.mark.share(3)
@pytest.mark.parametrize("rows, columns, row", [(128, 128, 128), (16, 16, 16), (48, 272, 272), (400, 112, 160), (256, 384, 384)])
def test_transposes(transpose, rows, columns, row):
    leading, kernel = transpose
    batch = (3,) * leading
    source, target = aligned((*batch, rows, columns), row), aligned((*batch, columns, rows), rows)
    source[...] = np.random.default_rng(0).integers(-128, 128, source.shape)
    across, down = -(-columns // TILE), -(-rows // TILE)
    kernel(across * down * 3**leading, source, target, across, down)
    np.testing.assert_array_equal(target, source.swapaxes(-1, -2))
