"""Programs and operands of bsr_attention, each case small, seeded and with a name.

Used on the GPU (test_bsr_attention.py beside this) and on the CPU by test/python/test_bsr_attention_cpu.py: the same
programs on both targets.
"""

import dataclasses

import numpy as np
from bsr_cases import DTYPES, save, scalar_of, type_of


@dataclasses.dataclass(frozen=True)
class Case:
    """Attention at the blocks of a mask. scale: a number that the program takes at run time, or a text that it has as a
    constant. Batches: of crow and col, of q, of k, of v and of out (which has all of them)."""

    name: str
    dtype: str = "bf16"
    block: tuple = (64, 64)
    tile: tuple = ()  # the compiler's where empty
    split_k: int = 0  # with a tile, for a GPU: of about so many parts
    blocks: tuple = (4, 5)  # block rows and columns
    columns: tuple = (64, 64)  # D, E
    density: float = 0.5
    scale: object = 0.125
    batches: tuple = ((), (), (), (), ())
    index: str = "i32"
    static: bool = False
    pad: bool = True  # rows of matrices in multiples of 16 bytes, as TMA needs
    pattern: str = "random"  # or: empty, empty_rows, one, full, skewed, duplicates, window
    precision: str = ""  # of f32: tf32, or ieee where empty
    dropout: float = -1  # a probability, or none where negative
    random: tuple = (-5, 7)  # seed and offset
    change: str = ""  # a function of this module that changes the operands
    cuts: int = 0  # room for as many cuts of long block rows; 0: none is computed in parts

    @property
    def has_dropout(self):
        return self.dropout >= 0

    @property
    def names(self):
        return ["crow", "col", "q", "k", "v", *(["random"] if self.has_dropout else []), "out"]


