#!/usr/bin/env python3
"""A linear layer on the CPU, out (N, M) = x (N, K) @ W^T with a sparse W, beside the same product of b (K, N).

    python3 benchmarks/linear_cpu.py --tools build/bin [--threads 1 2] [--types f32 bf16] [--blocks 16 32 64 128]
        [--columns 64 128 256 512 1024] [--size 1024] [--sparsity 50] [--rounds 30] [--cpu-time] [--old FOLDER]
        [--out results.json]

Both programs are compiled (sparse-opt, then clang of --llvm for this machine) and loaded into this process, where they
run in turns; a ratio is the median of those of the rounds, so that what else the machine does counts for both alike.
--cpu-time counts the time that the process runs, for machines that others load.
With --old, sparse-opt of another build compiles b of K x N as well: `before` is its time over that of now.
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

PROGRAM = """func.func @{name}(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x{b}x{b}x{t}>,
    %b: tensor<?x?x{t}>, %out: tensor<?x?x{t}>) -> tensor<?x?x{t}> {{
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x{b}x{b}x{t}>, tensor<?x?x{t}>)
      outs(%out : tensor<?x?x{t}>) {attributes} -> tensor<?x?x{t}>
  return %0 : tensor<?x?x{t}>
}}
"""


def vector_bits():
    flags = Path("/proc/cpuinfo").read_text()
    return 512 if " avx512f " in flags else 256 if " avx " in flags else 128


def compiled(options, folder, tools, name, block, dtype, attributes, threads):
    """The function of a program, for this machine."""
    source = folder / f"{name}.mlir"
    source.write_text(PROGRAM.format(name=name, b=block, t=dtype, attributes=attributes))
    pipeline = f"--sattn-to-cpu=vector-bits={vector_bits()} threads={'openmp' if threads > 1 else 'sequential'}"
    text = subprocess.run([tools / "sparse-opt", source, pipeline], check=True, capture_output=True).stdout
    text = subprocess.run([options.llvm / "mlir-translate", "--mlir-to-llvmir"], input=text, check=True,
                          capture_output=True).stdout
    library = folder / f"{name}.so"
    subprocess.run([options.llvm / "clang", "-O3", "-march=native", "-x", "ir", "-", "-shared", "-fPIC", "-lm", "-w",
                    *(["-L", options.llvm.parent / "lib", "-lomp", f"-Wl,-rpath,{options.llvm.parent / 'lib'}"]
                      if threads > 1 else []), "-o", library], input=text, check=True)
    handle = ctypes.CDLL(str(library))
    if threads > 1:
        ctypes.CDLL(str(options.llvm.parent / "lib/libomp.so.5")).omp_set_num_threads(threads)
    return handle[f"_mlir_ciface_{name}"]


def view(array):
    """An MLIR memref of an array."""
    class MemRef(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("data", ctypes.c_void_p), ("offset", ctypes.c_int64),
                    ("sizes", ctypes.c_int64 * array.ndim), ("strides", ctypes.c_int64 * array.ndim)]
    pointer = array.ctypes.data
    strides = [stride // array.itemsize for stride in array.strides]
    return MemRef(pointer, pointer, 0, (ctypes.c_int64 * array.ndim)(*array.shape),
                  (ctypes.c_int64 * array.ndim)(*strides))


def aligned(array):
    """A copy at the beginning of a page, as large arrays are."""
    memory = np.empty(array.nbytes + 4096, np.uint8)
    start = -memory.ctypes.data % 4096
    copy = memory[start:start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def narrow(array, dtype):
    """bf16 as bits, rounded towards zero, which is near enough here."""
    return array if dtype == "f32" else (array.view(np.uint32) >> 16).astype(np.uint16)


def widen(array, dtype):
    return array if dtype == "f32" else (array.astype(np.uint32) << 16).view(np.float32)


def operands_of(options, block, n, dtype):
    """crow, col, values, b and x of one problem."""
    rng = np.random.default_rng(0)
    count = options.size // block
    places = np.sort(rng.choice(count * count, round((100 - options.sparsity) / 100 * count * count), replace=False))
    crow = np.concatenate([[0], np.cumsum(np.bincount(places // count, minlength=count))]).astype(np.int32)
    values = narrow(rng.standard_normal((len(places), block, block), dtype=np.float32), dtype)
    b = narrow(rng.standard_normal((options.size, n), dtype=np.float32), dtype)
    return tuple(map(aligned, (crow, (places % count).astype(np.int32), values, b, np.ascontiguousarray(b.T))))


def measure(options, folder, threads, dtype, block, n):
    crow, col, values, b, x = operands_of(options, block, n, dtype)
    out, y = (aligned(np.zeros(shape, b.dtype)) for shape in ((options.size, n), (n, options.size)))
    stem = f"{dtype}_{block}_{threads}"
    programs = {"b": (options.tools, "", b, out),
                "linear": (options.tools, "{transpose_b, transpose_out}", x, y)}
    if options.old:
        programs["old"] = (options.old, "", b, out)
    calls = {}
    for name, (tools, attributes, operand, result) in programs.items():
        key = f"{name}_{stem}"
        if key not in options.functions:
            options.functions[key] = compiled(options, folder, tools, key, block, dtype, attributes, threads)
        views = [view(array) for array in (crow, col, values, operand, result)]
        arguments = [ctypes.byref(each) for each in views]
        calls[name] = lambda function=options.functions[key], arguments=arguments: function(*arguments)
    for call in calls.values():
        call()
    difference = float(np.abs(widen(out, dtype) - widen(y, dtype).T).max() / np.abs(widen(out, dtype)).max())
    times = {name: [] for name in calls}
    clock = time.process_time if options.cpu_time else time.perf_counter
    for turn in range(options.rounds):
        for name in list(calls)[::1 if turn % 2 else -1]:
            start = clock()
            calls[name]()
            times[name].append(clock() - start)
    micros = {name: 1e6 * statistics.median(each) for name, each in times.items()}

    def ratio(one, other):
        return statistics.median(a / b for a, b in zip(times[one], times[other]))

    row = {"threads": threads, "dtype": dtype, "block": block, "n": n, "us": micros, "rate": ratio("b", "linear"),
           "gflops": 2e-3 * values.size * n / micros["b"], "difference": difference}
    if options.old:
        row["before"] = ratio("old", "b")
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=Path, required=True)
    parser.add_argument("--old", type=Path)
    parser.add_argument("--llvm", type=Path, default=Path("/usr/lib/llvm-22/bin"))
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--types", nargs="*", default=["f32", "bf16"])
    parser.add_argument("--blocks", type=int, nargs="*", default=[16, 32, 64, 128])
    parser.add_argument("--columns", type=int, nargs="*", default=[64, 128, 256, 512, 1024])
    parser.add_argument("--size", type=int, default=1024)
    parser.add_argument("--sparsity", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--cpu-time", action="store_true")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    options.functions = {}
    # Threads that wait would count as running.
    os.environ["KMP_BLOCKTIME"] = "0"
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for case in itertools.product(options.threads, options.types, options.blocks, options.columns):
            row = measure(options, Path(folder), *case)
            rows.append(row)
            print(f"{row['threads']} threads, {row['dtype']:4}, blocks of {row['block']:3}, N {row['n']:4}: "
                  f"linear {row['us']['linear']:9.1f} us, {row['rate']:.2f} of b of K x N ({row['gflops']:.1f} GFLOP/s)"
                  + (f", which is {row['before']:.2f} of its rate before" if options.old else "")
                  + f", difference {row['difference']:.1e}", flush=True)
    result_files.write(options.out, "linear_cpu", rows, cpu=result_files.cpu_name(), size=options.size,
                       sparsity=options.sparsity)
    return 0


if __name__ == "__main__":
    sys.exit(main())
