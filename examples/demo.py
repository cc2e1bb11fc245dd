#!/usr/bin/env python3
"""The main job, end to end: a program of one op to PTX, then run on a real matrix.

`./dev demo` calls it with the built tools on PATH. The matrix is the stiffness
matrix of fem_stiffness.py, or a SciPy .npz or Matrix Market file; the result is compared with the
product in double precision, and its rate with SciPy's product in float32.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from fem_stiffness import fem_stiffness
from matrix_files import (DTYPES, MAX_BYTES, MatrixError, block_costs, load_array, load_matrix, padded, save_operands,
                          scale_to_one, to_blocks)

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "examples" / "bsr_addmm.mlir"
EXAMPLE_BLOCK, EXAMPLE_DTYPE = 64, "bf16"
BLOCKS = [16, 32, 64, 128]


class DemoError(Exception):
    """A step that failed; the message is the tool's own."""


def run_tool(command):
    """Standard output of a tool, and the seconds it took."""
    start = time.perf_counter()
    try:
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise DemoError(f"no command '{command[0]}'; ./dev demo builds it and sets PATH") from None
    seconds = time.perf_counter() - start
    if done.returncode != 0:
        raise DemoError(done.stderr.strip() or f"{command[0]} failed with exit code {done.returncode}")
    return done.stdout, seconds


def program_text(text, block, dtype):
    """The example's program for blocks of block x block and another element type; its tiles are left to the compiler,
    which knows the sizes, and the GPU's meta table."""
    text = text.replace(f"{EXAMPLE_BLOCK}x{EXAMPLE_BLOCK}", f"{block}x{block}")
    text = text.replace(EXAMPLE_DTYPE, dtype)
    return re.sub(r"\s*\{meta = #sattn\.meta<[^>]*>\}", "", text)


def shown(path):
    """A path as a reader in the checkout would type it."""
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


def lower_to_ptx(folder, chip):
    """Lowers the example and assembles it; prints both."""
    ptx = folder / "bsr_addmm.ptx"
    command = ["sparse-translate", "--to=ptx", f"--chip={chip}", EXAMPLE, "-o", ptx]
    run_tool(command)
    # Once more: the first run also read the libraries from disk.
    _, seconds = run_tool(command)
    print(f"Text to PTX: {shown(EXAMPLE)} -> {shown(ptx)}")
    print(f"  {ptx.stat().st_size / 1024:.1f} KiB for {chip} in {seconds * 1e3:.0f} ms")
    report, _ = run_tool([sys.executable, ROOT / "test" / "tools" / "check_ptx.py", f"--arch={chip}",
                          f"--output={folder / 'bsr_addmm.cubin'}", ptx])
    for line in report.splitlines():
        print(f"  ptxas: {line}, no spill")
    print()


def make_matrix(options):
    """The matrix as a bsr_array, its name, and lines on what blocks cost a matrix that has none."""
    if options.matrix is None:
        matrix = fem_stiffness(options.n, options.block, options.dtype, options.seed)
        return matrix, "finite-element stiffness matrix", []
    elements = load_matrix(options.matrix)
    dense = sum(padded(elements.shape, options.block)) * options.columns * 8
    if dense > MAX_BYTES:
        raise MatrixError(f"expected dense operands of at most {MAX_BYTES >> 30} GiB for '{options.matrix}', but got "
                          f"{dense >> 30} GiB for {elements.shape[0]} x {elements.shape[1]}: choose fewer --columns")
    matrix = to_blocks(elements, options.block)
    matrix.data, exponent = scale_to_one(matrix.data)
    name = str(options.matrix) + (f", divided by 2^{exponent}" if exponent else "")
    return matrix, name, [f"Blocks of {options.matrix}: {elements.shape[0]} x {elements.shape[1]}, "
                          f"{elements.nnz} elements", *block_costs(elements, BLOCKS, options.block)]


def relative_error(result, reference):
    """Frobenius norm of the difference over that of the reference."""
    return np.linalg.norm(result.astype(np.float64) - reference) / (np.linalg.norm(reference) or 1.0)


def gpu_options(options):
    """Options of sparse-run for the GPU."""
    table = [f"--meta-table={options.meta_table}"] if options.meta_table else []
    return [f"--device={options.device}", *table]


def run_sattn(program, paths, target, options):
    """One row of the table: sparse-run's product on a target, checked and timed."""
    out = program.parent / f"out-{target}.npy"
    command = ["sparse-run", program, f"--target={target}", "--check", f"--time={options.repeat}", "--json",
               f"--out={out}", *(gpu_options(options) if target == "cuda" else []), 1.0, 0.0, paths["crow"], paths["col"], paths["values"], paths["b"], "zeros"]
    report = json.loads(run_tool(command)[0])
    device = f"CPU, {report['threads']} threads" if target == "cpu" else report["device"]
    return {"where": f"sattn, {device}", "result": load_array(out), "seconds": report["median_ms"] / 1e3}


