"""Linear layers and other linalg ops on and beside a block-sparse matrix, on the CPU, against the same in float64."""

import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("tvm_ffi")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "gpu"))
from linear_programs import (EPILOGUES, LAYERS, epilogue_operands, epilogue_program, layer_operands,  # noqa: E402
                             layer_program, matvec_program, two_products_operands, two_products_program, weight_of)

TOLERANCE = {"f16": 5e-3, "bf16": 4e-2, "f32": 1e-5}


def close(result, expected, kind):
    assert result.shape == expected.shape
    assert np.abs(result.astype(np.float64) - expected).max() <= TOLERANCE[kind] * np.abs(expected).max()


def passed(array):
    """bf16 has no DLPack in NumPy: uint16 stands for it."""
    return array.view(np.uint16) if array.dtype.name == "bfloat16" else array


@pytest.mark.share(3)
@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.name)
def test_linear_layers(sattn, layer):
    arguments, expected = layer_operands(layer)
    sattn.compile(layer_program(layer))(*map(passed, arguments))
    close(arguments[-1], expected, layer.dtype)


@pytest.mark.share(4)
@pytest.mark.parametrize("case", EPILOGUES, ids=lambda case: case.name)
def test_epilogues_in_every_layout(sattn, case):
    """Bias, activation and residual, with the transposes of front ends before, between and after them."""
    arguments, expected = epilogue_operands(case)
    sattn.compile(epilogue_program(case))(*map(passed, arguments))
    close(arguments[-1], expected, case.dtype)


@pytest.mark.parametrize("kind", ["f32", "f16"])
@pytest.mark.parametrize("static", [False, True])
def test_matvec(sattn, kind, static):
    rng = np.random.default_rng(0)
    bsr, a = weight_of(rng, (16, 16), (4, 5), kind)
    dtype = bsr[2].dtype
    x, bias, out = (rng.standard_normal(size).astype(dtype) for size in (80, 64, 64))
    sattn.compile(matvec_program(kind, static))(*bsr, x, bias, out)
    close(out, a @ x.astype(np.float64) + bias, kind)


@pytest.mark.parametrize("kind", ["f32", "f16"])
@pytest.mark.parametrize("transposed", [False, True])
def test_a_dense_product_beside_a_sparse_one(sattn, kind, transposed):
    arguments, expected = two_products_operands(kind, transposed)
    maps = "indexing_maps = [#mk, #nk, #mn]" if transposed else ""
    sattn.compile(two_products_program(kind, maps))(*arguments)
    close(arguments[-1], expected, kind)


@pytest.mark.parametrize("kind", ["f32", "f16"])
@pytest.mark.parametrize("maps, shapes", [
    ("affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>", ((32, 48), (64, 48))),
    ("affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>", ((48, 32), (48, 64)))])
def test_transposed_products_of_tiles(sattn, kind, maps, shapes):
    """A product in a loop over tiles whose indexing maps transpose an operand."""
    (a0, a1), (b0, b1) = shapes
    program = sattn.compile(f"""
        func.func @main(%a: tensor<{a0}x{a1}x{kind}>, %b: tensor<{b0}x{b1}x{kind}>, %c: tensor<32x64xf32>)
            -> tensor<32x64xf32> {{
          %0 = scf.forall (%i) = (0) to (1) step (1) shared_outs(%o = %c) -> (tensor<32x64xf32>) {{
            %1 = linalg.matmul indexing_maps = [{maps}, affine_map<(m, n, k) -> (m, n)>]
                ins(%a, %b : tensor<{a0}x{a1}x{kind}>, tensor<{b0}x{b1}x{kind}>) outs(%o : tensor<32x64xf32>)
                -> tensor<32x64xf32>
            scf.forall.in_parallel {{
              tensor.parallel_insert_slice %1 into %o[0, 0] [32, 64] [1, 1] : tensor<32x64xf32> into tensor<32x64xf32>
            }}
          }}
          return %0 : tensor<32x64xf32>
        }}""")
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(shape).astype({"f32": np.float32, "f16": np.float16}[kind]) for shape in shapes)
    out = rng.standard_normal((32, 64), np.float32)
    left, right = a.astype(np.float64), b.astype(np.float64)
    expected = out + (left @ right.T if a1 == b1 else left.T @ right)
    program(a, b, out)
    close(out, expected, kind)


def test_a_vector_of_another_length(sattn):
    rng = np.random.default_rng(0)
    bsr, _ = weight_of(rng, (16, 16), (4, 5), "f32")
    out = np.full(64, 7, np.float32)
    with pytest.raises(ValueError, match="expected dimension 0"):
        sattn.compile(matvec_program("f32", True))(*bsr, np.zeros(64, np.float32), np.zeros(64, np.float32), out)
    assert (out == 7).all()
