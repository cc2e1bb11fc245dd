#!/usr/bin/env python3
"""bsr_addmm on the CPU beside NumPy's dense product (and PyTorch's sparse one), in one run on random data.

    python3 benchmarks/cpu.py --tools FOLDER [--size 1024] [--threads 2] [--rounds 7] [--cpu haswell]
        [--out results.json]

FOLDER is the one of sparse-run (build/bin, or a bundle's bin/). Half of the blocks are stored. Machines
differ and drift, so what to compare are the ratios of one run: every round times all in turn, and a ratio
is the median of those of the rounds. Rates are of stored blocks, in GFLOP/s.

NumPy's BLAS chooses its kernels for this machine, whatever OPENBLAS_CORETYPE is in the environment. With --cpu haswell
both take the instructions of that CPU alone (SATTN_CPU, OPENBLAS_CORETYPE); LLVM and OpenBLAS must know its name.
"""

import argparse
import ctypes
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import result_files

# name: element type, block size, the bar, of what.
CASES = {
    "f32, blocks of 64": ("f32", 64, 0.88, "dense"),
    "f32, blocks of 32": ("f32", 32, 0.80, "dense"),
    "f32, blocks of 16": ("f32", 16, 0.65, "dense"),
    "bf16, blocks of 64": ("bf16", 64, 0.75, "f32, blocks of 64"),
}
TORCH_BAR = 5.0
DENSITY = 0.5

PROGRAM = """func.func @f(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x{b}x{b}x{t}>,
             %b: tensor<?x?x{t}>, %out: tensor<?x?x{t}>) -> tensor<?x?x{t}> {{
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x{b}x{b}x{t}>, tensor<?x?x{t}>)
      outs(%out : tensor<?x?x{t}>) -> tensor<?x?x{t}>
  return %0 : tensor<?x?x{t}>
}}
"""


def restart_with_threads(threads, cpu=None):
    """OpenBLAS reads its environment when NumPy is imported. cpu: whose instructions both take; None: this
    machine's."""
    wanted = {"OPENBLAS_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads),
              "OPENBLAS_CORETYPE": cpu and cpu.capitalize(), "SATTN_CPU": cpu}
    if any(os.environ.get(name) != value for name, value in wanted.items()):
        environment = {name: value for name, value in {**os.environ, **wanted}.items() if value is not None}
        sys.stdout.flush()
        os.execve(sys.executable, [sys.executable, *sys.argv], environment)


def vector_extension():
    """The instructions that are used: this machine's, or with --cpu those of that CPU."""
    if cpu := os.environ.get("SATTN_CPU"):
        return f"instructions of {cpu}"
    flags = Path("/proc/cpuinfo").read_text()
    return next((name for name in ("avx512f", "avx2", "asimd") if f" {name} " in flags), "none")


def blas_core(np):
    """The kernels that NumPy's OpenBLAS chose, by its own word."""
    folder = Path(np.__file__).parents[1] / "numpy.libs"
    for library in folder.glob("*openblas*"):
        handle = ctypes.CDLL(str(library))
        for name in ("scipy_openblas_get_corename64_", "scipy_openblas_get_corename", "openblas_get_corename"):
            if hasattr(handle, name):
                function = getattr(handle, name)
                function.restype = ctypes.c_char_p
                return f"OpenBLAS {function().decode()}"
    return "unknown BLAS"


def time_calls(call, repeat):
    """Median milliseconds."""
    call()
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times)


