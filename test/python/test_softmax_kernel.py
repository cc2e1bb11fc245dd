"""The kernels of bsr_softmax and its gradient, lowered for a GPU, on the CPU's threads: 16 bytes at a time, and of any strides."""

import sys
from pathlib import Path

import numpy as np
import pytest
from emulation import kernel_of_program

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "gpu"))
from softmax_cases import gradient  # noqa: E402

# Block rows with fewer and more blocks than are read at once, and an empty one.
CROW = np.array([0, 3, 3, 19, 20, 85], np.int32)


@pytest.fixture(scope="module", params=["f", "f_generic"], ids=["aligned", "generic"])
def version(request):
    return request.param


def program(op, inputs, out, rows, columns, element, step, stages):
    """One row of a tile, of steps of so many parts of 16 blocks."""
    part = columns if columns <= 64 else 56
    tensor = f"tensor<?x{rows}x{columns}x{element}>"
    arguments = ", ".join(f"%{name}: {tensor}" for name in (*inputs, out))
    operands, types = ", ".join(f"%{name}" for name in inputs), ", ".join([tensor] * len(inputs))
    return f"""
      func.func @f(%crow: tensor<?xi32>, %col: tensor<?xi32>, {arguments}) -> {tensor} {{
        %0 = sattn.{op} ins(%crow, %col, {operands} : tensor<?xi32>, tensor<?xi32>, {types}) outs(%{out} : {tensor})
            {{meta = #sattn.meta<tile = [1, {part}, {16 * step * part}], stages = {stages}>}} -> {tensor}
        return %0 : {tensor}
      }}"""


def dtype_of(element):
    return np.dtype("float16" if element == "f16" else "float32")


@pytest.mark.share(4)
@pytest.mark.parametrize("element", ["f16", "f32"])
@pytest.mark.parametrize("rows, columns, step, stages", [(5, 64, 1, 4), (5, 64, 1, 1), (16, 8, 4, 1), (3, 48, 2, 2),
                                                         (16, 16, 2, 2), (33, 8, 1, 3), (2, 3, 1, 3), (2, 200, 1, 2)])
def test_softmax(emulation_tools, tmp_path, version, rows, columns, step, stages, element):
    kernel = kernel_of_program(emulation_tools, program("bsr_softmax", ["values"], "out", rows, columns, element, step, stages),
                               version, tmp_path, "schedule=plain")
    values = np.random.default_rng(0).standard_normal((85, rows, columns)).astype(dtype_of(element)) * 4
    values[3, 1] = -np.inf
    out = np.full_like(values, np.nan)
    kernel((len(CROW) - 1) * rows, CROW, values, out)
    for first, last in zip(CROW, CROW[1:]):
        row = values[first:last].astype(np.float64)
        powers = np.exp(row - row.max((0, 2), keepdims=True, initial=-1e300))
        np.testing.assert_allclose(out[first:last], powers / powers.sum((0, 2), keepdims=True),
                                   rtol=2e-3 if element == "f16" else 1e-5, atol=1e-7)


@pytest.mark.share(4)
@pytest.mark.parametrize("element", ["f16", "f32"])
@pytest.mark.parametrize("rows, columns, step, stages", [(5, 64, 1, 2), (5, 64, 1, 1), (16, 8, 2, 1), (3, 48, 2, 1),
                                                         (16, 16, 1, 5), (2, 3, 2, 1), (2, 200, 1, 1)])
def test_gradient(emulation_tools, tmp_path, version, rows, columns, step, stages, element):
    text = program("bsr_softmax_backward", ["output", "grad_out"], "grad_in", rows, columns, element, step, stages)
    kernel = kernel_of_program(emulation_tools, text, version, tmp_path, "schedule=plain")
    random = np.random.default_rng(0)
    output = random.random((85, rows, columns)).astype(dtype_of(element))
    grad_out = random.standard_normal((85, rows, columns)).astype(output.dtype)
    grad_in = np.full_like(output, np.nan)
    kernel((len(CROW) - 1) * rows, CROW, output, grad_out, grad_in)
    np.testing.assert_allclose(grad_in, gradient(CROW, output, grad_out), rtol=2e-3 if element == "f16" else 1e-5, atol=1e-4)
