#!/usr/bin/env python3
"""Host time of one call whose kernel is ready, in microseconds: of bsr_dense_addmm, prepared and not, beside PyTorch's,
of scatter_mm, sampled_addmm and bsr_softmax, of flex_attention and scaled_dot_product_attention with masks of each
kind, of flex_attention with its gradients, and of its compiled Program with and without lists, on a GPU; and of the
first call with each of 100 sizes of N in a row, and the choice of parameters in it.

    python3 benchmarks/host_time.py [--target cuda|cpu] [--out results.json]

On the GPU calls are enqueued behind other work, so that the device's time does not show; medians of batches. On the CPU
there are only the new sizes, of small matrices of NumPy, whose product is part of the time.
"""

import argparse
import gc
import os
import statistics
import sys
import time
from pathlib import Path

import numpy as np
import result_files

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "python")]

CALLS, BATCHES = 50, 20
SIZES = range(129, 229)


def host_us(calls):
    """{name: the median time}, of calls by name. They are measured in turns, since the clocks of a host drift, too. One
    that fails is left out, with its reason."""
    import torch
    from timing import head_start

    ready = {}
    for name, call in calls.items():
        try:
            for _ in range(3):
                call()
            ready[name] = call
        except Exception as error:  # Whatever is wrong with a peer is reported, not ours.
            print(f"{name}: {(str(error).splitlines() or [type(error).__name__])[0]}")
    times = {name: [] for name in ready}
    for _ in range(BATCHES):
        for name, call in ready.items():
            torch.cuda.synchronize()
            for _ in range(4):
                head_start()
            start = time.perf_counter()
            for _ in range(CALLS):
                call()
            times[name].append((time.perf_counter() - start) / CALLS * 1e6)
    torch.cuda.synchronize()
    return {name: statistics.median(each) for name, each in times.items()}


def candidates(block, size):
    import problems
    import sattn
    import torch
    from torch.sparse import _triton_ops as triton_ops

    problem = problems.make(size, size, size, block, 0.5)
    bsr = torch.sparse_bsr_tensor(problem.crow, problem.col, problem.values, size=(size, size))
    prepared, parts = sattn.prepare(bsr), (problem.crow, problem.col, problem.values)
    dense = problem.dense()
    lists = {format: sattn.bsr_scatter_mm_indices_data(bsr, problem.b, format)
             for format in ("bsr_strided_mm", "bsr_strided_mm_compressed")}
    return {
        **{f"scatter_mm, {format}": lambda data=data: sattn.scatter_mm(
            problem.values, problem.b, data, accumulators=problem.c) for format, data in lists.items()},
        "ours": lambda: sattn.bsr_dense_addmm(problem.c, bsr, problem.b, beta=0, out=problem.c),
        "ours, prepared": lambda: sattn.bsr_dense_addmm(problem.c, prepared, problem.b, beta=0, out=problem.c),
        "sampled_addmm": lambda: sattn.sampled_addmm(parts, problem.b, problem.b, beta=0),
        "bsr_softmax": lambda: sattn.bsr_softmax(parts),
        "torch.addmm": lambda: torch.addmm(problem.c, dense, problem.b, beta=0, out=problem.c),
        "torch bsr_dense_addmm": lambda: triton_ops.bsr_dense_addmm(
            problem.c, bsr, problem.b, beta=0, out=problem.c),
    }


def attention_calls():
    """name: a call of flex_attention, whose functions and masks are made before: by name, of a function that needs no
    lists, of one that captures a tensor, with a score_mod; then PyTorch's masks, and its own kernel, compiled."""
    import sattn
    import torch
    from torch.nn.attention import flex_attention as flex

    length = 4096
    query = key = value = torch.zeros(1, 16, length, 64, dtype=torch.bfloat16, device="cuda")
    doc, slopes, width = torch.arange(length, device="cuda", dtype=torch.int32) // 512, torch.ones(16, device="cuda"), 256
    sizes = None, None, length, length

    def causal(b, h, i, j):
        return i >= j

    def window(b, h, i, j):
        return (i >= j) & (i - j <= width)

    def document(b, h, i, j):
        return (doc[i] == doc[j]) & (i >= j)

    def alibi(score, b, h, i, j):
        return score + slopes[h] * (j - i)

    options = {
        "causal": {"causal": True}, "window": {"window": (256, 0)}, "ALiBi": {"score_mod": alibi, "causal": True},
        "function, causal": {"block_mask": sattn.create_block_mask(causal, *sizes)},
        "function, window": {"block_mask": sattn.create_block_mask(window, *sizes)},
        "function, documents": {"block_mask": sattn.create_block_mask(document, *sizes, device="cuda")},
        "torch mask, causal": {"block_mask": flex.create_block_mask(causal, *sizes, device="cuda")},
        "torch mask, documents": {"block_mask": flex.create_block_mask(document, *sizes, device="cuda")}}
    calls = {f"attention: {name}": lambda given=given: sattn.flex_attention(query, key, value, **given)
             for name, given in options.items()}
    size = length // 64
    counts = torch.arange(1, size + 1, device="cuda", dtype=torch.int32)
    listed = torch.arange(size, device="cuda", dtype=torch.int32).expand(size, size).contiguous()
    given = sattn.BlockMask.from_kv_blocks(counts[None, None], listed[None, None], None, None, (64, 64), causal, (length, length))
    calls["attention: given lists"] = lambda: sattn.flex_attention(query, key, value, block_mask=given)
    blocks = torch.ones(size, size).tril().to_sparse_csr()
    stored = torch.ones(blocks.values().numel(), 64, 64, dtype=torch.bfloat16, device="cuda")
    parts = *(index.int().cuda() for index in (blocks.crow_indices(), blocks.col_indices())), stored
    sparse = torch.sparse_bsr_tensor(*parts, size=(length, length))
    for name, mask in (("tuple", parts), ("sparse_bsr", sparse), ("prepared", sattn.prepare(sparse))):
        calls[f"sdpa, {name}"] = lambda mask=mask, heads=query[0]: sattn.scaled_dot_product_attention(heads, heads, heads, mask)
    leaves = [query.clone().requires_grad_() for _ in range(3)]
    for name in ("causal", "ALiBi"):
        calls[f"attention and gradients: {name}"] = lambda given=options[name]: torch.autograd.grad(
            sattn.flex_attention(*leaves, **given), leaves, query)
    compiled = torch.compile(flex.flex_attention)
    return {**calls, "torch flex_attention": lambda: compiled(query, key, value, **options["torch mask, causal"])}


