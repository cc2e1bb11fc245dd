#!/usr/bin/env python3
"""Random well-formed programs of one sampled_addmm, bsr_softmax, its gradient, scatter_mm or bsr_attention with random
tiles.

    ./dev run python test/python/random_block_ops.py [--op NAME] [--target cpu|gpu] [--seeds N] [--first SEED]

On the CPU they are run and compared with the Reference; for a GPU they are compiled, by ptxas too where that is on
PATH. Prints how often each choice occurred. A seed that fails is named; --op NAME --first SEED --seeds 1 runs it again.
The first seeds of each op are a test (test_block_ops_fuzz.py).
"""

import argparse
import dataclasses
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "gpu"))
import bsr_attention_cases  # noqa: E402
import sampled_cases  # noqa: E402
import scatter_cases  # noqa: E402
import softmax_cases  # noqa: E402
from random_products import GPU_CHOICES, NO_ROOM, Failure, run_all, table  # noqa: E402

# Parameters that every op has. A tile is the compiler's where it is "own".
COMMON = {"index": ["i32", "i64"], "extents": ["dynamic", "static"], "tile": ["own", "given"]}
FLOATS = ["f32", "f16", "bf16"]
NARROW = ["i8", "f8E4M3FN", "f8E5M2"]
BLOCKS = [(8, 8), (16, 16), (24, 40), (16, 128), (32, 32), (64, 64), (128, 64)]
PATTERNS = ["random", "duplicates", "empty_rows", "empty", "skewed", "window"]


def pick(rng, values):
    return values[rng.integers(len(values))]


def divisor(rng, number, multiple=8):
    """A divisor of a number that is a multiple of another."""
    return int(pick(rng, [size for size in range(multiple, number + 1, multiple) if number % size == 0]))


def pattern_of(picked, rows, mask):
    """A full row needs a second one, and batches of indices have as many blocks each."""
    return "random" if picked["pattern"] == "skewed" and (rows < 2 or mask) else picked["pattern"]


def part(rng, number):
    """A divisor of a number, a multiple of 8 below it, or the next one."""
    return int(pick(rng, [size for size in range(1, number + 8) if number % size == 0 or size % 8 == 0]))


