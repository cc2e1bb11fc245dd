"""Elementwise ops fused into the tiles of a product, on the CPU, against the same in float64."""

import numpy as np
import pytest

from test_package_bsr import matrix, near

pytest.importorskip("tvm_ffi")

NAMES = {np.float32: "f32", np.float16: "f16"}


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def product(m, n, alpha, beta, out, extra="", dtype="f32", out_dtype="f32", block="16x16"):
    return f"""sattn.bsr_addmm alpha({alpha}) beta({beta})
        ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x{block}x{dtype}>, tensor<?x{n}x{dtype}>)
        {extra} outs({out} : tensor<{m}x{n}x{out_dtype}>) -> tensor<{m}x{n}x{out_dtype}>"""


HEADER = """
#ij = affine_map<(i, j) -> (i, j)>
#j = affine_map<(i, j) -> (j)>
#i = affine_map<(i, j) -> (i)>
"""


def arguments(m, n, dtype="f32", block="16x16"):
    return (f"%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x{block}x{dtype}>, "
            f"%b: tensor<?x{n}x{dtype}>")


@pytest.mark.parametrize("columns", [8, 37, 64, 200])
@pytest.mark.parametrize("static", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_bias_relu_cast(sattn, rng, columns, static, dtype):
    """relu(A @ b + bias) in f32, then rounded: what lies between is nowhere in memory."""
    bsr, a = matrix(rng, dtype=dtype)
    b = rng.standard_normal((80, columns)).astype(dtype)
    bias = rng.standard_normal(columns).astype(dtype)
    out = np.full((64, columns), np.nan, dtype)
    name, m, n = NAMES[dtype], *(map(str, out.shape) if static else "??")
    widen, narrow = (("arith.extf %y : f16 to f32", "arith.truncf %6 : f32 to f16") if dtype == np.float16 else
                     ("arith.addf %y, %zero : f32", "arith.addf %6, %zero : f32"))
    sizes = "" if static else "%m, %n"
    program = sattn.compile(f"""{HEADER}
        func.func @f({arguments(m, n, name)}, %bias: tensor<{n}x{name}>, %out: tensor<{m}x{n}x{name}>)
            -> tensor<{m}x{n}x{name}> {{
          %one = arith.constant 1.0 : f32
          %zero = arith.constant 0.0 : f32
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %m = tensor.dim %out, %c0 : tensor<{m}x{n}x{name}>
          %n = tensor.dim %b, %c1 : tensor<?x{n}x{name}>
          %empty = tensor.empty({sizes}) : tensor<{m}x{n}xf32>
          %0 = {product(m, n, "%one", "%zero", "%empty", dtype=name)}
          %1 = linalg.generic {{indexing_maps = [#ij, #j, #ij], iterator_types = ["parallel", "parallel"]}}
              ins(%0, %bias : tensor<{m}x{n}xf32>, tensor<{n}x{name}>) outs(%empty : tensor<{m}x{n}xf32>) {{
          ^bb0(%x: f32, %y: {name}, %o: f32):
            %2 = {widen}
            %3 = arith.addf %x, %2 : f32
            linalg.yield %3 : f32
          }} -> tensor<{m}x{n}xf32>
          %4 = linalg.generic {{indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}}
              ins(%1 : tensor<{m}x{n}xf32>) outs(%out : tensor<{m}x{n}x{name}>) {{
          ^bb0(%x: f32, %o: {name}):
            %5 = arith.cmpf ugt, %x, %zero : f32
            %6 = arith.select %5, %x, %zero : f32
            %7 = {narrow}
            linalg.yield %7 : {name}
          }} -> tensor<{m}x{n}x{name}>
          return %4 : tensor<{m}x{n}x{name}>
        }}""")
    program(*bsr, b, bias, out)
    near(out, np.maximum(a @ b.astype(np.float64) + bias.astype(np.float64), 0), dtype)


SQUARE = """linalg.generic {indexing_maps = [%s#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%s : %s) outs(%s : tensor<?x?xf32>) {
    ^bb0(%%x: f32, %s%%o: f32):
      %%2 = arith.mulf %%x, %%x : f32
      %%3 = arith.addf %%2, %s : f32
      linalg.yield %%3 : f32
    } -> tensor<?x?xf32>"""


@pytest.mark.parametrize("alpha, beta", [(1.5, 0.5), (1.5, 0.0), (0.0, 0.5), (-1.0, 1.0)])
@pytest.mark.parametrize("columns", [37, 64])
def test_run_time_scalars(sattn, rng, alpha, beta, columns):
    """(alpha * A @ b + beta * out)^2 + row, written over out."""
    bsr, a = matrix(rng)
    b = rng.standard_normal((80, columns), np.float32)
    row = rng.standard_normal(64, np.float32)
    out = np.full((64, columns), np.nan, np.float32) if beta == 0 else rng.standard_normal((64, columns), np.float32)
    before = np.zeros_like(out) if beta == 0 else out.copy()
    square = SQUARE % ("#ij, #i, ", "%0, %row", "tensor<?x?xf32>, tensor<?xf32>", "%out", "%r: f32, ", "%r")
    square = square.replace("#ij, #i, #ij, #ij", "#ij, #i, #ij")
    program = sattn.compile(f"""{HEADER}
        func.func @f(%alpha: f32, %beta: f32, {arguments("?", "?")}, %row: tensor<?xf32>, %out: tensor<?x?xf32>)
            -> tensor<?x?xf32> {{
          %0 = {product("?", "?", "%alpha", "%beta", "%out")}
          %1 = {square}
          return %1 : tensor<?x?xf32>
        }}""")
    program(alpha, beta, *bsr, b, row, out)
    near(out, (alpha * (a @ b) + beta * before) ** 2 + row[:, None])


def test_reads_what_it_overwrites(sattn, rng):
    """out = (A @ b)^2 + out, with left and right factors of the product, and a second reader of out."""
    bsr, a = matrix(rng)
    b = rng.standard_normal((80, 37), np.float32)
    left, right = rng.standard_normal(64, np.float32), rng.standard_normal(37, np.float32)
    out = rng.standard_normal((64, 37), np.float32)
    before = out.copy()
    square = SQUARE % ("", "%0", "tensor<?x?xf32>", "%out", "", "%o")
    extra = "left(%left : tensor<?xf32>) right(%right : tensor<?xf32>)"
    program = sattn.compile(f"""{HEADER}
        func.func @f({arguments("?", "?")}, %left: tensor<?xf32>, %right: tensor<?xf32>, %out: tensor<?x?xf32>)
            -> tensor<?x?xf32> {{
          %one = arith.constant 1.0 : f32
          %0 = {product("?", "?", "%one", "%one", "%out", extra)}
          %1 = {square}
          return %1 : tensor<?x?xf32>
        }}""")
    program(*bsr, b, left, right, out)
    near(out, (left[:, None] * (a @ b) * right + before) ** 2 + before)


def test_destination_is_the_product(sattn, rng):
    """An op that changes the product where it is."""
    bsr, a = matrix(rng)
    b = rng.standard_normal((80, 37), np.float32)
    out = rng.standard_normal((64, 37), np.float32)
    before = out.copy()
    program = sattn.compile(f"""{HEADER}
        func.func @f({arguments("?", "?")}, %out: tensor<?x?xf32>) -> tensor<?x?xf32> {{
          %one = arith.constant 1.0 : f32
          %0 = {product("?", "?", "%one", "%one", "%out")}
          %1 = linalg.generic {{indexing_maps = [#ij], iterator_types = ["parallel", "parallel"]}}
              outs(%0 : tensor<?x?xf32>) {{
          ^bb0(%x: f32):
            %2 = arith.mulf %x, %x : f32
            linalg.yield %2 : f32
          }} -> tensor<?x?xf32>
          return %1 : tensor<?x?xf32>
        }}""")
    program(*bsr, b, out)
    near(out, (a @ b + before) ** 2)


@pytest.mark.parametrize("columns", [37, 64])
def test_batches(sattn, rng, columns):
    """Named ops: a broadcast bias of each batch, added."""
    bsr, a = matrix(rng)
    b = rng.standard_normal((3, 80, columns), np.float32)
    bias = rng.standard_normal((3, columns), np.float32)
    out = np.full((3, 64, columns), np.nan, np.float32)
    program = sattn.compile(f"""
        func.func @f(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x16x16xf32>, %b: tensor<3x?x?xf32>,
                     %bias: tensor<3x?xf32>, %out: tensor<3x?x?xf32>) -> tensor<3x?x?xf32> {{
          %one = arith.constant 1.0 : f32
          %zero = arith.constant 0.0 : f32
          %c1 = arith.constant 1 : index
          %c2 = arith.constant 2 : index
          %m = tensor.dim %out, %c1 : tensor<3x?x?xf32>
          %n = tensor.dim %out, %c2 : tensor<3x?x?xf32>
          %empty = tensor.empty(%m, %n) : tensor<3x?x?xf32>
          %0 = sattn.bsr_addmm alpha(%one) beta(%zero) ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
              tensor<?x16x16xf32>, tensor<3x?x?xf32>) outs(%empty : tensor<3x?x?xf32>) -> tensor<3x?x?xf32>
          %1 = linalg.broadcast ins(%bias : tensor<3x?xf32>) outs(%empty : tensor<3x?x?xf32>) dimensions = [1]
          %2 = linalg.add ins(%0, %1 : tensor<3x?x?xf32>, tensor<3x?x?xf32>) outs(%out : tensor<3x?x?xf32>)
              -> tensor<3x?x?xf32>
          return %2 : tensor<3x?x?xf32>
        }}""")
    program(*bsr, b, bias, out)
    near(out, a @ b + bias[:, None])


def test_operands_of_other_sizes(sattn, rng):
    """Fused operands must have the sizes of the product; nothing is written if they have not."""
    bsr, a = matrix(rng)
    program = sattn.compile(f"""{HEADER}
        func.func @f({arguments("?", "?")}, %bias: tensor<?xf32>, %add: tensor<?x?xf32>, %out: tensor<?x?xf32>)
            -> tensor<?x?xf32> {{
          %one = arith.constant 1.0 : f32
          %zero = arith.constant 0.0 : f32
          %0 = {product("?", "?", "%one", "%zero", "%out")}
          %1 = linalg.generic {{indexing_maps = [#ij, #j, #ij, #ij], iterator_types = ["parallel", "parallel"]}}
              ins(%0, %bias, %add : tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xf32>) outs(%out : tensor<?x?xf32>) {{
          ^bb0(%x: f32, %y: f32, %z: f32, %o: f32):
            %2 = arith.addf %x, %y : f32
            %3 = arith.addf %2, %z : f32
            linalg.yield %3 : f32
          }} -> tensor<?x?xf32>
          return %1 : tensor<?x?xf32>
        }}""")
    b = rng.standard_normal((80, 21), np.float32)
    bias, add = rng.standard_normal(21, np.float32), rng.standard_normal((64, 21), np.float32)
    out = np.full((64, 21), 7, np.float32)
    for operands, message in (((bias[:5], add), "'arg4': expected dimension 0 to be that of dimension 1 of argument 'out'"),
                              ((bias, add[:60]), "'arg5': expected dimension 0 to be that of dimension 0"),
                              ((bias, add[:, :20]), "'arg5': expected dimension 1 to be that of dimension 1")):
        with pytest.raises(ValueError, match=message):
            program(*bsr, b, *operands, out)
        assert (out == 7).all()
    program(*bsr, b, bias, add, out)
    near(out, a @ b + bias + add)