def run_scipy(matrix, dense):
    """The same row for SciPy, in float32, which it multiplies on one thread."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        result = matrix @ dense
        times.append(time.perf_counter() - start)
    return {"where": "SciPy's bsr_array, float32, 1 thread",
            "result": result, "seconds": sorted(times)[1]}


def print_table(rows, reference, work):
    print(f"  {'where':42} {'error':>9} {'time':>12} {'rate':>16}")
    for row in rows:
        print(f"  {row['where']:42} {relative_error(row['result'], reference):9.1e} "
              f"{row['seconds'] * 1e3:9.2f} ms {work / row['seconds'] / 1e9:8.1f} GFLOP/s")
    print()


def gpu_present():
    """Whether NVIDIA's driver answers and lists a GPU."""
    if shutil.which("nvidia-smi") is None:
        return False
    done = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=False)
    return done.returncode == 0 and "GPU" in done.stdout


def demo(options):
    options.output_dir.mkdir(parents=True, exist_ok=True)
    # The user's own file first: a mistake there shows before anything else runs.
    matrix, name, costs = make_matrix(options)
    if costs:
        print("\n".join(costs), end="\n\n")
    lower_to_ptx(options.output_dir, options.chip)

    # What the tools see is rounded to the element type; so is what they are compared with.
    dtype = DTYPES[options.dtype]
    matrix.data = matrix.data.astype(dtype).astype(np.float64)
    dense = np.random.default_rng(options.seed).standard_normal((matrix.shape[1], options.columns))
    dense = dense.astype(dtype).astype(np.float64)
    reference = matrix @ dense
    program = options.output_dir / "program.mlir"
    program.write_text(program_text(EXAMPLE.read_text(), options.block, options.dtype))
    paths = save_operands(options.output_dir, matrix, dense, options.dtype)

    lengths = np.diff(matrix.indptr)
    blocks, columns = len(matrix.indices), matrix.shape[1] // options.block
    print(f"A @ b, {options.dtype}: {name}")
    print(f"  A: {matrix.shape[0]} x {matrix.shape[1]}, block {options.block} x {options.block}, "
          f"{blocks} of {len(lengths) * columns} blocks stored ({100 * blocks / (len(lengths) * columns):.1f} %), "
          f"{lengths.min()} to {lengths.max()} in a block row, {np.count_nonzero(lengths == 0)} empty block rows")
    print(f"  b: {dense.shape[0]} x {dense.shape[1]}; error: relative, against the product in double precision")
    rows, refusal = [run_sattn(program, paths, "cpu", options)], None
    if gpu_present():
        try:
            rows.append(run_sattn(program, paths, "cuda", options))
        except DemoError as error:
            refusal = str(error)
    rows.append(run_scipy(matrix.astype(np.float32), dense.astype(np.float32)))
    print_table(rows, reference, 2.0 * blocks * options.block**2 * options.columns)
    if refusal:
        print(f"  not run on the GPU: {refusal}")
    # Blocks of 64 and 128 and 16-bit types are what the GPU path takes.
    return 1 if refusal and options.block >= 64 and options.dtype != "f32" else 0


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matrix", type=Path, metavar="FILE",
                        help="a sparse matrix of your own: .npz of scipy.sparse.save_npz, or Matrix Market (.mtx)")
    parser.add_argument("--block", type=int, choices=BLOCKS, default=EXAMPLE_BLOCK)
    parser.add_argument("--dtype", choices=list(DTYPES), default=EXAMPLE_DTYPE)
    parser.add_argument("--columns", type=int, default=512, help="columns of b (default 512)")
    parser.add_argument("--n", type=int, default=1500, help="nodes of the finite-element mesh (default 1500)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--repeat", type=int, default=20, help="timed runs (default 20)")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--device", type=int, default=0, help="number of the GPU that it also runs on (default 0)")
    parser.add_argument("--meta-table", type=Path, metavar="FILE",
                        help="tuned parameters that are searched first for the GPU (docs/MetaTable.md)")
    parser.add_argument("--output-dir", type=Path, default=ROOT / "build" / "demo")
    options = parser.parse_args(arguments)
    for name, least in [("columns", 1), ("n", 8), ("repeat", 1), ("device", 0)]:
        if getattr(options, name) < least:
            parser.error(f"expected --{name} of at least {least}, but got {getattr(options, name)}")
    return options


def main(arguments):
    options = parse(arguments)
    try:
        return demo(options)
    except (DemoError, MatrixError, OSError) as error:
        print(f"demo: error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
