#!/usr/bin/env python3
"""Host time of one call on a GPU whose kernel is ready, in microseconds: ours, prepared and not, beside PyTorch's.

    python3 benchmarks/host_time.py [--out results.json]

Calls are enqueued behind other work, so that the device's time does not show; medians of batches.
"""

import argparse
import datetime
import json
import statistics
import sys
import time
from pathlib import Path

import torch

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "python")]
import problems  # noqa: E402
from timing import head_start  # noqa: E402

CALLS, BATCHES = 50, 20


def host_us(call):
    for _ in range(3):
        call()
    times = []
    for _ in range(BATCHES):
        torch.cuda.synchronize()
        for _ in range(4):
            head_start()
        start = time.perf_counter()
        for _ in range(CALLS):
            call()
        times.append((time.perf_counter() - start) / CALLS * 1e6)
    torch.cuda.synchronize()
    return statistics.median(times)


def candidates(block, size):
    import sattn
    from torch.sparse import _triton_ops as triton_ops

    problem = problems.make(size, size, size, block, 0.5)
    bsr = torch.sparse_bsr_tensor(problem.crow, problem.col, problem.values, size=(size, size))
    prepared = sattn.prepare(bsr)
    dense = problem.dense()
    return {
        "ours": lambda: sattn.bsr_dense_addmm(problem.c, bsr, problem.b, beta=0, out=problem.c),
        "ours, prepared": lambda: sattn.bsr_dense_addmm(problem.c, prepared, problem.b, beta=0, out=problem.c),
        "torch.addmm": lambda: torch.addmm(problem.c, dense, problem.b, beta=0, out=problem.c),
        "torch bsr_dense_addmm": lambda: triton_ops.bsr_dense_addmm(
            problem.c, bsr, problem.b, beta=0, out=problem.c),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    rows = []
    for block in (128, 64, 16):
        for name, call in candidates(block, 1024).items():
            try:
                rows.append({"block": block, "call": name, "host_us": host_us(call)})
            except Exception as error:  # Whatever is wrong with a peer is reported, not ours.
                print(f"{block:4} {name}: {(str(error).splitlines() or [type(error).__name__])[0]}")
                continue
            print(f"{block:4} {name:24} {rows[-1]['host_us']:7.1f} us", flush=True)
    if options.out:
        options.out.write_text(json.dumps({
            "benchmark": "host_time", "date": datetime.date.today().isoformat(),
            "device": torch.cuda.get_device_name(), "torch": torch.__version__, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
