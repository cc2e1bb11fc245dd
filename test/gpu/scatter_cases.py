"""Programs and operands of scatter_mm, each case small, seeded and with a name.

Used on the GPU (test_scatter_mm.py beside this) and on the CPU by test/python/test_scatter_mm_cpu.py: the same programs on
both targets.
"""

import dataclasses

import numpy as np
from bsr_cases import DTYPES, save

FORMATS = ("scatter_mm", "bsr_strided_mm", "bsr_strided_mm_compressed")


@dataclasses.dataclass(frozen=True)
class Case:
    """One scatter_mm. A grid of `down` x `across` matrices is added to, by products with one of `other` x `across`; in the
    format scatter_mm both are lists, of as many matrices."""

    name: str
    format: str = "bsr_strided_mm_compressed"
    dtype: str = "bf16"
    out: str = ""  # element type of the result; the operands' where empty
    block: tuple = (64, 64)
    n: int = 128
    down: int = 4
    across: int = 3
    other: int = 5
    density: float = 0.4
    batch: tuple = ()
    index: str = "i32"
    static: bool = False
    static_n: bool = True
    tile: tuple = ()  # the compiler's where empty
    pattern: str = "random"  # or: none, empty_rows, skewed, duplicates, window, few
    precision: str = ""  # of f32: tf32, or ieee where empty
    overwrite: bool = False

    @property
    def out_dtype(self):
        return self.out or self.dtype

    @property
    def names(self):
        lists = {"scatter_mm": ["p"], "bsr_strided_mm": ["p", "r"], "bsr_strided_mm_compressed": ["r"]}
        return ["offsets", "q", "blocks", "others", *lists[self.format], "out"]


def rows_of(case, rng):
    """For each row of a sparse matrix the numbers of its blocks' columns, some of them empty."""
    rows = []
    for row in range(case.down):
        count = rng.binomial(case.other, case.density)
        if case.pattern == "none" or case.pattern == "empty_rows" and row % 2 == 0:
            count = 0
        if case.pattern == "skewed" and row == 1:
            count = case.other
        rows.append(rng.choice(case.other, count, replace=case.pattern == "duplicates"))
    return rows


def operands(case, seed=0):
    """Arrays by operand's name."""
    rng = np.random.default_rng(seed)
    index = np.int32 if case.index == "i32" else np.int64
    rows = rows_of(case, rng)
    crow = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(int)
    col = np.concatenate([*rows, np.zeros(0, int)]).astype(int)
    first = 3 if case.pattern == "window" else 0  # blocks and pairs before the first entry's and after the last one's
    total = len(col) + 2 * first
    (bm, bk), n, across = case.block, case.n, case.across

    def random(*shape, dtype=case.dtype):
        return rng.standard_normal(shape).astype(DTYPES[dtype])

    places = [(m, h) for m in range(case.down) for h in range(across)]
    if case.pattern == "few":  # matrices without an entry
        places = places[::2]
    order = rng.permutation(len(places)) if case.format != "scatter_mm" else np.arange(len(places))
    places = [places[i] for i in order]
    arrays = {"blocks": random(total, bm, bk)}
    if case.format == "bsr_strided_mm_compressed":
        q = np.zeros(across * len(arrays["blocks"]), int)
        for m in range(case.down):
            begin, end = crow[m] + first, crow[m + 1] + first
            for h in range(across):
                at = h * end + (across - h) * begin
                q[at:at + end - begin] = (rows[m] * bk * across + h) * n
        arrays["offsets"] = crow + first
    else:
        lists = [[(crow[m] + t, column, h) for t, column in enumerate(rows[m])] for m, h in places]
        arrays["offsets"] = np.concatenate([[0], np.cumsum([len(pairs) for pairs in lists])]) + first
        pairs = [(1 << 20, 0, 0)] * first + sum(lists, []) + [(-1, 0, 0)] * first
        p, column, h = np.array(pairs, int).reshape(-1, 3).T
        arrays["p"] = p
        q = column * across + h if case.format == "scatter_mm" else (column * bk * across + h) * n
    arrays["q"] = q
    if case.format != "scatter_mm":
        arrays["r"] = np.array([(m * bm * across + h) * n for m, h in places], int).reshape(-1)
    for name in ("offsets", "p", "q", "r"):
        if name in arrays:
            arrays[name] = arrays[name].astype(index)
    if case.format == "scatter_mm":
        arrays["others"], arrays["out"] = random(case.other * across, bk, n), random(len(places), bm, n, dtype=case.out_dtype)
    else:
        arrays["others"] = random(*case.batch, case.other, across, bk, n)
        arrays["out"] = random(*case.batch, case.down, across, bm, n, dtype=case.out_dtype)
    return arrays


