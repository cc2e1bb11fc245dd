#!/usr/bin/env python3
"""The first call of each public function in a new process, in milliseconds: with nothing on disk, and with the disk
cache.

    python3 benchmarks/first_call.py [--processes 20] [--device cpu|cuda] [--functions NAME...] [--peers] [--out results.json]

A process imports the package and loads its libraries, then calls a function six times. `import` and `libraries` are
what these take, `first` the first call, tracing included, `warm` the median of the others, all medians of the
processes. Rows of `cold` begin with an empty cache (a quarter of the processes), those of `disk` with one that an
earlier process filled. The mask of create_block_mask is proved causal, so nothing is compiled for it. With --device
cuda arrays are PyTorch's, CUDA's context is made before, and calls are waited for. --peers adds PyTorch's compiled
flex_attention, and on CUDA its block-sparse functions in Triton; the caches on disk of Inductor and Triton are used
likewise.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import result_files

ROOT = Path(__file__).resolve().parents[1]
BLOCK, SIZE, HEADS, LENGTH, WIDTH = 64, 512, 2, 512, 64
CALLS = 6
# Each makes its arguments from `random` and `bsr`, and returns the call.
FUNCTIONS = {
    "bsr_dense_addmm": "lambda: sattn.bsr_dense_addmm(None, bsr, dense, beta=0)",
    "bsr_dense_mm": "lambda: sattn.bsr_dense_mm(bsr, dense)",
    "linear": "lambda: sattn.linear(dense, bsr)",
    "sampled_addmm": "lambda: sattn.sampled_addmm(bsr, dense, dense, beta=0)",
    "bsr_softmax": "lambda: sattn.bsr_softmax(bsr)",
    "bsr_scatter_mm": "lambda: sattn.bsr_scatter_mm(bsr, dense)",
    "scaled_dot_product_attention": "lambda: sattn.scaled_dot_product_attention(query, query, query, bsr)",
    "create_block_mask": "lambda: sattn.create_block_mask(causal, 1, 1, LENGTH, LENGTH, device=device)",
    "flex_attention": "lambda: sattn.flex_attention(query, query, query, score_mod=distance)",
    "flex_attention, causal": "lambda: sattn.flex_attention(query, query, query, block_mask=mask)",
    "flex_attention_backward": "lambda: sattn.flex_attention_backward(query, query, query, query, query, lse)",
}
PEERS = {"flex_attention of PyTorch, compiled": "torch_flex()"}
# Functions of torch.sparse._triton_ops.
TRITON = {
    "bsr_dense_addmm of PyTorch, Triton": "lambda: triton.bsr_dense_addmm(dense, bsr, dense, beta=0)",
    "sampled_addmm of PyTorch, Triton": "lambda: triton.sampled_addmm(bsr, dense, dense, beta=0)",
    "bsr_softmax of PyTorch, Triton": "lambda: triton.bsr_softmax(bsr)",
    "scaled_dot_product_attention of PyTorch, Triton":
        "lambda: triton._scaled_dot_product_attention(query, query, query, bsr)",
}
CALLS_OF = {**FUNCTIONS, **PEERS, **TRITON}


def distance(score, b, h, q_idx, kv_idx):
    return score - abs(q_idx - kv_idx) * 0.125


def causal(b, h, q_idx, kv_idx):
    return q_idx >= kv_idx


def torch_flex(query, device):
    import torch
    from torch.nn.attention.flex_attention import flex_attention

    compiled, query = torch.compile(flex_attention), torch.as_tensor(query, device=device)
    return lambda: compiled(query, query, query, score_mod=distance)


def child(name, device):
    """Prints the times of this process."""
    import numpy as np
    if device == "cuda" or name in PEERS or name in TRITON:
        import torch
        torch.empty(1, device=device)
    start = time.perf_counter()
    import sattn
    imported = time.perf_counter()
    from sattn._compiler import c_api
    from sattn._native import libraries
    libraries.binding(), c_api.library()
    loaded = time.perf_counter()
    random = np.random.default_rng(0)
    blocks = SIZE // BLOCK
    seen = np.tril(np.ones((blocks, blocks), bool))
    dtype = "f4" if device == "cpu" else "f2"
    arrays = [np.r_[0, seen.sum(1).cumsum()].astype("i4"), seen.nonzero()[1].astype("i4"),
              random.standard_normal((seen.sum(), BLOCK, BLOCK)).astype(dtype)]
    dense = random.standard_normal((SIZE, SIZE)).astype(dtype)
    query = random.standard_normal((1, HEADS, LENGTH, WIDTH)).astype(dtype)
    if device == "cuda":
        dense, query = (torch.from_numpy(array).cuda() for array in (dense, query))
        bsr = torch.sparse_bsr_tensor(*(torch.from_numpy(array).cuda() for array in arrays), size=(SIZE, SIZE))
    else:
        bsr = tuple(arrays)
    mask = causal if name == "flex_attention, causal" else None
    if name in TRITON:
        from torch.sparse import _triton_ops as triton
        # Its masks have the batch of the queries.
        if name.startswith("scaled"):
            query, bsr = query[0], torch.sparse_bsr_tensor(*(torch.stack([part] * HEADS) for part in (
                bsr.crow_indices(), bsr.col_indices(), bsr.values())), size=(HEADS, SIZE, SIZE))
    lse = query[..., 0] * 0
    names = {"sattn": sattn, "bsr": bsr, "dense": dense, "query": query, "distance": distance, "causal": causal,
             "LENGTH": LENGTH, "device": device, "torch_flex": lambda: torch_flex(query, device),
             "lse": lse.float() if device == "cuda" else lse, "triton": name in TRITON and triton}
    times = []

    def timed(function):
        start = time.perf_counter()
        function()
        if device == "cuda":
            torch.cuda.synchronize()
        times.append((time.perf_counter() - start) * 1e3)

    if mask:
        names["mask"] = sattn.create_block_mask(causal, 1, 1, LENGTH, LENGTH, device=device)
    call = eval(CALLS_OF[name], names)
    for _ in range(CALLS):
        timed(call)
    disk = sattn.cache.info().disk
    print(json.dumps({"import_ms": (imported - start) * 1e3, "libraries_ms": (loaded - imported) * 1e3, "first_ms": times[0],
                      "warm_ms": statistics.median(times[1:]), "hits": disk.hits, "misses": disk.misses}))


def run(name, device, folder):
    path = os.pathsep.join([str(ROOT / "python"), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path, "SATTN_CACHE_DIR": f"{folder}/sattn",
                   "TORCHINDUCTOR_CACHE_DIR": f"{folder}/inductor", "TRITON_CACHE_DIR": f"{folder}/triton"}
    environment.pop("SATTN_CACHE", None)
    done = subprocess.run([sys.executable, __file__, "--child", name, "--device", device], env=environment,
                          capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"first_call: error: {name}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def measure(name, device, processes):
    with tempfile.TemporaryDirectory() as scratch:
        cold = [run(name, device, f"{scratch}/{number}") for number in range(max(1, processes // 4))]
        disk = [run(name, device, f"{scratch}/0") for _ in range(processes)]
    for cache, reports in (("cold", cold), ("disk", disk)):
        row = {"function": name, "cache": cache, "processes": len(reports)}
        row.update({key: statistics.median(report[key] for report in reports) for key in reports[0]})
        row["more_ms"] = statistics.median(report["first_ms"] - report["warm_ms"] for report in reports)
        yield row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=20)
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--functions", nargs="+", choices=list(CALLS_OF), default=list(FUNCTIONS))
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    if options.child:
        child(options.child, options.device)
        return
    peers = [*PEERS, *(TRITON if options.device == "cuda" else ())] if options.peers else []
    print(f"{'function':48} cache  import libraries   first    warm   first - warm, ms")
    rows = []
    for name in [*options.functions, *peers]:
        for row in measure(name, options.device, options.processes):
            rows.append(row)
            print(f"{name:48} {row['cache']:5} {row['import_ms']:7.0f} {row['libraries_ms']:9.0f} {row['first_ms']:7.1f} "
                  f"{row['warm_ms']:7.2f} {row['more_ms']:14.1f}", flush=True)
        # After each function, for a run that is cut off.
        result_files.write(options.out, "first_call", rows, device=options.device, processor=result_files.cpu_name(),
                           **result_files.load())


if __name__ == "__main__":
    main()
