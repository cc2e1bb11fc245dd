#!/usr/bin/env python3
"""Tile programs of attention on a GPU beside cuDNN's, in one run on random data.

    python3 benchmarks/attention.py [--out results.json] [--rows dense_4096 ...] [--raster-group 1 2 4]

Needs PyTorch and apache-tvm-ffi; in a checkout, SATTN_LIBRARIES names the folder of the libraries. The programs are
those of the tests (test/python/attention_programs.py); flex_attention.py measures the op.

    --raster-group N ...   heads walked side by side; several give a row each (default: the row's own)
    --options TEXT    options of the pipeline
    --rounds N        rounds of turns (default: 5)
    --power SECONDS   how long each candidate runs for its clock and power (default: 0.6; 0: not at all)

The card is limited by its power: candidates take turns behind heavy work (timing.py), medians of CUDA event times;
then each runs back to back while its clock and power are read. `x` is cuDNN's time over ours, what to compare between
runs. Rates count the scores that a mask leaves, half of them under a causal one.
"""

import argparse
import statistics
import sys
from pathlib import Path

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "python"), str(HERE.parent / "test" / "python")]
import attention_programs  # noqa: E402
import result_files  # noqa: E402
from timing import Timed, head_start, measure, read_power  # noqa: E402

# Batch, heads, length, and the tile program; the goal, times cuDNN.
ROWS = {
    "dense_4096": (4, 16, 4096, {"head_dim": 128, "raster_group": 1}, 1.06),
    "dense_8192": (2, 16, 8192, {"head_dim": 128, "raster_group": 2}, 1.06),
    "causal_4096": (4, 16, 4096, {"head_dim": 128, "causal": True, "raster_group": 8}, 1.08),
    "causal_8192": (2, 16, 8192, {"head_dim": 128, "causal": True, "raster_group": 8}, 1.09),
    "d64_dense": (4, 32, 4096, {"head_dim": 64, "block_q": 192, "raster_group": 8}, 1.06),
    "d64_causal": (4, 32, 4096, {"head_dim": 64, "block_q": 192, "causal": True, "raster_group": 32}, 1.03),
    "d256_dense": (4, 8, 4096, {"head_dim": 256, "block_kv": 64, "raster_group": 1}, 1.02),
    "d256_causal": (4, 8, 4096, {"head_dim": 256, "block_kv": 64, "causal": True, "raster_group": 16}, 1.03),
}


def measure_row(name, raster_group, options):
    import sattn

    batch, heads, length, fields, goal = ROWS[name]
    fields = {**fields, **({} if raster_group is None else {"raster_group": raster_group})}
    variant = attention_programs.Attention(**fields)
    torch.manual_seed(0)
    q, k, v = (torch.randn(batch, heads, length, variant.head_dim, device="cuda", dtype=torch.bfloat16)
               for _ in range(3))
    scale = variant.head_dim ** -0.5
    o = torch.empty_like(q)

    def flat(tensor):
        return tensor.view(batch * heads, length, -1)

    compiled = sattn.compile(attention_programs.program(variant), "cuda", options=options.options)

    def ours():
        compiled(scale, flat(q), flat(k), flat(v), flat(o))

    def cudnn():
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            return F.scaled_dot_product_attention(q, k, v, is_causal=variant.causal, scale=scale)

    ours()
    reference = cudnn().double()
    error = ((o.double() - reference).norm() / reference.norm()).item()
    del reference
    candidates = {"ours": Timed(ours), "cudnn": Timed(cudnn)}
    measure(candidates, options.rounds)
    flops = 4 * batch * heads * length * length * variant.head_dim * (0.5 if variant.causal else 1)
    row = {"row": name, "raster_group": fields["raster_group"], "goal": goal, "error": error}
    for candidate, timed in candidates.items():
        rates = [flops / ms / 1e9 for ms in timed.times]
        row[candidate] = {"ms": timed.median_ms(), "tflops": statistics.median(rates), "spread":
                          (max(timed.times) - min(timed.times)) / timed.median_ms()}
    row["x"] = row["cudnn"]["ms"] / row["ours"]["ms"]
    if options.power > 0:
        head_start(100)
        for candidate, timed in candidates.items():
            mhz, watts = read_power(timed.call, options.power)
            row[candidate] |= {"mhz": mhz, "watts": watts}
    return row


def show(row):
    def figures(name):
        candidate = row[name]
        text = f"{candidate['tflops']:6.1f} TFLOP/s +-{candidate['spread'] / 2:.1%}"
        if candidate.get("mhz"):
            text += (f" {candidate['mhz']:5.0f} MHz {candidate['watts']:4.0f} W"
                     f" {candidate['tflops'] / candidate['mhz'] * 1e3:4.0f}/GHz"
                     f" {candidate['watts'] / candidate['tflops']:5.2f} W/TFLOP/s")
        return text

    print(f"{row['row']:12} group {row['raster_group']:>2}  x {row['x']:.3f} (goal {row['goal']:.2f})  error {row['error']:.1e}"
          f"  ours {figures('ours')}  cudnn {figures('cudnn')}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", nargs="*", default=list(ROWS), choices=list(ROWS))
    parser.add_argument("--raster-group", type=int, nargs="*", default=[None])
    parser.add_argument("--options", default="")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--power", type=float, default=0.6)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    rows = []
    for name in options.rows:
        for raster_group in options.raster_group:
            rows.append(measure_row(name, raster_group, options))
            show(rows[-1])
            result_files.write(options.out, "attention", rows, **result_files.gpu(),
                               cudnn=torch.backends.cudnn.version())


if __name__ == "__main__":
    main()
