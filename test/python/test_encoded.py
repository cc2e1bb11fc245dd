"""Programs on matrices in upstream's block-sparse encoding, on the CPU, against the same in float64."""

import numpy as np
import pytest

from test_package_bsr import matrix, near

pytest.importorskip("tvm_ffi")


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def encoding(block, batch="", width=32):
    """The encoding's attribute, with one level of batches of type `batch`, if any."""
    rows, columns = block
    first, level = ("n, ", f"n : {batch}, ") if batch else ("", "")
    return (f"#sparse_tensor.encoding<{{map = ({first}i, j) -> ({level}i floordiv {rows} : dense, "
            f"j floordiv {columns} : compressed, i mod {rows} : dense, j mod {columns} : dense), "
            f"posWidth = {width}, crdWidth = {width}}}>")


def dense_of(crow, col, values, columns=5):
    """The matrices of batches whose blocks are at the same places."""
    batch, (rows, block) = values.shape[:-3], (crow.shape[-1] - 1, values.shape[-2:])
    crow, col = (array.reshape(-1, array.shape[-1])[0] for array in (crow, col))
    dense = np.zeros((*batch, rows, columns, *block))
    dense[..., np.repeat(np.arange(rows), np.diff(crow)), col, :, :] = values
    return np.moveaxis(dense, -2, -3).reshape(*batch, rows * block[0], columns * block[1])


def test_batches_with_their_own_blocks(sattn, rng):
    """Levels of type batch: the arrays of each batch, of one length."""
    (crow, col, values), a = matrix(rng, (16, 16), batch=(3,))
    values += rng.standard_normal((3, 1, 1, 1)).astype(np.float32)
    mask = np.zeros((4, 5), bool)
    for row in range(4):
        mask[row, col[0, crow[0, row]:crow[0, row + 1]]] = True
    blocks = np.zeros((3, 4, 5, 16, 16))
    blocks[:, mask] = values
    a = np.moveaxis(blocks, -2, -3).reshape(3, 64, 80)
    b = rng.standard_normal((80, 21), np.float32)
    out = rng.standard_normal((3, 64, 21), np.float32)
    before = out.copy()
    sattn.compile(f"""
        #bsr = {encoding((16, 16), "batch")}
        func.func @f(%a: tensor<3x64x80xf32, #bsr>, %b: tensor<80x?xf32>, %c: tensor<3x64x?xf32>) -> tensor<3x64x?xf32> {{
          %one = arith.constant 1.0 : f32
          %0 = sattn.bsr_addmm alpha(%one) beta(%one) ins(%a, %b : tensor<3x64x80xf32, #bsr>, tensor<80x?xf32>)
              outs(%c : tensor<3x64x?xf32>) -> tensor<3x64x?xf32>
          return %0 : tensor<3x64x?xf32>
        }}""")(crow, col, values, b, out)
    near(out, before + a @ b)


@pytest.mark.parametrize("rows", ["64", "?"])
def test_batches_in_one_list(sattn, rng, rows):
    """Levels of type dense: batches that differ in their number of blocks."""
    block = (16, 8)
    parts, dense = zip(*(matrix(rng, block, density=density, index=np.int64) for density in (0.2, 0.9, 0.5)))
    ends = np.cumsum([0] + [len(col) for _, col, _ in parts])
    positions = np.concatenate([[0]] + [crow[1:] + end for (crow, _, _), end in zip(parts, ends)])
    col = np.concatenate([col for _, col, _ in parts])
    values = np.concatenate([values for _, _, values in parts])
    assert len({len(col) for _, col, _ in parts}) > 1
    b = rng.standard_normal((3, 40, 21), np.float32)
    out = np.full((3, 64, 21), np.nan, np.float32)
    sattn.compile(f"""
        #bsr = {encoding(block, "dense", 64)}
        func.func @f(%a: tensor<3x{rows}x40xf32, #bsr>, %b: tensor<3x40x?xf32>, %c: tensor<3x{rows}x?xf32>)
            -> tensor<3x{rows}x?xf32> {{
          %one = arith.constant 1.0 : f32
          %zero = arith.constant 0.0 : f32
          %0 = sattn.bsr_addmm alpha(%one) beta(%zero) ins(%a, %b : tensor<3x{rows}x40xf32, #bsr>, tensor<3x40x?xf32>)
              outs(%c : tensor<3x{rows}x?xf32>) -> tensor<3x{rows}x?xf32>
          return %0 : tensor<3x{rows}x?xf32>
        }}""")(positions, col, values, b, out)
    near(out, np.stack(dense) @ b)


