#!/usr/bin/env python3
"""The main jobs, end to end: a program of one op to PTX, then run on a matrix beside SciPy and NumPy; attention.

`./dev demo` calls it with the built tools on PATH; its options are those of demo_options.py. The matrix is that of
pruned_weights.py, that of fem_stiffness.py, or one from a file. Results are compared with the product in double
precision.
"""

import json
import re
import shutil
import subprocess
import sys
import time

import numpy as np
import scipy.sparse as sparse

import block_costs
import demo_attention
from demo_options import BLOCKS, MADE_BLOCK, ROOT, parse
from fem_stiffness import fem_stiffness
from matrix_files import (DTYPES, MAX_BYTES, MatrixError, load_array, load_matrix, padded, save_operands, scale_to_one,
                          to_blocks)
from pruned_weights import pruned_weights

EXAMPLE = ROOT / "examples" / "bsr_addmm.mlir"
EXAMPLE_BLOCK, EXAMPLE_DTYPE = 64, "bf16"
# A dense matrix of more bytes than this is not made for comparison.
MAX_DENSE_BYTES = 2 << 30


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
    which knows the sizes, and the GPU's meta table. f32 on a GPU has kernels for tf32 only; the CPU's are in f32."""
    text = text.replace(f"{EXAMPLE_BLOCK}x{EXAMPLE_BLOCK}", f"{block}x{block}")
    text = text.replace(EXAMPLE_DTYPE, dtype)
    precision = ' {precision = "tf32"}' if dtype == "f32" else ""
    return re.sub(r"\s*\{meta = #sattn\.meta<[^>]*>\}", precision, text)


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


def make_elements(options):
    """The matrix as a coo_array of float64, and its name."""
    block = MADE_BLOCK if options.block == "auto" else options.block
    if options.matrix is not None:
        elements = load_matrix(options.matrix)
        elements.sum_duplicates()
        elements.data, exponent = scale_to_one(elements.data)
        return elements, str(options.matrix) + (f", divided by 2^{exponent}" if exponent else "")
    if options.fem:
        made, name = fem_stiffness(options.nodes, block, options.dtype, options.seed), "finite-element stiffness matrix"
    else:
        made = pruned_weights(options.size, block, options.sparsity, options.dtype, options.seed)
        name = f"weights pruned by the norm of blocks of {block} x {block}"
    elements = sparse.coo_array(made).astype(np.float64)
    elements.eliminate_zeros()
    if elements.nnz == 0:
        raise MatrixError(f"expected --sparsity to leave a block of {options.size[0]} x {options.size[1]} weights, but "
                          f"got {options.sparsity}")
    return elements, name


def check_memory(elements, options):
    """Raises MatrixError where the dense operands do not fit."""
    dense = sum(padded(elements.shape, max(BLOCKS))) * options.columns * 8
    if dense > MAX_BYTES:
        raise MatrixError(f"expected dense operands of at most {MAX_BYTES >> 30} GiB for '{options.matrix}', but got "
                          f"{dense >> 30} GiB for {elements.shape[0]} x {elements.shape[1]}: choose fewer --columns")


def relative_error(result, reference):
    """Frobenius norm of the difference over that of the reference."""
    return np.linalg.norm(result.astype(np.float64) - reference) / (np.linalg.norm(reference) or 1.0)


def gpu_options(options):
    """Options of sparse-run for the GPU."""
    table = [f"--meta-table={options.meta_table}"] if options.meta_table else []
    # tf32 keeps 11 bits of each operand.
    tolerance = ["--tolerance=1e-3"] if options.dtype == "f32" else []
    return [f"--device={options.device}", *table, *tolerance]


def run_sattn(program, arguments, target, options, out="out"):
    """One row of a table: sparse-run's result on a target, checked and timed."""
    out = program.parent / f"{out}-{target}.npy"
    command = ["sparse-run", program, f"--target={target}", "--check", f"--time={options.repeat}", "--json",
               f"--out={out}", *(gpu_options(options) if target == "cuda" else []), *arguments]
    report = json.loads(run_tool(command)[0])
    if target == "cpu":
        where = f"sattn, {options.dtype}, CPU, {report['threads']} threads"
    else:
        where = f"sattn, {'tf32' if options.dtype == 'f32' else options.dtype}, {report['device']}"
    return {"where": where, "result": load_array(out), "seconds": report["median_ms"] / 1e3}


