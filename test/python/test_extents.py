"""Extents that do not fit together: a ValueError that names the argument, before anything is written or launched."""

import re

import numpy as np
import pytest

pytest.importorskip("tvm_ffi")
from fake_cuda import CudaTensor  # noqa: E402


def full(*shape):
    return np.full(shape, 7, np.float32)


def refuses(program, message, *arrays):
    """Also that nothing is written: around the last array lie others of its memory."""
    *others, out = arrays
    memory = np.full(out.size + 1024, 7, np.float32)
    placed = memory[512:512 + out.size].reshape(out.shape)
    with pytest.raises(ValueError, match=re.escape(message)):
        program(*others, placed)
    assert (memory == 7).all()


COPY = """func.func @f(%x: tensor<?x?xf32>, %out: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.copy ins(%x : tensor<?x?xf32>) outs(%out : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}"""


def test_copy_into_a_smaller_array(sattn):
    program = sattn.compile(COPY)
    refuses(program, "argument 'arg1': expected dimension 0 to be that of dimension 0 of argument 'arg0', 20, but got 1",
            full(20, 20), full(1, 1))
    refuses(program, "argument 'arg1': expected dimension 1 to be that of dimension 1 of argument 'arg0', 0, but got 3",
            full(2, 0), full(2, 3))
    out = full(20, 20)
    program(np.eye(20, dtype=np.float32), out)
    assert (out == np.eye(20)).all()


def test_check_without_a_call(sattn):
    with pytest.raises(ValueError, match="argument 'arg1'"):
        sattn.compile(COPY).check(full(20, 20), full(1, 1))


def compiled(sattn, body, arguments="%x: tensor<?xf32>, %out: tensor<?xf32>", result="tensor<?xf32>"):
    return sattn.compile(f"""func.func @f({arguments}) -> {result} {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %zero = arith.constant 0.0 : f32
      %n = tensor.dim %x, %c0 : tensor<?xf32>
      {body}
      return %r : {result}
    }}""")


def test_static_extents(sattn):
    program = compiled(sattn, "%y = tensor.cast %x : tensor<?xf32> to tensor<4xf32>\n"
                       "%r = linalg.copy ins(%y : tensor<4xf32>) outs(%out : tensor<4xf32>) -> tensor<4xf32>",
                       "%x: tensor<?xf32>, %out: tensor<4xf32>", "tensor<4xf32>")
    refuses(program, "argument 'arg0': expected dimension 0 to be 4, but got 5", full(5), full(4))
    refuses(program, "argument 'arg1': expected dimension 0 to be 4, but got 3", full(4), full(3))
    program(full(4), full(4))


def test_slices(sattn):
    program = compiled(sattn, "%part = tensor.extract_slice %x[1] [4] [2] : tensor<?xf32> to tensor<4xf32>\n"
                       "%r = tensor.insert_slice %part into %out[2] [4] [1] : tensor<4xf32> into tensor<?xf32>")
    refuses(program, "argument 'arg0': expected dimension 0 to be at least 8, but got 7", full(7), full(6))
    refuses(program, "argument 'arg1': expected dimension 0 to be at least 6, but got 5", full(8), full(5))
    out = full(6)
    program(np.arange(8, dtype=np.float32), out)
    assert out.tolist() == [7, 7, 1, 3, 5, 7]


def test_a_slice_of_nothing(sattn):
    """A slice of the result of an op that computes it from a larger tensor."""
    program = compiled(sattn, """%one = tensor.empty() : tensor<1xf32>
      %filled = linalg.fill ins(%zero : f32) outs(%one : tensor<1xf32>) -> tensor<1xf32>
      %y = linalg.conv_1d ins(%x, %x : tensor<?xf32>, tensor<?xf32>) outs(%filled : tensor<1xf32>) -> tensor<1xf32>
      %part = tensor.extract_slice %y[0] [0] [1] : tensor<1xf32> to tensor<0xf32>
      %to = tensor.cast %out : tensor<?xf32> to tensor<0xf32>
      %copy = linalg.copy ins(%part : tensor<0xf32>) outs(%to : tensor<0xf32>) -> tensor<0xf32>
      %r = tensor.cast %copy : tensor<0xf32> to tensor<?xf32>""")
    memory = full(8)
    program(full(3), memory[4:4])
    assert (memory == 7).all()


def test_a_slice_of_indices(sattn):
    program = compiled(sattn, """%turned = tensor.empty(%n) : tensor<?xf32>
      %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          outs(%turned : tensor<?xf32>) {
        ^bb0(%o: f32):
          %i = linalg.index 0 : index
          %e = tensor.extract %x[%i] : tensor<?xf32>
          linalg.yield %e : f32
      } -> tensor<?xf32>
      %part = tensor.extract_slice %y[2] [3] [1] : tensor<?xf32> to tensor<3xf32>
      %to = tensor.cast %out : tensor<?xf32> to tensor<3xf32>
      %copy = linalg.copy ins(%part : tensor<3xf32>) outs(%to : tensor<3xf32>) -> tensor<3xf32>
      %r = tensor.cast %copy : tensor<3xf32> to tensor<?xf32>""")
    out = full(3)
    program(np.arange(6, dtype=np.float32), out)
    assert out.tolist() == [2, 3, 4]


