"""sattn.block_counts on the CPU, against the values of all elements."""

import types

import numpy as np
import pytest

pytest.importorskip("tvm_ffi")
from flex_programs import CAPTURE_TYPES, MASK_MODS  # noqa: E402

# Blocks of queries and keys of whole tiles and of parts, sizes that are no multiples of what is counted together.
BLOCKS = [(128, 128), (16, 64), (9, 13), (1, 1)]
LENGTHS = [(300, 300), (64, 700), (1, 40)]


def program(mod, block, exact=True):
    """The function of a mask_mod, with its captures and then the result as arguments."""
    types = [CAPTURE_TYPES[name] for name in mod.captures]
    given = [f"%{name}_in: {own}" for name, own in zip(mod.captures, types)]
    captures = f"captures({', '.join(f'%{name}_in' for name in mod.captures)} : {', '.join(types)})" if given else ""
    inside = "".join(f", %{name}: {own}" for name, own in zip(mod.captures, types))
    out = "tensor<?x?x?x?xi32>"
    return f"""func.func @counts({', '.join([*given, f'%out: {out}'])}) -> {out} {{
  %0 = sattn.block_counts {captures} outs(%out : {out}) -> {out} mask_mod {{
  ^bb0(%b: i32, %h: i32, %i: i32, %j: i32{inside}):
    {mod.text.strip()}
    sattn.yield %r : i1
  }} {{block_size = array<i64: {block[0]}, {block[1]}>{'' if exact else ', approximate'}}}
  return %0 : {out}
}}
"""


def captured(name, lead, lengths, rng):
    longest = max(lengths)
    return {"doc": lambda: np.sort(rng.integers(0, 4, longest, np.int32)),
            "tree": lambda: rng.integers(0, 2, lengths, np.int32),
            "offset": lambda: rng.integers(-20, 20, lead[0], np.int32),
            "prefix": lambda: rng.integers(0, 60, lead[0], np.int32),
            "factor": lambda: 0.75}[name]()


def counts_of(seen, block):
    rows = np.add.reduceat(seen, np.arange(0, seen.shape[2], block[0]), axis=2, dtype=np.int32)
    return np.add.reduceat(rows, np.arange(0, seen.shape[3], block[1]), axis=3, dtype=np.int32)


@pytest.mark.share(4)
@pytest.mark.parametrize("block", BLOCKS, ids=str)
@pytest.mark.parametrize("name", MASK_MODS)
def test_agrees_with_all_elements(sattn, name, block):
    """Positions beyond the lengths are those of whole blocks, too."""
    mod = MASK_MODS[name]
    compiled = sattn.compile(program(mod, block))
    for seed, lengths in enumerate(LENGTHS):
        rng = np.random.default_rng(seed)
        lead = 2, 3
        blocks = [-(-length // size) for length, size in zip(lengths, block)]
        padded = tuple(count * size for count, size in zip(blocks, block))
        captures = [captured(capture, lead, padded, rng) for capture in mod.captures]
        out = np.full((*lead, *blocks), 7, np.int32)
        compiled(*captures, out)
        b, h, i, j = np.ogrid[tuple(slice(size) for size in (*lead, *padded))]
        seen = np.broadcast_to(mod.compute(None, b, h, i, j, *captures), (*lead, *padded))
        assert (out == counts_of(seen, block)).all(), lengths


@pytest.mark.share(4)
@pytest.mark.parametrize("block", BLOCKS, ids=str)
@pytest.mark.parametrize("name", MASK_MODS)
def test_approximate(sattn, name, block):
    """Which blocks are empty and full is exact."""
    mod = MASK_MODS[name]
    rng, lead, blocks = np.random.default_rng(0), (1, 2), (5, 7)
    lengths = tuple(count * size for count, size in zip(blocks, block))
    captures = [captured(capture, lead, lengths, rng) for capture in mod.captures]
    exact, approximate = (np.full((*lead, *blocks), 7, np.int32) for _ in range(2))
    sattn.compile(program(mod, block))(*captures, exact)
    sattn.compile(program(mod, block, exact=False))(*captures, approximate)
    size = block[0] * block[1]
    assert ((exact == 0) == (approximate == 0)).all() and ((exact == size) == (approximate == size)).all()
    assert (approximate >= 0).all() and (approximate <= size).all()


def test_samples_stay_in_their_block(sattn):
    """No element of a neighbour is read for a block that the analysis does not decide, but that is empty or full."""
    squares = types.SimpleNamespace(captures=(), text="""%c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %in = arith.remsi %i, %c16 : i32
    %jn = arith.remsi %j, %c16 : i32
    %first = arith.subi %i, %in : i32
    %second = arith.subi %j, %jn : i32
    %sum = arith.addi %first, %second : i32
    %rest = arith.remsi %sum, %c32 : i32
    %r = arith.cmpi slt, %rest, %c16 : i32""")
    out = np.full((1, 1, 6, 9), 7, np.int32)
    sattn.compile(program(squares, (16, 16), exact=False))(out)
    assert (out == np.where(np.add.outer(np.arange(6), np.arange(9)) % 2 == 0, 256, 0)).all()


def test_any_strides(sattn):
    mod = MASK_MODS["causal"]
    out = np.full((2, 30, 20, 2), 7, np.int32).transpose(3, 0, 2, 1)[:, :, ::2, ::-1]
    sattn.compile(program(mod, (16, 8)))(out)
    seen = np.broadcast_to(np.tri(160, 240, dtype=bool), (2, 2, 160, 240))
    assert (out == counts_of(seen, (16, 8))).all()


@pytest.mark.parametrize("shape", [(0, 1, 3, 3), (1, 1, 0, 3), (1, 1, 3, 0)])
def test_nothing(sattn, shape):
    sattn.compile(program(MASK_MODS["causal"], (16, 16)))(np.empty(shape, np.int32))


def test_refusals(sattn):
    compiled = sattn.compile(program(MASK_MODS["document"], (16, 16)))
    document, out = np.zeros(64, np.int32), np.empty((1, 1, 4, 4), np.int32)
    with pytest.raises(ValueError, match="argument 'capture_0': expected at least 1 element in each dimension"):
        compiled(document[:0], out)
    with pytest.raises(ValueError, match="argument 'out': expected .*i32"):
        compiled(document, out.astype(np.int64))
    memory = np.zeros(64 + 16, np.int32)
    with pytest.raises(ValueError, match="argument 'out': .*overlap"):
        compiled(memory[:64], memory[60:76].reshape(1, 1, 4, 4))
