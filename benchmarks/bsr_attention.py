"""Attention at the stored blocks of a BSR mask, beside PyTorch's Triton kernels, FlexAttention and dense attention.

    python benchmarks/bsr_attention.py [--small] [--sweep] [--out benchmarks/results/bsr-attention-h200.json]

Each candidate is a CUDA graph of calls; the card is hot (timing.py), all candidates of a row run in turns, and a time
is a median. `prepared` is ours with a prepared mask, of which the compiler knows the longest row; `torch_triton` is
`_scaled_dot_product_attention` of `torch.sparse._triton_ops`, three kernels with the weights in memory; `flex`
PyTorch's compiled FlexAttention, and `ours_flex` sattn.flex_attention, both with the mask as a list of wholly visible
blocks; `dense` PyTorch's attention of all keys. All heads share the mask. `difference` is the largest of ours from
attention in f32, relative to its largest element. `dropout` drops a tenth of the weights. `rows` says how long block
rows are (row_lengths.py). --sweep computes long block rows in parts, of several numbers of parts.
"""

import functools
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
import sattn  # noqa: E402
import shape_rows  # noqa: E402
from problems import make  # noqa: E402
from timing import in_graph, measure  # noqa: E402

# Heads, queries and keys, columns, block, sparsity in hundredths, lengths of the block rows.
SHAPES = [(16, 4096, 128, 64, 90, "uniform"), (16, 4096, 128, 128, 90, "uniform"), (16, 4096, 128, 64, 90, "zipf"),
          (16, 4096, 128, 128, 90, "zipf"), (16, 4096, 128, 64, 50, "uniform"), (16, 4096, 128, 128, 50, "uniform"),
          (16, 4096, 64, 64, 90, "uniform"), (16, 4096, 64, 128, 90, "uniform"), (16, 4096, 128, 32, 90, "uniform"),
          (16, 16384, 128, 128, 95, "uniform")]
SMALL = SHAPES[:4]
# Parts of all block rows, in a sweep.
PARTS = (132, 192, 264, 384, 528)


@functools.cache
def compiled_flex():
    from torch.nn.attention.flex_attention import flex_attention

    # Each row of the table compiles it anew.
    torch._dynamo.config.recompile_limit = 64
    return torch.compile(flex_attention, dynamic=False)


def lists_of(problem, size):
    """Counts and columns of the stored blocks of each block row, (1, 1, rows) and (1, 1, rows, columns)."""
    counts = problem.crow[1:] - problem.crow[:-1]
    indices = torch.zeros(len(counts), size // problem.block, dtype=torch.int32, device="cuda")
    for row, (first, count) in enumerate(zip(problem.crow.tolist(), counts.tolist())):
        indices[row, :count] = problem.col[first:first + count]
    return counts[None, None], indices[None, None]


def flex_call(problem, size, q, k, v):
    from torch.nn.attention.flex_attention import BlockMask

    counts, indices = lists_of(problem, size)
    mask = BlockMask.from_kv_blocks(torch.zeros_like(counts), torch.zeros_like(indices), counts, indices,
                                    BLOCK_SIZE=problem.block)
    return lambda: compiled_flex()(q, k, v, block_mask=mask, kernel_options={"BLOCK_N": problem.block})


def ours_flex_call(problem, size, q, k, v):
    counts, indices = lists_of(problem, size)
    mask = sattn.BlockMask.from_kv_blocks(torch.zeros_like(counts), torch.zeros_like(indices), counts, indices,
                                          BLOCK_SIZE=problem.block)
    return lambda: sattn.flex_attention(q, k, v, block_mask=mask)


def triton_call(problem, size, q, k, v):
    from torch.sparse._triton_ops import _scaled_dot_product_attention

    lead = q.shape[:2]
    mask = torch.sparse_bsr_tensor(*(part.expand(*lead, *part.shape).contiguous()
                                     for part in (problem.crow, problem.col, problem.values)), size=(*lead, size, size))
    return lambda: _scaled_dot_product_attention(q, k, v, mask)


def candidates_of(heads, size, columns, block, sparsity, pattern, sweep):
    """{name: Timed}, the difference from attention in f32, and stored blocks."""
    problem = make(size, size, 8, block, sparsity / 100, pattern)
    q, k, v = (torch.randn(1, heads, size, columns, device="cuda", dtype=torch.bfloat16) for _ in range(3))
    mask = problem.crow, problem.col, problem.values
    prepared = sattn.prepare(mask)
    calls = {"ours": lambda: sattn.scaled_dot_product_attention(q, k, v, mask),
             "prepared": lambda: sattn.scaled_dot_product_attention(q, k, v, prepared),
             "dropout": lambda: sattn.scaled_dot_product_attention(q, k, v, mask, 0.1),
             "dense": lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v)}
    if sweep:
        side = min(block, 128)
        meta = {"tile": (side, columns, side), "stages": 2, "raster_group": 16}
        calls |= {f"{parts} parts": functools.partial(sattn.scaled_dot_product_attention, q, k, v, mask,
                                                      meta={**meta, "split_k": parts}) for parts in PARTS}
    timed = {name: in_graph(call) for name, call in calls.items()}
    for name, make_call in (("ours_flex", ours_flex_call), ("flex", flex_call), ("torch_triton", triton_call)):
        try:
            call = make_call(problem, size, q, k, v)
            call()
            timed[name] = in_graph(call)
            timed[name].call()
            torch.cuda.synchronize()
        except Exception as error:  # noqa: BLE001 - a peer that is not there, or fails, is left out by name.
            timed.pop(name, None)
            print(f"{name}: {type(error).__name__}: {' '.join(str(error).split())[:300]}", file=sys.stderr)
    visible = torch.zeros(size // block, size // block, dtype=torch.bool, device="cuda")
    visible[problem.rows(), problem.col.long()] = True
    visible = visible.repeat_interleave(block, 0).repeat_interleave(block, 1)
    scores = (q[0, 0].float() @ k[0, 0].float().T * columns**-0.5).masked_fill(~visible, float("-inf"))
    wanted = scores.softmax(-1).nan_to_num(0) @ v[0, 0].float()
    difference = max(float((call()[0, 0].float() - wanted).abs().max() / wanted.abs().max())
                     for name, call in calls.items() if name in ("ours", "prepared") or name.endswith(" parts"))
    return timed, difference, len(problem.col)


def row_of(heads, size, columns, block, sparsity, pattern, rounds, sweep=False):
    timed, difference, stored = candidates_of(heads, size, columns, block, sparsity, pattern, sweep)
    measure(timed, rounds)
    micros = {name: round(1e3 * candidate.median_ms(), 2) for name, candidate in timed.items()}
    operations = 4 * heads * stored * block * block * columns
    return {"heads": heads, "size": size, "columns": columns, "block": block, "sparsity": sparsity / 100,
            "rows": pattern, "us": micros,
            "tflops": round(operations / micros["ours"] / 1e6, 1), "difference": round(difference, 5)}


def main(arguments=None):
    shape_rows.run("bsr_attention", __doc__, arguments, SHAPES, SMALL, "the rows with a target", row_of,
                   "long block rows in parts")


if __name__ == "__main__":
    main()
