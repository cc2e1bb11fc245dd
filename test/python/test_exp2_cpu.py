"""Powers of two on the CPU, element by element, against float64."""

import numpy as np
import pytest

pytest.importorskip("tvm_ffi")

PROGRAM = """
func.func @powers(%x: tensor<?x64xf32>, %out: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %out, %c0 : tensor<?x64xf32>
  %0 = scf.forall (%i) in (%m) shared_outs(%o = %out) -> (tensor<?x64xf32>) {
    %row = tensor.extract_slice %x[%i, 0] [1, 64] [1, 1] : tensor<?x64xf32> to tensor<64xf32>
    %target = tensor.extract_slice %o[%i, 0] [1, 64] [1, 1] : tensor<?x64xf32> to tensor<64xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>],
                         iterator_types = ["parallel"]}
        ins(%row : tensor<64xf32>) outs(%target : tensor<64xf32>) {
    ^bb0(%y: f32, %z: f32):
      %2 = math.exp2 %y : f32
      linalg.yield %2 : f32
    } -> tensor<64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %1 into %o[%i, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<?x64xf32>
    }
  }
  return %0 : tensor<?x64xf32>
}
"""


@pytest.fixture
def powers(sattn):
    program = sattn.compile(PROGRAM)

    def compute(x):
        out = np.full((-(-x.size // 64), 64), 7, np.float32)
        program(np.resize(x, out.shape), out)
        return out.ravel()[:x.size]

    return compute


@pytest.mark.parametrize("low, high", [(-125, 128), (-1, 1), (-1e-3, 1e-3), (120, 128)])
def test_error(powers, low, high):
    x = np.random.default_rng(0).uniform(low, high, 64 * 1000).astype(np.float32)
    x = np.minimum(x, np.nextafter(np.float32(high), np.float32(low)))
    expected = np.exp2(x.astype(np.float64))
    result = powers(x)
    assert np.isfinite(result).all()
    assert (np.abs(result - expected) / np.spacing(expected.astype(np.float32))).max() < 2


def test_integers(powers):
    x = np.arange(-125, 128, dtype=np.float32)
    np.testing.assert_array_equal(powers(x), np.ldexp(np.float32(1), x.astype(np.int32)))


def test_beyond(powers):
    x = np.array([np.inf, 128, 1e30, -np.inf, -1e30, -200, np.nan, 0, -0.0], np.float32)
    np.testing.assert_array_equal(powers(x), np.array([np.inf] * 3 + [0] * 3 + [np.nan, 1, 1], np.float32))


def test_smallest(powers):
    x = np.linspace(-150, -125, 1000, dtype=np.float32)
    result = powers(x)
    assert ((result == 0) | (np.abs(result / np.exp2(x.astype(np.float64)) - 1) < 1e-6)).all()
