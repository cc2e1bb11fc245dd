"""The kernels of combine_parts, lowered for a GPU, on the CPU's threads: 16 bytes at a time, and of any strides."""

import math

import numpy as np
import pytest
from emulation import kernel_of_program


@pytest.mark.share(4)
@pytest.mark.parametrize("version", ["f", "f_generic"], ids=["aligned", "generic"])
@pytest.mark.parametrize("element", ["f16", "f32"])
@pytest.mark.parametrize("height, width", [(16, 64), (8, 24), (64, 128), (48, 8), (128, 80)])
def test_combine_parts(emulation_tools, tmp_path, version, element, height, width):
    blocks, cuts, heads = 60, 6, 2
    length = -(-blocks // (cuts + 1))
    # Rows of more blocks than are computed at once, between shorter ones; one begins at a cut.
    crow = np.array([0, 9, 32, 32, 36, 60], np.int32)
    assert 4 * length in crow and length + length // 4 == 11
    rows = f"tensor<{heads}x{2 * cuts * height}"
    out_type = f"tensor<{heads}x?x{width}x{element}>"
    kernel = kernel_of_program(emulation_tools, f"""
      func.func @f(%blocks: index, %crow: tensor<?xi32>, %partial: {rows}x{width}xf32>, %lse: {rows}xf32>, %out: {out_type})
          -> {out_type} {{
        %0 = sattn.combine_parts blocks(%blocks) ins(%crow, %partial, %lse : tensor<?xi32>, {rows}x{width}xf32>, {rows}xf32>)
            outs(%out : {out_type}) {{block_rows = {height}}} -> {out_type}
        return %0 : {out_type}
      }}""", version, tmp_path)
    rng = np.random.default_rng(0)
    partial = rng.standard_normal((heads, 2 * cuts * height, width)).astype(np.float32)
    lse = 40 * rng.standard_normal((heads, 2 * cuts * height)).astype(np.float32)
    lse[:, ::5] = -np.inf
    lse[:, height // 2::height] = -np.inf  # One row of all parts.
    out = np.full((heads, (len(crow) - 1) * height, width), 7, "float16" if element == "f16" else "float32")
    tiles = out.shape[1] // math.gcd(height, 64) * -(-width // 64)
    kernel(heads * tiles, blocks, crow, partial, lse, out)
    for row, (begin, end) in enumerate(zip(crow, crow[1:])):
        result = out[:, row * height:(row + 1) * height]
        if end - begin <= length + length // 4:
            assert (result == 7).all()
            continue
        places = [begin // length, *(cuts + cut for cut in range(begin // length, -(-end // length) - 1))]
        of_parts = partial.reshape(heads, -1, height, width)[:, places].astype(np.float64)
        powers = lse.reshape(heads, -1, height)[:, places].astype(np.float64)
        weights = np.exp2(powers - np.maximum(powers.max(1, keepdims=True), -1e300))
        total = weights.sum(1)
        expected = (of_parts * weights[..., None]).sum(1) / np.where(total == 0, 1, total)[..., None]
        assert (expected[:, height // 2] == 0).all()
        np.testing.assert_allclose(result, expected, rtol=2e-3 if element == "f16" else 1e-5, atol=1e-6 if element == "f32" else 1e-3)
