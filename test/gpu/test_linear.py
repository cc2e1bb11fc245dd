"""Linear layers and other linalg ops on and beside a block-sparse matrix, against the same in double precision."""

import numpy as np
import pytest

from bsr_cases import DTYPES, save
from linear_programs import (EPILOGUES, LAYERS, Layer, epilogue_operands, epilogue_program, layer_operands,
                             layer_program, matvec_program, two_products_operands, two_products_program, weight_of)

TOLERANCE = {"f16": 5e-3, "bf16": 4e-2, "f32": 5e-3}


def run(sparse_run, folder, text, arguments, kind, *options):
    """The result of the program: its last argument's new content."""
    program, result = folder / "program.mlir", folder / "result.npy"
    program.write_text(text)
    words = [str(save(folder / f"{i}.npy", array)) for i, array in enumerate(arguments)]
    done = sparse_run("--target=cuda", *options, f"--out={result}", program, *words)
    assert done.returncode == 0, done.stderr
    out = np.load(result)
    return out.view(DTYPES[kind]).astype(np.float64)


def close(result, expected, kind):
    assert np.abs(result - expected).max() <= TOLERANCE[kind] * np.abs(expected).max()


@pytest.mark.parametrize("how", ["schedule=specialized", "schedule=plain", "chip=sm_80"])
@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.name)
def test_linear_layers(sparse_run, tmp_path, layer, how):
    arguments, expected = layer_operands(layer)
    close(run(sparse_run, tmp_path, layer_program(layer), arguments, layer.dtype, f"--{how}"), expected, layer.dtype)


@pytest.mark.parametrize("how", ["schedule=specialized", "schedule=plain", "chip=sm_80"])
@pytest.mark.parametrize("case", EPILOGUES, ids=lambda case: case.name)
def test_epilogues_in_every_layout(sparse_run, tmp_path, case, how):
    arguments, expected = epilogue_operands(case)
    close(run(sparse_run, tmp_path, epilogue_program(case), arguments, case.dtype, f"--{how}"), expected, case.dtype)


def test_tf32(sparse_run, tmp_path):
    layer = Layer(dtype="f32", batch=(33,), activation="relu")
    arguments, expected = layer_operands(layer)
    close(run(sparse_run, tmp_path, layer_program(layer), arguments, "f32", "--precision=tf32"), expected, "f32")


@pytest.mark.parametrize("static", [False, True])
def test_matvec(sparse_run, tmp_path, static):
    rng = np.random.default_rng(0)
    bsr, a = weight_of(rng, (16, 16), (4, 5), "f16")
    x, bias, out = (rng.standard_normal(size).astype(np.float16) for size in (80, 64, 64))
    result = run(sparse_run, tmp_path, matvec_program("f16", static), [*bsr, x, bias, out], "f16")
    close(result, a @ x.astype(np.float64) + bias, "f16")


@pytest.mark.parametrize("kind", ["f16", "f32"])
@pytest.mark.parametrize("transposed", [False, True])
def test_a_dense_product_beside_a_sparse_one(sparse_run, tmp_path, kind, transposed):
    arguments, expected = two_products_operands(kind, transposed)
    maps = "indexing_maps = [#mk, #nk, #mn]" if transposed else ""
    options = ["--precision=tf32"] if kind == "f32" else []
    close(run(sparse_run, tmp_path, two_products_program(kind, maps), arguments, kind, *options), expected, kind)
