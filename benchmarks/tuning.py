"""Times of a grid of problems by sparse-tune: milliseconds of the computed default, and of the parameters that it keeps.

    python benchmarks/tuning.py --target cuda --budget 1200 --table table.json --out benchmarks/results/DATE-DEVICE-tuning.json

The tool must be on PATH. On a GPU the grid has at most 150 problems: products of square matrices and of the layers of
Llama 3 8B and Qwen2.5 7B, most of them in bf16, a few in f16 and int8, for one to 8192 columns; sampled products; sums of
listed products; attention of 8 heads, forward and backward, dense, causal and with block lists, and gradients of captured
tensors. Where that grid is larger than its share, problems are drawn from it, the same in every run. On the CPU sizes are smaller, and elements f32. A run that is
interrupted goes on where it stopped: problems that --out has are left out. `gain` is the default's time over that of the
result; `trials` has the time of each candidate over the default's.
"""

import argparse
import datetime
import itertools
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

# (M, K) of products: square ones, and layers of Llama 3 8B and Qwen2.5 7B.
SQUARES = [(size, size) for size in (1024, 4096, 8192)]
LAYERS = [(14336, 4096), (4096, 14336), (1024, 4096), (18944, 3584), (3584, 18944), (3584, 3584)]
COLUMNS = (1, 16, 256, 2048, 8192)
BLOCKS = (16, 32, 64, 128)
SPARSITIES = (0.5, 0.8, 0.9, 0.95)
HEAD_DIMS = (64, 96, 128, 192, 256)
LENGTHS = (2048, 8192)
ATTENTION = ("flex_attention", "flex_attention_dq", "flex_attention_dkdv")
# Problems drawn of each group on a GPU.
DRAWN = {"square": 48, "layer": 24, "f16": 4, "int8": 8, "sampled": 12, "scatter": 14}
HEADS = 8
SMALLER = 8  # On the CPU sizes are so many times smaller.