def test_computed_sizes(sattn):
    """A negative size, and a product of two."""
    program = compiled(sattn, """%size = arith.subi %n, %c4 : index
      %empty = tensor.empty(%size) : tensor<?xf32>
      %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
      %r = linalg.copy ins(%filled : tensor<?xf32>) outs(%out : tensor<?xf32>) -> tensor<?xf32>""")
    refuses(program, "argument 'arg0': expected dimension 0 to be at least 4, but got 3", full(3), full(0))
    refuses(program, "argument 'arg1': expected dimension 0 to be dimension 0 of argument 'arg0' - 4, 2, but got 3",
            full(6), full(3))
    program(full(6), full(2))
    program = compiled(sattn, """%flat = tensor.collapse_shape %y [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
      %r = linalg.copy ins(%flat : tensor<?xf32>) outs(%out : tensor<?xf32>) -> tensor<?xf32>""",
                       "%x: tensor<?xf32>, %y: tensor<?x?xf32>, %out: tensor<?xf32>")
    refuses(program, "argument 'arg2': expected dimension 0 to be dimension 0 of argument 'arg1' * dimension 1 of "
            "argument 'arg1', 6, but got 5", full(1), full(2, 3), full(5))
    program(full(1), full(2, 3), full(6))


GATHER = """%i = tensor.extract %y[] : tensor<i32>
      %at = arith.index_cast %i : i32 to index
      {clamp}
      %e = tensor.extract %x[%at{used}] : tensor<?xf32>
      %r = tensor.insert %e into %out[%c0] : tensor<?xf32>"""


def test_indices_that_are_data(sattn):
    arguments = "%x: tensor<?xf32>, %y: tensor<i32>, %out: tensor<?xf32>"
    with pytest.raises(sattn.CompileError, match="expected sizes and indices that are in bounds"):
        compiled(sattn, GATHER.format(clamp="", used=""), arguments)
    clamp = """%last = arith.subi %n, %c1 : index
      %low = arith.maxsi %at, %c0 : index
      %at1 = arith.minsi %low, %last : index"""
    program = compiled(sattn, GATHER.format(clamp=clamp, used="1"), arguments)
    refuses(program, "argument 'arg0': expected dimension 0 to be at least 1, but got 0", full(0),
            np.array(3, np.int32), full(1))
    for index, expected in ((-5, 0), (2, 2), (99, 4)):
        out = full(1)
        program(np.arange(5, dtype=np.float32), np.array(index, np.int32), out)
        assert out[0] == expected


def test_ops_of_which_nothing_is_known(sattn):
    with pytest.raises(sattn.CompileError, match="expected an op whose requirements on extents and indices"):
        compiled(sattn, """%v = vector.transfer_read %x[%c0], %zero {in_bounds = [true]} : tensor<?xf32>, vector<64xf32>
          %r = vector.transfer_write %v, %out[%c0] {in_bounds = [true]} : vector<64xf32>, tensor<?xf32>""")


FUSED = """
#ij = affine_map<(i, j) -> (i, j)>
#j = affine_map<(i, j) -> (j)>
func.func @f(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xf16>, %b: tensor<?x?xf16>,
             %bias: tensor<?xf16>, %out: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xf16>, tensor<?x?xf16>)
      outs(%out : tensor<?x?xf16>) -> tensor<?x?xf16>
  %1 = linalg.generic {indexing_maps = [#ij, #j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%0, %bias : tensor<?x?xf16>, tensor<?xf16>) outs(%out : tensor<?x?xf16>) {
  ^bb0(%x: f16, %y: f16, %o: f16):
    %2 = arith.addf %x, %y : f16
    linalg.yield %2 : f16
  } -> tensor<?x?xf16>
  return %1 : tensor<?x?xf16>
}"""




def test_a_misfit_never_launches(sattn, stub_cuda):
    """Random extents of a product with a bias on the GPU."""
    program = sattn.compile(FUSED, "sm_90a")
    rng = np.random.default_rng(0)
    fits = 0
    for _ in range(300):
        m, k, n, nnz = (int(rng.integers(0, 4)) * 64, int(rng.integers(0, 4)) * 64, int(rng.integers(0, 100)),
                        int(rng.integers(0, 6)))
        shapes = [[m // 64 + 1], [nnz], [nnz, 64, 64], [k, n], [n], [m, n]]
        good = [list(shape) for shape in shapes]
        if rng.random() < 0.8:
            shape = shapes[int(rng.integers(len(shapes)))]
            shape[int(rng.integers(len(shape)))] = int(rng.choice([0, 1, 2, 63, 64, 65, 128]))
        before = len(stub_cuda.lines("launch"))
        dtypes = [np.int32, np.int32] + [np.float16] * 4
        arrays = [CudaTensor(np.zeros(shape, dtype)) for shape, dtype in zip(shapes, dtypes)]
        # Changes that may fit again: other nnz of all, K.
        same = shapes == good or (shapes[3] != good[3] and shapes[3][1] == n and shapes[3][0] % 64 == 0)
        if same:
            program(*arrays)
            fits += 1
        else:
            with pytest.raises(ValueError, match="argument '"):
                program(*arrays)
            assert len(stub_cuda.lines("launch")) == before
    assert 50 < fits < 250
