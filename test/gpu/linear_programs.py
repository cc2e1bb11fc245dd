"""Linear layers and other programs of linalg ops on a matrix in upstream's block-sparse encoding, as front ends write
them, with their operands and results.

Used by the GPU tests (test_linear.py beside this) and, on the CPU, by test/python/test_linear.py.
"""

import dataclasses
import math

import numpy as np

from bsr_cases import DTYPES

MAPS = """#ij = affine_map<(i, j) -> (i, j)>
#ji = affine_map<(i, j) -> (j, i)>
#j = affine_map<(i, j) -> (j)>
#bij = affine_map<(b, i, j) -> (b, i, j)>
#bj = affine_map<(b, i, j) -> (j)>
#weight = affine_map<(b, k, m) -> (k, m)>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
"""


def encoding(block):
    """The attribute of a matrix of blocks, with positions and coordinates of 64 bits, as torch-mlir writes it."""
    rows, columns = block
    return (f"#bsr = #sparse_tensor.encoding<{{map = (d0, d1) -> (d0 floordiv {rows} : dense, "
            f"d1 floordiv {columns} : compressed, d0 mod {rows} : dense, d1 mod {columns} : dense), "
            f"posWidth = 64, crdWidth = 64}}>\n")


@dataclasses.dataclass(frozen=True)
class Layer:
    """activation(x @ weight^T + bias), x of shape (*batch, K), weight M x K.

    form: how the product is written: "transpose" (torch-mlir, x of rank 2), "generic" (the transpose as a
    linalg.generic), "maps" (linalg.matmul with a transposed operand, as JAX's dot_general becomes), "broadcast"
    (torch-mlir, x of rank 3: the weight in each batch), "collapse" (x of rank 3 as one of rank 2 for the product).
    """

    form: str = "transpose"
    dtype: str = "f16"
    batch: tuple = (37,)
    block: tuple = (16, 16)
    blocks: tuple = (4, 5)  # of the weight, along M and K
    static: bool = False
    bias: bool = True
    activation: str = ""  # relu, gelu (by erf) or gelu_tanh

    @property
    def name(self):
        words = [self.form, self.dtype, "x".join(map(str, self.batch)), "x".join(map(str, self.block))]
        return "-".join(words + ["static"] * self.static + ["plain"] * (not self.bias) + [self.activation][:bool(
            self.activation)])


def activation_of(layer, value, kind):
    """Ops of a linalg body that compute the activation of `value`, and the name of their result."""
    if not layer.activation:
        return "", value
    if layer.activation == "relu":
        return f"""
    %p = arith.cmpf ugt, {value}, %cst : {kind}
    %q = arith.select %p, {value}, %cst : {kind}""", "%q"
    if layer.activation == "gelu":
        return f"""
    %p = arith.mulf {value}, %rsqrt2 : {kind}
    %e = math.erf %p : {kind}
    %e1 = arith.addf %e, %one : {kind}
    %h = arith.mulf %e1, %half : {kind}
    %q = arith.mulf {value}, %h : {kind}""", "%q"
    return f"""
    %s = arith.mulf {value}, {value} : {kind}
    %c = arith.mulf %s, {value} : {kind}
    %d = arith.mulf %c, %cubic : {kind}
    %f = arith.addf {value}, %d : {kind}
    %p = arith.mulf %f, %rsqrt : {kind}
    %e = math.tanh %p : {kind}
    %e1 = arith.addf %e, %one : {kind}
    %h = arith.mulf %e1, %half : {kind}
    %q = arith.mulf {value}, %h : {kind}""", "%q"


