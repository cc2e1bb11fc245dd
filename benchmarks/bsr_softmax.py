"""Softmax of the rows of a BSR matrix, beside PyTorch's Triton kernel, dense softmax and a copy of the same bytes.

    python benchmarks/bsr_softmax.py [--small] [--sweep] [--out benchmarks/results/softmax-h200.json]

Each candidate is a CUDA graph of calls that go through several matrices in turn, more than the L2 cache holds, and keep
their results; the card is hot (timing.py), all candidates of a row run in turns, and a time is a median of one call.
`copy` reads and writes what `ours` does, and `copy_share` is its time beside that of `ours`. The Triton kernel is
`bsr_softmax` of `torch.sparse._triton_ops`; `dense` is torch.softmax of the whole matrix. `difference` is the largest
of ours from softmax in f32. With --sweep there are candidates `head 4096` too, which keep so many bytes of a row in
registers.
"""

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
import sattn  # noqa: E402
import shape_rows  # noqa: E402
from problems import make  # noqa: E402
from timing import in_graph, measure  # noqa: E402

# Rows and columns, block, sparsity in hundredths, lengths of the block rows.
SHAPES = [(8192, 64, 50, "uniform"), (8192, 128, 50, "uniform"), (8192, 32, 50, "uniform"), (8192, 16, 50, "uniform"),
          (8192, 64, 90, "uniform"), (8192, 64, 90, "zipf"), (4096, 64, 50, "uniform")]
SMALL = SHAPES[:1]
# Bytes that the matrices of one graph have together, at least.
COLD_BYTES = 256 << 20
# Bytes of a row that stay in registers, in a sweep.
HEADS = (2048, 4096, 6144, 8192, 12288, 16384)


def softmax_of(problem, size):
    """The stored values of softmax in f32."""
    rows, block = problem.rows(), problem.block
    wanted = torch.full((size // block, size // block, block, block), -torch.inf, device="cuda")
    wanted[rows, problem.col.long()] = problem.values.float()
    return torch.softmax(wanted.transpose(1, 2).flatten(2), -1).unflatten(2, (-1, block)).transpose(1, 2)[
        rows, problem.col.long()]


def metas_of(block, element_bytes):
    """{name: meta} of a sweep: steps as they are by default, and more or fewer of them."""
    columns = -(-block // -(-block // 64))
    columns = -(-columns // 8) * 8
    matrices = max(1, min(4, 2048 // (16 * columns * element_bytes)))
    tile = (1, columns, 16 * columns * matrices)
    return {f"head {head}": {"tile": tile, "stages": head // (tile[2] * element_bytes)} for head in HEADS}


def candidates_of(size, block, sparsity, pattern, sweep):
    """{name: (call, its launches)}, and the difference from softmax in f32."""
    problem = make(size, size, 8, block, sparsity / 100, pattern)
    crow, col, values = problem.crow, problem.col, problem.values
    count = -(-COLD_BYTES // (values.numel() * values.element_size()))
    inputs = [torch.randn_like(values) for _ in range(count)]
    outputs = [torch.empty_like(values) for _ in range(count)]
    dense = [torch.randn(size, size, device="cuda", dtype=values.dtype) for _ in range(4)]

    def through(call, of):
        """Each matrix once; what the calls return is kept so long."""
        return lambda: [call(i, matrix) for i, matrix in enumerate(of)]

    calls = {"copy": (through(lambda i, x: outputs[i].copy_(x), inputs), count),
             "dense": (through(lambda i, x: torch.softmax(x, -1), dense), len(dense)),
             "ours": (through(lambda i, x: sattn.bsr_softmax((crow, col, x)), inputs), count)}
    if sweep:
        for name, meta in metas_of(block, values.element_size()).items():
            calls[name] = (through(lambda i, x, meta=meta: sattn.bsr_softmax((crow, col, x), meta=meta), inputs), count)
    try:
        from torch.sparse._triton_ops import bsr_softmax
        matrices = [torch.sparse_bsr_tensor(crow, col, x, size=(size, size)) for x in inputs]
        bsr_softmax(matrices[0])
        calls["torch_triton"] = (through(lambda i, x: bsr_softmax(x), matrices), count)
    except Exception as error:  # noqa: BLE001 - a peer that is not there, or fails, is left out by name.
        print(f"torch_triton: {type(error).__name__}: {error}", file=sys.stderr)
    difference = float((sattn.bsr_softmax((crow, col, values))[2].float() - softmax_of(problem, size)).abs().max())
    return calls, difference


def row_of(size, block, sparsity, pattern, rounds, sweep=False, candidates=candidates_of):
    """The row of a shape. candidates(size, block, sparsity, pattern, sweep) gives {name: (call, its launches)} and the
    difference."""
    calls, difference = candidates(size, block, sparsity, pattern, sweep)
    timed = {}
    for name, (call, launches) in calls.items():
        timed[name] = in_graph(call, launches=1)
        timed[name].launches = launches
    measure(timed, rounds)
    micros = {name: round(1e3 * candidate.median_ms(), 2) for name, candidate in timed.items()}
    return {"size": size, "block": block, "sparsity": sparsity / 100, "rows": pattern, "us": micros,
            "copy_share": round(micros["copy"] / micros["ours"], 3), "difference": difference}


def main(arguments=None):
    shape_rows.run("bsr_softmax", __doc__, arguments, SHAPES, SMALL, "blocks of 64 at 0.5 alone", row_of,
                   "more and less of a row in registers")


if __name__ == "__main__":
    main()
