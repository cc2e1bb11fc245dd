"""Gradients on the CPU, beside the forward that they belong to and PyTorch's own.

    python benchmarks/gradients_cpu.py [--out benchmarks/results/DATE-CPU-gradients_cpu.json]

f32. A rate is that of the gradient's operations over that of the forward's: products have the forward's count each,
`softmax` is the time of copying three arrays of its size over its own, and attention's gradients have 2.5 times the
forward's operations (five products for two). `torch` is the time of PyTorch's backward of a dense layer, or of
scaled_dot_product_attention, over ours. All calls of a row run in turns; a time is a median, in milliseconds.
"""

import argparse
import functools
import json
import statistics
import sys
import time
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
import result_files  # noqa: E402
import sattn  # noqa: E402

TURNS = 9


def milliseconds(calls):
    """The median time of each call, in turns."""
    times = {name: [] for name in calls}
    for turn in range(TURNS + 1):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            if turn:  # The first compiles, and warms up.
                times[name].append(1e3 * (time.perf_counter() - start))
    return {name: round(statistics.median(own), 3) for name, own in times.items()}


def pattern(grid, density, seed=0):
    """crow and col of random blocks, of which each row has as many."""
    generator = torch.Generator().manual_seed(seed)
    count = max(1, round(grid * density))
    col = torch.stack([torch.randperm(grid, generator=generator)[:count].sort().values for _ in range(grid)])
    return torch.arange(grid + 1) * count, col.flatten()


def backward(out, wanted, grad):
    return lambda: torch.autograd.grad(out, wanted, grad, retain_graph=True)


def linear_row(size, n, block, density):
    crow, col = pattern(size // block, density)
    values = torch.randn(len(col), block, block, requires_grad=True)
    x = torch.randn(n, size, requires_grad=True)
    weight = torch.randn(size, size, requires_grad=True)
    grad = torch.randn(n, size)
    matrix = sattn.prepare((crow, col, values))
    fixed = sattn.prepare((crow, col, values.detach()))
    dense = torch.nn.functional.linear(x, weight)
    times = milliseconds({
        "forward": lambda: sattn.linear(x.detach(), fixed), "d_x": backward(sattn.linear(x, fixed), (x,), grad),
        "d_values": backward(sattn.linear(x.detach(), matrix), (values,), grad),
        "both": backward(sattn.linear(x, matrix), (x, values), grad), "torch": backward(dense, (x, weight), grad)})
    return {"row": f"linear {size} x {size}, N = {n}, blocks of {block}, {density:.0%} stored", "ms": times,
            "d_x_rate": round(times["forward"] / times["d_x"], 3),
            "d_values_rate": round(times["forward"] / times["d_values"], 3),
            "torch": round(times["torch"] / times["both"], 3)}


def softmax_row(size, block, density):
    crow, col = pattern(size // block, density)
    values = torch.randn(len(col), block, block, requires_grad=True)
    grad = torch.randn_like(values)
    _, _, out = sattn.bsr_softmax((crow, col, values))
    arrays = [torch.empty_like(grad) for _ in range(3)]
    source = grad.clone()

    def copy():
        # Reads and writes as many bytes as three arrays have.
        arrays[0].copy_(source)
        arrays[1][:len(source) // 2].copy_(source[:len(source) // 2])

    times = milliseconds({"backward": backward(out, (values,), grad), "copy": copy})
    return {"row": f"softmax {size} x {size}, blocks of {block}, {density:.0%} stored", "ms": times,
            "softmax": round(times["copy"] / times["backward"], 3)}


def attention_row(heads, length, head_dim, block=None, density=None):
    query, key, value = (torch.randn(1, heads, length, head_dim, requires_grad=True) for _ in range(3))
    grad = torch.randn(1, heads, length, head_dim)
    inputs = query, key, value
    plain = [each.detach() for each in inputs]
    if block:
        crow, col = pattern(length // block, density)
        mask = sattn.prepare((crow, col, torch.ones(len(col), block, block)))
        attend = functools.partial(sattn.scaled_dot_product_attention, attn_mask=mask)
        row = f"attention of {heads} x {length} x {head_dim} at blocks of {block}, {density:.0%} stored"
    else:
        attend = functools.partial(sattn.flex_attention, causal=True)
        row = f"causal attention of {heads} x {length} x {head_dim}"
    calls = {"forward": lambda: attend(*plain), "backward": backward(attend(*inputs), inputs, grad)}
    if not block:
        dense = torch.nn.functional.scaled_dot_product_attention(*inputs, is_causal=True)
        calls["torch"] = backward(dense, inputs, grad)
    times = milliseconds(calls)
    result = {"row": row, "ms": times, "rate": round(2.5 * times["forward"] / times["backward"], 3)}
    if not block:
        result["torch"] = round(times["torch"] / times["backward"], 3)
    return result


ROWS = [
    *((linear_row, 2048, 512, block, density) for block in (64, 128, 32) for density in (0.2, 0.5)),
    (softmax_row, 4096, 64, 0.5),
    *((attention_row, 8, 1024, head_dim) for head_dim in (64, 128)),
    *((attention_row, 8, 2048, head_dim, 64, 0.1) for head_dim in (64, 128)),
]


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="a JSON file of the results; written after each row")
    options = parser.parse_args(arguments)
    rows = []
    for make, *sizes in ROWS:
        rows.append(make(*sizes))
        print(json.dumps(rows[-1]), flush=True)
        result_files.write(options.out, "gradients_cpu", rows, cpu=result_files.cpu_name(),
                           threads=torch.get_num_threads(), torch=torch.__version__)


if __name__ == "__main__":
    main()
