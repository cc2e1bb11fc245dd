"""Programs and operands of bsr_addmm, each case small, seeded and with a name.

Used by the GPU tests (test_bsr_addmm.py beside this) and, on the CPU, by
test/python/test_bsr_addmm_cpu.py: the same programs on both targets.
"""

import dataclasses

import ml_dtypes
import numpy as np

DTYPES = {"f64": np.dtype(np.float64), "f32": np.dtype(np.float32), "f16": np.dtype(np.float16), "bf16": np.dtype(ml_dtypes.bfloat16),
          "i8": np.dtype(np.int8), "i32": np.dtype(np.int32), "f8E4M3FN": np.dtype(ml_dtypes.float8_e4m3fn),
          "f8E5M2": np.dtype(ml_dtypes.float8_e5m2)}  # On GPUs all but f64.
# Element types that are only multiplied: what is added and what scales have others.
NARROW = ("i8", "f8E4M3FN", "f8E5M2")


def scalar_of(dtype):
    """The type of scalars beside elements of this type."""
    return "f64" if dtype == "f64" else "f32"


def random_array(rng, shape, dtype):
    """Normal numbers; all 8-bit integers, and 32-bit ones of the size of sums of their products."""
    if dtype == "i8":
        return rng.integers(-128, 128, shape, np.int8)
    if dtype == "i32":
        return rng.integers(-1 << 20, 1 << 20, shape, np.int32)
    return rng.standard_normal(shape).astype(DTYPES[dtype])


@dataclasses.dataclass(frozen=True)
class Case:
    """One product. alpha and beta: a number that the program takes at run time, or a text that it
    has as a constant. Batches: of the storage, of b, and of out (which has all of them)."""

    name: str
    dtype: str = "bf16"
    out: str = ""  # element type of the result; the operands' where empty
    dense: str = ""  # that of b; the stored blocks' where empty
    block: tuple = (64, 64)
    tile: tuple = (64, 128, 64)
    schedule: str = ""  # the rest of #sattn.meta, such as "stages = 3, warps = 8"
    shape: tuple = (256, 320, 256)  # M, K, N
    density: float = 0.4
    alpha: object = 1.0
    beta: object = 0.0
    operands: tuple = ()  # of input, left, right
    batches: tuple = ((), (), ())
    index: str = "i32"
    static: bool = False
    pad: bool = True  # rows of b, input and out in multiples of 16 bytes, as TMA needs
    pattern: str = "random"  # or: empty, empty_rows, skewed, duplicates
    precision: str = ""  # of f32: tf32, or ieee where empty
    nan_in: tuple = ()  # operands that hold NaN, since they must not be read
    transposes: tuple = ()  # of transpose_b, transpose_out

    @property
    def out_dtype(self):
        return self.out or self.dtype

    def dtypes(self):
        """Element types by operand's name."""
        is_narrow = self.dtype in NARROW
        return {"values": self.dtype, "b": self.dense or self.dtype, "out": self.out_dtype, "right": "f32",
                "input": self.out_dtype if is_narrow else self.dtype, "left": "f32" if is_narrow else self.dtype}


def type_of(shape, element, static):
    dims = "".join(f"{size if static else '?'}x" for size in shape)
    return f"tensor<{dims}{element}>"


def oriented(case, attribute, batch, rows, columns):
    """The shape of a matrix that an attribute of the op may transpose."""
    return (*batch, columns, rows) if attribute in case.transposes else (*batch, rows, columns)


