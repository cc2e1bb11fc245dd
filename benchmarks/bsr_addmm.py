#!/usr/bin/env python3
"""bsr_addmm on a GPU beside dense cuBLAS, in one run on random data.

    python3 benchmarks/bsr_addmm.py --tools FOLDER [--size 8192] [--out results.json]

FOLDER is the one of sparse-run (a bundle's bin/). Needs PyTorch for cuBLAS. Times are medians of CUDA
event times; rates are of stored blocks; `x cublas` is cuBLAS's time for the dense product over ours, in
the same run, which is what to compare between runs: the card's clocks drift.
"""

import argparse
import datetime
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test" / "gpu"))
from bsr_cases import Case, program, save  # noqa: E402


def time_dense(a, b, repeat):
    """Median milliseconds of torch.matmul."""
    out = torch.empty(a.shape[0], b.shape[1], device="cuda", dtype=a.dtype)
    for _ in range(5):
        torch.matmul(a, b, out=out)
    times = []
    for _ in range(repeat):
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        torch.matmul(a, b, out=out)
        stop.record()
        stop.synchronize()
        times.append(start.elapsed_time(stop))
    return statistics.median(times)


def to_bytes(tensor):
    """A torch bf16 tensor as an array of two-byte void."""
    return tensor.cpu().view(torch.int16).numpy().view("V2")


def measure(tools, folder, size, block, sparsity, tile, repeat):
    """One row: both times, and our error against cuBLAS on the expanded matrix."""
    torch.manual_seed(0)
    count = size // block
    total = round((1 - sparsity) * count * count)
    places = torch.randperm(count * count)[:total].sort().values
    crow = torch.zeros(count + 1, dtype=torch.int32)
    crow[1:] = torch.bincount(places // count, minlength=count).cumsum(0)
    values = torch.randn(total, block, block, device="cuda", dtype=torch.bfloat16)
    dense = torch.zeros(count, count, block, block, device="cuda", dtype=torch.bfloat16)
    dense[(places // count).cuda(), (places % count).cuda()] = values
    dense = dense.permute(0, 2, 1, 3).reshape(size, size).contiguous()
    b = torch.randn(size, size, device="cuda", dtype=torch.bfloat16)
    files = {"crow": crow.numpy(), "col": (places % count).to(torch.int32).numpy(),
             "values": to_bytes(values), "b": to_bytes(b)}
    paths = [str(save(folder / f"{name}.npy", array)) for name, array in files.items()]
    case = Case("benchmark", block=(block, block), tile=tile, alpha="1.0", beta="0.0", shape=(size, size, size))
    (folder / "program.mlir").write_text(program(case))
    before = time_dense(dense, b, repeat)
    done = subprocess.run([tools / "sparse-run", "--target=cuda", "--json", f"--time={repeat}",
                           f"--out={folder / 'out.npy'}", folder / "program.mlir", *paths, "nan"],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    after = time_dense(dense, b, repeat)
    report = json.loads(done.stdout)
    result = torch.from_numpy(np.load(folder / "out.npy").view(np.int16)).view(torch.bfloat16).cuda().double()
    reference = torch.matmul(dense, b).double()
    error = ((result - reference).norm() / reference.norm()).item()
    dense_ms = (before + after) / 2
    work = 2 * total * block * block * size
    return {"size": size, "block": block, "sparsity": sparsity, "tile": list(tile), "ms": report["median_ms"],
            "tflops": work / report["median_ms"] / 1e9, "cublas_ms": dense_ms,
            "cublas_tflops": 2 * size**3 / dense_ms / 1e9, "x_cublas": dense_ms / report["median_ms"],
            "error_against_cublas": error}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=Path, required=True)
    parser.add_argument("--size", type=int, default=8192)
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for block, tile in ((64, (64, 256, 64)), (128, (128, 128, 64)), (128, (128, 256, 64))):
            for sparsity in (0.5, 0.8, 0.9):
                row = measure(options.tools, Path(folder), options.size, block, sparsity, tile, options.repeat)
                rows.append(row)
                print(f"block {block:3} tile {'x'.join(map(str, tile)):10} sparsity {sparsity}: {row['ms']:7.3f} ms "
                      f"{row['tflops']:6.1f} TFLOP/s, dense cuBLAS {row['cublas_ms']:6.3f} ms "
                      f"{row['cublas_tflops']:6.1f} TFLOP/s, x cublas {row['x_cublas']:.2f}, "
                      f"error {row['error_against_cublas']:.1e}", flush=True)
    if options.out:
        options.out.write_text(json.dumps({
            "benchmark": "bsr_addmm", "date": datetime.date.today().isoformat(),
            "device": torch.cuda.get_device_name(), "torch": torch.__version__, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