def layer_program(layer):
    """The text of @main: x, weight (crow, col, values), bias, and the result, which is allocated."""
    kind, rank = layer.dtype, len(layer.batch)
    m, k = (count * size for count, size in zip(layer.blocks, layer.block))
    rows = "".join(f"{size if layer.static else '?'}x" for size in layer.batch)
    x, result = f"tensor<{rows}{k}x{kind}>", f"tensor<{rows}{m}x{kind}>"
    lines = ["  %cst = arith.constant 0.0 : " + kind]
    for name, value in (("one", 1.0), ("half", 0.5), ("rsqrt2", math.sqrt(0.5)), ("rsqrt", math.sqrt(2 / math.pi)),
                        ("cubic", 0.044715)):
        lines.append(f"  %{name} = arith.constant {value:.6e} : {kind}")
    sizes = []
    for dim, size in enumerate(layer.batch):
        lines.append(f"  %c{dim} = arith.constant {dim} : index")
        lines.append(f"  %d{dim} = tensor.dim %x, %c{dim} : {x}")
        sizes.append(f"%d{dim}")
    dynamic = [] if layer.static else sizes
    lines.append(f"  %empty = tensor.empty({', '.join(dynamic)}) : {result}")
    weight = f"tensor<{m}x{k}x{kind}, #bsr>"
    transposed = f"tensor<{k}x{m}x{kind}>"
    if layer.form in ("transpose", "broadcast", "collapse"):
        lines += [f"  %wi = tensor.empty() : {transposed}",
                  f"  %wt = linalg.transpose ins(%weight : {weight}) outs(%wi : {transposed}) permutation = [1, 0]"]
    elif layer.form == "generic":
        lines += [f"  %wi = tensor.empty() : {transposed}",
                  f"""  %wt = linalg.generic {{indexing_maps = [#ji, #ij], iterator_types = ["parallel", "parallel"]}}
      ins(%weight : {weight}) outs(%wi : {transposed}) {{
  ^bb0(%in: {kind}, %out: {kind}):
    linalg.yield %in : {kind}
  }} -> {transposed}"""]
    lines.append(f"  %zeros = linalg.fill ins(%cst : {kind}) outs(%empty : {result}) -> {result}")
    if layer.form == "maps":
        lines.append(f"""  %product = linalg.matmul indexing_maps = [#mk, #nk, #mn]
      ins(%x, %weight : {x}, {weight}) outs(%zeros : {result}) -> {result}""")
    elif layer.form == "broadcast":
        first = layer.batch[0] if layer.static else "?"
        many = f"tensor<{first}x{k}x{m}x{kind}>"
        lines += [f"  %bi = tensor.empty({'' if layer.static else '%d0'}) : {many}",
                  f"""  %wb = linalg.generic {{indexing_maps = [#weight, #bij],
      iterator_types = ["parallel", "parallel", "parallel"]}} ins(%wt : {transposed}) outs(%bi : {many}) {{
  ^bb0(%in: {kind}, %out: {kind}):
    linalg.yield %in : {kind}
  }} -> {many}""",
                  f"  %product = linalg.batch_matmul ins(%x, %wb : {x}, {many}) outs(%zeros : {result}) -> {result}"]
    elif layer.form == "collapse":
        count = math.prod(layer.batch) if layer.static else "?"
        flat, flat_result = f"tensor<{count}x{k}x{kind}>", f"tensor<{count}x{m}x{kind}>"
        lines += [f"  %flat = tensor.collapse_shape %x [[0, 1], [2]] : {x} into {flat}",
                  "  %count = arith.muli %d0, %d1 : index",
                  f"  %fe = tensor.empty({'' if layer.static else '%count'}) : {flat_result}",
                  f"  %fz = linalg.fill ins(%cst : {kind}) outs(%fe : {flat_result}) -> {flat_result}",
                  f"  %fp = linalg.matmul ins(%flat, %wt : {flat}, {transposed}) outs(%fz : {flat_result}) -> {flat_result}",
                  f"  %product = tensor.expand_shape %fp [[0, 1], [2]] output_shape [{', '.join(map(str, layer.batch)) if layer.static else '%d0, %d1'}, {m}]"
                  f" : {flat_result} into {result}"]
    else:
        lines.append(f"  %product = linalg.matmul ins(%x, %wt : {x}, {transposed}) outs(%zeros : {result}) -> {result}")
    last = "%product"
    whole, row = ("#ij", "#j") if rank == 1 else ("#bij", "#bj")
    parallel = ", ".join(['"parallel"'] * (rank + 1))
    if layer.bias:
        lines.append(f"""  %biased = linalg.generic {{indexing_maps = [{whole}, {row}, {whole}], iterator_types = [{parallel}]}}
      ins({last}, %bias : {result}, tensor<{m}x{kind}>) outs(%empty : {result}) {{
  ^bb0(%in: {kind}, %b: {kind}, %out: {kind}):
    %s = arith.addf %in, %b : {kind}
    linalg.yield %s : {kind}
  }} -> {result}""")
        last = "%biased"
    if layer.activation:
        body, value = activation_of(layer, "%in", kind)
        lines.append(f"""  %active = linalg.generic {{indexing_maps = [{whole}, {whole}], iterator_types = [{parallel}]}}
      ins({last} : {result}) outs(%empty : {result}) {{
  ^bb0(%in: {kind}, %out: {kind}):{body}
    linalg.yield {value} : {kind}
  }} -> {result}""")
        last = "%active"
    return (encoding(layer.block) + MAPS +
            f"func.func @main(%x: {x}, %weight: {weight}, %bias: tensor<{m}x{kind}>) -> {result} {{\n" +
            "\n".join(lines) + f"\n  return {last} : {result}\n}}\n")


