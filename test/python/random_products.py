#!/usr/bin/env python3
"""Random well-formed programs of one bsr_addmm with random tiles.

    ./dev run python test/python/random_products.py [--target cpu|gpu] [--seeds N] [--first SEED]

On the CPU they are run and compared with the Reference; for a GPU they are compiled, by ptxas too where that is on
PATH. Prints how often each choice occurred. A seed that fails is named; --first SEED --seeds 1 runs it again. The first
200 seeds on the CPU and 16 for a GPU are a test (test_bsr_addmm_fuzz.py).
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "gpu"))
from bsr_cases import Case, operands, program, save  # noqa: E402

BATCHES = {"none": ((), (), ()), "of b": ((), (2,), (2,)), "of A": ((2,), (), (2,)), "of both": ((2,), (2,), (2,)),
           "broadcast": ((1,), (2,), (2,)), "of rank 2": ((2, 1), (1, 3), (2, 3))}
# Parameters that are chosen at random, each with its values: texts are constants in the program, numbers come at run
# time.
CHOICES = {
    "dtype": ["f32", "f16", "bf16"],
    "result": ["as operands", "f32"],
    "block": [(8, 8), (16, 16), (24, 40), (16, 128), (32, 32), (64, 64), (64, 16), (128, 64)],
    "alpha": [1.0, 0.0, -0.5, "1.0", "0.0", "2.0"],
    "beta": [0.0, 1.0, 0.25, "0.0", "1.0", "-3.0"],
    "batches": list(BATCHES),
    "index": ["i32", "i64"],
    "pattern": ["random", "duplicates", "empty_rows", "empty"],
    "extents": ["dynamic", "static"],
    "input": [False, True],
    "left": [False, True],
    "right": [False, True],
    "layout of b": ["rows", "columns", "gaps"],
    # In block rows, in columns, and as what divides the columns of a block.
    "tile's rows": [1, 2, 4],
    "tile's columns": [8, 24, 64, 72, 128, 136, 200, 256],
    "tile's depth": [1, 2, 4],
}
# Parameters that only a GPU's programs have.
GPU_CHOICES = {
    "chip": ["sm_80", "sm_90a"],
    "schedule": ["plain", "specialized"],
    "stages": [None, 1, 2, 3, 7, 40],
    "warps": [None, 1, 2, 4, 7, 8, 16],
    "raster_group": [None, 1, 3, 100],
}
# Messages by which a program may be refused: a tile that the hardware has no room for.
NO_ROOM = ("choose smaller tiles", "choose a smaller tile", "expected a tile of at most")
# Parameters that follow from the others.
EMPTY_ROWS = ["none", "some", "all"]


class Failure(Exception):
    """A program that does not run, or whose result is another than the Reference's."""


def random_choices(seed):
    rng = np.random.default_rng(seed)
    picked = {name: values[rng.integers(len(values))] for name, values in {**CHOICES, **GPU_CHOICES}.items()}
    # Half of the programs have no batch, a fifth static extents.
    if rng.random() < 0.4:
        picked["batches"] = "none"
    if rng.random() < 0.6:
        picked["extents"] = "dynamic"
    return picked, rng


def tile_of(picked):
    """A tile of that block: K is a multiple of 8 that divides the block's columns."""
    rows, depth = picked["block"]
    return rows * picked["tile's rows"], picked["tile's columns"], depth // math.gcd(picked["tile's depth"], depth // 8)


def random_case(seed):
    """(a case, whose name says how to try it again; what was chosen for it)."""
    picked, rng = random_choices(seed)
    rows, depth = picked["block"]
    unread = ("values", "b") if float(picked["alpha"]) == 0 else ()
    if float(picked["beta"]) == 0:
        unread += ("out", "input")
    case = Case(
        f"seed-{seed}", dtype=picked["dtype"], out="f32" if picked["result"] == "f32" else "", block=picked["block"],
        tile=tile_of(picked), alpha=picked["alpha"], beta=picked["beta"],
        operands=tuple(name for name in ("input", "left", "right") if picked[name]),
        shape=(rows * int(rng.integers(2, 6)), depth * int(rng.integers(1, 6)),
               int(rng.choice([1, 7, 8, 63, 64, 65, 100, 129, 257]))),
        density=float(rng.random()), batches=BATCHES[picked["batches"]], index=picked["index"],
        static=picked["extents"] == "static", pattern=picked["pattern"], nan_in=unread)
    return case, picked