def operand_types(case):
    m, k, n = case.shape
    bm, bk = case.block
    storage, dense, out = case.batches
    values = "".join(f"{size if case.static else '?'}x" for size in storage)
    values += "0x" if case.static and case.pattern == "empty" else "?x"
    types = {
        "crow": type_of((*storage, m // bm + 1), case.index, case.static),
        "col": type_of((*storage, 0), case.index, case.static and case.pattern == "empty"),
        "values": f"tensor<{values}{bm}x{bk}x{case.dtype}>",
        "b": type_of(oriented(case, "transpose_b", dense, k, n), case.dtypes()["b"], case.static),
        "input": type_of(oriented(case, "transpose_out", out, m, n), case.dtypes()["input"], case.static),
        "left": type_of((m,), case.dtypes()["left"], case.static),
        "right": type_of((n,), "f32", case.static),
        "out": type_of(oriented(case, "transpose_out", out, m, n), case.out_dtype, case.static),
    }
    if case.static and storage and case.pattern != "empty":
        types["col"] = f"tensor<{''.join(f'{size}x' for size in storage)}?x{case.index}>"
    return types


def program(case):
    """The text of @f: arguments in the order alpha, beta (those at run time), then tensors."""
    types = operand_types(case)
    names = ["crow", "col", "values", "b", *case.operands, "out"]
    scalars = [name for name in ("alpha", "beta") if not isinstance(getattr(case, name), str)]
    scalar = scalar_of(case.dtype)
    arguments = [f"%{name}: {scalar}" for name in scalars] + [f"%{name}: {types[name]}" for name in names]
    constants = [f"  %{name} = arith.constant {getattr(case, name)} : {scalar}\n"
                 for name in ("alpha", "beta") if name not in scalars]
    inputs = ", ".join(f"%{name}" for name in names[:4])
    input_types = ", ".join(types[name] for name in names[:4])
    optional = " ".join(f"{name}(%{name} : {types[name]})" for name in ("input", "left", "right")
                        if name in case.operands)
    tile = f"[{', '.join(map(str, case.tile))}]" + (f", {case.schedule}" if case.schedule else "")
    attributes = f', precision = "{case.precision}"' if case.precision else ""
    attributes += "".join(f", {attribute}" for attribute in case.transposes)
    return (f"func.func @f({', '.join(arguments)}) -> {types['out']} {{\n{''.join(constants)}"
            f"  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)\n"
            f"      ins({inputs} : {input_types}) {optional}\n"
            f"      outs(%out : {types['out']}) {{meta = #sattn.meta<tile = {tile}>{attributes}}} -> {types['out']}\n"
            f"  return %0 : {types['out']}\n}}\n")


def pattern_of(case, rng):
    """crow and col of one batch, with the same number of blocks in every batch."""
    m, k, _ = case.shape
    rows, columns = m // case.block[0], k // case.block[1]
    total = max(1, round(case.density * rows * columns)) if rows * columns else 0
    if case.pattern == "empty":
        total = 0
    if case.pattern == "duplicates":
        places = rng.integers(0, rows * columns, total)
    elif case.pattern == "skewed":  # the first row full, the rest as it comes
        places = np.concatenate([np.arange(columns), columns + rng.choice((rows - 1) * columns, total, replace=False)])
    elif case.pattern == "empty_rows":
        usable = np.array([place for place in range(rows * columns) if (place // columns) % 2])
        places = rng.choice(usable, min(total, len(usable)), replace=False)
    else:
        places = rng.choice(rows * columns, total, replace=False)
    rng.shuffle(places)
    places = places[np.argsort(places // max(columns, 1), kind="stable")]  # columns unsorted
    counts = np.bincount(places // max(columns, 1), minlength=rows) if rows else np.zeros(0, int)
    crow = np.concatenate([[0], np.cumsum(counts)])
    return crow, places % max(columns, 1)


def operands(case, seed):
    """Arrays by operand's name."""
    rng = np.random.default_rng(seed)
    m, k, n = case.shape
    storage, dense, out = case.batches
    index = np.int32 if case.index == "i32" else np.int64

    def random(name, *shape):
        return random_array(rng, shape, case.dtypes()[name])

    patterns = [pattern_of(case, rng) for _ in range(int(np.prod(storage, dtype=int)))]
    arrays = {
        "crow": np.stack([crow for crow, _ in patterns]).reshape(*storage, -1).astype(index),
        "col": np.stack([col for _, col in patterns]).reshape(*storage, -1).astype(index),
    }
    arrays["values"] = random("values", *storage, arrays["col"].shape[-1], *case.block)
    arrays["b"] = random("b", *oriented(case, "transpose_b", dense, k, n))
    arrays["input"] = random("input", *oriented(case, "transpose_out", out, m, n))
    arrays["left"] = random("left", m)
    arrays["right"] = random("right", n)
    arrays["out"] = random("out", *oriented(case, "transpose_out", out, m, n))
    for name in case.nan_in:
        arrays[name][...] = np.nan
    return arrays


def save(path, array):
    """As .npy; bf16 as two-byte void, which is how NumPy itself stores it."""
    if array.dtype == DTYPES["bf16"]:
        array = array.view("V2")
    np.save(path, array)
    return path


def arguments(case, folder, seed=0):
    """The operands as files, in the order of the program's arguments."""
    arrays = operands(case, seed)
    result = [str(getattr(case, name)) for name in ("alpha", "beta") if not isinstance(getattr(case, name), str)]
    for name in ["crow", "col", "values", "b", *case.operands, "out"]:
        path = str(save(folder / f"{name}.npy", arrays[name]))
        columns = arrays[name].shape[-1]
        multiple = 16 // arrays[name].itemsize
        if name in ("b", "input", "out") and case.pad and columns % multiple:
            path += f":ld={-(-columns // multiple) * multiple}"
        result.append(path)
    return result


def row_block_group_cases():
    """Tiles with more rows than a block: two block rows share what they load of b."""
    base = Case("grouped", tile=(128, 256, 64), shape=(512, 640, 500), beta=0.5)
    variants = {
        "": {}, "-odd": {"shape": (64 * 7, 640, 500)}, "-one-row": {"shape": (64, 640, 300)},
        "-narrow": {"tile": (128, 64, 64)}, "-n128": {"tile": (128, 128, 64)},
        "-empty": {"pattern": "empty"}, "-empty-rows": {"pattern": "empty_rows"},
        "-skewed": {"pattern": "skewed", "density": 0.1}, "-duplicates": {"pattern": "duplicates", "density": 0.9},
        "-sparse": {"density": 0.05, "shape": (64 * 9, 64 * 40, 300)}, "-full": {"density": 1.0},
        "-i64": {"index": "i64"}, "-f16": {"dtype": "f16"}, "-f32-result": {"out": "f32"},
        "-batch": {"batches": ((3,), (3,), (3,)), "shape": (64 * 3, 320, 300)},
        "-batch-of-b": {"batches": ((), (3,), (3,)), "shape": (64 * 3, 320, 300)},
        "-batch-2d": {"batches": ((1, 3), (2, 1), (2, 3)), "shape": (64 * 3, 256, 72), "operands": ("input",)},
        "-unaligned": {"pad": False, "shape": (64 * 5, 640, 131)}, "-static": {"static": True},
        "-alpha-0": {"alpha": 0.0, "nan_in": ("values", "b")},
        "-beta-0": {"beta": 0.0, "nan_in": ("out",)},
        "-scaled": {"operands": ("input", "left", "right")},
        "-odd-columns": {"shape": (64 * 3, 320, 301)},
        "-many-tiles": {"shape": (64 * 31, 640, 256 * 20), "density": 0.2},
        "-long": {"shape": (64 * 4, 64 * 200, 300), "density": 0.3},
    }
    return [dataclasses.replace(base, name=f"grouped{name}", **changes) for name, changes in variants.items()]


def small_row_block_group_cases():
    """Row-block groups of blocks of 32 and 16, which mma.sync multiplies: four and eight block rows."""
    variants = {
        "": {}, "-odd": {"rows": 7}, "-one-row": {"rows": 1}, "-n128": {"columns": 128}, "-narrow": {"columns": 64},
        "-empty": {"pattern": "empty"}, "-empty-rows": {"pattern": "empty_rows"},
        "-skewed": {"pattern": "skewed", "density": 0.1}, "-duplicates": {"pattern": "duplicates", "density": 0.9},
        "-sparse": {"density": 0.05, "rows": 9, "width": 40}, "-full": {"density": 1.0},
        "-f16": {"dtype": "f16"}, "-f32-result": {"out": "f32"}, "-i64": {"index": "i64"},
        "-batch": {"batches": ((3,), (3,), (3,)), "rows": 5},
        "-batch-of-b": {"batches": ((), (3,), (3,)), "rows": 3},
        "-unaligned": {"pad": False, "rows": 5, "n": 131}, "-static": {"static": True},
        "-alpha-0": {"alpha": 0.0, "nan_in": ("values", "b")}, "-beta-0": {"beta": 0.0, "nan_in": ("out",)},
        "-scaled": {"operands": ("input", "left", "right"), "columns": 128},
        "-many-tiles": {"rows": 61, "n": 256 * 20, "density": 0.2},
        "-long": {"rows": 8, "width": 200, "density": 0.3},
        "-two-rows": {"groups": 2}, "-three-rows": {"groups": 3, "columns": 128, "rows": 10},
    }
    cases = []
    for block in (32, 16):
        for name, changes in variants.items():
            changes = dict(changes)
            tile_rows = changes.pop("groups", 128 // block) * block
            shape = (changes.pop("rows", 16) * block, changes.pop("width", 20) * block, changes.pop("n", 500))
            cases.append(Case(f"grouped-{block}{name}", **{
                "block": (block, block), "tile": (tile_rows, changes.pop("columns", 256), block), "shape": shape,
                "beta": 0.5, **changes}))
    cases += [
        Case("grouped-32x64", block=(32, 64), tile=(128, 128, 64), shape=(32 * 9, 640, 500), beta=0.5),
        Case("grouped-32x64-steps", block=(32, 64), tile=(128, 256, 32), shape=(32 * 9, 640, 500), beta=0.5),
        Case("grouped-16-tf32", dtype="f32", precision="tf32", block=(16, 16), tile=(64, 128, 16), shape=(160, 320, 200)),
        Case("grouped-24x40", block=(24, 40), tile=(96, 128, 40), shape=(24 * 7, 400, 300), beta=0.5),
    ]
    return cases


def schedule_cases():
    """Cases whose parameters set the schedule: few and many stages, other warps, other orders of tiles."""
    bases = {
        "64": Case("", shape=(64 * 9, 640, 1000), beta=0.5),
        "64-wide": Case("", tile=(64, 256, 64), shape=(64 * 9, 640, 1000), operands=("left", "right")),
        "128": Case("", block=(128, 128), tile=(128, 256, 64), shape=(640, 640, 1000), beta=0.5),
        "grouped": Case("", tile=(128, 256, 64), shape=(64 * 9, 640, 1000), beta=0.5),
        "16": Case("", block=(16, 16), tile=(16, 256, 16), shape=(16 * 21, 320, 1000), beta=0.5),
        "32": Case("", block=(32, 32), tile=(32, 256, 32), shape=(32 * 9, 320, 1000), beta=0.5),
        "grouped-32": Case("", block=(32, 32), tile=(128, 128, 32), shape=(32 * 9, 320, 1000), beta=0.5),
        "24x40": Case("", block=(24, 40), tile=(24, 128, 40), shape=(24 * 9, 400, 300), beta=0.5),
    }
    schedules = {"least": "stages = 1, warps = 1, raster_group = 1", "few": "stages = 2, warps = 4, raster_group = 2",
                 "some": "stages = 3, warps = 2, raster_group = 3", "most": "stages = 100, warps = 100, raster_group = 100"}
    return [dataclasses.replace(base, name=f"schedule-{name}-{asked}", schedule=schedule)
            for name, base in bases.items() for asked, schedule in schedules.items()]


def narrow_cases():
    """Factors of 8 bits, in both layouts of b and of the result."""
    linear = ("transpose_b", "transpose_out")
    kinds = {"i8": {"dtype": "i8", "out": "i32"}, "i8-bf16": {"dtype": "i8", "out": "bf16"},
             "e4m3": {"dtype": "f8E4M3FN", "out": "bf16"}, "e5m2": {"dtype": "f8E5M2", "out": "f32"},
             "e4m3-e5m2": {"dtype": "f8E4M3FN", "dense": "f8E5M2", "out": "f32"},
             "e5m2-e4m3": {"dtype": "f8E5M2", "dense": "f8E4M3FN", "out": "bf16"}}
    cases = []
    for kind, types in kinds.items():
        for block in ((16, 16), (32, 32), (64, 64), (128, 128), (48, 96), (8, 64)):
            for transposes in ((), linear):
                name = f"{kind}-{block[0]}x{block[1]}{'-linear' if transposes else ''}"
                cases.append(Case(name, block=block, tile=(block[0], 128, block[1]), transposes=transposes,
                                  shape=(6 * block[0], 5 * block[1], 200), **types))
    whole, real = kinds["i8"], kinds["e4m3"]
    for n in (1, 7, 65, 129, 300):
        cases += [Case(f"i8-columns-{n}", shape=(192, 256, n), **whole),
                  Case(f"i8-columns-{n}-linear", shape=(192, 256, n), transposes=linear, **whole),
                  Case(f"e4m3-columns-{n}-linear", shape=(192, 256, n), transposes=linear, **real)]
    for alpha, beta in ((1.0, 0.0), ("1.0", "0.0"), ("1.0", "1.0"), (1.0, 1.0), (0.5, 0.25), ("0.0", 1.0), (0.0, -1.0)):
        for out in ("i32", "bf16", "f32"):
            cases.append(Case(f"i8-{out}-alpha-{alpha!r}-beta-{beta!r}", dtype="i8", out=out, alpha=alpha, beta=beta,
                              shape=(192, 256, 100)))
    for names in (("input",), ("left", "right"), ("input", "left", "right")):
        cases += [Case("i8-with-" + "-".join(names), operands=names, alpha=0.125, beta=0.5, shape=(256, 256, 72), **whole),
                  Case("e4m3-with-" + "-".join(names), operands=names, alpha=0.5, beta=0.5, shape=(256, 256, 72), **real)]
    for kind, types in (("i8", whole), ("e4m3", real)):
        cases += [
            Case(f"{kind}-empty", pattern="empty", beta="1.0", **types),
            Case(f"{kind}-empty-rows", pattern="empty_rows", beta=1.0, **types),
            Case(f"{kind}-duplicates", pattern="duplicates", beta=0.5, **types),
            Case(f"{kind}-unaligned", pad=False, shape=(192, 192, 101), beta=1.0, **types),
            Case(f"{kind}-unaligned-linear", pad=False, shape=(192, 192, 101), beta=1.0, transposes=linear, **types),
            Case(f"{kind}-batches", batches=((1, 3), (2, 1), (2, 3)), shape=(128, 192, 72), beta=1.0, **types),
            Case(f"{kind}-static", static=True, beta=1.0, transposes=linear, **types),
            Case(f"{kind}-few-columns", shape=(512, 1024, 8), tile=(64, 16, 64), schedule="split_k = 2",
                 transposes=linear, **types),
        ]
    return cases


def gpu_cases():
    """The cases that the plain sm_90a path takes."""
    cases = []
    for dtype in ("bf16", "f16"):
        for block in ((64, 64), (128, 128), (64, 128), (128, 64)):
            for columns in (64, 128, 256):
                depth = 64 if columns == 256 else block[1]
                cases.append(Case(f"{dtype}-{block[0]}x{block[1]}-n{columns}", dtype=dtype, block=block,
                                  tile=(block[0], columns, depth), shape=(384, 512, 512)))
    # Not by wgmma: rows below 64, depths that no row of the swizzle divides, tf32.
    for block, columns, depth in (((8, 8), 128, 8), ((16, 16), 128, 16), ((32, 32), 256, 32), ((24, 40), 128, 40),
                                  ((40, 24), 64, 24), ((16, 128), 256, 64), ((64, 32), 128, 32),
                                  ((48, 96), 192, 96), ((128, 96), 128, 96),
                                  # Warps that together have more rows than the tile; depths of odd eights.
                                  ((104, 104), 128, 104), ((72, 72), 256, 24), ((136, 64), 128, 64),
                                  ((200, 200), 64, 40), ((8, 24), 256, 24), ((56, 8), 256, 8)):
        cases.append(Case(f"mma-sync-{block[0]}x{block[1]}", block=block, tile=(block[0], columns, depth),
                          shape=(5 * block[0], 6 * block[1], 300), beta=0.5, pattern="empty_rows", density=0.3))
    # Eight columns, or an odd number of eights of depth: one matrix of 8 x 8 a load.
    for block, columns, depth in (((64, 64), 8, 8), ((64, 64), 8, 64), ((40, 40), 8, 40), ((16, 16), 24, 8),
                                  ((8, 8), 8, 8), ((120, 8), 40, 8), ((32, 24), 8, 24)):
        cases.append(Case(f"mma-sync-{block[0]}x{block[1]}-n{columns}-k{depth}", block=block,
                          tile=(block[0], columns, depth), shape=(5 * block[0], 6 * block[1], 100), beta=0.5))
    cases.append(Case("mma-sync-grouped-40x40-n8", dtype="f16", block=(40, 40), tile=(120, 8, 40), shape=(280, 240, 136),
                      index="i64", operands=("right",)))
    cases += [
        Case("mma-sync-f16", dtype="f16", block=(32, 32), tile=(32, 128, 32), shape=(160, 192, 131)),
        Case("tf32", dtype="f32", precision="tf32", tile=(64, 128, 32), beta=1.0),
        Case("tf32-16x16", dtype="f32", precision="tf32", block=(16, 16), tile=(16, 64, 16), shape=(80, 96, 72)),
        Case("unaligned-rows", shape=(192, 256, 131), pad=False, beta=1.0),
        Case("unaligned-rows-small", block=(16, 16), tile=(16, 128, 16), shape=(80, 96, 67), pad=False),
    ]
    for n in (1, 7, 8, 63, 64, 65, 100, 127, 129, 300, 1000):
        cases.append(Case(f"columns-{n}", shape=(192, 256, n)))
    for alpha in (0.0, 1.0, -0.5, "0.0", "1.0", "2.0"):
        for beta in (0.0, 1.0, 0.25, "0.0", "1.0", "-3.0"):
            unread = ("values", "b") if float(alpha) == 0 else ()
            unread += ("out",) if float(beta) == 0 else ()
            cases.append(Case(f"alpha-{alpha!r}-beta-{beta!r}", alpha=alpha, beta=beta, nan_in=unread))
    for names in (("input",), ("left",), ("right",), ("left", "right"), ("input", "left", "right")):
        cases.append(Case("with-" + "-".join(names), operands=names, alpha=0.5, beta=0.5, shape=(256, 256, 200)))
    cases += [
        Case("unread-input", operands=("input",), beta=0.0, nan_in=("input", "out")),
        Case("unread-scales", operands=("left", "right"), alpha=0.0, beta=1.0,
             nan_in=("left", "right", "values", "b")),
        Case("f32-result", out="f32", beta=0.5),
        Case("f16-result", out="f16", beta=0.5),
        Case("f32-result-of-f16", dtype="f16", out="f32", beta=2.0, block=(128, 128), tile=(128, 128, 64),
             shape=(384, 384, 136)),
        *[Case(f"scaled-{'-'.join(names)}", operands=names, block=(128, 128), tile=(128, 256, 64),
               shape=(384, 512, 300), beta=0.5) for names in (("left",), ("right",), ("left", "right"))],
        *[Case(f"odd-columns-{n}-of-{dtype}", dtype=dtype, shape=(192, 256, n), beta=0.5, pattern="empty_rows")
          for dtype in ("bf16", "f16") for n in (1, 7, 65, 129, 131)],
        Case("index-i64", index="i64"),
        Case("static", static=True, beta=1.0, shape=(256, 320, 200)),
        Case("empty", pattern="empty", beta=1.0, alpha=float("nan")),
        Case("empty-rows", pattern="empty_rows", beta=1.0),
        Case("empty-rows-left", pattern="empty_rows", beta=1.0, operands=("left", "right")),
        Case("skewed", pattern="skewed", shape=(512, 1024, 256), density=0.1),
        Case("duplicates", pattern="duplicates", beta=0.5),
        Case("no-rows", shape=(0, 256, 128), density=0.0, pattern="empty"),
        Case("no-depth", shape=(128, 0, 128), density=0.0, pattern="empty", beta=1.0),
        Case("no-columns", shape=(128, 128, 0), beta=1.0),
        Case("no-batches", shape=(128, 128, 64), batches=((), (0,), (0,))),
        *[Case(f"static-{name}", static=True, density=0.0, pattern="empty", operands=("left", "right"),
               **{"shape": (128, 128, 128), "beta": 0.5, **changes})
          for name, changes in (("no-blocks", {}), ("no-blocks-beta-0", {"beta": 0.0, "nan_in": ("out",)}),
                                ("no-rows", {"shape": (0, 128, 128)}), ("no-depth", {"shape": (128, 0, 128)}),
                                ("no-columns", {"shape": (128, 128, 0)}), ("no-blocks-grouped", {"tile": (128, 128, 64)}),
                                ("no-batches", {"batches": ((), (0,), (0,))}))],
        Case("batch", batches=((3,), (3,), (3,)), beta=0.5),
        Case("batch-of-b", batches=((), (3,), (3,)), beta=0.5),
        Case("batch-of-storage", batches=((3,), (), (3,)), beta=0.5, operands=("left",)),
        Case("batch-of-one", batches=((1,), (3,), (3,)), beta=0.5),
        Case("batch-2d", batches=((1, 3), (2, 1), (2, 3)), block=(128, 128), tile=(128, 128, 64),
             shape=(256, 256, 72), operands=("input",), beta=2.0),
        Case("batch-static", batches=((1, 3), (2, 1), (2, 3)), static=True),
        # Rows that TMA cannot take are copied.
        Case("unaligned-rows", pad=False, shape=(192, 256, 100), beta=0.5),
        Case("unaligned-rows-128", pad=False, block=(128, 128), tile=(128, 256, 64), shape=(256, 384, 297),
             beta=0.5, operands=("left", "right")),
        Case("unaligned-batch", pad=False, batches=((3,), (3,), (3,)), shape=(128, 128, 77), out="f32", beta=1.0),
        # Wide enough that slices of a tile take turns in staging, some past the edge.
        Case("staged-256", block=(128, 128), tile=(128, 256, 64), shape=(384, 512, 1000), beta=0.5),
        Case("staged-f32", block=(128, 128), tile=(128, 256, 64), shape=(384, 512, 1000), beta=0.5, out="f32"),
        Case("staged-many-tiles", tile=(64, 256, 64), shape=(64 * 40, 256, 256 * 20), beta=1.0, density=0.2),
        # Tiles of several block rows: row-block groups.
        *row_block_group_cases(),
        *small_row_block_group_cases(),
        *schedule_cases(),
        Case("tall", shape=(64 * 200, 128, 64), density=0.3),
        Case("wide", shape=(64, 128, 128 * 90), density=0.5),
    ]
    return cases