def run_peer(where, matrix, dense):
    """The same row for a product in SciPy or NumPy: the median of three runs, or one of more than a second."""
    times = []
    while len(times) < 3 and sum(times) < 1:
        start = time.perf_counter()
        result = matrix @ dense
        times.append(time.perf_counter() - start)
    return {"where": where, "result": result, "seconds": sorted(times)[len(times) // 2]}


def print_table(rows, reference):
    """rows: with "work", the floating-point operations that each does."""
    print(f"  {'where':36} {'error':>8} {'time':>12} {'work':>13} {'rate':>16}")
    for row in rows:
        print(f"  {row['where']:36} {relative_error(row['result'], reference):8.1e} "
              f"{row['seconds'] * 1e3:9.2f} ms {row['work'] / 1e9:7.2f} GFLOP "
              f"{row['work'] / row['seconds'] / 1e9:8.1f} GFLOP/s")
    print()


def gpu_present():
    """Whether NVIDIA's driver answers and lists a GPU."""
    if shutil.which("nvidia-smi") is None:
        return False
    done = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=False)
    return done.returncode == 0 and "GPU" in done.stdout


def describe(matrix, name, options, block):
    """Lines on the operands."""
    lengths = np.diff(matrix.indptr)
    blocks, places = len(matrix.indices), len(lengths) * (matrix.shape[1] // block)
    print(f"A @ b, {options.dtype}: {name}")
    print(f"  A: {matrix.shape[0]} x {matrix.shape[1]}, block {block} x {block}, "
          f"{blocks} of {places} blocks stored ({100 * blocks / places:.1f} %), "
          f"{lengths.min()} to {lengths.max()} in a block row, {np.count_nonzero(lengths == 0)} empty block rows")
    print(f"  b: {matrix.shape[1]} x {options.columns}; error: relative, against the product in double precision")


def peers(elements, matrix, dense):
    """Rows of SciPy and NumPy, in float32: blocks, elements alone and, where it fits, everything."""
    rows, columns = elements.shape
    csr = elements.tocsr().astype(np.float32)
    found = {"bsr": run_peer("SciPy, BSR, f32, 1 thread", matrix.astype(np.float32), dense),
             "csr": run_peer("SciPy, CSR, f32, 1 thread", csr, dense[:columns])}
    found["bsr"]["result"] = found["bsr"]["result"][:rows]
    if 4 * rows * columns <= MAX_DENSE_BYTES:
        found["dense"] = run_peer("NumPy, dense, f32, its threads", csr.toarray(), dense[:columns])
    work = {"bsr": matrix.data.size, "csr": elements.nnz, "dense": rows * columns}
    for name, row in found.items():
        row["work"] = 2.0 * work[name] * dense.shape[1]
    return found


def demo(options):
    options.output_dir.mkdir(parents=True, exist_ok=True)
    # The user's own file first: a mistake there shows before anything else runs.
    elements, name = make_elements(options)
    check_memory(elements, options)
    on_gpu = gpu_present()
    block = block_costs.cheapest(elements, "cuda" if on_gpu else "cpu") if options.block == "auto" else options.block
    # Elements are rounded to the element type for the tools, and for the results that they are compared with.
    dtype = DTYPES[options.dtype]
    elements.data = elements.data.astype(dtype).astype(np.float64)
    print(f"Blocks of A: {elements.shape[0]} x {elements.shape[1]}, {elements.nnz} elements")
    print("\n".join(block_costs.table(elements, BLOCKS, block)), end="\n\n", flush=True)
    matrix = to_blocks(elements, block)
    lower_to_ptx(options.output_dir, options.chip)

    dense = np.random.default_rng(options.seed).standard_normal((matrix.shape[1], options.columns))
    dense = dense.astype(dtype).astype(np.float64)
    rows, columns = elements.shape
    reference = elements.tocsr() @ dense[:columns]
    program = options.output_dir / "program.mlir"
    program.write_text(program_text(EXAMPLE.read_text(), block, options.dtype))
    paths = save_operands(options.output_dir, matrix, dense, options.dtype)

    describe(matrix, name, options, block)
    arguments = [1.0, 0.0, *(paths[name] for name in ("crow", "col", "values", "b")), "zeros"]
    ours, refusal = [run_sattn(program, arguments, "cpu", options)], None
    if on_gpu:
        try:
            ours.append(run_sattn(program, arguments, "cuda", options))
        except DemoError as error:
            refusal = error
    for row in ours:
        row["result"] = row["result"][:rows]
        row["work"] = 2.0 * matrix.data.size * options.columns
    others = peers(elements, matrix, dense.astype(np.float32))
    print_table([*ours, *others.values()], reference)
    seconds = {name: row["seconds"] for name, row in others.items() if name != "bsr"}
    print(block_costs.verdict(elements.nnz / matrix.data.size, ours[0]["seconds"], **seconds))
    if refusal:
        raise DemoError(f"not run on the GPU: {refusal}")
    if options.length:
        print(flush=True)
        print_table(*demo_attention.run(options, on_gpu, lambda program, arguments, target: run_sattn(
            program, arguments, target, options, out="attention")))
    return 0


def main(arguments):
    options = parse(arguments)
    try:
        return demo(options)
    except (DemoError, MatrixError, OSError) as error:
        print(f"demo: error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
