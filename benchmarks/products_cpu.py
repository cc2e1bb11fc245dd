#!/usr/bin/env python3
"""Block-sparse and sampled products on the CPU, by element type, beside bsr_addmm of f32 with the same blocks.

    python3 benchmarks/products_cpu.py --tools build/bin [--threads 1 2] [--blocks 64 32 16] [--types f32 bf16 i8 f8E4M3FN]
        [--size 1024] [--depth K] [--sparsity 50] [--rounds 7] [--calls 10] [--cpu-time] [--old FOLDER] [--out results.json]

M = N = size, and so is K of sampled products unless --depth gives it. All programs of a block size are compiled
(sparse-opt, then clang of --llvm for this machine) and loaded into this process, where they run in turns: a time is the
median of the calls of a round, a rate is over bsr_addmm's of f32 in the same round, and of the rounds the best counts,
beside their median, since other users of a machine only take rate away. --cpu-time counts the time that the process
runs. With --old, sparse-opt of another build compiles each program as well: `before` is its time over that of now.
"""

import argparse
import ctypes
import itertools
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import result_files
from linear_cpu import aligned, vector_bits, view

# The type of the result of each type of factors.
RESULTS = {"f32": "f32", "f64": "f64", "f16": "f16", "bf16": "bf16", "i8": "i32", "f8E4M3FN": "f32", "f8E5M2": "f32"}
NUMPY = {"f32": np.float32, "f64": np.float64, "f16": np.uint16, "bf16": np.uint16, "i8": np.int8, "i32": np.int32,
         "f8E4M3FN": np.uint8, "f8E5M2": np.uint8}

PROGRAMS = {
    "bsr": """func.func @{name}(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x{b}x{b}x{t}>,
    %b: tensor<?x?x{t}>, %out: tensor<?x?x{r}>) -> tensor<?x?x{r}> {{
  %alpha = arith.constant 1.0 : {s}
  %beta = arith.constant 0.0 : {s}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x{b}x{b}x{t}>, tensor<?x?x{t}>)
      outs(%out : tensor<?x?x{r}>) -> tensor<?x?x{r}>
  return %0 : tensor<?x?x{r}>
}}
""",
    "sampled": """func.func @{name}(%crow: tensor<?xi32>, %col: tensor<?xi32>, %mat1: tensor<?x?x{t}>,
    %mat2: tensor<?x?x{t}>, %out: tensor<?x{b}x{b}x{r}>) -> tensor<?x{b}x{b}x{r}> {{
  %alpha = arith.constant 1.0 : {s}
  %beta = arith.constant 0.0 : {s}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<?xi32>, tensor<?xi32>, tensor<?x?x{t}>, tensor<?x?x{t}>)
      outs(%out : tensor<?x{b}x{b}x{r}>) {attributes} -> tensor<?x{b}x{b}x{r}>
  return %0 : tensor<?x{b}x{b}x{r}>
}}
"""}
PROGRAMS["sampled_transposed"] = PROGRAMS["sampled"]


def compiled(options, folder, tools, kind, dtype, block, threads):
    """The function of a program, for this machine."""
    name = f"{kind}_{dtype}_{block}_{threads}_{len(options.functions)}"
    source = folder / f"{name}.mlir"
    source.write_text(PROGRAMS[kind].format(name=name, b=block, t=dtype, r=RESULTS[dtype],
                                            s="f64" if dtype == "f64" else "f32",
                                            attributes="{transpose_mat2}" if kind == "sampled_transposed" else ""))
    pipeline = f"--sattn-to-cpu=vector-bits={vector_bits()} threads={'openmp' if threads > 1 else 'sequential'}"
    text = subprocess.run([tools / "sparse-opt", source, pipeline], check=True, capture_output=True).stdout
    text = subprocess.run([options.llvm / "mlir-translate", "--mlir-to-llvmir"], input=text, check=True,
                          capture_output=True).stdout
    library = folder / f"{name}.so"
    lib = options.llvm.parent / "lib"
    subprocess.run([options.llvm / "clang", "-O3", "-march=native", "-x", "ir", "-", "-shared", "-fPIC", "-lm", "-w",
                    *(["-L", lib, "-lomp", f"-Wl,-rpath,{lib}"] if threads > 1 else []), "-o", library],
                   input=text, check=True)
    if threads > 1:
        ctypes.CDLL(str(lib / "libomp.so.5")).omp_set_num_threads(threads)
    function = ctypes.CDLL(str(library))[f"_mlir_ciface_{name}"]
    options.functions.append(function)
    return function


def numbers(rng, shape, dtype):
    """Elements of moderate size, whatever their type."""
    if dtype == "i8":
        return rng.integers(-127, 128, shape, np.int8)
    values = rng.standard_normal(shape, dtype=np.float32)
    if dtype == "bf16":  # Rounded towards zero, which is near enough here.
        return (values.view(np.uint32) >> 16).astype(np.uint16)
    if dtype == "f16":
        return values.astype(np.float16).view(np.uint16)
    if dtype.startswith("f8"):
        import ml_dtypes
        kind = ml_dtypes.float8_e4m3fn if dtype == "f8E4M3FN" else ml_dtypes.float8_e5m2
        return values.astype(kind).view(np.uint8)
    return values.astype(NUMPY[dtype])


