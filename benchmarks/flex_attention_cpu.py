#!/usr/bin/env python3
"""sattn.flex_attention on the CPU beside PyTorch's compiled flex_attention and its SDPA, in one process on random data.

    python3 benchmarks/flex_attention_cpu.py --libraries FOLDER [--threads 2] [--rounds 5] [--out results.json]

FOLDER is the one of libsattn.so (build/lib). f32, 4 heads of 1024 queries and keys; needs PyTorch, whose version does
not matter. Each is checked against float64 first. A rate counts both products of visible elements. In each round each
candidate is timed alone, the best of several calls: threads of one OpenMP runtime spin for a while after a call, and
would take the processor from the other's. A ratio is the median over rounds.
"""

import argparse
import os
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))

import result_files  # noqa: E402
from cpu import restart_with_threads, vector_extension  # noqa: E402

HEADS, LENGTH, BLOCK = 4, 1024, 64
HEAD_DIMS = [64, 128]
MASKS = ["dense", "causal", "blocks"]
# The least speed-up over the peer. SDPA has no block lists.
BARS = {"flex": 2.0, "sdpa": 1.0}
# Longer than LLVM's OpenMP runtime spins (200 ms).
PAUSE = 0.25
TOLERANCE = 1e-4


def half_of_the_blocks(np):
    count = LENGTH // BLOCK
    return np.random.default_rng(0).permuted(np.arange(count * count) % 2 == 0).reshape(count, count)


def expected(np, q, k, v, visible):
    scores = np.where(visible, q.astype(np.float64) @ k.astype(np.float64).swapaxes(-1, -2) / q.shape[-1] ** 0.5, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v


def candidates(torch, sattn, np, mask, q, k, v):
    """name: call, of those that have the mask; and what is visible."""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention
    compiled, sdpa = torch.compile(flex_attention), torch.nn.functional.scaled_dot_product_attention
    if mask == "dense":
        return np.ones((LENGTH, LENGTH), bool), {"ours": lambda: sattn.flex_attention(q, k, v),
                                                 "flex": lambda: compiled(q, k, v), "sdpa": lambda: sdpa(q, k, v)}
    if mask == "causal":
        blocks = create_block_mask(lambda b, h, i, j: i >= j, None, None, LENGTH, LENGTH, device="cpu")
        return np.tri(LENGTH, dtype=bool), {"ours": lambda: sattn.flex_attention(q, k, v, causal=True),
                                            "flex": lambda: compiled(q, k, v, block_mask=blocks),
                                            "sdpa": lambda: sdpa(q, k, v, is_causal=True)}
    kept = half_of_the_blocks(np)
    table = torch.from_numpy(kept)

    def mask_mod(b, h, i, j):
        return table[i // BLOCK, j // BLOCK]

    theirs = create_block_mask(mask_mod, None, None, LENGTH, LENGTH, device="cpu", BLOCK_SIZE=BLOCK)
    ours = sattn.create_block_mask(mask_mod, None, None, LENGTH, LENGTH, BLOCK_SIZE=BLOCK)
    return np.kron(kept, np.ones((BLOCK, BLOCK), bool)), {
        "ours": lambda: sattn.flex_attention(q, k, v, block_mask=ours),
        "flex": lambda: compiled(q, k, v, block_mask=theirs)}


def best_time(call, repeat):
    time.sleep(PAUSE)
    call()
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def measure(torch, sattn, np, mask, head_dim, options):
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal((1, HEADS, LENGTH, head_dim), np.float32) for _ in range(3)]
    visible, calls = candidates(torch, sattn, np, mask, *map(torch.from_numpy, arrays))
    right = expected(np, *arrays, visible)
    for name, call in calls.items():
        error = np.abs(call().numpy() - right).max()
        if error > TOLERANCE:
            raise SystemExit(f"flex_attention_cpu: error: {name}, {mask}, D{head_dim}: off by {error:.1e}")
    rounds = [{name: best_time(call, options.repeat) for name, call in calls.items()} for _ in range(options.rounds)]
    work = 4 * head_dim * HEADS * int(visible.sum())
    row = {"mask": mask, "head_dim": head_dim, "heads": HEADS, "length": LENGTH, "visible": float(visible.mean())}
    for name in calls:
        row[f"{name}_gflops"] = statistics.median(work / times[name] for times in rounds) / 1e9
        if name != "ours":
            row[f"over_{name}"] = statistics.median(times[name] / times["ours"] for times in rounds)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--libraries", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=10, help="calls of each candidate in a round")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    restart_with_threads(options.threads)
    os.environ["SATTN_LIBRARIES"] = str(options.libraries.resolve())
    try:
        import torch
    except ImportError as error:
        raise SystemExit(f"flex_attention_cpu: error: expected PyTorch, but got: {error}")
    import numpy as np
    import sattn

    print(f"{result_files.cpu_name()}, {vector_extension()}, {options.threads} threads, PyTorch {torch.__version__}")
    rows = []
    with torch.no_grad():
        for head_dim in HEAD_DIMS:
            for mask in MASKS:
                row = measure(torch, sattn, np, mask, head_dim, options)
                rows.append(row)
                ratios = ", ".join(f"{row[f'over_{name}']:.2f} of {name} at {row[f'{name}_gflops']:.0f} (bar: {bar:.0f})"
                                   for name, bar in BARS.items() if f"over_{name}" in row)
                print(f"{mask:7} D{head_dim:<4} {row['ours_gflops']:6.0f} GFLOP/s: {ratios}", flush=True)
    result_files.write(options.out, "flex_attention_cpu", rows, cpu=result_files.cpu_name(),
                       vector_extension=vector_extension(), threads=options.threads, torch=torch.__version__)


if __name__ == "__main__":
    main()
