"""The kernels of bsr_softmax, lowered for a GPU, on the CPU's threads: 16 bytes at a time, and of any strides."""

import numpy as np
import pytest
from emulation import kernel_of_program

@pytest.fixture(scope="module", params=["f", "f_generic"], ids=["aligned", "generic"])
def version(request):
    return request.param


@pytest.mark.share(4)
@pytest.mark.parametrize("element", ["f16", "f32"])
@pytest.mark.parametrize("rows, columns, step, stages", [(5, 64, 1, 4), (5, 64, 1, 1), (16, 8, 4, 1), (3, 48, 2, 2),
                                                         (16, 16, 2, 2), (33, 8, 1, 3), (2, 3, 1, 3), (2, 200, 1, 2)])
def test_softmax(emulation_tools, tmp_path, version, rows, columns, step, stages, element):
    part = columns if columns <= 64 else 56
    tensor = f"tensor<?x{rows}x{columns}x{element}>"
    kernel = kernel_of_program(emulation_tools, f"""
      func.func @f(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: {tensor}, %out: {tensor}) -> {tensor} {{
        %0 = sattn.bsr_softmax ins(%crow, %col, %values : tensor<?xi32>, tensor<?xi32>, {tensor}) outs(%out : {tensor})
            {{meta = #sattn.meta<tile = [1, {part}, {16 * step * part}], stages = {stages}>}} -> {tensor}
        return %0 : {tensor}
      }}""", version, tmp_path, "schedule=plain")
    dtype = np.dtype("float16" if element == "f16" else "float32")
    # Block rows with fewer and more blocks than are read at once, and an empty one.
    crow = np.array([0, 3, 3, 19, 20, 85], np.int32)
    values = np.random.default_rng(0).standard_normal((85, rows, columns)).astype(dtype) * 4
    values[3, 1] = -np.inf
    out = np.full_like(values, np.nan)
    kernel((len(crow) - 1) * rows, crow, values, out)
    for first, last in zip(crow, crow[1:]):
        row = values[first:last].astype(np.float64)
        powers = np.exp(row - row.max((0, 2), keepdims=True, initial=-1e300))
        np.testing.assert_allclose(out[first:last], powers / powers.sum((0, 2), keepdims=True),
                                   rtol=2e-3 if element == "f16" else 1e-5, atol=1e-7)
