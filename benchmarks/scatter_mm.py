"""bsr_scatter_mm with lists beside PyTorch's Triton kernel, our bsr_addmm and dense cuBLAS.

    python benchmarks/scatter_mm.py [--small] [--out benchmarks/results/scatter-h200.json]

Each candidate is a CUDA graph of products; the card is hot (timing.py), all candidates of a row run in turns, and a
time is a median. `ours` has our lists, in the compressed format, `ours_strided` those of the format with a list of
blocks, `ours_of_torch` those that PyTorch makes, with its SPLIT_N. `accumulate` leaves out the zeros that
bsr_scatter_mm writes before it adds. The Triton kernel is `bsr_scatter_mm` of `torch.sparse._triton_ops`. `ratio` is
the rate of `ours` beside bsr_addmm's; `difference` is the largest of ours from the dense product, relative to its
largest element.
"""

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
import sattn  # noqa: E402
import shape_rows  # noqa: E402
from problems import make  # noqa: E402
from timing import in_graph, measure  # noqa: E402

# M, K, N, block, sparsity in hundredths.
SHAPES = [(8192, 8192, 8192, 64, 50), (8192, 8192, 8192, 128, 50), (8192, 8192, 8192, 64, 90), (4096, 4096, 4096, 64, 50),
          (4096, 4096, 4096, 32, 50), (4096, 4096, 4096, 16, 50)]
SMALL = [SHAPES[0], SHAPES[3]]


def candidates_of(m, k, n, block, sparsity):
    """{name: Timed}, and the difference from the dense product."""
    problem = make(m, k, 8, block, sparsity / 100)
    bsr = problem.crow, problem.col, problem.values
    matrix = torch.sparse_bsr_tensor(*bsr, size=(m, k))
    other, out = (torch.randn(k, n, device="cuda", dtype=torch.bfloat16),
                  torch.empty(m, n, device="cuda", dtype=torch.bfloat16))
    compressed = sattn.bsr_scatter_mm_indices_data(bsr, other)
    strided = sattn.bsr_scatter_mm_indices_data(bsr, other, "bsr_strided_mm")
    dense = sattn.bsr_to_dense(bsr, k)
    calls = {"dense": lambda: torch.mm(dense, other),
             "bsr_addmm": lambda: sattn.bsr_dense_addmm(None, bsr, other, beta=0, out=out),
             "ours": lambda: sattn.bsr_scatter_mm(bsr, other, compressed, out),
             "ours_strided": lambda: sattn.bsr_scatter_mm(bsr, other, strided, out),
             "accumulate": lambda: sattn.scatter_mm(problem.values, other, compressed, accumulators=out)}
    try:
        from torch.sparse._triton_ops import bsr_scatter_mm, bsr_scatter_mm_indices_data
        lists = bsr_scatter_mm_indices_data(matrix, other)
        bsr_scatter_mm(matrix, other, indices_data=lists)
        calls["torch_triton"] = lambda: bsr_scatter_mm(matrix, other, indices_data=lists, out=out)
        calls["ours_of_torch"] = lambda: sattn.bsr_scatter_mm(bsr, other, lists, out)
    except Exception as error:  # noqa: BLE001 - a peer that is not there, or fails, is left out by name.
        print(f"torch_triton: {type(error).__name__}: {error}", file=sys.stderr)
    calls["ours"]()
    wanted = dense.float() @ other.float()
    difference = float((out.float() - wanted).abs().max() / wanted.abs().max())
    return {name: in_graph(call) for name, call in calls.items()}, difference


def row_of(m, k, n, block, sparsity, rounds):
    timed, difference = candidates_of(m, k, n, block, sparsity)
    measure(timed, rounds)
    micros = {name: round(1e3 * candidate.median_ms(), 2) for name, candidate in timed.items()}
    operations = 2 * m * n * k * (100 - sparsity) / 100
    return {"m": m, "k": k, "n": n, "block": block, "sparsity": sparsity / 100, "us": micros,
            "tflops": round(operations / micros["ours"] / 1e6, 1), "ratio": round(micros["bsr_addmm"] / micros["ours"], 3),
            "difference": round(difference, 5)}


def main(arguments=None):
    shape_rows.run("scatter_mm", __doc__, arguments, SHAPES, SMALL, "blocks of 64 at 0.5 alone", row_of)


if __name__ == "__main__":
    main()
