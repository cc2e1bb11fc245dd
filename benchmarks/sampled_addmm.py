"""Sampled products: mat1 @ mat2 at the stored blocks of a BSR pattern, beside PyTorch's Triton kernel and dense cuBLAS.

    python benchmarks/sampled_addmm.py [--small] [--sweep] [--out benchmarks/results/sampled-h200.json]

Each candidate is a CUDA graph of products; the card is hot (timing.py), all candidates of a row run in turns, and a
time is a median. The Triton kernel is `sampled_addmm` of `torch.sparse._triton_ops`; the dense product computes every
block. `difference` is the largest of ours from that dense product, relative to its largest element. With --sweep there
are candidates `run 8`, too, where a sum is one step: at most so many stored blocks are a tile, with 2 and 3 stages or
as many as fit.
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
SHAPES = [(8192, 128, 8192, 64, 50), (8192, 128, 8192, 128, 50), (4096, 4096, 4096, 64, 50), (4096, 4096, 4096, 128, 50),
          (4096, 4096, 4096, 32, 50), (4096, 4096, 4096, 64, 90), (8192, 128, 8192, 64, 90)]
SMALL = [SHAPES[0], SHAPES[2]]
# Longest sums of one step, and stored blocks of a tile in a sweep.
SHORT, RUNS = 128, (1, 2, 4, 8, 16, 32)


def metas_of(k, block):
    """{name: meta} of a sweep."""
    if k > SHORT:
        return {}
    tile = (min(block, 128), block, SHORT)
    metas = {f"run {run}": {"tile": (tile[0], run * tile[1], tile[2])} for run in RUNS}
    for stages in (2, 3):
        metas |= {f"run {run}, {stages} stages": {"tile": (tile[0], run * tile[1], tile[2]), "stages": stages}
                  for run in (4, 8)}
    return metas


def candidates_of(m, k, n, block, sparsity, sweep):
    """{name: Timed}, and the difference from the dense product."""
    problem = make(m, n, 8, block, sparsity / 100)
    pattern = problem.crow, problem.col, problem.values
    mat1, mat2 = (torch.randn(shape, device="cuda", dtype=torch.bfloat16) for shape in ((m, k), (k, n)))
    rows = mat2.T.contiguous().T  # As keys lie in attention.
    out = *pattern[:2], torch.empty_like(problem.values)
    calls = {"dense": lambda: torch.mm(mat1, mat2),
             "ours": lambda: sattn.sampled_addmm(pattern, mat1, mat2, beta=0, out=out),
             "ours_transposed": lambda: sattn.sampled_addmm(pattern, mat1, rows, beta=0, out=out),
             "ours_beta": lambda: sattn.sampled_addmm(pattern, mat1, mat2, beta=0.5, out=out)}
    if sweep:
        for name, meta in metas_of(k, block).items():
            calls[name] = lambda meta=meta: sattn.sampled_addmm(pattern, mat1, mat2, beta=0, out=out, meta=meta)
    try:
        from torch.sparse._triton_ops import sampled_addmm
        matrix = torch.sparse_bsr_tensor(*pattern, size=(m, n))
        sampled_addmm(matrix, mat1, mat2, beta=0.0, skip_checks=True)
        calls["torch_triton"] = lambda: sampled_addmm(matrix, mat1, mat2, beta=0.0, skip_checks=True)
    except Exception as error:  # noqa: BLE001 - a peer that is not there, or fails, is left out by name.
        print(f"torch_triton: {type(error).__name__}: {error}", file=sys.stderr)
    calls["ours"]()
    wanted = (mat1.float() @ mat2.float()).view(m // block, block, n // block, block).transpose(1, 2)
    wanted = wanted[problem.rows(), problem.col.long()]
    difference = float((out[2].float() - wanted).abs().max() / wanted.abs().max())
    return {name: in_graph(call) for name, call in calls.items()}, difference


def row_of(m, k, n, block, sparsity, rounds, sweep=False):
    timed, difference = candidates_of(m, k, n, block, sparsity, sweep)
    measure(timed, rounds)
    micros = {name: round(1e3 * candidate.median_ms(), 2) for name, candidate in timed.items()}
    operations = 2 * m * n * k * (100 - sparsity) / 100
    return {"m": m, "k": k, "n": n, "block": block, "sparsity": sparsity / 100, "us": micros,
            "tflops": round(operations / micros["ours"] / 1e6, 1), "difference": round(difference, 5)}


def main(arguments=None):
    shape_rows.run("sampled_addmm", __doc__, arguments, SHAPES, SMALL, "one short and one long sum", row_of,
                   "more and fewer stored blocks of a tile")


if __name__ == "__main__":
    main()