def program(case, arrays):
    """The text of @f: tensors in the order of the case's names."""
    types = {}
    for name in case.names:
        element = {"blocks": case.dtype, "others": case.dtype, "out": case.out_dtype}.get(name, case.index)
        shape = arrays[name].shape
        known = {"blocks": [True, True], "others": [True, case.static_n], "out": [True, case.static_n]}.get(name, [])
        known = [case.static] * (len(shape) - len(known)) + known
        dims = "".join(f"{size if case.static or is_known else '?'}x" for size, is_known in zip(shape, known))
        types[name] = f"tensor<{dims}{element}>"
    arguments = ", ".join(f"%{name}: {types[name]}" for name in case.names)
    inputs = case.names[:4]
    lists = "".join(f" {name}(%{name} : {types[name]})" for name in case.names[4:-1])
    attributes = [f"meta = #sattn.meta<tile = [{', '.join(map(str, case.tile))}]>"] if case.tile else []
    attributes += [f'precision = "{case.precision}"'] if case.precision else []
    attributes += ["overwrite"] * case.overwrite
    attributes = f" {{{', '.join(attributes)}}}" if attributes else ""
    return (f"func.func @f({arguments}) -> {types['out']} {{\n"
            f"  %0 = sattn.scatter_mm\n"
            f"      ins({', '.join(f'%{name}' for name in inputs)} : {', '.join(types[name] for name in inputs)})"
            f"{lists}\n"
            f"      outs(%out : {types['out']}){attributes} -> {types['out']}\n"
            f"  return %0 : {types['out']}\n}}\n")


def arguments(case, arrays, folder):
    """The operands as files, in the order of the program's arguments."""
    return [str(save(folder / f"{name}.npy", arrays[name])) for name in case.names]


def cases():
    """The cases that both targets take: each format with blocks of many sizes, and every edge."""
    found = []
    for format in FORMATS:
        for block in ((1, 1), (2, 3), (8, 8), (15, 15), (16, 16), (24, 40), (32, 32), (16, 64), (64, 64), (128, 64),
                      (64, 128), (128, 128), (100, 36), (256, 192)):
            dtype = "f16" if block[0] % 3 else "bf16"
            found.append(Case(f"{format}-{dtype}-{block[0]}x{block[1]}", format=format, dtype=dtype, block=block))
    variants = {
        "i64": {"index": "i64"}, "f32-result": {"out": "f32"}, "static": {"static": True},
        "any-n": {"static_n": False}, "n-8": {"n": 8}, "n-200": {"n": 200}, "n-15": {"n": 15, "block": (15, 30)},
        "n-1": {"n": 1}, "n-1000-any": {"n": 1000, "static_n": False}, "n-300": {"n": 300},
        "no-pairs": {"pattern": "none"}, "no-pairs-of-some": {"pattern": "empty_rows"}, "skewed": {"pattern": "skewed"},
        "duplicates": {"pattern": "duplicates", "density": 0.9}, "window": {"pattern": "window"},
        "few-entries": {"pattern": "few"}, "one-matrix": {"down": 1, "across": 1, "other": 1, "density": 1.0},
        "no-matrices": {"down": 0}, "no-others": {"other": 0}, "many": {"down": 40, "across": 9, "density": 0.2},
        "parts": {"block": (128, 128), "tile": (64, 64, 32)}, "padded": {"block": (60, 60), "tile": (64, 128, 64)},
        "one-entry": {"tile": (64, 128, 64)}, "shared": {"tile": (128, 128, 64), "down": 7, "density": 0.7},
        "shared-steps": {"tile": (128, 128, 32), "down": 7}, "shared-window": {"pattern": "window", "index": "i64"},
        "shared-many": {"down": 40, "across": 9, "n": 256}, "shared-4": {"block": (16, 16), "tile": (64, 64, 16), "down": 7},
        "shared-2-of-32": {"block": (32, 32), "tile": (64, 128, 32)}, "shared-n-200": {"n": 200, "static_n": False},
        "overwritten": {"overwrite": True, "pattern": "empty_rows"}, "overwritten-one-entry": {"overwrite": True, "tile": (64, 64, 64)},
        "overwritten-padded": {"overwrite": True, "block": (15, 30), "n": 15, "out": "f32"},
    }
    for format in FORMATS:
        for name, changes in variants.items():
            if format != "scatter_mm" or name != "few-entries":
                found.append(dataclasses.replace(Case(f"{format}-{name}", format=format), **changes))
    for format in FORMATS[1:]:
        for batch in ((1,), (3,), (2, 3)):
            found.append(Case(f"{format}-batch-{len(batch)}d-{batch[-1]}", format=format, batch=batch))
    return found
