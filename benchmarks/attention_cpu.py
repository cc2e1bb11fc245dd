#!/usr/bin/env python3
"""Attention as a tile program on the CPU beside NumPy's sgemm, in one process on random data, f32.

    python3 benchmarks/attention_cpu.py --libraries FOLDER [--threads 1] [--rounds 15] [--cpu haswell] [--out results.json]

FOLDER is the one of libsattn.so (build/lib). The rate of attention counts its two products, 4 * S * S * D * H; sgemm
is Q K^T of all heads of the same sizes, 2 * S * S * D * H. Each round times every program and then sgemm, so that a
machine that slows down slows both, and a ratio is the median over rounds. One thread is timed by the process's CPU
time, which other processes disturb little; several by the clock on the wall.
"""

import argparse
import os
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "test" / "python")]

import result_files  # noqa: E402
from attention_programs import Attention, program  # noqa: E402
from cpu import blas_core, restart_with_threads, vector_extension  # noqa: E402

BAR = 0.85
BLOCK = 64
# name: fields of the variant, heads, queries and keys, the bar.
CASES = {
    "dense D64": ({"head_dim": 64}, 4, 1024, BAR),
    "dense D128": ({"head_dim": 128}, 4, 1024, BAR),
    "causal D64": ({"head_dim": 64, "causal": True}, 4, 1024, None),
    "causal D128": ({"head_dim": 128, "causal": True}, 4, 1024, None),
}


def case_of(np, sattn, options, fields, heads, length):
    """(call of ours, its operations, call of sgemm, its operations)."""
    variant = Attention(dtype="f32", block_q=options.block_q, block_kv=options.block_kv, **fields)
    rng = np.random.default_rng(0)
    depth = variant.head_dim
    q, k, v = (rng.standard_normal((heads, length, depth), np.float32) for _ in range(3))
    o, scores = np.empty_like(q), np.empty((heads, length, length), np.float32)
    compiled = sattn.compile(program(variant), threads=options.threads)
    products = 2 * 2 * length * length * depth * heads
    if variant.causal:  # Half of the square.
        products //= 2
    kt = k.transpose(0, 2, 1)
    return (lambda: compiled(depth**-0.5, q, k, v, o), products,
            lambda: np.matmul(q, kt, out=scores), 2 * length * length * depth * heads)


def time_call(call, clock, repeat):
    start = clock()
    for _ in range(repeat):
        call()
    return (clock() - start) / repeat


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--libraries", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--repeat", type=int, default=5, help="calls of each kind in a round")
    parser.add_argument("--block-q", type=int, default=BLOCK, help="queries of a tile")
    parser.add_argument("--block-kv", type=int, default=BLOCK, help="keys of an iteration")
    parser.add_argument("--only", nargs="*", default=list(CASES))
    parser.add_argument("--cpu", help="whose instructions are used (default: this machine's), as in cpu.py")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    restart_with_threads(options.threads, options.cpu)
    os.environ["SATTN_LIBRARIES"] = str(options.libraries.resolve())
    import numpy as np
    import sattn

    clock = time.process_time if options.threads == 1 else time.perf_counter
    print(f"{result_files.cpu_name()}, {vector_extension()}, {options.threads} threads, NumPy {np.__version__}, "
          f"{blas_core(np)}")
    rows = []
    for name in options.only:
        fields, heads, length, bar = CASES[name]
        ours, work, sgemm, sgemm_work = case_of(np, sattn, options, fields, heads, length)
        ours(), sgemm()
        rates = [(work / time_call(ours, clock, options.repeat), sgemm_work / time_call(sgemm, clock, options.repeat))
                 for _ in range(options.rounds)]
        row = {"name": name, "heads": heads, "length": length,
               "gflops": statistics.median(rate for rate, _ in rates) / 1e9,
               "sgemm_gflops": statistics.median(rate for _, rate in rates) / 1e9,
               "ratio": statistics.median(rate / peer for rate, peer in rates), "bar": bar}
        rows.append(row)
        print(f"{name:14} {row['gflops']:7.1f} GFLOP/s, sgemm {row['sgemm_gflops']:7.1f}: {row['ratio']:.2f}"
              + (f" (bar: {bar:.2f})" if bar else ""))
    result_files.write(options.out, "attention_cpu", rows, cpu=result_files.cpu_name(),
                       vector_extension=vector_extension(), threads=options.threads, block_q=options.block_q,
                       block_kv=options.block_kv, numpy=np.__version__, blas=blas_core(np))


if __name__ == "__main__":
    main()
