"""The kernels of block_counts, lowered for a GPU, on the CPU's threads."""

import numpy as np
import pytest
from emulation import kernel_of_program

# Blocks of a tile, which a warp has: neighbors along the keys, or a square of them where nothing is captured.
BLOCKS = 256
SIDE = 16
MASKS = {
    "document": ("""
        %x = tensor.extract %doc_in[%query] : tensor<?xi32>
        %y = tensor.extract %doc_in[%key] : tensor<?xi32>
        %r = arith.cmpi eq, %x, %y : i32""", lambda doc, i, j: doc[i] == doc[j]),
    "causal": ("""
        %r = arith.cmpi sge, %i, %j : i32""", lambda doc, i, j: i >= j),
    "causal documents": ("""
        %x = tensor.extract %doc_in[%query] : tensor<?xi32>
        %y = tensor.extract %doc_in[%key] : tensor<?xi32>
        %equal = arith.cmpi eq, %x, %y : i32
        %before = arith.cmpi sge, %i, %j : i32
        %r = arith.andi %equal, %before : i1""", lambda doc, i, j: (doc[i] == doc[j]) & (i >= j)),
    "odd": ("""
        %two = arith.constant 2 : i32
        %sum = arith.addi %i, %j : i32
        %rest = arith.remui %sum, %two : i32
        %one = arith.constant 1 : i32
        %r = arith.cmpi eq, %rest, %one : i32""", lambda doc, i, j: (i + j) % 2 == 1)}


@pytest.mark.share(8)
@pytest.mark.parametrize("version", ["f", "f_generic"], ids=["aligned", "generic"])
@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("form", ["alone", "transposed too", "bounded"])
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("size, queries, keys, element", [((64, 64), 3, 20, "i32"), ((16, 48), 5, 7, "i64"),
                                                          ((128, 128), 2, 17, "i8"), ((8, 7), 2, 300, "i32"), ((8, 8), 40, 36, "i32")])
def test_counts(emulation_tools, tmp_path, mask, size, queries, keys, element, exact, version, form):
    """Sizes of blocks and numbers of them that nothing divides, and one tile after another."""
    captures = mask not in ("causal", "odd")
    is_square, has_transposed = not captures or form == "bounded", form != "alone"
    if version == "f" and is_square and (keys % 4 or has_transposed and queries % 4):
        pytest.skip("rows that begin at no multiple of 16 bytes")
    body, of = MASKS[mask]
    body = body.replace("xi32>", f"x{element}>").replace("eq, %x, %y : i32", f"eq, %x, %y : {element}")
    bound, results, bounds, bounded = "i64" if element == "i64" else "i32", 1 + has_transposed, "", ""
    if form == "bounded":
        bounds = f"bounds(%b0, %b1, %b2, %b3 : {', '.join([f'tensor<?x{bound}>'] * 4)})"
        bounded = ", bounded = array<i64: 0>"
    outs, types = ", ".join(["%out", "%transposed"][:results]), ", ".join(["tensor<?x?x?x?xi32>"] * results)
    kernel = kernel_of_program(emulation_tools, f"""
      func.func @f(%doc: tensor<?x{element}>, {", ".join(f"%b{i}: tensor<?x{bound}>" for i in range(4))},
                   %out: tensor<?x?x?x?xi32>, %transposed: tensor<?x?x?x?xi32>) -> ({types}) {{
        %0:{results} = sattn.block_counts captures(%doc : tensor<?x{element}>) {bounds} outs({outs} : {types}) -> {types}
          mask_mod {{
          ^bb0(%b: i32, %h: i32, %i: i32, %j: i32, %doc_in: tensor<?x{element}>):
            %query = arith.index_cast %i : i32 to index
            %key = arith.index_cast %j : i32 to index
            {body}
            sattn.yield %r : i1
          }} {{block_size = array<i64: {size[0]}, {size[1]}>{'' if exact else ', approximate'}{bounded}}}
        return {", ".join(f"%0#{i}" for i in range(results))} : {types}
      }}""", version, tmp_path, "schedule=plain")
    rows, columns = queries * size[0], keys * size[1]
    doc = np.sort(np.random.default_rng(0).integers(0, 7, max(rows, columns))).astype(f"int{element[1:]}")
    out = np.full((1, 1, queries, keys), -1, np.int32)
    transposed = np.full((1, 1, keys, queries), -1, np.int32)
    given = [out, transposed][:results]
    if captures:
        ends = [ends(doc[:size * number].reshape(number, size), axis=1).astype(f"int{bound[1:]}")
                for size, number in zip(size, (queries, keys)) for ends in (np.min, np.max)]
        given = [doc, *ends * (form == "bounded"), *given]
    kernel(-(-queries // SIDE) * -(-keys // SIDE) if is_square else queries * -(-keys // BLOCKS), *given)
    if has_transposed:
        np.testing.assert_array_equal(transposed, out.swapaxes(2, 3))
    visible = of(doc, np.arange(rows)[:, None], np.arange(columns))
    counts = visible.reshape(queries, size[0], keys, size[1]).sum((1, 3))
    if exact:
        np.testing.assert_array_equal(out[0, 0], counts)
    else:
        most = size[0] * size[1]
        np.testing.assert_array_equal(np.select([out[0, 0] == 0, out[0, 0] == most], [0, most], 1),
                                      np.select([counts == 0, counts == most], [0, most], 1))