def weight_of(rng, block, blocks, dtype):
    """(crow, col, values) with an empty first block row, and the matrix in float64."""
    mask = rng.random(blocks) < 0.5
    mask[0] = False
    mask[-1, :2] = True
    crow = np.concatenate([[0], np.cumsum(mask.sum(1))]).astype(np.int64)
    col = np.nonzero(mask)[1].astype(np.int64)
    values = rng.standard_normal((len(col), *block)).astype(DTYPES[dtype])
    dense = np.zeros((*blocks, *block))
    dense[mask] = values
    return (crow, col, values), dense.swapaxes(1, 2).reshape(blocks[0] * block[0], blocks[1] * block[1])


def apply_activation(activation, value):
    """The same as activation_of, in NumPy."""
    if activation == "relu":
        return np.maximum(value, 0)
    if activation == "gelu":
        return value * 0.5 * (1 + np.vectorize(math.erf)(value * math.sqrt(0.5)))
    if activation:
        return value * 0.5 * (1 + np.tanh(math.sqrt(2 / math.pi) * (value + 0.044715 * value**3)))
    return value


def layer_operands(layer, seed=0):
    """(arguments of @main, the last one the result, full of NaN; the result in float64)."""
    rng = np.random.default_rng(seed)
    bsr, weight = weight_of(rng, layer.block, layer.blocks, layer.dtype)
    m, k = weight.shape
    dtype = DTYPES[layer.dtype]
    x = (rng.standard_normal((*layer.batch, k)) / math.sqrt(k)).astype(dtype)
    bias = rng.standard_normal(m).astype(dtype)
    result = x.astype(np.float64) @ weight.T
    if layer.bias:
        result = result + bias.astype(np.float64)
    result = apply_activation(layer.activation, result)
    arguments = [x, *bsr, bias, np.full((*layer.batch, m), np.nan, dtype)]
    return arguments, result


LAYERS = [
    Layer(), Layer(dtype="bf16", batch=(1,)), Layer(batch=(64,), static=True, activation="relu"),
    Layer("generic", activation="gelu"), Layer("maps", "bf16", (24,), activation="gelu_tanh"),
    Layer("maps", bias=False), Layer("broadcast", batch=(3, 21)), Layer("broadcast", "bf16", (2, 70), static=True),
    Layer("collapse", batch=(3, 21), activation="relu"), Layer("collapse", batch=(2, 8), static=True),
    Layer("transpose", batch=(130,), block=(64, 64), blocks=(3, 4), activation="relu"),
    Layer("transpose", batch=(40,), block=(32, 8), blocks=(2, 6)),
]


@dataclasses.dataclass(frozen=True)
class Epilogue:
    """activation(A @ b + bias[:, None]) + residual, where N is dynamic.

    transposes: whether b, and residual and result, lie transposed. form: how the program says so: "attributes" (the
    op's), "product" (b is transposed before the product, the result right after it, as torch-mlir does) or "result"
    (after the epilogue, which counts the rows of A first; the residual is transposed before it).
    """

    transposes: tuple = (True, True)
    form: str = "attributes"
    activation: str = "relu"
    dtype: str = "f16"
    n: int = 37
    block: tuple = (16, 16)
    blocks: tuple = (4, 5)  # of A, along M and K
    tile: tuple = ()

    @property
    def name(self):
        layouts = "".join("nt"[is_transposed] for is_transposed in self.transposes)
        return "-".join([layouts, self.form, self.activation, self.dtype, str(self.n), "x".join(map(str, self.block)),
                         *map(str, self.tile)])