def make_pattern(np, size, block):
    """crow and col with half of the blocks, the same for every element type."""
    rng = np.random.default_rng(0)
    count = size // block
    places = np.sort(rng.choice(count * count, round(DENSITY * count * count), replace=False))
    crow = np.concatenate([[0], np.cumsum(np.bincount(places // count, minlength=count))])
    return crow.astype(np.int32), (places % count).astype(np.int32)


def save_case(np, folder, size, dtype, block):
    """The command line of sparse-run for one case."""
    import ml_dtypes

    rng = np.random.default_rng(1)
    crow, col = make_pattern(np, size, block)
    arrays = {"crow": crow, "col": col}
    for name, shape in (("values", (len(col), block, block)), ("b", (size, size))):
        array = rng.standard_normal(shape, dtype=np.float32)
        arrays[name] = array.astype(ml_dtypes.bfloat16).view("V2") if dtype == "bf16" else array
    stem = folder / f"{dtype}-{block}"
    paths = []
    for name, array in arrays.items():
        np.save(f"{stem}-{name}.npy", array)
        paths.append(f"{stem}-{name}.npy")
    Path(f"{stem}.mlir").write_text(PROGRAM.format(b=block, t=dtype))
    return [f"{stem}.mlir", *paths, "zeros"], len(col) * 2 * block * block * size


def run_ours(options, arguments, *flags):
    done = subprocess.run([options.tools / "sparse-run", "--target=cpu", "--json", f"--threads={options.threads}",
                           *options.flags, *flags, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def torch_call(np, options, block):
    """f32 torch.sparse_bsr @ dense on the same pattern, or None without PyTorch."""
    try:
        import torch
    except ImportError:
        return None
    torch.set_num_threads(options.threads)
    rng = np.random.default_rng(1)
    crow, col = make_pattern(np, options.size, block)
    values = rng.standard_normal((len(col), block, block), dtype=np.float32)
    b = torch.from_numpy(rng.standard_normal((options.size, options.size), dtype=np.float32))
    # PyTorch warns that these tensors are in beta state.
    with warnings.catch_warnings(action="ignore"):
        matrix = torch.sparse_bsr_tensor(torch.from_numpy(crow).long(), torch.from_numpy(col).long(),
                                         torch.from_numpy(values), (options.size, options.size),
                                         check_invariants=True)
    return lambda: matrix @ b


def measure(np, options, folder):
    """Milliseconds of every round by name, and operations by name."""
    rng = np.random.default_rng(2)
    x, y = (rng.standard_normal((options.size, options.size), dtype=np.float32) for _ in range(2))
    out = np.empty_like(x)
    commands, work = {}, {"dense": 2 * options.size**3}
    for name, (dtype, block, _, _) in CASES.items():
        commands[name], work[name] = save_case(np, folder, options.size, dtype, block)
        # Once in double precision, before anything is timed.
        run_ours(options, commands[name], "--check")
    times = {name: [] for name in work}
    sparse = torch_call(np, options, 64)
    if sparse:
        times["torch.sparse_bsr"], work["torch.sparse_bsr"] = [], work["f32, blocks of 64"]
    for _ in range(options.rounds):
        times["dense"].append(time_calls(lambda: np.matmul(x, y, out=out), options.repeat))
        for name, command in commands.items():
            times[name].append(run_ours(options, command, f"--time={options.repeat}")["median_ms"])
        if sparse:
            times["torch.sparse_bsr"].append(time_calls(sparse, 3))
    return times, work


def ratio(times, work, name, peer):
    """Our rate over the peer's: the median over rounds, each ratio within one round."""
    return statistics.median(theirs / work[peer] * work[name] / ours
                             for ours, theirs in zip(times[name], times[peer]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=Path, required=True)
    parser.add_argument("--size", type=int, default=1024)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--repeat", type=int, default=50, help="timed calls of each kind in a round")
    parser.add_argument("--flags", nargs="*", default=[], help="further options of sparse-run")
    parser.add_argument("--cpu", help="whose instructions are used (default: this machine's)")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    restart_with_threads(options.threads, options.cpu)
    import numpy as np

    with tempfile.TemporaryDirectory() as folder:
        times, work = measure(np, options, Path(folder))
    print(f"{result_files.cpu_name()}, {vector_extension()}, {options.threads} threads, NumPy {np.__version__}, "
          f"{blas_core(np)}")
    bars = {name: (peer, bar) for name, (_, _, bar, peer) in CASES.items()}
    rows = []
    for name, milliseconds in times.items():
        row = {"name": name, "ms": statistics.median(milliseconds), "ms_of_rounds": milliseconds}
        row["gflops"] = work[name] / row["ms"] / 1e6
        text = f"{name:20} {row['ms']:8.3f} ms {row['gflops']:7.1f} GFLOP/s"
        if name in bars:
            row["peer"], row["bar"] = bars[name]
            row["ratio"] = ratio(times, work, name, row["peer"])
            text += f"  {row['ratio']:.2f} of {row['peer']} (bar: {row['bar']:.2f})"
        if name == "torch.sparse_bsr":
            row["ours_over_this"] = ratio(times, work, "f32, blocks of 64", name)
            text += f"  ours is {row['ours_over_this']:.1f} x this (bar: {TORCH_BAR:.0f})"
        rows.append(row)
        print(text)
    if "torch.sparse_bsr" not in times:
        print("torch.sparse_bsr     left out: PyTorch is not installed")
    result_files.write(options.out, "cpu", rows, cpu=result_files.cpu_name(), vector_extension=vector_extension(),
                       threads=options.threads, size=options.size, density=DENSITY, numpy=np.__version__,
                       blas=blas_core(np))


if __name__ == "__main__":
    main()