def operands_of(options, kind, dtype, block, pattern):
    rng = np.random.default_rng(1)
    crow, col = pattern
    depth = options.depth or options.size
    out = NUMPY[RESULTS[dtype]]
    if kind == "bsr":
        arrays = (numbers(rng, (len(col), block, block), dtype), numbers(rng, (options.size, options.size), dtype),
                  np.zeros((options.size, options.size), out))
        work = 2 * len(col) * block**2 * options.size
    else:
        columns = numbers(rng, (depth, options.size), dtype)
        if kind == "sampled_transposed":
            columns = np.ascontiguousarray(columns.T)
        arrays = (numbers(rng, (options.size, depth), dtype), columns, np.zeros((len(col), block, block), out))
        work = 2 * len(col) * block**2 * depth
    return [aligned(array) for array in (crow, col, *arrays)], work


def measure(options, folder, threads, block):
    """One row for each program of these blocks."""
    rng = np.random.default_rng(0)
    count = options.size // block
    places = np.sort(rng.choice(count * count, round((100 - options.sparsity) / 100 * count * count), replace=False))
    crow = np.concatenate([[0], np.cumsum(np.bincount(places // count, minlength=count))]).astype(np.int32)
    pattern = crow, (places % count).astype(np.int32)
    calls, work, kept = {}, {}, []
    cases = [case for case in itertools.product(options.kinds, options.types) if case != ("bsr", "f32")]
    for case in [("bsr", "f32"), *cases]:
        arrays, work[case] = operands_of(options, *case, block, pattern)
        arguments = [ctypes.byref(view(array)) for array in arrays]
        kept.append(arrays)
        for tools in filter(None, (options.tools, options.old)):
            function = compiled(options, folder, tools, *case, block, threads)
            calls[case, tools] = lambda function=function, arguments=arguments: function(*arguments)
            calls[case, tools]()
    clock = time.process_time if options.cpu_time else time.perf_counter

    def median_of(call):
        times = []
        for _ in range(options.calls):
            start = clock()
            call()
            times.append(clock() - start)
        return statistics.median(times)

    rounds = [{key: median_of(call) for key, call in calls.items()} for _ in range(options.rounds)]
    rows = []
    for case in [("bsr", "f32"), *cases]:
        base = ("bsr", "f32"), options.tools
        ratios = [times[base] / work[base[0]] * work[case] / times[case, options.tools] for times in rounds]
        best = min(times[case, options.tools] for times in rounds)
        row = {"threads": threads, "block": block, "kind": case[0], "dtype": case[1], "ms": 1e3 * best,
               "gops": 1e-9 * work[case] / best, "rate": max(ratios), "rate_median": statistics.median(ratios)}
        if options.old:
            row["before"] = statistics.median(times[case, options.old] / times[case, options.tools] for times in rounds)
        rows.append(row)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=Path, required=True)
    parser.add_argument("--old", type=Path)
    parser.add_argument("--llvm", type=Path, default=Path("/usr/lib/llvm-22/bin"))
    parser.add_argument("--threads", type=int, nargs="*", default=[2])
    parser.add_argument("--types", nargs="*", choices=RESULTS, default=["f32", "bf16", "i8", "f8E4M3FN"])
    parser.add_argument("--kinds", nargs="*", choices=PROGRAMS, default=list(PROGRAMS))
    parser.add_argument("--blocks", type=int, nargs="*", default=[64, 32, 16])
    parser.add_argument("--size", type=int, default=1024)
    parser.add_argument("--depth", type=int)
    parser.add_argument("--sparsity", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--calls", type=int, default=10, help="timed calls of each program in a round")
    parser.add_argument("--cpu-time", action="store_true")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    options.functions = []
    # Threads that wait would count as running.
    os.environ["KMP_BLOCKTIME"] = "0"
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for threads, block in itertools.product(options.threads, options.blocks):
            for row in measure(options, Path(folder), threads, block):
                rows.append(row)
                print(f"{threads} threads, blocks of {block:3}, {row['kind']:18} {row['dtype']:8} {row['ms']:8.2f} ms "
                      f"{row['gops']:6.1f} Gop/s, {row['rate']:.2f} ({row['rate_median']:.2f}) of bsr_addmm's f32"
                      + (f", {row['before']:.2f} of its rate before" if options.old else ""), flush=True)
    result_files.write(options.out, "products_cpu", rows, cpu=result_files.cpu_name(), size=options.size,
                       depth=options.depth or options.size, sparsity=options.sparsity)
    return 0


if __name__ == "__main__":
    sys.exit(main())