def epilogue_program(case):
    """The text of @main: crow, col, values, b, bias, residual and the result."""
    kind, (rows, columns) = case.dtype, case.block
    of_b, of_out = case.transposes

    def matrix(count, is_transposed):
        return f"tensor<?x{count}x{kind}>" if is_transposed else f"tensor<{count}x?x{kind}>"

    m, k = (count * size for count, size in zip(case.blocks, case.block))
    b, out = matrix(k, of_b), matrix(m, of_out)
    is_given = case.form == "attributes"
    upright = matrix(m, False)
    meta = f"meta = #sattn.meta<tile = [{', '.join(map(str, case.tile))}]>" if case.tile else ""
    words = ["transpose_b"] * (of_b and is_given) + ["transpose_out"] * (of_out and is_given) + [meta] * bool(meta)
    lines = [f"  %cst = arith.constant 0.0 : {kind}", "  %f0 = arith.constant 0.0 : f32",
             "  %f1 = arith.constant 1.0 : f32",
             f"  %dim = arith.constant {0 if of_out else 1} : index",
             f"  %n = tensor.dim %out, %dim : {out}", f"  %empty = tensor.empty(%n) : {out}",
             f"  %upright = tensor.empty(%n) : {upright}"]
    for name, value in (("one", 1.0), ("half", 0.5), ("rsqrt2", math.sqrt(0.5)), ("rsqrt", math.sqrt(2 / math.pi)),
                        ("cubic", 0.044715)):
        lines.append(f"  %{name} = arith.constant {value:.6e} : {kind}")

    def transpose(result, source, from_type, init, to_type):
        lines.append(f"  {result} = linalg.transpose ins({source} : {from_type}) outs({init} : {to_type}) "
                     "permutation = [1, 0]")

    dense, dense_type = "%b", b
    if of_b and not is_given:
        dense, dense_type = "%bt", matrix(k, False)
        lines.append(f"  %bi = tensor.empty(%n) : {dense_type}")
        transpose(dense, "%b", b, "%bi", dense_type)
    last, target = ("%product", out) if is_given else ("%product", upright)
    lines.append(f"""  %product = sattn.bsr_addmm alpha(%f1) beta(%f0)
      ins(%crow, %col, %values, {dense} : tensor<{case.blocks[0] + 1}xi64>, tensor<?xi64>,
          tensor<?x{rows}x{columns}x{kind}>, {dense_type})
      outs({"%empty" if is_given else "%upright"} : {target}) {{{", ".join(words)}}} -> {target}""")
    if of_out and case.form == "product":
        transpose("%turned", last, upright, "%empty", out)
        last, target = "%turned", out
    residual, init = "%residual", "%out"
    if of_out and case.form == "result":
        transpose("%old", "%residual", out, "%upright", upright)
        residual, init = "%old", "%upright"
    row = "#j" if target == out and of_out else "#i"
    body, value = activation_of(case, "%t", kind)
    lines.append(f"""  %biased = linalg.generic {{indexing_maps = [#ij, {row}, #ij, #ij],
      iterator_types = ["parallel", "parallel"]}}
      ins({last}, %bias, {residual} : {target}, tensor<{m}x{kind}>, {target}) outs({init} : {target}) {{
  ^bb0(%in: {kind}, %a: {kind}, %r: {kind}, %old_out: {kind}):
    %t = arith.addf %in, %a : {kind}{body}
    %y = arith.addf {value}, %r : {kind}
    linalg.yield %y : {kind}
  }} -> {target}""")
    last = "%biased"
    if of_out and case.form == "result":
        transpose("%result", last, upright, "%out", out)
        last = "%result"
    return f"""#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#j = affine_map<(i, j) -> (j)>
func.func @main(%crow: tensor<{case.blocks[0] + 1}xi64>, %col: tensor<?xi64>, %values: tensor<?x{rows}x{columns}x{kind}>,
    %b: {b}, %bias: tensor<{m}x{kind}>, %residual: {out}, %out: {out}) -> {out} {{
""" + "\n".join(lines) + f"\n  return {last} : {out}\n}}\n"


