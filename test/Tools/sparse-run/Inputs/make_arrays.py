"""Writes the arrays of one bsr_addmm, as .npy, to a folder: whole ones, or with one fault.

make_arrays.py FOLDER [key=value ...]
  dtype   f16, bf16 or f32 of values, b, c (default bf16)
  index   i32 or i64 of crow and col (default i32)
  block   BMxBK (default 64x64)
  grid    blocks down x across (default 3x4; the second block row is empty)
  n       columns of b (default 72)
  fault   what is wrong, one of FAULTS
"""

import sys
from pathlib import Path

import numpy as np


def cast(array, dtype):
    """The array in a dtype; bf16, which NumPy has not, as two-byte void."""
    if dtype != "bf16":
        return np.asarray(array, {"f16": np.float16, "f32": np.float32}[dtype])
    bits = np.asarray(array, np.float32).view(np.uint32)
    return ((bits + ((bits >> 16) & 1) + 0x7FFF) >> 16).astype(np.uint16).view("V2")


FAULTS = {
    "crow-decreases": lambda a: a["crow"].__setitem__(1, 5),
    "crow-passes-nnz": lambda a: a["crow"].__setitem__(-1, 99),
    "col-negative": lambda a: a["col"].__setitem__(0, -1),
    "col-out-of-range": lambda a: a["col"].__setitem__(2, 7),
    "col-short": lambda a: a.update(col=a["col"][:-1]),
    "b-rows": lambda a: a.update(b=a["b"][:-8]),
    "b-rank": lambda a: a.update(b=a["b"][None]),
    "b-dtype": lambda a: a.update(b=np.zeros(a["b"].shape, np.float64)),
    "c-rows": lambda a: a.update(c=a["c"][:-1]),
    "c-columns": lambda a: a.update(c=a["c"][:, :-1]),
    "values-block": lambda a: a.update(values=a["values"][:, :32]),
}


def main():
    folder = Path(sys.argv[1])
    options = dict(dtype="bf16", index="i32", block="64x64", grid="3x4", n="72", fault="")
    options.update(word.split("=", 1) for word in sys.argv[2:])
    rows, columns = map(int, options["block"].split("x"))
    down, across = map(int, options["grid"].split("x"))
    n = int(options["n"])
    random = np.random.default_rng(0)
    mask = random.random((down, across)) < 0.7
    mask[1] = False
    index = {"i32": np.int32, "i64": np.int64}[options["index"]]
    arrays = {
        "crow": np.concatenate([[0], np.cumsum(mask.sum(1))]).astype(index),
        "col": np.nonzero(mask)[1].astype(index),
        "values": random.standard_normal((int(mask.sum()), rows, columns)),
        "b": random.standard_normal((across * columns, n)),
        "c": random.standard_normal((down * rows, n)),
        "left": random.standard_normal(down * rows),
        "right": random.standard_normal(n),
    }
    for name in ("values", "b", "c", "left", "right"):
        arrays[name] = cast(arrays[name], options["dtype"])
    if options["fault"]:
        FAULTS[options["fault"]](arrays)
    folder.mkdir(parents=True, exist_ok=True)
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)


main()