def linear(dtype="f32"):
    """relu(x @ transpose(weight) + bias), as torch-mlir writes it for a weight in torch.sparse_bsr."""
    return f"""
        #bsr = {encoding((16, 16), width=64)}
        #map = affine_map<(d0, d1) -> (d0, d1)>
        #map1 = affine_map<(d0, d1) -> (d1)>
        func.func @main(%arg0: tensor<?x80x{dtype}>, %arg1: tensor<64x80x{dtype}, #bsr>, %arg2: tensor<64x{dtype}>)
            -> tensor<?x64x{dtype}> {{
          %cst = arith.constant 0.000000e+00 : {dtype}
          %c0 = arith.constant 0 : index
          %0 = tensor.empty() : tensor<80x64x{dtype}>
          %transposed = linalg.transpose ins(%arg1 : tensor<64x80x{dtype}, #bsr>) outs(%0 : tensor<80x64x{dtype}>)
              permutation = [1, 0]
          %dim = tensor.dim %arg0, %c0 : tensor<?x80x{dtype}>
          %1 = tensor.empty(%dim) : tensor<?x64x{dtype}>
          %2 = linalg.fill ins(%cst : {dtype}) outs(%1 : tensor<?x64x{dtype}>) -> tensor<?x64x{dtype}>
          %3 = linalg.matmul ins(%arg0, %transposed : tensor<?x80x{dtype}>, tensor<80x64x{dtype}>)
              outs(%2 : tensor<?x64x{dtype}>) -> tensor<?x64x{dtype}>
          %4 = linalg.generic {{indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]}}
              ins(%3, %arg2 : tensor<?x64x{dtype}>, tensor<64x{dtype}>) outs(%1 : tensor<?x64x{dtype}>) {{
          ^bb0(%in: {dtype}, %in_0: {dtype}, %out: {dtype}):
            %6 = arith.addf %in, %in_0 : {dtype}
            linalg.yield %6 : {dtype}
          }} -> tensor<?x64x{dtype}>
          %5 = linalg.generic {{indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}}
              ins(%4 : tensor<?x64x{dtype}>) outs(%1 : tensor<?x64x{dtype}>) {{
          ^bb0(%in: {dtype}, %out: {dtype}):
            %6 = arith.cmpf ugt, %in, %cst : {dtype}
            %7 = arith.select %6, %in, %cst : {dtype}
            linalg.yield %7 : {dtype}
          }} -> tensor<?x64x{dtype}>
          return %5 : tensor<?x64x{dtype}>
        }}"""


@pytest.mark.parametrize("rows", [1, 24, 37])
def test_linear_layer(sattn, rng, rows):
    bsr, weight = matrix(rng, (16, 16), index=np.int64)
    x = rng.standard_normal((rows, 80), np.float32)
    bias = rng.standard_normal(64, np.float32)
    out = np.full((rows, 64), np.nan, np.float32)
    sattn.compile(linear())(x, *bsr, bias, out)
    near(out, np.maximum(x @ weight.T + bias, 0))


def test_bad_arguments_of_a_linear_layer(sattn, rng):
    """The right operand is computed: indices and sizes are checked all the same, before anything is written."""
    (crow, col, values), _ = matrix(rng, (16, 16), index=np.int64)
    x = rng.standard_normal((5, 80), np.float32)
    bias = np.zeros(64, np.float32)
    out = np.full((5, 64), 7, np.float32)
    program = sattn.compile(linear())

    def changed(array, place, value):
        array = array.copy()
        array[place] = value
        return array

    for arguments, message in (
            ((x, crow, changed(col, 0, 1 << 40), values, bias, out), r"'col': expected block columns in \[0, 5\)"),
            ((x, crow, changed(col, 0, -1), values, bias, out), r"'col': expected block columns in \[0, 5\)"),
            ((x, changed(crow, -1, 1 << 33), col, values, bias, out), "'crow': expected offsets in"),
            ((x, crow[:-1], col, values, bias, out), "'crow': expected dimension 0"),
            ((x, crow, col[:-1], values, bias, out), "'col': expected dimension 0"),
            ((x, crow, col, values[:, :8], bias, out), "'values': expected dimension 1"),
            ((x[:, :64], crow, col, values, bias, out), "'b': expected dimension 1 to be 80"),
            ((x, crow, col, values, bias, out[:3]), r"'b': expected dimension 0 \(N\) to be 3"),
            ((x[:3], crow, col, values, bias, out), r"'b': expected dimension 0 \(N\) to be 5")):
        with pytest.raises(ValueError, match=message):
            program(*arguments)
        assert (out == 7).all()