def epilogue_operands(case, seed=0):
    """(arguments of @main, the last one the result, full of NaN; the result in float64)."""
    rng = np.random.default_rng(seed)
    bsr, a = weight_of(rng, case.block, case.blocks, case.dtype)
    dtype = DTYPES[case.dtype]
    b = (rng.standard_normal((a.shape[1], case.n)) / math.sqrt(a.shape[1])).astype(dtype)
    bias, residual = rng.standard_normal(len(a)).astype(dtype), rng.standard_normal((len(a), case.n)).astype(dtype)
    result = a @ b.astype(np.float64) + bias.astype(np.float64)[:, None]
    result = apply_activation(case.activation, result) + residual.astype(np.float64)

    def stored(array, is_transposed):
        return np.ascontiguousarray(array.T if is_transposed else array)

    of_b, of_out = case.transposes
    residual, result = stored(residual, of_out), stored(result, of_out)
    return [*bsr, stored(b, of_b), bias, residual, np.full(result.shape, np.nan, dtype)], result


LAYOUTS = [(False, False), (False, True), (True, False), (True, True)]
EPILOGUES = [Epilogue(layouts, form, activation, **more)
             for layouts in LAYOUTS for form in ("attributes", "product", "result")
             for activation, more in (("relu", {}), ("gelu_tanh", {"n": 16}),
                                      ("gelu", {"n": 130, "block": (64, 64), "blocks": (3, 4)}))
             if form == "attributes" or any(layouts)]


def matvec_program(kind, static):
    """y = A x + bias, as torch.mv becomes."""
    m, k = (64, 80) if static else ("?", "?")
    vector, result, matrix = f"tensor<{k}x{kind}>", f"tensor<{m}x{kind}>", f"tensor<{m}x{k}x{kind}, #bsr>"
    return encoding((16, 16)) + f"""
#i = affine_map<(i) -> (i)>
func.func @main(%a: {matrix}, %x: {vector}, %bias: {result}, %out: {result}) -> {result} {{
  %cst = arith.constant 0.0 : {kind}
  %c0 = arith.constant 0 : index
  %m = tensor.dim %out, %c0 : {result}
  %empty = tensor.empty({'' if static else '%m'}) : {result}
  %zeros = linalg.fill ins(%cst : {kind}) outs(%empty : {result}) -> {result}
  %y = linalg.matvec ins(%a, %x : {matrix}, {vector}) outs(%zeros : {result}) -> {result}
  %0 = linalg.generic {{indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}}
      ins(%y, %bias : {result}, {result}) outs(%out : {result}) {{
  ^bb0(%in: {kind}, %b: {kind}, %z: {kind}):
    %s = arith.addf %in, %b : {kind}
    linalg.yield %s : {kind}
  }} -> {result}
  return %0 : {result}
}}
"""


def two_products_program(kind, maps=""):
    """dense @ (A @ x) + f, a product of matrices in an encoding and one of dense ones. maps: the dense one's."""
    return encoding((16, 16)) + MAPS + f"""
func.func @main(%a: tensor<64x80x{kind}, #bsr>, %x: tensor<80x?x{kind}>, %dense: tensor<?x?x{kind}>,
                %f: tensor<?x?x{kind}>) -> tensor<?x?x{kind}> {{
  %cst = arith.constant 0.0 : {kind}
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<80x?x{kind}>
  %empty = tensor.empty(%n) : tensor<64x?x{kind}>
  %zeros = linalg.fill ins(%cst : {kind}) outs(%empty : tensor<64x?x{kind}>) -> tensor<64x?x{kind}>
  %0 = linalg.matmul ins(%a, %x : tensor<64x80x{kind}, #bsr>, tensor<80x?x{kind}>) outs(%zeros : tensor<64x?x{kind}>)
      -> tensor<64x?x{kind}>
  %1 = linalg.matmul {maps} ins(%dense, %0 : tensor<?x?x{kind}>, tensor<64x?x{kind}>) outs(%f : tensor<?x?x{kind}>)
      -> tensor<?x?x{kind}>
  return %1 : tensor<?x?x{kind}>
}}
"""


def two_products_operands(kind, transposed=False, seed=0):
    """(arguments, the last one the result; the result in float64)."""
    rng = np.random.default_rng(seed)
    dtype = DTYPES[kind]
    bsr, a = weight_of(rng, (16, 16), (4, 5), kind)
    x = (rng.standard_normal((80, 37)) / 9).astype(dtype)
    product = (a @ x.astype(np.float64)).astype(dtype).astype(np.float64)
    dense = (rng.standard_normal((70, 37 if transposed else 64)) / 8).astype(dtype)
    f = rng.standard_normal((70, 64 if transposed else 37)).astype(dtype)
    expected = f.astype(np.float64) + dense.astype(np.float64) @ (product.T if transposed else product)
    return [*bsr, x, dense, f], expected
