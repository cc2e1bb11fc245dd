"""Elementwise ops fused into the kernel of a product, against the same in double precision."""

import dataclasses

import numpy as np
import pytest

from bsr_cases import DTYPES, Case, operands, save

MAPS = """#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#j = affine_map<(i, j) -> (j)>
"""


def product(case, alpha, beta, out, element):
    bm, bk = case.block
    tile = ", ".join(map(str, case.tile))
    return f"""sattn.bsr_addmm alpha({alpha}) beta({beta})
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x{bm}x{bk}x{case.dtype}>,
          tensor<?x?x{case.dtype}>)
      outs({out} : tensor<?x?x{element}>) {{meta = #sattn.meta<tile = [{tile}]>}} -> tensor<?x?x{element}>"""


def inputs(case):
    bm, bk = case.block
    return (f"%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x{bm}x{bk}x{case.dtype}>, "
            f"%b: tensor<?x?x{case.dtype}>")


def bias_relu(case):
    """out = relu(A @ b + right) in f32, rounded once."""
    kind = case.dtype
    return f"""{MAPS}
func.func @f({inputs(case)}, %bias: tensor<?xf32>, %out: tensor<?x?x{kind}>) -> tensor<?x?x{kind}> {{
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %out, %c0 : tensor<?x?x{kind}>
  %n = tensor.dim %b, %c1 : tensor<?x?x{kind}>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %0 = {product(case, "%one", "%zero", "%empty", "f32")}
  %1 = linalg.generic {{indexing_maps = [#ij, #j, #ij], iterator_types = ["parallel", "parallel"]}}
      ins(%0, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%out : tensor<?x?x{kind}>) {{
  ^bb0(%x: f32, %y: f32, %z: {kind}):
    %2 = arith.addf %x, %y : f32
    %3 = arith.cmpf ugt, %2, %zero : f32
    %4 = arith.select %3, %2, %zero : f32
    %5 = arith.truncf %4 : f32 to {kind}
    linalg.yield %5 : {kind}
  }} -> tensor<?x?x{kind}>
  return %1 : tensor<?x?x{kind}>
}}
"""


def scaled_in_place(case):
    """out = left[:, None] * (alpha * A @ b + beta * out), in place, in the operands' type between."""
    kind = case.dtype
    return f"""{MAPS}
func.func @f(%alpha: f32, %beta: f32, {inputs(case)}, %row: tensor<?x{kind}>, %out: tensor<?x?x{kind}>)
    -> tensor<?x?x{kind}> {{
  %0 = {product(case, "%alpha", "%beta", "%out", kind)}
  %1 = linalg.generic {{indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]}}
      ins(%0, %row : tensor<?x?x{kind}>, tensor<?x{kind}>) outs(%out : tensor<?x?x{kind}>) {{
  ^bb0(%x: {kind}, %y: {kind}, %z: {kind}):
    %2 = arith.extf %x : {kind} to f32
    %3 = arith.extf %y : {kind} to f32
    %4 = arith.mulf %2, %3 : f32
    %5 = arith.truncf %4 : f32 to {kind}
    linalg.yield %5 : {kind}
  }} -> tensor<?x?x{kind}>
  return %1 : tensor<?x?x{kind}>
}}
"""


def dense(case, arrays):
    """A in double precision; blocks at one place add up."""
    m, k, _ = case.shape
    bm, bk = case.block
    a = np.zeros((m, k))
    for row, (begin, end) in enumerate(zip(arrays["crow"], arrays["crow"][1:])):
        for p in range(begin, end):
            column = arrays["col"][p] * bk
            a[row * bm:(row + 1) * bm, column:column + bk] += arrays["values"][p]
    return a


def run(sparse_run, case, folder, how, text, scalars, names):
    """(the result in double precision, the operands)."""
    arrays = operands(case, 0)
    program, result = folder / "program.mlir", folder / "result.npy"
    program.write_text(text)
    words = []
    for name in [*names, "out"]:
        word = str(save(folder / f"{name}.npy", arrays[name]))
        columns = arrays[name].shape[-1]
        if name == "b" and case.pad and columns % 8:
            word += f":ld={-(-columns // 8) * 8}"
        words.append(word)
    done = sparse_run("--target=cuda", f"--{how}", f"--out={result}", program, *scalars, *words)
    assert done.returncode == 0, done.stderr
    out = np.load(result)
    return out.view(DTYPES[case.dtype]).astype(np.float64), arrays


def near(result, expected):
    assert np.isfinite(result).all()
    assert np.linalg.norm(result - expected) <= 1e-2 * np.linalg.norm(expected)


BASE = Case("base", shape=(384, 512, 500), nan_in=())
CASES = {
    "": {}, "-f16": {"dtype": "f16"}, "-block-128": {"block": (128, 128), "tile": (128, 128, 64)},
    "-n256": {"tile": (64, 256, 64)}, "-grouped": {"tile": (128, 256, 64)}, "-whole": {"shape": (384, 512, 512)},
    "-unaligned": {"pad": False, "shape": (384, 512, 131)}, "-empty-rows": {"pattern": "empty_rows"},
    "-small-blocks": {"block": (32, 32), "tile": (32, 128, 32)},
}
HOWS = ["schedule=specialized", "schedule=plain", "chip=sm_80"]
cases = pytest.mark.parametrize("case", [dataclasses.replace(BASE, name=f"fused{name}", **changes)
                                         for name, changes in CASES.items()], ids=lambda case: case.name)


@pytest.mark.parametrize("how", HOWS)
@cases
def test_bias_relu(sparse_run, case, how, tmp_path):
    result, arrays = run(sparse_run, dataclasses.replace(case, nan_in=("out",)), tmp_path, how, bias_relu(case), [],
                         ["crow", "col", "values", "b", "right"])
    product = dense(case, arrays) @ arrays["b"].astype(np.float64)
    near(result, np.maximum(product + arrays["right"], 0))


@pytest.mark.parametrize("scalars", [(1.5, 0.5), (-1.0, 0.0), (0.0, 2.0)])
@pytest.mark.parametrize("how", HOWS)
@cases
def test_scaled_in_place(sparse_run, case, how, scalars, tmp_path):
    alpha, beta = scalars
    result, arrays = run(sparse_run, case, tmp_path, how, scaled_in_place(case), scalars,
                         ["crow", "col", "values", "b", "left"])
    product = dense(case, arrays) @ arrays["b"].astype(np.float64)
    near(result, arrays["left"].astype(np.float64)[:, None] *
         (alpha * product + beta * arrays["out"].astype(np.float64)))
