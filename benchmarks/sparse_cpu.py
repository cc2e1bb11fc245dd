#!/usr/bin/env python3
"""Products of block-sparse matrices on the CPU beside SciPy's, PyTorch's and the dense one, in one process.

    python3 benchmarks/sparse_cpu.py --libraries FOLDER [--threads 1 2] [--rounds 5] [--out results.json]

FOLDER is the one of libsattn.so (build/lib). M = K = 2048 and N = 512 in f32, blocks at random places. Needs SciPy and
PyTorch. CSR stores the elements of the blocks alone. Each product is checked against float64 first. In each round each
candidate is timed alone, the median of its calls: threads of one OpenMP runtime spin for a while after a call, and
would take the processor from the other's. A ratio is its time over that of sattn, the median over rounds. With one
thread, time is that of the process, which others on the machine leave alone. SciPy's products run on one thread,
whatever --threads says.
"""

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import time
import warnings
from pathlib import Path

import result_files

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

from cpu import blas_core, vector_extension  # noqa: E402

SIZE, COLUMNS = 2048, 512
BLOCKS, SPARSITIES = (64, 32, 16), (50, 80, 90)
# Longer than LLVM's OpenMP runtime spins (200 ms).
PAUSE = 0.25
# Calls of a candidate in a round take at least so long, in seconds.
TIMED = 0.05
TOLERANCE = 1e-4


def matrix_of(np, block, sparsity):
    """(crow, col, values) of a matrix with blocks at random places."""
    rng = np.random.default_rng(block + sparsity)
    count = SIZE // block
    places = np.sort(rng.choice(count * count, round((100 - sparsity) / 100 * count * count), replace=False))
    crow = np.concatenate([[0], np.cumsum(np.bincount(places // count, minlength=count))]).astype(np.int32)
    return crow, (places % count).astype(np.int32), rng.standard_normal((len(places), block, block), np.float32)


def candidates(np, torch, crow, col, values, dense):
    """name: a call that returns the product."""
    import scipy.sparse

    import sattn

    theirs = scipy.sparse.bsr_array((values, col, crow), shape=(SIZE, SIZE))
    csr = theirs.tocsr()
    operand, out = sattn.prepare((crow, col, values)), np.empty((SIZE, COLUMNS), np.float32)
    tensor = torch.from_numpy(dense)
    # PyTorch warns that these tensors are in beta state.
    with warnings.catch_warnings(action="ignore"):
        torch_bsr = torch.sparse_bsr_tensor(*map(torch.from_numpy, (crow, col, values)), size=(SIZE, SIZE))
        torch_csr = torch.sparse_csr_tensor(*map(torch.from_numpy, (csr.indptr, csr.indices, csr.data)),
                                            size=(SIZE, SIZE))
    full = theirs.toarray()
    return {"sattn": lambda: sattn.bsr_dense_addmm(None, operand, dense, beta=0, out=out),
            "scipy_bsr": lambda: theirs @ dense, "scipy_csr": lambda: csr @ dense,
            "torch_bsr": lambda: torch_bsr @ tensor, "torch_csr": lambda: torch_csr @ tensor,
            "numpy": lambda: full @ dense}


def seconds(call, clock):
    """The median time of a call."""
    time.sleep(PAUSE)
    call()
    times = []
    while sum(times) < TIMED:
        start = clock()
        call()
        times.append(clock() - start)
    return statistics.median(times)


def row_of(np, torch, block, sparsity, rounds, threads):
    crow, col, values = matrix_of(np, block, sparsity)
    dense = np.random.default_rng(0).standard_normal((SIZE, COLUMNS), np.float32)
    calls = candidates(np, torch, crow, col, values, dense)
    full = np.zeros((SIZE // block, SIZE // block, block, block))
    full[np.repeat(np.arange(SIZE // block), np.diff(crow)), col] = values
    right = full.transpose(0, 2, 1, 3).reshape(SIZE, SIZE) @ dense.astype(np.float64)
    for name, call in calls.items():
        error = np.abs(np.asarray(call()) - right).max() / np.abs(right).max()
        if error > TOLERANCE:
            raise SystemExit(f"sparse_cpu: error: {name}, blocks of {block}: off by {error:.1e}")
    clock = time.process_time if threads == 1 else time.perf_counter
    rounds = [{name: seconds(call, clock) for name, call in calls.items()} for _ in range(rounds)]
    work = 2 * values.size * COLUMNS
    row = {"threads": threads, "block": block, "sparsity": sparsity / 100, "m": SIZE, "k": SIZE, "n": COLUMNS,
           "ms": {name: 1e3 * statistics.median(times[name] for times in rounds) for name in calls},
           "over": {name: statistics.median(times[name] / times["sattn"] for times in rounds)
                    for name in calls if name != "sattn"}}
    return {**row, "gflops": work / row["ms"]["sattn"] / 1e6}


def child(options, threads):
    """Prints the rows of this process, whose libraries have their numbers of threads from the environment."""
    import numpy as np
    import torch

    import sattn

    torch.set_num_threads(threads)
    sattn.set_num_threads(threads)
    for block, sparsity in itertools.product(options.blocks, SPARSITIES):
        print(json.dumps(row_of(np, torch, block, sparsity, options.rounds, threads)), flush=True)


def rows_of(threads):
    """The rows of a process that runs on so many threads."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
    command = [sys.executable, *sys.argv, "--child", str(threads)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        yield from map(json.loads, process.stdout)
    if process.returncode:
        raise SystemExit(f"sparse_cpu: error: the process of {threads} threads ended with {process.returncode}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--libraries", type=Path, required=True)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--blocks", type=int, nargs="+", default=BLOCKS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    os.environ["SATTN_LIBRARIES"] = str(options.libraries.resolve())
    if options.child:
        child(options, options.child)
        return
    try:
        import numpy as np
        import scipy
        import torch
    except ImportError as error:
        raise SystemExit(f"sparse_cpu: error: expected PyTorch and SciPy, but got: {error}")
    rows = []
    for threads in options.threads:
        for row in rows_of(threads):
            rows.append(row)
            over = ", ".join(f"{ratio:.1f} x {name}" for name, ratio in row["over"].items())
            print(f"{threads} threads, blocks of {row['block']}, {row['sparsity']:.0%} not stored: "
                  f"{row['gflops']:5.1f} GFLOP/s, {over}", flush=True)
            result_files.write(options.out, "sparse_cpu", rows, cpu=result_files.cpu_name(),
                               vector_extension=vector_extension(), **result_files.load(), numpy=np.__version__,
                               blas=blas_core(np), scipy=scipy.__version__, torch=torch.__version__)


if __name__ == "__main__":
    main()
