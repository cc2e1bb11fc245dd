"""Times of a grid of problems by sparse-tune: milliseconds of the computed default, and of the parameters that it keeps.

    python benchmarks/tuning.py --target cuda --budget 1200 --table table.json --out benchmarks/results/DATE-DEVICE-tuning.json

The tool must be on PATH. Products are of square matrices of M = K, in bf16 on a GPU and f32 on the CPU, of blocks of 16 to
128, for N columns and sparsities; attention is dense and causal, forward and backward, of 8 heads. A run that is
interrupted goes on where it stopped, by the tool's journal, and adds to what --out has. `gain` is the default's time over
that of the result.
"""

import argparse
import datetime
import itertools
import json
import subprocess
import sys
import tempfile
from pathlib import Path

# (M = K, N, block, sparsity) of products, and (length, head dim) of attention: all, and a few.
PRODUCTS = [*itertools.product((1024, 4096, 8192), (1, 16, 256, 2048, 8192), (16, 32, 64, 128), (0.5, 0.8, 0.9, 0.95))]
FEW_PRODUCTS = [(4096, 2048, 64, 0.9), (4096, 2048, 128, 0.9), (4096, 16, 64, 0.8), (4096, 2048, 32, 0.9), (8192, 8192, 64, 0.8)]
ATTENTION = [*itertools.product((2048, 4096, 8192), (64, 96, 128, 192, 256))]
FEW_ATTENTION = [(4096, 64), (4096, 128)]
SMALLER = 8  # On the CPU sizes are so many times smaller.


def product(size, n, block, sparsity, dtype):
    grid = size // block
    return {"op": "bsr_addmm", "facts": {
        "m": size, "n": n, "k": size, "block_rows": block, "block_columns": block, "dtype": dtype, "out_dtype": dtype,
        "beta": 0, "nnz": max(1, round(grid * grid * (1 - sparsity)))}}


def attention(op, length, head_dim, dtype, causal):
    return {"op": op, "facts": {"rows": length, "batches": 8, "head_dim": head_dim, "value_dim": head_dim, "dtype": dtype,
                                "is_causal": int(causal)}}


def problems(target, few):
    dtype, scale = ("bf16", 1) if target == "cuda" else ("f32", SMALLER)
    listed = [product(size // scale, max(1, n // scale), block, sparsity, dtype)
              for size, n, block, sparsity in (FEW_PRODUCTS if few else PRODUCTS)]
    listed += [attention(op, length // scale, head_dim, dtype, causal)
               for op in ("flex_attention", "flex_attention_dq", "flex_attention_dkdv")
               for length, head_dim in (FEW_ATTENTION if few else ATTENTION) for causal in (False, True)]
    return listed


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
        file.writelines(json.dumps(problem) + "\n" for problem in problems(options.target, options.few))
        file.flush()
        command = ["sparse-tune", "tune", f"--problems={file.name}", f"--target={options.target}", "--json",
                   f"--effort={options.effort}", f"--jobs={options.jobs}", f"--table={options.table}"]
        command += [f"--budget={options.budget}"] if options.budget else []
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            for line in process.stdout:
                found = json.loads(line)
                found["gain"] = round(found["default_milliseconds"] / found["milliseconds"], 3)
                rows.append(found)
                print(f"{found['problem']}: gain {found['gain']}", flush=True)
                if options.out:
                    options.out.parent.mkdir(parents=True, exist_ok=True)
                    options.out.write_text(json.dumps({
                        "benchmark": "tuning", "date": datetime.date.today().isoformat(), "device": found["device"],
                        "effort": options.effort, "rows": rows}, indent=1) + "\n")
    return process.returncode


if __name__ == "__main__":
    sys.exit(main())