def write_arguments(case, picked, folder, seed):
    """The operands as files in the layout chosen for b, others in one at random."""
    rng = np.random.default_rng([seed, 1])
    result = [str(getattr(case, name)) for name in ("alpha", "beta") if not isinstance(getattr(case, name), str)]
    arrays = operands(case, seed)
    for name in ["crow", "col", "values", "b", *case.operands, "out"]:
        array = arrays[name]
        layout = "rows"
        if name == "b":
            layout = picked["layout of b"]
        elif name in ("input", "out", "values"):
            layout = CHOICES["layout of b"][rng.integers(3)]
        path = str(save(folder / f"{name}.npy", np.asfortranarray(array) if layout == "columns" else array))
        if layout == "gaps" and array.ndim == 2:
            path += f":ld={array.shape[-1] + int(rng.integers(1, 9))}"
        result.append(path)
    lengths = np.diff(arrays["crow"], axis=-1)
    picked["empty rows"] = "none" if lengths.all() else "some" if lengths.any() else "all"
    return result


def run(sparse_run, seed):
    """Runs one program and returns what was chosen for it. Raises Failure."""
    case, picked = random_case(seed)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        text = folder / "program.mlir"
        text.write_text(program(case))
        done = subprocess.run([sparse_run, "--target=cpu", "--threads=1", "--json", "--check", text,
                               *write_arguments(case, picked, folder, seed)],
                              capture_output=True, text=True, check=False)
    if done.returncode != 0 or not json.loads(done.stdout)["ok"]:
        raise Failure(f"{case}: {done.stderr.strip()}\n{program(case)}")
    return picked


def compile_for_gpu(sparse_opt, seed):
    """Compiles one program for a GPU and returns what was chosen for it. Raises Failure."""
    case, picked = random_case(seed)
    schedule = [f"{name} = {picked[name]}" for name in ("stages", "warps", "raster_group") if picked[name]]
    # Products of f32 are in tf32 there.
    case = dataclasses.replace(case, schedule=", ".join(schedule), precision="tf32" if case.dtype == "f32" else "")
    pipeline = "sattn-to-cubin" if shutil.which("ptxas") else "sattn-to-ptx"
    done = subprocess.run([sparse_opt, f"--{pipeline}=chip={picked['chip']} schedule={picked['schedule']}",
                           "-o", os.devnull], input=program(case), capture_output=True, text=True, check=False)
    picked["refused"] = done.returncode == 1 and any(text in done.stderr for text in NO_ROOM)
    if done.returncode != 0 and not picked["refused"]:
        raise Failure(f"{case}: exit status {done.returncode}, {picked['chip']}, {picked['schedule']}: "
                      f"{done.stderr.strip()}\n{program(case)}")
    return picked


def run_all(tool, seeds, one=run):
    """Coverage of the seeds: a Counter of (name of a choice, its value)."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        done = list(pool.map(lambda seed: one(tool, seed), seeds))
    return collections.Counter((name, value) for picked in done for name, value in picked.items())


def table(coverage, also=None, choices=None):
    """Lines: each choice with how often each of its values occurred. choices: other than those of products."""
    if choices is None:
        choices, also = CHOICES, also or {"empty rows": EMPTY_ROWS}
    for name, values in {**choices, **also}.items():
        counts = ", ".join(f"{value!r} {coverage[name, value]}" for value in values)
        yield f"{name}: {counts}"


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", choices=["cpu", "gpu"], default="cpu", help="what to compile for (default cpu)")
    parser.add_argument("--seeds", type=int, default=200, help="how many programs (default 200)")
    parser.add_argument("--first", type=int, default=0, help="the first seed (default 0)")
    options = parser.parse_args(arguments)
    name, one, also, verdict = {
        "cpu": ("sparse-run", run, None, "agree with the Reference"),
        "gpu": ("sparse-opt", compile_for_gpu, {**GPU_CHOICES, "refused": [False, True]}, "compile or have no room"),
    }[options.target]
    tool = shutil.which(name)
    if tool is None:
        parser.error(f"expected {name} on PATH; use ./dev run")
    try:
        coverage = run_all(tool, range(options.first, options.first + options.seeds), one)
    except Failure as failure:
        print(f"random_products: error: {failure}", file=sys.stderr)
        return 1
    print(f"{options.seeds} programs {verdict}\n" + "\n".join(table(coverage, also)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