def test_bad_offsets_in_one_list(sattn, rng):
    program = sattn.compile(f"""
        #bsr = {encoding((16, 8), "dense", 64)}
        func.func @f(%a: tensor<3x?x40xf32, #bsr>, %b: tensor<3x40x?xf32>, %c: tensor<3x?x?xf32>) -> tensor<3x?x?xf32> {{
          %one = arith.constant 1.0 : f32
          %zero = arith.constant 0.0 : f32
          %0 = sattn.bsr_addmm alpha(%one) beta(%zero) ins(%a, %b : tensor<3x?x40xf32, #bsr>, tensor<3x40x?xf32>)
              outs(%c : tensor<3x?x?xf32>) -> tensor<3x?x?xf32>
          return %0 : tensor<3x?x?xf32>
        }}""")
    b, out = np.zeros((3, 40, 5), np.float32), np.full((3, 32, 5), 7, np.float32)
    col, values = np.zeros(4, np.int64), np.zeros((4, 16, 8), np.float32)
    for offsets, columns, message in (([0, 1, 1, 2, 2, 3, 5], col, "'crow': expected offsets in"),
                                      ([0, 1, 1, 2, 2, 3], col, "'crow': expected one offset and 2 for each batch"),
                                      ([0, 1, 1, 2, 2, 3, 4], col + 5, r"'col': expected block columns in \[0, 5\)")):
        with pytest.raises(ValueError, match=message):
            program(np.array(offsets), columns, values, b, out)
    with pytest.raises(ValueError, match="'arg3': expected dimension 2 to be that of dimension 2 of argument 'arg4'"):
        program(np.array([0, 1, 1, 2, 2, 3, 4]), col, values, b[:, :, :4], out)
    assert (out == 7).all()


def test_encoded_activations(sattn, rng):
    """The encoded matrix on the left; the result in memory of the program's own becomes an argument."""
    bsr, a = matrix(rng, (16, 16))
    b = rng.standard_normal((80, 37), np.float32)
    out = np.full((64, 37), np.nan, np.float32)
    program = sattn.compile(f"""
        #bsr = {encoding((16, 16))}
        func.func @main(%a: tensor<64x80xf32, #bsr>, %b: tensor<80x37xf32>) -> tensor<64x37xf32> {{
          %cst = arith.constant 0.000000e+00 : f32
          %0 = tensor.empty() : tensor<64x37xf32>
          %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<64x37xf32>) -> tensor<64x37xf32>
          %2 = linalg.matmul ins(%a, %b : tensor<64x80xf32, #bsr>, tensor<80x37xf32>) outs(%1 : tensor<64x37xf32>)
              -> tensor<64x37xf32>
          return %2 : tensor<64x37xf32>
        }}""")
    program(*bsr, b, out)
    near(out, a @ b)
    with pytest.raises(ValueError, match=r"argument 'out': expected dimension 0 \(M\)|argument 'crow'"):
        program.check(*bsr, b, out[:-16])


@pytest.mark.parametrize("batch", [False, True])
def test_sampled_product(sattn, rng, batch):
    """Upstream's form of a sampled product: the matrix is read and written in place."""
    block, sizes = (16, 24), (3,) if batch else ()
    (crow, col, values), before = matrix(rng, block, batch=sizes)
    a = rng.standard_normal((*sizes, 64, 37), np.float32)
    b = rng.standard_normal((37, 120), np.float32)
    one = np.ones_like(values)
    pattern = dense_of(crow, col, one)
    n, dims = ("n, ", "3x") if batch else ("", "")
    maps = ", ".join(f"affine_map<({n}i, j, k) -> ({batched}{place})>"
                     for batched, place in ((n, "i, k"), ("", "k, j"), (n, "i, j")))
    sampled = f"tensor<{dims}64x120xf32, #bsr>"
    sattn.compile(f"""
        #bsr = {encoding(block, "batch" if batch else "")}
        func.func @f(%c: {sampled}, %ma: tensor<{dims}64x?xf32>, %mb: tensor<?x120xf32>) -> {sampled} {{
          %zero = arith.constant 0.0 : f32
          %half = arith.constant 0.5 : f32
          %0 = linalg.generic {{indexing_maps = [{maps}],
              iterator_types = [{'"parallel", ' * (2 + batch)}"reduction"]}}
              ins(%ma, %mb : tensor<{dims}64x?xf32>, tensor<?x120xf32>) outs(%c : {sampled}) {{
          ^bb0(%a: f32, %b: f32, %s: f32):
            %u = sparse_tensor.unary %s : f32 to f32
              present = {{
              ^bb0(%p: f32):
                %1 = arith.mulf %a, %b : f32
                %2 = arith.mulf %half, %1 : f32
                sparse_tensor.yield %2 : f32
              }}
              absent = {{}}
            %r = sparse_tensor.reduce %s, %u, %zero : f32 {{
            ^bb0(%x: f32, %y: f32):
              %1 = arith.addf %x, %y : f32
              sparse_tensor.yield %1 : f32
            }}
            linalg.yield %r : f32
          }} -> {sampled}
          return %0 : {sampled}
        }}""")(crow, col, values, a, b)
    near(dense_of(crow, col, values), before + 0.5 * (a.astype(np.float64) @ b) * pattern, np.float32)
