"""Programs, operands and results of sattn_test.two_products, an op that only tests have.

    python3 test/gpu/two_products.py --tools build/bin --output build/two_products

compiles every case on a machine with LLVM; test_two_products.py beside this runs them on a GPU.
"""

import argparse
import dataclasses
import subprocess
import sys
from pathlib import Path

import numpy as np

from bsr_cases import DTYPES


@dataclasses.dataclass(frozen=True)
class Case:
    """Operands are small integers, so that every product is exact, or normally distributed."""

    name: str
    dtype: str = "bf16"
    out: str = "bf16"
    block: tuple = (64, 64)
    width: int = 128  # columns of b, rows of d
    columns: int = 128  # columns of d
    block_rows: int = 40
    block_columns: int = 12
    pattern: str = "random"  # or: empty, skewed
    exact: bool = True


CASES = [
    Case("bf16"),
    Case("f16", dtype="f16", out="f16"),
    Case("f32_result", out="f32"),
    Case("narrow", width=64, columns=64),
    Case("narrow_between", width=64, columns=256),
    Case("narrow_result", columns=64, out="f32"),
    Case("block_rows_of_128", block=(128, 64), block_rows=20),
    Case("blocks_of_128", block=(128, 128), width=64, block_rows=20),
    Case("many_rows", block_rows=1000, block_columns=30),
    Case("skewed", pattern="skewed", block_columns=200),
    Case("empty", pattern="empty"),
    Case("normal", exact=False, out="f32"),
]
CHIPS = ["sm_90a", "sm_80"]
SCHEDULES = ["specialized", "plain"]


def program(case):
    rows, depth = case.block
    values = f"tensor<?x{rows}x{depth}x{case.dtype}>"
    b, d = f"tensor<?x{case.width}x{case.dtype}>", f"tensor<{case.width}x{case.columns}x{case.dtype}>"
    out = f"tensor<?x{case.columns}x{case.out}>"
    return f"""func.func @two_products(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: {values},
    %b: {b}, %d: {d}, %o: {out}, %m: tensor<?xf32>) -> ({out}, tensor<?xf32>) {{
  %0:2 = sattn_test.two_products
      ins(%crow, %col, %values, %b, %d : tensor<?xi32>, tensor<?xi32>, {values}, {b}, {d})
      outs(%o, %m : {out}, tensor<?xf32>) -> {out}, tensor<?xf32>
  return %0#0, %0#1 : {out}, tensor<?xf32>
}}
"""


def operands(case, seed=0):
    """Arrays by name, in the order of the program's arguments."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 5, case.block_rows)
    counts[::7] = 0
    if case.pattern == "skewed":
        counts[case.block_rows // 2] = case.block_columns
    if case.pattern == "empty":
        counts[:] = 0
    crow = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    col = np.concatenate([rng.permutation(case.block_columns)[:count] for count in counts])
    rows, depth = case.block

    def array(*shape, dtype=case.dtype):
        numbers = rng.integers(-1, 2, shape) if case.exact else rng.standard_normal(shape)
        return numbers.astype(DTYPES[dtype])

    maximum = np.full(case.block_rows * rows, -np.inf, np.float32)
    maximum[::5] = 20
    return {
        "crow": crow,
        "col": col.astype(np.int32),
        "values": array(len(col), rows, depth),
        "b": array(case.block_columns * depth, case.width),
        "d": array(case.width, case.columns),
        "o": array(case.block_rows * rows, case.columns, dtype=case.out),
        "m": maximum,
    }


def results(case, arrays):
    """What the op computes: (o in double precision, m)."""
    o, m = arrays["o"].astype(np.float64), arrays["m"].copy()
    b, d = arrays["b"].astype(np.float32), arrays["d"].astype(np.float64)
    rows, depth = case.block
    crow = arrays["crow"]
    for i in range(case.block_rows):
        window = slice(i * rows, (i + 1) * rows)
        for p in range(crow[i], crow[i + 1]):
            k = arrays["col"][p] * depth
            product = arrays["values"][p].astype(np.float32) @ b[k:k + depth]
            rounded = product.astype(DTYPES[case.dtype]).astype(np.float32)
            o[window] += rounded.astype(np.float64) @ d
            m[window] = np.maximum(m[window], rounded.max(axis=1))
    return o, m


def compile_case(translate, case, chip, schedule, folder):
    """Writes the program, its PTX and its manifest; their common path without a suffix."""
    path = folder / f"{case.name}-{chip}-{schedule}"
    path.with_suffix(".mlir").write_text(program(case))
    for output, suffix in [("ptx", ".ptx"), ("manifest", ".json")]:
        subprocess.run([translate, f"--to={output}", f"--chip={chip}", f"--schedule={schedule}",
                        path.with_suffix(".mlir"), "-o", path.with_suffix(suffix)], check=True)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--tools", type=Path, required=True, help="folder of sattn-test-translate")
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    for case in CASES:
        for chip in CHIPS:
            for schedule in SCHEDULES:
                compile_case(options.tools / "sattn-test-translate", case, chip, schedule, options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