def program_calls():
    """name: a call of flex_attention's compiled Program."""
    import attention_rows
    import attention_worker

    rows = {"causal": attention_rows.Row(1, 16, 4096, 64, mask="causal"),
            "lists": attention_rows.Row(1, 16, 4096, 64, mask="blocks", count=8)}
    made = {name: (row, attention_worker.make_data(row)) for name, row in rows.items()}
    return {**{f"Program: {name}": attention_worker.ours(*given) for name, given in made.items()},
            "Program: lists, prepared": attention_worker.ours(*made["lists"], is_prepared=True)}


def small_operands(target):
    """A matrix of 32 x 32 with blocks of 16, and a function that gives dense operands of N columns."""
    crow, col = np.array([0, 1, 2], np.int32), np.array([0, 1], np.int32)
    bsr = crow, col, np.ones((2, 16, 16), np.float16)

    def dense(n):
        return np.ones((32, n), np.float16)

    if target == "cpu":
        os.environ.setdefault("OMP_NUM_THREADS", "1")  # The time in which threads wait for each other says nothing here.
        return bsr, dense
    import torch

    def on_device(array):
        return torch.from_numpy(array).cuda()

    return tuple(map(on_device, bsr)), lambda n: on_device(dense(n))


def new_sizes(target):
    """Microseconds of a first call with a size, the median and the most (a size that TMA does not take waits for the
    kernels of all such sizes), and of the choice in it; how many programs were compiled."""
    import sattn

    bsr, make = small_operands(target)
    operands = [make(n) for n in SIZES]
    choose, chosen = sattn._call.cache.chosen, []

    def timed(*facts):
        start = time.perf_counter()
        result = choose(*facts)
        chosen.append(time.perf_counter() - start)
        return result

    # One call makes what all need.
    sattn.bsr_dense_addmm(None, bsr, make(SIZES[0] - 1), beta=0)
    before = sattn.cache.info().compilations
    sattn._call.cache.chosen = timed
    gc.disable()  # As timeit does: a collection takes longer the more is imported.
    try:
        times = []
        for dense in operands:
            start = time.perf_counter()
            sattn.bsr_dense_addmm(None, bsr, dense, beta=0)
            times.append((time.perf_counter() - start) * 1e6)
    finally:
        gc.enable()
        sattn._call.cache.chosen = choose
    return (statistics.median(times), max(times), statistics.median(chosen) * 1e6,
            sattn.cache.info().compilations - before)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    rows = []
    per_call, most, per_choice, compiled = new_sizes(options.target)
    rows.append({"call": "new N", "host_us": per_call, "most_us": most, "choice_us": per_choice, "compiled": compiled})
    print(f"  16 new N                    {per_call:7.1f} us, of which the choice {per_choice:.1f}; at most {most:.0f}; "
          f"{compiled} compiled")
    for block in (128, 64, 16) if options.target == "cuda" else ():
        for name, micros in host_us(candidates(block, 1024)).items():
            rows.append({"block": block, "call": name, "host_us": micros})
            print(f"{block:4} {name:24} {micros:7.1f} us", flush=True)
    if options.target == "cuda":
        for name, micros in host_us({**program_calls(), **attention_calls()}).items():
            rows.append({"call": name, "host_us": micros})
            print(f"{name:34} {micros:7.1f} us", flush=True)
    result_files.write(options.out, "host_time", rows,
                       **(result_files.gpu() if options.target == "cuda" else {"device": "CPU", "torch": None}))


if __name__ == "__main__":
    main()