def pattern_of(case, rng):
    """crow and col of one batch, with the same number of blocks in every batch."""
    rows, columns = case.blocks
    count = rows * columns
    total = {"empty": 0, "one": 1, "full": count}.get(case.pattern, max(1, round(case.density * count)) if count else 0)
    usable = np.arange(count)
    if case.pattern == "empty_rows":
        usable = usable[(usable // columns) % 3 == 1]
    places = rng.choice(usable, min(total, len(usable)), replace=case.pattern == "duplicates") if total else usable[:0]
    if case.pattern == "skewed":  # One row full.
        places = np.union1d(places[places // columns != 1], columns + np.arange(columns))
    rng.shuffle(places)
    places = places[np.argsort(places // max(columns, 1), kind="stable")]  # Columns unsorted.
    counts = np.bincount(places // max(columns, 1), minlength=rows) if rows else np.zeros(0, int)
    crow, col = np.concatenate([[0], np.cumsum(counts)]), places % max(columns, 1)
    if case.pattern == "window":  # A part of a larger matrix: blocks before and after have columns of their own.
        return crow + 3, np.concatenate([[1 << 20] * 3, col, [-1, 1 << 20]])
    return crow, col


def nan_where_unread(arrays, case):
    """NaN in the rows of k and v that no block has."""
    read = np.zeros(case.blocks[1], bool)
    read[arrays["col"]] = True
    hidden = np.repeat(~read, case.block[1])
    assert hidden.any()
    arrays["k"][hidden] = arrays["v"][hidden] = np.nan


def infinite_scores(arrays, case):
    """Scores of -inf: those of every third key, and all of row 1."""
    arrays["q"][:, 0], arrays["q"][1, 0] = 1, np.inf
    arrays["k"][:, 0] = np.where(np.arange(len(arrays["k"])) % 3 == 1, -np.inf, -1)


def large_scores(arrays, case):
    """Scores whose exponentials f32 does not have."""
    arrays["q"][:, 0] = 60
    arrays["k"][:, 0] = 100 * np.sign(arrays["k"][:, 0].astype(float))


def operands(case, seed=0):
    """Arrays by operand's name."""
    rng = np.random.default_rng(seed)
    m, n = case.blocks[0] * case.block[0], case.blocks[1] * case.block[1]
    mask, q, k, v, out = case.batches
    index = np.int32 if case.index == "i32" else np.int64

    def random(*shape):
        return rng.standard_normal(shape).astype(DTYPES[case.dtype])

    patterns = [pattern_of(case, rng) for _ in range(int(np.prod(mask, dtype=int)))]
    arrays = {"crow": np.stack([crow for crow, _ in patterns]).reshape(*mask, -1).astype(index),
              "col": np.stack([col for _, col in patterns]).reshape(*mask, -1).astype(index),
              "q": random(*q, m, case.columns[0]), "k": random(*k, n, case.columns[0]),
              "v": random(*v, n, case.columns[1]), "random": np.array(case.random, np.int64),
              "out": np.full((*out, m, case.columns[1]), np.nan, DTYPES[case.dtype])}
    if case.change:
        globals()[case.change](arrays, case)
    return arrays


def program(case, arrays):
    """The text of @f: arguments in the order scale (at run time), tensors up to v, dropout's, out."""
    types = {}
    for name in case.names:
        element = {"crow": case.index, "col": case.index, "random": "i64"}.get(name, case.dtype)
        shape = arrays[name].shape
        types[name] = type_of(shape, element, case.static or name == "random")
        if name in ("q", "k", "v", "out") and not case.static:
            types[name] = f"tensor<{'?x' * (len(shape) - 1)}{shape[-1]}x{element}>"
    is_constant = isinstance(case.scale, str)
    scalar = scalar_of(case.dtype)
    arguments = [] if is_constant else [f"%scale: {scalar}"]
    for name in case.names:
        arguments += [f"%probability: {scalar}"] if name == "random" else []
        arguments.append(f"%{name}: {types[name]}")
    constant = f"  %scale = arith.constant {case.scale} : {scalar}\n" if is_constant else ""
    inputs = case.names[:5]
    dropout = f"      dropout(%probability, %random : {types['random']})\n" if case.has_dropout else ""
    attributes = [f"block_size = array<i64: {case.block[0]}, {case.block[1]}>"]
    split = f", split_k = {case.split_k}" if case.split_k else ""
    attributes += [f"meta = #sattn.meta<tile = [{', '.join(map(str, case.tile))}]{split}>"] if case.tile else []
    attributes += [f'precision = "{case.precision}"'] if case.precision else []
    outs, results, before, after = ["%out"], [types["out"]], constant, ""
    if case.cuts:
        more, before, after = _parts(case, arrays, types)
        before = constant + before
        outs += ["%partial", "%lse"]
        results += more
    return (f"func.func @f({', '.join(arguments)}) -> {types['out']} {{\n{before}"
            f"  %r{':3' if case.cuts else ''} = sattn.bsr_attention scale(%scale)\n"
            f"      ins({', '.join(f'%{name}' for name in inputs)} : {', '.join(types[name] for name in inputs)})\n"
            f"{dropout}      outs({', '.join(outs)} : {', '.join(results)}) {{{', '.join(attributes)}}}\n"
            f"      -> {', '.join(results)}\n{after}"
            f"  return {'%combined' if case.cuts else '%r'} : {types['out']}\n}}\n")


def _parts(case, arrays, types):
    """The types of partial results, what makes room for them, and what combines them."""
    batch, rows = arrays["out"].shape[:-2], 2 * case.cuts * case.block[0]
    sizes = "x".join([str(size) if case.static else "?" for size in batch] + [str(rows)])
    partial, lse = f"tensor<{sizes}x{case.columns[1]}xf32>", f"tensor<{sizes}xf32>"
    lines = [f"%c{dim} = arith.constant {dim} : index" for dim in range(max(len(batch), arrays["col"].ndim))]
    lines += [f"%b{dim} = tensor.dim %out, %c{dim} : {types['out']}" for dim in range(len(batch))]
    dynamic = "" if case.static else ", ".join(f"%b{dim}" for dim in range(len(batch)))
    lines += [f"%partial = tensor.empty({dynamic}) : {partial}", f"%lse = tensor.empty({dynamic}) : {lse}"]
    before = "".join(f"  {line}\n" for line in lines)
    after = (f"  %blocks = tensor.dim %col, %c{arrays['col'].ndim - 1} : {types['col']}\n"
             "  %combined = sattn.combine_parts blocks(%blocks)\n"
             f"      ins(%crow, %r#1, %r#2 : {types['crow']}, {partial}, {lse})\n"
             f"      outs(%r#0 : {types['out']}) {{block_rows = {case.block[0]}}} -> {types['out']}\n")
    return (partial, lse), before, after


def arguments(case, arrays, folder):
    """The operands as files, in the order of the program's arguments."""
    result = [] if isinstance(case.scale, str) else [str(case.scale)]
    for name in case.names:
        result += [str(case.dropout)] if name == "random" else []
        path = str(save(folder / f"{name}.npy", arrays[name]))
        columns, multiple = arrays[name].shape[-1], 16 // arrays[name].itemsize
        if name in ("q", "k", "v", "out") and case.pad and columns % multiple:
            path += f":ld={-(-columns // multiple) * multiple}"
        result.append(path)
    return result


def cases():
    """The cases that both targets take."""
    found = []
    for block in ((8, 16), (16, 16), (24, 48), (32, 32), (48, 96), (64, 64), (64, 128), (128, 64), (128, 128), (256, 192),
                  (136, 16), (16, 144)):
        for dtype in ("bf16", "f16"):
            found.append(Case(f"{dtype}-{block[0]}x{block[1]}", dtype=dtype, block=block, blocks=(3, 4)))
    for columns in ((128, 128), (64, 128), (128, 40), (8, 8), (33, 20), (1, 1), (192, 192), (256, 256), (320, 512)):
        found.append(Case(f"columns-{columns[0]}-{columns[1]}", columns=columns, blocks=(2, 3)))
    base = Case("")
    variants = {
        "plain": {}, "i64": {"index": "i64"}, "static": {"static": True}, "empty": {"pattern": "empty"},
        "empty-rows": {"pattern": "empty_rows"}, "one": {"pattern": "one"}, "full": {"pattern": "full"},
        "skewed": {"pattern": "skewed"}, "duplicates": {"pattern": "duplicates", "density": 1.5},
        "window": {"pattern": "window"}, "one-row": {"blocks": (1, 5)}, "one-column": {"blocks": (4, 1)},
        "no-rows": {"blocks": (0, 5)}, "no-columns": {"blocks": (4, 0)}, "many-rows": {"blocks": (65, 9), "density": 0.1},
        "unread-nan": {"density": 0.1, "change": "nan_where_unread"}, "large-scores": {"change": "large_scores"},
        "infinite-scores": {"change": "infinite_scores"}, "unpadded": {"pad": False, "columns": (33, 41)},
        "scale-0": {"scale": 0.0}, "scale-negative": {"scale": -0.5}, "scale-constant": {"scale": "0.125"},
        "scale-0-constant": {"scale": "0.0"}, "scale-negative-constant": {"scale": "-0.25"},
        "batch": {"batches": ((3,),) * 5}, "shared-mask": {"batches": ((), (3,), (3,), (3,), (3,))},
        "shared-mask-1": {"batches": ((1,), (3,), (3,), (3,), (3,))},
        "shared-keys": {"batches": ((3,), (3,), (), (1,), (3,))}, "shared-queries": {"batches": ((3,), (), (3,), (3,), (3,))},
        "batch-2d": {"batches": ((1, 3), (2, 3), (2, 1), (3,), (2, 3)), "block": (32, 32)},
        "batch-2d-static": {"batches": ((3,), (2, 3), (2, 1), (2, 3), (2, 3)), "static": True},
        "parts": {"block": (128, 128), "tile": (64, 64, 32)}, "parts-of-keys": {"block": (64, 128), "tile": (64, 64, 64)},
        "columns-in-parts": {"columns": (64, 128), "tile": (64, 64, 64)},
    }
    return found + [dataclasses.replace(base, name=name, **changes) for name, changes in variants.items()]


def parts_cases():
    """The cases that both targets take, with long block rows that are computed in parts."""
    base = Case("", cuts=4, pattern="skewed", blocks=(5, 12), density=0.25, block=(16, 32))
    variants = {
        "plain": {}, "one-cut": {"cuts": 1}, "a-block-each": {"cuts": 1000}, "i64": {"index": "i64"}, "static": {"static": True},
        "full": {"pattern": "full"}, "empty": {"pattern": "empty"}, "one": {"pattern": "one"}, "no-rows": {"blocks": (0, 5)},
        "one-row": {"blocks": (1, 40), "pattern": "full", "cuts": 7}, "many-rows": {"blocks": (65, 30), "density": 0.05},
        "f16": {"dtype": "f16"}, "blocks-64": {"block": (64, 64)}, "blocks-128": {"block": (128, 128)},
        "blocks-8": {"block": (8, 16)}, "tiles": {"block": (128, 128), "tile": (64, 64, 32)},
        "duplicates": {"pattern": "duplicates", "density": 1.5}, "columns": {"columns": (33, 20)},
        "wide-columns": {"columns": (128, 128), "block": (64, 64)}, "one-column": {"columns": (8, 1)},
        "last-columns": {"columns": (64, 100)},
        "columns-in-parts": {"columns": (64, 128), "tile": (16, 64, 32)},
        "infinite-scores": {"change": "infinite_scores"}, "large-scores": {"change": "large_scores"},
        "scale-negative": {"scale": -0.5}, "scale-0": {"scale": 0.0},
        "batch": {"batches": ((3,),) * 5, "pattern": "random", "density": 0.6}, "shared-mask": {"batches": ((), (3,), (3,), (3,), (3,))},
        "batch-2d": {"batches": ((1, 3), (2, 3), (2, 1), (3,), (2, 3)), "pattern": "random", "density": 0.6},
        "dropout": {"dropout": 0.25}, "dropout-batch": {"dropout": 0.25, "batches": ((), (3,), (3,), (3,), (3,))},
    }
    return [dataclasses.replace(base, name=f"parts-{name}", **changes) for name, changes in variants.items()]


def dropout_cases():
    """The cases that both targets take, with dropout."""
    base = Case("", dropout=0.25)
    variants = {
        "plain": {}, "half": {"dropout": 0.5}, "zero": {"dropout": 0.0}, "all": {"dropout": 1.0}, "rare": {"dropout": 1e-3},
        "another-seed": {"random": (1 << 62, 0)}, "another-offset": {"random": (-5, 8)}, "f16": {"dtype": "f16"},
        "blocks-16": {"block": (16, 16)}, "blocks-128": {"block": (128, 128)},
        "parts": {"block": (128, 128), "tile": (64, 64, 32)}, "duplicates": {"pattern": "duplicates", "density": 1.5},
        "empty-rows": {"pattern": "empty_rows"}, "negative-scale": {"scale": -0.5},
        "batch-2d": {"batches": ((1, 3), (2, 3), (2, 1), (3,), (2, 3)), "block": (32, 32)},
        "shared-mask": {"batches": ((), (3,), (3,), (3,), (3,))},
    }
    return [dataclasses.replace(base, name=f"dropout-{name}", **changes) for name, changes in variants.items()]
