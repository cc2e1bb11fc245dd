"""Exponentials of f64 on the CPU, element by element, against long double."""

import numpy as np
import pytest

pytest.importorskip("tvm_ffi")

PROGRAM = """
func.func @powers(%x: tensor<?x64xf64>, %out: tensor<?x64xf64>) -> tensor<?x64xf64> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %out, %c0 : tensor<?x64xf64>
  %0 = scf.forall (%i) in (%m) shared_outs(%o = %out) -> (tensor<?x64xf64>) {
    %row = tensor.extract_slice %x[%i, 0] [1, 64] [1, 1] : tensor<?x64xf64> to tensor<64xf64>
    %target = tensor.extract_slice %o[%i, 0] [1, 64] [1, 1] : tensor<?x64xf64> to tensor<64xf64>
    %1 = linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>],
                         iterator_types = ["parallel"]}
        ins(%row : tensor<64xf64>) outs(%target : tensor<64xf64>) {
    ^bb0(%y: f64, %z: f64):
      %2 = math.exp %y : f64
      linalg.yield %2 : f64
    } -> tensor<64xf64>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %1 into %o[%i, 0] [1, 64] [1, 1] : tensor<64xf64> into tensor<?x64xf64>
    }
  }
  return %0 : tensor<?x64xf64>
}
"""


@pytest.fixture
def powers(sattn):
    program = sattn.compile(PROGRAM)

    def compute(x):
        out = np.full((-(-x.size // 64), 64), 7.0)
        program(np.resize(x, out.shape), out)
        return out.ravel()[:x.size]

    return compute


@pytest.mark.parametrize("low, high, bound", [
    (-708, 709.7, 0.9), (-1, 1, 0.9), (-1e-3, 1e-3, 0.9), (-0.36, 0.36, 0.9), (709, 709.78, 0.9),
    (-745, -708, 1)])  # Subnormal powers are rounded twice.
def test_error(powers, low, high, bound):
    x = np.random.default_rng(0).uniform(low, high, 64 * 2000)
    expected = np.exp(x.astype(np.longdouble))
    result = powers(x)
    assert np.isfinite(result).all()
    assert (np.abs(result - expected) / np.spacing(expected.astype(np.float64))).max() < bound


def test_beyond(powers):
    x = np.array([np.inf, 709.783, 1e300, -np.inf, -1e300, -745.14, np.nan, 0, -0.0])
    np.testing.assert_array_equal(powers(x), [np.inf] * 3 + [0] * 3 + [np.nan, 1, 1])
    x = np.array([709.782712893384, -745.13, 5e-324, -5e-324])
    np.testing.assert_array_equal(powers(x) > 0, True)
    assert np.isfinite(powers(x)).all() and powers(x)[1] == 5e-324