class SampledAddmm:
    cases = sampled_cases
    choices = {"dtype": [*FLOATS, *NARROW], "block": BLOCKS, "result": ["as operands", "f32"], "alpha": [1.0, 0.0, "1.0", "-2.0"],
               "beta": [0.0, 0.5, "0.0", "1.0"], "pattern": PATTERNS, "input": [False, True], "layout of mat2": ["rows", "columns"],
               "batches": ["none", "of all", "of the dense", "broadcast"]}

    @staticmethod
    def case(rng, picked):
        rows, columns = picked["block"]
        batches = {"none": ((),) * 5, "of all": ((2,),) * 5, "of the dense": ((), (2,), (2,), (2,), (2,)),
                   "broadcast": ((1,), (3, 1), (2,), (), (3, 2))}[picked["batches"]]
        types = {"dtype": picked["dtype"]}
        if picked["dtype"] in NARROW:
            # Scaled sums of bytes pass the largest f16; the two floats mix.
            types |= {"out": "i32" if picked["dtype"] == "i8" and picked["result"] == "as operands" else "f32",
                      "mat2": picked["dtype"] if picked["dtype"] == "i8" else pick(rng, NARROW[1:])}
        elif picked["result"] == "f32":
            types["out"] = "f32"
        tile = (divisor(rng, rows), divisor(rng, columns), 8 * int(rng.integers(1, 17)))
        if columns <= 64 and rng.random() < 0.3:  # Several blocks.
            tile = (tile[0], columns * int(rng.integers(2, 5)), tile[2])
        if picked["dtype"] in NARROW:
            tile = (*tile[:2], 16 * (1 + tile[2] // 32))
        height = int(rng.integers(1, 5))
        unread = ("out", "input") if float(picked["beta"]) == 0 and picked["dtype"] not in NARROW else ()
        if float(picked["alpha"]) == 0 and picked["dtype"] not in NARROW:
            unread += ("mat1", "mat2")
        return sampled_cases.Case(
            "", **types, block=picked["block"], tile=tile if picked["tile"] == "given" else (), alpha=picked["alpha"],
            shape=(rows * height, int(pick(rng, [0, 1, 8, 40, 64, 129][picked["extents"] == "static":])), columns * int(rng.integers(1, 5))),
            beta=picked["beta"], has_input=picked["input"], batches=batches, index=picked["index"],
            pattern=pattern_of(picked, height, batches[0]), density=float(rng.random()), static=picked["extents"] == "static", nan_in=unread,
            is_transposed=picked["layout of mat2"] == "columns")


class BsrSoftmax:
    cases, gradient = softmax_cases, False
    choices = {"dtype": FLOATS, "block": [(1, 1), (2, 3), (15, 15), (8, 8), (16, 32), (64, 64), (67, 9), (24, 200), (260, 5), (129, 8)],
               "pattern": ["random", "empty_rows", "empty", "window", "-inf"], "batches": [(), (2,), (2, 3)]}

    @classmethod
    def case(cls, rng, picked):
        rows, columns = picked["block"]
        width = part(rng, columns)
        if width != columns:
            width = -(-width // 8) * 8
        # Some rows by parts, or one by parts of 16 blocks each.
        tile = (divisor(rng, rows, 1), width, width * int(rng.integers(1, 5)))
        if rng.random() < 0.5:
            tile = (1, width, 16 * tile[2])
        return softmax_cases.Case(
            "", dtype=picked["dtype"], block=picked["block"], tile=tile if picked["tile"] == "given" else (),
            blocks=(int(rng.integers(1, 5)), int(rng.integers(1, 40))), density=float(rng.random()), batch=picked["batches"],
            index=picked["index"], pattern=picked["pattern"], static=picked["extents"] == "static", gradient=cls.gradient)


class BsrSoftmaxBackward(BsrSoftmax):
    gradient = True


class ScatterMm:
    cases = scatter_cases
    choices = {"dtype": FLOATS, "result": ["as operands", "f32"], "format": list(scatter_cases.FORMATS),
               "block": [(1, 1), (2, 3), (15, 30), *BLOCKS], "n": [1, 7, 8, 40, 64, 200], "N known": [False, True],
               "pattern": ["random", "none", "empty_rows", "skewed", "duplicates", "window", "few"], "batches": [(), (2,), (2, 3)]}

    @staticmethod
    def case(rng, picked):
        rows, depth = picked["block"]
        is_list = picked["format"] == "scatter_mm"
        return scatter_cases.Case(
            "", format=picked["format"], dtype=picked["dtype"], out="f32" if picked["result"] == "f32" else "",
            block=picked["block"], n=picked["n"], static_n=picked["N known"], down=int(rng.integers(1, 5)),
            across=int(rng.integers(1, 4)), other=int(rng.integers(1, 5)), density=float(rng.random()),
            batch=() if is_list else picked["batches"], index=picked["index"],
            pattern="random" if is_list and picked["pattern"] == "few" else picked["pattern"],
            tile=(part(rng, rows), 8 * int(rng.integers(1, 17)), part(rng, depth)) if picked["tile"] == "given" else (),
            static=picked["extents"] == "static")


class BsrAttention:
    cases = bsr_attention_cases
    choices = {"dtype": FLOATS, "block": [(8, 16), (16, 16), (24, 48), (32, 32), (64, 64), (64, 128), (128, 64)],
               "columns": [(64, 64), (64, 40), (33, 20), (1, 1), (128, 72)], "scale": [0.125, -0.5, 0.0, "0.25"],
               "pattern": [*PATTERNS, "one", "full"], "dropout": [-1, 0.0, 0.25, 1.0],
               "batches": ["none", "of all", "of all but the mask", "broadcast"]}

    @staticmethod
    def case(rng, picked):
        rows, keys = picked["block"]
        batches = {"none": ((),) * 5, "of all": ((2,),) * 5, "of all but the mask": ((), (2,), (2,), (2,), (2,)),
                   "broadcast": ((1, 2), (3, 2), (3, 1), (2,), (3, 2))}[picked["batches"]]
        value, height = -(-picked["columns"][1] // 8) * 8, int(rng.integers(1, 5))
        tile = (divisor(rng, rows), divisor(rng, value), divisor(rng, keys, 16))
        return bsr_attention_cases.Case(
            "", dtype=picked["dtype"], block=picked["block"], tile=tile if picked["tile"] == "given" else (),
            blocks=(height, int(rng.integers(1, 5))), columns=picked["columns"], density=float(rng.random()),
            scale=picked["scale"], batches=batches, index=picked["index"], static=picked["extents"] == "static",
            pattern=pattern_of(picked, height, batches[0]), dropout=picked["dropout"], random=tuple(int(word) for word in rng.integers(-99, 99, 2)))


OPS = {"sampled_addmm": SampledAddmm, "bsr_softmax": BsrSoftmax, "bsr_softmax_backward": BsrSoftmaxBackward,
       "scatter_mm": ScatterMm, "bsr_attention": BsrAttention}


def choices_of(op):
    return {**COMMON, **OPS[op].choices}


def random_case(op, seed):
    """(a case, whose name says how to try it again; what was chosen for it)."""
    rng = np.random.default_rng(seed)
    picked = {name: pick(rng, values) for name, values in {**choices_of(op), **GPU_CHOICES}.items()}
    # Half of the programs and more have no batch.
    if rng.random() < 0.4:
        picked["batches"] = choices_of(op)["batches"][0]
    case = OPS[op].case(rng, picked)
    return dataclasses.replace(case, name=f"{op} seed {seed}"), picked


def run(op, sparse_run, seed):
    """Runs one program and returns what was chosen for it. Raises Failure."""
    case, picked = random_case(op, seed)
    cases = OPS[op].cases
    arrays = cases.operands(case, seed)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "program.mlir").write_text(cases.program(case, arrays))
        done = subprocess.run([sparse_run, "--target=cpu", "--threads=1", "--json", "--check", folder / "program.mlir",
                               *cases.arguments(case, arrays, folder)], capture_output=True, text=True, check=False)
    if done.returncode != 0 or not json.loads(done.stdout)["ok"]:
        raise Failure(f"{case}: {done.stderr.strip()}\n{cases.program(case, arrays)}")
    return picked


def compile_for_gpu(op, sparse_opt, seed):
    """Compiles one program for a GPU and returns what was chosen for it. Raises Failure."""
    case, picked = random_case(op, seed)
    if case.dtype == "f32" and OPS[op].cases is not softmax_cases:
        case = dataclasses.replace(case, precision="tf32")
    if op == "scatter_mm" and any(size % 8 for size in case.tile):  # Whole fragments alone.
        case = dataclasses.replace(case, tile=())
    text = OPS[op].cases.program(case, OPS[op].cases.operands(case, seed))
    if case.tile:
        if OPS[op].cases is softmax_cases and picked["warps"] not in (None, 1, 2, 4):
            picked["warps"] = None
        schedule = "".join(f", {name} = {picked[name]}" for name in ("stages", "warps", "raster_group") if picked[name])
        tile = f"tile = [{', '.join(map(str, case.tile))}]"
        text = text.replace(tile, tile + schedule)
    pipeline = "sattn-to-cubin" if shutil.which("ptxas") else "sattn-to-ptx"
    done = subprocess.run([sparse_opt, f"--{pipeline}=chip={picked['chip']} schedule={picked['schedule']}",
                           "-o", os.devnull], input=text, capture_output=True, text=True, check=False)
    picked["refused"] = done.returncode == 1 and any(reason in done.stderr for reason in NO_ROOM)
    if done.returncode != 0 and not picked["refused"]:
        raise Failure(f"{case}: exit status {done.returncode}, {picked['chip']}, {picked['schedule']}: "
                      f"{done.stderr.strip()}\n{text}")
    return picked


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--op", choices=list(OPS), action="append", help="of which programs are (default all)")
    parser.add_argument("--target", choices=["cpu", "gpu"], default="cpu", help="what to compile for (default cpu)")
    parser.add_argument("--seeds", type=int, default=100, help="how many programs of each op (default 100)")
    parser.add_argument("--first", type=int, default=0, help="the first seed (default 0)")
    options = parser.parse_args(arguments)
    name, one, also, verdict = {
        "cpu": ("sparse-run", run, {}, "agree with the Reference"),
        "gpu": ("sparse-opt", compile_for_gpu, {**GPU_CHOICES, "refused": [False, True]}, "compile or have no room"),
    }[options.target]
    tool = shutil.which(name)
    if tool is None:
        parser.error(f"expected {name} on PATH; use ./dev run")
    for op in options.op or OPS:
        try:
            coverage = run_all(tool, range(options.first, options.first + options.seeds),
                               lambda tool, seed, op=op: one(op, tool, seed))
        except Failure as failure:
            print(f"random_block_ops: error: {failure}", file=sys.stderr)
            return 1
        print(f"{options.seeds} programs of {op} {verdict}\n" + "\n".join(table(coverage, also, choices_of(op))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