def product(shape, n, block, sparsity, dtype):
    m, k = shape
    return {"op": "bsr_addmm", "facts": {
        "m": m, "n": n, "k": k, "block_rows": block, "block_columns": block, "dtype": dtype,
        "out_dtype": "i32" if dtype == "i8" else dtype, "beta": 0,
        "nnz": max(1, round(m // block * (k // block) * (1 - sparsity)))}}


def sampled(k, block, dtype="bf16"):
    return {"op": "sampled_addmm", "facts": {
        "k": k, "block_rows": block, "block_columns": block, "dtype": dtype, "can_be_run": 1}}


def scatter(size, n, block, sparsity, dtype="bf16"):
    return {"op": "scatter_mm", "facts": {
        "m": size, "n": n, "k": size, "block_rows": block, "block_columns": block, "dtype": dtype,
        "sparsity": round(100 * sparsity)}}


def attention(op, length, head_dim, dtype, causal):
    return {"op": op, "facts": {"rows": length, "batches": HEADS, "head_dim": head_dim, "value_dim": head_dim, "dtype": dtype,
                                "is_causal": int(causal)}}


def listed_attention(op, length, head_dim, dtype, block):
    """A quarter of the blocks, the same in all heads."""
    blocks = (length // block) ** 2
    return {"op": op, "facts": {"rows": length, "batches": HEADS, "head_dim": head_dim, "value_dim": head_dim, "dtype": dtype,
                                "block_queries": block, "block_keys": block, "shares_mask": 1,
                                "seen_blocks": HEADS * max(length // block, blocks // 4)}}


def few_problems(dtype, scale):
    """A few problems of each kind, of sizes divided by `scale`."""
    listed = [product((size // scale, size // scale), max(1, n // scale), block, sparsity, dtype) for size, n, block, sparsity in (
        (4096, 2048, 64, 0.9), (4096, 2048, 128, 0.9), (4096, 16, 64, 0.8), (4096, 2048, 32, 0.9), (8192, 8192, 64, 0.8))]
    listed += [listed_attention(op, 4096 // scale, 128, dtype, 128) for op in ATTENTION]
    return listed + [attention(op, 4096 // scale, head_dim, dtype, causal)
                     for op in ATTENTION for head_dim in (64, 128) for causal in (False, True)]


def cpu_problems():
    listed = [product((size // SMALLER, size // SMALLER), max(1, n // SMALLER), block, sparsity, "f32")
              for (size, _), n, block, sparsity in itertools.product(SQUARES, COLUMNS, BLOCKS, SPARSITIES)]
    listed += [listed_attention(op, 8192 // SMALLER, 64, "f32", block) for op in ATTENTION for block in (64, 128)]
    return listed + [attention(op, length // SMALLER, head_dim, "f32", causal)
                     for op in ATTENTION for length in LENGTHS for head_dim in HEAD_DIMS for causal in (False, True)]


def gpu_problems():
    """At most 150, in an order in which each part of them has some of each group."""
    groups = {
        "square": [product(*facts, "bf16") for facts in itertools.product(SQUARES, COLUMNS, BLOCKS, SPARSITIES)],
        "layer": [product(*facts, "bf16") for facts in itertools.product(LAYERS, COLUMNS, BLOCKS, SPARSITIES)],
        "f16": [product(*facts, "f16") for facts in itertools.product(SQUARES, COLUMNS, BLOCKS, SPARSITIES)],
        "int8": [product(*facts, "i8") for facts in itertools.product(SQUARES, COLUMNS, BLOCKS[1:], SPARSITIES)],
        "sampled": [sampled(*facts) for facts in itertools.product((64, 128, 1024, 4096), BLOCKS)],
        "scatter": [scatter(*facts) for facts in itertools.product((1024, 4096), (256, 2048), BLOCKS, SPARSITIES[1:])]}
    draw = random.Random(1)
    listed = [problem for name, count in DRAWN.items() for problem in draw.sample(groups[name], count)]
    # The forward of each head dim, dense and causal, and its gradients, of one length or the other.
    listed += [attention(op, LENGTHS[(index + causal) % 2], head_dim, "bf16", causal)
               for op in ATTENTION for index, head_dim in enumerate(HEAD_DIMS) for causal in (False, True)]
    listed += [listed_attention(op, length, head_dim, "bf16", block)
               for op in ATTENTION for length, head_dim, block in ((8192, 128, 128), (8192, 64, 128), (2048, 64, 64))]
    listed += [attention("flex_attention_dcapture", 2048, 64, "bf16", True)]
    draw.shuffle(listed)
    return listed


def problems(target, few):
    if few:
        return few_problems("bf16", 1) if target == "cuda" else few_problems("f32", SMALLER)
    return gpu_problems() if target == "cuda" else cpu_problems()


def describe(problem):
    """As sparse-tune names a problem."""
    return " ".join([problem["op"], *(f"{name}={value}" for name, value in sorted(problem["facts"].items()))])


def print_results(device, effort, rows):
    """JSON with a line for each row."""
    head = {"benchmark": "tuning", "date": datetime.date.today().isoformat(), "device": device, "effort": effort}
    return json.dumps(head)[:-1] + ', "rows": [\n' + ",\n".join(json.dumps(row) for row in rows) + "\n]}\n"


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--few", action="store_true", help="a few problems of each kind")
    parser.add_argument("--effort", default="normal")
    parser.add_argument("--jobs", type=int, default=2, help="candidates that compile at one time")
    parser.add_argument("--budget", type=float, help="seconds for all problems together")
    parser.add_argument("--table", type=Path, required=True)
    parser.add_argument("--out", type=Path, help="a JSON file of the results; written after each")
    options = parser.parse_args(arguments)
    rows = json.loads(options.out.read_text())["rows"] if options.out and options.out.exists() else []
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        done = {row["problem"] for row in rows}
        file.writelines(json.dumps(problem) + "\n" for problem in problems(options.target, options.few)
                        if describe(problem) not in done)
        file.flush()
        command = ["sparse-tune", "tune", f"--problems={file.name}", f"--target={options.target}", "--json",
                   f"--effort={options.effort}", f"--jobs={options.jobs}", f"--table={options.table}"]
        command += [f"--budget={options.budget}"] if options.budget else []
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            for line in process.stdout:
                found = json.loads(line)
                for trial in found["trials"]:
                    trial["ratio"] = round(trial["ratio"], 4)
                found["gain"] = round(found["default_milliseconds"] / found["milliseconds"], 3)
                rows.append(found)
                print(f"{found['problem']}: gain {found['gain']}", flush=True)
                if options.out:
                    options.out.parent.mkdir(parents=True, exist_ok=True)
                    options.out.write_text(print_results(found["device"], options.effort, rows))
    return process.returncode


if __name__ == "__main__":
    sys.exit(main())
